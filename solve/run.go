package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/proof"
)

// Run solves an instance with a chosen solver. It completes the solution with the metrics and the objective that the evaluator computes, the
// name and parameters of the solver, and the identity of the instance.
//
// Run does not trust the solver. The checker examines the schedule that the solver returns and [Options.Start]; if it refuses one, the error is
// a [*WrongScheduleError]. Where there is a right schedule besides, of another stage or the start, Run returns that one, and [Result.Dropped] says what was
// wrong; with [Options.Strict] this is an error. The evaluator computes objective and metrics again. If a lower bound is above the objective of a checked schedule,
// the method that stated the bound has a bug: Run returns the schedule without that bound, and [Result.Refuted] names the method. With
// [Options.Strict] this is an error. The status is optimal only if a bound proves it.
//
// The solver gets the instance without what cannot bind ([model.Reduce]), unless [Options.Stated] is set or the solver is [AsStated]. What Run checks, evaluates,
// certifies and returns is of the instance as it is stated.
//
// When ctx ends, by a deadline or by cancellation, Run returns the best schedule found so far with a nil error. Result.Stop says what ended
// the run. Result.Solution is nil if no schedule was found by then; the status is then unknown. [Options.Start] counts as found. Of a deadline the solver
// does not get the last 1.5 µs for each job, at most a third of the time that is left: so long it takes to check, to evaluate and to write a schedule.
//
// Run does not recover a panic of the solver: a program that must survive one does.
func Run(ctx context.Context, choice Choice, in *model.Instance, opt Options) (Result, error) {
	result, err := run(ctx, choice.Info, choice.Solver, in, opt)
	if err != nil {
		return Result{}, &RunError{choice.Info.Name, err}
	}
	return result, nil
}

// run does the work of Run. Its errors do not name the solver yet.
func run(ctx context.Context, info Info, solver Solver, in *model.Instance, opt Options) (Result, error) {
	if solver == nil {
		return Result{}, errNoSolver
	}
	if err := params.Check(solver); err != nil {
		return Result{}, err
	}
	asked := opt
	reduced, back := opt.presolver(in).For(solver, opt.Stated)
	if err := solver.Supports(reduced); err != nil {
		return Result{}, err
	}
	from, err := prepareStart(info, in, &opt)
	if err != nil {
		return Result{}, err
	}
	opt.restoring(back)
	steps, err := follow(info, &opt)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := untilSettling(ctx, len(in.Jobs()))
	defer cancel()
	opt.shared = &SharedBound{in: reduced, of: reduced, stated: in, back: back, idle: opt.Unbounded, certified: opt.Certify}
	if opt.Certify {
		opt.shared.in = in // as its certificates are of the stated instance
	}
	began := time.Now()
	result, err := solver.Solve(ctx, reduced, opt)
	if err != nil {
		if result.Else == nil {
			return Result{}, err
		}
		result.drop(in, info.Name, err)
	}
	result.Elapsed = time.Since(began)
	if err := steps.agree(result.Solution); err != nil {
		return Result{}, err
	}
	if err := result.finish(ctx); err != nil {
		return Result{}, err
	}
	made := result.Solution
	result.restore(back)
	if from.solution != nil { // a checked schedule, whatever the solver says
		result.besides(from.solution)
	}
	result.detach()
	evaluation, right := result.settle(in, info.Name, func(sol *model.Solution) (model.Evaluation, *WrongScheduleError) {
		if known := result.checked; known.isOf(in, sol) {
			return known.evaluation, nil
		}
		return Checked(in, sol)
	})
	if wrong := result.lost(in, reduced, made); wrong != nil && opt.Trace == nil {
		bug := back.Fits(made) // else the solver starts a job later than it has to
		if bug && opt.Strict {
			return Result{}, wrong.within(info.Name)
		}
		asked.Stated = true
		result, err := run(ctx, info, solver, in, asked)
		if bug {
			result.Dropped, result.Warning = cmp.Or(result.Dropped, wrong), cmp.Or(result.Warning, wrong.Error())
		}
		return result, err
	}
	if result.Dropped != nil {
		if opt.Strict || !right {
			return Result{}, result.Dropped.within(info.Name)
		}
		result.Warning = cmp.Or(result.Warning, result.Dropped.Error())
	}
	if !right {
		return withoutSchedule(ctx, result, info, in, reduced, opt)
	}
	opt.Progress = asked.Progress // of the stated instance from here on
	if err := complete(ctx, &result, evaluation, from, info, solver, in, opt); err != nil {
		return Result{}, err
	}
	steps.leave(in, result.Solution)
	return result, nil
}

// withoutSchedule is the result of a run that has no schedule: that there is none, perhaps with a certificate, or that nothing is known.
func withoutSchedule(ctx context.Context, result Result, info Info, in, reduced *model.Instance, opt Options) (Result, error) {
	if result.Status != model.Infeasible {
		result.Status = model.Unknown
	}
	if opt.Certify {
		if result.certifyInfeasible(ctx, in, reduced, info.Name); result.Unproved != nil && opt.Strict {
			return Result{}, result.Unproved
		}
	}
	return result, nil
}

// untilSettling is the context with an earlier deadline, before which the solver has to end, so that the schedule is checked, evaluated and written about when the time is over. A
// context without a deadline stays as it is.
func untilSettling(ctx context.Context, jobs int) (context.Context, context.CancelFunc) {
	const each = 1500 * time.Nanosecond // as measured on a million rigid jobs
	end, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	ctx, cancel := context.WithDeadline(ctx, end.Add(-min(each*time.Duration(jobs), max(0, time.Until(end))/3)))
	return kit.YieldAgain(ctx), cancel
}

// errNoSolver is the error where a [Choice] has no solver.
var errNoSolver = errors.New("expected a choice with a solver, as Choose, With and Info.Choice make it, found none")

// finish fills in why the solver stopped if the solver does not say. It returns an error for values that no solution may have, because a file with
// such values could not be read again.
func (r *Result) finish(ctx context.Context) error {
	switch r.Stop {
	case model.StopDone, model.StopTime, model.StopEvaluations, model.StopCancelled:
	case "":
		if r.Stop = model.StopDone; ctx.Err() != nil {
			r.Stop = model.StopReason(ctx)
		}
	default:
		return fmt.Errorf("expected one of the four reasons to stop, found %q: a bug of the solver", r.Stop)
	}
	if r.Evaluations < 0 {
		return fmt.Errorf("expected a number of evaluations of at least 0, found %d: a bug of the solver", r.Evaluations)
	}
	return nil
}

// RunError is an error of a run, with the name of the solver.
type RunError struct {
	Solver string
	Err    error
}

// Error implements error.
func (e *RunError) Error() string { return "solver " + e.Solver + ": " + e.Err.Error() }

// Unwrap returns the error without the name.
func (e *RunError) Unwrap() error { return e.Err }

// ErrStart says that a solver that takes no start was given one. The errors of [Run] wrap it.
var ErrStart = errors.New("the solver does not start from a solution")

// WrongScheduleError says that the checker refuses a schedule. Either the solver that made it has a bug, or [Options.Start] is wrong.
type WrongScheduleError struct {
	Violation model.Violation // the first violation
	More      int             // the number of further violations
	Start     bool            // true: the schedule is [Options].Start
	Solution  int64           // for a program from outside, the number of its solution, from 1; 0: the schedule comes from no program
}

// Error names the violation.
func (e *WrongScheduleError) Error() string {
	text := fmt.Sprintf("refused by the checker: %v", e.Violation)
	if e.Start {
		text = "the solution to start from is " + text
	}
	if e.More > 0 {
		text += fmt.Sprintf(" (and %d more)", e.More)
	}
	if e.Solution > 0 {
		text += fmt.Sprintf(" (solution %d of the program)", e.Solution)
	}
	return text
}

// Checked runs the checker on a schedule. It ignores the figures that the schedule states of itself. The evaluation is that of the objective, see
// [model.Evaluation.WithMetrics].
func Checked(in *model.Instance, sol *model.Solution) (model.Evaluation, *WrongScheduleError) {
	report := model.CheckPlacements(in, sol)
	if !report.OK() {
		return model.Evaluation{}, &WrongScheduleError{Violation: report.Violations[0], More: len(report.Violations) - 1 + report.More}
	}
	return report.Evaluation, nil
}

// Bare returns the schedule of a solution without the figures that the solution states: objective, bound, status, metrics and statistics.
func Bare(sol *model.Solution) *model.Solution {
	return &model.Solution{Schema: model.SolutionSchema, Jobs: sol.Jobs, Unscheduled: sol.Unscheduled, Loads: sol.Loads}
}

// start is the checked start of a run. It is the caller's solution; the solver gets a copy.
type start struct {
	solution   *model.Solution // nil: a cold start
	evaluation model.Evaluation
}

// prepareStart checks the start and puts a copy into the options, because a solver may change its start or return it as its result.
func prepareStart(info Info, in *model.Instance, opt *Options) (start, error) {
	if opt.Start == nil {
		return start{}, nil
	}
	if !info.Starts {
		return start{}, ErrStart
	}
	evaluation, wrong := Checked(in, opt.Start)
	if wrong != nil {
		wrong.Start = true
		return start{}, wrong
	}
	from := start{opt.Start, evaluation}
	opt.Start = copied(from.solution)
	return from, nil
}

// better reports whether the start is better than the evaluated schedule. A run never returns a schedule worse than its start.
func (s start) better(in *model.Instance, sol *model.Solution, evaluation model.Evaluation) bool {
	return s.solution != nil && in.BetterSchedule(s.solution, s.evaluation, sol, evaluation)
}

// complete fills in the figures that the checked solution states of itself.
func complete(ctx context.Context, result *Result, evaluation model.Evaluation, from start, info Info, solver Solver, in *model.Instance, opt Options) error {
	sol := result.Solution
	if from.better(in, sol, evaluation) {
		sol, evaluation = copied(from.solution), from.evaluation
	}
	result.Solution = sol
	sol.Instance, sol.InstanceSHA256 = in.Name(), in.SHA256()
	sol.Solver, sol.Version, sol.Seed = cmp.Or(result.Solver, info.Name), Version(), opt.Seed
	sol.Parameters = params.Stated(solver, info.defaults())
	sol.Minimised = in.Minimised()
	sol.Stop = result.Stop
	sol.Stats = &model.Stats{Evaluations: result.Evaluations}
	if opt.Progress != nil { // now, as the bound may take longer than the solver did
		opt.Progress(Progress{Evaluations: result.Evaluations, Objective: evaluation.Objective, Left: in.Owed(sol), Schedule: func() *model.Solution { return copied(sol) }})
	}
	opt.shared.meets(ctx, sol, &evaluation)
	var known *proof.Certificate
	if opt.Certify {
		if known = result.verified(ctx, in, opt.shared, info.Name); result.Unproved != nil && opt.Strict {
			return result.Unproved
		}
	}
	own := result.Certificate
	state(result, in, evaluation, opt.shared, "solver "+info.Name)
	opt.shared.explain(sol)
	if opt.Certify {
		result.certify(in, evaluation, own, known, opt.shared, info.Name)
	}
	if result.Refuted != nil {
		if result.Refuted.Instance = in.SHA256(); opt.Strict {
			return result.Refuted
		}
		result.Warning = cmp.Or(result.Warning, result.Refuted.Error())
	}
	return nil
}

// copied returns a copy of the schedule without the figures that it states of itself. The copy shares nothing with the schedule: a solver that
// writes into its start must not change the caller's schedule, and one that writes into what it returned must not change the schedule that was checked.
//
// Complexity: O(pieces + ranges of processors and devices), with a fixed number of allocations besides one for each job in pieces and one for each list of devices.
func copied(from *model.Solution) *model.Solution {
	sol := Bare(from)
	sol.Jobs, sol.Unscheduled, sol.Loads = slices.Clone(sol.Jobs), slices.Clone(sol.Unscheduled), slices.Clone(sol.Loads)
	n := 0
	for k := range sol.Jobs {
		n += len(sol.Jobs[k].Processors)
		for i := range sol.Jobs[k].Pieces {
			n += len(sol.Jobs[k].Pieces[i].Processors)
		}
	}
	ranges := make([]model.Range, 0, n) // of all sets: so the copy of a million jobs takes one allocation for them
	set := func(s model.ProcessorSet) model.ProcessorSet {
		if s == nil {
			return nil
		}
		at := len(ranges)
		ranges = append(ranges, s...)
		return slices.Clip(model.ProcessorSet(ranges[at:]))
	}
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		p.Processors, p.Pieces, p.Devices = set(p.Processors), slices.Clone(p.Pieces), copiedDevices(p.Devices)
		for i := range p.Pieces {
			p.Pieces[i].Processors, p.Pieces[i].Devices = set(p.Pieces[i].Processors), copiedDevices(p.Pieces[i].Devices)
		}
	}
	return sol
}

// copiedDevices returns a copy of the devices that a job holds.
func copiedDevices(held model.DevicesHeld) model.DevicesHeld {
	held = maps.Clone(held)
	for device, machines := range held {
		held[device] = maps.Clone(machines)
		for machine, set := range machines {
			held[device][machine] = slices.Clone(set)
		}
	}
	return held
}
