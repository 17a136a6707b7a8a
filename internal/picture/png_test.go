//go:build !page

package picture

import (
	"image"
	"image/color"
	"math"
	"testing"
)

// Dashes and gaps follow each other along a line and around its corners. They begin as far into the pattern as the pen says, on each line anew.
func TestDashes(t *testing.T) {
	corner := []Spot{{0, 0}, {5, 0}, {5, 5}}
	for _, test := range []struct {
		pen  Pen
		want [][]Spot
	}{
		{Pen{Dash: []float64{2, 1}}, [][]Spot{{{0, 0}, {4, 0}}, {{5, 1}, {5, 5}}}}, // at two dots a pixel: 4 on, 2 off
		{Pen{Dash: []float64{2, 1}, From: 1}, [][]Spot{{{0, 0}, {2, 0}}, {{4, 0}, {5, 0}, {5, 3}}}},
		{Pen{Dash: []float64{2, 1}, From: 2.25}, [][]Spot{{{1.5, 0}, {5, 0}, {5, 0.5}}, {{5, 2.5}, {5, 5}}}},
		{Pen{Dash: []float64{20, 1}}, [][]Spot{corner}},
		{Pen{Dash: []float64{1, 20}, From: 30}, nil},
	} {
		got := dashed([][]Spot{corner, corner}, test.pen, 2)
		if len(got) != 2*len(test.want) {
			t.Errorf("%v: got %v", test.pen, got)
			continue
		}
		for k, dash := range got {
			want := test.want[k%len(test.want)]
			for n := range dash {
				if len(dash) != len(want) || math.Hypot(dash[n].X-want[n].X, dash[n].Y-want[n].Y) > 1e-9 {
					t.Errorf("%v: dash %d is %v, want %v", test.pen, k, dash, want)
					break
				}
			}
		}
	}
}

// An area is filled to its outline, a line to half its width on either side, an image over its rectangle with the colours at the middle of its dots.
func TestDots(t *testing.T) {
	quarters := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	quarters.SetNRGBA(1, 0, color.NRGBA{0, 0xff, 0, 0xff})
	d := &Drawing{Width: 40, Height: 20, Dots: 2}
	c := newPNG(d)
	s := &Sheet{Width: d.Width, Height: d.Height, canvas: c}
	s.FillRect(Box(1, 1, 5, 3), color.NRGBA{0xff, 0, 0, 0xff})
	s.Line(10, 5, 20, 5, Pen{Width: 2, Ink: color.NRGBA{0, 0, 0xff, 0xff}})
	s.Image(Box(30, 10, 34, 14), quarters)
	for y := range 40 {
		for x := range 80 {
			want := color.RGBA{0xff, 0xff, 0xff, 0xff}
			switch at := image.Pt(x, y); {
			case at.In(image.Rect(2, 2, 10, 6)):
				want = color.RGBA{0xff, 0, 0, 0xff}
			case at.In(image.Rect(20, 8, 40, 12)):
				want = color.RGBA{0, 0, 0xff, 0xff}
			case at.In(image.Rect(64, 20, 68, 24)):
				want = color.RGBA{0, 0xff, 0, 0xff}
			}
			if got := c.dotted.RGBAAt(x, y); got != want {
				t.Fatalf("the dot at %d, %d is %v, want %v", x, y, got, want)
			}
		}
	}
}
