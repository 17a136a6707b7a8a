package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/kballard/go-shellquote"
	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/internal/bench/lab"
	"github.com/allot-opt/allot/internal/each"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

func policiesCommand() *cli.Command {
	usual := lab.Defaults()
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
  allot policies --policies easy,easy:depth=5 --report answer.html TRACE.swf.gz`,
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "policies", Value: new(solverNames), DefaultText: "fcfs,easy,conservative", Usage: "`NAMES` of policies, separated by commas, as for allot compare --solvers; each is compared with the first"},
			&cli.Float64Flag{Name: "load", DefaultText: "the load of the trace", Usage: "stretch or shrink the gaps between arrivals to the offered load `L`"},
			processorsFlag(""),
			&cli.Float64Flag{Name: "warm-up", Usage: "do not count jobs that arrive in the first or the last `SHARE` of the time"},
			&cli.Float64Flag{Name: "day", Value: usual.Day, DefaultText: "24 hours", Usage: "length of a day, `TIME` in the unit of the trace"},
			&cli.IntFlag{Name: "narrow", Value: usual.Narrow, Usage: "a narrow job has at most `N` processors"},
			&cli.Float64Flag{Name: "short", Value: usual.Short, DefaultText: "1 hour", Usage: "a short job runs for at most `TIME`, in the unit of the trace"},
			&cli.Float64Flag{Name: "confidence", Value: usual.Confidence, Usage: "confidence `P` of the intervals"},
			&cli.IntFlag{Name: "replicates", Value: usual.Replicates, Usage: "`N` replicates of the bootstrap"},
			&cli.IntFlag{Name: "block", DefaultText: "1.5 times the cube root of the number of days, at most a tenth of the days, and at least 3", Usage: "`N` days in a block of the bootstrap"},
			&cli.Uint64Flag{Name: "seed", Value: usual.Seed, Usage: "seed `N` of the bootstrap and of the policies' random draws"},
			&cli.DurationFlag{Name: "time", Usage: "time limit `D` of each policy or solver, such as 10s; 0: none"},
			&cli.StringFlag{Name: "waits", Usage: "draw the distribution of the waits to `FILE`, .svg or .png"},
			&cli.StringFlag{Name: "differences", Usage: "draw how much longer the same jobs wait than under the first policy, by week of arrival, to `FILE`, .svg or .png"},
			&cli.StringFlag{Name: "shares", Usage: "write what each user was entitled to and received on each day to `FILE`.csv, or draw the users with the greatest entitlement, .svg or .png"},
			&cli.StringFlag{Name: "report", Usage: "write the answer as one page to `FILE`.html, to be sent on: the result first, pictures, tables, how the figures came to be"},
			jsonFlag,
			&cli.BoolFlag{Name: "csv", Usage: "write CSV: one row for each class under each policy"},
			outputFlag,
		},
		Action: taking(runPolicies, "TRACE"),
	}
}

// lineUp is what policies was asked to do.
type lineUp struct {
	in       *model.Instance
	policies []solve.Choice
	options  lab.Options
	settings bench.Settings
	data     []string // what reading the trace dropped and repaired
	drawn    bool     // somebody wants to see whole schedules
	trace    func() (*followedTrace, error)
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
	runs, err := asked.run(ctx, c)
	if err != nil {
		return err
	}
	report, err := lab.Compare(ctx, asked.in, runs, asked.options)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return usageErrorf("%s: %w", args[0], err)
	}
	if err := drawPolicies(c, asked, runs, report); err != nil {
		return err
	}
	if c.IsSet("report") {
		from := lab.Origin{Command: commandOfThis(c), Data: asked.data, Version: solve.Version()}
		if err := writeFile(c.String("report"), func(w io.Writer) error { return report.WritePage(w, from) }); err != nil {
			return err
		}
	}
	if c.Bool("csv") {
		fmt.Fprint(c.App.ErrWriter, printable(caveatsText(asked.in, "", 0))) // rows of CSV have no place for it
		return write(c, c.String("output"), report.WriteCSV)
	}
	return writeAnswerOn(c, c.String("output"), asked.in, texttable.Columns, report, report.Text)
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
	asked := &lineUp{settings: bench.Settings{Time: c.Duration("time"), Options: solve.Options{Seed: c.Uint64("seed")}}}
	if asked.options, err = labOptions(c); err != nil {
		return nil, err
	}
	names := *c.Generic("policies").(*solverNames)
	if c.IsSet("policies") && len(names) == 0 {
		return nil, usageErrorf("--policies: expected names separated by commas, found none")
	}
	if len(names) == 0 {
		names = []string{"fcfs", "easy", "conservative"}
	}
	if asked.policies, err = choosePolicies(names); err != nil {
		return nil, err
	}
	if err := checkPictures(c, len(asked.policies)); err != nil {
		return nil, err
	}
	var read *model.ImportReport
	if asked.in, read, err = readTrace(c, path, "a trace in the Standard Workload Format", "swf"); err != nil {
		return nil, err
	}
	if read != nil {
		asked.data = strings.Split(read.String(), "\n")
	}
	if usual, known := lab.Defaults().In(asked.in.Units().Time); known {
		if !c.IsSet("day") {
			asked.options.Day = usual.Day
		}
		if !c.IsSet("short") {
			asked.options.Short = usual.Short
		}
	} else if !c.IsSet("day") || !c.IsSet("short") {
		return nil, usageErrorf("%s: times are in %q: expected --day and --short in this unit", path, asked.in.Units().Time)
	}
	if c.IsSet("load") {
		if load := c.Float64("load"); load > strangeLoad {
			warning(c)(fmt.Sprintf("--load %v: the jobs need more than the processors can do, so the queue grows to the end; is it per cent? write %v", load, load/100))
		}
		if asked.in, err = lab.WithLoad(asked.in, c.Float64("load")); err != nil {
			return nil, usageErrorf("--load: %w", err)
		}
	}
	if c.IsSet("shares") && !slices.ContainsFunc(asked.in.Jobs(), func(j model.Job) bool { return j.User() != "" }) {
		return nil, usageErrorf("--shares: expected jobs that state their user, found none")
	}
	asked.drawn = c.IsSet("waits") || c.IsSet("differences")
	asked.options.Shares, asked.options.Known = c.IsSet("shares"), !bench.HoldsFuture(asked.in)
	if _, err := lab.Compare(c.Context, asked.in, nil, asked.options); err != nil { // not only after long runs
		return nil, usageErrorf("%s: %w", path, err)
	}
	return asked, nil
}

// choosePolicies makes the policies that --policies names.
func choosePolicies(names []string) ([]solve.Choice, error) {
	var choices []solve.Choice
	for _, name := range names {
		choice, err := solve.Choose(name)
		if err != nil {
			return nil, usageErrorf("--policies: %w", err)
		}
		if slices.ContainsFunc(choices, func(c solve.Choice) bool { return c.Label == choice.Label }) {
			return nil, usageErrorf("--policies: expected a different label for each policy, found %q twice", choice.Label)
		}
		choices = append(choices, choice)
	}
	return choices, nil
}

// checkPictures checks, before anything runs, the files that the flags name: pictures, a page and tables.
func checkPictures(c *cli.Context, policies int) error {
	flags := map[string]string{} // by path
	for _, flag := range []string{"waits", "differences", "shares", "report", "output"} {
		path := c.String(flag)
		if flag != "output" && !c.IsSet(flag) {
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
		if before, taken := flags[path]; taken && path != "-" {
			return usageErrorf("--%s and --%s: expected two files, found %q for both", before, flag, path)
		}
		flags[path] = flag
		if err := checkWritable(path); err != nil {
			return err
		}
	}
	if c.IsSet("differences") && policies < 2 {
		return usageErrorf("--differences: expected at least two policies, found one")
	}
	return nil
}

// Offered loads: a load of 1 needs all processors all the time, and above that the queue grows to the end of the trace.
const (
	strangeLoad = 1.5 // a load above this is allowed, with a warning
	mostLoad    = 10  // a load above this is likely a load in per cent
)

// labOptions are the options of the comparison.
func labOptions(c *cli.Context) (lab.Options, error) {
	opt := lab.Options{
		WarmUp: c.Float64("warm-up"), Day: c.Float64("day"), Narrow: c.Int("narrow"), Short: c.Float64("short"),
		Confidence: c.Float64("confidence"), Replicates: c.Int("replicates"), Block: c.Int("block"), Seed: c.Uint64("seed"),
	}
	if load := c.Float64("load"); load > mostLoad && load <= 100*strangeLoad {
		return opt, usageErrorf("--load: expected a load above 0 and at most %v (1: the jobs need all processors all the time), found %v; is it per cent? write %v", mostLoad, load, load/100)
	}
	return opt, checkRanges([]rangeOf{
		{"load", fmt.Sprintf("a load above 0 and at most %v (1: the jobs need all processors all the time)", mostLoad), !c.IsSet("load") || c.Float64("load") > 0 && c.Float64("load") <= mostLoad, c.Float64("load")},
		{"warm-up", "a share of at least 0 and below 0.5", opt.WarmUp >= 0 && opt.WarmUp < 0.5, opt.WarmUp},
		{"day", "a time above 0 and at most 1e18", opt.Day > 0 && opt.Day <= 1e18, opt.Day},
		{"narrow", "a number of at least 0", opt.Narrow >= 0, opt.Narrow},
		{"short", "a time from 0 to 1e18", opt.Short >= 0 && opt.Short <= 1e18, opt.Short},
		{"confidence", "a number between 0 and 1, both excluded", opt.Confidence > 0 && opt.Confidence < 1, opt.Confidence},
		{"replicates", "a number from 100 to 1000000", opt.Replicates >= 100 && opt.Replicates <= 1_000_000, opt.Replicates},
		{"block", "a number of at least 0", opt.Block >= 0, opt.Block},
	}...)
}

// run makes the schedules, in parallel. A policy that fails is an error.
func (l *lineUp) run(ctx context.Context, c *cli.Context) ([]lab.Run, error) {
	bar := newProgress(c.App.ErrWriter, "policies", len(l.policies))
	defer bar.finish()
	l.trace = sync.OnceValues(func() (*followedTrace, error) { return newTrace(l.in) })
	defer func() { l.trace = nil }() // the comparison needs its memory
	rows, followed := make([]bench.Row, len(l.policies)), make([]*lab.Followed, len(l.policies))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for k, policy := range l.policies {
		g.Go(func() (err error) {
			defer bar.step()
			if followed[k], err = l.follow(ctx, policy); followed[k] == nil && err == nil {
				rows[k] = bench.Measure(ctx, policy, l.in, l.settings)
			}
			return err
		})
	}
	err := g.Wait()       // a row states itself what went wrong
	if ctx.Err() != nil { // what was stopped is no policy's schedule
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	var runs []lab.Run
	l.options.Followed = map[string]*lab.Followed{}
	for k := range rows {
		row := &rows[k]
		if followed[k] != nil {
			l.options.Followed[l.policies[k].Label] = followed[k]
			runs = append(runs, lab.Run{Policy: l.policies[k].Label, Online: bench.HoldsFuture(l.in)})
			continue
		}
		if err := withoutSchedule(row); err != nil {
			return nil, err
		}
		if row.Warning != "" {
			fmt.Fprintf(c.App.ErrWriter, "%s: warning: %s\n", printable(row.Solver), printable(row.Warning))
		}
		runs = append(runs, lab.Run{Policy: row.Solver, Online: row.IsOnline(), Solution: row.Solution})
	}
	return runs, nil
}

// withoutSchedule says why a policy has no schedule; nil: it has one.
func withoutSchedule(row *bench.Row) error {
	switch {
	case row.Solution != nil:
		return nil
	case row.Kind == bench.WrongSchedule:
		return faults([]bench.Row{*row})
	case row.Kind == bench.Unsupported:
		return usageErrorf("%s: %s", row.Solver, row.Fault)
	case row.Fault != "":
		return fmt.Errorf("%s: %s", row.Solver, row.Fault)
	case row.Status == model.Infeasible:
		return &statusError{exitViolations, fmt.Errorf("%s: proved infeasible", row.Solver)}
	}
	return &statusError{exitNoSolution, fmt.Errorf("%s: %s", row.Solver, withoutSolution(row.Status, row.Stop))}
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
			job, _ := l.in.JobIndex(p.Job)
			arrival := l.in.Jobs()[job].Arrival
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
		if pictures["waits"], err = draw.Curves(l.in, schedules, draw.CurveOptions{Quantity: draw.Wait, View: draw.Cumulative}); err != nil {
			return usageErrorf("--waits: %w", err)
		}
	}
	if c.IsSet("differences") {
		if len(group) < 2 {
			return usageErrorf("--differences: expected two policies of the same kind (on line, or planning ahead), found one: %s", runs[0].Policy)
		}
		if pictures["differences"], err = draw.Curves(l.in, group, draw.CurveOptions{Quantity: draw.Wait, View: draw.Difference}); err != nil {
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
	policies := each.Of(report.Groups[0].Policies, func(p lab.Policy) string { return p.Name })
	panels := each.Of(curves, func(curve lab.ShareCurve) draw.SharePanel { return draw.SharePanel(curve) })
	return draw.Shares(l.in, report.From, to, policies, panels, draw.CurveOptions{})
}
