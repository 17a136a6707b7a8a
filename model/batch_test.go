package model_test

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A batch has its jobs alone, renumbered, with the times given as arrivals and their own arrivals beside them; what it waits for outside is gone; processors that
// are held are released when the last hold ends, and what has ended by then holds nothing. The instance stays as it is.
func TestBatch(t *testing.T) {
	in, err := model.NewBuilder("whole").
		Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}, model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "j0", Work: new(1.0)}, model.JobSpec{ID: "j1", Work: new(2.0), After: []string{"j0"}},
			model.JobSpec{ID: "j2", Work: new(3.0), After: []string{"j1"}, Arrival: 1}).Build()
	if err != nil {
		t.Fatal(err)
	}
	hold := model.Hold{Job: &in.Jobs()[0], Start: 0, End: 7, Pieces: []model.HoldPiece{{Cluster: 0, Processors: model.Processors(1), End: 7}}}
	over := model.Hold{Job: &in.Jobs()[0], Start: 0, End: 4, Pieces: []model.HoldPiece{{Cluster: 1, Processors: model.Processors(0), End: 4}}}
	b := in.Batch([]int{2, 1}, []float64{5, 4}, []model.Hold{hold, over})
	jobs := b.Jobs()
	if len(jobs) != 2 || jobs[0].ID != "j2" || !slices.Equal(jobs[0].After, []int{1}) || jobs[0].Arrival != 5 || jobs[1].After != nil || b.FirstArrival() != 4 {
		t.Errorf("jobs %+v, first arrival %v", jobs, b.FirstArrival())
	}
	if j, ok := b.JobIndex("j1"); !ok || j != 1 || !slices.Equal(b.Successors(1), []int{0}) {
		t.Errorf("index of j1 %d %v, successors %v", j, ok, b.Successors(1))
	}
	if _, ok := b.JobIndex("j0"); ok {
		t.Error("j0 is in the batch")
	}
	if !slices.Equal(b.HeldUntil(0), []float64{4, 7}) || b.HeldUntil(1) != nil || len(b.Held()) != 2 {
		t.Errorf("released %v and %v", b.HeldUntil(0), b.HeldUntil(1))
	}
	if want := model.Arrivals | model.Precedence | model.Commitments; b.Features() != want {
		t.Errorf("features %s, want %s", b.Features(), want)
	}
	again := b.Batch([]int{1, 0}, []float64{6, 6}, nil) // a batch of a batch
	if b.Submitted(0) != 1 || b.Submitted(1) != 0 || again.Submitted(0) != 0 || again.Submitted(1) != 1 || in.Submitted(2) != 1 {
		t.Errorf("submitted at %v and %v, in the batch of the batch at %v and %v, in the instance at %v; expected 1, 0, 0, 1 and 1",
			b.Submitted(0), b.Submitted(1), again.Submitted(0), again.Submitted(1), in.Submitted(2))
	}
	if in.Features().Has(model.Commitments) || in.HeldUntil(0) != nil || in.Jobs()[2].Arrival != 1 || len(in.Jobs()) != 3 {
		t.Error("the instance has changed")
	}
}

// Beside holds a batch has what jobs of the instance ask of single machines, although its own jobs ask nothing of the kind: what is held there is known by machine, and a
// plan by processor would take names that are given away later. Without holds, and of what is no matter of single machines, it has only what its jobs ask for.
func TestBatchBesideHoldsOnMachines(t *testing.T) {
	b := model.NewBuilder("machines").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2, Memory: new(4.0), Resources: map[string]float64{"gpu": 1}}}})
	b.Job(model.JobSpec{ID: "j0", Work: new(3.0), Memory: 1, Resources: map[string]float64{"gpu": 1}}, model.JobSpec{ID: "j1", Work: new(1.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if !in.Features().Has(model.NodeResources | model.MemoryLimits) {
		t.Fatalf("the instance has only %s", in.Features())
	}
	hold := model.Hold{Job: &in.Jobs()[0], End: 3, Pieces: []model.HoldPiece{{Processors: model.Processors(0), End: 3}}}
	for _, c := range []struct {
		from  float64
		holds []model.Hold
		want  model.Features
	}{
		{1, []model.Hold{hold}, model.Commitments | model.NodeResources},
		{1, nil, 0},
		{3, []model.Hold{hold}, 0}, // it has ended by then
	} {
		if got := in.Batch([]int{1}, []float64{c.from}, c.holds).Features(); got != c.want {
			t.Errorf("from %v beside %d holds: %s, expected %s", c.from, len(c.holds), got, c.want)
		}
	}
}
