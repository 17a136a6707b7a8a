package document

import (
	"fmt"
	"html/template"
	"math"

	"github.com/allot-opt/allot/internal/picture"
)

// The width and the letters of a plot on the page, in pixels of its own. It is small and has large letters, so that they can be read where a phone scales the plot down; on a wide
// screen two stand side by side.
const (
	Width      = 500.0
	plotHeight = 285.0 // between the axes
	Letters    = 14.0
)

// Ticks is about how many labels an axis of a plot has.
const Ticks = 6

// Styles of curves that have none of those of [picture.StyleOf]: Faint is that of a curve in the background, Reference that of something of another kind beside the others.
const (
	Faint     = -1
	Reference = -2
)

// Curve is a curve of a plot.
type Curve struct {
	Name  string
	Style int // below [picture.Styles], or Faint, or Reference
	// Points are the corners of a step function that keeps the value of a point until the next.
	Points []picture.Point
	// marks draws the line of a figure in place of a step function; nil: the curve is one.
	marks func(*picture.Plot)
}

// Drawn is a picture as the page shows it.
type Drawn struct {
	Class       string // plot, forest or diagram
	ID          string
	Title       string
	Description string // for who does not see it
	Note        string // below it
	Legend      []Entry
	ViewBox     string
	Elements    template.HTML
	Faint       int            // how many curves are in the background, beside those of the legend
	Chart       *picture.Chart // of curves: the picture with its legend, as a file shows it
}

// Entry is a sign in the legend of the page.
type Entry struct {
	Name, Style string // the style is a class in page.css: s0, s1, … or ref; empty: a click does nothing
	ViewBox     string
	Elements    template.HTML
}

// NewPlot draws curves over two axes. Faint ones are drawn first, and the best last, so that it lies on top: it comes first among the curves.
func NewPlot(id, title string, x, y picture.Axis, curves []Curve) *Drawn {
	p := &Drawn{Class: "plot", ID: id, Title: title}
	axis := func(a picture.Axis) func(int) picture.Axis { return func(int) picture.Axis { return a } }
	p.Chart = &picture.Chart{
		Title: title, Width: Width, PanelHeight: plotHeight, Letters: Letters, Dots: 2,
		Panels: []*picture.Panel{{X: axis(x), Y: axis(y), Draw: func(p *picture.Plot) {
			for k := range curves {
				if curves[k].Style == Faint {
					curves[k].draw(p)
				}
			}
			for k := len(curves) - 1; k >= 0; k-- {
				if curves[k].Style != Faint {
					curves[k].draw(p)
				}
			}
		}}},
	}
	for k := range curves {
		c := &curves[k]
		if c.Style == Faint {
			p.Faint++
			continue
		}
		p.Chart.Key = append(p.Chart.Key, picture.LineEntry(c.Name, c.pen(), c.marker))
		sample := picture.Drawing{Width: 38, Height: 16, Draw: func(s *picture.Sheet) {
			s.Line(0, 8, s.Width, 8, c.pen())
			c.marker(s, s.Width/2, 8)
		}}
		e := Entry{Name: c.Name, Style: c.class()}
		e.ViewBox, e.Elements = Elements(&sample)
		p.Legend = append(p.Legend, e)
	}
	onPage := *p.Chart
	onPage.Bare, onPage.Key = true, nil
	p.ViewBox, p.Elements = Elements(onPage.Drawing())
	return p
}

// Elements is a drawing without images as a part of the page.
func Elements(d *picture.Drawing) (string, template.HTML) {
	viewBox, text, _ := d.Elements() // only an image may fail
	return viewBox, template.HTML(text)
}

// class is the class of the curve in page.css.
func (c *Curve) class() string {
	switch c.Style {
	case Faint:
		return "faint"
	case Reference:
		return "ref"
	}
	return fmt.Sprint("s", c.Style)
}

// pen draws the line of the curve.
func (c *Curve) pen() picture.Pen {
	switch {
	case c.Style == Faint:
		return picture.Pen{Width: 1.1, Ink: picture.Faint}
	case c.Style == Reference:
		return picture.Pen{Width: 2.6, Ink: picture.Ink, Dash: []float64{1.6, 4}}
	case c.marks != nil:
		return picture.StyleOf(c.Style).Solid(2)
	}
	return picture.StyleOf(c.Style).Pen(2.3)
}

// marker draws the marker of the curve, where it has one.
func (c *Curve) marker(s *picture.Sheet, x, y float64) {
	if c.Style >= 0 {
		s.Marker(picture.StyleOf(c.Style), x, y, 4)
	}
}

// draw draws the curve with five markers at places of the style's own, so that curves that lie on each other still show theirs side by side.
func (c *Curve) draw(p *picture.Plot) {
	p.Group("curve "+c.class(), c.Name, func() {
		if c.marks != nil {
			c.marks(p)
			return
		}
		n := len(c.Points)
		if n == 0 {
			return
		}
		points := append(c.Points[:n:n], picture.Point{X: p.XAxis.To, Y: c.Points[n-1].Y})
		p.Stroke(p.Path(points, true), c.pen())
		const count = 5
		for k := range count {
			x := p.Area.X0 + (float64(k)+(float64(c.Style)+0.5)/picture.Styles)*p.Area.Width()/count
			y := math.NaN()
			for _, q := range points {
				if p.AtX(q.X) > x {
					break
				}
				y = p.AtY(q.Y)
			}
			if !math.IsNaN(y) {
				c.marker(p.Sheet, x, y)
			}
		}
	})
}

// errorBar draws an upright bar with short ends.
func errorBar(p *picture.Plot, x, low, high float64, pen picture.Pen) {
	const half = 3.5
	var path picture.Path
	p.Segment(&path, x-half, low, x+half, low)
	p.Segment(&path, x-half, high, x+half, high)
	p.Segment(&path, x, low, x, high)
	p.Stroke(path, pen)
}
