package plan

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// What keeps a job out is the horizon, not the cluster that is too narrow for it in any case; and what nothing can run is too wide, whatever it waits for.
func TestTheReasonIsWhatKeepsTheJobOut(t *testing.T) {
	b := model.NewBuilder("reason").Cluster(model.ClusterSpec{ID: "narrow", Machines: []model.MachineSpec{{ID: "m"}}}, model.ClusterSpec{ID: "wide", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	b.Spec().Horizon = &model.HorizonSpec{To: 5}
	b.Job(model.JobSpec{ID: "long", Work: new(6.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "waits", Work: new(1.0), After: []string{"long"}})
	in, err := b.Job(model.JobSpec{ID: "huge", Work: new(1.0), Processors: model.Rigid(3), After: []string{"long"}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewCheapSchedule(in, Placing{})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []string{"no time was found for it within the horizon and the limits of power", "waits for job long, which is not placed", in.WhyNowhere(2)} {
		for c := range in.Clusters() {
			if slot, ok := s.Earliest(j, c); ok {
				t.Fatalf("job %d has a slot: %+v", j, slot)
			}
		}
		if got := s.whyNot(j); got != want {
			t.Errorf("job %d: %q, expected %q", j, got, want)
		}
	}
}
