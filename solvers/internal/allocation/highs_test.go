package allocation

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

// A run that ends with a bound and no more than the greedy allocation, whose cost nobody has computed, has not proved it.
func TestHighsRunWithoutIncumbent(t *testing.T) {
	b := model.NewBuilder("one").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.1, Period: 10}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	b.Job(model.JobSpec{ID: "a", Work: new(4.0), Deadline: new(2.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	problem, err := Settings{Charge: "instance"}.Problem(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	greedy, err := ggone.Greedy(&problem.Problem)
	if err != nil {
		t.Fatal(err)
	}
	run := newRun(&Stated{Problem: problem, Weight: 1, Exact: true}, solve.Options{}, 1e-6)
	run.Best, run.Bound = greedy, model.ProvedBound(0.5)
	if result := run.result(context.Background()); result.Status != model.Feasible || result.Bound != model.ProvedBound(0.5) {
		t.Errorf("%s, bound %v", result.Status, result.Bound)
	}
	for bound, want := range map[float64]float64{math.NaN(): 0.5, 2: 2 - 2e-6 - 1e-9, math.Inf(-1): 0.5} {
		if got := run.proved(model.ProvedBound(bound)); math.Abs(got.Or(0)-want) > 1e-15 {
			t.Errorf("a bound of %v became %v, not %v", bound, got, want)
		}
	}
}
