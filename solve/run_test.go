package solve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// stub is a solver that returns a given result.
type stub struct {
	solve func(in *model.Instance, opt solve.Options) solve.Result
}

func (s *stub) Supports(*model.Instance) error { return nil }

func (s *stub) Solve(_ context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	result := s.solve(in, opt)
	result.Stop = model.StopDone
	return result, nil
}

// runStub runs a solver on two jobs of 2 and 3 time units on one processor.
func runStub(t *testing.T, opt solve.Options, starts bool, result func(*model.Instance, solve.Options) solve.Result) (solve.Result, error) {
	t.Helper()
	info := solve.Info{Name: "stub", Starts: starts}
	return solve.Run(context.Background(), solve.Choice{Info: info, Solver: &stub{result}}, twoJobs(t), opt)
}

// twoJobs is the instance of runStub.
func twoJobs(t *testing.T) *model.Instance {
	t.Helper()
	two, three := 2.0, 3.0
	in, err := model.NewBuilder("two").Minimise("makespan", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: &two}).Job(model.JobSpec{ID: "b", Work: &three}).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// schedule starts the two jobs at times a and b. The best makespan is 5, with starts 0 and 2.
func schedule(a, b float64) *model.Solution {
	set := model.ProcessorSet{{First: 0, Last: 0}}
	return &model.Solution{Jobs: []model.Placement{
		{Job: "a", Cluster: "c", Processors: set, Start: a, End: a + 2},
		{Job: "b", Cluster: "c", Processors: set, Start: b, End: b + 3},
	}}
}

func TestRunChecksTheSchedule(t *testing.T) {
	_, err := runStub(t, solve.Options{}, false, func(*model.Instance, solve.Options) solve.Result {
		return solve.Result{Solution: schedule(0, 1), Status: model.Optimal, Bound: model.ProvedBound(1)}
	})
	var wrong *solve.WrongScheduleError
	if !errors.As(err, &wrong) || wrong.Start || wrong.Violation.Code != model.CodeOverlap {
		t.Errorf("a schedule that overlaps: got %v", err)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "solver stub: refused by the checker: overlap") {
		t.Errorf("message: %v", err)
	}
}

func TestRunChecksTheStart(t *testing.T) {
	called := false
	solver := func(_ *model.Instance, opt solve.Options) solve.Result {
		called = true
		return solve.Result{Solution: opt.Start}
	}
	_, err := runStub(t, solve.Options{Start: schedule(0, 1)}, true, solver)
	var wrong *solve.WrongScheduleError
	if !errors.As(err, &wrong) || !wrong.Start || wrong.Violation.Code != model.CodeOverlap || called {
		t.Errorf("a start that overlaps: got %v, the solver ran: %v", err, called)
	}
	if _, err = runStub(t, solve.Options{Start: schedule(0, 2)}, false, solver); !errors.Is(err, solve.ErrStart) || called {
		t.Errorf("a start that the solver would ignore: got %v, the solver ran: %v", err, called)
	}
	start := schedule(0, 2)
	stated := -7.0 // a figure that the start states of itself; it must be ignored
	start.Objective, start.Bound, start.InstanceSHA256 = &stated, model.ProvedBound(stated), "of another file"
	result, err := runStub(t, solve.Options{Start: start}, true, solver)
	if err != nil || *result.Solution.Objective != 5 {
		t.Fatalf("a right start: got %v, %v", result.Solution, err)
	}
	if *start.Objective != -7 || start.Solver != "" {
		t.Error("the caller's start was written to")
	}
}

// Rolling use takes no start, even if its solver does.
func TestRunRefusesTheStartOfRollingUse(t *testing.T) {
	search, err := solve.Lookup("search")
	if err != nil {
		t.Fatal(err)
	}
	rolling, err := solve.NewRolling(search.Choice(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solve.Run(context.Background(), solve.Choice{Info: search, Solver: rolling}, twoJobs(t), solve.Options{Start: schedule(0, 2)}); !errors.Is(err, solve.ErrStart) {
		t.Errorf("got %v", err)
	}
}

// A claim of the solver is stated only if the checked schedule and the bounds support it.
func TestRunStatesWhatIsProved(t *testing.T) {
	const none = -1
	for name, c := range map[string]struct {
		a, b    float64
		claimed solve.Result
		bound   float64 // the least bound to be stated; none: the bound of the methods
		status  model.Status
		refuted bool
	}{
		"nothing claimed, and the methods prove it": {0, 2, solve.Result{}, 5, model.Optimal, false},
		"nothing claimed":                   {1, 3, solve.Result{}, 5, model.Feasible, false},
		"optimal without a bound":           {1, 3, solve.Result{Status: model.Optimal}, 5, model.Feasible, false},
		"optimal with a bound below":        {1, 3, solve.Result{Status: model.Optimal, Bound: model.ProvedBound(5.9)}, 5.9, model.Feasible, false},
		"optimal within a tolerance":        {1, 3, solve.Result{Status: model.Optimal, Bound: model.ProvedBound(5.9), Tolerance: 0.02}, 5.9, model.Optimal, false},
		"feasible with a bound that is met": {1, 3, solve.Result{Status: model.Feasible, Bound: model.ProvedBound(6)}, 6, model.Optimal, false},
		"a bound above the objective":       {1, 3, solve.Result{Status: model.Optimal, Bound: model.ProvedBound(6.1)}, 5, model.Feasible, true},
		"a bound above, by rounding":        {1, 3, solve.Result{Bound: model.ProvedBound(6 * (1 + 1e-12))}, 6, model.Optimal, false},
		"no number":                         {1, 3, solve.Result{Status: model.Optimal, Bound: model.ProvedBound(math.NaN())}, 5, model.Feasible, false},
		"infinite":                          {1, 3, solve.Result{Status: model.Optimal, Bound: model.ProvedBound(math.Inf(1))}, 5, model.Feasible, false},
		"infeasible, with a schedule":       {1, 3, solve.Result{Status: model.Infeasible}, 5, model.Feasible, false},
	} {
		solver := func(*model.Instance, solve.Options) solve.Result {
			result := c.claimed
			result.Solution = schedule(c.a, c.b)
			return result
		}
		result, err := runStub(t, solve.Options{}, false, solver)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if math.Abs(result.Bound.Or(math.Inf(1))-c.bound) > 1e-9 || result.Status != c.status || (result.Refuted != nil) != c.refuted {
			t.Errorf("%s: got %+v, want bound %v and %v", name, result, c.bound, c.status)
		}
		if sol := result.Solution; sol.Status != result.Status || sol.Bound != result.Bound || result.Bound.Or(0) > *sol.Objective*(1+1e-9) {
			t.Errorf("%s: the solution states %v, %v", name, sol.Status, sol.Bound)
		}
		if report := model.Check(twoJobs(t), result.Solution); !report.OK() {
			t.Errorf("%s: %v", name, report.Violations)
		}
		if c.refuted && (!strings.Contains(result.Warning, "6.1 of solver stub is false") || !strings.Contains(result.Warning, twoJobs(t).SHA256())) {
			t.Errorf("%s: warning %q", name, result.Warning)
		}
		var refuted *solve.RefutedBound
		if _, err := runStub(t, solve.Options{Strict: true}, false, solver); errors.As(err, &refuted) != c.refuted {
			t.Errorf("%s: strict: %v", name, err)
		}
	}
	result, err := runStub(t, solve.Options{}, false, func(*model.Instance, solve.Options) solve.Result {
		return solve.Result{Status: model.Optimal, Bound: model.ProvedBound(none)}
	})
	if err != nil || result.Status != model.Unknown {
		t.Errorf("optimal without a schedule: got %+v, %v", result, err)
	}
}

// The schedule of every stage of a chain, and of every solver that auto tries, is checked.
func TestChainsCheckEveryStage(t *testing.T) {
	wrong := &stub{func(*model.Instance, solve.Options) solve.Result { return solve.Result{Solution: schedule(0, 1)} }}
	mended := &stub{func(*model.Instance, solve.Options) solve.Result { return solve.Result{Solution: schedule(0, 2)} }}
	chain := solve.Chain{{Info: solve.Info{Name: "first"}, Solver: wrong}, {Info: solve.Info{Name: "second"}, Solver: mended}}
	_, err := solve.Run(context.Background(), solve.Choice{Info: solve.Info{Name: "first+second"}, Solver: chain}, twoJobs(t), solve.Options{})
	var schedule *solve.WrongScheduleError
	if !errors.As(err, &schedule) || !strings.Contains(err.Error(), "solver first:") {
		t.Errorf("got %v", err)
	}
}

// Utilisation, which is better when high, has a largest value; an objective of utilisation alone therefore has a bound.
func TestUtilisationIsProved(t *testing.T) {
	in, err := twoJobs(t).WithObjective(map[string]float64{"utilisation": 1})
	if err != nil {
		t.Fatal(err)
	}
	info, err := solve.Lookup("fcfs-list")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{Strict: true})
	if err != nil || *result.Solution.Objective != -100 || result.Status != model.Optimal {
		t.Errorf("got %v, %+v, %v", *result.Solution.Objective, result, err)
	}
}

// If an objective replaces the one of the file, the bound is of the new objective, and the solution names that objective.
func TestRunStatesTheMinimisedObjective(t *testing.T) {
	in, err := twoJobs(t).WithObjective(map[string]float64{"utilisation": 1, "makespan": 1})
	if err != nil {
		t.Fatal(err)
	}
	fcfs, err := solve.Lookup("fcfs-list")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), fcfs.Choice(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sol := result.Solution
	if *sol.Objective != 5-100 || sol.Minimised["utilisation"] != 1 || sol.Minimised["makespan"] != 1 || math.Abs(sol.Bound.Or(0)+95) > 1e-9 {
		t.Errorf("objective %v, bound %v, of %v", *sol.Objective, sol.Bound, sol.Minimised)
	}
	if report := model.Check(twoJobs(t), sol); !report.OK() || report.Objective != -95 {
		t.Errorf("checked for the file's instance: %v, %v", report.Objective, report.Violations)
	}
	sol.Minimised = map[string]float64{"no such metric": 1}
	if report := model.Check(twoJobs(t), sol); report.OK() || report.Violations[0].Code != model.CodeWrongObjective {
		t.Errorf("an unknown metric: %v", report.Violations)
	}
}
