// Package dll holds DLL, dynamic least load of He et al. (2004), from which TITAN starts where it is given no schedule.
package dll

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "dll",
	Doc:    "Dynamic least load: each job, in order of arrival, goes to the cluster with the least work per processor. O(n·C·r).",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §5, eq. 6",
	Traces: true,
	New:    func() solve.Solver { return New() },

	Work: func(_ *model.Instance, s *solve.Size) float64 { return s.List() },
})

// Solver is DLL, dynamic least load, a rival of MUSCLE: each job, in order of arrival, goes to the cluster of the least load
// L = Σ e·s/m over the jobs given to it before (e execution time, s processors of the job, m of the cluster) among those
// that can run it; ties to the first cluster. Each cluster runs its jobs as a list schedule in that order.
//
// Source: L. He et al. (2004), IEE Proc. Software 151(5), pp. 224–231, §5, eq. 6. Complexity: O(n·C·r) for n jobs, C
// clusters, r distinct release times.
//
// What earlier jobs hold ([model.Commitments]) is part of the load: the part that is left of it at the first arrival.
//
// Deviations from the paper: the jobs of a batch never leave the load, as the batch is planned before it runs; a cluster just as wide as
// the job counts as wide enough. Eq. 6 writes e_i without a cluster, while the paper's job has a time e_ij on each: here it is the time on the
// cluster itself; with Times first it is the time on the first cluster, for which the paper draws the times (§5). Where the first cluster's processors
// differ, or the job has no time there, it is the time on the cluster itself; so it is for what is left of held jobs.
type Solver struct {
	list.Filling
	Times string `enum:"own,first" doc:"execution times in eq. 6: own, on the cluster itself; first, on the first cluster"`
}

// New is the solver with its defaults.
func New() *Solver { return &Solver{Times: "own"} }

// Supports implements [solve.Solver].
func (d *Solver) Supports(in *model.Instance) error { return list.Supports(in, d.machines()) }

func (d *Solver) machines() list.Machines { return list.Machines{Filling: d.Filling} }

// Solve implements [solve.Solver].
func (d *Solver) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := params.Check(d); err != nil {
		return solve.Result{}, err
	}
	load := make([]float64, len(in.Clusters()))
	for _, h := range in.Held() {
		for _, piece := range h.Pieces {
			left := max(0, piece.End-max(h.Start, in.FirstArrival()))
			load[piece.Cluster] += left * float64(piece.Processors.Len()) / float64(in.Clusters()[piece.Cluster].Processors)
		}
	}
	rule := list.Rule{Name: "least load", Text: "its load, the work given to it before per processor, is the least", Score: "load"}
	return list.InArrivalOrder(ctx, in, opt, rule.By(d.machines()), func(s *list.Schedule, job int) (plan.Slot, bool) {
		slot, ok := list.Least(s, in, job, func(cluster int, _ plan.Slot) float64 { return load[cluster] })
		if ok {
			time := d.time(in, job, slot)
			s.Pieces(&slot, func(cluster, processors int, _ float64) {
				load[cluster] += time * float64(processors) / float64(in.Clusters()[cluster].Processors)
			})
		}
		return slot, ok
	})
}

// time is the job's execution time in eq. 6.
func (d *Solver) time(in *model.Instance, job int, slot plan.Slot) float64 {
	if d.Times == "first" && in.Clusters()[0].Uniform {
		if first := in.DurationOn(job, 0, slot.Processors); first > 0 && !math.IsInf(first, 1) {
			return first
		}
	}
	return list.ExecutionTime(in, job, slot.Cluster, slot)
}
