package draw

import (
	"image/color"
	"iter"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"github.com/allot-opt/allot/model"
)

// dashes distinguish curves that share a colour, and serve readers who cannot see the colours.
var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(2)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}

// panelLimits are the sizes of curves.
var panelLimits = limits{defaultWidth: 1000, leastWidth: 200, leastHeight: 200, mostSide: 8192, mostPixels: 8192 * 8192}

// panels are curves on one or more panels, one above the other, below a title.
type panels struct {
	title         string
	width, height float64 // pixels
	plots         []*plot.Plot
	legend        []string // of curves that the panels share, one in each colour; empty: none
}

// newPanels draws the series under their names. Over time each has its own panel, because the curves would hide each other. Distributions
// share one panel.
func newPanels(in *model.Instance, list []*series, names []string, opt CurveOptions, width, height float64) (*panels, error) {
	from, to := in.FirstArrival(), in.FirstArrival()
	for _, s := range list {
		to = max(to, s.last)
	}
	to = max(to, from+1e-9)
	whole := &panels{title: curvesTitle(in, opt), width: width, height: height}
	columns, most := max(int(width)-120, 50), 0.0
	for k, s := range list {
		var curve plotter.XYs
		if opt.View == OverTime {
			curve = s.overTime(from, to, columns/3)
		} else {
			curve = s.cumulative(columns)
		}
		if k == 0 || opt.View == OverTime {
			whole.plots = append(whole.plots, newPanel())
		}
		p := whole.plots[len(whole.plots)-1]
		if err := addCurve(p, curve, k, names[k], len(list) > 1, opt); err != nil {
			return nil, err
		}
		most = max(most, p.Y.Max)
	}
	for k, p := range whole.plots {
		if opt.against == "" {
			p.Y.Max = most // one scale, so that panels can be compared
			labelAxes(p, in, from, to, opt)
		} else {
			labelDifference(p, in, from, to, opt)
		}
		if k+1 < len(whole.plots) {
			p.X.Label.Text = ""
		}
	}
	return whole, nil
}

// newPanel is an empty panel.
func newPanel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	stylePanel(p)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridLine, gridLine
	p.Add(grid)
	return p
}

// size implements drawing.
func (w *panels) size() (width, height vg.Length) {
	return vg.Length(w.width) * pointsPerPixel, vg.Length(w.height) * pointsPerPixel
}

// finish implements drawing. Two dots a pixel keep the letters of a PNG sharp.
func (w *panels) finish() finish { return finish{dots: 2} }

// hints implements drawing: there are none.
func (w *panels) hints() iter.Seq2[rect, string] { return func(func(rect, string) bool) {} }

// draw implements drawing.
func (w *panels) draw(canvas vg.CanvasSizer) {
	c := vgdraw.New(canvas)
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	c = vgdraw.Crop(c, vg.Points(10), vg.Points(-18), vg.Points(8), vg.Points(-8))
	letters := w.plots[0].Title.TextStyle
	letters.Font.Size, letters.XAlign, letters.YAlign = vg.Points(13), vgdraw.XLeft, vgdraw.YTop
	c.FillText(letters, vg.Point{X: c.Min.X + vg.Points(4), Y: c.Max.Y}, w.title)
	c = vgdraw.Crop(c, 0, 0, 0, vg.Points(-24))
	if len(w.legend) > 0 {
		c = w.drawLegend(c)
	}
	rows := make([][]*plot.Plot, len(w.plots))
	for k, p := range w.plots {
		rows[k] = []*plot.Plot{p}
	}
	tiles := vgdraw.Tiles{Rows: len(rows), Cols: 1, PadY: vg.Points(8)}
	for k, row := range plot.Align(rows, tiles, c) {
		w.plots[k].Draw(row[0])
	}
}

// drawLegend draws the names of the curves in rows, and returns what is left of the canvas.
func (w *panels) drawLegend(c vgdraw.Canvas) vgdraw.Canvas {
	letters := w.plots[0].Legend.TextStyle
	letters.XAlign, letters.YAlign = vgdraw.XLeft, vgdraw.YCenter
	const sample, gap, row = 24, 14, 15 // points
	x, y := c.Min.X+vg.Points(4), c.Max.Y-vg.Points(row)/2
	for k, name := range w.legend {
		wide := vg.Points(sample+4) + letters.Width(name)
		if x+wide > c.Max.X && x > c.Min.X+vg.Points(4) {
			x, y = c.Min.X+vg.Points(4), y-vg.Points(row)
		}
		c.StrokeLine2(vgdraw.LineStyle{Color: panelInks[k%len(panelInks)], Width: vg.Points(1.4), Dashes: dashes[k%len(dashes)]}, x, y, x+vg.Points(sample), y)
		c.FillText(letters, vg.Point{X: x + vg.Points(sample+4), Y: y}, name)
		x += wide + vg.Points(gap)
	}
	c.Max.Y = y - vg.Points(row)
	return c
}

// stylePanel sets letters and lines.
func stylePanel(p *plot.Plot) {
	handler := text.Plain{Fonts: fontCache()}
	letters := func(s *text.Style, size vg.Length, ink color.Color) {
		s.Font.Typeface, s.Font.Variant, s.Font.Size, s.Color, s.Handler = sans.Typeface, sans.Variant, size, ink, handler
	}
	p.TextHandler = handler
	letters(&p.Title.TextStyle, vg.Points(10.5), ink)
	p.Title.TextStyle.Font.Weight = 2 // bold
	p.Title.Padding = vg.Points(3)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		letters(&a.Label.TextStyle, vg.Points(11), ink)
		letters(&a.Tick.Label, vg.Points(9.5), quietInk)
		a.Label.Padding = vg.Points(5)
		a.LineStyle.Color, a.Tick.LineStyle.Color = quietInk, quietInk
	}
	letters(&p.Legend.TextStyle, vg.Points(10), ink)
	p.Legend.Top, p.Legend.Padding, p.Legend.ThumbnailWidth = true, vg.Points(3), vg.Points(24)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(-8), vg.Points(-4)
}

// curvesTitle makes the title of the picture.
func curvesTitle(in *model.Instance, opt CurveOptions) string {
	if opt.Title != "" {
		return panelName(opt.Title)
	}
	if opt.against != "" {
		return "Mean wait minus that under " + opt.against + ", by time of arrival; above 0: longer" + titleEnd(in)
	}
	what := map[Quantity]string{Queue: "Jobs in the queue", Utilisation: "Utilisation", Wait: "Wait"}[opt.Quantity]
	if opt.View == Cumulative {
		what += ", cumulative distribution"
	} else if opt.Quantity == Wait {
		what += " of the jobs by time of arrival"
	}
	return what + titleEnd(in)
}

// titleEnd is the end of a title, which names the instance.
func titleEnd(in *model.Instance) string {
	if in.Name() == "" {
		return ""
	}
	return " · " + panelName(in.Name())
}

// addCurve draws a curve.
func addCurve(p *plot.Plot, curve plotter.XYs, k int, name string, named bool, opt CurveOptions) error {
	if len(curve) == 0 {
		return nil
	}
	if opt.View == Cumulative {
		curve = append(plotter.XYs{{X: curve[0].X, Y: 0}}, curve...)
		if opt.Quantity == Wait {
			for i := range curve {
				curve[i].X = max(curve[i].X, leastWait)
			}
		}
	}
	line, err := plotter.NewLine(curve)
	if err != nil {
		return err
	}
	if opt.View == Cumulative || opt.Quantity != Wait {
		line.StepStyle = plotter.PostStep
	}
	if opt.against != "" {
		k++ // the first colour is that of the schedule the others are compared with, as in pictures of them all
	}
	line.Color, line.Width = panelInks[k%len(panelInks)], vg.Points(1.4)
	switch {
	case opt.View == Cumulative:
		line.Dashes = dashes[k%len(dashes)]
	case opt.Quantity != Wait:
		tint := panelInks[k%len(panelInks)]
		tint.A = 0x40
		line.Width, line.FillColor = vg.Points(0.9), tint
	}
	p.Add(line)
	if len(curve) == 1 {
		dot, err := plotter.NewScatter(curve)
		if err != nil {
			return err
		}
		dot.Shape, dot.Color = vgdraw.CircleGlyph{}, panelInks[k%len(panelInks)]
		p.Add(dot)
	}
	switch {
	case named && opt.View == OverTime:
		p.Title.Text = name
	case named:
		p.Legend.Add(name, line)
	}
	return nil
}

// labelDifference labels the axes of a panel of differences and marks 0. Each panel has a scale of its own: one scale would hide small differences beside a large one.
func labelDifference(p *plot.Plot, in *model.Instance, from, to float64, opt CurveOptions) {
	low, high := min(p.Y.Min, 0), max(p.Y.Max, 0)
	if math.IsInf(low, 0) || math.IsInf(high, 0) || low == high { // no curve, or one along 0
		low, high = 0, 1
	}
	p.Y.Max = max(high, -low)
	labelAxes(p, in, from, to, opt) // in a unit that suits the greatest difference
	p.Y.Min, p.Y.Max = low, high
	p.Y.Label.Text = strings.Replace(p.Y.Label.Text, "mean wait", "difference", 1)
	zero := plotter.NewFunction(func(float64) float64 { return 0 })
	zero.Color, zero.Width, zero.Samples = quietInk, vg.Points(0.6), 2
	p.Add(zero)
}

// leastWait is where the logarithmic axis of the waits begins; shorter waits, none included, stand there.
const leastWait = 1

// labelAxes labels the axes.
func labelAxes(p *plot.Plot, in *model.Instance, from, to float64, opt CurveOptions) {
	unit := in.Units().Time
	if unit == "" {
		unit = "s"
	}
	quantity := map[Quantity]string{Queue: "jobs in the queue", Utilisation: "processors held (%)", Wait: "wait (" + printable(unit) + ")"}[opt.Quantity]
	p.Y.Min = 0
	if opt.View == OverTime {
		clock := newClock(from, max(to-from, 1e-9), unit)
		p.X.Label.Text, p.X.Tick.Marker, p.X.Min, p.X.Max = clock.label, clock, from, max(to, from+1e-9)
		p.Y.Label.Text, p.Y.Tick.Marker = quantity, roundTicks{}
		if opt.Quantity == Wait {
			scale := newClock(0, max(p.Y.Max, 1e-9), unit)
			p.Y.Label.Text, p.Y.Tick.Marker = "mean wait ("+scale.unit+")", scale
		}
		if opt.Quantity == Utilisation {
			p.Y.Max = 105
		}
		p.Y.Max = max(p.Y.Max, 1e-9)
		return
	}
	p.Y.Max, p.Y.Tick.Marker = 102, roundTicks{}
	p.X.Label.Text, p.X.Tick.Marker, p.X.Min = quantity, roundTicks{}, 0
	p.Y.Label.Text = "share of the time (%)"
	p.Legend.Top, p.Legend.YOffs = false, vg.Points(6)
	switch opt.Quantity {
	case Utilisation:
		p.X.Max = 100
		p.Legend.Left, p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs = true, true, vg.Points(8), vg.Points(-4)
	case Wait:
		p.Y.Label.Text = "share of the jobs (%)"
		p.X.Label.Text = "wait, logarithmic (" + printable(unit) + "; at the left edge: at most 1)"
		p.X.Tick.Marker = decades(unit)
		p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, leastWait, nextTick(p.X.Tick.Marker, max(p.X.Max, 10))
		if unit == "s" {
			p.X.Label.Text = "wait, logarithmic (at the left edge: at most 1 s)"
		}
	}
}
