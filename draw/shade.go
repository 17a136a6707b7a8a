package draw

import (
	"image"
	"image/color"
	"math"
)

// shade is a raster that blocks too small to be seen by themselves are painted into. A cell gets the mean colour of what
// covers it and is as opaque as it is covered, which is what a fine enough picture looks like from afar.
//
// It takes a fixed time for a block of any size: a rectangle is the double running sum of a few values at its corners.
type shade struct {
	columns, rows int
	cell          float64      // pixels
	sums          [][4]float64 // coverage and coverage × red, green, blue; differences until image adds them up
}

// newShade makes a raster over the given width and height in pixels. A cell is a pixel, or more where there would be too many cells.
func newShade(width, height float64) *shade {
	const most = 1 << 21
	s := &shade{cell: 1}
	for math.Ceil(width/s.cell)*math.Ceil(height/s.cell) > most {
		s.cell *= 2
	}
	s.columns, s.rows = max(1, int(math.Ceil(width/s.cell))), max(1, int(math.Ceil(height/s.cell)))
	// One row and column more, where differences that end at the edge go.
	s.sums = make([][4]float64, (s.columns+1)*(s.rows+1))
	return s
}

// add paints a rectangle, in pixels from the raster's corner.
func (s *shade) add(r rect, c color.NRGBA) {
	across, down := steps(r.x0/s.cell, r.x1/s.cell, s.columns), steps(r.y0/s.cell, r.y1/s.cell, s.rows)
	value := [4]float64{1, float64(c.R), float64(c.G), float64(c.B)}
	for _, y := range down {
		for _, x := range across {
			cell := &s.sums[y.at*(s.columns+1)+x.at]
			for k := range cell {
				cell[k] += x.by * y.by * value[k]
			}
		}
	}
}

// step is a change of coverage from one cell to the next.
type step struct {
	at int
	by float64
}

// steps are the changes whose running sum is how far the interval covers each cell. The cells have length 1; the first begins at 0.
func steps(from, to float64, cells int) [4]step {
	from, to = min(max(from, 0), float64(cells)), min(max(to, 0), float64(cells))
	first, last := min(int(from), cells-1), min(int(to), cells-1)
	// An end inside a cell splits its change over this cell and the next, in the proportion in which it splits the cell.
	return [4]step{
		{first, float64(first+1) - from},
		{first + 1, from - float64(first)},
		{last, to - float64(last+1)},
		{last + 1, float64(last) - to},
	}
}

// image is the finished raster. The sums are of no use afterwards.
func (s *shade) image() image.Image {
	stride := s.columns + 1
	for k := range s.sums {
		for channel := range s.sums[k] {
			if k%stride > 0 {
				s.sums[k][channel] += s.sums[k-1][channel]
			}
		}
	}
	for k := stride; k < len(s.sums); k++ {
		for channel := range s.sums[k] {
			s.sums[k][channel] += s.sums[k-stride][channel]
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, s.columns, s.rows))
	for y := range s.rows {
		for x := range s.columns {
			img.SetNRGBA(x, y, blend(s.sums[y*stride+x]))
		}
	}
	return img
}

// blend is the colour of a cell.
func blend(sum [4]float64) color.NRGBA {
	const (
		rounding = 1e-7 // what adding and taking away a million rectangles may leave
		faintest = 0.25 // even a lone job far below a pixel can be seen
	)
	coverage := sum[0]
	if coverage < rounding {
		return color.NRGBA{}
	}
	channel := func(k int) uint8 { return uint8(min(max(sum[k]/coverage+0.5, 0), 255)) }
	return color.NRGBA{channel(1), channel(2), channel(3), uint8(255*min(max(coverage, faintest), 1) + 0.5)}
}
