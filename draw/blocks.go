package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// mostRectangles is the largest number of blocks that are drawn one by one. A picture with more is unreadable and slow to show.
const mostRectangles = 20_000

// leastSide is the side below which a block is never drawn by itself, in pixels.
const leastSide = 0.1

// tickWidth is how wide a block without duration is drawn, in pixels.
const tickWidth = 1.5

// lateMark is the rectangle of a late job's block and the place of the deadline.
type lateMark struct {
	rect
	deadline float64
}

// drawBlocks draws the jobs: those too small to be seen by themselves shaded together, the others as rectangles over
// them, the marks of late jobs, and the ids where there is room.
func (c *chart) drawBlocks() {
	least := c.leastDrawn()
	var shaded *shade
	// One path for all rectangles of a fill keeps files small and drawing fast.
	bodies, edges, hairs := make([]vg.Path, len(c.scheme.fills)), make([]vg.Path, len(c.scheme.fills)), make([]vg.Path, len(c.scheme.fills))
	var late []lateMark
	for k := range c.blocks {
		b := &c.blocks[k]
		r, j := c.visible(b), &c.jobs[b.job]
		fill := c.scheme.of[b.job]
		if !drawable(r, least) {
			if shaded == nil {
				shaded = newShade(c.plot.width(), c.plot.height())
			}
			c.shadeBlock(shaded, r, b.job)
			continue
		}
		r = crisp(r)
		c.hovers = append(c.hovers, hover{r, k})
		c.outline(&bodies[fill], r)
		switch side := min(r.width(), r.height()); {
		case b.start == b.end:
			c.outline(&edges[fill], r.inset(0.5))
		case j.late():
			late = append(late, lateMark{r, c.plot.x0 + c.axis.At(j.deadline)*c.plot.width()})
		case side >= 4:
			c.outline(&edges[fill], r.inset(0.5))
		case side >= 1.5:
			c.outline(&hairs[fill], r.inset(0.15))
		}
	}
	if shaded != nil {
		c.image(c.shadedRect(shaded), shaded.image())
	}
	for fill := range bodies {
		c.fill(bodies[fill], c.scheme.fills[fill])
	}
	for fill := range bodies {
		c.stroke(hairs[fill], 0.3, c.scheme.edge(fill))
		c.stroke(edges[fill], 1, c.scheme.edge(fill))
	}
	c.drawLate(late)
	c.drawLabels()
}

// leastDrawn returns the least side of the blocks that are drawn one by one. It is large enough that these are at most mostRectangles.
func (c *chart) leastDrawn() float64 {
	for least := leastSide; ; least *= 2 {
		n := 0
		for k := range c.blocks {
			if drawable(c.visible(&c.blocks[k]), least) {
				n++
			}
		}
		if n <= mostRectangles {
			return least
		}
	}
}

// drawable reports whether both sides of the rectangle are at least least.
func drawable(r rect, least float64) bool { return min(r.width(), r.height()) >= least }

// visible is the place of a block, widened if it takes no time.
func (c *chart) visible(b *block) rect {
	r := c.place(b)
	if b.start == b.end {
		r.x0 = min(max(r.x0-tickWidth/2, c.plot.x0), c.plot.x1-tickWidth)
		r.x1 = r.x0 + tickWidth
	}
	return r
}

// crisp moves the edges of a rectangle that is not too small to whole pixels.
func crisp(r rect) rect {
	if r.width() >= 3 {
		r.x0, r.x1 = math.Round(r.x0), math.Round(r.x1)
	}
	if r.height() >= 3 {
		r.y0, r.y1 = math.Round(r.y0), math.Round(r.y1)
	}
	return r
}

// shadeBlock adds a block to the shaded ones, a late one in red: it is too small for an outline.
func (c *chart) shadeBlock(s *shade, r rect, job int) {
	colour := c.scheme.fills[c.scheme.of[job]]
	if c.jobs[job].late() {
		colour = lateInk
	}
	s.add(rect{r.x0 - c.plot.x0, r.y0 - c.plot.y0, r.x1 - c.plot.x0, r.y1 - c.plot.y0}, colour)
}

// shadedRect is where the raster goes.
func (c *chart) shadedRect(s *shade) rect {
	return rect{
		c.plot.x0, c.plot.y0,
		c.plot.x0 + float64(s.columns)*s.cell, c.plot.y0 + float64(s.rows)*s.cell,
	}
}

// drawLate outlines blocks of late jobs in red and hatches them from the deadline on. A block too small for that gets a
// thinner outline or a red end.
func (c *chart) drawLate(marks []lateMark) {
	var thick, thin, ends, hatches vg.Path
	for _, m := range marks {
		side := min(m.width(), m.height())
		switch {
		case side < 4:
			c.outline(&ends, rect{max(m.x0, m.x1-2), m.y0, m.x1, m.y1})
		case side < 10:
			c.outline(&thin, m.inset(0.5))
		default:
			c.outline(&thick, m.inset(0.75))
			over := m.inset(1)
			over.x0 = min(max(over.x0, m.deadline), over.x1)
			c.hatch(&hatches, over)
		}
	}
	c.stroke(hatches, 1, lateHatch)
	c.stroke(thin, 1, lateInk)
	c.stroke(thick, 1.5, lateInk)
	c.fill(ends, lateInk)
}

// hatch appends lines that rise to the right through the rectangle. They lie on the same lines in every rectangle.
func (c *chart) hatch(path *vg.Path, r rect) {
	const apart = 8
	for sum := math.Ceil((r.x0+r.y0)/apart) * apart; sum < r.x1+r.y1; sum += apart {
		// The line x + y = sum inside the rectangle.
		left, right := max(r.x0, sum-r.y1), min(r.x1, sum-r.y0)
		if right-left > 0.5 {
			c.segment(path, left, sum-left, right, sum-right)
		}
	}
}

// drawLabels writes the ids of jobs into those of their blocks that have room.
func (c *chart) drawLabels() {
	for _, h := range c.hovers {
		if max(h.width(), h.height()) < 12 || min(h.width(), h.height()) < leastLabel {
			continue
		}
		c.drawLabel(h.rect, c.blocks[h.block].job)
	}
}

// mostLabelled is how many characters of an id a label shows.
const mostLabelled = 40

// leastLabel and mostLabel limit the size of ids: smaller ones cannot be read, larger ones distract.
const (
	leastLabel = 8.5
	mostLabel  = 12.5
)

// drawLabel writes a job's id into a rectangle, along it or upwards, if it fits.
func (c *chart) drawLabel(r rect, job int) {
	j, fill := &c.jobs[job], c.scheme.of[job]
	const (
		pad    = 3.0
		sample = 10.0
		// An SVG may be shown in a font that is wider than the one that is measured.
		wider = 1.08
	)
	id := clip(printable(j.id), mostLabelled)
	long := c.fonts.width(lettering{size: sample}, id) / sample
	along := min(mostLabel, (r.width()-2*pad)/(wider*long), (r.height()-2)/1.1)
	up := min(mostLabel, (r.height()-2*pad)/(wider*long), (r.width()-2)/1.1)
	size := math.Floor(2*max(along, up)) / 2
	if size < leastLabel || long == 0 {
		return
	}
	x, y := (r.x0+r.x1)/2, (r.y0+r.y1)/2
	label := lettering{size: size, ink: c.scheme.letters(fill), align: 0.5}
	half, drop := size*long/2, size*0.36
	if along < up*0.8 {
		if j.late() {
			c.fillRect(rect{x - size*0.55, y - half - 1, x + size*0.55, y + half + 1}, c.scheme.fills[fill])
		}
		c.upright(x+drop, y, label, id)
		return
	}
	if j.late() {
		c.fillRect(rect{x - half - 1, y - size*0.55, x + half + 1, y + size*0.55}, c.scheme.fills[fill])
	}
	c.text(x, y+drop, label, id)
}
