package multifactor

import (
	"fmt"
	"math"
)

// Association is an account, or a user of one, perhaps only in one partition: a row of sacctmgr show assoc.
type Association struct {
	Account, User string  // User is empty for the account itself
	Partition     string  // empty: any
	Parent        string  // the account above; of an account other than root
	Shares        float64 // as stated; see Inherits
	Inherits      bool    // the shares are "parent": it takes the values of its account, and an account passes its children on to the level above
	Priority      float64
	Usage         float64 // raw, at the beginning
}

// key tells associations apart.
type key struct{ account, user, partition string }

// Tree is the associations with their shares and their usage. Its root is the account root.
type Tree struct {
	Settings
	nodes []node
	index map[key]int
	users float64 // associations of users
}

// node is an association in the tree.
type node struct {
	Association
	above    int   // the account that its usage counts for too; −1: none
	shareOf  int   // the nearest account above with shares of its own; −1: none
	children []int // those whose shareOf this is, in the order given

	level  float64 // the sum of the shares of its siblings and itself
	shares float64 // normalised
	usage  float64 // raw

	part      float64 // of all usage
	effective float64
	known     bool // the effective usage is that of this pass
	levelFS   float64
	factor    float64 // by Fair Tree
}

// unset is what Slurm takes for a number that is not set yet.
const unset = 4294967294

// root is the index of the root.
const root = 0

// NewTree makes the tree of some associations, accounts in any order. Where none is the account root, it is added. An account whose parent is not stated is under root. An
// association that is there twice, an account that is missing, and accounts above each other in a circle are errors. O(n·d) for n associations and accounts d deep.
func NewTree(settings Settings, list []Association) (*Tree, error) {
	if err := settings.check(); err != nil {
		return nil, err
	}
	t := &Tree{Settings: settings, index: map[key]int{}}
	t.nodes = append(t.nodes, node{Association: Association{Account: "root", Shares: 1}})
	t.index[key{account: "root"}] = root
	for _, a := range list {
		if a.Account == "root" && a.User == "" {
			t.nodes[root].Usage, t.nodes[root].usage = a.Usage, a.Usage
			continue
		}
		if err := t.put(a); err != nil {
			return nil, err
		}
	}
	if err := t.link(); err != nil {
		return nil, err
	}
	t.Forget()
	return t, nil
}

// put adds an association that is not linked yet.
func (t *Tree) put(a Association) error {
	at := key{a.Account, a.User, a.Partition}
	if _, twice := t.index[at]; twice {
		return fmt.Errorf("multifactor: association %s is there twice", at)
	}
	if !(a.Shares >= 0) || math.IsInf(a.Shares, 1) || !(a.Usage >= 0) || math.IsInf(a.Usage, 1) || !(a.Priority >= 0) {
		return fmt.Errorf("multifactor: association %s: expected shares, usage and a priority of at least 0", at)
	}
	t.index[at] = len(t.nodes)
	t.nodes = append(t.nodes, node{Association: a, usage: a.Usage, part: unset})
	return nil
}

// String names an association in messages.
func (k key) String() string {
	text := "of account " + k.account
	if k.user != "" {
		text += ", user " + k.user
	}
	if k.partition != "" {
		text += ", partition " + k.partition
	}
	return text
}

// link finds who is above whom, and normalises the shares.
func (t *Tree) link() error {
	t.users = 0
	for k := range t.nodes {
		n := &t.nodes[k]
		n.children, n.level, n.above, n.shareOf = n.children[:0], 0, -1, -1
		if k == root {
			continue
		}
		above := n.Account
		if n.User == "" {
			if above = n.Parent; above == "" {
				above = "root"
			}
		} else {
			t.users++
		}
		parent, found := t.index[key{account: above}]
		if !found {
			return fmt.Errorf("multifactor: association %s: there is no account %s", key{n.Account, n.User, n.Partition}, above)
		}
		n.above = parent
	}
	for k := range t.nodes {
		steps := 0
		for at := t.nodes[k].above; at >= 0; at = t.nodes[at].above {
			if steps++; steps > len(t.nodes) {
				return fmt.Errorf("multifactor: account %s is above itself", t.nodes[k].Account)
			}
			if n := &t.nodes[k]; n.shareOf < 0 && !t.nodes[at].Inherits {
				n.shareOf = at
			}
		}
		if n := &t.nodes[k]; n.shareOf >= 0 {
			t.nodes[n.shareOf].children = append(t.nodes[n.shareOf].children, k)
		}
	}
	for k := range t.nodes {
		sum := 0.0
		for _, child := range t.nodes[k].children {
			if !t.nodes[child].Inherits {
				sum += t.nodes[child].Shares
			}
		}
		for _, child := range t.nodes[k].children {
			t.nodes[child].level = sum
		}
	}
	if t.nodes[root].shares = 1; !t.Classic {
		t.nodes[root].shares = 0
	}
	t.normalise(root)
	return nil
}

// normalise computes the normalised shares below an association: with the classic algorithm of the whole, with Fair Tree of the level.
func (t *Tree) normalise(of int) {
	for _, k := range t.nodes[of].children {
		n := &t.nodes[k]
		switch {
		case n.Inherits:
			n.shares = t.nodes[of].shares
		case n.level == 0:
			n.shares = 0
		default:
			if n.shares = n.Shares / n.level; t.Classic {
				n.shares *= t.nodes[of].shares
			}
		}
		t.normalise(k)
	}
}

// Find is the association of a user of an account in a partition; −1: there is none.
func (t *Tree) Find(account, user, partition string) int {
	if k, found := t.index[key{account, user, partition}]; found {
		return k
	}
	if k, found := t.index[key{account, user, ""}]; found {
		return k
	}
	return -1
}

// Add adds an association, of an account that is there, and normalises the shares anew. With Fair Tree its factor is 0 until the next pass. It returns the number of the association.
// O(n·d) for n associations d deep.
func (t *Tree) Add(a Association) (int, error) {
	if err := t.put(a); err != nil {
		return -1, err
	}
	if err := t.link(); err != nil {
		t.nodes = t.nodes[:len(t.nodes)-1]
		delete(t.index, key{a.Account, a.User, a.Partition})
		return -1, err
	}
	return len(t.nodes) - 1, nil
}

// Len is the number of associations. They are numbered from 0, the root, in the order given.
func (t *Tree) Len() int { return len(t.nodes) }

// Forget forgets everything but the usage, as slurmctld does where it starts again.
func (t *Tree) Forget() {
	for k := range t.nodes {
		n := &t.nodes[k]
		n.part, n.effective, n.factor, n.known = unset, 0, 0, true
	}
	t.nodes[root].effective = 1
}

// charge adds usage to an association and all above it.
func (t *Tree) charge(association int, usage float64) {
	for k := association; k >= 0; k = t.nodes[k].above {
		t.nodes[k].usage += usage
	}
}

// scale multiplies all usage.
func (t *Tree) scale(by float64) {
	for k := range t.nodes {
		t.nodes[k].usage *= by
	}
}

// normaliseUsage computes the part of all usage that an association has.
func (t *Tree) normaliseUsage(n *node) {
	n.part = 0
	if all := t.nodes[root].usage; all > 0 {
		n.part = min(n.usage/all, 1)
	}
}

// Factor is the factor of the fair share of an association, from 0 to 1. With the classic algorithm it is computed from the usage at the first question after a pass, and
// stays so until the next one.
func (t *Tree) Factor(association int) float64 {
	if association < 0 {
		return 0
	}
	if !t.Classic {
		return t.nodes[association].factor
	}
	return t.classicFactor(association)
}

// Share is what sshare prints of an association.
type Share struct {
	Association
	Normalised float64 // NormShares
	Usage      float64 // RawUsage, which sshare cuts to a whole number
	Part       float64 // NormUsage
	Effective  float64 // EffectvUsage
	Factor     float64 // FairShare
	Level      float64 // LevelFS, with Fair Tree: +Inf where nothing was used
}

// Share returns what sshare prints of an association. With the classic algorithm the question itself computes what no job has asked for, as sshare does.
func (t *Tree) Share(association int) Share {
	if t.Classic && !t.nodes[association].known {
		t.settleOne(association)
	}
	factor := t.Factor(association)
	n := &t.nodes[association]
	return Share{n.Association, n.shares, n.usage, n.part, n.effective, factor, n.levelFS}
}
