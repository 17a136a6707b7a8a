package place

import "math"

// weng is where the published rules and their results come from.
const weng = `Weng et al. (2023), "Beware of Fragmentation", USENIX ATC '23`

var _ = Register(Rule{
	Name:   "best",
	Doc:    "best fit: the machine with the least left over all its resources",
	Source: weng + `, §6.1 (BestFit)`,
	New:    func(s *Site, _ uint64) Scorer { return bestFit{newScale(s)} },
})

// bestFit prefers the machine on which the block leaves the least. With free_i of a dimension free and need_i needed, as shares of the most that a machine
// has, in n dimensions,
//
//	score = −⌊100 · (1 − Σ_i (free_i − need_i) / n)⌋.
//
// The device is the one with the least free that is enough.
//
// Source: Weng et al. (2023), §6.1, BestFit, and what their simulator computes: two dimensions, CPU and GPU, of weight 1/2 each; scores are rounded down to
// whole numbers.
//
// Deviations: the dimensions are those of the instance; where theirs are stated as 128 cores and 8 GPUs, these are the most that a machine of the site has.
//
// Complexity: O(resources).
type bestFit struct{ scale *scale }

func (b bestFit) Score(f *Free, k *Kind) (float64, int) {
	left := b.scale.sum(f, k, func(free, need float64) float64 { return free - need })
	return -math.Floor(points * (1 - left)), -1
}
