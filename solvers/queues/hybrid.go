package queues

import (
	"context"
	"math"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "ggone-hybrid",
	Doc: "G/G/1 workload allocation: the Lagrangian bound of ggone at the root, fixing by reduced costs, then HiGHS on the level form of what is left. " +
		"Needs a build with the tag highs. Computes a bound as ggone does, then solves a MILP with a small part of the variables of ggone-milp.",
	Source: "Y. Patel, J. Darlington (2006), Proc. MGC '06, doi:10.1145/1186675.1186678; A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Programming Study 2, doi:10.1007/BFb0120690, for bound and fixing",
	New:    func() solve.Solver { return NewHybrid() },
	Absent: absence(),

	AllocatesBy: "qos_penalty",
})

// Hybrid solves the problem of [GGOne] in two steps. First the Lagrangian bounds it, finds allocations and rules out loads of machines and
// places of tasks ([ggone.Problem.Reduce]). Then HiGHS solves the level form of the loads and places left, with the cost of the best
// allocation as cutoff. Where the first step leaves none, HiGHS does not run.
//
// Source: that of [GGOne]. Units: those of the instance. MaxEvals counts bounds and allocations of the first step and nodes of
// the second; Workers are not used.
//
// Deviations from the paper: those of [MILP].
type Hybrid struct {
	Charge    string  `enum:"instance,response,service" doc:"what a task pays for; with another value than the instance's own there is no bound and no proof for the instance's objective"`
	Committed string  `doc:"rates that machines already carry, as part of the rate of the instance, such as C1/m=0.2,C2/n[3]=0.1"`
	Load      float64 `range:"(0, 1)" doc:"an instance without a queueing view: rate of arrivals as a part of what all machines serve"`
	Due       float64 `range:"(0, 1e9]" doc:"an instance without a queueing view: deadline of a job that has none, after its arrival, in units of its least service time"`
	Tolerance float64 `range:"[0, 1]" doc:"the optimum counts as proved within this relative difference of bound and objective; at least 1e-6, the tolerance of HiGHS"`
}

// NewHybrid is the solver with its defaults.
func NewHybrid() *Hybrid { return &Hybrid{Charge: "instance", Load: 0.5, Due: 3, Tolerance: 1e-6} }

// Supports implements [solve.Solver].
func (*Hybrid) Supports(in *model.Instance) error { return (*MILP)(nil).Supports(in) }

// base is the solver whose problem it is.
func (g *Hybrid) base() *GGOne {
	base := NewGGOne()
	base.Charge, base.Committed, base.Load, base.Due = g.Charge, g.Committed, g.Load, g.Due
	return base
}

// MILP implements [Modeller]: the level form of the loads and places that the Lagrangian leaves; of all where it leaves none.
func (g *Hybrid) MILP(ctx context.Context, in *model.Instance) (*milp.Model, error) {
	if err := params.Check(g); err != nil {
		return nil, err
	}
	return stated(ctx, g.base(), in, func(ctx context.Context, p *ggone.Problem) (*ggone.Form, error) {
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
func (g *Hybrid) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if result, done, err := atOnce(ctx, g, in); done {
		return result, err
	}
	if statesNot(in) != nil {
		return g.base().allocated(ctx, in, opt, allocatorBy(g.search))
	}
	run, err := newHighsRun(ctx, g.base(), in, opt)
	if err == nil {
		err = g.search(ctx, run)
	}
	if err != nil {
		return run.failed(ctx, err)
	}
	return run.result(ctx, g.Tolerance), nil
}

// search looks for the best allocation, from a greedy one.
func (g *Hybrid) search(ctx context.Context, run *highsRun) (err error) {
	if run.best, err = ggone.Greedy(&run.problem.Problem); err != nil {
		return err
	}
	opt := run.opt
	limits := ggone.Options{Evaluations: opt.MaxEvals}
	if opt.Progress != nil {
		limits.Progress = func(p ggone.Progress) {
			opt.Progress(solve.Progress{Evaluations: p.Evaluations, Objective: run.weight * p.Objective, Bound: model.ProvedBound(run.weight * p.Bound.Or(math.NaN()))})
		}
	}
	left, err := run.problem.Reduce(ctx, limits)
	if err != nil {
		return err
	}
	run.keep(left.Best)
	run.evaluations = left.Evaluations
	run.bound = left.Bound
	if left.Form == nil {
		run.limited = !left.Proved && opt.MaxEvals > 0 && left.Evaluations >= opt.MaxEvals
		return nil
	}
	solver := milp.Options{Gap: max(g.Tolerance, highsTolerance)}
	if opt.MaxEvals > 0 {
		solver.Nodes = max(1, opt.MaxEvals-left.Evaluations)
	}
	if !math.IsInf(left.Limit, 1) {
		solver.Cutoff = &left.Limit
	}
	return run.solve(ctx, left.Form, solver)
}
