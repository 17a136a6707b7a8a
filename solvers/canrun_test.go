package solvers_test

import (
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/solve"
)

// Every solver that supports an instance of one job places the job if the checker accepts any placement of it, and states no bound above the best one.
func TestSolversPlaceWhatCanRun(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(5, 32))
	placed, left := 0, 0
	for k := range race.Fewer(250, 60) {
		in := modeltest.Alone(rng)
		want := modeltest.AcceptedOf(in)
		for _, info := range solve.Solvers() {
			if info.Absent != "" || info.New().Supports(in) != nil {
				continue
			}
			result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 7, MaxEvals: 50, Strict: true})
			switch {
			case err != nil:
				t.Errorf("%d: %s: %v", k, info.Name, err)
			case result.Solution == nil:
				t.Errorf("%d: %s: no schedule", k, info.Name)
			case want.Any() != (len(result.Solution.Jobs) == 1):
				t.Errorf("%d: %s: places %d jobs, the checker accepts a placement: %v; left out: %v", k, info.Name, len(result.Solution.Jobs), want.Any(), result.Solution.Unscheduled)
			case want.Any():
				placed++
				if bound := result.Bound.Or(0); bound > want.Time*(1+1e-9) {
					t.Errorf("%d: %s: bound %v, a placement takes %v", k, info.Name, bound, want.Time)
				}
			default:
				left++
			}
		}
	}
	if placed < race.Enough(1000) || left < race.Enough(1000) {
		t.Errorf("too few of a kind: %d placed, %d left out", placed, left)
	}
}
