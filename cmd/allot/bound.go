package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/shown"
	"github.com/allot-opt/allot/model"
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
		Flags: []cli.Flag{
			objectiveFlag(),
			&cli.DurationFlag{Name: "time", DefaultText: "about 1s", Usage: "work for `DURATION`, such as 10s; more time often proves a better bound"},
			proofFlag("the bound"),
			jsonFlag,
		},
		Action: taking(runBound, "INSTANCE"),
	}
}

// provedBound is the output of the command.
type provedBound struct {
	Objective string       `json:"objective"`
	Bound     float64      `json:"bound"`
	Parts     []bound.Part `json:"parts"`
	More      bool         `json:"more"` // more time may improve the bound
	Elapsed   float64      `json:"elapsed_s"`
	unproved  []string     // metrics that no method bounds
}

// runBound proves a bound.
func runBound(c *cli.Context, args []string) error {
	if err := checkRanges(timeRange(c)); err != nil {
		return err
	}
	in, err := readTarget(c, args[0])
	if err != nil {
		return err
	}
	if err := checkProofFile(c); err != nil {
		return err
	}
	ctx, stop := withinTime(c)
	defer stop()
	bar := newProgress(c.App.ErrWriter, printable(instanceName(in))+": lower bound", 0)
	const second = 1_000_000_000
	prepare := bound.New
	if c.IsSet("proof") {
		prepare = bound.NewCertified
	}
	began, proof := time.Now(), prepare(ctx, in)
	more := proof.Improve(ctx, second)
	for more && c.Duration("time") > 0 && ctx.Err() == nil {
		if value, known := proof.Bound().Value(); known {
			bar.describe(fmt.Sprintf("%s: lower bound %s", printable(instanceName(in)), numtext.Figure(value)))
		}
		more = proof.Improve(ctx, second)
	}
	bar.finish()
	value, ok := proof.Bound().Value()
	if !ok {
		return &statusError{exitNoSolution, errors.New(cmp.Or(shown.Unbounded(in), "stopped before anything was proved of "+shown.Objective(in)))}
	}
	if err := writeProof(c, proof.Certificate()); err != nil {
		return err
	}
	found := provedBound{shown.Objective(in), value, proof.Parts(), more, time.Since(began).Seconds(), nil}
	for _, t := range in.ObjectiveTerms() {
		if t.Weight > 0 && !slices.ContainsFunc(found.Parts, func(p bound.Part) bool { return p.Metric == t.Metric }) {
			found.unproved = append(found.unproved, t.Metric)
		}
	}
	return writeAnswer(c, "-", found, found.text)
}

// text is the bound for people.
func (p *provedBound) text() string {
	w, by := new(strings.Builder), ""
	if k := slices.IndexFunc(p.Parts, func(part bound.Part) bool { return part.Best }); k >= 0 {
		by = ", by " + p.Parts[k].Method
	}
	fmt.Fprintf(w, "%s ≥ %s%s\n", p.Objective, numtext.Figure(p.Bound), by)
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
	for _, metric := range p.unproved {
		fmt.Fprintf(w, "* %s ≥ 0, as no metric is negative\n", metric)
	}
	return w.String()
}

// objectiveFlag replaces the objective.
func objectiveFlag() cli.Flag {
	return &cli.StringFlag{Name: "objective", Usage: "minimise `METRIC` instead of the instance's objective"}
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
	metric := c.String("objective")
	if metric == "" {
		return in, nil
	}
	other, err := in.WithObjective(map[string]float64{metric: 1})
	if err != nil {
		return nil, usageErrorf("--objective: %w", err)
	}
	return other, nil
}
