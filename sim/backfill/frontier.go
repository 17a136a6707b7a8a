package backfill

import (
	"math"
	"math/bits"
)

// frontier remembers before which time there is no place for jobs of a size and an estimate: a job that is at least as large and as long as
// another finds no place before that one did. It is a table by classes of sizes and of estimates; the times grow with both.
type frontier struct {
	rows    [][classes]float64 // by level of size; by class of estimates
	longest int                // class of estimates up to which the table is used; it stands for the longer ones
}

// classes is the number of classes of estimates: four to each power of two from 1 on.
const classes = 128

// class is the class of an estimate of at least 1.
func class(estimate float64) int { return int(math.Float64bits(estimate)>>50) - 1023*4 }

// shortest is the least estimate of a class.
func shortest(class int) float64 { return math.Float64frombits(uint64(class+1023*4) << 50) }

// from is the first class of which no estimate is less than that given.
func from(estimate float64) int {
	if estimate <= 1 {
		return 0
	}
	return class(math.Nextafter(estimate, 0)) + 1
}

// level is the greatest power of two, as an exponent, of at most size processors; -1 of none.
func level(size int32) int { return bits.Len32(uint32(size)) - 1 }

// clear forgets all, for a system of a number of processors.
func (f *frontier) clear(processors int32) {
	for len(f.rows) <= level(processors) {
		f.rows = append(f.rows, [classes]float64{})
	}
	for a := range f.rows {
		clear(f.rows[a][:f.longest+1])
	}
}

// before is a time before which there is no place for a job.
func (f *frontier) before(size int32, estimate float64) float64 {
	if estimate < 1 {
		return 0
	}
	at := f.rows[level(size)][min(class(estimate), f.longest)]
	if at+estimate/2 == at { // see note
		return 0
	}
	return at
}

// note notes the earliest place of a job.
func (f *frontier) note(size int32, estimate, at float64) {
	if at+estimate/2 == at {
		return // rounding: its place may be longer than that of a longer job
	}
	begin := from(estimate)
	if begin >= classes {
		return
	}
	for ; f.longest < begin; f.longest++ {
		for a := range f.rows {
			f.rows[a][f.longest+1] = f.rows[a][f.longest]
		}
	}
	for a := level(size-1) + 1; a < len(f.rows) && f.rows[a][begin] < at; a++ {
		row := f.rows[a][begin : f.longest+1]
		for b := 0; b < len(row) && row[b] < at; b++ {
			row[b] = at
		}
	}
}

// freed notes that size processors have been freed in the profile from one time until another: there may be new places around there. Of each
// level of sizes that found fewer processors before, it looks how long those are free that there are now: what is too long for
// that still has no place.
func (f *frontier) freed(p *profile, start, end float64, size int32) {
	at := p.find(start)
	least, most := p.bounds(at, end)
	for a := level(max(least-size, 0)) + 1; a <= level(most); a++ {
		need := int32(1) << a
		for x := at; p.wide(&x, need) && p.pieces[x.piece].times[x.step] < end; {
			first, last, behind := p.extent(x, need)
			f.open(a, first, last)
			if last >= end {
				break
			}
			x = behind
		}
	}
}

// open notes that there may be places from one time until another for jobs up to a level of sizes.
func (f *frontier) open(level int, start, end float64) {
	if end-start < 0.5 {
		return
	}
	b := min(class(end-start)+1, f.longest) // one more, as the difference is rounded
	for b >= 0 && start+shortest(b) > end {
		b--
	}
	if b < 0 {
		return
	}
	for a := level; a >= 0 && f.rows[a][b] > start; a-- {
		row := &f.rows[a]
		for k := b; k >= 0 && row[k] > start; k-- {
			row[k] = start
		}
	}
}
