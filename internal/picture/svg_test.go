package picture

import (
	"encoding/xml"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Paths, states and texts stand in the document as SVG defines them, worked by hand.
func TestSVGCanvas(t *testing.T) {
	c := newSVG(100, 50, false)
	c.Push()
	c.Translate(vg.Point{X: 1, Y: 2})
	c.Scale(2, 3)
	c.SetColor(color.NRGBA{0xff, 0, 0, 0x80})
	var circle, curves vg.Path
	circle.Move(vg.Point{X: 10})
	circle.Arc(vg.Point{}, 10, 0, 2*math.Pi)
	curves.Arc(vg.Point{}, 10, 0, -math.Pi/2)
	curves.QuadTo(vg.Point{X: 1, Y: 2}, vg.Point{X: 3, Y: 4})
	curves.CubeTo(vg.Point{X: 1}, vg.Point{X: 2}, vg.Point{X: 3})
	curves.Close()
	c.Fill(circle)
	c.Pop()
	c.SetLineDash([]vg.Length{3, 1}, 2)
	c.Stroke(curves)
	c.SetLineWidth(0)
	c.Stroke(curves) // draws nothing
	c.Rotate(math.Pi / 2)
	var text strings.Builder
	if err := c.writeTo(&text, `a<"b"`, "<g></g>\n"); err != nil {
		t.Fatal(err)
	}
	_, drawn, _ := strings.Cut(text.String(), "xlink\">\n")
	const want = `<title>a&lt;&#34;b&#34;</title>
<g transform="scale(1, -1) translate(0, -50)">
<g transform="translate(1, 2)">
<g transform="scale(2, 3)">
<path d="M10,0A10,10 0 1 1 -10,1.2246e-15A10,10 0 1 1 10,-2.4493e-15" style="fill:#FF0000;fill-opacity:0.50196" />
</g>
</g>
<path d="M10,0A10,10 0 0 0 6.1232e-16,-10Q1,2,3,4C1,0,2,0,3,0Z" style="fill:none;stroke:#000000;stroke-dasharray:3,1;stroke-dashoffset:2" />
<g transform="rotate(90)">
</g>
</g>
<g></g>
</svg>
`
	if drawn != want {
		t.Errorf("got %s\nwant %s", drawn, want)
	}
	decoder := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
