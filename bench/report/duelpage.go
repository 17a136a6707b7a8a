package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
)

// mostForestRows is how many ratios a forest plot shows.
const mostForestRows = 40

// remarks are what a reader must know before he believes the page: limits that were hit, failures, and machines that were busy when their runs began or while they ran.
func (s *study) remarks(runs []Run) []string {
	list := tables.Remarks(s.rows)
	busiest, load, cores := 1.0, 0.0, 0
	for k := range runs {
		if runs[k].File == nil {
			continue
		}
		for _, e := range runs[k].File.Environments {
			if most := max(e.Load, e.PeakLoad); e.Cores > 0 && most/float64(e.Cores) > busiest {
				busiest, load, cores = most/float64(e.Cores), most, e.Cores
			}
		}
	}
	if busy := tables.Busy(load, cores); busy != "" {
		list = append(list, busy)
	}
	for k := range list {
		list[k] = document.Printable(list[k])
	}
	return list
}

// Remarks are the first lines of the page of runs, which must have a row: for what shows figures without the page.
func Remarks(runs []Run) ([]string, error) {
	s, _, err := newStudyOf(runs)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return s.remarks(runs), nil
}

// preferred are the solvers that others are compared with, the first of them that ran: the one that is asked for, then those of the suites in their order.
func preferred(runs []Run, against string) []string {
	var names []string
	if against != "" {
		names = append(names, against)
	}
	for k := range runs {
		if runs[k].File != nil {
			names = append(names, runs[k].File.Suite.Labels()...)
		}
	}
	return names
}

// first is the solver that the others of the group are compared with: the first preferred one, or else the first by name. A name is met by the one that has
// parameters or a run behind it too. It is empty where nothing is compared.
func (g *group) first(preferred []string) string {
	if g.test == nil {
		return ""
	}
	for _, name := range preferred {
		for _, solver := range g.test.solvers {
			if rest, ok := strings.CutPrefix(solver, name); ok && (rest == "" || strings.HasPrefix(rest, " @ ") || strings.HasPrefix(rest, " (")) {
				return solver
			}
		}
	}
	return g.test.solvers[0]
}

// hasSolver says whether one of the solvers of the study is met by the name, see [group.first].
func (s *study) hasSolver(name string) bool {
	return slices.ContainsFunc(s.solvers, func(solver string) bool {
		return solver == name || strings.HasPrefix(solver, name+" @ ") || strings.HasPrefix(solver, name+" (")
	})
}

// ratiosTable is how each of the others compares with the first solver, the best ratio first; nil: nothing is compared.
func (g *group) ratiosTable(id string, duels []duel) *document.Table {
	if len(duels) == 0 {
		return nil
	}
	o, first := g.test, duels[0].first
	than := "instances on which its objective is so beside the other; of a single instance pairs of runs"
	t := &document.Table{ID: id, Caption: "Each solver beside " + document.Printable(first) + ": ratio of the objectives, below 1 is better", Columns: []document.Column{
		{Name: "solvers", IsText: true}, {Name: "ratio [95 %]", Help: "geometric mean over the instances with its 95 % interval; Ratio under Method says how"},
		{Name: "RPD %", Help: "of the one named first; RPD under Method says what it is"},
		{Name: "instances", Help: "on which the two have a ratio", First: "descending", IsDetail: true}, {Name: "left out", IsText: true, IsDetail: true},
		{Name: "better", Help: than, First: "descending"}, {Name: "equal", Help: than}, {Name: "worse", Help: than}, {Name: "verdict", IsText: true, IsDetail: true},
	}}
	deviation := func(name string) document.Cell {
		rpd := g.meanRPD(g.solvers[slices.IndexFunc(g.solvers, func(c *contender) bool { return c.name == name })])
		return document.Number(min(rpd, math.MaxFloat64), percent(rpd))
	}
	own := append([]document.Cell{document.Text(first), document.Number(1, "1"), deviation(first)}, slices.Repeat(document.Texts(document.Missing), 6)...)
	for k := range duels {
		d := &duels[k]
		if own != nil && !(d.failed+d.unlike == 0 && d.ratio.Estimate < 1) {
			t.Add(own...)
			own = nil
		}
		q := o.between(slices.Index(o.solvers, d.solver), slices.Index(o.solvers, first))
		verdict := document.Cell{Text: document.Missing}
		switch {
		case d.sign < 0:
			verdict = document.Cell{Text: "better", IsGood: true}
		case d.sign > 0:
			verdict = document.Cell{Text: "worse", IsGood: true}
		case d.perhaps():
			verdict.Text = "perhaps"
		case q != nil:
			verdict.Text = o.verdict(q)
		}
		left := cmp.Or(strings.Join(d.remarks(), "; "), document.Missing)
		t.Add(document.Text(d.pair()), document.Number(d.ratio.Estimate, ratioText(&d.ratio)), deviation(d.solver), document.Count(d.ratio.N), document.Text(left), document.Count(d.better), document.Count(d.equal),
			document.Count(d.worse), verdict)
	}
	if own != nil {
		t.Add(own...)
	}
	return t
}

// forestOf is the forest plot of the ratios; it is nil on a single instance and where no ratio has an interval.
func (o *outcome) forestOf(duels []duel) *document.Forest {
	f := &document.Forest{Axis: "ratio of the objectives", Less: "shown to be better", More: "shown to be worse", Blocks: []document.ForestBlock{{}}}
	any := false
	for k := range duels[:min(len(duels), mostForestRows)] {
		d := &duels[k]
		row := document.ForestRow{Name: d.solver, Ratio: d.ratio.Estimate, Low: math.NaN(), High: math.NaN(), Shown: d.sign != 0 && float64(d.sign)*(d.ratio.Estimate-1) > 0}
		if d.ratio.HasInterval() {
			row.Low, row.High, any = d.ratio.Low, d.ratio.High, true
		}
		f.Blocks[0].Rows = append(f.Blocks[0].Rows, row)
	}
	if !any {
		return nil
	}
	f.Title = "Ratio of the objectives to that of " + duels[0].first
	f.Note = "Geometric means over the instances with 95 % intervals, of one comparison each. The colours are by the test that decides."
	if len(duels) > mostForestRows {
		f.Note += " The first " + document.Whole(mostForestRows) + " of " + document.Whole(len(duels)) + " are shown."
	}
	return f
}

// ratioNote says why ratios have no interval; empty: all that exist have one.
func ratioNote(duels []duel) string {
	if !slices.ContainsFunc(duels, func(d duel) bool { return d.ratio.N > 0 && !d.ratio.HasInterval() }) {
		return ""
	}
	return "A ratio needs " + numtext.CountedGrouped(statistics.LeastPairs(confidence), "instance") + " at least for an interval."
}
