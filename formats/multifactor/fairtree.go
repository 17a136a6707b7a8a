package multifactor

import (
	"cmp"
	"math"
	"slices"
)

// ranks counts users down, with and without ties.
type ranks struct{ rank, next float64 }

// rankAll computes the factors by Fair Tree from the usage as it is: it goes through the tree depth first, siblings by shares over usage, and ranks the users in this order.
//
// Deviation from the manual, as in the code of Slurm: accounts that are tied are not merged. The first child of the later one counts as tied with the user before it.
//
// O(n·log n) for n associations.
func (t *Tree) rankAll() {
	r := &ranks{t.users, t.users}
	t.rank(root, r, false)
}

// rank ranks the users below an account.
func (t *Tree) rank(of int, r *ranks, tied bool) {
	children := slices.Clone(t.nodes[of].children)
	for _, k := range children {
		t.rate(&t.nodes[k])
	}
	slices.SortStableFunc(children, func(a, b int) int {
		x, y := &t.nodes[a], &t.nodes[b]
		return cmp.Or(cmp.Compare(y.levelFS, x.levelFS), cmp.Compare(of01(x.User == ""), of01(y.User == "")))
	})
	last := math.NaN()
	for i, k := range children {
		n := &t.nodes[k]
		equal := n.levelFS == last || i == 0 && tied
		if last = n.levelFS; n.User == "" {
			t.rank(k, r, equal)
			continue
		}
		if !equal {
			r.rank = r.next
		}
		n.factor = r.rank / t.users
		r.next--
	}
}

// of01 is 1 for true.
func of01(is bool) int {
	if is {
		return 1
	}
	return 0
}

// rate computes the shares over the usage of an association.
func (t *Tree) rate(n *node) {
	t.normaliseUsage(n)
	n.effective = 0
	if above := t.nodes[n.shareOf].usage; above > 0 {
		n.effective = n.usage / above
	}
	switch {
	case n.Inherits && n.User != "":
		n.levelFS = math.Inf(1)
	case n.Inherits:
		n.levelFS = unset
	case n.shares == 0:
		n.levelFS = 0
	case n.effective == 0:
		n.levelFS = math.Inf(1)
	default:
		n.levelFS = n.shares / n.effective
	}
}
