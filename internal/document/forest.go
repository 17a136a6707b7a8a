package document

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

// Forest is a forest plot: ratios with their intervals, one below the other, on a logarithmic axis with a line at 1 (S. Lewis, M. Clarke (2001), Forest plots: trying to
// see the wood and the trees, doi:10.1136/bmj.322.7300.1479).
type Forest struct {
	Title, Note string
	Axis        string // what the ratio is
	Less, More  string // what it means that a ratio is shown to lie below 1, and above
	Blocks      []ForestBlock
}

// ForestBlock is rows under a heading.
type ForestBlock struct {
	Name string // empty: no heading
	Rows []ForestRow
}

// ForestRow is a ratio; NaN: it does not exist. Without an interval Low and High are NaN.
type ForestRow struct {
	Name             string
	Ratio, Low, High float64
	Shown            bool // it is shown to differ from 1
}

// Sizes in a forest plot, whose width is that of other plots.
const (
	forestRow    = 22.0
	forestHead   = 26.0
	forestLabels = 172.0 // room for names on the left
	forestBelow  = 46.0  // for the axis
	forestTop    = 8.0

	// Ratios and ends of intervals that lie further beyond 1 do not widen the axis; they end in an arrow.
	widestRatio    = 1000.0
	widestInterval = 50.0
)

// hasInterval says whether the row has one.
func (r *ForestRow) hasInterval() bool { return !math.IsNaN(r.Low) && !math.IsNaN(r.High) }

// farApart is the ratio of the ends of an axis from which on plots beside each other have an axis each.
const farApart = 30

// reach is from where to where the axis goes that plots beside each other share: it shows 1, all ratios and all intervals, as far as the widest.
func reach(forests []Forest) (low, high float64) {
	low, high = 1, 1
	for _, f := range forests {
		for _, b := range f.Blocks {
			for _, r := range b.Rows {
				for _, x := range []struct{ value, most float64 }{{r.Ratio, widestRatio}, {r.Low, widestInterval}, {r.High, widestInterval}} {
					if x.value > 0 && !math.IsInf(x.value, 0) { // false for NaN
						low, high = min(low, max(x.value, 1/x.most)), max(high, min(x.value, x.most))
					}
				}
			}
		}
	}
	const least = 1.02
	return min(low, 1/least), max(high, least)
}

// allPlaced lays plots out beside each other.
func allPlaced(forests []Forest, id string) (list []*Drawn) {
	for k := range forests {
		low, high := reach(forests)
		if high/low > farApart {
			low, high = reach(forests[k : k+1])
		}
		list = append(list, forests[k].placed(fmt.Sprintf("%s-r%d", id, k+1), low, high))
	}
	return list
}

// axis goes from one ratio to another, with some room at its ends.
func (f *Forest) axis(low, high float64) picture.Axis {
	const margin = 0.04
	room := math.Pow(high/low, margin)
	a := picture.NewLogAxis(f.Axis, low, high, "", 2)
	a.From, a.To, a.Caption = low/room, high*room, f.Axis+" (logarithmic)"
	a.Ticks = nil
	for _, x := range ratioTicks(low, high) {
		a.Ticks = append(a.Ticks, picture.Tick{At: a.At(x), Label: numtext.Significant(x, 4)})
	}
	return a
}

// ratioTicks are at most six or so round ratios between two that hold 1: in equal steps where these are near each other, else round digits times powers of ten.
func ratioTicks(low, high float64) []float64 {
	const near, most = 2.5, 6.0
	if high/low <= near {
		mantissa, exponent := picture.NiceStep((high - low) / most)
		var list []float64
		for n := -20; n <= 20; n++ {
			x := 1 + float64(n)*mantissa*math.Pow10(exponent)
			if x >= low && x <= high {
				list = append(list, x)
			}
		}
		return list
	}
	var list []float64
	for _, digits := range [][]float64{{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		list = nil
		for power := -3; power <= 3; power++ {
			for _, digit := range digits {
				x, _ := strconv.ParseFloat(fmt.Sprintf("%ge%d", digit, power), 64) // exactly what its label says
				if x >= low && x <= high {
					list = append(list, x)
				}
			}
		}
		if float64(len(list)) <= most {
			break
		}
	}
	return list
}

// height is the height of the rows.
func (f *Forest) height() float64 {
	height := 0.0
	for _, b := range f.Blocks {
		if b.Name != "" {
			height += forestHead
		}
		height += float64(len(b.Rows)) * forestRow
	}
	return height
}

// look is how a row is drawn: by what is shown of it.
func (r *ForestRow) look() (style int, ink color.Color) {
	switch {
	case r.Shown && r.Ratio > 1:
		return 1, picture.StyleOf(1).Ink()
	case r.Shown:
		return 0, picture.StyleOf(0).Ink()
	}
	return Faint, picture.Quiet
}

// draw draws the plot, whose axis goes from one ratio to another.
func (f *Forest) draw(s *picture.Sheet, from, to float64) {
	a := f.axis(from, to)
	area := picture.Box(forestLabels, forestTop, s.Width-6, forestTop+f.height())
	s.Lying(&a, area, nil, Letters-1)
	at := func(x float64) float64 { return area.X0 + a.At(x)*area.Width() }
	s.Line(at(1), area.Y0, at(1), area.Y1, picture.Pen{Width: 1.4, Ink: picture.Ink})
	y := area.Y0
	for _, b := range f.Blocks {
		if b.Name != "" {
			heading := picture.Lettering{Size: Letters - 1, Bold: true, Ink: picture.Ink}
			s.Text(0, y+forestHead-8, heading, heading.Fitted(Printable(b.Name), forestLabels-8))
			y += forestHead
		}
		for k := range b.Rows {
			b.Rows[k].draw(s, &a, area, y+forestRow/2)
			y += forestRow
		}
	}
}

// draw draws a row around a height.
func (r *ForestRow) draw(s *picture.Sheet, a *picture.Axis, area picture.Rect, y float64) {
	const drop, radius = 5, 4.6
	name := Printable(r.Name)
	s.Group("row", name+": "+r.words(), func() {
		label := picture.Lettering{Size: Letters, Ink: picture.Ink}
		s.Text(8, y+drop, label, label.Fitted(name, forestLabels-18))
		style, ink := r.look()
		pen := picture.Pen{Width: 2, Ink: ink}
		if math.IsNaN(r.Ratio) {
			s.Text(area.X0+a.At(1)*area.Width()+8, y+drop, picture.Lettering{Size: Letters - 1, Ink: picture.Quiet}, "no ratio")
			return
		}
		at := func(x float64) float64 { return area.X0 + a.At(x)*area.Width() }
		if r.hasInterval() {
			low, high := at(r.Low), at(r.High)
			s.Line(low, y, high, y, pen)
			for _, end := range []struct {
				x, towards float64
				beyond     bool
			}{{low, -1, r.Low < a.From}, {high, 1, r.High > a.To}} {
				if end.beyond {
					arrow(s, end.x, y, end.towards, pen)
				} else {
					s.Line(end.x, y-3.5, end.x, y+3.5, pen)
				}
			}
		}
		x := at(r.Ratio)
		switch {
		case r.Ratio < a.From:
			arrow(s, x, y, -1, pen)
		case r.Ratio > a.To:
			arrow(s, x, y, 1, pen)
		case style != Faint:
			s.Marker(picture.StyleOf(style), x, y, radius)
		case r.hasInterval():
			s.Dot(x, y, radius-0.6, picture.Quiet)
		default: // nothing is known of how sure it is
			s.Dot(x, y, radius, picture.Quiet)
			s.Dot(x, y, radius-1.6, picture.Paper)
		}
	})
}

// arrow points to what lies beyond the end of the axis.
func arrow(s *picture.Sheet, x, y, towards float64, pen picture.Pen) {
	s.Line(x, y, x-6*towards, y-4.5, pen)
	s.Line(x, y, x-6*towards, y+4.5, pen)
}

// words are the row in figures.
func (r *ForestRow) words() string {
	switch {
	case math.IsNaN(r.Ratio):
		return "no ratio"
	case r.hasInterval():
		return fmt.Sprintf("%s [%s, %s]", Rounded(r.Ratio, 3), Rounded(r.Low, 3), Rounded(r.High, 3))
	}
	return Rounded(r.Ratio, 3) + ", without an interval"
}

// placed lays the plot out for the page, with an axis from one ratio to another.
func (f *Forest) placed(id string, from, to float64) *Drawn {
	p := &Drawn{Class: "forest", ID: id, Title: Printable(f.Title), Note: Printable(f.Note)}
	var rows []string
	for _, b := range f.Blocks {
		for k := range b.Rows {
			rows = append(rows, b.Rows[k].Name+" "+b.Rows[k].words())
		}
	}
	p.Description = Printable(f.Axis + ", with intervals: " + strings.Join(rows, "; ") + ".")
	p.ViewBox, p.Elements = Elements(&picture.Drawing{Width: Width, Height: forestTop + f.height() + forestBelow, Dots: 2, Draw: func(s *picture.Sheet) { f.draw(s, from, to) }})
	for _, e := range []struct {
		name string
		row  ForestRow
	}{{f.Less, ForestRow{Ratio: 0.5, Shown: true}}, {f.More, ForestRow{Ratio: 2, Shown: true}}, {"no difference is shown", ForestRow{Ratio: 1}}, {"no interval", ForestRow{Ratio: 1, Low: math.NaN(), High: math.NaN()}}} {
		sample := picture.Drawing{Width: 38, Height: 16, Draw: func(s *picture.Sheet) {
			style, ink := e.row.look()
			if e.row.hasInterval() {
				s.Line(0, 8, s.Width, 8, picture.Pen{Width: 2, Ink: ink})
			}
			switch {
			case style != Faint:
				s.Marker(picture.StyleOf(style), s.Width/2, 8, 4.6)
			default:
				s.Dot(s.Width/2, 8, 4.6, ink)
				if !e.row.hasInterval() {
					s.Dot(s.Width/2, 8, 3, picture.Paper)
				}
			}
		}}
		item := Entry{Name: Printable(e.name)}
		item.ViewBox, item.Elements = Elements(&sample)
		p.Legend = append(p.Legend, item)
	}
	return p
}

// Drawing is the plot as a file, with its title.
func (f *Forest) Drawing() *picture.Drawing {
	header := picture.HeaderHeight(0)
	from, to := reach([]Forest{*f})
	return &picture.Drawing{Title: f.Title, Width: Width, Height: header + forestTop + f.height() + forestBelow, Dots: 2, Draw: func(s *picture.Sheet) {
		s.FillRect(picture.Box(0, 0, s.Width, s.Height), picture.Paper)
		s.Header(f.Title, nil)
		f.draw(s.Below(header), from, to)
	}}
}

// Drawn lays the plot out for the page.
func (f *Forest) Drawn(id string) *Drawn {
	from, to := reach([]Forest{*f})
	return f.placed(id, from, to)
}
