package statistics

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Axis gives the position of an incumbent along its run.
type Axis func(model.Incumbent) float64

// Seconds is the axis of elapsed time.
func Seconds(i model.Incumbent) float64 { return i.Elapsed }

// Evaluations is the axis of schedules evaluated, which is the same at any speed of the machine.
func Evaluations(i model.Incumbent) float64 { return float64(i.Evaluations) }

// Spent returns the position, along an axis, at which a run first had an objective f with f ≤ best + tolerance·(start − best), or +Inf if it
// never had. This is the convergence test of Moré and Wild (2009), doi:10.1137/080724083, section 2. start is the objective of the starting
// point and must be the same for all solvers of a problem (if they start differently, take the objective of a baseline). best is the least
// objective that any of them found. Objectives may have any sign; shifting or scaling them does not change the result. It requires
// 0 ≤ tolerance < 1 and start ≥ best, all finite. Incumbents that go back along the axis are an error. O(len(incumbents)).
func Spent(incumbents []model.Incumbent, along Axis, start, best, tolerance float64) (float64, error) {
	if err := checkFinite("start and best", []float64{start, best}); err != nil {
		return 0, err
	}
	if start < best {
		return 0, fmt.Errorf("start: expected a number of at least best, %v, found %v", best, start)
	}
	if !(tolerance >= 0 && tolerance < 1) {
		return 0, fmt.Errorf("tolerance: expected a number from 0 to 1, 1 excluded, found %v", tolerance)
	}
	if err := checkOrder(incumbents, along); err != nil {
		return 0, err
	}
	target := tolerance*start + (1-tolerance)*best // start − best could overflow
	if tolerance == 0 || start == best {
		target = best // exactly, without rounding
	}
	for _, incumbent := range incumbents {
		if incumbent.Objective <= target {
			return along(incumbent), nil
		}
	}
	return math.Inf(1), nil
}

// checkOrder returns an error if an incumbent goes back along the axis, or if its position is negative or not a finite number.
func checkOrder(incumbents []model.Incumbent, along Axis) error {
	last := 0.0
	for i, incumbent := range incumbents {
		at := along(incumbent)
		if !(at >= last) || math.IsInf(at, 1) {
			return fmt.Errorf("incumbents[%d]: expected it at a finite number of at least %v, found it at %v", i, last, at)
		}
		last = at
	}
	return nil
}

// PrimalGap measures how far an objective is from the best known one, from 0 to 1:
//
//	γ = 0                                       if objective ≤ best
//	γ = 1                                       if they have different signs, or there is no objective (NaN, ±Inf)
//	γ = (objective − best)/max(|objective|, |best|)   otherwise
//
// Berthold's best is the optimum. Ours is only the best known objective; one that is better has the gap 0. If best is 0, every worse objective
// has the gap 1. If best is negative, every objective of 0 or more has the gap 1. A best that is not finite is an error. T. Berthold (2013),
// Measuring the impact of primal heuristics, doi:10.1016/j.orl.2013.08.007, section 2.
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

// PrimalIntegral computes the area under the primal gap of the best solution so far, from 0 to limit: P(T) = Σ γᵢ·(tᵢ₊₁ − tᵢ). The gap is 1
// before the first solution. The area and the limit are in the unit of the axis; the area divided by the limit is the mean gap, from 0 to 1.
// Incumbents after the limit do not count. One that is worse than the incumbent before it changes nothing. Incumbents that go back along the
// axis or have a negative position, and a limit that is not positive and finite, are errors. O(len(incumbents)).
//
// Berthold (2013), doi:10.1016/j.orl.2013.08.007, section 2.
func PrimalIntegral(incumbents []model.Incumbent, along Axis, best, limit float64) (float64, error) {
	if err := checkFinite("best", []float64{best}); err != nil {
		return 0, err
	}
	if !(limit > 0) || math.IsInf(limit, 1) {
		return 0, fmt.Errorf("limit: expected a finite number above 0, found %v", limit)
	}
	if err := checkOrder(incumbents, along); err != nil {
		return 0, err
	}
	gap, since := 1.0, 0.0
	var areas []float64
	for _, incumbent := range incumbents {
		at := along(incumbent)
		if at > limit {
			break
		}
		areas = append(areas, gap*(at-since))
		gap, since = min(gap, primalGap(incumbent.Objective, best)), at
	}
	return Sum(append(areas, gap*(limit-since))), nil
}
