package tune

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/tables"
)

// table makes results without jobs left out.
func table(rows ...[]float64) [][]tables.Result {
	var results [][]tables.Result
	for _, row := range rows {
		var line []tables.Result
		for _, x := range row {
			line = append(line, tables.Result{Objective: x})
		}
		results = append(results, line)
	}
	return results
}

// Who is dropped, by hand.
func TestWorse(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		test    Test
		results [][]tables.Result
		want    []int
	}{
		{"the third is always last by far", ByRank, table([]float64{1, 2, 9}, []float64{2, 1, 9}, []float64{1, 2, 9}, []float64{2, 1, 9}, []float64{1, 2, 9}, []float64{2, 1, 9}), []int{2}},
		{"all alike", ByRank, table([]float64{1, 1, 1}, []float64{2, 2, 2}, []float64{3, 3, 3}), nil},
		{"two, five times of five: a sign test cannot tell", ByRank, table([]float64{1, 2}, []float64{1, 2}, []float64{1, 2}, []float64{1, 2}, []float64{1, 2}), nil},
		{"two, six times of six", ByRank, table([]float64{2, 1}, []float64{3, 1}, []float64{4, 1}, []float64{5, 1}, []float64{6, 1}, []float64{7, 1}), []int{0}},
		{"one large instance does not decide on ranks", ByRank, table([]float64{1, 2}, []float64{1, 2}, []float64{1, 2}, []float64{900, 2}, []float64{1, 2}, []float64{2, 1}), nil},
		{"a failure is last", ByRank, table([]float64{1, nan, 1}, []float64{1, nan, 2}, []float64{2, nan, 1}, []float64{1, nan, 2}, []float64{2, nan, 1}), []int{1}},
		{"means that differ by the same each time", ByMean, table([]float64{10, 11}, []float64{20, 21.1}, []float64{5, 6}, []float64{7, 8.1}, []float64{100, 101}), []int{1}},
		{"means that differ by chance", ByMean, table([]float64{10, 15}, []float64{20, 12}, []float64{5, 9}, []float64{7, 3}, []float64{100, 99}), nil},
		{"who fails has no mean", ByMean, table([]float64{nan, 15}, []float64{20, 22}, []float64{5, 9}), []int{0}},
		{"where all fail nobody is worse", ByMean, table([]float64{nan, nan}, []float64{20, 22}, []float64{5, 9}), nil},
	} {
		if got, err := c.test.worse(c.results, 0.95); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: dropped %v, %v; expected %v", c.name, got, err, c.want)
		}
	}
}

// Jobs left out count before the objective.
func TestJobsLeftOutAreWorse(t *testing.T) {
	var rows [][]tables.Result
	for range 8 {
		rows = append(rows, []tables.Result{{Left: 1, Objective: 1}, {Objective: 100}})
	}
	for _, test := range []Test{ByRank, ByMean} {
		if order := test.standings(rows); order[0].at != 1 {
			t.Errorf("%s: first is %d", test, order[0].at)
		}
		if got, err := test.worse(rows, 0.95); err != nil || !slices.Equal(got, []int{0}) {
			t.Errorf("%s: dropped %v, %v", test, got, err)
		}
	}
}

// The best is never dropped, who equals it neither, and the order of the candidates does not matter.
func TestTheBestStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		test := rapid.SampledFrom([]Test{ByRank, ByMean}).Draw(t, "test")
		k, n := rapid.IntRange(2, 6).Draw(t, "candidates"), rapid.IntRange(2, 12).Draw(t, "instances")
		cell := rapid.Custom(func(t *rapid.T) tables.Result {
			return tables.Result{Left: float64(max(0, rapid.IntRange(-9, 1).Draw(t, "left"))), Objective: rapid.SampledFrom([]float64{math.NaN(), 0, 1, 2, 3, 4, 5, 7, 1e9, -3}).Draw(t, "objective")}
		})
		results := make([][]tables.Result, n)
		for i := range results {
			results[i] = rapid.SliceOfN(cell, k, k).Draw(t, "row")
		}
		order := test.standings(results)
		dropped, err := test.worse(results, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range order {
			if s.score == order[0].score && slices.Contains(dropped, s.at) {
				t.Fatalf("dropped %v, of %v", dropped, order)
			}
		}
		turn := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}[:k]).Draw(t, "turned")
		turned := make([][]tables.Result, n)
		for i := range results {
			for _, from := range turn {
				turned[i] = append(turned[i], results[i][from])
			}
		}
		again, err := test.worse(turned, 0.95)
		var names []int
		for _, at := range again {
			names = append(names, turn[at])
		}
		slices.Sort(names)
		best := 0
		for _, s := range order {
			if s.score == order[0].score {
				best++
			}
		}
		if err != nil || best == 1 && !slices.Equal(names, dropped) {
			t.Fatalf("dropped %v, and %v after turning, %v", dropped, names, err)
		}
	})
}
