package queues

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "ggone-milp",
	Doc: "G/G/1 workload allocation as a MILP on HiGHS: the level form, whose relaxation is as strong as the Lagrangian of ggone, or the paper-like linearisation by chords and big-M. " +
		"An independent check of ggone. Needs a build with the tag highs. levels·n variables for n tasks and levels = Σ over kinds of machines of the tasks that one can take.",
	Source: "Y. Patel, J. Darlington (2006), Proc. MGC '06, doi:10.1145/1186675.1186678, eqs. 2, 3, 9–18 and 23; Q. Huangfu, J. A. J. Hall (2018), Parallelizing the dual revised simplex method, Math. Prog. Comp. 10, doi:10.1007/s12532-017-0130-5, for HiGHS",
	New:    func() solve.Solver { return NewMILP() },
	Absent: absence(),

	AllocatesBy: "qos_penalty",
})

// ErrInfeasible is wrapped by the error of a [Modeller] for an instance that is proved infeasible before it is stated.
var ErrInfeasible = errors.New("proved infeasible")

// Modeller is a solver that states an instance as a MILP. Stating takes no library, and so works in every build.
type Modeller interface {
	// MILP states the instance. The error wraps [solve.ErrUnsupported] where the instance asks for something else or is too large,
	// [ErrInfeasible], or is that of ctx.
	MILP(ctx context.Context, in *model.Instance) (*milp.Model, error)
}

// MILP solves the problem of [GGOne] as a MILP by HiGHS. The level form (package ggone, [ggone.Problem.Level]) counts the
// machines of each kind that carry each load; the chord form ([ggone.Problem.Chord]) is the linearisation that the paper gave to
// CPLEX, with the waiting time between chords at whole loads, where it is exact.
//
// An exact transportation problem turns the loads that HiGHS finds into an allocation, so that no value rests on its tolerances. Its bound
// does, and is stated less by 1e-6 of itself and by 1e-9 for each task.
//
// Source: that of [GGOne]. Units: those of the instance. MaxEvals counts nodes of the branch-and-bound; Workers are not used:
// HiGHS runs on one thread, so that the result does not depend on the machine.
//
// Where the model does not state the instance exactly, a round takes at most 1,000 nodes.
//
// Deviations from the paper: those of [GGOne], but for the idle rate. The MILP leaves it out, which gives a lower bound; then it is parked
// where it costs least with the allocation found, which is good but not optimal.
type MILP struct {
	Form      string  `enum:"level,chord" doc:"level: machines by load, strong; chord: machine by machine with chords and big-M as in the paper, weak"`
	Charge    string  `enum:"instance,response,service" doc:"what a task pays for; with another value than the instance's own there is no bound and no proof for the instance's objective"`
	Committed string  `doc:"rates that machines already carry, as part of the rate of the instance, such as C1/m=0.2,C2/n[3]=0.1"`
	Load      float64 `range:"(0, 1)" doc:"an instance without a queueing view: rate of arrivals as a part of what all machines serve"`
	Due       float64 `range:"(0, 1e9]" doc:"an instance without a queueing view: deadline of a job that has none, after its arrival, in units of its least service time"`
	Tolerance float64 `range:"[0, 1]" doc:"the optimum counts as proved within this relative difference of bound and objective; at least 1e-6, the tolerance of HiGHS"`
}

// NewMILP is the solver with its defaults.
func NewMILP() *MILP {
	return &MILP{Form: "level", Charge: "instance", Load: 0.5, Due: 3, Tolerance: 1e-6}
}

// highsTolerance is the relative accuracy of a bound of HiGHS with its default tolerances.
const highsTolerance = 1e-6

// highsAbsolute is taken off the bound besides for each task: HiGHS takes a smaller penalty of a task for 0.
const highsAbsolute = 1e-9

// absence says why HiGHS is not in this build; empty: it is.
func absence() string {
	if err := milp.Missing(); err != nil {
		return err.Error()
	}
	return ""
}

// present is an error where HiGHS is not in this build.
func present() error {
	if err := milp.Missing(); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// Supports implements [solve.Solver].
func (*MILP) Supports(in *model.Instance) error {
	if err := present(); err != nil {
		return err
	}
	return (*GGOne)(nil).Supports(in)
}

// base is the solver whose problem it is.
func (g *MILP) base() *GGOne {
	base := NewGGOne()
	base.Charge, base.Committed, base.Load, base.Due = g.Charge, g.Committed, g.Load, g.Due
	return base
}

// state states the problem in the form asked for.
func (g *MILP) state(ctx context.Context, p *ggone.Problem) (*ggone.Form, error) {
	if g.Form == "chord" {
		return p.Chord(ctx)
	}
	return p.Level(ctx)
}

// MILP implements [Modeller]: min qos_penalty, without an idle rate.
func (g *MILP) MILP(ctx context.Context, in *model.Instance) (*milp.Model, error) {
	if err := params.Check(g); err != nil {
		return nil, err
	}
	return stated(ctx, g.base(), in, g.state)
}

// stated is the model of a form of the instance's problem.
func stated(ctx context.Context, base *GGOne, in *model.Instance, state func(context.Context, *ggone.Problem) (*ggone.Form, error)) (*milp.Model, error) {
	run, err := newHighsRun(ctx, base, in, solve.Options{})
	if err != nil {
		return nil, err
	}
	form, err := state(ctx, &run.problem.Problem)
	var infeasible *ggone.InfeasibleError
	var large *ggone.TooLargeError
	switch {
	case errors.As(err, &infeasible):
		return nil, fmt.Errorf("%w: %w", ErrInfeasible, err)
	case errors.As(err, &large):
		return nil, fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	case err != nil:
		return nil, err
	}
	return form.Model, nil
}

// Solve implements [solve.Solver].
func (g *MILP) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
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
func (g *MILP) search(ctx context.Context, run *highsRun) (err error) {
	if run.best, err = ggone.Greedy(&run.problem.Problem); err != nil {
		return err
	}
	form, err := g.state(ctx, &run.problem.Problem)
	if err != nil {
		return err
	}
	return run.solve(ctx, form, milp.Options{Gap: max(g.Tolerance, highsTolerance), Nodes: run.opt.MaxEvals, Start: form.Start(run.best.Machine)})
}

// allocatorBy is the allocator of a search on HiGHS. What the search has found counts where it could not state the problem or the time is up.
func allocatorBy(search func(ctx context.Context, run *highsRun) error) allocator {
	return func(ctx context.Context, p *problem, evaluations int64) (ggone.Result, error) {
		run := &highsRun{problem: p, opt: solve.Options{MaxEvals: evaluations}}
		err := search(ctx, run)
		if large := (*ggone.TooLargeError)(nil); run.best.Machine != nil && (errors.As(err, &large) || ctx.Err() != nil && errors.Is(err, ctx.Err())) {
			err = nil
		}
		run.best.Evaluations, run.best.Limited = run.evaluations, run.limited
		return run.best, err
	}
}

// highsRun is a run of a solver on HiGHS.
type highsRun struct {
	opt     solve.Options
	problem *problem
	weight  float64 // of the penalty in the objective
	exact   bool    // the bound is one of the objective

	best        ggone.Result
	bound       model.Bound // of the penalty
	evaluations int64
	limited     bool
}

// newHighsRun reads the instance.
func newHighsRun(ctx context.Context, base *GGOne, in *model.Instance, opt solve.Options) (*highsRun, error) {
	if err := statesNot(in); err != nil {
		return nil, err
	}
	problem, err := base.problem(ctx, in)
	if err != nil {
		return nil, err
	}
	if problem == nil {
		return nil, ctx.Err()
	}
	weight, err := penaltyWeight(in)
	if err != nil {
		return nil, err
	}
	return &highsRun{opt: opt, problem: problem, weight: weight, exact: base.exact(in, problem)}, nil
}

// failed is the result where the problem could not be stated: infeasible, too large, or out of time.
func (r *highsRun) failed(ctx context.Context, err error) (solve.Result, error) {
	var infeasible *ggone.InfeasibleError
	var large *ggone.TooLargeError
	switch {
	case errors.As(err, &infeasible):
		return solve.Result{Status: model.Infeasible, Stop: model.StopDone, Reason: infeasible.Error()}, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		if r == nil || r.best.Machine == nil {
			return solve.Stopped(ctx), nil
		}
		return r.result(ctx, 0), nil
	case errors.As(err, &large) && r != nil && r.best.Machine != nil:
		return r.result(ctx, 0), nil
	}
	return solve.Result{}, err
}

// solve solves the form and keeps an allocation that is better than the best.
func (r *highsRun) solve(ctx context.Context, form *ggone.Form, opt milp.Options) error {
	if r.opt.Progress != nil {
		opt.Progress = func(p milp.Progress) {
			objective, bound := r.best.Objective, r.proved(p.Bound)
			if form.IdleLoad() == 0 {
				objective = min(objective, p.Objective)
			}
			r.opt.Progress(solve.Progress{Evaluations: r.evaluations + p.Nodes, Objective: r.weight * objective, Bound: model.ProvedBound(r.weight * min(bound.Or(math.NaN()), objective))})
		}
	}
	found, err := milp.Solve(ctx, form.Model, opt)
	if err != nil {
		return err
	}
	r.evaluations += found.Nodes
	r.limited = found.Limited
	if found.Values != nil {
		r.keep(form.Allocation(found.Values))
	}
	r.bound = r.proved(found.Bound)
	return nil
}

// keep takes an allocation that is better than the best.
func (r *highsRun) keep(found ggone.Result) {
	if found.Machine != nil && (r.best.Machine == nil || found.Objective < r.best.Objective) {
		r.best = found
	}
}

// proved is a lower bound of all allocations, by that of HiGHS, less what its tolerances may have added.
func (r *highsRun) proved(bound model.Bound) model.Bound {
	value, known := bound.Value()
	if !known {
		return r.bound
	}
	value -= highsTolerance*math.Abs(value) + highsAbsolute*float64(len(r.problem.Tasks))
	return r.bound.Max(model.ProvedBound(value))
}

// result is the result at the end of the run.
func (r *highsRun) result(ctx context.Context, tolerance float64) solve.Result {
	result := solve.Result{Status: model.Feasible, Stop: model.StopDone, Evaluations: r.evaluations}
	bound := weighted(r.weight, model.ProvedBound(min(r.bound.Or(math.NaN()), r.best.Objective)))
	within := 2 * max(tolerance, highsTolerance)
	proved := bound.Known() && !math.IsInf(r.best.Objective, 0) && r.best.Objective-max(0, r.bound.Or(0)) <= within*r.best.Objective
	switch {
	case ctx.Err() != nil && !proved:
		result.Stop = model.StopReason(ctx)
	case r.limited && !proved:
		result.Stop = model.StopEvaluations
	}
	if r.best.Machine == nil {
		result.Status = model.Unknown
		return result
	}
	result.Solution = r.problem.schedule(r.best)
	if r.exact && bound.Known() {
		result.Bound = bound
		if proved {
			result.Status, result.Tolerance = model.Optimal, within
		}
	}
	return result
}
