package main

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/bench/tune"
	"github.com/allot-opt/allot/internal/each"
)

func tuneExportCommand() *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write a tuning for irace or SMAC, which run it as it stands",
		ArgsUsage: "irace|smac SOLVER INSTANCE… | irace|smac --policy POLICY TRACE",
		Description: `Writes a folder that irace or SMAC works in, with the instances that allot tune would race on with the same flags. What allot
tune would set aside lies there too, for allot tune judge. README.md in the folder says how to start.

irace is a package of R, SMAC one of Python: apt-get install r-cran-irace, pip install 'smac>=2'.

Examples:
  allot tune export irace -o easy --runs 300 --policy easy --vary order --vary depth data/swf/KTH-SP2-1996-2.swf.gz
  allot tune export smac -o titan --runs 600 --evals 3000 titan --vary population=4..400:log --vary swap=0..1 batches/*.json`,
		Flags: append(slices.Concat(tuneFlags(), each.Of(slurmFlags, func(name string) cli.Flag { return &cli.StringFlag{Name: name, Hidden: true} })),
			&cli.IntFlag{Name: "jobs", Value: 1, Usage: "let the program run `N` runs at a time"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FOLDER`, which is empty or does not exist"},
		),
		Action: runTuneExport,
	}
}

// slurmFlags are flags of allot tune that an export refuses by name.
var slurmFlags = []string{"slurm-conf", "assoc", "qos", "judge"}

// runTuneExport writes a question for another program.
func runTuneExport(c *cli.Context) error {
	program := c.Args().First()
	if !slices.Contains(tune.Programs, program) {
		return usageErrorf("expected %s, then what to tune; found %q", strings.Join(tune.Programs, " or "), program)
	}
	for _, flag := range slurmFlags {
		if c.IsSet(flag) {
			return usageErrorf("--%s: irace and SMAC cannot tune slurm.conf: the folder has no place for what counts there besides the policy, such as shares of accounts, qualities of service and partitions; "+
				"use allot tune --slurm-conf, or export a policy without it (--policy backfill:order=multifactor)", flag)
		}
	}
	opt, err := tuneOptions(c)
	switch {
	case err != nil:
		return err
	case c.Lineage()[1].NumFlags() > 0:
		return usageErrorf("expected all flags after the name export, found some before it")
	case !c.IsSet("runs"):
		return usageErrorf("expected --runs: the other program counts runs")
	case !c.IsSet("output"):
		return usageErrorf("expected --output, the folder to write to")
	}
	opt.Dir = c.String("output")
	name, words, space, err := tuned(c, c.Args().Tail())
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context, endSignals...)
	defer stop()
	if c.String("policy") != "" {
		defer debug.SetGCPercent(debug.SetGCPercent(50))
		in, err := tunedTrace(c, words[0], &opt)
		if err != nil {
			return err
		}
		err = tune.ExportTrace(ctx, space, in, tunedMetric(c), program, opt)
		return exportError(err)
	}
	plan, err := tunedInstances(ctx, c, name, words)
	if err != nil {
		return err
	}
	return exportError(tune.ExportInstances(ctx, space, plan, program, opt))
}

// exportError calls an error of an export one of usage, unless a file could not be written.
func exportError(err error) error {
	if known := runError(err); err == nil || !errors.Is(known, err) || errors.As(known, new(*statusError)) {
		return known
	}
	return usageErrorf("%w", err)
}

func tuneJudgeCommand() *cli.Command {
	return &cli.Command{
		Name:      "judge",
		Usage:     "judge a choice on what an exported tuning set aside",
		ArgsUsage: "FOLDER CHOICE | FOLDER PARAM=VALUE…",
		Description: `Compares a choice, or the tuned one with these parameters, with the choice as it stands, on the instances that allot tune export
set aside in the folder. The answer is that of allot tune. It counts the choices that are judged in the folder: each further one has a wider
interval, so that trying many does not help by luck alone.

Examples:
  allot tune judge easy easy:depth=3
  allot tune judge easy depth=3 order=sjf`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", DefaultText: "processors", Usage: "run `N` runs at a time"},
			jsonFlag,
			outputFlag,
		},
		Action: runTuneJudge,
	}
}

// runTuneJudge judges a choice.
func runTuneJudge(c *cli.Context) error {
	words := c.Args().Slice()
	if len(words) < 2 {
		return usageErrorf("expected FOLDER and a choice or its parameters, found %d of them; see %s --help", len(words), c.Command.HelpName)
	}
	if err := checkRanges(rangeOf{"jobs", "a number ≥ 1", !c.IsSet("jobs") || c.Int("jobs") >= 1, c.Int("jobs")}); err != nil {
		return err
	}
	frozen, err := tune.OpenFrozen(words[0])
	if err != nil {
		return err
	}
	choice, err := frozen.Choice(words[1:])
	if err != nil {
		return usageErrorf("%w", err)
	}
	ctx, stop := interruptible(c.Context, endSignals...)
	defer stop()
	jobs := c.Int("jobs")
	if jobs == 0 {
		jobs = max(1, runtime.GOMAXPROCS(0)/max(1, frozen.Workers))
	}
	answer, err := frozen.Judge(ctx, choice, jobs)
	if err != nil {
		if errors.Is(err, bench.ErrForeign) {
			return runError(err)
		}
		return interrupted(ctx, err, "nothing was judged")
	}
	return writeAnswer(c, c.String("output"), answer, answer.Text)
}
