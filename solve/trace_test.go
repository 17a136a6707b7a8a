package solve_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// teller is a solver that tells of the given steps and returns a schedule.
type teller struct {
	steps []solve.Step
	sol   *model.Solution
}

func (*teller) Supports(*model.Instance) error { return nil }

func (s *teller) Solve(_ context.Context, _ *model.Instance, opt solve.Options) (solve.Result, error) {
	for _, step := range s.steps {
		opt.Trace(step)
	}
	return solve.Result{Solution: s.sol, Status: model.Feasible}, nil
}

// runTeller runs a teller on two jobs and returns the steps that the caller is told.
func runTeller(t *testing.T, s *teller) (told []solve.Step, err error) {
	t.Helper()
	choice := solve.Choice{Info: solve.Info{Name: "teller", Traces: true}, Solver: s}
	_, err = solve.Run(context.Background(), choice, twoJobs(t), solve.Options{Trace: func(s solve.Step) { told = append(told, s) }})
	return told, err
}

// placing is a step that places jobs.
func placing(placed ...model.Placement) solve.Step {
	return solve.Step{Reason: sim.Reason{Rule: "rule", Text: "text"}, Placed: placed}
}

// The caller is told of all steps, numbered from 1, and at the end of the jobs that are left out.
func TestRunTellsOfSteps(t *testing.T) {
	sol := schedule(0, 2)
	a := sol.Jobs[0]
	left := &model.Solution{Jobs: []model.Placement{a}, Unscheduled: []model.Unscheduled{{Job: "b", Reason: "too long"}}}
	told, err := runTeller(t, &teller{[]solve.Step{placing(), placing(a)}, left})
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for k, s := range told {
		if s.Number != k+1 {
			t.Errorf("step %d has the number %d", k+1, s.Number)
		}
		rules = append(rules, s.Rule)
	}
	if want := []string{"rule", "rule", solve.RuleLeftOut}; !slices.Equal(rules, want) {
		t.Fatalf("rules %q, expected %q", rules, want)
	}
	if last := told[2]; last.Text != "b is left out: too long" || !last.About("b") || last.About("a") {
		t.Errorf("the last step is %+v", last)
	}
	if !told[1].About("a") || told[1].About("b") || told[0].About("a") {
		t.Error("a step is about the jobs that it places, and no others")
	}
}

// Run returns an error where the steps do not add up to the schedule, or hold what JSON cannot.
func TestRunChecksSteps(t *testing.T) {
	sol := schedule(0, 2)
	a, b := sol.Jobs[0], sol.Jobs[1]
	elsewhere := b
	elsewhere.Start, elsewhere.End = 3, 6
	moved := b
	moved.Processors = model.ProcessorSet{{First: 1, Last: 1}}
	other := placing(model.Placement{Job: "c", Cluster: "c"})
	infinite, silent, unknown := placing(a, b), placing(a, b), placing(a, b)
	infinite.Terms = []sim.Term{{Name: "x", Value: math.Inf(1)}}
	silent.Text = ""
	unknown.Scores = []solve.Score{{Cluster: "c", Value: new(math.NaN())}}
	part := placing(a, b)
	part.Scores = []solve.Score{{Cluster: "c", Terms: []sim.Term{{Name: "y", Value: math.NaN()}}}}
	for _, c := range []struct {
		name  string
		steps []solve.Step
		want  string // empty: no error
	}{
		{"right", []solve.Step{placing(b), placing(a)}, ""},
		{"a job is missing", []solve.Step{placing(a)}, "the schedule has job b where no step has placed it"},
		{"at another time", []solve.Step{placing(a), placing(elsewhere)}, "job b where no step"},
		{"on another processor", []solve.Step{placing(a), placing(moved)}, "job b where no step"},
		{"a job too many", []solve.Step{placing(a, b), other}, "the steps place 3 jobs, the schedule has 2"},
		{"twice", []solve.Step{placing(a, b), placing(b)}, "step 2 places job b, which an earlier step has placed"},
		{"infinite", []solve.Step{infinite}, "step 1, rule: x: expected a finite number, found +Inf"},
		{"not a number", []solve.Step{unknown}, "expected a finite number, found NaN"},
		{"in a part", []solve.Step{part}, "y: expected a finite number"},
		{"no text", []solve.Step{silent}, "expected a rule and a text"},
	} {
		_, err := runTeller(t, &teller{c.steps, schedule(0, 2)})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: found error %v, expected one with %q", c.name, err, c.want)
		}
	}
}

// A solver that does not state its steps is refused, in rolling use too, and a chain, whose steps would be those of its stages.
func TestRunRefusesToTrace(t *testing.T) {
	silent := solve.Choice{Info: solve.Info{Name: "teller"}, Solver: &teller{sol: schedule(0, 2)}}
	tells := solve.Choice{Info: solve.Info{Name: "teller", Traces: true}, Solver: &teller{sol: schedule(0, 2)}}
	rolling, err := solve.NewRolling(tells, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, choice := range []solve.Choice{silent, {Info: tells.Info, Solver: rolling}} {
		_, err := solve.Run(context.Background(), choice, twoJobs(t), solve.Options{Trace: func(solve.Step) { t.Error("a step is told") }})
		if !errors.Is(err, solve.ErrTrace) {
			t.Errorf("found error %v, expected one that wraps ErrTrace", err)
		}
	}
	stages := solve.NewStages(solve.Options{Trace: func(solve.Step) {}})
	if opt, _ := stages.Next(); opt.Trace != nil {
		t.Error("a stage is asked for its steps")
	}
}
