package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
)

// Dark is the style of a picture in a file of its own: where it is shown as an image on a page, it is dark if the reader's system is. Lightness turns around
// and hues stay, as in the charts of a report. A program that knows no such styles shows the light picture. A page that holds the elements of a picture itself
// leaves this out, because a style within a page counts for all of it.
const Dark = "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.91) hue-rotate(180deg); } }</style>\n"

// svgCanvas draws as Scalable Vector Graphics.
//
// On a page the colours of the palette are variables of the page's style sheet, which are light or dark, and the letters are those of the page.
type svgCanvas struct {
	width, height float64 // in points
	onPage        bool
	body          bytes.Buffer
	err           error // of an image
}

// newSVG makes an empty canvas.
func newSVG(width, height float64, onPage bool) *svgCanvas {
	c := &svgCanvas{width: width, height: height, onPage: onPage}
	fmt.Fprintf(&c.body, "<g transform=\"scale(1, -1) translate(0, -%.5g)\" stroke-linejoin=\"round\" text-rendering=\"geometricPrecision\">\n", height) // y grows upwards on the canvas; letters are as wide as their font says, at every size
	return c
}

// writeTo writes the canvas as a document with a title. The elements above the drawing count y downwards.
func (c *svgCanvas) writeTo(w io.Writer, title, above string) error {
	elements, err := c.elements()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, `<?xml version="1.0"?>
<svg width="%.5gpt" height="%.5gpt" viewBox="%s"
	xmlns="http://www.w3.org/2000/svg"
	xmlns:xlink="http://www.w3.org/1999/xlink">`+"\n", c.width, c.height, c.viewBox())
	if title != "" {
		fmt.Fprintf(&text, "<title>%s</title>\n", escaped(title))
	}
	text.WriteString(Dark + elements + above + "</svg>\n")
	_, err = text.WriteTo(w)
	return err
}

// viewBox is the place of the drawing in its own coordinates, as SVG states it.
func (c *svgCanvas) viewBox() string { return fmt.Sprintf("0 0 %.5g %.5g", c.width, c.height) }

// elements returns what is drawn.
func (c *svgCanvas) elements() (string, error) { return c.body.String() + "</g>\n", c.err }

// open opens a group of a class whose title shows while the pointer rests on it.
func (c *svgCanvas) open(class, title string) {
	fmt.Fprintf(&c.body, "<g class=\"%s\"><title>%s</title>\n", class, escaped(title))
}

// close closes the group that open has opened.
func (c *svgCanvas) close() { c.body.WriteString("</g>\n") }

// escaped is the text as it stands in XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

// stroke implements [canvas].
func (c *svgCanvas) stroke(path Path, p Pen) {
	style := "fill:none;stroke:" + c.ink(p.Ink)
	if o := opacity(p.Ink); o != "1" {
		style += ";stroke-opacity:" + o
	}
	if width := fmt.Sprintf("%.5g", p.Width*PointsPerPixel); width != "1" {
		style += ";stroke-width:" + width
	}
	if len(p.Dash) > 0 {
		var lengths []string
		for _, length := range p.Dash {
			lengths = append(lengths, fmt.Sprintf("%.5g", length*PointsPerPixel))
		}
		style += ";stroke-dasharray:" + strings.Join(lengths, ",")
		if from := fmt.Sprintf("%.5g", p.From*PointsPerPixel); from != "0" {
			style += ";stroke-dashoffset:" + from
		}
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"%s\" />\n", c.data(path), style)
}

// fill implements [canvas].
func (c *svgCanvas) fill(path Path, ink color.Color) {
	style := "fill:" + c.ink(ink)
	if o := opacity(ink); o != "1" {
		style += ";fill-opacity:" + o
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"%s\" />\n", c.data(path), style)
}

// fillRimmed fills a path that has a rim.
func (c *svgCanvas) fillRimmed(path Path, fill color.Color, rim Pen) {
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"fill:%s;stroke:%s;stroke-width:%.4g;paint-order:stroke\" />\n", c.data(path), c.ink(fill), c.ink(rim.Ink), rim.Width*PointsPerPixel)
}

// text implements [canvas].
func (c *svgCanvas) text(at Spot, upright bool, l Lettering, text string) {
	if upright {
		fmt.Fprintf(&c.body, "<g transform=\"translate(%.5g, %.5g)\">\n<g transform=\"rotate(90)\">\n", at.X, at.Y)
		at = Spot{}
		defer c.body.WriteString("</g>\n</g>\n")
	}
	style := fmt.Sprintf("font-size:%.5gpx", l.Size*PointsPerPixel)
	switch {
	case !c.onPage:
		weight := "normal"
		if l.Bold {
			weight = "bold"
		}
		style = "font-family:" + families + ";font-kerning:none;font-variant:normal;font-weight:" + weight + ";font-style:normal;" + style
	case l.Bold:
		style += ";font-weight:bold"
	}
	switch l.Align { // the viewer knows how wide its font is
	case 0.5:
		style += ";text-anchor:middle"
	case 1:
		style += ";text-anchor:end"
	}
	if ink := c.ink(l.Ink); ink != "#000000" {
		style += ";fill:" + ink
	}
	fmt.Fprintf(&c.body, "<text x=\"%.5g\" y=\"%.5g\" transform=\"scale(1, -1)\"\n\tstyle=\"%s\">%s</text>\n", at.X, -at.Y, style, escaped(text))
}

// image implements [canvas].
func (c *svgCanvas) image(from, to Spot, img image.Image) {
	var coded bytes.Buffer
	if err := png.Encode(&coded, img); err != nil {
		c.err = err
		return
	}
	width, height := to.X-from.X, to.Y-from.Y
	fmt.Fprintf(&c.body, "<image x=\"%v\" y=\"%v\" width=\"%v\" height=\"%v\" xlink:href=\"data:image/png;base64,%s\" transform=\"scale(1, -1)\" />\n",
		from.X, -from.Y-height, width, height, base64.StdEncoding.EncodeToString(coded.Bytes()))
}

// data is a path as SVG writes it. On a page, which has many of them, it is brief.
func (c *svgCanvas) data(path Path) string {
	var b strings.Builder
	var at Spot
	for _, part := range path {
		from := at
		if part.kind != shut {
			at = part.to
		}
		switch {
		case part.kind == shut:
			b.WriteString("Z")
		case part.kind == curve:
			fmt.Fprintf(&b, "Q%.5g,%.5g,%.5g,%.5g", part.control.X, part.control.Y, at.X, at.Y)
		case part.kind == move:
			fmt.Fprintf(&b, "M%.5g,%.5g", at.X, at.Y)
		case c.onPage && at.X == from.X:
			fmt.Fprintf(&b, "V%.4g", at.Y)
		case c.onPage && at.Y == from.Y:
			fmt.Fprintf(&b, "H%.4g", at.X)
		default:
			fmt.Fprintf(&b, "L%.5g,%.5g", at.X, at.Y)
		}
	}
	return b.String()
}

// ink is a colour without its opacity, as a style states it: on a page it is a variable where the palette has a name for it.
func (c *svgCanvas) ink(ink color.Color) string {
	if name := nameOf(ink); c.onPage && name != "" {
		return "var(--" + name + ")"
	}
	r, g, b, a := ink.RGBA()
	share := 255 / float64(max(a, 1))
	return fmt.Sprintf("#%02X%02X%02X", int(float64(r)*share), int(float64(g)*share), int(float64(b)*share))
}

// opacity is the opacity of a colour, 1 if nothing shines through.
func opacity(ink color.Color) string {
	_, _, _, a := ink.RGBA()
	return fmt.Sprintf("%.5g", float64(a)/math.MaxUint16)
}
