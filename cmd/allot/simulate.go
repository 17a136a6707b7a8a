package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/whatif"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/process"
	"github.com/allot-opt/allot/solvers"
)

func simulateCommand() *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Usage:     "when the jobs of a queue would start; what if: when one more job would start, and what would block it",
		ArgsUsage: "INSTANCE",
		Description: `Without --submit: when each job of the instance, such as a queue that allot import slurm writes, would start under several policies.

With --submit: submits a hypothetical job to the instance, replays it under an on-line policy and says when the job starts, why it
waits and which jobs block it. The file holds one job as it stands in the list of jobs of an instance; --at is when it is submitted. The start is that of the
replay; the expected start is what the policy knows at the submission: all that runs ends at its estimate and nothing more arrives.

Examples:
  allot import slurm | allot simulate -
  allot simulate --submit examples/job.json --at 20 --solver easy examples/backfilling.json`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "submit", Usage: "the job in `FILE`"},
			&cli.GenericFlag{Name: "policies", Value: new(solverNames), DefaultText: strings.Join(usualPolicies, ","), Usage: "without --submit: `NAMES` of on-line policies, separated by commas, as --solvers of compare takes them"},
			&cli.Float64Flag{Name: "at", DefaultText: "the job's arrival", Usage: "submit it at `TIME`"},
			&cli.StringFlag{Name: "solver", Value: "easy", Usage: "`NAME` of an on-line solver: " + onlineSolvers()},
			&cli.StringSliceFlag{Name: "param", Usage: "parameter of the solver, `KEY=VALUE`; may be given several times"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed `N` of what the policy draws and of local jobs"},
			jsonFlag,
			outputFlag,
		},
		Action: runSimulate,
	}
}

// runSimulate answers one question.
func runSimulate(c *cli.Context) error {
	args, err := arguments(c, "INSTANCE")
	if err != nil {
		return err
	}
	if !c.IsSet("submit") {
		return runStarts(c, args[0])
	}
	if c.IsSet("policies") {
		return usageErrorf("--policies: expected it without --submit; with it, --solver names the policy")
	}
	info, policy, err := onlineSolver(c)
	if err != nil {
		return err
	}
	if at := c.Float64("at"); c.IsSet("at") && !(at >= 0 && at <= 1e18) {
		return usageErrorf("--at: expected a time in [0, 1e18], found %v", at)
	}
	if err := oneFromStdin("INSTANCE and --submit", args[0], c.String("submit")); err != nil {
		return err
	}
	if err := checkWritable(c.String("output")); err != nil {
		return err
	}
	job, err := model.ReadJobFile(c.String("submit"))
	if err != nil {
		return err
	}
	if c.IsSet("at") {
		job.Arrival = c.Float64("at")
	}
	in, err := readInstance(args[0])
	if err != nil {
		return err
	}
	with, err := in.WithJob(*job, model.InputName(c.String("submit")))
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	bar := newProgress(c.App.ErrWriter, "simulating", 0)
	answer, err := whatif.Submit(ctx, info.Name, policy, with, job.ID, c.Uint64("seed"))
	bar.finish()
	if err != nil {
		if ctx.Err() != nil {
			return &statusError{exitNoSolution, context.Cause(ctx)}
		}
		return err
	}
	return write(c, c.String("output"), func(w io.Writer) error {
		if c.Bool("json") {
			return indentedJSON(w, answer)
		}
		_, err := io.WriteString(w, printable(whatIfText(answer)))
		return err
	})
}

// onlineSolvers lists the names of the on-line solvers.
func onlineSolvers() string {
	var names []string
	for _, info := range solve.Solvers() {
		if _, ok := info.New().(solvers.Online); ok {
			names = append(names, info.Name)
		}
	}
	return strings.Join(append(names, process.OnlineScheme+":COMMAND"), ", ")
}

// whatIfText formats an answer for people.
func whatIfText(a *whatif.Answer) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "job %s (%s) submitted at %s under %s\n", a.Job, counted(a.Processors, "processor"), bench.Figure(a.Submitted), a.Solver)
	switch {
	case a.Start == nil:
		fmt.Fprintf(b, "  never starts: %s\n", a.Reason)
	case *a.Wait == 0:
		fmt.Fprintf(b, "  starts at once on %s\n", a.Cluster)
	default:
		fmt.Fprintf(b, "  starts at %s on %s, after waiting %s\n", bench.Figure(*a.Start), a.Cluster, bench.Figure(*a.Wait))
	}
	if a.ExpectedStart != nil {
		fmt.Fprintf(b, "  expected at its submission, by the estimates: %s\n", bench.Figure(*a.ExpectedStart))
	}
	if a.Start != nil && a.Reason != "" {
		fmt.Fprintf(b, "  does not run to its end: %s\n", a.Reason)
	}
	writeReasons(b, a.Solver, a.Reasons)
	writeCauses(b, a.Causes)
	writeBlockers(b, a.Blocked)
	return b.String()
}

const mostListed = 12

// writeCauses writes why a job waits.
func writeCauses(b *strings.Builder, causes []whatif.Cause) {
	if len(causes) > 0 {
		b.WriteString("why it waits:\n")
	}
	for k, c := range causes {
		if k == mostListed {
			fmt.Fprintf(b, "  and %s\n", counted(len(causes)-k, "more cause"))
			return
		}
		to := "…"
		if !math.IsNaN(c.To) {
			to = bench.Figure(c.To)
		}
		fmt.Fprintf(b, "  %s – %s: %s\n", bench.Figure(c.From), to, c.Text)
	}
}

// writeBlockers writes which jobs delayed the job.
func writeBlockers(b *strings.Builder, blockers []whatif.Blocker) {
	if len(blockers) > 0 {
		fmt.Fprintf(b, "%s in its way:\n", counted(len(blockers), "job"))
	}
	for k, j := range blockers {
		if k == mostListed {
			fmt.Fprintf(b, "  and %s\n", counted(len(blockers)-k, "more job"))
			return
		}
		fmt.Fprintf(b, "  %s: %s, %s, started at %s, to end at %s by its estimate", j.Job, j.Role, counted(j.Processors, "processor"),
			bench.Figure(*j.Start), bench.Figure(*j.EstimatedEnd))
		if j.End != nil {
			fmt.Fprintf(b, ", ended at %s", bench.Figure(*j.End))
		}
		b.WriteByte('\n')
	}
}
