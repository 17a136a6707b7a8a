package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/swf"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "stream a trace of any length through an on-line policy",
		ArgsUsage: "TRACE",
		Description: `Replays a trace in the Standard Workload Format, job by job as it is read, and writes totals. Memory does not grow with the
length of the trace. It must be sorted by submit time. For schedules use allot import swf and allot solve.

Example:
  allot replay --solver easy TRACE.swf.gz`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "solver", Value: "easy", Usage: "`NAME` of an on-line solver: fcfs, easy, conservative, flexible"},
			&cli.StringSliceFlag{Name: "param", Usage: "parameter of the solver, `KEY=VALUE`; may be given several times"},
			jsonFlag,
		}, importFlags(bench.NewSWFImport(), "first", "jobs", "processors", "prefer_requested", "estimates")...),
		Action: runReplay,
	}
}

// runReplay replays one trace.
func runReplay(c *cli.Context) error {
	args, err := arguments(c, "TRACE")
	if err != nil {
		return err
	}
	trace := bench.NewSWFImport()
	if err := setImportFlags(c, trace); err != nil {
		return err
	}
	_, policy, err := onlineSolver(c)
	if err != nil {
		return err
	}
	plain := policy.Discipline().Plain
	if plain == nil {
		return usageErrorf("--solver: expected a solver for traces on equal processors, found %q, which needs an instance", c.String("solver"))
	}
	file, err := model.Open(args[0])
	if err != nil {
		return &statusError{exitInput, err}
	}
	defer file.Close()
	stream, err := swf.NewStream(file, model.InputName(args[0]), trace.Options())
	if err != nil {
		return withFlagNames(err)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	bar := newProgress(c.App.ErrWriter, "replaying", 0)
	totals, err := sim.Run(ctx, swfSource{stream}, stream.Processors(), plain(stream.Processors()), sim.Options{
		Kill: policy.Kills(),
		Progress: func(p sim.Progress) {
			bar.describe(fmt.Sprintf("%d jobs, time %s", p.Left, bench.Figure(p.Now)))
			bar.step()
		},
	})
	bar.finish()
	if err != nil {
		if ctx.Err() != nil {
			return &statusError{exitNoSolution, context.Cause(ctx)}
		}
		return err
	}
	fmt.Fprintln(c.App.ErrWriter, printable(stream.Report().String()))
	return writeTotals(c, c.String("solver"), &totals)
}

// swfSource adapts a workload trace to the simulation engine.
type swfSource struct{ stream *swf.Stream }

// Next implements sim.Source.
func (s swfSource) Next(spec *sim.Spec) (bool, error) {
	var j swf.Job
	ok, err := s.stream.Next(&j)
	*spec = sim.Spec{Arrival: j.Arrival, Estimate: j.Estimate, Runtime: j.Runtime, Processors: int32(j.Processors)}
	return ok, err
}

// onlineSolver returns the on-line solver that the flags name, with its parameters set.
func onlineSolver(c *cli.Context) (solve.Info, solvers.Online, error) {
	choice, err := configuredSolver(c)
	if err != nil {
		return choice.Info, nil, err
	}
	policy, ok := choice.Solver.(solvers.Online)
	if !ok {
		return choice.Info, nil, usageErrorf("--solver: expected an on-line solver, one of %s; found %q", onlineSolvers(), choice.Info.Name)
	}
	return choice.Info, policy, nil
}

// writeTotals writes totals as text or JSON.
func writeTotals(c *cli.Context, solver string, t *sim.Totals) error {
	figures := []struct {
		name  string
		value float64
	}{
		{"jobs", float64(t.Arrived)}, {"finished", float64(t.Finished)}, {"killed", float64(t.Killed)},
		{"outlived_estimate", float64(t.Outlived)}, {"processors", float64(t.Processors)}, {"makespan", t.Makespan()},
		{"mean_wait", t.MeanWait()}, {"bounded_slowdown", t.BoundedSlowdown()}, {"utilisation", t.Utilisation()}, {"longest_queue", float64(t.MaxQueue)},
	}
	if c.Bool("json") {
		values := map[string]any{"solver": solver}
		for _, f := range figures {
			values[f.name] = f.value
		}
		return writeJSON(c, values)
	}
	return write(c, "-", func(w io.Writer) error {
		for _, f := range figures {
			fmt.Fprintf(w, "%-18s %s\n", f.name, bench.Figure(f.value))
		}
		return nil
	})
}
