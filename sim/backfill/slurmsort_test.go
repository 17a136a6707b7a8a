package backfill

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/sim"
)

// TestSlurmSorts compares Slurm's schedulers on a queue that is put in order as far as they look, in all orders, with the same on a queue that is always sorted to its end.
func TestSlurmSorts(t *testing.T) {
	for seed := range race.Fewer(uint64(240), 60) {
		rng := rand.New(rand.NewPCG(seed, 31))
		n, in := drawSlurm(t, rng, rng.IntN(2) == 0, false, 0)
		r := randomRanking(rng)
		r.Order = orders[rng.IntN(len(orders))]
		if r.CalcPeriod = 1 + float64(rng.IntN(50)); r.Order == bySlurm {
			r.WeightAge, r.WeightSize, r.WeightShare = math.Abs(r.WeightAge), math.Abs(r.WeightSize), math.Abs(r.WeightShare)
		}
		by := func(batch int) map[string]float64 {
			d := Slurm(n.step, n.Cycles, r)
			d.General = func(platform *sim.Platform, _ uint64) sim.Policy {
				p := newSlurm(platform, n.step, n.Cycles, newScorerOn(r, platform))
				p.batch = batch
				return p
			}
			sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{})
			if err != nil {
				t.Fatalf("seed %d, order %s, %d at a time: %v", seed, r.Order, batch, err)
			}
			starts := map[string]float64{}
			for _, p := range sol.Jobs {
				starts[p.Job] = p.Start
			}
			return starts
		}
		want := by(math.MaxInt)
		for _, batch := range []int{1, 3} {
			if got := by(batch); !maps.Equal(got, want) {
				t.Fatalf("seed %d, order %s, %d at a time: starts %v, with a queue sorted to its end %v", seed, r.Order, batch, got, want)
			}
		}
	}
}
