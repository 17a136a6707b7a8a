package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

func solveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "schedule the jobs of an instance",
		ArgsUsage: "INSTANCE",
		Description: `On a terminal it shows a chart of the schedule and a summary. Otherwise it writes the solution as JSON to standard output, and the
summary to standard error. -o FILE writes the JSON to FILE; -o - writes it to standard output, even on a terminal.

Examples:
  allot solve examples/multicluster.json
  allot solve examples/multicluster.json >plan.json
  allot solve --solver muscle --param reading=b -o plan.json --gantt plan.svg examples/table1.json
  allot import etc u_c_hihi.0.gz | allot solve --solver minmin -
  allot generate mts --jobs 2000 --rate 100 | allot solve --solver mts --rolling 1 -
  allot solve --solver 'exec:python3 examples/external/first_come.py' examples/tiny.json
  allot solve --solver ggone-milp --write-model model.mps examples/ggone.json`,
		Flags: append(flagsOf(new(question.Solve)),
			&cli.StringFlag{Name: "start", Usage: "start from the solution in `FILE`"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "also say what was left out of the instance because it cannot bind"},
			&cli.StringFlag{Name: "trace", Usage: "write a line of JSON to `FILE` for each improvement, and one for the end of the run"},
			proofFlag("the solution's bound"),
			&cli.StringFlag{Name: "write-model", Usage: "do not solve; write the solver's MILP to `FILE` (.mps or .lp), for any MILP solver"},
			&cli.StringFlag{Name: "gantt", Usage: "draw the schedule to `FILE` (.svg, .pdf, .png, .txt or .html)"},
			outputFlag,
		),
		Action: taking(runSolve, "INSTANCE"),
	}
}

// workersOf is the number of workers of a run that asks for some; 0: for none.
func workersOf(c *cli.Context, asked int) (int, error) {
	if c.IsSet("workers") && asked < 1 {
		return 0, usageErrorf("--workers: expected a number ≥ 1, found %d", asked)
	}
	return cmp.Or(asked, runtime.GOMAXPROCS(0)), nil
}

// runSolve solves one instance.
func runSolve(c *cli.Context, args []string) error {
	var q question.Solve
	if err := asked(c, &q); err != nil {
		return err
	}
	workers, err := workersOf(c, q.Workers)
	if err != nil {
		return err
	}
	opt := q.Options(workers)
	choice, err := configuredSolver(&q, c.IsSet("start"))
	if err != nil {
		return err
	}
	if path := c.String("gantt"); path != "" {
		if _, err := draw.FormatOf(path); err != nil {
			return usageErrorf("--gantt: %w", err)
		}
	}
	if c.IsSet("write-model") {
		return writeModel(c, choice, args[0])
	}
	if err := oneFromStdin("INSTANCE and --start", args[0], c.String("start")); err != nil {
		return err
	}
	if err := checkOutputs(c, "output", "gantt", "trace", "proof"); err != nil {
		return err
	}
	in, err := readInstance(args[0])
	if err != nil {
		return err
	}
	if path := c.String("start"); path != "" {
		if opt.Start, err = model.ReadSolutionFile(path); err != nil {
			return err
		}
	}
	target, err := withObjective(c, in)
	if err != nil {
		return err
	}
	opt.Certify = c.IsSet("proof")
	result, elapsed, err := solveWithin(c, choice, target, opt)
	if wrong := (*solve.WrongScheduleError)(nil); errors.As(err, &wrong) && wrong.Start {
		return usageErrorf("--start: %s: %w", c.String("start"), wrong.Violation)
	}
	if err != nil {
		return err
	}
	if err := writeProof(c, result.Certificate); err != nil {
		return err
	}
	if result.Solution == nil {
		return noSolution(choice.Info.Name, result)
	}
	// The solution comes first: a picture that cannot be drawn must not lose it, and in a terminal the summary stays in sight.
	text := printable(summary(in, target, choice.Info, result, elapsed))
	if c.Bool("verbose") {
		text += printable(presolveText(answers.PresolveFor(choice.Solver, target, opt.Stated)))
	}
	if columns, ok := showsChart(c); ok {
		if err := showOnTerminal(c, in, result.Solution, columns, text); err != nil {
			return err
		}
		text = ""
	} else if err := write(c, c.String("output"), func(w io.Writer) error { return model.WriteSolution(w, result.Solution) }); err != nil {
		return err
	}
	if path := c.String("gantt"); path != "" {
		if err := drawTo(path, result.Solution, in); err != nil {
			return err
		}
	}
	_, err = io.WriteString(c.App.ErrWriter, text)
	return err
}

// configuredSolver is the solver that is asked for, with its parameters set.
func configuredSolver(q *question.Solve, starts bool) (solve.Choice, error) {
	choice, err := solve.Choose(q.Solver)
	if err != nil {
		return choice, usageErrorf("--solver: %w", err)
	}
	parameters, _, err := q.Param.Settings()
	if err != nil {
		return choice, err // not of texts
	}
	choice, err = answers.Configured(choice, parameters, q.Rolling, q.RollingThreshold, starts)
	return choice, flagErrors(err)
}

// solveWithin runs the solver within the limits of the flags.
func solveWithin(c *cli.Context, choice solve.Choice, in *model.Instance, opt solve.Options) (solve.Result, time.Duration, error) {
	ctx, stop := withinTime(c)
	defer stop()
	follow := newWatch(ctx, c.App.ErrWriter, in, c.IsSet("trace"), c.Duration("time"))
	opt.Progress = follow.observe
	began := time.Now()
	result, err := solve.Run(ctx, choice, in, opt)
	elapsed := time.Since(began)
	follow.end(result)
	if err != nil {
		return result, elapsed, err
	}
	if path := c.String("trace"); path != "" {
		if err := write(c, path, follow.Write); err != nil {
			return result, elapsed, err
		}
	}
	if result.Solution == nil {
		return result, elapsed, nil
	}
	if c.Duration("time") > 0 {
		result.Solution.Stats.Elapsed = elapsed.Seconds()
	}
	return result, elapsed, nil
}

// noSolution is the error where a solver hands back no schedule.
func noSolution(name string, result solve.Result) error {
	text := fmt.Sprintf("solver %s: %s", name, answers.WithoutSolution(result.Status, result.Stop))
	if result.Status == model.Infeasible {
		return &statusError{exitViolations, errors.New(text + reasonOf(result))}
	}
	return &statusError{exitNoSolution, errors.New(text)}
}

// reasonOf is the explanation of an infeasible instance, where the solver gives one.
func reasonOf(result solve.Result) string {
	if result.Reason == "" {
		return ""
	}
	return ": " + result.Reason
}

// summary is a short summary for people. The objective that was minimised is that of target, which is the instance's own or one in its place.
func summary(in, target *model.Instance, solver solve.Info, result solve.Result, elapsed time.Duration) string {
	w := new(strings.Builder)
	sol := result.Solution
	name := sol.Solver
	if result.Solver != "" {
		name = fmt.Sprintf("%s chose %s", solver.Name, result.Solver)
	}
	fmt.Fprintf(w, "%s: %s, %s (%s) in %s\n", instanceName(in), name, statusText(target, sol.Status), sol.Stop, elapsed.Round(time.Millisecond/10))
	fmt.Fprintf(w, "  objective %s", objectiveText(target, sol.Objective))
	if value, known := sol.Bound.Value(); known {
		fmt.Fprintf(w, ", bound %s", numtext.Figure(value))
	}
	if owes := target.Owed(sol); owes > 0 {
		fmt.Fprintf(w, ", owes %s, at least %d", numtext.Counted(owes, "job"), sol.Owed)
	}
	if gap, ok := sol.Gap(); ok {
		fmt.Fprintf(w, ", gap %.2f %%", gap)
	}
	if sol.Minimised != nil {
		fmt.Fprintf(w, "\n  minimised in place of the instance's objective, %s", objectiveText(in, in.WeightedSum(sol.Metrics)))
	}
	if other := solver.OtherObjective(target); other != "" {
		fmt.Fprintf(w, "\n  allocates by %s", other)
	}
	fmt.Fprintf(w, "\n  %d of %d jobs placed; checked: ok\n", len(sol.Jobs), len(in.Jobs()))
	for k, u := range sol.Unscheduled {
		if k == 5 {
			fmt.Fprintf(w, "  and %d more left out\n", len(sol.Unscheduled)-k)
			break
		}
		fmt.Fprintf(w, "  left out: %s: %s\n", u.Job, u.Reason)
	}
	var figures []string
	for _, m := range shown.Metrics(in) {
		if value, ok := sol.Metrics.Get(m.Name); ok {
			figures = append(figures, m.Name+" "+numtext.Figure(value))
		}
	}
	fmt.Fprintf(w, "  %s\n", strings.Join(figures, ", "))
	w.WriteString(queueSummary(in, sol))
	if result.Warning != "" {
		fmt.Fprintf(w, "  warning: %s\n", result.Warning)
	}
	return w.String()
}

// statusText is the status for people, who must not take the best makespan for the best schedule.
func statusText(target *model.Instance, status model.Status) string {
	if status == model.Optimal {
		return model.OptimalFor(target.StatedObjective())
	}
	return string(status)
}

// instanceName is the instance's name, or a word for one without.
func instanceName(in *model.Instance) string {
	if in.Name() == "" {
		return "instance"
	}
	return in.Name()
}

// objectiveText is the objective with its value.
func objectiveText(in *model.Instance, value *float64) string {
	if value == nil {
		return shown.Objective(in) + " is not finite"
	}
	return shown.Objective(in) + " = " + numtext.Figure(*value)
}
