package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// A hard deadline that is missed by rounding alone is met: three jobs of 0.1, one after another, end by 0.3.
func TestSchedulesMeetDeadlinesUpToRounding(t *testing.T) {
	for deadline, want := range map[float64]int{0.3: 3, 0.3 - 1e-12: 2} {
		b := model.NewBuilder("tenths").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		for j := range 3 {
			b.Job(model.JobSpec{ID: fmt.Sprint(j), Work: new(0.1), Deadline: &deadline, DeadlineHard: true})
		}
		s := minimised(t, b, nil)
		if len(s.Jobs) != want {
			t.Errorf("deadline %v: %d jobs are placed, want %d", deadline, len(s.Jobs), want)
		}
	}
}

// minimised is what the engine finds, which is right by the checker.
func minimised(t *testing.T, b *model.Builder, start *model.Solution) *model.Solution {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	result, err := Minimise(context.Background(), in, start, Options{Seed: 1, MaxEvals: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	return result.Solution
}

// A job that may spread over the grid does where that is shorter, though it fits one cluster; and a schedule in which it does is
// kept when the search continues from it.
func TestSchedulesSpreadWhatFitsOneCluster(t *testing.T) {
	machines := func(id string) model.ClusterSpec {
		return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: 12}}}
	}
	grid := func() *model.Builder {
		return model.NewBuilder("spread").Minimise("makespan", 1).Cluster(machines("a"), machines("b"))
	}
	moldable := model.JobSpec{ID: "j", Work: new(10.0), Tasks: 24, Processors: model.Moldable(1, 24), Span: "grid"}
	for name, c := range map[string]struct {
		b    *model.Builder
		want float64
	}{
		"moldable": {grid().Job(moldable), 10},
		"moldable beside others": {grid().Job(moldable, model.JobSpec{ID: "k", Work: new(10.0), Processors: model.Moldable(1, 2), Tasks: 2},
			model.JobSpec{ID: "l", Work: new(10.0), Processors: model.Rigid(10)}), 20},
		"rigid beside others": {grid().Job(model.JobSpec{ID: "k", Work: new(10.0), Processors: model.Rigid(6)},
			model.JobSpec{ID: "l", Work: new(10.0), Processors: model.Rigid(6)},
			model.JobSpec{ID: "m", Work: new(10.0), Processors: model.Moldable(11, 12), Tasks: 12, Span: "grid"}), 10},
	} {
		s := minimised(t, c.b, nil)
		in, _ := c.b.Build()
		found, err := rankOf(in, s)
		if err != nil {
			t.Fatal(err)
		}
		if found.Objective != c.want {
			t.Errorf("%s: makespan %v, want %v", name, found.Objective, c.want)
		}
		again, err := rankOf(in, minimised(t, c.b, s))
		if err != nil || found.Better(again) {
			t.Errorf("%s: from %+v the search comes to %+v, %v", name, found, again, err)
		}
	}
}

// A schedule that does not come out as it was decoded is an error, whether the job was left out, or ends at another time.
func TestSchedulesThatComeOutOtherwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, err := model.NewBuilder("one").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
			Job(model.JobSpec{ID: "j", Work: new(10.0)}).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := newScheduleProblem(context.Background(), in)
		end := rapid.SampledFrom([]float64{10, 10 + 1e-9, 10.001, math.NaN()}).Draw(t, "end")
		_, err = p.schedule([]int32{0}, []scheduleResult{{end: end, choice: scheduleChoice{0, 1}}})
		if wrong := !(math.Abs(end-10) <= 1e-8); wrong != (err != nil) || wrong && !strings.Contains(err.Error(), "job j ends at 10") {
			t.Fatalf("end %v: %v", end, err)
		}
	})
}

// An error of a chain ends the search and is returned.
func TestSchedulesReturnTheErrorOfAChain(t *testing.T) {
	in := largeInstance(t, 20)
	start := queueStart(t, in)
	e, err := newSchedules(context.Background(), in, start, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Errorf("no such schedule")
	e.(*schedules).runs[2].decoder.fail(want)
	at, err := rankOf(in, start)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if _, err := improve(context.Background(), e, in, start, at, Options{MaxEvals: 1 << 40}); !errors.Is(err, want) {
		t.Errorf("the error is %v", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("the search went on for %v", took)
	}
}

// What the evaluations of a second take, by the steps that are looked at, is about a second: more so where a schedule takes longer.
func TestSchedulePaceFollowsTheWork(t *testing.T) {
	pace := func(jobs, licences int) int64 {
		b := model.NewBuilder("licences")
		b.Spec().Licences = map[string]int{"a": 8}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 64}}})
		for j := range jobs {
			job := model.JobSpec{ID: fmt.Sprint(j), Work: new(float64(1 + j*37%100)), Processors: model.Rigid(1 + j%16)}
			if licences > 0 {
				job.Licences = map[string]int{"a": 1}
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		e, err := newSchedules(context.Background(), in, queueStart(t, in), 1)
		if err != nil {
			t.Fatal(err)
		}
		return e.pace()
	}
	plain, licensed, many := pace(1000, 0), pace(1000, 1), pace(10_000, 1)
	t.Logf("%d without licences, %d with, %d of ten times the jobs", plain, licensed, many)
	if licensed > plain/3 || many > licensed/7 || many < 1 {
		t.Errorf("%d without licences, %d with, %d of ten times the jobs", plain, licensed, many)
	}
}

// valley has four jobs whose best schedule lies behind many that are much worse.
const valley = `{
 "schema": "allot/instance/1",
 "objective": {"idle_time": 10},
 "clusters": [
  {"id": "c0", "network": {"latency": 0.5}, "machines": [{"id": "m0"}, {"id": "m1"}]},
  {"id": "c1", "machines": [{"id": "m", "count": 2, "speed": 0.5, "bandwidth": 6}]}
 ],
 "jobs": [
  {"id": "j0", "arrival": 3.5, "processors": {"min": 1, "max": 2}, "work": 3.25, "runtime": {"c0": 0.5, "c1": 0.5}, "span": "grid", "input": 0.25, "output": 6.25},
  {"id": "j1", "processors": 2, "estimate": 1, "output": 0.5, "deadline_hard": true},
  {"id": "j2", "processors": 2, "estimate": 8.25, "input": 0.5, "after": ["j0", "j1"]},
  {"id": "j3", "arrival": 3.5, "processors": 2, "estimate": 8.75, "span": "grid", "output": 0.25, "min_bandwidth": 1.75}
 ]
}`

// With few jobs runs begin hot enough to get out of the valley: 40 seeds needed at most 10,400 evaluations, and where runs began at
// one mean change by a move at most, 188,800.
func TestSchedulesLeaveAValley(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(valley), "valley")
	if err != nil {
		t.Fatal(err)
	}
	start := queueStart(t, in)
	for seed := range race.Fewer(uint64(20), 3) {
		result, err := Minimise(context.Background(), in, start, Options{Seed: seed, MaxEvals: 45_000})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := rankOf(in, result.Solution); err != nil || found.Left > 0 || found.Objective > 28.34 {
			t.Errorf("seed %d: %+v, %v; the best of all is 28.33", seed, found, err)
		}
	}
}
