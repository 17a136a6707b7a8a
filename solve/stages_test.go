package solve_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A later stage that proves less, or nothing, takes no bound away: neither from the result nor from what is reported.
func TestStagesKeepTheBestBound(t *testing.T) {
	var told []model.Bound
	stages := solve.NewStages(solve.Options{Progress: func(p solve.Progress) { told = append(told, p.Bound) }})
	want := []model.Bound{model.ProvedBound(5), model.ProvedBound(7), model.ProvedBound(7), model.ProvedBound(7)}
	for k, proved := range []model.Bound{model.ProvedBound(5), model.ProvedBound(7), model.ProvedBound(6), {}} {
		opt, ok := stages.Next()
		if !ok {
			t.Fatal("no evaluations are left")
		}
		opt.Progress(solve.Progress{Evaluations: 1, Bound: proved})
		result := solve.Result{Evaluations: 2, Bound: proved}
		stages.Add(&result)
		if result.Bound != want[k] || told[k] != want[k] || result.Evaluations != int64(2*k+2) {
			t.Errorf("stage %d: bound %s, told %s, expected %s; %d evaluations", k, result.Bound, told[k], want[k], result.Evaluations)
		}
	}
}

// The best schedule of several is optimal where the best bound meets its objective, be it another solver's bound. It is not where a bound is above the
// objective, hence false, nor where the schedule leaves out a job that a schedule can place.
func TestStagesSeeAProof(t *testing.T) {
	b := model.NewBuilder("proof").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	in, err := b.Job(model.JobSpec{ID: "a", Work: new(2.0)}, model.JobSpec{ID: "b", Work: new(3.0)}, model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(9)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	place := func(job string, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(0), Start: start, End: end}
	}
	left := func(job string) model.Unscheduled { return model.Unscheduled{Job: job, Reason: "test"} }
	best := &model.Solution{Jobs: []model.Placement{place("a", 0, 2), place("b", 2, 5)}, Unscheduled: []model.Unscheduled{left("wide")}}
	late := &model.Solution{Jobs: []model.Placement{place("a", 1, 3), place("b", 3, 6)}, Unscheduled: []model.Unscheduled{left("wide")}}
	part := &model.Solution{Jobs: []model.Placement{place("b", 0, 3)}, Unscheduled: []model.Unscheduled{left("wide"), left("a")}}
	for name, c := range map[string]struct {
		first, second solve.Result
		want          model.Status
	}{
		"its own bound":               {solve.Result{Solution: best, Bound: model.ProvedBound(5)}, solve.Result{Solution: late}, model.Optimal},
		"another's bound":             {solve.Result{Solution: best}, solve.Result{Solution: late, Bound: model.ProvedBound(5)}, model.Optimal},
		"a bound alone":               {solve.Result{Bound: model.ProvedBound(5)}, solve.Result{Solution: best}, model.Optimal},
		"a lower bound":               {solve.Result{Solution: best, Bound: model.ProvedBound(4)}, solve.Result{Solution: late}, model.Feasible},
		"no bound":                    {solve.Result{Solution: best}, solve.Result{Solution: late}, model.Feasible},
		"a false bound":               {solve.Result{Solution: best, Bound: model.ProvedBound(5)}, solve.Result{Solution: late, Bound: model.ProvedBound(7)}, model.Feasible},
		"a job that fits is left out": {solve.Result{Solution: part, Bound: model.ProvedBound(3)}, solve.Result{}, model.Feasible},
	} {
		var solvers []solve.Info
		for k, result := range []solve.Result{c.first, c.second} {
			if result.Status = model.Unknown; result.Solution != nil {
				result.Status = model.Feasible
			}
			solvers = append(solvers, solve.Info{Name: fmt.Sprint("stub", k), New: func() solve.Solver {
				return &stub{func(*model.Instance, solve.Options) solve.Result { return result }}
			}})
		}
		found := solve.NewStages(solve.Options{}).Best(t.Context(), in, solvers)
		if found.Status != c.want {
			t.Errorf("%s: %s with bound %s, expected %s", name, found.Status, found.Bound, c.want)
		}
	}
}

// A stage begins only before the context ends: of many jobs each would take a while to find that it has no time, and none would have a schedule.
func TestNoStageBeginsAfterTheEnd(t *testing.T) {
	in, err := model.NewBuilder("end").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "a", Work: new(2.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := 0
	var solvers []solve.Info
	for k := range 3 {
		solvers = append(solvers, solve.Info{Name: fmt.Sprint("stage", k), New: func() solve.Solver { return &ending{end: cancel, begun: &begun} }})
	}
	result := solve.NewStages(solve.Options{}).Best(ctx, in, solvers)
	if result.Solution != nil || result.Stop != model.StopCancelled || begun != 1 {
		t.Errorf("%d stages begun, stopped by %s", begun, result.Stop)
	}
}

// ending is a solver that is cut short: the context ends while it runs.
type ending struct {
	end   func()
	begun *int
}

// Supports implements [solve.Solver].
func (*ending) Supports(*model.Instance) error { return nil }

// Solve implements [solve.Solver].
func (e *ending) Solve(ctx context.Context, _ *model.Instance, _ solve.Options) (solve.Result, error) {
	*e.begun++
	e.end()
	return solve.Stopped(ctx), nil
}
