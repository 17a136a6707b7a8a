package counts

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/bundle"
)

// keep stores in the node the prices and cuts from which it can continue.
func (p *Prover) keep(node *boxNode) {
	node.x, node.step, node.cuts = slices.Clone(p.bundle.Centre), p.bundle.Step, nil
	for k, c := range p.bundle.Cuts {
		if p.bundle.Weight[k] > 0 || k+8*len(node.box) >= len(p.bundle.Cuts) {
			node.cuts = append(node.cuts, c)
		}
	}
}

// cutOff narrows the box just evaluated at the prices x to the numbers of jobs and the levels with which a schedule may still
// cost at most p.most, allowing for rounding. It returns false if there are none.
//
// Complexity: O(clusters·jobs²), and O(levels·jobs) for each cluster.
func (p *Prover) cutOff(box []Box, x []float64, rounding float64) bool {
	c := p.counts
	limit := p.most + rounding
	for _, u := range x[:c.Jobs] {
		limit -= u
	}
	after := c.sharesAfter(box)
	rest := make([]float64, c.Jobs+1) // by number of jobs of the cluster: the least Σ g of the other clusters
	for i := range box {
		for n := range rest {
			rest[n] = math.Inf(1)
			for a := 0; a <= c.Jobs-n; a++ {
				rest[n] = min(rest[n], c.before[i][a]+after[i+1][c.Jobs-n-a])
			}
		}
		b := &box[i]
		for b.Least <= b.Most && c.value(i, int(b.Least))+rest[b.Least] > limit {
			b.Least++
		}
		for b.Least <= b.Most && c.value(i, int(b.Most))+rest[b.Most] > limit {
			b.Most--
		}
		tooExpensive := func(k int32) bool {
			for n := max(1, b.Least); n <= b.Most; n++ {
				if c.hopeOf(i, k, int(n))+rest[n] <= limit {
					return false
				}
			}
			return true
		}
		for b.Most > 0 && b.Low < b.High && tooExpensive(b.Low) {
			b.Low++
		}
		for b.Most > 0 && b.Low < b.High && tooExpensive(b.High) {
			b.High--
		}
	}
	return tighten(box, int32(c.Jobs))
}

// sharesAfter is, by cluster and number of jobs, the least Σ g of that cluster and the clusters after it.
func (c *Relaxation) sharesAfter(box []Box) [][]float64 {
	after := table[float64](len(box)+1, c.Jobs+1)
	for n := range after[len(box)] {
		after[len(box)][n] = math.Inf(1)
	}
	after[len(box)][0] = 0
	for i := len(box) - 1; i >= 0; i-- {
		for to := range after[i] {
			after[i][to] = math.Inf(1)
			for n := box[i].Least; n <= min(box[i].Most, int32(to)); n++ {
				after[i][to] = min(after[i][to], c.value(i, int(n))+after[i+1][to-int(n)])
			}
		}
	}
	return after
}

// tighten narrows the numbers of jobs of each cluster to those that the other clusters leave to it. It returns false if there are
// none.
func tighten(box []Box, jobs int32) bool {
	least, most := int32(0), int32(0)
	for _, b := range box {
		least, most = least+b.Least, most+b.Most
	}
	for i := range box {
		b := &box[i]
		from, to := jobs-(most-b.Most), jobs-(least-b.Least)
		if b.Least, b.Most = max(b.Least, from), min(b.Most, to); b.Least > b.Most {
			return false
		}
	}
	return true
}

// branch splits the box of the current node where the choices of the cuts differ most, and opens the two halves. They continue
// from its prices and with those of its cuts whose choices lie inside them.
func (p *Prover) branch() {
	node := p.node
	p.keep(node)
	low, high := p.halves(node)
	if low == nil { // every cluster has one choice left: only better prices can help
		if node.tries++; node.tries > 3 {
			p.counts = nil // this box has the least bound, so the search has come to its end
		}
		p.fresh, p.left = true, nodeSteps
		return
	}
	p.node = nil
	first := p.trace.split(node, low)
	for k, box := range [][]Box{low, high} {
		if !tighten(box, int32(p.counts.Jobs)) {
			p.trace.closeRecord(first + k)
			continue
		}
		p.made++
		child := &boxNode{box: box, value: node.value, x: node.x, step: node.step, id: p.made, record: first + k, best: node.best}
		for _, c := range node.cuts {
			if box[c.Group].holds(c.Choice) {
				child.cuts = append(child.cuts, c)
			}
		}
		p.open.Push(child)
	}
}

// halves splits the box by the number of jobs of the cluster whose change matters most. If all numbers are settled, it splits
// by a level. It returns nil if the box cannot be split.
func (p *Prover) halves(node *boxNode) (low, high []Box) {
	numbers, levels := func(c bundle.Choice) float64 { return float64(c.Jobs) }, func(c bundle.Choice) float64 { return float64(c.Level) }
	best, cluster, split := 0.0, -1, int32(0)
	for i, b := range node.box {
		if b.Least < b.Most {
			n := p.spread(i, numbers)
			if score := (n.deviation + 0.01*float64(b.Most-b.Least)) * (n.mean + 10); score > best {
				best, cluster, split = score, i, min(b.Most-1, max(b.Least, int32(n.mean)))
			}
		}
	}
	low, high = slices.Clone(node.box), slices.Clone(node.box)
	if cluster >= 0 {
		low[cluster].Most, high[cluster].Least = split, split+1
		return low, high
	}
	for i, b := range node.box {
		if b.Low < b.High && b.Most > 0 {
			level := p.spread(i, levels)
			if score := level.deviation + 0.01*float64(b.High-b.Low); score > best {
				best, cluster, split = score, i, min(b.High-1, max(b.Low, int32(level.mean)))
			}
		}
	}
	if cluster < 0 {
		return nil, nil
	}
	low[cluster].High, high[cluster].Low = split, split+1
	return low, high
}

// spreadOf is the mean and the standard deviation of a choice over the cuts, by their weights.
type spreadOf struct{ mean, deviation float64 }

// spread is the mean and the deviation of cluster i's choices; the function of selects the number to look at.
func (p *Prover) spread(i int, of func(bundle.Choice) float64) spreadOf {
	sum, mean, square := 0.0, 0.0, 0.0
	for k, c := range p.bundle.Cuts {
		if c.Group != i {
			continue
		}
		w := p.bundle.Weight[k]
		v := of(c.Choice)
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
