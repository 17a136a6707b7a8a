package place

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// Jobs that wait for one another may occupy more than a machine has: then it has nothing left, of processors, memory, resources and devices, and never less.
func TestOccupyTakesWhatIsThere(t *testing.T) {
	b := model.NewBuilder("occupy").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Memory: new(4.0), Resources: map[string]float64{"gpu": 1, "nic": 3}}}})
	b.Spec().Devices = []string{"gpu"}
	in, err := b.Job(model.JobSpec{ID: "j", Processors: model.Rigid(3), Block: 3, Memory: 1, Work: new(1.0), Resources: map[string]float64{"gpu": 0.75, "nic": 2}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	rule, err := Lookup(First)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSite(in, rule, 0)
	room, shares := s.Room(), []Share{{Processors: 3, Devices: []int32{0}}}
	for k, want := range []Free{{Free: 1, Memory: 1}, {}, {}} {
		s.Occupy(&room, s.Kind(0), shares)
		free := s.Look(&room, 0)
		device, nic := model.Amount(0), model.Amount(0)
		if k == 0 {
			device, nic = model.WholeAmount/4, model.WholeAmount
		}
		if free.Free != want.Free || free.Memory != want.Memory || free.Devices[0] != device || free.Amounts[0] != device || free.Amounts[1] != nic {
			t.Errorf("after %d jobs %d processors, memory %v, devices %v and amounts %v are free", k+1, free.Free, free.Memory, free.Devices, free.Amounts)
		}
	}
}
