package picture

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"golang.org/x/image/vector"
)

// pngCanvas draws dots.
type pngCanvas struct {
	dotted     *image.RGBA
	dots       float64 // per point
	rasterizer vector.Rasterizer
}

// png writes the drawing as PNG.
func (d *Drawing) png(w io.Writer) error {
	c := newPNG(d)
	d.on(c)
	return png.Encode(w, c.dotted)
}

// newPNG makes a canvas of white dots.
func newPNG(d *Drawing) *pngCanvas {
	columns, rows := int(d.Width*float64(d.Dots)+0.5), int(d.Height*float64(d.Dots)+0.5)
	c := &pngCanvas{dotted: image.NewRGBA(image.Rect(0, 0, columns, rows)), dots: float64(d.Dots) / PointsPerPixel}
	draw.Draw(c.dotted, c.dotted.Bounds(), image.White, image.Point{}, draw.Src)
	return c
}

// at is a spot in dots from the upper left corner.
func (c *pngCanvas) at(s Spot) Spot {
	return Spot{s.X * c.dots, float64(c.dotted.Rect.Max.Y) - s.Y*c.dots}
}

// paint colours the area inside of outlines, in dots. The rasterizer looks at every dot that it is made for, so it is made for those around the outlines alone.
func (c *pngCanvas) paint(outlines Path, ink color.Color) {
	low, high := Spot{math.Inf(1), math.Inf(1)}, Spot{math.Inf(-1), math.Inf(-1)}
	around := func(s Spot) {
		low, high = Spot{min(low.X, s.X), min(low.Y, s.Y)}, Spot{max(high.X, s.X), max(high.Y, s.Y)}
	}
	for _, part := range outlines {
		if part.kind != shut {
			around(part.to)
		}
		if part.kind == curve {
			around(part.control)
		}
	}
	sheet := c.dotted.Rect
	within := func(dots float64, most int) int { return int(min(max(dots, 0), float64(most))) }
	r := image.Rect(within(math.Floor(low.X), sheet.Max.X), within(math.Floor(low.Y), sheet.Max.Y), within(math.Ceil(high.X), sheet.Max.X), within(math.Ceil(high.Y), sheet.Max.Y))
	if r.Empty() {
		return
	}
	c.rasterizer.Reset(r.Dx(), r.Dy())
	from := func(s Spot) (x, y float32) {
		return float32(s.X - float64(r.Min.X)), float32(s.Y - float64(r.Min.Y))
	}
	for k, part := range outlines {
		x, y := from(part.to)
		switch part.kind {
		case move:
			if k > 0 {
				c.rasterizer.ClosePath()
			}
			c.rasterizer.MoveTo(x, y)
		case line:
			c.rasterizer.LineTo(x, y)
		case curve:
			controlX, controlY := from(part.control)
			c.rasterizer.QuadTo(controlX, controlY, x, y)
		case shut:
			c.rasterizer.ClosePath()
		}
	}
	c.rasterizer.ClosePath()
	c.rasterizer.Draw(c.dotted, r, image.NewUniform(ink), image.Point{})
}

// fill implements [canvas].
func (c *pngCanvas) fill(path Path, ink color.Color) {
	outlines := slices.Clone(path)
	for k := range outlines {
		outlines[k].to, outlines[k].control = c.at(path[k].to), c.at(path[k].control)
	}
	c.paint(outlines, ink)
}

// stroke implements [canvas]. The path is straight between its corners.
func (c *pngCanvas) stroke(path Path, p Pen) {
	var pieces [][]Spot // in dots
	for _, part := range path {
		switch last := len(pieces) - 1; part.kind {
		case move:
			pieces = append(pieces, []Spot{c.at(part.to)})
		case line:
			pieces[last] = append(pieces[last], c.at(part.to))
		case shut:
			pieces[last] = append(pieces[last], pieces[last][0])
		}
	}
	if len(p.Dash) > 0 {
		pieces = dashed(pieces, p, c.dots*PointsPerPixel)
	}
	var lines Path
	for _, piece := range pieces {
		lines.broad(piece, p.Width*PointsPerPixel*c.dots)
	}
	c.paint(lines, p.Ink)
}

// broad adds the area of a line of a width that is straight between corners: a rectangle for each straight part, and the part of a circle on the outer side of each corner.
// All of them run in one direction, so that no part takes away from another.
func (p *Path) broad(corners []Spot, width float64) {
	half := width / 2
	var before Spot // half the width to the left of the last part
	for k, from := range corners[:len(corners)-1] {
		to := corners[k+1]
		long := math.Hypot(to.X-from.X, to.Y-from.Y)
		if long == 0 {
			continue
		}
		left := Spot{(to.Y - from.Y) / long * half, (from.X - to.X) / long * half}
		if before != (Spot{}) {
			p.corner(from, before, left)
		}
		p.Move(Spot{from.X + left.X, from.Y + left.Y})
		p.Line(Spot{to.X + left.X, to.Y + left.Y})
		p.Line(Spot{to.X - left.X, to.Y - left.Y})
		p.Line(Spot{from.X - left.X, from.Y - left.Y})
		p.Close()
		before = left
	}
}

// corner adds the part of a circle between two parts of a line that meet at a spot, on the outer side of their corner.
func (p *Path) corner(at, before, after Spot) {
	turn := math.Atan2(before.X*after.Y-before.Y*after.X, before.X*after.X+before.Y*after.Y)
	if turn < 0 { // the outer side is the other one
		before, after = Spot{-after.X, -after.Y}, Spot{-before.X, -before.Y}
		turn = -turn
	}
	radius, from := math.Hypot(before.X, before.Y), math.Atan2(before.Y, before.X)
	const step = math.Pi / 8
	p.Move(at)
	for n, steps := 0, max(int(math.Ceil(turn/step)), 1); n <= steps; n++ {
		sin, cos := math.Sincos(from + turn*float64(n)/float64(steps))
		p.Line(Spot{at.X + radius*cos, at.Y + radius*sin})
	}
	p.Close()
}

// dashed cuts lines, in dots, into the dashes of a pen.
func dashed(lines [][]Spot, p Pen, dotsPerPixel float64) (dashes [][]Spot) {
	for _, corners := range lines {
		// The part of the pattern, even for a dash and odd for a gap, and how much is left of it.
		k, left := 0, (p.Dash[0]-p.From)*dotsPerPixel
		for left <= 0 {
			k = (k + 1) % len(p.Dash)
			left += p.Dash[k] * dotsPerPixel
		}
		here, dash := corners[0], corners[:1:1]
		for _, to := range corners[1:] {
			rest := math.Hypot(to.X-here.X, to.Y-here.Y)
			for rest > left {
				here = Spot{here.X + (to.X-here.X)*left/rest, here.Y + (to.Y-here.Y)*left/rest}
				if k%2 == 0 {
					dashes = append(dashes, append(dash, here))
				}
				dash, k = []Spot{here}, (k+1)%len(p.Dash)
				rest, left = rest-left, p.Dash[k]*dotsPerPixel
			}
			left -= rest
			here, dash = to, append(dash, to)
		}
		if k%2 == 0 {
			dashes = append(dashes, dash)
		}
	}
	return dashes
}

// text implements [canvas].
func (c *pngCanvas) text(at Spot, upright bool, l Lettering, text string) {
	if outlines := l.outlines(at, upright, text); len(outlines) > 0 {
		c.fill(outlines, l.Ink)
	}
}

// image implements [canvas].
func (c *pngCanvas) image(from, to Spot, img image.Image) {
	from, to = c.at(from), c.at(to)
	whole := func(x float64) int { return int(math.Round(x)) }
	s := stretched{img, image.Rect(whole(from.X), whole(to.Y), whole(to.X), whole(from.Y))}
	draw.Draw(c.dotted, s.over, s, s.over.Min, draw.Over)
}

// stretched is an image over other dots.
type stretched struct {
	image.Image
	over image.Rectangle
}

// Bounds implements [image.Image].
func (s stretched) Bounds() image.Rectangle { return s.over }

// At implements [image.Image].
func (s stretched) At(x, y int) color.Color {
	size := s.Image.Bounds()
	return s.Image.At(size.Min.X+(2*(x-s.over.Min.X)+1)*size.Dx()/(2*s.over.Dx()), size.Min.Y+(2*(y-s.over.Min.Y)+1)*size.Dy()/(2*s.over.Dy()))
}
