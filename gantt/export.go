package gantt

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/allot-opt/allot/model"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// sizedChart places the layout on a sheet of the asked size.
func sizedChart(l *layout, s summary, opt Options) (*chart, error) {
	width, height := opt.Width, opt.Height
	if width == 0 {
		width = defaultWidth
	}
	if width < leastWidth || width > mostSide {
		return nil, fmt.Errorf("width %d: expected %d to %d pixels", width, leastWidth, mostSide)
	}
	if height != 0 && (height < leastHeight || height > mostSide) {
		return nil, fmt.Errorf("height %d: expected %d to %d pixels", height, leastHeight, mostSide)
	}
	if height > mostPixels/width {
		return nil, fmt.Errorf("%d × %d: expected at most %s pixels", width, height, number(mostPixels))
	}
	fonts, err := loadFonts()
	if err != nil {
		return nil, err
	}
	return newChart(l, s, fonts, float64(width), float64(height)), nil
}

// size is the size of the chart in the unit of package vg.
func (c *chart) size() (width, height vg.Length) {
	return vg.Length(c.width * pointsPerPixel), vg.Length(c.height * pointsPerPixel)
}

// drawPNG writes the picture as PNG.
func drawPNG(w io.Writer, l *layout, s summary, opt Options) error {
	c, err := sizedChart(l, s, opt)
	if err != nil {
		return err
	}
	canvas := vgimg.PngCanvas{Canvas: vgimg.New(c.size())}
	c.draw(pixels{canvas.Canvas})
	_, err = canvas.WriteTo(w)
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

// drawSVG writes the picture as SVG.
func drawSVG(w io.Writer, l *layout, s summary, opt Options) error {
	c, err := sizedChart(l, s, opt)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(c.size())
	c.draw(canvas)
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	c.finishSVG(out, drawn.Bytes())
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
// invisible rectangles that say, where the pointer rests on one, which job it is.
func (c *chart) finishSVG(out *bufio.Writer, drawn []byte) {
	start := bytes.Index(drawn, []byte("<svg"))
	head := start + 1 + bytes.IndexByte(drawn[max(start, 0):], '>')
	end := bytes.LastIndex(drawn, []byte("</svg>"))
	if start < 0 || end < head {
		// Not a document that this function understands: better without title than broken.
		out.Write(drawn)
		return
	}
	out.Write(drawn[:head])
	fmt.Fprintf(out, "\n<title>%s</title>", escaped(printable(c.summary.title)))
	out.WriteString(corrections.Replace(string(drawn[head:end])))
	if len(c.hovers) > 0 {
		fmt.Fprintf(out, "<g fill-opacity=\"0\" transform=\"scale(%v)\">\n", pointsPerPixel)
		for _, h := range c.hovers {
			fmt.Fprintf(out, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.4g\" height=\"%.4g\"><title>%s</title></rect>\n",
				h.x0, h.y0, h.width(), h.height(), escaped(c.describe(h.block)))
		}
		out.WriteString("</g>\n")
	}
	out.Write(drawn[end:])
}

// describe says what a block shows, in lines.
func (c *chart) describe(k int) string {
	b := &c.blocks[k]
	j := &c.jobs[b.job]
	set := model.ProcessorSet{{First: b.first, Last: b.last}}
	text := fmt.Sprintf("%s\n%s: %s\n%s – %s", printable(j.id), printable(c.bands[b.band].id), set, exact(b.start, 12), exact(b.end, 12))
	if c.unit != "" {
		text += " " + printable(c.unit)
	}
	if j.late() {
		text += fmt.Sprintf("\nlate by %s", number(j.end-j.deadline))
	}
	return text
}

// escaped is the text as it stands in XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}
