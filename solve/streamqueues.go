package solve

import (
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// enqueue puts a piece of a job into the queues of its processors.
func (s *streamRun) enqueue(q *queued, piece model.Piece) error {
	c, ok := s.in.ClusterIndex(piece.Cluster)
	shares, listed := s.platform.PlacedOn(q.job, c, piece.Processors, piece.Devices)
	if !ok || !listed {
		return fmt.Errorf("the schedule of a batch places job %s on processors %s of cluster %s, which it cannot hold", q.job.Request.ID, piece.Processors, piece.Cluster)
	}
	claim := sim.Claim{Cluster: c, Shares: shares, Tasks: piece.Tasks}
	if !s.byNode { // else any processors of the machines
		claim.Processors = piece.Processors
		s.join(q, c, piece.Processors)
	}
	q.pieces, q.claims = append(q.pieces, piece), append(q.claims, claim)
	return nil
}

// join puts a job at the ends of the queues of the processors.
func (s *streamRun) join(q *queued, cluster int, processors model.ProcessorSet) {
	for _, r := range processors {
		for p := r.First; p <= r.Last; p++ {
			key := [2]int{cluster, p}
			queue := s.queues[key]
			if n := len(queue); n > 0 && queue[n-1] != q { // not behind itself, where its plan has two pieces on one processor
				q.behind++
			}
			s.queues[key] = append(queue, q)
		}
	}
}

// await keeps a job that has joined its queues until it starts.
func (s *streamRun) await(q *queued) {
	s.planned = append(s.planned, q)
	if q.behind == 0 && !s.byNode {
		s.ripe = append(s.ripe, q)
	}
}

// start starts the planned jobs that are first in the queues of all their processors, in the order of the plans. It looks at the ripe jobs alone, as
// a system that is overloaded has thousands of others. A job that is dropped may make others ripe, which then come later in the order.
func (s *streamRun) start(e *sim.Engine) {
	if s.byNode {
		s.startByNode(e)
		return
	}
	for k := 0; k < len(s.ripe); {
		q := s.ripe[k]
		if !s.hasRoom(q) {
			k++
			continue
		}
		s.ripe = slices.Delete(s.ripe, k, k+1)
		at, _ := slices.BinarySearchFunc(s.planned, q, byNumber)
		s.planned = slices.Delete(s.planned, at, at+1)
		if r := q.job.Request; r.DeadlineHard && model.Late(s.now, r.Deadline) {
			for k := range q.pieces {
				q.began = s.now
				s.leave(end{q, k})
			}
			delete(s.jobs, q.job.Number)
			e.Drop(q.job, fmt.Sprintf("its turn came at %v, after its hard deadline %v", s.now, r.Deadline))
			continue
		}
		s.begin(e, q)
	}
}

// begin starts a job.
func (s *streamRun) begin(e *sim.Engine, q *queued) {
	q.began, q.running = s.now, true
	s.running = append(s.running, q)
	e.StartOn(q.job, q.claims...)
}

// hasRoom reports whether everything that the job needs besides processors is free.
func (s *streamRun) hasRoom(q *queued) bool {
	return !slices.ContainsFunc(q.claims, func(c sim.Claim) bool { return !s.platform.HasRoom(&s.platform.Free, q.job, c.Cluster, c.Shares) })
}

// leave removes a part that has ended from the queues, and adds its cost to what its workflow has spent.
func (s *streamRun) leave(ended end) {
	piece := &ended.of.pieces[ended.part]
	c := ended.of.claims[ended.part].Cluster
	for _, r := range piece.Processors {
		for p := r.First; p <= r.Last && !s.byNode; p++ {
			key := [2]int{c, p}
			queue := s.queues[key][1:]
			if len(queue) == 0 {
				delete(s.queues, key)
				continue
			}
			s.queues[key] = queue
			s.advance(queue[0], ended.of)
		}
	}
	if w := s.in.Jobs()[ended.of.index].Workflow; w >= 0 {
		s.spent[w] += (s.now - ended.of.began) * s.in.Clusters()[c].CostRate(piece.Processors)
	}
}

// advance notes that a job has become first in a queue, after the given one.
func (s *streamRun) advance(q, after *queued) {
	if q == after { // its plan has two pieces on one processor
		return
	}
	if q.behind--; q.behind == 0 {
		at, _ := slices.BinarySearchFunc(s.ripe, q, byNumber)
		s.ripe = slices.Insert(s.ripe, at, q)
	}
}

// byNumber compares jobs by their places in the order of the plans.
func byNumber(a, b *queued) int { return a.number - b.number }
