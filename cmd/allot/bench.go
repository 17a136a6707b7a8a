package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/suggest"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "run a suite: solvers on instances with seeds, within a budget",
		ArgsUsage: "SUITE",
		Description: `Runs what the suite (a JSON file, see bench/suites) says and appends a row for each run to rows.jsonl in the run
folder. Interrupted, or killed, the same command goes on where it was. The best schedules are kept in the folder best. At the end
there is a table a group: solver × mean objective, mean ratio to the best known, wins (instances on which none is better), mean time
and faults.

Examples:
  allot bench bench/suites/mcp.json
  allot bench bench/suites/mcp.json --time 500ms --jobs 1 -o quick`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, DefaultText: "run-NAME", Usage: "run `FOLDER`: rows, best schedules and what was run"},
			&cli.StringFlag{Name: "data", DefaultText: "as the suite says", Usage: "`FOLDER` that the suite's files are in"},
			&cli.StringFlag{Name: "best", DefaultText: "best in the run folder", Usage: "`FOLDER` of the best-known schedules, which several suites may share"},
			&cli.IntFlag{Name: "jobs", DefaultText: "processors / workers", Usage: "`N` runs at a time"},
			&cli.IntFlag{Name: "workers", DefaultText: "as the suite says", Usage: "`N` workers of each run"},
			&cli.DurationFlag{Name: "time", DefaultText: "as the suite says", Usage: "stop each run after `DURATION`, such as 10s; 0: no limit"},
			&cli.Int64Flag{Name: "evals", DefaultText: "as the suite says", Usage: "stop each run after `N` evaluations of schedules; 0: no limit"},
			&cli.BoolFlag{Name: "allow-exec", Usage: "run the commands that the suite has as solvers (exec:COMMAND)"},
			&cli.BoolFlag{Name: "mixed", Usage: "go on in a folder with rows of another suite, budget or version of allot; they stay"},
		},
		Subcommands: benchSubcommands(),
		Action:      runBench,
	}
}

// runBench runs a suite.
func runBench(c *cli.Context) error {
	if first := c.Args().First(); c.NArg() > 1 {
		if name := suggest.Name(first, commandNames(c.Command.Subcommands)); name != "" {
			return usageErrorf("unknown command %q; did you mean %q? allot bench --help lists the commands", "bench "+first, name)
		}
	}
	args, err := arguments(c, "SUITE")
	if err != nil {
		return err
	}
	suite, err := bench.ReadSuite(args[0])
	if err != nil {
		return err
	}
	if solver := suite.External(); solver != "" && !c.Bool("allow-exec") {
		return usageErrorf("%s: solver %s runs a command of the suite's author: look at it and give --allow-exec", args[0], solver)
	}
	if err := overrideSuite(c, suite); err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	plan, err := suite.Plan(ctx)
	if err != nil {
		return interrupted(ctx, err, "before the first run")
	}
	opt := bench.RunOptions{Dir: c.String("output"), Best: c.String("best"), Jobs: c.Int("jobs"), Mixed: c.Bool("mixed")}
	if opt.Dir == "" {
		opt.Dir = "run-" + safeName(suite.Name)
	}
	if opt.Jobs == 0 {
		opt.Jobs = max(1, runtime.GOMAXPROCS(0)/max(1, suite.Workers))
	}
	fmt.Fprintln(c.App.ErrWriter, printable(planned(plan, opt.Dir)))
	bar := newProgress(c.App.ErrWriter, printable(suite.Name), len(plan.Cells))
	opt.Progress = func(p bench.Progress) {
		bar.describe(printable(progressLine(p)))
		bar.at(p.Done)
	}
	opt.Warn = func(text string) { fmt.Fprintf(c.App.ErrWriter, "allot: %s\n", printable(text)) }
	err = bench.Run(ctx, plan, opt)
	bar.finish()
	if err != nil {
		return interrupted(ctx, runError(err), "what was cut short has no row; the same command goes on with it")
	}
	return reportRun(c, plan, opt)
}

// overrideSuite replaces settings of the suite by those of the flags.
func overrideSuite(c *cli.Context, suite *bench.Suite) (err error) {
	switch {
	case c.Int64("evals") < 0:
		return usageErrorf("--evals: expected a number ≥ 0, found %d", c.Int64("evals"))
	case c.IsSet("workers") && c.Int("workers") < 1:
		return usageErrorf("--workers: expected a number ≥ 1, found %d", c.Int("workers"))
	case c.IsSet("jobs") && c.Int("jobs") < 1:
		return usageErrorf("--jobs: expected a number ≥ 1, found %d", c.Int("jobs"))
	case c.Duration("time") < 0:
		return usageErrorf("--time: expected a duration ≥ 0, found %s", c.Duration("time"))
	}
	if c.IsSet("evals") {
		suite.Budget.Evaluations = c.Int64("evals")
	}
	if c.IsSet("workers") {
		suite.Workers = c.Int("workers")
	}
	if c.IsSet("time") {
		suite.Budget.Time = c.Duration("time").Seconds()
	}
	if c.IsSet("data") {
		suite.Data, err = filepath.Abs(c.String("data"))
	}
	return err
}

// planned describes the runs to come.
func planned(plan *bench.Plan, dir string) string {
	var labels []string
	for _, cell := range plan.Cells {
		if !slices.Contains(labels, cell.Label) {
			labels = append(labels, cell.Label)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s × %s, %s; rows in %s", plan.Suite.Name, counted(len(plan.Instances), "instance"), counted(len(labels), "solver"),
		counted(len(plan.Cells), "run"), dir)
	for _, skipped := range plan.Skipped {
		fmt.Fprintf(&text, "\n  %s", skipped)
	}
	return text.String()
}

// progressLine shows the time left and the cells that run.
func progressLine(p bench.Progress) string {
	const shown = 2 // more would not fit on a line
	line := strings.Join(p.Running[:min(shown, len(p.Running))], "; ")
	if more := len(p.Running) - shown; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	if p.Left > 0 {
		line = fmt.Sprintf("%s left, %s", p.Left.Round(time.Second), line)
	}
	return line
}

// runError gives the error of a run its exit status.
func runError(err error) error {
	switch {
	case errors.Is(err, bench.ErrOtherRun):
		return usageErrorf("%w; give another folder (-o), or --mixed to keep its rows beside the new ones", err)
	case errors.Is(err, bench.ErrForeign):
		return usageErrorf("%w; give another folder (-o)", err)
	case errors.Is(err, bench.ErrBusy):
		return usageErrorf("%w", err)
	case errors.As(err, new(*fs.PathError)):
		return &statusError{exitFailure, err}
	}
	return err
}

// interrupted turns the error of a run that the user has stopped into a message. It returns any other error unchanged.
func interrupted(ctx context.Context, err error, left string) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return &statusError{exitNoSolution, errors.New("interrupted: " + left)}
	}
	return err
}

// reportRun writes the tables of a finished run.
func reportRun(c *cli.Context, plan *bench.Plan, opt bench.RunOptions) error {
	rows, err := bench.ReadRows(opt.Dir)
	if err != nil {
		return err
	}
	own := plan.Own(rows)
	if len(own) == 0 {
		return usageErrorf("%s: no solver of the suite takes an instance", opt.Dir)
	}
	if n := len(rows) - len(own); n > 0 {
		fmt.Fprintf(c.App.ErrWriter, "the tables are without %s of other runs in the folder; allot bench report has all\n", counted(n, "row"))
	}
	rows = own
	run, err := bench.ReadRun(opt.Dir)
	if err != nil {
		return err
	}
	known, err := run.Known(opt.Warn)
	if err != nil {
		return err
	}
	if err := write(c, "-", func(w io.Writer) error {
		text := new(strings.Builder)
		if err := bench.WriteRankings(text, bench.Rank(rows, known)); err != nil {
			return err
		}
		_, err := io.WriteString(w, printable(text.String()))
		return err
	}); err != nil {
		return err
	}
	return benchFaults(c.App.ErrWriter, rows)
}

// benchFaults lists the first faults, and returns an error if there are any.
func benchFaults(w io.Writer, rows []bench.Row) error {
	const listed = 10
	count, status := 0, exitFailure
	for _, row := range rows {
		if row.Fault == "" {
			continue
		}
		if strings.HasPrefix(row.Fault, refusedByChecker) {
			status = exitViolations
		}
		if count++; count <= listed {
			fmt.Fprintf(w, "  %s\n", printable(fmt.Sprintf("%s on %s, seed %d: %s", row.Solver, row.Instance, row.Seed, row.Fault)))
		}
	}
	if count == 0 {
		return nil
	}
	return &statusError{status, fmt.Errorf("%s of %d failed", counted(count, "run"), len(rows))}
}
