package solve_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/muscle"
)

// A typed solver and a typed policy run as the choice of the same name does, and their solutions state the same parameters.
func TestWithRunsAsTheNamedChoice(t *testing.T) {
	policy := solve.Default[solvers.EASY]()
	policy.Depth = 3
	reading := solve.Default[muscle.Solver]()
	reading.Reading = "b"
	rolling, err := solve.NewRolling(solve.With(&solvers.MinMin{}), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	for text, choice := range map[string]solve.Choice{
		"search:effort=3":         solve.With(&solvers.Search{Effort: 3}),
		"muscle:reading=b":        solve.With(reading),
		"minmin":                  solve.With(&solvers.MinMin{}),
		"minmin:rolling_period=2": solve.With(rolling),
		"easy:depth=3":            solve.With(solve.OnLine(policy)),
	} {
		named, err := solve.Choose(text)
		if err != nil {
			t.Fatal(err)
		}
		if choice.Label != named.Info.Name || choice.Info.Name != named.Info.Name || choice.Info.Starts != named.Info.Starts || choice.Info.Online != named.Info.Online {
			t.Errorf("%s: label %s, info %+v", text, choice.Label, choice.Info)
		}
		var found []string
		for _, c := range []solve.Choice{named, choice} {
			result, err := solve.Run(t.Context(), c, twoJobs(t), solve.Options{Seed: 1, MaxEvals: 100})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			var text strings.Builder
			if err := model.WriteSolution(&text, result.Solution); err != nil {
				t.Fatal(err)
			}
			found = append(found, text.String())
		}
		if found[0] != found[1] {
			t.Errorf("%s: by name\n%s, by type\n%s", text, found[0], found[1])
		}
	}
}

// The parameters of a typed solver are checked as those of a named choice are.
func TestWithChecksParameters(t *testing.T) {
	const none = "expected a choice with a solver, as Choose, With and Info.Choice make it, found none"
	for _, c := range []struct {
		choice solve.Choice
		want   string
	}{
		{solve.With(&solvers.Search{}), "solver search: parameter effort: expected a finite number above 0, found 0"},
		{solve.With(solve.OnLine(&solvers.EASY{})), "solver easy: parameter step: expected a finite number above 0, found 0"},
		{solve.With(nil), none},
		{solve.With(solve.OnLine(nil)), none},
	} {
		if _, err := solve.Run(t.Context(), c.choice, twoJobs(t), solve.Options{}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, expected %s", err, c.want)
		}
	}
}

// plain is a solver that is not registered.
type plain struct {
	stub
	Weight float64 `doc:"a weight"`
}

// unlisted is a policy that is not registered.
type unlisted struct{ solvers.FCFS }

// A solver or a policy that is not registered gets its name from its type, and the solution states its parameters.
func TestWithNamesByType(t *testing.T) {
	solver := &plain{stub{func(*model.Instance, solve.Options) solve.Result { return solve.Result{Solution: schedule(0, 2)} }}, 2}
	result, err := solve.Run(t.Context(), solve.With(solver), twoJobs(t), solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if sol := result.Solution; sol.Solver != "solve_test.plain" || fmt.Sprint(sol.Parameters) != "map[weight:2]" {
		t.Errorf("solver %s with %v", sol.Solver, sol.Parameters)
	}
	policy := &unlisted{*solve.Default[solvers.FCFS]()}
	var steps int
	result, err = solve.Run(t.Context(), solve.With(solve.OnLine(policy)), twoJobs(t), solve.Options{Trace: func(solve.Step) { steps++ }})
	if err != nil {
		t.Fatal(err)
	}
	if result.Solution.Solver != "solve_test.unlisted" || steps == 0 {
		t.Errorf("solver %s, %d steps", result.Solution.Solver, steps)
	}
}

// Default returns a value of its own at each call, with the defaults of the registry; a type that is not registered is a bug.
func TestDefault(t *testing.T) {
	first := solve.Default[solvers.Search]()
	first.Effort = 7
	info, err := solve.Lookup("search")
	if err != nil {
		t.Fatal(err)
	}
	if stated := params.Stated(solve.Default[solvers.Search](), info.New()); len(stated) > 0 {
		t.Errorf("Default differs from the registry by %v", stated)
	}
	defer func() {
		if said := fmt.Sprint(recover()); said != "solve: no solver or policy of type solve_test.plain is registered" {
			t.Error(said)
		}
	}()
	solve.Default[plain]()
}

// deadline is a context whose deadline passes when the test says so, however fast the machine is.
type deadline struct {
	context.Context
	passed chan struct{}
	once   sync.Once
}

func (d *deadline) pass() { d.once.Do(func() { close(d.passed) }) }

func (d *deadline) Done() <-chan struct{} { return d.passed }

func (d *deadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A context that ends returns the best schedule found so far and no error, and the result says that time ended the run.
func TestRunReturnsTheBestScheduleAtTheDeadline(t *testing.T) {
	b := model.NewBuilder("many").Minimise("mean_response", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 8}}})
	for k := range 300 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(1 + k*k%5), Work: new(float64(1 + k*31%17))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx := &deadline{Context: t.Context(), passed: make(chan struct{})}
	result, err := solve.Run(ctx, solve.With(solve.Default[solvers.Search]()), in, solve.Options{Seed: 1, Progress: func(p solve.Progress) {
		if !math.IsInf(p.Objective, 1) {
			ctx.pass()
		}
	}})
	if err != nil || result.Solution == nil || result.Status != model.Feasible || result.Stop != model.StopTime {
		t.Errorf("schedule %t, status %s, stop %s, error %v", result.Solution != nil, result.Status, result.Stop, err)
	}
}

// A context that has ended before the run is no error either: the result has the schedule that the solver was given to start from, or none.
func TestRunAfterTheDeadline(t *testing.T) {
	for stop, end := range map[model.Stop]func() (context.Context, context.CancelFunc){
		model.StopTime:      func() (context.Context, context.CancelFunc) { return context.WithDeadline(t.Context(), time.Time{}) },
		model.StopCancelled: func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) },
	} {
		ctx, cancel := end()
		cancel()
		for _, info := range solve.Solvers() {
			if info.Absent != "" || info.New().Supports(twoJobs(t)) != nil {
				continue
			}
			result, err := solve.Run(ctx, info.Choice(), twoJobs(t), solve.Options{})
			if err != nil || result.Solution == nil && (result.Status != model.Unknown || result.Stop != stop) {
				t.Errorf("%s: %v, status %s, stop %s, expected %s", info.Name, err, result.Status, result.Stop, stop)
			}
			if !info.Starts {
				continue
			}
			result, err = solve.Run(ctx, info.Choice(), twoJobs(t), solve.Options{Start: schedule(0, 2)})
			if err != nil || result.Solution == nil || *result.Solution.Objective != 5 {
				t.Errorf("%s from a start: %v, schedule %t", info.Name, err, result.Solution != nil)
			}
		}
	}
}

// A solver that tells of nothing itself is told of when it has ended, before a bound is proved.
func TestToldBeforeTheBound(t *testing.T) {
	in, err := model.ReadInstanceFile("../examples/table1.json")
	if err != nil {
		t.Fatal(err)
	}
	var told []solve.Progress
	result, err := solve.Run(t.Context(), solve.With(solve.Default[muscle.Solver]()), in, solve.Options{Seed: 1, Progress: func(p solve.Progress) { told = append(told, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Bound.Known() || told[0].Objective != *result.Solution.Objective || told[0].Schedule == nil || len(told[0].Schedule().Jobs) != len(in.Jobs()) {
		t.Errorf("told %+v", told)
	}
}
