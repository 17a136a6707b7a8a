package tou

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// mostNodes is the most nodes of a certificate.
const mostNodes = 1 << 16

// Value is what a bound in units is of the objective, rounded down.
func (p *Problem) Value(units int64) model.Bound {
	x := new(big.Rat).SetInt64(units)
	x.Quo(x, rat(p.Scale)).Mul(x, rat(p.Weight))
	return rounded(x)
}

// rounded is a number rounded down.
func rounded(x *big.Rat) model.Bound {
	value, exact := x.Float64()
	if !exact && rat(value).Cmp(x) > 0 {
		value = math.Nextafter(value, math.Inf(-1))
	}
	return model.ProvedBound(value)
}

// Certificate is what proves the bound of a result; nil: there is none, because the objective has several metrics or the tree is too large.
func (p *Problem) Certificate(r *Result) *proof.Certificate {
	if !r.Certified || p.Metric == "" {
		return nil
	}
	tree := &proof.TimeOfUse{Unit: p.Unit, Scale: p.Scale, Fine: fine}
	if !list(tree, r.Root) {
		return nil
	}
	units := new(big.Rat).SetInt64(r.Bound)
	value, _ := rounded(units.Quo(units, rat(p.Scale))).Value()
	return &proof.Certificate{Bound: p.Value(r.Bound), Parts: []proof.Part{{Metric: p.Metric, Bound: value, Method: "time-of-use tree", By: &proof.Argument{TimeOfUse: tree}}}}
}

// list lists the nodes, children after their parents; false: too many.
func list(tree *proof.TimeOfUse, root *node) bool {
	queue := []*node{root}
	for k := 0; k < len(queue); k++ {
		n := queue[k]
		node := proof.TimeOfUseNode{}
		if n.Low != nil && n.High != nil {
			node.At, node.Limit, node.Low, node.High = n.At, n.Limit, len(queue), len(queue)+1
			queue = append(queue, n.Low, n.High)
		} else {
			for _, x := range n.Prices {
				node.Prices = append(node.Prices, float64(x))
			}
		}
		if tree.Nodes = append(tree.Nodes, node); len(queue) > mostNodes {
			return false
		}
	}
	return true
}
