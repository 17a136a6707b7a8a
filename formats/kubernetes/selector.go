package kubernetes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// term is a term of required node affinity: all its requirements hold.
type term []requirement

// requirement is what a label of a node, or its name, has to be.
type requirement struct {
	key, operator string
	values        []string
	name          bool // the name of the node, and not a label, is meant
}

// operators are those of requirements, with how people write them.
var operators = map[string]string{"In": "in", "NotIn": "not in", "Exists": "exists", "DoesNotExist": "does not exist", "Gt": ">", "Lt": "<"}

// readTerm reads a term.
func readTerm(x field) term {
	var t term
	for _, list := range []string{"matchExpressions", "matchFields"} {
		for _, y := range x.get(list).elements() {
			r := requirement{key: y.get("key").required().str(), operator: y.get("operator").required().str(), values: y.get("values").words(), name: list == "matchFields"}
			switch _, known := operators[r.operator]; {
			case !known:
				y.get("operator").fault("expected In, NotIn, Exists, DoesNotExist, Gt or Lt, found %s", lines.Quote(r.operator))
			case (r.operator == "In" || r.operator == "NotIn") && len(r.values) == 0:
				y.get("values").fault("expected at least one value, found none")
			case (r.operator == "Gt" || r.operator == "Lt") && (len(r.values) != 1 || !isWhole(r.values[0])):
				y.get("values").fault("expected one whole number")
			case r.name && r.key != "metadata.name":
				y.get("key").fault("expected metadata.name, found %s", lines.Quote(r.key))
			}
			t = append(t, r)
		}
	}
	return t
}

func isWhole(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// String is the requirement as people write it.
func (r requirement) String() string {
	text := r.key + " " + operators[r.operator]
	if len(r.values) > 0 {
		text += " " + strings.Join(r.values, "|")
	}
	return text
}

// holds says whether a node meets the requirement.
func (r requirement) holds(n *node) bool {
	value, stated := n.labels[r.key]
	if r.name {
		value, stated = n.name, true
	}
	switch r.operator {
	case "In":
		return stated && slices.Contains(r.values, value)
	case "NotIn":
		return !stated || !slices.Contains(r.values, value)
	case "Exists":
		return stated
	case "DoesNotExist":
		return !stated
	}
	limit, _ := strconv.ParseInt(r.values[0], 10, 64) // it was checked
	x, err := strconv.ParseInt(value, 10, 64)
	return stated && err == nil && (r.operator == "Gt" && x > limit || r.operator == "Lt" && x < limit)
}

// holds says whether a node meets all requirements of a term. An empty term holds nowhere.
func (t term) holds(n *node) bool {
	return len(t) > 0 && !slices.ContainsFunc(t, func(r requirement) bool { return !r.holds(n) })
}

// label is the feature that stands for a label of a node.
func label(key, value string) string { return lines.Name(key + "=" + value) }

// finder finds the features that pods ask for, and adds to the nodes those that no label states.
type finder struct {
	nodes    []node
	features [][]string      // that are no labels, of each node
	found    map[string]bool // feature → whether all nodes have it
	faults   *lines.Faults

	taints     []taint           // of all nodes, sorted
	tolerances map[string]string // tolerations → feature of the nodes that they let a pod run on
}

// stated makes a feature of the nodes that meet a condition. The list is nil where all nodes do, so that nothing has to be asked for.
func (s *finder) stated(name string, holds func(n *node) bool) []string {
	name = lines.Name(name)
	all, known := s.found[name]
	if !known {
		every := true
		within := s.faults.Names("", len(s.nodes))
		for k := range s.nodes {
			if within && holds(&s.nodes[k]) {
				s.features[k] = append(s.features[k], name)
			} else {
				every = false
			}
		}
		all = every
		s.found[name] = all
	}
	if all {
		return nil
	}
	return []string{name}
}

// of are the features that a pod asks for.
func (s *finder) of(p *podSpec) [][]string {
	var lists [][]string
	ask := func(list []string) {
		if list != nil {
			lists = append(lists, list)
		}
	}
	for _, key := range sortedKeys(p.selector) {
		ask([]string{label(key, p.selector[key])})
	}
	switch len(p.terms) {
	case 0:
	case 1:
		for _, r := range p.terms[0] {
			ask(s.requirement(r))
		}
		if len(p.terms[0]) == 0 {
			ask([]string{"no node: a term of the affinity is empty"})
		}
	default:
		var words []string
		for _, t := range p.terms {
			words = append(words, "("+termText(t)+")")
		}
		ask(s.stated(unique(strings.Join(words, " or ")), func(n *node) bool {
			return slices.ContainsFunc(p.terms, func(t term) bool { return t.holds(n) })
		}))
	}
	ask(s.tolerated(p.tolerations))
	return lists
}

// termText is a term as people write it.
func termText(t term) string {
	var words []string
	for _, r := range t {
		words = append(words, r.String())
	}
	return strings.Join(words, ", ")
}

// unique is a text that stays different from others where it is cut to the length of a name.
func unique(text string) string {
	const most = 400
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%016x)", strings.ToValidUTF8(text[:most], ""), hash(text))
}

// requirement is the list of features of which a node has one if it meets the requirement.
func (s *finder) requirement(r requirement) []string {
	const most = 50 // of values listed: more are stated as a feature of their own
	if r.operator == "In" && !r.name && len(r.values) <= most {
		var list []string
		for _, value := range r.values {
			if f := label(r.key, value); !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
		return list
	}
	return s.stated(unique(r.String()), r.holds)
}

// tolerated is the feature of the nodes whose taints are all tolerated.
func (s *finder) tolerated(list []toleration) []string {
	if len(s.taints) == 0 {
		return nil
	}
	key := fmt.Sprint(list)
	if name, known := s.tolerances[key]; known {
		return s.stated(name, nil)
	}
	met := map[taint]bool{}
	var kept []string
	within := s.faults.Steps("", len(list)*len(s.taints))
	for _, t := range s.taints {
		if within && slices.ContainsFunc(list, func(x toleration) bool { return x.tolerates(t) }) {
			met[t] = true
			kept = append(kept, t.String())
		}
	}
	name := "no taint"
	if len(kept) > 0 {
		name += " but " + strings.Join(kept, ", ")
	}
	name = unique(name)
	s.tolerances[key] = name
	return s.stated(name, func(n *node) bool {
		return !slices.ContainsFunc(n.taints, func(t taint) bool { return !met[t] })
	})
}

// newFinder finds features of the nodes.
func newFinder(nodes []node, faults *lines.Faults) *finder {
	s := &finder{nodes: nodes, faults: faults, features: make([][]string, len(nodes)), found: map[string]bool{}, tolerances: map[string]string{}}
	met := map[taint]bool{}
	for k := range nodes {
		for _, t := range nodes[k].taints {
			if !met[t] {
				met[t] = true
				s.taints = append(s.taints, t)
			}
		}
	}
	slices.SortFunc(s.taints, func(a, b taint) int { return strings.Compare(a.String(), b.String()) })
	return s
}
