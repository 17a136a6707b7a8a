package backfill

import (
	"math"
	"math/bits"
)

// levels is the number of powers of two that a number of processors has.
const levels = 31

// level is the greatest power of two, as an exponent, of at most size processors.
func level(size int32) int { return bits.Len32(uint32(size)) - 1 }

// frontier remembers before which time there is no place for jobs of a size and an estimate, as long as no processors are given back: then a job
// that is at least as large and as long as another finds no place before that one did. It is a table by powers of two.
type frontier struct {
	times [levels][levels]float64 // by level of size and of estimate, never falling in either
	used  bool
}

// clear forgets all.
func (f *frontier) clear() {
	if f.used {
		*f = frontier{}
	}
}

// before is a time before which there is no place for a job.
func (f *frontier) before(size int32, estimate float64) float64 {
	if !f.used || estimate < 1 {
		return 0
	}
	return f.times[level(size)][min(math.Ilogb(estimate), levels-1)]
}

// note notes the earliest place of a job.
func (f *frontier) note(size int32, estimate, at float64) {
	fraction, exponent := math.Frexp(estimate)
	if fraction == 0.5 {
		exponent--
	}
	f.used = true
	for a := bits.Len32(uint32(size - 1)); a < levels; a++ {
		for b := max(exponent, 0); b < levels && f.times[a][b] < at; b++ {
			f.times[a][b] = at
		}
	}
}
