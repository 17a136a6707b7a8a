// Package svg draws on the canvas of package vg as Scalable Vector Graphics. The canvas of package vgsvg stands on a library under a licence that is
// made for texts.
package svg

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
)

// Canvas implements [vg.CanvasSizer].
type Canvas struct {
	width, height vg.Length
	letters       string
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

// Document is what a document has besides the drawing.
type Document struct {
	Title string // "": none
	Above string // elements above the drawing, whose y grows downwards
}

// New makes an empty canvas. letters is the style of all texts: the families of fonts and what else concerns all.
func New(width, height vg.Length, letters string) *Canvas {
	c := &Canvas{width: width, height: height, letters: letters, stack: make([]state, 1)}
	c.group("scale(1, -1) translate(0, -%.5g)", height.Points()) // y grows upwards on the canvas
	vg.Initialize(c)                                             //nolint:misspell // the name that the library gave it
	return c
}

// Write writes the document.
func (c *Canvas) Write(w io.Writer, document Document) error {
	if c.err != nil {
		return c.err
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, `<?xml version="1.0"?>
<svg width="%.5gpt" height="%.5gpt" viewBox="0 0 %.5g %.5g"
	xmlns="http://www.w3.org/2000/svg"
	xmlns:xlink="http://www.w3.org/1999/xlink">`+"\n", c.width, c.height, c.width, c.height)
	if document.Title != "" {
		fmt.Fprintf(&text, "<title>%s</title>\n", Escaped(document.Title))
	}
	text.Write(c.body.Bytes())
	for k := range c.stack {
		text.WriteString(strings.Repeat("</g>\n", c.stack[k].groups))
	}
	text.WriteString(document.Above + "</svg>\n")
	_, err := text.WriteTo(w)
	return err
}

// Escaped is the text as it stands in XML.
func Escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

// Size implements [vg.CanvasSizer].
func (c *Canvas) Size() (width, height vg.Length) { return c.width, c.height }

// top is the state that counts.
func (c *Canvas) top() *state { return &c.stack[len(c.stack)-1] }

// SetLineWidth implements [vg.Canvas].
func (c *Canvas) SetLineWidth(width vg.Length) { c.top().width = width }

// SetLineDash implements [vg.Canvas].
func (c *Canvas) SetLineDash(dash []vg.Length, offset vg.Length) {
	c.top().dash, c.top().offset = dash, offset
}

// SetColor implements [vg.Canvas].
func (c *Canvas) SetColor(ink color.Color) {
	if ink == nil {
		ink = color.Black
	}
	c.top().color = ink
}

// group opens a group with a transform, which the matching Pop closes.
func (c *Canvas) group(transform string, args ...any) {
	fmt.Fprintf(&c.body, "<g transform=\""+transform+"\">\n", args...)
	c.top().groups++
}

// Rotate implements [vg.Canvas].
func (c *Canvas) Rotate(radians float64) { c.group("rotate(%.5g)", radians*180/math.Pi) }

// Translate implements [vg.Canvas].
func (c *Canvas) Translate(by vg.Point) {
	c.group("translate(%.5g, %.5g)", by.X.Points(), by.Y.Points())
}

// Scale implements [vg.Canvas].
func (c *Canvas) Scale(x, y float64) { c.group("scale(%.5g, %.5g)", x, y) }

// Push implements [vg.Canvas].
func (c *Canvas) Push() {
	next := *c.top()
	next.groups = 0
	c.stack = append(c.stack, next)
}

// Pop implements [vg.Canvas].
func (c *Canvas) Pop() {
	c.body.WriteString(strings.Repeat("</g>\n", c.top().groups))
	c.stack = c.stack[:len(c.stack)-1]
}

// Stroke implements [vg.Canvas].
func (c *Canvas) Stroke(path vg.Path) {
	s := c.top()
	if s.width <= 0 {
		return
	}
	style := "fill:none;stroke:" + hex(s.color)
	if o := opacity(s.color); o != "1" {
		style += ";stroke-opacity:" + o
	}
	if width := fmt.Sprintf("%.5g", s.width.Points()); width != "1" {
		style += ";stroke-width:" + width
	}
	if len(s.dash) > 0 {
		var lengths []string
		for _, length := range s.dash {
			lengths = append(lengths, fmt.Sprintf("%.5g", length.Points()))
		}
		style += ";stroke-dasharray:" + strings.Join(lengths, ",")
	}
	if offset := fmt.Sprintf("%.5g", s.offset.Points()); offset != "0" {
		style += ";stroke-dashoffset:" + offset
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"%s\" />\n", data(path), style)
}

// Fill implements [vg.Canvas].
func (c *Canvas) Fill(path vg.Path) {
	style := "fill:" + hex(c.top().color)
	if o := opacity(c.top().color); o != "1" {
		style += ";fill-opacity:" + o
	}
	fmt.Fprintf(&c.body, "<path d=\"%s\" style=\"%s\" />\n", data(path), style)
}

// FillString implements [vg.Canvas].
func (c *Canvas) FillString(face font.Face, at vg.Point, text string) {
	weight := "normal"
	if face.Font.Weight >= xfont.WeightBold {
		weight = "bold"
	}
	style := fmt.Sprintf("%s;font-variant:normal;font-weight:%s;font-style:normal;font-size:%.5gpx", c.letters, weight, face.Font.Size.Points())
	if ink := hex(c.top().color); ink != "#000000" {
		style += ";fill:" + ink
	}
	fmt.Fprintf(&c.body, "<text x=\"%.5g\" y=\"%.5g\" transform=\"scale(1, -1)\"\n\tstyle=\"%s\">%s</text>\n", at.X.Points(), -at.Y.Points(), style, Escaped(text))
}

// DrawImage implements [vg.Canvas].
func (c *Canvas) DrawImage(where vg.Rectangle, picture image.Image) {
	var coded bytes.Buffer
	if err := png.Encode(&coded, picture); err != nil {
		c.err = err
		return
	}
	size := where.Size()
	fmt.Fprintf(&c.body, "<image x=\"%v\" y=\"%v\" width=\"%v\" height=\"%v\" xlink:href=\"data:image/png;base64,%s\" transform=\"scale(1, -1)\" />\n",
		where.Min.X.Points(), -where.Min.Y.Points()-size.Y.Points(), size.X.Points(), size.Y.Points(), base64.StdEncoding.EncodeToString(coded.Bytes()))
}

// data is a path as SVG writes it.
func data(path vg.Path) string {
	var b strings.Builder
	var at vg.Point
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp, vg.LineComp:
			at = part.Pos
			fmt.Fprintf(&b, "%c%.5g,%.5g", "ML"[part.Type], at.X.Points(), at.Y.Points())
		case vg.ArcComp:
			if from := onCircle(part, 0); b.Len() == 0 {
				fmt.Fprintf(&b, "M%.5g,%.5g", from.X.Points(), from.Y.Points())
			} else if from != at {
				fmt.Fprintf(&b, "L%.5g,%.5g", from.X.Points(), from.Y.Points())
			}
			pieces := 1
			if math.Abs(part.Angle) >= 2*math.Pi {
				pieces = 2 // SVG draws no arc that ends where it begins
			}
			for k := range pieces {
				at = onCircle(part, part.Angle*float64(k+1)/float64(pieces))
				fmt.Fprintf(&b, "A%.5g,%.5g 0 %d %d %.5g,%.5g", part.Radius.Points(), part.Radius.Points(),
					flag(math.Abs(part.Angle)/float64(pieces) >= math.Pi), flag(part.Angle >= 0), at.X.Points(), at.Y.Points())
			}
		case vg.CurveComp:
			fmt.Fprintf(&b, "%c", "QC"[len(part.Control)-1])
			for _, p := range part.Control {
				fmt.Fprintf(&b, "%.5g,%.5g,", p.X.Points(), p.Y.Points())
			}
			at = part.Pos
			fmt.Fprintf(&b, "%.5g,%.5g", at.X.Points(), at.Y.Points())
		case vg.CloseComp:
			b.WriteString("Z")
		}
	}
	return b.String()
}

// onCircle is a point of the circle of an arc, an angle after the start.
func onCircle(arc vg.PathComp, angle float64) vg.Point {
	sin, cos := math.Sincos(arc.Start + angle)
	return vg.Point{X: arc.Pos.X + arc.Radius*vg.Length(cos), Y: arc.Pos.Y + arc.Radius*vg.Length(sin)}
}

// flag is a flag of an arc.
func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

// hex is a colour without its opacity.
func hex(ink color.Color) string {
	r, g, b, a := ink.RGBA()
	share := 255 / float64(max(a, 1))
	return fmt.Sprintf("#%02X%02X%02X", int(float64(r)*share), int(float64(g)*share), int(float64(b)*share))
}

// opacity is the opacity of a colour, 1 if nothing shines through.
func opacity(ink color.Color) string {
	_, _, _, a := ink.RGBA()
	return fmt.Sprintf("%.5g", float64(a)/math.MaxUint16)
}
