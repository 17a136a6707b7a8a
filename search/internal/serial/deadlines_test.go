package serial

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// drawHard draws a project in which some deadlines are hard, and a schedule that meets them.
func drawHard(t *rapid.T, jobs int) (*model.Instance, *model.Solution) {
	processors, copies := rapid.IntRange(1, 4).Draw(t, "processors"), rapid.IntRange(1, 5).Draw(t, "copies")
	part := rapid.SampledFrom([]float64{0, 1.0 / 1024}).Draw(t, "part") // small parts make profiles of steps
	metric := rapid.SampledFrom([]string{"makespan", "over_deadline", "mean_response", "mcp"}).Draw(t, "metric")
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Objective: map[string]float64{metric: 1}, Licences: map[string]int{"a": copies}}
	for c := range rapid.IntRange(1, 2).Draw(t, "clusters") {
		spec.Clusters = append(spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: fmt.Sprint("m", c), Count: processors}}})
	}
	for j := range rapid.IntRange(2, jobs).Draw(t, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(rapid.IntRange(0, 9).Draw(t, "work")) + part), Arrival: float64(rapid.IntRange(0, 5).Draw(t, "arrival")),
			Processors: model.Rigid(rapid.IntRange(1, processors).Draw(t, "size")), Licences: map[string]int{"a": rapid.IntRange(0, copies).Draw(t, "of a")}}
		for k := range j {
			if rapid.IntRange(0, 3).Draw(t, "waits") == 0 {
				job.After = append(job.After, fmt.Sprint("j", k))
			}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(context.Background(), in)
	if p == nil {
		t.Skip("the engine does not take the instance")
	}
	d := newDecoder(p)
	for j := range d.at {
		d.at[j] = -1
	}
	d.forward(p.order)
	m := newMember(p.n)
	copy(m.order, p.order)
	copy(m.at, d.at)
	copy(m.start, d.start)
	for j := range spec.Jobs {
		due, hard := float64(rapid.IntRange(1, 20).Draw(t, "due")), rapid.Bool().Draw(t, "hard")
		if hard {
			due = p.origin + p.unit*d.end[j] + float64(rapid.IntRange(0, 2).Draw(t, "more"))
		}
		spec.Jobs[j].Deadline, spec.Jobs[j].DeadlineHard = &due, hard
	}
	if in, err = model.New(spec); err != nil {
		t.Fatal(err)
	}
	return in, p.write(m)
}

// The schedules of the engine meet all hard deadlines, and the best is no worse than the start.
func TestHardDeadlinesAreMet(t *testing.T) {
	reserved, ejected := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in, start := drawHard(t, 12)
		at, err := model.EvaluateObjective(in, start)
		if err != nil {
			t.Fatal(err)
		}
		made, err := New(context.Background(), in, start, 1)
		if err != nil || made == nil {
			t.Fatalf("the engine does not take an instance whose start meets all deadlines: %v", err)
		}
		advance(made, 3, 60)
		for k, s := range made.(*Engine).islands {
			before := s.passes
			if used := made.Advance(k, 7, func() bool { return false }); used != 7 && len(in.Jobs()) > 1 || s.passes-before != used {
				t.Fatalf("7 schedules asked for, %d reported, %d made", used, s.passes-before)
			}
		}
		e, best := made.(*Engine), math.Inf(1)
		for k, s := range e.islands {
			if len(s.boundOrder) > 0 {
				reserved++
			}
			if s.ejector.passes > 0 {
				ejected++
			}
			best = min(best, e.Best(k).Objective)
			kept := slices.Clone(s.members)
			if !s.best.None() {
				kept = append(kept, s.found)
			}
			for _, m := range kept {
				solution := e.problem.write(m)
				if report := model.Check(in, solution); !report.OK() || len(solution.Jobs) != len(in.Jobs()) {
					t.Fatalf("%d of %d jobs: %v", len(solution.Jobs), len(in.Jobs()), report.Violations)
				}
			}
		}
		if best > at+1e-9*math.Abs(at) {
			t.Fatalf("found %v, the start has %v", best, at)
		}
	})
	if reserved < race.Enough(30) || ejected < race.Enough(30) {
		t.Errorf("%d populations reserved places, %d took some away: the test proves little", reserved, ejected)
	}
}

// Whatever the order, all deadlines are met if the jobs hold reserved places until their turn and each has its place.
func TestReservedPlacesAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, start := drawHard(t, 12)
		p := newProblem(context.Background(), in)
		if len(p.hard) == 0 {
			return
		}
		d := newDecoder(p)
		met := d.meeting(p.guests(start)[0])
		if met == nil {
			t.Fatal("the start decoded again misses a deadline")
		}
		s := newIsland(p, 1, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		order := make([]int32, p.n)
		s.random(order)
		d.reserve(met)
		for _, j := range d.boundOrder {
			at, length := d.reserved[j], p.places[j][met.at[j]].length
			if at < met.start[j] || at+length > max(p.latest(j), met.start[j]+length) {
				t.Fatalf("job %d holds a place at %v, the schedule starts it at %v and it is due at %v", j, at, met.start[j], p.latest(j))
			}
		}
		copy(d.at, met.at)
		d.forwardReserved(order)
		if !d.meets() {
			t.Fatalf("ends %v of the order %v miss a deadline", d.end, order)
		}
		m := newMember(p.n)
		copy(m.order, order)
		copy(m.at, d.at)
		copy(m.start, d.start)
		if report := model.Check(in, p.write(m)); !report.OK() {
			t.Fatal(report.Violations)
		}
	})
}

// Where a job takes the places of others, no resource is used twice, all wait as they must, and all deadlines are met. Where no job is late the schedule is that of forward.
func TestEjectingIsRight(t *testing.T) {
	ejected, gaveUp := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in, start := drawHard(t, 12)
		p := newProblem(context.Background(), in)
		if len(p.hard) == 0 {
			return
		}
		met := newDecoder(p).meeting(p.guests(start)[0])
		s := newIsland(p, 1, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		order := make([]int32, p.n)
		s.random(order)
		copy(s.at, met.at)
		s.forward(order)
		inTime, plain := s.meets(), slices.Clone(s.start)
		copy(s.at, met.at)
		if !s.forwardEjecting(order) {
			if gaveUp++; inTime {
				t.Fatal("it gives up an order that meets all deadlines")
			}
			return
		}
		if !s.meets() {
			t.Fatalf("ends %v of the order %v miss a deadline", s.end, order)
		}
		if inTime && !slices.Equal(plain, s.start) {
			t.Fatalf("starts %v, those of forward are %v", s.start, plain)
		}
		if !inTime {
			ejected++
		}
		m := newMember(p.n)
		copy(m.order, order)
		copy(m.at, s.at)
		copy(m.start, s.start)
		if report := model.Check(in, p.write(m)); !report.OK() || s.last != slices.Max(s.end) {
			t.Fatalf("last end %v: %v", s.last, report.Violations)
		}
	})
	if ejected < race.Enough(10) {
		t.Errorf("%d orders were mended and %d given up: the test proves little", ejected, gaveUp)
	}
}

// On small instances the engine reaches the best of all schedules that meet the deadlines.
func TestBestOfAllInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, start := drawHard(t, 5)
		made, err := New(context.Background(), in, start, 1)
		if err != nil || made == nil {
			t.Fatalf("the engine does not take the instance: %v", err)
		}
		least, found := leastOf(t, made.(*Engine).problem), math.Inf(1)
		for range 40 {
			advance(made, 1, 100)
			for k := range made.Chains() {
				found = min(found, made.Best(k).Objective)
			}
		}
		if !(math.Abs(found-least) <= 1e-9*(1+math.Abs(least))) {
			t.Fatalf("found %v, the best of all is %v", found, least)
		}
	})
}

// The engine leaves it to others to find out whether all hard deadlines can be met, and which jobs to leave out where the objective says what that costs.
func TestTakesHardDeadlines(t *testing.T) {
	for _, c := range []struct {
		metric       string
		work         float64
		start, takes bool
	}{{"makespan", 1, true, true}, {"makespan", 1, false, false}, {"makespan", 0.7, true, false}, {"missed", 1, true, false}} {
		b := model.NewBuilder("hard").Minimise(c.metric, 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		in, err := b.Job(model.JobSpec{ID: "j", Work: &c.work, Deadline: new(1.0), DeadlineHard: true}).Build()
		if err != nil {
			t.Fatal(err)
		}
		start := &model.Solution{}
		if c.start {
			start.Jobs = []model.Placement{{Job: "j", Cluster: "c", Processors: model.NewProcessorSet(model.Range{}), End: c.work}}
		}
		if e, err := New(context.Background(), in, start, 1); err != nil || (e != nil) != c.takes {
			t.Errorf("%+v: taken %t, %v", c, e != nil, err)
		}
	}
}
