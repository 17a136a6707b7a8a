package answers

import (
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// Configured completes the choice of a solver by parameters, in their order, and by rolling use: plan every period the jobs that have arrived, and earlier where a
// cluster has at most threshold of work left. nil: not asked for.
func Configured(choice solve.Choice, parameters []params.Setting, period, threshold *float64, start bool) (solve.Choice, error) {
	for _, p := range parameters {
		if err := choice.Set(p.Name, p.Value); err != nil {
			return choice, optionf("param", "solver %s: %w", choice.Info.Name, err)
		}
	}
	_, rolling := choice.Solver.(*solve.Rolling)
	switch {
	case threshold != nil && period == nil:
		return choice, optionf("rolling_threshold", "expected it only with rolling")
	case (period != nil || rolling) && start:
		return choice, optionf("rolling", "expected only one of rolling and start, found both")
	case period != nil && rolling:
		return choice, optionf("rolling", "expected only one of rolling and the parameter rolling_period, found both")
	case period != nil:
		least := 0.0
		if threshold != nil {
			least = *threshold
		}
		var err error
		if choice.Solver, err = solve.NewRolling(choice, *period, least); err != nil {
			return choice, &OptionError{"rolling", err}
		}
	}
	if start && !choice.Info.Starts {
		return choice, optionf("start", "solver %s does not start from a solution", choice.Info.Name)
	}
	return choice, nil
}
