package bound

import (
	"math"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
)

// grain is a step of time of which all times of an instance are multiples, but for rounding.
type grain struct {
	step float64 // 0: there is none
	off  float64 // by how much a time may differ from the multiple next to it
}

// roundUp raises a bound of a metric to the next value that a best schedule can have; others are returned as they are.
//
// Take a best schedule and move its jobs to the left, one by one in order of start, as far as their arrivals, the jobs they wait
// for and what the others hold allow. No end and no start becomes later, so that makespan, over_deadline, mean_response and mean_wait
// do not grow, and every job starts at its arrival or at the end of another: each time in the schedule is an arrival and some
// execution times. Where all of these (and the deadlines, for over_deadline) are multiples of a step, so is the metric; a mean over n
// jobs is a multiple of step/n where every schedule has to place all jobs. This needs execution times that do not depend on how
// the tasks of a job are shared out, and processors that are free at first. Background load, which may make a job longer, makes none of these metrics
// smaller.
//
// Tenths are not float64 numbers, so a time may be off by some rounding. Let all times be off by at most d. A time in the schedule
// adds up at most n+1 of them; with the times replaced by their multiples, the same order of jobs costs at most e more, e being
// (n+1)·d for the makespan, as derived in error for the others. So from a bound b of the instance follows one of b − e for the
// replaced one, whose optimum is the next multiple at least, and from that one of this multiple − e for the instance.
func (r *Relaxation) roundUp(metric string, bound float64) float64 {
	step, wrong := r.stepOf(metric)
	if step == 0 || wrong > 1e-3*step || !(bound > 0) {
		return bound
	}
	const margin = 1e-6 // of a step: a bound just above a value is not raised to the next
	value := step * math.Ceil((bound-wrong)/step-margin)
	if wrong > 0 {
		value -= wrong + 4*gate.Epsilon*value
	}
	return max(bound, value)
}

// stepOf is the step of a metric's values, 0 where there is none, and by how much a value may differ from its multiples.
func (r *Relaxation) stepOf(metric string) (step, wrong float64) {
	n := float64(len(r.in.Jobs()))
	switch metric {
	case "missed":
		return 1, 0
	case "makespan":
		g := r.grainOf(false)
		return g.step, (n + 1) * g.off
	case "over_deadline":
		g := r.grainOf(true)
		return g.step, n * (n + 2) * g.off // for each job, the error of its end and of its deadline
	case "mean_response", "mean_wait":
		if !r.all {
			return 0, 0
		}
		g := r.grainOf(false)
		return g.step / n, (n+2)*g.off + 4*gate.Epsilon*g.step // of its end or start and of its arrival; of the division
	}
	return 0, 0
}

// grainOf is the grain of arrivals and execution times, or of these and the deadlines, found once.
func (r *Relaxation) grainOf(deadlines bool) grain {
	k := 0
	if deadlines {
		k = 1
	}
	if r.grains[k] == nil {
		g := r.findGrain(deadlines)
		r.grains[k] = &g
	}
	return *r.grains[k]
}

// findGrain looks at all times from the earliest arrival on.
func (r *Relaxation) findGrain(deadlines bool) grain {
	if !r.solid || r.in.Features()&model.Commitments != 0 {
		return grain{}
	}
	var times []float64
	off, first := 0.0, r.in.FirstArrival()
	since := func(t float64) {
		d := t - first
		back := d - t
		off = max(off, math.Abs((t-(d-back))-(first+back))) // what the difference was rounded by (D. E. Knuth, 2Sum)
		times = append(times, math.Abs(d))
	}
	for j := range r.in.Jobs() {
		job := &r.in.Jobs()[j]
		since(job.Arrival)
		if deadlines && job.HasDeadline() {
			since(job.Deadline)
		}
		for c := range r.in.Clusters() {
			if r.in.CanRun(j, c) {
				size, _ := r.in.Width(j, c)
				times = append(times, r.in.DurationOn(j, c, size))
			}
		}
	}
	g := grainOfTimes(times)
	g.off = max(g.off, off)
	return g
}

// grainOfTimes is the largest step of which all times are multiples but for rounding, by Euclid's algorithm; none where it is small
// beside the longest time, so that what is taken for rounding may be the data.
func grainOfTimes(times []float64) grain {
	const (
		fine     = 1e-7  // of the longest: no step is smaller
		rounding = 1e-12 // of the longest: what is smaller is 0
	)
	longest := 0.0
	for _, t := range times {
		longest = max(longest, t)
	}
	if !(longest > 0) || !gate.Finite(longest) {
		return grain{}
	}
	step := 0.0
	for _, t := range times {
		for a, b := step, t; ; a, b = b, math.Abs(math.Remainder(a, b)) {
			if b <= rounding*longest {
				step = max(a, b)
				break
			}
		}
		if step < fine*longest && step > rounding*longest {
			return grain{}
		}
	}
	g := grain{step: longest / math.Round(longest/step)}
	for _, t := range times {
		off := math.Abs(math.FMA(-math.Round(t/g.step), g.step, t))
		if g.off = max(g.off, off); off > 1e-14*longest {
			return grain{}
		}
	}
	return g
}
