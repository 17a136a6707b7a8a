package solvers_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// sequential are the features of instances whose jobs the model states.
const sequential = model.Arrivals | model.UnrelatedTimes | model.MixedMachines

// Whatever an instance asks for there is a correct schedule of every job that can run, within the limit of evaluations; and nothing is proved but where
// the model is that of the instance. The same holds in rolling use.
func TestGGOneTakesAnyInstance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 12, Wild: rapid.IntRange(0, 3).Draw(t, "wild") == 0}
		in := g.Instance(t)
		solver := solve.Default[solvers.GGOne]()
		if err := solver.Supports(in); err != nil {
			t.Fatal(err)
		}
		limit := rapid.SampledFrom([]int64{1, 30, 400, 2000}).Draw(t, "limit")
		raw, err := solver.Solve(t.Context(), in, solve.Options{MaxEvals: limit})
		if err != nil {
			t.Fatal(err)
		}
		info := solve.Info{Name: "ggone", AllocatesBy: "qos_penalty"}
		own := info.OtherObjective(in) == "" && in.Features()&^sequential == 0 && in.Queueing().Given
		if !own && (raw.Bound.Known() || raw.Status != model.Feasible || raw.Certificate != nil || raw.Evaluations > limit) {
			t.Fatalf("%s, bound %v, %d of %d evaluations", raw.Status, raw.Bound, raw.Evaluations, limit)
		}
		if raw.Status == model.Infeasible {
			return
		}
		if report := model.Check(in, raw.Solution); !report.OK() {
			t.Fatal(report.Violations[0])
		}
		for _, left := range raw.Solution.Unscheduled {
			j, _ := in.JobIndex(left.Job)
			if in.Runs(j) && !strings.Contains(left.Reason, "hard deadline") && !strings.Contains(left.Reason, "which is not placed") {
				t.Fatalf("leaves out %s: %s", left.Job, left.Reason)
			}
		}
		rolling, err := solve.NewRolling(solve.Choice{Info: info, Solver: solver}, 3, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := solve.Run(t.Context(), solve.Choice{Info: info, Solver: rolling}, in, solve.Options{Unbounded: true}); err != nil && !g.Wild {
			t.Fatal(err)
		}
	})
}

// anyInstance is one without a queueing view that minimises the makespan.
func anyInstance(t *testing.T, clusters []model.ClusterSpec, jobs ...model.JobSpec) *model.Instance {
	t.Helper()
	return solvecases.Built(t, model.NewBuilder("any").Cluster(clusters...).Job(jobs...))
}

// placed is where each job is.
func placed(t *testing.T, in *model.Instance, solver solve.Solver) map[string]model.Placement {
	t.Helper()
	result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "ggone"}, Solver: solver}, in, solve.Options{Unbounded: true})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]model.Placement{}
	for _, p := range result.Solution.Jobs {
		at[p.Job] = p
	}
	return at
}

// All processors of a machine serve its tasks: four equal jobs on one machine of four processors run at once.
func TestGGOneServesOnAllProcessors(t *testing.T) {
	var jobs []model.JobSpec
	for _, id := range []string{"a", "b", "c", "d"} {
		jobs = append(jobs, model.JobSpec{ID: id, Work: new(6.0)})
	}
	in := anyInstance(t, []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Speed: 2}}}}, jobs...)
	for id, p := range placed(t, in, solve.Default[solvers.GGOne]()) {
		if p.Start != 0 || p.End != 3 {
			t.Errorf("%s from %v to %v, expected 0 to 3", id, p.Start, p.End)
		}
	}
}

// Tasks are served first come, first served, where those that wait for others come when these have ended: b waits for a until 4, and c, which
// arrives at 2 on the same machine, goes first.
func TestGGOneServesInOrderOfReadiness(t *testing.T) {
	one := []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}}
	in := anyInstance(t, one, model.JobSpec{ID: "a", Work: new(4.0)}, model.JobSpec{ID: "b", Work: new(1.0), After: []string{"a"}}, model.JobSpec{ID: "c", Arrival: 2, Work: new(3.0)})
	at := placed(t, in, solve.Default[solvers.GGOne]())
	if at["a"].Start != 0 || at["c"].Start != 4 || at["b"].Start != 7 {
		t.Errorf("starts %v, %v, %v of a, b, c; expected 0, 7, 4", at["a"].Start, at["b"].Start, at["c"].Start)
	}
}

// A task whose machine would end it after its hard deadline goes where it ends first, and is left out where that is late too; what waits for it as well.
func TestGGOneHardDeadlines(t *testing.T) {
	in := anyInstance(t, []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}},
		model.JobSpec{ID: "a", Work: new(4.0)}, model.JobSpec{ID: "b", Work: new(4.0), Deadline: new(4.0), DeadlineHard: true},
		model.JobSpec{ID: "late", Work: new(4.0), Deadline: new(5.0), DeadlineHard: true}, model.JobSpec{ID: "after", Work: new(1.0), After: []string{"late"}})
	at := placed(t, in, solve.Default[solvers.GGOne]())
	if len(at) != 2 || at["a"].End != 4 || at["b"].End != 4 {
		t.Errorf("%v; expected a and b to end at 4 and the others to be left out", at)
	}
	// A budget of 0.1 keeps the task off the dear machine, which alone meets its deadline.
	in = anyInstance(t, []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "cheap"}, {ID: "dear", Speed: 10, Cost: 100}}}},
		model.JobSpec{ID: "a", Work: new(5.0), Deadline: new(1.0), DeadlineHard: true, Budget: new(0.1)})
	roomy := solverstest.With(solve.Default[solvers.GGOne](), func(x *solvers.GGOne) { x.Load = 0.05 })
	if at := placed(t, in, roomy); at["a"].End != 0.5 {
		t.Errorf("%v; expected a from 0 to 0.5 on the dear machine", at)
	}
}

// What a machine lacks keeps jobs off it: memory here, where the fast machine has too little.
func TestGGOneForbiddenMachines(t *testing.T) {
	in := anyInstance(t, []model.ClusterSpec{{ID: "fast", Machines: []model.MachineSpec{{ID: "m", Speed: 10, Memory: new(1.0)}}}, {ID: "slow", Machines: []model.MachineSpec{{ID: "m", Memory: new(8.0)}}}},
		model.JobSpec{ID: "big", Work: new(4.0), Memory: 8}, model.JobSpec{ID: "small", Work: new(4.0), Memory: 1}, model.JobSpec{ID: "none", Work: new(4.0), Memory: 9})
	at := placed(t, in, solve.Default[solvers.GGOne]())
	if len(at) != 2 || at["big"].Cluster != "slow" || at["small"].Cluster != "fast" {
		t.Errorf("%v; expected big on slow, small on fast, none left out", at)
	}
}

// Earlier rounds count: of a chain of two on two alike machines, the second goes where the first is not.
func TestGGOneRoundsCountEarlierOnes(t *testing.T) {
	in := anyInstance(t, []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}},
		model.JobSpec{ID: "a", Work: new(4.0)}, model.JobSpec{ID: "b", Work: new(4.0), After: []string{"a"}})
	at := placed(t, in, solve.Default[solvers.GGOne]())
	if at["a"].Processors.Min() == at["b"].Processors.Min() || at["b"].Start != 4 {
		t.Errorf("%v; expected two machines, and b from 4 on", at)
	}
}

// The allocation decides the clusters of parallel jobs, and of alike clusters none gets them all.
func TestGGOneParallelJobsShareClusters(t *testing.T) {
	var jobs []model.JobSpec
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		jobs = append(jobs, model.JobSpec{ID: id, Work: new(5.0), Processors: model.Rigid(2)})
	}
	in := anyInstance(t, []model.ClusterSpec{solvecases.Machines("x", 4, 1), solvecases.Machines("y", 4, 1)}, jobs...)
	count := map[string]int{}
	for _, p := range placed(t, in, solve.Default[solvers.GGOne]()) {
		count[p.Cluster]++
	}
	if count["x"] != 4 || count["y"] != 4 {
		t.Errorf("%v; expected 4 on each cluster", count)
	}
}

// The view of an instance without one, by hand.
func TestWithQueueing(t *testing.T) {
	in := anyInstance(t, []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3, Speed: 2}, {ID: "n"}}}},
		model.JobSpec{ID: "a", Work: new(6.0), WorkCV: 0.5}, model.JobSpec{ID: "b", Work: new(12.0)})
	view, err := model.Queues(in.WithQueueing(t.Context(), 0.5), nil)
	if err != nil {
		t.Fatal(err)
	}
	// Machine times are 1 and 2 on m, 6 and 12 on n; the means 1.5 and 9, the variances 0.25 + 0.5²/2 and 9 + 3²/2.
	for k, want := range []struct{ mu, variance float64 }{{1 / 1.5, 0.375}, {1 / 9.0, 13.5}} {
		m := &view.Machines[k]
		arrivals := 2*m.Kappa - want.variance
		q := in.WithQueueing(t.Context(), 0.5).Queueing()
		if math.Abs(m.ServiceRate-want.mu) > 1e-12 || math.Abs(arrivals-4/(q.Rate*q.Rate)) > 1e-9 {
			t.Errorf("machine %d: μ %v, variance of arrivals %v of rate %v; expected μ %v", k, m.ServiceRate, arrivals, q.Rate, want.mu)
		}
	}
	// λ = (2/3 + 1/9)/2 = 7/18, T = 2·18/7 = 5.14: room for ⌈3.43⌉ − 1 + ⌈0.57⌉ − 1 = 3 ≥ 2.
	if q := in.WithQueueing(t.Context(), 0.5).Queueing(); math.Abs(q.Rate-7.0/18) > 1e-12 || math.Abs(q.Period-36.0/7) > 1e-12 || in.Queueing().Given {
		t.Errorf("λ %v, T %v; expected 7/18 and 36/7", q.Rate, q.Period)
	}
	// One job on two machines of μ = 1: λ = 1, T = 1 leaves no room; T = 2 leaves room for one on each.
	in = anyInstance(t, []model.ClusterSpec{solvecases.Machines("c", 2, 1)}, model.JobSpec{ID: "a", Work: new(1.0)})
	if q := in.WithQueueing(t.Context(), 0.5).Queueing(); q.Period != 2 || q.Rate != 0.5 {
		t.Errorf("λ %v, T %v; expected 0.5 and 2", q.Rate, q.Period)
	}
}
