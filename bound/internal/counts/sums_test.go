package counts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// However far from sorted an order is, mend sorts it: by a few steps, or anew.
func TestMendSorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 30, 31, 32, 33, 34, 35, 100, 500} {
		for _, how := range []string{"sorted", "reversed", "shuffled", "ties"} {
			c := &Relaxation{byLevel: [][][]float64{{make([]float64, n)}}, sorted: make([]float64, n), values: make([]float64, n)}
			cost, x, order := c.byLevel[0][0], make([]float64, n), make([]int32, n)
			for j := range n {
				cost[j], x[j], order[j] = rng.Float64(), rng.Float64(), int32(j)
				if how == "ties" {
					cost[j], x[j] = float64(rng.IntN(3)), float64(rng.IntN(3))
				}
			}
			const q = 2.5
			value := func(j int32) float64 { return q*cost[j] - x[j] }
			want := make([]float64, n)
			for j := range n {
				want[j] = value(int32(j))
			}
			slices.Sort(want)
			switch how {
			case "sorted", "reversed":
				slices.SortFunc(order, func(a, b int32) int {
					if (value(a) < value(b)) == (how == "sorted") {
						return -1
					}
					return 1
				})
			default:
				rng.Shuffle(n, func(a, b int) { order[a], order[b] = order[b], order[a] })
			}
			c.mend(0, 0, q, order, x)
			if !slices.Equal(c.sorted, want) {
				t.Fatalf("%d jobs, %s: %v, expected %v", n, how, c.sorted, want)
			}
			for k, j := range order {
				if value(j) != want[k] {
					t.Fatalf("%d jobs, %s: the order does not fit the values at %d", n, how, k)
				}
			}
			if slices.Sort(order); n > 0 && (order[0] != 0 || order[n-1] != int32(n-1) || len(slices.Compact(order)) != n) {
				t.Fatalf("%d jobs, %s: a job is lost", n, how)
			}
		}
	}
}
