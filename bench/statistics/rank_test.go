package statistics_test

import (
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
)

// demsar is table 6 of Demšar (2006): the area under the curve of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets, greater
// being better. He ranks the last two of the voting set apart, 2 and 3, though three digits print them alike: the fifth digit
// here stands for that.
var demsar = [][]float64{
	{0.763, 0.768, 0.771, 0.798},   // adult (sample)
	{0.599, 0.591, 0.590, 0.569},   // breast cancer
	{0.954, 0.971, 0.968, 0.967},   // breast cancer wisconsin
	{0.628, 0.661, 0.654, 0.657},   // cmc
	{0.882, 0.888, 0.886, 0.898},   // ionosphere
	{0.936, 0.931, 0.916, 0.931},   // iris
	{0.661, 0.668, 0.609, 0.685},   // liver disorders
	{0.583, 0.583, 0.563, 0.625},   // lung cancer
	{0.775, 0.838, 0.866, 0.875},   // lymphography
	{1.000, 1.000, 1.000, 1.000},   // mushroom
	{0.940, 0.962, 0.965, 0.962},   // primary tumor
	{0.619, 0.666, 0.614, 0.669},   // rheum
	{0.972, 0.981, 0.97501, 0.975}, // voting
	{0.957, 0.978, 0.946, 0.970},   // wine
}

// column is a column of a table.
func column(table [][]float64, j int) []float64 {
	values := make([]float64, len(table))
	for i, row := range table {
		values[i] = row[j]
	}
	return values
}

// depression is example 3.1 of Hollander and Wolfe: Hamilton scale factor IV of nine patients before (x) and after (y) a
// tranquilliser.
var depression = struct{ x, y []float64 }{
	x: []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
	y: []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29},
}

// section 3.1.3 and table 2: R⁺ = 93 and R⁻ = 12 for C4.5+m against C4.5. He shares the ranks of the two zeros, 1 and 2,
// between the sides; Pratt leaves them out.
func TestSignedRankDemsarTable2(t *testing.T) {
	got, err := statistics.SignedRank(column(demsar, 1), column(demsar, 0))
	if err != nil {
		t.Fatal(err)
	}
	if got.Plus+1.5 != 93 || got.Minus+1.5 != 12 || got.N != 14 || got.Zeros != 2 || !got.Exact {
		t.Errorf("%+v", got)
	}
	if got.P >= 0.05 { // he rejects at 0.05: 12 ≤ 21
		t.Errorf("P %v", got.P)
	}
	near(t, "effect", got.Effect, (93.0-12)/105, 1e-15)
}

func TestSignedRankPublished(t *testing.T) {
	got, err := statistics.SignedRank(depression.x, depression.y)
	if err != nil {
		t.Fatal(err)
	}
	// Hollander and Wolfe, example 3.1: T⁺ = 40 (R's manual: V = 40, one-sided p = 0.01953).
	if got.Plus != 40 || got.Minus != 5 || got.Zeros != 0 || !got.Exact {
		t.Errorf("%+v", got)
	}
	near(t, "P", got.P, 0.0390625, 1e-15)
	near(t, "effect", got.Effect, 35.0/45, 1e-15)
	near(t, "Z", got.Z, (35.0/2-0.5)/math.Sqrt(9*10*19/24.0), 1e-14)

	// Darwin's maize, as in Siegel and SciPy's manual: the smaller sum is 24, p = 0.041259765625.
	maize := []float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}
	got, err = statistics.SignedRank(maize, make([]float64, len(maize)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Minus != 24 || got.Plus != 96 {
		t.Errorf("%+v", got)
	}
	near(t, "P", got.P, 0.041259765625, 1e-15)
}

// More than 50 differences with ties and zeros, against scipy 1.17.1: wilcoxon(zero_method="pratt", correction=True,
// method="approx").
func TestSignedRankLarge(t *testing.T) {
	d := make([]float64, 80)
	for i := range d {
		d[i] = float64((i*7919)%41 - 17)
	}
	got, err := statistics.SignedRank(d, make([]float64, len(d)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Exact || got.Zeros != 2 || min(got.Plus, got.Minus) != 1230 {
		t.Errorf("%+v", got)
	}
	near(t, "|Z|", math.Abs(got.Z), 1.8614385546815406, 1e-13)
	small(t, "P", got.P, 0.06268227023142801, 1e-12)
}

func TestSignedRankOfFailuresAndZeros(t *testing.T) {
	one := 1.0 // a variable, lest the compiler add exactly
	// a fails twice where b does not, both fail once, and b fails once: the failures tie for the greatest difference.
	got, err := statistics.SignedRank([]float64{nan, inf, inf, 1, 5, 3, 1e308}, []float64{1, 2, nan, inf, 4, 3, -1e308})
	if err != nil {
		t.Fatal(err)
	}
	// Sizes 0, 0 (ranks 1.5), 1 (3), 1.8e308 (4) and three failures (6 each).
	if got.Zeros != 2 || got.Plus != 3+4+6+6 || got.Minus != 6 || got.N != 7 {
		t.Errorf("%+v", got)
	}
	got, err = statistics.SignedRank([]float64{1, inf}, []float64{1, nan})
	if err != nil || got != (statistics.Wilcoxon{N: 2, Zeros: 2, P: 1, Exact: true}) {
		t.Errorf("all zero: %+v, %v", got, err)
	}
	got, err = statistics.SignedRank([]float64{0.1 + 0.2*one, 5}, []float64{0.3, 4})
	if err != nil || got.Zeros != 1 || got.Plus != 2 {
		t.Errorf("a difference of rounding: %+v, %v", got, err)
	}
	got, err = statistics.SignedRank([]float64{2}, []float64{1})
	if err != nil || got.P != 1 || got.Effect != 1 {
		t.Errorf("one pair: %+v, %v", got, err)
	}
}

// Two losses and 98 ties: the ranks 99 and 100 of 5,050.
func TestSignedRankEffectCountsZeros(t *testing.T) {
	a := make([]float64, 100)
	a[3], a[50] = 1, 2
	got, err := statistics.SignedRank(a, make([]float64, 100))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "effect", got.Effect, 199.0/5050, 1e-15)
	near(t, "P", got.P, 0.5, 1e-15)
}

func TestSignedRankManyZeros(t *testing.T) {
	a, b := make([]float64, 20006), make([]float64, 20006)
	for i := range 6 {
		a[i] = 1 + float64(i)
	}
	got, err := statistics.SignedRank(a, b)
	if err != nil || got.P != 2.0/64 || !got.Exact || got.Minus != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The exact P is the share of all 2ⁿ patterns of signs at least as far from the mean, ties and zeros as they are.
func TestSignedRankAgainstAllSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a, b := costs(n, n).Draw(t, "a"), costs(n, n).Draw(t, "b")
		got, err := statistics.SignedRank(a, b)
		if err != nil {
			t.Fatal(err)
		}
		// Ranks by counting: half for each other of the same size.
		d := make([]float64, n)
		for i := range d {
			x, y := a[i], b[i]
			switch xFailed, yFailed := !(x < inf), !(y < inf); {
			case xFailed && yFailed:
			case xFailed:
				d[i] = inf
			case yFailed:
				d[i] = -inf
			default:
				d[i] = x - y
			}
		}
		var ranks []float64
		plus, minus, total := 0.0, 0.0, 0.0
		for i := range d {
			rank := 0.5
			for j := range d {
				if size, other := math.Abs(d[i]), math.Abs(d[j]); other < size {
					rank++
				} else if other == size {
					rank += 0.5
				}
			}
			switch {
			case d[i] == 0:
				continue
			case d[i] > 0:
				plus += rank
			default:
				minus += rank
			}
			ranks = append(ranks, rank)
			total += rank
		}
		if got.Plus != plus || got.Minus != minus || got.Zeros != n-len(ranks) {
			t.Fatalf("%+v, expected %v and %v", got, plus, minus)
		}
		far := 0
		for signs := range uint(1) << len(ranks) {
			sum := 0.0
			for i, rank := range ranks {
				if signs>>i&1 == 1 {
					sum += rank
				}
			}
			if math.Abs(sum-total/2) >= math.Abs(plus-total/2) {
				far++
			}
		}
		near(t, "P", got.P, float64(far)/math.Exp2(float64(len(ranks))), 1e-14)
	})
}

func TestSignedRankInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "n")
		a, b := costs(n, n).Draw(t, "a"), costs(n, n).Draw(t, "b")
		got, err := statistics.SignedRank(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if !(got.P > 0 && got.P <= 1) || math.Abs(got.Effect) > 1 || got.Z*(got.Plus-got.Minus) < 0 {
			t.Fatalf("%+v", got)
		}
		back, _ := statistics.SignedRank(b, a)
		mirror := statistics.Wilcoxon{N: got.N, Zeros: got.Zeros, Plus: got.Minus, Minus: got.Plus, Z: 0 - got.Z, P: got.P, Exact: got.Exact, Effect: 0 - got.Effect}
		if back != mirror {
			t.Fatalf("a, b: %+v; b, a: %+v", got, back)
		}
		// Another order of the pairs and another unit change nothing; a power of 2 is exact.
		index := make([]int, n)
		for i := range index {
			index[i] = i
		}
		c, d := make([]float64, n), make([]float64, n)
		for to, from := range shuffled(t, index) {
			c[to], d[to] = a[from]*0.25, b[from]*0.25
		}
		if again, _ := statistics.SignedRank(c, d); again != got {
			// Sums of squares of ranks are whole numbers: nothing may depend on the order.
			t.Fatalf("%+v, in another order and unit %+v", got, again)
		}
	})
}

// The normal approximation takes over at 51 differences: on both sides of the change P is nearly that of the other method.
func TestSignedRankExactAndApproximateMeet(t *testing.T) {
	for n := 45; n <= 55; n++ {
		a := make([]float64, n)
		for i := range a {
			a[i] = float64(i + 1)
			if bits.OnesCount(uint(i))%2 == 0 && i%3 == 0 || i%7 == 0 {
				a[i] = -a[i]
			}
		}
		got, err := statistics.SignedRank(a, make([]float64, n))
		if err != nil {
			t.Fatal(err)
		}
		if got.Exact != (n <= 50) {
			t.Errorf("n %d: exact %v", n, got.Exact)
		}
		small(t, "P", got.P, math.Erfc(math.Abs(got.Z)/math.Sqrt2), 0.02)
	}
}

// example 4.1 of Hollander and Wolfe: permeability constants of the chorioamnion at term and before. R's manual has W = 35 and
// 0.1272 one-sided.
func TestRankSumHollanderWolfe(t *testing.T) {
	atTerm := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	before := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	got, err := statistics.RankSum(atTerm, before)
	if err != nil {
		t.Fatal(err)
	}
	if got.U != 35 || !got.Exact || got.NA != 10 || got.NB != 5 {
		t.Errorf("%+v", got)
	}
	near(t, "P", got.P, 0.2544122544122544, 1e-15)
	near(t, "delta", got.Delta, 0.4, 1e-15)
}

// The example of Hogarty and Kromrey (1999), from the manual and tests of R's effsize: delta = −0.25, small.
func TestCliffDeltaHogartyKromrey(t *testing.T) {
	treatment := []float64{10, 10, 20, 20, 20, 30, 30, 30, 40, 50}
	control := []float64{10, 20, 30, 40, 40, 50}
	got, err := statistics.RankSum(treatment, control)
	if err != nil || got.Delta != -0.25 {
		t.Fatalf("%+v, %v", got, err)
	}
	if word := statistics.MagnitudeOf(got.Delta); word != statistics.Small {
		t.Errorf("%q", word)
	}
	// scipy 1.17.1, permutation_test of |U − 30| over all 8,008 choices.
	near(t, "P", got.P, 0.45167332667332666, 1e-15)
}

// Against scipy 1.17.1, mannwhitneyu(method="asymptotic").
func TestRankSumLarge(t *testing.T) {
	a, b := make([]float64, 40), make([]float64, 30)
	for i := range a {
		a[i] = float64(i * 37 % 29)
	}
	for i := range b {
		b[i] = float64(i*31%23 + 3)
	}
	got, err := statistics.RankSum(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got.U != 629 || got.Exact {
		t.Errorf("%+v", got)
	}
	small(t, "P", got.P, 0.7350047629872785, 1e-12)
}

// The exact P is the share of all choices of a's places at least as far from the mean, and delta that of the pairs.
func TestRankSumAgainstAllChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := costs(1, 6).Draw(t, "a"), costs(1, 6).Draw(t, "b")
		got, err := statistics.RankSum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		all := append(append([]float64{}, a...), b...)
		for i, v := range all {
			if math.IsNaN(v) {
				all[i] = inf
			}
		}
		above := func(chosen uint) float64 { // U of the chosen places
			u := 0.0
			for i, v := range all {
				for j, w := range all {
					if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
						if v > w {
							u++
						} else if v == w {
							u += 0.5
						}
					}
				}
			}
			return u
		}
		mean := float64(len(a)*len(b)) / 2
		u := above(1<<len(a) - 1)
		far, choices := 0, 0
		for chosen := range uint(1) << len(all) {
			if bits.OnesCount(chosen) == len(a) {
				choices++
				if math.Abs(above(chosen)-mean) >= math.Abs(u-mean) {
					far++
				}
			}
		}
		if got.U != u {
			t.Fatalf("U %v, expected %v", got.U, u)
		}
		near(t, "P", got.P, float64(far)/float64(choices), 1e-14)
		near(t, "delta", got.Delta, u/mean-1, 1e-15)
	})
}

func TestRankSumInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := costs(1, 40).Draw(t, "a"), costs(1, 40).Draw(t, "b")
		got, err := statistics.RankSum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		back, _ := statistics.RankSum(shuffled(t, b), shuffled(t, a))
		if back.P != got.P || back.U != float64(len(a)*len(b))-got.U || back.Z != 0-got.Z || back.Delta != 0-got.Delta {
			t.Fatalf("a, b: %+v; b, a: %+v", got, back)
		}
		if !(got.P > 0 && got.P <= 1) {
			t.Fatalf("%+v", got)
		}
		// Only the order counts.
		c, d := make([]float64, len(a)), make([]float64, len(b))
		for i, v := range a {
			c[i] = v*v + v
		}
		for i, v := range b {
			d[i] = v*v + v
		}
		if again, _ := statistics.RankSum(c, d); again != got {
			t.Fatalf("%+v, after an increasing function %+v", got, again)
		}
	})
}

// Up to 50 values together P is counted; on both sides of the change it is nearly that of the other method.
func TestRankSumExactAndApproximateMeet(t *testing.T) {
	for n := 47; n <= 54; n++ {
		var a, b []float64
		for i := range n {
			if i%2 == 0 || i > 3*n/4 {
				a = append(a, float64(i))
			} else {
				b = append(b, float64(i))
			}
		}
		got, err := statistics.RankSum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Exact != (n <= 50) {
			t.Errorf("n %d: exact %v", n, got.Exact)
		}
		small(t, "P", got.P, math.Erfc(math.Abs(got.Z)/math.Sqrt2), 0.05)
	}
}

func TestRankSumAllAlike(t *testing.T) {
	for _, n := range []int{3, 40} {
		a := make([]float64, n)
		got, err := statistics.RankSum(a, a)
		if err != nil || got.P != 1 || got.Z != 0 || got.Delta != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestMagnitudeVarghaDelaney(t *testing.T) {
	for delta, want := range map[float64]statistics.Magnitude{
		0: statistics.Negligible, 0.119: statistics.Negligible, 0.12: statistics.Small, -0.27: statistics.Small, 0.28: statistics.Medium,
		-0.41: statistics.Medium, 0.42: statistics.Large, -1: statistics.Large,
	} {
		if got := statistics.MagnitudeOf(delta); got != want {
			t.Errorf("%v: %q, expected %q", delta, got, want)
		}
	}
	if got := statistics.MagnitudeOf(nan); got != "" {
		t.Errorf("NaN: %q", got)
	}
}
