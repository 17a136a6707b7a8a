package report

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
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

// bar joins solvers that were not shown to differ.
type bar struct{ From, To, Y float64 }

// Sizes in a diagram.
const (
	diagramWidth  = 680.0
	diagramMargin = 212.0 // room for the labels on either side
	diagramAxis   = 52.0
	barGap        = 9.0
	labelGap      = 20.0
	mostLetters   = 20
)

// newDiagram lays an outcome out; nil where there are not three ranked solvers, for which a pair says all.
func newDiagram(id string, o *outcome) *diagram {
	k := 0
	if o != nil {
		k = len(o.solvers)
	}
	if k < 3 || o.ranks == nil || math.IsNaN(o.critical) {
		return nil
	}
	d := &diagram{
		ID: id, Title: "Critical-difference diagram", Width: diagramWidth, Axis: diagramAxis, Left: diagramMargin, Right: diagramWidth - diagramMargin,
		Critical: "critical difference " + figure(o.critical, 3),
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
	d.CriticalFrom, d.CriticalTo = at(1), at(min(1+o.critical, float64(k)))
	if 1+o.critical > float64(k) {
		d.Critical += ", more than the ranks span"
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
	d.Note = fmt.Sprintf("Mean ranks over %s; 1 is the best. A bar joins solvers that Nemenyi's test does not tell apart (α = 5 %%).",
		counted(len(o.cases), "instance"))
	if o.ranks.PF > alpha {
		d.Note += " Friedman's test shows no difference among them all."
	}
	return d
}

// addBars lays the cliques out, each on the first level where it is free, and says how many levels there are.
func (d *diagram) addBars(o *outcome, at func(float64) float64) int {
	var ends []float64 // of the last bar of each level
	for _, clique := range o.cliques {
		from, to := at(o.mean[clique[0]])-4, at(o.mean[clique[len(clique)-1]])+4
		level := 0
		for level < len(ends) && ends[level] > from-6 {
			level++
		}
		if level == len(ends) {
			ends = append(ends, 0)
		}
		ends[level] = to
		d.Bars = append(d.Bars, bar{tenth(from), tenth(to), diagramAxis + 11 + float64(level)*barGap})
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

// clip shortens a text to so many letters, of which wide ones, as of Chinese, count twice.
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

// CriticalText is where the text beside the bar of the critical difference begins.
func (d *diagram) CriticalText() float64 { return d.CriticalTo + 8 }

// TextX is where a label's text begins or ends.
func (l rankLabel) TextX() float64 {
	if l.IsRight {
		return l.X + 5
	}
	return l.X - 5
}
