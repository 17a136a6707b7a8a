package model

import "math"

// Tolerance is the relative difference up to which two figures count as equal. Beside it stands an absolute one, the rounding error
// of the times that a figure is made of, since a figure may be 0 or a small difference of large numbers.
const Tolerance = 1e-9

// timeRounding is the rounding error to allow for in a figure that is a difference of times, relative to the largest of them: some 45
// roundings of a number in double precision.
const timeRounding = 1e-14

// Proves says whether a lower bound shows the evaluated schedule to be optimal: whether it lies below the objective by at most [Tolerance] of
// the objective plus its rounding error.
func (e Evaluation) Proves(bound Bound) bool {
	value, known := bound.Value()
	return known && value >= e.Objective-e.tolerance()
}

// ProvesWithin is like Proves, for a solver that ends its proof at its own relative tolerance.
func (e Evaluation) ProvesWithin(bound Bound, tolerance float64) bool {
	value, known := bound.Value()
	return known && value >= e.Objective-tolerance*math.Abs(e.Objective)-e.tolerance()
}

// Refutes says whether a lower bound is false: whether it exceeds the objective by more than [Tolerance] of the objective plus its rounding
// error.
func (e Evaluation) Refutes(bound Bound) bool {
	value, known := bound.Value()
	return known && value > e.Objective+e.tolerance()
}

// tolerance is what a bound may differ from the objective and still count as equal.
func (e Evaluation) tolerance() float64 { return Tolerance*math.Abs(e.Objective) + e.Rounding }

// ulps is the rounding error to allow for at a point in time.
func ulps(t float64) float64 { return 4 * (math.Nextafter(t, math.Inf(1)) - t) }

// released is the earliest time at which something held in the interval may be used again: the end, less the tolerance of a duration.
func released(start, end float64) float64 {
	return end - Tolerance*(end-start) - ulps(end)
}

// differs says whether a stated figure is not the recomputed one, to the relative tolerance and the rounding error of sums
// that cancel. A figure that is not finite cannot be stated.
func differs(stated, found, rounding float64) bool {
	return !isFinite(stated) || !isFinite(found) ||
		math.Abs(stated-found) > Tolerance*max(math.Abs(stated), math.Abs(found))+rounding
}

// metricRounding is the rounding error to allow for in a metric of the schedule whose last piece ends at the time: nothing in a
// count, that of the largest time in a difference of times, as often as the metric adds such a difference up.
func (e *evaluation) metricRounding(name string) float64 {
	one := timeRounding * e.latest
	switch name {
	case "makespan", "mean_response", "mean_wait":
		return one
	case "over_deadline":
		return one * float64(max(1, e.late))
	case "idle_time":
		return one * float64(e.in.processors)
	case "cp", "mcp":
		return one * e.performanceTimes()
	case "balance": // a norm of differences of two of them, over the clusters: √(n/(n−1)) ≤ √2 times the largest
		if len(e.clusters) < 2 {
			return 0
		}
		return 2 * math.Sqrt2 * one * e.performanceTimes()
	case "qos_penalty": // sums of (R − d)/d, in which R may be d but for rounding
		return timeRounding * float64(e.placed)
	}
	return 0
}

// performanceTimes is how many differences of times the comprehensive performance of a cluster adds up at most, each by its weight. A
// mean of such figures adds up no more.
func (e *evaluation) performanceTimes() float64 {
	most := 0.0
	for c := range e.in.clusters {
		w := e.in.clusters[c].Weights
		if sum := w.Sum(); sum > 0 {
			idle, over := float64(e.in.clusters[c].Processors), float64(max(1, e.late))
			most = max(most, (w.IdleTime*idle+w.Makespan+w.OverDeadline*over)/sum)
		}
	}
	return most
}

// objectiveRounding is the rounding error to allow for in the objective.
func (e *evaluation) objectiveRounding() float64 {
	sum := 0.0
	for _, t := range e.in.objective {
		sum += math.Abs(t.Weight) * e.metricRounding(t.Metric)
	}
	return sum
}
