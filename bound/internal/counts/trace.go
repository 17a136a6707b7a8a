package counts

import (
	"slices"

	"github.com/allot-opt/allot/proof"
)

// trace records the tree of boxes for a certificate. Its methods do nothing when called on nil.
type trace struct {
	counts *Relaxation
	nodes  []traced
	places int       // numbers kept
	last   []float64 // the prices kept last
}

// traced is a node of the tree.
type traced struct {
	narrowed [][]float64 // prices that narrowed its box, in the order in which they did
	done     bool        // the last of these prices left nothing of the box
	split    *proof.Split
}

// mostTraced is the largest number of prices that are kept. Beyond it there is no certificate.
const mostTraced = 1 << 24

func newTrace(c *Relaxation) *trace { return &trace{counts: c, nodes: make([]traced, 1)} }

// kept is a copy of prices.
func (t *trace) kept(x []float64) []float64 {
	if t == nil || t.places > mostTraced {
		return nil
	}
	if !slices.Equal(t.last, x) {
		t.places += len(x)
		t.last = slices.Clone(x)
	}
	return t.last
}

// narrowed records that the prices may have narrowed the box.
func (t *trace) narrowed(node *boxNode, x []float64) {
	if kept := t.kept(x); kept != nil {
		at := &t.nodes[node.record]
		at.narrowed = append(at.narrowed, kept)
	}
}

// closed records that nothing is left of the box.
func (t *trace) closed(node *boxNode) {
	if t != nil {
		t.closeRecord(node.record)
	}
}

// closeRecord records that nothing is left of the box of a record.
func (t *trace) closeRecord(record int) {
	if t != nil {
		t.nodes[record].done = true
	}
}

// split records that the box was split, and returns the position of the low part; that of the high one follows.
func (t *trace) split(node *boxNode, low []Box) int {
	if t == nil {
		return 0
	}
	first := len(t.nodes)
	t.nodes = append(t.nodes, traced{}, traced{})
	for i, b := range node.box {
		switch {
		case low[i].Most != b.Most:
			t.nodes[node.record].split = &proof.Split{Of: i, What: "jobs", At: int(low[i].Most), Low: first, High: first + 1}
		case low[i].High != b.High:
			t.nodes[node.record].split = &proof.Split{Of: i, What: "bucket", At: int(low[i].High), Low: first, High: first + 1}
		}
	}
	return first
}

// show is the tree as a certificate states it. It is nil if the tree has grown too large.
func (p *Prover) show() *proof.Argument {
	t := p.trace
	if t.places > mostTraced {
		return nil
	}
	tree := &proof.Counts{Limits: t.counts.Limits, Nodes: make([]proof.Node, len(t.nodes))}
	position := map[*float64]int{}
	at := func(x []float64) int {
		k, known := position[&x[0]]
		if !known {
			k = len(tree.Prices)
			position[&x[0]] = k
			tree.Prices = append(tree.Prices, proof.JobPrices{Jobs: slices.Clone(x[:t.counts.Jobs]), Clusters: t.counts.Stated(x)})
		}
		return k
	}
	best := map[int][]float64{}
	for _, node := range p.open {
		best[node.record] = node.best
	}
	if p.node != nil {
		best[p.node.record] = p.node.best
	}
	for k := range t.nodes {
		node := &t.nodes[k]
		for _, x := range node.narrowed {
			tree.Nodes[k].Prices = append(tree.Nodes[k].Prices, at(x))
		}
		tree.Nodes[k].Split = node.split
		if x := best[k]; node.split == nil && !node.done && x != nil {
			tree.Nodes[k].Prices = append(tree.Nodes[k].Prices, at(x))
		}
	}
	return &proof.Argument{Counts: tree}
}
