package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
)

// Verdict says whether a claim reproduces.
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
	Confidence = 0.95 // confidence of every interval
	Tolerance  = 0.25 // our number agrees with the paper's if it is within this share of it, or if the paper's is in our interval
)

// Finding is the verdict on a claim under a reading, with our number.
type Finding struct {
	Claim   *Claim
	Reading *Reading
	Verdict Verdict
	Reason  string // explains the verdict, if the number alone does not
	// Value is the difference in percent. For an order it is the change of that difference in percentage points; for a sign it is the difference
	// over all its points together. N is 0 if there is no value: the claim was not run, or is about worked values.
	Value statistics.Interval
	At    []PointValue // for a sign and an order, the difference in percent at each point
}

// PointValue is a difference in percent at a point.
type PointValue struct {
	Point string
	Value statistics.Interval
}

// Judge applies the rule for a number. First the direction: our whole interval must lie on the paper's side of 0. Then the size: the paper's
// number must lie in our interval, or our number must be within a quarter of the paper's ([Tolerance]). If both hold, the claim reproduces. If only
// the direction holds, the verdict is direction only. Otherwise the claim does not reproduce, and the reason says whether the data show the
// opposite or no difference.
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

// side reports whether the interval lies on the claimed side of 0, and if not, why.
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

// sense returns a number with the sign of the direction.
func sense(direction string) float64 {
	if direction == "less" {
		return -1
	}
	return 1
}

// judgeSigns applies the rule for a sign: every point must show the direction.
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

// linearised returns values whose mean is the difference of the means in percent. Their spread is the spread of this difference to first order (the
// delta method). With R = mean a/mean b, value i is 100·(R − 1) + 100·(aᵢ − R·bᵢ)/mean b. Values of a and b with the same index come from the same
// instance (common random numbers). If own is true, 100 % is the policy's own value, and the values are those of 100·(1 − mean b/mean a),
// linearised in the same way. ok is false if the mean is 0.
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

// places names points in words.
func places(ids []string, all []PointValue) string {
	if len(ids) == len(all) && len(all) > 2 {
		return "every point"
	}
	return strings.Join(ids, "; ")
}
