package draw

import (
	"math"

	"github.com/allot-opt/allot/internal/picture"
)

// mostRectangles is the largest number of blocks that are drawn one by one. A picture with more is unreadable and slow to show.
const mostRectangles = 20_000

// leastSide is the side below which a block is never drawn by itself, in pixels.
const leastSide = 0.1

// tickWidth is how wide a block without duration is drawn, in pixels.
const tickWidth = 1.5

// lateMark is the rectangle of a late job's block and the place of the deadline.
type lateMark struct {
	picture.Rect
	deadline float64
}

// drawBlocks draws the jobs: those too small to be seen by themselves shaded together, the others as rectangles over
// them, the marks of late jobs, and the ids where there is room.
func (c *chart) drawBlocks() {
	least := c.leastDrawn()
	var shaded *shade
	// One path for all rectangles of a fill keeps files small and drawing fast.
	bodies, edges, hairs := make([]picture.Path, len(c.scheme.fills)), make([]picture.Path, len(c.scheme.fills)), make([]picture.Path, len(c.scheme.fills))
	var late []lateMark
	for k := range c.blocks {
		b := &c.blocks[k]
		r, j := c.visible(b), &c.jobs[b.job]
		fill := c.scheme.of[b.job]
		if !drawable(r, least) {
			if shaded == nil {
				shaded = newShade(c.plot.Width(), c.plot.Height())
			}
			c.shadeBlock(shaded, r, b.job)
			continue
		}
		r = crisp(r)
		c.hovers = append(c.hovers, hover{r, k})
		c.Outline(&bodies[fill], r)
		switch side := min(r.Width(), r.Height()); {
		case b.start == b.end:
			c.Outline(&edges[fill], r.Inset(0.5))
		case j.late():
			late = append(late, lateMark{r, c.plot.X0 + c.axis.At(j.deadline)*c.plot.Width()})
		case side >= 4:
			c.Outline(&edges[fill], r.Inset(0.5))
		case side >= 1.5:
			c.Outline(&hairs[fill], r.Inset(0.15))
		}
	}
	if shaded != nil {
		width, height := float64(shaded.columns)*shaded.cell, float64(shaded.rows)*shaded.cell
		c.Image(picture.Box(c.plot.X0, c.plot.Y0, c.plot.X0+width, c.plot.Y0+height), shaded.image())
	}
	for fill := range bodies {
		c.Fill(bodies[fill], c.scheme.fills[fill])
	}
	for fill := range bodies {
		c.Stroke(hairs[fill], picture.Pen{Width: 0.3, Ink: c.scheme.edge(fill)})
		c.Stroke(edges[fill], picture.Pen{Width: 1, Ink: c.scheme.edge(fill)})
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
func drawable(r picture.Rect, least float64) bool { return min(r.Width(), r.Height()) >= least }

// visible is the place of a block, widened if it takes no time.
func (c *chart) visible(b *block) picture.Rect {
	r := c.place(b)
	if b.start == b.end {
		r.X0 = min(max(r.X0-tickWidth/2, c.plot.X0), c.plot.X1-tickWidth)
		r.X1 = r.X0 + tickWidth
	}
	return r
}

// crisp moves the edges of a rectangle that is not too small to whole pixels.
func crisp(r picture.Rect) picture.Rect {
	if r.Width() >= 3 {
		r.X0, r.X1 = math.Round(r.X0), math.Round(r.X1)
	}
	if r.Height() >= 3 {
		r.Y0, r.Y1 = math.Round(r.Y0), math.Round(r.Y1)
	}
	return r
}

// shadeBlock adds a block to the shaded ones, a late one in red: it is too small for an outline.
func (c *chart) shadeBlock(s *shade, r picture.Rect, job int) {
	colour := c.scheme.fills[c.scheme.of[job]]
	if c.jobs[job].late() {
		colour = lateInk
	}
	s.add(picture.Box(r.X0-c.plot.X0, r.Y0-c.plot.Y0, r.X1-c.plot.X0, r.Y1-c.plot.Y0), colour)
}

// drawLate outlines blocks of late jobs in red and hatches them from the deadline on. A block too small for that gets a
// thinner outline or a red end.
func (c *chart) drawLate(marks []lateMark) {
	var thick, thin, ends, hatches picture.Path
	for _, m := range marks {
		side := min(m.Width(), m.Height())
		switch {
		case side < 4:
			c.Outline(&ends, picture.Box(max(m.X0, m.X1-2), m.Y0, m.X1, m.Y1))
		case side < 10:
			c.Outline(&thin, m.Inset(0.5))
		default:
			c.Outline(&thick, m.Inset(0.75))
			over := m.Inset(1)
			over.X0 = min(max(over.X0, m.deadline), over.X1)
			c.hatch(&hatches, over)
		}
	}
	c.Stroke(hatches, picture.Pen{Width: 1, Ink: lateHatch})
	c.Stroke(thin, picture.Pen{Width: 1, Ink: lateInk})
	c.Stroke(thick, picture.Pen{Width: 1.5, Ink: lateInk})
	c.Fill(ends, lateInk)
}

// hatch appends lines that rise to the right through the rectangle. They lie on the same lines in every rectangle.
func (c *chart) hatch(path *picture.Path, r picture.Rect) {
	const apart = 8
	for sum := math.Ceil((r.X0+r.Y0)/apart) * apart; sum < r.X1+r.Y1; sum += apart {
		// The line x + y = sum inside the rectangle.
		left, right := max(r.X0, sum-r.Y1), min(r.X1, sum-r.Y0)
		if right-left > 0.5 {
			c.Segment(path, left, sum-left, right, sum-right)
		}
	}
}

// drawLabels writes the ids of jobs into those of their blocks that have room.
func (c *chart) drawLabels() {
	for _, h := range c.hovers {
		if max(h.Width(), h.Height()) < 12 || min(h.Width(), h.Height()) < leastLabel {
			continue
		}
		c.drawLabel(h.Rect, c.blocks[h.block].job)
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
func (c *chart) drawLabel(r picture.Rect, job int) {
	j, fill := &c.jobs[job], c.scheme.of[job]
	const (
		pad    = 3.0
		sample = 10.0
	)
	id := picture.Clip(picture.Printable(j.id), mostLabelled)
	long := picture.Lettering{Size: sample}.Width(id) / sample
	along := min(mostLabel, (r.Width()-2*pad)/long, (r.Height()-2)/1.1)
	up := min(mostLabel, (r.Height()-2*pad)/long, (r.Width()-2)/1.1)
	size := math.Floor(2*max(along, up)) / 2
	if size < leastLabel || long == 0 {
		return
	}
	x, y := (r.X0+r.X1)/2, (r.Y0+r.Y1)/2
	label := picture.Lettering{Size: size, Ink: c.scheme.letters(fill), Align: 0.5}
	half, drop := size*long/2, size*0.36
	if along < up*0.8 {
		if j.late() {
			c.FillRect(picture.Box(x-size*0.55, y-half-1, x+size*0.55, y+half+1), c.scheme.fills[fill])
		}
		c.Upright(x+drop, y, label, id)
		return
	}
	if j.late() {
		c.FillRect(picture.Box(x-half-1, y-size*0.55, x+half+1, y+size*0.55), c.scheme.fills[fill])
	}
	c.Text(x, y+drop, label, id)
}
