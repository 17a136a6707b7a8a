package milp

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// Options are the limits of a run and what helps it.
type Options struct {
	Gap      float64        // relative difference of incumbent and bound from which on the incumbent counts as optimal
	Nodes    int64          // of the branch-and-bound; 0: no limit
	Start    []float64      // values to start from; nil: none. Of no use where they break the model
	Cutoff   *float64       // only solutions that cost less are asked for; nil: all
	Progress func(Progress) // nil: silent; called from one goroutine at a time, never after Solve has returned
}

// Progress is what a run has reached.
type Progress struct {
	Nodes     int64
	Objective float64     // +Inf: none
	Bound     model.Bound // see [Result]
}

// Status says what is known in the end.
type Status int

// The statuses. Infeasible with a cutoff means that nothing costs less than that.
const (
	Unknown  Status = iota // stopped without a solution
	Feasible               // stopped with one
	Optimal                // within the gap
	Infeasible
	Unbounded // or infeasible: HiGHS does not always tell
)

// String is the status in words.
func (s Status) String() string {
	if s < Unknown || s > Unbounded {
		return fmt.Sprintf("status %d", int(s))
	}
	return [...]string{"unknown", "feasible", "optimal", "infeasible", "unbounded"}[s]
}

// Result is what a run found.
type Result struct {
	Status Status
	// Values of all variables; nil: none found. Each integer variable is a whole number, and no limit is broken by more than
	// [Tolerance].
	Values    []float64
	Objective float64 // of the values, computed by the model; +Inf: none
	// Bound is a lower bound of the objective as the solver has it, in floating-point numbers: within Tolerance, not beyond
	// doubt. With a cutoff it is not above that, as the solver does not look at what costs more.
	Bound model.Bound
	Nodes int64
	// Limited says that the nodes ran out.
	Limited bool
}

// Tolerance is the violation that solutions may have: HiGHS's own, for rows and integrality.
const Tolerance = 1e-6

// ErrMissing is the error of [Solve] in a build without a solver.
var ErrMissing = errors.New("not in this build: it needs the library HiGHS: `make highs` sets it up, `tools/highs go build -tags highs ./cmd/allot` builds with it (cgo)")

// Missing is nil in a build that can solve, else [ErrMissing].
func Missing() error { return missing }

// Solve solves the model. When ctx ends it returns the incumbent with a nil error, within some 50 ms whatever HiGHS does at
// that moment; a run that does not notice at once goes on to its next look in the background and is then freed. The result
// depends on the model and the options alone, unless ctx ends. Any number of goroutines may call it; each run takes one
// thread. The error wraps [ErrInvalid], [ErrMissing] or is one of HiGHS.
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

// empty is the result of a model without variables.
func (m *Model) empty(opt Options) Result {
	if m.Violation(nil) > 0 {
		return infeasible(opt)
	}
	return Result{Status: Optimal, Values: []float64{}, Bound: model.ProvedBound(0)}
}

// infeasible is the result of a model without solutions, of which none costs less than the cutoff either.
func infeasible(opt Options) Result {
	result := Result{Status: Infeasible, Objective: math.Inf(1)}
	if opt.Cutoff != nil {
		result.Bound = model.ProvedBound(*opt.Cutoff)
	}
	return result
}
