package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
)

// Verdict is what becomes of a claim.
type Verdict string

// Verdicts.
const (
	Reproduces    Verdict = "reproduces"
	DirectionOnly Verdict = "direction only"
	Fails         Verdict = "does not reproduce"
	NotRun        Verdict = "not run"
)

// The rule of the verdicts, fixed before the first run.
const (
	Confidence = 0.95 // of every interval
	Tolerance  = 0.25 // a number is the paper's where it is within this share of the paper's number, or the paper's is in our interval
)

// Finding is what came out for a claim under a reading.
type Finding struct {
	Claim   *Claim
	Reading *Reading
	Verdict Verdict
	Reason  string // why, where it is not the number alone that says it
	// Value is the difference in percent; of an order how many percentage points it changes; of a sign that at all its points together.
	// N is 0 where there is none: the claim was not run, or is one of worked values.
	Value statistics.Interval
	At    []PointValue // of a sign and an order: the difference in percent at each point
}

// PointValue is a difference in percent at a point.
type PointValue struct {
	Point string
	Value statistics.Interval
}

// Judge is the rule for a number. The direction comes first: the interval of ours must lie on the paper's side of 0, wholly. Then the size: the
// paper's number must lie in our interval, or ours within a quarter of the paper's ([Tolerance]). Both: it reproduces; the
// direction alone: direction only; else it does not reproduce, and the reason says whether the opposite is shown or nothing is.
func Judge(paper float64, ours statistics.Interval) (Verdict, string) {
	if shown, reason := side(paper, ours); !shown {
		return Fails, reason
	}
	if paper >= ours.Low && paper <= ours.High || math.Abs(ours.Estimate-paper) <= Tolerance*math.Abs(paper) {
		return Reproduces, ""
	}
	if math.Abs(ours.Estimate) < math.Abs(paper) {
		return DirectionOnly, "smaller than the paper's"
	}
	return DirectionOnly, "larger than the paper's"
}

// side says whether the interval lies on the claimed side of 0, and otherwise why not.
func side(claimed float64, ours statistics.Interval) (shown bool, reason string) {
	low, high := ours.Low, ours.High
	if claimed < 0 {
		low, high = -high, -low
	}
	switch {
	case low > 0:
		return true, ""
	case high < 0:
		return false, "the opposite is shown"
	}
	return false, "no difference is shown"
}

// sense is the number that stands for a direction.
func sense(direction string) float64 {
	if direction == "less" {
		return -1
	}
	return 1
}

// judgeSigns is the rule for a sign: every point must show it.
func judgeSigns(direction string, at []PointValue) (Verdict, string) {
	var open, opposite []string
	for _, p := range at {
		switch shown, reason := side(sense(direction), p.Value); {
		case shown:
		case reason == "the opposite is shown":
			opposite = append(opposite, p.Point)
		default:
			open = append(open, p.Point)
		}
	}
	var reasons []string
	if len(opposite) > 0 {
		reasons = append(reasons, fmt.Sprintf("the opposite is shown at %s", places(opposite, at)))
	}
	if len(open) > 0 {
		reasons = append(reasons, fmt.Sprintf("no difference is shown at %s", places(open, at)))
	}
	if len(reasons) == 0 {
		return Reproduces, ""
	}
	if shown := len(at) - len(open) - len(opposite); shown > 0 {
		reasons = append(reasons, fmt.Sprintf("shown at %d of %d points", shown, len(at)))
	}
	return Fails, strings.Join(reasons, "; ")
}

// linearised are values whose mean is the difference of the means in percent and whose spread is that of this difference to first order
// (the delta method): with R = mean a/mean b, 100·(R − 1) + 100·(aᵢ − R·bᵢ)/mean b. Values of the same index are of the same instance
// (common random numbers). Where 100 % is the policy's own value, 100·(1 − mean b/mean a) likewise. ok is false where the mean is 0.
//
// W. G. Cochran (1977), Sampling Techniques, 3rd edition, §2.11 and §6.3, the ratio estimator and its variance.
func linearised(a, b []float64, own bool) (values []float64, ok bool) {
	n := float64(len(a))
	top, base, sign := a, b, 1.0
	if own {
		top, base, sign = b, a, -1.0
	}
	mean := statistics.Sum(base) / n
	if !(math.Abs(mean) > 0) {
		return nil, false
	}
	ratio := statistics.Sum(top) / n / mean
	for i := range a {
		values = append(values, sign*100*(ratio-1+(top[i]-ratio*base[i])/mean))
	}
	return values, true
}

// places are points in words.
func places(ids []string, all []PointValue) string {
	if len(ids) == len(all) && len(all) > 2 {
		return "every point"
	}
	return strings.Join(ids, "; ")
}
