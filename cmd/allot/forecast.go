package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/lab/backtest"
	"github.com/allot-opt/allot/lab/forecast"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// asksOne reports whether the flags ask about a single policy: --submit, --job, --quantiles or --backtest.
func asksOne(c *cli.Context) bool {
	return c.IsSet("submit") || c.IsSet("job") || c.Bool("quantiles") || c.Bool("backtest")
}

// askedToSimulate reads the flags of simulate, and refuses those that do not go together.
func askedToSimulate(c *cli.Context, q *question.Simulate) error {
	if err := asked(c, q); err != nil {
		return err
	}
	quantiles, measures := c.Bool("quantiles"), c.Bool("backtest")
	switch {
	case asksOne(c) && c.IsSet("policies"):
		return usageErrorf("--policies: expected it without --submit, --job, --quantiles or --backtest; with these, --solver names the policy")
	case c.IsSet("job") && c.IsSet("submit"):
		return usageErrorf("expected only one of --job and --submit, found both")
	case c.IsSet("job") && c.IsSet("at"):
		return usageErrorf("--at: expected it without --job, which asks from the arrival of the job on")
	case quantiles && measures:
		return usageErrorf("expected only one of --quantiles and --backtest, found both")
	}
	for _, f := range []struct {
		with  string
		given bool
		flags []string
	}{
		{"--job, --quantiles or --backtest", c.IsSet("job") || quantiles || measures, []string{"runs", "least", "recent", "independent", "arrivals", "day", "workers", "trials"}},
		{"--job or --quantiles", c.IsSet("job") || quantiles, []string{"history"}},
		{"--backtest", measures, []string{"samples", "from", "to"}},
		{"--backtest or --history", measures || c.IsSet("history"), []string{"processors"}},
	} {
		for _, flag := range f.flags {
			if c.IsSet(flag) && !f.given {
				return usageErrorf("--%s: expected it only with %s", flag, f.with)
			}
		}
	}
	for _, flag := range []string{"submit", "job", "at"} {
		if measures && c.IsSet(flag) {
			return usageErrorf("--%s: expected it without --backtest, which forecasts at the arrivals of jobs", flag)
		}
	}
	if !measures {
		return nil
	}
	return flagErrors(answers.CheckSampling(q.Sampling()))
}

// forecastOptions are the settings of the flags.
func forecastOptions(c *cli.Context, q *question.Simulate) (forecast.Options, error) {
	opt := q.Options(c.Int("workers"))
	if err := opt.Check(); err != nil {
		return opt, usageErrorf("--%w", err)
	}
	return opt, nil
}

// runQuantiles forecasts the start of a job, or of all that wait at an instant.
func runQuantiles(c *cli.Context, in *model.Instance, job *model.JobSpec, at float64, q *question.Simulate, by answers.PolicyOf) error {
	opt, err := forecastOptions(c, q)
	if err != nil {
		return err
	}
	id := ""
	if job != nil {
		at, id = job.Arrival, job.ID
	}
	history, err := historyOf(c)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	bar := newProgress(c.App.ErrWriter, "forecasting", 0)
	told, err := answers.Forecast(ctx, in, id, at, by, history, opt)
	bar.finish()
	if err != nil {
		return stoppedOr(ctx, err)
	}
	return writeAnswerOn(c, c.String("output"), in, 0, told, func() string { return forecastText(told.Forecast, told.Assumed.Line(), datesOf(in)) })
}

// historyOf is the ended jobs that --history names; nil: none.
func historyOf(c *cli.Context) (*forecast.History, error) {
	if !c.IsSet("history") {
		return nil, nil
	}
	path := c.String("history")
	trace, _, err := readTrace(c, path, slurm.Files{}, endedJobs, "swf", "sacct")
	if err != nil {
		return nil, err
	}
	history := forecast.TraceHistory(trace)
	if history.Len() == 0 {
		return nil, usageErrorf("--history: %s: expected jobs with an estimate and a run time, found none", model.InputName(path))
	}
	return history, nil
}

// endedJobs names what has jobs that have ended, beside instances.
const endedJobs = "a trace (SWF, or what sacct -P prints)"

// forecastText formats a forecast for people.
func forecastText(f *forecast.Forecast, assumed string, dates dates) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "%s at %s under %s", numtext.Counted(len(f.Jobs), "job"), dates.at(f.At), f.Solver)
	fmt.Fprintf(b, "\n%s", assumed)
	if f.Runs > 0 {
		fmt.Fprintf(b, "quantiles %s\n", answers.Calibration(f))
	}
	if f.Reason != "" {
		fmt.Fprintf(b, "%s\n", f.Reason)
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	atOnce := 0
	if fmt.Fprint(table, "job\tprocessors\tsubmitted\tby the estimates"); f.Runs > 0 {
		fmt.Fprint(table, "\tP10\tP50\tP90")
	}
	fmt.Fprintln(table)
	for k := range f.Jobs {
		j := &f.Jobs[k]
		if len(f.Jobs) > 1 && j.StartsAt(f.At) {
			atOnce++
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s", j.Job, j.Processors, dates.at(j.Submitted), startText(j.Expected, f, dates))
		if f.Runs > 0 {
			fmt.Fprintf(table, "\t%s\t%s\t%s", startText(j.P10, f, dates), startText(j.P50, f, dates), startText(j.P90, f, dates))
		}
		fmt.Fprintln(table)
	}
	if atOnce < len(f.Jobs) {
		_ = table.Flush() // into memory
		if dates.Date(f.At) == "" {
			fmt.Fprintf(b, "starts count from %s, the time of the forecast\n", numtext.Figure(f.At))
		}
		dates.write(b, f.At)
	}
	if atOnce > 0 {
		fmt.Fprintf(b, "%s at once, or already: not listed\n", numtext.Counted(atOnce, "start"))
	}
	return b.String()
}

// startText formats a start: its date, or the time from the forecast to it where the instance has no dates.
func startText(start *float64, f *forecast.Forecast, dates dates) string {
	switch {
	case start == nil:
		return "never"
	case *start == f.At:
		return "at once"
	case dates.Date(*start) != "":
		return dates.Date(*start)
	}
	return timetext.Of(*start-f.At, f.TimeUnit, numtext.Figure)
}

// runBacktest measures forecasts on a trace.
func runBacktest(c *cli.Context, path string, q *question.Simulate) error {
	opt, err := forecastOptions(c, q)
	if err != nil {
		return err
	}
	in, _, err := readTrace(c, path, q.Files, endedJobs, "swf", "sacct")
	if err != nil {
		return err
	}
	by, err := policyOn(in, q)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	sampling := q.Sampling()
	bar := newProgress(c.App.ErrWriter, "forecasts", sampling.Samples)
	report, err := answers.Backtest(ctx, in, model.InputName(path), by, sampling, opt, bar.step)
	bar.finish()
	var none *answers.NoSamplesError
	switch {
	case errors.As(err, &none):
		return usageErrorf("%s: %w", path, err)
	case err != nil:
		return stoppedOr(ctx, err)
	}
	return writeAnswerOn(c, c.String("output"), in, 0, report, func() string { return backtestText(report.Report) })
}

// backtestText formats a backtest for people.
func backtestText(r *backtest.Report) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "%s under %s: %s at arrivals, %s each, seed %d\n", r.Trace, r.Solver, numtext.Counted(len(r.Samples), "forecast"), numtext.Counted(r.Runs, "future"), r.Seed)
	if r.Stopped {
		b.WriteString("stopped early: these samples are those that ended first, so they are not a random choice from all\n")
	}
	if r.Unknown > 0 {
		fmt.Fprintf(b, "too little known for %s of jobs that wait, which count nowhere below: %s\n", numtext.Counted(r.Unknown, "forecast"), r.Reason)
	}
	if len(r.Groups) == 0 {
		return b.String()
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "jobs that\tjobs\tin P10–P90\t95 % interval\tbefore\tafter\tP10 = P90\tties shared\tmedian error\tmean error\tmedian width\tpinball")
	percent := func(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
	length := func(x *float64) string {
		if x == nil {
			return "–"
		}
		return timetext.Of(*x, r.TimeUnit, numtext.Figure)
	}
	for _, g := range r.Groups {
		interval := "–"
		if g.Low != nil {
			interval = fmt.Sprintf("%.1f–%.1f %%", 100**g.Low, 100**g.High)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", g.Name, g.Jobs, percent(g.Coverage), interval, percent(g.Early), percent(g.Late),
			percent(g.Points), percent(g.Shared), length(g.MedianError), length(g.MeanError), length(g.MedianWidth), length(g.Pinball))
	}
	_ = table.Flush() // into memory
	return b.String()
}
