package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "heft",
	Doc:    "Heterogeneous earliest finish time: each job goes where it ends first; jobs with the longest chain of dependent jobs go first. O(n·C·r).",
	Source: "H. Topcuoglu, S. Hariri, M.-Y. Wu (2002), Performance-effective and low-complexity task scheduling for heterogeneous computing, IEEE Trans. Parallel Distrib. Syst. 13(3), doi:10.1109/71.993206, §4.1",
	Traces: true,
	New:    func() solve.Solver { return &HEFT{} },

	Work: func(_ *model.Instance, s *solve.Size) float64 { return s.List() + s.Sorted() },
})

// HEFT is heterogeneous earliest finish time. The upward rank of a job is the length of the longest chain of jobs that starts with it, each job
// at its mean duration over the clusters that can run it. The jobs go in the order of their ranks, the largest first, jobs of equal rank in the
// order of arrival. Each goes to the cluster on which it ends first; ties go to the first cluster.
//
// Source: H. Topcuoglu, S. Hariri, M.-Y. Wu (2002), IEEE Transactions on Parallel and Distributed Systems 13(3),
// doi:10.1109/71.993206, §4.1.
// Complexity: O(n·C·r + precedences) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: in the model the transfer of data is part of a job's time and does not depend on where the jobs before it ran;
// holes are not filled (no insertion). On a cluster whose machines differ the duration is that on its fastest machine that can hold the job.
type HEFT struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *HEFT) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *HEFT) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	order := plan.ArrivalOrder(in)
	rank := upwardRanks(ctx, in, order)
	if rank == nil {
		return solve.Stopped(ctx), nil
	}
	plan.OrderBy(order, func(job int) float64 { return -rank[job] })
	rule := list.ByBest(in)
	rule.Terms = func(job int) []sim.Term { return []sim.Term{{Name: "upward rank", Value: rank[job]}} }
	return list.InOrder(ctx, in, plan.Topological(in, order), opt, rule.By(s.Machines), list.Best(in))
}

// upwardRanks is the length of the longest chain of jobs that starts with each job, at mean durations; nil: the context ends first. No job of the order stands
// before those it waits for.
func upwardRanks(ctx context.Context, in *model.Instance, order []int) []float64 {
	rank := make([]float64, len(order))
	for k := len(order) - 1; k >= 0; k-- {
		if ctx.Err() != nil {
			return nil
		}
		j := order[k]
		for _, next := range in.Successors(j) {
			rank[j] = max(rank[j], rank[next])
		}
		rank[j] += meanDuration(in, j)
	}
	return rank
}

// meanDuration is the mean, over the clusters that can run the job or a piece of it, of its duration on the fastest machine that can hold it, on as many
// processors as it may hold; 0 where there is none.
func meanDuration(in *model.Instance, job int) float64 {
	sum, clusters := 0.0, 0
	j := &in.Jobs()[job]
	spreads := in.MustSpread(job)
	for c := range in.Clusters() {
		least, most := in.Width(job, c)
		size := max(least, min(most, j.Tasks, in.Clusters()[c].Processors))
		switch {
		case spreads && in.Share(job, c) > 0:
			size = max(j.Min, min(j.Max, j.Tasks, in.Processors()))
		case !in.CanRun(job, c):
			continue
		}
		shortest := math.Inf(1)
		for g := range in.Clusters()[c].Machines {
			if m := &in.Clusters()[c].Machines[g]; in.ProcessorsFor(j, m) > 0 {
				shortest = min(shortest, in.Busy(job, c, m.Speed, (j.Tasks+size-1)/size)+in.Transfer(job, m.Bandwidth))
			}
		}
		sum += shortest
		clusters++
	}
	if clusters == 0 {
		return 0
	}
	return sum / float64(clusters)
}
