package multifactor

import "math"

// settle begins a pass of the classic algorithm: the effective usage of accounts is computed from the usage so far, that of users is not known until it is asked for.
func (t *Tree) settle(of int) {
	for _, k := range t.nodes[of].children {
		if t.nodes[k].User != "" {
			t.nodes[k].known = false
			continue
		}
		t.settleOne(k)
		t.settle(k)
	}
}

// settleOne computes the effective usage of one association.
func (t *Tree) settleOne(k int) {
	n := &t.nodes[k]
	t.normaliseUsage(n)
	n.known = true
	above := &t.nodes[max(n.shareOf, root)]
	switch {
	case n.shareOf <= root:
		n.effective = n.part
	case n.Inherits:
		n.effective = above.effective
	case t.DepthOblivious:
		n.effective = t.oblivious(n, above)
	case n.level == 0:
		n.effective = above.effective
	default:
		n.effective = n.part + float64((above.effective-n.part)*(n.Shares/n.level))
	}
}

// oblivious is the effective usage with DEPTH_OBLIVIOUS: the ratio of usage to shares of the account, times the association's own ratio beside those of its
// siblings, which counts less where it would bring the product back towards 1. The usage of a sibling is what was computed of it last.
func (t *Tree) oblivious(n, above *node) float64 {
	if n.shares == 0 || above.shares == 0 || above.effective == 0 || n.part == 0 {
		return n.part
	}
	ratio := above.effective / above.shares
	siblings := 0.0
	for _, k := range above.children {
		if !t.nodes[k].Inherits {
			siblings += t.nodes[k].part
		}
	}
	siblings /= above.shares
	own := n.part / n.shares / siblings
	power := 1.0
	if far := math.Log(ratio); float64(far*math.Log(own)) < 0 {
		power = 1 / (1 + float64((5*far)*(5*far)))
	}
	return ratio * math.Pow(own, power) * n.shares
}

// classicFactor is 2^(−(effective usage/shares)/dampening).
func (t *Tree) classicFactor(k int) float64 {
	if t.nodes[k].Inherits && t.nodes[k].shareOf >= 0 {
		k = t.nodes[k].shareOf
	}
	if !t.nodes[k].known {
		t.settleOne(k)
	}
	n := &t.nodes[k]
	if n.shares <= 0 {
		return 0
	}
	return math.Exp2(-(n.effective / n.shares / t.Dampening))
}
