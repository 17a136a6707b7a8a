package statistics

import (
	"fmt"
	"math"
	"slices"
)

// Interval is an estimate from a sample with its confidence interval.
type Interval struct {
	N        int     // values in the sample
	Estimate float64 // the mean or the geometric mean
	// SD is the sample's standard deviation, with N − 1. For the geometric mean it is the factor exp(SD of the logarithms), ≥ 1. It
	// is NaN for a single value.
	SD        float64
	Low, High float64 // ±Inf if the sample is too small for an interval
	Coverage  float64 // probability that such an interval holds the true value: at least the confidence asked for
}

// Mean is the arithmetic mean with Student's interval, mean ± t·SD/√n, t the (1 + confidence)/2 quantile of Student's t with n
// − 1 degrees of freedom. It is exact for a normal sample. For others it is approximate by the central limit theorem, and poor for
// skewed samples; gaps and times are skewed, so show a median or GeometricMean too. For a single value SD is NaN and the interval holds
// all numbers. An empty sample, a value that is not finite and a sum beyond the greatest float are errors. O(n).
//
// Student (1908), The Probable Error of a Mean, doi:10.1093/biomet/6.1.1. The variance is the corrected two-pass one of T. F.
// Chan, G. H. Golub, R. J. LeVeque (1983), doi:10.1080/00031305.1983.10483115, eq. 1.7.
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
	result.SD = deviation(x)
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

// GeometricMean is the geometric mean of ratios, exp(Σ ln xᵢ/n), with Student's interval on the scale of the logarithms; SD is the factor
// exp(SD of ln xᵢ). Its ranking does not depend on which solver is the reference. Values that are not above 0 and the errors of Mean are errors
// here too. For a single value the interval is from 0 to +Inf. O(n).
//
// P. J. Fleming, J. J. Wallace (1986), How not to lie with statistics, doi:10.1145/5666.5673.
func GeometricMean(x []float64, confidence float64) (Interval, error) {
	if err := checkFinite("x", x); err != nil {
		return Interval{}, err
	}
	logs := make([]float64, len(x))
	for i, v := range x {
		if !(v > 0) {
			return Interval{}, fmt.Errorf("x[%d]: expected a number above 0, found %v", i, v)
		}
		logs[i] = math.Log(v)
	}
	result, err := Mean(logs, confidence)
	if err != nil {
		return Interval{}, err
	}
	result.Estimate, result.SD = math.Exp(result.Estimate), math.Exp(result.SD)
	result.Low, result.High = math.Exp(result.Low), math.Exp(result.High)
	return result, nil
}
