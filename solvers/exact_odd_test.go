package solvers_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// oddMetrics are those that exact and the enumeration know.
var oddMetrics = []string{"makespan", "idle_time", "over_deadline", "mcp", "mean_response", "mean_wait", "missed", "bounded_slowdown"}

// Jobs of no length, ties, fractions and other units, with precedence and licences and without: exact finds what the enumeration of all
// active schedules has, no bound is above it, and the checker accepts the schedule.
func TestExactAtTheOddPlaces(t *testing.T) {
	race.OneGoroutine(t)
	ctx := context.Background()
	proved, tight := map[string]int{}, map[string]int{}
	for seed := range race.Fewer(uint64(240), 20) {
		plain, unit := oddInstance(rand.New(rand.NewPCG(seed, 31)), 4, seed%2 == 1)
		best, ok := activeOptima(plain, oddMetrics)
		if !ok {
			continue
		}
		for _, metric := range oddMetrics {
			in, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			rounding := 1e-9 * (unit*100 + best[metric])
			if metric == "missed" || metric == "bounded_slowdown" {
				rounding = 1e-9 * (1 + best[metric])
			}
			proof := bound.New(ctx, in)
			proof.Improve(ctx, 1_000_000)
			for _, part := range proof.Parts() {
				if part.Value > best[metric]+rounding {
					t.Errorf("seed %d: %s proves %v of %s, the enumeration has %v", seed, part.Method, part.Value, metric, best[metric])
				}
			}
			if value, ok := proof.Bound().Value(); ok && value >= best[metric]-rounding {
				tight[metric]++
			}
			result, err := solve.Run(ctx, solve.Choice{Info: mustLookup(t, "exact"), Solver: &solvers.Exact{}}, in, solve.Options{Seed: 1, MaxEvals: 40_000})
			if err != nil {
				t.Errorf("seed %d, %s: %v", seed, metric, err)
				continue
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Errorf("seed %d, %s: %v", seed, metric, report.Violations[0])
			}
			if found := *result.Solution.Objective; math.Abs(found-best[metric]) > rounding {
				t.Errorf("seed %d: exact has %v of %s (%s), the enumeration %v", seed, found, metric, result.Status, best[metric])
			}
			if result.Status == model.Optimal {
				proved[metric]++
			}
		}
	}
	t.Logf("proved %v; bounds tight %v", proved, tight)
	if race.Enabled || testing.Short() {
		return
	}
	// A weak bound is easily valid: this many bounds are tight today, and exact proves them all.
	least := map[string]int{"makespan": 151, "mcp": 66, "mean_response": 127, "mean_wait": 131, "missed": 163, "over_deadline": 159}
	for _, metric := range oddMetrics {
		if proved[metric] < 164 || tight[metric] < least[metric] {
			t.Errorf("%s: %d proofs and %d tight bounds, expected 164 and %d", metric, proved[metric], tight[metric], least[metric])
		}
	}
}
