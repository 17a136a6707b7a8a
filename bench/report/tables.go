package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
)

// winnersTable is who wins in each group.
func (s *study) winnersTable(sections []*section) *document.Table {
	t := &document.Table{ID: "winners", Caption: "Who wins where", Columns: []document.Column{
		{Name: "group", IsText: true}, {Name: "instances"}, {Name: "first", IsText: true}, {Name: "mean rank"},
		{Name: "best on"}, {Name: "second", IsText: true}, {Name: "mean rank"}, {Name: "first against second", IsText: true},
	}}
	for k, g := range s.groups {
		first, next := g.leaders()
		lead := g.solvers[0]
		row := []document.Cell{
			{Text: sections[k].Name}, document.Count(len(g.cases)), {Text: first, IsGood: true}, document.Number(lead.rank, strconv.FormatFloat(lead.rank, 'f', 2, 64)),
			document.Count(g.figuresOf(lead).wins),
		}
		if next == nil {
			row = append(row, document.Cell{Text: document.Missing}, document.Cell{Text: document.Missing}, document.Cell{Text: document.Missing})
		} else {
			row = append(row, document.Text(next.name), document.Number(next.rank, strconv.FormatFloat(next.rank, 'f', 2, 64)), g.against(lead, next))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// leaders are the names of the solvers with the best mean rank, and the one that comes after them; nil: none.
func (g *group) leaders() (string, *contender) {
	const most = 3
	names := []string{document.Printable(g.solvers[0].name)}
	k := 1
	for ; k < len(g.solvers) && g.solvers[k].rank == g.solvers[0].rank; k++ {
		names = append(names, document.Printable(g.solvers[k].name))
	}
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	if k == len(g.solvers) {
		return document.Listed(names), nil
	}
	return document.Listed(names), g.solvers[k]
}

// against is the verdict on two solvers.
func (g *group) against(a, b *contender) document.Cell {
	if g.test == nil {
		return document.Cell{Text: document.Missing}
	}
	o := g.test
	q := o.between(slices.Index(o.solvers, a.name), slices.Index(o.solvers, b.name))
	if q == nil {
		return document.Cell{Text: document.Missing}
	}
	c := document.Cell{Text: o.verdict(q), IsGood: o.differ(q.a, q.b)}
	if o.decision != byMeanRanks && o.canTell(q) {
		c.Text += ", p " + related(q.adjusted)
	}
	return c
}

// has says whether a solver is of the group.
func (g *group) has(name string) bool {
	return slices.ContainsFunc(g.solvers, func(c *contender) bool { return c.name == name })
}

// mostFaults is how many kinds of faults a table lists, and mostFaultLetters how much of each it shows.
const (
	mostFaults       = 50
	mostFaultLetters = 240
)

// faultsTable is what went wrong, the most frequent first; nil where nothing did.
func (s *study) faultsTable() *document.Table {
	type fault struct{ solver, text string }
	counts := map[fault]int{}
	example := map[fault]string{}
	for k := range s.rows {
		if row := &s.rows[k]; row.Fault != "" {
			f := fault{row.Solver, row.Fault}
			if counts[f]++; counts[f] == 1 {
				example[f] = row.Instance
			}
		}
	}
	if len(counts) == 0 {
		return nil
	}
	list := slices.SortedFunc(maps.Keys(counts), func(a, b fault) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), numtext.Natural(a.solver, b.solver), cmp.Compare(a.text, b.text))
	})
	t := &document.Table{ID: "faults", Caption: "Runs that failed", Columns: []document.Column{
		{Name: "solver", IsText: true}, {Name: "runs", First: "descending"}, {Name: "why", IsText: true}, {Name: "such as", IsText: true},
	}}
	if len(list) > mostFaults {
		t.Caption += fmt.Sprintf(": the %d most frequent of %s kinds", mostFaults, document.Whole(len(list)))
	}
	for _, f := range list[:min(len(list), mostFaults)] {
		t.Rows = append(t.Rows, []document.Cell{document.Text(f.solver), document.Count(counts[f]), document.Text(clip(f.text, mostFaultLetters)), document.Text(example[f])})
	}
	return t
}

// skippedTable is what was not run; nil where all was.
func skippedTable(runs []Run) *document.Table {
	t := &document.Table{ID: "skipped", Caption: "Not run", Columns: []document.Column{
		{Name: "solver", IsText: true}, {Name: "instances", First: "descending"}, {Name: "why", IsText: true},
	}}
	seen := map[bench.Skipped]bool{}
	for _, run := range runs {
		if run.File == nil {
			continue
		}
		for _, skip := range run.File.Skipped {
			if !seen[skip] {
				seen[skip] = true
				t.Rows = append(t.Rows, []document.Cell{document.Text(skip.Solver), document.Count(skip.Instances), document.Text(clip(skip.Reason, mostFaultLetters))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// rowsTable is every run.
func (s *study) rowsTable() *document.Table {
	t := &document.Table{ID: "rows", Caption: "Every run", Columns: []document.Column{
		{Name: "instance", IsText: true}, {Name: "group", IsText: true}, {Name: "solver", IsText: true}, {Name: "seed"}, {Name: "objective"},
		{Name: "gap to best known, %"}, {Name: "bound"}, {Name: "status", IsText: true}, {Name: "stopped by", IsText: true}, {Name: "time, s"},
		{Name: "evaluations"}, {Name: "left out"}, {Name: "fault", IsText: true},
	}}
	if len(s.rows) > mostRows {
		t.Caption += ": the first " + document.Whole(mostRows) + " of " + document.Whole(len(s.rows))
	}
	for _, g := range s.groups {
		for _, p := range g.cases {
			t.Rows = append(t.Rows, p.rows(g, mostRows-len(t.Rows))...)
		}
	}
	return t
}

// rows lists the lines of a problem up to a limit.
func (p *problem) rows(g *group, most int) [][]document.Cell {
	var list [][]document.Cell
	for _, c := range g.solvers {
		for _, row := range p.cells[c.name] {
			if len(list) >= most {
				return list
			}
			gap := p.gap(row)
			list = append(list, []document.Cell{
				document.Text(row.Instance), document.Text(row.Group), document.Text(row.Solver), {Text: strconv.FormatUint(row.Seed, 10)}, {Text: document.Rounded(objective(row), 6)},
				{Text: percent(gap)}, {Text: document.Rounded(row.Bound.Or(math.NaN()), 6)}, document.Text(row.StatusText()), document.Text(string(row.Stop)), clock(row.Elapsed),
				{Text: document.Whole(row.Evaluations)}, {Text: document.Whole(row.Left)}, document.Text(clip(row.Fault, mostFaultLetters)),
			})
		}
	}
	return list
}
