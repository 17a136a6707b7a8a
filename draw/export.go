package draw

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/svg"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// drawing is a picture with everything in its place on a sheet of some size.
type drawing interface {
	size() (width, height vg.Length)
	draw(canvas vg.CanvasSizer)
	finish() finish
	hints() iter.Seq2[rect, string] // texts to show while the pointer rests on a rectangle; known only after drawing
}

// finish holds what the file formats need to know besides lines and letters.
type finish struct {
	title       string // of an SVG that has one
	hasTitle    bool
	dots        int  // dots of a PNG per pixel of 1/96 inch
	evenFigures bool // digits are all equally wide, without kerning
}

// limits are the sizes, in pixels, that a caller can ask for.
type limits struct{ defaultWidth, leastWidth, leastHeight, mostSide, mostPixels int }

// check returns the size that the caller asks for. A height of 0 lets the picture choose.
func (l *limits) check(width, height int) (float64, float64, error) {
	if width == 0 {
		width = l.defaultWidth
	}
	if width < l.leastWidth || width > l.mostSide {
		return 0, 0, fmt.Errorf("width %d: expected %d to %d pixels", width, l.leastWidth, l.mostSide)
	}
	if height != 0 && (height < l.leastHeight || height > l.mostSide) {
		return 0, 0, fmt.Errorf("height %d: expected %d to %d pixels", height, l.leastHeight, l.mostSide)
	}
	if height > l.mostPixels/width {
		return 0, 0, fmt.Errorf("%d × %d: expected at most %s pixels", width, height, number(float64(l.mostPixels)))
	}
	return float64(width), float64(height), nil
}

// exportPNG writes a drawing as PNG.
func exportPNG(w io.Writer, s drawing) error {
	const dotsPerInch = 96
	f := s.finish()
	canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(s.size()), vgimg.UseDPI(dotsPerInch*f.dots))}
	if f.evenFigures {
		s.draw(pixels{canvas.Canvas})
	} else {
		s.draw(canvas)
	}
	_, err := canvas.WriteTo(w)
	return err
}

// pixels is a canvas of package vgimg that writes digits equally wide. In SVG a style tells the viewer to do so.
type pixels struct{ *vgimg.Canvas }

// FillString implements vg.Canvas.
func (p pixels) FillString(face font.Face, at vg.Point, text string) {
	for piece := range evenFigures(text) {
		p.Canvas.FillString(face, at, piece)
		at.X += face.Width(piece)
	}
}

// exportSVG writes a drawing as SVG, with a layer of invisible rectangles that say, where the pointer rests on one, what it shows.
func exportSVG(w io.Writer, s drawing) error {
	f := s.finish()
	letters := "font-family:Liberation Sans,Arial,Helvetica,sans-serif" // viewers that lack ours would otherwise take one with serifs
	if f.evenFigures {
		letters += ";font-kerning:none"
	}
	width, height := s.size()
	canvas := svg.New(width, height, letters)
	s.draw(canvas)
	document := svg.Document{}
	if f.hasTitle {
		document.Title = f.title
	}
	var above strings.Builder
	for r, text := range s.hints() {
		if above.Len() == 0 {
			fmt.Fprintf(&above, "<g fill-opacity=\"0\" transform=\"scale(%v)\">\n", pointsPerPixel)
		}
		fmt.Fprintf(&above, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.4g\" height=\"%.4g\"><title>%s</title></rect>\n",
			r.x0, r.y0, r.width(), r.height(), svg.Escaped(text))
	}
	if above.Len() > 0 {
		above.WriteString("</g>\n")
	}
	document.Above = above.String()
	return canvas.Write(w, document)
}

// hints implements drawing.
func (c *chart) hints() iter.Seq2[rect, string] {
	return func(yield func(rect, string) bool) {
		if c.load != nil {
			c.columnHints(yield)
			return
		}
		for _, h := range c.hovers {
			if !yield(h.rect, c.describe(h.block)) {
				return
			}
		}
	}
}

// describe describes a block in lines of text.
func (c *chart) describe(k int) string {
	b := &c.blocks[k]
	j := &c.jobs[b.job]
	set := model.ProcessorSet{{First: b.first, Last: b.last}}
	text := fmt.Sprintf("%s\n%s: %s\n%s – %s", printable(j.id), printable(c.bands[b.band].id), set, numtext.Significant(b.start, 12), numtext.Significant(b.end, 12))
	if c.unit != "" {
		text += " " + printable(c.unit)
	}
	lines := []string{text}
	if wait := j.wait(); wait > 0 {
		lines = append(lines, "waited "+c.length(wait))
	}
	if j.late() {
		lines = append(lines, "late by "+c.length(j.end-j.deadline))
	}
	if j.user != "" {
		lines = append(lines, "user "+printable(j.user))
	}
	return strings.Join(lines, "\n")
}

// length writes a length of time for people.
func (l *layout) length(x float64) string {
	return timetext.Of(x, printable(l.unit), number)
}
