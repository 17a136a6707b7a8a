package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "olb",
	Doc:    "Opportunistic load balancing: each job, in order of arrival, goes where processors are free first, however slow. O(n·C·r).",
	Source: "T. D. Braun et al. (2001), A comparison of eleven static heuristics for mapping a class of independent tasks onto heterogeneous distributed computing systems, J. Parallel Distrib. Comput. 61(6), doi:10.1006/jpdc.2000.1714, §3",
	Traces: true,
	New:    func() solve.Solver { return &OLB{} },
})

// OLB is opportunistic load balancing: each job, in order of arrival, goes to the cluster whose processors are released
// first, enough of them for the job; ties to the first cluster. It looks at neither execution times nor arrivals.
//
// Source: T. D. Braun et al. (2001), Journal of Parallel and Distributed Computing 61(6), doi:10.1006/jpdc.2000.1714, §3.
// Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: see [MCT].
type OLB struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *OLB) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *OLB) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rule := list.Rule{Name: "earliest release", Text: "enough of its processors are free first", Score: "free from"}
	return list.InArrivalOrder(ctx, in, opt, rule.By(s.Machines), func(s *list.Schedule, job int) (plan.Slot, bool) {
		return list.Least(s, in, job, func(cluster int, slot plan.Slot) float64 {
			if slot.IsSpread() {
				return slot.Start
			}
			return s.Release(cluster, slot.Processors)
		})
	})
}
