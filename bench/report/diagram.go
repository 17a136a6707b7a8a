package report

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

// diagram is a critical-difference diagram: an axis of mean ranks, a label a solver, and bars over solvers that were not shown to differ (Demšar 2006,
// figure 1). Places are in pixels of its own.
type diagram struct {
	document.Drawn
	outcome *outcome
	height  float64
	labels  []rankLabel
	bars    []bar
}

// rankLabel is a solver in a diagram.
type rankLabel struct {
	name, full, rank string
	at               float64 // of the rank on the axis
	y                float64
	isRight          bool
}

// bar joins solvers that were not shown to differ. Where it passes over one that does not belong to it, dots mark those that do.
type bar struct {
	from, to, y float64
	dots        []float64
}

// Sizes in a diagram.
const (
	diagramWidth = 900.0
	diagramLeft  = 280.0 // where the axis begins, with room for the labels on either side
	diagramRight = diagramWidth - diagramLeft
	diagramAxis  = 69.0
	barGap       = 12.0
	labelGap     = 27.0
	mostLetters  = 20
)

// at is the place of a rank on the axis.
func (d *diagram) at(rank float64) float64 {
	return diagramLeft + (rank-1)/float64(len(d.outcome.solvers)-1)*(diagramRight-diagramLeft)
}

// newDiagram lays out the diagram of an outcome. It is nil for fewer than three ranked solvers, where the
// pair shows everything.
func newDiagram(id string, o *outcome) *diagram {
	k := 0
	if o != nil {
		k = len(o.solvers)
	}
	if k < 3 || o.ranks == nil {
		return nil
	}
	d := &diagram{Drawn: document.Drawn{Class: "diagram", ID: id, Title: "Critical-difference diagram"}, outcome: o}
	levels := d.addBars(o)
	d.addLabels(o, diagramAxis+13+float64(levels)*barGap)
	d.Description = "Mean ranks, 1 is the best: "
	for i, s := range o.order() {
		if i > 0 {
			d.Description += ", "
		}
		d.Description += fmt.Sprintf("%s %s", o.solvers[s], document.Rounded(o.mean[s], 3))
	}
	d.Note = d.note(o)
	d.ViewBox, d.Elements = document.Elements(d.drawing(false))
	return d
}

// note says what the bars are, by the test that decides.
func (d *diagram) note(o *outcome) string {
	note := "Mean ranks over " + numtext.CountedGrouped(len(o.cases), "instance") + "; 1 is the best. "
	switch {
	case o.decision == tooFew:
		return note + "One bar joins all: there are too few instances to tell solvers apart."
	case o.decision == noDifference:
		return note + "One bar joins all: Friedman’s test shows no difference among them."
	case o.alike == nil && len(o.pairs) > 0 && !o.allDiffer():
		return note + "There are too many sets of solvers without a difference for bars: the table of pairs has all."
	}
	note += "A bar joins solvers no two of which are shown to differ (" + o.test() + ", α = 5 %)."
	if slices.ContainsFunc(d.bars, func(b bar) bool { return b.dots != nil }) {
		note += " Where a bar has dots, it joins only those under which there is one."
	}
	return note
}

// allDiffer says that every two solvers are shown to differ.
func (o *outcome) allDiffer() bool {
	for a := range o.solvers {
		for b := range a {
			if !o.differ(a, b) {
				return false
			}
		}
	}
	return true
}

// addBars places a bar for each set of solvers that the test does not tell apart, each on the first free level, and returns the number of
// levels.
func (d *diagram) addBars(o *outcome) int {
	var ends []float64 // of the last bar of each level
	order := o.order()
	for _, clique := range o.alike {
		from, to := d.at(o.mean[clique[0]])-5, d.at(o.mean[clique[len(clique)-1]])+5
		level := 0
		for level < len(ends) && ends[level] > from-8 {
			level++
		}
		if level == len(ends) {
			ends = append(ends, 0)
		}
		ends[level] = to
		b := bar{from: from, to: to, y: diagramAxis + 15 + float64(level)*barGap}
		first, last := slices.Index(order, clique[0]), slices.Index(order, clique[len(clique)-1])
		if last-first+1 > len(clique) {
			for _, s := range clique {
				b.dots = append(b.dots, d.at(o.mean[s]))
			}
		}
		d.bars = append(d.bars, b)
	}
	return len(ends)
}

// addLabels puts the better half on the left, the best on top, and the others on the right, the worst on top, so that no lines cross.
func (d *diagram) addLabels(o *outcome, top float64) {
	order := o.order()
	half := (len(order) + 1) / 2
	for i, s := range order {
		full := document.Printable(o.solvers[s])
		l := rankLabel{name: clip(full, mostLetters), full: full, rank: strconv.FormatFloat(o.mean[s], 'f', 2, 64), at: d.at(o.mean[s]), isRight: i >= half}
		level := i
		if l.isRight {
			level = len(order) - 1 - i
		}
		l.y = top + labelGap*(float64(level)+0.8)
		d.labels = append(d.labels, l)
	}
	d.height = top + labelGap*(float64(half)+0.6)
}

// drawing is the diagram for the page, or with its title and a margin for a file.
func (d *diagram) drawing(isFile bool) *picture.Drawing {
	drawing := &picture.Drawing{Title: d.Title, Width: diagramWidth, Height: d.height, Dots: 2, Draw: d.draw}
	if isFile {
		header := picture.HeaderHeight(0)
		drawing.Height += header
		drawing.Draw = func(s *picture.Sheet) {
			s.FillRect(picture.Box(0, 0, s.Width, s.Height), picture.Paper)
			s.Header(d.Title, nil)
			d.draw(s.Below(header))
		}
	}
	return drawing
}

// draw draws the diagram.
func (d *diagram) draw(s *picture.Sheet) {
	const drop = 5 // of the baseline below the middle of a letter
	k, o := len(d.outcome.solvers), d.outcome
	letters, quiet := picture.Lettering{Size: document.Letters, Ink: picture.Ink}, picture.Lettering{Size: document.Letters, Ink: picture.Quiet}
	line := picture.Pen{Width: 1.2, Ink: picture.Quiet}
	s.Line(diagramLeft, diagramAxis, diagramRight, diagramAxis, line)
	each := max(1, (k+8)/9) // at most ten labels
	for rank := 1; rank <= k; rank++ {
		x, length := d.at(float64(rank)), 5.0
		if (rank-1)%each == 0 {
			length = 8
			centred := quiet
			centred.Align = 0.5
			s.Text(x, diagramAxis-13, centred, strconv.Itoa(rank))
		}
		s.Line(x, diagramAxis, x, diagramAxis-length, line)
	}
	if o.decision == byMeanRanks {
		from, to, pen := d.at(1), d.at(1+o.critical), picture.Pen{Width: 1.2, Ink: picture.Ink}
		s.Line(from, 18, to, 18, pen)
		s.Line(from, 13, from, 23, pen)
		s.Line(to, 13, to, 23, pen)
		s.Text(to+10, 18+drop, letters, "critical difference "+document.Rounded(o.critical, 3))
	}
	for _, l := range d.labels {
		s.Group("rank", l.full, func() {
			end, x := diagramLeft-35, diagramLeft-42-letters.Room(l.name+" ")-letters.Room(l.rank)
			name, rank := x, x+letters.Room(l.name+" ")
			if l.isRight {
				end, rank = diagramRight+35, diagramRight+42
				name = rank + letters.Room(l.rank+" ")
			}
			s.Line(l.at, diagramAxis, l.at, l.y, line)
			s.Line(l.at, l.y, end, l.y, line)
			s.Text(name, l.y+drop, letters, l.name)
			s.Text(rank, l.y+drop, quiet, l.rank)
		})
	}
	ink := picture.StyleOf(1)
	for _, b := range d.bars {
		width := 5.0
		if b.dots != nil {
			width = 2
		}
		s.Line(b.from, b.y, b.to, b.y, ink.Solid(width))
		for _, x := range b.dots {
			s.Dot(x, b.y, 4.5, ink.Ink())
		}
	}
}

// clip shortens a text to the given number of letters. Wide ones, such as Chinese, count twice.
func clip(text string, most int) string {
	const firstWide = 0x1100 // Hangul, after which the scripts with wide letters come
	width, keep := 0, 0
	for at, r := range text {
		if width++; r >= firstWide {
			width++
		}
		if width <= most-1 {
			keep = at + utf8.RuneLen(r)
		}
	}
	if width <= most {
		return text
	}
	return text[:keep] + "…"
}
