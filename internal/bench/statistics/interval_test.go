package statistics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/bench/statistics"
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
		normal, logNormal, zero := make([]float64, size), make([]float64, size), make([]float64, size)
		for i := range normal {
			normal[i] = 3 + 2*source.NormFloat64()
			logNormal[i] = math.Exp(source.NormFloat64()) // geometric mean and median 1
		}
		for what, of := range map[string]func() (statistics.Interval, float64, error){
			"mean": func() (statistics.Interval, float64, error) {
				i, err := statistics.Mean(normal, confidence)
				return i, 3, err
			},
			"geometric mean": func() (statistics.Interval, float64, error) {
				i, err := statistics.GeometricMean(logNormal, 0, confidence)
				return i, 1, err
			},
			"median": func() (statistics.Interval, float64, error) {
				i, err := statistics.Median(logNormal, confidence)
				return i, 1, err
			},
			"Hodges-Lehmann": func() (statistics.Interval, float64, error) {
				i, err := statistics.HodgesLehmann(normal, zero, confidence)
				return i, 3, err
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
	got, err := statistics.GeometricMean([]float64{1.2, 0.8, 3.5, 2.0, 0.4}, 0, 0.9) // scipy 1.17.1, on the logarithms
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", got.Estimate, 1.2186692497654916, 1e-14)
	near(t, "factor", got.SD, 2.300689113003093, 1e-13)
	near(t, "low", got.Low, 0.550673021936508, 1e-11)
	near(t, "high", got.High, 2.6969811143121913, 1e-11)

	got, err = statistics.GeometricMean([]float64{0, 90}, 10, 0.95) // √(10·100) − 10
	if err != nil {
		t.Fatal(err)
	}
	near(t, "shifted", got.Estimate, math.Sqrt(1000)-10, 1e-14)

	got, err = statistics.GeometricMean([]float64{5}, 1, 0.95)
	if err != nil || got.Low != -1 || got.High != inf || !math.IsNaN(got.SD) {
		t.Errorf("of one: %+v, %v", got, err)
	}
	near(t, "of one", got.Estimate, 5, 1e-15)

	_, err = statistics.GeometricMean([]float64{1, 0}, 0, 0.95)
	refused(t, "a ratio of 0", err, "x[1]: expected a number above 0, found 0")
	_, err = statistics.GeometricMean([]float64{1, -3}, 2, 0.95)
	refused(t, "a negative number", err, "x[1]: expected a number above -2, found -3")
	_, err = statistics.GeometricMean([]float64{1}, nan, 0.95)
	refused(t, "shift NaN", err, "shift")
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
			interval, err := statistics.GeometricMean(ratios, 0, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			return interval.Estimate
		}
		small(t, "ratio", ratio(a, r)/ratio(b, r), ratio(a, b), 1e-10)
		small(t, "inverse", ratio(b, a), 1/ratio(a, b), 1e-10)
	})
}

// depression is example 3.1 of Hollander and Wolfe: Hamilton scale factor IV of nine patients before (x) and after (y) a
// tranquilliser.
var depression = struct{ x, y []float64 }{
	x: []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
	y: []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29},
}

func TestHodgesLehmannHollanderWolfe(t *testing.T) {
	got, err := statistics.HodgesLehmann(depression.y, depression.x, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	// Their sections 3.2 and 3.3: the estimate −0.46 and the 96.1 % interval (−0.786, −0.010).
	near(t, "estimate", got.Estimate, -0.46, 1e-12)
	near(t, "low", got.Low, -0.786, 1e-12)
	near(t, "high", got.High, -0.010, 1e-12)
	near(t, "coverage", got.Coverage, 0.961, 5e-4)
	if got.N != 9 {
		t.Errorf("N %d", got.N)
	}
}

// The interval of Hodges and Lehmann holds exactly the shifts that the test does not reject.
func TestHodgesLehmannInvertsSignedRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfNDistinct(rapid.Float64Range(-10, 10), 6, 60, rapid.ID).Draw(t, "d")
		interval, err := statistics.HodgesLehmann(d, make([]float64, len(d)), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		p := func(shift float64) float64 {
			moved := make([]float64, len(d))
			for i, v := range d {
				moved[i] = v - shift
			}
			zero := make([]float64, len(d))
			test, err := statistics.SignedRank(moved, zero)
			if err != nil {
				t.Fatal(err)
			}
			if test.Zeros > 0 || test.Plus != math.Trunc(test.Plus) {
				t.Skip("ties")
			}
			return test.P
		}
		const step = 1e-7 // no Walsh averages are so near, nearly always
		if interval.High-interval.Low < 10*step {
			t.Skip("too narrow")
		}
		var averages []float64
		for i, v := range d {
			for _, w := range d[i:] {
				averages = append(averages, (v+w)/2)
			}
		}
		slices.Sort(averages)
		for i := 1; i < len(averages); i++ {
			if averages[i]-averages[i-1] < 3*step {
				t.Skip("averages too near")
			}
		}
		const slack = 1e-9
		if p(interval.Low+step) <= 0.05-slack || p(interval.High-step) <= 0.05-slack {
			t.Fatalf("rejected inside: %v, %v of %+v", p(interval.Low+step), p(interval.High-step), interval)
		}
		if p(interval.Low-step) > 0.05+slack || p(interval.High+step) > 0.05+slack {
			t.Fatalf("not rejected outside: %v, %v of %+v", p(interval.Low-step), p(interval.High+step), interval)
		}
	})
}

func TestMedian(t *testing.T) {
	// The depression data again: with n = 9 the 2nd and the 8th difference, 1 − 2·10/512 = 0.961.
	d := make([]float64, 9)
	for i := range d {
		d[i] = depression.y[i] - depression.x[i]
	}
	got, err := statistics.Median(d, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(d)
	if got.Estimate != d[4] || got.Low != d[1] || got.High != d[7] {
		t.Errorf("%+v of %v", got, d)
	}
	near(t, "coverage", got.Coverage, 1-20.0/512, 1e-14)

	for n, want := range map[int][2]float64{5: {-inf, inf}, 6: {1, 6}, 8: {1, 8}, 9: {2, 8}, 25: {8, 18}, 100: {40, 61}} { // standard tables of the sign test
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(n - i)
		}
		got, err := statistics.Median(x, 0.95)
		if err != nil || got.Low != want[0] || got.High != want[1] {
			t.Errorf("n %d: %+v, %v, expected %v", n, got, err, want)
		}
	}
	got, err = statistics.Median([]float64{1, nan, 2, inf, 3, 4, 5, 6, 7}, 0.95)
	if err != nil || got.Estimate != 5 || got.Low != 2 || got.High != inf || !math.IsNaN(got.SD) {
		t.Errorf("with failures: %+v, %v", got, err)
	}
	got, err = statistics.Median([]float64{1, 2, nan, nan}, 0.95)
	if err != nil || got.Estimate != inf {
		t.Errorf("half failed: %+v, %v", got, err)
	}
}

// The coverage of the median's interval is the sum of binomial probabilities that its ranks leave, and the next rank is too far
// in.
func TestMedianCoverageIsTheGreatestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, confidence := rapid.IntRange(1, 60).Draw(t, "n"), rapid.Float64Range(0.5, 0.999).Draw(t, "confidence")
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i + 1)
		}
		got, err := statistics.Median(x, confidence)
		if err != nil {
			t.Fatal(err)
		}
		term, below, d := math.Exp2(-float64(n)), 0.0, 0
		for ; d <= n/2 && 2*(below+term) <= (1-confidence)*(1+1e-12); d++ {
			below += term
			term *= float64(n-d) / float64(d+1)
		}
		if d == 0 {
			if got.Low != -inf || got.High != inf || got.Coverage != 1 {
				t.Fatalf("%+v", got)
			}
			return
		}
		if got.Low != float64(d) || got.High != float64(n+1-d) {
			t.Fatalf("%+v, expected rank %d of %d", got, d, n)
		}
		near(t, "coverage", got.Coverage, 1-2*below, 1e-12)
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
