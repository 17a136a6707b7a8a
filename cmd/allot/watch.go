package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/course"
)

// watch follows a run. It shows the best objective so far on a terminal and records every incumbent for --trace.
type watch struct {
	*course.Course
	in    *model.Instance
	bar   *progress
	shown time.Time
}

// newWatch starts to follow a run on the instance. A bound before the run costs time: newWatch computes one only if there is a terminal to show it
// on, --trace is given, or limit, the longest time of the run, is long enough for a line. Otherwise the solver reports the first bound.
func newWatch(ctx context.Context, w io.Writer, in *model.Instance, traced bool, limit time.Duration) *watch {
	bar := newProgress(w, printable(instanceName(in)), 0)
	follow := course.New(model.Bound{})
	if traced || bar.visible() || limit >= bar.pause {
		known := bound.New(ctx, in)
		known.Improve(ctx, bound.LittleWork)
		follow.Bound, follow.Owed = known.Bound(), known.Owed()
	}
	return &watch{Course: follow, in: in, bar: bar}
}

// observe takes a solver's progress report and shows it.
func (f *watch) observe(p solve.Progress) {
	f.Note(p)
	const pause = 100 * time.Millisecond // nobody can read a line that changes faster
	if now := time.Now(); now.Sub(f.shown) >= pause {
		f.shown = now
		f.bar.describe(f.line(p.Evaluations))
	}
}

// end takes the result of the run and removes the line from the terminal.
func (f *watch) end(result solve.Result) {
	f.bar.finish()
	f.End(f.in, result)
}

// line makes the line for the terminal: incumbent, bound, gap and evaluations per second.
func (f *watch) line(evaluations int64) string {
	text := "no schedule yet"
	if !math.IsInf(f.Best, 1) {
		text = "objective " + numtext.Figure(f.Best)
	}
	if value, known := f.Bound.Value(); known {
		text += ", bound " + numtext.Figure(value)
	}
	if gap, ok := f.Gap(); ok {
		text += fmt.Sprintf(", gap %.2f %%", gap)
	}
	return fmt.Sprintf("%s, %.0f evaluations/s", text, float64(evaluations)/f.Elapsed())
}
