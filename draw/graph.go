package draw

import (
	"iter"
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

// graph draws the curves of a [course] on a plot.
type graph struct {
	*picture.Plot
	*course
	curves [][]corner // by run
}

// corner is a place where a curve changes: the position of a point and of its bound.
type corner struct {
	x, y  float64
	bound float64 // NaN: none
	point int
}

// chart makes the picture of a size; a height of 0 stands for a comfortable one.
func (c *course) chart(width, height float64) *picture.Chart {
	g := &graph{course: c}
	chart := &picture.Chart{
		Title: picture.Printable(c.title), Width: width, Height: height, PanelHeight: 440, Dots: 1,
		Panels: []*picture.Panel{{X: c.timeAxis, Y: c.valueAxis, Draw: g.draw}}, Key: c.key(), Hints: g.hints(),
	}
	for k, t := range c.runs {
		name := ""
		if len(c.runs) > 1 || c.title != t.Name {
			name = picture.Lettering{Size: picture.FactSize}.Fitted(picture.Printable(t.Name), 0.3*width)
		}
		chart.Table = append(chart.Table, picture.Row{Style: picture.StyleOf(k), Cells: append([]string{name}, t.facts()...)})
	}
	return chart
}

// key explains the parts of a curve.
func (c *course) key() []picture.KeyEntry {
	entries := []picture.KeyEntry{picture.LineEntry("objective", picture.Pen{Width: 2, Ink: picture.Quiet}, nil)}
	if c.hasBound {
		entries = append(entries, picture.LineEntry("bound", picture.Pen{Width: 1.5, Ink: picture.Quiet, Dash: []float64{dash, dashApart}}, nil),
			picture.FillEntry("gap", picture.Faded(picture.Quiet, 0.2), nil))
	}
	return entries
}

// corners places the points of a run on whole pixels, no more than one for each column but the first: a run of millions of points is drawn as fast as one of
// thousands.
func (g *graph) corners(t *Run) []corner {
	var corners []corner
	for k := range t.Points {
		p := &t.Points[k]
		at := corner{x: math.Round(g.AtX(p.Elapsed)), y: math.Round(g.AtY(p.Objective)), bound: math.NaN(), point: k}
		if bound, known := p.Bound.Value(); known {
			at.bound = math.Round(g.AtY(bound))
		}
		if n := len(corners); n > 1 && corners[n-1].x == at.x {
			corners[n-1] = at
		} else {
			corners = append(corners, at)
		}
	}
	return corners
}

// draw draws all runs.
func (g *graph) draw(p *picture.Plot) {
	g.Plot, g.curves = p, nil
	for _, t := range g.runs {
		g.curves = append(g.curves, g.corners(t))
	}
	if g.isEmpty {
		p.Text((p.Area.X0+p.Area.X1)/2, (p.Area.Y0+p.Area.Y1)/2+5, picture.Lettering{Size: 15, Ink: picture.Quiet, Align: 0.5}, "no schedule found")
	}
	for _, part := range []func(k int){g.drawGap, g.drawBound, g.drawObjective} {
		for k := range g.curves {
			part(k)
		}
	}
	for k, corners := range g.curves {
		if n := len(corners); n > 0 {
			p.Marker(picture.StyleOf(k), corners[n-1].x, corners[n-1].y, 4.5)
		}
	}
}

// steps appends a line through the corners that changes at each of them, at heights that are given.
func (g *graph) steps(path *picture.Path, corners []corner, height func(corner) float64) {
	for k, c := range corners {
		if k == 0 {
			path.Move(g.Point(c.x, height(c)))
			continue
		}
		path.Line(g.Point(c.x, height(corners[k-1])))
		path.Line(g.Point(c.x, height(c)))
	}
}

// objectiveOf and boundOf are the heights of a corner.
func objectiveOf(c corner) float64 { return c.y }
func boundOf(c corner) float64     { return c.bound }

// bounded returns the corners from the first one with a bound.
func bounded(corners []corner) []corner {
	for k := range corners {
		if !math.IsNaN(corners[k].bound) {
			return corners[k:]
		}
	}
	return nil
}

// drawGap shades the area between a curve and its bound.
func (g *graph) drawGap(k int) {
	corners := bounded(g.curves[k])
	if len(corners) == 0 {
		return
	}
	var path picture.Path
	g.steps(&path, corners, objectiveOf)
	for at := len(corners) - 1; at >= 0; at-- {
		path.Line(g.Point(corners[at].x, corners[at].bound))
		if at > 0 {
			path.Line(g.Point(corners[at].x, corners[at-1].bound))
		}
	}
	path.Close()
	g.Fill(path, picture.Faded(picture.StyleOf(k).Ink(), g.gapShade()))
}

// gapShade returns the opacity of the shaded gaps. It is weaker for more runs, because their gaps may overlap.
func (g *graph) gapShade() float64 { return 0.3 / float64(len(g.runs)+1) }

// drawObjective draws a curve. A thin line continues it from its last point to the end of the axis.
func (g *graph) drawObjective(k int) {
	corners := g.curves[k]
	if len(corners) == 0 {
		return
	}
	var path picture.Path
	g.steps(&path, corners, objectiveOf)
	g.Stroke(path, picture.StyleOf(k).Solid(2))
	if last := corners[len(corners)-1]; last.x < g.Area.X1 {
		g.Line(last.x, last.y, g.Area.X1, last.y, picture.StyleOf(k).Solid(1))
	}
}

// Lengths of a dashed line in pixels.
const (
	dash      = 6.0
	dashApart = 4.0
)

// drawBound draws a bound dashed. Dashes of equal bounds lie between each other, so that every colour is seen.
func (g *graph) drawBound(k int) {
	corners := bounded(g.curves[k])
	if len(corners) == 0 {
		return
	}
	last := corners[len(corners)-1]
	same, rank := 0, 0
	for j, other := range g.curves {
		if n := len(other); n > 0 && other[n-1].bound == last.bound {
			same++
			if j < k {
				rank++
			}
		}
	}
	var path picture.Path
	g.steps(&path, corners, boundOf)
	path.Line(g.Point(g.Area.X1, last.bound))
	// The gaps have room for the dashes of the others. The pattern begins at the axis.
	period := (dash + dashApart) * float64(same)
	from := math.Mod(corners[0].x-g.Area.X0-float64(rank)*(dash+dashApart)+period, period)
	g.Stroke(path, picture.Pen{Width: 1.5, Ink: picture.StyleOf(k).Ink(), Dash: []float64{dash, period - dash}, From: from})
}

// hints are the figures of each point.
func (g *graph) hints() iter.Seq2[picture.Rect, string] {
	return func(yield func(picture.Rect, string) bool) {
		for k, corners := range g.curves {
			for n, c := range corners {
				end := g.Area.X1
				if n+1 < len(corners) {
					end = corners[n+1].x
				}
				const reach = 5
				if !yield(picture.Box(c.x, c.y-reach, max(end, c.x+1), c.y+reach), g.runs[k].describe(c.point)) {
					return
				}
			}
		}
	}
}

// describe describes a point in lines of text.
func (t *Run) describe(k int) string {
	p := &t.Points[k]
	lines := []string{picture.Printable(t.Name), "objective " + numtext.Significant(p.Objective, 12) + " after " + numtext.Significant(p.Elapsed, 6) + " s"}
	if bound, known := p.Bound.Value(); known {
		lines = append(lines, strings.TrimSuffix("bound "+numtext.Significant(bound, 12)+", "+gapText(p), ", "))
	}
	return strings.Join(append(lines, numtext.CountedGrouped(int(p.Evaluations), "evaluation")), "\n")
}
