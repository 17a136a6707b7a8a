package solvers_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/allot-opt/allot/bench" // the readers of all formats
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

var (
	inertAll  = flag.Bool("inert.all", false, "try every inert addition with every solver on every instance, which takes about an hour")
	inertSeed = flag.Uint64("inert.seed", 1, "seed of the additions that are tried")
	inertOnly = flag.String("inert.solver", "", "the only solver that is tried, with all that it is said to look at; empty: every solver")
)

// inertInstances are instances of every kind, by name: the examples, small instances of the workloads, and cuts of traces and of the suites' data.
func inertInstances(t *testing.T) map[string]*model.Instance {
	t.Helper()
	list := map[string]*model.Instance{}
	files, err := filepath.Glob(filepath.Join("..", "examples", "*.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		in, err := model.ReadInstanceFile(file)
		if err == nil {
			list["examples/"+filepath.Base(file)] = in
		} else if filepath.Base(file) != "job.json" {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		"four:jobs=20", "ggone:jobs=12", "gpu:jobs=20", "mts:jobs=20", "muscle:jobs=20", "spaceshare:jobs=15", "tariff:jobs=12", "twolevel:jobs=20",
	} {
		_, maker, err := workload.Choose(text)
		if err != nil {
			t.Fatal(err)
		}
		in, err := maker.Generate(3)
		if err != nil {
			t.Fatal(err)
		}
		list[text] = in
	}
	for _, cut := range []struct {
		format   string
		settings string
		path     []string
	}{
		{"swf", "jobs=60 first=500", []string{"swf", "KTH-SP2-1996-2.swf.gz"}},
		{"swf", "jobs=40 batch=true", []string{"swf", "KTH-SP2-1996-2.swf.gz"}},
		{"swf", "jobs=60 first=1000 memory=requested", []string{"swf", "HPC2N-2002-first3170jobs.swf.gz"}},
		{"rcpsp", "", []string{"rcpsp", "J30", "J30_103.txt.gz"}},
		{"wfformat", "processors=8 cluster=c missing_runtime=keep", []string{"wfformat", "blast-chameleon-small-001.json"}},
		{"tou", "", []string{"tou", "medium-nosby-00.json"}},
	} {
		info, known := formats.Named(cut.format)
		if !known {
			t.Fatalf("no format %s", cut.format)
		}
		reader := info.New()
		for _, setting := range strings.Fields(cut.settings) {
			name, value, _ := strings.Cut(setting, "=")
			if err := params.Set(reader, name, value); err != nil {
				t.Fatal(err)
			}
		}
		in, _, err := reader.Read(realdata.Open(t, cut.path...), cut.path[len(cut.path)-1])
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSpace(cut.path[len(cut.path)-1]+" "+cut.settings)] = in
	}
	return list
}

// asksFor says that the solver looks at the addition although it limits no schedule, so that it may make another one, and why: its rule counts what is added.
func asksFor(solver, addition string) bool {
	// On line a job gets the machines first that are on, and no policy ends jobs where machines are suspended.
	if addition == "machines suspended in no time" {
		if info, err := solve.Lookup(solver); err == nil && info.Online {
			return true
		}
	}
	switch solver {
	case "backfill": // plans as Slurm does, by what Slurm would be told: it gets instances as they are stated, and each cycle may look at so many machines and times as it has settings for
		return true
	case "ggone", "ggone-milp", "ggone-hybrid": // the penalty that it minimises is about the share of tasks that end by their deadlines (eq. 23), and a job without one has none
		return strings.Contains(addition, "deadline")
	case "broker": // it drops a job whose deadline no resource can keep when it decides, and asks the deadline of each job that has one
		return strings.Contains(addition, "deadline")
	case "edd", "mts": // the one orders jobs by deadlines, the other overloads a job in an attribute by the time to its deadline
		return strings.Contains(addition, "soft deadline")
	case "twolevel", "flexible": // the priority of a job has terms of its user's class, its licences and its deadline, and twolevel classes it by whether it has one
		return strings.Contains(addition, "class") || strings.Contains(addition, "licence") || strings.Contains(addition, "soft deadline") || solver == "twolevel" && strings.Contains(addition, "deadline")
	}
	return false
}

// inertRun is what a solver makes of an instance.
type inertRun struct {
	result solve.Result
	err    error
}

// worse says how the run with an addition is worse than the one without; empty: it is not.
func (a *inertRun) worse(b *inertRun, without, with *model.Instance, slack float64) string {
	switch x, y := a.result.Solution, b.result.Solution; {
	case b.err != nil || a.result.Solution != nil && y == nil:
		return fmt.Sprintf("with it: %v", b.err)
	case x == nil:
		return ""
	case b.result.Evaluations > a.result.Evaluations+a.result.Evaluations/5:
		return fmt.Sprintf("%d evaluations become %d", a.result.Evaluations, b.result.Evaluations)
	case slices.EqualFunc(x.Jobs, y.Jobs, func(p, q model.Placement) bool { return solve.SamePlacement(&p, &q) }) && len(x.Unscheduled) == len(y.Unscheduled):
		return ""
	case with.Owed(y) != without.Owed(x):
		if with.Owed(y) > without.Owed(x) {
			return fmt.Sprintf("%d jobs owed become %d", without.Owed(x), with.Owed(y))
		}
	case x.Objective != nil && (y.Objective == nil || *y.Objective > *x.Objective+slack*max(*x.Objective, -*x.Objective)+1e-12):
		return fmt.Sprintf("objective %v becomes %v", *x.Objective, shownObjective(y))
	}
	return ""
}

// shownObjective is the objective of a solution.
func shownObjective(sol *model.Solution) string {
	if sol.Objective == nil {
		return "none"
	}
	return fmt.Sprint(*sol.Objective)
}

// No answer is worse for data that change nothing, whatever solver gives it, and none is refused. Auto and search, which draw at random, may be 1 % worse.
func TestInertDataMakeNoAnswerWorse(t *testing.T) {
	t.Parallel()
	instances, additions := inertInstances(t), testkit.Inert()
	names, rng := slices.Sorted(maps.Keys(instances)), rand.New(rand.NewPCG(*inertSeed, 0))
	var list []solve.Info
	for _, info := range solve.Solvers() {
		if info.Absent == "" && info.Name != "ggone-milp" && info.Name != "ggone-hybrid" && (*inertOnly == "" || *inertOnly == info.Name) {
			list = append(list, info)
		}
	}
	type on struct{ instance, solver string }
	plain, changed := map[on]*inertRun{}, map[string]*model.Instance{}
	run := func(info solve.Info, in *model.Instance) *inertRun {
		r := &inertRun{}
		r.result, r.err = solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 300, Unbounded: true, Strict: true})
		return r
	}
	tried, failures := 0, 0
	try := func(name string, a *testkit.Addition, info solve.Info) {
		if *inertOnly == "" && asksFor(info.Name, a.Name) {
			return
		}
		key := on{name, info.Name}
		if plain[key] == nil {
			plain[key] = run(info, instances[name])
		}
		before := plain[key]
		if errors.Is(before.err, solve.ErrUnsupported) {
			return
		}
		if before.err != nil {
			t.Fatalf("%s, %s: %v", name, info.Name, before.err)
		}
		more, known := changed[name+a.Name]
		if !known {
			more = testkit.With(instances[name], *a)
			changed[name+a.Name] = more
		}
		if more == nil {
			return
		}
		slack := 1e-9
		if info.Name == "auto" || info.Name == "search" {
			slack = 0.01
		}
		tried++
		if text := before.worse(run(info, more), instances[name], more, slack); text != "" {
			failures++
			t.Errorf("%s, %s, %s: %s", name, a.Name, info.Name, text)
		}
	}
	if *inertAll {
		for _, name := range names {
			for k := range additions {
				for _, info := range list {
					try(name, &additions[k], info)
				}
				delete(changed, name+additions[k].Name)
			}
		}
	} else {
		for range race.Enough(400) {
			try(names[rng.IntN(len(names))], &additions[rng.IntN(len(additions))], list[rng.IntN(len(list))])
		}
	}
	t.Logf("%d additions, %d worse", tried, failures)
}
