package tou

import "slices"

// packing fills stretches of work with jobs, each just.
type packing struct {
	p      *Problem
	left   []int // by size: jobs that are not placed
	chosen [][]int
	looks  int
	order  []int
	length []int
}

// pack finds, by stretch, how many jobs of each size fill it; false: none was found. It begins with the shortest stretches, which leave the fewest choices, and
// takes large jobs first.
func (p *Problem) pack(lengths []int) ([][]int, bool) {
	k := &packing{p: p, left: slices.Clone(p.Counts), looks: 20_000, length: lengths}
	for at := range lengths {
		k.order = append(k.order, at)
		k.chosen = append(k.chosen, make([]int, len(p.Sizes)))
	}
	slices.SortStableFunc(k.order, func(a, b int) int { return lengths[a] - lengths[b] })
	return k.chosen, k.fill(0, lengths, 0, len(p.Sizes)-1)
}

// fill fills what is left of the stretches from one on, of which the given part is filled, with jobs of at most a size.
func (k *packing) fill(at int, lengths []int, filled, size int) bool {
	if at == len(k.order) {
		return true
	}
	if k.looks--; k.looks < 0 {
		return false
	}
	stretch := k.order[at]
	need := lengths[stretch] - filled
	if need == 0 {
		return k.fill(at+1, lengths, 0, len(k.p.Sizes)-1)
	}
	if size < 0 {
		return false
	}
	most := min(k.left[size], need/k.p.Sizes[size])
	for n := most; n >= 0; n-- {
		k.left[size] -= n
		k.chosen[stretch][size] = n
		if k.fill(at, lengths, filled+n*k.p.Sizes[size], size-1) {
			return true
		}
		k.left[size] += n
		k.chosen[stretch][size] = 0
	}
	return false
}
