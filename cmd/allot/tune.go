package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/tune"
	"github.com/allot-opt/allot/model"
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
		Flags: append(slices.Concat(tuneFlags(), tuneSlurmFlags()),
			&cli.DurationFlag{Name: "total", DefaultText: "1m, if --runs is not given", Usage: "stop after `DURATION` in all"},
			&cli.StringFlag{Name: "folder", DefaultText: "none: an interrupted tuning begins anew", Usage: "keep the runs in `FOLDER`"},
			&cli.BoolFlag{Name: "steal", Usage: "share the runs with other programs that give the same command"},
			&cli.IntFlag{Name: "jobs", DefaultText: "processors", Usage: "run `N` runs at a time"},
			&cli.StringFlag{Name: "report", Usage: "write the answer as one page to `FILE`.html: verdict, gain, which parameters matter, the races"},
			jsonFlag,
			outputFlag,
		),
		Action: runTune,
	}
}

// tuneFlags are the flags that state what to tune.
func tuneFlags() []cli.Flag {
	usual := tune.Defaults()
	return []cli.Flag{
		&cli.StringFlag{Name: "policy", Usage: "tune policy `NAME` on a trace, as for allot policies"},
		&cli.GenericFlag{Name: "vary", Value: new(texts), DefaultText: "all that say where to look", Usage: "vary `PARAM`, PARAM=A,B,C or PARAM=LOW..HIGH; may be given several times"},
		&cli.StringFlag{Name: "suite", Usage: "take the instances, the objective and the limits of each run from suite `FILE`"},
		&cli.IntFlag{Name: "runs", Usage: "stop after `N` runs in all, those of the judgement included"},
		&cli.DurationFlag{Name: "time", Usage: "stop each run after `DURATION`, such as 1s; 0: no limit"},
		&cli.Int64Flag{Name: "evals", Usage: "stop each run after `N` evaluations of schedules; 0: no limit"},
		&cli.StringFlag{Name: "objective", DefaultText: "mean_wait for a policy, else that of the instances", Usage: "minimise `METRIC`; for a policy " + strings.Join(tune.TraceMetrics, " or ")},
		&cli.StringFlag{Name: "test", DefaultText: "mean for a policy, else rank", Usage: "drop candidates by `TEST`: rank counts all instances alike, mean by their size"},
		&cli.Float64Flag{Name: "held-out", Value: usual.HeldOut, DefaultText: "1/3", Usage: "set `SHARE` of the instances aside, or of the time of a trace"},
		&cli.Float64Flag{Name: "confidence", Value: usual.Confidence, Usage: "confidence `P` of the judgement"},
		&cli.Uint64Flag{Name: "seed", Value: usual.Seed, Usage: "seed `N` of the samples and of the runs"},
		&cli.IntFlag{Name: "workers", Value: 1, Usage: "use `N` workers in each run"},
		processorsFlag(""),
		&cli.StringFlag{Name: "nodes", DefaultText: "with --slurm-conf its nodes, else one pool of processors", Usage: "of a trace of sacct: `FILE` with what scontrol show node prints, or slurm.conf"},
		&cli.StringFlag{Name: "partitions", Usage: "of a trace of sacct: `FILE` with what scontrol show partition prints"},
		&cli.BoolFlag{Name: "allow-exec", Usage: "allow the suite to run commands as solvers (exec:COMMAND)"},
	}
}

// texts are the values of a flag that may be given several times; a value may hold commas.
type texts []string

// Set implements cli.Generic.
func (t *texts) Set(text string) error { *t = append(*t, text); return nil }

// String implements cli.Generic.
func (t *texts) String() string { return strings.Join(*t, " ") }

// runTune tunes.
func runTune(c *cli.Context) (err error) {
	opt, err := tuneOptions(c)
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
	name, words, err := tunedNames(c, c.Args().Slice())
	if err != nil {
		return err
	}
	var space *tune.Space
	if !c.IsSet("slurm-conf") {
		if space, err = tunedSpace(c, name); err != nil {
			return err
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
		answer, err = tuneSlurm(ctx, c, opt)
	case c.String("policy") != "":
		answer, err = tuneOnTrace(ctx, c, space, words[0], opt)
	default:
		answer, err = tuneOnInstances(ctx, c, space, name, words, opt)
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

// tunedSpace reads --vary.
func tunedSpace(c *cli.Context, name string) (*tune.Space, error) {
	space, err := tune.NewSpace(name, *c.Generic("vary").(*texts))
	if err != nil {
		return nil, usageErrorf("%w", err)
	}
	return space, nil
}

// tunedNames parts the arguments into what to tune and on what.
func tunedNames(c *cli.Context, words []string) (name string, paths []string, err error) {
	name = tunedPolicy(c)
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
func tuneOptions(c *cli.Context) (tune.Options, error) {
	opt := tune.Defaults()
	opt.Seed, opt.HeldOut, opt.Confidence, opt.Steal = c.Uint64("seed"), c.Float64("held-out"), c.Float64("confidence"), c.Bool("steal")
	opt.Test, opt.Jobs, opt.Warn = tune.Test(c.String("test")), cmp.Or(c.Int("jobs"), runtime.GOMAXPROCS(0)/max(1, c.Int("workers")), 1), warning(c)
	if c.IsSet("runs") && c.IsSet("total") {
		return opt, usageErrorf("expected only one of --runs and --total, found both")
	}
	if c.IsSet("runs") {
		opt.Limits = tune.Limits{Runs: c.Int("runs")}
	} else if c.IsSet("total") {
		opt.Limits = tune.Limits{Seconds: c.Duration("total").Seconds()}
	}
	if opt.Steal && !c.IsSet("folder") {
		return opt, usageErrorf("--steal: expected --folder, which the programs share")
	}
	if opt.Steal && !c.IsSet("runs") {
		return opt, usageErrorf("--steal: expected --runs: programs that count time do not agree on what to run next")
	}
	return opt, checkRanges(
		rangeOf{"runs", "a number ≥ 20", !c.IsSet("runs") || c.Int("runs") >= 20, c.Int("runs")},
		rangeOf{"total", "a duration ≥ 1s", !c.IsSet("total") || c.Duration("total") >= time.Second, c.Duration("total")},
		rangeOf{"evals", "a number ≥ 0", c.Int64("evals") >= 0, c.Int64("evals")},
		rangeOf{"jobs", "a number ≥ 1", !c.IsSet("jobs") || c.Int("jobs") >= 1, c.Int("jobs")},
		rangeOf{"workers", "a number ≥ 1", c.Int("workers") >= 1, c.Int("workers")},
		rangeOf{"held-out", "a share above 0 and at most 0.9", opt.HeldOut > 0 && opt.HeldOut <= 0.9, opt.HeldOut},
		rangeOf{"confidence", "a number between 0 and 1, both excluded", opt.Confidence > 0 && opt.Confidence < 1, opt.Confidence},
		rangeOf{"test", "rank or mean", slices.Contains([]tune.Test{"", tune.ByRank, tune.ByMean}, opt.Test), opt.Test},
		timeRange(c),
	)
}

// tuneOnTrace tunes a policy.
func tuneOnTrace(ctx context.Context, c *cli.Context, space *tune.Space, path string, opt tune.Options) (*tune.Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	in, err := tunedTrace(c, path, &opt)
	if err != nil {
		return nil, err
	}
	answer, err := tune.Trace(ctx, space, in, tunedMetric(c), opt)
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
func tunedMetric(c *cli.Context) string { return cmp.Or(c.String("objective"), "mean_wait") }

// tunedTrace reads the trace.
func tunedTrace(c *cli.Context, path string, opt *tune.Options) (*model.Instance, error) {
	for _, flag := range []string{"time", "evals"} {
		if c.IsSet(flag) {
			return nil, usageErrorf("--%s: a policy decides as it does; expected it only for a solver", flag)
		}
	}
	in, _, err := readTrace(c, path, "a trace in the Standard Workload Format or of sacct", "swf", "sacct")
	if err != nil {
		return nil, err
	}
	usual, known := lab.Defaults().In(in.Units().Time)
	if !known {
		return nil, usageErrorf("%s: expected times in a unit that says how long a day is, found %q", path, in.Units().Time)
	}
	opt.Lab = usual
	return in, nil
}

// tuneOnInstances tunes a solver.
func tuneOnInstances(ctx context.Context, c *cli.Context, space *tune.Space, name string, paths []string, opt tune.Options) (*tune.Answer, error) {
	plan, err := tunedInstances(ctx, c, name, paths)
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
func tunedInstances(ctx context.Context, c *cli.Context, name string, paths []string) (*bench.Plan, error) {
	suite, err := tuningSuite(c, name, paths)
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
func tuningSuite(c *cli.Context, name string, paths []string) (*bench.Suite, error) {
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
		suite.Objective = c.String("objective")
	}
	if c.IsSet("time") {
		suite.Budget.Time = c.Duration("time").Seconds()
	}
	if c.IsSet("evals") {
		suite.Budget.Evaluations = c.Int64("evals")
	}
	suite.Workers = c.Int("workers")
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
