package bound

import (
	"container/heap"
	"math"
	"slices"
)

// keep stores in the node what it needs to go on from.
func (p *countsProver) keep(node *countNode) {
	node.x, node.step, node.cuts = slices.Clone(p.bundle.centre), p.bundle.step, nil
	for k, c := range p.bundle.cuts {
		if p.bundle.weight[k] > 0 || k+8*len(node.box) >= len(p.bundle.cuts) {
			node.cuts = append(node.cuts, c)
		}
	}
}

// cutOff narrows the box just evaluated at the prices to the numbers of jobs and the levels with which a schedule may still cost no
// more than p.most, but for rounding; false: there are none.
//
// Complexity: O(clusters·jobs²) and O(levels·jobs) a cluster.
func (p *countsProver) cutOff(box []countBox, x []float64, rounding float64) bool {
	c := p.counts
	limit := p.most + rounding
	for _, u := range x[:c.jobs] {
		limit -= u
	}
	after := c.sharesAfter(box)
	rest := make([]float64, c.jobs+1) // by number of jobs of the cluster: the least Σ g of the others
	for i := range box {
		for n := range rest {
			rest[n] = math.Inf(1)
			for a := 0; a <= c.jobs-n; a++ {
				rest[n] = min(rest[n], c.before[i][a]+after[i+1][c.jobs-n-a])
			}
		}
		b := &box[i]
		for b.least <= b.most && c.g[i][b.least]+rest[b.least] > limit {
			b.least++
		}
		for b.least <= b.most && c.g[i][b.most]+rest[b.most] > limit {
			b.most--
		}
		dear := func(k int32) bool {
			for n := max(1, b.least); n <= b.most; n++ {
				if c.hope[i][k][n]+rest[n] <= limit {
					return false
				}
			}
			return true
		}
		for b.most > 0 && b.low < b.high && dear(b.low) {
			b.low++
		}
		for b.most > 0 && b.low < b.high && dear(b.high) {
			b.high--
		}
	}
	return tighten(box, int32(c.jobs))
}

// sharesAfter is the least Σ g of each cluster and those after it, by number of jobs.
func (c *counts) sharesAfter(box []countBox) [][]float64 {
	after := table[float64](len(box)+1, c.jobs+1)
	for n := range after[len(box)] {
		after[len(box)][n] = math.Inf(1)
	}
	after[len(box)][0] = 0
	for i := len(box) - 1; i >= 0; i-- {
		for to := range after[i] {
			after[i][to] = math.Inf(1)
			for n := box[i].least; n <= min(box[i].most, int32(to)); n++ {
				after[i][to] = min(after[i][to], c.g[i][n]+after[i+1][to-int(n)])
			}
		}
	}
	return after
}

// tighten narrows the numbers of jobs to those that the other clusters leave; false: there are none.
func tighten(box []countBox, jobs int32) bool {
	least, most := int32(0), int32(0)
	for _, b := range box {
		least, most = least+b.least, most+b.most
	}
	for i := range box {
		b := &box[i]
		from, to := jobs-(most-b.most), jobs-(least-b.least)
		if b.least, b.most = max(b.least, from), min(b.most, to); b.least > b.most {
			return false
		}
	}
	return true
}

// branch splits the box of the node at work where the choices of the cuts differ most, and opens the two halves. They go on from
// its prices with the cuts that are made of choices inside them.
func (p *countsProver) branch() {
	node := p.node
	p.keep(node)
	low, high := p.halves(node)
	if low == nil { // one choice a cluster: only better prices are left
		if node.tries++; node.tries > 3 {
			p.counts = nil // the box of the least bound: the end
		}
		p.fresh, p.left = true, countSteps
		return
	}
	p.node = nil
	for _, box := range [][]countBox{low, high} {
		if !tighten(box, int32(p.counts.jobs)) {
			continue
		}
		p.made++
		child := &countNode{box: box, value: node.value, x: node.x, step: node.step, id: p.made}
		for _, c := range node.cuts {
			if box[c.group].holds(c.pick) {
				child.cuts = append(child.cuts, c)
			}
		}
		heap.Push(&p.open, child)
	}
}

// halves splits the box by the number of jobs of a cluster, that whose change matters most, and where all are settled by a level of a
// makespan; nil: it cannot be split.
func (p *countsProver) halves(node *countNode) (low, high []countBox) {
	numbers, levels := func(c pick) float64 { return float64(c.n) }, func(c pick) float64 { return float64(c.level) }
	best, cluster, split := 0.0, -1, int32(0)
	for i, b := range node.box {
		if b.least < b.most {
			n := p.spread(i, numbers)
			if score := (n.deviation + 0.01*float64(b.most-b.least)) * (n.mean + 10); score > best {
				best, cluster, split = score, i, min(b.most-1, max(b.least, int32(n.mean)))
			}
		}
	}
	low, high = slices.Clone(node.box), slices.Clone(node.box)
	if cluster >= 0 {
		low[cluster].most, high[cluster].least = split, split+1
		return low, high
	}
	for i, b := range node.box {
		if b.low < b.high && b.most > 0 {
			level := p.spread(i, levels)
			if score := level.deviation + 0.01*float64(b.high-b.low); score > best {
				best, cluster, split = score, i, min(b.high-1, max(b.low, int32(level.mean)))
			}
		}
	}
	if cluster < 0 {
		return nil, nil
	}
	low[cluster].high, high[cluster].low = split, split+1
	return low, high
}

// spreadOf is the mean and the standard deviation of a choice over the cuts, by their weights.
type spreadOf struct{ mean, deviation float64 }

// spread is that of a cluster's choices.
func (p *countsProver) spread(i int, of func(pick) float64) spreadOf {
	sum, mean, square := 0.0, 0.0, 0.0
	for k, c := range p.bundle.cuts {
		if c.group != i {
			continue
		}
		w := p.bundle.weight[k]
		v := of(c.pick)
		sum += w
		mean += w * v
		square += w * v * v
	}
	if sum == 0 {
		return spreadOf{}
	}
	mean /= sum
	return spreadOf{mean, math.Sqrt(max(0, square/sum-mean*mean))}
}
