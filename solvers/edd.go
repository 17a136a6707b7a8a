package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "edd",
	Doc:    "Earliest due date: each job, in order of deadlines, goes where it ends first. O(n·C·r).",
	Source: "J. R. Jackson (1955), Management Science Research Project report 43, University of California, Los Angeles; as a list rule after R. L. Graham (1969), doi:10.1137/0117039",
	Traces: true,
	New:    func() solve.Solver { return &EDD{} },

	Work: func(_ *model.Instance, s *solve.Size) float64 { return s.List() + s.Sorted() },
})

// EDD is the list schedule by earliest due date: the jobs in the order of their deadlines, jobs without one last, jobs of equal deadline in the
// order of arrival, and no job before those that it waits for. Each goes to the cluster on which it ends first; ties go to the first cluster.
//
// Source: J. R. Jackson (1955), Management Science Research Project report 43, University of California, Los Angeles; as a list rule after R. L.
// Graham (1969), SIAM Journal on Applied Mathematics 17(2), doi:10.1137/0117039.
// Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: it has one machine; a job that cannot meet its hard deadline any more is left out. Holes are not filled: where a
// job arrives late and is due soon, its processors stay idle from the end of the job before it.
type EDD struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *EDD) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *EDD) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	order := plan.ArrivalOrder(in)
	plan.OrderBy(order, func(job int) float64 { return in.Jobs()[job].Deadline })
	rule := list.ByBest(in)
	rule.Terms = func(job int) []sim.Term {
		if j := &in.Jobs()[job]; j.HasDeadline() {
			return []sim.Term{{Name: "deadline", Value: j.Deadline}}
		}
		return nil
	}
	return list.InOrder(ctx, in, plan.Topological(in, order), opt, rule.By(s.Machines), list.Best(in))
}
