package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/serve/question"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "run a suite: several solvers on several instances, with several seeds, within a budget",
		ArgsUsage: "SUITE",
		Description: `Runs a suite and appends one row per run to rows.jsonl in the run folder. To continue after an interruption, give the same
command again. The folder best keeps the best schedules. At the end the command prints one table per group, with a row for each solver: mean
objective, mean ratio to the best known schedule, wins (instances on which no solver is better), mean time and faults.

A suite is a JSON file. Within a clone of the repository the name of a file of bench/suites without .json will do, such as mcp.

Several programs, on several hosts that share a folder, can run one suite together. With --shard K/N each program runs its part; with --steal
each runs whatever no other has claimed. The same command without these flags then runs what is left and prints the tables. See docs/sweeps.md.

Examples:
  allot bench mcp
  allot bench bench/suites/mcp.json --time 500ms --jobs 1 -o quick
  allot bench bench/suites/mcp.json --shard 2/8 -o sweep`,
		Flags: append(suiteFlags(),
			&cli.StringFlag{Name: "shard", Usage: "run part K of N, `K/N`; with /N the batch system states K (Slurm, PBS, Kubernetes, HyperQueue); with auto Slurm states both"},
			&cli.BoolFlag{Name: "steal", Usage: "share the runs with other programs in the same folder: claim one run after another, until all have a row"},
		),
		Subcommands: []*cli.Command{benchReportCommand(), benchDiffCommand(), benchSlurmCommand()},
		Action:      runBench,
	}
}

// suiteFlags are the flags of the commands that run a suite.
func suiteFlags() []cli.Flag {
	return append(flagsOf(new(question.Suite)),
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, DefaultText: "run-NAME", Usage: "run `FOLDER`, for the rows, the best schedules and the suite"},
		&cli.StringFlag{Name: "data", DefaultText: "as the suite says", Usage: "`FOLDER` of the suite's files"},
		&cli.StringFlag{Name: "best", DefaultText: "best in the run folder", Usage: "`FOLDER` of the best known schedules; several suites may share it"},
	)
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
	path, err := findSuite(args[0])
	if err != nil {
		return err
	}
	var q question.Suite
	suite, err := readSuite(c, &q, path)
	if err != nil {
		return err
	}
	opt := bench.RunOptions{
		Dir: runFolder(c, suite), Best: c.String("best"), Jobs: q.Jobs, Mixed: q.Mixed, Steal: c.Bool("steal"), Stale: q.Stale.Duration(),
	}
	if c.IsSet("shard") {
		if opt.Steal {
			return usageErrorf("expected only one of --shard and --steal, found both")
		}
		if opt.Shard, err = bench.ParseShard(c.String("shard"), os.Getenv); err != nil {
			return usageErrorf("--shard: %w", err)
		}
	}
	ctx, stop := interruptible(c.Context, endSignals...)
	defer stop()
	plan, err := suite.Plan(ctx)
	if err != nil {
		return interrupted(ctx, err, "before the first run")
	}
	if opt.Jobs == 0 {
		opt.Jobs = max(1, runtime.GOMAXPROCS(0)/max(1, suite.Workers))
	}
	fmt.Fprintln(c.App.ErrWriter, printable(planned(plan, opt)))
	share := plan.Share(opt.Shard)
	bar := newProgress(c.App.ErrWriter, printable(suite.Name), len(share))
	opt.Progress = func(p bench.Progress) {
		bar.describe(printable(progressLine(p)))
		bar.at(p.Done)
	}
	opt.Warn = warning(c)
	err = bench.Run(ctx, plan, opt)
	bar.finish()
	if err != nil {
		return interrupted(ctx, runError(err), "the runs cut short have no row; the same command continues")
	}
	if len(share) < len(plan.Cells) || opt.Steal {
		return reportPart(c, plan, share, opt)
	}
	return reportRun(c, plan, opt.Dir)
}

// readSuite reads the suite and changes it as the flags say.
func readSuite(c *cli.Context, q *question.Suite, path string) (*bench.Suite, error) {
	suite, err := bench.ReadSuite(path)
	if err != nil {
		return nil, err
	}
	if err := asked(c, q); err != nil {
		return nil, err
	}
	if solver := suite.External(); solver != "" && !q.AllowExec {
		return nil, usageErrorf("%s: solver %s runs a command of the suite's author; check the command, then add --allow-exec", path, solver)
	}
	if q.Evals != nil {
		suite.Budget.Evaluations = *q.Evals
		for k := range suite.Instances {
			suite.Instances[k].Evaluations = 0
		}
	}
	if q.Workers > 0 {
		suite.Workers = q.Workers
	}
	if q.Time != nil {
		suite.Budget.Time = float64(*q.Time)
	}
	if c.IsSet("data") {
		suite.Data, err = filepath.Abs(c.String("data"))
	}
	return suite, err
}

// runFolder returns the run folder that the flags name, or that of the suite.
func runFolder(c *cli.Context, suite *bench.Suite) string {
	return cmp.Or(c.String("output"), "run-"+safeName(suite.Name))
}

// planned describes the runs to come.
func planned(plan *bench.Plan, opt bench.RunOptions) string {
	var labels []string
	for _, cell := range plan.Cells {
		if !slices.Contains(labels, cell.Label) {
			labels = append(labels, cell.Label)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s × %s, %s; rows in %s", plan.Suite.Name, numtext.Counted(len(plan.Instances), "instance"), numtext.Counted(len(labels), "solver"),
		numtext.Counted(len(plan.Cells), "run"), opt.Dir)
	if opt.Shard.N > 1 {
		fmt.Fprintf(&text, "\n  shard %s: %s", opt.Shard, numtext.Counted(len(plan.Share(opt.Shard)), "run"))
	}
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
		return usageErrorf("%w; give another folder (-o), or --mixed to keep the old rows beside the new ones", err)
	case errors.Is(err, bench.ErrForeign):
		return usageErrorf("%w; give another folder (-o)", err)
	case errors.Is(err, bench.ErrBusy), errors.Is(err, bench.ErrNoFolder):
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
