package ggone

import (
	"context"
	"math"
	"testing"
)

// endlessProblem is two tasks at a rate with an idle rate; the first machine is much faster than all that comes in.
func endlessProblem(rate, fast float64) *Problem {
	class := func(rate float64, machines int) Class {
		return Class{ServiceRate: rate, Kappa: 0.5, Machines: machines, Service: []float64{0.1, 0.2}}
	}
	return &Problem{Period: 1, Rate: rate, Tasks: []Task{{Deadline: 0.1, Budget: math.Inf(1)}, {Deadline: 2, Budget: math.Inf(1)}},
		Classes: []Class{class(fast, 1), class(2, 2)}}
}

// A box of loads up to the rate of service of a machine that would take anything has no end: with a number of evaluations the search never
// came back, whatever its context said.
func TestIdleRateOnAMachineWithoutLimit(t *testing.T) {
	for _, c := range []struct {
		rate, fast float64
		found      bool // a start of finite penalty; where there is too much idle rate the search only has to come back, without filling the memory
	}{{6, 1e200, true}, {6, 1e12, true}, {1e9, 1e12, false}} {
		result, err := Solve(context.Background(), endlessProblem(c.rate, c.fast), Options{Evaluations: 200})
		if err != nil || c.found && math.IsInf(result.Objective, 1) || result.Bound.Or(0) > result.Objective {
			t.Errorf("rate %v, fast machine %v: got %+v, %v", c.rate, c.fast, result, err)
		}
	}
}
