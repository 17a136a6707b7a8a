package draw

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// ProgressOptions say how to draw runs. The zero value suits every run.
type ProgressOptions struct {
	// Width and Height are as in [GanttOptions]; 0 stands for 1,200 × about 560 pixels or 100 columns × about 30 lines.
	Width, Height int
	// Title stands above the picture; empty: the name of the run if there is only one, otherwise a general title.
	Title string
	// LogTime makes the axis of time logarithmic, because searches find most improvements in the first moments.
	LogTime bool
}

// MostRuns is the largest number of runs in one picture. More could not be told apart.
const MostRuns = 12

// Progress draws the objective and the bound of runs over time: for each run a step curve, with its bound as a dashed line and
// the gap between them shaded.
func Progress(runs []*Run, opt ProgressOptions) (*Picture, error) {
	if err := checkRuns(runs); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	c := newCourse(runs, opt)
	return &Picture{
		text: func(w io.Writer) error { return drawCourseText(w, c, opt) },
		layOut: pageLimits.sized(opt.Width, opt.Height, func(width, height float64) (*picture.Drawing, error) {
			return c.chart(width, height).Drawing(), nil
		}),
	}, nil
}

// checkRuns returns an error for runs that cannot be drawn.
func checkRuns(runs []*Run) error {
	if len(runs) == 0 {
		return errors.New("no runs")
	}
	if len(runs) > MostRuns {
		return fmt.Errorf("expected at most %d runs, found %d", MostRuns, len(runs))
	}
	for k, t := range runs {
		if t == nil {
			return fmt.Errorf("runs[%d]: no run", k)
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("runs[%d] (%q): %w", k, picture.Clip(t.Name, 60), err)
		}
	}
	return nil
}

// course is the content of a picture of runs, for any format.
type course struct {
	runs  []*Run
	title string
	isLog bool
	first float64 // the earliest time above 0, or 0
	last  float64 // the latest time
	// low and high are the least and the greatest figure; both 0 without points.
	low, high float64
	hasBound  bool
	isEmpty   bool // there are no points
}

// newCourse collects the content of the picture.
func newCourse(runs []*Run, opt ProgressOptions) *course {
	c := &course{runs: runs, title: opt.Title, low: math.Inf(1), high: math.Inf(-1), first: math.Inf(1)}
	for _, t := range runs {
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
	case len(runs) == 1:
		c.title = runs[0].Name
	case c.hasBound:
		c.title = "objective and bound over time"
	default:
		c.title = "objective over time"
	}
	return c
}

// timeAxis is the axis of time.
func (c *course) timeAxis(most int) picture.Axis {
	if c.isLog {
		return picture.NewLogAxis("time", c.first, c.last, "s", most)
	}
	return picture.NewAxis("time", 0, c.last, "s", most)
}

// valueAxis is the axis of the figures, with a little room around them.
func (c *course) valueAxis(most int) picture.Axis {
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
	return picture.NewAxis("objective", low, high, "", most)
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
	return "gap " + numtext.Significant(gap, 3) + " %"
}

// facts are short statements of how the run ended.
func (t *Run) facts() []string {
	n := len(t.Points)
	if n == 0 {
		return []string{"no schedule found"}
	}
	last := &t.Points[n-1]
	facts := []string{"objective " + picture.Number(last.Objective)}
	if bound, known := last.Bound.Value(); known {
		facts = append(facts, "bound "+picture.Number(bound))
	} else {
		facts = append(facts, "no bound")
	}
	improvements, at := t.improvements()
	when := "after " + numtext.Significant(at, 3) + " s"
	if improvements > 1 {
		when = "the last " + when
	}
	return append(facts, gapText(last), numtext.CountedGrouped(improvements, "improvement"), when)
}

// improvements counts the points that are better than those before them by more than rounding, including the first point. It also returns
// the time of the last of them.
func (t *Run) improvements() (n int, at float64) {
	best := math.Inf(1)
	for k := range t.Points {
		if p := &t.Points[k]; n == 0 || p.Objective < best-model.Tolerance*math.Abs(best) {
			n, at, best = n+1, p.Elapsed, p.Objective
		}
	}
	return n, at
}
