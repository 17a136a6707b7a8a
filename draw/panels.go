package draw

import (
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// panelLimits are the sizes of curves.
var panelLimits = limits{defaultWidth: 1000, leastWidth: 200, leastHeight: 200, mostSide: 8192, mostPixels: 8192 * 8192}

// leastValue is where a logarithmic axis begins; smaller values, 0 included, stand there.
const leastValue = 1.0

// isLog reports whether values of the quantity are shown on a logarithmic axis, as they span orders of magnitude.
func (q Quantity) isLog() bool { return q.ofJobs() }

// caption names the quantity on an axis, with its unit where the ticks do not state it.
func (q Quantity) caption(unit string) string {
	switch {
	case q == Queue:
		return "jobs in the queue"
	case q == Utilisation:
		return "processors held (%)"
	case q.isTime() && !isNamed(unit):
		return q.word() + " (" + picture.Printable(unit) + ")"
	}
	return q.word()
}

// isNamed reports whether lengths of time in the unit are written in units that people know.
func isNamed(unit string) bool {
	_, known := timetext.Seconds(unit)
	return known
}

// word is the quantity in one word; the title states its whole name, which is too long for an axis.
func (q Quantity) word() string {
	for _, word := range []string{"slowdown", "response", "wait"} {
		if strings.Contains(string(q), word) {
			return word
		}
	}
	return string(q)
}

// unitOf is the unit of time of the values; empty: they are no times.
func (q Quantity) unitOf(in *model.Instance) string {
	if q.isTime() {
		return timeUnit(in)
	}
	return ""
}

// axisMaker makes an axis with at most about most ticks.
type axisMaker = func(most int) picture.Axis

// times makes the axis of the times shown.
func times(in *model.Instance, from, to float64) axisMaker {
	return func(most int) picture.Axis {
		return picture.NewTimeAxis(from, max(to, from+1e-9), in.FirstArrival(), picture.Printable(timeUnit(in)), most, true)
	}
}

// values makes an axis of values of the quantity. Times are in units that people know.
func (q Quantity) values(in *model.Instance, caption string, from, to float64) axisMaker {
	return func(most int) picture.Axis {
		a := picture.NewExactAxis(caption, from, to, "", most)
		if unit := q.unitOf(in); isNamed(unit) {
			if a = picture.NewTimeAxis(from, to, 0, unit, most, true); a.Caption == "time" {
				a.Caption = caption
			} else {
				a.Caption = caption + strings.TrimPrefix(a.Caption, "time")
			}
		}
		return a
	}
}

// overTimeAxes are the axes of curves over time, of values up to most.
func (c *curves) overTimeAxes(most float64) (x, y axisMaker) {
	caption := c.opt.Quantity.caption(timeUnit(c.in))
	if c.opt.Quantity.ofJobs() {
		caption = "mean " + caption
	}
	most = max(1.05*most, 1e-9) // the curve stays below the edge
	if c.opt.Quantity == Utilisation {
		most = 105
	}
	return times(c.in, c.from, c.to), c.opt.Quantity.values(c.in, caption, 0, most)
}

// caption names the quantity on an axis.
func (c *curves) caption() string {
	if c.opt.Quantity == Power && c.opt.Watts {
		return "power (W)"
	}
	return c.opt.Quantity.caption(timeUnit(c.in))
}

// distributionAxes are the axes of distributions of values up to most.
func (c *curves) distributionAxes(most float64) (x, y axisMaker) {
	q, of := c.opt.Quantity, "time"
	caption := c.caption()
	x = func(ticks int) picture.Axis { return picture.NewExactAxis(caption, 0, max(most, 1e-9), "", ticks) }
	if q == Utilisation {
		x = func(ticks int) picture.Axis { return picture.NewExactAxis(caption, 0, 100, "", ticks) }
	}
	if q.isLog() {
		unit, edge := q.unitOf(c.in), "1"
		if unit != "" {
			edge = "1 " + picture.Printable(unit)
		}
		of = "jobs"
		caption += ", logarithmic (at the left edge: at most " + edge + ")"
		x = func(ticks int) picture.Axis {
			return picture.NewSpanAxis(caption, leastValue, picture.SpanFrom(leastValue, max(most, 10), unit), unit, ticks)
		}
	}
	return x, func(ticks int) picture.Axis {
		return picture.NewExactAxis("share of the "+of+" (%)", 0, 102, "", ticks)
	}
}

// quantileAxis makes the axis of quantiles up to most, which is logarithmic. It has no more than about four powers of ten.
func (c *curves) quantileAxis(most float64) axisMaker {
	const shown = 5_000 // times the least value
	unit := c.opt.Quantity.unitOf(c.in)
	least := picture.SpanUpTo(leastValue, max(most, leastValue)/shown, unit)
	return func(int) picture.Axis {
		a := picture.NewSpanAxis(c.opt.Quantity.caption(timeUnit(c.in)), least, max(1.3*most, 10*least), unit, math.MaxInt32)
		if len(a.Ticks) > 0 && a.Ticks[0].At == 0 {
			a.Ticks[0].Label = "≤ " + a.Ticks[0].Label
		}
		return a
	}
}

// differenceAxis makes the axis of differences from low to high, which has 0.
func (c *curves) differenceAxis(low, high float64) axisMaker {
	low, high = min(low, 0), max(high, 0)
	if math.IsInf(low, 0) || math.IsInf(high, 0) || low == high { // no job, or no difference
		low, high = 0, 1
	}
	caption, room := "difference", 0.05*(high-low)
	if unit := c.opt.Quantity.unitOf(c.in); unit != "" && !isNamed(unit) {
		caption += " (" + picture.Printable(unit) + ")"
	}
	if low < 0 {
		low -= room
	}
	if high > 0 {
		high += room
	}
	return c.opt.Quantity.values(c.in, caption, low, high)
}

// chart makes the picture of a size. Over time each schedule has its own panel, because the curves would hide each other. Distributions share one panel.
func (c *curves) chart(width, height float64) *picture.Chart {
	chart := &picture.Chart{Title: curvesTitle(c), Width: width, Height: height, Dots: 2}
	switch {
	case c.periods != nil:
		c.addPeriods(chart)
		return chart
	case c.power != nil:
		c.addPower(chart)
		return chart
	}
	columns := max(int(width)-120, 50)
	var lines [][]picture.Point
	mostX, mostY := 0.0, 0.0
	for _, s := range c.list {
		line := s.overTime(c.from, c.to, columns/3)
		if c.opt.View == Cumulative {
			line = s.cumulative(columns)
		}
		for _, p := range line {
			mostX, mostY = max(mostX, p.X), max(mostY, p.Y) // one scale, so that panels can be compared
		}
		lines = append(lines, line)
	}
	if c.opt.View == Cumulative {
		x, y := c.distributionAxes(mostX)
		chart.Panels = []*picture.Panel{{X: x, Y: y, Draw: func(p *picture.Plot) {
			for k, line := range lines {
				drawDistribution(p, k, line)
			}
		}}}
		for k, name := range c.names {
			if len(c.names) > 1 {
				chart.Key = append(chart.Key, picture.LineEntry(name, picture.StyleOf(k).Pen(1.8), nil))
			}
		}
		return chart
	}
	for k, line := range lines {
		panel := &picture.Panel{Draw: func(p *picture.Plot) { c.drawOverTime(p, k, line) }}
		if panel.X, panel.Y = c.overTimeAxes(mostY); len(lines) > 1 {
			panel.Title = c.names[k]
		}
		chart.Panels = append(chart.Panels, panel)
	}
	return chart
}

// drawOverTime draws a curve over time; of a quantity that is none of jobs it shades the area below.
func (c *curves) drawOverTime(p *picture.Plot, k int, line []picture.Point) {
	if len(line) == 0 {
		return
	}
	style := picture.StyleOf(k)
	if c.opt.Quantity.ofJobs() {
		p.Stroke(p.Path(line, false), style.Solid(1.9))
		if len(line) == 1 {
			p.Marker(style, p.AtX(line[0].X), p.AtY(line[0].Y), 4.5)
		}
		return
	}
	area := p.Path(line, true)
	area.Line(p.Point(p.AtX(line[len(line)-1].X), p.Area.Y1))
	area.Line(p.Point(p.AtX(line[0].X), p.Area.Y1))
	area.Close()
	p.Fill(area, picture.Faded(style.Ink(), 0.25))
	p.Stroke(p.Path(line, true), style.Solid(1.2))
}

// drawDistribution draws the k-th distribution, which begins at 0 %.
func drawDistribution(p *picture.Plot, k int, line []picture.Point) {
	if len(line) > 0 {
		line = append([]picture.Point{{X: line[0].X}}, line...)
	}
	p.Stroke(p.Path(line, true), picture.StyleOf(k).Pen(1.8))
}

// curvesTitle makes the title of the picture.
func curvesTitle(c *curves) string {
	opt := &c.opt
	what := opt.Quantity.title()
	switch {
	case opt.Title != "":
		return panelName(opt.Title)
	case opt.View == Difference:
		what += " minus that under " + opt.against + ", " + periodName(c.each, timeUnit(c.in)) + "; above 0: more"
	case opt.View == Quantiles:
		what += " of the jobs, " + periodName(c.each, timeUnit(c.in))
	case opt.View == Cumulative:
		what += ", cumulative distribution"
	case opt.Quantity.ofJobs():
		what += " of the jobs by time of arrival"
	}
	return what + titleEnd(c.in)
}

// titleEnd is the end of a title, which names the instance.
func titleEnd(in *model.Instance) string {
	if in.Name() == "" {
		return ""
	}
	return " · " + panelName(in.Name())
}
