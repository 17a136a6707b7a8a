package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

// sampler is a drawing with everything that a sheet can draw.
func sampler() *Drawing {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	img.SetNRGBA(0, 0, color.NRGBA{0xff, 0, 0, 0xff})
	return &Drawing{Title: "all <of> it", Width: 300, Height: 200, Dots: 1, Draw: func(s *Sheet) {
		s.FillRect(Box(0, 0, s.Width, s.Height), Paper)
		s.Header("bold", []string{"plain 1111", "not in the code page: −≤Ω中"})
		s.Image(Box(10, 100, 60, 150), img)
		s.Upright(290, 150, Lettering{Size: 11, Ink: Ink, Align: 0.5}, "upright")
		for k := range 2 * Styles {
			y := 110 + 5*float64(k)
			s.Line(100, y, 250, y, StyleOf(k).Pen(1.5))
			s.Group("curve", "a & b", func() { s.Marker(StyleOf(k), 120, y, 4) })
		}
		s.Dot(80, 120, 4, Faded(Ink, 0.5))
	}}
}

// A drawing has the same bytes each time in each format. A PDF writes bold letters, and letters that its font lacks, as outlines, and the others as text. Only
// a page has variables, and groups with titles.
func TestFormatsAndPDF(t *testing.T) {
	written := map[Format][]byte{}
	for _, format := range []Format{SVG, PDF, PNG} {
		var one, two bytes.Buffer
		if err := sampler().Write(&one, format); err != nil {
			t.Fatal(err)
		}
		if err := sampler().Write(&two, format); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: two drawings differ, or %v", format, err)
		}
		written[format] = one.Bytes()
	}
	if pdf := string(written[PDF]); !strings.HasPrefix(pdf, "%PDF-") || strings.Count(pdf, "/Type /FontDescriptor") != 1 {
		t.Errorf("the PDF has %d fonts, want one", strings.Count(pdf, "/Type /FontDescriptor"))
	}
	drawn, err := png.Decode(bytes.NewReader(written[PNG]))
	if err != nil || drawn.Bounds().Dx() != 300 {
		t.Fatalf("the PNG is %v wide: %v", drawn.Bounds().Dx(), err)
	}
	if c := color.NRGBAModel.Convert(drawn.At(20, 110)).(color.NRGBA); c.R < 0xf0 || c.G > 0x40 {
		t.Errorf("the red corner of the image is %v: it is upside down", c)
	}
	viewBox, page, err := sampler().Elements()
	if err != nil || viewBox != "0 0 225 150" {
		t.Errorf("view box %q, %v", viewBox, err)
	}
	for _, mark := range []string{"var(--s7)", `<g class="curve"><title>a &amp; b</title>`} {
		if !strings.Contains(page, mark) || bytes.Contains(written[SVG], []byte(mark)) {
			t.Errorf("%q is missing on the page, or it is in the file", mark)
		}
	}
	if err := sampler().Write(new(bytes.Buffer), "gif"); err == nil {
		t.Error("a GIF was written")
	}
}

// Any two colours of curves can be told apart by readers who lack any one kind of cone, and seen on their paper; so can the first colours be in the dark.
func TestInks(t *testing.T) {
	for mode, background := range []color.NRGBA{Paper, named[0].dark} {
		for a := range inks {
			if c := Contrast(inks[a][mode], background); c < 3 {
				t.Errorf("colour %d: contrast %.2f", a, c)
			}
			for b := range a {
				if d := Distance(inks[a][mode], inks[b][mode]); d < 20 {
					t.Errorf("colours %d and %d are %.0f apart", b, a, d)
				}
			}
		}
	}
	seen := map[[2]any]bool{}
	for k := range 3 * Styles {
		s := StyleOf(k)
		seen[[2]any{s.Ink(), s.shape()}] = true
	}
	if len(seen) != 3*Styles {
		t.Errorf("%d of %d styles differ", len(seen), 3*Styles)
	}
}

// A stepped path keeps the height of a point until the next, and leaves out what is too small to be seen.
func TestPath(t *testing.T) {
	c := &Chart{Width: 140, PanelHeight: 100, Bare: true, Panels: []*Panel{{
		X: func(int) Axis { return Axis{To: 1} }, Y: func(int) Axis { return Axis{To: 1} },
	}}}
	p := c.place().plots[0]
	p.Sheet = &Sheet{Width: 140, Height: 200}
	if path := p.Path([]Point{{0, 0}, {1e-9, 1e-9}, {0.5, 0}, {0.5, 1}, {1, 0.5}}, true); len(path) != 5 {
		t.Errorf("%d parts of the path, want 5: %v", len(path), path)
	}
	if at := p.AtY(0.5); math.Abs(at-(p.Area.Y0+p.Area.Y1)/2) > 1e-9 {
		t.Errorf("a half lies at %v in %v", at, p.Area)
	}
}
