package queues_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/solvers/queues"
)

// With R2 given 0.1 of the rate the best costs 1.65, which is no optimum of the instance: where the rate is parked freely, 0.85.
func TestCommittedRatesProveNothingOfTheInstance(t *testing.T) {
	in := solverstest.Built(t, solverstest.WorkedQueues(t, 0.4))
	result := runGGOne(t, in, solverstest.With(queues.NewGGOne(), func(x *queues.GGOne) { x.Committed = "R2/m=0.1" }), solve.Options{})
	if result.Status == model.Optimal || result.Bound.Or(0) > 0.85*(1+1e-9) {
		t.Errorf("found %s, bound %v of %v", result.Status, result.Bound, *result.Solution.Objective)
	}
}
