package milp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Options are the limits of a run and hints for it.
type Options struct {
	Gap      float64        // largest relative gap between incumbent and bound at which the incumbent counts as optimal
	Nodes    int64          // largest number of nodes of the branch-and-bound; 0: no limit
	Start    []float64      // values to start from; nil: none. Ignored if they violate the model
	Cutoff   *float64       // look only for solutions that cost less than this; nil: for all
	Progress func(Progress) // nil: silent; called from one goroutine at a time, never after Solve has returned
}

// Progress is the state that a run reports.
type Progress struct {
	Nodes     int64
	Objective float64     // +Inf: none
	Bound     model.Bound // see [Result]
}

// Result is the result of a run.
type Result struct {
	// Status is what the run has found out: [model.Unknown], [model.Feasible], [model.Optimal] within the gap, or [model.Infeasible]. With a cutoff,
	// infeasible means that no solution costs less than the cutoff.
	Status model.Status
	// Unbounded says that the model is unbounded, or infeasible: HiGHS does not always distinguish the two. The status is unknown then.
	Unbounded bool
	// Values of all variables; nil: no solution found. Each integer variable is a whole number, and no limit is violated by more
	// than [Tolerance].
	Values    []float64
	Objective float64 // computed from the values; +Inf: no solution found
	// Bound is a lower bound of the objective. HiGHS computes it in floating-point numbers, so it holds only within Tolerance. With
	// a cutoff it is at most the cutoff, because the solver does not look at solutions that cost more.
	Bound model.Bound
	Nodes int64
	// Limited says that the limit of nodes was reached.
	Limited bool
}

// Tolerance is the largest violation that solutions may have. It is HiGHS's default for rows and integrality.
const Tolerance = 1e-6

// errMissing is the error of [Solve] in a build without a solver.
var errMissing = errors.New("not in this build: it needs the library HiGHS: `make highs` sets it up, `tools/highs go build -tags highs ./cmd/allot` builds with it (cgo)")

// Missing is nil in a build that can solve, else the error of [Solve], which says how to build one that can.
func Missing() error { return missing }

// Solve solves the model. When ctx ends it returns the incumbent with a nil error within about 50 ms. HiGHS may not notice the end at once;
// then its run continues in the background until it does, and is freed. Unless ctx ends, the result depends only on the model and the options.
// Any number of goroutines may call Solve; each run uses one thread. The error says what is
// invalid, is that of [Missing], or comes from HiGHS.
func Solve(ctx context.Context, m *Model, opt Options) (Result, error) {
	if missing != nil {
		return Result{}, missing
	}
	if err := m.check(); err != nil {
		return Result{}, err
	}
	if opt.Start != nil && len(opt.Start) != len(m.variables) {
		return Result{}, fmt.Errorf("%w: expected a start with %d values, found %d", errInvalid, len(m.variables), len(opt.Start))
	}
	if math.IsNaN(opt.Gap) || opt.Gap < 0 || opt.Nodes < 0 {
		return Result{}, fmt.Errorf("%w: expected a gap and nodes ≥ 0, found %v and %d", errInvalid, opt.Gap, opt.Nodes)
	}
	if len(m.variables) == 0 {
		return m.empty(opt), nil
	}
	if m.crossed() {
		return infeasible(opt), nil
	}
	if ctx.Err() != nil {
		return Result{Status: model.Unknown, Objective: math.Inf(1)}, nil
	}
	return solve(ctx, m, opt)
}

// empty returns the result of a model without variables.
func (m *Model) empty(opt Options) Result {
	if m.Violation(nil) > 0 {
		return infeasible(opt)
	}
	return Result{Status: model.Optimal, Values: []float64{}, Bound: model.ProvedBound(0)}
}

// infeasible returns the result of a model without solutions. The bound is the cutoff, if there is one: no solution costs less.
func infeasible(opt Options) Result {
	result := Result{Status: model.Infeasible, Objective: math.Inf(1)}
	if opt.Cutoff != nil {
		result.Bound = model.ProvedBound(*opt.Cutoff)
	}
	return result
}

// Modeller is a solver that states an instance as a MILP. Stating takes no library, and so works in every build.
type Modeller interface {
	// MILP states the instance. The error says that the instance asks for something else, is too large or is proved infeasible, or is that
	// of ctx.
	MILP(ctx context.Context, in *model.Instance) (*Model, error)
}
