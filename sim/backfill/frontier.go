package backfill

import (
	"math"
	"math/bits"
)

// levels is the number of powers of two that a number of processors has.
const levels = 31

// level is the greatest power of two, as an exponent, of at most size processors.
func level(size int32) int { return bits.Len32(uint32(size)) - 1 }

// frontier remembers before which time there is no place for jobs of a size and an estimate: a job that is at least as large and as long as another
// finds no place before that one did, until processors are given back. It is a table by powers of two.
type frontier struct {
	times   [levels][levels]float64 // by level of size and of estimate
	largest int                     // level of size up to which the table is used
	longest int                     // level of estimates, likewise
}

// clear forgets all.
func (f *frontier) clear() {
	for a := range f.times[:f.largest+1] {
		clear(f.times[a][:f.longest+1])
	}
}

// before is a time before which there is no place for a job.
func (f *frontier) before(size int32, estimate float64) float64 {
	if estimate < 1 {
		return 0
	}
	a, b := level(size), math.Ilogb(estimate)
	if b > f.longest {
		return 0
	}
	return f.times[min(a, f.largest)][b]
}

// note notes the earliest place of a job.
func (f *frontier) note(size int32, estimate, at float64) {
	fraction, exponent := math.Frexp(estimate)
	if fraction == 0.5 {
		exponent--
	}
	from, first := bits.Len32(uint32(size-1)), max(exponent, 0)
	if from >= levels || first >= levels {
		return
	}
	f.largest, f.longest = max(f.largest, from), max(f.longest, first)
	for a := from; a <= f.largest; a++ {
		row := &f.times[a]
		for b := first; b <= f.longest; b++ {
			row[b] = max(row[b], at)
		}
	}
}
