package search

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/exact"
)

// Errors of [Exhaustible] and [Exhaust].
var (
	// ErrTooLarge says that an instance is too large for an exhaustive search.
	ErrTooLarge = exact.ErrTooLarge
	// ErrRefused says that an instance has something that [Exhaust] cannot take into account.
	ErrRefused = exact.ErrRefused
)

// Exhaustible says whether [Exhaust] takes the instance; the error says why not.
func Exhaustible(in *model.Instance) error { return exact.Takes(in) }

// ExhaustLeaves is the number of jobs that [Exhaust] leaves out of an instance that it takes: those that do not end within the horizon, whatever else runs.
func ExhaustLeaves(in *model.Instance) int { return exact.Left(in) }

// Exhausted is what [Exhaust] found.
type Exhausted struct {
	Result
	// Proved says that the search looked at everything: no schedule of all jobs, but for those of [ExhaustLeaves], costs less than Least.
	Proved bool
	Least  float64
	// Doubtful says that a job of the schedule ends so soon after its deadline that rounding decides whether it is late. Then
	// the schedule may cost more than Least, by the cost of being late. Otherwise the two differ by rounding alone.
	Doubtful bool
	// Rounding is by how much a time of a schedule may be off because its jobs' times were added up in double precision; 0: no sum of these times
	// is rounded. Exact says that no sum of the objective is rounded either.
	Rounding float64
	Exact    bool
	// Together says that the search placed jobs on all clusters at once, because these depend on each other.
	Together bool
}

// Exhaust finds the best schedule of a small instance among those that cost less than the limit. It proves that no other is
// better, by dynamic programming over sets of jobs. If Proved is set and there is no schedule, no schedule costs less than the
// limit. It uses only one of the options, MaxEvals.
func Exhaust(ctx context.Context, in *model.Instance, limit float64, opt Options) (Exhausted, error) {
	found, err := exact.Minimise(ctx, in, limit, opt.MaxEvals)
	return Exhausted{
		Result: Result{Solution: found.Solution, Evaluations: found.Evaluations, Stop: found.Stop},
		Proved: found.Proved, Least: found.Least, Doubtful: found.Doubtful, Rounding: found.Rounding, Exact: found.Exact, Together: found.Together,
	}, err
}
