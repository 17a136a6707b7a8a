package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

func policiesCommand() *cli.Command {
	return &cli.Command{
		Name:      "policies",
		Usage:     "compare scheduling policies on a trace: who waits less, who waits longer, and whether that is significant",
		ArgsUsage: "TRACE",
		Description: `Replays a trace (an SWF file or an instance) under several policies. Compares the waits of all jobs: by size and length, by queue
and by user. Each difference from the first policy has a confidence interval, from a paired bootstrap over days. On-line policies have one table,
and solvers that know the future another.

Examples:
  allot policies --policies easy,easy:depth=5,easy:order=sjf TRACE.swf.gz
  allot policies --policies fcfs,easy,conservative --load 0.9 --warm-up 0.05 --waits waits.svg TRACE.swf.gz
  allot policies --policies easy,easy:depth=5 --report answer.html TRACE.swf.gz
  allot policies --policies easy,easy:price_budget=6h --tariff data/tariff/generated.csv --watts idle=90,busy=5 TRACE.swf.gz`,
		Flags: slices.Concat(flagsOf(new(question.Policies)), []cli.Flag{
			&cli.StringFlag{Name: "waits", Usage: "draw the distribution of the waits to `FILE`, .svg or .png"},
			&cli.StringFlag{Name: "differences", Usage: "draw how much longer the same jobs wait than under the first policy, by week of arrival, to `FILE`, .svg or .png"},
			&cli.StringFlag{Name: "shares", Usage: "write what each user was entitled to and received on each day to `FILE`.csv, or draw the users with the greatest entitlement, .svg or .png"},
			&cli.StringFlag{Name: "report", Usage: "write the answer as one page to `FILE`.html, to be sent on: the result first, pictures, tables, how the figures came to be"},
			jsonFlag,
			&cli.BoolFlag{Name: "csv", Usage: "write CSV: one row for each class under each policy"},
			outputFlag,
		}, tariffFlags("compare cost too", "compare carbon too")),
		Action: taking(runPolicies, "TRACE"),
	}
}

// lineUp is what policies was asked to do.
type lineUp struct {
	answers.PolicyRuns
	options answers.TraceOptions
	data    []string // what reading the trace dropped and repaired
	bought  *bought
}

// runPolicies compares policies on one trace.
func runPolicies(c *cli.Context, args []string) error {
	defer debug.SetGCPercent(debug.SetGCPercent(30)) // a trace may have millions of jobs: a third of the memory for a seventh more time
	asked, err := readLineUp(c, args[0])
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	bar := newProgress(c.App.ErrWriter, "policies", len(asked.Policies))
	asked.Step = bar.step
	asked.Warn = func(policy, text string) {
		fmt.Fprintf(c.App.ErrWriter, "%s: warning: %s\n", printable(policy), printable(text))
	}
	runs, err := asked.Run(ctx)
	bar.finish()
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	report, err := lab.Compare(ctx, asked.In, runs, asked.options.Options)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return usageErrorf("%s: %w", args[0], err)
	}
	if report.Power != nil {
		if err := asked.bought.covers(report.Power.To); err != nil {
			return err
		}
	}
	if _, withheld := report.AboutRecord(); withheld {
		for _, flag := range []string{"waits", "differences", "shares", "csv"} {
			if c.IsSet(flag) {
				return &statusError{exitNoSolution, fmt.Errorf("--%s: it is held back, as the site's policy does not explain the record; --anyway shows it", flag)}
			}
		}
	} else if err := drawPolicies(c, asked, runs, report); err != nil {
		return err
	}
	if c.IsSet("report") {
		from := lab.Origin{Command: commandOfThis(c), Data: asked.data, Version: solve.Version()}
		if err := writeFile(c.String("report"), func(w io.Writer) error { return report.WritePage(w, from) }); err != nil {
			return err
		}
	}
	if c.Bool("csv") {
		fmt.Fprint(c.App.ErrWriter, printable(caveatsText(asked.In, "", 0))) // rows of CSV have no place for it
		return write(c, c.String("output"), report.WriteCSV)
	}
	return writeAnswerOn(c, c.String("output"), asked.In, texttable.Columns, report, report.Text)
}

// commandOfThis is the command line, as the function run was called.
func commandOfThis(c *cli.Context) string {
	words := c.App.Metadata[commandLine].([]string)
	return shellquote.Join(append([]string{"allot"}, words[1:]...)...)
}

// readLineUp reads the flags and the trace.
func readLineUp(c *cli.Context, path string) (_ *lineUp, err error) {
	if c.Bool("json") && c.Bool("csv") {
		return nil, usageErrorf("expected only one of --json and --csv, found both")
	}
	var q question.Policies
	if err := asked(c, &q); err != nil {
		return nil, err
	}
	line := &lineUp{options: q.Options()}
	line.Settings, line.Options = bench.Settings{Time: q.Time.Duration(), Options: solve.Options{Seed: q.Seed}}, &line.options.Options
	if err := line.options.Check(); err != nil {
		return nil, flagErrors(err)
	}
	if _, err := answers.Policies(q.Policies); err != nil { // not only after the trace is read
		return nil, flagErrors(err)
	}
	if err := checkPictures(c, &q); err != nil {
		return nil, err
	}
	var read *model.ImportReport
	if line.In, read, err = readTrace(c, path, q.Files, "a trace in the Standard Workload Format or of sacct", "swf", "sacct"); err != nil {
		return nil, err
	}
	if line.Policies, err = answers.Policies(answers.PoliciesOn(line.In, q.Policies, answers.UsualPolicies)); err != nil {
		return nil, flagErrors(err)
	}
	if read != nil {
		line.data = strings.Split(read.String(), "\n")
	}
	if load := line.options.Load; load != nil && *load > answers.StrangeLoad {
		warning(c)(fmt.Sprintf("--load %v: the jobs need more than the processors can do, so the queue grows to the end; is it per cent? write %v", *load, *load/100))
	}
	if line.In, err = line.options.On(line.In); err != nil {
		if wrong := (*answers.OptionError)(nil); errors.As(err, &wrong) {
			return nil, flagErrors(err)
		}
		return nil, usageErrorf("%s: %w", path, err)
	}
	if line.bought, err = withTariff(c, line.In, true); err != nil {
		return nil, err
	}
	line.In = line.bought.in
	if c.IsSet("shares") && !slices.ContainsFunc(line.In.Jobs(), func(j model.Job) bool { return j.User() != "" }) {
		return nil, usageErrorf("--shares: expected jobs that state their user, found none")
	}
	line.Drawn = c.IsSet("waits") || c.IsSet("differences")
	line.options.Shares, line.options.Known = c.IsSet("shares"), !bench.HoldsFuture(line.In)
	if _, err := lab.Compare(c.Context, line.In, nil, line.options.Options); err != nil { // not only after long runs
		return nil, usageErrorf("%s: %w", path, err)
	}
	return line, nil
}

// checkPictures checks, before anything runs, the files that the flags name: pictures, a page and tables.
func checkPictures(c *cli.Context, q *question.Policies) error {
	for _, flag := range []string{"waits", "differences", "shares", "report"} {
		path := c.String(flag)
		if !c.IsSet(flag) {
			continue
		}
		switch flag {
		case "report":
			if !strings.EqualFold(filepath.Ext(path), ".html") {
				return usageErrorf("--report: %q: expected a name that ends in .html", path)
			}
		case "waits", "differences", "shares":
			format, err := draw.FormatOf(path)
			if isTable := flag == "shares" && strings.EqualFold(filepath.Ext(path), ".csv"); !isTable && (err != nil || format == draw.Text) {
				return usageErrorf("--%s: %q: expected a name that ends in .svg or .png%s", flag, path, map[string]string{"shares": ", or .csv"}[flag])
			}
		}
	}
	if err := checkOutputs(c, "waits", "differences", "shares", "report", "output"); err != nil {
		return err
	}
	if c.IsSet("differences") && len(q.Policies) == 1 {
		return usageErrorf("--differences: expected at least two policies, found one")
	}
	return nil
}

// errInterrupted says that the user stopped the comparison.
var errInterrupted = &statusError{exitNoSolution, errors.New("interrupted: nothing was compared")}

// drawPolicies writes the pictures that were asked for, of the jobs that count. It writes none if one cannot be drawn.
func drawPolicies(c *cli.Context, l *lineUp, runs []lab.Run, report *lab.Report) error {
	var schedules []*model.Solution
	for _, run := range runs {
		if run.Solution == nil {
			break // no schedule is drawn
		}
		named := model.Solution{Solver: run.Policy, Jobs: slices.DeleteFunc(slices.Clone(run.Solution.Jobs), func(p model.Placement) bool {
			job, _ := l.In.JobIndex(p.Job)
			arrival := l.In.Jobs()[job].Arrival
			return arrival < report.From || arrival > report.To
		})}
		if !run.Online && len(report.Groups) > 1 {
			named.Solver += " (plans ahead)"
		}
		schedules = append(schedules, &named)
	}
	var group []*model.Solution // the schedules of policies that know as much as the first; to compare it with others is not fair
	for k, run := range runs[:len(schedules)] {
		if len(report.Groups) == 1 || run.Online == runs[0].Online {
			group = append(group, schedules[k])
		}
	}
	pictures := map[string]*draw.Picture{}
	var err error
	if c.IsSet("waits") {
		if pictures["waits"], err = draw.Curves(l.In, schedules, draw.CurveOptions{Quantity: draw.Wait, View: draw.Cumulative}); err != nil {
			return usageErrorf("--waits: %w", err)
		}
	}
	if c.IsSet("differences") {
		if len(group) < 2 {
			return usageErrorf("--differences: expected two policies of the same kind (on line, or planning ahead), found one: %s", runs[0].Policy)
		}
		if pictures["differences"], err = draw.Curves(l.In, group, draw.CurveOptions{Quantity: draw.Wait, View: draw.Difference}); err != nil {
			return usageErrorf("--differences: %w", err)
		}
	}
	if path := c.String("shares"); strings.EqualFold(filepath.Ext(path), ".csv") {
		if err := write(c, path, report.WriteShares); err != nil {
			return err
		}
	} else if c.IsSet("shares") {
		if pictures["shares"], err = sharesPicture(l, report); err != nil {
			return usageErrorf("--shares: %w", err)
		}
	}
	for _, flag := range []string{"waits", "differences", "shares"} {
		if pictures[flag] != nil {
			if err := cannotWrite(c.String(flag), pictures[flag].WriteFile(c.String(flag))); err != nil {
				return err
			}
		}
	}
	return nil
}

// sharesPicture draws what the users who were entitled to most received, under the policies of the first group.
func sharesPicture(l *lineUp, report *lab.Report) (*draw.Picture, error) {
	const users, stretches = 4, 60
	curves, to := report.ShareCurves(0, users, stretches, l.options.Day)
	if len(curves) == 0 {
		return nil, errors.New("expected jobs that state their user, found none")
	}
	policies := kit.Each(report.Groups[0].Policies, func(p lab.Policy) string { return p.Name })
	panels := kit.Each(curves, func(curve lab.ShareCurve) draw.SharePanel { return draw.SharePanel(curve) })
	return draw.Shares(l.In, report.From, to, policies, panels, draw.CurveOptions{})
}
