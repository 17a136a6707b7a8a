package ggone

import (
	"slices"

	"github.com/allot-opt/allot/proof"
)

// trace records the search for a certificate: the prices that narrowed the root, the tree of boxes with the prices of each, and the prices of places
// of the loads that were tried one by one. All its methods may be called on nil, and then do nothing.
//
// The checker narrows every box by its prices as the search did, but to what may cost less than the bound that is proved in the end. The search
// narrowed to what may cost less than the best allocation of that time, which is never less. So what is left for the checker is part of what was
// left for the search, and every split and every list of loads covers it.
type trace struct {
	root   [][]float64 // prices that narrowed the root
	nodes  []traced
	places map[string][]float64 // by loads: the price of a place on each machine
	size   int                  // numbers kept
}

// traced is a node of the tree.
type traced struct {
	u     []float64
	split *proof.Split
	loads []string
}

// mostTraced limits the numbers kept: beyond it there is no certificate.
const mostTraced = 1 << 24

func newTrace() *trace {
	return &trace{nodes: make([]traced, 1), places: map[string][]float64{}}
}

// fixed records that the prices of the node narrow its box. The box of the root is that of the whole problem, whenever it is narrowed.
func (t *trace) fixed(n *node) {
	if t == nil || t.size > mostTraced {
		return
	}
	if n.record == 0 && !slices.ContainsFunc(t.root, func(u []float64) bool { return &u[0] == &n.u[0] }) {
		t.root = append(t.root, n.u)
		t.size += len(n.u)
	}
	t.priced(n)
}

// priced records the prices of a node.
func (t *trace) priced(n *node) {
	if t != nil && t.size <= mostTraced {
		t.nodes[n.record].u = n.u
		t.size += len(n.u)
	}
}

// split records that the box of a node was split: in the high part the rank carries at least the load.
func (t *trace) split(n *node, rank, load int) (high, low int) {
	if t == nil {
		return 0, 0
	}
	low = len(t.nodes)
	high = low + 1
	t.nodes = append(t.nodes, traced{u: n.u}, traced{u: n.u})
	t.nodes[n.record].split = &proof.Split{Of: rank, What: "load", At: load - 1, Low: low, High: high}
	return high, low
}

// tried records the prices of places at loads, after assign.
func (t *trace) tried(s *search, key string, loads []int) {
	if t == nil || t.size > mostTraced {
		return
	}
	places := make([]float64, len(loads))
	for r, n := range loads {
		for k := range s.transport.sinks {
			if sink := &s.transport.sinks[k]; sink.class == s.class[r] && sink.load == n && k < len(s.transport.potential) {
				places[r] = s.transport.potential[k]
			}
		}
	}
	t.places[key] = places
	t.size += len(places)
}

// closed records the loads that were all that was left of the box of a node.
func (t *trace) closed(s *search, n *node, list []candidate) {
	if t == nil {
		return
	}
	at := &t.nodes[n.record]
	at.loads = []string{}
	for _, c := range list {
		at.loads = append(at.loads, keyOf(s.descending(c.loads)))
	}
}

// levels is the tree as a certificate states it; nil: there is none.
func (t *trace) levels(s *search) *proof.Levels {
	if t == nil || t.size > mostTraced {
		return nil
	}
	for _, n := range s.open {
		t.nodes[n.record].u = n.u
	}
	shown := &proof.Levels{}
	position := map[*float64]int{}
	at := func(u []float64) int {
		k, known := position[&u[0]]
		if !known {
			k = len(shown.Prices)
			position[&u[0]] = k
			shown.Prices = append(shown.Prices, u)
		}
		return k
	}
	for _, u := range t.root {
		shown.Root = append(shown.Root, at(u))
	}
	for k := range t.nodes {
		n := &t.nodes[k]
		node := proof.Node{Split: n.split}
		if n.u != nil {
			node.Prices = []int{at(n.u)}
		}
		for _, key := range n.loads {
			if places := t.places[key]; places != nil && n.split == nil {
				node.Loads = append(node.Loads, proof.Loads{At: loadsOf(key), Places: lowered(places, s.tried[key], s.best)})
			}
		}
		shown.Nodes = append(shown.Nodes, node)
	}
	return shown
}

// lowered are the prices of places at loads, lowered where they prove far more than the goal: the largest number of a certificate sets the grid on which it
// is checked, so that prices of some loads that cost millions would blur those of others. The bound by prices is a concave function that is at least 0 at prices
// of 0. So prices that prove value prove twice the goal if they are multiplied by twice the goal and divided by value.
func lowered(places []float64, value, goal float64) []float64 {
	factor := 2 * goal / value
	if !(factor > 0 && factor < 1) {
		return places
	}
	lower := make([]float64, len(places))
	for r, price := range places {
		lower[r] = factor * price
	}
	return lower
}

// loadsOf are the loads of a key, see keyOf.
func loadsOf(key string) []int {
	loads := make([]int, len(key)/4)
	for r := range loads {
		loads[r] = int(key[4*r]) | int(key[4*r+1])<<8 | int(key[4*r+2])<<16 | int(key[4*r+3])<<24
	}
	return loads
}
