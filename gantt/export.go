package gantt

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/allot-opt/allot/internal/axis"
	"github.com/allot-opt/allot/model"
)

// picture is something drawn on a page.
type picture interface {
	size() (width, height vg.Length)
	draw(canvas vg.Canvas)
	heading() string
	hints() iter.Seq2[rect, string] // what to say where the pointer rests, known once it is drawn
}

// checkSize is the size asked for in pixels, a height of 0 left to the picture.
func checkSize(width, height int) (float64, float64, error) {
	if width == 0 {
		width = defaultWidth
	}
	if width < leastWidth || width > mostSide {
		return 0, 0, fmt.Errorf("width %d: expected %d to %d pixels", width, leastWidth, mostSide)
	}
	if height != 0 && (height < leastHeight || height > mostSide) {
		return 0, 0, fmt.Errorf("height %d: expected %d to %d pixels", height, leastHeight, mostSide)
	}
	if height > mostPixels/width {
		return 0, 0, fmt.Errorf("%d × %d: expected at most %s pixels", width, height, axis.Number(mostPixels))
	}
	return float64(width), float64(height), nil
}

// export writes the picture in one of the formats that are not text.
func export(w io.Writer, p picture, format Format) error {
	if format == PNG {
		return exportPNG(w, p)
	}
	return exportSVG(w, p)
}

// exportPNG writes the picture as PNG.
func exportPNG(w io.Writer, p picture) error {
	canvas := vgimg.PngCanvas{Canvas: vgimg.New(p.size())}
	p.draw(pixels{canvas.Canvas})
	_, err := canvas.WriteTo(w)
	return err
}

// pixels is a canvas of package vgimg that writes figures equally wide; in SVG the viewer is told to.
type pixels struct{ *vgimg.Canvas }

// FillString implements vg.Canvas.
func (p pixels) FillString(face font.Face, at vg.Point, text string) {
	for piece := range evenFigures(text) {
		p.Canvas.FillString(face, at, piece)
		at.X += face.Width(piece)
	}
}

// exportSVG writes the picture as SVG.
func exportSVG(w io.Writer, p picture) error {
	canvas := vgsvg.New(p.size())
	p.draw(canvas)
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	finishSVG(out, p, drawn.Bytes())
	return out.Flush()
}

// corrections mend what package vgsvg writes: a viewer that lacks the font needs other names or falls back to one with
// serifs, it should not move figures together, and images are PNG. A quote in a text is escaped, so neither pattern is
// found in one.
var corrections = strings.NewReplacer(
	`style="font-family:Liberation Sans;`, `style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;font-kerning:none;`,
	`xlink:href="data:image/jpg;`, `xlink:href="data:image/png;`,
)

// finishSVG writes the drawn document with two things that package vgsvg cannot draw: the title, and a layer of
// invisible rectangles that say, where the pointer rests on one, what it shows.
func finishSVG(out *bufio.Writer, p picture, drawn []byte) {
	start := bytes.Index(drawn, []byte("<svg"))
	head := start + 1 + bytes.IndexByte(drawn[max(start, 0):], '>')
	end := bytes.LastIndex(drawn, []byte("</svg>"))
	if start < 0 || end < head {
		// Not a document that this function understands: better without title than broken.
		out.Write(drawn)
		return
	}
	out.Write(drawn[:head])
	fmt.Fprintf(out, "\n<title>%s</title>", escaped(p.heading()))
	out.WriteString(corrections.Replace(string(drawn[head:end])))
	isOpen := false
	for r, text := range p.hints() {
		if !isOpen {
			isOpen = true
			fmt.Fprintf(out, "<g fill-opacity=\"0\" transform=\"scale(%v)\">\n", pointsPerPixel)
		}
		fmt.Fprintf(out, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.4g\" height=\"%.4g\"><title>%s</title></rect>\n",
			r.x0, r.y0, r.width(), r.height(), escaped(text))
	}
	if isOpen {
		out.WriteString("</g>\n")
	}
	out.Write(drawn[end:])
}

// hints implements picture.
func (c *chart) hints() iter.Seq2[rect, string] {
	return func(yield func(rect, string) bool) {
		for _, h := range c.hovers {
			if !yield(h.rect, c.describe(h.block)) {
				return
			}
		}
	}
}

// describe says what a block shows, in lines.
func (c *chart) describe(k int) string {
	b := &c.blocks[k]
	j := &c.jobs[b.job]
	set := model.ProcessorSet{{First: b.first, Last: b.last}}
	text := fmt.Sprintf("%s\n%s: %s\n%s – %s", printable(j.id), printable(c.bands[b.band].id), set, axis.Exact(b.start, 12), axis.Exact(b.end, 12))
	if c.unit != "" {
		text += " " + printable(c.unit)
	}
	if j.late() {
		text += fmt.Sprintf("\nlate by %s", axis.Number(j.end-j.deadline))
	}
	return text
}

// escaped is the text as it stands in XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}
