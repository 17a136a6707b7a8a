package plan

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
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

// A job is left out by choice where it could end by its hard deadline, or has none, and the time is the earliest end.
func TestLeftOutByChoice(t *testing.T) {
	choice, missed := 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		features := rapid.SampledFrom([]model.Features{modeltest.AllFeatures &^ model.PowerLimits, model.GridSpan | model.MoldableJobs | model.HardDeadlines}).Draw(t, "features")
		in := modeltest.Generator{Features: features, Jobs: 6}.Instance(t)
		s, err := NewSchedule(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range ArrivalOrder(in) {
			best := Slot{End: math.Inf(1)}
			for c := range in.Clusters() {
				if slot, ok := s.Earliest(j, c); ok && slot.End < best.End {
					best = slot
				}
			}
			job := &in.Jobs()[j]
			fits := !math.IsInf(best.End, 1) && !(job.DeadlineHard && model.Late(best.End, job.Deadline))
			if fits && rapid.Bool().Draw(t, "place") {
				s.Place(j, best)
				continue
			}
			s.LeaveOut(j)
			reason := s.Solution().Unscheduled[len(s.Solution().Unscheduled)-1].Reason
			want := fmt.Sprintf("left out by choice: it could end at %v on %s", best.End, in.Clusters()[best.Cluster].ID)
			if (reason == want) != fits || strings.HasPrefix(reason, "hard deadline") != (!fits && !math.IsInf(best.End, 1)) {
				t.Fatalf("job %s, with a slot: %v by %v, %v: %s", job.ID, best.End, job.Deadline, job.DeadlineHard, reason)
			}
			var least float64
			if _, after, even := strings.Cut(reason, "even alone it cannot end before "); even {
				missed++
				fmt.Sscan(after, &least) //nolint:errcheck // 0 then
				if alone, ok := endAlone(in, j); ok && alone < least {
					t.Fatalf("job %s: %s, but alone it ends at %v", job.ID, reason, alone)
				}
			}
			if fits {
				choice++
			}
		}
	})
	if choice == 0 || missed == 0 {
		t.Errorf("%d jobs are left out by choice, %d miss their deadlines alone", choice, missed)
	}
}

// endAlone is the earliest end of the job on empty clusters, on one of them or several.
func endAlone(in *model.Instance, j int) (best float64, found bool) {
	r, job := NewResources(in), &in.Jobs()[j]
	best = math.Inf(1)
	for n := job.Min; n <= min(job.Max, in.Processors()); n++ {
		for c := range in.Clusters() {
			if least, most := in.Width(j, c); in.CanRun(j, c) && least <= n && n <= most {
				if slot, ok := r.Earliest(j, c, n, job.Arrival); ok {
					best = min(best, slot.End)
				}
			}
		}
		if CanSpread(in, j) {
			if slot, ok := r.Spread(j, n, job.Arrival); ok {
				best = min(best, slot.End)
			}
		}
	}
	return best, !math.IsInf(best, 1)
}

// A reason names the jobs placed before where there are some, and only there.
func TestTheReasonNamesJobsBeforeOnlyWhereThereAreSome(t *testing.T) {
	b := model.NewBuilder("before").Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m"}}}, model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Job(model.JobSpec{ID: "first", Work: new(5.0)}, model.JobSpec{ID: "second", Work: new(5.0)})
	in, err := b.Job(model.JobSpec{ID: "late", Work: new(3.0), Tasks: 2, Span: "grid", Processors: model.Rigid(2), Deadline: new(2.0), DeadlineHard: true}).Build()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewCheapSchedule(in, Placing{})
	if err != nil {
		t.Fatal(err)
	}
	for placed := range 3 {
		if reason := s.whyOut(2, Slot{Start: float64(5 * placed), End: float64(5*placed + 3)}); strings.Contains(reason, "placed before it") != (placed > 0) {
			t.Errorf("%d jobs are placed: %q", placed, reason)
		}
		if placed < 2 {
			if slot, ok := s.Earliest(placed, placed); ok {
				s.Place(placed, slot)
			} else {
				t.Fatal("no place")
			}
		}
	}
}

// Of a job that may spread over clusters no reason says that it cannot be in time, also where a schedule keeps it on one: on two whole machines it takes half as long, and where a machine of
// one cluster closes others have room.
func TestReasonsOfJobsThatMaySpread(t *testing.T) {
	machine := []model.MachineSpec{{ID: "m"}}
	whole := model.ClusterSpec{ID: "a", Allocation: "machine", Machines: machine}
	other := model.ClusterSpec{ID: "b", Allocation: "machine", Machines: machine}
	closes := model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m"}, {ID: "n", Closed: []model.ClosedSpec{{From: 1}}}}}
	for name, c := range map[string]struct {
		clusters []model.ClusterSpec
		deadline *float64
	}{"whole": {[]model.ClusterSpec{whole, other}, new(3.0)}, "closed": {[]model.ClusterSpec{closes, {ID: "b", Machines: machine}}, nil}} {
		b := model.NewBuilder(name).Minimise("makespan", 1)
		b.Cluster(c.clusters...)
		b.Job(model.JobSpec{ID: "j", Processors: model.Rigid(2), Work: new(2.0), Span: "grid", Deadline: c.deadline, DeadlineHard: c.deadline != nil})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		pieces := []model.Piece{{Cluster: "a", Processors: model.Processors(0), Tasks: 1, End: 2}, {Cluster: "b", Processors: model.Processors(0), Tasks: 1, End: 2}}
		if report := model.Check(in, &model.Solution{Jobs: []model.Placement{{Job: "j", End: 2, Pieces: pieces}}}); !report.OK() {
			t.Fatal(name, report.Violations)
		}
		s, err := NewSchedule(in)
		if err != nil {
			t.Fatal(err)
		}
		s.LeaveOut(0)
		if reason := s.Solution().Unscheduled[0].Reason; strings.Contains(reason, "alone") || strings.Contains(reason, "never") || strings.Contains(reason, "earliest") {
			t.Errorf("%s: %s", name, reason)
		}
	}
}
