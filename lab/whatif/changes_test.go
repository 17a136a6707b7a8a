package whatif_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// TestChangesByHand: on 4 processors of x, a holds 2 until 10 and b, which needs all 4, has a reservation from 10 to 20. A job of 2 processors that arrives at 1 can start
// only if it ends by 10; fewer processors do not help, as none are left beside b. On y it can start at once.
func TestChangesByHand(t *testing.T) {
	b := model.NewBuilder("changes")
	for _, id := range []string{"x", "y"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
	}
	b.Job(model.JobSpec{ID: "a", Processors: model.Rigid(2), Runtime: map[string]float64{"x": 10}},
		model.JobSpec{ID: "b", Processors: model.Rigid(4), Runtime: map[string]float64{"x": 10}},
		model.JobSpec{ID: "c", Arrival: 1, Processors: model.Rigid(2), Runtime: map[string]float64{"x": 20}})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	policy := solve.Default[solvers.EASY]()
	changes, err := whatif.Changes(context.Background(), "easy", policy, in, "c", 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		limit      float64
		processors int
		cluster    string
		start      float64
	}{{limit: 10, start: 20}, {limit: 5, start: 1}, {processors: 1, start: 20}, {cluster: "y", start: 1}}
	if len(changes) != len(want) {
		t.Fatalf("%d changes, want %d: %+v", len(changes), len(want), changes)
	}
	for k, w := range want {
		c := changes[k]
		if (w.limit > 0) != (c.Limit != nil) || c.Limit != nil && *c.Limit != w.limit || (w.processors > 0) != (c.Processors != nil) || c.Processors != nil && *c.Processors != w.processors ||
			c.Cluster != w.cluster || c.Start == nil || *c.Start != w.start {
			t.Errorf("change %d: %+v, want %+v", k, c, w)
		}
	}
	if got := in.Jobs()[2]; got.Min != 2 || in.DurationOn(2, 0, 2) != 20 {
		t.Errorf("the instance itself has changed: %+v", got)
	}
	for _, id := range []string{"nobody"} {
		if _, err := whatif.Changes(context.Background(), "easy", policy, in, id, 1); err == nil {
			t.Errorf("job %s: expected an error", id)
		}
	}
}

// TestChangesWithin: work that ends before the shorter limit stays, blocks stay whole, and a job that is not rigid keeps its processors.
func TestChangesWithin(t *testing.T) {
	b := model.NewBuilder("within")
	b.Cluster(model.ClusterSpec{ID: "x", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 4}}})
	b.Job(model.JobSpec{ID: "all", Processors: model.Rigid(8), Work: new(3.0), Estimate: new(40.0)},
		model.JobSpec{ID: "blocks", Processors: model.Rigid(8), Block: 4, Machines: model.Rigid(2), Estimate: new(8.0)},
		model.JobSpec{ID: "moldable", Processors: model.Moldable(1, 8), Estimate: new(8.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string][]float64{
		"all":      {0, 0, 0, 0}, // it is the first
		"blocks":   {3, 3, 3},    // half of its blocks, but not a quarter
		"moldable": {11, 11},
	} {
		changes, err := whatif.Changes(context.Background(), "fcfs", solve.Default[solvers.FCFS](), in, job, 1)
		if err != nil {
			t.Fatal(err)
		}
		var starts []float64
		for _, c := range changes {
			starts = append(starts, *c.Start)
		}
		if len(starts) != len(want) {
			t.Errorf("%s: %v, want %v", job, starts, want)
			continue
		}
		for k := range want {
			if starts[k] != want[k] {
				t.Errorf("%s: %v, want %v", job, starts, want)
			}
		}
	}
}

// TestChangesOfPartition: a job that waits for its partition would start at once in the other, does not fit a third, is too long for a fourth, and a fifth is closed.
func TestChangesOfPartition(t *testing.T) {
	b := model.NewBuilder("partitions")
	b.Cluster(model.ClusterSpec{ID: "x", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}, model.ClusterSpec{ID: "y", Machines: []model.MachineSpec{{ID: "m", Count: 2}, {ID: "n", Features: []string{"partition one"}}}})
	b.Spec().Partitions = []model.PartitionSpec{
		{ID: "normal", Clusters: []string{"x"}}, {ID: "other", Clusters: []string{"y"}}, {ID: "one", Clusters: []string{"y"}, Feature: "partition one"},
		{ID: "short", Clusters: []string{"y"}, Limit: 5}, {ID: "down", Clusters: []string{"y"}, Closed: true}, {ID: "normal,other"},
	}
	b.Job(model.JobSpec{ID: "a", Queue: "normal", Processors: model.Rigid(2), Runtime: map[string]float64{"x": 10}},
		model.JobSpec{ID: "c", Queue: "normal", Arrival: 1, Processors: model.Rigid(2), Runtime: map[string]float64{"x": 20}, Estimate: new(20.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	changes, err := whatif.Changes(context.Background(), "easy", solve.Default[solvers.EASY](), in, "c", 1)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]whatif.JobStart{}
	for _, c := range changes {
		if c.Cluster != "" {
			t.Errorf("a cluster beside partitions: %+v", c)
		}
		if c.Partition != "" {
			got[c.Partition] = c.JobStart
		}
	}
	if len(got) != 4 || got["other"].Start == nil || *got["other"].Start != 1 {
		t.Errorf("got %+v", got)
	}
	for partition, want := range map[string]string{
		"short": "expected at most 5, the limit of partition short, found 20", "down": `expected a partition that starts jobs, found "down", which is not up`,
	} {
		if got[partition].Start != nil || got[partition].Reason != want {
			t.Errorf("%s: %+v, want %q", partition, got[partition], want)
		}
	}
	if one := got["one"]; one.Start != nil || one.Reason == "" {
		t.Errorf("one: %+v", one)
	}
}
