package ggone

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
)

// manyKnapsacks tries a property times·100 times, each on the knapsack of a random problem. The property prices the levels itself.
func manyKnapsacks(t *testing.T, times, tasks, machines int, property func(t *rapid.T, rng *rand.Rand, c *core)) {
	t.Helper()
	often.Check(t, times, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		property(t, rng, newCore(context.Background(), randomProblem(rng, tasks, machines), 0))
	})
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

// The edge that holds the last task is the one that sorting all edges by slope finds, up to edges of one slope.
func TestLastEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w narrowing
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			w.groups = append(w.groups, hullGroup{ranks: rapid.IntRange(1, 3).Draw(t, "ranks")})
		}
		all := 0
		for range rapid.IntRange(0, 30).Draw(t, "edges") {
			e := hullEdge{float64(rapid.IntRange(-4, 4).Draw(t, "slope")), rapid.IntRange(0, len(w.groups)-1).Draw(t, "group"), 0, rapid.IntRange(1, 5).Draw(t, "length")}
			all += e.length * w.groups[e.group].ranks
			w.edges = append(w.edges, e)
		}
		need := rapid.IntRange(0, all+2).Draw(t, "need")
		sorted := slices.Clone(w.edges)
		slices.SortFunc(sorted, func(a, b hullEdge) int { return cmp.Compare(a.slope, b.slope) })
		want, sum := math.NaN(), 0
		for _, e := range sorted {
			if sum += e.length * w.groups[e.group].ranks; sum >= need {
				want = e.slope
				break
			}
		}
		e, left := w.lastEdge(need)
		if e == nil {
			if !math.IsNaN(want) || left != need-all {
				t.Fatalf("found no edge and %d tasks left, expected the slope %v", left, want)
			}
			return
		}
		if e.slope != want || left < 0 || left > e.length*w.groups[e.group].ranks || left == 0 && need > 0 {
			t.Fatalf("found the slope %v with %d tasks on it, expected %v", e.slope, left, want)
		}
	})
}
