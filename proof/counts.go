package proof

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file verifies bounds of mcp: Σ over clusters i of (jobs of i)/(all jobs) · cp_i, where cp_i = (w_i·idle + w_m·makespan + w_o·over)/(w_i + w_m + w_o).
//
// A box limits the number of jobs n_i of each cluster, and the bucket k of its makespan: after limit k−1, up to limit k; the bucket after the last limit
// has no end. With prices of processor time (see timePrices) and a price u_j of each job, and p jobs, p·mcp is at least
//
//	p·Σu_j + Σ_i g_i(n_i),   g_i(0) = 0,   g_i(n) = min over buckets k of n·h_i(k) + the n least of (n·c_ij(k) − p·u_j)
//
// where h_i(k) is the least of (w_m + w_i·m_i)·M − ∫₀^M κ_i in the bucket, and c_ij(k) the least of w_o·late − w_i·(processor time) + what the job pays,
// if it ends by limit k. ∫κ bends at limits alone, so the least h is at one of the limits of the bucket. After the last limit the price of a processor
// is (w_m + w_i·m_i)/m_i, so h does not fall there. g_i(n) is at least what the cheapest set of n jobs costs, where that is stated, see cheapSets. All weights are divided by their sum and rounded down, which lowers the cost: idle time is never
// below 0. Rounding costs down and prices of jobs in any direction is right, too.

// mostCells limits the tables.
const mostCells = 1 << 24

// closed is the value of what cannot be, or cannot cost less than the bound.
const closed = math.MaxInt64 / 4

// countBox limits what a cluster may choose.
type countBox struct{ least, most, low, high int }

// countTree verifies a tree of boxes.
type countTree struct {
	*timetable
	a    *Counts
	step string
	goal *big.Rat

	// Of the prices set last.
	unit    uint        // binary digits that are dropped from costs multiplied by a number of jobs
	target  int64       // the bound in units, rounded up
	base    int64       // p·Σu
	job     []int64     // by job: p·u
	height  [][]int64   // by cluster and bucket
	cost    [][][]int64 // by cluster, bucket and job; closed: it cannot end by then
	g       [][]int64   // by cluster and number of jobs
	by      [][][]int64 // by cluster, bucket and number of jobs
	floor   [][]int64   // by cluster and number of jobs: what their sets cost at least; nil: not stated
	scratch []int64

	floors [][][]int64  // by prices, those that are verified: floor
	cheap  []*cheapSets // by cluster
	steps  int64        // of the searches for cheap sets
}

// counts verifies the tree: every box without children costs at least the goal.
func (f *facts) counts(a *Counts, goal *big.Rat, step string) error {
	tree, root, err := f.countTree(a, goal, step)
	if err != nil {
		return err
	}
	return walk[[]countBox](f.ctx, a.Nodes, len(a.Prices), step, root, tree)
}

// countTree is the tree, and the box of its root.
func (f *facts) countTree(a *Counts, goal *big.Rat, step string) (*countTree, []countBox, error) {
	until := new(big.Rat)
	for k := range a.Prices {
		if a.Prices[k].Sets != nil {
			until = f.oneAfterTheOther() // deadlines up to then count
			break
		}
	}
	t, err := f.timetable(a.Limits, until, step)
	if err != nil {
		return nil, nil, err
	}
	jobs, clusters := len(f.in.Jobs()), len(f.in.Clusters())
	idle := false
	for c := range f.in.Clusters() {
		idle = idle || f.in.Clusters()[c].Weights.IdleTime > 0
	}
	if idle && f.in.Features()&model.BackgroundLoad != 0 {
		return nil, nil, doubt(step, "idle time beside background load is not covered")
	}
	if cells := int64(clusters) * int64(len(a.Limits)) * int64(jobs+1); t.work+cells*int64(jobs) > mostWork || cells > mostCells {
		return nil, nil, doubt(step, "the instance is too large for a tree of boxes")
	}
	root := slices.Repeat([]countBox{{0, jobs, 1, len(a.Limits)}}, clusters)
	return &countTree{timetable: t, a: a, step: step, goal: goal, floors: make([][][]int64, len(a.Prices)), cheap: make([]*cheapSets, clusters)}, root, nil
}

// narrow narrows the box by the prices to what may cost less than the goal; nil: nothing may.
func (t *countTree) narrow(prices int, box []countBox, _ string) ([]countBox, error) {
	if err := t.set(prices); err != nil {
		return nil, err
	}
	box = slices.Clone(box)
	for i := range box {
		t.choices(i, box[i])
	}
	before, after := t.shares(box)
	jobs := len(t.job)
	rest := make([]int64, jobs+1)
	for i := range box {
		b := &box[i]
		for n := range rest {
			rest[n] = closed
			for k := 0; k <= jobs-n; k++ {
				rest[n] = min(rest[n], together(before[i][k], after[i+1][jobs-n-k]))
			}
		}
		tooExpensive := func(value int64, n int) bool { return together(value, rest[n]) >= t.target-t.base }
		for b.least <= b.most && tooExpensive(t.g[i][b.least], b.least) {
			b.least++
		}
		for b.least <= b.most && tooExpensive(t.g[i][b.most], b.most) {
			b.most--
		}
		if b.least > b.most {
			return nil, nil
		}
		useless := func(bucket int) bool {
			for n := max(1, b.least); n <= b.most; n++ {
				if !tooExpensive(t.by[i][bucket][n], n) {
					return false
				}
			}
			return true
		}
		for b.low < b.high && useless(b.low) {
			b.low++
		}
		for b.low < b.high && useless(b.high) {
			b.high--
		}
	}
	return box, nil
}

// split splits the box.
func (t *countTree) split(s *Split, box []countBox, step string) (low, high []countBox, err error) {
	if s.Of >= len(box) {
		return nil, nil, refute(step+".of", "the instance has no cluster %d", s.Of)
	}
	low, high = slices.Clone(box), slices.Clone(box)
	switch s.What {
	case "jobs":
		low[s.Of].most, high[s.Of].least = min(low[s.Of].most, s.At), max(high[s.Of].least, s.At+1)
	case "bucket":
		low[s.Of].high, high[s.Of].low = min(low[s.Of].high, s.At), max(high[s.Of].low, s.At+1)
	default:
		return nil, nil, refute(step+".what", "expected jobs or bucket")
	}
	return t.possible(low), t.possible(high), nil
}

// possible is the box, narrowed to the numbers of jobs that the other clusters leave; nil: none is possible.
func (t *countTree) possible(box []countBox) []countBox {
	least, most := 0, 0
	for i := range box {
		if box[i].low > box[i].high { // no bucket: no jobs
			box[i].most, box[i].low, box[i].high = 0, 1, len(t.limits)
		}
		least, most = least+box[i].least, most+box[i].most
	}
	for i := range box {
		b := &box[i]
		from, to := len(t.in.Jobs())-(most-b.most), len(t.in.Jobs())-(least-b.least)
		if b.least, b.most = max(b.least, from), min(b.most, to); b.least > b.most {
			return nil
		}
	}
	return box
}

// listed says that a tree of counts lists no loads: something is left of the box.
func (t *countTree) listed(_ *Node, _ []countBox, step string) error {
	return refute(step, "something that may cost less than the bound is left of its box: expected more prices, or a split")
}

// set takes prices, and computes what clusters and jobs cost at them.
func (t *countTree) set(k int) error {
	step := fmt.Sprintf("%s.prices[%d]", t.step, k)
	stated, jobs, clusters := &t.a.Prices[k], len(t.in.Jobs()), t.in.Clusters()
	if len(stated.Jobs) != jobs || len(stated.Clusters) != len(clusters) {
		return refute(step, "expected prices of %d jobs and %d clusters, found %d and %d", jobs, len(clusters), len(stated.Jobs), len(stated.Clusters))
	}
	highest := 1.0
	for c := range stated.Clusters {
		most, err := t.highest(c, &stated.Clusters[c], fmt.Sprintf("%s.clusters[%d]", step, c))
		if err != nil {
			return err
		}
		highest = max(highest, most*inverse(clusters[c].Weights.Sum()), float64(clusters[c].Processors))
	}
	for j, u := range stated.Jobs {
		if !(math.Abs(u) < largest) {
			return refute(fmt.Sprintf("%s.jobs[%d]", step, j), "expected a price below %g", largest)
		}
	}
	if !(highest < largest) {
		return refute(step, "expected prices below %g", largest)
	}
	prices := gridFor(number(highest), priceDigits)
	list := make([]*pricedCluster, len(clusters))
	for c := range clusters {
		w := t.weigh(c, prices)
		list[c] = t.priced(c, &stated.Clusters[c], inverse(clusters[c].Weights.Sum()), prices, w.costs)
		list[c].height = w.height
	}
	return t.tabulate(k, list, prices, step)
}

// inverse is 1/x; 0 of 0.
func inverse(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}

// weighed are the weights of a cluster in units of price.
type weighed struct {
	costs
	height int64 // of a unit of makespan
}

// weigh divides the weights of a cluster by their sum and rounds them down.
func (f *facts) weigh(c int, prices grid) weighed {
	cluster := &f.in.Clusters()[c]
	w := cluster.Weights
	if w.Sum() == 0 {
		return weighed{}
	}
	sum := new(big.Rat).Add(number(w.OverDeadline), new(big.Rat).Add(number(w.Makespan), number(w.IdleTime)))
	part := func(x float64) int64 { return prices.down(new(big.Rat).Quo(number(x), sum)) }
	height := part(w.Makespan) + part(w.IdleTime)*int64(cluster.Processors)
	return weighed{costs{over: part(w.OverDeadline), busy: part(w.IdleTime), past: height / int64(cluster.Processors)}, height}
}

// tabulate computes the tables of costs in units that leave room for all sums.
func (t *countTree) tabulate(k int, clusters []*pricedCluster, priceGrid grid, step string) error {
	prices, sets := t.a.Prices[k].Jobs, t.a.Prices[k].Sets
	jobs, limits := len(t.in.Jobs()), len(t.limits)
	wides := make([][][]int128, len(clusters))
	heights := make([][]int128, len(clusters))
	oks := make([][][]bool, len(clusters))
	most := 0.0
	for c, i := range clusters {
		for k, limit := range t.limits {
			h := product(i.height, limit).minus(i.most[k])
			heights[c] = append(heights[c], h)
			most = max(most, h.magnitude())
		}
		for j := range jobs {
			least, ok := make([]int128, limits+1), make([]bool, limits+1)
			i.cheapest(j, least, ok)
			for k := range least {
				if ok[k] {
					most = max(most, least[k].magnitude())
				}
			}
			wides[c], oks[c] = append(wides[c], least), append(oks[c], ok)
		}
	}
	for c := range sets {
		if c < len(clusters) && len(sets[c]) > 0 {
			most = max(most, t.mostOfSets(c, t.weigh(c, priceGrid)))
		}
	}
	n, scale := float64(jobs), math.Ldexp(1, -t.times.exponent-priceGrid.exponent)
	highest := 0.0
	for _, u := range prices {
		highest = max(highest, math.Abs(u)*n*scale)
	}
	for c := range sets {
		for _, floor := range sets[c] {
			highest = max(highest, math.Abs(floor.Least)*n*scale)
		}
	}
	size := n * (most*(n+1) + 2*highest)
	if !(size < 1e300) {
		return refute(step, "prices too large to be added up")
	}
	_, digits := math.Frexp(size)
	_, own := math.Frexp(most)
	cut := uint(max(0, own-60))
	t.unit = max(cut, uint(max(0, digits-58)))
	units := grid{t.times.exponent + priceGrid.exponent + int(t.unit)}
	t.unit -= cut
	t.job, t.base = t.job[:0], 0
	for _, u := range prices {
		t.job = append(t.job, units.near(u*n))
		t.base += t.job[len(t.job)-1]
	}
	goal := units.scaled(new(big.Rat).Mul(t.goal, number(n)))
	t.target = closed / 4 // more than any sum: at these prices only what is impossible costs as much as the bound
	if goal.Cmp(new(big.Rat).SetInt64(closed/4)) < 0 {
		t.target = ceiling(goal).Int64()
	}
	t.height, t.cost = t.height[:0], t.cost[:0]
	for c := range clusters {
		var height []int64
		for _, h := range heights[c] {
			height = append(height, h.down(cut))
		}
		table := make([][]int64, limits+1)
		for k := range table {
			table[k] = slices.Repeat([]int64{closed}, jobs)
			for j := range jobs {
				if oks[c][j][k] {
					table[k][j] = wides[c][j][k].down(cut)
				}
			}
		}
		t.height, t.cost = append(t.height, height), append(t.cost, table)
	}
	return t.setFloors(k, priceGrid, units, cut, step)
}

// together is a + b, of which each may be closed.
func together(a, b int64) int64 {
	if a >= closed || b >= closed {
		return closed
	}
	return a + b
}

// choices computes the least costs of a cluster by bucket and number of jobs, and the least of these by number of jobs.
func (t *countTree) choices(i int, b countBox) {
	jobs := len(t.job)
	for len(t.g) <= i {
		t.g, t.by = append(t.g, make([]int64, jobs+1)), append(t.by, make([][]int64, len(t.limits)+1))
		for k := range t.by[i] {
			t.by[i][k] = make([]int64, jobs+1)
		}
	}
	for n := range t.g[i] {
		t.g[i][n] = closed
	}
	for k := b.low; k <= b.high; k++ {
		height := t.height[i][k-1]
		if k < len(t.limits) {
			height = min(height, t.height[i][k])
		}
		for n := max(1, b.least); n <= b.most; n++ {
			sum, enough := t.leastOf(t.cost[i][k], n)
			if enough {
				sum += product(int64(n), height).down(t.unit)
			}
			if t.floor[i] != nil {
				sum = max(sum, t.floor[i][n])
			}
			t.by[i][k][n] = sum
			t.g[i][n] = min(t.g[i][n], sum)
		}
	}
	if b.least == 0 {
		t.g[i][0] = 0
	}
}

// leastOf is the sum of the n least of n·cost − price over the jobs; closed: there are fewer jobs.
func (t *countTree) leastOf(cost []int64, n int) (sum int64, enough bool) {
	values := t.scratch[:0]
	for j, c := range cost {
		if c < closed {
			values = append(values, product(int64(n), c).down(t.unit)-t.job[j])
		}
	}
	t.scratch = values
	if len(values) < n {
		return closed, false
	}
	slices.Sort(values)
	for _, v := range values[:n] {
		sum += v
	}
	return sum, true
}

// shares are the least sums of g of the clusters before each, and from each on, by their number of jobs.
func (t *countTree) shares(box []countBox) (before, after [][]int64) {
	jobs := len(t.job)
	row := func() []int64 { return slices.Repeat([]int64{closed}, jobs+1) }
	before, after = make([][]int64, len(box)+1), make([][]int64, len(box)+1)
	before[0], after[len(box)] = row(), row()
	before[0][0], after[len(box)][0] = 0, 0
	for i := range box {
		before[i+1] = row()
		t.extend(before[i+1], before[i], i, box[i])
	}
	for i := len(box) - 1; i >= 0; i-- {
		after[i] = row()
		t.extend(after[i], after[i+1], i, box[i])
	}
	return before, after
}

// extend adds a cluster to least sums.
func (t *countTree) extend(to, from []int64, i int, b countBox) {
	for n := b.least; n <= b.most; n++ {
		for k := 0; k+n < len(to); k++ {
			to[k+n] = min(to[k+n], together(from[k], t.g[i][n]))
		}
	}
}
