package model

import (
	"cmp"
	"math/bits"
	"slices"
)

// The most that jobs which run at once can hold: they share the processors.

// holder is what some alike jobs hold of a pool or of a machine: each block of them the given need, beside a number of processors.
type holder struct {
	need   int64
	units  int // processors of a block
	blocks int // of all the jobs together
}

// byDensity orders holders by what they hold for each processor, the most first.
func byDensity(holders []holder) {
	slices.SortStableFunc(holders, func(a, b holder) int {
		aHigh, aLow := bits.Mul64(uint64(a.need), uint64(b.units))
		bHigh, bLow := bits.Mul64(uint64(b.need), uint64(a.units))
		return cmp.Or(cmp.Compare(bHigh, aHigh), cmp.Compare(bLow, aLow))
	})
}

// fitAtOnce says whether blocks that run at once on so many processors hold no more than there is, whichever do; the holders are in the order of byDensity. It fills the
// processors with the densest blocks, and with a part of the last, which no choice of whole blocks exceeds.
//
// Complexity: O(the number of holders).
func fitAtOnce(holders []holder, processors int, there int64) bool {
	left := int64(processors)
	for _, h := range holders {
		units := int64(h.units)
		blocks := min(int64(h.blocks), left/units)
		if blocks > 0 && h.need > there/blocks {
			return false
		}
		there, left = there-blocks*h.need, left-blocks*units
		if blocks < int64(h.blocks) {
			high, low := bits.Mul64(uint64(left), uint64(h.need))
			part, _ := bits.Div64(high, low, uint64(units)) // high < units, for left < units
			return part <= uint64(there)
		}
	}
	return true
}
