package draw

import (
	"cmp"
	"slices"
)

// mostTouched limits the work of finding neighbours: the processors that blocks hold, in runs that no block divides. Charts with more show load, or dots too
// small for a neighbour to matter.
const mostTouched = 100_000_000

// fillsOfJobs chooses a fill for each job such that jobs side by side can be told apart, also by colour-blind readers. Two jobs are side by side if one follows
// the other on a processor, or if they hold neighbouring processors at one time. Jobs are coloured by start, each with the first fill that is unlike
// those of its neighbours, beginning with that of its index; so the fills of one schedule are the same in every run.
//
// Complexity: O(n log n + t) for n blocks that touch t runs of processors, and t is limited.
func (l *layout) fillsOfJobs() []int {
	const none = -1
	chosen := make([]int, len(l.jobs))
	for k := range chosen {
		chosen[k] = none
	}
	beside := l.neighbours()
	order := make([]int, len(l.jobs))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.jobs[a].start, l.jobs[b].start) })
	conflicts := make([]int, fills())
	for _, k := range order {
		clear(conflicts)
		for _, other := range beside[k] {
			if chosen[other] == none {
				continue
			}
			for fill, isAlike := range alike()[chosen[other]] {
				if isAlike {
					conflicts[fill]++
				}
			}
		}
		best := l.jobs[k].hue % len(light)
		for step := range fills() {
			// All full tones come before the pale ones.
			fill := step/len(light)*len(light) + (l.jobs[k].hue+step)%len(light)
			if conflicts[fill] < conflicts[best] {
				best = fill
			}
		}
		chosen[k] = best
	}
	return chosen
}

// neighbours lists for each job those beside it, some more than once.
func (l *layout) neighbours() [][]int {
	beside := make([][]int, len(l.jobs))
	order := make([]int, len(l.blocks))
	bounds := make([][]int, len(l.bands)) // of the runs of processors that no block divides
	for k := range l.blocks {
		b := &l.blocks[k]
		order[k] = k
		bounds[b.band] = append(bounds[b.band], b.first, b.last+1)
	}
	last := make([][]int, len(l.bands)) // by run: the latest block on it, + 1
	for k := range bounds {
		slices.Sort(bounds[k])
		bounds[k] = slices.Compact(bounds[k])
		last[k] = make([]int, len(bounds[k])+1) // one more on each side
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.blocks[a].start, l.blocks[b].start) })
	touched := 0
	for _, k := range order {
		b := &l.blocks[k]
		from, _ := slices.BinarySearch(bounds[b.band], b.first)
		to, _ := slices.BinarySearch(bounds[b.band], b.last+1)
		if touched += to - from + 2; touched > mostTouched {
			return make([][]int, len(l.jobs))
		}
		runs := last[b.band][from : to+2] // with the run before and the run after
		seen := 0
		for n, before := range runs {
			if before == 0 || before == seen {
				continue
			}
			seen = before
			other := &l.blocks[before-1]
			isOutside := n == 0 || n == len(runs)-1
			if other.job == b.job || isOutside && other.end <= b.start {
				continue
			}
			beside[b.job], beside[other.job] = append(beside[b.job], other.job), append(beside[other.job], b.job)
		}
		for n := 1; n < len(runs)-1; n++ {
			runs[n] = k + 1
		}
	}
	return beside
}
