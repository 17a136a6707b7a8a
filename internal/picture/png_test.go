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

// A line is rounded on the outer side of its corners, whichever way it turns, and the dots at a broken edge are painted in part.
func TestCornersAndEdges(t *testing.T) {
	d := &Drawing{Width: 60, Height: 60, Dots: 2}
	c := newPNG(d)
	s := &Sheet{Width: d.Width, Height: d.Height, canvas: c}
	for _, turn := range [][][2]float64{{{10, 10}, {30, 10}, {30, 25}}, {{10, 50}, {30, 50}, {30, 35}}} {
		var path Path
		path.Move(s.Point(turn[0][0], turn[0][1]))
		path.Line(s.Point(turn[1][0], turn[1][1]))
		path.Line(s.Point(turn[2][0], turn[2][1]))
		s.Stroke(path, Pen{Width: 8, Ink: color.Black})
	}
	s.FillRect(Box(40, 10, 50.25, 20.25), color.Black)
	for at, want := range map[[2]float64]uint8{
		{32.5, 7.5}: 0, {33.5, 6.5}: 0xff, {32, 52}: 0, {33.5, 53.5}: 0xff, {20, 10}: 0, {20, 15}: 0xff, {28, 12}: 0, // corners and lines
		{50, 15}: 0x7f, {45, 20}: 0x7f, {50.5, 15}: 0xff, // edges
	} {
		if got := c.dotted.RGBAAt(int(2*at[0]), int(2*at[1])).R; max(got, want)-min(got, want) > 4 {
			t.Errorf("the dot at %v has %d of white, want %d", at, got, want)
		}
	}
}

// A text lies at its place as it is aligned, along the line and upwards.
func TestAlignedTexts(t *testing.T) {
	for _, upright := range []bool{false, true} {
		for align, want := range map[float64][2]bool{0: {false, true}, 0.5: {true, true}, 1: {true, false}} {
			d := &Drawing{Width: 200, Height: 200, Dots: 1}
			c := newPNG(d)
			s := &Sheet{Width: d.Width, Height: d.Height, canvas: c}
			write := s.Text
			if upright {
				write = s.Upright
			}
			write(100, 100, Lettering{Size: 20, Ink: color.Black, Align: align}, "HHHH")
			var seen [2]bool // ink before and after the place, by more than a letter
			for y := range 200 {
				for x := range 200 {
					along := x - 100
					if upright {
						along = 100 - y
					}
					if c.dotted.RGBAAt(x, y).R < 0x80 && (along < -8 || along > 8) {
						if along < 0 {
							seen[0] = true
						} else {
							seen[1] = true
						}
					}
				}
			}
			if seen != want {
				t.Errorf("upright %v, aligned %v: ink before and after is %v, want %v", upright, align, seen, want)
			}
		}
	}
}
