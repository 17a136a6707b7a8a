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

// Status says what a run has found out.
type Status int

// The statuses. With a cutoff, Infeasible means that no solution costs less than the cutoff.
const (
	Unknown  Status = iota // stopped without a solution
	Feasible               // stopped with a solution
	Optimal                // the solution is optimal within the gap
	Infeasible
	Unbounded // or infeasible: HiGHS does not always distinguish the two
)

// String is the status in words.
func (s Status) String() string {
	if s < Unknown || s > Unbounded {
		return fmt.Sprintf("status %d", int(s))
	}
	return [...]string{"unknown", "feasible", "optimal", "infeasible", "unbounded"}[s]
}

// Result is the result of a run.
type Result struct {
	Status Status
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

// ErrMissing is the error of [Solve] in a build without a solver.
var ErrMissing = errors.New("not in this build: it needs the library HiGHS: `make highs` sets it up, `tools/highs go build -tags highs ./cmd/allot` builds with it (cgo)")

// Missing is nil in a build that can solve, else [ErrMissing].
func Missing() error { return missing }

// Solve solves the model. When ctx ends it returns the incumbent with a nil error within about 50 ms. HiGHS may not notice the end at once;
// then its run continues in the background until it does, and is freed. Unless ctx ends, the result depends only on the model and the options.
// Any number of goroutines may call Solve; each run uses one thread. The error wraps [ErrInvalid] or [ErrMissing], or comes from HiGHS.
func Solve(ctx context.Context, m *Model, opt Options) (Result, error) {
	if missing != nil {
		return Result{}, missing
	}
	if err := m.Check(); err != nil {
		return Result{}, err
	}
	if opt.Start != nil && len(opt.Start) != len(m.variables) {
		return Result{}, fmt.Errorf("%w: expected a start with %d values, found %d", ErrInvalid, len(m.variables), len(opt.Start))
	}
	if math.IsNaN(opt.Gap) || opt.Gap < 0 || opt.Nodes < 0 {
		return Result{}, fmt.Errorf("%w: expected a gap and nodes ≥ 0, found %v and %d", ErrInvalid, opt.Gap, opt.Nodes)
	}
	if len(m.variables) == 0 {
		return m.empty(opt), nil
	}
	if m.crossed() {
		return infeasible(opt), nil
	}
	if ctx.Err() != nil {
		return Result{Objective: math.Inf(1)}, nil
	}
	return solve(ctx, m, opt)
}

// empty returns the result of a model without variables.
func (m *Model) empty(opt Options) Result {
	if m.Violation(nil) > 0 {
		return infeasible(opt)
	}
	return Result{Status: Optimal, Values: []float64{}, Bound: model.ProvedBound(0)}
}

// infeasible returns the result of a model without solutions. The bound is the cutoff, if there is one: no solution costs less.
func infeasible(opt Options) Result {
	result := Result{Status: Infeasible, Objective: math.Inf(1)}
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
