package bound

import (
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
	known  [][]bool      // by cluster and number of jobs: g is computed level by level
	before [][]float64   // by cluster and number of jobs: the least Σ g of the clusters before it
	chord  [2][]float64  // by number of jobs
	values []float64
	order  []int32
}

// countGroup is the number of levels that are looked at together first.
const countGroup = 1

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
	c.h, c.g, c.level, c.known, c.before = table[float64](K, c.levels), table[float64](K, p.jobs+1), table[int32](K, p.jobs+1), table[bool](K, p.jobs+1), table[float64](K+1, p.jobs+1)
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
// Levels are looked at in groups first, each as good as its best for everything. What the clusters choose by that is computed level
// by level, with the numbers of jobs next to it, until they choose nothing else, or what they then choose is so close to what may
// be the least, which is the value.
//
// Complexity: O(clusters·levels·jobs²).
func (c *counts) evaluate(ctx context.Context, box []countBox, x []float64, close float64) (value float64, at *cut, ok bool) {
	const beside = 3
	if !c.set(ctx, x) {
		return 0, nil, false
	}
	for i := range c.clusters {
		c.costs(i)
		if !c.hopes(ctx, i, box[i], x) {
			return 0, nil, false
		}
		clear(c.known[i])
	}
	for {
		n, least := c.share(box)
		if n == nil {
			return math.Inf(1), nil, true
		}
		known := true
		for i := range n {
			if ctx.Err() != nil {
				return 0, nil, false
			}
			if c.known[i][n[i]] {
				continue
			}
			known = false
			from, to := n[i], n[i]
			for from > max(1, box[i].least) && n[i]-from < beside && !c.known[i][from-1] {
				from--
			}
			for to < box[i].most && to-n[i] < beside && !c.known[i][to+1] {
				to++
			}
			c.exact(i, box[i], from, n[i], to, x)
		}
		chosen := 0.0
		for i := range n {
			chosen += c.g[i][n[i]]
		}
		if known || chosen-least <= close {
			for _, u := range x[:c.jobs] {
				least, chosen = least+u, chosen+u
			}
			return least, c.cutAt(x, n, chosen), true
		}
	}
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

// exact computes g of the cluster for the numbers of jobs, level by level, first the group that promises most for n.
func (c *counts) exact(i int, box countBox, from, n, to int32, x []float64) {
	g, level := c.g[i], c.level[i]
	for k := from; k <= to; k++ {
		c.known[i][k] = true
		if k > 0 {
			g[k], level[k] = math.Inf(1), 0
		}
	}
	if from == 0 {
		g[0], level[0], from = 0, 0, 1
	}
	first, least := -1, math.Inf(1)
	box.groups(func(group, _, _ int) {
		if hope := c.hope[i][group][max(1, n)]; hope < least {
			first, least = group, hope
		}
	})
	look := func(group, low, high int) {
		hope, a, b := c.hope[i][group], from, to
		for a <= b && hope[a] >= g[a] {
			a++
		}
		for a <= b && hope[b] >= g[b] {
			b--
		}
		for k := low; k <= high && a <= b; k++ {
			c.sums(i, k, c.h[i][c.low(i, k)], a, b, x, func(n int, v float64) {
				if v < g[n] {
					g[n], level[n] = v, int32(k)
				}
			})
		}
	}
	box.groups(func(group, low, high int) {
		if group == first {
			look(group, low, high)
		}
	})
	box.groups(func(group, low, high int) {
		if group != first {
			look(group, low, high)
		}
	})
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
