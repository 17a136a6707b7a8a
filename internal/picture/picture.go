// Package picture is the drawing kit of all pictures: a sheet to draw on, letters, colours, axes and charts of curves, and one writer for each format. A picture
// is drawn the same way whatever format it is written in.
package picture

import (
	"fmt"
	"io"
	"iter"
	"strings"
)

// Format is a format that drawings are written in. Every file is self-contained.
type Format string

// The formats. An SVG file has plain colours and no style sheet, because many programs know neither variables nor classes in it.
const (
	SVG Format = "svg"
	PDF Format = "pdf"
	PNG Format = "png"
)

// Drawing is a picture of a size that is known.
type Drawing struct {
	Title         string  // of the document
	Width, Height float64 // in pixels of 1/96 inch
	Dots          int     // of a PNG per pixel
	Draw          func(*Sheet)
	Hints         iter.Seq2[Rect, string] // texts to show while the pointer rests on a rectangle, known only after drawing; nil: none
}

// on draws the drawing on a canvas.
func (d *Drawing) on(c canvas) {
	d.Draw(&Sheet{Width: d.Width, Height: d.Height, canvas: c})
}

// size is the size in points.
func (d *Drawing) size() (width, height float64) {
	return d.Width * PointsPerPixel, d.Height * PointsPerPixel
}

// Write writes the drawing. The same drawing gives the same bytes.
func (d *Drawing) Write(w io.Writer, format Format) error {
	switch format {
	case SVG:
		return d.svg(false).writeTo(w, d.Title, d.hints())
	case PDF:
		return d.pdf(w)
	case PNG:
		return d.png(w)
	default:
		return fmt.Errorf("unknown format %q: expected svg, pdf or png", format)
	}
}

// Elements returns the drawing for an svg element of a page, and the value of that element's viewBox. The page's style sheet has the colours of [Variables] and
// the font.
func (d *Drawing) Elements() (viewBox, elements string, err error) {
	canvas := d.svg(true)
	elements, err = canvas.elements()
	return canvas.viewBox(), elements, err
}

// svg draws on a canvas for SVG.
func (d *Drawing) svg(onPage bool) *svgCanvas {
	width, height := d.size()
	canvas := newSVG(width, height, onPage)
	d.on(canvas)
	return canvas
}

// hints is a layer of invisible rectangles for an SVG, each with the text that it shows; empty: there are none.
func (d *Drawing) hints() string {
	if d.Hints == nil {
		return ""
	}
	var layer strings.Builder
	for r, text := range d.Hints {
		if layer.Len() == 0 {
			fmt.Fprintf(&layer, "<g fill-opacity=\"0\" transform=\"scale(%v)\">\n", PointsPerPixel)
		}
		fmt.Fprintf(&layer, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.4g\" height=\"%.4g\"><title>%s</title></rect>\n",
			r.X0, r.Y0, r.Width(), r.Height(), escaped(text))
	}
	if layer.Len() > 0 {
		layer.WriteString("</g>\n")
	}
	return layer.String()
}
