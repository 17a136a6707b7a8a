package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "mrs",
	Doc:    "Multi-dimensional scheduling: each job, in order of arrival, goes where √(execution² + transfer²) is least. O(n·C·r).",
	Source: "B. T. B. Khoo, B. Veeravalli, T. Hung, C. W. Simon See (2007), A multi-dimensional scheduling scheme in a grid computing environment, J. Parallel Distrib. Comput. 67(6), pp. 659–673, as Y. Hao (2016) uses it, KSII Trans. Internet Inf. Syst. 10(3), §4.1",
	Traces: true,
	New:    func() solve.Solver { return &MRS{Wait: "off"} },
})

// MRS is multi-dimensional resource scheduling: each job, in order of arrival, goes to the cluster of the least √(CI² + DI²) among those
// that can run it and end it by a hard deadline, CI the time that it executes there and DI the time to move its files; ties go to
// the first cluster.
//
// Source: B. T. B. Khoo, B. Veeravalli, T. Hung, C. W. Simon See (2007), Journal of Parallel and Distributed Computing 67(6), pp. 659–673, as Y. Hao
// (2016) uses it, KSII Transactions on Internet and Information Systems 10(3), §4.1.
// Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: its virtual map has more than these two dimensions where resources have potentials among each
// other, which the model does not. With the parameter wait the time that the job waits is part of CI.
type MRS struct {
	list.Machines
	Wait string `enum:"off,on" doc:"count the job's wait as execution"`
}

// Supports implements [solve.Solver].
func (m *MRS) Supports(in *model.Instance) error { return list.Supports(in, m.Machines) }

// Solve implements [solve.Solver].
func (m *MRS) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := params.Check(m); err != nil {
		return solve.Result{}, err
	}
	rule := list.Rule{Name: "least distance", Text: "the distance √(execution² + transfer²) is the least", Score: "distance"}
	return list.InArrivalOrder(ctx, in, opt, rule.By(m.Machines), func(s *list.Schedule, job int) (plan.Slot, bool) {
		return list.Least(s, in, job, func(cluster int, slot plan.Slot) float64 {
			data := transferTime(in, job, cluster, slot)
			compute := list.ExecutionTime(in, job, cluster, slot) - data
			if m.Wait == "on" {
				compute += slot.Start - in.Jobs()[job].Arrival
			}
			if s.Traced() {
				s.Terms(sim.Term{Name: "execution", Value: compute}, sim.Term{Name: "transfer", Value: data})
			}
			return math.Hypot(compute, data)
		})
	})
}

// transferTime is how much of the length of the slot the job moves its files.
func transferTime(in *model.Instance, job, cluster int, slot plan.Slot) float64 {
	if set := slot.Set(); set != nil {
		return in.Transfer(job, in.SlowestLink(cluster, set))
	}
	if link, spread := slot.SlowestLink(in); spread {
		return in.Transfer(job, link)
	}
	return in.Transfer(job, in.Clusters()[cluster].Machines[0].Bandwidth)
}
