package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

// mostRows is how many runs one page lists, so that a browser can show it.
const mostRows = 10_000

// page is all that the template shows.
type page struct {
	document.Document
	document.Frame
	Remarks  []string // before all else
	Verdicts []verdict
	Winners  *document.Table
	Overall  []*section // over all groups, one for all solvers or one for each kind; none where there is one group
	Groups   []*section
	Charts   []chart
	Faults   *document.Table
	Skipped  *document.Table
	Rows     *document.Table
}

// verdict is what the tests say of the solvers of a kind.
type verdict struct {
	Name     string // of the kind; empty: there is one
	Sentence sentence
}

// newPage makes the page of runs.
func newPage(runs []Run, opt Options) (*page, error) {
	s, known, err := newStudyOf(runs)
	if err != nil {
		return nil, err
	}
	if err := s.checkAgainst(opt.Against); err != nil {
		return nil, err
	}
	p := &page{Document: document.Document{Kicker: "Bench report", By: "allot bench report", Facts: s.facts(runs)}, Frame: document.NewFrame(), Remarks: s.remarks(runs)}
	p.Title, p.Doc = headline(runs, opt.Title)
	p.addGroups(s, room{mostPlotted, mostAllPairs, preferred(runs, opt.Against)})
	p.Faults, p.Skipped, p.Rows = s.faultsTable(), skippedTable(runs), s.rowsTable()
	for _, c := range s.charted(known, opt.Charts) {
		if drawn, ok := newChart(c.name, c.known); ok {
			p.Charts = append(p.Charts, drawn)
		}
	}
	return p, nil
}

// newStudyOf is the study of the rows of runs, and their best-known solutions.
func newStudyOf(runs []Run) (*study, map[identity]*Known, error) {
	rows, err := gather(runs)
	if err != nil {
		return nil, nil, err
	}
	known, stored := bestOf(runs)
	for k := range runs {
		if runs[k].File != nil {
			stored = append(stored, runs[k].File.Stated()...)
		}
	}
	return newStudy(rows, stored, groupOrder(runs)), known, nil
}

// groupOrder is the groups in the order of the suites.
func groupOrder(runs []Run) []string {
	var order []string
	for k := range runs {
		if runs[k].File == nil {
			continue
		}
		for _, in := range runs[k].File.Instances {
			if !slices.Contains(order, in.Group) {
				order = append(order, in.Group)
			}
		}
	}
	return order
}

// headline is the title and what the suites are for.
func headline(runs []Run, title string) (string, string) {
	var names, docs []string
	for _, run := range runs {
		name := run.Name
		if run.File != nil {
			name = run.File.Suite.Name
			if doc := run.File.Suite.Doc; doc != "" && !slices.Contains(docs, doc) {
				docs = append(docs, doc)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if title == "" {
		title = document.Listed(names)
	}
	return document.Printable(title), document.Printable(strings.Join(docs, " "))
}

// facts of a group are how much there is of it.
func (g *group) facts() string {
	metrics, seeds, runs := map[string]bool{}, map[uint64]bool{}, 0
	for _, c := range g.solvers {
		runs += len(c.rows)
		for _, row := range c.rows {
			seeds[row.Seed] = true
			if row.Minimised != "" {
				metrics[row.Minimised] = true
			}
		}
	}
	list := []string{numtext.CountedGrouped(len(g.cases), "instance"), numtext.CountedGrouped(len(g.solvers), "solver"), numtext.CountedGrouped(len(seeds), "seed"), numtext.CountedGrouped(runs, "run")}
	if len(metrics) > 0 {
		list = append(list, "objective "+strings.Join(keys(metrics), ", "))
	}
	return document.Printable(strings.Join(list, " · "))
}

// notes are what a reader must know before believing the tables.
func (g *group) notes() []string {
	var notes []string
	leaves := func(c *contender) bool {
		return slices.ContainsFunc(c.rows, func(row *bench.Row) bool { return row.Owed() > 0 })
	}
	if slices.ContainsFunc(g.solvers, leaves) {
		notes = append(notes, "Some schedules leave jobs out. Ranks and tests count fewer jobs left out as better before they look at the objective; means and gaps are of the objective alone.")
	}
	for _, note := range g.allocationNotes() {
		notes = append(notes, document.Printable(note)+".")
	}
	if g.test == nil {
		return notes
	}
	return append(notes, g.test.notes()...)
}

// allocationNotes name the solvers that allocate by another metric than the instances minimise.
func (g *group) allocationNotes() []string {
	var rows []bench.Row
	for _, c := range g.solvers {
		for _, row := range c.rows {
			rows = append(rows, *row)
		}
	}
	return tables.AllocationNotes(rows)
}

// notes state what an outcome leaves out.
func (o *outcome) notes() []string {
	var notes []string
	if len(o.left) > 0 {
		names := o.left
		if len(names) > picture.Styles {
			names = append(slices.Clone(names[:picture.Styles]), fmt.Sprintf("%d more", len(names)-picture.Styles))
		}
		notes = append(notes, "Not compared, since they ran on few of the instances: "+document.Printable(document.Listed(names))+".")
	}
	if o.skipped > 0 {
		notes = append(notes, "Ranks and tests leave out "+numtext.CountedGrouped(o.skipped, "instance")+" that one of the solvers did not run on.")
	}
	return notes
}
