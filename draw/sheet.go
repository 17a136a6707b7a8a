package draw

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// pointsPerPixel is the length of a pixel of 1/96 inch in points of 1/72 inch, the unit of package vg.
const pointsPerPixel = 0.75

// sheet draws on a canvas of package vg in pixels from the top left corner.
type sheet struct {
	canvas        vg.Canvas
	width, height float64
	fonts         *fonts
}

// rect is a rectangle in pixels: x to the right, y downwards.
type rect struct{ x0, y0, x1, y1 float64 }

// width is the extent to the right.
func (r rect) width() float64 { return r.x1 - r.x0 }

// height is the extent downwards.
func (r rect) height() float64 { return r.y1 - r.y0 }

// inset moves every edge inwards.
func (r rect) inset(by float64) rect { return rect{r.x0 + by, r.y0 + by, r.x1 - by, r.y1 - by} }

// point is the place on the canvas.
func (s *sheet) point(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x * pointsPerPixel), Y: vg.Length((s.height - y) * pointsPerPixel)}
}

// outline appends the outline of the rectangle to a path.
func (s *sheet) outline(path *vg.Path, r rect) {
	path.Move(s.point(r.x0, r.y0))
	path.Line(s.point(r.x1, r.y0))
	path.Line(s.point(r.x1, r.y1))
	path.Line(s.point(r.x0, r.y1))
	path.Close()
}

// segment appends a straight line to a path.
func (s *sheet) segment(path *vg.Path, x0, y0, x1, y1 float64) {
	path.Move(s.point(x0, y0))
	path.Line(s.point(x1, y1))
}

// fill fills a path.
func (s *sheet) fill(path vg.Path, c color.Color) {
	if len(path) > 0 {
		s.canvas.SetColor(c)
		s.canvas.Fill(path)
	}
}

// stroke draws a path with a pen of the given width.
func (s *sheet) stroke(path vg.Path, width float64, c color.Color) {
	if len(path) > 0 {
		s.canvas.SetColor(c)
		s.canvas.SetLineWidth(vg.Length(width * pointsPerPixel))
		s.canvas.Stroke(path)
	}
}

// fillRect fills one rectangle.
func (s *sheet) fillRect(r rect, c color.Color) {
	var path vg.Path
	s.outline(&path, r)
	s.fill(path, c)
}

// strokeRect draws the outline of one rectangle.
func (s *sheet) strokeRect(r rect, width float64, c color.Color) {
	var path vg.Path
	s.outline(&path, r)
	s.stroke(path, width, c)
}

// image draws an image over the rectangle.
func (s *sheet) image(r rect, img image.Image) {
	s.canvas.DrawImage(vg.Rectangle{Min: s.point(r.x0, r.y1), Max: s.point(r.x1, r.y0)}, img)
}

// lettering is how a text looks.
type lettering struct {
	size  float64 // pixels
	bold  bool
	ink   color.Color
	align float64 // 0: the text begins at x, 0.5: x is its middle, 1: its end
}

// text writes one line with its baseline at y.
func (s *sheet) text(x, y float64, l lettering, text string) {
	s.canvas.SetColor(l.ink)
	s.canvas.FillString(s.fonts.face(l), s.point(x-l.align*s.fonts.width(l, text), y), text)
}

// upright writes one line that runs upwards, its baseline at x.
func (s *sheet) upright(x, y float64, l lettering, text string) {
	s.canvas.Push()
	s.canvas.SetColor(l.ink)
	s.canvas.Translate(s.point(x, y+l.align*s.fonts.width(l, text)))
	s.canvas.Rotate(math.Pi / 2)
	s.canvas.FillString(s.fonts.face(l), vg.Point{}, text)
	s.canvas.Pop()
}
