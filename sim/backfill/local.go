package backfill

import "github.com/allot-opt/allot/sim"

// Local is flexible backfilling on some clusters of a platform, with its own queue and its own reservation. It serves a policy that
// first decides where each job will run. With the zero [Order] it is EASY backfilling. It knows only its own jobs. Of a pool of licences
// that it shares with others it sees only the copies that are free now and the estimated ends of its own jobs. If these are not enough
// for a job, the job gets no reservation.
type Local struct{ *general }

// NewLocal is a local policy for the clusters. For step see [EASY]. It calls left for each job that leaves its queue, as it starts or is
// dropped.
func NewLocal(platform *sim.Platform, clusters []int, step float64, order Order, left func(*sim.Job)) *Local {
	p := newOn(platform, clusters, 1, step, order)
	p.left = left
	return &Local{p}
}

// Priority is the priority of a queued job at the last decision, by part. It is nil of a job that is not queued.
func (l *Local) Priority(j *sim.Job) []sim.Term {
	q := &l.queue
	if int(j.Handle) >= len(q.places) || q.places[j.Handle].in == nil {
		return nil
	}
	at := q.places[j.Handle]
	o, w := &q.order, &at.block.jobs[at.at]
	return []sim.Term{
		{Name: "given", Value: w.given}, {Name: "aging", Value: o.aging(q.now, j.Arrival)},
		{Name: "deadline", Value: o.deadline(q.now, j.Request.Deadline, w.fastest)}, {Name: "licences", Value: o.Licences * at.in.licences},
		{Name: "wait", Value: o.wait(w.length, q.shortest)}, {Name: "priority", Value: o.of(w, q.now, q.shortest, at.in.licences)},
	}
}
