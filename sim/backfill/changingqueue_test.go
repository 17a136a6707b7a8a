package backfill

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/sim"
)

// randomRanking draws an order in which jobs overtake others.
func randomRanking(rng *rand.Rand) Ranking {
	pick := func(values ...float64) float64 { return values[rng.IntN(len(values))] }
	r := Ranking{Order: []string{byWFP3, byMultifactor, byWFP3, byMultifactor, byShortest, byLongest, bySmallest, byF1}[rng.IntN(8)]}
	if rng.IntN(2) == 0 || r.Order != byWFP3 && r.Order != byMultifactor {
		r.BoundWait = new(pick(0, 2, 15, 100))
	}
	r.Factors = Factors{
		WeightAge: pick(0, 1000, 1000, -1000), MaxAge: pick(3, 20, 1000), WeightSize: pick(0, 300, -300), FavourSmall: rng.IntN(2) == 0, WeightShare: pick(0, 0, 5000, -5000),
		HalfLife: pick(0, 7, 1e6), Damping: pick(1, 2.5), WeightClass: 1, MaxClass: 1,
	}
	return r
}

// randomDeep draws a workload of which many jobs wait at once: of few or of many sizes and estimates, with ties, or all at once.
func randomDeep(rng *rand.Rand, most int) (specs []sim.Spec, processors int32) {
	specs, processors = randomTrace(rng)
	if rng.IntN(3) > 0 {
		return specs, processors
	}
	n, between, fraction := 1+rng.IntN(most), rng.IntN(3), rng.Float64()
	specs = specs[:0]
	at := 1e9 * float64(rng.IntN(2))
	for range n {
		at += fraction * float64(rng.IntN(between+1))
		s := sim.Spec{Arrival: at, Processors: 1 + rng.Int32N(processors), Runtime: fraction * float64(rng.IntN(40))}
		if rng.IntN(4) > 0 {
			s.Processors = 1 + s.Processors/6
		}
		if s.Estimate = s.Runtime * float64(1+rng.IntN(3)); rng.IntN(2) == 0 {
			s.Estimate += rng.Float64()
		}
		specs = append(specs, s)
	}
	return specs, processors
}

// TestChangingOrders compares orders in which jobs overtake others, and bounds of the wait in all orders, with a queue that is sorted at each instant, start by start.
func TestChangingOrders(t *testing.T) {
	for seed := range race.Fewer(uint64(8000), 800) {
		rng := rand.New(rand.NewPCG(seed, 29))
		specs, processors := randomDeep(rng, 150)
		if seed%500 == 0 {
			specs, processors = randomDeep(rng, 1500)
		}
		for k := range specs {
			specs[k].User = rng.Int32N(4)
		}
		r, depth, kill := randomRanking(rng), []int{0, 1, 1, 2, 5, 1000}[rng.IntN(6)], rng.IntN(4) == 0
		scorer := newScorer(r, int(processors))
		want := replay(t, slices.Clone(specs), processors, onlyOnce(&sorted{step: 1, depth: depth, processors: int(processors), scorer: scorer}), kill)
		got := replay(t, slices.Clone(specs), processors, EASY(1, depth, r), kill)
		for k := range want {
			if want[k] != got[k] {
				t.Fatalf("seed %d, %+v, depth %d: job %d of %d starts at %v, with a sorted queue at %v\n%s", seed, r, depth, k, len(specs), got[k], want[k], shown(specs, processors))
			}
		}
	}
}
