package draw

import (
	"iter"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/allot-opt/allot/internal/numtext"
)

// Sizes in pixels.
const (
	plotHeight  = 440.0
	leastPlot   = 80.0
	legendRow   = factSize + 6.5
	sampleWidth = 34.0 // of a curve in the legend
	captionRoom = 20.0 // above the plot, for what its height means
)

// graph is a course (see there) placed on a sheet.
type graph struct {
	page
	*course
	values Axis
	curves [][]corner // by run
	rows   int        // of the legend
}

// corner is a place where a curve changes: the position of a point and of its bound.
type corner struct {
	x, y  float64
	bound float64 // NaN: none
	point int
}

// newGraph decides where everything goes on a sheet of the asked size; a height of 0 stands for a comfortable one.
func newGraph(c *course, fonts *fonts, width, height float64) *graph {
	g := &graph{page: newPage(summary{title: c.title}, fonts, width), course: c, rows: len(c.runs)}
	top := g.headerHeight() + captionRoom
	if height == 0 {
		height = math.Round(top + float64(g.rows)*legendRow + plotHeight + footer)
	}
	fits := int((height - footer - leastPlot - top) / legendRow)
	g.rows = min(g.rows, max(fits, 1))
	g.height = height
	g.plot = rect{x1: math.Round(width - margin), y0: math.Round(top + float64(g.rows)*legendRow)}
	g.plot.y1 = max(height-footer, g.plot.y0+1)
	g.values = c.valueAxis(int(g.plot.height() / 50))
	g.plot.x0 = math.Ceil(margin + g.gutter())
	g.axis = c.timeAxis(int(g.plot.width() / tickSpace))
	for _, t := range c.runs {
		g.curves = append(g.curves, g.corners(t))
	}
	return g
}

// gutter is the room for the labels of the figures.
func (g *graph) gutter() float64 {
	widest := 0.0
	for _, t := range g.values.Ticks {
		widest = max(widest, g.fonts.width(lettering{size: smallSize}, t.Label))
	}
	return widest + 10
}

// corners places the points of a run on whole pixels, no more than one for each column but the first: a run of
// millions of points is drawn as fast as one of thousands.
func (g *graph) corners(t *Run) []corner {
	var corners []corner
	for k := range t.Points {
		p := &t.Points[k]
		at := corner{x: math.Round(g.plot.x0 + g.axis.At(p.Elapsed)*g.plot.width()), y: g.level(p.Objective), bound: math.NaN(), point: k}
		if bound, known := p.Bound.Value(); known {
			at.bound = g.level(bound)
		}
		if n := len(corners); n > 1 && corners[n-1].x == at.x {
			corners[n-1] = at
		} else {
			corners = append(corners, at)
		}
	}
	return corners
}

// level is the height of a figure.
func (g *graph) level(value float64) float64 {
	return math.Round(g.plot.y1 - g.values.At(value)*g.plot.height())
}

// draw implements drawing.
func (g *graph) draw(canvas vg.CanvasSizer) {
	g.canvas = canvas
	g.fillRect(rect{0, 0, g.width, g.height}, paper)
	g.drawLegend(g.drawHeader())
	g.drawValues()
	g.drawTimes(nil)
	g.drawKey()
	if g.isEmpty {
		g.text((g.plot.x0+g.plot.x1)/2, (g.plot.y0+g.plot.y1)/2+5, lettering{size: 15, ink: quietInk, align: 0.5}, "no schedule found")
	}
	for k := range g.curves {
		g.drawGap(k)
	}
	for k := range g.curves {
		g.drawBound(k)
	}
	for k := range g.curves {
		g.drawObjective(k)
	}
	for k, corners := range g.curves {
		if n := len(corners); n > 0 {
			g.drawMarker(k, corners[n-1].x, corners[n-1].y)
		}
	}
}

// drawValues draws the lines of the value axis across the plot, their labels and the caption.
func (g *graph) drawValues() {
	var lines vg.Path
	label := lettering{size: smallSize, ink: quietInk, align: 1}
	for _, t := range g.values.Ticks {
		y := math.Round(g.plot.y1-t.At*g.plot.height()) + 0.5
		g.segment(&lines, g.plot.x0, y, g.plot.x1, y)
		g.text(g.plot.x0-8, y+smallSize*0.34, label, t.Label)
	}
	g.stroke(lines, 1, gridLine)
	g.text(margin, g.plot.y0-11, lettering{size: smallSize + 1, ink: ink}, g.values.Caption)
}

// steps appends a line through the corners that changes at each of them, at heights that are given.
func (g *graph) steps(path *vg.Path, corners []corner, height func(corner) float64) {
	for k, c := range corners {
		if k == 0 {
			path.Move(g.point(c.x, height(c)))
			continue
		}
		path.Line(g.point(c.x, height(corners[k-1])))
		path.Line(g.point(c.x, height(c)))
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
	var path vg.Path
	g.steps(&path, corners, objectiveOf)
	for at := len(corners) - 1; at >= 0; at-- {
		path.Line(g.point(corners[at].x, corners[at].bound))
		if at > 0 {
			path.Line(g.point(corners[at].x, corners[at-1].bound))
		}
	}
	path.Close()
	g.fill(path, faded(curveInk(k), g.gapShade()))
}

// gapShade returns the opacity of the shaded gaps. It is weaker for more runs, because their gaps may overlap.
func (g *graph) gapShade() float64 { return 0.3 / float64(len(g.runs)+1) }

// drawObjective draws a curve. A thin line continues it from its last point to the end of the axis.
func (g *graph) drawObjective(k int) {
	corners := g.curves[k]
	if len(corners) == 0 {
		return
	}
	var path, after vg.Path
	g.steps(&path, corners, objectiveOf)
	g.stroke(path, 2, curveInk(k))
	if last := corners[len(corners)-1]; last.x < g.plot.x1 {
		g.segment(&after, last.x, last.y, g.plot.x1, last.y)
		g.stroke(after, 1, curveInk(k))
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
	var path vg.Path
	g.steps(&path, corners, boundOf)
	path.Line(g.point(g.plot.x1, last.bound))
	g.strokeDashed(path, 1.5, curveInk(k), same, corners[0].x-g.plot.x0-float64(rank)*(dash+dashApart))
}

// drawLegend writes one line per run below the header: a sample of its curve, its name and how it ended.
func (g *graph) drawLegend(y float64) {
	const (
		apart = 22.0
		// An SVG may be shown in a font that is wider than the one that is measured.
		wider = 1.08
	)
	letters, names := lettering{size: factSize, ink: quietInk}, lettering{size: factSize, ink: ink}
	rows := g.legendRows()
	for k := range rows {
		row := y + 2 + float64(k+1)*legendRow
		if k == g.rows-1 && k < len(rows)-1 {
			g.text(margin, row, letters, "and "+numtext.CountedGrouped(len(rows)-k, "more run"))
			break
		}
		g.drawSample(k, row-factSize*0.34)
	}
	shown := rows[:g.rows]
	if g.rows < len(rows) {
		shown = rows[:g.rows-1]
	}
	x := margin + sampleWidth + 10
	for column := range rows[0] {
		widest := 0.0
		for k := range shown {
			widest = max(widest, wider*g.fonts.width(letters, shown[k][column]))
		}
		if widest == 0 {
			continue
		}
		if column > 0 && x+widest > g.width-margin {
			return
		}
		for k := range shown {
			style := letters
			if column == 0 {
				style = names
			}
			g.text(x, y+2+float64(k+1)*legendRow, style, shown[k][column])
		}
		x = math.Ceil(x + widest + apart)
	}
}

// legendRows returns the cells of the legend. All rows have the same number of cells.
func (g *graph) legendRows() [][]string {
	const cells = 6
	rows := make([][]string, len(g.runs))
	for k, t := range g.runs {
		name := ""
		if len(g.runs) > 1 || g.title != t.Name {
			name = shorten(printable(t.Name), func(text string) bool {
				return g.fonts.width(lettering{size: factSize}, text) <= 0.3*g.width
			})
		}
		rows[k] = append(append(rows[k], name), t.facts()...)
		rows[k] = append(rows[k], make([]string, cells-len(rows[k]))...)
	}
	return rows
}

// drawSample draws how a curve looks.
func (g *graph) drawSample(k int, y float64) {
	var line vg.Path
	y = math.Round(y)
	g.segment(&line, margin, y, margin+sampleWidth, y)
	g.stroke(line, 2, curveInk(k))
	g.drawMarker(k, margin+sampleWidth/2, y)
}

// hints implements drawing: each point shows its figures.
func (g *graph) hints() iter.Seq2[rect, string] {
	return func(yield func(rect, string) bool) {
		for k, corners := range g.curves {
			for n, c := range corners {
				end := g.plot.x1
				if n+1 < len(corners) {
					end = corners[n+1].x
				}
				const reach = 5
				if !yield(rect{c.x, c.y - reach, max(end, c.x+1), c.y + reach}, g.runs[k].describe(c.point)) {
					return
				}
			}
		}
	}
}

// describe describes a point in lines of text.
func (t *Run) describe(k int) string {
	p := &t.Points[k]
	lines := []string{printable(t.Name), "objective " + numtext.Significant(p.Objective, 12) + " after " + numtext.Significant(p.Elapsed, 6) + " s"}
	if bound, known := p.Bound.Value(); known {
		lines = append(lines, strings.TrimSuffix("bound "+numtext.Significant(bound, 12)+", "+gapText(p), ", "))
	}
	return strings.Join(append(lines, numtext.CountedGrouped(int(p.Evaluations), "evaluation")), "\n")
}
