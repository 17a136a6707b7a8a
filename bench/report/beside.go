package report

import (
	"io"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// WriteBeside writes, for people, how the solver of the first row compares with each of the others over the instances of rows: the ratio of the objectives with
// its interval, the deviation from the best found, on how many instances which is better, and a sentence that says whether any of it is shown. The verdicts are those of
// the page that [Write] makes of the same rows. Lines are broken at width; 0: they are not. Nothing is written of fewer than two solvers.
//
// Complexity: O(n log n + s²·c) for n rows of s solvers on c instances.
func WriteBeside(w io.Writer, rows []bench.Row, width int) error {
	rows = kit.That(rows, func(row bench.Row) bool { return row.Kind != bench.Unsupported })
	var order []string
	for k := range rows {
		if !slices.Contains(order, rows[k].Solver) {
			order = append(order, rows[k].Solver)
		}
	}
	if len(order) < 2 {
		return nil
	}
	var b strings.Builder
	say := func(text string) { b.WriteString(tables.Wrapped(text, width)) }
	first := order[0]
	s := newStudy(rows, nil, nil)
	g := s.groups[slices.IndexFunc(s.groups, func(g *group) bool { return g.has(first) })]
	duels := g.duels(first, order)
	switch {
	case len(duels) == 0 && g.other != nil:
		say(document.Printable(first) + " is the only " + g.kind.single() + " here: it is compared with no other.")
	case len(duels) == 0:
		say("No other solver ran on the same instances as " + document.Printable(first) + ": it is compared with none.")
	case len(g.test.cases) == 1:
		say("Objectives on one instance: " + strings.Join(kit.Each(duels, func(d duel) string { return d.text() }), "; ") + ".")
	default:
		say("Over " + numtext.CountedGrouped(len(g.test.cases), "instance") + ", each beside " + document.Printable(first) + ": the ratio of the objectives (geometric mean) with its 95 % interval; below 1 is better.")
		b.WriteString(g.ratiosTable("", duels).Text())
		for k := range duels {
			if notes := duels[k].remarks(); notes != nil {
				say(duels[k].pair() + ": the ratio is over " + numtext.Counted(duels[k].ratio.N, "instance") + "; left out: " + strings.Join(notes, ", ") + ".")
			}
		}
		if slices.ContainsFunc(duels, func(d duel) bool { return !d.ratio.HasInterval() }) {
			say("An interval needs at least " + numtext.Counted(statistics.LeastPairs(confidence), "instance") + " with a ratio.")
		}
	}
	if g.test != nil {
		for _, note := range g.test.notes() {
			say(note)
		}
	}
	if g.other != nil && len(duels) > 0 {
		say("Compared are only " + g.kind.String() + ", as " + document.Printable(first) + " is one.")
	}
	if len(duels) > 0 {
		say(g.test.against(duels).text())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pair names the two solvers as their ratio does.
func (d *duel) pair() string { return document.Printable(d.solver + "/" + d.first) }

// text is the ratio with the names of the two.
func (d *duel) text() string { return d.pair() + " " + ratioText(&d.ratio) }

// text is the sentence without its emphasis.
func (s sentence) text() string {
	return strings.Join(strings.Fields(strings.Join(kit.Each(s, func(p piece) string { return p.Text }), "")), " ")
}
