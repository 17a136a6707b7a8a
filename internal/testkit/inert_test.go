package testkit_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
)

// The checker says the same of a schedule before and after an addition, and finds the same objective.
func TestInertAdditionsChangeNothing(t *testing.T) {
	additions := testkit.Inert()
	if len(additions) < 28 {
		t.Errorf("%d additions, expected at least 28", len(additions))
	}
	applied, right, wrong := make([]int, len(additions)), make([]int, len(additions)), 0
	for seed := range race.Enough(2000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		in := modeltest.Mixed(rng)
		more, used := in, []int(nil)
		order := rng.Perm(len(additions)) // those first that were used least
		slices.SortStableFunc(order, func(a, b int) int { return applied[a]/20 - applied[b]/20 })
		for _, k := range order {
			if next := testkit.With(more, additions[k]); next != nil {
				if more, used = next, append(used, k); rng.IntN(2) == 0 {
					break
				}
			}
		}
		if len(used) == 0 {
			continue
		}
		spec := in.Spec()
		far, _ := testkit.Far(&spec)
		for range 2 {
			of := in
			if rng.IntN(2) == 0 {
				of = more
			}
			sol := modeltest.Schedule(rng, of)
			for k := range sol.Jobs {
				if sol.Jobs[k].End > far {
					t.Fatalf("seed %d: a schedule ends at %v, after %v", seed, sol.Jobs[k].End, far)
				}
			}
			before, after := model.Check(in, sol), model.Check(more, sol)
			names := ""
			for _, k := range used {
				names += additions[k].Name + "; "
				applied[k]++
				if before.OK() {
					right[k]++
				}
			}
			if before.OK() != after.OK() {
				t.Fatalf("seed %d, with %s before: %v\nafter: %v", seed, names, before.Violations, after.Violations)
			}
			if !before.OK() {
				wrong++
			}
			if a, b := before.Objective, after.Objective; !same(a, b, before.Rounding+after.Rounding) {
				t.Fatalf("seed %d, with %s objective %v becomes %v", seed, names, a, b)
			}
		}
	}
	for k, n := range applied {
		if min(n, right[k]) < race.Enough(9) {
			t.Errorf("%s: %d schedules, %d of them right", additions[k].Name, n, right[k])
		}
	}
	if wrong < race.Enough(300) {
		t.Errorf("%d wrong schedules", wrong)
	}
}

// same says whether two values are equal up to rounding.
func same(a, b, rounding float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b))+rounding
}
