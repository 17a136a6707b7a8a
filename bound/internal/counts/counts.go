// Package counts computes lower bounds of mcp, the mean comprehensive performance of the clusters, by branch-and-bound over the
// numbers of jobs of the clusters.
package counts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound/internal/bundle"
	"github.com/allot-opt/allot/bound/internal/priced"
)

// Relaxation is the Lagrangian relaxation of mcp by the numbers of jobs n_i of the clusters. The least cost of job j on cluster
// i if it ends by time M is c_ij(M) = min over its starts of w_o·late − w_i·(processor time) + (what it pays by the prices of
// time), see [priced.Problem]. The cost of the cluster itself is h_i(M) = (w_m + w_i·m_i)·M − ∫₀^M κ_i. With a price u_j for
// each job,
//
//	g_i(n) = min over M of q(n)·h_i(M) + the sum of the n least of (q(n)·c_ij(M) − u_j),  g_i(0) = 0,  q(n) = n/(p·W_i)
//	bound  = Σ u_j + min { Σ g_i(n_i) : Σ n_i = p }
//
// where p is the number of jobs and W_i the sum of the cluster's weights w_o, w_m, w_i. M takes levels. Level k stands for the
// makespans from limit k−1 to limit k; in it c_ij(M) ≥ c_ij(t_k), and h_i is least at one of the two limits. The level after
// the last has no limit. Beyond the last limit the price is (w_m + w_i·m_i)/m_i, so h_i does not fall there.
//
// Where sets of few jobs are known, see [Few], g_i(n) is at least what the cheapest set of n jobs costs less the prices of its jobs.
//
// The bound of a leaf is this bound at one vector of prices, with n_i and the levels limited to those of its box. Evaluate finds it
// by short cuts (chords, levels that are left out). These do not change the value, except that it may be lower by the tolerance.
type Relaxation struct {
	*priced.Problem
	Unit   []float64 // by cluster: 1/(p·W_i); 0 if W_i is 0
	Levels int       // number of limits of makespans
	weight []float64 // by cluster: w_m + w_i·m_i
	few    *fewCosts // nil: nothing is known of sets of few jobs
	useFew bool      // Evaluate looks at them
	most   float64   // schedules that cost more do not matter

	// Scratch. The first index is the cluster.
	Cost    [][][]float64 // by job and level
	at      [][][]int32   // by job and level: the start with that cost
	byLevel [][][]float64 // by level and job: cost
	H       [][]float64   // by limit
	g       [][]float64   // by number of jobs
	level   [][]int32     // by number of jobs: the level at which g is reached
	hope    [][][]float64 // by level and number of jobs: a lower bound of g at that level
	known   [][]bool      // by number of jobs: g is exact, not only a lower bound
	before  [][]float64   // by number of jobs: the least Σ g of the clusters before this one
	orders  [][][][]int32 // by level and part of the numbers of jobs: orders of the jobs, see chords
	chord   [2][]float64  // by number of jobs
	above   []float64     // by number of jobs: what they cost at the level looked at last
	own     []float64     // by number of jobs: what they cost at the level chosen last
	chosen  []int32       // the level chosen last
	values  []float64
	sorted  []float64
	order   []int32
}

// Box limits what a cluster may choose: its number of jobs and, if it has jobs, its level.
type Box struct{ Least, Most, Low, High int32 }

// holds says that the choice is in the box.
func (b Box) holds(p bundle.Choice) bool {
	return b.Least <= p.Jobs && p.Jobs <= b.Most && (p.Jobs == 0 || b.Low <= p.Level && p.Level <= b.High)
}

// newCounts prepares the scratch. It adds a last coordinate to p: a price common to all jobs. What the jobs pay by it is added to
// the bound again, so it does not change the bound. It only changes the value of combinations of cuts of different clusters whose
// numbers of jobs do not sum to p.
func newCounts(p *priced.Problem, unit, weight []float64) *Relaxation {
	p.Size++
	c := &Relaxation{Problem: p, Unit: unit, weight: weight, Levels: len(p.Limits),
		values: make([]float64, p.Jobs), sorted: make([]float64, p.Jobs), order: make([]int32, 0, p.Jobs)}
	c.chord = [2][]float64{make([]float64, p.Jobs+1), make([]float64, p.Jobs+1)}
	c.above, c.own, c.chosen = make([]float64, p.Jobs+1), make([]float64, p.Jobs+1), make([]int32, len(p.Clusters))
	for i := range p.Clusters {
		c.Cost, c.at = append(c.Cost, table[float64](p.Jobs, c.Levels+1)), append(c.at, table[int32](p.Jobs, c.Levels+1))
		c.byLevel, c.hope = append(c.byLevel, table[float64](c.Levels+1, p.Jobs)), append(c.hope, table[float64](c.Levels+1, p.Jobs+1))
		rows := make([][][]int32, c.Levels+1)
		for k := range rows {
			order := endBy(&p.Clusters[i], k, c.Levels)
			rows[k] = table[int32](parts+1, len(order))
			for part := range rows[k] {
				copy(rows[k][part], order)
			}
		}
		c.orders = append(c.orders, rows)
	}
	K := len(p.Clusters)
	c.H, c.g, c.level, c.known, c.before = table[float64](K, c.Levels), table[float64](K, p.Jobs+1), table[int32](K, p.Jobs+1), table[bool](K, p.Jobs+1), table[float64](K+1, p.Jobs+1)
	return c
}

// endBy lists the jobs that can end by the level. If level equals levels there is no limit.
func endBy(i *priced.Cluster, level, levels int) []int32 {
	var jobs []int32
	for j := range i.Jobs {
		if job := &i.Jobs[j]; job.Kind >= 0 && (level == levels || int(job.Starts[0].Within) <= level) {
			jobs = append(jobs, int32(j))
		}
	}
	return jobs
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

// work is about the time of an evaluation in the box, see Prover of package bound.
func (c *Relaxation) work(box []Box) int64 {
	work := 200_000 + int64(len(c.Clusters)*c.Size*bundle.MaxCuts) // for the bundle
	for i := range c.Clusters {
		cluster, b := &c.Clusters[i], box[i]
		work += int64(c.Levels * len(cluster.Items) * cluster.Processors)
		work += int64(c.Jobs * 8 * c.Levels)
		width, levels := int64(b.Most-b.Least+1), int64(b.High-b.Low+1)
		work += (min(width, parts) + min(width, 14)) * levels * int64(c.Jobs) * 2 // most levels are not looked at
		work += width * int64(c.Jobs)
	}
	return work
}

// Evaluate computes the bound at the prices x within the box, with a cut for each cluster. The value is +Inf if the box is empty.
// The result ok is false if ctx ended or a number overflowed.
//
// It first bounds g from below by chords. Then it computes g exactly for the numbers of jobs that the clusters choose by that,
// and for the numbers beside them. It repeats this until the clusters choose only numbers known exactly, or until the sum of
// what they choose is within close of the lower bound, which is the value.
//
// Complexity: O(clusters·levels·jobs²).
func (c *Relaxation) Evaluate(ctx context.Context, box []Box, x []float64, close float64) (value float64, cuts []*bundle.Cut, ok bool) {
	const beside = 3
	if !c.Set(ctx, x) {
		return 0, nil, false
	}
	if c.few != nil {
		c.few.forget()
	}
	for i := range c.Clusters {
		c.costs(i)
		if !c.hopes(ctx, i, box[i], x) {
			return 0, nil, false
		}
		narrow := int(box[i].Most)-max(1, int(box[i].Least)) < 2*parts // every chord would join two neighbouring numbers
		for n := range c.known[i] {
			c.known[i][n] = narrow
		}
	}
	for {
		n, least := c.share(box)
		if n == nil {
			return math.Inf(1), nil, true
		}
		known, chosen := true, 0.0
		for i := range n {
			if ctx.Err() != nil {
				return 0, nil, false
			}
			if !c.known[i][n[i]] {
				known = false
				c.exact(i, box[i], n[i], beside, x)
			}
			chosen += c.value(i, int(n[i]))
		}
		if known || chosen-least <= close {
			if c.raise(ctx, n, x, least) {
				continue
			}
			if ctx.Err() != nil {
				return 0, nil, false
			}
			for i := range n {
				c.chosen[i] = c.level[i][n[i]]
			}
			for _, u := range x[:c.Jobs] {
				least += u
			}
			return least, c.cutsAt(x, n), true
		}
	}
}

// costs computes the costs of cluster i and of each job on it, by level.
func (c *Relaxation) costs(i int) {
	cluster := &c.Clusters[i]
	for k, t := range c.Limits {
		c.H[i][k] = c.weight[i]*t - cluster.Paid[k]
	}
	for j := range c.Jobs {
		if cluster.Jobs[j].Kind < 0 {
			for k := range c.Cost[i][j] {
				c.Cost[i][j][k] = math.Inf(1)
			}
			continue
		}
		cluster.Cheapest(j, c.Limits, c.Cost[i][j], c.at[i][j])
	}
	for k, row := range c.byLevel[i] {
		for j := range row {
			row[j] = c.Cost[i][j][k]
		}
	}
}

// low is the index of the limit at which h is least on level k.
func (c *Relaxation) low(i, k int) int {
	if k == c.Levels || c.H[i][k] >= c.H[i][k-1] {
		return k - 1
	}
	return k
}

// hopes computes a lower bound of g for each level of cluster i, and the least of these as g.
//
// It goes from the highest level down. The later a job may end, the less it costs. So at a level the jobs cost at least as much as
// at any level above it. That cost plus h of the level itself is a bound. If by this bound the level cannot be the least, the
// bound stands and the costs of the level's jobs are not added up. The level chosen last is computed first, so that there is a good
// value to compare with.
func (c *Relaxation) hopes(ctx context.Context, i int, box Box, x []float64) bool {
	g := c.g[i]
	for n := range g {
		g[n] = math.Inf(1)
	}
	first, most := max(1, int(box.Least)), int(box.Most)
	last := int(min(max(c.chosen[i], box.Low), box.High))
	above, own := c.above, c.own
	c.hopeAt(i, last, first, most, x, own)
	for k := int(box.High); k >= int(box.Low); k-- {
		if ctx.Err() != nil {
			return false
		}
		switch k {
		case last:
			copy(above, own)
		case int(box.High):
			c.hopeAt(i, k, first, most, x, above)
		default:
			if from, to := c.worthLooking(i, k, first, most); from <= to {
				c.hopeAt(i, k, from, to, x, above)
			}
		}
	}
	if box.Least == 0 {
		g[0], c.level[i][0] = 0, 0
	}
	return true
}

// worthLooking bounds the cost of the jobs at level k by their cost at a higher level. It returns the first and the last number of
// jobs for which level k may be the least of the levels looked at so far.
func (c *Relaxation) worthLooking(i, k, first, most int) (from, to int) {
	h, hope, g := c.H[i][c.low(i, k)], c.hope[i][k], c.g[i]
	from, to = most+1, first-1
	for n := first; n <= most; n++ {
		hope[n] = float64(n)*c.Unit[i]*h + c.above[n]
		if hope[n] < g[n] {
			from, to = min(from, n), n
		}
	}
	return from, to
}

// hopeAt computes a lower bound of g at level k for the numbers of jobs from first to most. It writes what the jobs cost without
// the cluster to sums.
func (c *Relaxation) hopeAt(i, k, first, most int, x, sums []float64) {
	g, level, hope, h := c.g[i], c.level[i], c.hope[i][k], c.H[i][c.low(i, k)]
	for n := first; n <= most; n++ {
		hope[n], sums[n] = math.Inf(1), math.Inf(1)
	}
	c.chords(i, k, first, most, x, func(n int, v float64) {
		sums[n], hope[n] = v, float64(n)*c.Unit[i]*h+v
		if hope[n] < g[n] {
			g[n], level[n] = hope[n], int32(k)
		}
	})
}

// exact computes g of cluster i exactly for n jobs and for the numbers beside n, level by level. It begins with the level that
// promises most for n.
func (c *Relaxation) exact(i int, box Box, n, beside int32, x []float64) {
	g, level, known := c.g[i], c.level[i], c.known[i]
	from, to := n, n
	for from > max(1, box.Least) && n-from < beside && !known[from-1] {
		from--
	}
	for to < box.Most && to-n < beside && !known[to+1] {
		to++
	}
	first := level[n]
	for k := from; k <= to; k++ {
		known[k], g[k] = true, math.Inf(1)
	}
	if n == 0 { // a cluster without jobs costs nothing
		g[0], level[0] = 0, 0
		if from = 1; to < 1 {
			return
		}
	}
	look := func(k int32) {
		hope, a, b := c.hope[i][k], from, to
		for a <= b && hope[a] >= g[a] {
			a++
		}
		for a <= b && hope[b] >= g[b] {
			b--
		}
		if a <= b {
			c.sums(i, int(k), c.H[i][c.low(i, int(k))], a, b, box, x, func(n int, v float64) {
				if v < g[n] {
					g[n], level[n] = v, k
				}
			})
		}
	}
	if n > 0 {
		look(first)
	}
	for k := box.Low; k <= box.High; k++ {
		if n == 0 || k != first {
			look(k)
		}
	}
}

// share finds the numbers of jobs of the clusters with the least Σ g. It returns nil if the box leaves no room for all jobs.
//
// Complexity: O(p·w) for p jobs and boxes of width w for each cluster but the first and the last, and O(p) for these.
func (c *Relaxation) share(box []Box) (n []int32, least float64) {
	p := int32(c.Jobs)
	from := table[int32](len(box), c.Jobs+1)
	fewest, most := int32(0), int32(0) // jobs of all clusters; below, of those after cluster i
	for i := range box {
		fewest, most = fewest+min(p, box[i].Least), most+min(p, box[i].Most)
	}
	c.before[0][0] = 0
	low, high := int32(0), int32(0) // the clusters before i can have from low to high jobs
	for i := range box {
		fewest, most = fewest-min(p, box[i].Least), most-min(p, box[i].Most)
		// Cluster i and those before it can have from first to last jobs, if the clusters after i take all others.
		first, last := max(low+box[i].Least, p-most), min(high+box[i].Most, p-fewest)
		if first > last {
			return nil, 0
		}
		for to := first; to <= last; to++ {
			best, taken := math.Inf(1), int32(0)
			for take := max(box[i].Least, to-high); take <= min(box[i].Most, to-low); take++ {
				if v := c.before[i][to-take] + c.value(i, int(take)); v < best {
					best, taken = v, take
				}
			}
			c.before[i+1][to], from[i][to] = best, taken
		}
		low, high = first, last
	}
	least = c.before[len(box)][p]
	if math.IsInf(least, 1) {
		return nil, 0
	}
	n = make([]int32, len(box))
	for i, left := len(n)-1, p; i >= 0; i-- {
		n[i] = from[i][left]
		left -= n[i]
	}
	return n, least
}

// cutsAt makes the cuts, one for each cluster, for clusters that choose the numbers of jobs n.
func (c *Relaxation) cutsAt(x []float64, n []int32) []*bundle.Cut {
	cuts := make([]*bundle.Cut, len(n))
	for i := range n {
		at := &bundle.Cut{Slope: make([]float64, c.Size), Group: i}
		cuts[i] = at
		if n[i] == 0 {
			continue
		}
		cluster, k := &c.Clusters[i], int(c.level[i][n[i]])
		at.Choice = bundle.Choice{Jobs: n[i], Level: int32(k)}
		if c.byFew(i, int(n[i])) && c.few.set[i][n[i]] != nil {
			c.cutOfFew(at, i, int(n[i]), x)
			continue
		}
		q := float64(n[i]) * c.Unit[i]
		cluster.SlopeOfCluster(at.Slope, c.low(i, k), -q, c.Limits)
		order := c.eligible(i, k)
		for _, j := range order {
			c.values[j] = q*c.Cost[i][j][k] - x[j]
		}
		c.sort(order)
		for _, j := range order[:n[i]] {
			at.Slope[j]--
			cluster.SlopeOfRun(at.Slope, int(j), c.at[i][j][k], q, c.Limits)
		}
		at.Slope[c.Size-1] = -float64(n[i])
		at.At0 = c.value(i, int(n[i])) - bundle.Dot(at.Slope[:c.Size-1], x)
	}
	return cuts
}
