package report

import (
	"fmt"
	"strings"
)

// What the pictures and pairs of all groups may take together, so that a suite of hundreds of groups is still a page.
const (
	mostPlotted  = 6 << 20 // bytes of paths
	mostAllPairs = 8000
)

// section is what the page says of a group.
type section struct {
	ID, Name string
	Facts    string
	Verdict  sentence
	Notes    []string
	Solvers  *table
	Diagram  *diagram
	Plots    []*plot
	Pairs    *table
}

// room is what is left of what the groups may take.
type room struct{ plotted, pairs int }

// addGroups makes the sections and, with several groups, what sums them up, which has the first claim to room.
func (p *page) addGroups(s *study) {
	preferred := map[string]int{}
	for k, name := range s.solvers {
		preferred[name] = k
	}
	left := room{mostPlotted, mostAllPairs}
	var all *group
	if len(s.groups) > 1 {
		all = s.overall()
		p.Overall = left.section("all", 0, all, preferred)
		p.Overall.Solvers = nil // means over groups say nothing
	}
	for k, g := range s.groups {
		p.Groups = append(p.Groups, left.section(fmt.Sprintf("g%d", k+1), k+1, g, preferred))
		if name := &p.Groups[k].Name; *name == "" && all == nil {
			*name = "All instances"
		} else if *name == "" {
			*name = "Other instances"
		}
	}
	p.Verdict = s.groups[0].test.words()
	if all != nil {
		p.Verdict = all.test.words()
		p.Winners, p.Gaps = s.winnersTable(p.Groups), s.gapsTable(p.Groups, all)
	}
}

// section makes that of a group; index numbers its pictures. What there is no room for is left out, and a note says so.
func (r *room) section(id string, index int, g *group, preferred map[string]int) *section {
	c := &section{
		ID: id, Name: printable(g.name), Facts: g.facts(), Verdict: g.test.words(), Notes: g.notes(), Solvers: g.solversTable(id + "-solvers"),
		Diagram: newDiagram(id+"-cd", g.test),
	}
	var missing []string
	if r.plotted > 0 {
		c.Plots = g.plots(index, preferred)
		for _, p := range c.Plots {
			r.plotted -= p.size()
		}
	} else {
		missing = append(missing, "pictures")
	}
	if r.pairs > 0 {
		if c.Pairs = g.test.pairsTable(id + "-pairs"); c.Pairs != nil {
			r.pairs -= len(c.Pairs.Rows)
		}
	} else {
		missing = append(missing, "pairs")
	}
	if len(missing) > 0 {
		c.Notes = append(c.Notes, "The page has no room for the "+strings.Join(missing, " and the ")+" of this group: draw fewer groups at a time.")
	}
	return c
}

// size is how many bytes the paths take.
func (p *plot) size() int {
	n := 0
	for _, c := range p.Curves {
		n += len(c.Path) + len(c.Markers) + len(c.Name)
	}
	return n
}
