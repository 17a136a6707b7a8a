//go:build !page

package picture

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"github.com/golang/freetype/raster"
	"golang.org/x/image/math/fixed"
)

// pngCanvas draws dots.
type pngCanvas struct {
	dotted     *image.RGBA
	dots       float64 // per point
	rasterizer *raster.Rasterizer
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
	c := &pngCanvas{image.NewRGBA(image.Rect(0, 0, columns, rows)), float64(d.Dots) / PointsPerPixel, raster.NewRasterizer(columns, rows)}
	c.rasterizer.UseNonZeroWinding = true
	draw.Draw(c.dotted, c.dotted.Bounds(), image.White, image.Point{}, draw.Src)
	return c
}

// at is a spot in dots from the upper left corner.
func (c *pngCanvas) at(s Spot) Spot {
	return Spot{s.X * c.dots, float64(c.dotted.Rect.Max.Y) - s.Y*c.dots}
}

// rounded is a number of dots as the rasterizer takes it.
func rounded(dots float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(dots * 64)) }

// fixedAt is a place in dots as the rasterizer takes it.
func fixedAt(s Spot) fixed.Point26_6 { return fixed.Point26_6{X: rounded(s.X), Y: rounded(s.Y)} }

// paint colours what the rasterizer has been given.
func (c *pngCanvas) paint(ink color.Color) {
	painter := raster.NewRGBAPainter(c.dotted)
	painter.SetColor(ink)
	c.rasterizer.Rasterize(painter)
	c.rasterizer.Clear()
}

// fill implements [canvas].
func (c *pngCanvas) fill(path Path, ink color.Color) {
	var begin fixed.Point26_6
	var outline raster.Path
	for k, part := range path {
		to := fixedAt(c.at(part.to))
		switch part.kind {
		case move:
			if k > 0 {
				outline.Add1(begin)
			}
			begin = to
			outline.Start(to)
		case line:
			outline.Add1(to)
		case curve:
			outline.Add2(fixedAt(c.at(part.control)), to)
		case shut:
			outline.Add1(begin)
		}
	}
	outline.Add1(begin)
	c.rasterizer.AddPath(outline)
	c.paint(ink)
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
	var lines raster.Path
	for _, piece := range pieces {
		last := fixedAt(piece[0])
		lines.Start(last)
		for _, s := range piece[1:] {
			// The rasterizer draws the ends of lines wrong where they are shorter than a sixteenth of a dot.
			if to := fixedAt(s); max(to.X-last.X, last.X-to.X)+max(to.Y-last.Y, last.Y-to.Y) > 4 {
				lines.Add1(to)
				last = to
			}
		}
	}
	c.rasterizer.AddStroke(lines, rounded(p.Width*PointsPerPixel*c.dots), raster.ButtCapper, raster.RoundJoiner)
	c.paint(p.Ink)
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
