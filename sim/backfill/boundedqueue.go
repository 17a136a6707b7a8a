package backfill

import "math"

// boundedQueue is queued jobs in an order in which a job that has waited longer than a bound goes first. Such jobs are in the order of arrival, in which they pass the bound. So
// there are two queues, and each job moves from one into the other at most once.
type boundedQueue struct {
	bound float64
	late  rankedQueue // those that have waited longer, all of the priority +Inf
	rest  rankedJobs
	line  []arrived // those that have joined, in the order of arrival, from which the late ones are gone
	waits []int64   // by handle: the number of the queued job, from 1; 0: none is
}

// arrived is a job that has joined the queue. It may have left since, and its handle may be that of another job.
type arrived struct {
	rankedJob
	handle int32
	number int64
}

// push implements rankedJobs.
func (q *boundedQueue) push(r rankedJob) {
	j := r.job
	for int(j.Handle) >= len(q.waits) {
		q.waits = append(q.waits, 0)
	}
	q.waits[j.Handle] = j.Number + 1
	q.rest.push(r)
	q.line = append(q.line, arrived{r, j.Handle, j.Number})
}

// remove implements rankedJobs.
func (q *boundedQueue) remove(r rankedJob) {
	q.waits[r.job.Handle] = 0
	if math.IsInf(r.priority, 1) {
		q.late.remove(r)
	} else {
		q.rest.remove(r)
	}
}

// begin implements rankedJobs.
func (q *boundedQueue) begin(now float64) {
	passed := 0
	for _, a := range q.line {
		if q.waits[a.handle] == a.number+1 {
			if !(now-a.job.Arrival > q.bound) {
				break
			}
			q.rest.remove(a.rankedJob)
			q.late.push(rankedJob{math.Inf(1), a.job})
		}
		passed++
	}
	q.line = q.line[passed:]
	q.rest.begin(now)
}

// anyFits implements rankedJobs.
func (q *boundedQueue) anyFits(free int) bool { return q.late.anyFits(free) || q.rest.anyFits(free) }

// head implements rankedJobs.
func (q *boundedQueue) head() (rankedJob, bool) {
	if r, found := q.late.head(); found {
		return r, true
	}
	return q.rest.head()
}

// after implements rankedJobs.
func (q *boundedQueue) after(r rankedJob) (rankedJob, bool) {
	if !math.IsInf(r.priority, 1) {
		return q.rest.after(r)
	}
	if next, found := q.late.after(r); found {
		return next, true
	}
	return q.rest.head()
}

// first implements rankedJobs.
func (q *boundedQueue) first(now float64, free int, limit func(size int32) float64) (rankedJob, bool) {
	if r, found := q.late.first(now, free, limit); found {
		return r, true
	}
	return q.rest.first(now, free, limit)
}
