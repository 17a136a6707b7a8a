// Package dll holds DLL, dynamic least load of He et al. (2004), from which TITAN starts where it is given no schedule.
package dll

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "dll",
	Doc:    "Dynamic least load: each job in order of arrival goes to the cluster with the least work per processor. O(n·C·r).",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §5, eq. 6",
	New:    func() solve.Solver { return &Solver{} },

	AutoJobs: 10_000_000,
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
// the job counts as wide enough.
type Solver struct{}

// Supports implements [solve.Solver].
func (*Solver) Supports(in *model.Instance) error {
	return solve.Unsupported(in, plan.ScheduleFeatures)
}

// Solve implements [solve.Solver].
func (*Solver) Solve(ctx context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	load := make([]float64, len(in.Clusters()))
	for _, h := range in.Held() {
		for _, piece := range h.Pieces {
			left := max(0, piece.End-max(h.Start, in.FirstArrival()))
			load[piece.Cluster] += left * float64(piece.Processors.Len()) / float64(in.Clusters()[piece.Cluster].Processors)
		}
	}
	return list.InArrivalOrder(ctx, in, func(s *plan.Schedule, job int) (plan.Slot, bool) {
		slot, ok := list.Least(s, in, job, func(cluster int, _ plan.Slot) float64 { return load[cluster] })
		if ok {
			size, _ := in.Width(job, slot.Cluster)
			load[slot.Cluster] += list.ExecutionTime(in, job, slot.Cluster, slot) * float64(size) / float64(in.Clusters()[slot.Cluster].Processors)
		}
		return slot, ok
	})
}
