package counts

import (
	"cmp"
	"math"
	"slices"
)

// sums calls yield with q(n)·h plus the sum of the n least of (q(n)·c − u) at level k, for n from first to most as far as there
// are jobs. It mends the order of the jobs for each n. Two jobs change places at most once, because q(n)·c − u is linear in q(n).
func (c *Relaxation) sums(i, k int, h float64, first, most int32, box Box, x []float64, yield func(n int, sum float64)) {
	kept := c.orders[i][k]
	n := int(first)
	least, top := max(1, int(box.Least)), min(int(box.Most), len(kept[0]))
	part := min(parts, (n-least)/max(1, (top-least)/parts))
	order := append(c.order[:0], kept[part]...)
	for ; n <= min(int(most), len(order)); n++ {
		q := float64(n) * c.Unit[i]
		c.mend(i, k, q, order, x)
		sum := q * h
		for _, v := range c.sorted[:n] {
			sum += v
		}
		yield(n, sum)
	}
}

// parts is the number of parts of the range of numbers of jobs that chords span.
const parts = 12

// chords calls yield with a lower bound of what sums computes with h = 0. For a fixed number of jobs the sum of the least is
// concave in q, so it lies above the chord between two values of q. At each end of a chord one order of the jobs serves all
// numbers of jobs. The orders are kept, because at the next point they are almost right.
func (c *Relaxation) chords(i, k, first, most int, x []float64, yield func(n int, sum float64)) {
	eligible := len(c.orders[i][k][0])
	most = min(most, eligible)
	if first > most {
		return
	}
	left, right := c.chord[0], c.chord[1]
	part := 0
	c.firstSums(i, k, first, part, x, left)
	for from := first; ; {
		to := min(most, from+max(1, (most-first)/parts))
		if to == from { // the last number
			yield(from, left[from])
			return
		}
		part = min(part+1, parts)
		c.firstSums(i, k, to, part, x, right)
		for n := from; n < to; n++ {
			share := float64(n-from) / float64(to-from)
			yield(n, (1-share)*left[n]+share*right[n])
		}
		left, right, from = right, left, to
	}
}

// eligible lists the jobs that can end by level k, in order of number.
func (c *Relaxation) eligible(i, k int) []int32 {
	order := c.order[:0]
	for j := range c.Jobs {
		if !math.IsInf(c.Cost[i][j][k], 1) {
			order = append(order, int32(j))
		}
	}
	return order
}

// firstSums computes, for all n, the sums of the n least of (q·c − u), with q for the given number of jobs. It uses the order
// kept for the part.
func (c *Relaxation) firstSums(i, k, jobs, part int, x, sums []float64) {
	c.mend(i, k, float64(jobs)*c.Unit[i], c.orders[i][k][part], x)
	sum := 0.0
	for n, v := range c.sorted[:len(c.orders[i][k][part])] {
		sum += v
		sums[n+1] = sum
	}
}

// sort sorts jobs by value.
func (c *Relaxation) sort(order []int32) {
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(c.values[a], c.values[b]), cmp.Compare(a, b)) })
}

// mend sorts an order that is almost sorted by q·c − u at level k. It leaves these values in c.sorted. An order that turns out to be far from
// sorted, as it may be with thousands of jobs, is sorted anew.
//
// Complexity: O(n) for n jobs that are almost sorted, O(n·log n) at most.
func (c *Relaxation) mend(i, k int, q float64, order []int32, x []float64) {
	const most = 16 // steps a job
	cost, sorted, last := c.byLevel[i][k], c.sorted[:len(order)], math.Inf(-1)
	steps := most * len(order)
	for a, j := range order {
		v := q*cost[j] - x[j]
		if v >= last {
			sorted[a], last = v, v
			continue
		}
		b := a
		for ; b > 0 && sorted[b-1] > v; b-- {
			sorted[b], order[b] = sorted[b-1], order[b-1]
		}
		sorted[b], order[b] = v, j
		if steps -= a - b; steps < 0 {
			c.sortAnew(q, cost, order, x)
			return
		}
	}
}

// sortAnew does the work of mend for an order that is far from sorted.
func (c *Relaxation) sortAnew(q float64, cost []float64, order []int32, x []float64) {
	for _, j := range order {
		c.values[j] = q*cost[j] - x[j]
	}
	c.sort(order)
	for a, j := range order {
		c.sorted[a] = c.values[j]
	}
}
