package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/gantt"
	"github.com/allot-opt/allot/model"
)

// Limits of what one page holds, so that a browser can show it.
const (
	mostRows      = 10_000
	mostChartSize = 400_000 // bytes
	defaultCharts = 4
)

// MostCharts is how many Gantt charts one page holds.
const MostCharts = 24

// page is all that the template shows.
type page struct {
	Title, Doc string
	Policy     string
	Style      template.CSS
	Script     template.JS
	Facts      []fact
	Verdict    sentence
	Winners    *table
	Gaps       *table
	Overall    *section
	Groups     []*section
	Charts     []chart
	Faults     *table
	Skipped    *table
	Rows       *table
	HasRanks   bool
}

// fact is a line of the page's head.
type fact struct{ Name, Value string }

// chart is the Gantt chart of a best-known solution.
type chart struct {
	Title string
	Note  string
	SVG   template.HTML
}

// newPage makes the page of runs.
func newPage(runs []Run, opt Options) (*page, error) {
	rows, err := gather(runs)
	if err != nil {
		return nil, err
	}
	known, stored := bestOf(runs)
	s := newStudy(rows, stored, groupOrder(runs))
	script := asset("page.js")
	p := &page{Script: template.JS(script), Style: template.CSS(asset("page.css")), Policy: policy(script)}
	p.Title, p.Doc = headline(runs, opt.Title)
	p.Facts = s.facts(runs)
	p.addGroups(s)
	p.Faults, p.Skipped, p.Rows = s.faultsTable(), skippedTable(runs), s.rowsTable()
	p.addCharts(s, known, opt.Charts)
	return p, nil
}

// identity is an instance, by its SHA-256, with an objective: instances that differ in the objective share it.
type identity [2]string

// bestOf are the best of the known solutions, by instance and objective, and as rows.
func bestOf(runs []Run) (map[identity]*Known, []bench.Row) {
	known := map[identity]*Known{}
	var rows []bench.Row
	for k := range runs {
		for i := range runs[k].Best {
			b := &runs[k].Best[i]
			if b.Solution == nil || b.Instance == nil || b.Solution.Objective == nil {
				continue
			}
			at := identity{b.Instance.SHA256(), bench.ObjectiveName(b.Instance)}
			if before := known[at]; before == nil || b.rank().Better(before.rank()) {
				known[at] = b
			}
			rows = append(rows, bench.Row{
				InstanceSHA256: at[0], Minimised: at[1], Objective: b.Solution.Objective, Left: len(b.Solution.Unscheduled),
			})
		}
	}
	return known, rows
}

// rank is what the solution is judged by.
func (b *Known) rank() model.Rank {
	return model.NewRank(len(b.Solution.Unscheduled), *b.Solution.Objective)
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
		title = listed(names)
	}
	return printable(title), printable(strings.Join(docs, " "))
}

// facts are the head of the page.
func (s *study) facts(runs []Run) []fact {
	instances, seeds, versions, budgets, workers := map[string]bool{}, map[uint64]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	elapsed := 0.0
	for k := range s.rows {
		row := &s.rows[k]
		instances[row.InstanceSHA256+row.Instance], seeds[row.Seed], budgets[budgetOf(row)] = true, true, true
		workers[counted(max(row.Workers, 1), "worker")] = true
		if row.Version != "" {
			versions[printable(row.Version)] = true
		}
		elapsed += row.Elapsed
	}
	done := counted(len(s.rows), "run")
	cells := 0
	for _, run := range runs {
		if run.File == nil {
			cells = 0
			break
		}
		cells += run.File.Cells
	}
	if cells > len(s.rows) {
		done += " of " + whole(cells) + ": not finished"
	}
	list := []fact{
		{"Runs", done + ", " + spell(elapsed) + " of solving"},
		{"Instances", whole(len(instances)) + " in " + counted(len(s.groups), "group")},
		{"Solvers", whole(len(s.solvers))},
		{"Seeds", whole(len(seeds))},
		{"Budget of a run", strings.Join(keys(budgets), "; ") + "; " + strings.Join(keys(workers), " or ")},
	}
	if len(versions) > 0 {
		list = append(list, fact{"allot", strings.Join(keys(versions), ", ")})
	}
	return list
}

// spell writes a long time.
func spell(s float64) string {
	switch {
	case s < 120:
		return seconds(s)
	case s < 7200:
		return figure(s/60, 3) + " min"
	}
	return figure(s/3600, 3) + " h"
}

// keys are the keys of a set in natural order.
func keys(set map[string]bool) []string {
	var list []string
	for key := range set {
		list = append(list, key)
	}
	slices.SortFunc(list, natural)
	return list
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
	list := []string{counted(len(g.cases), "instance"), counted(len(g.solvers), "solver"), counted(len(seeds), "seed"), counted(runs, "run")}
	if len(metrics) > 0 {
		list = append(list, "objective "+strings.Join(keys(metrics), ", "))
	}
	return printable(strings.Join(list, " · "))
}

// notes are what a reader must know before believing the tables.
func (g *group) notes() []string {
	var notes []string
	leaving := false
	for _, c := range g.solvers {
		leaving = leaving || slices.ContainsFunc(c.rows, func(row *bench.Row) bool { return row.Left > 0 })
	}
	if leaving {
		notes = append(notes, "Some schedules leave jobs out. Ranks and tests count fewer jobs left out as better before they look at the objective; means and gaps are of the objective alone.")
	}
	return append(notes, g.test.notes()...)
}

// notes of an outcome say what it is not about.
func (o *outcome) notes() []string {
	var notes []string
	if o == nil {
		return nil
	}
	if len(o.left) > 0 {
		names := o.left
		if len(names) > styles {
			names = append(slices.Clone(names[:styles]), fmt.Sprintf("%d more", len(names)-styles))
		}
		notes = append(notes, "Not compared, since they ran on few of the instances: "+printable(listed(names))+".")
	}
	if o.skipped > 0 {
		notes = append(notes, "Ranks and tests leave out "+counted(o.skipped, "instance")+" that one of the solvers did not run on.")
	}
	return notes
}

// addCharts draws the best-known solutions of the first instance of each group, then of the second, up to so many.
func (p *page) addCharts(s *study, known map[identity]*Known, most int) {
	if most == 0 {
		most = defaultCharts
	}
	most = min(most, MostCharts)
	type place struct{ round, group int }
	var places []place
	for k, g := range s.groups {
		for round := range g.cases {
			places = append(places, place{round, k})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.group, b.group)) })
	for _, at := range places {
		if len(p.Charts) >= most {
			return
		}
		c := s.groups[at.group].cases[at.round]
		if k := known[identity{c.sha, c.metric}]; k != nil {
			if drawn, ok := newChart(c.instance, k); ok {
				p.Charts = append(p.Charts, drawn)
			}
		}
	}
}

// newChart draws a solution; false where that cannot be drawn or takes too much room.
func newChart(name string, k *Known) (chart, bool) {
	var b bytes.Buffer
	name = printable(name)
	if err := gantt.Draw(&b, k.Solution, gantt.Options{Instance: k.Instance, Width: 1080, Title: name}); err != nil {
		return chart{}, false
	}
	c := chart{Title: name, Note: counted(len(k.Instance.Jobs()), "job")}
	if k.Solution.Objective != nil {
		c.Note += ", objective " + figure(*k.Solution.Objective, 6)
	}
	if k.Solution.Solver != "" {
		c.Note += ", found by " + printable(k.Solution.Solver)
	}
	if b.Len() > mostChartSize {
		c.Note += ": too large a picture for this page; draw it with allot gantt"
		return c, true
	}
	text := b.String()
	c.SVG = template.HTML(text[max(strings.Index(text, "<svg"), 0):])
	return c, true
}
