package statistics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
)

// sleep is the additional sleep by the second of Cushny and Peebles' drugs, differences of Student (1908), section IX.
var sleep = []float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4}

func TestMeanStudent1908(t *testing.T) {
	got, err := statistics.Mean(sleep, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	// Student gives the mean 1.58 and, with n instead of n − 1, the deviation 1.17. The interval is scipy 1.17.1's.
	near(t, "mean", got.Estimate, 1.58, 1e-15)
	near(t, "his deviation", got.SD*math.Sqrt(0.9), 1.17, 5e-3)
	near(t, "deviation", got.SD, 1.229995483279873, 1e-14)
	near(t, "low", got.Low, 0.7001142367230174, 1e-12)
	near(t, "high", got.High, 2.4598857632769824, 1e-12)
	if got.N != 10 || got.Coverage != 0.95 {
		t.Errorf("N %d, coverage %v", got.N, got.Coverage)
	}
}

// Quantiles of Student's t, of scipy 1.17.1: for a mean of 0 with SD √n the half width is the quantile.
func TestMeanStudentQuantiles(t *testing.T) {
	for _, c := range []struct {
		n          int
		confidence float64
		quantile   float64
	}{
		{2, 0.95, 12.706204736174694},
		{3, 0.99, 9.924843200918287},
		{6, 0.90, 2.0150483733330233},
		{31, 0.95, 2.0422724563012378},
		{1001, 0.999, 3.300282648423944},
	} {
		x := make([]float64, c.n) // n/2 times ±1, and a 0 where n is odd: SD² = 2⌊n/2⌋/(n − 1)
		for i := range c.n / 2 {
			x[2*i], x[2*i+1] = 1, -1
		}
		got, err := statistics.Mean(x, c.confidence)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "half width", got.High/got.SD*math.Sqrt(float64(c.n)), c.quantile, 1e-10)
	}
}

func TestMeanOfOneAndOfEqualValues(t *testing.T) {
	got, err := statistics.Mean([]float64{7}, 0.95)
	if err != nil || got.Estimate != 7 || !math.IsNaN(got.SD) || got.Low != -inf || got.High != inf || got.Coverage != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = statistics.Mean([]float64{0.1, 0.1, 0.1}, 0.95)
	if err != nil || got.Estimate != 0.1 || got.SD != 0 || got.Low != 0.1 || got.High != 0.1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMeanMovesWithItsSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := sample(2, 20).Draw(t, "x")
		shift, scale := rapid.Float64Range(-100, 100).Draw(t, "shift"), rapid.Float64Range(0.01, 100).Draw(t, "scale")
		y := make([]float64, len(x))
		for i, v := range shuffled(t, x) {
			y[i] = v*scale + shift
		}
		a, errA := statistics.Mean(x, 0.9)
		b, errB := statistics.Mean(y, 0.9)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		near(t, "mean", b.Estimate, a.Estimate*scale+shift, 1e-10)
		near(t, "low", b.Low, a.Low*scale+shift, 1e-8)
		near(t, "high", b.High, a.High*scale+shift, 1e-8)
		wider, _ := statistics.Mean(x, 0.99)
		if wider.Low > a.Low || wider.High < a.High || a.Low > a.Estimate || a.High < a.Estimate {
			t.Fatalf("%+v beside %+v", wider, a)
		}
	})
}

// Of many samples of a known distribution the intervals must hold the true value as often as they say.
func TestIntervalsCover(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	const samples, size, confidence = 4000, 12, 0.9
	held := map[string]int{}
	covered := map[string]float64{}
	for range samples {
		normal, logNormal := make([]float64, size), make([]float64, size)
		for i := range normal {
			normal[i] = 3 + 2*source.NormFloat64()
			logNormal[i] = math.Exp(source.NormFloat64()) // geometric mean 1
		}
		for what, of := range map[string]func() (statistics.Interval, float64, error){
			"mean": func() (statistics.Interval, float64, error) {
				i, err := statistics.Mean(normal, confidence)
				return i, 3, err
			},
			"geometric mean": func() (statistics.Interval, float64, error) {
				i, err := statistics.GeometricMean(logNormal, confidence)
				return i, 1, err
			},
		} {
			interval, truth, err := of()
			if err != nil {
				t.Fatal(err)
			}
			covered[what] = interval.Coverage
			if interval.Low <= truth && truth <= interval.High {
				held[what]++
			}
		}
	}
	for what, count := range held {
		share, coverage := float64(count)/samples, covered[what]
		if deviation := math.Sqrt(coverage * (1 - coverage) / samples); math.Abs(share-coverage) > 4*deviation {
			t.Errorf("%s: held in %.4f of the samples, says %.4f", what, share, coverage)
		}
		if coverage < confidence {
			t.Errorf("%s: coverage %v below %v", what, coverage, confidence)
		}
	}
}

func TestGeometricMean(t *testing.T) {
	got, err := statistics.GeometricMean([]float64{1.2, 0.8, 3.5, 2.0, 0.4}, 0.9) // scipy 1.17.1, on the logarithms
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", got.Estimate, 1.2186692497654916, 1e-14)
	near(t, "factor", got.SD, 2.300689113003093, 1e-13)
	near(t, "low", got.Low, 0.550673021936508, 1e-11)
	near(t, "high", got.High, 2.6969811143121913, 1e-11)

	got, err = statistics.GeometricMean([]float64{5}, 0.95)
	if err != nil || got.Low != 0 || got.High != inf || !math.IsNaN(got.SD) {
		t.Errorf("of one: %+v, %v", got, err)
	}
	near(t, "of one", got.Estimate, 5, 1e-15)

	_, err = statistics.GeometricMean([]float64{1, 0}, 0.95)
	refused(t, "a ratio of 0", err, "x[1]: expected a number above 0, found 0")
	_, err = statistics.GeometricMean([]float64{1, -3}, 0.95)
	refused(t, "a negative number", err, "x[1]: expected a number above 0, found -3")
}

// Fleming and Wallace (1986): only the geometric mean gives the same order whichever machine is the reference.
func TestGeometricMeanFlemingWallace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "n")
		times := rapid.SliceOfN(rapid.Float64Range(0.01, 100), n, n)
		a, b, r := times.Draw(t, "a"), times.Draw(t, "b"), times.Draw(t, "reference")
		ratio := func(x, y []float64) float64 {
			ratios := make([]float64, n)
			for i := range x {
				ratios[i] = x[i] / y[i]
			}
			interval, err := statistics.GeometricMean(ratios, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			return interval.Estimate
		}
		small(t, "ratio", ratio(a, r)/ratio(b, r), ratio(a, b), 1e-10)
		small(t, "inverse", ratio(b, a), 1/ratio(a, b), 1e-10)
	})
}

func TestQuantile(t *testing.T) {
	z := []float64{3.1, 0.2, 5.5, 2.2, 9.7, 4.4, 1.0}
	for p, want := range map[float64]float64{0: 0.2, 0.1: 0.68, 0.25: 1.6, 0.5: 3.1, 0.9: 7.18, 1: 9.7} { // NumPy 2.4.6
		got, err := statistics.Quantile(z, p)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "quantile", got, want, 1e-14)
	}
	for p, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 3, 0.6: inf, 1: inf} {
		if got, err := statistics.Quantile([]float64{nan, 1, 3, inf, 2}, p); err != nil || got != want {
			t.Errorf("quantile %v with failures: %v, %v, expected %v", p, got, err, want)
		}
	}
	if got, err := statistics.Quantile([]float64{-math.MaxFloat64, math.MaxFloat64}, 0.5); err != nil || got != 0 {
		t.Errorf("of extremes: %v, %v", got, err)
	}
	for _, p := range []float64{-0.1, 1.1, nan} {
		_, err := statistics.Quantile(z, p)
		refused(t, "p", err, "p: expected a number from 0 to 1")
	}
}

func TestQuantileRisesWithinTheSample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := sample(1, 12).Draw(t, "x")
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 2).Draw(t, "p")
		slices.Sort(p)
		low, _ := statistics.Quantile(x, p[0])
		high, _ := statistics.Quantile(shuffled(t, x), p[1])
		if low > high+1e-12 || low < slices.Min(x) || high > slices.Max(x) {
			t.Fatalf("quantiles %v: %v, %v of %v", p, low, high, x)
		}
	})
}
