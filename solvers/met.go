package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "met",
	Doc:    "Minimum execution time: each job goes where it runs fastest, however long it waits there. O(n·C·r).",
	Source: "T. D. Braun et al. (2001), A comparison of eleven static heuristics for mapping a class of independent tasks onto heterogeneous distributed computing systems, J. Parallel Distrib. Comput. 61(6), doi:10.1006/jpdc.2000.1714, §3",
	Traces: true,
	New:    func() solve.Solver { return &MET{} },
})

// MET is minimum execution time: each job, in order of arrival, goes to the cluster on which it runs for the shortest time, however long the
// wait there is; ties go to the first cluster.
//
// Source: T. D. Braun et al. (2001), Journal of Parallel and Distributed Computing 61(6), doi:10.1006/jpdc.2000.1714, §3.
// Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: see [MCT]. On a cluster of machines of different speed the time is that of the processors on
// which the job would end first.
type MET struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *MET) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *MET) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rule := list.Rule{Name: "shortest execution", Text: "it runs for the shortest time there", Score: "execution time"}
	return list.InArrivalOrder(ctx, in, opt, rule.By(s.Machines), func(s *list.Schedule, job int) (plan.Slot, bool) {
		return list.Least(s, in, job, func(cluster int, slot plan.Slot) float64 { return list.ExecutionTime(in, job, cluster, slot) })
	})
}
