package statistics_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// near fails unless got is want to the relative tolerance, or to the absolute one below 1.
func near(t rapid.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(want) && math.IsNaN(got) || got == want {
		return
	}
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: %v, expected %v", what, got, want)
	}
}

// small is near with a purely relative tolerance, for probabilities.
func small(t rapid.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %v, expected %v", what, got, want)
	}
}

// refused fails unless err names what is wrong.
func refused(t rapid.TB, what string, err error, words string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: accepted", what)
	} else if !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %q does not say %q", what, err, words)
	}
}

// samples of finite numbers, of which many are equal.
func sample(least, most int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) }),
		rapid.Float64Range(-100, 100),
	), least, most)
}

// costs are samples with failures. They are multiples of 1/1024, so that differences are exact and the ties of a brute-force reference
// those of the real numbers.
func costs(least, most int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 4), func(i int) float64 { return float64(i) }),
		rapid.Map(rapid.IntRange(0, 100*1024), func(i int) float64 { return float64(i) / 1024 }),
		rapid.SampledFrom([]float64{inf, nan}),
	), least, most)
}

// table is problems × solvers of costs.
func table(t *rapid.T, least int) [][]float64 {
	solvers := rapid.IntRange(2, 6).Draw(t, "solvers")
	return rapid.SliceOfN(costs(solvers, solvers), least, 8).Draw(t, "table")
}

// shuffled is a permutation of x.
func shuffled[T any](t *rapid.T, x []T) []T { return rapid.Permutation(x).Draw(t, "order") }

func TestSumKeepsWhatRoundingLoses(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{1, 1e100, 1, -1e100}, 2}, // Neumaier's correction of Kahan's rule: which gives 0
		{[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1},
		{[]float64{inf, 1}, inf},
		{[]float64{1, -inf, 2}, -inf},
		{[]float64{inf, -inf}, nan},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, inf},
	} {
		if got := statistics.Sum(c.x); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Sum(%v) = %v, expected %v", c.x, got, c.want)
		}
	}
}

func TestSumAgainstExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e12, 1e12), 0, 60).Draw(t, "x")
		exact, sizes := new(big.Float).SetPrec(2000), 0.0
		for _, v := range x {
			exact.Add(exact, new(big.Float).SetFloat64(v))
			sizes += math.Abs(v)
		}
		want, _ := exact.Float64()
		if got := statistics.Sum(x); math.Abs(got-want) > 0x1p-52*math.Abs(want)+3600*0x1p-104*sizes {
			t.Fatalf("Sum = %v, exactly %v", got, want)
		}
	})
}

func TestNothingChangesItsArguments(t *testing.T) {
	a, b := []float64{3, nan, 1, 2, inf, 7}, []float64{2, 2, nan, 1, 0, 9}
	rows := [][]float64{slices.Clone(a), slices.Clone(b)}
	before := [][]float64{slices.Clone(a), slices.Clone(b), slices.Clone(a), slices.Clone(b)}
	_, _ = statistics.Quantile(a, 0.3)
	_, _ = statistics.SignedRank(a, b)
	_, _ = statistics.RankSum(a, b)
	_, _ = statistics.Friedman(rows)
	_, _ = statistics.PerformanceProfile(rows)
	_, _ = statistics.DataProfile(rows)
	_, _ = statistics.Empirical(a)
	_, _ = statistics.Cliques(b, 1)
	_, _ = statistics.Holm(b)
	for i, x := range [][]float64{a, b, rows[0], rows[1]} {
		for j := range x {
			if x[j] != before[i][j] && !(math.IsNaN(x[j]) && math.IsNaN(before[i][j])) {
				t.Errorf("argument %d became %v", i, x)
			}
		}
	}
}

func TestBadSamplesAreRefused(t *testing.T) {
	few := []float64{1, 2}
	for what, call := range map[string]func(x []float64) error{
		"Mean":          func(x []float64) error { _, err := statistics.Mean(x, 0.95); return err },
		"GeometricMean": func(x []float64) error { _, err := statistics.GeometricMean(x, 0.95); return err },
		"Quantile":      func(x []float64) error { _, err := statistics.Quantile(x, 0.5); return err },
		"SignedRank":    func(x []float64) error { _, err := statistics.SignedRank(x, x); return err },
		"RankSum a":     func(x []float64) error { _, err := statistics.RankSum(x, few); return err },
		"RankSum b":     func(x []float64) error { _, err := statistics.RankSum(few, x); return err },
		"Friedman":      func(x []float64) error { _, err := statistics.Friedman([][]float64{x, x}); return err },
		"Performance":   func(x []float64) error { _, err := statistics.PerformanceProfile([][]float64{x, x}); return err },
		"Data":          func(x []float64) error { _, err := statistics.DataProfile([][]float64{x, x}); return err },
		"Empirical":     func(x []float64) error { _, err := statistics.Empirical(x); return err },
	} {
		refused(t, what+" of nothing", call(nil), "found none")
		refused(t, what+" of -Inf", call([]float64{1, -inf}), "-Inf")
	}
	for what, x := range map[string][]float64{"NaN": {1, nan}, "+Inf": {1, inf}} {
		_, err := statistics.Mean(x, 0.95)
		refused(t, "Mean", err, "x[1]: expected a finite number, found "+what)
		_, err = statistics.GeometricMean(x, 0.95)
		refused(t, "GeometricMean", err, "found "+what)
	}
	for _, confidence := range []float64{0, 1, -1, 2, nan} {
		_, err := statistics.Mean(few, confidence)
		refused(t, "Mean", err, "confidence")
	}
	_, err := statistics.SignedRank(few, few[:1])
	refused(t, "SignedRank", err, "b: expected 2 values, one for each of a, found 1")
	_, err = statistics.Mean([]float64{1e308, 1e308}, 0.95)
	refused(t, "Mean", err, "finite sum")
	_, err = statistics.Mean([]float64{1e308, -1e308}, 0.95)
	refused(t, "Mean", err, "finite variance")
}
