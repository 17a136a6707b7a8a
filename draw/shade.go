package draw

import (
	"image"
	"image/color"
	"math"

	"github.com/allot-opt/allot/internal/picture"
)

// shade is a raster for blocks that are too small to be seen one by one. The colour of a cell is the mean colour of the blocks that cover it, and
// its opacity is the share of the cell that they cover. This is how a much finer picture looks from a distance.
//
// Adding a block takes constant time, whatever its Size: only a few values at the corners change, and two running sums over them at the end
// give all cells.
type shade struct {
	columns, rows int
	cell          float64      // pixels
	sums          [][4]float64 // coverage and coverage × red, green, blue; they are differences until image sums them up
}

// newShade makes a raster over the given width and height in pixels. A cell is a pixel, or more where there would be too many cells.
func newShade(width, height float64) *shade {
	const most = 1 << 21
	s := &shade{cell: 1}
	for math.Ceil(width/s.cell)*math.Ceil(height/s.cell) > most {
		s.cell *= 2
	}
	s.columns, s.rows = max(1, int(math.Ceil(width/s.cell))), max(1, int(math.Ceil(height/s.cell)))
	// One more row and column, for differences at the far edge.
	s.sums = make([][4]float64, (s.columns+1)*(s.rows+1))
	return s
}

// add paints a rectangle, in pixels from the raster's corner.
func (s *shade) add(r picture.Rect, c color.NRGBA) {
	across, down := steps(r.X0/s.cell, r.X1/s.cell, s.columns), steps(r.Y0/s.cell, r.Y1/s.cell, s.rows)
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

// steps returns the changes whose running sum is the share of each cell that the interval covers. The cells have length 1; the first begins at 0.
func steps(from, to float64, cells int) [4]step {
	from, to = min(max(from, 0), float64(cells)), min(max(to, 0), float64(cells))
	first, last := min(int(from), cells-1), min(int(to), cells-1)
	// If an end of the interval lies inside a cell, its change is divided between this cell and the next, in the same proportion.
	return [4]step{
		{first, float64(first+1) - from},
		{first + 1, from - float64(first)},
		{last, to - float64(last+1)},
		{last + 1, float64(last) - to},
	}
}

// image makes the finished image. It overwrites the sums, so call it once.
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
		rounding = 1e-7 // the rounding error that a million rectangles may leave
		faintest = 0.25 // even a lone job far below a pixel can be seen
	)
	coverage := sum[0]
	if coverage < rounding {
		return color.NRGBA{}
	}
	channel := func(k int) uint8 { return uint8(min(max(sum[k]/coverage+0.5, 0), 255)) }
	return color.NRGBA{channel(1), channel(2), channel(3), uint8(255*min(max(coverage, faintest), 1) + 0.5)}
}
