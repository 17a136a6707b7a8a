package statistics_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
)

// quantile takes the critical difference back to q: k solvers on k(k + 1)/6 problems have a deviation of 1, so any n scales.
func quantile(t rapid.TB, difference func(solvers, problems int, alpha float64) (float64, error), k int, alpha float64) float64 {
	t.Helper()
	const n = 14
	d, err := difference(k, n, alpha)
	if err != nil {
		t.Fatal(err)
	}
	return d / math.Sqrt(float64(k*(k+1))/(6*n))
}

// table 5a.
func TestNemenyiDemsarTable5a(t *testing.T) {
	table := map[float64][]float64{
		0.05: {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164},
		0.10: {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920},
	}
	for alpha, row := range table {
		for i, want := range row {
			// Some of his figures are the tabled range over √2, cut after three digits.
			if got := quantile(t, statistics.Nemenyi, i+2, alpha); math.Abs(got-want) > 1.05e-3 {
				t.Errorf("alpha %v, %d solvers: %v, expected %v", alpha, i+2, got, want)
			}
		}
	}
}

// Quantiles of the studentized range at infinite degrees of freedom: scipy 1.17.1, studentized_range.ppf.
func TestNemenyiStudentizedRange(t *testing.T) {
	for k, want := range map[int][3]float64{
		2: {2.3261743073533476, 2.771807648699355, 3.642772735436894}, 3: {2.9023802134282515, 3.314493155398122, 4.12030320646012},
		4: {3.240446220927359, 3.6331595749026278, 4.402800861448699}, 5: {3.478280550703068, 3.857655510378623, 4.602821042201571},
		10: {4.129346398236873, 4.474124221725907, 5.156634960089622}, 20: {4.694104409490512, 5.0116887941184425, 5.6452146979858515},
		50: {5.356686875267444, 5.646026026380527, 6.228392608582205},
	} {
		for i, alpha := range []float64{0.10, 0.05, 0.01} {
			small(t, "quantile", quantile(t, statistics.Nemenyi, k, alpha)*math.Sqrt2, want[i], 1e-9)
		}
	}
	// Of two solvers the range is √2 times a normal variable's distance from 0, at any alpha.
	for _, alpha := range []float64{0.999, 0.5, 1e-6, 1e-12, 1e-100} {
		q := quantile(t, statistics.Nemenyi, 2, alpha)
		small(t, "alpha of two", math.Erfc(q/math.Sqrt2), alpha, 1e-9)
	}
	// Against Bonferroni's bound, which the range meets from below as alpha falls: P(Q > q) ≤ k(k − 1)/2 · P(|z| > q/√2).
	for _, k := range []int{3, 10, 1000} {
		for _, alpha := range []float64{0.5, 0.05, 1e-8, 1e-30} {
			q := quantile(t, statistics.Nemenyi, k, alpha)
			bound := float64(k*(k-1)) / 2 * math.Erfc(q/math.Sqrt2)
			if bound < alpha*(1-1e-9) || (alpha <= 1e-30 && bound > alpha*1.01) {
				t.Errorf("k %d, alpha %v: bound %v", k, alpha, bound)
			}
		}
	}
}

// section 3.2.2 and figure 1: CD 1.25 and 1.12, the groups, the comparison with C4.5 as the control and Holm's procedure.
func TestPostHocDemsarExample(t *testing.T) {
	ranks, err := statistics.Friedman(costsOf(demsar))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		alpha, difference float64
		cliques           [][]int
	}{
		{0.05, 1.25, [][]int{{3, 1, 2, 0}}},      // nothing differs
		{0.10, 1.12, [][]int{{3, 1, 2}, {2, 0}}}, // C4.5 differs from C4.5+m and C4.5+m+cf; C4.5+cf from none
	} {
		difference, err := statistics.Nemenyi(4, 14, c.alpha)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "critical difference", difference, c.difference, 5e-3)
		cliques, err := statistics.Cliques(ranks.Mean, difference)
		if err != nil || !reflect.DeepEqual(cliques, c.cliques) {
			t.Errorf("alpha %v: %v, %v, expected %v", c.alpha, cliques, err, c.cliques)
		}
	}

	p := []float64{0.019, 0.607, 0.016} // C4.5 against C4.5+m, +cf, +m+cf
	adjusted, err := statistics.Holm(p)
	if err != nil {
		t.Fatal(err)
	}
	for j, rejected := range []bool{true, false, true} { // "rejects the first and then the second"
		if (adjusted[j] <= 0.05) != rejected {
			t.Errorf("adjusted %v of %v", adjusted, p)
		}
	}
}

func TestCriticalDifferencesRefuse(t *testing.T) {
	for _, sizes := range [][2]int{{1, 5}, {0, 0}, {-3, 2}, {2, 0}} {
		_, err := statistics.Nemenyi(sizes[0], sizes[1], 0.05)
		refused(t, "Nemenyi", err, "at least 2 solvers and 1 problem")
	}
	for _, alpha := range []float64{0, 1, nan, -0.5} {
		_, err := statistics.Nemenyi(3, 5, alpha)
		refused(t, "Nemenyi", err, "alpha: expected a number between 0 and 1")
	}
}

func TestCriticalDifferencesShrink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n := rapid.IntRange(2, 40).Draw(t, "k"), rapid.IntRange(1, 100).Draw(t, "n")
		alpha := rapid.Float64Range(0.001, 0.5).Draw(t, "alpha")
		all, err := statistics.Nemenyi(k, n, alpha)
		if err != nil {
			t.Fatal(err)
		}
		if k == 2 { // the quantile of the normal distribution
			small(t, "one comparison", all, math.Sqrt2*math.Erfinv(1-alpha)/math.Sqrt(float64(n)), 1e-9)
		}
		more, _ := statistics.Nemenyi(k, n+1, alpha)
		stricter, _ := statistics.Nemenyi(k, n, alpha/2)
		wider, _ := statistics.Nemenyi(k+1, n, alpha)
		if !(more < all && stricter > all && wider > all) {
			t.Fatalf("k %d, n %d, alpha %v: %v; more problems %v, stricter %v, more solvers %v", k, n, alpha, all, more, stricter, wider)
		}
	})
}

func TestCliques(t *testing.T) {
	for _, c := range []struct {
		mean       []float64
		difference float64
		want       [][]int
	}{
		{nil, 1, nil},
		{[]float64{1}, 1, nil},
		{[]float64{1, 2}, 1, nil}, // at least the difference is a difference
		{[]float64{1, 2}, 1.01, [][]int{{0, 1}}},
		{[]float64{3, 1, 2.2, 1.6}, 1.3, [][]int{{1, 3, 2}, {2, 0}}},
		{[]float64{2, 2, 2}, 0.1, [][]int{{0, 1, 2}}},
		{[]float64{5, 1, 5.5, 1.5, 3}, 1, [][]int{{1, 3}, {0, 2}}},
	} {
		got, err := statistics.Cliques(c.mean, c.difference)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Cliques(%v, %v) = %v, %v, expected %v", c.mean, c.difference, got, err, c.want)
		}
	}
	_, err := statistics.Cliques([]float64{1, nan}, 1)
	refused(t, "NaN", err, "mean[1]: expected a number")
	_, err = statistics.Cliques([]float64{1}, nan)
	refused(t, "NaN", err, "difference: expected a number")
}

// A pair shares a bar exactly when its mean ranks are nearer than the difference, and no bar is part of another.
func TestCliquesAgainstPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mean := sample(0, 8).Draw(t, "mean")
		difference := rapid.Float64Range(0.1, 50).Draw(t, "difference")
		cliques, err := statistics.Cliques(mean, difference)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean {
			for j := range i {
				together := slices.ContainsFunc(cliques, func(c []int) bool { return slices.Contains(c, i) && slices.Contains(c, j) })
				if together != (math.Abs(mean[i]-mean[j]) < difference) {
					t.Fatalf("%d and %d of %v at %v: %v", i, j, mean, difference, cliques)
				}
			}
		}
		for a, outer := range cliques {
			for b, inner := range cliques {
				if a != b && !slices.ContainsFunc(inner, func(i int) bool { return !slices.Contains(outer, i) }) {
					t.Fatalf("%v is part of %v", inner, outer)
				}
			}
			if len(outer) < 2 || !slices.IsSortedFunc(outer, func(i, j int) int { return cmp.Compare(mean[i], mean[j]) }) {
				t.Fatalf("%v of %v", outer, mean)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.3}, []float64{0.3}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}}, // by hand: 4·0.005, 3·0.01, 2·0.03, then no less
		{[]float64{0.5, 0.6, 0}, []float64{1, 1, 0}},
	} {
		got, err := statistics.Holm(c.p)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("Holm(%v) = %v, %v", c.p, got, err)
		}
		for i := range got {
			near(t, "adjusted", got[i], c.want[i], 1e-15)
		}
	}
	for _, p := range []float64{-0.1, 1.1, nan} {
		_, err := statistics.Holm([]float64{0.5, p})
		refused(t, "p", err, "p[1]: expected a probability")
	}
}

// Adjusted p keep the order of the p, are between them and Bonferroni's, and reject at alpha what Holm's steps reject.
func TestHolmIsTheStepDownProcedure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 0.02), rapid.SampledFrom([]float64{0, 0.01, 0.01, 1})), 0, 12).Draw(t, "p")
		alpha := rapid.SampledFrom([]float64{0.01, 0.05, 0.1}).Draw(t, "alpha")
		adjusted, err := statistics.Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > min(1, float64(len(p))*p[i]) {
				t.Fatalf("p %v became %v", p, adjusted)
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] || p[i] == p[j] && adjusted[i] != adjusted[j] {
					t.Fatalf("p %v became %v", p, adjusted)
				}
			}
		}
		sorted := slices.Sorted(slices.Values(p))
		rejected := 0
		for rejected < len(sorted) && float64(len(sorted)-rejected)*sorted[rejected] <= alpha {
			rejected++
		}
		count := 0
		for _, a := range adjusted {
			if a <= alpha {
				count++
			}
		}
		if count != rejected {
			t.Fatalf("%d of %v rejected at %v, by the steps %d", count, p, alpha, rejected)
		}
	})
}
