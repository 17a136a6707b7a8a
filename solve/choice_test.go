package solve_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// Each way to name a solver gives the right label, name and parameters. The result states name and parameters, whatever the label.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		text, label, name string
		given             map[string]string
	}{
		{"fcfs-list", "fcfs-list", "fcfs-list", nil},
		{"muscle:reading=b:queue=edd", "muscle:reading=b:queue=edd", "muscle", map[string]string{"reading": "b", "queue": "edd"}},
		{"mine=muscle:reading=b", "mine", "muscle", map[string]string{"reading": "b"}},
		{"the first, = no", "", "", nil},
		{"a label of words = muscle", "a label of words", "muscle", nil},
		{"minmin+search", "minmin+search", "minmin+search", nil},
		{"both=muscle:reading=b+search:effort=3", "both", "muscle+search", map[string]string{"muscle.reading": "b", "search.effort": "3"}},
		{"m+s=muscle+search:effort=3", "m+s", "muscle+search", map[string]string{"search.effort": "3"}},
		{"search:effort=+.5", "search:effort=+.5", "search", map[string]string{"effort": "+.5"}},
		{"search:effort=2+search:effort=2", "search:effort=2+search:effort=2", "search+search", map[string]string{"search.effort": "2"}},
		{"mts:rolling_threshold=1:rolling_period=1e+01", "mts:rolling_threshold=1:rolling_period=1e+01", "mts",
			map[string]string{"rolling_period": "1e+01", "rolling_threshold": "1"}},
		{"exec:a 'b c',d+e:x=1", "exec:a 'b c',d+e:x=1", "exec:a 'b c',d+e:x=1", nil},
		{"mine=exec:a=1 b", "mine", "exec:a=1 b", nil},
		{"muscle:reading=b+exec:a:b=c+d", "muscle:reading=b+exec:a:b=c+d", "muscle+exec:a:b=c+d", map[string]string{"muscle.reading": "b"}},
	} {
		choice, err := solve.Choose(c.text)
		if c.name == "" {
			if err == nil {
				t.Errorf("%q is %q", c.text, choice.Info.Name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if choice.Label != c.label || choice.Info.Name != c.name || !maps.Equal(choice.Given, c.given) {
			t.Errorf("%q: label %q, name %q, given %v", c.text, choice.Label, choice.Info.Name, choice.Given)
		}
	}
}

// A text that names no solver is refused with an error that says what was expected and what was found.
func TestChooseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "expected a solver, one of ",
		"serch":                           `found "serch"; did you mean "search"?`,
		"x=muscel":                        `found "muscel"; did you mean "muscle"?`,
		"=search":                         `expected a label without comma before the first =, found "=search"`,
		"a,b=search":                      `expected a label without comma before the first =, found "a,b=search"`,
		"search:effort":                   `solver search: expected PARAM=VALUE behind each colon, found "effort"`,
		"search:":                         `solver search: expected PARAM=VALUE behind each colon, found ""`,
		"search:=1":                       `solver search: expected PARAM=VALUE behind each colon, found "=1"`,
		"search:effort=1:effort=2":        "solver search: expected parameter effort once, found it twice",
		"search:efort=1":                  `solver search: unknown parameter "efort": expected one of effort`,
		"muscle:readng=b":                 `did you mean "reading"?`,
		"search:effort=much":              "solver search: parameter effort: expected a ",
		"exce:python3 x.py":               `found "exce"`,
		"muscle:reading=b+serch:effort=1": `found "serch"; did you mean "search"?`,
		"search+muscle":                   "muscle does not",
		"search:effort=1+search":          `expected the same parameters for solver search everywhere in "search:effort=1+search"`,
		"search:effort=1+search:effort=2": "expected the same parameters for solver search everywhere in",
		"muscle+search:rolling_period=1":  "solver search: parameter rolling_period: expected it only for a single solver, found it in a stage of muscle+search",
		"mts:rolling_period=0":            "solver mts: parameter",
		"mts:rolling_threshold=1":         `unknown parameter "rolling_threshold"`,
		"exec:'a":                         "quotes closed",
	} {
		if _, err := solve.Choose(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// A solution states the solver's name and the parameters that differ from their defaults, however they were chosen.
func TestChosenParametersAreStated(t *testing.T) {
	set, err := solve.Choose("fcfs-list+search")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Set("effort", "7"); err != nil {
		t.Fatal(err)
	}
	text, err := solve.Choose("tables show this=fcfs-list+search:effort=7")
	if err != nil {
		t.Fatal(err)
	}
	of := solve.Chain{{Info: solve.Info{Name: "fcfs-list"}, Solver: text.Solver.(solve.Chain)[0].Solver}, {Info: solve.Info{Name: "search"}, Solver: &solvers.Search{Effort: 7}}}
	for name, choice := range map[string]solve.Choice{"Set": set, "Choose": text, "fields": {Info: set.Info, Solver: of}} {
		result, err := solve.Run(context.Background(), choice, twoJobs(t), solve.Options{Seed: 1, MaxEvals: 100})
		if err != nil {
			t.Fatal(err)
		}
		sol := result.Solution
		if sol.Solver != "fcfs-list+search" || !maps.Equal(sol.Parameters, map[string]any{"search.effort": 7.0}) {
			t.Errorf("%s: solver %q, parameters %v", name, sol.Solver, sol.Parameters)
		}
		if report := model.Check(twoJobs(t), sol); !report.OK() {
			t.Errorf("%s: %v", name, report.Violations)
		}
	}
}

// Setting a parameter of one copy of a choice does not change Given of another copy.
func TestChoiceSetKeepsCopies(t *testing.T) {
	choice, err := solve.Choose("muscle:reading=b+search:effort=3")
	if err != nil {
		t.Fatal(err)
	}
	copied := choice
	if err := choice.Set("effort", "4"); err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"muscle.reading": "b", "effort": "4"}; !maps.Equal(choice.Given, want) {
		t.Errorf("given %v", choice.Given)
	}
	if copied.Given["search.effort"] != "3" {
		t.Errorf("the copy says %v", copied.Given)
	}
}

// A choice can be run again and by several goroutines at once: a run changes neither the solver nor its parameters.
func TestChoiceIsRunAgain(t *testing.T) {
	in, err := model.ReadInstanceFile("../examples/table1.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range solve.Solvers() {
		choice := info.Choice()
		if choice.Solver.Supports(in) != nil {
			continue
		}
		before := fmt.Sprintf("%+v", choice.Solver)
		var runs sync.WaitGroup
		var texts [3]string
		for k := range texts {
			run := func() {
				result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1, MaxEvals: 500})
				if err != nil {
					t.Error(err)
					return
				}
				var text strings.Builder
				if err := model.WriteSolution(&text, result.Solution); err != nil {
					t.Error(err)
				}
				texts[k] = text.String()
			}
			if k == 0 {
				run()
			} else {
				runs.Go(run)
			}
		}
		runs.Wait()
		if texts[1] != texts[0] || texts[2] != texts[0] {
			t.Errorf("%s: other results when run again", info.Name)
		}
		if after := fmt.Sprintf("%+v", choice.Solver); after != before {
			t.Errorf("%s: was %s, is %s", info.Name, before, after)
		}
	}
}
