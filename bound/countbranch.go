package bound

import (
	"container/heap"
	"math"
	"slices"
)

// branch splits the box of the node at work where the choices of the cuts differ most, and opens the two halves. They go on from
// its prices with the cuts that are made of choices inside them.
func (p *countsProver) branch() {
	node := p.node
	node.x, node.step, node.cuts = slices.Clone(p.bundle.centre), p.bundle.step, nil
	for k, c := range p.bundle.cuts {
		if p.bundle.weight[k] > 0 || k+8 >= len(p.bundle.cuts) {
			node.cuts = append(node.cuts, c)
		}
	}
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
		p.made++
		child := &countNode{box: box, value: node.value, x: node.x, step: node.step, id: p.made}
		for _, c := range node.cuts {
			inside := true
			for i := range box {
				inside = inside && box[i].holds(c.picks[i])
			}
			if inside {
				child.cuts = append(child.cuts, c)
			}
		}
		heap.Push(&p.open, child)
	}
}

// halves splits the box; nil: it cannot be split.
func (p *countsProver) halves(node *countNode) (low, high []countBox) {
	best, cluster, split, byLevel := 0.0, -1, int32(0), false
	jobs, levels := float64(p.counts.jobs)/float64(len(node.box)), float64(p.counts.levels)
	for i, b := range node.box {
		n, level := p.spread(i, func(c pick) float64 { return float64(c.n) }), p.spread(i, func(c pick) float64 { return float64(c.level) })
		if b.least < b.most {
			if score := (n.deviation + 0.01*float64(b.most-b.least)) / jobs; score > best {
				best, cluster, byLevel = score, i, false
				split = min(b.most-1, max(b.least, int32(math.Floor(n.mean))))
			}
		}
		if b.low < b.high && b.most > 0 {
			if score := (level.deviation + 0.01*float64(b.high-b.low)) / levels; score > best {
				best, cluster, byLevel = score, i, true
				split = min(b.high-1, max(b.low, int32(math.Floor(level.mean))))
			}
		}
	}
	if cluster < 0 {
		return nil, nil
	}
	low, high = slices.Clone(node.box), slices.Clone(node.box)
	if byLevel {
		low[cluster].high, high[cluster].low = split, split+1
		high[cluster].least = max(1, high[cluster].least) // no jobs: level 0, which is in the other half
	} else {
		low[cluster].most, high[cluster].least = split, split+1
	}
	return low, high
}

// spreadOf is the mean and the standard deviation of a choice over the cuts, by their weights.
type spreadOf struct{ mean, deviation float64 }

// spread is that of a cluster's choices.
func (p *countsProver) spread(i int, of func(pick) float64) spreadOf {
	sum, mean, square := 0.0, 0.0, 0.0
	for k, c := range p.bundle.cuts {
		w := p.bundle.weight[k]
		v := of(c.picks[i])
		sum += w
		mean += w * v
		square += w * v * v
	}
	if sum == 0 {
		last := p.bundle.cuts[len(p.bundle.cuts)-1].picks[i]
		return spreadOf{mean: of(last)}
	}
	mean /= sum
	return spreadOf{mean, math.Sqrt(max(0, square/sum-mean*mean))}
}
