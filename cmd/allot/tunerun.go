package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/bench/tune"
)

func tuneRunCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a configuration once for irace, SMAC or another program, and print one number",
		ArgsUsage: "FOLDER CONFIGURATION NUMBER SEED INSTANCE [PARAM=VALUE…]",
		Description: `What a program that tunes calls. FOLDER is one of allot tune export. The next arguments are those of irace: the numbers of the
configuration and of the instance, which change nothing, the seed, and a file of the folder training. Parameters that are not named are as the
tuned choice has them.

It prints what is to be minimised: the objective, plus 1e12 for each job that the schedule owes. If the solver refuses the configuration or the
instance, or fails, it prints Inf and says why on standard error; irace then drops the configuration. A wrong schedule, or arguments that are
wrong, end it without a number.

Example:
  allot tune run easy 1 1 42 training/003.json depth=3 order=sjf`,
		Action: runTuneRun,
	}
}

// runTuneRun runs a configuration.
func runTuneRun(c *cli.Context) error {
	words := c.Args().Slice()
	if len(words) < 5 {
		return usageErrorf("expected FOLDER CONFIGURATION NUMBER SEED INSTANCE, found %d arguments; see %s --help", len(words), c.Command.HelpName)
	}
	folder, seed, instance, settings := words[0], words[3], words[4], words[5:]
	if len(settings) > 0 && !strings.Contains(settings[0], "=") {
		return usageErrorf("expected PARAM=VALUE, found %q; a bound of the time (irace's capping) means nothing here", settings[0])
	}
	frozen, err := tune.OpenFrozen(folder)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context, endSignals...)
	defer stop()
	cost, why, err := frozen.Run(ctx, instance, seed, settings)
	switch {
	case ctx.Err() != nil:
		return interrupted(ctx, err, "no number")
	case err != nil:
		return usageErrorf("%w", err)
	case math.IsInf(cost, 1):
		warning(c)(why)
		_, err = fmt.Fprintln(c.App.Writer, "Inf")
		return err
	}
	_, err = fmt.Fprintln(c.App.Writer, strconv.FormatFloat(cost, 'g', -1, 64))
	return err
}
