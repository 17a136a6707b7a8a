package multifactor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// example is the example of the specification of the formulas.
var example = []Association{
	{Account: "root", User: "root", Shares: 1},
	{Account: "A", Shares: 60}, {Account: "A", User: "a1", Shares: 1, Usage: 6000}, {Account: "A", User: "a2", Shares: 1}, {Account: "A", User: "a3", Shares: 2, Usage: 2000},
	{Account: "B", Shares: 40}, {Account: "B", User: "b1", Shares: 1, Usage: 1000}, {Account: "B", User: "b2", Shares: 1, Usage: 1000}, {Account: "B", User: "b3", Shares: 1},
}

// withSums are associations whose accounts have used what their users have.
func withSums(list []Association) []Association {
	list = slices.Clone(list)
	above := map[string]string{}
	for _, a := range list {
		if a.User == "" {
			above[a.Account] = cmp.Or(a.Parent, "root")
		}
	}
	sums := map[string]float64{}
	for _, a := range list {
		if a.User == "" {
			continue
		}
		for account := a.Account; ; account = above[account] {
			if sums[account] += a.Usage; account == "root" || account == "" {
				break
			}
		}
	}
	for k := range list {
		if list[k].User == "" {
			list[k].Usage = sums[list[k].Account]
		}
	}
	if above["root"] == "" {
		list = append(list, Association{Account: "root", Usage: sums["root"]})
	}
	return list
}

// newTree makes a tree and computes its factors.
func newTree(t interface{ Fatal(...any) }, classic bool, list []Association) *Tree {
	settings := DefaultSettings()
	settings.Classic = classic
	tree, err := NewTree(settings, list)
	if err != nil {
		t.Fatal(err)
	}
	if classic {
		tree.settle(root)
	} else {
		tree.rankAll()
	}
	return tree
}

func TestExample(t *testing.T) {
	users := []string{"root", "a1", "a2", "a3", "b1", "b2", "b3"}
	accounts := map[byte]string{'r': "root", 'a': "A", 'b': "B"}
	classic := newTree(t, true, withSums(example))
	want := []string{"1.000000", "0.048138", "0.393199", "0.311362", "0.496546", "0.496546", "0.704660"}
	for k, user := range users {
		if got := fmt.Sprintf("%.6f", classic.Factor(classic.Find(accounts[user[0]], user, ""))); got != want[k] {
			t.Errorf("classic: %s: expected %s, found %s", user, want[k], got)
		}
	}
	fair := newTree(t, false, withSums(example))
	for k, rank := range []float64{7, 1, 3, 2, 5, 5, 6} {
		if got := fair.Factor(fair.Find(accounts[users[k][0]], users[k], "")); got != rank/7 {
			t.Errorf("Fair Tree: %s: expected %v of 7, found %v", users[k], rank, got*7)
		}
	}
}

// drawTree draws associations: accounts up to four deep, with users, some of which take the shares of their account.
func drawTree(t *rapid.T) []Association {
	var list []Association
	accounts := []string{"root"}
	for k := range rapid.IntRange(0, 6).Draw(t, "accounts") {
		name := fmt.Sprintf("acct%d", k)
		a := Association{Account: name, Parent: rapid.SampledFrom(accounts).Draw(t, "above"), Shares: float64(rapid.IntRange(0, 3).Draw(t, "shares"))}
		a.Inherits = rapid.IntRange(0, 4).Draw(t, "inherits") == 0
		list, accounts = append(list, a), append(accounts, name)
	}
	for k := range rapid.IntRange(1, 10).Draw(t, "users") {
		a := Association{Account: rapid.SampledFrom(accounts).Draw(t, "account"), User: fmt.Sprintf("user%d", k), Shares: float64(rapid.IntRange(0, 3).Draw(t, "shares"))}
		a.Usage = float64(rapid.IntRange(0, 5).Draw(t, "usage")) * 100
		a.Inherits = rapid.IntRange(0, 4).Draw(t, "inherits") == 0
		list = append(list, a)
	}
	return withSums(rapid.Permutation(list).Draw(t, "order"))
}

// naive looks everything up anew, by names.
type naive []Association

// account is the account of a name.
func (n naive) account(name string) Association {
	k := slices.IndexFunc(n, func(a Association) bool { return a.Account == name && a.User == "" })
	if k < 0 {
		return Association{Account: name}
	}
	return n[k]
}

// above is the nearest account above with shares of its own.
func (n naive) above(a Association) Association {
	up := func(a Association) Association {
		if a.User != "" {
			return n.account(a.Account)
		}
		return n.account(cmp.Or(a.Parent, "root"))
	}
	for a = up(a); a.Inherits && a.Account != "root"; {
		a = up(a)
	}
	return a
}

// share is the part that an association has of its level.
func (n naive) share(a Association) float64 {
	sum := 0.0
	for _, other := range n {
		if (other.User != "" || other.Account != "root") && !other.Inherits && n.above(other).Account == n.above(a).Account {
			sum += other.Shares
		}
	}
	if sum == 0 {
		return 0
	}
	return a.Shares / sum
}

// isRoot says whether an association is the root.
func isRoot(a Association) bool { return a.Account == "root" && a.User == "" }

// shares are the normalised shares of the classic algorithm.
func (n naive) shares(a Association) float64 {
	switch {
	case isRoot(a):
		return 1
	case a.Inherits:
		return n.shares(n.above(a))
	}
	return n.share(a) * n.shares(n.above(a))
}

// part is the part of all usage.
func (n naive) part(a Association) float64 {
	if all := n.account("root").Usage; all > 0 {
		return min(a.Usage/all, 1)
	}
	return 0
}

// effective is the effective usage of the classic algorithm.
func (n naive) effective(a Association) float64 {
	above := n.above(a)
	switch share := n.share(a); {
	case isRoot(above):
		return n.part(a)
	case a.Inherits:
		return n.effective(above)
	default:
		sum := 0.0
		for _, other := range n {
			if !isRoot(other) && !other.Inherits && n.above(other).Account == above.Account {
				sum += other.Shares
			}
		}
		if sum == 0 {
			return n.effective(above)
		}
		return n.part(a) + (n.effective(above)-n.part(a))*share
	}
}

// classic is the factor of the classic algorithm.
func (n naive) classic(a Association) float64 {
	if a.Inherits {
		a = n.above(a)
	}
	switch {
	case isRoot(a):
		return math.Exp2(-1)
	case n.shares(a) == 0:
		return 0
	}
	return math.Exp2(-n.effective(a) / n.shares(a))
}

// level is the shares over the usage by Fair Tree.
func (n naive) level(a Association) float64 {
	used := 0.0
	if all := n.above(a).Usage; all > 0 {
		used = a.Usage / all
	}
	switch {
	case a.Inherits && a.User != "":
		return math.Inf(1)
	case a.Inherits:
		return unset
	case n.share(a) == 0:
		return 0
	}
	return n.share(a) / used
}

func TestClassicAsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawTree(t)
		tree := newTree(t, true, list)
		for _, a := range list {
			if a.User == "" {
				continue
			}
			got, want := tree.Factor(tree.Find(a.Account, a.User, "")), naive(list).classic(a)
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s %s: expected %v, found %v in %+v", a.Account, a.User, want, got, list)
			}
		}
	})
}

// path is the levels of the accounts above an association, and its own, from the root on.
func (n naive) path(a Association) (path []float64, names []string) {
	for ; !isRoot(a); a = n.above(a) {
		path, names = append(path, n.level(a)), append(names, a.Account+"/"+a.User)
	}
	slices.Reverse(path)
	slices.Reverse(names)
	return path, names
}

// TestFairTreeAsNaive compares with a sort of all users by their paths, where no accounts are tied with a sibling: for these the order of Slurm's list counts.
func TestFairTreeAsNaive(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		list := drawTree(t)
		n := naive(list)
		for _, a := range list {
			for _, b := range list {
				if a != b && !isRoot(a) && !isRoot(b) && a.User == "" && n.above(a).Account == n.above(b).Account && n.level(a) == n.level(b) {
					return
				}
			}
		}
		compared++
		tree := newTree(t, false, list)
		var users []Association
		for _, a := range list {
			if a.User != "" {
				users = append(users, a)
			}
		}
		for _, a := range users {
			path, names := n.path(a)
			ahead := 0
			for _, b := range users {
				other, called := n.path(b)
				at := 0
				for at < min(len(path), len(other))-1 && names[at] == called[at] {
					at++
				}
				if other[at] > path[at] {
					ahead++
				}
			}
			if got, want := tree.Factor(tree.Find(a.Account, a.User, "")), float64(len(users)-ahead)/float64(len(users)); got != want {
				t.Fatalf("%s %s: expected %v, found %v in %+v", a.Account, a.User, want, got, list)
			}
		}
	})
	if compared == 0 {
		t.Error("no tree without ties")
	}
}

// TestTreeErrors checks what a tree refuses.
func TestTreeErrors(t *testing.T) {
	for _, c := range []struct {
		list []Association
		want string
	}{
		{[]Association{{Account: "a"}, {Account: "a"}}, "association of account a is there twice"},
		{[]Association{{Account: "a", User: "u"}}, "there is no account a"},
		{[]Association{{Account: "a", Parent: "b"}, {Account: "b", Parent: "a"}}, "account a is above itself"},
		{[]Association{{Account: "a", Shares: math.NaN()}}, "expected shares, usage and a priority of at least 0"},
		{[]Association{{Account: "a", Usage: math.Inf(1)}}, "expected shares, usage and a priority of at least 0"},
	} {
		if _, err := NewTree(DefaultSettings(), c.list); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: expected %q, found %v", c.list, c.want, err)
		}
	}
	for _, change := range []func(s *Settings){
		func(s *Settings) { s.HalfLife = -1 }, func(s *Settings) { s.MaxAge = math.NaN() }, func(s *Settings) { s.CalcPeriod = 0 }, func(s *Settings) { s.Dampening = 0 },
	} {
		settings := DefaultSettings()
		if change(&settings); settings.check() == nil {
			t.Errorf("expected %+v to be refused", settings)
		}
	}
}

// TestAdd checks that a tree that grew is the same as one that was made at once.
func TestAdd(t *testing.T) {
	list := withSums(example)
	whole := newTree(t, false, list)
	grown, err := NewTree(DefaultSettings(), []Association{list[len(list)-1]})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list[:len(list)-1] {
		if _, err := grown.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	grown.rankAll()
	for k := range whole.Len() {
		if whole.Share(k) != grown.Share(k) {
			t.Errorf("expected %+v, found %+v", whole.Share(k), grown.Share(k))
		}
	}
	if _, err := grown.Add(Association{Account: "none", User: "u"}); err == nil || grown.Len() != whole.Len() || grown.Find("none", "u", "") >= 0 {
		t.Errorf("expected an error and the same tree, found %v and %d", err, grown.Len())
	}
}
