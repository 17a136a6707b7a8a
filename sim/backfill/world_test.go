package backfill

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Of two equally good jobs of a size the one of the lower number goes first, although it joins the queue after the other.
func TestAJobThatJoinsLateGoesByItsNumber(t *testing.T) {
	specs := []sim.Spec{{Processors: 2, Runtime: 9, Estimate: 9}, {Arrival: 1, Processors: 2, Runtime: 3, Estimate: 3}, {Arrival: 2, Processors: 2, Runtime: 3, Estimate: 3}, {Arrival: 3, Processors: 1, Runtime: 1, Estimate: 1}}
	var s starts
	late := func(j sim.Deferrable) float64 {
		if j.Number == 1 {
			return 5
		}
		return j.Arrival
	}
	if _, err := sim.Run(context.Background(), &sim.Trace{Jobs: specs}, 3, EASY(1, 1, Ranking{Order: byShortest}), sim.Options{Observer: &s, Defer: late}); err != nil {
		t.Fatal(err)
	}
	if s.at[1] != 9 || s.at[2] != 12 {
		t.Errorf("starts %v", s.at)
	}
}

// On a cluster that allocates whole machines a job holds one of them, however many processors it asks for elsewhere.
func TestWholeMachinesCountAsOne(t *testing.T) {
	b := model.NewBuilder("whole").Cluster(model.ClusterSpec{ID: "c", Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 4}}})
	for _, id := range []string{"a", "b", "d"} {
		b.Job(model.JobSpec{ID: id, Processors: model.Rigid(3), Work: new(5.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(context.Background(), in, Conservative(1, Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 3 {
		t.Errorf("%v, %d jobs", report.Violations, len(sol.Jobs))
	}
}
