//go:build highs && cgo

package solvers_test

import (
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Near saturation the solvers on HiGHS state no bound above the optimum, and no optimum that is worse by more than their tolerance.
func TestHighsNearSaturation(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 32))
	optimal := 0
	for k := range race.Fewer(60, 20) {
		in := nearlySaturated(t, rng, k%3 == 2)
		for name, solver := range highsSolvers() {
			if solver.Supports(in) != nil {
				continue
			}
			result := runHighs(t, in, solver, solve.Options{})
			if result.Solution == nil {
				continue
			}
			want := enumerated(t, in, 2)
			if value := result.Bound.Or(0); value > want*(1+1e-9) {
				t.Errorf("%d, %s: bound %v, an allocation costs %v", k, name, value, want)
			}
			if result.Status == model.Optimal {
				if optimal++; *result.Solution.Objective > want*(1+1e-6) {
					t.Errorf("%d, %s: optimal at %v, an allocation costs %v", k, name, *result.Solution.Objective, want)
				}
			}
		}
	}
	if optimal < 20 {
		t.Errorf("%d optimal: the test proves little", optimal)
	}
}
