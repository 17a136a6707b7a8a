package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// runStarts says when each job of an instance would start.
func runStarts(c *cli.Context, path string, q *question.Simulate) error {
	for _, flag := range []string{"at", "solver", "param"} {
		if c.IsSet(flag) {
			return usageErrorf("--%s: expected it only with --submit, --job, --quantiles or --backtest; without them, --policies names the policies", flag)
		}
	}
	if err := checkWritable(c.String("output")); err != nil {
		return err
	}
	if _, err := onlinePolicies(q.Policies); err != nil { // not only after the instance is read
		return err
	}
	in, err := readSited(c, path, q.Files)
	if err != nil {
		return err
	}
	choices, err := onlinePolicies(answers.PoliciesOn(in, q.Policies, answers.UsualStarts))
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	answer, err := answers.Starts(ctx, in, choices, q.Seed, q.Anyway)
	if err != nil {
		return stoppedOr(ctx, err)
	}
	return writeAnswerOn(c, c.String("output"), in, 0, answer, func() string { return startsText(answer, datesOf(in)) })
}

// onlinePolicies are the policies of some names, which are on line.
func onlinePolicies(names []string) ([]solve.Choice, error) {
	choices, err := answers.Policies(names)
	if err != nil {
		return nil, flagErrors(err)
	}
	for k, choice := range choices {
		if _, online := solve.PolicyOf(choice.Solver); !online {
			return nil, usageErrorf("--policies: expected on-line solvers, some of %s; found %q", onlineSolvers(false), names[k])
		}
	}
	return choices, nil
}

// startsText is the forecast for people: a line each job, and the mean wait.
func startsText(f *answers.StartTable, dates dates) string {
	figure := func(x float64) string { return timetext.Of(x, cmp.Or(f.Unit, "s"), numtext.Figure) }
	w := new(strings.Builder)
	fmt.Fprintf(w, "when %s would start, counted from time 0", numtext.Counted(len(f.Jobs), "job"))
	if f.Running > 0 {
		fmt.Fprintf(w, "; %d more run already", f.Running)
	}
	fmt.Fprintf(w, "\n%s", f.Assumed.Line())
	dates.write(w, 0)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "job\tuser\tprocessors\testimate\t%s\n", strings.Join(f.Policies, "\t"))
	waits := make([]float64, len(f.Policies))
	never := make([]int, len(f.Policies))
	for k := range f.Jobs {
		j := &f.Jobs[k]
		estimate := ""
		if j.Estimate != nil {
			estimate = figure(*j.Estimate)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s", j.Job, j.User, j.Processors, estimate)
		for p, policy := range f.Policies {
			start, text := j.Starts[policy].Start, "never"
			if start == nil {
				never[p]++
			} else {
				text = figure(*start)
				waits[p] += *start - j.Arrival
			}
			fmt.Fprintf(table, "\t%s", text)
		}
		fmt.Fprintln(table)
	}
	fmt.Fprint(table, "mean wait\t\t\t")
	for p := range f.Policies {
		fmt.Fprintf(table, "\t%s", figure(waits[p]/float64(max(len(f.Jobs)-never[p], 1))))
	}
	fmt.Fprintln(table)
	_ = table.Flush() // a strings.Builder takes everything
	writeStartReasons(f, w)
	for _, note := range f.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return w.String()
}

// writeStartReasons writes why jobs never start, or do not run to their ends.
func writeStartReasons(f *answers.StartTable, w *strings.Builder) {
	shown := limited{w: w, what: "reason", most: queuesShown}
	for k := range f.Jobs {
		for _, policy := range f.Policies {
			switch start := f.Jobs[k].Starts[policy]; {
			case start.Start == nil:
				shown.line("%s never starts under %s: %s\n", f.Jobs[k].Job, policy, start.Reason)
			case start.Reason != "":
				shown.line("%s does not run to its end under %s: %s\n", f.Jobs[k].Job, policy, start.Reason)
			}
		}
	}
	shown.end()
}
