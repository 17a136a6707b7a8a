package draw

import "slices"

// raster divides a cluster into cells of some processors by some time. Each cell finds the job that holds most of it.
type raster struct {
	rows, columns int
	processors    int
	perRow        int   // processors of a row; the last may have fewer
	bounds        []int // of rows of any height: where each begins, and the end of the last; nil: all have perRow
	cells         []cell
	labels        []string // of rows of any height
	least         float64  // a cell of which jobs hold less is brief
}

// cell counts how much of a cell jobs hold. The blocks of a job come one after the other, so that the job with the
// largest share is found without remembering all of them.
type cell struct {
	total, best, current float64 // share of the cell: of all jobs, of bestJob, of currentJob
	bestJob, currentJob  int
}

// Values that stand for the holder of a cell that no single job holds.
const (
	nobody  = -1
	brief   = -2 // jobs hold less than half of it
	several = -3 // jobs hold it, but none of them half of what they hold
)

// newRaster makes an empty raster of at most the given number of rows.
func newRaster(rows, columns, processors int) raster {
	perRow := (processors + rows - 1) / rows
	rows = (processors + perRow - 1) / perRow
	r := raster{rows: rows, columns: columns, processors: processors, perRow: perRow, cells: make([]cell, rows*columns), least: half}
	r.empty()
	return r
}

// newRowsRaster makes an empty raster of the given rows. A job that holds a small part of a row for the whole time of a cell is seen too: it may be a share of a device.
func newRowsRaster(rows []textRow, columns, end int) raster {
	r := raster{rows: len(rows), columns: columns, processors: end, cells: make([]cell, len(rows)*columns), least: 0.1}
	for _, row := range rows {
		r.bounds, r.labels = append(r.bounds, row.first), append(r.labels, row.label)
	}
	r.bounds = append(r.bounds, end)
	r.empty()
	return r
}

// empty marks each cell as held by nobody.
func (r *raster) empty() {
	for k := range r.cells {
		r.cells[k].bestJob, r.cells[k].currentJob = nobody, nobody
	}
}

// extent returns the first place of a row and the place after its last.
func (r *raster) extent(row int) (first, next int) {
	if r.bounds != nil {
		return r.bounds[row], r.bounds[row+1]
	}
	return row * r.perRow, min((row+1)*r.perRow, r.processors)
}

// rowOf is the row of a place.
func (r *raster) rowOf(place int) int {
	if r.bounds == nil {
		return place / r.perRow
	}
	row, found := slices.BinarySearch(r.bounds, place)
	if found {
		return min(row, r.rows-1)
	}
	return row - 1
}

// add counts a block that lasts from one column to another, both fractional.
func (r *raster) add(b *block, from, to float64) {
	// A block that takes no time is as visible as one that takes a little.
	const little = 0.01
	if to-from < little {
		from = min(from, float64(r.columns)-little)
		to = from + little
	}
	for row := r.rowOf(b.first); row <= r.rowOf(b.last); row++ {
		first, next := r.extent(row)
		high := float64(min(b.last+1, next)-max(b.first, first)) / float64(next-first)
		for column := int(from); column < r.columns && float64(column) < to; column++ {
			r.cells[row*r.columns+column].add(b.job, high*covered(column, from, to))
		}
	}
}

// covered is how much of the cell from k to k+1 lies in the interval.
func covered(k int, from, to float64) float64 {
	return min(to, float64(k+1)) - max(from, float64(k))
}

// add counts a share that a job holds.
func (c *cell) add(job int, share float64) {
	if share < 1e-11 {
		return // a remainder of rounding from a neighbouring cell
	}
	if job != c.currentJob {
		c.currentJob, c.current = job, 0
	}
	c.total += share
	c.current += share
	if c.current > c.best {
		c.bestJob, c.best = job, c.current
	}
}

// holders returns, for each cell of a row, the job that it shows or one of the values above.
func (r *raster) holders(row int) []int {
	holders := make([]int, r.columns)
	for column := range holders {
		c := &r.cells[row*r.columns+column]
		switch {
		case c.total == 0:
			holders[column] = nobody
		case r.isThin(c) && r.isRim(c, row, column):
			holders[column] = nobody
		case r.isThin(c):
			holders[column] = brief
		case c.best < half*c.total:
			holders[column] = several
		default:
			holders[column] = c.bestJob
		}
	}
	return holders
}

// half is the least share for which a cell shows a job. It is a little below 1/2, because shares are sums of rounded numbers and a share of
// exactly a half must not depend on the last digit.
const half = 0.5 - 1e-9

// isThin reports whether jobs hold little of the cell: less than half of it where rows are processors.
func (r *raster) isThin(c *cell) bool { return c.total < r.least }

// isRim reports whether a thin cell holds only the edge of a job that the neighbouring cell shows.
func (r *raster) isRim(c *cell, row, column int) bool {
	if c.best < c.total {
		return false
	}
	shows := func(row, column int) bool {
		if row < 0 || row >= r.rows || column < 0 || column >= r.columns {
			return false
		}
		beside := &r.cells[row*r.columns+column]
		return beside.bestJob == c.bestJob && !r.isThin(beside) && beside.best >= half*beside.total
	}
	return shows(row, column-1) || shows(row, column+1) || shows(row-1, column) || shows(row+1, column)
}
