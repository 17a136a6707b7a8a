package statistics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The example of Conover (1999), section 5.8: twelve homeowners rank four grasses; two rank sums differ if they are 11.48 apart.
func TestConoverOfTheBook(t *testing.T) {
	ranks, err := Friedman([][]float64{
		{4, 3, 2, 1}, {4, 2, 3, 1}, {3, 1.5, 1.5, 4}, {3, 1, 2, 4}, {4, 2, 1, 3}, {2, 2, 2, 4}, {1, 3, 2, 4}, {2, 4, 1, 3}, {3.5, 1, 2, 3.5}, {4, 1, 3, 2}, {4, 2, 3, 1}, {3.5, 1, 2, 3.5},
	})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := ranks.Conover(0.95)
	if err != nil || math.Abs(12*apart-11.48) > 0.005 {
		t.Errorf("%v apart, %v; expected rank sums 11.48 apart", 12*apart, err)
	}
	if _, err := ranks.Conover(1); err == nil {
		t.Error("a confidence of 1 is accepted")
	}
}

// The difference is that of the formula as the book prints it, on any table with ties.
func TestConoverIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 6).Draw(t, "solvers")
		costs := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 5), func(x int) float64 { return float64(x) }), k, k), 2, 12).Draw(t, "costs")
		ranks, err := Friedman(costs)
		if err != nil {
			t.Fatal(err)
		}
		n, squares, sums := float64(len(costs)), 0.0, make([]float64, k)
		for _, row := range costs {
			for a := range row {
				rank := 1.0
				for b := range row {
					if row[b] < row[a] {
						rank++
					} else if row[b] == row[a] && a != b {
						rank += 0.5
					}
				}
				squares += rank * rank
				sums[a] += rank
			}
		}
		inside := n * squares
		for _, r := range sums {
			inside -= r * r
		}
		free := (n - 1) * float64(k-1)
		want := studentWidth(0.9, free) * math.Sqrt(2*max(0, inside)/free) / n
		if got, err := ranks.Conover(0.9); err != nil || math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("%v, %v; expected %v", got, err, want)
		}
	})
}
