package picture

import (
	"image"
	"image/color"
)

// PointsPerPixel is the length of a pixel of 1/96 inch in points of 1/72 inch, the unit of canvases.
const PointsPerPixel = 0.75

// canvas writes a format.
type canvas interface {
	fill(Path, color.Color)
	stroke(Path, Pen)
	text(at Spot, upright bool, l Lettering, text string) // in one line that lies at the spot as the lettering is aligned
	image(from, to Spot, img image.Image)                 // between the lower left corner and the upper right one
}

// Sheet draws on a canvas in units from the top left corner: x to the right, y downwards. A unit is a pixel of 1/96 inch.
type Sheet struct {
	Width, Height float64
	canvas        canvas
}

// Rect is a rectangle on a sheet.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// Box is the rectangle between two corners.
func Box(x0, y0, x1, y1 float64) Rect { return Rect{x0, y0, x1, y1} }

// Width is the extent to the right.
func (r Rect) Width() float64 { return r.X1 - r.X0 }

// Height is the extent downwards.
func (r Rect) Height() float64 { return r.Y1 - r.Y0 }

// Inset moves every edge inwards.
func (r Rect) Inset(by float64) Rect { return Rect{r.X0 + by, r.Y0 + by, r.X1 - by, r.Y1 - by} }

// Below is the part of the sheet from y on, whose places count from there.
func (s *Sheet) Below(y float64) *Sheet {
	return &Sheet{Width: s.Width, Height: s.Height - y, canvas: s.canvas}
}

// Point is a place on the canvas of the sheet, for paths.
func (s *Sheet) Point(x, y float64) Spot {
	return Spot{X: x * PointsPerPixel, Y: (s.Height - y) * PointsPerPixel}
}

// Outline appends the outline of a rectangle to a path.
func (s *Sheet) Outline(path *Path, r Rect) {
	path.Move(s.Point(r.X0, r.Y0))
	path.Line(s.Point(r.X1, r.Y0))
	path.Line(s.Point(r.X1, r.Y1))
	path.Line(s.Point(r.X0, r.Y1))
	path.Close()
}

// Segment appends a straight line to a path.
func (s *Sheet) Segment(path *Path, x0, y0, x1, y1 float64) {
	path.Move(s.Point(x0, y0))
	path.Line(s.Point(x1, y1))
}

// Fill fills a path.
func (s *Sheet) Fill(path Path, c color.Color) {
	if len(path) > 0 {
		s.canvas.fill(path, c)
	}
}

// Pen is how a line looks.
type Pen struct {
	Width float64
	Ink   color.Color
	Dash  []float64 // lengths of dashes and gaps in turn; nil: the line is solid
	From  float64   // how far into the dashes the line begins
}

// Stroke draws a path.
func (s *Sheet) Stroke(path Path, p Pen) {
	if len(path) > 0 && p.Width > 0 {
		s.canvas.stroke(path, p)
	}
}

// Line draws a straight line.
func (s *Sheet) Line(x0, y0, x1, y1 float64, p Pen) {
	var path Path
	s.Segment(&path, x0, y0, x1, y1)
	s.Stroke(path, p)
}

// FillRect fills a rectangle.
func (s *Sheet) FillRect(r Rect, c color.Color) {
	var path Path
	s.Outline(&path, r)
	s.Fill(path, c)
}

// StrokeRect draws the outline of a rectangle.
func (s *Sheet) StrokeRect(r Rect, p Pen) {
	var path Path
	s.Outline(&path, r)
	s.Stroke(path, p)
}

// Dot fills a circle.
func (s *Sheet) Dot(x, y, radius float64, c color.Color) {
	s.Fill(s.around(markers[0], x, y, radius), c)
}

// around is an outline with radius 1 around a place, in another size.
func (s *Sheet) around(outline [][2]float64, x, y, radius float64) (path Path) {
	for n, at := range outline {
		if place := s.Point(x+radius*at[0], y+radius*at[1]); n == 0 {
			path.Move(place)
		} else {
			path.Line(place)
		}
	}
	path.Close()
	return path
}

// Image draws an image over the rectangle.
func (s *Sheet) Image(r Rect, img image.Image) {
	s.canvas.image(s.Point(r.X0, r.Y1), s.Point(r.X1, r.Y0), img)
}

// Text writes one line with its baseline at y.
func (s *Sheet) Text(x, y float64, l Lettering, text string) {
	s.canvas.text(s.Point(x, y), false, l, text)
}

// Upright writes one line that runs upwards, its baseline at x.
func (s *Sheet) Upright(x, y float64, l Lettering, text string) {
	s.canvas.text(s.Point(x, y), true, l, text)
}

// Group draws what belongs together. On a page it is an element of the given class, and the title shows while the pointer rests on it. Other formats know no
// groups.
func (s *Sheet) Group(class, title string, draw func()) {
	page := s.page()
	if page != nil {
		page.open(class, title)
	}
	draw()
	if page != nil {
		page.close()
	}
}

// page is the canvas of a drawing on a page; nil: the drawing is a file.
func (s *Sheet) page() *svgCanvas {
	if canvas, isSVG := s.canvas.(*svgCanvas); isSVG && canvas.onPage {
		return canvas
	}
	return nil
}
