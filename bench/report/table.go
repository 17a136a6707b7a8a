package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/document"
)

// clock is a cell of seconds, to the millisecond: below that they are of the machine.
func clock(s float64) document.Cell {
	switch {
	case s < 0.0005:
		return document.Number(s, "<0.001")
	case s < 1:
		return document.Number(s, strconv.FormatFloat(s, 'f', 3, 64))
	}
	return document.Number(s, document.Rounded(s, 4))
}

// markBest marks the least value of a column, or the greatest, if it is of a row that counts (nil: all do) and they are not all alike.
func markBest(t *document.Table, column int, greatest bool, counts func(row int) bool) {
	best, worst := math.NaN(), math.NaN()
	value := func(row []document.Cell) float64 {
		x, err := strconv.ParseFloat(row[column].Key(), 64)
		if err != nil {
			return math.NaN()
		}
		if greatest {
			return -x
		}
		return x
	}
	for _, row := range t.Rows {
		if x := value(row); !math.IsNaN(x) {
			if !(best <= x) {
				best = x
			}
			if !(worst >= x) {
				worst = x
			}
		}
	}
	if best == worst {
		return
	}
	for k, row := range t.Rows {
		row[column].IsGood = value(row) == best && (counts == nil || counts(k))
	}
}

// solversTable is what each solver of a group did.
func (g *group) solversTable(id string) *document.Table {
	t := &document.Table{ID: id, Caption: "The solvers, by mean rank", Columns: []document.Column{
		{Name: "solver", IsText: true},
		{Name: "mean rank", Help: "mean over the instances of its rank among the solvers; 1 is the best possible"},
		{Name: "best on", Help: "instances on which no solver was better", First: "descending"},
		{Name: "objective", Help: "mean over the instances with its 95 % confidence interval"},
		{Name: "gap to best known, %", Help: "mean gap to the best known objective; Gap under Method says what a gap is"},
		{Name: "RPD, %", Help: "relative percentage deviation: mean excess over the best objective found by these runs, as a share of that"},
		{Name: "gap to bound, %", Help: "mean gap to the best proved lower bound"},
		{Name: "proved", Help: "runs whose schedule is proved optimal", First: "descending"},
		{Name: "time, s", Help: "mean wall clock of a run"},
		{Name: "evaluations/s", Help: "schedules evaluated per second", First: "descending"},
		{Name: "left out", Help: "jobs that the schedules leave out, over all runs"},
		{Name: "failed", Help: "runs that ended with an error or a schedule that the checker refused"},
		{Name: "runs", Help: "runs with a schedule, of all runs"},
	}}
	for _, c := range g.solvers {
		t.Rows = append(t.Rows, g.solverRow(c))
	}
	if c := g.reference(); c != nil {
		row := g.solverRow(c)
		row[0].Text += " (" + g.other.kind.single() + ")"
		row[1], row[2] = document.Cell{Text: document.Missing}, document.Cell{Text: document.Missing} // it is ranked among others
		t.Foot = append(t.Foot, row)
	}
	markBest(t, 1, false, nil)
	markBest(t, 2, true, nil)
	complete := g.complete()
	for _, column := range []int{3, 4, 5, 6} {
		markBest(t, column, false, func(row int) bool { return complete[g.solvers[row].name] })
	}
	return t
}

// solverRow is the line of a solver in the table of solvers.
func (g *group) solverRow(c *contender) []document.Cell {
	f := g.figuresOf(c)
	row := []document.Cell{
		document.Text(c.name), document.Number(f.rank, strconv.FormatFloat(f.rank, 'f', 2, 64)), document.Number(float64(f.wins), document.Whole(f.wins)),
		document.Number(f.mean.Estimate, interval(f.mean)), document.Number(f.gap, percent(f.gap)), document.Number(min(f.rpd, math.MaxFloat64), percent(f.rpd)), document.Number(f.bound, percent(f.bound)), document.Count(f.proved),
		clock(f.time), document.Number(f.speed, document.Rounded(f.speed, 3)), document.Count(f.left), document.Count(f.faults), document.Count(f.results),
	}
	if f.results < f.runs {
		row[12].Text += " of " + document.Whole(f.runs)
		row[12].IsBad = true
	}
	row[10].IsBad, row[11].IsBad = f.left > 0, f.faults > 0
	return row
}

// complete are the solvers whose means can be compared: they ran on all instances, every run has a schedule, and they leave out no more jobs
// than others do. The mean of one that failed on the hardest instance is of easier ones.
func (g *group) complete() map[string]bool {
	fewest, most := math.MaxInt, 0
	all := map[string]figures{}
	for _, c := range g.solvers {
		f := g.figuresOf(c)
		all[c.name] = f
		fewest, most = min(fewest, f.left), max(most, f.problems)
	}
	set := map[string]bool{}
	for name, f := range all {
		set[name] = f.results == f.runs && f.problems == most && f.left == fewest
	}
	return set
}

// mostPairs is how many pairs a table lists.
const mostPairs = 500

// pairsTable is the comparisons of all pairs; nil without any.
func (o *outcome) pairsTable(id string) *document.Table {
	if o == nil || len(o.pairs) == 0 {
		return nil
	}
	better, worse := "better on", "worse on"
	if o.seeds {
		better, worse = "pairs of runs better", "worse"
	}
	t := &document.Table{ID: id, Caption: "Every pair of solvers, the one of the better mean rank first", Columns: []document.Column{
		{Name: "solver", IsText: true}, {Name: "against", IsText: true},
		{Name: better, First: "descending"}, {Name: "equal"}, {Name: worse},
		{Name: "effect", Help: "rank-biserial correlation or Cliff's delta, from −1, always better, to 1, always worse"},
		{Name: "size", IsText: true}, {Name: "p", Help: "two-sided, of this pair alone"},
		{Name: "p (Holm)", Help: "adjusted for all pairs that could be significant; none where there are too few samples"}, {Name: "verdict", IsText: true},
	}}
	if len(o.pairs) > mostPairs {
		t.Caption += ": the first " + document.Whole(mostPairs) + " of " + document.Whole(len(o.pairs))
	}
	for _, q := range o.pairs[:min(len(o.pairs), mostPairs)] {
		p, adjusted := q.p, q.adjusted
		if q.better+q.worse == 0 { // p would be 1, as if something had been tested
			p = math.NaN()
		}
		if !o.canTell(&q) {
			adjusted = math.NaN()
		}
		t.Rows = append(t.Rows, []document.Cell{
			document.Text(o.solvers[q.a]), document.Text(o.solvers[q.b]), document.Count(q.better), document.Count(q.equal), document.Count(q.worse),
			document.Number(q.effect, strings.Replace(strconv.FormatFloat(q.effect, 'f', 2, 64), "-", "−", 1)), document.Text(sizeOf(q.effect)),
			document.Number(p, probability(p)), document.Number(adjusted, probability(adjusted)), {Text: o.verdict(&q), IsGood: o.differ(q.a, q.b)},
		})
	}
	return t
}
