package report

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/allot-opt/allot/internal/numtext"
)

// diagram is a critical-difference diagram, laid out for its SVG: an axis of mean ranks, a label a solver, and bars over solvers that
// were not shown to differ (Demšar 2006, figure 1).
type diagram struct {
	ID, Title, Description, Note string
	Width, Height                float64
	Axis                         float64 // its line
	Left, Right                  float64
	Ticks                        []mark
	CriticalFrom, CriticalTo     float64 // of the bar that shows the critical difference
	Critical                     string
	Labels                       []rankLabel
	Bars                         []bar
}

// rankLabel is a solver in a diagram.
type rankLabel struct {
	Name, Full string
	Rank       string
	X, Y       float64 // of the text
	IsRight    bool
	Path       string // from the axis to the text
}

// bar joins solvers that were not shown to differ. Where it passes over one that does not belong to it, dots mark those that do.
type bar struct {
	From, To, Y float64
	Dots        []float64
}

// Sizes in a diagram.
const (
	diagramWidth  = 680.0
	diagramMargin = 212.0 // room for the labels on either side
	diagramAxis   = 52.0
	barGap        = 9.0
	labelGap      = 20.0
	mostLetters   = 20
)

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
	d := &diagram{
		ID: id, Title: "Critical-difference diagram", Width: diagramWidth, Axis: diagramAxis, Left: diagramMargin, Right: diagramWidth - diagramMargin,
	}
	at := func(rank float64) float64 { return tenth(d.Left + (rank-1)/float64(k-1)*(d.Right-d.Left)) }
	each := max(1, (k+8)/9) // at most ten labels
	for rank := 1; rank <= k; rank++ {
		m := mark{At: at(float64(rank))}
		if (rank-1)%each == 0 {
			m.Label = strconv.Itoa(rank)
		}
		d.Ticks = append(d.Ticks, m)
	}
	if o.decision == byMeanRanks {
		d.Critical = "critical difference " + figure(o.critical, 3)
		d.CriticalFrom, d.CriticalTo = at(1), at(1+o.critical)
	}
	levels := d.addBars(o, at)
	d.addLabels(o, at, diagramAxis+10+float64(levels)*barGap)
	d.Description = "Mean ranks, 1 is the best: "
	for i, s := range o.order() {
		if i > 0 {
			d.Description += ", "
		}
		d.Description += fmt.Sprintf("%s %s", o.solvers[s], figure(o.mean[s], 3))
	}
	d.Note = d.note(o)
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
	if slices.ContainsFunc(d.Bars, func(b bar) bool { return b.Dots != nil }) {
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
func (d *diagram) addBars(o *outcome, at func(float64) float64) int {
	var ends []float64 // of the last bar of each level
	order := o.order()
	for _, clique := range o.alike {
		from, to := at(o.mean[clique[0]])-4, at(o.mean[clique[len(clique)-1]])+4
		level := 0
		for level < len(ends) && ends[level] > from-6 {
			level++
		}
		if level == len(ends) {
			ends = append(ends, 0)
		}
		ends[level] = to
		b := bar{From: tenth(from), To: tenth(to), Y: diagramAxis + 11 + float64(level)*barGap}
		first, last := slices.Index(order, clique[0]), slices.Index(order, clique[len(clique)-1])
		if last-first+1 > len(clique) {
			for _, s := range clique {
				b.Dots = append(b.Dots, at(o.mean[s]))
			}
		}
		d.Bars = append(d.Bars, b)
	}
	return len(ends)
}

// addLabels puts the better half on the left, the best on top, and the others on the right, the worst on top, so that no lines cross.
func (d *diagram) addLabels(o *outcome, at func(float64) float64, top float64) {
	order := o.order()
	half := (len(order) + 1) / 2
	for i, s := range order {
		x := at(o.mean[s])
		l := rankLabel{Name: clip(printable(o.solvers[s]), mostLetters), Full: printable(o.solvers[s]), Rank: strconv.FormatFloat(o.mean[s], 'f', 2, 64)}
		level := i
		l.X = d.Left - 26
		if l.IsRight = i >= half; l.IsRight {
			level = len(order) - 1 - i
			l.X = d.Right + 26
		}
		l.Y = top + labelGap*(float64(level)+0.8)
		l.Path = fmt.Sprintf("M%v %vV%vH%v", x, d.Axis, l.Y, l.X)
		d.Labels = append(d.Labels, l)
	}
	d.Height = top + labelGap*(float64(half)+0.6)
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

// TickLabel is the line of the labels of the axis.
func (d *diagram) TickLabel() float64 { return d.Axis - 10 }

// CriticalText is the position at which the text beside the bar of the critical difference begins.
func (d *diagram) CriticalText() float64 { return d.CriticalTo + 8 }

// TextX is where a label's text begins or ends.
func (l rankLabel) TextX() float64 {
	if l.IsRight {
		return l.X + 5
	}
	return l.X - 5
}
