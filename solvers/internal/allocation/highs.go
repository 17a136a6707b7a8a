package allocation

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
)

const (
	// highsTolerance is the relative accuracy of a bound of HiGHS with its default tolerances.
	highsTolerance = 1e-6
	// highsAbsolute is taken off the bound besides for each task: HiGHS takes a smaller penalty of a task for 0.
	highsAbsolute = 1e-9
)

// WithoutHighs is an error that says why HiGHS is not in this build; nil: it is.
func WithoutHighs() error {
	if err := milp.Missing(); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// Model is the MILP of an instance's problem, in the form that state states. The error wraps [solve.ErrUnsupported] where the instance asks for something
// else or is too large, or a [*ggone.InfeasibleError], or is that of ctx.
func (s Settings) Model(ctx context.Context, in *model.Instance, state func(context.Context, *ggone.Problem) (*ggone.Form, error)) (*milp.Model, error) {
	stated, err := s.State(ctx, in)
	if err != nil {
		return nil, err
	}
	form, err := state(ctx, &stated.Problem.Problem)
	var infeasible *ggone.InfeasibleError
	var large *ggone.TooLargeError
	switch {
	case errors.As(err, &infeasible):
		return nil, fmt.Errorf("proved infeasible: %w", err)
	case errors.As(err, &large):
		return nil, fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	case err != nil:
		return nil, err
	}
	return form.Model, nil
}

// Run is a run of a solver on HiGHS.
type Run struct {
	*Stated
	Options solve.Options
	Gap     float64      // within which the optimum counts as proved
	Best    ggone.Result // the best allocation so far

	Bound       model.Bound // of the penalty
	Evaluations int64
	Limited     bool // the evaluations ran out
}

// Search looks for an allocation that is better than the best of the run, and for a bound, see [Run.Solve] and [Run.Keep].
type Search func(ctx context.Context, run *Run) error

// newRun is a run on a problem.
func newRun(stated *Stated, opt solve.Options, tolerance float64) *Run {
	return &Run{Stated: stated, Options: opt, Gap: max(tolerance, highsTolerance)}
}

// search runs the search from a greedy allocation.
func (r *Run) search(ctx context.Context, search Search) (err error) {
	if r.Best, err = ggone.Greedy(&r.Problem.Problem); err != nil {
		return err
	}
	return search(ctx, r)
}

// OnHighs solves an instance by a search on HiGHS: its problem where that states it exactly, else in rounds.
func (s Settings) OnHighs(ctx context.Context, solver solve.Solver, in *model.Instance, opt solve.Options, tolerance float64, search Search) (solve.Result, error) {
	if result, done, err := AtOnce(ctx, solver, in); done {
		return result, err
	}
	if StatesNot(in) != nil {
		return s.InRounds(ctx, in, opt, searchBriefly(tolerance, search))
	}
	stated, err := s.State(ctx, in)
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return solve.Stopped(ctx), nil
		}
		return solve.Result{}, err
	}
	run := newRun(stated, opt, tolerance)
	err = run.search(ctx, search)
	var infeasible *ggone.InfeasibleError
	switch {
	case errors.As(err, &infeasible):
		return solve.Result{Status: model.Infeasible, Stop: model.StopDone, Reason: infeasible.Error()}, nil
	case err != nil && !run.foundAnyway(ctx, err):
		return solve.Result{}, err
	}
	return run.result(ctx), nil
}

// searchBriefly is the allocator of a search on HiGHS. What the search has found counts where it could not state the problem or the time is up.
func searchBriefly(tolerance float64, search Search) allocator {
	return func(ctx context.Context, p *Problem, evaluations int64) (ggone.Result, error) {
		run := newRun(&Stated{Problem: p}, solve.Options{MaxEvals: evaluations}, tolerance)
		err := run.search(ctx, search)
		if run.foundAnyway(ctx, err) {
			err = nil
		}
		run.Best.Evaluations, run.Best.Limited = run.Evaluations, run.Limited
		return run.Best, err
	}
}

// foundAnyway says whether there is an allocation although the search ended with the error: the problem is too large to be stated, or the time is up.
func (r *Run) foundAnyway(ctx context.Context, err error) bool {
	large := (*ggone.TooLargeError)(nil)
	return r.Best.Machine != nil && (errors.As(err, &large) || ctx.Err() != nil && errors.Is(err, ctx.Err()))
}

// Solve solves the form and keeps an allocation that is better than the best.
func (r *Run) Solve(ctx context.Context, form *ggone.Form, opt milp.Options) error {
	if r.Options.Progress != nil {
		opt.Progress = func(p milp.Progress) {
			objective, bound := r.Best.Objective, r.proved(p.Bound)
			if form.IdleLoad() == 0 {
				objective = min(objective, p.Objective)
			}
			r.Options.Progress(solve.Progress{Evaluations: r.Evaluations + p.Nodes, Objective: r.Weight * objective, Bound: model.ProvedBound(r.Weight * min(bound.Or(math.NaN()), objective))})
		}
	}
	found, err := milp.Solve(ctx, form.Model, opt)
	if err != nil {
		return err
	}
	r.Evaluations += found.Nodes
	r.Limited = found.Limited
	if found.Values != nil {
		r.Keep(form.Allocation(found.Values))
	}
	r.Bound = r.proved(found.Bound)
	return nil
}

// Keep takes an allocation that is better than the best.
func (r *Run) Keep(found ggone.Result) {
	if found.Machine != nil && (r.Best.Machine == nil || found.Objective < r.Best.Objective) {
		r.Best = found
	}
}

// proved is a lower bound of all allocations, by that of HiGHS, less what its tolerances may have added.
func (r *Run) proved(bound model.Bound) model.Bound {
	value, known := bound.Value()
	if !known {
		return r.Bound
	}
	value -= highsTolerance*math.Abs(value) + highsAbsolute*float64(len(r.Tasks))
	return r.Bound.Max(model.ProvedBound(value))
}

// result is the result at the end of the run.
func (r *Run) result(ctx context.Context) solve.Result {
	result := solve.Result{Status: model.Feasible, Stop: model.StopDone, Evaluations: r.Evaluations}
	bound := weighted(r.Weight, model.ProvedBound(min(r.Bound.Or(math.NaN()), r.Best.Objective)))
	within := 2 * r.Gap
	proved := bound.Known() && !math.IsInf(r.Best.Objective, 0) && r.Best.Objective-max(0, r.Bound.Or(0)) <= within*r.Best.Objective
	switch {
	case ctx.Err() != nil && !proved:
		result.Stop = model.StopReason(ctx)
	case r.Limited && !proved:
		result.Stop = model.StopEvaluations
	}
	if r.Best.Machine == nil {
		result.Status = model.Unknown
		return result
	}
	result.Solution = r.schedule(r.Best)
	if r.Exact && bound.Known() {
		result.Bound = bound
		if proved {
			result.Status, result.Tolerance = model.Optimal, within
		}
	}
	return result
}
