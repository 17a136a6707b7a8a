package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/process"
)

func simulateCommand() *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Usage:     "forecast when the jobs of a queue, or one more job, would start, what delays them, and how certain that is",
		ArgsUsage: "INSTANCE",
		Description: `Without --submit it lists when each job of the instance would start under several policies, if every job ran as long as the instance states. The
instance may be a queue that allot import slurm has written.

With --submit it adds a hypothetical job to the instance, replays the instance under an on-line policy, and shows when the job starts, why it waits and
which jobs delay it. The file contains one job, in the same form as in the list of jobs of an instance. --at is the time of its submission. If the
instance states partitions, the job runs in the one that its queue names, within its limits. The start is the start in the replay. The expected start is what the policy can expect at the submission: running jobs end at their estimates, and no more jobs arrive.

With --job it shows the same of a job of the instance, how sure the start was at its submission, and when the job would start if it asked for a shorter
limit, for fewer processors or for another partition or cluster.

With --quantiles it forecasts only from what is known at --at. It simulates many futures, and draws their run times from jobs that have ended, if possible
jobs of the same user. It shows the start of the job, or without --submit the start of every job that waits at that time. An imported queue has no ended
jobs; --history supplies them. Forecasts of the past, for jobs that have had to wait, say how wide the intervals must be.

With --backtest the argument is a trace (an SWF file or an instance). It forecasts at the arrivals of some jobs and counts how often the true start lay
between P10 and P90.

Examples:
  allot import slurm | allot simulate -
  allot simulate --job 123 --history TRACE.swf.gz queue.json
  allot simulate --submit examples/job.json --at 20 --solver easy examples/backfilling.json
  allot simulate --quantiles --history TRACE.swf.gz queue.json
  allot simulate --backtest --samples 1000 TRACE.swf.gz`,
		Flags: append(flagsOf(new(question.Simulate)),
			&cli.StringFlag{Name: "submit", Usage: "submit the job in `FILE`"},
			&cli.StringFlag{Name: "at", DefaultText: "the job's arrival; without a job 0, the time of an imported queue", Usage: "submit the job, or forecast, at `TIME`, such as 3600, 30min or 100d; units need the instance's"},
			&cli.StringFlag{Name: "history", Usage: "with --job or --quantiles: ended jobs from `TRACE`: an SWF file, the output of sacct -P, or an instance"},
			&cli.IntFlag{Name: "workers", DefaultText: "the number of processors", Usage: "run `N` simulations at once; the figures do not depend on N"},
			jsonFlag,
			outputFlag,
		),
		Action: taking(runSimulate, "INSTANCE"),
	}
}

// instantOf is the time that --at names, in the unit of the instance; 0 without the flag.
func instantOf(c *cli.Context, in *model.Instance) (float64, error) {
	if !c.IsSet("at") {
		return 0, nil
	}
	at, err := timetext.Parse(c.String("at"), unitOf(in))
	switch {
	case err != nil:
		return 0, usageErrorf("--at: %w", err)
	case !(at >= 0 && at <= 1e18):
		return 0, usageErrorf("--at: expected a time in [0, 1e18], found %v", at)
	}
	return at, nil
}

// runSimulate answers one question.
func runSimulate(c *cli.Context, args []string) error {
	var q question.Simulate
	if err := askedToSimulate(c, &q); err != nil {
		return err
	}
	if !asksOne(c) {
		return runStarts(c, args[0], &q)
	}
	if _, err := policyOn(nil, &q); err != nil { // not only after the instance is read
		return err
	}
	if err := oneFromStdin("INSTANCE, --submit and --history", args[0], c.String("submit"), c.String("history")); err != nil {
		return err
	}
	if err := checkWritable(c.String("output")); err != nil {
		return err
	}
	if c.Bool("backtest") {
		return runBacktest(c, args[0], &q)
	}
	var job *model.JobSpec
	var err error
	if c.IsSet("submit") {
		if job, err = model.ReadJobFile(c.String("submit")); err != nil {
			return err
		}
	}
	in, err := readSited(c, args[0], q.Files)
	if err != nil {
		return err
	}
	by, err := policyOn(in, &q)
	if err != nil {
		return err
	}
	at, err := instantOf(c, in)
	if err != nil {
		return err
	}
	if job != nil {
		if c.IsSet("at") {
			job.Arrival = at
		}
		if in, err = submitted(in, job, model.InputName(c.String("submit"))); err != nil {
			return err
		}
	}
	if id := c.String("job"); c.IsSet("job") {
		if job, err = waitingJob(in, id, args[0]); err != nil {
			return err
		}
	}
	if c.Bool("quantiles") {
		return runQuantiles(c, in, job, at, &q, by)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	question := &answers.Question{In: in, Job: job.ID, By: by, Seed: q.Seed, Changes: c.IsSet("job")}
	if question.Changes {
		if question.Options, err = forecastOptions(c, &q); err != nil {
			return err
		}
		if question.History, err = historyOf(c); err != nil {
			return err
		}
	}
	bar := newProgress(c.App.ErrWriter, "simulating", 0)
	told, err := answers.Ask(ctx, question)
	bar.finish()
	if err != nil {
		return stoppedOr(ctx, err)
	}
	if question.Changes {
		bar := newProgress(c.App.ErrWriter, "forecasting", 0)
		err := question.Forecast(ctx, told)
		bar.finish()
		if err != nil {
			return stoppedOr(ctx, err)
		}
	}
	return writeAnswerOn(c, c.String("output"), in, 0, told, func() string { return whatIfText(told, datesOf(in)) })
}

// policyOn is the policy that is asked for, else that of the site of the instance; without an instance none.
func policyOn(in *model.Instance, q *question.Simulate) (answers.PolicyOf, error) {
	if in == nil && q.Solver == "" {
		return answers.PolicyOf{}, nil
	}
	name := answers.NamedPolicy(in, q.Solver)
	info, policy, err := onlineSolver(name, q.Param, false)
	return answers.PolicyOf{Name: info.Name, Stated: question.Stated(name, q.Param), Policy: policy}, err
}

// submitted is the instance with one more job, which comes from a file and runs in the partition of its queue.
func submitted(in *model.Instance, job *model.JobSpec, name string) (*model.Instance, error) {
	placed, err := in.InPartition(*job, name)
	if err != nil {
		return nil, err
	}
	*job = placed
	return in.WithJob(placed, name)
}

// waitingJob is the job that --job names.
func waitingJob(in *model.Instance, id, path string) (*model.JobSpec, error) {
	k, ok := in.JobIndex(id)
	if !ok {
		ids := kit.Each(in.Jobs(), func(j model.Job) string { return j.ID })
		return nil, usageErrorf("--job: expected a job of %s, found %q%s", model.InputName(path), id, suggest.Words(id, ids))
	}
	if j := &in.Jobs()[k]; answers.IsRunning(in, j) {
		return nil, usageErrorf("--job: expected a job that waits, found %q, which runs already", id)
	}
	return new(in.JobSpec(k)), nil
}

// stoppedOr is the error of a run that ctx has ended before it had anything to show, or else the error itself.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &statusError{exitNoSolution, context.Cause(ctx)}
	}
	return err
}

// onlineSolvers lists the names of the on-line solvers; with streams: of those that run where jobs are streamed.
func onlineSolvers(streams bool) string {
	names := solversWith(func(info solve.Info) bool {
		policy, online := solve.PolicyOf(info.New())
		if !online || !streams {
			return online
		}
		rules := policy.Discipline()
		return rules.InTraces() == nil
	})
	return strings.Join(append(names, process.OnlineScheme+":COMMAND"), ", ")
}
