package bound

import (
	"context"
	"math"
	"slices"
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
	b.Spec().Workflows = []model.WorkflowSpec{{ID: "w", Deadline: new(20.0), Budget: new(11.0)}}
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

// remembering is the job, each task of which takes that much memory.
func remembering(j model.JobSpec, memory float64) model.JobSpec {
	j.Memory = memory
	return j
}

// roomy is a cluster of one machine with the given numbers of processors and memory.
func roomy(id string, processors int, memory float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Processors: processors, Memory: new(memory)}}}
}

// charged is the job with a budget, as part of the workflow w.
func charged(j model.JobSpec, budget float64) model.JobSpec {
	j.Budget, j.Workflow = new(budget), "w"
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
	{name: "four jobs that each need all memory", clusters: []model.ClusterSpec{roomy("c", 32, 128)}, jobs: []model.JobSpec{
		remembering(model.JobSpec{ID: "a", Work: new(10.0), Processors: model.Rigid(8)}, 16), remembering(model.JobSpec{ID: "b", Work: new(10.0), Processors: model.Rigid(8)}, 16),
		remembering(model.JobSpec{ID: "d", Work: new(10.0), Processors: model.Rigid(8)}, 16), remembering(model.JobSpec{ID: "e", Work: new(10.0), Processors: model.Rigid(8)}, 16)},
		best: 40, tight: "area-dual"},
	{name: "the same by windows", clusters: []model.ClusterSpec{roomy("c", 4, 3)}, jobs: []model.JobSpec{remembering(one("a", 2), 3), remembering(one("b", 3), 3), remembering(one("d", 4), 3)},
		best: 9, tight: "destructive"},
	// Cluster c has processors for ten jobs and memory for one, d the other way round: only prices of both see that two jobs run at a time.
	{name: "each cluster lacks something else", clusters: []model.ClusterSpec{roomy("c", 10, 1), roomy("d", 1, 10)},
		jobs: []model.JobSpec{remembering(one("a", 3), 1), remembering(one("b", 3), 1), remembering(one("d", 3), 1), remembering(one("e", 3), 1)}, best: 6, tight: "area-dual"},
	{name: "memory of one cluster, none limited on the other", clusters: []model.ClusterSpec{roomy("c", 4, 1), of("d", 1)},
		jobs: []model.JobSpec{remembering(one("a", 3), 1), remembering(one("b", 3), 1), remembering(one("d", 3), 1)}, best: 6, tight: "area-dual"},
	{name: "a whole machine holds the memory of a task once", clusters: []model.ClusterSpec{{ID: "c", Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Memory: new(4.0)}}}},
		jobs: []model.JobSpec{remembering(one("a", 8), 4), remembering(one("b", 8), 4)}, best: 4, tight: "area-dual"},
	// Between 4 and T − 3 the three jobs hold all memory one after another; there are processors for all.
	{name: "heads and tails around memory", clusters: []model.ClusterSpec{roomy("c", 10, 2)}, jobs: []model.JobSpec{
		remembering(arriving(one("a1", 2), 4), 2), remembering(arriving(one("a2", 2), 4), 2), remembering(arriving(one("a3", 2), 4), 2),
		one("b1", 3, "a1"), one("b2", 3, "a2"), one("b3", 3, "a3"), one("early", 1)}, best: 13, tight: "energetic"},
	{name: "the same by thresholds", clusters: []model.ClusterSpec{roomy("c", 10, 2)}, jobs: []model.JobSpec{
		remembering(arriving(one("a1", 2), 4), 2), remembering(arriving(one("a2", 2), 4), 2), one("b1", 3, "a1"), one("b2", 3, "a2"), one("early", 1)}, best: 11, tight: "head-tail"},
	{name: "what no schedule places", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"unfinished": 1}, jobs: []model.JobSpec{
		due(one("late", 5), 4, true), one("waits", 1, "late"), {ID: "wide", Work: new(1.0), Processors: model.Rigid(3)}, due(one("just", 4), 4, true), one("free", 1)}, best: 3, tight: "each-alone"},
	{name: "left out is missed", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"missed": 1}, jobs: []model.JobSpec{
		due(one("late", 5), 4, true), due(one("waits", 1, "late"), 90, false), due(one("perhaps", 1), 2, true), due(one("behind", 2, "perhaps"), 2.5, false)}, best: 3, tight: "each-alone"},
	{name: "a share of the jobs with a deadline", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"miss_rate": 1}, jobs: []model.JobSpec{
		due(one("late", 5), 4, false), due(one("early", 1), 4, false), one("free", 9)}, best: 50, tight: "each-alone"},
	{name: "the cheaper cluster", clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Cost: 3}}}, {ID: "d", Machines: []model.MachineSpec{{ID: "slow", Cost: 1}, {ID: "fast", Speed: 4, Cost: 2}}}},
		objective: map[string]float64{"cost": 1}, jobs: []model.JobSpec{one("a", 8), one("b", 4)}, best: 6, tight: "each-alone"},
	{name: "a budget that is just kept", clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Cost: 2}}}}, objective: map[string]float64{"over_budget": 1},
		jobs: []model.JobSpec{charged(one("a", 3), 6), charged(one("b", 3), 5.9)}, best: 1, tight: "each-alone"},
	{name: "a workflow that is too dear in all", clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Cost: 2}}}}, objective: map[string]float64{"workflow_failures": 1},
		jobs: []model.JobSpec{charged(one("a", 3), 6), charged(due(one("b", 3), 9, true), 6)}, best: 1, tight: "each-alone"},
	{name: "a workflow that is late by its chain", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"workflow_failures": 1},
		jobs: []model.JobSpec{one("a", 30), charged(one("b", 2, "a"), 9)}, best: 1, tight: "each-alone"},
	{name: "a workflow in time and within its budget", clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Cost: 1}}}}, objective: map[string]float64{"workflow_failures": 1},
		jobs: []model.JobSpec{charged(one("a", 5), 6), charged(one("b", 5), 6)}, best: 0},
	{name: "slowdowns of 1", clusters: []model.ClusterSpec{of("c", 1)}, objective: map[string]float64{"mean_slowdown": 2, "bounded_slowdown": 1, "slowdown_without_deadline": 1},
		jobs: []model.JobSpec{one("a", 3)}, best: 4},
	{name: "no slowdown of what takes no time", clusters: []model.ClusterSpec{of("c", 1)}, objective: map[string]float64{"mean_slowdown": 1}, jobs: []model.JobSpec{one("a", 0)}, best: 0},
	{name: "a mean over what has to be placed by hard deadlines", clusters: []model.ClusterSpec{of("c", 3)}, objective: map[string]float64{"mean_response": 1},
		jobs: []model.JobSpec{one("a", 8), due(one("b", 2), 3, true), due(one("d", 6), 7, true)}, best: 16.0 / 3, tight: "each-alone"},
	{name: "a mean that gains by what may be placed", clusters: []model.ClusterSpec{of("c", 3)}, objective: map[string]float64{"mean_response": 1, "data_moved": 1e-9},
		jobs: []model.JobSpec{one("a", 8), due(one("b", 2), 3, true), due(one("d", 6), 7, true)}, best: 5, tight: "each-alone"},
	{name: "few finished jobs", clusters: []model.ClusterSpec{of("c", 1)}, objective: map[string]float64{"finished": -1, "makespan": 1}, jobs: []model.JobSpec{one("a", 3), due(one("b", 1), 3, true)}, best: 4},
	{name: "only what can be placed is at most finished", clusters: []model.ClusterSpec{of("c", 2)}, objective: map[string]float64{"finished": 2, "data_moved": 1, "work_done": 1}, jobs: []model.JobSpec{
		one("a", 3), {ID: "b", Work: new(9.0), Input: 5, Deadline: new(4.0), DeadlineHard: true}, {ID: "d", Work: new(1.0), Input: 2}}, best: -4 - 2 - 4},
	{name: "the performance of a late job", clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}, Weights: &model.WeightsSpec{OverDeadline: new(1.0), Makespan: new(2.0), IdleTime: new(1.0)}}},
		objective: map[string]float64{"mcp": 1}, jobs: []model.JobSpec{due(one("a", 6), 2, false)}, best: 4, tight: "each-alone"},
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
			if rounding := 1e-9 * math.Abs(w.best); !ok || value > w.best+rounding || len(w.objective) > 1 && value < w.best-rounding {
				t.Errorf("bound %v, %v: expected at most the optimum, %v, and of a sum just that", value, ok, w.best)
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

// A job with a hard deadline may be left out where the objective counts what is left out, unless one that is owed waits for it. A mean is the least over what may be
// placed: with the short job it is (4 + 1)/2, without it 4. Elsewhere all are owed but one that is late in any case.
func TestJobsThatMayBeLeftOut(t *testing.T) {
	const place, may, never = MustPlace, MayLeave, MustLeave
	for _, c := range []struct {
		objective map[string]float64
		duties    []Duty
		owed      int
		best      float64
	}{
		{map[string]float64{"mean_response": 1, "missed": 0}, []Duty{place, place, place, never, place, never}, 2, (1 + 4 + 2 + 1) / 4.0},
		{map[string]float64{"mean_response": 1, "finished": -1e-12}, []Duty{place, place, place, never, may, never}, 1, (1 + 4 + 2 + 1) / 4.0},
		{map[string]float64{"mean_response": 1, "unfinished": -1e-12}, []Duty{place, place, place, never, may, never}, 1, (1 + 4 + 2 + 1) / 4.0},
	} {
		w := worked{name: "left out", clusters: []model.ClusterSpec{of("c", 9)}, objective: c.objective,
			jobs: []model.JobSpec{due(one("short", 1), 100, true), one("long", 4), one("waits", 1, "short"), due(one("late", 5), 4, true), due(one("may", 1), 100, true), one("behind", 1, "late")}}
		proof := New(context.Background(), w.build(t))
		if proof.Bound().Known() {
			t.Error("a bound before any work")
		}
		proof.Improve(context.Background(), 1_000_000)
		if !slices.Equal(proof.Duties(), c.duties) || proof.Owed() != c.owed {
			t.Errorf("%v: duties %v and %d owed, expected %v and %d", c.objective, proof.Duties(), proof.Owed(), c.duties, c.owed)
		}
		if value, ok := proof.Bound().Value(); ok && math.Abs(value-c.best) > 1e-9 {
			t.Errorf("%v: a bound of %v, expected %v", c.objective, value, c.best)
		}
	}
}

// A metric without a method counts as 0. One to be high has to have a largest value.
func TestEveryMetricHasABound(t *testing.T) {
	for _, c := range []struct {
		objective map[string]float64
		want      float64 // NaN: no bound
	}{
		{map[string]float64{"idle_time": 1}, 0}, {map[string]float64{"balance": 3, "makespan": 2}, 8}, {map[string]float64{"utilisation": 1}, -100},
		{map[string]float64{"utilisation": -1, "processor_usage": 0.5}, -50}, {map[string]float64{"makespan": -1}, math.NaN()},
		{map[string]float64{"makespan": 1, "idle_time": -1e-9}, math.NaN()},
	} {
		w := worked{clusters: []model.ClusterSpec{of("c", 2)}, objective: c.objective, jobs: []model.JobSpec{one("a", 4), one("b", 1)}}
		proof := New(context.Background(), w.build(t))
		proof.Improve(context.Background(), 1_000_000)
		if value, ok := proof.Bound().Value(); ok == math.IsNaN(c.want) || ok && math.Abs(value-c.want) > 1e-9 {
			t.Errorf("%v: bound %v (%v), expected %v", c.objective, value, ok, c.want)
		}
	}
}
