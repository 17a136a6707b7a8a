package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain why a job runs where and when it does, or follow a solver step by step",
		ArgsUsage: "INSTANCE SOLUTION JOB",
		UsageText: `allot explain [--json] INSTANCE SOLUTION JOB
allot explain --trace [--json] INSTANCE SOLUTION [JOB]
allot explain --trace --solver NAME [--seed N] [--json] INSTANCE [JOB]
allot explain --presolve [--solver NAME] [--json] INSTANCE`,
		Description: `Without --trace it says of one JOB: where and when it runs, or why it is left out; what it waits for; and, for each cluster, how early it
could end there if all other jobs stayed where they are, or why it cannot run there. (Where machines of a cluster differ in speed,
power or states it may even end earlier.) A job that may choose its number of processors is asked about the number that it holds, as far as the cluster has it, and about its least if it is left out or runs in pieces. If an on-line solver that can explain itself made the solution, it
also names the rules that decided. To find them it runs the solver again, with the seed and the parameters of the solution.

With --trace it prints every step of a solver that decides step by step, or only the steps about the JOB. It runs the solver of the SOLUTION again
and fails if the result is a different schedule.

With --presolve it says what is left out of the instance before a solver gets it, because it cannot bind: it limits no schedule.

Examples:
  allot solve -o plan.json examples/table1.json && allot explain examples/table1.json plan.json J3
  allot explain --trace --solver muscle examples/table1.json
  allot explain --trace --solver muscle:reading=b --json examples/table1.json J6
  allot explain --presolve examples/gpu.json`,
		Flags: append(flagsOf(new(question.Explain)), &cli.BoolFlag{Name: "presolve", Usage: "print what is left out of the INSTANCE because it cannot bind, for auto or the solver that --solver names"}, jsonFlag),
		Action: func(c *cli.Context) error {
			switch {
			case c.Bool("presolve") && c.Bool("trace"):
				return usageErrorf("expected only one of --presolve and --trace, found both")
			case c.Bool("presolve"):
				return runPresolve(c)
			case c.Bool("trace"):
				return runTrace(c)
			}
			for _, flag := range []string{"solver", "seed"} {
				if c.IsSet(flag) {
					return usageErrorf("--%s: expected it only with --trace%s", flag, map[bool]string{true: " or --presolve"}[flag == "solver"])
				}
			}
			return runExplain(c)
		},
	}
}

// readOf reads the instance of a question, which may be what sacct prints.
func readOf(c *cli.Context, path string) (*model.Instance, error) {
	var q question.Explain
	if err := asked(c, &q); err != nil {
		return nil, err
	}
	return readSited(c, path, q.Files)
}

// runPresolve says what is left out of an instance.
func runPresolve(c *cli.Context) error {
	args, err := arguments(c, "INSTANCE")
	if err != nil {
		return err
	}
	if c.IsSet("seed") {
		return usageErrorf("--seed: expected it only with --trace")
	}
	choice, err := solve.Choose(cmp.Or(c.String("solver"), "auto"))
	if err != nil {
		return usageErrorf("--solver: %w", err)
	}
	in, err := readOf(c, args[0])
	if err != nil {
		return err
	}
	found := answers.PresolveFor(choice.Solver, in, false)
	return writeAnswerOn(c, "-", in, 0, found, func() string { return presolveText(found) })
}

// presolveText is a line a rule, for people.
func presolveText(found *answers.Presolve) string {
	if len(found.Rules) == 0 {
		return "presolve: nothing to leave out\n"
	}
	return "presolve: " + strings.Join(found.Rules, "\npresolve: ") + "\n"
}

// runExplain explains one job.
func runExplain(c *cli.Context) error {
	args, err := arguments(c, "INSTANCE", "SOLUTION", "JOB")
	if err != nil {
		return err
	}
	in, list, err := schedulesOn(func(path string) (*model.Instance, error) { return readOf(c, path) }, args[0], args[1])
	if err != nil {
		return err
	}
	sol := list[0]
	job, ok := in.JobIndex(args[2])
	if !ok {
		return usageErrorf("JOB: expected the id of a job of %s, found %q", args[0], args[2])
	}
	if report := model.Check(in, sol); !report.OK() {
		return &statusError{exitViolations, fmt.Errorf("%s: expected a schedule that allot check accepts: %w", args[1], report.Violations[0])}
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	e, err := answers.Explain(ctx, in, sol, job)
	if err != nil {
		return stoppedOr(ctx, err)
	}
	return writeAnswerOn(c, "-", in, 0, e, func() string {
		text := new(strings.Builder)
		dates := datesOf(in)
		text.WriteString(explained(in, &e.Explanation, dates))
		writeReasons(text, sol.Solver, e.Reasons, dates)
		writeCauses(text, e.Causes, dates)
		return text.String()
	})
}

// explained formats the explanation for people.
func explained(in *model.Instance, e *plan.Explanation, dates dates) string {
	w := new(strings.Builder)
	if p := e.Placement; p == nil {
		fmt.Fprintf(w, "%s is left out: %s\n", e.Job, e.Reason)
	} else {
		fmt.Fprintf(w, "%s runs on %s from %s to %s; it arrives at %s and waits %s\n", e.Job, answers.PlaceOf(in, p), dates.at(p.Start), dates.at(p.End),
			dates.at(e.Arrival), numtext.Figure(p.Start-e.Arrival))
		for _, wait := range e.Waits {
			fmt.Fprintf(w, "  waits for %s, which ends at %s (%s)\n", wait.Job, dates.at(wait.End), wait.For)
		}
		switch free := *e.Free; {
		case len(e.Waits) > 0 || !(p.Start > e.Arrival):
		case free < p.Start:
			fmt.Fprintf(w, "  waits for no job: its processors are free from %s on, but the solver starts it later\n", dates.at(free))
		case e.Limited == plan.LimitedByHorizon:
			fmt.Fprintf(w, "  waits for no job: the horizon begins at %s\n", dates.at(free))
		case e.Limited == plan.LimitedBySleep:
			fmt.Fprintf(w, "  waits for no job: before %s its machines are not up\n", dates.at(free))
		case e.Limited == plan.LimitedByCap:
			fmt.Fprintf(w, "  waits for no job: before %s the power cap leaves too little for as long as it takes\n", dates.at(free))
		default:
			fmt.Fprintf(w, "  waits for no job: before %s its machines are closed to it\n", dates.at(free))
		}
	}
	if e.Deadline != nil {
		kind := "deadline"
		if e.Hard {
			kind = "hard deadline"
		}
		state := "missed"
		if e.Placement != nil && !model.Late(e.Placement.End, *e.Deadline) {
			state = "met"
		}
		fmt.Fprintf(w, "  %s %s: %s\n", kind, dates.at(*e.Deadline), state)
	}
	dates.write(w, e.Arrival)
	fmt.Fprintf(w, "where it could run if all other jobs stayed where they are, the earliest end first:\n")
	list := slices.Clone(e.Alternatives)
	slices.SortStableFunc(list, func(a, b plan.Alternative) int { return cmp.Compare(endOf(a), endOf(b)) })
	job, _ := in.JobIndex(e.Job)
	for _, a := range list {
		if a.End == nil {
			fmt.Fprintf(w, "  %s: not at all: %s\n", a.Cluster, a.Why)
			continue
		}
		fmt.Fprintf(w, "  %s: from %s to %s", a.Cluster, dates.at(*a.Start), dates.at(*a.End))
		cluster, _ := in.ClusterIndex(a.Cluster)
		if least, most := in.Width(job, cluster); least != most && a.Processors.Len() > 0 { // on another number it may end earlier
			fmt.Fprintf(w, " on %s", numtext.Counted(a.Processors.Len(), "processor"))
		}
		if a.Why != "" {
			fmt.Fprintf(w, ", %s", a.Why)
		}
		w.WriteByte('\n')
	}
	return w.String()
}

// endOf returns the end of an alternative, or +Inf if it has none.
func endOf(a plan.Alternative) float64 {
	if a.End == nil {
		return math.Inf(1)
	}
	return *a.End
}
