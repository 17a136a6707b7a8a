package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench/report"
)

func benchDiffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two runs of a suite: what became better or worse, with significance tests",
		ArgsUsage: "A B",
		Description: `Pairs the runs of A and B by instance, solver, parameters, seed and budget. For each group and solver it tests whether B
is better or worse than A in objective and in time. It lists the runs that failed, or were proved optimal, in only one of the two.
A and B are run folders, or files of rows as allot compare --json writes them.

Examples:
  allot bench diff before after
  allot bench diff --fail --json before after >diff.json`,
		Flags: []cli.Flag{
			jsonFlag,
			&cli.BoolFlag{Name: "fail", Usage: "exit with status 1 if B is significantly worse or has runs that newly fail"},
		},
		Action: taking(runBenchDiff, "A", "B"),
	}
}

// runBenchDiff compares two runs.
func runBenchDiff(c *cli.Context, args []string) (err error) {
	var runs [2]report.Run
	for k, name := range args {
		if runs[k], err = readRun(name); err != nil {
			return err
		}
	}
	diff, err := report.Compare(runs[0].Rows, runs[1].Rows)
	if err != nil {
		return usageErrorf("%s, %s: %w", args[0], args[1], err)
	}
	text := new(strings.Builder)
	if err := report.WriteDiff(text, diff); err != nil {
		return err
	}
	err = writeAnswer(c, "-", diff, text.String)
	if err == nil && c.Bool("fail") && diff.Regressed() {
		return &statusError{exitFailure, errors.New("the second run is worse")}
	}
	return err
}
