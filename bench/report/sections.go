package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
)

// What the pictures and pairs of all groups may take together, so that a suite of hundreds of groups is still a page.
const (
	mostPlotted  = 6 << 20 // bytes
	mostAllPairs = 8000
)

// section is what the page says of a group.
type section struct {
	ID, Name  string
	Facts     string
	Verdict   sentence
	Reference string // what the group is only beside; empty: nothing
	Notes     []string
	Solvers   *document.Table
	Gaps      *document.Table
	Ratios    *document.Table
	Forest    *document.Drawn
	Closing   sentence // how the others compare with the first solver
	Diagram   *diagram
	Plots     []*document.Drawn
	ratios    *document.Forest
	Pairs     *document.Table
}

// room is the size that is left for the groups.
type room struct {
	plotted, pairs int
	against        []string // the solvers that others are compared with, see [group.first]
}

// addGroups makes the sections and, if there are several groups, a summary of all solvers or one for each kind. The summary has the
// first claim to the remaining room.
func (p *page) addGroups(s *study, left room) {
	preferred := map[string]int{}
	for k, name := range s.solvers {
		preferred[name] = k
	}
	several := slices.ContainsFunc(s.groups, func(g *group) bool { return g.name != s.groups[0].name })
	var overall []*group
	if several {
		overall = s.overalls()
		for k, all := range overall {
			id := "all"
			if k > 0 {
				id = fmt.Sprintf("all%d", k+1)
			}
			c := left.section(id, all, preferred)
			c.Solvers = nil // means over groups say nothing
			p.Overall = append(p.Overall, c)
		}
	}
	for k, g := range s.groups {
		p.Groups = append(p.Groups, left.section(fmt.Sprintf("g%d", k+1), g, preferred))
		if name := &p.Groups[k].Name; *name == "" && !several {
			*name = "All instances"
		} else if *name == "" {
			*name = "Other instances"
		}
	}
	summed, groups := p.Overall, overall
	if !several {
		summed, groups = p.Groups, s.groups
	}
	for k, c := range summed {
		v := verdict{Sentence: c.Verdict}
		if groups[k].kind != anyone {
			v.Name = capital(groups[k].kind.String())
		}
		p.Verdicts = append(p.Verdicts, v)
	}
	if several {
		p.Winners = s.winnersTable(p.Groups)
		for k, all := range overall {
			p.Overall[k].Gaps = s.gapsTable(fmt.Sprintf("gaps%d", k+1), all, "")
		}
	}
}

// section makes the section of a group. It leaves out what has no room and adds a note.
func (r *room) section(id string, g *group, preferred map[string]int) *section {
	c := &section{
		ID: id, Name: document.Printable(g.title()), Facts: g.facts(), Verdict: g.words(), Reference: g.referenceNote(), Notes: g.notes(), Solvers: g.solversTable(id + "-solvers"),
		Diagram: newDiagram(id+"-cd", g.test),
	}
	if first := g.first(r.against); first != "" {
		duels := g.duels(first, g.test.solvers)
		c.Ratios, c.Closing, c.ratios = g.ratiosTable(id+"-ratios", duels), g.test.against(duels), g.test.forestOf(duels)
		if note := ratioNote(duels); note != "" {
			c.Notes = append(c.Notes, note)
		}
	}
	var missing []string
	if r.plotted > 0 {
		if f := c.ratios; f != nil {
			c.Forest = f.Drawn(id + "-forest")
			r.plotted -= len(c.Forest.Elements)
		}
		c.Plots = g.plots(id, preferred)
		c.Notes = append(c.Notes, g.missingPlots(c.Plots)...)
		for _, p := range c.Plots {
			r.plotted -= len(p.Elements)
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
