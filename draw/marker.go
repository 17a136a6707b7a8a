package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// curveInk is the colour of the k-th curve.
func curveInk(k int) color.NRGBA { return curveInks[k%len(curveInks)] }

// shapes are the outlines of markers, with radius 1. Their number has no factor in common with the number of colours, so that a colour
// that is used again comes with another shape.
var shapes = [][][2]float64{
	polygon(24, 0, 1),
	polygon(4, math.Pi/4, 1.2),
	polygon(3, -math.Pi/2, 1.35),
	polygon(4, 0, 1.25),
	polygon(3, math.Pi/2, 1.35),
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

// drawMarker draws the marker of the k-th curve.
func (s *sheet) drawMarker(k int, x, y float64) {
	const radius = 4.5
	var path vg.Path
	for n, at := range shapes[k%len(shapes)] {
		if place := s.point(x+radius*at[0], y+radius*at[1]); n == 0 {
			path.Move(place)
		} else {
			path.Line(place)
		}
	}
	path.Close()
	s.stroke(path, 3, paper) // a light rim sets the marker apart from the curves below it
	s.fill(path, curveInk(k))
}

// strokeDashed draws a path with dashes so far apart that the dashes of the given number of kinds find room beside each other. It
// begins at the given place in the pattern.
func (s *sheet) strokeDashed(path vg.Path, width float64, c color.Color, kinds int, from float64) {
	period := (dash + dashApart) * float64(max(kinds, 1))
	if from = math.Mod(from, period); from < 0 {
		from += period
	}
	s.canvas.SetLineDash([]vg.Length{dash * pointsPerPixel, vg.Length((period - dash) * pointsPerPixel)}, vg.Length(from*pointsPerPixel))
	s.stroke(path, width, c)
	s.canvas.SetLineDash(nil, 0)
}

// drawKey explains the parts of a curve at the right end of the line below the plot. It explains as many parts as have room.
func (g *graph) drawKey() {
	const (
		sample, gap, apart = 30.0, 8.0, 20.0
		// An SVG may be shown in a font that is wider than the one that was measured.
		wider = 1.08
	)
	note := lettering{size: smallSize + 1, ink: ink}
	parts := []string{"objective"}
	if g.hasBound {
		parts = append(parts, "bound", "gap")
	}
	room := g.plot.x1 - g.plot.x0 - wider*g.fonts.width(note, g.axis.Caption)
	wide := 0.0
	for _, part := range parts {
		wide += apart + sample + gap + math.Ceil(wider*g.fonts.width(note, part))
	}
	if wide > room {
		return
	}
	x, y := math.Round(g.plot.x1-wide), g.plot.y1+captionDrop
	for _, part := range parts {
		x += apart
		middle := math.Round(y - note.size*0.34)
		var line vg.Path
		g.segment(&line, x, middle, x+sample, middle)
		switch part {
		case "objective":
			g.stroke(line, 2, quietInk)
		case "bound":
			g.strokeDashed(line, 1.5, quietInk, 1, 0)
		default:
			g.fillRect(rect{x, middle - 6, x + sample, middle + 6}, faded(quietInk, 0.2))
		}
		x += sample + gap
		g.text(x, y, note, part)
		x += math.Ceil(wider * g.fonts.width(note, part))
	}
}
