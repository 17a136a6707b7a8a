package solvers_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

func TestExactAgreesWithFullEnumeration(t *testing.T) {
	race.OneGoroutine(t)
	objectives := []map[string]float64{
		{"makespan": 1}, {"mcp": 1}, {"mean_response": 1}, {"over_deadline": 1}, {"idle_time": 1}, {"missed": 1},
		{"makespan": 2, "mean_wait": 1, "missed": 3}, {"mcp": 1, "makespan": 0.5},
	}
	seeds := race.Fewer(uint64(60), 10)
	for seed := range seeds {
		for k, objective := range objectives {
			in, err := solvecases.Built(t, solvecases.Tiny(seed, "makespan")).WithObjective(objective)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), solve.Choice{Info: mustLookup(t, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1, Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			provedOptimal(t, in, &result)
			best := solvecases.BruteForce(t, in)
			if found := *result.Solution.Objective; math.Abs(found-best) > 1e-9*(1+math.Abs(best)) {
				t.Errorf("seed %d, objective %d: %v, the enumeration has %v", seed, k, found, best)
			}
			if unplaced := len(result.Solution.Unscheduled) > 0; result.Status != model.Optimal && !unplaced {
				t.Errorf("seed %d, objective %d: %s, expected a proof", seed, k, result.Status)
			}
		}
	}
}

// provedOptimal checks that the certificate of a result is verified, and proves the optimum that it states.
func provedOptimal(t testing.TB, in *model.Instance, result *solve.Result) {
	t.Helper()
	if result.Status != model.Optimal {
		return
	}
	out := proof.CheckSolution(t.Context(), in, result.Certificate, result.Solution)
	if out.Verdict != proof.Verified || !out.Optimal {
		t.Errorf("%v: %s (%s %s), optimal %v %s", in.StatedObjective(), out.Verdict, out.Step, out.Reason, out.Optimal, out.Why)
	}
}

// waitingInstance has up to 5 jobs on up to 3 clusters; some wait for others, or share a few copies of two licences.
func waitingInstance(t testing.TB, seed uint64) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 4))
	b := model.NewBuilder("waiting")
	for c := range 1 + rng.IntN(3) {
		cluster := solvecases.Machines(fmt.Sprint("c", c), 1+rng.IntN(4), float64(1+rng.IntN(3)))
		if rng.IntN(4) == 0 {
			cluster.Licences = map[string]int{"l": 1 + rng.IntN(2)}
		}
		b.Cluster(cluster)
	}
	b.Spec().Licences = map[string]int{"l": 2, "m": 1}
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(1.0)}
	for j := range 1 + rng.IntN(5) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(1 + rng.IntN(12)))}
		if rng.IntN(2) == 0 {
			job.Deadline = new(float64(rng.IntN(20)))
		}
		if rng.IntN(4) == 0 {
			job.Arrival = float64(rng.IntN(6))
		}
		if j > 0 && rng.IntN(2) == 0 && seed%3 != 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		if rng.IntN(2) == 0 && seed%3 != 1 {
			job.Licences = map[string]int{[]string{"l", "m"}[rng.IntN(2)]: 1}
		}
		b.Job(job)
	}
	return solvecases.Built(t, b)
}

func TestExactWithPrecedenceAndLicencesAgreesWithFullEnumeration(t *testing.T) {
	race.OneGoroutine(t)
	seeds, tried := race.Fewer(uint64(60), 4), 0
	for seed := range seeds {
		for _, objective := range []map[string]float64{
			{"makespan": 1}, {"mcp": 1}, {"mean_response": 1}, {"idle_time": 1}, {"mcp": 1, "makespan": 0.5, "over_deadline": 1},
		} {
			in, err := waitingInstance(t, seed).WithObjective(objective)
			if err != nil {
				t.Fatal(err)
			}
			if err := (&solvers.Exact{}).Supports(in); err != nil { // a job that runs nowhere, with others that wait
				continue
			}
			result, err := solve.Run(context.Background(), solve.Choice{Info: mustLookup(t, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1, Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			provedOptimal(t, in, &result)
			tried++
			if found, best := *result.Solution.Objective, solvecases.BruteForce(t, in); math.Abs(found-best) > 1e-9*(1+math.Abs(best)) {
				t.Errorf("seed %d, %v: %v, the enumeration has %v", seed, objective, found, best)
			}
			if unplaced := len(result.Solution.Unscheduled) > 0; result.Status != model.Optimal && !unplaced {
				t.Errorf("seed %d, %v: %s, expected a proof", seed, objective, result.Status)
			}
		}
	}
	if tried < int(seeds)*3 {
		t.Errorf("%d instances of %d seeds", tried, seeds)
	}
}

// mustLookup is a solver by name.
func mustLookup(t testing.TB, name string) solve.Info {
	t.Helper()
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// smallBatch has the given number of jobs on two clusters of 8 and 6 processors, with deadlines.
func smallBatch(t testing.TB, seed uint64, jobs int, objective string) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := model.NewBuilder("batch").Minimise(objective, 1).Cluster(solvecases.Machines("c0", 8, 1), solvecases.Machines("c1", 6, 1.4))
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(1.0)}
	for j := range jobs {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(5)), Work: new(5 + 40*rng.Float64()), Deadline: new(10 + 60*rng.Float64())})
	}
	return solvecases.Built(t, b)
}

func TestExactProvesBatchesOfTwelve(t *testing.T) {
	race.OneGoroutine(t)
	for _, objective := range []string{"makespan", "mcp", "mean_response", "over_deadline"} {
		began := time.Now()
		in := smallBatch(t, 1, 12, objective)
		result, err := solve.Run(context.Background(), solve.Choice{Info: mustLookup(t, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if result.Status != model.Optimal {
			t.Errorf("%s: %s", objective, result.Status)
		}
		t.Logf("%s: %v, %d evaluations in %s", objective, *result.Solution.Objective, result.Evaluations, time.Since(began).Round(time.Millisecond))
	}
}

func TestExactStoppedHasAValidGap(t *testing.T) {
	in := smallBatch(t, 2, 16, "mcp")
	result, err := solve.Run(context.Background(), solve.Choice{Info: mustLookup(t, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1, MaxEvals: 50_000})
	if err != nil {
		t.Fatal(err)
	}
	if result.Bound.Or(math.Inf(1)) > *result.Solution.Objective || result.Status != model.Feasible || result.Stop != model.StopEvaluations {
		t.Errorf("%s (%s), bound %v of %v", result.Status, result.Stop, result.Bound, *result.Solution.Objective)
	}
}
