package cheap

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The steps that are near stay sorted as they move on, by little or by much.
func TestSortedSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 57))
	for range 2000 {
		steps := make([]model.Step, 1+rng.IntN(60))
		for k := range steps {
			steps[k] = model.Step{Time: float64(k), Value: float64(rng.IntN(8))}
		}
		p := newPlan(&Budget{PriceRule: "quantile"}, 0, 0, steps)
		at, end := 0, 0
		for range 12 {
			at = min(at+rng.IntN(6), len(steps)-1)
			end = min(max(end, at)+rng.IntN(9), len(steps)-1)
			if rng.IntN(10) == 0 {
				at, end = rng.IntN(at+1), rng.IntN(at+1)
				at, end = min(at, end), max(at, end)
			}
			p.sort(at, end)
			p.at, p.end = at, end
			var want []int32
			for k := at; k <= end; k++ {
				want = append(want, int32(k))
			}
			slices.SortFunc(want, func(a, b int32) int { return cmp.Or(cmp.Compare(steps[a].Value, steps[b].Value), cmp.Compare(b, a)) })
			if !slices.Equal(p.sorted, want) {
				t.Fatalf("from %d to %d: %v, expected %v", at, end, p.sorted, want)
			}
		}
	}
	// A million steps: one by one, each in front of all before it, they would take minutes.
	same := make([]model.Step, 1<<20)
	for k := range same {
		same[k].Time = float64(k)
	}
	p := newPlan(&Budget{PriceRule: "quantile"}, 0, 0, same)
	if p.sort(0, len(same)-1); len(p.sorted) != len(same) || p.sorted[0] != int32(len(same)-1) {
		t.Errorf("%d steps, %d first", len(p.sorted), p.sorted[0])
	}
}
