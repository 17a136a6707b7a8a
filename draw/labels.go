package draw

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/allot-opt/allot/model"
)

// leastValue is where a logarithmic axis begins; smaller values, 0 included, stand there.
const leastValue = 1

// isLog reports whether values of the quantity are shown on a logarithmic axis, as they span orders of magnitude.
func (q Quantity) isLog() bool { return q.ofJobs() }

// caption names the quantity on an axis, with its unit where the ticks do not state it.
func (q Quantity) caption(unit string) string {
	switch {
	case q == Queue:
		return "jobs in the queue"
	case q == Utilisation:
		return "processors held (%)"
	case q.isTime() && !hasFamiliarTimes(unit):
		return q.word() + " (" + printable(unit) + ")"
	}
	return q.word()
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

// meanCaption is the caption of an axis of means over time.
func (q Quantity) meanCaption(unit string) string {
	if q.ofJobs() {
		return "mean " + q.caption(unit)
	}
	return q.caption(unit)
}

// labelAxes labels the axes of a panel over time or of a distribution, on a picture of the given width.
func labelAxes(p *plot.Plot, in *model.Instance, from, to float64, opt CurveOptions, width float64) {
	unit, q := timeUnit(in), opt.Quantity
	p.Y.Min = 0
	if opt.View != Cumulative {
		labelTime(p, in, from, to, width)
		p.Y.Max = max(1.05*p.Y.Max, 1e-9) // the curve stays below the edge
		p.Y.Label.Text, p.Y.Tick.Marker = q.meanCaption(unit), plot.Ticker(roundTicks{})
		if q.isTime() {
			p.Y.Tick.Marker = clock{0, unit, 7}
		}
		if q == Utilisation {
			p.Y.Max = 105
		}
		return
	}
	p.Y.Max, p.Y.Tick.Marker = 102, roundTicks{}
	p.X.Label.Text, p.X.Tick.Marker, p.X.Min = q.caption(unit), roundTicks{}, 0
	p.Y.Label.Text = "share of the time (%)"
	if q == Utilisation {
		p.X.Max = 100
	}
	if !q.isLog() {
		return
	}
	p.Y.Label.Text = "share of the jobs (%)"
	edge := "1"
	if q.isTime() {
		p.X.Tick.Marker, edge = decades(unit), "1 "+printable(unit)
	} else {
		p.X.Tick.Marker = decades("")
	}
	p.X.Label.Text = q.caption(unit) + ", logarithmic (at the left edge: at most " + edge + ")"
	p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, leastValue, nextTick(p.X.Tick.Marker, max(p.X.Max, 10))
	p.X.Tick.Marker = plot.ConstantTicks(thinned(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max), p.X.Min, p.X.Max, plotWidth(width)))
}

// plotWidth is about how wide the panels of a picture are between their axes, in pixels.
func plotWidth(width float64) float64 { return max(width-110, 60) }

// thinned takes the labels from ticks of a logarithmic axis that would lie on the one before.
func thinned(ticks []plot.Tick, low, high, width float64) []plot.Tick {
	const apart = 56 // pixels
	free := math.Inf(-1)
	for k := range ticks {
		x := (math.Log(ticks[k].Value) - math.Log(low)) / (math.Log(high) - math.Log(low)) * width
		if x < free {
			ticks[k].Label = ""
			continue
		}
		free = x + apart
	}
	return ticks
}

// labelTime labels the axis of time.
func labelTime(p *plot.Plot, in *model.Instance, from, to, width float64) {
	const most, apart = 9, 80 // ticks, and pixels from one to the next
	c := clock{in.FirstArrival(), timeUnit(in), max(2, min(most, int(plotWidth(width)/apart)))}
	p.X.Min, p.X.Max = from, max(to, from+1e-9)
	p.X.Tick.Marker = c
	p.X.Label.Text = c.caption(p.X.Min, p.X.Max)
}

// addPeriods adds a panel for each schedule with the quantiles of its periods.
func (w *panels) addPeriods(c *curves) {
	unit, q := timeUnit(c.in), c.opt.Quantity
	most, first := 0.0, 0
	if c.opt.View == Difference {
		first = 1 // the first colour is that of the schedule the others are compared with, as in pictures of them all
	}
	var all []*bandsPlot
	for k, list := range c.periods {
		b := &bandsPlot{periods: list, tint: first + k, least: math.Inf(-1)}
		for i := range list {
			most = max(most, list[i].quantiles[len(shares)-1], list[i].mean)
		}
		all = append(all, b)
	}
	for k, b := range all {
		p := newPanel()
		if c.opt.View == Quantiles {
			b.least = leastShown(most, q, unit)
		}
		p.Add(b)
		labelTime(p, c.in, c.from, c.to, w.width)
		p.Title.Text = c.names[k]
		if c.opt.View == Quantiles {
			labelQuantiles(p, b.least, most, q, unit)
		} else {
			labelDifference(p, b, q, unit)
		}
		w.plots = append(w.plots, p)
	}
	tint := panelInks[first%len(panelInks)]
	w.legend = []legendEntry{
		{name: "80 % of the jobs: 10 % have less, 10 % more", fill: faded(tint, 0.22)}, {name: "the middle 50 %", fill: faded(tint, 0.5)},
		{name: "median", line: all[0].median()}, {name: "mean", line: all[0].meanStyle()},
	}
	w.finishPanels()
}

// leastShown is where the logarithmic axis of quantiles begins.
func leastShown(most float64, q Quantity, unit string) float64 {
	const decadesShown = 5_000
	if !q.isTime() {
		unit = ""
	}
	least := leastValue * 1.0
	for _, t := range decades(unit).Ticks(leastValue, max(most, leastValue)/decadesShown) {
		least = max(least, t.Value)
	}
	return least
}

// labelQuantiles labels the axis of quantiles, which is logarithmic.
func labelQuantiles(p *plot.Plot, least, most float64, q Quantity, unit string) {
	p.Y.Scale, p.Y.Min, p.Y.Max = plot.LogScale{}, least, max(1.3*most, 10*least)
	p.Y.Label.Text = q.caption(unit)
	if !q.isTime() {
		unit = ""
	}
	ticks := decades(unit).Ticks(leastValue, p.Y.Max)
	var shown []plot.Tick
	for _, t := range ticks {
		if t.Value < least {
			continue
		}
		if t.Value == least {
			t.Label = "≤ " + t.Label
		}
		shown = append(shown, t)
	}
	p.Y.Tick.Marker = plot.ConstantTicks(shown)
}

// labelDifference labels the axis of differences and marks 0.
func labelDifference(p *plot.Plot, b *bandsPlot, q Quantity, unit string) {
	_, _, low, high := b.DataRange()
	low, high = min(low, 0), max(high, 0)
	if math.IsInf(low, 0) || math.IsInf(high, 0) || low == high { // no job, or no difference
		low, high = 0, 1
	}
	room := 0.05 * (high - low)
	p.Y.Min, p.Y.Max = low, high
	if low < 0 {
		p.Y.Min -= room
	}
	if high > 0 {
		p.Y.Max += room
	}
	p.Y.Label.Text, p.Y.Tick.Marker = "difference", plot.Ticker(roundTicks{})
	if q.isTime() {
		p.Y.Tick.Marker = clock{0, unit, 7}
		if !hasFamiliarTimes(unit) {
			p.Y.Label.Text += " (" + printable(unit) + ")"
		}
	}
	zero := plotter.NewFunction(func(float64) float64 { return 0 })
	zero.Color, zero.Width, zero.Samples = quietInk, vg.Points(0.6), 2
	p.Add(zero)
}
