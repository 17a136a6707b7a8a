package bench

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Rounds summarises the rounds of rolling use (see [solve.Rolling]). MCP and Balance are unweighted means over the rounds. In a round, times count
// from its beginning, as for a batch. Jobs of earlier rounds keep their processors busy and count in the makespan of their cluster, but their
// lateness was decided before and does not count. Eq. 7 weighs the clusters by the jobs of the round.
//
// Source: L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), IEE Proc. Software 151(5), pp. 224–231, §5, eqs. 7–8: "Each point in the
// performance curve is plotted as the average of the MCP calculated each time".
type Rounds struct {
	Count   int     `json:"count" check:"counter"` // rounds that had jobs to plan
	Jobs    float64 `json:"jobs"`                  // of a round, on average
	MCP     float64 `json:"mcp"`                   // mean comprehensive performance
	Balance float64 `json:"balance"`               // performance balance factor
}

// roundSums adds up rounds.
type roundSums struct {
	sum Rounds // Jobs, MCP and Balance are sums
}

// add adds a round.
func (s *roundSums) add(batch *model.Instance, planned *model.Solution) {
	mcp, balance := performance(batch, planned)
	s.sum.Count++
	s.sum.Jobs += float64(len(batch.Jobs()))
	s.sum.MCP += mcp
	s.sum.Balance += balance
}

// means returns the means, or nil if there was no round.
func (s *roundSums) means() *Rounds {
	n := float64(s.sum.Count)
	if n == 0 {
		return nil
	}
	return &Rounds{Count: s.sum.Count, Jobs: s.sum.Jobs / n, MCP: s.sum.MCP / n, Balance: s.sum.Balance / n}
}

// clusterRound holds the terms of eq. 1 for one cluster in a round.
type clusterRound struct {
	jobs                 int
	makespan, busy, over float64
}

// performance returns MCP and PB of a round.
func performance(batch *model.Instance, planned *model.Solution) (mcp, balance float64) {
	clusters, placed := clusterRounds(batch, planned), 0
	cp := make([]float64, len(clusters))
	for k, c := range clusters {
		of := &batch.Clusters()[k]
		cp[k] = model.ComprehensivePerformance(of.Weights, float64(of.Processors)*c.makespan-c.busy, c.makespan, c.over)
		mcp += cp[k] * float64(c.jobs)
		placed += c.jobs
	}
	if placed == 0 {
		return 0, 0
	}
	mcp /= float64(placed)
	if len(cp) < 2 {
		return mcp, 0
	}
	for _, x := range cp {
		balance += (x - mcp) * (x - mcp)
	}
	return mcp, math.Sqrt(balance / float64(len(cp)-1))
}

// clusterRounds adds up the plan of a round, and what is left at its beginning of the holds.
func clusterRounds(batch *model.Instance, planned *model.Solution) []clusterRound {
	clusters, now := make([]clusterRound, len(batch.Clusters())), batch.FirstArrival()
	add := func(cluster int, processors model.ProcessorSet, start, end float64) *clusterRound {
		c := &clusters[cluster]
		c.makespan = max(c.makespan, end-now)
		c.busy += float64(processors.Len()) * (end - start)
		return c
	}
	for _, hold := range batch.Held() {
		for _, piece := range hold.Pieces {
			if piece.End > now {
				add(piece.Cluster, piece.Processors, max(hold.Start, now), piece.End)
			}
		}
	}
	for k := range planned.Jobs {
		p := &planned.Jobs[k]
		job, _ := batch.JobIndex(p.Job)
		first := true
		p.Parts(batch.Jobs()[job].Tasks, func(piece model.Piece) {
			cluster, _ := batch.ClusterIndex(piece.Cluster)
			c := add(cluster, piece.Processors, p.Start, piece.End)
			if first {
				c.jobs++
				c.over += max(0, p.End-batch.Jobs()[job].Deadline)
			}
			first = false
		})
	}
	return clusters
}
