package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/draw"
)

// The size of a plot in the units of its SVG. It is small so that letters stay readable where a phone scales it down; on a wide
// screen two stand side by side.
const (
	plotWidth, plotHeight = 400.0, 282.0
	plotLeft, plotRight   = 46.0, 390.0
	plotTop, plotBottom   = 24.0, 240.0
)

// styles is how many curves can be told apart, each by a colour, a dash and a marker; page.css has the colours and dashes.
const styles = 8

// faint is the style of a curve in the background. referenceStyle is the style of a reference solver of another kind, beside the solvers of a
// group.
const (
	faint          = -1
	referenceStyle = -2
)

// point is a corner of a curve.
type point struct{ x, y float64 }

// curve is a step function that keeps the value of a point until the next.
type curve struct {
	name   string
	style  int // below styles, or faint, or referenceStyle
	points []point
}

// plot is a picture of curves over shared axes, laid out for its SVG.
type plot struct {
	ID             string
	Title          string
	Description    string // for who does not see it
	Note           string // below it
	Width, Height  float64
	Left, Right    float64
	Top, Bottom    float64
	XTicks, YTicks []mark
	XCaption       string
	YCaption       string
	Curves         []drawn // in the order of drawing
	Legend         []drawn // in the order of the curves given
}

// mark is a tick in the picture's coordinates; without a label it is a lesser one.
type mark struct {
	At     float64
	Label  string
	IsLast bool // at the right edge, beyond which it must not reach
}

// drawn is a curve in the picture's coordinates.
type drawn struct {
	Name    string
	Style   string // the class in page.css: s0, s1, …, ref or faint
	Path    string
	Markers string
	Swatch  string // the marker in the legend
}

// newPlot lays curves out over two axes. Faint ones are drawn first.
func newPlot(id, title string, x, y draw.Axis, curves []curve) *plot {
	p := &plot{
		ID: id, Title: title, Width: plotWidth, Height: plotHeight, Left: plotLeft, Right: plotRight, Top: plotTop, Bottom: plotBottom,
		XCaption: x.Caption, YCaption: fitted(y.Caption),
	}
	for _, t := range x.Ticks {
		const edge = 0.97
		p.XTicks = append(p.XTicks, mark{tenth(plotLeft + t.At*(plotRight-plotLeft)), t.Label, t.At > edge})
	}
	for _, t := range y.Ticks {
		p.YTicks = append(p.YTicks, mark{At: tenth(plotBottom - t.At*(plotBottom-plotTop)), Label: t.Label})
	}
	var above []drawn
	for _, c := range curves {
		corners := project(c.points, x, y)
		d := drawn{Name: c.name, Style: "faint", Path: stepPath(corners)}
		if c.style == faint {
			p.Curves = append(p.Curves, d)
			continue
		}
		if c.style == referenceStyle {
			d.Style = "ref"
			above, p.Legend = append(above, d), append(p.Legend, d)
			continue
		}
		d.Style = "s" + strconv.Itoa(c.style)
		d.Markers = markers(corners, c.style)
		d.Swatch = markerPath(c.style, 14, 6)
		above = append(above, d)
		p.Legend = append(p.Legend, d)
	}
	for k := range above { // the best comes first and lies on top
		p.Curves = append(p.Curves, above[len(above)-1-k])
	}
	return p
}

// fitted is a caption that ends within the picture: without its last part in brackets, then without its last words, where it is too long.
func fitted(caption string) string {
	fits := func(text string) bool { return widthOf(text, 10.5) <= plotRight }
	if fits(caption) {
		return caption
	}
	short := caption
	if open := strings.LastIndex(caption, " ("); open > 0 {
		short = caption[:open]
	}
	if fits(short) {
		return short
	}
	for last := strings.LastIndex(short, " "); last > 0; last = strings.LastIndex(short, " ") {
		if short = short[:last]; fits(short + " …") {
			break
		}
	}
	return short + " …"
}

// project maps points into the picture; of those that fall into one tenth of a unit the last stays.
func project(points []point, x, y draw.Axis) []point {
	var corners []point
	for _, q := range points {
		c := point{tenth(plotLeft + x.At(q.x)*(plotRight-plotLeft)), tenth(plotBottom - y.At(q.y)*(plotBottom-plotTop))}
		n := len(corners)
		switch {
		case n > 0 && corners[n-1].x == c.x:
			corners[n-1].y = c.y
		case n > 0 && corners[n-1].y == c.y: // no step
		default:
			corners = append(corners, c)
		}
	}
	return corners
}

// stepPath is the path through corners up to the right edge; empty without any.
func stepPath(corners []point) string {
	if len(corners) == 0 {
		return ""
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, "M%v %v", corners[0].x, corners[0].y)
	for _, c := range corners[1:] {
		fmt.Fprintf(b, "H%vV%v", c.x, c.y)
	}
	fmt.Fprintf(b, "H%v", plotRight)
	return b.String()
}

// markers is the path of the markers on a curve, five of them at places of the style's own, so that curves that lie on each other
// still show theirs side by side.
func markers(corners []point, style int) string {
	const count = 5
	b := new(strings.Builder)
	for k := range count {
		x := tenth(plotLeft + (float64(k)+(float64(style)+0.5)/styles)*(plotRight-plotLeft)/count)
		y := math.NaN()
		for _, c := range corners {
			if c.x > x {
				break
			}
			y = c.y
		}
		if !math.IsNaN(y) {
			b.WriteString(markerPath(style, x, y))
		}
	}
	return b.String()
}

// markerPath is the outline of a style's marker around a place.
func markerPath(style int, x, y float64) string {
	switch style {
	case 0: // circle
		return fmt.Sprintf("M%v %va3 3 0 1 0 6 0a3 3 0 1 0-6 0z", tenth(x-3), y)
	case 1: // square
		return fmt.Sprintf("M%v %vh5.4v5.4h-5.4z", tenth(x-2.7), tenth(y-2.7))
	case 2: // triangle
		return fmt.Sprintf("M%v %vl3.4 6h-6.8z", x, tenth(y-3.6))
	case 3: // diamond
		return fmt.Sprintf("M%v %vl3.6 3.8l-3.6 3.8l-3.6-3.8z", x, tenth(y-3.8))
	case 4: // cross
		return fmt.Sprintf("M%v %vl5.6 5.6m0-5.6l-5.6 5.6", tenth(x-2.8), tenth(y-2.8))
	case 5: // plus
		return fmt.Sprintf("M%v %vh7.2m-3.6-3.6v7.2", tenth(x-3.6), y)
	case 6: // triangle that points down
		return fmt.Sprintf("M%v %vl3.4-6h-6.8z", x, tenth(y+3.6))
	default: // bar
		return fmt.Sprintf("M%v %vh3v7.6h-3z", tenth(x-1.5), tenth(y-3.8))
	}
}

// tenth rounds to a tenth, finer than an eye sees.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }

// XLabel is the line of the labels of the lying axis.
func (p *plot) XLabel() float64 { return p.Bottom + 16 }

// YLabel is where the labels of the upright axis end.
func (p *plot) YLabel() float64 { return p.Left - 6 }

// XCaptionAt is the line of the caption of the lying axis.
func (p *plot) XCaptionAt() float64 { return p.Bottom + 35 }
