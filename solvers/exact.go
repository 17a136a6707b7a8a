package solvers

import (
	"context"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "exact",
	Doc: "Finds and proves the optimum of a small batch of rigid jobs: dynamic programming over sets of jobs with dominance, from the best schedule of a short search. " +
		"Up to 16 jobs, with precedence or licences 10; O(2ⁿ·states·n) a cluster for n jobs.",
	Source: "allot; dominance of partial schedules after E. Demeulemeester, W. Herroelen (1992), A branch-and-bound procedure for the multiple resource-constrained project scheduling problem, Management Science 38(12), doi:10.1287/mnsc.38.12.1803, the cutset rule",
	New:    func() solve.Solver { return &Exact{} },

	Starts:   true,
	AutoJobs: 12,
})

// Exact finds the best schedule of a small batch and proves it, see [search.Exhaust]. It serves rigid jobs on clusters of equal processors,
// without hard deadlines and with at most one task a processor where a job holds several. The objective must be one that the engine of lists
// adds up: makespan, mcp, mean_response, over_deadline and others, with weights that are not negative. Stopped before its end it returns the
// best schedule of the short search with the bound proved so far.
//
// MaxEvals counts schedules of the short search and states.
//
// Deviations from the paper: jobs are placed in order of start on one cluster after another, and the sets of jobs are shared out among the
// clusters afterwards, so that states of different clusters do not multiply. With precedence or licences all clusters are searched at once.
type Exact struct{}

// Supports implements [solve.Solver].
func (*Exact) Supports(in *model.Instance) error {
	if err := search.Exhaustible(in); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// Solve implements [solve.Solver].
func (e *Exact) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := e.Supports(in); err != nil {
		return solve.Result{}, err
	}
	const first = 20_000 // evaluations of the short search
	limits := opt
	if limits.MaxEvals == 0 || limits.MaxEvals > 2*first {
		limits.MaxEvals = first
	} else {
		limits.MaxEvals = max(1, limits.MaxEvals/2)
	}
	result, err := newSearch().Solve(ctx, in, limits)
	if err != nil || result.Solution == nil || ctx.Err() != nil {
		return result, err
	}
	cost, err := model.Evaluate(in, result.Solution)
	if err != nil {
		return solve.Result{}, err
	}
	value := cost.Objective
	result.Stop = model.StopDone
	switch {
	case cost.Proves(result.Bound):
		return result, nil
	case opt.MaxEvals > 0 && result.Evaluations >= opt.MaxEvals:
		result.Stop = model.StopEvaluations
		return result, nil
	}
	if opt.MaxEvals > 0 {
		opt.MaxEvals -= result.Evaluations
	}
	found, err := search.Exhaust(ctx, in, value, search.Options{MaxEvals: opt.MaxEvals})
	if err != nil {
		return solve.Result{}, err
	}
	result.Evaluations += found.Evaluations
	result.Stop = found.Stop
	if !found.Proved {
		return result, nil
	}
	least := value // no schedule is below
	if found.Solution != nil {
		better, err := model.Evaluate(in, found.Solution)
		if err != nil {
			return solve.Result{}, err
		}
		if better.Objective < value {
			result.Solution, value, cost = found.Solution, better.Objective, better
		}
		if least = value; found.Doubtful {
			least = min(least, found.Least)
		}
	}
	switch {
	case opt.SharedBound(ctx, in).WorstLeft(result.Solution) != bound.MustLeave:
	default:
		if !found.Exact {
			least -= 2 * cost.Doubt(found.Rounding)
		}
		if !slices.ContainsFunc(in.ObjectiveTerms(), func(t model.ObjectiveTerm) bool { return t.Weight < 0 || in.MayBeNegative(t.Metric) }) {
			least = max(least, 0) // no metric of it is negative
		}
		result.Bound = result.Bound.Max(model.ProvedBound(least))
		if cost.Proves(result.Bound) {
			result.Status = model.Optimal
		}
	}
	return result, nil
}
