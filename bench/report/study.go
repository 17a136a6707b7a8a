package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// study is what the rows say, sorted into groups. Nothing in it depends on the order of the rows.
type study struct {
	rows    []bench.Row // in the order of the last table
	solvers []string    // names as shown, in the order of first mention by group and rank
	groups  []*group
}

// group is the instances that are compared together.
type group struct {
	name    string
	cases   []*problem
	solvers []*contender // the best mean rank first
	test    *outcome     // nil: nothing to test
	kind    kind
	other   *group // of the other kind on the same instances; nil: none
}

// problem is an instance with an objective.
type problem struct {
	instance string
	sha      string
	metric   string                   // what is minimised
	known    float64                  // the objective of the best schedule that is known; NaN: none
	left     int                      // jobs that it owes, see [model.Instance.Owed]
	found    *bench.Row               // the best run of all these rows, of either kind of solver; nil: none has a schedule
	bound    model.Bound              // the best that is proved
	cells    map[string][]*bench.Row  // by solver, in order of seeds
	results  map[string]tables.Result // of the solvers, as they are asked for
}

// contender is a solver within a group.
type contender struct {
	name string
	rank float64 // mean rank over the problems that count; NaN: not ranked
	rows []*bench.Row
}

// newStudy sorts rows into groups. The groups come in the order given, then by name. Known are more rows that the best is looked for in.
func newStudy(rows, known []bench.Row, order []string) *study {
	s := &study{rows: slices.Clone(rows)}
	name := labels(s.rows)
	for k := range s.rows {
		s.rows[k].Solver = name[k]
	}
	nameAlike(s.rows)
	split := splitByBudget(s.rows)
	byName := map[string]*group{}
	for k := range s.rows {
		row := &s.rows[k]
		title := row.Group
		if split {
			title = strings.TrimPrefix(title+" · "+budgetOf(row), " · ")
			row.Group = title
		}
		if byName[title] == nil {
			byName[title] = &group{name: title}
			s.groups = append(s.groups, byName[title])
		}
	}
	position := func(title string) int {
		base, _, _ := strings.Cut(title, " · ")
		for _, name := range []string{title, base} {
			if at := slices.Index(order, name); at >= 0 {
				return at
			}
		}
		return len(order)
	}
	slices.SortFunc(s.groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(position(a.name), position(b.name)), numtext.Natural(a.name, b.name))
	})
	at := map[string]int{}
	for k, g := range s.groups {
		at[g.name] = k
	}
	slices.SortStableFunc(s.rows, func(a, b bench.Row) int {
		return cmp.Or(cmp.Compare(at[a.Group], at[b.Group]), numtext.Natural(a.Instance, b.Instance), cmp.Compare(a.InstanceSHA256, b.InstanceSHA256), cmp.Compare(a.Minimised, b.Minimised),
			numtext.Natural(a.Solver, b.Solver), cmp.Compare(a.TimeLimit, b.TimeLimit), cmp.Compare(a.MaxEvals, b.MaxEvals), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Elapsed, b.Elapsed))
	})
	for k := range s.rows {
		byName[s.rows[k].Group].add(&s.rows[k])
	}
	best, found := tables.BestRows(slices.Concat(s.rows, known)), tables.BestRows(s.rows)
	for _, g := range s.groups {
		for _, p := range g.cases {
			at := [2]string{p.sha, p.metric}
			p.finish(best[at])
			p.found = found[at]
		}
	}
	s.splitByKind()
	for _, g := range s.groups {
		g.rank()
	}
	seen := map[string]bool{}
	for _, g := range s.groups {
		for _, c := range g.solvers {
			if !seen[c.name] {
				seen[c.name] = true
				s.solvers = append(s.solvers, c.name)
			}
		}
	}
	return s
}

// nameAlike gives the rows of a suite's instance one name, the first in natural order: once a suite has two instances of a name, their new rows
// have a longer one.
func nameAlike(rows []bench.Row) {
	names := map[string]string{} // by SHA-256
	for k := range rows {
		row := &rows[k]
		if before, ok := names[row.InstanceSHA256]; row.Key != "" && (!ok || numtext.Natural(row.Instance, before) < 0) {
			names[row.InstanceSHA256] = row.Instance
		}
	}
	for k := range rows {
		if row := &rows[k]; row.Key != "" {
			row.Instance = names[row.InstanceSHA256]
		}
	}
}

// labels returns the name under which to show each row's solver: its name, with its parameters if the name alone is
// ambiguous.
func labels(rows []bench.Row) []string {
	several := map[string]map[string]bool{}
	texts := make([]string, len(rows))
	for k := range rows {
		texts[k] = parameters(rows[k].Parameters)
		if several[rows[k].Solver] == nil {
			several[rows[k].Solver] = map[string]bool{}
		}
		several[rows[k].Solver][texts[k]] = true
	}
	for k := range rows {
		if name := rows[k].Solver; len(several[name]) > 1 && texts[k] != "" {
			texts[k] = name + " (" + texts[k] + ")"
		} else {
			texts[k] = name
		}
	}
	return texts
}

// parameters writes parameters in the order of their names.
func parameters(p map[string]string) string {
	list := kit.Each(slices.Sorted(maps.Keys(p)), func(name string) string { return name + "=" + p[name] })
	return strings.Join(list, ", ")
}

// splitByBudget says whether a solver had the same instance and seed under several budgets, which are then compared apart.
func splitByBudget(rows []bench.Row) bool {
	type cell struct {
		group, sha, instance, solver string
		seed                         uint64
	}
	first := map[cell]string{}
	for k := range rows {
		row := &rows[k]
		at := cell{row.Group, row.InstanceSHA256, row.Instance, row.Solver, row.Seed}
		budget := budgetOf(row)
		if before, ok := first[at]; ok && before != budget {
			return true
		}
		first[at] = budget
	}
	return false
}

// budgetOf writes the limits of a run.
func budgetOf(row *bench.Row) string {
	var limits []string
	if row.TimeLimit > 0 {
		limits = append(limits, seconds(row.TimeLimit))
	}
	if row.MaxEvals > 0 {
		limits = append(limits, fmt.Sprintf("%s evaluations", document.Whole(row.MaxEvals)))
	}
	if limits == nil {
		return "no limit"
	}
	return strings.Join(limits, ", ")
}

// add puts a row where it belongs. Rows come sorted, so those of a problem follow each other.
func (g *group) add(row *bench.Row) {
	n := len(g.cases)
	if n == 0 || g.cases[n-1].sha != row.InstanceSHA256 || g.cases[n-1].instance != row.Instance || g.cases[n-1].metric != row.Minimised {
		g.cases = append(g.cases, &problem{
			instance: row.Instance, sha: row.InstanceSHA256, metric: row.Minimised, known: math.NaN(), cells: map[string][]*bench.Row{}, results: map[string]tables.Result{},
		})
		n++
	}
	p := g.cases[n-1]
	p.cells[row.Solver] = append(p.cells[row.Solver], row)
	at := slices.IndexFunc(g.solvers, func(c *contender) bool { return c.name == row.Solver })
	if at < 0 {
		at = len(g.solvers)
		g.solvers = append(g.solvers, &contender{name: row.Solver, rank: math.NaN()})
	}
	g.solvers[at].rows = append(g.solvers[at].rows, row)
}

// finish finds out what is best and proved.
func (p *problem) finish(best *bench.Row) {
	if best != nil {
		p.known, p.left = *best.Objective, best.Owed()
	}
	owed := 0 // the bound is of schedules that owe no more
	for _, rows := range p.cells {
		for _, row := range rows {
			switch {
			case row.Fault != "" || row.AtLeast < owed:
			case row.AtLeast > owed:
				owed, p.bound = row.AtLeast, row.Bound
			default:
				p.bound = p.bound.Max(row.Bound)
			}
		}
	}
}

// rank compares the solvers and sorts them.
func (g *group) rank() {
	g.test = compare(g.names(), g.cases)
	for _, c := range g.solvers {
		if g.test != nil {
			if at := slices.Index(g.test.solvers, c.name); at >= 0 {
				c.rank = g.test.mean[at]
			}
		}
	}
	slices.SortFunc(g.solvers, func(a, b *contender) int {
		return cmp.Or(compareLast(a.rank, b.rank), compareLast(g.meanGap(a), g.meanGap(b)), numtext.Natural(a.name, b.name))
	})
}

// gap is a run's gap to the best known objective, see [gapTo]. It is NaN if the run has none or owes
// more or fewer jobs.
func (p *problem) gap(row *bench.Row) float64 {
	if row.Owed() != p.left {
		return math.NaN()
	}
	return gapTo(objective(row), p.known)
}

// objective is a row's objective; NaN: there is none.
func objective(row *bench.Row) float64 {
	if row.Objective == nil || row.Fault != "" {
		return math.NaN()
	}
	return *row.Objective
}

// gapTo is the only gap of this package: how far an objective is above a reference (the best known objective or a lower bound), in per cent of
// the objective, as in [model.Gap]. It is 0 if the objective is not above the reference, infinite for an objective of 0, and NaN if one of the
// two is missing.
func gapTo(objective, reference float64) float64 {
	if math.IsNaN(objective) || math.IsNaN(reference) {
		return math.NaN()
	}
	if gap, ok := model.Gap(objective, model.ProvedBound(reference)); ok {
		return gap
	}
	return math.Inf(1)
}

// compareLast compares numbers, with NaN after all others.
func compareLast(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(a, b)
}
