package statistics_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
)

// costsOf turns what is better when greater into costs.
func costsOf(table [][]float64) [][]float64 {
	negative := make([][]float64, len(table))
	for i, row := range table {
		for _, v := range row {
			negative[i] = append(negative[i], -v)
		}
	}
	return negative
}

// section 3.2.2 and table 6. He leaves out the correction for ties, here the factor 1 − 78/840: three pairs (6 each) and one
// tie of four (60).
func TestFriedmanDemsarTable6(t *testing.T) {
	got, err := statistics.Friedman(costsOf(demsar))
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{3.143, 2.000, 2.893, 1.964} {
		near(t, "mean rank", got.Mean[j], want, 5e-4)
	}
	uncorrected := got.ChiSquare * (1 - 78.0/840)
	near(t, "his χ²", uncorrected, 9.28, 5e-3)
	near(t, "his F", 13*uncorrected/(14*3-uncorrected), 3.69, 5e-3)
	// With the correction: scipy 1.17.1, friedmanchisquare, and F from it.
	near(t, "χ²", got.ChiSquare, 10.228346456692925, 1e-13)
	small(t, "P of χ²", got.PChiSquare, 0.016721580328441323, 1e-11)
	near(t, "F", got.F, 4.1851301115241695, 1e-13)
	small(t, "P of F", got.PF, 0.011620659515310975, 1e-11)
	near(t, "W", got.W, 10.228346456692925/42, 1e-13)
	if got.Problems != 14 || got.Solvers != 4 {
		t.Errorf("%+v", got)
	}
}

// The same ranks without ties, as he computes: χ²_F = 9.28 and F_F = 3.69 exactly by his formula.
func TestFriedmanWithoutTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 8).Draw(t, "n"), rapid.IntRange(2, 6).Draw(t, "k")
		rows := make([][]float64, n)
		sums := make([]float64, k)
		one := make([]float64, k)
		for j := range one {
			one[j] = float64(j + 1)
		}
		for i := range rows {
			rows[i] = shuffled(t, one)
			for j, r := range rows[i] {
				sums[j] += r
			}
		}
		got, err := statistics.Friedman(rows)
		if err != nil {
			t.Fatal(err)
		}
		nf, kf, squares := float64(n), float64(k), 0.0
		for _, sum := range sums {
			squares += sum / nf * sum / nf
		}
		chi := 12 * nf / (kf * (kf + 1)) * (squares - kf*(kf+1)*(kf+1)/4)
		near(t, "χ²", got.ChiSquare, chi, 1e-11)
		if math.IsInf(got.F, 1) {
			near(t, "greatest χ²", chi, nf*(kf-1), 1e-11)
			return
		}
		near(t, "F", got.F, (nf-1)*chi/(nf*(kf-1)-chi), 1e-7)
	})
}

// example 7.1 of Hollander and Wolfe: 22 players rounding first base in three ways. R's manual: χ² = 11.143, p = 0.003805.
func TestFriedmanHollanderWolfe(t *testing.T) {
	seconds := [][]float64{
		{5.40, 5.50, 5.55}, {5.85, 5.70, 5.75}, {5.20, 5.60, 5.50}, {5.55, 5.50, 5.40}, {5.90, 5.85, 5.70}, {5.45, 5.55, 5.60},
		{5.40, 5.40, 5.35}, {5.45, 5.50, 5.35}, {5.25, 5.15, 5.00}, {5.85, 5.80, 5.70}, {5.25, 5.20, 5.10}, {5.65, 5.55, 5.45},
		{5.60, 5.35, 5.45}, {5.05, 5.00, 4.95}, {5.50, 5.50, 5.40}, {5.45, 5.55, 5.50}, {5.55, 5.55, 5.35}, {5.45, 5.50, 5.55},
		{5.50, 5.45, 5.25}, {5.65, 5.60, 5.40}, {5.70, 5.65, 5.55}, {6.30, 6.30, 6.25},
	}
	got, err := statistics.Friedman(seconds)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "χ²", got.ChiSquare, 11.142857142857132, 1e-13)
	small(t, "P", got.PChiSquare, 0.003805040775511383, 1e-11)
}

func TestFriedmanExtremes(t *testing.T) {
	got, err := statistics.Friedman([][]float64{{1, 2, 3}, {10, 20, nan}, {4, 5, inf}, {0, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Mean, []float64{1, 2, 3}) || got.W != 1 || got.F != inf || got.ChiSquare != 8 {
		t.Errorf("all alike: %+v", got)
	}
	small(t, "P", got.PF, math.Pow(6, -3), 1e-12)
	got, err = statistics.Friedman([][]float64{{1, 1, 3}, {2, 2, 5}})
	if err != nil || got.F != inf {
		t.Fatalf("%+v, %v", got, err)
	}
	small(t, "P with a tie", got.PF, 1.0/3, 1e-12)
	got, err = statistics.Friedman([][]float64{{1, 1}, {nan, inf}, {0, 0}})
	if err != nil || got.F != 0 || got.ChiSquare != 0 || got.PF != 1 || got.PChiSquare != 1 || got.W != 0 || got.Mean[0] != 1.5 {
		t.Errorf("all tied: %+v, %v", got, err)
	}
	_, err = statistics.Friedman(nil)
	refused(t, "no problem", err, "at least one problem")
	_, err = statistics.Friedman([][]float64{{1, 2}})
	refused(t, "one problem", err, "at least 2 problems and 2 solvers, found 1 and 2")
	_, err = statistics.Friedman([][]float64{{1}, {2}})
	refused(t, "one solver", err, "found 2 and 1")
	_, err = statistics.Friedman([][]float64{{1, 2}, {3}})
	refused(t, "rows of two lengths", err, "costs[1]: expected 2 values as in costs[0], found 1")
}

// With two solvers it is the sign test: χ² = (wins − losses)²/(wins + losses).
func TestFriedmanOfTwoIsTheSignTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		rows := make([][]float64, n)
		wins, losses := 0.0, 0.0
		for i := range rows {
			rows[i] = costs(2, 2).Draw(t, "row")
			a, b := rows[i][0], rows[i][1]
			switch aFailed, bFailed := !(a < inf), !(b < inf); {
			case aFailed && bFailed || a == b:
			case bFailed || a < b:
				wins++
			default:
				losses++
			}
		}
		got, err := statistics.Friedman(rows)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if wins+losses > 0 {
			want = (wins - losses) * (wins - losses) / (wins + losses)
		}
		near(t, "χ²", got.ChiSquare, want, 1e-12)
	})
}

func TestFriedmanInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(t, 2)
		got, err := statistics.Friedman(rows)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(statistics.Sum(got.Mean)-float64(got.Solvers*(got.Solvers+1))/2) > 1e-9 {
			t.Fatalf("mean ranks %v", got.Mean)
		}
		if !(got.PF >= 0 && got.PF <= 1) || !(got.PChiSquare >= 0 && got.PChiSquare <= 1) || !(got.W >= 0 && got.W <= 1) || !(got.F >= 0) {
			t.Fatalf("%+v", got)
		}
		// Problems in another order, each in a unit of its own, and solvers in another order.
		solvers := make([]int, got.Solvers)
		for j := range solvers {
			solvers[j] = j
		}
		solvers = shuffled(t, solvers)
		moved := make([][]float64, len(rows))
		for i, row := range shuffled(t, rows) {
			for _, j := range solvers {
				moved[i] = append(moved[i], row[j]*math.Exp2(float64(i)))
			}
		}
		again, err := statistics.Friedman(moved)
		if err != nil || again.ChiSquare != got.ChiSquare || again.F != got.F || again.W != got.W {
			t.Fatalf("%+v, moved %+v, %v", got, again, err)
		}
		if !math.IsInf(got.F, 1) && again.PF != got.PF { // else a sum of logarithms, the same up to order
			t.Fatalf("PF %v, moved %v", got.PF, again.PF)
		}
		for to, from := range solvers {
			if again.Mean[to] != got.Mean[from] {
				t.Fatalf("mean ranks %v, moved %v by %v", got.Mean, again.Mean, solvers)
			}
		}
	})
}

// The distribution of all (k!)ⁿ⁻¹ orders of small tables: at a nominal level of 5 % the test by F rejects about that often, the
// one by χ² less, and the P of a table whose problems all agree is exact. (With ten problems the first is 5.2 %, see
// docs/reference/statistics.md.)
func TestFriedmanAgainstAllPermutations(t *testing.T) {
	for _, c := range []struct {
		n, k           int
		byF, byChi, at float64
	}{
		// The rates were also found by simulation: 200,000 tables with NumPy 2.4.6.
		{6, 3, 0.0518, 0.0518, 0.05},
		{6, 3, 0.0122, 0.0057, 0.01},
		{4, 4, 0.0681, 0.0332, 0.05},
		{4, 4, 0.0191, 0.0001, 0.01},
	} {
		orders := permutations(c.k)
		rows := make([][]float64, c.n)
		all, byF, byChi := 0, 0, 0
		known := map[int]statistics.Ranks{} // by the sum of squared rank sums, of which χ² is a function
		sums := make([]int, c.k)
		var visit func(problem int)
		visit = func(problem int) {
			if problem == c.n {
				squares := 0
				for _, sum := range sums {
					squares += sum * sum
				}
				ranks, ok := known[squares]
				if !ok {
					var err error
					if ranks, err = statistics.Friedman(rows); err != nil {
						t.Fatal(err)
					}
					known[squares] = ranks
				}
				all++
				byF += btoi(ranks.PF <= c.at)
				byChi += btoi(ranks.PChiSquare <= c.at)
				return
			}
			for i, order := range orders {
				if problem == 0 && i > 0 {
					break // the solvers have no names: the first problem's order may be fixed
				}
				rows[problem] = make([]float64, c.k)
				for j, r := range order {
					rows[problem][j] = float64(r)
					sums[j] += r
				}
				visit(problem + 1)
				for j, r := range order {
					sums[j] -= r
				}
			}
		}
		visit(0)
		near(t, "rejected by F", float64(byF)/float64(all), c.byF, 1e-3)
		near(t, "rejected by χ²", float64(byChi)/float64(all), c.byChi, 1e-3)
	}
}

// permutations are all orders of 1 … k.
func permutations(k int) [][]int {
	if k == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(k - 1) {
		for at := range k {
			all = append(all, slices.Insert(slices.Clone(shorter), at, k))
		}
	}
	return all
}
