package workload_test

import (
	"math"
	"slices"
	"testing"
)

// sample collects draws of one quantity, to be compared with its distribution.
type sample []float64

// add adds a draw.
func (s *sample) add(x float64) { *s = append(*s, x) }

// follows compares the sample with a distribution function by the largest distance between the two (Kolmogorov and Smirnov). A true sample of
// n draws exceeds 2.3/√n in 1 of 20,000 cases.
func (s sample) follows(t *testing.T, what string, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(s)
	n, most := float64(len(s)), 0.0
	for k, x := range s {
		most = max(most, math.Abs(cdf(x)-float64(k)/n), math.Abs(cdf(x)-float64(k+1)/n))
	}
	if !(most <= 2.3/math.Sqrt(n)) {
		t.Errorf("%s: %v draws are %.4f away from their distribution, expected at most %.4f", what, n, most, 2.3/math.Sqrt(n))
	}
}

// uniform checks that the sample fills an interval evenly.
func (s sample) uniform(t *testing.T, what string, low, high float64) {
	t.Helper()
	s.follows(t, what, func(x float64) float64 { return min(max((x-low)/(high-low), 0), 1) })
}

// whole checks that the sample is of whole numbers from low to high, each as often as the others: by χ² with a limit that a true sample
// exceeds in 1 of 10,000 cases (Wilson and Hilferty).
func (s sample) whole(t *testing.T, what string, low, high int) {
	t.Helper()
	counts := make([]float64, high-low+1)
	for _, x := range s {
		if x != math.Trunc(x) || x < float64(low) || x > float64(high) {
			t.Fatalf("%s: %v, expected a whole number from %d to %d", what, x, low, high)
		}
		counts[int(x)-low]++
	}
	expected, chi2 := float64(len(s))/float64(len(counts)), 0.0
	for _, n := range counts {
		chi2 += (n - expected) * (n - expected) / expected
	}
	d := float64(len(counts) - 1)
	if limit := d * math.Pow(1-2/(9*d)+3.72*math.Sqrt(2/(9*d)), 3); chi2 > limit {
		t.Errorf("%s: χ² %v, expected at most %v", what, chi2, limit)
	}
}

// mean returns the mean and the coefficient of variation.
func (s sample) mean() (mean, cv float64) {
	for _, x := range s {
		mean += x / float64(len(s))
	}
	for _, x := range s {
		cv += (x - mean) * (x - mean) / float64(len(s)-1)
	}
	return mean, math.Sqrt(cv) / mean
}

// share checks that hits of n draws have the probability, to 4 standard deviations.
func share(t *testing.T, what string, hits, n int, probability float64) {
	t.Helper()
	found := float64(hits) / float64(n)
	if most := 4 * math.Sqrt(probability*(1-probability)/float64(n)); math.Abs(found-probability) > most {
		t.Errorf("%s: a share of %v in %d draws, expected %v ± %v", what, found, n, probability, most)
	}
}

// exponential is the distribution function of exponential draws.
func exponential(mean float64) func(float64) float64 {
	return func(x float64) float64 { return 1 - math.Exp(-x/mean) }
}
