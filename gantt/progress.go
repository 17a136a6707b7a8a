package gantt

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/allot-opt/allot/internal/axis"
	"github.com/allot-opt/allot/model"
)

// ProgressOptions say how to draw traces. The zero value draws an SVG.
type ProgressOptions struct {
	// Format is SVG where it is empty.
	Format Format
	// Width and Height are as in [Options]; 0 stands for 1,200 × about 560 pixels or 100 columns × about 30 lines.
	Width, Height int
	// Title stands above the picture; empty: the name of the trace where there is one, else what the picture shows.
	Title string
	// LogTime draws the time by its logarithm: searches find most of their improvements in the first moments.
	LogTime bool
}

// MostTraces is how many traces one picture shows; more of them could not be told apart.
const MostTraces = 12

// DrawProgress draws the objective and the bound over time: a step curve a trace with its bound as a dashed line and the gap
// between them shaded.
func DrawProgress(w io.Writer, traces []*Trace, opt ProgressOptions) error {
	if err := drawProgress(w, traces, opt); err != nil {
		return fmt.Errorf("gantt: %w", err)
	}
	return nil
}

// drawProgress is DrawProgress before the package's name is put in front of the error.
func drawProgress(w io.Writer, traces []*Trace, opt ProgressOptions) error {
	if len(traces) == 0 {
		return errors.New("no traces")
	}
	if len(traces) > MostTraces {
		return fmt.Errorf("expected at most %d traces, found %d", MostTraces, len(traces))
	}
	for k, t := range traces {
		if t == nil {
			return fmt.Errorf("traces[%d]: no trace", k)
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("traces[%d] (%q): %w", k, clip(t.Name, 60), err)
		}
	}
	c := newCourse(traces, opt)
	if opt.Format == Text {
		return drawCourseText(w, c, opt)
	}
	width, height, fonts, err := prepare(opt.Format, opt.Width, opt.Height)
	if err != nil {
		return err
	}
	return export(w, newGraph(c, fonts, width, height), opt.Format)
}

// course is what a picture of traces shows, in any format.
type course struct {
	traces []*Trace
	title  string
	isLog  bool
	first  float64 // the earliest time above 0, or 0
	last   float64 // the latest time
	// low and high are the least and the greatest figure; both 0 without points.
	low, high float64
	hasBound  bool
	isEmpty   bool // there are no points
}

// newCourse finds out what the picture has to show.
func newCourse(traces []*Trace, opt ProgressOptions) *course {
	c := &course{traces: traces, title: opt.Title, low: math.Inf(1), high: math.Inf(-1), first: math.Inf(1)}
	for _, t := range traces {
		for k := range t.Points {
			p := &t.Points[k]
			c.low, c.high, c.last = min(c.low, p.Objective), max(c.high, p.Objective), max(c.last, p.Elapsed)
			if p.Elapsed > 0 {
				c.first = min(c.first, p.Elapsed)
			}
			if bound, known := p.Bound.Value(); known {
				c.hasBound = true
				c.low, c.high = min(c.low, bound), max(c.high, bound)
			}
		}
	}
	if c.isEmpty = c.high < c.low; c.isEmpty {
		c.low, c.high = 0, 0
	}
	if math.IsInf(c.first, 1) {
		c.first = 0
	}
	c.isLog = opt.LogTime && c.first > 0
	switch {
	case c.title != "":
	case len(traces) == 1:
		c.title = traces[0].Name
	case c.hasBound:
		c.title = "objective and bound over time"
	default:
		c.title = "objective over time"
	}
	return c
}

// timeAxis is the axis of time.
func (c *course) timeAxis(most int) axis.Axis {
	if c.isLog {
		return axis.NewLog("time", c.first, c.last, "s", most)
	}
	return axis.New("time", 0, c.last, "s", most)
}

// valueAxis is the axis of the figures, with a little room around them.
func (c *course) valueAxis(most int) axis.Axis {
	low, high := c.low, c.high
	room := (high - low) / 25
	if low > 0 {
		low = max(0, low-room)
	} else if low < 0 {
		low -= room
	}
	if high < 0 {
		high = min(0, high+room)
	} else if high > 0 {
		high += room
	}
	return axis.New("objective", low, high, "", most)
}

// gapText writes the gap of a point; empty: there is none.
func gapText(p *model.Incumbent) string {
	gap, ok := model.Gap(p.Objective, p.Bound)
	switch {
	case !ok:
		return ""
	case gap == 0:
		return "gap 0 %"
	case gap < 0.01:
		return "gap below 0.01 %"
	}
	return "gap " + axis.Exact(gap, 3) + " %"
}

// facts are short statements of how the trace ended.
func (t *Trace) facts() []string {
	n := len(t.Points)
	if n == 0 {
		return []string{"no schedule found"}
	}
	last := &t.Points[n-1]
	facts := []string{"objective " + axis.Number(last.Objective)}
	if bound, known := last.Bound.Value(); known {
		facts = append(facts, "bound "+axis.Number(bound))
	} else {
		facts = append(facts, "no bound")
	}
	improvements, at := t.improvements()
	when := "after " + axis.Exact(at, 3) + " s"
	if improvements > 1 {
		when = "the last " + when
	}
	return append(facts, gapText(last), counted(improvements, "improvement"), when)
}

// improvements is how many points are better than those before them by more than rounding, the first among them, and when the last of
// those was.
func (t *Trace) improvements() (n int, at float64) {
	best := math.Inf(1)
	for k := range t.Points {
		if p := &t.Points[k]; n == 0 || p.Objective < best-model.Tolerance*math.Abs(best) {
			n, at, best = n+1, p.Elapsed, p.Objective
		}
	}
	return n, at
}
