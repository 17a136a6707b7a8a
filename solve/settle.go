package solve

import (
	"cmp"
	"fmt"

	"github.com/allot-opt/allot/model"
)

// DroppedSchedule is a schedule that the checker refuses, or an error in the place of one, of a run that has a right schedule besides. The solver that made it
// has a bug.
type DroppedSchedule struct {
	Solver   string // the solver that made it
	Fault    error  // a [*WrongScheduleError], or the error of the solver
	Instance string // SHA-256 of the instance
}

// Error describes what is wrong and asks for a report.
func (d *DroppedSchedule) Error() string {
	return fmt.Sprintf("what solver %s made was dropped: %v. This is a bug of that solver: please report it with the instance, SHA-256 %s", d.Solver, d.Fault, d.Instance)
}

// Unwrap returns what is wrong.
func (d *DroppedSchedule) Unwrap() error { return d.Fault }

// settle makes the first schedule of the result and of what it has besides, see [Result.Else], that the check accepts its solution, and notes the first that
// it refuses. It returns false if there is no right schedule; then Solution is nil.
func (r *Result) settle(in *model.Instance, solver string, check func(*model.Solution) (model.Evaluation, *WrongScheduleError)) (model.Evaluation, bool) {
	for {
		if r.Solution != nil {
			evaluation, wrong := check(r.Solution)
			if wrong == nil {
				r.Else = nil
				return evaluation, true
			}
			r.drop(in, cmp.Or(r.Solver, solver), wrong)
		}
		next := r.Else
		if next == nil {
			return model.Evaluation{}, false
		}
		r.Solution, r.Solver, r.Else, r.Status = next.Solution, next.Solver, next.Else, model.Feasible
	}
}

// drop takes away the schedule and all that is said of it, and notes what is wrong, unless something was noted before.
func (r *Result) drop(in *model.Instance, solver string, fault error) {
	r.Solution, r.Status, r.Bound, r.Certificate = nil, model.Unknown, model.Bound{}, nil
	if r.Dropped == nil {
		r.Dropped = &DroppedSchedule{Solver: solver, Fault: fault, Instance: in.SHA256()}
	}
}

// besides adds a schedule that is there in any case, as the last of those that the result has.
func (r *Result) besides(sol *model.Solution) {
	last := r
	for last.Else != nil {
		last = last.Else
	}
	if last.Solution == nil {
		last.Solution = sol
		return
	}
	last.Else = &Result{Solution: sol}
}

// detach replaces all schedules by copies: the solver may keep what it returned, and write to it later.
func (r *Result) detach() {
	for ; r != nil; r = r.Else {
		if r.Solution != nil {
			r.Solution = copied(r.Solution)
		}
	}
}

// within is the error of a run of the solver: without the name of a solver that the run names already.
func (d *DroppedSchedule) within(solver string) error {
	if d.Solver == solver {
		return d.Fault
	}
	return &RunError{d.Solver, d.Fault}
}
