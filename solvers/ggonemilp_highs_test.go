//go:build highs && cgo

package solvers_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// highsSolvers are the solvers on HiGHS.
func highsSolvers() map[string]solve.Solver {
	return map[string]solve.Solver{"level": solve.Default[solvers.GGOneMILP](), "chord": solverstest.With(solve.Default[solvers.GGOneMILP](), func(x *solvers.GGOneMILP) { x.Form = "chord" }), "hybrid": solve.Default[solvers.GGOneHybrid]()}
}

// runHighs runs a solver on HiGHS and checks its schedule.
func runHighs(t testing.TB, in *model.Instance, solver solve.Solver, opt solve.Options) solve.Result {
	t.Helper()
	result, err := solve.Run(context.Background(), solve.Choice{Info: solve.Info{Name: "highs"}, Solver: solver}, in, opt)
	if err != nil {
		t.Fatalf("%s: %v", in.Name(), err)
	}
	if result.Solution != nil {
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Fatalf("%s: %v", in.Name(), report.Violations[0])
		}
	}
	return result
}

func TestHighsWorkedInstance(t *testing.T) {
	in := solvecases.Built(t, workedQueues(t, 0.3))
	for name, solver := range highsSolvers() {
		result := runHighs(t, in, solver, solve.Options{})
		if result.Status != model.Optimal || math.Abs(*result.Solution.Objective-1.0/3) > 1e-12 || math.Abs(result.Bound.Or(0)-1.0/3) > 2e-6 {
			t.Errorf("%s: %s, %v, bound %v; expected 1/3", name, result.Status, *result.Solution.Objective, result.Bound)
		}
	}
}

// 200 random instances without an idle rate against all assignments, and 30 with an idle rate: their bound is valid, and their value no better
// than the optimum.
func TestHighsAgainstEnumeration(t *testing.T) {
	// HiGHS is not watched by the race detector; make race runs all of them without it too.
	for seed := range race.Fewer(uint64(200), 30) {
		in, machines := randomGGOne(t, seed, false)
		want := tabulated(t, in, machines)
		for name, solver := range highsSolvers() {
			result := runHighs(t, in, solver, solve.Options{})
			switch {
			case math.IsInf(want, 1):
				if result.Status != model.Infeasible || result.Reason == "" {
					t.Errorf("%s: %s: %s, expected infeasible", in.Name(), name, result.Status)
				}
			case result.Status != model.Optimal && want > 0.01: // below, the 1e-9 a task that HiGHS may be off by are too much to say it
				t.Errorf("%s: %s: %s, expected optimal", in.Name(), name, result.Status)
			case math.Abs(*result.Solution.Objective-want) > 1e-6*want+1e-12:
				t.Errorf("%s: %s: %v, %s; expected %v", in.Name(), name, *result.Solution.Objective, result.Status, want)
			case result.Bound.Or(0) > want*(1+1e-9) || result.Bound.Or(0) < want*(1-4e-6)-1e-8:
				t.Errorf("%s: %s: bound %v of the optimum %v", in.Name(), name, result.Bound, want)
			}
		}
	}
	for seed := range race.Fewer(uint64(30), 5) {
		in, machines := randomGGOne(t, seed, true)
		want := enumerated(t, in, machines)
		for name, solver := range highsSolvers() {
			result := runHighs(t, in, solver, solve.Options{})
			if math.IsInf(want, 1) {
				if result.Status != model.Infeasible {
					t.Errorf("%s: %s: %s, expected infeasible", in.Name(), name, result.Status)
				}
				continue
			}
			if result.Solution == nil || result.Bound.Or(math.Inf(1)) > want*(1+1e-6)+1e-12 || *result.Solution.Objective < want*(1-1e-6) {
				t.Errorf("%s: %s: %s, bound %v of the optimum %v", in.Name(), name, result.Status, result.Bound, want)
			}
		}
	}
}

// On every reference instance that both prove, and on one of 60 tasks, ggone, the level form and the hybrid agree.
func TestHighsAgreesWithGGOne(t *testing.T) {
	instances := []*model.Instance{solvecases.Built(t, solvecases.MediumQueues())}
	for name := range referenceGGOne(t) {
		switch name {
		case "ggone-J1000_b", "ggone-J0500_c":
			continue // measured in the benchmark
		case "ggone-J0200_b":
			if testing.Short() || race.Enabled {
				continue
			}
		}
		in, err := model.ReadInstanceFile(realdata.Path(t, "ggone", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		instances = append(instances, in)
	}
	for _, in := range instances {
		exact := runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{})
		for name, solver := range highsSolvers() {
			if name == "chord" {
				continue // hours
			}
			result := runHighs(t, in, solver, solve.Options{})
			difference := math.Abs(*result.Solution.Objective - *exact.Solution.Objective)
			if result.Status != model.Optimal || exact.Status != model.Optimal || difference > 1e-6**exact.Solution.Objective {
				t.Errorf("%s: %s: %v, %s; ggone %v, %s", in.Name(), name, *result.Solution.Objective, result.Status, *exact.Solution.Objective, exact.Status)
			}
		}
	}
}

// Limits of 0 that every allocation exceeds, weights, committed rates and a limit of nodes, as ggone has them.
func TestHighsOdd(t *testing.T) {
	late := workedQueues(t, 0.4)
	late.Job(model.JobSpec{ID: "late", Work: new(1.0), Arrival: 5, Deadline: new(3.0)})
	weighted := workedQueues(t, 0.3)
	weighted.Spec().Objective = map[string]float64{"qos_penalty": 3, "makespan": 0}
	free := workedQueues(t, 0.3)
	free.Spec().Clusters[1].Machines[0].Cost = 0
	free.Spec().Jobs[0].Budget = new(0.0)
	for name, solver := range highsSolvers() {
		if r := runHighs(t, solvecases.Built(t, late), solver, solve.Options{}); r.Solution == nil || r.Solution.Objective != nil || r.Status != model.Feasible {
			t.Errorf("%s: infinite: %s", name, r.Status)
		}
		if r := runHighs(t, solvecases.Built(t, weighted), solver, solve.Options{}); r.Status != model.Optimal || math.Abs(*r.Solution.Objective-1) > 1e-12 || math.Abs(r.Bound.Or(0)-1) > 3e-6 {
			t.Errorf("%s: weighted: %s, %v, bound %v", name, r.Status, *r.Solution.Objective, r.Bound)
		}
		in := solvecases.Built(t, free)
		if r, want := runHighs(t, in, solver, solve.Options{}), enumerated(t, in, 2); r.Status != model.Optimal || math.Abs(*r.Solution.Objective-want) > 1e-9 {
			t.Errorf("%s: budget of 0: %s, %v; expected %v", name, r.Status, *r.Solution.Objective, want)
		}
		in = solvecases.Built(t, solvecases.MediumQueues())
		optimum := *runGGOne(t, in, solve.Default[solvers.GGOne](), solve.Options{}).Solution.Objective
		for _, limit := range []int64{1, 10, 700} {
			if name == "chord" {
				continue // its root alone takes half a minute
			}
			r := runHighs(t, in, solver, solve.Options{MaxEvals: limit})
			if r.Solution == nil || *r.Solution.Objective < optimum*(1-1e-9) || r.Bound.Or(0) > optimum*(1+1e-9) {
				t.Errorf("%s: %d evaluations: %s, bound %v of %v", name, limit, r.Status, r.Bound, optimum)
			}
			if r.Status != model.Optimal && r.Stop != model.StopEvaluations {
				t.Errorf("%s: %d evaluations: %s, stopped by %s", name, limit, r.Status, r.Stop)
			}
		}
	}
}

// BenchmarkHighsCancellation measures how long a solver takes to return after its context ends while HiGHS runs: ms, the worst.
func BenchmarkHighsCancellation(b *testing.B) {
	for _, tasks := range []int{200, 500, 2000} {
		builder := model.NewBuilder("large").Minimise("qos_penalty", 1)
		builder.Spec().Queueing = &model.QueueingSpec{Rate: float64(tasks) / 100, Period: 100, CV: new(1.0)}
		for c := range 4 {
			builder.Cluster(solvecases.Machines(fmt.Sprint("c", c), 24, float64(tasks)/300*float64(c+1)))
		}
		for j := range tasks {
			builder.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + j*j%97)), Deadline: new(float64(3 + j%50))})
		}
		in := solvecases.Built(b, builder)
		for name, solver := range highsSolvers() {
			b.Run(fmt.Sprintf("solver=%s/tasks=%d", name, tasks), func(b *testing.B) {
				worst := 0.0
				for b.Loop() {
					for _, after := range []time.Duration{20, 200, 1000, 3000} {
						ctx, cancel := context.WithCancel(context.Background())
						at := make(chan time.Time, 1)
						timer := time.AfterFunc(after*time.Millisecond, func() { at <- time.Now(); cancel() })
						if _, err := solver.Solve(ctx, in, solve.Options{}); err != nil {
							b.Fatal(err)
						}
						end := time.Now()
						if ctx.Err() != nil {
							worst = max(worst, end.Sub(<-at).Seconds()*1e3)
						}
						timer.Stop()
						cancel()
					}
				}
				b.ReportMetric(worst, "ms-latency")
			})
		}
	}
}
