package ggone

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
)

// The few loads of a node are all of those, falling inside the classes, whose bound is below the limit.
func TestFewLoadsAgainstEnumeration(t *testing.T) {
	listed, refused := 0, 0
	manyKnapsacks(t, 50, 7, 4, func(t *rapid.T, rng *rand.Rand, c *core) {
		s := newSearch(context.Background(), c, Options{Tolerance: 1e-9})
		n := &node{box: randomBox(rng, c), u: make([]float64, c.tasks)}
		c.order(n.box)
		for k := range c.classes {
			for load := range c.classes[k].levels {
				c.classes[k].levels[load].g = rng.Float64()
			}
		}
		for y := range n.u {
			n.u[y] = rng.NormFloat64()
		}
		if s.knapsack.solve(n.box) == math.Inf(1) {
			return
		}
		s.knapsack.complete(n.box)
		s.best = s.floor(n.u).of(0) + float64(len(c.class))*rng.Float64()
		want := map[string]float64{}
		everyLoads(n.box, c.tasks, func(loads []int) {
			bound := s.floor(n.u).of(0)
			for r, load := range loads {
				bound += c.classes[c.class[r]].levels[load].g
			}
			if slices.Equal(loads, c.descending(loads)) && bound < s.limit() {
				want[keyOf(loads)] = bound
			}
		})
		most := 1 + rng.IntN(12)
		list, ok := s.candidates(n, most)
		if ok != (len(want) <= most) {
			t.Fatalf("%d loads are below the limit; it says %t", len(want), ok)
		}
		if !ok {
			refused++
			return
		}
		listed += len(list)
		if len(list) != len(want) {
			t.Fatalf("%d loads, by enumeration %d", len(list), len(want))
		}
		for _, found := range list {
			if bound, ok := want[keyOf(found.loads)]; !ok || math.Abs(bound-found.bound) > 1e-9 {
				t.Fatalf("loads %v, bound %v; by enumeration %v", found.loads, found.bound, bound)
			}
		}
	})
	if listed < race.Enough(200) || refused < race.Enough(1) {
		t.Errorf("%d listed, %d times too many: the test proves little", listed, refused)
	}
}
