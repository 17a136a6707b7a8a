package solvers

import (
	"fmt"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// sized is an instance of jobs that arrive over time or wait at once, on one cluster or two.
func sized(t *testing.T, jobs, clusters int, gap float64, objective map[string]float64) *model.Instance {
	t.Helper()
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Objective: objective}
	for c := range clusters {
		spec.Clusters = append(spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	}
	for k := range jobs {
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint("j", k), Arrival: gap * float64(k), Work: new(float64(1 + k%7))})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A solver is tried where its work is small, whatever the number of jobs: the policies where jobs arrive, and conservative only where few of them wait. Where the work
// of all is large, the one of the least is tried.
func TestAutoCandidatesByWork(t *testing.T) {
	for _, c := range []struct {
		solver         string
		jobs, clusters int
		gap            float64
		want           bool
	}{
		{"exact", 12, 1, 0, true},
		{"exact", 13, 1, 0, false},
		{"conservative", 200, 1, 0, false},
		{"conservative", 2000, 1, 1, true},
		{"conservative", 5000, 1, 1, false},
		{"conservative", 1000, 2, 1, true},
		{"conservative", 30_000, 2, 4, true},
		{"easy", 30_000, 2, 4, true},
		{"easy", 30_000, 2, 0.1, false},
		{"easy", 30_000, 1, 0.1, true},
		{"maxmin", 5000, 1, 0, true},
		{"maxmin", 30_000, 1, 0, false},
		{"sufferage", 4000, 2, 0, true},
		{"sufferage", 4000, 1, 0, false}, // no job has a second choice
		{"sufferage", 30_000, 2, 0, false},
		{"minmin", 30_000, 1, 0, true},
	} {
		list := new(Auto).candidates(sized(t, c.jobs, c.clusters, c.gap, nil), solve.Options{})
		if got := slices.ContainsFunc(list, func(info solve.Info) bool { return info.Name == c.solver }); got != c.want {
			t.Errorf("%s with %d jobs every %g on %d clusters: tried %v", c.solver, c.jobs, c.gap, c.clusters, got)
		}
	}
	far := solve.Info{Name: "far", New: func() solve.Solver { return new(MCT) }, Work: func(*model.Instance, *solve.Size) float64 { return 1e15 }}
	farther := far
	farther.Name, farther.Work = "farther", func(*model.Instance, *solve.Size) float64 { return 2e15 }
	small := sized(t, 3, 1, 0, nil)
	if list := solve.Worth(small, solve.SizeOf(small), []solve.Info{farther, far}); len(list) != 1 || list[0].Name != "far" {
		t.Errorf("of two that take long: %v", list)
	}
}

// MUSCLE is tried unless its table would be too large for the jobs and processors.
func TestAutoLeavesOutMuscleForLargeTables(t *testing.T) {
	for _, c := range []struct {
		jobs, size, processors int
		want                   bool
	}{
		{3000, 40_000, 1 << 24, false},
		{3000, 40_000, 1 << 15, true},
		{3000, 10, 1 << 24, true},
		{7, 1 << 24, 1 << 24, true}, // 8 rows of 2²⁴ cells
		{8, 1 << 24, 1 << 24, false},
	} {
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: c.processors}}})
		for k := range c.jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(c.size), Work: new(1.0)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		list := new(Auto).candidates(in, solve.Options{})
		if got := slices.ContainsFunc(list, func(info solve.Info) bool { return info.Name == "muscle" }); got != c.want {
			t.Errorf("%d jobs of %d processors on %d: tried %v", c.jobs, c.size, c.processors, got)
		}
	}
}

// The name of search follows that of a quick solver only where search found a better schedule; and a run that its evaluations ended says so.
func TestAutoNamesWhoMadeTheSchedule(t *testing.T) {
	for _, c := range []struct {
		objective string
		weight    float64
		evals     int64
		want      string
	}{
		{"unfinished", -1, 500, "dll"}, // all schedules are alike, which nothing proves
		{"makespan", -1, 500, "dll+search"},
		{"makespan", 1, 1, "dll"}, // nothing is left for search
	} {
		in := sized(t, 14, 1, 0, map[string]float64{c.objective: c.weight})
		result, err := new(Auto).Solve(t.Context(), in, solve.Options{Seed: 1, MaxEvals: c.evals, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if result.Solver != c.want || result.Stop != model.StopEvaluations {
			t.Errorf("%g·%s: by %s, stopped by %s; expected %s, stopped by evaluations", c.weight, c.objective, result.Solver, result.Stop, c.want)
		}
	}
}

// A schedule that is proved optimal ends the run: no evaluation goes to search. The proof is either that of exact, or that the schedule meets the bound,
// which exact leaves to its caller to see.
func TestAutoEndsWithAnOptimum(t *testing.T) {
	for _, c := range []struct {
		objective string
		alone     model.Status // of exact
	}{{"mean_slowdown", model.Optimal}, {"makespan", model.Feasible}} {
		in, opt := sized(t, 8, 1, 0, map[string]float64{c.objective: 1}), solve.Options{Seed: 1, MaxEvals: 1_000_000, Workers: 1}
		alone, err := new(Exact).Solve(t.Context(), in, opt)
		if err != nil {
			t.Fatal(err)
		}
		quick := solve.NewStages(opt).Best(t.Context(), in, new(Auto).candidates(in, solve.Options{}))
		result, err := new(Auto).Solve(t.Context(), in, opt)
		if err != nil {
			t.Fatal(err)
		}
		if alone.Status != c.alone {
			t.Errorf("%s: exact alone says %s: the test proves nothing", c.objective, alone.Status)
		}
		if quick.Status != model.Optimal || result.Status != model.Optimal || result.Evaluations != quick.Evaluations {
			t.Errorf("%s: %s after %d evaluations; the quick solvers alone: %s after %d", c.objective, result.Status, result.Evaluations, quick.Status, quick.Evaluations)
		}
	}
}

// A solver that allocates by another objective is no candidate: ggone is tried for qos_penalty alone.
func TestAutoCandidatesByObjective(t *testing.T) {
	for metric, want := range map[string]bool{"makespan": false, "qos_penalty": true} {
		b := model.NewBuilder("two").Minimise(metric, 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
		b.Spec().Queueing = &model.QueueingSpec{Rate: 1}
		in, err := b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0), Processors: model.Rigid(2)}).Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(new(Auto).candidates(in, solve.Options{}), func(info solve.Info) bool { return info.Name == "ggone" }); got != want {
			t.Errorf("%s: ggone tried: %t", metric, got)
		}
	}
}
