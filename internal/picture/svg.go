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

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/allot-opt/allot/internal/each"
)

// svgCanvas draws as Scalable Vector Graphics. It implements [vg.CanvasSizer]. The canvas of package vgsvg stands on a library under a licence that is made for
// texts.
//
// On a page the colours of the palette are variables of the page's style sheet, which are light or dark, and the letters are those of the page.
type svgCanvas struct {
	width, height vg.Length
	onPage        bool
	body          bytes.Buffer
	stack         []state // the last one counts
	err           error   // of an image
}

// state is what Push keeps.
type state struct {
	color  color.Color
	dash   []vg.Length
	offset vg.Length
	width  vg.Length
	groups int // open in the document since the last Push
}

// newSVG makes an empty canvas.
func newSVG(width, height vg.Length, onPage bool) *svgCanvas {
	c := &svgCanvas{width: width, height: height, onPage: onPage, stack: make([]state, 1)}
	c.group("scale(1, -1) translate(0, -%.5g)", height.Points()) // y grows upwards on the canvas
	vg.Initialize(c)                                             //nolint:misspell // the name that the library gave it
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
	text.WriteString(elements + above + "</svg>\n")
	_, err = text.WriteTo(w)
	return err
}

// viewBox is the place of the drawing in its own coordinates, as SVG states it.
func (c *svgCanvas) viewBox() string { return fmt.Sprintf("0 0 %.5g %.5g", c.width, c.height) }

// elements returns what is drawn, and closes all groups.
func (c *svgCanvas) elements() (string, error) {
	for k := range c.stack {
		c.body.WriteString(strings.Repeat("</g>\n", c.stack[k].groups))
	}
	return c.body.String(), c.err
}

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

// Size implements [vg.CanvasSizer].
func (c *svgCanvas) Size() (width, height vg.Length) { return c.width, c.height }

// top is the state that counts.
func (c *svgCanvas) top() *state { return &c.stack[len(c.stack)-1] }

// SetLineWidth implements [vg.Canvas].
func (c *svgCanvas) SetLineWidth(width vg.Length) { c.top().width = width }

// SetLineDash implements [vg.Canvas].
func (c *svgCanvas) SetLineDash(dash []vg.Length, offset vg.Length) {
	c.top().dash, c.top().offset = dash, offset
}

// SetColor implements [vg.Canvas].
func (c *svgCanvas) SetColor(ink color.Color) {
	if ink == nil {
		ink = color.Black
	}
	c.top().color = ink
}

// group opens a group with a transform, which the matching Pop closes.
func (c *svgCanvas) group(transform string, args ...any) {
	fmt.Fprintf(&c.body, "<g transform=\""+transform+"\">\n", args...)
	c.top().groups++
}

// Rotate implements [vg.Canvas].
func (c *svgCanvas) Rotate(radians float64) { c.group("rotate(%.5g)", radians*180/math.Pi) }

// Translate implements [vg.Canvas].
func (c *svgCanvas) Translate(by vg.Point) {
	c.group("translate(%.5g, %.5g)", by.X.Points(), by.Y.Points())
}

// Scale implements [vg.Canvas].
func (c *svgCanvas) Scale(x, y float64) { c.group("scale(%.5g, %.5g)", x, y) }

// Push implements [vg.Canvas].
func (c *svgCanvas) Push() {
	next := *c.top()
	next.groups = 0
	c.stack = append(c.stack, next)
}

// Pop implements [vg.Canvas].
func (c *svgCanvas) Pop() {
	c.body.WriteString(strings.Repeat("</g>\n", c.top().groups))
	c.stack = c.stack[:len(c.stack)-1]
}

// Stroke implements [vg.Canvas].
func (c *svgCanvas) Stroke(path vg.Path) {
	s := c.top()
	if s.width <= 0 {
		return
	}
	style := "fill:none;stroke:" + c.ink(s.color)
	if o := opacity(s.color); o != "1" {
		style += ";stroke-opacity:" + o
	}
	if width := fmt.Sprintf("%.5g", s.width.Points()); width != "1" {
		style += ";stroke-width:" + width
	}
	if len(s.dash) > 0 {
		lengths := each.Of(s.dash, func(length vg.Length) string { return fmt.Sprintf("%.5g", length.Points()) })
		style += ";stroke-dasharray:" + strings.Join(lengths, ",")
	}
	if offset := fmt.Sprintf("%.5g", s.offset.Points()); offset != "0" {
		style += ";stroke-dashoffset:" + offset
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"%s\" />\n", c.data(path), style)
}

// Fill implements [vg.Canvas].
func (c *svgCanvas) Fill(path vg.Path) {
	style := "fill:" + c.ink(c.top().color)
	if o := opacity(c.top().color); o != "1" {
		style += ";fill-opacity:" + o
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"%s\" />\n", c.data(path), style)
}

// fillRimmed fills a path that has a rim.
func (c *svgCanvas) fillRimmed(path vg.Path, fill color.Color, rim Pen) {
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"fill:%s;stroke:%s;stroke-width:%.4g;paint-order:stroke\" />\n", c.data(path), c.ink(fill), c.ink(rim.Ink), rim.Width*PointsPerPixel)
}

// FillString implements [vg.Canvas].
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	isBold := face.Font.Weight >= xfont.WeightBold
	style := fmt.Sprintf("font-size:%.5gpx", face.Font.Size.Points())
	switch {
	case !c.onPage:
		weight := "normal"
		if isBold {
			weight = "bold"
		}
		style = "font-family:" + families + ";font-kerning:none;font-variant:normal;font-weight:" + weight + ";font-style:normal;" + style
	case isBold:
		style += ";font-weight:bold"
	}
	if ink := c.ink(c.top().color); ink != "#000000" {
		style += ";fill:" + ink
	}
	fmt.Fprintf(&c.body, "<text x=\"%.5g\" y=\"%.5g\" transform=\"scale(1, -1)\"\n\tstyle=\"%s\">%s</text>\n", at.X.Points(), -at.Y.Points(), style, escaped(text))
}

// DrawImage implements [vg.Canvas].
func (c *svgCanvas) DrawImage(where vg.Rectangle, picture image.Image) {
	var coded bytes.Buffer
	if err := png.Encode(&coded, picture); err != nil {
		c.err = err
		return
	}
	size := where.Size()
	fmt.Fprintf(&c.body, "<image x=\"%v\" y=\"%v\" width=\"%v\" height=\"%v\" xlink:href=\"data:image/png;base64,%s\" transform=\"scale(1, -1)\" />\n",
		where.Min.X.Points(), -where.Min.Y.Points()-size.Y.Points(), size.X.Points(), size.Y.Points(), base64.StdEncoding.EncodeToString(coded.Bytes()))
}

// data is a path as SVG writes it. A sheet draws straight lines alone, so a path has no arcs and curves. On a page, which has many of them, it is brief.
func (c *svgCanvas) data(path vg.Path) string {
	var b strings.Builder
	var at vg.Point
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp, vg.LineComp:
			from := at
			at = part.Pos
			if c.onPage && part.Type == vg.LineComp && (at.X == from.X || at.Y == from.Y) {
				if at.X == from.X {
					fmt.Fprintf(&b, "V%.4g", at.Y.Points())
				} else {
					fmt.Fprintf(&b, "H%.4g", at.X.Points())
				}
				continue
			}
			fmt.Fprintf(&b, "%c%.5g,%.5g", "ML"[part.Type], at.X.Points(), at.Y.Points())
		case vg.CloseComp:
			b.WriteString("Z")
		default:
			panic("picture: a sheet draws straight lines alone, and a path has an arc or a curve")
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
