package report

import (
	"fmt"
	"html/template"
	"math"

	"github.com/allot-opt/allot/internal/picture"
)

// The size of a plot on the page, in pixels of its own. It is small and has large letters, so that they can be read where a phone scales the plot down; on a wide
// screen two stand side by side.
const (
	plotWidth   = 500.0
	plotHeight  = 285.0 // between the axes
	plotLetters = 14.0
)

// faint is the style of a curve in the background. referenceStyle is the style of a reference solver of another kind, beside the solvers of a
// group.
const (
	faint          = -1
	referenceStyle = -2
)

// styles is how many curves of a plot differ in colour, dashes and marker; further ones are faint.
const styles = picture.Styles

// curve is a curve of a plot.
type curve struct {
	name  string
	style int // below styles, or faint, or referenceStyle
	// points are the corners of a step function that keeps the value of a point until the next.
	points []picture.Point
	// marks draws the line of an account in place of a step function; nil: the curve is one.
	marks func(*picture.Plot)
}

// plot is a picture of curves over shared axes.
type plot struct {
	ID          string
	Title       string
	Description string // for who does not see it
	Note        string // below it
	Legend      []entry
	ViewBox     string
	Elements    template.HTML
	chart       *picture.Chart
	curves      int // how many there are, with the faint ones
}

// entry is a curve in the legend of the page.
type entry struct {
	Name, Style string // the style is a class in page.css: s0, s1, … or ref
	ViewBox     string
	Elements    template.HTML
}

// newPlot draws curves over two axes. Faint ones are drawn first, and the best last, so that it lies on top: it comes first among the curves.
func newPlot(id, title string, x, y picture.Axis, curves []curve) *plot {
	p := &plot{ID: id, Title: title, curves: len(curves)}
	axis := func(a picture.Axis) func(int) picture.Axis { return func(int) picture.Axis { return a } }
	p.chart = &picture.Chart{
		Title: title, Width: plotWidth, PanelHeight: plotHeight, Letters: plotLetters, Dots: 2,
		Panels: []*picture.Panel{{X: axis(x), Y: axis(y), Draw: func(p *picture.Plot) {
			for k := range curves {
				if curves[k].style == faint {
					curves[k].draw(p)
				}
			}
			for k := len(curves) - 1; k >= 0; k-- {
				if curves[k].style != faint {
					curves[k].draw(p)
				}
			}
		}}},
	}
	for k := range curves {
		c := &curves[k]
		if c.style == faint {
			continue
		}
		p.chart.Key = append(p.chart.Key, picture.LineEntry(c.name, c.pen(), c.marker))
		sample := picture.Drawing{Width: 38, Height: 16, Draw: func(s *picture.Sheet) {
			s.Line(0, 8, s.Width, 8, c.pen())
			c.marker(s, s.Width/2, 8)
		}}
		e := entry{Name: c.name, Style: c.class()}
		e.ViewBox, e.Elements = elements(&sample)
		p.Legend = append(p.Legend, e)
	}
	onPage := *p.chart
	onPage.Bare, onPage.Key = true, nil
	p.ViewBox, p.Elements = elements(onPage.Drawing())
	return p
}

// elements is a drawing without images as a part of the page.
func elements(d *picture.Drawing) (string, template.HTML) {
	viewBox, text, _ := d.Elements() // only an image may fail
	return viewBox, template.HTML(text)
}

// class is the class of the curve in page.css.
func (c *curve) class() string {
	switch c.style {
	case faint:
		return "faint"
	case referenceStyle:
		return "ref"
	}
	return fmt.Sprint("s", c.style)
}

// pen draws the line of the curve.
func (c *curve) pen() picture.Pen {
	switch {
	case c.style == faint:
		return picture.Pen{Width: 1.1, Ink: picture.Faint}
	case c.style == referenceStyle:
		return picture.Pen{Width: 2.6, Ink: picture.Ink, Dash: []float64{1.6, 4}}
	case c.marks != nil:
		return picture.StyleOf(c.style).Solid(2)
	}
	return picture.StyleOf(c.style).Pen(2.3)
}

// marker draws the marker of the curve, where it has one.
func (c *curve) marker(s *picture.Sheet, x, y float64) {
	if c.style >= 0 {
		s.Marker(picture.StyleOf(c.style), x, y, 4)
	}
}

// draw draws the curve with five markers at places of the style's own, so that curves that lie on each other still show theirs side by side.
func (c *curve) draw(p *picture.Plot) {
	p.Group("curve "+c.class(), c.name, func() {
		if c.marks != nil {
			c.marks(p)
			return
		}
		n := len(c.points)
		if n == 0 {
			return
		}
		points := append(c.points[:n:n], picture.Point{X: p.XAxis.To, Y: c.points[n-1].Y})
		p.Stroke(p.Path(points, true), c.pen())
		const count = 5
		for k := range count {
			x := p.Area.X0 + (float64(k)+(float64(c.style)+0.5)/styles)*p.Area.Width()/count
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
