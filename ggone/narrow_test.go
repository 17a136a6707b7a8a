package ggone

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// manyKnapsacks tries a property times·100 times, each on the knapsack of a random problem. The property prices the levels itself.
func manyKnapsacks(t *testing.T, times, tasks, machines int, property func(t *rapid.T, rng *rand.Rand, c *core)) {
	t.Helper()
	for range times {
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
			property(t, rng, newCore(context.Background(), randomProblem(rng, tasks, machines), 0))
		})
		if t.Failed() {
			return
		}
	}
}

// randomBox draws a box inside the root's.
func randomBox(rng *rand.Rand, c *core) box {
	b := c.root()
	for r := range b.low {
		b.high[r] -= rng.IntN(b.high[r] + 1)
		b.low[r] = rng.IntN(b.high[r] + 1)
	}
	return b
}

// The loads that are ruled out beforehand are in no least sum: the same value and the same loads come out without them, whether costs
// are about convex, as they are in the search, or anything, +Inf among them.
func TestLeastIsTheWholeKnapsack(t *testing.T) {
	tried, narrower := 0, 0
	manyKnapsacks(t, 10, 40, 12, func(t *rapid.T, rng *rand.Rand, c *core) {
		s := newKnapsack(context.Background(), c)
		noise, size := []float64{0, 0.01, 1, 100}[rng.IntN(4)], math.Pow(10, float64(rng.IntN(13)-6))
		for k := range c.classes {
			best, whole := 8*rng.Float64(), rng.IntN(2) == 0
			for n := range c.classes[k].levels {
				g := &c.classes[k].levels[n].g
				*g = (float64(n)-best)*(float64(n)-best) + noise*rng.NormFloat64() - 20*rng.Float64()*noise
				if *g *= size; whole {
					*g = math.Round(*g)
				}
				if rng.IntN(12) == 0 {
					*g = math.Inf(1)
				}
			}
		}
		b := randomBox(rng, c)
		for r := range b.low {
			if rng.IntN(3) > 0 {
				b.low[r], b.high[r] = 0, len(c.classes[c.class[r]].levels)-1
			}
		}
		c.order(b)
		want := s.solve(b)
		loads := slices.Clone(s.loads)
		clear(s.loads)
		got := s.least(b)
		if got != want || !math.IsInf(want, 1) && !slices.Equal(s.loads, loads) {
			t.Fatalf("%v with %v; of all loads %v with %v", got, s.loads, want, loads)
		}
		if tried++; !slices.Equal(s.narrow(b).high, b.high) || !slices.Equal(s.narrow(b).low, b.low) {
			narrower++
		}
	})
	if narrower*8 < tried {
		t.Errorf("%d of %d boxes got narrower: the test proves little", narrower, tried)
	}
}
