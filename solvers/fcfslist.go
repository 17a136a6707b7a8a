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
	Name:   "fcfs-list",
	Doc:    "List schedule in order of arrival: each job goes where it can start first. O(n·C·r) for n jobs, C clusters and r distinct release times.",
	Source: "R. L. Graham (1969), Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), doi:10.1137/0117039, list scheduling",
	Traces: true,
	New:    func() solve.Solver { return &FCFSList{} },

	Work: func(_ *model.Instance, s *solve.Size) float64 { return s.List() },
})

// FCFSList is the list schedule in order of arrival: each job goes to the cluster on which it can start first; of those, on
// which it ends first. No job starts on processors before those ahead of it in the queue have had their choice, and holes
// that they leave are not filled.
//
// Source: R. L. Graham (1969), Bounds on multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 17(2),
// doi:10.1137/0117039. Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: parallel jobs and several clusters.
type FCFSList struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *FCFSList) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *FCFSList) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if plan.PricesStarts(in) {
		return list.InArrivalOrder(ctx, in, opt, list.ByLeastCost.By(s.Machines), list.Best(in))
	}
	rule := list.Rule{Name: "earliest start", Text: "it starts first there, and of several such clusters ends first", Score: "start"}
	return list.InArrivalOrder(ctx, in, opt, rule.By(s.Machines), func(s *list.Schedule, job int) (plan.Slot, bool) {
		first, found := plan.Slot{}, false
		for c := range in.Clusters() {
			slot, ok := s.Earliest(job, c)
			if ok && s.Traced() {
				s.Score(c, slot.Start, sim.Term{Name: "end", Value: slot.End})
			}
			if ok && (!found || slot.Start < first.Start || slot.Start == first.Start && slot.End < first.End) {
				first, found = slot, true
			}
		}
		return first, found
	})
}
