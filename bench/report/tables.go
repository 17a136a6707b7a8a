package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/numtext"
)

// winnersTable is who wins in each group.
func (s *study) winnersTable(sections []*section) *table {
	t := &table{ID: "winners", Caption: "Who wins where", Columns: []Column{
		{Name: "group", IsText: true}, {Name: "instances"}, {Name: "first", IsText: true}, {Name: "mean rank"},
		{Name: "best on"}, {Name: "second", IsText: true}, {Name: "mean rank"}, {Name: "first against second", IsText: true},
	}}
	for k, g := range s.groups {
		first, next := g.leaders()
		lead := g.solvers[0]
		row := []cell{
			{Text: sections[k].Name}, count(len(g.cases)), {Text: first, IsBest: true}, number(lead.rank, strconv.FormatFloat(lead.rank, 'f', 2, 64)),
			count(g.figuresOf(lead).wins),
		}
		if next == nil {
			row = append(row, cell{Text: missing}, cell{Text: missing}, cell{Text: missing})
		} else {
			row = append(row, text(next.name), number(next.rank, strconv.FormatFloat(next.rank, 'f', 2, 64)), g.against(lead, next))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// leaders are the names of the solvers with the best mean rank, and the one that comes after them; nil: none.
func (g *group) leaders() (string, *contender) {
	const most = 3
	names := []string{printable(g.solvers[0].name)}
	k := 1
	for ; k < len(g.solvers) && g.solvers[k].rank == g.solvers[0].rank; k++ {
		names = append(names, printable(g.solvers[k].name))
	}
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	if k == len(g.solvers) {
		return listed(names), nil
	}
	return listed(names), g.solvers[k]
}

// against is the verdict on two solvers.
func (g *group) against(a, b *contender) cell {
	if g.test == nil {
		return cell{Text: missing}
	}
	o := g.test
	q := o.between(slices.Index(o.solvers, a.name), slices.Index(o.solvers, b.name))
	if q == nil {
		return cell{Text: missing}
	}
	c := cell{Text: o.verdict(q), IsBest: o.differ(q.a, q.b)}
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
func (s *study) faultsTable() *table {
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
	t := &table{ID: "faults", Caption: "Runs that failed", Columns: []Column{
		{Name: "solver", IsText: true}, {Name: "runs", First: "descending"}, {Name: "why", IsText: true}, {Name: "such as", IsText: true},
	}}
	if len(list) > mostFaults {
		t.Caption += fmt.Sprintf(": the %d most frequent of %s kinds", mostFaults, whole(len(list)))
	}
	for _, f := range list[:min(len(list), mostFaults)] {
		t.Rows = append(t.Rows, []cell{text(f.solver), count(counts[f]), text(clip(f.text, mostFaultLetters)), text(example[f])})
	}
	return t
}

// skippedTable is what was not run; nil where all was.
func skippedTable(runs []Run) *table {
	t := &table{ID: "skipped", Caption: "Not run", Columns: []Column{
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
				t.Rows = append(t.Rows, []cell{text(skip.Solver), count(skip.Instances), text(clip(skip.Reason, mostFaultLetters))})
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// rowsTable is every run.
func (s *study) rowsTable() *table {
	t := &table{ID: "rows", Caption: "Every run", Columns: []Column{
		{Name: "instance", IsText: true}, {Name: "group", IsText: true}, {Name: "solver", IsText: true}, {Name: "seed"}, {Name: "objective"},
		{Name: "gap to best known, %"}, {Name: "bound"}, {Name: "status", IsText: true}, {Name: "stopped by", IsText: true}, {Name: "time, s"},
		{Name: "evaluations"}, {Name: "left out"}, {Name: "fault", IsText: true},
	}}
	if len(s.rows) > mostRows {
		t.Caption += ": the first " + whole(mostRows) + " of " + whole(len(s.rows))
	}
	for _, g := range s.groups {
		for _, p := range g.cases {
			t.Rows = append(t.Rows, p.rows(g, mostRows-len(t.Rows))...)
		}
	}
	return t
}

// rows lists the lines of a problem up to a limit.
func (p *problem) rows(g *group, most int) [][]cell {
	var list [][]cell
	for _, c := range g.solvers {
		for _, row := range p.cells[c.name] {
			if len(list) >= most {
				return list
			}
			gap := p.gap(row)
			list = append(list, []cell{
				text(row.Instance), text(row.Group), text(row.Solver), {Text: strconv.FormatUint(row.Seed, 10)}, {Text: figure(objective(row), 6)},
				{Text: percent(gap)}, {Text: optional(numtext.Finite(row.Bound.Or(math.NaN())))}, text(row.StatusText()), text(string(row.Stop)), clock(row.Elapsed),
				{Text: whole(row.Evaluations)}, {Text: whole(row.Left)}, text(clip(row.Fault, mostFaultLetters)),
			})
		}
	}
	return list
}

// optional is a figure that may be missing.
func optional(x *float64) string {
	if x == nil {
		return missing
	}
	return figure(*x, 6)
}
