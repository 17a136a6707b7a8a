package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
)

// pdfCanvas draws as PDF. Its y grows downwards, in points.
type pdfCanvas struct {
	document *fpdf.Fpdf
	height   float64
	images   int
}

// sans is the name of the font in a PDF.
const sans = "sans"

// pdf writes the drawing as PDF.
func (d *Drawing) pdf(w io.Writer) error {
	c := newPDF(d.size())
	d.on(c)
	return c.document.Output(w)
}

// newPDF makes a document of one empty page. It depends neither on when it was written nor on the order of a map.
func newPDF(width, height float64) *pdfCanvas {
	document := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}})
	document.SetCreationDate(time.Unix(0, 0).UTC())
	document.SetModificationDate(time.Unix(0, 0).UTC())
	document.SetCatalogSort(true)
	document.SetMargins(0, 0, 0)
	document.AddUTF8FontFromBytes(sans, "", liberationsansregular.TTF)
	document.AddPage()
	document.SetLineJoinStyle("round")
	return &pdfCanvas{document: document, height: height}
}

// inked is a colour as the library takes it, and sets its opacity.
func (c *pdfCanvas) inked(ink color.Color) (r, g, b int) {
	n := color.NRGBAModel.Convert(ink).(color.NRGBA)
	c.document.SetAlpha(float64(n.A)/math.MaxUint8, "Normal")
	return int(n.R), int(n.G), int(n.B)
}

// path adds a path, to be drawn next.
func (c *pdfCanvas) path(path Path) {
	at := func(s Spot) (x, y float64) { return s.X, c.height - s.Y }
	for _, part := range path {
		x, y := at(part.to)
		switch part.kind {
		case move:
			c.document.MoveTo(x, y)
		case line:
			c.document.LineTo(x, y)
		case curve:
			controlX, controlY := at(part.control)
			c.document.CurveTo(controlX, controlY, x, y)
		case shut:
			c.document.ClosePath()
		}
	}
}

// fill implements [canvas].
func (c *pdfCanvas) fill(path Path, ink color.Color) {
	c.document.SetFillColor(c.inked(ink))
	c.path(path)
	c.document.DrawPath("F")
}

// stroke implements [canvas].
func (c *pdfCanvas) stroke(path Path, p Pen) {
	dash := make([]float64, len(p.Dash))
	for k := range dash {
		dash[k] = p.Dash[k] * PointsPerPixel
	}
	c.document.SetDrawColor(c.inked(p.Ink))
	c.document.SetLineWidth(p.Width * PointsPerPixel)
	c.document.SetDashPattern(dash, p.From*PointsPerPixel)
	c.path(path)
	c.document.DrawPath("D")
}

// text implements [canvas]. Bold texts, and texts with letters that the font lacks, are drawn as outlines; the others can be searched.
func (c *pdfCanvas) text(at Spot, upright bool, l Lettering, text string) {
	if l.Bold || !l.has(text) {
		c.fill(l.outlines(at, upright, text), l.Ink)
		return
	}
	at = l.begin(at, upright, text)
	x, y := at.X, c.height-at.Y
	c.document.SetTextColor(c.inked(l.Ink))
	c.document.SetFont(sans, "", l.Size*PointsPerPixel)
	if upright {
		c.document.TransformBegin()
		c.document.TransformRotate(90, x, y)
		defer c.document.TransformEnd()
	}
	c.document.Text(x, y, strings.ToValidUTF8(text, "\uFFFD")) // the library takes the letters apart without looking
}

// has reports whether the font has all letters of a text. The library takes letters of the basic plane alone.
func (l Lettering) has(text string) bool {
	var buffer sfnt.Buffer
	for _, letter := range text {
		if glyph(l.font(), &buffer, letter) == 0 || letter > 0xffff {
			return false
		}
	}
	return true
}

// image implements [canvas].
func (c *pdfCanvas) image(from, to Spot, img image.Image) {
	var coded bytes.Buffer
	if err := png.Encode(&coded, img); err != nil {
		c.document.SetError(err)
		return
	}
	c.images++
	name, opt := fmt.Sprint("image", c.images), fpdf.ImageOptions{ImageType: "png"}
	c.document.SetAlpha(1, "Normal")
	c.document.RegisterImageOptionsReader(name, opt, &coded)
	c.document.ImageOptions(name, from.X, c.height-to.Y, to.X-from.X, to.Y-from.Y, false, opt, 0, "")
}
