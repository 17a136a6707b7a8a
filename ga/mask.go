package ga

import (
	"math/bits"
	"math/rand"
)

// Words is the number of 64-bit words in a mask of the given number of processors. Processor k is bit k mod 64 of word k/64.
func Words(processors int) int { return (processors + 63) / 64 }

// count is the number of processors in the mask.
func count(mask []uint64) int {
	n := 0
	for _, word := range mask {
		n += bits.OnesCount64(word)
	}
	return n
}

// outside says whether the mask holds a processor that the cluster does not have.
func outside(mask []uint64, processors int) bool {
	rest := processors % 64
	return rest != 0 && mask[len(mask)-1]>>rest != 0
}

// flip puts the processor into the mask, or takes it out.
func flip(mask []uint64, processor int) { mask[processor>>6] ^= 1 << (processor & 63) }

// complement is 0 to select processors in a mask, all ones to select those that are not in it.
type complement uint64

const (
	inside complement = 0
	beside complement = ^complement(0)
)

// nth is the n-th processor, from 0, in the mask, or of those outside it. There must be more than n of them.
func nth(mask []uint64, which complement, n int) int {
	for w, word := range mask {
		word ^= uint64(which)
		if ones := bits.OnesCount64(word); n >= ones {
			n -= ones
			continue
		}
		for ; n > 0; n-- {
			word &= word - 1
		}
		return w<<6 + bits.TrailingZeros64(word)
	}
	return -1
}

// draw makes the mask a random set of size processors; all such sets are equally likely. processors lists all processors in any order; draw
// shuffles it.
func draw(mask []uint64, size int, processors []int32, rng *rand.Rand) {
	clear(mask)
	for k := range size {
		other := k + rng.Intn(len(processors)-k)
		processors[k], processors[other] = processors[other], processors[k]
		flip(mask, int(processors[k]))
	}
}

// repair takes random processors out of the mask, or puts some in, until it has size processors.
//
// Complexity: O(processors).
func repair(mask []uint64, size, processors int, rng *rand.Rand) {
	found := count(mask)
	which, among, change := inside, found, found-size
	if change < 0 {
		which, among, change = beside, processors-found, -change
	}
	// Each processor in turn is taken with the probability that is needed to reach the number: all choices are equally likely.
	for w := 0; change > 0; w++ {
		for word := mask[w] ^ uint64(which); word != 0 && change > 0; word &= word - 1 {
			if rng.Intn(among) < change {
				mask[w] ^= word & -word
				change--
			}
			among--
		}
	}
}

// moveBit replaces a random processor of the mask by a random one outside it.
func moveBit(mask []uint64, size, processors int, rng *rand.Rand) {
	if size == processors {
		return
	}
	from, to := nth(mask, inside, rng.Intn(size)), nth(mask, beside, rng.Intn(processors-size))
	flip(mask, from)
	flip(mask, to)
}

// splice keeps the mask's processors before the cut and takes those of the other mask from the cut on.
func splice(mask, other []uint64, cut int) {
	w := cut >> 6
	if w == len(mask) {
		return
	}
	low := uint64(1)<<(cut&63) - 1
	mask[w] = mask[w]&low | other[w]&^low
	copy(mask[w+1:], other[w+1:])
}
