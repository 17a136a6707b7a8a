package picture

import (
	"encoding/xml"
	"image/color"
	"io"
	"strings"
	"testing"
)

// Paths and texts stand in the document as SVG defines them, worked by hand.
func TestSVGCanvas(t *testing.T) {
	c := newSVG(100, 50, false)
	var area, curved Path
	area.Move(Spot{X: 10})
	area.Line(Spot{X: 10, Y: 5})
	area.Line(Spot{X: 1, Y: 2.5})
	area.Close()
	curved.Move(Spot{})
	curved.curve(Spot{1, 2}, Spot{3, 4})
	c.fill(area, color.NRGBA{0xff, 0, 0, 0x80})
	c.stroke(curved, Pen{Width: 4. / 3, Ink: color.Black, Dash: []float64{4, 2}, From: 8. / 3})
	c.stroke(area, Pen{Width: 4, Ink: color.NRGBA{0, 0, 0xff, 0xff}})
	c.text(Spot{3, 4}, true, Lettering{Size: 8, Bold: true, Ink: color.Black}, "a<b")
	onPage := newSVG(100, 50, true)
	onPage.fill(area, Ink)
	if text, err := onPage.elements(); err != nil || strings.Contains(text, "<style>") || !strings.Contains(text, `<path d="M10,0V5L1,2.5Z" style="fill:var(--ink)" />`) {
		t.Errorf("on a page: %s, %v", text, err)
	}
	var text strings.Builder
	if err := c.writeTo(&text, `a<"b"`, "<g></g>\n"); err != nil {
		t.Fatal(err)
	}
	_, drawn, _ := strings.Cut(text.String(), "xlink\">\n")
	const want = `<title>a&lt;&#34;b&#34;</title>
<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.91) hue-rotate(180deg); } }</style>
<g transform="scale(1, -1) translate(0, -50)" stroke-linejoin="round" text-rendering="geometricPrecision">
<path d="M10,0L10,5L1,2.5Z" style="fill:#FF0000;fill-opacity:0.50196" />
<path d="M0,0Q1,2,3,4" style="fill:none;stroke:#000000;stroke-dasharray:3,1.5;stroke-dashoffset:2" />
<path d="M10,0L10,5L1,2.5Z" style="fill:none;stroke:#0000FF;stroke-width:3" />
<g transform="translate(3, 4)">
<g transform="rotate(90)">
<text x="0" y="-0" transform="scale(1, -1)"
	style="font-family:` + families + `;font-kerning:none;font-variant:normal;font-weight:bold;font-style:normal;font-size:6px">a&lt;b</text>
</g>
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

// A viewer aligns a text itself, in whatever font it shows it.
func TestSVGAlignsTexts(t *testing.T) {
	for align, want := range map[float64]string{0: "", 0.5: ";text-anchor:middle", 1: ";text-anchor:end"} {
		c := newSVG(100, 50, true)
		c.text(Spot{3, 4}, false, Lettering{Size: 8, Ink: color.Black, Align: align}, "a")
		if text, err := c.elements(); err != nil || !strings.Contains(text, "font-size:6px"+want+`">a</text>`) {
			t.Errorf("aligned %v: %s, %v", align, text, err)
		}
	}
}
