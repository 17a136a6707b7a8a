package picture

import (
	"image/color"
	"math"
)

// Styles is how many curves differ in colour, dashes and marker. Further curves have a colour again with the dashes and the marker of another.
const Styles = 8

// Style is how the k-th curve looks.
type Style struct{ k int }

// StyleOf is the style of the k-th curve, from 0 on.
func StyleOf(k int) Style { return Style{k} }

// shape is the number of the dashes and of the marker. Curves of one colour have different ones.
func (s Style) shape() int { return (s.k + s.k/Styles) % Styles }

// Ink is the colour.
func (s Style) Ink() color.NRGBA { return inks[s.k%Styles][0] }

// dashes tell curves apart for readers who cannot see the colours.
var dashes = [Styles][]float64{1: {9, 4}, 2: {2.5, 3}, 3: {12, 4, 2.5, 4}, 5: {7, 3}, 6: {4, 4}, 7: {13, 4, 2.5, 2.5, 2.5, 4}}

// Pen is the pen of the line.
func (s Style) Pen(width float64) Pen {
	return Pen{Width: width, Ink: s.Ink(), Dash: dashes[s.shape()]}
}

// Solid is the pen of a line without dashes.
func (s Style) Solid(width float64) Pen { return Pen{Width: width, Ink: s.Ink()} }

// markers are the outlines of markers with a radius of about 1.
var markers = [Styles][][2]float64{
	polygon(16, 0, 1), polygon(4, math.Pi/4, 1.2), polygon(3, -math.Pi/2, 1.35), polygon(4, 0, 1.25),
	star(math.Pi / 4), star(0), polygon(3, math.Pi/2, 1.35),
	{{-0.45, -1.25}, {0.45, -1.25}, {0.45, 1.25}, {-0.45, 1.25}},
}

// polygon makes a regular polygon with its first corner in the given direction.
func polygon(corners int, direction, radius float64) [][2]float64 {
	outline := make([][2]float64, corners)
	for k := range outline {
		sin, cos := math.Sincos(direction + 2*math.Pi*float64(k)/float64(corners))
		outline[k] = [2]float64{radius * cos, radius * sin}
	}
	return outline
}

// star makes a cross with four arms, the first in the given direction.
func star(direction float64) [][2]float64 {
	const arm, half = 1.4, 0.3 // length and half the width of an arm
	var outline [][2]float64
	turn := func(x, y, by float64) {
		sin, cos := math.Sincos(by)
		outline = append(outline, [2]float64{x*cos - y*sin, x*sin + y*cos})
	}
	for k := range 4 {
		by := direction + float64(k)*math.Pi/2
		turn(arm, -half, by)
		turn(arm, half, by)
		turn(half, half, by)
	}
	return outline
}

// Marker draws the marker of a curve. A rim of paper sets it apart from the curves below it.
func (s *Sheet) Marker(style Style, x, y, radius float64) {
	path := s.around(markers[style.shape()], x, y, radius)
	rim := Pen{Width: 3, Ink: Paper}
	if page := s.page(); page != nil {
		page.fillRimmed(path, style.Ink(), rim)
		return
	}
	s.Stroke(path, rim)
	s.Fill(path, style.Ink())
}
