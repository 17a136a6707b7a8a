package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "auto",
	Doc:    "Picks solvers that fit the instance, runs them and keeps the best schedule.",
	Source: "allot",
	New:    func() Solver { return &Auto{} },
})

// Auto runs the solvers that honour what the instance asks for and are quick enough for its size ([Info].AutoJobs), and keeps
// the schedule of the least objective, of equals one that is proved optimal, else the first by name. A solver that proves the instance
// infeasible has the last word.
type Auto struct {
	chosen string
}

// candidates are the solvers that fit the instance, by name.
func (*Auto) candidates(in *model.Instance) []Info {
	var fitting []Info
	for _, info := range Solvers() {
		if len(in.Jobs()) <= info.AutoJobs && info.AutoJobs > 0 && info.New().Supports(in) == nil {
			fitting = append(fitting, info)
		}
	}
	return fitting
}

// Chosen is the name of the solver whose schedule Solve returned.
func (a *Auto) Chosen() string { return a.chosen }

// Supports implements [Solver]. The error is that of the solver that misses least.
func (a *Auto) Supports(in *model.Instance) error {
	if len(a.candidates(in)) > 0 {
		return nil
	}
	closest := fmt.Errorf("%w: %d jobs are too many for every solver that auto tries", ErrUnsupported, len(in.Jobs()))
	fewest := math.MaxInt
	for _, info := range Solvers() {
		var refused *UnsupportedError
		if len(in.Jobs()) > info.AutoJobs || !errors.As(info.New().Supports(in), &refused) {
			continue
		}
		if missing := bits.OnesCount32(uint32(refused.Missing)); missing < fewest {
			closest, fewest = fmt.Errorf("%s comes closest: %w", info.Name, refused), missing
		}
	}
	return closest
}

// Solve implements [Solver].
func (a *Auto) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	var best Result
	var least float64
	best.Status = model.Unknown
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
