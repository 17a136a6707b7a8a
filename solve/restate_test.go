package solve_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Jobs of 3 and of 1 on one processor have a makespan of 4 in either order, which is proved; of the mean response, 3.5 in this order
// and 2.5 in the other, that proves nothing.
func TestRestatedResultsAreProvedAnew(t *testing.T) {
	ctx := context.Background()
	in := built(t, model.NewBuilder("restated").Cluster(machines("c", 1, 1)).
		Job(model.JobSpec{ID: "long", Work: new(3.0)}).Job(model.JobSpec{ID: "short", Work: new(1.0)}))
	info := mustLookup(t, "fcfs")
	result, err := solve.Run(ctx, info, info.New(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != model.Optimal || !result.HasBound || result.Bound < 4*(1-1e-9) {
		t.Fatalf("makespan: expected an optimum of 4, found %s with the bound %v", result.Status, result.Bound)
	}
	other, err := in.WithObjective(map[string]float64{"mean_response": 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := solve.Restate(ctx, &result, other); err != nil {
		t.Fatal(err)
	}
	if result.Status == model.Optimal || result.HasBound && result.Bound > 2.5*(1+1e-9) || *result.Solution.Objective != 3.5 {
		t.Errorf("mean response: found %s, %v with the bound %v; the optimum is 2.5", result.Status, *result.Solution.Objective, result.Bound)
	}
}
