package curves

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/allot-opt/allot/model"
)

// inks are Paul Tol's "bright" scheme, distinct in colour-blind vision (Tol 2021, "Colour Schemes", SRON/EPS/TN/09-002).
var inks = []color.NRGBA{
	{0x44, 0x77, 0xaa, 0xff}, {0xee, 0x66, 0x77, 0xff}, {0x22, 0x88, 0x33, 0xff}, {0xaa, 0x33, 0x77, 0xff},
	{0xcc, 0xbb, 0x44, 0xff}, {0x66, 0xcc, 0xee, 0xff},
}

// dashes tell curves apart where colours return or are not seen.
var dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(2)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)}}

// Colours of everything that is no curve.
var (
	ink      = color.NRGBA{0x1c, 0x21, 0x28, 0xff}
	quietInk = color.NRGBA{0x5b, 0x65, 0x70, 0xff}
	gridInk  = color.NRGBA{0xdd, 0xe1, 0xe6, 0xff}
)

// picture is the panels of a drawing, one above the other, below a title.
type picture struct {
	title  string
	panels []*plot.Plot
}

// newPicture draws the schedules: over time, where curves would hide each other, a panel for each; distributions in one panel.
func newPicture(in *model.Instance, schedules []*model.Solution, opt Options) (*picture, error) {
	list := make([]*series, len(schedules))
	from, to := in.FirstArrival(), in.FirstArrival()
	for k, sol := range schedules {
		var err error
		if list[k], err = newSeries(in, sol, opt.Quantity); err != nil {
			return nil, err
		}
		to = max(to, list[k].last)
	}
	to = max(to, from+1e-9)
	whole := &picture{title: title(in, opt)}
	columns, most := max(opt.Width-120, 50), 0.0
	for k, s := range list {
		var curve plotter.XYs
		if opt.View == OverTime {
			curve = s.overTime(from, to, columns/3)
		} else {
			curve = s.cumulative(columns)
		}
		if k == 0 || opt.View == OverTime {
			whole.panels = append(whole.panels, newPanel())
		}
		p := whole.panels[len(whole.panels)-1]
		name := printable(schedules[k].Solver)
		if name == "" {
			name = fmt.Sprint("schedule ", k+1)
		}
		if err := add(p, curve, k, name, len(schedules) > 1, opt); err != nil {
			return nil, err
		}
		most = max(most, p.Y.Max)
	}
	for k, p := range whole.panels {
		p.Y.Max = most // one scale, so that panels can be compared
		axes(p, in, from, to, opt)
		if k+1 < len(whole.panels) {
			p.X.Label.Text = ""
		}
	}
	return whole, nil
}

// newPanel is an empty panel.
func newPanel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	style(p)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridInk, gridInk
	p.Add(grid)
	return p
}

// draw draws the title and the panels.
func (w *picture) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, vg.Points(10), vg.Points(-18), vg.Points(8), vg.Points(-8))
	letters := w.panels[0].Title.TextStyle
	letters.Font.Size, letters.XAlign, letters.YAlign = vg.Points(13), draw.XLeft, draw.YTop
	c.FillText(letters, vg.Point{X: c.Min.X + vg.Points(4), Y: c.Max.Y}, w.title)
	c = draw.Crop(c, 0, 0, 0, vg.Points(-24))
	rows := make([][]*plot.Plot, len(w.panels))
	for k, p := range w.panels {
		rows[k] = []*plot.Plot{p}
	}
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: vg.Points(8)}
	for k, row := range plot.Align(rows, tiles, c) {
		w.panels[k].Draw(row[0])
	}
}

// style sets letters and lines.
func style(p *plot.Plot) {
	letters := func(s *text.Style, size vg.Length, ink color.Color) {
		s.Font.Typeface, s.Font.Variant, s.Font.Size, s.Color = "Liberation", "Sans", size, ink
	}
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

// title is what the picture shows.
func title(in *model.Instance, opt Options) string {
	if opt.Title != "" {
		return printable(opt.Title)
	}
	what := map[Quantity]string{Queue: "Jobs in the queue", Utilisation: "Utilisation", Wait: "Wait"}[opt.Quantity]
	if opt.View == Cumulative {
		what += ", cumulative distribution"
	} else if opt.Quantity == Wait {
		what += " of the jobs by time of arrival"
	}
	if name := in.Name(); name != "" {
		what += " · " + printable(name)
	}
	return what
}

// printable replaces what does not print, and cuts a long name.
func printable(name string) string {
	name = strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:79]) + "…"
	}
	return name
}

// add draws a curve.
func add(p *plot.Plot, curve plotter.XYs, k int, name string, named bool, opt Options) error {
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
	line.Color, line.Width = inks[k%len(inks)], vg.Points(1.4)
	switch {
	case opt.View == Cumulative:
		line.Dashes = dashes[k%len(dashes)]
	case opt.Quantity != Wait:
		tint := inks[k%len(inks)]
		tint.A = 0x40
		line.Width, line.FillColor = vg.Points(0.9), tint
	}
	p.Add(line)
	if len(curve) == 1 {
		dot, err := plotter.NewScatter(curve)
		if err != nil {
			return err
		}
		dot.Shape, dot.Color = draw.CircleGlyph{}, inks[k%len(inks)]
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

// leastWait is where the logarithmic axis of the waits begins; shorter waits, none included, stand there.
const leastWait = 1

// axes labels the axes.
func axes(p *plot.Plot, in *model.Instance, from, to float64, opt Options) {
	unit := in.Units().Time
	if unit == "" {
		unit = "s"
	}
	quantity := map[Quantity]string{Queue: "jobs in the queue", Utilisation: "processors held (%)", Wait: "wait (" + printable(unit) + ")"}[opt.Quantity]
	p.Y.Min = 0
	if opt.View == OverTime {
		clock := newClock(from, max(to-from, 1e-9), unit)
		p.X.Label.Text, p.X.Tick.Marker, p.X.Min, p.X.Max = clock.label, clock, from, max(to, from+1e-9)
		p.Y.Label.Text, p.Y.Tick.Marker = quantity, figures{}
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
	p.Y.Max, p.Y.Tick.Marker = 102, figures{}
	p.X.Label.Text, p.X.Tick.Marker, p.X.Min = quantity, figures{}, 0
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

// nextTick is the first tick that is not below the value; the value where there is none.
func nextTick(marker plot.Ticker, value float64) float64 {
	for _, t := range marker.Ticks(leastWait, 1e3*value) {
		if t.Value >= value {
			return t.Value
		}
	}
	return value
}

// decades are the ticks of a logarithmic axis of waits: durations that people know where the unit is the second, else powers of ten.
func decades(unit string) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		if unit != "s" {
			for x := low; x <= high*(1+1e-9); x *= 10 {
				ticks = append(ticks, plot.Tick{Value: x, Label: number(x)})
			}
			return ticks
		}
		for _, t := range []plot.Tick{{Value: 1, Label: "1 s"}, {Value: 10, Label: "10 s"}, {Value: 60, Label: "1 min"}, {Value: 600, Label: "10 min"},
			{Value: 3600, Label: "1 h"}, {Value: 6 * 3600, Label: "6 h"}, {Value: 86400, Label: "1 day"}, {Value: 7 * 86400, Label: "1 week"},
			{Value: 30 * 86400, Label: "30 days"}, {Value: 365 * 86400, Label: "1 year"}} {
			if t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
		return ticks
	})
}

// clock is an axis of time from an origin, in a unit that suits its length.
type clock struct {
	origin, scale float64
	unit, label   string
}

// newClock chooses the unit: of seconds also minutes, hours and days.
func newClock(origin, length float64, unit string) clock {
	c := clock{origin, 1, printable(unit), ""}
	if unit == "s" {
		for _, u := range []struct {
			seconds float64
			name    string
		}{{86400, "days"}, {3600, "hours"}, {60, "minutes"}} {
			if length >= 3*u.seconds {
				c.scale, c.unit = u.seconds, u.name
				break
			}
		}
	}
	c.label = "time since the first arrival (" + c.unit + ")"
	return c
}

// Ticks implements plot.Ticker.
func (c clock) Ticks(low, high float64) []plot.Tick {
	ticks := figures{}.Ticks((low-c.origin)/c.scale, (high-c.origin)/c.scale)
	for k := range ticks {
		ticks[k].Value = c.origin + ticks[k].Value*c.scale
	}
	return ticks
}

// figures are ticks at round numbers.
type figures struct{}

// Ticks implements plot.Ticker.
func (figures) Ticks(low, high float64) []plot.Tick {
	const about = 9
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / about))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*factor) <= about {
			step *= factor
			break
		}
	}
	var ticks []plot.Tick
	for n := math.Ceil(low/step - 1e-9); n*step <= high*(1+1e-9); n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: number(n * step)})
	}
	return ticks
}

// number writes a value for people.
func number(x float64) string {
	if x == 0 {
		return "0" // not -0
	}
	if math.Abs(x) >= 1e7 || math.Abs(x) < 1e-4 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	text := strconv.FormatFloat(x, 'f', 6, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	whole, fraction, dotted := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && len(whole) > 4 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if dotted {
		return whole + "." + fraction
	}
	return whole
}
