package bound

import (
	"cmp"
	"math"
	"slices"
)

// sums calls yield with q(n)·h + the sum of the n least of (q(n)·c − u) at the level, for n from first to most as far as there are
// jobs. The order is mended for each n; two jobs change places once at most, since what they cost is linear in q(n).
func (c *counts) sums(i, k int, h float64, first, most int32, x []float64, yield func(n int, sum float64)) {
	values, order := c.values, c.eligible(i, k)
	for n := int(first); n <= min(int(most), len(order)); n++ {
		q := float64(n) * c.unit[i]
		for _, j := range order {
			values[j] = q*c.cost[i][j][k] - x[j]
		}
		if n == int(first) {
			c.sort(order)
		} else {
			mend(order, values)
		}
		sum := q * h
		for _, j := range order[:n] {
			sum += values[j]
		}
		yield(n, sum)
	}
}

// chords calls yield with a limit from below of what sums computes. For a fixed number of jobs the sum of the least is concave in q:
// it is above the chord between two q, at each of which one order serves all numbers.
func (c *counts) chords(i, k int, h float64, first, most int, x []float64, yield func(n int, sum float64)) {
	const parts = 24
	order := c.eligible(i, k)
	most = min(most, len(order))
	if first > most {
		return
	}
	left, right := c.chord[0], c.chord[1]
	c.firstSums(i, k, first, order, x, left, true)
	for from := first; ; {
		to := min(most, from+max(1, (most-first)/parts))
		if to == from { // the last
			yield(from, float64(from)*c.unit[i]*h+left[from])
			return
		}
		c.firstSums(i, k, to, order, x, right, false)
		for n := from; n < to; n++ {
			share := float64(n-from) / float64(to-from)
			yield(n, float64(n)*c.unit[i]*h+(1-share)*left[n]+share*right[n])
		}
		left, right, from = right, left, to
	}
}

// eligible are the jobs that can end by the level, in order of number.
func (c *counts) eligible(i, k int) []int32 {
	order := c.order[:0]
	for j := range c.jobs {
		if !math.IsInf(c.cost[i][j][k], 1) {
			order = append(order, int32(j))
		}
	}
	return order
}

// firstSums computes the sums of the n least of (q·c − u) for all n, q being that of so many jobs.
func (c *counts) firstSums(i, k, jobs int, order []int32, x, sums []float64, unsorted bool) {
	q := float64(jobs) * c.unit[i]
	for _, j := range order {
		c.values[j] = q*c.cost[i][j][k] - x[j]
	}
	if unsorted {
		c.sort(order)
	} else {
		mend(order, c.values)
	}
	sum := 0.0
	for n, j := range order {
		sum += c.values[j]
		sums[n+1] = sum
	}
}

// sort sorts jobs by value.
func (c *counts) sort(order []int32) {
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(c.values[a], c.values[b]), cmp.Compare(a, b)) })
}

// mend sorts an order that is almost sorted.
func mend(order []int32, values []float64) {
	for a := 1; a < len(order); a++ {
		j := order[a]
		v, b := values[j], a
		for ; b > 0 && values[order[b-1]] > v; b-- {
			order[b] = order[b-1]
		}
		order[b] = j
	}
}
