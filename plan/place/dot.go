package place

import "math"

var _ = Register(Rule{
	Name:   "dot",
	Doc:    "the machine with the least product of what is free and what the job needs",
	Source: weng + `, §6.1 (DotProd); Grandl et al. (2014), doi:10.1145/2619239.2626334`,
	New:    func(s *Site, _ uint64) Scorer { return dotProduct{newScale(s)} },
})

// dotProduct prefers the machine with the least dot product of what is free and what the block needs. With free_i of a dimension free and need_i needed, as
// shares of the most that a machine has, in n dimensions,
//
//	score = −⌊100 · (1 − Σ_i free_i · need_i / n)⌋.
//
// The device is the one with the least free that is enough.
//
// Source: Weng et al. (2023), §6.1, DotProd, and what their simulator computes with its settings "merge" and "max": two dimensions, CPU and the sum of the
// GPUs; scores are rounded down to whole numbers. Tetris (Grandl et al. 2014) takes the greatest product, this rule the least.
//
// Deviations: as of best.
//
// Complexity: O(resources).
type dotProduct struct{ scale *scale }

func (p dotProduct) Score(f *Free, k *Kind) (float64, int) {
	product := p.scale.sum(f, k, func(free, need float64) float64 { return free * need })
	return -math.Floor(points * (1 - product)), -1
}
