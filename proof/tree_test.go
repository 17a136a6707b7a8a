package proof

import "testing"

// parts is a tree whose splits have parts of given sizes, which take no memory.
type parts map[string][2]int

func (p parts) narrow(_ int, box []struct{}, _ string) ([]struct{}, error) { return box, nil }

func (p parts) split(_ *Split, _ []struct{}, step string) (low, high []struct{}, err error) {
	return make([]struct{}, p[step][0]), make([]struct{}, p[step][1]), nil
}

func (p parts) listed(*Node, []struct{}, string) error { return nil }

// The boxes that wait for their node hold 2²⁴ limits at most.
func TestWideTrees(t *testing.T) {
	const most = 1 << 24
	nodes := []Node{{Split: &Split{Low: 1, High: 2}}, {Split: &Split{Low: 3, High: 4}}, {Split: &Split{Low: 5, High: 6}}, {}, {}, {}, {}}
	for _, c := range []struct {
		root int
		parts
		wide bool
	}{
		{most, parts{"tree.nodes[0].split": {most / 2, most / 2}}, false},
		{most, parts{"tree.nodes[0].split": {most / 2, most/2 + 1}}, true},
		{1, parts{"tree.nodes[0].split": {4, most - 4}, "tree.nodes[1].split": {1, 3}}, false},
		{1, parts{"tree.nodes[0].split": {4, most - 4}, "tree.nodes[1].split": {1, 4}}, true},
		{1, parts{"tree.nodes[0].split": {1, 9}, "tree.nodes[1].split": {2, 3}, "tree.nodes[2].split": {most - 8, 3}}, false},
		{1, parts{"tree.nodes[0].split": {1, 9}, "tree.nodes[1].split": {2, 3}, "tree.nodes[2].split": {most - 8, 4}}, true},
	} {
		want := Report{Verdict: Verified}
		if c.wide {
			want = Report{NotCertified, "tree.nodes", "the tree is too wide"}
		}
		if r := report(walk[[]struct{}](t.Context(), nodes, 0, "tree", make([]struct{}, c.root), c.parts)); r != want {
			t.Errorf("%v: %v, expected %v", c.parts, r, want)
		}
	}
}
