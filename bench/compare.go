// Package bench compares solvers. A [Suite] is a data file that names instances, solvers, seeds and limits. [Suite.Plan] lists the runs, and [Run]
// makes them: every solver gets the same instances and limits, every schedule is checked, and each run becomes a [Row]. A killed run can continue.
// [Measure] makes a single run. Whatever is shown of runs is computed from rows alone.
package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/course"
)

// Settings are the limits of a run and what its row keeps.
type Settings struct {
	Time       time.Duration // 0: no limit
	Options    solve.Options
	Incumbents bool    // keep at most 200 of the run's incumbents in the row
	Measured   *Window // the jobs whose figures the row states; nil: all
}

// Measure runs one solver on one instance and checks its schedule. A failed run has a row with a Fault: the solver does not support the instance, returns an error or panics, or
// the checker refuses its schedule.
func Measure(ctx context.Context, choice solve.Choice, in *model.Instance, settings Settings) Row {
	row := measureWhole(ctx, choice, in, settings)
	if w := settings.Measured; w != nil {
		row.Measured = w
		if err := w.measure(in, &row); err != nil && row.Fault == "" {
			row.Fault = err.Error()
		}
	}
	return row
}

// measureWhole is Measure with the figures of the whole instance.
func measureWhole(ctx context.Context, choice solve.Choice, in *model.Instance, settings Settings) Row {
	row := Row{
		Instance: in.Name(), InstanceSHA256: in.SHA256(), Jobs: len(in.Jobs()), Minimised: shown.Objective(in), Solver: choice.Label,
		Parameters: choice.Given, Seed: settings.Options.Seed, TimeLimit: settings.Time.Seconds(), MaxEvals: settings.Options.MaxEvals,
		Workers: settings.Options.Workers, Version: solve.Version(),
	}
	if choice.Label != choice.Info.Name {
		row.Algorithm = choice.Info.Name
	}
	online := isOnline(choice.Info, choice.Given)
	if rolling, ok := choice.Solver.(*solve.Rolling); ok {
		online = rolling.Streams(in)
	}
	row.AllocatesBy = choice.Info.OtherObjective(in)
	row.Online = new(online && HoldsFuture(in))
	if settings.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, settings.Time)
		defer cancel()
		ctx = kit.YieldAgain(ctx)
	}
	var followed *course.Course
	if settings.Incumbents {
		followed = course.New(model.Bound{})
		settings.Options.Progress = func(p solve.Progress) { followed.Note(p) }
	}
	var rounds roundSums
	settings.Options.Round = rounds.add
	began := time.Now()
	result, err := runGuarded(ctx, choice, in, settings.Options)
	row.Elapsed = time.Since(began).Seconds()
	if err != nil {
		row.fail(err)
		return row
	}
	row.Warning = result.Warning
	row.Elapsed = result.Elapsed.Seconds()
	row.Status, row.Stop, row.Evaluations = result.Status, result.Stop, result.Evaluations
	row.Bound, row.AtLeast = result.Bound, result.Owed
	if result.Solution == nil {
		return row
	}
	row.Solution, row.Metrics, row.Objective = result.Solution, result.Solution.Metrics, result.Solution.Objective
	row.leave(in, result.Solution)
	row.Rounds = rounds.means()
	row.MeanArrival = meanArrival(in, result.Solution)
	row.Gap = row.gap()
	if followed != nil {
		followed.End(in, result)
		row.Incumbents = course.Thinned(followed.Incumbents)
	}
	return row
}

// meanArrival returns the mean arrival of the finished jobs, counted from the earliest arrival of all jobs.
func meanArrival(in *model.Instance, sol *model.Solution) float64 {
	sum, finished, number := 0.0, 0, -1
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		number, _ = in.JobFrom(number+1, p.Job)
		if job := &in.Jobs()[number]; !job.DeadlineHard || !model.Late(p.End, job.Deadline) {
			sum += job.Arrival - in.FirstArrival()
			finished++
		}
	}
	if finished == 0 {
		return 0
	}
	return sum / float64(finished)
}

// runGuarded calls [solve.Run] and turns a panic into an error, so that one broken solver does not end the runs of the others. It cannot catch a
// panic in a goroutine that the solver started.
func runGuarded(ctx context.Context, choice solve.Choice, in *model.Instance, opt solve.Options) (result solve.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v%s", p, panicPlace())
		}
	}()
	return solve.Run(ctx, choice, in, opt)
}

// panicPlace returns the place of the panic that is being recovered from, as " at FILE:LINE".
func panicPlace() string {
	callers := make([]uintptr, 50)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for panicking := false; ; {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !inRuntime {
			return fmt.Sprintf(" at %s:%d", filepath.Base(frame.File), frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// ShareBounds gives every row of one instance the best bound that any of the runs proved, and calls a schedule optimal that it proves so, by the rule
// of a run, see [model.Evaluation.Proves]. It leaves a row as it is if its schedule owes more jobs than the best number that is proved: the bound is not of
// such schedules. When the context ends, it leaves the remaining rows as they are. O(n log n) a row of n jobs.
func ShareBounds(ctx context.Context, in *model.Instance, rows []Row) error {
	var best model.Bound
	least := (&solve.Options{Unbounded: true}).SharedBound(ctx, in).Owed() // also where a row states less
	owed := least
	for k := range rows {
		switch row := &rows[k]; {
		case row.AtLeast > owed:
			owed, best = row.AtLeast, row.Bound
		case max(row.AtLeast, least) == owed:
			best = best.Max(row.Bound)
		}
	}
	for k := range rows {
		row := &rows[k]
		if row.Bound == best && row.AtLeast == owed || row.Objective == nil || row.Solution == nil || ctx.Err() != nil {
			continue // in the first case the run has judged it by this bound
		}
		evaluation, err := model.Evaluate(in, row.Solution)
		if err != nil {
			return err
		}
		switch owes := row.Owed(); {
		case owes > owed:
			row.AtLeast, row.Bound = owed, model.Bound{}
		case owes < owed || evaluation.Refutes(best):
			continue
		default:
			row.AtLeast, row.Bound = owed, best
			if evaluation.Proves(best) {
				row.Status = model.Optimal
			}
		}
		row.Gap = row.gap()
	}
	return nil
}

// fail gives the row the fault of a run that failed, without the solver's name, which the row states already.
func (row *Row) fail(err error) {
	row.Fault = err.Error()
	if run := (*solve.RunError)(nil); errors.As(err, &run) {
		row.Fault = run.Err.Error()
	}
	if errors.As(err, new(*solve.WrongScheduleError)) {
		row.Kind = WrongSchedule
	} else if errors.Is(err, solve.ErrUnsupported) {
		row.Kind = Unsupported
	}
}

// SupportingSolvers returns the registered solvers that support the instance of the presolver, except auto, which runs the others. stated is that of [solve.Options].
func SupportingSolvers(presolver *solve.Presolver, stated bool) []solve.Choice {
	var choices []solve.Choice
	for _, info := range solve.Solvers() {
		if choice := info.Choice(); info.Name != "auto" && presolver.Supports(choice.Solver, stated) == nil {
			choices = append(choices, choice)
		}
	}
	return choices
}
