package solvers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/tou"
)

var _ = solve.Register(solve.Info{
	Name: "tou",
	Doc: "Finds and proves the least energy, energy_cost or carbon of jobs on one machine under prices that change with time (time of use), with states that save power: " +
		"a programme over time and work done, with prices of the sizes of jobs, and a branch and bound. Times are multiples of an interval. " +
		"O(intervals·work·(sizes + states)) a programme.",
	Source: "allot; the problem is that of O. Benedikt, I. Módos, Z. Hanzálek (2020), Power of pre-processing: production scheduling with variable energy pricing and power-saving states, CPAIOR 2020; M. Held, P. Wolfe, H. Crowder (1974), Validation of subgradient optimization, Math. Programming 6, doi:10.1007/BF01580223, for the prices",
	New:    func() solve.Solver { return &TOU{} },

	// How many programmes a proof takes is not known before; they are few where the jobs are.
	Work: func(_ *model.Instance, s *solve.Size) float64 { return 1e5 * s.Jobs },
})

// TOU schedules the jobs of one machine with one processor under a tariff, within a horizon. The objective is energy, energy_cost or carbon, or a sum of them with
// weights that are not negative. The machine may have states that save power; jobs take the same power and have arrived when the horizon begins. All times are
// multiples of an interval, of which the horizon has at most 2^20, and intervals times work is at most 2^27.
//
// The bound forgets which jobs there are and keeps how many intervals of work are done. It prices the sizes of jobs, and takes off again what all jobs pay
// (Lagrangian relaxation). A schedule is made of a programme's stretches of work if the jobs fill them. Where they do not, the search splits by an interval that
// is busy or not. All numbers are whole, and the bound rounds up to the next.
//
// MaxEvals counts programmes. Stopped before its end it returns the best schedule and the bound proved so far.
type TOU struct{}

// Supports implements [solve.Solver].
func (*TOU) Supports(in *model.Instance) error {
	if err := tou.Supports(in); err != nil && !errors.Is(err, tou.ErrInfeasible) {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// Solve implements [solve.Solver].
func (s *TOU) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	p, err := tou.New(in)
	switch {
	case errors.Is(err, tou.ErrInfeasible):
		return owesMore(ctx, in, &opt, solve.Result{}, 0, err.Error()), nil
	case err != nil:
		return solve.Result{}, fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	if opt.SharedBound(ctx, in).Owed() > 0 { // what it proves is of schedules of all jobs
		return owesMore(ctx, in, &opt, solve.Result{}, 0, "no schedule of all jobs keeps the horizon"), nil
	}
	limits := tou.Options{Evaluations: opt.MaxEvals}
	if opt.Progress != nil {
		limits.Found = func(r *tou.Result) {
			progress := solve.Progress{Evaluations: r.Evaluations, Objective: math.Inf(1)}
			if r.Bounded {
				progress.Bound = p.Value(r.Bound)
			}
			if r.Starts != nil {
				if cost, err := model.EvaluateObjective(in, p.Solution(in, r.Starts)); err == nil {
					progress.Objective = cost
				}
			}
			opt.Progress(progress)
		}
	}
	found := tou.Solve(ctx, p, limits)
	result := solve.Result{Evaluations: found.Evaluations, Status: model.Unknown}
	if found.Infeasible {
		return owesMore(ctx, in, &opt, result, 0, "the jobs and the ways of the machine between on and off take longer than the horizon"), nil
	}
	switch {
	case found.Done:
		result.Stop = model.StopDone
	case ctx.Err() != nil:
		result.Stop = model.StopReason(ctx)
	case opt.MaxEvals > 0 && found.Evaluations >= opt.MaxEvals:
		result.Stop = model.StopEvaluations
	}
	if found.Bounded {
		result.Bound = p.Value(found.Bound)
		if opt.Certify {
			result.Certificate = p.Certificate(found)
		}
	}
	if found.Starts == nil {
		return result, nil
	}
	result.Solution, result.Status = p.Solution(in, found.Starts), model.Feasible
	if cost, err := model.Evaluate(in, result.Solution); err == nil && cost.Proves(result.Bound) {
		result.Status = model.Optimal
	}
	return result, nil
}
