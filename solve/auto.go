package solve

import (
	"context"
	"errors"
	"fmt"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "auto",
	Doc:    "Picks solvers that fit the instance, runs them and keeps the best schedule.",
	Source: "allot",
	New:    func() Solver { return &Auto{} },
})

// Auto runs the constructive heuristics that fit the instance and keeps the schedule of the least objective, the first
// of equals: MUSCLE, Min-min, MCT, DLL and the list schedule in order of arrival, those of them that honour what the
// instance asks for. Chosen names the winner afterwards.
type Auto struct {
	chosen string
}

// autoCandidates are tried in this order.
var autoCandidates = []string{"muscle", "minmin", "mct", "dll", "fcfs-list"}

// autoLargest is the number of jobs up to which auto runs every candidate; on larger instances only those that take
// O(n log n).
const autoLargest = 20000

// candidates are the solvers that fit the instance.
func (*Auto) candidates(in *model.Instance) []string {
	var names []string
	for _, name := range autoCandidates {
		if name == "muscle" && len(in.Jobs()) > autoLargest {
			continue
		}
		if registry[name].New != nil && registry[name].New().Supports(in) == nil {
			names = append(names, name)
		}
	}
	return names
}

// Chosen is the name of the solver whose schedule Solve returned.
func (a *Auto) Chosen() string { return a.chosen }

// Supports implements [Solver].
func (a *Auto) Supports(in *model.Instance) error {
	if len(a.candidates(in)) > 0 {
		return nil
	}
	var all []error
	for _, name := range autoCandidates {
		if err := registry[name].New().Supports(in); err != nil {
			all = append(all, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(all...)
}

// Solve implements [Solver].
func (a *Auto) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	var best Result
	var least float64
	best.Status = model.Unknown
	for _, name := range a.candidates(in) {
		result, err := registry[name].New().Solve(ctx, in, opt)
		if err != nil {
			return Result{}, err
		}
		best.Evaluations += result.Evaluations
		best.Stop = result.Stop
		if result.Solution == nil {
			continue
		}
		evaluation, err := model.Evaluate(in, result.Solution)
		if err != nil {
			return Result{}, err
		}
		if best.Solution == nil || evaluation.Objective < least {
			result.Evaluations = best.Evaluations
			best, least, a.chosen = result, evaluation.Objective, name
		}
	}
	return best, nil
}
