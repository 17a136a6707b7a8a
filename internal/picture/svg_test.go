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
	var line, corner vg.Path
	line.Move(vg.Point{X: 10})
	line.Line(vg.Point{X: 10, Y: 4})
	corner.Move(vg.Point{X: 1, Y: 2})
	corner.Line(vg.Point{X: 3, Y: 4})
	corner.Line(vg.Point{X: 3, Y: 9.5})
	corner.Close()
	c.Fill(line)
	c.Pop()
	c.SetLineDash([]vg.Length{3, 1}, 2)
	c.Stroke(corner)
	c.SetLineWidth(0)
	c.Stroke(corner) // draws nothing
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
<path d="M10,0L10,4" style="fill:#FF0000;fill-opacity:0.50196" />
</g>
</g>
<path d="M1,2L3,4L3,9.5Z" style="fill:none;stroke:#000000;stroke-dasharray:3,1;stroke-dashoffset:2" />
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
