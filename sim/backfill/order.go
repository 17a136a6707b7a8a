package backfill

import (
	"math"

	"github.com/allot-opt/allot/sim"
)

// Order is the order in which a queue is served: by priority, the highest first, ties in queue order. The zero value is queue order. A
// priority has a fixed part and a part that changes with time.
type Order struct {
	Given func(*sim.Job) float64 // the part that is fixed when the job joins the queue; nil: 0
	Priorities
	// Estimate is the estimate that counts as a job's length in the score of short jobs; nil: the least on the clusters.
	Estimate func(*sim.Job) float64
	// CountJobs says that the licences asked for are the jobs that ask for them, and not the copies.
	CountJobs bool

	scorer *scorer // gives the priorities instead; nil: there is none
}

// waiting is a queued job with what its priority is made of.
type waiting struct {
	job      *sim.Job
	deadline float64 // +Inf: none
	given    float64
	fastest  float64 // least estimate on the clusters
	length   float64 // estimate that counts in the score of short jobs
	size     float64 // see sim.Platform.KindOf
	width    int     // fewest processors on the clusters, where a scorer gives the priorities
	class    float64 // priority of the class of the user, where a scorer gives the priorities

	rank  rank
	score float64 // at the instant of the block that it is in
}

// entry returns the queue's entry of a job that arrives: all that its priority is made of.
func (o *Order) entry(j *sim.Job, fastest, size float64) waiting {
	w := waiting{job: j, deadline: j.Request.Deadline, fastest: fastest, length: fastest, size: size}
	if o.Given != nil {
		w.given = o.Given(j)
	}
	if o.Estimate != nil {
		w.length = o.Estimate(j)
	}
	return w
}

// of is the priority of a job; shortest is the least length in the queue, licences the score of the licences that the job asks for.
func (o *Order) of(w *waiting, now, shortest, licences float64) float64 {
	if o.scorer != nil {
		return o.scorer.score(now, w.job, w.fastest, w.width, w.class)
	}
	return w.given + o.Priorities.of(now, w.job.Arrival, w.deadline, w.fastest, w.length, shortest, licences)
}

// still says whether priorities are the given ones.
func (o *Order) still() bool { return o.scorer == nil && o.Priorities == Priorities{} }

// lasts says whether priorities never change while a job waits, but for those of jobs that become late.
func (o *Order) lasts() bool {
	if o.scorer != nil {
		return o.scorer.round(2) == o.scorer.round(1) && o.scorer.Order != bySlurm
	}
	return o.still()
}

// round numbers the instants that have the same priorities, from 1.
func (o *Order) round(instant int64) int64 {
	switch {
	case o.scorer != nil:
		return o.scorer.round(instant)
	case o.still():
		return 1
	}
	return instant
}

// rank is the place of a job among those of its kind.
func (o *Order) rank(now float64, w *waiting) rank {
	if o.scorer != nil {
		return o.scorer.rank(now, w)
	}
	if o.still() {
		return rank{by: -w.given, number: w.job.Number}
	}
	return rank{by: w.job.Arrival, length: w.length, number: w.job.Number}
}

// ramp is how fast the score of the deadline grows from now on at most; 0 where it grows no more, +Inf where it may jump.
func (o *Order) ramp(w *waiting, now float64) float64 {
	deadline := w.deadline
	from := deadline - o.DeadlineK*w.fastest
	if math.IsInf(deadline, 1) || o.DeadlineHigh == o.DeadlineLow || now+w.fastest > deadline || !(from < deadline) {
		return 0
	}
	if o.DeadlineHigh < o.DeadlineLow {
		return math.Inf(1)
	}
	return (o.DeadlineHigh - o.DeadlineLow) / (deadline - from)
}

// magnitude bounds the parts of a priority that do not depend on licences and are not given.
func (o *Order) magnitude(now float64) float64 {
	return math.Abs(o.Aging)*now + math.Abs(o.DeadlineLow) + math.Abs(o.DeadlineHigh) + math.Abs(o.Wait)
}
