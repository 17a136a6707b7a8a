package model

import "math"

// Tolerance is the relative difference up to which two figures count as equal: a stated figure and the recomputed one, a duration and the
// execution time by the time rule.
const Tolerance = 1e-9

// spacing is the distance from a point in time to the next larger float64. A time that was rounded to a float64 is off by half of it at most.
func spacing(t float64) float64 {
	if t == math.MaxFloat64 { // no float64 is larger, and no tolerance without limit
		return 0x1p971
	}
	return math.Nextafter(t, math.Inf(1)) - t
}

// End is the end of a job that starts at the given time and takes the given duration, as a float64. A job that takes time ends after it
// starts, even where its duration vanishes beside a late start.
func End(start, duration float64) float64 {
	if end := start + duration; end != start {
		return end
	}
	return endAtStart(start, duration)
}

// endAtStart is End where the sum is the start. It stands by itself so that End is inlined.
func endAtStart(start, duration float64) float64 {
	if duration > 0 {
		return math.Nextafter(start, math.Inf(1))
	}
	return start
}

// EndBy is the end of a job that starts at the given time, takes the given duration and has to end by another time; false: it ends later. Decimals need not
// add up in float64 numbers (0.1 + 0.2 is more than 0.3): a job that would end later by no more than a few roundings ends at the time itself, if the checker
// accepts that duration.
func EndBy(start, duration, by float64) (float64, bool) {
	end := End(start, duration)
	if end <= by {
		return end, true
	}
	if end-by <= 2*spacing(by) && by > start && lasts(start, by, duration, duration) {
		return by, true
	}
	return end, false
}

// sumRounding is the rounding error to allow for in a sum of float64 numbers that may cancel each other, relative to the sum of their
// magnitudes: some 45 roundings.
const sumRounding = 1e-14

// differs says whether a stated figure is not the recomputed one, to the relative tolerance and the rounding error of sums
// that cancel. A figure that is not finite cannot be stated.
func differs(stated, found, rounding float64) bool {
	return !isFinite(stated) || !isFinite(found) ||
		math.Abs(stated-found) > Tolerance*max(math.Abs(stated), math.Abs(found))+rounding
}

// metricRounding is the rounding error to allow for in a metric that is a difference of sums: relative to the sums, not to the difference. It
// is 0 for the others, whose summands do not cancel each other. No summand is a point in time, which may count from long ago.
func (e *evaluation) metricRounding(name string) float64 {
	switch name {
	case "idle_time":
		return sumRounding * e.sum(e.idleSize)
	case "cp", "mcp":
		return sumRounding * e.performanceSize()
	case "balance": // a norm of differences of two of them, over the clusters: √(n/(n−1)) ≤ √2 times the largest
		if len(e.clusters) < 2 {
			return 0
		}
		return 2 * math.Sqrt2 * sumRounding * e.performanceSize()
	case "qos_penalty": // sums of (R − d)/d, in which R may be d but for rounding
		return sumRounding * float64(e.placed)
	case "energy_cost":
		return sumRounding * e.powerUse().costSize
	case "carbon":
		return sumRounding * e.powerUse().carbonSize
	}
	return 0
}

// idleSize is the sum of the magnitudes of what the idle time of a cluster is made of.
func (e *evaluation) idleSize(c int) float64 {
	return float64(e.in.clusters[c].Processors)*e.clusters[c].makespan + e.clusters[c].busy
}

// performanceSize is the largest sum of the magnitudes of what the comprehensive performance of a cluster is made of. A mean of such
// figures is made of no more.
func (e *evaluation) performanceSize() float64 {
	most := 0.0
	for c := range e.in.clusters {
		most = max(most, ComprehensivePerformance(e.in.clusters[c].Weights, e.idleSize(c), e.clusters[c].makespan, e.clusters[c].over))
	}
	return most
}

// objectiveRounding is the rounding error to allow for in the objective, of which the metrics, by their positions in the table, may cancel each other.
func (e *evaluation) objectiveRounding(values []float64) float64 {
	sum := 0.0
	for _, t := range e.in.objective {
		if t.Weight != 0 {
			sum += math.Abs(t.Weight) * (e.metricRounding(t.Metric) + sumRounding*math.Abs(values[position(t.Metric)]))
		}
	}
	return sum
}
