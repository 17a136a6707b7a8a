package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// slowShade is the raster computed cell by cell and rectangle by rectangle.
func slowShade(columns, rows int, rects []picture.Rect, colours []color.NRGBA) [][4]float64 {
	sums := make([][4]float64, columns*rows)
	overlap := func(from, to float64, cell int) float64 {
		return max(0, min(to, float64(cell+1))-max(from, float64(cell)))
	}
	for y := range rows {
		for x := range columns {
			for k, r := range rects {
				share := overlap(r.X0, r.X1, x) * overlap(r.Y0, r.Y1, y)
				c := colours[k]
				for channel, value := range []float64{1, float64(c.R), float64(c.G), float64(c.B)} {
					sums[y*columns+x][channel] += share * value
				}
			}
		}
	}
	return sums
}

func TestShadeIsTheMeanOfWhatCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, rows := rapid.IntRange(1, 9).Draw(t, "columns"), rapid.IntRange(1, 9).Draw(t, "rows")
		s := newShade(float64(columns), float64(rows))
		var rects []picture.Rect
		var colours []color.NRGBA
		for range rapid.IntRange(0, 8).Draw(t, "rectangles") {
			side := func(most int) (float64, float64) {
				within := rapid.Float64Range(0, float64(most))
				a, b := within.Draw(t, "edge"), within.Draw(t, "edge")
				return min(a, b), max(a, b)
			}
			var r picture.Rect
			r.X0, r.X1 = side(columns)
			r.Y0, r.Y1 = side(rows)
			colour := fillColour(rapid.IntRange(0, fills()-1).Draw(t, "fill"))
			rects, colours = append(rects, r), append(colours, colour)
			s.add(r, colour)
		}
		want := slowShade(columns, rows, rects, colours)
		img := s.image().(*image.NRGBA)
		for y := range rows {
			for x := range columns {
				got := img.NRGBAAt(x, y)
				expected := blend(want[y*columns+x])
				// A coverage of almost 0 may be rounded to 0 or not.
				if coverage := want[y*columns+x][0]; coverage > 1e-6 && !near(got, expected) || coverage == 0 && got.A != 0 {
					t.Fatalf("cell %d, %d: %v, want %v", x, y, got, expected)
				}
			}
		}
	})
}

// near reports whether no channel differs by more than 1.
func near(a, b color.NRGBA) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// random is a schedule of many jobs on processors that are never idle for long.
func random(jobs, processors, widest int) *model.Solution {
	r := rand.New(rand.NewPCG(7, 1))
	free := make([]float64, processors)
	sol := &model.Solution{Instance: "random"}
	for k := range jobs {
		width := 1 + r.IntN(widest)
		first := r.IntN(processors - width + 1)
		start := 0.0
		for _, t := range free[first : first+width] {
			start = max(start, t)
		}
		end := start + 10*r.ExpFloat64()
		for p := range width {
			free[first+p] = end
		}
		sol.Jobs = append(sol.Jobs, at(fmt.Sprint("j", k), "c", start, end, run(first, first+width-1)))
	}
	return sol
}

func TestManyJobsMakeNoLargeFile(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine, and a size")
	}
	const most = 8 << 20
	for _, sol := range []*model.Solution{random(40_000, 49_152, 64), random(40_000, 128, 1)}[:race.Fewer(2, 1)] {
		for _, format := range Formats() {
			if n := len(drawn(t, sample{"many", sol, GanttOptions{}}, format)); n > most {
				t.Errorf("%s of %d bytes, want at most %d", format, n, most)
			}
		}
	}
}

func TestThinJobsAreSeen(t *testing.T) {
	// One job of a millionth of the width and one row of 49,152 beside one that is as long as the picture.
	sol := &model.Solution{Jobs: []model.Placement{
		at("long", "c", 0, 1e6, run(0, 0)),
		at("thin", "c", 5e5, 5e5+1, run(40_000, 40_000)),
		at("end", "c", 1e6-1, 1e6, run(49_151, 49_151)),
	}}
	img, err := png.Decode(bytes.NewReader(drawn(t, sample{"thin", sol, GanttOptions{Width: 500, Height: 300}}, PNG)))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			// The fills of the second and the third job are the only colours far from grey, apart from the first's blue.
			if spread := max(r, g, b) - min(r, g, b); spread > 0x1800 && b < max(r, g) {
				found++
			}
		}
	}
	if found < 2 {
		t.Errorf("%d pixels show the two thin jobs", found)
	}
}

func TestRasterShowsTheLargestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const columns = 7
		processors := rapid.IntRange(1, 12).Draw(t, "processors")
		r := newRaster(rapid.IntRange(1, processors).Draw(t, "rows"), columns, processors)
		shares := make([]map[int]float64, len(r.cells))
		for k := range shares {
			shares[k] = map[int]float64{}
		}
		for job := range rapid.IntRange(0, 6).Draw(t, "jobs") {
			for range rapid.IntRange(1, 3).Draw(t, "blocks") {
				first := rapid.IntRange(0, processors-1).Draw(t, "first")
				last := rapid.IntRange(first, processors-1).Draw(t, "last")
				from := rapid.Float64Range(0, columns-0.5).Draw(t, "from")
				to := rapid.Float64Range(from+0.1, columns).Draw(t, "to")
				r.add(&block{job: job, first: first, last: last}, from, to)
				for p := first; p <= last; p++ {
					row := p / r.perRow
					height := min((row+1)*r.perRow, processors) - row*r.perRow
					for column := range columns {
						shares[row*columns+column][job] += max(0, covered(column, from, to)) / float64(height)
					}
				}
			}
		}
		for k := range r.cells {
			most := 0.0
			for _, share := range shares[k] {
				most = max(most, share)
			}
			if c := &r.cells[k]; math.Abs(c.best-most) > 1e-6 || c.bestJob != nobody && math.Abs(shares[k][c.bestJob]-most) > 1e-6 {
				t.Fatalf("cell %d: job %d with %v of %v", k, c.bestJob, c.best, shares[k])
			}
		}
	})
}

func BenchmarkDrawMillion(b *testing.B) {
	sol := random(1_000_000, 49_152, 64)
	for _, format := range Formats() {
		b.Run(string(format), func(b *testing.B) {
			for b.Loop() {
				if err := into(io.Discard, format)(Gantt(sol, GanttOptions{})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
