package draw

import (
	"image/color"
	"iter"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
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
	legend        []legendEntry // of what the panels share; empty: none
}

// newPanels draws the series under their names. Over time each has its own panel, because the curves would hide each other. Distributions
// share one panel.
func newPanels(c *curves, width, height float64) (*panels, error) {
	whole := &panels{title: curvesTitle(c), width: width, height: height}
	columns := max(int(width)-120, 50)
	if c.periods != nil {
		whole.addPeriods(c)
		return whole, nil
	}
	most := 0.0
	for k, s := range c.list {
		var curve plotter.XYs
		if c.opt.View == OverTime {
			curve = s.overTime(c.from, c.to, columns/3)
		} else {
			curve = s.cumulative(columns)
		}
		if k == 0 || c.opt.View == OverTime {
			whole.plots = append(whole.plots, newPanel())
		}
		p := whole.plots[len(whole.plots)-1]
		if err := addCurve(p, curve, k, c.opt); err != nil {
			return nil, err
		}
		switch {
		case len(c.list) == 1:
		case c.opt.View == OverTime:
			p.Title.Text = c.names[k]
		default:
			whole.legend = append(whole.legend, legendEntry{name: c.names[k], line: curveStyle(k)})
		}
		most = max(most, p.Y.Max)
	}
	for _, p := range whole.plots {
		p.Y.Max = most // one scale, so that panels can be compared
		labelAxes(p, c.in, c.from, c.to, c.opt, width)
	}
	whole.finishPanels()
	return whole, nil
}

// finishPanels leaves the name of the axis of time to the last panel.
func (w *panels) finishPanels() {
	for _, p := range w.plots[:len(w.plots)-1] {
		p.X.Label.Text = ""
	}
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
	fits := func(style text.Style, room vg.Length) func(string) bool {
		return func(text string) bool { return style.Width(text) <= room }
	}
	c.FillText(letters, vg.Point{X: c.Min.X + vg.Points(4), Y: c.Max.Y}, shorten(w.title, fits(letters, c.Max.X-c.Min.X-vg.Points(4))))
	for _, p := range w.plots {
		inside := fits(p.X.Label.TextStyle, c.Max.X-c.Min.X-vg.Points(90))
		if brief, _, found := strings.Cut(p.X.Label.Text, " ("); found && !inside(p.X.Label.Text) {
			p.X.Label.Text = brief
		}
		p.X.Label.Text = shorten(p.X.Label.Text, inside)
		p.Title.Text = shorten(p.Title.Text, fits(p.Title.TextStyle, 0.8*(c.Max.X-c.Min.X)))
	}
	c = vgdraw.Crop(c, 0, 0, 0, vg.Points(-24))
	if len(w.legend) > 0 {
		c = w.drawLegend(c)
	}
	// Package plot would make room for the caption of a logarithmic axis at its right end, not in its middle.
	last := w.plots[len(w.plots)-1]
	caption, style := last.X.Label.Text, last.X.Label.TextStyle
	last.X.Label.Text = ""
	const captionHeight = 20 // points
	bottom := c.Min.Y
	c = vgdraw.Crop(c, 0, 0, vg.Points(captionHeight), 0)
	rows := make([][]*plot.Plot, len(w.plots))
	for k, p := range w.plots {
		rows[k] = []*plot.Plot{p}
	}
	tiles := vgdraw.Tiles{Rows: len(rows), Cols: 1, PadY: vg.Points(8)}
	for k, row := range plot.Align(rows, tiles, c) {
		w.plots[k].Draw(row[0])
		if k+1 == len(rows) {
			inside := last.DataCanvas(row[0])
			half := style.Width(caption) / 2
			style.XAlign, style.YAlign = vgdraw.XCenter, vgdraw.YBottom
			middle := max(min((inside.Min.X+inside.Max.X)/2, c.Max.X-half), c.Min.X+half)
			c.FillText(style, vg.Point{X: middle, Y: bottom + vg.Points(3)}, caption)
		}
	}
}

// stylePanel sets letters and lines.
func stylePanel(p *plot.Plot) {
	handler := text.Plain{Fonts: fontCache()}
	letters := func(s *text.Style, size vg.Length, ink color.Color) {
		s.Font.Typeface, s.Font.Variant, s.Font.Size, s.Color, s.Handler = sans.Typeface, sans.Variant, size, ink, handler
	}
	p.TextHandler = handler
	letters(&p.Title.TextStyle, vg.Points(10.5), ink)
	p.Title.TextStyle.Font.Weight = stdfont.WeightBold // the fonts have no other weights: a PNG would take the regular one
	p.Title.Padding = vg.Points(3)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		letters(&a.Label.TextStyle, vg.Points(11), ink)
		letters(&a.Tick.Label, vg.Points(9.5), quietInk)
		a.Label.Padding = vg.Points(5)
		a.LineStyle.Color, a.Tick.LineStyle.Color = quietInk, quietInk
	}
	letters(&p.Legend.TextStyle, vg.Points(10), ink)
}

// curveStyle is the line of the k-th curve of a panel.
func curveStyle(k int) vgdraw.LineStyle {
	return vgdraw.LineStyle{Color: panelInks[k%len(panelInks)], Width: vg.Points(1.4), Dashes: dashes[k%len(dashes)]}
}

// addCurve draws the k-th curve.
func addCurve(p *plot.Plot, curve plotter.XYs, k int, opt CurveOptions) error {
	if len(curve) == 0 {
		return nil
	}
	if opt.View == Cumulative {
		curve = append(plotter.XYs{{X: curve[0].X, Y: 0}}, curve...)
		if opt.Quantity.isLog() {
			for i := range curve {
				curve[i].X = max(curve[i].X, leastValue)
			}
		}
	}
	line, err := plotter.NewLine(curve)
	if err != nil {
		return err
	}
	if opt.View == Cumulative || !opt.Quantity.ofJobs() {
		line.StepStyle = plotter.PostStep
	}
	line.LineStyle = curveStyle(k)
	if opt.View != Cumulative {
		line.Dashes = nil // each has a panel of its own
		if !opt.Quantity.ofJobs() {
			tint := panelInks[k%len(panelInks)]
			tint.A = 0x40
			line.Width, line.FillColor = vg.Points(0.9), tint
		}
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
	return nil
}
