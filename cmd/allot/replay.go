package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "stream a trace of any length through an on-line policy",
		ArgsUsage: "[TRACE]",
		Description: `Replays a trace in the Standard Workload Format while it reads the trace; with --workload it replays the jobs of a workload while it
generates them. At the end it prints totals. The memory it needs depends on the number of jobs that wait or run at once, not on the length of the trace.
The trace must be sorted by submit time. If you need the schedule, or if jobs ask something of single machines
(such as those of workload gpu), use allot import swf or allot generate, and then allot solve.

Examples:
  allot replay --solver easy TRACE.swf.gz
  allot replay --workload twolevel:jobs=1000000:time_scale=10:mean_gap=8:machines_seed=4 --solver twolevel`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "solver", Value: "easy", Usage: "`NAME` of an on-line solver: " + onlineSolvers(true)},
			&cli.StringSliceFlag{Name: "param", Usage: "parameter of the solver, `KEY=VALUE`; may be given several times"},
			&cli.StringFlag{Name: "workload", Usage: "replay the workload `NAME`[:PARAM=VALUE…] instead of a trace: " + strings.Join(streamNames(), ", ") + "; parameters as for allot generate"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed `N` of the workload, of the policy's random draws and of local jobs"},
			jsonFlag,
		}, importFlags(swf.NewReader(), "first", "jobs", "processors", "prefer_requested", "estimates")...),
		Action: runReplay,
	}
}

// runReplay replays one trace.
func runReplay(c *cli.Context) error {
	if c.IsSet("workload") {
		return replayWorkload(c)
	}
	args, err := arguments(c, "TRACE")
	if err != nil {
		return err
	}
	trace := swf.NewReader()
	if err := setParameters(c, trace); err != nil {
		return err
	}
	parameters, err := parametersOf(c, "param")
	if err != nil {
		return err
	}
	choice, policy, err := onlineSolver(c.String("solver"), parameters, true)
	if err != nil {
		return err
	}
	discipline := policy.Discipline()
	if err := discipline.InTraces(); err != nil {
		return usageErrorf("--solver: %s looks at single machines, and a trace has none: allot import swf makes an instance of it for allot solve: %w", c.String("solver"), err)
	}
	if discipline.Stated && !discipline.Requests {
		return usageErrorf("--param: expected an order that looks at no groups and queues, which replay does not read: allot import swf makes an instance of the trace for allot solve")
	}
	if discipline.Defer != nil {
		return usageErrorf("--solver: %w", sim.ErrDefers)
	}
	file, err := model.Open(args[0])
	if err != nil {
		return &statusError{exitInput, err}
	}
	defer file.Close()
	stream, err := trace.Stream(file, model.InputName(args[0]))
	if err != nil {
		return withFlagNames(err)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	bar := newProgress(c.App.ErrWriter, "replaying", 0)
	source := &swfSource{stream: stream, name: choice.Name, policy: policy, users: kit.Numbers[int64]{}}
	totals, err := sim.Run(ctx, source, stream.Processors(), discipline, sim.Options{
		Kill: policy.Kills(), Seed: c.Uint64("seed"),
		Progress: func(p sim.Progress) {
			bar.describe(fmt.Sprintf("%d jobs, time %s", p.Left, numtext.Figure(p.Now)))
			bar.step()
		},
	})
	bar.finish()
	if err != nil {
		return stoppedOr(ctx, ofPolicy(choice.Name, err, source.err))
	}
	fmt.Fprintln(c.App.ErrWriter, printable(stream.Report().String()))
	return writeTotals(c, c.String("solver"), &totals, nil, nil)
}

// replayWorkload streams the jobs of a workload.
func replayWorkload(c *cli.Context) error {
	if c.NArg() > 0 {
		return usageErrorf("expected either TRACE or --workload, found --workload and %q", c.Args().First())
	}
	for _, p := range params.Of(swf.NewReader()) {
		if flag := strings.ReplaceAll(p.Name, "_", "-"); c.IsSet(flag) {
			return usageErrorf("--%s: expected it only with a TRACE, found --workload, which has its own parameters", flag)
		}
	}
	info, chosen, err := workload.Choose(c.String("workload"))
	if err != nil {
		return usageErrorf("--workload: %w", err)
	}
	maker, ok := chosen.(workload.Streamer)
	if !ok {
		return usageErrorf("--workload: expected a workload that can stream its jobs, one of %s; found %q; %s", strings.Join(streamNames(), ", "), info.Name, asOneInstance(c, info.Name))
	}
	parameters, err := parametersOf(c, "param")
	if err != nil {
		return err
	}
	choice, policy, err := onlineSolver(c.String("solver"), parameters, true)
	if err != nil {
		return err
	}
	seed := c.Uint64("seed")
	system, batches, err := maker.Stream(seed)
	if err != nil {
		return usageErrorf("--workload: %w", err)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	bar := newProgress(c.App.ErrWriter, "replaying", batches.Left())
	figures, metrics := sim.Figures()
	source := &supportedBatches{Batches: batches, name: choice.Name, policy: policy, elsewhere: asOneInstance(c, info.Name)}
	totals, err := sim.Stream(ctx, system, source, policy.Discipline(), sim.Options{
		Kill: policy.Kills(), Seed: seed, Observer: figures,
		Progress: func(p sim.Progress) {
			bar.describe("time " + numtext.Figure(p.Now))
			bar.at(int(p.Left))
		},
	})
	bar.finish()
	if errors.Is(err, sim.ErrNodes) {
		return usageErrorf("solver %s: %w; %s", choice.Name, err, source.elsewhere)
	}
	if errors.Is(err, sim.ErrDefers) {
		return usageErrorf("--solver: %w", err)
	}
	if err != nil {
		return stoppedOr(ctx, ofPolicy(choice.Name, err, source.err))
	}
	return writeTotals(c, c.String("solver"), &totals, system, metrics())
}

// asOneInstance says how to run the jobs of a workload where replay cannot.
func asOneInstance(c *cli.Context, workload string) string {
	return fmt.Sprintf("solve the jobs as one instance: allot generate %s -o jobs.json, with the parameters as flags, then allot solve --solver %s jobs.json", workload, c.String("solver"))
}

// streamNames lists the workloads that can stream their jobs.
func streamNames() []string {
	streams := kit.That(workload.All(), func(info workload.Info) bool {
		_, ok := info.New().(workload.Streamer)
		return ok
	})
	return kit.Each(streams, func(info workload.Info) string { return info.Name })
}

// supportedBatches refuses a batch with jobs that the solver does not support: a system without jobs does not show what they ask for.
type supportedBatches struct {
	*workload.Batches
	name      string
	policy    solve.Policy
	elsewhere string // what to do where the solver does not support the jobs
	err       error  // the last error of Next
}

// Next implements sim.Batches.
func (s *supportedBatches) Next() (batch *model.Instance, err error) {
	batch, s.err = s.Batches.Next()
	if batch == nil || s.err != nil {
		return nil, s.err
	}
	if err := s.policy.Supports(batch); err != nil {
		s.err = usageErrorf("solver %s: %w; solve leaves out what cannot bind in the whole, which a stream does not show; %s", s.name, err, s.elsewhere)
		return nil, s.err
	}
	return batch, nil
}

// swfSource adapts a workload trace to the simulation engine.
type swfSource struct {
	stream   *swf.Stream
	name     string
	policy   solve.Policy
	parallel bool               // the policy takes parallel jobs, as was asked
	users    kit.Numbers[int64] // by the number of the trace + 1, as −1 is no user
	err      error              // the last error of Next
}

// Next implements sim.Source.
func (s *swfSource) Next(spec *sim.Spec) (ok bool, err error) {
	var j swf.Job
	if ok, s.err = s.stream.Next(&j); ok && s.err == nil && j.Processors > 1 && !s.parallel {
		s.parallel, s.err = true, s.takesParallel(&j)
	}
	*spec = sim.Spec{Arrival: j.Arrival, Estimate: j.Estimate, Runtime: j.Runtime, Processors: int32(j.Processors), User: s.users.Of(j.User + 1)}
	return ok, s.err
}

// takesParallel refuses a job of several processors that the policy does not support.
func (s *swfSource) takesParallel(j *swf.Job) error {
	in, err := sim.Uniform(s.stream.Processors(), &model.JobSpec{ID: strconv.FormatInt(j.Number, 10), Work: new(j.Runtime), Processors: model.Rigid(j.Processors)})
	if err != nil {
		return err
	}
	if err := s.policy.Supports(in); err != nil {
		return usageErrorf("solver %s: %w", s.name, err)
	}
	return nil
}

// ofPolicy names the policy in the error of a run, unless the jobs' source is at fault.
func ofPolicy(name string, err, source error) error {
	if source != nil {
		return err
	}
	return fmt.Errorf("solver %s: %w", name, err)
}

// onlineSolver returns an on-line solver with its parameters set. With streams, it is for streamed jobs, see [onlineSolvers].
func onlineSolver(name string, parameters question.Parameters, streams bool) (solve.Info, solve.Policy, error) {
	choice, err := configuredSolver(&question.Solve{Solver: name, Param: parameters}, false)
	if err != nil {
		return choice.Info, nil, err
	}
	policy, ok := solve.PolicyOf(choice.Solver)
	if !ok {
		return choice.Info, nil, usageErrorf("--solver: expected an on-line solver, one of %s; found %q", onlineSolvers(streams), choice.Info.Name)
	}
	return choice.Info, policy, nil
}

// writeTotals writes totals as text or JSON, and behind them the metrics of the jobs of a workload, whose
// system is given; nil: a trace, which has none.
func writeTotals(c *cli.Context, solver string, t *sim.Totals, system *model.Instance, metrics model.Metrics) error {
	figures := []struct {
		name  string
		value float64
	}{
		{"jobs", float64(t.Arrived)}, {"finished", float64(t.Finished)}, {"killed", float64(t.Killed)}, {"dropped", float64(t.Dropped)},
		{"outlived_estimate", float64(t.Outlived)}, {"processors", float64(t.Processors)}, {"makespan", t.Makespan()},
		{"mean_response", t.MeanResponse()}, {"mean_wait", t.MeanWait()}, {"mean_slowdown", t.MeanSlowdown()}, {"bounded_slowdown", t.BoundedSlowdown()},
		{"utilisation", t.Utilisation()}, {"longest_queue", float64(t.MaxQueue)},
	}
	if c.Bool("json") {
		values := map[string]any{"solver": solver}
		for _, f := range figures {
			values[f.name] = f.value
		}
		for name, value := range metrics {
			values[name] = value
		}
		return writeJSON(c, values)
	}
	return write(c, "-", func(w io.Writer) error {
		lines := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
		for _, f := range figures {
			fmt.Fprintf(lines, "%s\t%s\n", f.name, numtext.Figure(f.value))
		}
		if system != nil {
			writeMetrics(lines, system, metrics)
		}
		return lines.Flush()
	})
}
