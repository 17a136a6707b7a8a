package draw

// raster divides a cluster into cells of some processors by some time. Each cell finds the job that holds most of it.
type raster struct {
	rows, columns int
	processors    int
	perRow        int // processors of a row; the last may have fewer
	cells         []cell
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
	r := raster{rows: rows, columns: columns, processors: processors, perRow: perRow, cells: make([]cell, rows*columns)}
	for k := range r.cells {
		r.cells[k].bestJob, r.cells[k].currentJob = nobody, nobody
	}
	return r
}

// add counts a block that lasts from one column to another, both fractional.
func (r *raster) add(b *block, from, to float64) {
	// A block that takes no time is as visible as one that takes a little.
	const little = 0.01
	if to-from < little {
		from = min(from, float64(r.columns)-little)
		to = from + little
	}
	for row := b.first / r.perRow; row <= b.last/r.perRow; row++ {
		first, next := row*r.perRow, min((row+1)*r.perRow, r.processors)
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
		case c.thin() && r.isRim(c, row, column):
			holders[column] = nobody
		case c.thin():
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

// thin reports whether jobs hold less than half of the cell.
func (c *cell) thin() bool { return c.total < half }

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
		return beside.bestJob == c.bestJob && !beside.thin() && beside.best >= half*beside.total
	}
	return shows(row, column-1) || shows(row, column+1) || shows(row-1, column) || shows(row+1, column)
}
