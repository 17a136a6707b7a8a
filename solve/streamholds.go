package solve

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// expect calls hold for each piece of the jobs that run or are queued, with the time at which it is expected to end by what is known: each
// starts when those before it in its queues are expected to have ended.
func (s *streamRun) expect(hold func(q *queued, piece int, start, end float64)) {
	if s.byNode {
		s.expectByNode(hold)
		return
	}
	free := map[[2]int]float64{}
	for _, q := range slices.Concat(s.running, s.planned) {
		start, link := s.now, s.link(q)
		if q.running {
			start = q.began
		}
		for k := range q.pieces {
			c := q.claims[k].Cluster
			for _, r := range q.pieces[k].Processors {
				for p := r.First; p <= r.Last && !q.running; p++ {
					start = max(start, free[[2]int{c, p}])
				}
			}
		}
		for k := range q.pieces {
			c := q.claims[k].Cluster
			end := max(start+s.takes(q, k, link), s.now)
			for _, r := range q.pieces[k].Processors {
				for p := r.First; p <= r.Last; p++ {
					free[[2]int{c, p}] = end
				}
			}
			hold(q, k, start, end)
		}
	}
}

// takes is how long a piece of a job is expected to take by what is known, on the given link.
func (s *streamRun) takes(q *queued, piece int, link float64) float64 {
	p := &q.pieces[piece]
	return s.known.Longest(q.index, q.claims[piece].Cluster, p.Processors, p.Tasks) + s.known.Transfer(q.index, link)
}

// link is the slowest link of the machines of a job.
func (s *streamRun) link(q *queued) float64 {
	link := math.Inf(1)
	for k := range q.pieces {
		link = min(link, s.in.SlowestLink(q.claims[k].Cluster, q.pieces[k].Processors))
	}
	return link
}

// holds are what the solver is told of the jobs that run or are queued.
func (s *streamRun) holds() []model.Hold {
	var holds []model.Hold
	s.expect(func(q *queued, piece int, start, end float64) {
		if piece == 0 {
			holds = append(holds, model.Hold{Job: &s.known.Jobs()[q.index], Start: start})
		}
		h := &holds[len(holds)-1]
		h.End = max(h.End, end)
		h.Pieces = append(h.Pieces, model.HoldPiece{Cluster: q.claims[piece].Cluster, Processors: q.pieces[piece].Processors, Devices: q.pieces[piece].Devices, End: end})
	})
	return holds
}

// lastEnd is the earliest time at which a cluster is expected to have done all its work.
func (s *streamRun) lastEnd() float64 {
	last := slices.Repeat([]float64{s.in.FirstArrival()}, len(s.in.Clusters()))
	s.expect(func(q *queued, piece int, _, end float64) {
		c := q.claims[piece].Cluster
		last[c] = max(last[c], end)
	})
	return slices.Min(last)
}
