package search

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// twoOrders is a processor with a long job and a short one that arrives soon: it is late behind the long one, and the makespan grows if it goes first.
func twoOrders(t *testing.T, missed float64) (in *model.Instance, start *model.Solution) {
	t.Helper()
	in, err := model.NewBuilder("orders").Minimise("missed", missed).Minimise("makespan", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "long", Work: new(10.0)}, model.JobSpec{ID: "short", Work: new(1.0), Arrival: 9, Deadline: new(10.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	run := func(job string, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(0), Start: start, End: end}
	}
	return in, &model.Solution{Jobs: []model.Placement{run("long", 0, 10), run("short", 10, 11)}}
}

// A metric whose weight hides the others comes first, also in the search with smaller weights: nothing that others can save outweighs a step of it.
func TestAPriorityComesFirst(t *testing.T) {
	for _, weight := range []float64{1e3, 1e12, 1e16, 1e18} {
		in, start := twoOrders(t, weight)
		result, err := Minimise(t.Context(), in, start, Options{Seed: 1, MaxEvals: 2000})
		if err != nil {
			t.Fatal(err)
		}
		found := model.Check(in, result.Solution)
		missed, _ := found.Metrics.Get("missed")
		makespan, _ := found.Metrics.Get("makespan")
		if !found.OK() || missed != 0 || makespan != 20 {
			t.Errorf("weight %v: missed %v, makespan %v, expected 0 and 20", weight, missed, makespan)
		}
	}
}
