package bound

import (
	"math"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
)

// grain is a step of time. Apart from rounding, all times of an instance are multiples of it.
type grain struct {
	step float64 // 0: there is none
	off  float64 // largest distance of a time from the nearest multiple
}

// roundUp raises a bound of a metric to the next value that a best schedule can have. If it does not know these values it returns
// the bound as it is.
//
// Take a best schedule. Move its jobs to the left, one by one in order of start, as far as their arrivals, the jobs they wait
// for and the resources of the other jobs allow. No start and no end becomes later. So makespan, over_deadline, mean_response and
// mean_wait do not grow, and every job starts at its arrival or at the end of another job: each time in the schedule is the sum
// of an arrival and some execution times. If all of these (and the deadlines, for over_deadline) are multiples of a step, so is
// the metric. If every schedule has to place all jobs, a mean over n jobs is a multiple of step/n. This needs execution times
// that do not depend on how the tasks of a job are shared out, and processors that are free at first. Background load may make
// a job longer, but that makes none of these metrics smaller. Where machines are closed at times, a job may also start where a
// closed time begins or ends, so these are among the times.
//
// Tenths are not float64 numbers, so a time may be off by some rounding. Let all times be off by at most d. A time in the
// schedule adds up at most n+1 of them. Replace the times by their multiples: the same order of jobs then costs at most e more,
// where e is (n+1)·d for the makespan; [Relaxation.stepOf] derives the others. So a bound b of the instance gives the bound b −
// e of the replaced instance. The optimum of that one is at least the next multiple. The instance itself costs at least that
// multiple less e. Beside closed times another order may be the best of the replaced instance, because a job that just fits
// before one may not fit any more. So there no time may be off.
func (r *Relaxation) roundUp(metric string, bound float64) float64 {
	if !(bound > 0) {
		return bound // the step is not asked for
	}
	step, wrong := r.stepOf(metric)
	if step == 0 || wrong > 1e-3*step {
		return bound
	}
	const margin = 1e-6 // of a step: a bound just above a value is not raised to the next
	value := step * math.Ceil((bound-wrong)/step-margin)
	if steps := math.Round(value / step); math.FMA(step, steps, -value) < 0 { // the product was rounded up
		value = math.Nextafter(value, 0)
	}
	if wrong > 0 {
		value -= wrong + 4*gate.Epsilon*value
	}
	return max(bound, value)
}

// stepOf returns the step of a metric's values, or 0 if there is none, and the largest distance of a value from a multiple of it.
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
		return g.step, n * (n + 2) * g.off // the errors of the end and of the deadline of each job
	case "mean_response", "mean_wait":
		if !r.all {
			return 0, 0
		}
		g := r.grainOf(false)
		return g.step / n, (n+2)*g.off + 4*gate.Epsilon*g.step // errors of the end or start and of the arrival; error of the division
	}
	return 0, 0
}

// grainOf is the grain of arrivals and execution times and, if deadlines is set, of the deadlines. It is computed once.
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

// findGrain looks at all times, counted from the earliest arrival.
func (r *Relaxation) findGrain(deadlines bool) grain {
	if !r.solid || r.in.Features()&model.Commitments != 0 || r.in.LaterMayBeBetter() { // jobs cannot be moved to the left
		return grain{}
	}
	var times []float64
	off, first := 0.0, r.in.FirstArrival()
	since := func(t float64) {
		d := t - first
		back := d - t
		off = max(off, math.Abs((t-(d-back))-(first+back))) // the rounding error of the difference (D. E. Knuth, 2Sum)
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
	for _, t := range r.closingTimes() {
		since(t)
	}
	g := grainOfTimes(times)
	g.off += off // the distance of the difference as it is computed, and what its rounding took
	if g.off > 0 && r.in.Features()&model.ClosedTimes != 0 {
		return grain{}
	}
	return g
}

// grainOfTimes is the largest step of which all times are multiples but for rounding, by Euclid's algorithm. A step that is
// very small beside the longest time does not count, because what looks like rounding may then be data.
func grainOfTimes(times []float64) grain {
	const (
		fine     = 1e-7  // no step is smaller than this share of the longest time
		rounding = 1e-12 // what is smaller than this share of the longest time is 0
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
