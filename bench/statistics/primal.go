package statistics

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Axis says where an incumbent stands along its run.
type Axis func(model.Incumbent) float64

// Seconds is the axis of elapsed time.
func Seconds(i model.Incumbent) float64 { return i.Elapsed }

// Evaluations is the axis of schedules evaluated, which is the same at any speed of the machine.
func Evaluations(i model.Incumbent) float64 { return float64(i.Evaluations) }

// Spent is when a run, along an axis, first had an objective f with f ≤ best + tolerance·(start − best), +Inf if never: the test of convergence
// of Moré and Wild (2009), doi:10.1137/080724083, section 2. start is the objective of the starting point, the same for all
// solvers of a problem (that of a baseline where they start differently); best the least that any of them found. It holds for
// objectives of any sign and does not change when they are shifted or scaled. 0 ≤ tolerance < 1 and start ≥ best, all finite; a
// trace that goes back along the axis is an error. O(len(trace)).
func Spent(trace []model.Incumbent, along Axis, start, best, tolerance float64) (float64, error) {
	if err := checkFinite("start and best", []float64{start, best}); err != nil {
		return 0, err
	}
	if start < best {
		return 0, fmt.Errorf("start: expected a number of at least best, %v, found %v", best, start)
	}
	if !(tolerance >= 0 && tolerance < 1) {
		return 0, fmt.Errorf("tolerance: expected a number from 0 to 1, 1 excluded, found %v", tolerance)
	}
	if err := checkTrace(trace, along); err != nil {
		return 0, err
	}
	target := tolerance*start + (1-tolerance)*best // start − best could overflow
	if tolerance == 0 || start == best {
		target = best // not a rounding of it
	}
	for _, incumbent := range trace {
		if incumbent.Objective <= target {
			return along(incumbent), nil
		}
	}
	return math.Inf(1), nil
}

// checkTrace refuses a trace that goes back along the axis, or is at what is negative or no number.
func checkTrace(trace []model.Incumbent, along Axis) error {
	last := 0.0
	for i, incumbent := range trace {
		at := along(incumbent)
		if !(at >= last) || math.IsInf(at, 1) {
			return fmt.Errorf("trace[%d]: expected it at a finite number of at least %v, found it at %v", i, last, at)
		}
		last = at
	}
	return nil
}

// PrimalGap is how far an objective is from the best known, from 0 to 1:
//
//	γ = 0                                       if objective ≤ best
//	γ = 1                                       if they have different signs, or there is no objective (NaN, ±Inf)
//	γ = (objective − best)/max(|objective|, |best|)   otherwise
//
// Berthold's best is the optimum, of which nothing is better; a best known can be beaten, and that is a gap of 0. Beside a best
// of 0 every other objective has gap 1, and beside a negative one gap 1 starts at 0. A best that is not finite is an error. T.
// Berthold (2013), Measuring the impact of primal heuristics, doi:10.1016/j.orl.2013.08.007, section 2.
func PrimalGap(objective, best float64) (float64, error) {
	if err := checkFinite("best", []float64{best}); err != nil {
		return 1, err
	}
	return primalGap(objective, best), nil
}

// primalGap is PrimalGap to a finite best.
func primalGap(objective, best float64) float64 {
	switch {
	case math.IsNaN(objective), math.IsInf(objective, 0):
		return 1
	case objective <= best:
		return 0
	case objective > 0 && best < 0:
		return 1
	}
	return (objective - best) / max(math.Abs(objective), math.Abs(best))
}

// PrimalIntegral is the area under the primal gap of the best solution so far, from 0 to limit, 1 before the first one: P(T) =
// Σ γᵢ·(tᵢ₊₁ − tᵢ). In the unit of the axis, which is that of the limit; over limit it is the mean gap, from 0 to 1. Incumbents
// after the limit do not count; one that is worse than its predecessor changes nothing. A trace that goes back along the axis or is at what is negative, and a
// limit that is not positive and finite are errors. O(len(trace)).
//
// Berthold (2013), doi:10.1016/j.orl.2013.08.007, section 2.
func PrimalIntegral(trace []model.Incumbent, along Axis, best, limit float64) (float64, error) {
	if err := checkFinite("best", []float64{best}); err != nil {
		return 0, err
	}
	if !(limit > 0) || math.IsInf(limit, 1) {
		return 0, fmt.Errorf("limit: expected a finite number above 0, found %v", limit)
	}
	if err := checkTrace(trace, along); err != nil {
		return 0, err
	}
	gap, since := 1.0, 0.0
	var areas []float64
	for _, incumbent := range trace {
		at := along(incumbent)
		if at > limit {
			break
		}
		areas = append(areas, gap*(at-since))
		gap, since = min(gap, primalGap(incumbent.Objective, best)), at
	}
	return Sum(append(areas, gap*(limit-since))), nil
}
