package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Where few starts are looked at the bound is no higher, it stays below the best schedule, and the checker of proofs comes to the same.
func TestFewLooksAtStarts(t *testing.T) {
	lower, checked, enumerated := 0, 0, 0
	for seed := range race.Fewer(uint64(600), 80) {
		plain, unit := modeltest.TinyPower(rand.New(rand.NewPCG(seed, 77)))
		in, err := plain.WithObjective(map[string]float64{"energy_cost": 1})
		if err != nil {
			t.Fatal(err)
		}
		base := NewCertified(t.Context(), in)
		base.Improve(t.Context(), 1)
		c := base.Certificate()
		input := newRelaxation(t.Context(), in).powerInput(t.Context(), powerWeights{cost: 1})
		if input == nil || c == nil || len(c.Parts) != 1 {
			continue
		}
		problem := powered.New(input)
		if problem == nil {
			continue
		}
		x, slope := make([]float64, problem.Size), make([]float64, problem.Size)
		if seed%2 == 0 || !problem.Cleared(x) {
			problem.First(int(seed)%powered.Starts(), x)
		}
		all, ok := problem.Evaluate(t.Context(), x, slope)
		if !ok {
			continue
		}
		rank, known := modeltest.LeastPower(in, unit, 1_500)
		best := rank.Objective
		known = known && rank.Left == base.Owed()
		for looks := 1; looks <= 3; looks++ {
			problem.Looks = looks
			sum, ok := problem.Evaluate(t.Context(), x, slope)
			if !ok {
				t.Fatalf("seed %d: looks %d: nothing proved", seed, looks)
			}
			if sum.Value > all.Value+sum.Margin()+all.Margin() {
				t.Errorf("seed %d: with %d looks %v, with all %v", seed, looks, sum.Value, all.Value)
			}
			if sum.Value < all.Value-sum.Margin()-all.Margin() {
				lower++
			}
			value, _ := sum.Low()
			if known {
				enumerated++
				if value > best+1e-9*math.Abs(best)+1e-9 {
					t.Errorf("seed %d: with %d looks %v, and a schedule has %v: %+v", seed, looks, value, best, in.Spec())
				}
			}
			claim := *c
			claim.Bound, claim.Stated, claim.NotCertified = model.ProvedBound(value), model.Bound{}, ""
			claim.Parts = []proof.Part{{Metric: "energy_cost", Bound: value, By: pricedPower{}.argument(nil, problem, x)}}
			if r := proof.Check(t.Context(), in, &claim); r.Verdict != proof.Verified {
				t.Errorf("seed %d: with %d looks %v: %+v", seed, looks, value, r)
			}
			checked++
			if !known {
				continue
			}
			claim.Parts[0].Bound = best + 1e-6*math.Abs(best) + 1e-9
			claim.Bound = model.ProvedBound(claim.Parts[0].Bound)
			if r := proof.Check(t.Context(), in, &claim); r.Verdict == proof.Verified {
				t.Errorf("seed %d: with %d looks %v is verified, and a schedule has %v", seed, looks, claim.Parts[0].Bound, best)
			}
		}
	}
	t.Logf("%d lower, %d checked, %d enumerated", lower, checked, enumerated)
	if lower < race.Fewer(2, 1) || checked < 50 || enumerated < 20 {
		t.Errorf("%d values lower than with all starts, %d checked, %d beside all schedules: expected more", lower, checked, enumerated)
	}
}
