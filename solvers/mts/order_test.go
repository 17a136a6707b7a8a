package mts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sorting as far as somebody looks gives what sorting gives, for distinct, equal, sorted and few different keys.
func TestTimeOrderIsSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		kinds := []func(k int) float64{
			func(int) float64 { return rng.Float64() }, func(int) float64 { return 7 }, func(k int) float64 { return float64(k) },
			func(k int) float64 { return float64(n - k) }, func(int) float64 { return float64(rng.IntN(3)) }, func(k int) float64 { return float64(min(k, n-k)) },
		}
		for _, key := range kinds {
			var s timeOrder
			var want []float64
			for k := range n {
				s.items = append(s.items, timedKind{key(k), int32(k), true})
				want = append(want, s.items[k].at)
			}
			slices.Sort(want)
			seen := make([]bool, n)
			for k := range want {
				if rng.IntN(4) == 0 { // look ahead
					ahead := rng.IntN(s.len())
					if got := s.get(ahead).at; got != want[k+ahead] {
						t.Fatalf("n %d: item %d is %v, want %v", n, k+ahead, got, want[k+ahead])
					}
				}
				got := s.get(0)
				if got.at != want[k] || seen[got.kind] {
					t.Fatalf("n %d: item %d is %v, want %v", n, k, got.at, want[k])
				}
				seen[got.kind] = true
				s.first++
			}
		}
	}
}
