package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/allocation"
)

var _ = solve.Register(solve.Info{
	Name: "ggone-hybrid",
	Doc: "G/G/1 workload allocation: the Lagrangian bound of ggone at the root, fixing by reduced costs, then HiGHS on the level form of what is left. " +
		"Needs a build with the tag highs. Computes a bound as ggone does, then solves a MILP with a small part of the variables of ggone-milp.",
	Source: "Y. Patel, J. Darlington (2006), Proc. MGC '06, doi:10.1145/1186675.1186678; A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Programming Study 2, doi:10.1007/BFb0120690, for bound and fixing",
	New:    func() solve.Solver { return &GGOneHybrid{newGGOneHighs()} },
	Absent: withoutHighs(),

	AllocatesBy: "qos_penalty",
})

// GGOneHybrid solves the problem of [GGOne] in two steps. First the Lagrangian bounds it, finds allocations and rules out loads of machines and
// places of tasks ([ggone.Problem.Reduce]). Then HiGHS solves the level form of the loads and places left, with the cost of the best
// allocation as cutoff. Where the first step leaves none, HiGHS does not run.
//
// Source: that of [GGOne]. Units: those of the instance. MaxEvals counts bounds and allocations of the first step and nodes of
// the second; Workers are not used.
//
// Deviations from the paper: those of [GGOneMILP].
type GGOneHybrid struct{ GGOneHighs }

// MILP implements [milp.Modeller]: the level form of the loads and places that the Lagrangian leaves; of all where it leaves none.
func (g *GGOneHybrid) MILP(ctx context.Context, in *model.Instance) (*milp.Model, error) {
	if err := params.Check(g); err != nil {
		return nil, err
	}
	return g.settings().Model(ctx, in, func(ctx context.Context, p *ggone.Problem) (*ggone.Form, error) {
		left, err := p.Reduce(ctx, ggone.Options{})
		if err != nil {
			return nil, err
		}
		if left.Form != nil {
			return left.Form, nil
		}
		return p.Level(ctx)
	})
}

// Solve implements [solve.Solver].
func (g *GGOneHybrid) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	return g.settings().OnHighs(ctx, g, in, opt, g.Tolerance, searchReduced)
}

// searchReduced reduces the problem by the Lagrangian and solves on HiGHS what that leaves.
func searchReduced(ctx context.Context, run *allocation.Run) error {
	evaluations := run.Options.MaxEvals
	left, err := run.Reduce(ctx, ggone.Options{Evaluations: evaluations, Progress: run.Progress(run.Options)})
	if err != nil {
		return err
	}
	run.Keep(left.Best)
	run.Evaluations = left.Evaluations
	run.Bound = left.Bound
	if left.Form == nil {
		run.Limited = !left.Proved && evaluations > 0 && left.Evaluations >= evaluations
		return nil
	}
	solver := milp.Options{Gap: run.Gap}
	if evaluations > 0 {
		solver.Nodes = max(1, evaluations-left.Evaluations)
	}
	if !math.IsInf(left.Limit, 1) {
		solver.Cutoff = &left.Limit
	}
	return run.Solve(ctx, left.Form, solver)
}
