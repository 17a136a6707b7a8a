package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

func boundCommand() *cli.Command {
	return &cli.Command{
		Name:      "bound",
		Usage:     "compute a proved lower bound on the objective of an instance",
		ArgsUsage: "INSTANCE",
		Description: `No schedule that places every job it has to place costs less than the bound. The command prints the best bound, and the bound
that each method proves for each metric. A metric that no method bounds counts as 0. Without --time it works for about a second; how much work
it does then depends only on the instance.

Examples:
  allot bound --time 5s examples/multicluster.json
  allot bound --objective makespan --json examples/workflow.json
  allot bound --proof proof.json examples/table1.json && allot check --proof proof.json examples/table1.json`,
		Flags:  append(flagsOf(new(question.Bound)), proofFlag("the bound"), jsonFlag),
		Action: taking(runBound, "INSTANCE"),
	}
}

// runBound proves a bound.
func runBound(c *cli.Context, args []string) error {
	if err := asked(c, new(question.Bound)); err != nil {
		return err
	}
	in, err := readTarget(c, args[0])
	if err != nil {
		return err
	}
	if c.String("proof") == "-" {
		return usageErrorf("--proof: expected a file, because the bound goes to standard output")
	}
	if err := checkOutputs(c, "proof"); err != nil {
		return err
	}
	ctx, stop := withinTime(c)
	defer stop()
	bar := newProgress(c.App.ErrWriter, printable(instanceName(in))+": lower bound", 0)
	found, err := answers.Bound(ctx, in, c.Duration("time") > 0, c.IsSet("proof"), func(b model.Bound) {
		if value, known := b.Value(); known {
			bar.describe(fmt.Sprintf("%s: lower bound %s", printable(instanceName(in)), numtext.Figure(value)))
		}
	})
	bar.finish()
	switch {
	case errors.Is(err, answers.ErrNoBound):
		if err := writeProof(c, nil); err != nil {
			return err
		}
		return &statusError{exitNoSolution, err}
	case err != nil:
		return err
	}
	if found.Warning != "" {
		fmt.Fprintln(c.App.ErrWriter, "allot: "+found.Warning)
	}
	if err := writeProof(c, found.Certificate); err != nil {
		return err
	}
	return writeAnswer(c, "-", found, func() string { return boundText(found) })
}

// boundText is the bound for people.
func boundText(p *answers.ProvedBound) string {
	w, by := new(strings.Builder), ""
	if k := slices.IndexFunc(p.Parts, func(part bound.Part) bool { return part.Best }); k >= 0 {
		by = ", by " + p.Parts[k].Method
	}
	fmt.Fprintf(w, "%s ≥ %s%s\n", p.Objective, numtext.Figure(p.Bound), by)
	if p.Owed > 0 {
		fmt.Fprintf(w, "every schedule owes at least %s; the bound is of those that owe no more\n", numtext.Counted(p.Owed, "job"))
	}
	for _, part := range p.Parts {
		mark := " "
		if part.Best {
			mark = "*"
		}
		what := part.Metric
		if part.Lacks {
			what = "largest " + what + " − " + what
		}
		fmt.Fprintf(w, "%s %s ≥ %s by %s\n", mark, what, numtext.Figure(part.Value), part.Method)
	}
	for _, metric := range p.Unproved {
		fmt.Fprintf(w, "* %s ≥ 0, as it is never negative\n", metric)
	}
	return w.String()
}

// readTarget reads an instance. If the flag names an objective, that replaces the instance's own.
func readTarget(c *cli.Context, path string) (*model.Instance, error) {
	in, err := readInstance(path)
	if err != nil {
		return nil, err
	}
	return withObjective(c, in)
}

// withObjective returns the instance with the objective that the flag names. Without the flag it returns the instance unchanged.
func withObjective(c *cli.Context, in *model.Instance) (*model.Instance, error) {
	in, err := answers.WithObjective(in, c.String("objective"))
	return in, flagErrors(err)
}
