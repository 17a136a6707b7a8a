package bound

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// counts is the Lagrangian relaxation of mcp by the numbers of jobs n_i of the clusters. A job costs cluster i at least
// c_ij(M) = min over starts that let it end by M of w_o·late − w_i·(processor time) + (what it pays by the prices of time), see
// [priced]; the cluster itself h_i(M) = (w_m + w_i·m_i)·M − ∫₀^M κ_i. With a price u_j for each job,
//
//	g_i(n) = min over M of q(n)·h_i(M) + the sum of the n least of (q(n)·c_ij(M) − u_j),  g_i(0) = 0,  q(n) = n/(p·W_i)
//	bound  = Σ u_j + min { Σ g_i(n_i) : Σ n_i = p }
//
// where W_i is the sum of the cluster's weights w_o, w_m, w_i. M is looked at by level: level k is the makespans up to limit k,
// for which c_ij(M) ≥ c_ij(t_k), and h_i is least at an end of the bucket; the level after the last has no limit, and beyond the
// last limit, where the price is (w_m + w_i·m_i)/m_i, h_i does not fall.
type counts struct {
	*priced
	unit   []float64 // 1/(p·W_i); 0 where W_i is
	levels int       // of makespans
	weight []float64 // w_m + w_i·m_i

	// Scratch.
	cost   [][][]float64 // by cluster and job: at each level
	at     [][][]int32
	h      [][]float64   // by cluster and limit
	g      [][]float64   // by cluster and number of jobs
	level  [][]int32     // that g is of
	hope   [][][]float64 // by cluster, group of levels and number of jobs: g of none of them is lower
	before [][]float64   // by cluster and number of jobs: the least Σ g of the clusters before it
	chord  [2][]float64  // by number of jobs
	values []float64
	order  []int32
}

// countGroup is the number of levels that are looked at together first.
const countGroup = 2

// pick is what a cluster chooses: a number of jobs and a level of its makespan; 0 with no jobs.
type pick struct{ n, level int32 }

// countBox limits what a cluster may choose: numbers of jobs and, where it has any, levels.
type countBox struct{ least, most, low, high int32 }

// holds says that the pick is in the box.
func (b countBox) holds(p pick) bool {
	return b.least <= p.n && p.n <= b.most && (p.n == 0 || b.low <= p.level && p.level <= b.high)
}

// newCounts prepares the scratch.
func newCounts(p *priced, unit, weight []float64) *counts {
	c := &counts{priced: p, unit: unit, weight: weight, levels: len(p.limits), values: make([]float64, p.jobs), order: make([]int32, 0, p.jobs)}
	c.chord = [2][]float64{make([]float64, p.jobs+1), make([]float64, p.jobs+1)}
	for range p.clusters {
		c.cost, c.at = append(c.cost, table[float64](p.jobs, c.levels+1)), append(c.at, table[int32](p.jobs, c.levels+1))
		c.hope = append(c.hope, table[float64](c.levels/countGroup+1, p.jobs+1))
	}
	K := len(p.clusters)
	c.h, c.g, c.level, c.before = table[float64](K, c.levels), table[float64](K, p.jobs+1), table[int32](K, p.jobs+1), table[float64](K+1, p.jobs+1)
	return c
}

// table is a table of zeros.
func table[T any](rows, columns int) [][]T {
	all := make([]T, rows*columns)
	t := make([][]T, rows)
	for k := range t {
		t[k] = all[k*columns : (k+1)*columns : (k+1)*columns]
	}
	return t
}

// work is about how long an evaluation in the box takes, see [Prover].
func (c *counts) work(box []countBox) int64 {
	work := int64(40_000) // choosing the point, the memory of the cut
	for i := range c.clusters {
		cluster, b := &c.clusters[i], box[i]
		work += int64(c.levels * len(cluster.items) * cluster.processors)
		work += int64(c.jobs * 8 * c.levels)
		work += int64(b.most-b.least+1) * int64(b.high-b.low+1) * int64(c.jobs) * 4
		work += int64(b.most-b.least+1) * int64(c.jobs)
	}
	return work
}

// evaluate is the bound at the prices x within the box, with a cut; ok is false where ctx ended. +Inf: the box holds nothing;
// NaN: the prices are too large for the digits there are.
//
// Levels are looked at in groups first, each as good as its best for everything. What the clusters choose by that, computed
// level by level, is an upper limit; only numbers of jobs that may lead below it are looked at level by level then.
//
// Complexity: O(clusters·levels·jobs²).
func (c *counts) evaluate(ctx context.Context, box []countBox, x []float64) (value float64, at *cut, ok bool) {
	if !c.set(ctx, x) {
		return 0, nil, false
	}
	for i := range c.clusters {
		c.costs(i)
		if !c.hopes(ctx, i, box[i], x) {
			return 0, nil, false
		}
	}
	n, _ := c.share(box)
	if n == nil {
		return math.Inf(1), nil, true
	}
	hoped, limit := table[float64](len(n), c.jobs+1), 1e-11*c.magnitude(x)
	for i := range n {
		copy(hoped[i], c.g[i])
		c.g[i][n[i]] = math.Inf(1)
		limit += c.exact(i, box[i], n[i], n[i], x)
	}
	after := c.behind(box, hoped)
	for i := range n {
		if ctx.Err() != nil {
			return 0, nil, false
		}
		from, to := c.promising(i, box[i], hoped[i], after, limit)
		if from == 0 {
			c.g[i][0], c.level[i][0] = 0, 0
			from = 1
		}
		if from <= to {
			c.exact(i, box[i], from, to, x)
		}
		for k := max(1, from); k <= to; k++ {
			if c.level[i][k] == 0 { // no level leads below the limit
				c.g[i][k] = math.Inf(1)
			}
		}
	}
	if n, value = c.share(box); n == nil { // lost in rounding
		return math.NaN(), nil, true
	}
	for _, u := range x[:c.jobs] {
		value += u
	}
	return value, c.cutAt(x, n, value), true
}

// costs computes what the cluster and each job on it cost by level.
func (c *counts) costs(i int) {
	cluster := &c.clusters[i]
	for k, t := range c.limits {
		c.h[i][k] = c.weight[i]*t - cluster.paid[k]
	}
	for j := range c.jobs {
		if cluster.jobs[j].kind < 0 {
			for k := range c.cost[i][j] {
				c.cost[i][j][k] = math.Inf(1)
			}
			continue
		}
		cluster.cheapest(j, c.limits, c.cost[i][j], c.at[i][j])
	}
}

// low is the limit of the level at which h is least.
func (c *counts) low(i, k int) int {
	if k == c.levels || c.h[i][k] >= c.h[i][k-1] {
		return k - 1
	}
	return k
}

// groups calls yield for the groups of levels in the box: its number, levels first to last.
func (b countBox) groups(yield func(group, first, last int)) {
	for k := int(b.low); k <= int(b.high); {
		group := k / countGroup
		last := min(int(b.high), (group+1)*countGroup-1)
		yield(group, k, last)
		k = last + 1
	}
}

// hopes computes a limit of g from below for each group of levels, and with it g.
func (c *counts) hopes(ctx context.Context, i int, box countBox, x []float64) bool {
	for n := range c.g[i] {
		c.g[i][n] = math.Inf(1)
	}
	box.groups(func(group, first, last int) {
		if ctx.Err() != nil {
			return
		}
		h := math.Inf(1)
		for k := first; k <= last; k++ {
			h = min(h, c.h[i][c.low(i, k)])
		}
		hope := c.hope[i][group]
		for n := range hope {
			hope[n] = math.Inf(1)
		}
		c.chords(i, last, h, max(1, int(box.least)), int(box.most), x, func(n int, g float64) {
			hope[n] = g
			c.g[i][n] = min(c.g[i][n], g)
		})
	})
	if box.least == 0 {
		c.g[i][0] = 0
	}
	return ctx.Err() == nil
}

// exact computes g of the cluster for so many jobs, where it is lower than it is already, and returns the last.
func (c *counts) exact(i int, box countBox, from, to int32, x []float64) float64 {
	g, level := c.g[i], c.level[i]
	if to == 0 {
		g[0], level[0] = 0, 0
		return 0
	}
	box.groups(func(group, first, last int) {
		hope := c.hope[i][group]
		low, high := from, to
		for low <= high && hope[low] >= g[low] {
			low++
		}
		for low <= high && hope[high] >= g[high] {
			high--
		}
		for k := first; k <= last && low <= high; k++ {
			c.sums(i, k, c.h[i][c.low(i, k)], low, high, x, func(n int, v float64) {
				if v < g[n] {
					g[n], level[n] = v, int32(k)
				}
			})
		}
	})
	return g[to]
}

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
	const parts = 12
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

// share gives the jobs to the clusters at the least Σ g; nil: the box has no place for them.
func (c *counts) share(box []countBox) (n []int32, least float64) {
	p := c.jobs
	from := table[int32](len(box), p+1)
	for to := range c.before[0] {
		c.before[0][to] = math.Inf(1)
	}
	c.before[0][0] = 0
	for i := range box {
		for to := range p + 1 {
			best, taken := math.Inf(1), int32(0)
			for take := box[i].least; take <= min(box[i].most, int32(to)); take++ {
				if v := c.before[i][to-int(take)] + c.g[i][take]; v < best {
					best, taken = v, take
				}
			}
			c.before[i+1][to], from[i][to] = best, taken
		}
	}
	least = c.before[len(box)][p]
	if math.IsInf(least, 1) {
		return nil, 0
	}
	n = make([]int32, len(box))
	for i, left := len(n)-1, p; i >= 0; i-- {
		n[i] = from[i][left]
		left -= int(n[i])
	}
	return n, least
}

// behind is the least Σ hoped of the clusters from each on, for each number of jobs.
func (c *counts) behind(box []countBox, hoped [][]float64) [][]float64 {
	after := table[float64](len(box)+1, c.jobs+1)
	for n := range after[len(box)] {
		after[len(box)][n] = math.Inf(1)
	}
	after[len(box)][0] = 0
	for i := len(box) - 1; i > 0; i-- {
		for n := range after[i] {
			best := math.Inf(1)
			for take := box[i].least; take <= min(box[i].most, int32(n)); take++ {
				best = min(best, hoped[i][take]+after[i+1][n-int(take)])
			}
			after[i][n] = best
		}
	}
	return after
}

// promising is the range of numbers of jobs of the cluster that may lead below the limit. It leaves in g what g has to be below
// for that.
func (c *counts) promising(i int, box countBox, hoped []float64, after [][]float64, limit float64) (from, to int32) {
	from, to = int32(c.jobs+1), -1
	for n := range c.g[i] {
		c.g[i][n] = math.Inf(1)
	}
	for n := box.least; n <= box.most; n++ {
		best := math.Inf(1)
		for others := range c.jobs - int(n) + 1 { // jobs of the clusters before
			best = min(best, c.before[i][others]+after[i+1][c.jobs-int(n)-others])
		}
		if best+hoped[n] <= limit {
			from, to = min(from, n), n
			c.g[i][n], c.level[i][n] = limit-best, 0
		}
	}
	return from, to
}

// cutAt is the cut of what the clusters choose, n jobs each.
func (c *counts) cutAt(x []float64, n []int32, value float64) *cut {
	at := &cut{slope: make([]float64, c.size), picks: make([]pick, len(n))}
	for j := range c.jobs {
		at.slope[j] = 1
	}
	for i := range n {
		if n[i] == 0 {
			continue
		}
		cluster, k := &c.clusters[i], int(c.level[i][n[i]])
		at.picks[i] = pick{n[i], int32(k)}
		q := float64(n[i]) * c.unit[i]
		cluster.slopeOfCluster(at.slope, c.low(i, k), -q, c.limits)
		order := c.order[:0]
		for j := range c.jobs {
			if !math.IsInf(c.cost[i][j][k], 1) {
				c.values[j] = q*c.cost[i][j][k] - x[j]
				order = append(order, int32(j))
			}
		}
		slices.SortStableFunc(order, func(a, b int32) int {
			switch va, vb := c.values[a], c.values[b]; {
			case va < vb:
				return -1
			case va > vb:
				return 1
			}
			return 0
		})
		for _, j := range order[:n[i]] {
			at.slope[j]--
			cluster.slopeOfRun(at.slope, int(j), c.at[i][j][k], q, c.limits)
		}
	}
	at.at0 = value - at.at(x)
	return at
}
