package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "mct",
	Doc:    "Minimum completion time: each job, in order of arrival, goes where it ends first. O(n·C·r).",
	Source: "T. D. Braun et al. (2001), A comparison of eleven static heuristics for mapping a class of independent tasks onto heterogeneous distributed computing systems, J. Parallel Distrib. Comput. 61(6), doi:10.1006/jpdc.2000.1714, §3",
	Traces: true,
	New:    func() solve.Solver { return &MCT{} },

	Work: func(_ *model.Instance, s *solve.Size) float64 { return s.List() },
})

// MCT is minimum completion time: each job, in order of arrival, goes to the cluster on which it ends first; ties go to the first cluster.
//
// Source: T. D. Braun et al. (2001), Journal of Parallel and Distributed Computing 61(6), doi:10.1006/jpdc.2000.1714, §3.
// Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: a machine is a cluster here and may have many processors; a parallel job is ready when enough
// of them are released. On each cluster a moldable job gets the number of processors with which it ends first there; a job that fits no cluster alone is
// spread over several.
type MCT struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *MCT) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *MCT) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	return list.InArrivalOrder(ctx, in, opt, list.ByBest(in).By(s.Machines), list.Best(in))
}
