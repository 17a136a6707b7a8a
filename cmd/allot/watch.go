package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// watch follows a run: it shows the best so far on a terminal and keeps every improvement for --trace.
type watch struct {
	*bench.Trace
	bar   *progress
	shown time.Time
}

// newWatch starts to follow a run on the instance. The bound that is known before the run costs time: it is computed where there is a terminal to
// show it on, a trace is asked for, or the run may be long enough for a line. Elsewhere the bound is what the solver reports.
func newWatch(ctx context.Context, w io.Writer, in *model.Instance, traced bool, limit time.Duration) *watch {
	bar := newProgress(w, printable(instanceName(in)), 0)
	var known model.Bound
	if traced || bar.visible() || limit >= bar.pause {
		known = bound.Lower(ctx, in)
	}
	return &watch{Trace: bench.NewTrace(known), bar: bar}
}

// observe takes what a solver reports and shows it.
func (f *watch) observe(p solve.Progress) {
	f.Note(p)
	const pause = 100 * time.Millisecond // a line that changes faster cannot be read
	if now := time.Now(); now.Sub(f.shown) >= pause {
		f.shown = now
		f.bar.describe(f.line(p.Evaluations))
	}
}

// end takes the result of the run and the line away.
func (f *watch) end(result solve.Result) {
	f.bar.finish()
	f.End(result)
}

// line is what the terminal shows: incumbent, bound, gap and evaluations per second.
func (f *watch) line(evaluations int64) string {
	text := "no schedule yet"
	if !math.IsInf(f.Best, 1) {
		text = "objective " + bench.Figure(f.Best)
	}
	if value, known := f.Bound.Value(); known {
		text += ", bound " + bench.Figure(value)
	}
	if gap, ok := model.Gap(f.Best, f.Bound); ok {
		text += fmt.Sprintf(", gap %.2f %%", gap)
	}
	return fmt.Sprintf("%s, %.0f evaluations/s", text, float64(evaluations)/f.Elapsed())
}
