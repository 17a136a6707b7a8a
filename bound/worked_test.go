package bound

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

// worked is an instance whose optimum is known by hand.
type worked struct {
	name      string
	clusters  []model.ClusterSpec
	licences  map[string]int
	jobs      []model.JobSpec
	objective map[string]float64 // nil: makespan
	best      float64            // the optimum
	tight     string             // a method that proves just that; empty: none has to
}

// build makes the instance.
func (w *worked) build(t *testing.T) *model.Instance {
	t.Helper()
	b := model.NewBuilder(w.name)
	b.Spec().Objective, b.Spec().Licences = w.objective, w.licences
	for _, c := range w.clusters {
		b.Cluster(c)
	}
	for _, j := range w.jobs {
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// of is a cluster of the given number of processors, each of speed 1.
func of(id string, processors int) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: processors}}}
}

// one is a job of one processor.
func one(id string, work float64, after ...string) model.JobSpec {
	return model.JobSpec{ID: id, Work: new(work), After: after}
}

// holding is the job j, which needs the given number of copies of the licence l while it runs.
func holding(j model.JobSpec, copies int) model.JobSpec {
	j.Licences = map[string]int{"l": copies}
	return j
}

// arriving is the job that arrives at the time.
func arriving(j model.JobSpec, at float64) model.JobSpec {
	j.Arrival = at
	return j
}

// due is the job with a deadline.
func due(j model.JobSpec, at float64, hard bool) model.JobSpec {
	j.Deadline, j.DeadlineHard = new(at), hard
	return j
}

var workedInstances = []worked{
	{name: "arrivals in halves: the second job ends at 3.5, which is not rounded up", clusters: []model.ClusterSpec{of("c", 1)},
		jobs: []model.JobSpec{one("a", 1), arriving(one("b", 2), 1.5)}, best: 3.5, tight: "critical-path"},
	{name: "durations in quarters", clusters: []model.ClusterSpec{of("c", 1)},
		jobs: []model.JobSpec{one("a", 1.25), one("b", 2.5)}, best: 3.75, tight: "area-dual"},
	{name: "whole numbers: 5 of area on 2 processors is 3", clusters: []model.ClusterSpec{of("c", 2)},
		jobs: []model.JobSpec{one("a", 2), one("b", 2), one("d", 1)}, best: 3, tight: "area-dual"},
	{name: "a job that waits for two others waits for the longer", clusters: []model.ClusterSpec{of("c", 2)},
		jobs: []model.JobSpec{one("a", 3), one("b", 4), one("last", 1, "a", "b")}, best: 5, tight: "critical-path"},
	{name: "two jobs that wait for one run beside each other", clusters: []model.ClusterSpec{of("c", 2)},
		jobs: []model.JobSpec{one("first", 2), one("a", 3, "first"), one("b", 3, "first")}, best: 5, tight: "critical-path"},
	// The first three hold the licence from 0 to 6.3, one after another; the last of those that wait ends 3 later.
	{name: "tails behind a licence", clusters: []model.ClusterSpec{of("c", 10)}, licences: map[string]int{"l": 1}, jobs: []model.JobSpec{
		holding(one("a1", 2.1), 1), holding(one("a2", 2.1), 1), holding(one("a3", 2.1), 1), one("b1", 3, "a1"), one("b2", 3, "a2"), one("b3", 3, "a3")},
		best: 9.3, tight: "energetic"},
	// Heads and tails: from 4 to T − 3 three jobs of 2 share two processors, which the others cannot use then.
	{name: "heads and tails around a licence of two copies", clusters: []model.ClusterSpec{of("c", 10)}, licences: map[string]int{"l": 2}, jobs: []model.JobSpec{
		holding(arriving(one("a1", 2), 4), 1), holding(arriving(one("a2", 2), 4), 1), holding(arriving(one("a3", 2), 4), 2),
		one("b1", 3, "a1"), one("b2", 3, "a2"), one("b3", 3, "a3"), one("early", 1)},
		best: 11, tight: "energetic"},
	{name: "each cluster has a licence of its own", licences: nil, clusters: []model.ClusterSpec{
		{ID: "c", Licences: map[string]int{"l": 1}, Machines: []model.MachineSpec{{ID: "m", Count: 4}}},
		{ID: "d", Licences: map[string]int{"l": 1}, Machines: []model.MachineSpec{{ID: "m", Count: 4}}}},
		jobs: []model.JobSpec{holding(one("a", 2), 1), holding(one("b", 2), 1), holding(one("d", 2), 1), holding(one("e", 2), 1)}, best: 4, tight: "energetic"},
	{name: "the second machine is the faster one", clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "slow"}, {ID: "fast", Speed: 4}}}},
		jobs: []model.JobSpec{one("a", 8)}, best: 2, tight: "critical-path"},
	{name: "two jobs of half a cluster run beside each other", clusters: []model.ClusterSpec{of("c", 4)}, jobs: []model.JobSpec{
		{ID: "a", Work: new(3.0), Processors: model.Rigid(2)}, {ID: "b", Work: new(3.0), Processors: model.Rigid(2)}}, best: 3, tight: "area-dual"},
	{name: "five jobs on two processors: three meet on one", clusters: []model.ClusterSpec{of("c", 2)}, jobs: []model.JobSpec{
		one("a", 4), one("b", 4), one("d", 3), one("e", 3), one("f", 3)}, best: 9},
	{name: "a job that ends just at its deadline is not missed", clusters: []model.ClusterSpec{of("c", 1)}, objective: map[string]float64{"missed": 1},
		jobs: []model.JobSpec{due(one("a", 3), 3, false)}, best: 0},
	{name: "one of two jobs is late", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"missed": 1},
		jobs: []model.JobSpec{due(one("a", 3), 3, false), due(one("b", 3), 2.5, false)}, best: 1, tight: "each-alone"},
	{name: "data that is moved counts with its output", clusters: []model.ClusterSpec{of("c", 1)}, objective: map[string]float64{"makespan": 1, "data_moved": 1},
		jobs: []model.JobSpec{{ID: "a", Work: new(2.0), Input: 3, Output: 4}}, best: 2 - 7},
	{name: "work that is done", clusters: []model.ClusterSpec{of("c", 1)}, objective: map[string]float64{"makespan": 1, "work_done": 2},
		jobs: []model.JobSpec{one("a", 2), one("b", 3)}, best: 5 - 10},
}

func TestBoundsOfWorkedInstances(t *testing.T) {
	for k := range workedInstances {
		w := &workedInstances[k]
		t.Run(w.name, func(t *testing.T) {
			proof := New(context.Background(), w.build(t))
			for range 20 {
				proof.Improve(context.Background(), 1_000_000)
			}
			value, ok := proof.Bound().Value()
			if rounding := 1e-9 * math.Abs(w.best); !ok || value > w.best+rounding {
				t.Errorf("bound %v, %v: expected at most the optimum, %v", value, ok, w.best)
			}
			tight := w.tight == ""
			for _, part := range proof.Parts() {
				tight = tight || part.Method == w.tight && part.Value >= w.best*(1-1e-4)
				if len(w.objective) <= 1 && part.Value > w.best+1e-9 {
					t.Errorf("%s proves %v, the optimum is %v", part.Method, part.Value, w.best)
				}
			}
			if !tight {
				t.Errorf("expected %s to prove %v, found %v", w.tight, w.best, proof.Parts())
			}
		})
	}
}

// A job with a hard deadline may be left out however early it could end, and what waits for it with it. Nothing is known then of a mean
// over the jobs that are placed: with the short job it is 2.5, without it 4.
func TestJobsThatMayBeLeftOut(t *testing.T) {
	w := worked{name: "left out", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"mean_response": 1},
		jobs: []model.JobSpec{due(one("short", 1), 100, true), one("long", 4), one("waits", 1, "short"), due(one("late", 5), 4, true)}}
	proof := New(context.Background(), w.build(t))
	proof.Improve(context.Background(), 1_000_000)
	for j, want := range []Duty{MayLeave, MustPlace, MayLeave, MustLeave} {
		if found := proof.Duties()[j]; found != want {
			t.Errorf("job %s: expected duty %d, found %d", w.jobs[j].ID, want, found)
		}
	}
	if value, ok := proof.Bound().Value(); ok {
		t.Errorf("a bound of %v of the mean response, which depends on what is left out", value)
	}
}
