package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/solve"
)

// watch follows a run: it shows the best so far on a terminal and keeps every improvement for --trace. A trace is of schedules that
// leave out as many jobs as the last: the objectives of those before, which left out more, say nothing beside theirs.
type watch struct {
	began      time.Time
	bar        *progress
	shown      time.Time
	bound      *float64 // the best proved so far; nil: none
	best       float64
	left       int // jobs that the best leaves out
	incumbents []incumbent
}

// incumbent is an improvement, one line of a trace.
type incumbent struct {
	Elapsed     float64  `json:"elapsed_s"`
	Evaluations int64    `json:"evaluations"`
	Objective   float64  `json:"objective"`
	Bound       *float64 `json:"bound,omitempty"`
}

// newWatch starts to follow a run on the instance, where there is a terminal to show it on or a trace is asked for; nil
// otherwise, as a solver, and the bound, may have to work for it.
func newWatch(ctx context.Context, w io.Writer, in *model.Instance, traced bool) *watch {
	f := &watch{bar: newSpinner(w, printable(instanceName(in))), best: math.Inf(1), left: math.MaxInt}
	if !traced && !f.bar.visible() {
		return nil
	}
	if bound, ok := solve.LowerBound(ctx, in); ok {
		f.bound = &bound
	}
	f.began = time.Now()
	return f
}

// observe takes what a solver reports and shows it.
func (f *watch) observe(p solve.Progress) {
	f.note(p)
	const pause = 100 * time.Millisecond // a line that changes faster cannot be read
	if now := time.Now(); now.Sub(f.shown) >= pause {
		f.shown = now
		f.bar.describe(f.line(p.Evaluations))
		f.bar.step()
	}
}

// note keeps an improvement, and says whether it is one.
func (f *watch) note(p solve.Progress) bool {
	if !math.IsInf(p.Bound, 0) && (f.bound == nil || p.Bound > *f.bound) {
		f.bound = &p.Bound
	}
	if math.IsInf(p.Objective, 1) || !search.Better(search.NewRank(p.Left, p.Objective), search.NewRank(f.left, f.best)) {
		return false
	}
	if p.Left < f.left {
		f.incumbents = f.incumbents[:0]
	}
	f.best, f.left = p.Objective, p.Left
	f.incumbents = append(f.incumbents, incumbent{time.Since(f.began).Seconds(), p.Evaluations, p.Objective, f.bound})
	return true
}

// end takes the result of the run and the line away. The last line of a trace has the objective of the solution, even where that
// improves nothing, and no line before says anything better.
func (f *watch) end(result solve.Result) {
	f.bar.finish()
	if result.Solution == nil || result.Solution.Objective == nil {
		return
	}
	last := solve.Progress{Evaluations: result.Evaluations, Objective: *result.Solution.Objective, Bound: math.Inf(-1), Left: len(result.Solution.Unscheduled)}
	if result.HasBound {
		last.Bound = result.Bound
	}
	improved := f.note(last)
	f.best = last.Objective
	if f.left != last.Left { // more is left out than was reported
		f.left, f.incumbents = last.Left, nil
	}
	slack := model.Tolerance * math.Abs(f.best)
	f.incumbents = slices.DeleteFunc(f.incumbents, func(i incumbent) bool { return i.Objective < f.best-slack })
	for k := range f.incumbents {
		i := &f.incumbents[k]
		if i.Objective = max(i.Objective, f.best); !result.HasBound { // those proved hold for schedules that leave out less
			i.Bound = nil
		}
	}
	if !improved {
		f.incumbents = append(f.incumbents, incumbent{time.Since(f.began).Seconds(), last.Evaluations, f.best, nil})
	}
	if result.HasBound {
		f.incumbents[len(f.incumbents)-1].Bound = f.bound
	}
}

// line is what the terminal shows: incumbent, bound, gap and evaluations per second.
func (f *watch) line(evaluations int64) string {
	text := "no schedule yet"
	if !math.IsInf(f.best, 1) {
		text = "objective " + bench.Figure(f.best)
	}
	if f.bound != nil {
		text += ", bound " + bench.Figure(*f.bound)
		if gap := bench.Gap(bench.Finite(f.best), f.bound); gap != nil {
			text += fmt.Sprintf(", gap %.2f %%", *gap)
		}
	}
	return fmt.Sprintf("%s, %.0f evaluations/s", text, float64(evaluations)/time.Since(f.began).Seconds())
}

// writeTrace writes the incumbents as JSON lines.
func (f *watch) writeTrace(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for _, i := range f.incumbents {
		if err := encoder.Encode(i); err != nil {
			return err
		}
	}
	return nil
}
