package backfill

import (
	"slices"

	"github.com/allot-opt/allot/sim"
)

// roster is the queued jobs that have reservations, in queue order. Jobs that have left stay as gaps until there are more gaps than jobs.
type roster struct {
	jobs   []rosterJob
	places []int32 // by handle
	live   int
}

// rosterJob is a queued job; a gap has none.
type rosterJob struct {
	job    *sim.Job
	handle int32
}

// add adds a job at the end.
func (r *roster) add(j *sim.Job) {
	r.placed(j, len(r.jobs))
	r.jobs = append(r.jobs, rosterJob{j, j.Handle})
	r.live++
}

// placed notes where a job is.
func (r *roster) placed(j *sim.Job, at int) {
	for int(j.Handle) >= len(r.places) {
		r.places = append(r.places, -1)
	}
	r.places[j.Handle] = int32(at)
}

// insert inserts a job into a queue in order of number.
func (r *roster) insert(j *sim.Job) {
	at := len(r.jobs)
	for at > 0 && (r.jobs[at-1].job == nil || r.jobs[at-1].job.Number > j.Number) {
		at--
	}
	for at < len(r.jobs) && r.jobs[at].job == nil {
		at++
	}
	if at == len(r.jobs) {
		r.add(j)
		return
	}
	r.jobs = slices.Insert(r.jobs, at, rosterJob{j, j.Handle})
	for k := at; k < len(r.jobs); k++ {
		if r.jobs[k].job != nil {
			r.placed(r.jobs[k].job, k)
		}
	}
	r.live++
}

// remove takes the job at a place out.
func (r *roster) remove(at int) {
	r.jobs[at] = rosterJob{}
	r.live--
}

// tidy closes the gaps where they are more than the jobs.
func (r *roster) tidy() {
	if len(r.jobs) > 2*r.live+32 {
		r.reset(r.list())
	}
}

// list is the queued jobs in order.
func (r *roster) list() []*sim.Job {
	jobs := make([]*sim.Job, 0, r.live)
	for k := range r.jobs {
		if r.jobs[k].job != nil {
			jobs = append(jobs, r.jobs[k].job)
		}
	}
	return jobs
}

// reset makes the roster hold the jobs in the order given.
func (r *roster) reset(jobs []*sim.Job) {
	clear(r.jobs)
	r.jobs, r.live = r.jobs[:0], 0
	for _, j := range jobs {
		r.add(j)
	}
}
