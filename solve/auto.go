package solve

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "auto",
	Doc:    "Runs the quick solvers that fit the instance, then search from the best of their schedules.",
	Source: "allot",
	New:    func() Solver { return &Auto{} },
})

// Auto runs the solvers that honour what the instance asks for and are quick enough for its size ([Info].AutoJobs), then
// [Search] from the best of their schedules: of equals one that is proved optimal, which ends the run, else the first by name. A
// solver that proves the instance infeasible has the last word.
type Auto struct {
	chosen string
}

// candidates are the quick solvers that fit the instance, by name.
func (*Auto) candidates(in *model.Instance) []Info {
	var fitting []Info
	for _, info := range Solvers() {
		if len(in.Jobs()) <= info.AutoJobs && info.AutoJobs > 0 && info.New().Supports(in) == nil {
			fitting = append(fitting, info)
		}
	}
	return fitting
}

// Chosen is the name of the solvers whose schedule Solve returned.
func (a *Auto) Chosen() string { return a.chosen }

// Supports implements [Solver]: everything, as search does.
func (*Auto) Supports(in *model.Instance) error { return (&Search{}).Supports(in) }

// Solve implements [Solver].
func (a *Auto) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	best, err := a.quick(ctx, in, opt)
	if err != nil || best.Status == model.Optimal || best.Status == model.Infeasible {
		return best, err
	}
	if best.Solution != nil && (ctx.Err() != nil || opt.MaxEvals > 0 && best.Evaluations >= opt.MaxEvals) {
		return best, nil
	}
	opt.Start = best.Solution
	if opt.MaxEvals > 0 {
		opt.MaxEvals -= best.Evaluations
	}
	result, err := (&Search{}).Solve(ctx, in, opt)
	if err != nil {
		return Result{}, err
	}
	result.Evaluations += best.Evaluations
	switch {
	case best.Solution == nil:
		a.chosen = "search"
	case result.Solution != best.Solution:
		a.chosen += "+search"
	}
	return result, nil
}

// quick is the best schedule of the quick solvers.
func (a *Auto) quick(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	best, least := Result{Status: model.Unknown, Stop: model.StopDone}, math.Inf(1)
	for _, info := range a.candidates(in) {
		if opt.MaxEvals > 0 && best.Evaluations >= opt.MaxEvals {
			best.Stop = model.StopEvaluations
			break
		}
		result, err := info.New().Solve(ctx, in, opt)
		if err != nil {
			return Result{}, err
		}
		best.Evaluations += result.Evaluations
		best.Stop = result.Stop
		if result.Status == model.Infeasible {
			return result, nil // a proof
		}
		if result.Solution == nil {
			continue
		}
		evaluation, err := model.Evaluate(in, result.Solution)
		if err != nil {
			return Result{}, err
		}
		proved := result.Status == model.Optimal && best.Status != model.Optimal &&
			evaluation.Objective <= least+model.Tolerance*math.Abs(least)
		if best.Solution == nil || evaluation.Objective < least || proved {
			result.Evaluations = best.Evaluations
			best, least, a.chosen = result, evaluation.Objective, info.Name
		}
	}
	return best, nil
}
