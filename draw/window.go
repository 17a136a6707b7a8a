package draw

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
)

// Window is a part of the time to show. Times are those on the axis: with the instance they count from the first arrival, else they are those of the solution.
// The zero value shows everything.
type Window struct {
	From, To       float64
	HasFrom, HasTo bool
}

// check returns an error for a window that shows nothing of a schedule from first to last, in a unit of time.
func (w Window) check(first, last float64, unit string) error {
	text := func(x float64) string { return timetext.Of(x, unit, picture.Number) }
	for _, t := range []float64{w.From, w.To} {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return fmt.Errorf("window: time %v: expected a finite number", t)
		}
	}
	switch {
	case w.HasFrom && w.HasTo && w.From >= w.To:
		return fmt.Errorf("window from %s to %s: expected the start before the end", text(w.From), text(w.To))
	case w.HasFrom && w.From >= last, w.HasTo && w.To <= first:
		return fmt.Errorf("window: expected a part of the schedule, which runs from %s to %s", text(first), text(last))
	}
	return nil
}

// isSet reports whether the window hides anything.
func (w Window) isSet() bool { return w.HasFrom || w.HasTo }

// cut removes from the layout what lies outside the window, and remembers the window. A job that lies partly outside stays whole; the axis ends before it
// does.
func (l *layout) cut(w Window) error {
	if !w.isSet() {
		return nil
	}
	zero := l.zero()
	if err := w.check(l.start-zero, l.end-zero, l.unit); err != nil {
		return err
	}
	l.window = w
	if w.HasFrom {
		l.start = zero + w.From
	}
	if w.HasTo {
		l.end = zero + w.To
	}
	if !(l.start < l.end) { // the difference is lost to rounding
		return fmt.Errorf("window from %v to %v: expected a longer one", l.start, l.end)
	}
	l.blocks, l.onProcessors = l.within(l.all), l.within(l.allOnProcessors)
	return nil
}

// within are the blocks that lie in the times to show, at least in part.
func (l *layout) within(all []block) []block {
	return kit.That(all, func(b block) bool {
		return b.start < l.end && b.end > l.start || b.start == b.end && l.start <= b.start && b.start <= l.end
	})
}

// zero is the time that the axis and windows count from: the first arrival where it is known.
func (l *layout) zero() float64 {
	if l.known {
		return l.origin
	}
	return 0
}

// timeAxis makes the axis of the times to show, with at most about most ticks. The unit is that of the layout, as it can be shown.
func (l *layout) timeAxis(most int, unit string) picture.Axis {
	return picture.NewTimeAxis(l.start, l.end, l.zero(), unit, most, l.window.isSet())
}

// shown is how many jobs lie in the times to show, at least in part.
func (l *layout) shown() int {
	seen := make([]bool, len(l.jobs))
	n := 0
	for k := range l.blocks {
		if job := l.blocks[k].job; !seen[job] {
			seen[job] = true
			n++
		}
	}
	return n
}
