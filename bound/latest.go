package bound

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// This file computes by when jobs end at the latest. A job with a hard deadline that is placed ends by it, and within a horizon all jobs do. So a bound that has to place
// the job may take that for granted.

// endBy is the time by which job j ends where it is placed: its hard deadline or the end of the horizon, whichever is earlier; +Inf: there is none.
func (r *Relaxation) endBy(j int) float64 {
	by := math.Inf(1)
	if job := &r.in.Jobs()[j]; job.DeadlineHard && job.HasDeadline() {
		by = job.Deadline
	}
	if _, to, stated := r.in.Horizon(); stated {
		by = min(by, to)
	}
	return by
}

// endsBy says that there is such a time.
func (r *Relaxation) endsBy(j int) bool { return !math.IsInf(r.endBy(j), 1) }

// latestEnds is, by job that some schedule may place, the latest end that its own limit and the limits of the jobs leave it that wait for it and have to be placed; +Inf: there
// is none. Rounding may make it too late, never too early. The second list is without what the checker tolerates, but for rounding.
//
// The checker of schedules accepts durations that are a little shorter. A schedule that it accepts becomes one of full durations if each job is moved behind those that end
// before it starts: that moves an end by at most the tolerance of all the time before, and one rounding for each job. So much later is the latest end than the limit.
func (r *Relaxation) latestEnds() (latest, plain []float64) {
	if r.latest[0] != nil {
		return r.latest[0], r.latest[1]
	}
	latest, plain = make([]float64, len(r.in.Jobs())), make([]float64, len(r.in.Jobs()))
	r.latest = [2][]float64{latest, plain}
	first := r.in.FirstArrival()
	for _, j := range slices.Backward(plan.ArrivalOrder(r.in)) { // those that wait come first
		latest[j], plain[j] = math.Inf(1), math.Inf(1)
		if by := r.endBy(j); r.endsBy(j) && r.duties[j] != MustLeave {
			due, end := math.Abs(by-first), r.EarliestEnd(j)
			clock := math.Abs(by) + math.Abs(first) + end
			plain[j] = by - first
			latest[j] = by - first + 2*model.Tolerance*(due+end) + float64(8+2*len(r.in.Jobs()))*gate.Epsilon*clock
		}
		for _, next := range r.in.Successors(j) {
			if r.duties[next] == MustPlace {
				latest[j], plain[j] = min(latest[j], latest[next]-r.least[next]), min(plain[j], plain[next]-r.least[next])
			}
		}
	}
	return latest, plain
}

// limited says that some job which has to be placed must end before all jobs would, if they ran one after another.
func (r *Relaxation) limited() bool {
	if _, _, stated := r.in.Horizon(); !stated && r.in.Features()&model.HardDeadlines == 0 {
		return false
	}
	latest, _ := r.latestEnds()
	return slices.ContainsFunc(r.must, func(j int) bool { return latest[j] < r.length })
}
