package solve_test

import (
	"context"
	"errors"
	"math"
	"reflect"
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
	if !errors.As(err, &wrong) || wrong.Start || wrong.Violation.Code != "overlap" {
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
	if !errors.As(err, &wrong) || !wrong.Start || wrong.Violation.Code != "overlap" || called {
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
		"optimal within a tolerance":        {1, 3, solve.Result{Status: model.Optimal, Bound: model.ProvedBound(5.9999), Tolerance: 1e-4}, 5.9999, model.Optimal, false},
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
	_, err := solve.Run(context.Background(), solve.Choice{Info: solve.Info{Name: "first+second"}, Solver: chain}, twoJobs(t), solve.Options{Strict: true})
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
	if report := model.Check(twoJobs(t), sol); report.OK() || report.Violations[0].Code != "wrong-objective" {
		t.Errorf("an unknown metric: %v", report.Violations)
	}
}

// A solver's own tolerance makes nothing optimal that is far from its bound.
func TestRunLimitsTheTolerance(t *testing.T) {
	for _, c := range []struct {
		tolerance float64
		bound     float64
		want      model.Status
	}{{1e-4, 7 - 6e-4, model.Optimal}, {1e-3, 7 - 6e-4, model.Feasible}, {1, 5, model.Feasible}, {math.Inf(1), 5, model.Feasible}, {math.NaN(), 5, model.Feasible}} {
		got, err := runStub(t, solve.Options{}, false, func(*model.Instance, solve.Options) solve.Result {
			return solve.Result{Solution: schedule(2, 4), Status: model.Optimal, Bound: model.ProvedBound(c.bound), Tolerance: c.tolerance}
		})
		if err != nil || got.Status != c.want || got.Solution.Status != c.want {
			t.Errorf("tolerance %v, makespan 7, bound %v: %s, %v", c.tolerance, c.bound, got.Status, err)
		}
	}
}

// broken is a solver whose result is handed over as it is.
type broken struct{ solve.Result }

func (broken) Supports(*model.Instance) error { return nil }

func (b broken) Solve(context.Context, *model.Instance, solve.Options) (solve.Result, error) {
	return b.Result, nil
}

// What a solution cannot say is refused, so that whatever Run hands back can be written and read again; a solver that does not say why it stopped is done,
// or its context has ended.
func TestRunRefusesWhatNoSolutionSays(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		result solve.Result
		want   model.Stop
		fault  string
	}{
		{t.Context(), solve.Result{}, model.StopDone, ""},
		{ended, solve.Result{}, model.StopCancelled, ""},
		{ended, solve.Result{Stop: model.StopEvaluations}, model.StopEvaluations, ""},
		{t.Context(), solve.Result{Stop: "tired"}, "", `solver broken: expected one of the four reasons to stop, found "tired": a bug of the solver`},
		{t.Context(), solve.Result{Evaluations: -1}, "", "solver broken: expected a number of evaluations of at least 0, found -1: a bug of the solver"},
	} {
		for _, c.result.Solution = range []*model.Solution{nil, schedule(0, 2)} {
			got, err := solve.Run(c.ctx, solve.Choice{Info: solve.Info{Name: "broken"}, Solver: broken{c.result}}, twoJobs(t), solve.Options{})
			if c.fault != "" {
				if err == nil || err.Error() != c.fault {
					t.Errorf("%v, expected %s", err, c.fault)
				}
				continue
			}
			if err != nil || got.Stop != c.want || got.Solution != nil && got.Solution.Stop != c.want {
				t.Errorf("stopped %q, expected %q: %v", got.Stop, c.want, err)
			}
		}
	}
}

// A choice without a solver is an error, not a panic.
func TestRunNeedsASolver(t *testing.T) {
	const want = "expected a choice with a solver, as Choose, With and Info.Choice make it, found none"
	if _, err := solve.Run(t.Context(), solve.Choice{}, twoJobs(t), solve.Options{}); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Run: %v", err)
	}
	if _, err := solve.NewRolling(solve.Choice{}, 1, 0); err == nil || err.Error() != want {
		t.Errorf("NewRolling: %v", err)
	}
	defer func() {
		if fault := recover(); fault != "solve: cannot register the solver nothing: Info.New is nil" {
			t.Errorf("%v", fault)
		}
	}()
	solve.Register(solve.Info{Name: "nothing"})
}

// Without work on bounds the schedule is the same, and no bound is stated that took work.
func TestUnboundedRunStatesNoBound(t *testing.T) {
	b := model.NewBuilder("two").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	for _, id := range []string{"a", "b", "c"} {
		b.Job(model.JobSpec{ID: id, Work: new(1.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var results [2]solve.Result
	for k, unbounded := range []bool{false, true} {
		choice, err := solve.Choose("edd")
		if err != nil {
			t.Fatal(err)
		}
		if results[k], err = solve.Run(t.Context(), choice, in, solve.Options{Unbounded: unbounded}); err != nil {
			t.Fatal(err)
		}
	}
	if value, known := results[0].Bound.Value(); !known || value != 2 || results[0].Status != model.Optimal {
		t.Errorf("with a bound: got %v, %s", results[0].Bound, results[0].Status)
	}
	if _, known := results[1].Bound.Value(); known || results[1].Status != model.Feasible {
		t.Errorf("without: got %v, %s", results[1].Bound, results[1].Status)
	}
	if !reflect.DeepEqual(results[0].Solution.Jobs, results[1].Solution.Jobs) {
		t.Error("the schedules differ")
	}
}
