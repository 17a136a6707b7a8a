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
