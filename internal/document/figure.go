package document

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
)

// Figure is a picture of lines with intervals over one axis.
type Figure struct {
	Title, Note string
	X, Y        string   // what the axes are
	Places      []string // names of the places 0, 1, … of the lying axis; nil: it has numbers
	Linear      bool     // the upright axis is linear and has 0, whatever the values
	Lines       []Line   // 8 at most are told apart by a style
}

// Line is a line through estimates.
type Line struct {
	Name   string
	Points []Estimate // by X
}

// Estimate is a value at a place of the axis, with its interval; infinite limits are not drawn.
type Estimate struct{ X, Value, Low, High float64 }

// At is a value without an interval.
func At(x, value float64) Estimate { return Estimate{x, value, math.Inf(-1), math.Inf(1)} }

// plot lays the figure out.
func (f *Figure) plot(id string) *Drawn {
	left, right, low, high := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, line := range f.Lines {
		for _, e := range line.Points {
			left, right = min(left, e.X), max(right, e.X)
			from, to := e.limits()
			low, high = min(low, from), max(high, to)
		}
	}
	if left > right {
		left, right, low, high = 0, 1, 0, 1
	}
	if margin := (right - left) / 40; margin > 0 {
		right += margin                                    // markers stay within the frame
		if left-margin > 0 && right-margin-left > left/2 { // the first interval stands clear of the axis
			left -= margin
		}
	}
	if len(f.Places) > 0 {
		left, right = -0.5, float64(len(f.Places))-0.5
	}
	if f.Linear {
		const room = 0.03 // of the height
		low, high = min(0, low), max(0, high)
		high += room * (high - low)
	}
	x, y, apart := picture.NewAxis(f.X, left, right, "", Ticks), picture.NewAxis(f.Y, low, high, "", Ticks), 0.0
	if len(f.Places) > 0 {
		x = placesAxis(f.X, f.Places)
	}
	if left == right { // a single place stands in the middle, with the lines beside each other
		around := max(1, math.Abs(left))
		x, apart = picture.NewAxis(f.X, left-around, right+around, "", Ticks), min(50, 0.8*Width/float64(len(f.Lines)))
		x.Ticks = []picture.Tick{{At: x.At(left), Label: strconv.FormatFloat(left, 'g', 6, 64)}}
	}
	const wide = 10 // from this ratio on what is small would lie on the axis
	if !f.Linear && low > 0 && high > wide*low {
		y = picture.NewLogAxis(f.Y, low, high, "", Ticks)
	}
	var names []string
	var curves []Curve
	for k, line := range f.Lines {
		names = append(names, line.Name)
		c := Curve{Name: Printable(line.Name), Style: k}
		if k >= picture.Styles {
			c.Style = Faint
		}
		c.marks = func(p *picture.Plot) { line.draw(p, &c, apart*(float64(k)-float64(len(f.Lines)-1)/2)) }
		curves = append(curves, c)
	}
	p := NewPlot(id, Printable(f.Title), x, y, curves)
	p.Note = Printable(f.Note)
	with := " with 95 % intervals"
	if len(f.Places) > 0 { // means of all jobs of a place
		with = ""
	}
	p.Description = Printable(fmt.Sprintf("%s over %s%s: %s.", f.Y, f.X, with, Listed(names)))
	return p
}

// placesAxis is an axis of places with names. As many names are shown as have room beside each other.
func placesAxis(caption string, names []string) picture.Axis {
	n := float64(len(names))
	a := picture.Axis{From: -0.5, To: n - 0.5, Caption: caption}
	const room = Width - 90 // without the labels of the upright axis
	widest := 0.0
	for _, name := range names {
		widest = max(widest, picture.Lettering{Size: Letters}.Room(name+"  "))
	}
	each := max(1, int(math.Ceil(n*widest/room)))
	for k, name := range names {
		t := picture.Tick{At: (float64(k) + 0.5) / n}
		if k%each == 0 {
			t.Label = Printable(name)
		}
		a.Ticks = append(a.Ticks, t)
	}
	return a
}

// limits are those of the interval that are finite, otherwise the estimate.
func (e *Estimate) limits() (low, high float64) {
	if math.IsInf(e.Low, 0) || math.IsInf(e.High, 0) {
		return e.Value, e.Value
	}
	return e.Low, e.High
}

// draw draws the line: straight from estimate to estimate, a bar for each interval and a marker for each estimate. All of it is shifted to the right.
func (line *Line) draw(p *picture.Plot, c *Curve, shift float64) {
	area := p.Area
	p.Area.X0, p.Area.X1 = area.X0+shift, area.X1+shift
	defer func() { p.Area = area }()
	points := kit.Each(line.Points, func(e Estimate) picture.Point { return picture.Point{X: e.X, Y: e.Value} })
	p.Stroke(p.Path(points, false), c.pen())
	for _, e := range line.Points {
		if low, high := e.limits(); low < high {
			errorBar(p, p.AtX(e.X), p.AtY(low), p.AtY(high), c.pen())
		}
	}
	for _, at := range points {
		c.marker(p.Sheet, p.AtX(at.X), p.AtY(at.Y))
	}
}

// Write writes the figure as a self-contained file that looks the same in every program. The legend is part of the picture.
func (f *Figure) Write(w io.Writer, format picture.Format) error {
	return f.plot("figure").Chart.Drawing().Write(w, format)
}
