package counts

import (
	"slices"

	"github.com/allot-opt/allot/proof"
)

// trace records the tree of boxes for a certificate. Its methods do nothing when called on nil.
type trace struct {
	counts *Relaxation
	nodes  []traced
	places int                             // numbers kept
	last   []float64                       // the prices kept last
	floors map[*float64][][]proof.SetFloor // by the first of the prices: what sets of jobs cost at least at these prices
}

// traced is a node of the tree.
type traced struct {
	narrowed [][]float64 // prices that narrowed its box, in the order in which they did
	done     bool        // the last of these prices left nothing of the box
	split    *proof.Split
}

// mostTraced is the largest number of prices that are kept. Beyond it there is no certificate.
const mostTraced = 1 << 24

func newTrace(c *Relaxation) *trace {
	return &trace{counts: c, nodes: make([]traced, 1), floors: map[*float64][][]proof.SetFloor{}}
}

// kept is a copy of prices.
func (t *trace) kept(x []float64) []float64 {
	if t == nil || t.places > mostTraced {
		return nil
	}
	if !slices.Equal(t.last, x) {
		t.places += len(x)
		t.last = slices.Clone(x)
	}
	t.keepFloors()
	return t.last
}

// keepFloors adds what was found of sets at the prices kept last.
func (t *trace) keepFloors() {
	few := t.counts.few
	if few == nil {
		return
	}
	for i := range few.of {
		for n, least := range few.least[i] {
			if !t.counts.byFew(i, n) {
				continue
			}
			at := t.floors[&t.last[0]]
			if at == nil {
				at = make([][]proof.SetFloor, len(few.of))
				t.floors[&t.last[0]] = at
			}
			same := func(f proof.SetFloor) bool { return f.Jobs == n }
			if k := slices.IndexFunc(at[i], same); k >= 0 {
				at[i][k].Least = max(at[i][k].Least, least)
			} else {
				at[i] = append(at[i], proof.SetFloor{Jobs: n, Least: least})
			}
		}
	}
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
			tree.Prices = append(tree.Prices, proof.JobPrices{Jobs: slices.Clone(x[:t.counts.Jobs]), Clusters: t.counts.Stated(x), Sets: floors(t.floors[&x[0]])})
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

// floors is a copy of what sets cost at least, with an empty list for a cluster of which nothing is known.
func floors(kept [][]proof.SetFloor) [][]proof.SetFloor {
	var list [][]proof.SetFloor
	for _, of := range kept {
		list = append(list, append([]proof.SetFloor{}, of...))
	}
	return list
}
