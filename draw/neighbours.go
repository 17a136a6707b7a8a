package draw

import (
	"cmp"
	"slices"
	"sync"

	"github.com/allot-opt/allot/internal/picture"
)

// mostTouched limits the work of finding neighbours: the processors that blocks hold, in runs that no block divides. Charts with more show load, or dots too
// small for a neighbour to matter.
const mostTouched = 100_000_000

// fillsOfJobs chooses a fill for each job such that jobs side by side can be told apart, also by colour-blind readers. Two jobs are side by side if one follows
// the other on a processor, or if they hold neighbouring processors at one time. Each job takes the first fill that is unlike those of its neighbours,
// beginning with that of its index, so that the fills of a schedule are the same in every run.
//
// The jobs are coloured in the order of Matula and Beck (1983, doi:10.1145/2402.322385): the last is one with the fewest neighbours, the one before has the
// fewest among the rest, and so on. Jobs that are one rectangle each touch like the countries of a map; in that order no job meets more than
// five coloured neighbours, and the eight full tones suffice. Jobs of several rectangles may need the pale tones, or more than there are: then a job
// takes the fill of the fewest neighbours.
//
// Complexity: O(n log n + t) for n blocks that touch t runs of processors, and t is limited.
func (l *layout) fillsOfJobs() []int {
	const none = -1
	chosen := make([]int, len(l.jobs))
	for k := range chosen {
		chosen[k] = none
	}
	beside := l.neighbours()
	for k := range beside {
		slices.Sort(beside[k])
		beside[k] = slices.Compact(beside[k])
	}
	conflicts := make([]int, fills())
	order := fewestLast(beside)
	for n := range order {
		k := order[len(order)-1-n]
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

// fewestLast takes the jobs away one by one, each time one with the fewest neighbours that are left, and returns them in that order.
func fewestLast(beside [][]int) []int {
	degree, most := make([]int, len(beside)), 0
	for k := range beside {
		degree[k] = len(beside[k])
		most = max(most, degree[k])
	}
	waiting := make([][]int, most+1) // by number of neighbours; a job whose number has changed since is passed over
	for k := range beside {
		waiting[degree[k]] = append(waiting[degree[k]], k)
	}
	order, taken := make([]int, 0, len(beside)), make([]bool, len(beside))
	for least := 0; least <= most; {
		n := len(waiting[least])
		if n == 0 {
			least++
			continue
		}
		k := waiting[least][n-1]
		waiting[least] = waiting[least][:n-1]
		if taken[k] || degree[k] != least {
			continue
		}
		taken[k] = true
		order = append(order, k)
		for _, other := range beside[k] {
			if !taken[other] {
				degree[other]--
				waiting[degree[other]] = append(waiting[degree[other]], other)
				least = min(least, degree[other])
			}
		}
	}
	return order
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
			other := &l.blocks[before-1]
			isOutside := n == 0 || n == len(runs)-1
			if other.job == b.job || isOutside && other.end <= b.start {
				continue
			}
			seen = before
			beside[b.job], beside[other.job] = append(beside[b.job], other.job), append(beside[other.job], b.job)
		}
		for n := 1; n < len(runs)-1; n++ {
			runs[n] = k + 1
		}
	}
	return beside
}

// leastDistance is how far apart two colours must be, in CIELAB and for every vision, to be told apart side by side. The eight fills are at least that far
// from each other.
const leastDistance = 11

// alike says of each two fills of jobs whether somebody may take one for the other.
var alike = sync.OnceValue(func() [][]bool {
	table := make([][]bool, fills())
	for a := range table {
		table[a] = make([]bool, fills())
		for b := range table[a] {
			table[a][b] = picture.Distance(fillColour(a), fillColour(b)) < leastDistance
		}
	}
	return table
})
