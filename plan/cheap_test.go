package plan

import (
	"strconv"
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

// The work of a list of jobs that may take processors of many machines that sleep grows with their number, not its square: where starts are many, a job
// looks at some.
func TestCheapListOfManyJobs(t *testing.T) {
	work := func(jobs int) int64 {
		b := model.NewBuilder("sleep").Minimise("energy", 1)
		off := model.OffSpec{Name: "off", Power: 6, Down: model.WaySpec{Time: 60, Power: 90}, Up: model.WaySpec{Time: 120, Power: 100}}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 64, Processors: 4, Power: &model.PowerSpec{Idle: 90, Busy: 30, Off: []model.OffSpec{off}}}}})
		for k := range jobs {
			b.Job(model.JobSpec{ID: "j" + strconv.Itoa(k), Arrival: float64(56 * k), Work: new(float64(1000 + 37*k%900)), Processors: model.Rigid(1 + k%16)})
		}
		b.Spec().Horizon = &model.HorizonSpec{To: 1e7}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewCheapSchedule(in, Placing{})
		if err != nil {
			t.Fatal(err)
		}
		for job := range in.Jobs() {
			slot, ok := s.Earliest(job, 0)
			if !ok {
				t.Fatalf("no slot for job %d", job)
			}
			s.Place(job, slot)
		}
		return s.Work()
	}
	once, twice := work(1000), work(2000)
	if ratio := float64(twice) / float64(once); ratio > 2.5 {
		t.Errorf("%d for 1,000 jobs and %d for 2,000, %.2f times as much; expected at most 2.5 times", once, twice, ratio)
	}
}
