package solvers

import (
	"context"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "wrand",
	Doc:    "Weighted random: each job, in order of arrival, goes to a random cluster, with probability proportional to processors × speed. O(n·C·r).",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §5",
	Traces: true,
	New:    func() solve.Solver { return &WRAND{} },
})

// WRAND is weighted random, a rival of MUSCLE: each job, in order of arrival, goes to a cluster drawn at random among those that
// can run it, with a probability proportional to the cluster's processing capability, the sum of its processors' speeds.
// Each cluster runs its jobs as a list schedule in that order.
//
// Source: L. He et al. (2004), IEE Proc. Software 151(5), pp. 224–231, §5. Complexity: O(n·C·r) for n jobs, C clusters,
// r distinct release times.
//
// Deviations from the paper: a cluster just as wide as the job counts as wide enough.
type WRAND struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *WRAND) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *WRAND) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rng := rand.New(rand.NewPCG(opt.Seed, 0))
	capability := make([]float64, len(in.Clusters()))
	for c := range capability {
		for _, m := range in.Clusters()[c].Machines {
			capability[c] += m.Speed * float64(m.Count*m.Units)
		}
	}
	rule := list.Rule{Name: "drawn", Text: "a number drawn from 0 to the sum of the weights falls into its part", Score: "weight"}
	drawn := 0.0
	rule.Terms = func(int) []sim.Term { return []sim.Term{{Name: "drawn", Value: drawn}} }
	return list.InArrivalOrder(ctx, in, opt, rule.By(s.Machines), func(s *list.Schedule, job int) (plan.Slot, bool) {
		var slots []plan.Slot
		sum := 0.0
		for c := range in.Clusters() {
			if slot, ok := s.Earliest(job, c); ok {
				slots = append(slots, slot)
				sum += capability[c]
				if s.Traced() {
					s.Score(c, capability[c])
				}
			}
		}
		if len(slots) == 0 {
			return plan.Slot{}, false
		}
		drawn = rng.Float64() * sum
		at := drawn
		for _, slot := range slots[:len(slots)-1] {
			if at -= capability[slot.Cluster]; at < 0 {
				return slot, true
			}
		}
		return slots[len(slots)-1], true
	})
}
