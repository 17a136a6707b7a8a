package picture

import (
	"cmp"
	"iter"
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// Sizes that all pictures share.
const (
	Margin    = 20.0
	TitleSize = 17.0
	FactSize  = 12.5
	SmallSize = 11.0 // of labels
	Footer    = 48.0 // room for an axis below a plot: its labels and its caption
	TickSpace = 90.0 // from tick to tick at least, enough for the longest label

	captionDrop = 36.0 // how far below the plot the caption of its axis stands
	captionRoom = 20.0 // above a plot, for what its height means
	labelRoom   = 26.0 // below a plot without a caption
	valueSpace  = 40.0 // from tick to tick of an upright axis
	leastPlot   = 80.0
	tableRow    = FactSize + 6.5
)

// Chart is a picture of curves over axes: a panel, or several one above the other, below a title and a table, above a key.
type Chart struct {
	Title string
	Table []Row // what the curves are, where the key does not say it
	// Panels have the same width.
	Panels []*Panel
	Key    []KeyEntry
	Bare   bool // there are only panels, without room around them: a page has the rest
	// Letters is the size of labels; 0 stands for [SmallSize].
	Letters       float64
	Width, Height float64 // of the picture in pixels; a height of 0 gives every panel PanelHeight
	PanelHeight   float64
	Dots          int                     // see [Drawing]
	Hints         iter.Seq2[Rect, string] // see [Drawing]
}

// Panel is a plot with its axes.
type Panel struct {
	Title string
	Share float64 // its height beside that of a usual panel; 0: as high
	// X and Y make the axes with about as many ticks as there is room for.
	X, Y func(most int) Axis
	Draw func(*Plot) // draws the curves
}

// Row is a row of the table: how a curve looks and what is said of it in columns.
type Row struct {
	Style Style
	Cells []string
}

// Plot is a panel with its place on a sheet.
type Plot struct {
	*Sheet
	Area   Rect
	XAxis  Axis
	YAxis  Axis
	Panel  *Panel
	labels float64 // size
}

// Point is a point of a curve by the values of the axes.
type Point struct{ X, Y float64 }

// AtX is the place of a value on the sheet.
func (p *Plot) AtX(value float64) float64 { return p.Area.X0 + p.XAxis.At(value)*p.Area.Width() }

// AtY is the place of a value on the sheet.
func (p *Plot) AtY(value float64) float64 { return p.Area.Y1 - p.YAxis.At(value)*p.Area.Height() }

// Path is the line through points, to tenths of a pixel. A stepped line keeps the height of a point until the next.
func (p *Plot) Path(points []Point, stepped bool) Path {
	var path Path
	var x, y float64
	tenth := func(x float64) float64 { return math.Round(10*x) / 10 }
	for k, q := range points {
		toX, toY := tenth(p.AtX(q.X)), tenth(p.AtY(q.Y))
		switch {
		case k == 0:
			path.Move(p.Point(toX, toY))
		case stepped && toX != x && toY != y:
			path.Line(p.Point(toX, y))
			path.Line(p.Point(toX, toY))
		case toX != x || toY != y:
			path.Line(p.Point(toX, toY))
		}
		x, y = toX, toY
	}
	return path
}

// share is the height of the panel beside that of a usual one.
func (p *Panel) share() float64 { return cmp.Or(p.Share, 1) }

// scale is the size of the letters in those of a usual picture.
func (c *Chart) scale() float64 {
	if c.Letters == 0 {
		return 1
	}
	return c.Letters / SmallSize
}

// placed is a chart with everything in its place.
type placed struct {
	*Chart
	height float64
	rows   int     // of the table
	table  float64 // the top of the table
	plots  []*Plot
	key    []KeyPlace
	below  float64 // the top of the key
}

// Drawing places everything.
func (c *Chart) Drawing() *Drawing {
	p := c.place()
	return &Drawing{Title: c.Title, Width: c.Width, Height: p.height, Dots: c.Dots, Draw: p.draw, Hints: c.Hints}
}

// place decides where everything goes.
func (c *Chart) place() *placed {
	p, margin := &placed{Chart: c, height: c.Height, rows: len(c.Table)}, Margin
	n, f, shares := float64(len(c.Panels)), c.scale(), 0.0
	for _, panel := range c.Panels {
		shares += panel.share()
	}
	p.table = HeaderHeight(0)
	footer, captions := f*Footer, f*captionRoom
	if c.Bare {
		p.table, margin, footer = 4, 2, footer-f*6
	}
	free := c.Height - p.table - footer - n*captions - (n-1)*f*labelRoom // for the table, the plots and the key
	mostKey := math.MaxInt32
	if c.Height > 0 {
		mostKey = max(int(free/3/KeyRow), 1)
	}
	var keyRows int
	p.key, keyRows = PlaceKey(c.Key, margin, c.Width-margin, mostKey)
	key := 0.0
	if keyRows > 0 {
		key = float64(keyRows)*KeyRow + 4
	}
	plot := c.PanelHeight
	if c.Height == 0 {
		p.height = math.Round(p.table + footer + shares*plot + n*captions + (n-1)*f*labelRoom + float64(p.rows)*tableRow + key)
	} else {
		p.rows = min(p.rows, max(int((free-key-leastPlot)/tableRow), 1))
		plot = max((free-key-float64(p.rows)*tableRow)/shares, 1)
	}
	p.below = p.height - key
	gutter, y := 0.0, p.table+float64(p.rows)*tableRow
	for _, panel := range c.Panels {
		q := &Plot{Area: Rect{X1: math.Round(c.Width - margin), Y0: math.Round(y + captions)}, Panel: panel, labels: f * SmallSize}
		height := panel.share() * plot
		q.Area.Y1 = max(math.Round(y+captions+height), q.Area.Y0+1)
		q.YAxis = panel.Y(int(height / f / valueSpace))
		for _, t := range q.YAxis.Ticks {
			gutter = max(gutter, Lettering{Size: q.labels}.Width(t.Label))
		}
		p.plots = append(p.plots, q)
		y += captions + height + f*labelRoom
	}
	for _, q := range p.plots {
		q.Area.X0 = math.Ceil(margin + gutter + 10)
		q.XAxis = q.Panel.X(int(q.Area.Width() / f / TickSpace))
	}
	return p
}

// draw draws the chart.
func (p *placed) draw(s *Sheet) {
	if !p.Bare {
		s.FillRect(Rect{0, 0, s.Width, s.Height}, Paper)
		s.Header(p.Title, nil)
		p.drawTable(s)
	}
	for k, q := range p.plots {
		q.Sheet = s
		q.draw(k+1 == len(p.plots), !p.Bare)
	}
	s.Key(p.key, p.below)
}

// draw draws a panel. Only the last has the caption of the lying axis.
func (p *Plot) draw(isLast, hasMargin bool) {
	f, margin := p.labels/SmallSize, Margin
	if !hasMargin {
		margin = 2
	}
	p.Standing(&p.YAxis, p.Area, p.labels)
	if !isLast {
		p.XAxis.Caption = ""
	}
	p.Lying(&p.XAxis, p.Area, nil, p.labels)
	bold, caption := Lettering{Size: captionSize(p.labels), Bold: true, Ink: Ink}, Lettering{Size: captionSize(p.labels), Ink: Ink}
	x, y := margin, p.Area.Y0-11*f
	if title := bold.Fitted(p.Panel.Title, 0.7*(p.Width-2*margin)); title != "" {
		p.Text(x, y, bold, title)
		x += bold.Room(title) + 12
	}
	p.Text(x, y, caption, caption.brief(p.YAxis.Caption, p.Width-margin-x))
	p.Panel.Draw(p)
}

// HeaderHeight is the room that a title with lines of facts takes.
func HeaderHeight(facts int) float64 {
	return math.Round(Margin + TitleSize + 4 + float64(facts)*(FactSize+5) + 14)
}

// Header writes a title and lines of facts.
func (s *Sheet) Header(title string, facts []string) {
	letters := Lettering{Size: TitleSize, Bold: true, Ink: Ink}
	y := Margin + TitleSize*0.8
	s.Text(Margin, y, letters, letters.Fitted(title, s.Width-2*Margin))
	y += 4
	for _, line := range facts {
		y += FactSize + 5
		s.Text(Margin, y, Lettering{Size: FactSize, Ink: Quiet}, Printable(line))
	}
}

// Lying draws the axis below a plot, and the lines of its ticks over strips of the plot, or over all of it where there are none.
func (s *Sheet) Lying(a *Axis, plot Rect, strips []Rect, letters float64) {
	f := letters / SmallSize
	var lines, lesser Path
	y := plot.Y1
	label := Lettering{Size: letters, Ink: Quiet, Align: 0.5}
	for _, t := range a.Ticks {
		x := math.Round(plot.X0+t.At*plot.Width()) - 0.5
		if t.Label == "" {
			s.Segment(&lesser, x, plot.Y0, x, y)
			continue
		}
		if len(strips) == 0 {
			s.Segment(&lines, x, plot.Y0, x, y)
		}
		for _, strip := range strips {
			s.Segment(&lines, x, strip.Y0, x, strip.Y1)
		}
		s.Segment(&lines, x, y, x, y+5)
		half := label.Width(t.Label) / 2
		s.Text(min(max(x, half+2), s.Width-half-2), y+17*f, label, t.Label)
	}
	s.Stroke(lesser, Pen{Width: 1, Ink: LesserLine})
	s.Stroke(lines, Pen{Width: 1, Ink: GridLine})
	s.Line(plot.X0, y+0.5, plot.X1, y+0.5, Pen{Width: 1, Ink: Quiet})
	if a.Caption != "" {
		caption := Lettering{Size: captionSize(letters), Ink: Ink}
		s.Text(plot.X0, y+captionDrop*f, caption, caption.brief(Printable(a.Caption), s.Width-plot.X0-2))
	}
}

// captionSize is the size of the captions beside labels.
func captionSize(labels float64) float64 { return max(labels, SmallSize+1) }

// Standing draws the lines of the ticks of an upright axis across a plot, and their labels.
func (s *Sheet) Standing(a *Axis, plot Rect, letters float64) {
	var lines, lesser Path
	label := Lettering{Size: letters, Ink: Quiet, Align: 1}
	for _, t := range a.Ticks {
		y := math.Round(plot.Y1-t.At*plot.Height()) + 0.5
		if t.Label == "" {
			s.Segment(&lesser, plot.X0, y, plot.X1, y)
			continue
		}
		s.Segment(&lines, plot.X0, y, plot.X1, y)
		s.Text(plot.X0-8, y+letters*0.34, label, t.Label)
	}
	s.Stroke(lesser, Pen{Width: 1, Ink: LesserLine})
	s.Stroke(lines, Pen{Width: 1, Ink: GridLine})
}

// brief is a caption that is no wider than the room: without its last part in brackets, then without its last words.
func (l Lettering) brief(caption string, room float64) string {
	fits := func(text string) bool { return l.Width(text) <= room }
	if fits(caption) {
		return caption
	}
	if open := strings.LastIndex(caption, " ("); open > 0 {
		caption = caption[:open]
	}
	for short := caption; !fits(caption); caption = short + " …" {
		last := strings.LastIndex(short, " ")
		if last <= 0 {
			return l.Fitted(caption, room)
		}
		short = short[:last]
	}
	return caption
}

// drawTable writes a row for each curve: a sample of it and the cells in columns. Columns that have no room are left out.
func (p *placed) drawTable(s *Sheet) {
	const apart, sample = 22.0, 34.0
	shown := p.Table[:p.rows]
	baseline := func(k int) float64 { return p.table - 15 + float64(k+1)*tableRow }
	if p.rows < len(p.Table) {
		shown = p.Table[:p.rows-1]
		s.Text(Margin, baseline(p.rows-1), Lettering{Size: FactSize, Ink: Quiet}, "and "+numtext.CountedGrouped(len(p.Table)-len(shown), "more run"))
	}
	for k, row := range shown {
		y := math.Round(baseline(k) - FactSize*0.34)
		s.Line(Margin, y, Margin+sample, y, row.Style.Solid(2))
		s.Marker(row.Style, Margin+sample/2, y, 4.5)
	}
	x := Margin + sample + 10
	for column := 0; ; column++ {
		letters, widest, has := Lettering{Size: FactSize, Ink: Quiet}, 0.0, false
		if column == 0 {
			letters.Ink = Ink
		}
		for _, row := range shown {
			if column < len(row.Cells) {
				has = true
				widest = max(widest, letters.Width(row.Cells[column]))
			}
		}
		if !has || column > 0 && x+widest > s.Width-Margin {
			return
		}
		if widest == 0 {
			continue
		}
		for k, row := range shown {
			if column < len(row.Cells) {
				s.Text(x, baseline(k), letters, row.Cells[column])
			}
		}
		x = math.Ceil(x + widest + apart)
	}
}
