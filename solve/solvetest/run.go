package solvetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// outcome is the outcome of a run.
type outcome struct {
	result   solve.Result // the result of solve.Run
	raw      solve.Result // the solver's own result
	err      error
	panicked string        // with the stack; empty: no panic
	late     time.Duration // from the end of the context to the end of Solve; 0: Solve ended first
	hangs    bool          // the run was given up
	endless  bool          // the run ended only because the test ended its context
}

// watched is a solver that records the result of the solver inside.
type watched struct {
	solver solve.Solver
	raw    solve.Result
	ended  time.Time
	cut    bool // its context had ended by its deadline, which [solve.Run] sets before that of the run
}

// Supports implements [solve.Solver].
func (w *watched) Supports(in *model.Instance) error { return w.solver.Supports(in) }

// Solve implements [solve.Solver].
func (w *watched) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	result, err := w.solver.Solve(ctx, in, opt)
	w.raw, w.ended, w.cut = result, time.Now(), errors.Is(ctx.Err(), context.DeadlineExceeded)
	return result, err
}

// repeats reports whether the solver returned the same as in another run, whatever Run added to it.
func (o *outcome) repeats(other outcome) bool {
	a, b := &o.raw, &other.raw
	if a.Solution == nil || b.Solution == nil || a.Status != b.Status || a.Stop != b.Stop || a.Evaluations != b.Evaluations || a.Solver != b.Solver || a.Bound != b.Bound {
		return false
	}
	return bytes.Equal(encoded(solve.Bare(o.result.Solution)), encoded(solve.Bare(other.result.Solution)))
}

// run runs the solver on the instance as it is stated.
func (c *conformer) run(ctx context.Context, opt solve.Options) outcome {
	opt.Stated = true
	w := &watched{solver: c.info.New()}
	return c.runOf(ctx, w, w, opt)
}

// runOf runs a solver in another goroutine, so that it can report one that never ends; w is told what the solver inside returns.
func (c *conformer) runOf(ctx context.Context, solver solve.Solver, w *watched, opt solve.Options) outcome {
	ctx, cancel := context.WithTimeout(ctx, c.endless)
	defer cancel()
	var ended atomic.Int64 // when ctx ended, in ns since began
	began := time.Now()
	stop := context.AfterFunc(ctx, func() { ended.Store(max(1, int64(time.Since(began)))) })
	defer stop()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if fault := recover(); fault != nil {
				o.panicked = panicText(fault)
			}
			if at := ended.Load(); at > 0 && !w.ended.IsZero() {
				o.late = max(0, w.ended.Sub(began)-time.Duration(at))
			}
			o.raw, o.endless = w.raw, w.cut
			done <- o
		}()
		o.result, o.err = solve.Run(ctx, solve.Choice{Info: c.info, Solver: solver}, c.at.in, opt)
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		select {
		case o = <-done:
		case <-time.After(c.patience):
			return outcome{hangs: true}
		}
	}
	o.endless = o.endless || errors.Is(ctx.Err(), context.DeadlineExceeded)
	return o
}

// supports calls Supports and turns a panic into an error.
func supports(info solve.Info, in *model.Instance) (panicked string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			panicked = panicText(fault)
		}
	}()
	return "", info.New().Supports(in)
}

// panicText formats a panic with its stack.
func panicText(fault any) string { return fmt.Sprintf("%v\n%s", fault, debug.Stack()) }

// lone takes progress reports and records whether two came at the same time.
type lone struct {
	inside   atomic.Int32
	together atomic.Bool
}

// take takes a report.
func (l *lone) take(solve.Progress) {
	if l.inside.Add(1) > 1 {
		l.together.Store(true)
	}
	l.inside.Add(-1)
}
