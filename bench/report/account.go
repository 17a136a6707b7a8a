package report

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
)

// Account is a page of text, tables and figures that another package puts together, in the same frame as a report of runs. The page is
// self-contained, and the same account gives the same bytes. All its texts are escaped.
type Account struct {
	Kicker, Title, Doc string
	Facts              []Fact
	Short              string   // the result in a sentence or two
	Details            []string // further sentences of the result
	Notes              []string // what a reader must know first, before the result
	Parts              []Part
	Method             []string // how the figures came to be
	By                 string   // what drew it, for the last line
	Last               string   // the rest of the last line; empty: that the page is made of rows
}

// Fact is a line of a page's head.
type Fact struct{ Name, Value string }

// Part is a section of an account.
type Part struct {
	Name    string
	Text    string
	Lines   []string // a list below the text
	Command string   // a command line below that
	Forests []Forest // two beside each other where there is room, as the figures
	Grid    *Grid    // nil: none
	Figures []Figure
	Folded  bool // the figures are behind a line that opens them
}

// Grid is a table that sorts.
type Grid struct {
	Caption string
	Columns []Column
	Rows    [][]Cell
}

// Column is the head of a column.
type Column struct {
	Name, Help string
	IsText     bool   // sorts as text and stands left
	First      string // the direction of the first click, descending where more is better
}

// Cell is a place in a grid.
type Cell struct {
	Text          string
	Value         *float64 // to sort by in place of the text
	IsGood, IsBad bool
}

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
type Estimate struct {
	X     float64
	Value statistics.Interval
}

// accountPage is an account as the template shows it.
type accountPage struct {
	*Account
	Policy   string
	Style    template.CSS
	Script   template.JS
	Sections []accountPart
}

// accountPart is a part as the template shows it.
type accountPart struct {
	Part
	ID    string
	Table *table
	Woods []*forest
	Plots []*plot
}

// WriteAccount writes the page. O(size of the account).
func WriteAccount(w io.Writer, a *Account) error {
	script := asset("page.js")
	p := &accountPage{Account: a, Script: template.JS(script), Style: style(), Policy: policy(script)}
	for k, part := range a.Parts {
		s := accountPart{Part: part, ID: "p" + strconv.Itoa(k+1)}
		if part.Grid != nil {
			s.Table = part.Grid.table(s.ID + "-table")
		}
		s.Woods = allPlaced(part.Forests, s.ID)
		for n := range part.Figures {
			s.Plots = append(s.Plots, part.Figures[n].plot(fmt.Sprintf("%s-f%d", s.ID, n+1)))
		}
		p.Sections = append(p.Sections, s)
	}
	return execute(w, p, "account.tmpl", "page.tmpl")
}

// table is the grid as the template shows it.
func (g *Grid) table(id string) *table {
	t := &table{ID: id, Caption: printable(g.Caption), Columns: g.Columns}
	for _, row := range g.Rows {
		var cells []cell
		for _, c := range row {
			shown := text(c.Text)
			if c.Value != nil {
				shown = number(*c.Value, printable(c.Text))
			}
			shown.IsBest, shown.IsBad = c.IsGood, c.IsBad
			cells = append(cells, shown)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// plot lays the figure out.
func (f *Figure) plot(id string) *plot {
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
	x, y, apart := picture.NewAxis(f.X, left, right, "", ticks), picture.NewAxis(f.Y, low, high, "", ticks), 0.0
	if len(f.Places) > 0 {
		x = placesAxis(f.X, f.Places)
	}
	if left == right { // a single place stands in the middle, with the lines beside each other
		around := max(1, math.Abs(left))
		x, apart = picture.NewAxis(f.X, left-around, right+around, "", ticks), min(50, 0.8*plotWidth/float64(len(f.Lines)))
		x.Ticks = []picture.Tick{{At: x.At(left), Label: strconv.FormatFloat(left, 'g', 6, 64)}}
	}
	const wide = 10 // from this ratio on what is small would lie on the axis
	if !f.Linear && low > 0 && high > wide*low {
		y = picture.NewLogAxis(f.Y, low, high, "", ticks)
	}
	var names []string
	var curves []curve
	for k, line := range f.Lines {
		names = append(names, line.Name)
		c := curve{name: printable(line.Name), style: k}
		if k >= styles {
			c.style = faint
		}
		c.marks = func(p *picture.Plot) { line.draw(p, &c, apart*(float64(k)-float64(len(f.Lines)-1)/2)) }
		curves = append(curves, c)
	}
	p := newPlot(id, printable(f.Title), x, y, curves)
	p.Note = printable(f.Note)
	with := " with 95 % intervals"
	if len(f.Places) > 0 { // means of all jobs of a place
		with = ""
	}
	p.Description = printable(fmt.Sprintf("%s over %s%s: %s.", f.Y, f.X, with, listed(names)))
	return p
}

// placesAxis is an axis of places with names. As many names are shown as have room beside each other.
func placesAxis(caption string, names []string) picture.Axis {
	n := float64(len(names))
	a := picture.Axis{From: -0.5, To: n - 0.5, Caption: caption}
	const room = plotWidth - 90 // without the labels of the upright axis
	widest := 0.0
	for _, name := range names {
		widest = max(widest, picture.Lettering{Size: plotLetters}.Room(name+"  "))
	}
	each := max(1, int(math.Ceil(n*widest/room)))
	for k, name := range names {
		t := picture.Tick{At: (float64(k) + 0.5) / n}
		if k%each == 0 {
			t.Label = printable(name)
		}
		a.Ticks = append(a.Ticks, t)
	}
	return a
}

// limits are those of the interval that are finite, otherwise the estimate.
func (e *Estimate) limits() (low, high float64) {
	if math.IsInf(e.Value.Low, 0) || math.IsInf(e.Value.High, 0) {
		return e.Value.Estimate, e.Value.Estimate
	}
	return e.Value.Low, e.Value.High
}

// draw draws the line: straight from estimate to estimate, a bar for each interval and a marker for each estimate. All of it is shifted to the right.
func (line *Line) draw(p *picture.Plot, c *curve, shift float64) {
	area := p.Area
	p.Area.X0, p.Area.X1 = area.X0+shift, area.X1+shift
	defer func() { p.Area = area }()
	points := kit.Each(line.Points, func(e Estimate) picture.Point { return picture.Point{X: e.X, Y: e.Value.Estimate} })
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

// WriteFigure writes the figure as a self-contained file that looks the same in every program. The legend is part of the picture.
func WriteFigure(w io.Writer, f *Figure, format picture.Format) error {
	return f.plot("figure").chart.Drawing().Write(w, format)
}
