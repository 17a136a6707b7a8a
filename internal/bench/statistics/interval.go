package statistics

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate from a sample with its confidence interval.
type Interval struct {
	N        int     // values in the sample
	Estimate float64 // the mean, the geometric mean, the median, …
	// SD is the sample's standard deviation, with N − 1. For the geometric mean it is the factor exp(SD of the logarithms), ≥ 1. It
	// is NaN for a single value and for samples with failed runs.
	SD        float64
	Low, High float64 // ±Inf if the sample is too small for an interval
	Coverage  float64 // probability that such an interval holds the true value: at least the confidence asked for
}

// Mean is the arithmetic mean with Student's interval, mean ± t·SD/√n, t the (1 + confidence)/2 quantile of Student's t with n
// − 1 degrees of freedom. It is exact for a normal sample. For others it is approximate by the central limit theorem, and poor for
// skewed samples; gaps and times are skewed, so show Median or GeometricMean too. For a single value SD is NaN and the interval holds
// all numbers. An empty sample, a value that is not finite and a sum beyond the greatest float are errors. O(n).
//
// Student (1908), The Probable Error of a Mean, doi:10.1093/biomet/6.1.1. The variance is the corrected two-pass one of T. F.
// Chan, G. H. Golub, R. J. LeVeque (1983), doi:10.1080/00031305.1983.10483115, eq. 1.7, from gonum.
func Mean(x []float64, confidence float64) (Interval, error) {
	if err := checkFinite("x", x); err != nil {
		return Interval{}, err
	}
	if err := checkShare("confidence", confidence); err != nil {
		return Interval{}, err
	}
	n := float64(len(x))
	result := Interval{N: len(x), Estimate: Sum(x) / n, SD: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: confidence}
	if math.IsInf(result.Estimate, 0) {
		return Interval{}, fmt.Errorf("x: expected values with a finite sum, found %v", result.Estimate)
	}
	if len(x) == 1 {
		result.Coverage = 1
		return result, nil
	}
	result.SD = stat.StdDev(x, nil)
	if math.IsInf(result.SD, 0) || math.IsNaN(result.SD) {
		return Interval{}, fmt.Errorf("x: expected values with a finite variance, found %v", result.SD)
	}
	if slices.Min(x) == slices.Max(x) {
		result.SD = 0 // all values are equal; the rounding of the mean is not a spread
		result.Estimate = x[0]
	}
	half := studentWidth(confidence, n-1) * result.SD / math.Sqrt(n)
	result.Low, result.High = result.Estimate-half, result.Estimate+half
	return result, nil
}

// studentWidth is the (1 + confidence)/2 quantile of Student's t, by way of the lower tail, in which 1 − confidence keeps its
// digits.
func studentWidth(confidence, degrees float64) float64 {
	return -distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile((1 - confidence) / 2)
}

// tail is the probability that an interval of discrete ranks may leave out. It is a little larger than 1 − confidence, so that rounding does not
// exclude a probability that is equal to it.
func tail(confidence float64) float64 { return (1 - confidence) * (1 + 1e-12) }

// GeometricMean is the shifted geometric mean, exp(Σ ln(xᵢ + shift)/n) − shift, with Student's interval on the scale of the
// logarithms; SD is the factor exp(SD of ln(xᵢ + shift)). Use shift 0 for ratios: only then does the ranking not depend on which
// solver is the reference. For times, a shift about as large as a negligible time (such as 10 s) keeps tiny times from dominating
// the mean. Values with xᵢ + shift ≤ 0 and the errors of Mean are errors here too. For a single value the interval is from −shift
// to +Inf. O(n).
//
// P. J. Fleming, J. J. Wallace (1986), How not to lie with statistics, doi:10.1145/5666.5673; the shift: T. Achterberg (2007),
// Constraint Integer Programming, doi:10.14279/depositonce-1634.
func GeometricMean(x []float64, shift, confidence float64) (Interval, error) {
	if err := checkFinite("x", x); err != nil {
		return Interval{}, err
	}
	if err := checkFinite("shift", []float64{shift}); err != nil {
		return Interval{}, err
	}
	logs := make([]float64, len(x))
	for i, v := range x {
		if !(v+shift > 0) || math.IsInf(v+shift, 0) {
			return Interval{}, fmt.Errorf("x[%d]: expected a number above %v, found %v", i, 0-shift, v)
		}
		logs[i] = math.Log(v + shift)
	}
	result, err := Mean(logs, confidence)
	if err != nil {
		return Interval{}, err
	}
	result.Estimate, result.SD = math.Exp(result.Estimate)-shift, math.Exp(result.SD)
	result.Low, result.High = math.Exp(result.Low)-shift, math.Exp(result.High)-shift
	return result, nil
}

// Median is the median with the interval that inverts the sign test: from the d-th least to the d-th greatest value, d the
// greatest for which P(Binomial(n, ½) < d) ≤ (1 − confidence)/2. It holds for every distribution; Coverage is its exact
// probability (at least that, if the values have ties). Below 6 values there is no interval of 95 %: it is from −Inf to +Inf, Coverage
// 1. SD is NaN if a run failed. Failed runs count as +Inf; if half of the runs or more failed, the median is +Inf. O(n log n).
//
// W. R. Thompson (1936), On confidence ranges for the median and other expectation distributions for populations of unknown
// distribution form, doi:10.1214/aoms/1177732502; M. Hollander, D. A. Wolfe, E. Chicken (2014), Nonparametric Statistical
// Methods, doi:10.1002/9781119196037, section 3.6.
func Median(x []float64, confidence float64) (Interval, error) {
	sorted, err := orderable("x", x)
	if err != nil {
		return Interval{}, err
	}
	if err := checkShare("confidence", confidence); err != nil {
		return Interval{}, err
	}
	slices.Sort(sorted)
	n := len(sorted)
	result := Interval{N: n, Estimate: quantileSorted(sorted, 0.5), SD: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: 1}
	if n > 1 && !math.IsInf(sorted[n-1], 1) {
		result.SD = stat.StdDev(sorted, nil)
	}
	binomial := distuv.Binomial{N: float64(n), P: 0.5}
	// below(d) is P(Binomial < d), which grows with d.
	below := func(d int) float64 { return binomial.CDF(float64(d) - 1) }
	d := sort.Search(n/2+1, func(d int) bool { return 2*below(d) > tail(confidence) }) - 1
	if d > 0 {
		result.Low, result.High, result.Coverage = sorted[d-1], sorted[n-d], 1-2*below(d)
	}
	return result, nil
}
