package proof

import (
	"context"
	"fmt"
)

// boxTree is a tree of boxes of type B. A box that is nil is empty.
type boxTree[B any] interface {
	// narrow narrows the box by prices to what may cost less than the bound; nil: nothing may.
	narrow(prices int, box B, step string) (B, error)
	// split splits the box; a part that holds nothing is nil.
	split(s *Split, box B, step string) (low, high B, err error)
	// listed verifies that the loads of the node are all that is left of its box, and that each costs as much as the bound.
	listed(node *Node, box B, step string) error
}

// walk verifies the tree from its root on: what is left of the box of every node is split, or nothing is left. So the boxes of the leaves cover
// the root. Children come after their parents and have one parent, so that there is no circle.
func walk[B ~[]E, E any](ctx context.Context, nodes []Node, prices int, step string, root B, tree boxTree[B]) error {
	const most = 1 << 24 // limits of all boxes that wait for their node
	if len(nodes) == 0 {
		return refute(step+".nodes", "expected a root")
	}
	boxes, reached := make([]B, len(nodes)), make([]bool, len(nodes))
	boxes[0], reached[0] = root, true
	waiting := len(root)
	for k := range nodes {
		node, at := &nodes[k], fmt.Sprintf("%s.nodes[%d]", step, k)
		if !reached[k] {
			return refute(at, "no node before it has it as its child")
		}
		box := boxes[k]
		boxes[k] = nil
		waiting -= len(box)
		for i, p := range node.Prices {
			if p >= prices {
				return refute(fmt.Sprintf("%s.prices[%d]", at, i), "there are no prices %d", p)
			}
			if box == nil {
				continue
			}
			if ctx.Err() != nil {
				return doubt(at, "the check was cut off")
			}
			var err error
			if box, err = tree.narrow(p, box, at); err != nil {
				return err
			}
		}
		low, high, err := leave(node, at, box, tree)
		if err != nil {
			return err
		}
		if node.Split == nil {
			continue
		}
		for _, child := range []struct {
			name string
			k    int
			box  B
		}{{"low", node.Split.Low, low}, {"high", node.Split.High, high}} {
			if child.k <= k || child.k >= len(nodes) || reached[child.k] {
				return refute(at+".split."+child.name, "expected a later node that has no parent yet, found %d", child.k)
			}
			boxes[child.k], reached[child.k] = child.box, true
			waiting += len(child.box)
		}
		if waiting > most {
			return doubt(step+".nodes", "the tree is too wide")
		}
	}
	return nil
}

// leave splits what is left of the box of a node, or verifies that nothing is.
func leave[B ~[]E, E any](node *Node, at string, box B, tree boxTree[B]) (low, high B, err error) {
	switch {
	case node.Split != nil && node.Loads != nil:
		return nil, nil, refute(at, "expected a split or loads, found both")
	case box == nil:
		return nil, nil, nil
	case node.Split != nil:
		return tree.split(node.Split, box, at+".split")
	}
	return nil, nil, tree.listed(node, box, at)
}
