package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/tune"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/question"
)

func tuneCommand() *cli.Command {
	return &cli.Command{
		Name:      "tune",
		Usage:     "look for parameters of a solver or policy that serve better, and say whether they hold elsewhere",
		ArgsUsage: "SOLVER INSTANCE… | --policy POLICY TRACE",
		Description: `Races candidates against each other on some of the instances. A third of them, of a trace its last third, is set aside and used
once, at the end: the best of the races is recommended only where its gain there is shown, else the answer is to keep what there is. The first
line of the answer can be pasted wherever a solver or policy is named.

--vary names a parameter to vary, as often as there are some: order (all its values), order=fcfs,sjf (these), depth=1..64 (an interval),
damping=0.1..10:log (on a logarithmic scale). Without it all parameters are varied that say where to look; allot solvers lists them.

--runs or --total limits the whole; --time and --evals limit each run. With --runs and --evals the same seed gives the same answer. With
--folder the runs are kept: the same command continues after an interruption, and with --steal several programs share them.

With --slurm-conf the settings of a site of Slurm are tuned: the weights of priorities, and how sched/backfill looks ahead. The trace is what sacct -P prints
or an SWF file. --vary takes the names and values of slurm.conf too, such as PriorityWeightAge=0..100000, PriorityMaxAge=1-00:00:00..14-00:00:00 or
bf_window=1440,2880; in intervals of weights on a logarithmic scale the least is 1. The answer ends with the lines to change, or keeps your slurm.conf.

Examples:
  allot tune --policy easy --vary order --vary depth data/swf/KTH-SP2-1996-2.swf.gz
  allot tune search --suite mcp --evals 20000 --runs 2000
  allot tune --slurm-conf slurm.conf sacct.txt
  allot tune titan --vary population=10..400 --vary swap=0..1 --time 1s --total 10m batches/*.json`,
		Flags: append(flagsOf(new(question.Tune)),
			processorsFlag(""),
			&cli.StringFlag{Name: "suite", Usage: "take the instances, the objective and the limits of each run from suite `FILE`"},
			&cli.BoolFlag{Name: "allow-exec", Usage: "allow the suite to run commands as solvers (exec:COMMAND)"},
			&cli.StringFlag{Name: "folder", DefaultText: "none: an interrupted tuning begins anew", Usage: "keep the runs in `FOLDER`"},
			&cli.StringFlag{Name: "report", Usage: "write the answer as one page to `FILE`.html: verdict, gain, which parameters matter, the races"},
			jsonFlag,
			outputFlag,
		),
		Action: runTune,
	}
}

// runTune tunes.
func runTune(c *cli.Context) (err error) {
	var q question.Tune
	opt, err := tuneOptions(c, &q)
	if err != nil {
		return err
	}
	if page := c.String("report"); page != "" {
		if !strings.EqualFold(filepath.Ext(page), ".html") {
			return usageErrorf("--report: %q: expected a name that ends in .html", page)
		}
	}
	if err := cmp.Or(checkOutputs(c, "report", "output"), checkTuneSlurm(c)); err != nil {
		return err
	}
	name, words, err := tunedNames(c, &q, c.Args().Slice())
	if err != nil {
		return err
	}
	var space *tune.Space
	if !c.IsSet("slurm-conf") {
		if space, err = tune.NewSpace(name, q.Vary); err != nil {
			return usageErrorf("%w", err)
		}
	}
	ctx, stop := interruptible(c.Context, endSignals...)
	defer stop()
	if opt.Dir = c.String("folder"); opt.Dir == "" {
		if opt.Dir, err = files.Folder(); err != nil {
			return err
		}
		opt.Passing = true
		defer func() { err = errors.Join(err, os.RemoveAll(opt.Dir)) }()
	}
	bar := newProgress(c.App.ErrWriter, "tune", 100)
	opt.Progress = func(share float64, what string) {
		bar.describe(printable(what))
		bar.at(int(100 * share))
	}
	var answer *tune.Answer
	switch {
	case c.IsSet("slurm-conf"):
		answer, err = tuneSlurm(ctx, c, &q, opt)
	case q.Policy != "":
		answer, err = tuneOnTrace(ctx, c, &q, space, words[0], opt)
	default:
		answer, err = tuneOnInstances(ctx, c, &q, space, name, words, opt)
	}
	bar.finish()
	switch {
	case ctx.Err() != nil:
		left := "nothing was judged"
		if c.IsSet("folder") {
			left += "; the same command continues"
		}
		return interrupted(ctx, context.Canceled, left)
	case err != nil:
		return tuneError(err)
	}
	if c.IsSet("report") {
		if err := writeFile(c.String("report"), func(w io.Writer) error { return answer.WritePage(w, commandOfThis(c)) }); err != nil {
			return err
		}
	}
	return writeAnswer(c, c.String("output"), answer, answer.Text)
}

// tuneError gives the error of a tuning its exit status.
func tuneError(err error) error {
	if errors.Is(err, bench.ErrOtherRun) || errors.Is(err, bench.ErrForeign) {
		return usageErrorf("%w; give another --folder", err)
	}
	return runError(err)
}

// tunedNames parts the arguments into what to tune and on what.
func tunedNames(c *cli.Context, q *question.Tune, words []string) (name string, paths []string, err error) {
	name = tunedPolicy(c, q)
	switch {
	case name != "" && len(words) != 1:
		return "", nil, usageErrorf("expected one TRACE, found %d; see %s --help", len(words), c.Command.HelpName)
	case name != "" && c.IsSet("suite"):
		return "", nil, usageErrorf("expected only one of --policy and --suite, found both")
	case name == "" && len(words) == 0:
		return "", nil, usageErrorf("expected SOLVER and instances, or --policy POLICY and a trace, found neither; see %s --help", c.Command.HelpName)
	case name == "":
		return words[0], words[1:], nil
	}
	return name, words, nil
}

// tuneOptions reads the flags.
func tuneOptions(c *cli.Context, q *question.Tune) (tune.Options, error) {
	opt := tune.Defaults()
	if err := asked(c, q); err != nil {
		return opt, err
	}
	opt.Seed, opt.Confidence, opt.Steal, opt.Test, opt.Anyway = q.Seed, q.Confidence, q.Steal, tune.Test(q.Test), q.Anyway
	opt.Jobs, opt.Warn = cmp.Or(q.Jobs, runtime.GOMAXPROCS(0)/q.Workers, 1), warning(c)
	if q.HeldOut != nil {
		opt.HeldOut = *q.HeldOut
	}
	switch {
	case q.Runs > 0 && q.Total > 0:
		return opt, usageErrorf("expected only one of --runs and --total, found both")
	case q.Steal && !c.IsSet("folder"):
		return opt, usageErrorf("--steal: expected --folder, which the programs share")
	case q.Steal && q.Runs == 0:
		return opt, usageErrorf("--steal: expected --runs: programs that count time do not agree on what to run next")
	case q.Runs > 0:
		opt.Limits = tune.Limits{Runs: q.Runs}
	case q.Total > 0:
		opt.Limits = tune.Limits{Seconds: float64(q.Total)}
	}
	return opt, nil
}

// tuneOnTrace tunes a policy.
func tuneOnTrace(ctx context.Context, c *cli.Context, q *question.Tune, space *tune.Space, path string, opt tune.Options) (*tune.Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	in, err := tunedTrace(c, path, q, &opt)
	if err != nil {
		return nil, err
	}
	answer, err := tune.Trace(ctx, space, in, tunedMetric(q), opt)
	return answer, traceError(ctx, path, err)
}

// traceError names the trace that cannot be tuned on.
func traceError(ctx context.Context, path string, err error) error {
	ofFolder := errors.As(err, new(*fs.PathError)) || slices.ContainsFunc([]error{bench.ErrOtherRun, bench.ErrForeign, bench.ErrBusy}, func(kind error) bool { return errors.Is(err, kind) })
	if err == nil || ofFolder || ctx.Err() != nil {
		return err
	}
	return usageErrorf("%s: %w", path, err)
}

// tunedMetric is the metric that is minimised on a trace.
func tunedMetric(q *question.Tune) string { return cmp.Or(q.Objective, "mean_wait") }

// tunedTrace reads the trace.
func tunedTrace(c *cli.Context, path string, q *question.Tune, opt *tune.Options) (*model.Instance, error) {
	for _, flag := range []string{"time", "evals"} {
		if c.IsSet(flag) {
			return nil, usageErrorf("--%s: a policy decides as it does; expected it only for a solver", flag)
		}
	}
	in, read, err := readTrace(c, path, q.Files, "a trace in the Standard Workload Format or of sacct", "swf", "sacct")
	if err != nil {
		return nil, err
	}
	if read == nil { // else its report has said it; the first line of the answer can be pasted
		fmt.Fprint(c.App.ErrWriter, printable(caveatsText(in, "", 0)))
	}
	usual, known := lab.Defaults().In(in.Units().Time)
	if !known {
		return nil, usageErrorf("%s: expected times in a unit that says how long a day is, found %q", path, in.Units().Time)
	}
	opt.Lab = usual
	return in, nil
}

// tuneOnInstances tunes a solver.
func tuneOnInstances(ctx context.Context, c *cli.Context, q *question.Tune, space *tune.Space, name string, paths []string, opt tune.Options) (*tune.Answer, error) {
	plan, err := tunedInstances(ctx, c, q, name, paths)
	if err != nil {
		return nil, err
	}
	answer, err := tune.Instances(ctx, space, plan, opt)
	if errors.Is(err, tune.ErrTooLittle) {
		err = usageErrorf("%w", err)
	}
	return answer, err
}

// tunedInstances plans the instances that the solver takes.
func tunedInstances(ctx context.Context, c *cli.Context, q *question.Tune, name string, paths []string) (*bench.Plan, error) {
	suite, err := tuningSuite(c, q, name, paths)
	if err != nil {
		return nil, err
	}
	plan, err := suite.Plan(ctx)
	if err != nil {
		return nil, err
	}
	for _, skipped := range plan.Skipped {
		warning(c)(skipped.String())
	}
	kept := plan.Instances[:0]
	for k := range plan.Instances { // those that the solver takes
		if slices.ContainsFunc(plan.Cells, func(cell bench.Cell) bool { return cell.Instance == k }) {
			kept = append(kept, plan.Instances[k])
		}
	}
	plan.Instances = kept
	return plan, nil
}

// tuningSuite is the suite that makes the instances.
func tuningSuite(c *cli.Context, q *question.Tune, name string, paths []string) (*bench.Suite, error) {
	suite := &bench.Suite{Format: bench.SuiteFormat, Name: "tune"}
	if c.IsSet("suite") {
		if len(paths) > 0 {
			return nil, usageErrorf("expected instances or --suite, found both")
		}
		path, err := findSuite(c.String("suite"))
		if err != nil {
			return nil, err
		}
		if suite, err = bench.ReadSuite(path); err != nil {
			return nil, err
		}
		for k := range suite.Instances {
			suite.Instances[k].Solvers = nil
		}
	}
	suite.Solvers, suite.Seeds, suite.Paired, suite.Incumbents = []bench.SolverChoice{{Solver: name}}, bench.Seeds{}, false, false
	for _, path := range paths {
		source := bench.InstanceSource{Files: []string{path}}
		if file, err := formats.Open(path); err == nil { // else its reader says what is wrong
			if file.Format != nil {
				source.Import = file.Format.Name
			}
			if err := file.Close(); err != nil {
				return nil, err
			}
		}
		suite.Instances = append(suite.Instances, source)
	}
	if c.IsSet("objective") {
		suite.Objective = q.Objective
	}
	if q.Time != nil {
		suite.Budget.Time = float64(*q.Time)
	}
	if q.Evals != nil {
		suite.Budget.Evaluations = *q.Evals
	}
	suite.Workers = q.Workers
	if suite.Folder == "" {
		folder, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		suite.Folder = folder
	}
	if suite.Budget == (bench.Budget{}) {
		return nil, usageErrorf("expected a limit of each run: --time or --evals")
	}
	return suite, suite.Validate()
}
