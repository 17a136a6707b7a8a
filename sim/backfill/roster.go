package backfill

import (
	"math"
	"slices"
)

// roster is the queued jobs in queue order. Jobs that have left stay as gaps until there are more gaps than jobs.
type roster struct {
	jobs   []rosterJob
	places []int32 // by handle
	live   int
}

// rosterJob is a queued job; a gap has no estimate (NaN).
type rosterJob struct {
	estimate     float64
	handle, size int32
}

// add adds a job at the end.
func (r *roster) add(j rosterJob) {
	for int(j.handle) >= len(r.places) {
		r.places = append(r.places, -1)
	}
	r.places[j.handle] = int32(len(r.jobs))
	r.jobs = append(r.jobs, j)
	r.live++
}

// remove takes a job out.
func (r *roster) remove(handle int32) {
	r.jobs[r.places[handle]].estimate = math.NaN()
	r.live--
	if len(r.jobs) > 2*r.live+32 {
		r.reset(r.list())
	}
}

// list is the queued jobs in order.
func (r *roster) list() []rosterJob {
	return slices.DeleteFunc(slices.Clone(r.jobs), func(j rosterJob) bool { return math.IsNaN(j.estimate) })
}

// reset makes the roster hold the jobs in the order given.
func (r *roster) reset(jobs []rosterJob) {
	r.jobs, r.live = r.jobs[:0], 0
	for _, j := range jobs {
		r.add(j)
	}
}
