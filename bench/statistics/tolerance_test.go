package statistics_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/bench/statistics"
)

// Rounding can have made a difference of one spacing of the numbers, which is zero then; two spacings and more it cannot.
func TestSignedRankTellsRoundingFromADifference(t *testing.T) {
	for _, at := range []float64{1, 1.5, 3, 1000, 1e9, 0.1} {
		above := func(spacings int) float64 {
			x := at
			for range spacings {
				x = math.Nextafter(x, math.Inf(1))
			}
			return x
		}
		for spacings, zeros := range map[int]int{0: 1, 1: 1, 3: 0, 4: 0, 10: 0} {
			found, err := statistics.SignedRank([]float64{above(spacings), 5, 6}, []float64{at, 4, 4})
			if err != nil {
				t.Fatal(err)
			}
			if found.Zeros != zeros {
				t.Errorf("%v and %d spacings above: %d zeros, expected %d", at, spacings, found.Zeros, zeros)
			}
		}
	}
}

// Of three differences the two that are three spacings apart are no ties; those that one sets apart are.
func TestSignedRankTiesWhatRoundingSetApart(t *testing.T) {
	next := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	tied, err := statistics.SignedRank([]float64{2, next(2)}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if tied.Plus != 3 || tied.Minus != 0 {
		t.Errorf("plus %v, minus %v", tied.Plus, tied.Minus)
	}
	far := 2.0
	for range 20 {
		far = next(far)
	}
	for _, c := range []struct{ a, plus float64 }{{next(2), 1.5}, {far, 2}} {
		found, err := statistics.SignedRank([]float64{c.a, 0}, []float64{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		if found.Plus != c.plus {
			t.Errorf("a difference of %v beside one of -1: rank %v, expected %v", c.a-1, found.Plus, c.plus)
		}
	}
}
