package solve

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
)

// This file is the queue of a stream where jobs ask something of single machines: see [Rolling].

// Resume implements [sim.Resumer]: a job that runs already is one that an earlier round has started.
func (s *streamRun) Resume(e *sim.Engine, j *sim.Job) {
	q := &queued{job: j, began: s.now, running: true}
	q.index, _ = s.in.JobIndex(j.Request.ID)
	for _, part := range e.Held(j) {
		q.pieces = append(q.pieces, model.Piece{Cluster: s.in.Clusters()[part.Cluster].ID, Processors: part.Processors, Tasks: part.Tasks})
		q.claims = append(q.claims, sim.Claim{Cluster: part.Cluster, Shares: part.Shares})
	}
	s.jobs[j.Number] = q
	s.running = append(s.running, q)
}

// startByNode starts the planned jobs for which there is room beside all that those before them wait for, in the order of the plans. A job whose machines are closed to
// it now keeps nothing until they open. One to which they never open again is planned anew.
func (s *streamRun) startByNode(e *sim.Engine) {
	s.beside.CopyFrom(&s.platform.Free)
	free := 0
	for c := range s.in.Clusters() {
		free += s.platform.FreeProcessors(c)
	}
	waiting := s.planned
	s.planned = s.planned[:0]
	for k, q := range waiting {
		if free == 0 { // no job starts without a processor
			s.planned = append(s.planned, waiting[k:]...)
			break
		}
		opens := s.opens(q)
		switch r := q.job.Request; {
		case r.DeadlineHard && model.Late(s.now, r.Deadline):
			delete(s.jobs, q.job.Number)
			e.Drop(q.job, fmt.Sprintf("its turn had not come at %v, after its hard deadline %v", s.now, r.Deadline))
		case math.IsInf(opens, 1):
			s.planAnew(e, q)
		case opens > s.now:
			s.planned = append(s.planned, q)
		default:
			fits := true
			for _, c := range q.claims {
				fits = s.platform.HasRoom(&s.beside, q.job, c.Cluster, c.Shares) && fits
				free -= s.platform.Occupy(&s.beside, q.job, c.Cluster, c.Shares)
			}
			if fits {
				s.begin(e, q)
			} else {
				s.planned = append(s.planned, q)
			}
		}
	}
	clear(waiting[len(s.planned):])
}

// opens is when the machines of a planned job are open to it, from now on; +Inf: never again.
func (s *streamRun) opens(q *queued) float64 {
	at := s.now
	for _, c := range q.claims {
		at = max(at, s.platform.Opens(q.job, c.Cluster, c.Shares))
	}
	return at
}

// planAnew gives a job back to the rounds whose machines never open to it again: it waited for others for too long. A job that was given back at this instant already is
// dropped.
func (s *streamRun) planAnew(e *sim.Engine, q *queued) {
	delete(s.jobs, q.job.Number)
	if at, again := s.anew[q.job.Number]; again && at == s.now {
		e.Drop(q.job, fmt.Sprintf("the machines that it is given are not open to it at %v or later for as long as it is estimated to take", s.now))
		return
	}
	s.anew[q.job.Number] = s.now
	s.ready = append(s.ready, q.job)
	s.left++
}

// expectByNode is expect where jobs ask something of single machines. A job that waits keeps what it waits for from now on; if its machines are closed to it, from when
// they open.
func (s *streamRun) expectByNode(hold func(q *queued, piece int, start, end float64)) {
	backlog := plan.NewBacklog(s.known)
	for _, q := range slices.Concat(s.running, s.planned) {
		link, start, from := s.link(q), q.began, q.began
		if !q.running {
			if start, from = s.turn(backlog, q, link); math.IsInf(start, 1) {
				continue
			}
		}
		for k := range q.pieces {
			end := max(model.End(start, s.takes(q, k, link)), s.now)
			backlog.Hold(&s.known.Jobs()[q.index], q.claims[k].Cluster, q.claims[k].Shares, from, end)
			hold(q, k, from, end)
		}
	}
}

// turn is when a job that waits is expected to start, and from when on it keeps what it waits for.
func (s *streamRun) turn(backlog *plan.Backlog, q *queued, link float64) (start, from float64) {
	free, open := s.now, s.now
	for k := range q.pieces {
		c, j, takes := &q.claims[k], &s.known.Jobs()[q.index], s.takes(q, k, link)
		at, _ := backlog.Start(j, c.Cluster, c.Shares, s.now, takes)
		free, open = max(free, at), max(open, backlog.Opens(j, c.Cluster, c.Shares, s.now, takes))
	}
	if open > free {
		return open, open
	}
	return free, s.now
}
