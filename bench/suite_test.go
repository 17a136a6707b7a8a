package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/allot-opt/allot/solve"
)

// writeSuite writes a suite to a new folder.
func writeSuite(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "suite.json")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// planOf reads and plans a suite.
func planOf(t *testing.T, text string) *Plan {
	t.Helper()
	suite, err := ReadSuite(writeSuite(t, text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := suite.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestBadSuites compares the errors of bad suites with testdata/bad-suites.txt, in which each file NAME.json is followed by NAME.want.
func TestBadSuites(t *testing.T) {
	const golden = "testdata/bad-suites.txt"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	for k := range archive.Files {
		name, ok := strings.CutSuffix(archive.Files[k].Name, ".json")
		if !ok {
			continue
		}
		path := writeSuite(t, string(archive.Files[k].Data))
		suite, err := ReadSuite(path)
		if err == nil {
			_, err = suite.Plan(context.Background())
		}
		if err == nil {
			t.Errorf("%s: expected an error, found none", name)
			continue
		}
		found := strings.ReplaceAll(strings.ReplaceAll(err.Error(), path, "suite.json"), filepath.Dir(path), "FOLDER") + "\n"
		if want := &archive.Files[k+1]; *update {
			want.Data = []byte(found)
		} else if diff := cmp.Diff(string(want.Data), found); diff != "" {
			t.Errorf("%s: (-expected +found)\n%s", name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnknownSolver is not in the golden file, because the error lists all solvers and their number grows. The program of an exec: solver is looked
// up when the suite is planned.
func TestUnknownSolver(t *testing.T) {
	const text = `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle"}], "solvers": ["minmin", "SOLVER"]}`
	for solver, want := range map[string]string{
		"no-such-solver": "solvers[1].solver: expected a solver, one of asjs, auto, ",
		"minmin+mct":     "solvers[1].solver: expected solvers after the first of \"minmin+mct\" to start from a solution",
	} {
		_, err := ReadSuite(writeSuite(t, strings.Replace(text, "SOLVER", solver, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", solver, err, want)
		}
	}
	for solver, want := range map[string]string{"exec:reboot": "exec:reboot", "minmin+exec:reboot": "minmin+exec:reboot", "search": ""} {
		suite, err := ReadSuite(writeSuite(t, strings.Replace(text, "SOLVER", solver, 1)))
		if err != nil || suite.External() != want {
			t.Errorf("%s: %v; found the command %q, expected %q", solver, err, suite.External(), want)
		}
	}
}

// TestPlan compares the plan of a small suite with a list made by hand: workloads × seeds; solvers with parameters, seeds and labels of their own; and
// "all", which adds every solver that supports an instance, except those that are named without parameters.
func TestPlan(t *testing.T) {
	plan := planOf(t, `{
 "format": "allot-suite/1", "name": "grid",
 "instances": [
  {"generate": "muscle", "parameters": {"jobs": [3, 4], "alpha": 2}, "seeds": {"first": 7, "count": 2}, "group": "n={jobs}, s={seed}"},
  {"generate": "mts", "parameters": {"jobs": 2}, "evaluations": 12}
 ],
 "solvers": ["minmin", {"solver": "titan", "label": "titan/{coding}", "parameters": {"coding": ["mask", "list"]}, "seeds": 2, "unbounded": true}, {"all": true, "seeds": {"first": 0}}],
 "seeds": {"first": 5}, "budget": {"evaluations": 9}, "workers": 2
}`)
	var instances []string
	for _, in := range plan.Instances {
		instances = append(instances, in.Group+" | "+in.Name)
	}
	if want := []string{"n=3, s=7 | muscle-n3-s7", "n=3, s=8 | muscle-n3-s8", "n=4, s=7 | muscle-n4-s7", "n=4, s=8 | muscle-n4-s8", "mts | mts-n2-s1"}; !slices.Equal(instances, want) {
		t.Errorf("instances %q, expected %q", instances, want)
	}
	var cells []string
	keys := map[string]bool{}
	for _, c := range plan.Cells {
		keys[c.Key] = true
		if evaluations := c.Budget.Evaluations; evaluations != 9 && c.Instance < 4 || evaluations != 12 && c.Instance == 4 || c.Workers != 2 {
			t.Errorf("a cell has the budget %v and %d workers", c.Budget, c.Workers)
		}
		if named := strings.HasPrefix(c.Label, "titan/"); c.Unbounded != named {
			t.Errorf("%s computes a bound: %t", c.Label, !c.Unbounded)
		}
		if c.Instance == 0 {
			text, err := json.Marshal([]any{c.Label, c.Info.Name, c.Given, c.Seed})
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, string(text))
		}
	}
	if len(keys) != len(plan.Cells) {
		t.Errorf("%d keys of %d cells", len(keys), len(plan.Cells))
	}
	want := []string{`["minmin","minmin",null,5]`,
		`["titan/mask","titan",{"coding":"mask"},1]`, `["titan/mask","titan",{"coding":"mask"},2]`,
		`["titan/list","titan",{"coding":"list"},1]`, `["titan/list","titan",{"coding":"list"},2]`}
	if len(cells) < 15 || !slices.Equal(cells[:5], want) {
		t.Errorf("cells %q, expected first %q and then all the others", cells, want)
	}
	if !slices.Contains(cells, `["titan","titan",null,0]`) || slices.Contains(cells, `["minmin","minmin",null,0]`) || slices.Contains(cells, `["auto","auto",null,0]`) {
		t.Errorf("of all solvers there should be titan, which is named with parameters only, and neither minmin nor auto: %q", cells)
	}
	if !slices.ContainsFunc(plan.Skipped, func(s Skipped) bool { return s.Solver == "broken" && s.Instances == 5 }) {
		t.Errorf("broken supports none of the five instances, but what was skipped is %v", plan.Skipped)
	}
}

// Two cells have the same key if and only if they run the same thing; the label does not matter.
func TestKeys(t *testing.T) {
	suite := func(solver, more string) string {
		return `{"format": "allot-suite/1", "name": "keys", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}}], "solvers": [` + solver + `]` + more + `}`
	}
	plain := planOf(t, suite(`"titan"`, "")).Cells[0].Key
	if other := planOf(t, suite(`{"solver": "titan", "label": "other"}`, "")).Cells[0].Key; other != plain {
		t.Error("a label changes the key")
	}
	seen := map[string]string{plain: "plain"}
	for _, text := range []string{
		suite(`"muscle"`, ""), suite(`{"solver": "titan", "parameters": {"coding": "list"}}`, ""), suite(`"titan"`, `, "seeds": {"first": 2}`),
		suite(`"titan"`, `, "budget": {"time_s": 1}`), suite(`"titan"`, `, "budget": {"evaluations": 1}`), suite(`"titan"`, `, "workers": 2`),
		suite(`"titan"`, `, "objective": "makespan"`), strings.Replace(suite(`"titan"`, ""), "3", "4", 1),
	} {
		key := planOf(t, text).Cells[0].Key
		if before, twice := seen[key]; twice {
			t.Errorf("the same key:\n%s\n%s", before, text)
		}
		seen[key] = text
	}
}

// A solver written as one text, with parameters and label, has the same key and label as the same solver written as an object.
func TestSolverTexts(t *testing.T) {
	cell := func(solver string) Cell {
		return planOf(t, `{"format": "allot-suite/1", "name": "texts", "instances": [{"generate": "muscle", "parameters": {"jobs": 3}}], "solvers": [`+solver+`]}`).Cells[0]
	}
	for text, object := range map[string]string{
		`"mine=muscle:reading=b:queue=edd"`:                                            `{"solver": "muscle", "label": "mine", "parameters": {"reading": "b", "queue": "edd"}}`,
		`{"solver": "muscle:reading=b", "parameters": {"queue": "edd"}, "label": "x"}`: `{"solver": "muscle", "label": "x", "parameters": {"reading": "b", "queue": "edd"}}`,
		`"mine=muscle:reading=b+search:effort=2"`:                                      `{"solver": "muscle+search", "label": "mine", "parameters": {"muscle.reading": "b", "search.effort": 2}}`,
		`"r=mts:rolling_period=2"`:                                                     `{"solver": "mts", "label": "r", "parameters": {"rolling_period": 2}}`,
	} {
		a, b := cell(text), cell(object)
		if a.Key != b.Key || a.Label != b.Label || a.Info.Name != b.Info.Name || !maps.Equal(a.Given, b.Given) {
			t.Errorf("%s: %+v, as an object %+v", text, a, b)
		}
	}
	if label := cell(`{"solver": "muscle:reading=b", "parameters": {"queue": "edd"}}`).Label; label != "muscle:reading=b queue=edd" {
		t.Errorf("the label is %q", label)
	}
	if external := (&Suite{Solvers: []SolverChoice{{Solver: "muscle:reading=b"}, {Solver: "mine=exec:rm x"}}}).External(); external != "mine=exec:rm x" {
		t.Errorf("what asks before it runs is %q", external)
	}
}

// Values are formatted as on a command line.
func TestValues(t *testing.T) {
	found := Values{100000.0, 1e6, 0.25, -3.0, 1e-9, 1e20, "list", true}.texts()
	if want := []string{"100000", "1000000", "0.25", "-3", "1e-09", "1e+20", "list", "true"}; !slices.Equal(found, want) {
		t.Errorf("found %q, expected %q", found, want)
	}
}

// The suites of the project are valid. If their data is present, every instance can be made and several solvers run on it.
func TestSuites(t *testing.T) {
	paths, err := filepath.Glob("suites/*.json")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d suites, %v", len(paths), err)
	}
	for _, path := range paths {
		suite, err := ReadSuite(path)
		if err != nil {
			t.Error(err)
		} else if name := strings.TrimSuffix(filepath.Base(path), ".json"); suite.Name != name {
			t.Errorf("%s has the name %q", path, suite.Name)
		} else {
			t.Run(name, func(t *testing.T) {
				plan, err := suite.Plan(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				solvers := map[int]map[string]bool{}
				for _, c := range plan.Cells {
					if solvers[c.Instance] == nil {
						solvers[c.Instance] = map[string]bool{}
					}
					solvers[c.Instance][c.Label] = true
				}
				least := len(suite.Solvers)
				for _, c := range suite.Solvers {
					if program, ok := strings.CutPrefix(c.Solver, "exec:"); ok {
						if _, err := exec.LookPath(strings.Fields(program)[0]); err != nil {
							least-- // the interpreter of this program is not installed here
						}
					} else if choice, err := solve.Choose(c.Solver); err == nil && choice.Info.Absent != "" {
						least-- // this build lacks its library
					}
				}
				if slices.ContainsFunc(suite.Solvers, func(c SolverChoice) bool { return c.All }) {
					least = 15
				}
				for k, in := range plan.Instances {
					if len(solvers[k]) < least {
						t.Errorf("%s: %d solvers, expected %d at least", in.Name, len(solvers[k]), least)
					}
				}
			})
		}
	}
}

// FuzzReadSuite reads what it is given without a panic, and what it accepts comes back the same after it is written.
func FuzzReadSuite(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/bad-suites.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".json") {
			f.Add(file.Data)
		}
	}
	paths, err := filepath.Glob("suites/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		suite, err := readSuite(bytes.NewReader(text), "suite.json")
		if err != nil {
			return
		}
		written, err := json.Marshal(suite)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readSuite(bytes.NewReader(written), "suite.json")
		if err != nil {
			t.Fatalf("%s\n%v", written, err)
		}
		twice, err := json.Marshal(again)
		if err != nil || !bytes.Equal(written, twice) || !reflect.DeepEqual(suite.Seeds.list(), again.Seeds.list()) {
			t.Fatalf("%s\n%s", written, twice)
		}
	})
}
