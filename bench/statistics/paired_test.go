package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Worked by hand: the ratios 1/2, 1, 2, 1/2, 1, 2 have the geometric mean 1 and logarithms of deviation ln 2·√(4/5); t of 5 degrees of freedom is 2.570582.
func TestRatioOfPairsByHand(t *testing.T) {
	first := []float64{2, 10, 5, 4, 7, 3}
	second := []float64{1, 10, 10, 2, 7, 6}
	got, err := RatioOfPairs(first, second, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	half := 2.570582 * math.Ln2 * math.Sqrt(0.8) / math.Sqrt(6)
	if got.N != 6 || math.Abs(got.Estimate-1) > 1e-12 || math.Abs(got.High-math.Exp(half)) > 1e-6 || math.Abs(got.Low-math.Exp(-half)) > 1e-6 || !got.HasInterval() {
		t.Errorf("found %+v, expected 1 [%v, %v]", got, math.Exp(-half), math.Exp(half))
	}
}

// slowStudent is the quantile of Student's t by bisection of the integral of its density (the trapezoidal rule on x = tan u).
func slowStudent(tail, degrees float64) float64 {
	lower, _ := math.Lgamma(degrees / 2)
	upper, _ := math.Lgamma((degrees + 1) / 2)
	scale := math.Exp(upper-lower) / math.Sqrt(degrees*math.Pi)
	above := func(x float64) float64 {
		const steps = 20000
		from := math.Atan(x)
		width := (math.Pi/2 - from) / steps
		sum := 0.0
		for k := range steps {
			u := from + (float64(k)+0.5)*width
			tan := math.Tan(u)
			sum += scale * math.Pow(1+tan*tan/degrees, -(degrees+1)/2) * (1 + tan*tan) * width
		}
		return sum
	}
	low, high := 0.0, 100.0
	for range 60 {
		if middle := (low + high) / 2; above(middle) > tail {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// The interval is that of a slow reference: the product and its root, the sum of squares over all pairs of logarithms, and the quantile by integration.
func TestRatioOfPairsSlowly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := 6; n < 30; n += 7 {
		var first, second []float64
		product := 1.0
		for range n {
			a, b := math.Exp(random.NormFloat64()), math.Exp(random.NormFloat64()-0.2)
			first, second = append(first, a), append(second, b)
			product *= b / a
		}
		squares := 0.0 // of all differences of two: 2·n times the sum of squares around the mean
		for i := range n {
			for j := range n {
				d := math.Log(second[i]*first[j]) - math.Log(first[i]*second[j])
				squares += d * d
			}
		}
		spread := math.Sqrt(squares / 2 / float64(n) / float64(n-1))
		half := slowStudent(0.025, float64(n-1)) * spread / math.Sqrt(float64(n))
		want := math.Pow(product, 1/float64(n))
		got, err := RatioOfPairs(first, second, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for name, pair := range map[string][2]float64{"estimate": {got.Estimate, want}, "low": {got.Low, want * math.Exp(-half)}, "high": {got.High, want * math.Exp(half)}} {
			if math.Abs(pair[0]/pair[1]-1) > 1e-6 {
				t.Errorf("%d pairs: %s %v, expected %v", n, name, pair[0], pair[1])
			}
		}
		back, err := RatioOfPairs(second, first, 0.95)
		if err != nil || math.Abs(back.Low*got.High-1) > 1e-12 || math.Abs(back.Estimate*got.Estimate-1) > 1e-12 {
			t.Errorf("%d pairs the other way round: %+v beside %+v (%v)", n, back, got, err)
		}
	}
}

// 95 % of the intervals hold the true ratio where the logarithms are normal.
func TestRatioOfPairsCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const samples, truth = 4000, 0.9
	held := 0
	for range samples {
		var first, second []float64
		for range 8 {
			size := math.Exp(3 * random.NormFloat64()) // of the instance
			first, second = append(first, size), append(second, size*truth*math.Exp(0.1*random.NormFloat64()))
		}
		got, err := RatioOfPairs(first, second, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if got.Low <= truth && truth <= got.High {
			held++
		}
	}
	if share := float64(held) / samples; share < 0.94 || share > 0.96 {
		t.Errorf("%.3f of the intervals hold the true ratio, expected 0.95", share)
	}
}

// What has no ratio is counted and does not count; few pairs have no interval.
func TestRatioOfPairsOddValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got, err := RatioOfPairs([]float64{0, 0, 1, -1, nan, 1, -2, 4}, []float64{0, 3, 0, 1, 1, inf, -4, 2}, 0.95)
	if err != nil || got.N != 2 || got.Failed != 2 || got.Nothing != 4 || math.Abs(got.Estimate-math.Sqrt(0.5)) > 1e-12 {
		t.Errorf("found %+v (%v), expected the ratio √½ of 2 pairs, 2 failed, 4 without a ratio", got, err)
	}
	if got.HasInterval() || got.Low != 0 || !math.IsInf(got.High, 1) {
		t.Errorf("found the interval [%v, %v] of 2 pairs, expected none", got.Low, got.High)
	}
	none, err := RatioOfPairs([]float64{nan}, []float64{1}, 0.95)
	if err != nil || none.N != 0 || !math.IsNaN(none.Estimate) || none.HasInterval() {
		t.Errorf("found %+v (%v), expected no ratio", none, err)
	}
	huge, err := RatioOfPairs([]float64{1e-300}, []float64{1e300}, 0.95)
	if err != nil || huge.N != 1 || huge.Failed != 0 {
		t.Errorf("found %+v (%v), expected a ratio beyond the greatest float", huge, err)
	}
	same, err := RatioOfPairs(slices.Repeat([]float64{3}, 6), slices.Repeat([]float64{3}, 6), 0.95)
	if err != nil || same.Estimate != 1 || same.Low != 1 || same.High != 1 {
		t.Errorf("found %+v (%v), expected 1 [1, 1]", same, err)
	}
	for _, n := range []struct {
		confidence float64
		pairs      int
	}{{0.95, 6}, {0.9, 5}, {0.99, 8}, {0.5, 2}} {
		if got := LeastPairs(n.confidence); got != n.pairs {
			t.Errorf("LeastPairs(%v) = %d, expected %d", n.confidence, got, n.pairs)
		}
	}
	for _, c := range [][2][]float64{{nil, nil}, {{1}, {1, 2}}} {
		if _, err := RatioOfPairs(c[0], c[1], 0.95); err == nil {
			t.Errorf("RatioOfPairs(%v) has no error", c)
		}
	}
	if _, err := RatioOfPairs([]float64{1}, []float64{1}, 1); err == nil {
		t.Error("a confidence of 1 has no error")
	}
}
