package statistics

import (
	"fmt"
	"math"
)

// PairedRatio is how a second sample of costs compares with a first, pair by pair.
type PairedRatio struct {
	// Interval has as Estimate the geometric mean of second/first over the N pairs with a ratio (NaN: there is none) and as SD the factor exp(SD of the
	// logarithms). Without an interval it is from 0 to +Inf and its Coverage is 1.
	Interval
	Failed  int // pairs of which one cost is no finite number: a failed run
	Nothing int // pairs of finite costs without a ratio: one is 0 and the other is not, or one is below 0
}

// HasInterval says whether there are enough pairs for an interval.
func (r *PairedRatio) HasInterval() bool { return r.Coverage < 1 }

// LeastPairs is the least number of pairs for an interval: the least n with 2/2ⁿ ≤ 1 − confidence, 6 for 95 %. With fewer no sign test could reject equality,
// however alike all pairs are, and Student's interval of two alike ratios would have hardly any width.
func LeastPairs(confidence float64) int {
	return int(math.Ceil(1 - math.Log2(1-confidence)))
}

// RatioOfPairs is the geometric mean of second/first with Student's interval on the scale of the logarithms: exp(m ± t·SD/√n) for the mean m and the
// deviation SD of ln second − ln first, and t of Student's t with n − 1 degrees of freedom. It is exact where the logarithms are normal. The ratio the other way round has the
// reciprocal interval. Two zeros have the ratio 1. Other pairs without a finite logarithm are counted, not used: see [PairedRatio]. With fewer pairs than
// [LeastPairs] there is no interval. Empty samples and samples of different lengths are errors. O(n).
//
// P. J. Fleming, J. J. Wallace (1986), How not to lie with statistics, doi:10.1145/5666.5673.
func RatioOfPairs(first, second []float64, confidence float64) (PairedRatio, error) {
	result := PairedRatio{Interval: Interval{Estimate: math.NaN(), SD: math.NaN(), High: math.Inf(1), Coverage: 1}}
	switch {
	case len(first) == 0:
		return result, fmt.Errorf("first: expected at least one value, found none")
	case len(first) != len(second):
		return result, fmt.Errorf("second: expected %d values as in first, found %d", len(first), len(second))
	}
	if err := checkShare("confidence", confidence); err != nil {
		return result, err
	}
	var logs []float64
	for k, a := range first {
		switch b := second[k]; {
		case math.IsNaN(a-b) || math.IsInf(a, 0) || math.IsInf(b, 0):
			result.Failed++
		case a == 0 && b == 0:
			logs = append(logs, 0)
		case a <= 0 || b <= 0:
			result.Nothing++
		default:
			logs = append(logs, math.Log(b)-math.Log(a)) // b/a may overflow
		}
	}
	if result.N = len(logs); result.N == 0 {
		return result, nil
	}
	mean, err := Mean(logs, confidence)
	if err != nil {
		return result, err
	}
	result.Estimate, result.SD = math.Exp(mean.Estimate), math.Exp(mean.SD)
	if result.N >= LeastPairs(confidence) {
		result.Low, result.High, result.Coverage = math.Exp(mean.Low), math.Exp(mean.High), confidence
	}
	return result, nil
}
