package plan

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// cheapDrawn are the features beside which schedules start jobs at the cheapest moment.
const cheapDrawn = modeltest.AllFeatures&^(model.GridSpan|model.BackgroundLoad) | modeltest.PowerFeatures

// drawCheap draws an instance whose jobs start at the cheapest moment; false: it drew none.
func drawCheap(t *rapid.T, jobs int) (*model.Instance, bool) {
	in := modeltest.Generator{Features: cheapDrawn, Jobs: jobs}.Instance(t)
	if !StartsCheap(in) {
		return nil, false
	}
	return in, model.Check(in, newCheap(t, in).Solution()).OK() // else the horizon is too short for the states of the machines
}

// newCheap starts a schedule that must be possible.
func newCheap(t *rapid.T, in *model.Instance) *Schedule {
	s, err := NewCheapSchedule(in, Placing{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whatever is placed where at the cheapest moment, the schedule is right by the checker.
func TestCheapScheduleIsRight(t *testing.T) {
	often.Check(t, 50, func(t *rapid.T) {
		in, ok := drawCheap(t, 12)
		if !ok {
			return
		}
		s := newCheap(t, in)
		for _, job := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
			if slots := drawSlots(t, s, job); slots == nil {
				s.LeaveUnplaceable(job)
			} else {
				s.Place(job, slots[0])
			}
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatalf("%v\n%+v", report.Violations, s.Solution())
		}
	})
}

// A job of no time that has to stay on one machine gets its processors there, though it holds nothing.
func TestCheapInstantStaysOnOneMachine(t *testing.T) {
	b := model.NewBuilder("instant").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Busy: 3}}, {ID: "n", Count: 2, Processors: 3}}})
	b.Job(model.JobSpec{ID: "j", Work: new(0.0), Processors: model.Rigid(2), Span: "machine"})
	b.Spec().Horizon = &model.HorizonSpec{To: 1}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewCheapSchedule(in, Placing{})
	if err != nil {
		t.Fatal(err)
	}
	slot, ok := s.Earliest(0, 0)
	if !ok {
		t.Fatal("no slot")
	}
	s.Place(0, slot)
	if report := model.Check(in, s.Solution()); !report.OK() {
		t.Error(report.Violations)
	}
}
