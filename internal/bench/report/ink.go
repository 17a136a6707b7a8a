package report

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"github.com/allot-opt/allot/internal/svg"
)

// Format is the format of a picture that is written to its own file.
type Format string

// The formats. Every file is self-contained. An SVG has plain colours, because many programs do not know variables in style sheets and paint
// such shapes black.
const (
	SVG Format = "svg"
	PDF Format = "pdf"
	PNG Format = "png"
)

// dotsPerInch of a PNG: twice what a screen has, so that it can be printed.
const dotsPerInch = 192

// letters are the fonts of pictures that are files.
var letters = font.NewCache(liberation.Collection())

// Files do not depend on when they were written, nor on the order of a map.
func init() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
}

// The colours of pictures in their own files: those of page.css on paper.
var (
	paperInk = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	darkInk  = color.NRGBA{0x1b, 0x20, 0x26, 0xff}
	quietInk = color.NRGBA{0x56, 0x60, 0x6b, 0xff}
	ruleInk  = color.NRGBA{0xd5, 0xd9, 0xdd, 0xff}
	hairInk  = color.NRGBA{0xe8, 0xea, 0xec, 0xff}
	faintInk = color.NRGBA{0xbb, 0xbf, 0xc4, 0xff}
	inks     = [styles]color.NRGBA{
		{0x00, 0x68, 0xa8, 0xff}, {0xc2, 0x4e, 0x00, 0xff}, {0x00, 0x79, 0x5c, 0xff}, {0xa8, 0x32, 0x7c, 0xff},
		{0x7a, 0x62, 0x00, 0xff}, {0x4b, 0x4f, 0xb8, 0xff}, {0xb3, 0x20, 0x2c, 0xff}, {0x4f, 0x5b, 0x66, 0xff},
	}
	dashes = [styles][]vg.Length{1: {7, 3}, 2: {2, 2.2}, 3: {9, 3, 2, 3}, 5: {5, 2}, 6: {3, 3}, 7: {10, 3, 2, 2, 2, 3}}
)

// ink draws on a canvas in the coordinates of the page's pictures: a unit is a point, y grows downwards.
type ink struct {
	canvas vg.Canvas
	height float64
	x, y   float64 // of the origin
	format Format
}

// at is a place on the canvas.
func (k *ink) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(k.x + x), Y: vg.Length(k.height - k.y - y)}
}

// shifted draws from another origin.
func (k *ink) shifted(x, y float64) *ink {
	moved := *k
	moved.x, moved.y = k.x+x, k.y+y
	return &moved
}

// line draws a path of SVG.
func (k *ink) line(path string, c color.Color, width float64, dash []vg.Length) {
	if outline := k.outline(path); len(outline) > 0 {
		k.canvas.SetColor(c)
		k.canvas.SetLineWidth(vg.Length(width))
		k.canvas.SetLineDash(dash, 0)
		k.canvas.Stroke(outline)
	}
}

// fill fills a path of SVG.
func (k *ink) fill(path string, c color.Color) {
	if outline := k.outline(path); len(outline) > 0 {
		k.canvas.SetColor(c)
		k.canvas.Fill(outline)
	}
}

// mark draws the outline of markers, filled with paper.
func (k *ink) mark(path string, c color.Color) {
	if strings.Contains(path, "z") {
		k.fill(path, paperInk)
	}
	k.line(path, c, 1.3, nil)
}

// face is a font of a size.
func face(size float64, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return letters.Lookup(f, vg.Length(size))
}

// widthOf is the width of a text of a size.
func widthOf(text string, size float64) float64 {
	f := face(size, false)
	return float64(f.Width(text))
}

// text writes a text whose share (0: none, 1: all) lies before x; y is its base line. It returns the text's width.
func (k *ink) text(x, y, share float64, text string, size float64, bold bool, c color.Color) float64 {
	f := face(size, bold && k.format != PDF) // package vgpdf embeds one font and would take its letters for those of all
	width := float64(f.Width(text))
	if text == "" {
		return 0
	}
	if k.format == PDF {
		text = western(text)
	}
	k.canvas.SetColor(c)
	k.canvas.FillString(f, k.at(x-share*width, y), text)
	return width
}

// western is a text in code page 1252, the only one that package vgpdf has letters of. Other letters are question marks.
func western(text string) string {
	var b strings.Builder
	for _, r := range strings.NewReplacer("−", "-", "≤", "<=", "≥", ">=", "→", "->").Replace(text) {
		letter, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			letter = '?'
		}
		b.WriteByte(letter)
	}
	return b.String()
}

// pathToken is a command or a number of a path.
var pathToken = regexp.MustCompile(`[A-Za-z]|-?[0-9.]+(?:e-?[0-9]+)?`)

// outline is a path of SVG on the canvas. It knows the commands that this package writes: M, L, H, V in both cases, half circles and z.
func (k *ink) outline(path string) vg.Path {
	var out vg.Path
	var x, y float64
	tokens := pathToken.FindAllString(path, -1)
	next := func() float64 {
		if len(tokens) == 0 {
			return 0
		}
		value, err := strconv.ParseFloat(tokens[0], 64)
		if err != nil {
			return 0
		}
		tokens = tokens[1:]
		return value
	}
	for len(tokens) > 0 {
		command := tokens[0]
		tokens = tokens[1:]
		switch command {
		case "M", "L":
			x, y = next(), next()
		case "m", "l":
			x, y = x+next(), y+next()
		case "H":
			x = next()
		case "h":
			x += next()
		case "V":
			y = next()
		case "v":
			y += next()
		case "a": // radius, radius, rotation, large, sweep, to: a half circle beside the place
			radius := next()
			for range 4 {
				next()
			}
			dx := next()
			next()
			from := 0.0 // the angle of the place as seen from the middle
			if dx > 0 {
				from = math.Pi
			}
			out.Arc(k.at(x+dx/2, y), vg.Length(radius), from, math.Pi)
			x += dx
			continue
		case "z", "Z":
			out.Close()
			continue
		}
		if command == "M" || command == "m" {
			out.Move(k.at(x, y))
		} else {
			out.Line(k.at(x, y))
		}
	}
	return out
}

// picture writes what paint draws on paper of a width and height in points.
func picture(w io.Writer, format Format, title string, width, height float64, paint func(*ink)) error {
	k := &ink{height: height, format: format}
	x, y := vg.Length(width), vg.Length(height)
	var writer io.WriterTo
	var drawing *svg.Canvas
	switch format {
	case SVG:
		drawing = svg.New(x, y, "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
		k.canvas = drawing
	case PDF:
		canvas := vgpdf.New(x, y)
		k.canvas, writer = canvas, canvas
	case PNG:
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(x, y), vgimg.UseDPI(dotsPerInch))}
		k.canvas, writer = canvas, canvas
	default:
		return fmt.Errorf("report: format: expected svg, pdf or png, found %q", format)
	}
	k.fill(fmt.Sprintf("M0 0H%vV%vH0z", width, height), paperInk)
	paint(k)
	if format == SVG {
		return drawing.Write(w, svg.Document{Title: title})
	}
	_, err := writer.WriteTo(w)
	return err
}
