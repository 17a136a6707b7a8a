package tune

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/bench/lab"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// picky is a solver with parameters of each kind. It refuses some of their values together.
type picky struct {
	Mode   string  `enum:"plain,fast,odd,never" doc:"how it works"`
	Order  string  `enum:"in,out" doc:"the order of the jobs"`
	Depth  int     `range:"[1, 100]" vary:"[1, 64] log" doc:"how far it looks" when:"mode=fast,odd"`
	Weight float64 `range:"[0, 1]" vary:"[0, 0.02]" doc:"a weight"`
}

// Check implements params.Checker.
func (p *picky) Check() error {
	if p.Mode == "odd" && p.Order == "out" {
		return &params.Error{Name: "mode", Expected: "another one", Found: p.Mode}
	}
	return nil
}

// Supports refuses all instances in the mode never.
func (p *picky) Supports(*model.Instance) error {
	if p.Mode == "never" {
		return fmt.Errorf("%w: any instance", solve.ErrUnsupported)
	}
	return nil
}

// Solve schedules in the order of the file, and fails where the depth is 13.
func (p *picky) Solve(_ context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	if p.Depth == 13 {
		return solve.Result{}, errors.New("13 brings bad luck")
	}
	schedule, err := plan.NewSchedule(in)
	if err != nil {
		return solve.Result{}, err
	}
	for _, job := range plan.ArrivalOrder(in) {
		if p.Depth == 14 && job == 0 {
			schedule.Leave(job, "it is not wanted")
			continue
		}
		if slot, ok := schedule.Earliest(job, 0); ok {
			schedule.Place(job, slot)
		}
	}
	return solve.Result{Solution: schedule.Solution(), Status: model.Feasible, Stop: model.StopDone}, nil
}

var _ = solve.Register(solve.Info{Name: "picky", Doc: "A solver for tests.", Source: "elementary", New: func() solve.Solver { return &picky{Mode: "plain", Order: "in", Depth: 1} }})

// muscle plans 24 small batches.
func muscle(t testing.TB, solver string) *bench.Plan {
	t.Helper()
	suite := &bench.Suite{
		Format: bench.SuiteFormat, Name: "muscle", Solvers: []bench.SolverChoice{{Solver: solver}}, Budget: bench.Budget{Evaluations: 200},
		Instances: []bench.InstanceSource{{Generate: "muscle", Parameters: map[string]bench.Values{"jobs": {8.0, 12.0}}, Seeds: bench.Seeds{Count: 12}}},
	}
	p, err := suite.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kthTrace is the beginning of a real trace.
func kthTrace(t testing.TB, jobs int) *model.Instance {
	t.Helper()
	name := filepath.Join(realdata.Root(t), "swf", "KTH-SP2-1996-2.swf.gz")
	file, err := model.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, _ := formats.Named("swf")
	in, _, err := info.New().Read(file, name)
	if err != nil {
		t.Fatal(err)
	}
	return only(in, byArrival(in)[:jobs])
}

// exportedTo exports a question on the batches and reads it back.
func exportedTo(t testing.TB, program, solver string, vary ...string) *Frozen {
	t.Helper()
	space, err := NewSpace(solver, vary)
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Limits, opt.Dir = Limits{Runs: 100}, filepath.Join(t.TempDir(), "out")
	if err := ExportInstances(t.Context(), space, muscle(t, solver), program, opt); err != nil {
		t.Fatal(err)
	}
	z, err := OpenFrozen(opt.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// What irace and SMAC read is as the golden files have it: kinds, scales, conditions, forbidden parts, names of chains.
func TestExportedFiles(t *testing.T) {
	for _, c := range []struct {
		name, solver string
		vary         []string
	}{
		{"picky", "picky", []string{"mode", "order", "depth", "weight"}},
		{"chain", "dll+titan:patience=5", []string{"titan.population=4..40:log", "titan.swap=0.001..0.1:log", "titan.coding"}},
	} {
		for program, files := range map[string][]string{
			"irace": {"parameters.txt", "scenario.txt", "configurations.txt", "forbidden.txt", "instances.txt", "target-runner", "README.md"},
			"smac":  {"configspace.json", "scenario.json", "README.md"},
		} {
			z := exportedTo(t, program, c.solver, c.vary...)
			var all strings.Builder
			for _, file := range files {
				text, err := os.ReadFile(z.path(file))
				if errors.Is(err, os.ErrNotExist) {
					text = []byte("absent\n")
				} else if err != nil {
					t.Fatal(err)
				}
				all.WriteString("-- " + file + " --\n" + string(text))
			}
			golden := filepath.Join("testdata", c.name+"."+program+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(all.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if all.String() != string(want) {
				t.Errorf("%s differs from %s (-update rewrites it):\n%s", c.name+" for "+program, golden, all.String())
			}
		}
	}
}

// A run from the folder costs what the race would note for the same instance, seed and configuration; the instances are those of the race.
func TestFrozenRunsAreThoseOfTheRace(t *testing.T) {
	for _, onTrace := range []bool{false, true} {
		opt := Defaults()
		opt.Limits, opt.Dir, opt.HeldOut = Limits{Runs: 100}, filepath.Join(t.TempDir(), "out"), 0.35
		var space *Space
		var plan *bench.Plan
		var places []int
		var err error
		if onTrace {
			in := kthTrace(t, 8000)
			if space, err = NewSpace("easy", []string{"order", "depth=1..8"}); err != nil {
				t.Fatal(err)
			}
			if err = ExportTrace(t.Context(), space, in, "mean_wait", "irace", opt); err != nil {
				t.Fatal(err)
			}
			parts, err := partTrace(in, "mean_wait", opt.HeldOut)
			if err != nil {
				t.Fatal(err)
			}
			plan, places = parts.plan, parts.places
		} else {
			if space, err = NewSpace("titan", []string{"population=4..40:log", "swap", "coding"}); err != nil {
				t.Fatal(err)
			}
			plan = muscle(t, "titan")
			if err = ExportInstances(t.Context(), space, plan, "irace", opt); err != nil {
				t.Fatal(err)
			}
			if places, _, _, err = setAside(len(plan.Instances), opt); err != nil {
				t.Fatal(err)
			}
		}
		z, err := OpenFrozen(opt.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(places) != len(z.Training) {
			t.Fatalf("%d training instances, expected %d", len(z.Training), len(places))
		}
		session, err := bench.Open(t.Context(), plan, bench.RunOptions{Dir: t.TempDir(), Bare: true, Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		run := inSession(session)
		rapid.Check(t, func(rt *rapid.T) {
			k := rapid.IntRange(0, len(places)-1).Draw(rt, "instance")
			seed := uint64(rapid.IntRange(0, 3).Draw(rt, "seed"))
			c := newSampler(space, rapid.Uint64().Draw(rt, "configuration")).anywhere()
			results, _, err := run(t.Context(), places[k], seed, []*solve.Choice{c.choice})
			if err != nil {
				rt.Fatal(err)
			}
			var words []string
			for d, value := range c.config {
				if value != "" {
					words = append(words, space.Dimensions[d].Name+"="+value)
				}
			}
			cost, why, err := z.Run(t.Context(), "training/"+filepath.Base(z.Training[k].File), strconv.FormatUint(seed, 10), words)
			if want := results[0].Objective + LeftOutCost*results[0].Left; err != nil || cost != want {
				rt.Fatalf("%s: %v %s %v, the race has %v", c.choice.Label, cost, why, err, want)
			}
		})
	}
}

// The judgement in the folder is that of the tuning.
func TestFrozenJudgementIsThatOfTheTuning(t *testing.T) {
	compare := func(name string, answer *Answer, z *Frozen) {
		t.Helper()
		if answer.HeldOut == nil {
			t.Fatalf("%s: nothing better was found, so this test tests nothing", name)
		}
		choice, err := z.Choice([]string{answer.Found})
		if err != nil {
			t.Fatal(err)
		}
		judged, err := z.Judge(t.Context(), choice, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(judged.HeldOut, answer.HeldOut) || judged.Keep != answer.Keep || judged.Recommended != answer.Recommended {
			t.Errorf("%s: judged %s\nthe tuning says %s", name, judged.Text(), answer.Text())
		}
		if !slices.Equal(judged.Question.Training, answer.Question.Training) || !slices.Equal(judged.Question.SetAside, answer.Question.SetAside) || judged.Question.Digest != answer.Question.Digest {
			t.Errorf("%s: the instances differ", name)
		}
	}
	opt := Defaults()
	opt.Limits, opt.Lab = Limits{Runs: 150}, lab.Defaults()
	space, err := NewSpace("titan:generations=20", []string{"population=4..40:log", "swap", "coding"})
	if err != nil {
		t.Fatal(err)
	}
	opt.Dir = t.TempDir()
	answer, err := Instances(t.Context(), space, muscle(t, "titan"), opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Dir = filepath.Join(t.TempDir(), "out")
	if err := ExportInstances(t.Context(), space, muscle(t, "titan"), "irace", opt); err != nil {
		t.Fatal(err)
	}
	z, err := OpenFrozen(opt.Dir)
	if err != nil {
		t.Fatal(err)
	}
	compare("instances", answer, z)

	in := kthTrace(t, 6000)
	if opt.Lab, _ = lab.Defaults().In(in.Units().Time); opt.Lab.Day == 0 {
		t.Fatal("the trace has no days")
	}
	if space, err = NewSpace("easy", []string{"order=fcfs,sjf,saf", "depth=1..8"}); err != nil {
		t.Fatal(err)
	}
	opt.Dir = t.TempDir()
	if answer, err = Trace(t.Context(), space, in, "mean_wait", opt); err != nil {
		t.Fatal(err)
	}
	opt.Dir = filepath.Join(t.TempDir(), "out")
	if err := ExportTrace(t.Context(), space, in, "mean_wait", "irace", opt); err != nil {
		t.Fatal(err)
	}
	if z, err = OpenFrozen(opt.Dir); err != nil {
		t.Fatal(err)
	}
	compare("trace", answer, z)
}

// Each further choice that is judged has a wider interval; the same one again has the same.
func TestJudgingManyWidensTheInterval(t *testing.T) {
	z := exportedTo(t, "irace", "titan", "population=4..40", "swap")
	for _, c := range []struct {
		choice string
		want   float64
	}{{"titan:swap=0.5", 0.95}, {"titan:swap=0.6", 0.975}, {"titan:swap=0.5", 0.95}, {"titan", 0.95}, {"titan:swap=0.7", 1 - 0.05/3}} {
		got, err := z.judgedNow(c.choice)
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: confidence %v %v, expected %v", c.choice, got, err, c.want)
		}
	}
}

// What fails or is refused costs infinity, and what leaves out a job costs more than any schedule.
func TestCostOfFailures(t *testing.T) {
	z := exportedTo(t, "irace", "picky", "mode", "order", "depth", "weight")
	run := func(words ...string) (float64, string) {
		t.Helper()
		cost, why, err := z.Run(t.Context(), "001.json", "", words)
		if err != nil {
			t.Fatal(err)
		}
		return cost, why
	}
	usual, why := run("mode=fast", "depth=3")
	if usual >= LeftOutCost || why != "" {
		t.Errorf("a schedule costs %v %s", usual, why)
	}
	if cost, why := run("mode=odd", "order=out", "depth=3"); !math.IsInf(cost, 1) || !strings.Contains(why, "expected another one") {
		t.Errorf("what is refused costs %v %s", cost, why)
	}
	if cost, why := run("mode=fast", "depth=13"); !math.IsInf(cost, 1) || !strings.Contains(why, "bad luck") {
		t.Errorf("what fails costs %v %s", cost, why)
	}
	if cost, _ := run("mode=fast", "depth=14"); cost < LeftOutCost-1 || math.IsInf(cost, 0) {
		t.Errorf("a schedule without a job costs %v", cost)
	}
}

// Words that cannot be meant are refused, and the message says what was expected.
func TestConfigIsRead(t *testing.T) {
	space, err := NewSpace("picky", []string{"mode=plain,fast", "depth=2..64:log", "weight"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{
		{"depht=3", `expected NAME=VALUE with a name of mode, weight, depth, found "depht=3"`},
		{"fast", "expected NAME=VALUE"},
		{"mode=fast mode=fast", "expected each parameter once"},
		{"mode=odd", `mode: expected plain or fast, found "odd"`},
		{"mode=fast depth=1.5", "depth: expected a whole number from 2 to 64"},
		{"mode=fast depth=65", "depth: expected a whole number from 2 to 64"},
		{"mode=fast depth=3x", "depth: expected a whole number from 2 to 64"},
		{"weight=NaN", "weight: expected a number from 0 to 0.02"},
		{"depth=3", "it matters only where mode is fast or odd"},
	} {
		if _, err := space.Config(strings.Fields(c.words)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.words, err, c.want)
		}
	}
	for words, want := range map[string]Config{
		"":                                   {"plain", "0", ""},
		"mode=fast":                          {"fast", "0", "1"}, // the default lies outside the interval
		"mode=fast depth=1":                  {"fast", "0", "1"},
		"weight=0.0123456 mode=fast depth=7": {"fast", "0.01235", "7"},
	} {
		got, err := space.Config(strings.Fields(words))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v, expected %q", words, got, err, want)
		}
	}
}

// A question that cannot be exported, or a folder that is no export, is refused.
func TestExportRefuses(t *testing.T) {
	opt := Defaults()
	opt.Limits = Limits{Runs: 100}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		solver, vary, program, dir string
		runs                       int
		want                       string
	}{
		{"titan", "swap", "irace", full, 100, "expected an empty folder or none"},
		{"titan", "swap", "ilace", "", 100, `expected irace or smac, found "ilace"`},
		{"titan", "swap", "irace", "", 25, "expected at least 10 runs beside those of the judgement, found 9"},
		{"titan", "generations=1..3000000000", "irace", "", 100, "expected whole numbers of at most"},
	} {
		space, err := NewSpace(c.solver, []string{c.vary})
		if err != nil {
			t.Fatal(err)
		}
		opt.Dir, opt.Runs = c.dir, c.runs
		if opt.Dir == "" {
			opt.Dir = filepath.Join(t.TempDir(), "out")
		}
		if err := ExportInstances(t.Context(), space, muscle(t, "titan"), c.program, opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s for %s: %v, expected %q", c.solver, c.vary, c.program, err, c.want)
		}
	}
	z := exportedTo(t, "irace", "titan", "population=4..40", "swap")
	question, err := os.ReadFile(z.path(questionFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, now, want string }{
		{`"solver": "titan"`, `"solver": "titen"`, `did you mean "titan"?`},
		{`"solver": "titan"`, `"solver": "exec:rm"`, "expected one that runs no program from outside"},
		{`"name": "swap"`, `"name": "swop"`, "expected a parameter of titan"},
		{`"high": 40`, `"high": -40`, "expected values or an interval"},
		{`"training/001.json"`, `"../001.json"`, "expected a path within the folder"},
		{FrozenFormat, "allot-tune-export/2", "allot-tune-export/2"},
		{`"confidence": 0.95`, `"confidence": 1`, "expected a number between 0 and 1"},
	} {
		if !strings.Contains(string(question), c.old) {
			t.Fatalf("the question has no %s", c.old)
		}
		if err := os.WriteFile(z.path(questionFile), []byte(strings.Replace(string(question), c.old, c.now, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenFrozen(z.dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.now, err, c.want)
		}
	}
	text, err := os.ReadFile(z.path("training/001.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(z.path("training/001.json"), append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := z.Run(t.Context(), "001.json", "1", nil); err == nil || !strings.Contains(err.Error(), "it has changed") {
		t.Errorf("an instance that has changed is run: %v", err)
	}
}

// FuzzOpenFrozen: a question of any text is read or refused, and what is read gives configurations.
func FuzzOpenFrozen(f *testing.F) {
	z := exportedTo(f, "smac", "picky", "mode", "order", "depth", "weight")
	text, err := os.ReadFile(z.path(questionFile))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text), "mode=fast")
	f.Add(strings.Replace(string(text), `"low": 1`, `"low": -1`, 1), "depth=1e400")
	f.Add("{}", "")
	f.Fuzz(func(t *testing.T, question, word string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, questionFile), []byte(question), 0o666); err != nil {
			t.Fatal(err)
		}
		z, err := OpenFrozen(dir)
		if err != nil {
			return
		}
		if config, err := z.space.Config([]string{word}); err == nil {
			if _, err := z.space.Choice(config); err == nil && len(config) != len(z.space.Dimensions) {
				t.Errorf("%q: %q", word, config)
			}
		}
	})
}
