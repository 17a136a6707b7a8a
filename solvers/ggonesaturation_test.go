package solvers_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// nearlySaturated is an instance of few tasks on two machines, some of which serve hardly more than a whole number of tasks in the period.
func nearlySaturated(t testing.TB, rng *rand.Rand, idle bool) *model.Instance {
	t.Helper()
	jobs, period := 2+rng.IntN(4), []float64{10, 7, 3, rng.Float64() + 0.5}[rng.IntN(4)]
	b := model.NewBuilder("saturated").Minimise("qos_penalty", 1)
	var machines []model.MachineSpec
	all := 0.0
	for k, n := 0, 1+rng.IntN(jobs); k < 2; k, n = k+1, max(1, jobs-n) {
		rate := float64(n) / period * (1 + math.Pow(10, -1-12*rng.Float64()))
		all += rate
		machines = append(machines, model.MachineSpec{ID: fmt.Sprint("m", k), Speed: 1 + float64(k), Cost: 0.1,
			Queue: &model.QueueSpec{ServiceRate: rate, ArrivalVariance: new(rng.Float64()), ServiceVariance: new(1.0)}})
	}
	rate := float64(jobs) / period
	if idle {
		rate += (all - rate) * (1 - math.Pow(10, -3*rng.Float64()))
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: period}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: machines})
	for j := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(rng.Float64()), Deadline: new(math.Pow(10, 6*rng.Float64())), Budget: new(0.01 + rng.Float64())})
	}
	return solvecases.Built(t, b)
}

// Near saturation every optimum is that of the enumeration, every certificate is verified, and no bound is above the optimum.
func TestGGOneNearSaturation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 32))
	optimal, certified, unproved := 0, 0, 0
	for k := range race.Fewer(300, 60) {
		idle := k%3 == 2
		in := nearlySaturated(t, rng, idle)
		if _, err := solve.Default[solvers.GGOneMILP]().MILP(t.Context(), in); errors.Is(err, solve.ErrUnsupported) { // too near to tell what is stable: nothing is proved
			unproved++
			raw, err := solve.Default[solvers.GGOne]().Solve(t.Context(), in, solve.Options{MaxEvals: 5000})
			if err != nil || raw.Bound.Known() || raw.Status != model.Feasible {
				t.Errorf("%d: %s, bound %v, %v; expected a schedule without a bound", k, raw.Status, raw.Bound, err)
			}
		}
		result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "ggone"}, Solver: solve.Default[solvers.GGOne]()}, in, solve.Options{MaxEvals: 5000, Certify: true, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if result.Solution == nil {
			continue // infeasible
		}
		want := enumerated(t, in, 2)
		value, tolerance := result.Bound.Or(0), 1e-9*want
		if value > want+tolerance {
			t.Errorf("%d: bound %v, an allocation costs %v", k, value, want)
		}
		if idle {
			tolerance = 1e-6 * want // that of the solver
		}
		if result.Status == model.Optimal {
			if optimal++; *result.Solution.Objective > want+tolerance {
				t.Errorf("%d: optimal at %v, an allocation costs %v", k, *result.Solution.Objective, want)
			}
		}
		if c := result.Certificate; c != nil && c.Bound.Known() {
			if out := proof.CheckSolution(t.Context(), in, c, result.Solution); out.Verdict == proof.Refuted || !idle && out.Verdict != proof.Verified {
				t.Errorf("%d: bound %v: %s: %s: %s", k, value, out.Verdict, out.Step, out.Reason)
			} else if out.Verdict == proof.Verified {
				certified++
			}
		}
	}
	t.Logf("%d optimal, %d certificates, %d unproved", optimal, certified, unproved)
	if optimal < race.Enough(100) || certified < race.Enough(100) || unproved < race.Enough(5) {
		t.Errorf("too few of a kind: %d optimal, %d certificates, %d unproved", optimal, certified, unproved)
	}
}
