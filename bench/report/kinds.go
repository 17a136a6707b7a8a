package report

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
)

// kind says what the solvers of a group know while they decide.
type kind int

// The kinds. Where both meet on the instances of a group, they are compared apart: an on-line policy that beats a solver which was told
// everything, or loses to it, says nothing of either.
const (
	anyone kind = iota // nothing to tell apart
	online             // see bench.Row.IsOnline
	clairvoyant
)

// kindNames are the names of the solvers of each kind, and of a single one.
var kindNames = [...][2]string{
	anyone: {"solvers", "solver"}, online: {"on-line policies", "on-line policy"}, clairvoyant: {"solvers that know the future", "solver that knows the future"},
}

// String is the name of the solvers.
func (k kind) String() string { return kindNames[k][0] }

// single is the name of one of them.
func (k kind) single() string { return kindNames[k][1] }

// splitByKind splits every group with both on-line policies and other solvers into one group for each kind. The best solver of the other
// kind is the reference of each. The groups are ranked afterwards.
func (s *study) splitByKind() {
	var groups []*group
	for _, g := range s.groups {
		parts := map[kind]*group{online: g.part(online), clairvoyant: g.part(clairvoyant)}
		if parts[online] == nil || parts[clairvoyant] == nil {
			groups = append(groups, g)
			continue
		}
		parts[online].other, parts[clairvoyant].other = parts[clairvoyant], parts[online]
		groups = append(groups, parts[online], parts[clairvoyant])
	}
	s.groups = groups
}

// part is the group of the solvers of the kind and the problems that they ran on; nil: there are none.
func (g *group) part(k kind) *group {
	solvers := kit.That(g.solvers, func(c *contender) bool { return c.isOnline() == (k == online) })
	if len(solvers) == 0 {
		return nil
	}
	ran := func(p *problem) bool {
		return slices.ContainsFunc(solvers, func(c *contender) bool { return len(p.cells[c.name]) > 0 })
	}
	return &group{name: g.name, kind: k, solvers: solvers, cases: kit.That(g.cases, ran)}
}

// isOnline says whether the solver had to decide on line on one of the instances.
func (c *contender) isOnline() bool {
	return slices.ContainsFunc(c.rows, (*bench.Row).IsOnline)
}

// title is the name of the group with its kind.
func (g *group) title() string {
	switch {
	case g.kind == anyone:
		return g.name
	case g.name == "":
		return capital(g.kind.String())
	}
	return g.name + ": " + g.kind.String()
}

// capital begins a text of ASCII letters with a capital one.
func capital(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

// overalls are the groups over all groups: one, or one a kind.
func (s *study) overalls() []*group {
	kinds := map[string]kind{} // of solvers; one that is on line anywhere is so everywhere
	for _, g := range s.groups {
		for _, c := range g.solvers {
			if g.kind == online || kinds[c.name] == anyone {
				kinds[c.name] = g.kind
			}
		}
	}
	if !slices.ContainsFunc(s.groups, func(g *group) bool { return g.kind != anyone }) {
		return []*group{s.overall(anyone, func(string) bool { return true })}
	}
	on := s.overall(online, func(name string) bool { return kinds[name] == online })
	off := s.overall(clairvoyant, func(name string) bool { return kinds[name] != online })
	if len(off.solvers) == 0 {
		return []*group{on}
	}
	on.other, off.other = off, on
	return []*group{on, off}
}

// overall is all groups as one, of the solvers that are taken.
func (s *study) overall(k kind, taken func(solver string) bool) *group {
	all := &group{name: "All groups together", kind: k}
	seen := map[*problem]bool{}
	for _, name := range s.solvers {
		if !taken(name) {
			continue
		}
		c := &contender{name: name, rank: math.NaN()}
		for _, g := range s.groups {
			for _, part := range g.solvers {
				if part.name == name {
					c.rows = append(c.rows, part.rows...)
				}
			}
		}
		all.solvers = append(all.solvers, c)
	}
	for _, g := range s.groups {
		for _, p := range g.cases {
			if !seen[p] && slices.ContainsFunc(all.solvers, func(c *contender) bool { return len(p.cells[c.name]) > 0 }) {
				seen[p] = true
				all.cases = append(all.cases, p)
			}
		}
	}
	all.rank()
	return all
}

// reference is the best solver of the other kind, by mean rank among its own, with its rows; nil: there is no other kind.
func (g *group) reference() *contender {
	if g.other == nil {
		return nil
	}
	return g.other.solvers[0]
}

// referenceNote names the solvers that the group compares and the one that is only a reference.
func (g *group) referenceNote() string {
	if g.other == nil {
		return ""
	}
	best := document.Printable(g.reference().name)
	if g.kind == online {
		return "On-line policies decide at each instant from the jobs that have arrived and their estimates. They are tested among themselves only. For reference: " +
			best + ", the best of the solvers that know the future."
	}
	return "These solvers were given arrivals and run times of jobs before they happened, as no policy is. They are tested among themselves only. For reference: " +
		best + ", the best of the on-line policies."
}

// words are what the tests of the group say.
func (g *group) words() sentence {
	if g.test == nil && g.kind != anyone && len(g.solvers) == 1 {
		var s sentence
		s.name(g.solvers[0].name)
		s.say(" is the only " + g.kind.single() + " here, so there is nothing to compare it with.")
		return s
	}
	return g.test.words()
}
