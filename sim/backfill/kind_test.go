package backfill_test

import (
	"strconv"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// A job with little work and a long message takes longer than one with more work and none: that the first does not fit before the
// reservation says nothing of the second.
func TestMessageTellsKindsApart(t *testing.T) {
	b := model.NewBuilder("messages").Cluster(model.ClusterSpec{ID: "c", Licences: map[string]int{"l": 1}, Network: &model.Network{Bandwidth: 1}, Machines: []model.MachineSpec{{ID: "m", Processors: 2}}})
	b.Job( // with a licence it is more than a trace
		model.JobSpec{ID: "running", Work: new(10.0), Licences: map[string]int{"l": 1}},
		model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(2)},
		model.JobSpec{ID: "message", Work: new(1.0), Message: 20},
		model.JobSpec{ID: "silent", Work: new(5.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"running": 0, "wide": 10, "message": 11, "silent": 0}
	for _, p := range sol.Jobs {
		if p.Start != want[p.Job] {
			t.Errorf("%s starts at %v, expected %v", p.Job, p.Start, want[p.Job])
		}
	}
	if len(sol.Jobs) != len(want) {
		t.Errorf("%d jobs placed, expected %d", len(sol.Jobs), len(want))
	}
}

// Jobs of two kinds start in the order of the queue, also where one kind has more jobs than a block holds.
func TestKindsKeepQueueOrder(t *testing.T) {
	b := model.NewBuilder("order").Cluster(model.ClusterSpec{ID: "c", Licences: map[string]int{"k": 1, "l": 1}, Machines: []model.MachineSpec{{ID: "m"}}})
	const jobs = 60
	for n := range jobs {
		job := model.JobSpec{ID: strconv.Itoa(n), Work: new(1.0)}
		switch n {
		case 0: // as its kind leaves the list of kinds, the others change places
			job.Licences = map[string]int{"k": 1}
		case 20:
			job.Licences = map[string]int{"l": 1}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range sol.Jobs {
		if p.Job != strconv.Itoa(k) || p.Start != float64(k) {
			t.Errorf("job %s starts at %v as number %d", p.Job, p.Start, k)
		}
	}
	if len(sol.Jobs) != jobs {
		t.Errorf("%d jobs placed, expected %d", len(sol.Jobs), jobs)
	}
}
