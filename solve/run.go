package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// Run solves an instance with a chosen solver and hands back its result with the solution completed: what the evaluator says of
// it, who made it and from what.
//
// It trusts nobody. The checker looks at the schedule that the solver hands over and at [Options.Start]; one that it refuses is a
// [*WrongScheduleError]. Objective and metrics are computed anew. A bound above the objective of a checked schedule is a bug of its method: the schedule is
// handed back without that bound, [Result.Refuted] names the method, and with [Options.Strict] it is the error. A status says optimal
// only where a bound proves it.
//
// A solver found no schedule where Result.Solution is nil. A panic of the solver goes through: a program that must outlive one recovers it.
func Run(ctx context.Context, choice Choice, in *model.Instance, opt Options) (Result, error) {
	result, err := run(ctx, choice.Info, choice.Solver, in, opt)
	if err != nil {
		return Result{}, &RunError{choice.Info.Name, err}
	}
	return result, nil
}

// run is Run, its errors without the name of the solver.
func run(ctx context.Context, info Info, solver Solver, in *model.Instance, opt Options) (Result, error) {
	if solver == nil {
		return Result{}, errNoSolver
	}
	if err := params.Check(solver); err != nil {
		return Result{}, err
	}
	if err := solver.Supports(in); err != nil {
		return Result{}, err
	}
	from, err := prepareStart(info, in, &opt)
	if err != nil {
		return Result{}, err
	}
	opt.proof = &Proof{in: in}
	began := time.Now()
	result, err := solver.Solve(ctx, in, opt)
	if err != nil {
		return Result{}, err
	}
	result.Elapsed = time.Since(began)
	if err := result.finish(ctx); err != nil {
		return Result{}, err
	}
	if result.Solution == nil && from.solution != nil {
		result.Solution = from.copied() // whatever the solver says of it: there is a checked schedule
	}
	if result.Solution == nil {
		if result.Status != model.Infeasible {
			result.Status = model.Unknown
		}
		return result, nil
	}
	return result, complete(ctx, &result, from, info, solver, in, opt)
}

// errNoSolver is the error where a [Choice] has no solver.
var errNoSolver = errors.New("expected a choice with a solver, as Choose and Info.Choice make it, found none")

// finish states why the solver stopped where it does not say, and refuses what no solution may say: a file of it could not be read again.
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

// RunError is an error of a solver, with its name.
type RunError struct {
	Solver string
	Err    error
}

// Error implements error.
func (e *RunError) Error() string { return "solver " + e.Solver + ": " + e.Err.Error() }

// Unwrap is the error itself.
func (e *RunError) Unwrap() error { return e.Err }

// ErrStart is wrapped by the error where a solver that takes no start is given one.
var ErrStart = errors.New("the solver does not start from a solution")

// WrongScheduleError says that the checker refuses a schedule: a bug of the solver that made it, or a wrong [Options.Start].
type WrongScheduleError struct {
	Violation model.Violation // the first
	More      int             // how many there are besides
	Start     bool            // the schedule is the start that the solver was given
	Solution  int64           // of a program from outside: which of its solutions, from 1; 0: the schedule is not from one
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

// Checked is what the checker says of a schedule, whatever the figures that it states of itself.
func Checked(in *model.Instance, sol *model.Solution) (model.Evaluation, *WrongScheduleError) {
	report := model.Check(in, Bare(sol))
	if !report.OK() {
		return model.Evaluation{}, &WrongScheduleError{Violation: report.Violations[0], More: len(report.Violations) - 1 + report.More}
	}
	return report.Evaluation, nil
}

// Bare is a schedule without what it says of itself.
func Bare(sol *model.Solution) *model.Solution {
	return &model.Solution{Schema: model.SolutionSchema, Jobs: sol.Jobs, Unscheduled: sol.Unscheduled, Loads: sol.Loads}
}

// start is the checked start of a run, as the caller has it: what the solver gets is a copy.
type start struct {
	solution   *model.Solution // nil: a cold start
	evaluation model.Evaluation
}

// prepareStart checks the start and puts a copy in its place: a solver may write into it, or hand it back as its result.
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
	opt.Start = from.copied()
	return from, nil
}

// copied is a copy of the schedule without what it says of itself. It shares nothing with the schedule: a solver that writes into its copy must
// change neither the caller's nor one that was checked.
func (s start) copied() *model.Solution {
	sol := Bare(s.solution)
	sol.Jobs, sol.Unscheduled, sol.Loads = slices.Clone(sol.Jobs), slices.Clone(sol.Unscheduled), slices.Clone(sol.Loads)
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		p.Processors, p.Pieces = slices.Clone(p.Processors), slices.Clone(p.Pieces)
		for i := range p.Pieces {
			p.Pieces[i].Processors = slices.Clone(p.Pieces[i].Processors)
		}
	}
	return sol
}

// better says that the start is better than the schedule with its evaluation: a solver that starts from a schedule must not lose it.
func (s start) better(sol *model.Solution, evaluation model.Evaluation) bool {
	return s.solution != nil && model.NewRank(len(s.solution.Unscheduled), s.evaluation.Objective).Better(model.NewRank(len(sol.Unscheduled), evaluation.Objective))
}

// complete checks the schedule and fills in what the solution says of itself.
func complete(ctx context.Context, result *Result, from start, info Info, solver Solver, in *model.Instance, opt Options) error {
	evaluation, wrong := Checked(in, result.Solution)
	if wrong != nil {
		return wrong
	}
	if from.better(result.Solution, evaluation) {
		result.Solution, evaluation = from.copied(), from.evaluation
	}
	sol := Bare(result.Solution)
	result.Solution = sol
	sol.Instance, sol.InstanceSHA256 = in.Name(), in.SHA256()
	sol.Solver, sol.Version, sol.Seed = cmp.Or(result.Solver, info.Name), Version(), opt.Seed
	sol.Parameters = params.Stated(solver, info.defaults())
	sol.Minimised = in.ReplacedObjective()
	sol.Stop = result.Stop
	sol.Stats = &model.Stats{Evaluations: result.Evaluations}
	opt.proof.find(ctx)
	state(result, evaluation, opt.proof, "solver "+info.Name)
	if result.Refuted != nil {
		if result.Refuted.Instance = in.SHA256(); opt.Strict {
			return result.Refuted
		}
		result.Warning = cmp.Or(result.Warning, result.Refuted.Error())
	}
	return nil
}
