package report

import (
	"math"
	"strconv"
	"strings"
)

// table is a table that sorts.
type table struct {
	ID      string
	Caption string
	Columns []Column
	Rows    [][]cell
	Foot    [][]cell // stays below, however the rows are sorted
}

// cell is a place in a table.
type cell struct {
	Text   string
	Value  string // to sort by where the text does not do; empty: the text
	IsBest bool
	IsBad  bool
}

// text is a cell of text without letters that do not print.
func text(s string) cell { return cell{Text: printable(s)} }

// number is a cell that sorts by the value whatever the text rounds it to.
func number(x float64, text string) cell {
	if math.IsNaN(x) {
		return cell{Text: missing}
	}
	return cell{Text: text, Value: strconv.FormatFloat(x, 'g', 12, 64)}
}

// clock is a cell of seconds, to the millisecond: below that they are of the machine.
func clock(s float64) cell {
	switch {
	case s < 0.0005:
		return number(s, "<0.001")
	case s < 1:
		return number(s, strconv.FormatFloat(s, 'f', 3, 64))
	}
	return number(s, figure(s, 4))
}

// count is a cell of a whole number.
func count(n int) cell { return cell{Text: whole(n)} }

// printable replaces what does not print, such as marks that turn the direction of writing.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// markBest marks the least value of a column, or the greatest, if it is of a row that counts (nil: all do) and they are not all alike.
func (t *table) markBest(column int, greatest bool, counts func(row int) bool) {
	best, worst := math.NaN(), math.NaN()
	value := func(row []cell) float64 {
		if row[column].Text == missing || row[column].Value == "" {
			return math.NaN()
		}
		x, err := strconv.ParseFloat(row[column].Value, 64)
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
		row[column].IsBest = value(row) == best && (counts == nil || counts(k))
	}
}

// solversTable is what each solver of a group did.
func (g *group) solversTable(id string) *table {
	t := &table{ID: id, Caption: "The solvers, by mean rank", Columns: []Column{
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
		row[1], row[2] = cell{Text: missing}, cell{Text: missing} // it is ranked among others
		t.Foot = append(t.Foot, row)
	}
	t.markBest(1, false, nil)
	t.markBest(2, true, nil)
	complete := g.complete()
	for _, column := range []int{3, 4, 5, 6} {
		t.markBest(column, false, func(row int) bool { return complete[g.solvers[row].name] })
	}
	return t
}

// solverRow is the line of a solver in the table of solvers.
func (g *group) solverRow(c *contender) []cell {
	f := g.figuresOf(c)
	row := []cell{
		text(c.name), number(f.rank, strconv.FormatFloat(f.rank, 'f', 2, 64)), number(float64(f.wins), whole(f.wins)),
		number(f.mean.Estimate, interval(f.mean)), number(f.gap, percent(f.gap)), number(min(f.rpd, math.MaxFloat64), percent(f.rpd)), number(f.bound, percent(f.bound)), count(f.proved),
		clock(f.time), number(f.speed, figure(f.speed, 3)), count(f.left), count(f.faults), count(f.results),
	}
	if f.results < f.runs {
		row[12].Text += " of " + whole(f.runs)
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
func (o *outcome) pairsTable(id string) *table {
	if o == nil || len(o.pairs) == 0 {
		return nil
	}
	better, worse := "better on", "worse on"
	if o.seeds {
		better, worse = "pairs of runs better", "worse"
	}
	t := &table{ID: id, Caption: "Every pair of solvers, the one of the better mean rank first", Columns: []Column{
		{Name: "solver", IsText: true}, {Name: "against", IsText: true},
		{Name: better, First: "descending"}, {Name: "equal"}, {Name: worse},
		{Name: "effect", Help: "rank-biserial correlation or Cliff's delta, from −1, always better, to 1, always worse"},
		{Name: "size", IsText: true}, {Name: "p", Help: "two-sided, of this pair alone"},
		{Name: "p (Holm)", Help: "adjusted for all pairs that could be significant; none where there are too few samples"}, {Name: "verdict", IsText: true},
	}}
	if len(o.pairs) > mostPairs {
		t.Caption += ": the first " + whole(mostPairs) + " of " + whole(len(o.pairs))
	}
	for _, q := range o.pairs[:min(len(o.pairs), mostPairs)] {
		p, adjusted := q.p, q.adjusted
		if q.better+q.worse == 0 { // p would be 1, as if something had been tested
			p = math.NaN()
		}
		if !o.canTell(&q) {
			adjusted = math.NaN()
		}
		t.Rows = append(t.Rows, []cell{
			text(o.solvers[q.a]), text(o.solvers[q.b]), count(q.better), count(q.equal), count(q.worse),
			number(q.effect, strings.Replace(strconv.FormatFloat(q.effect, 'f', 2, 64), "-", "−", 1)), text(sizeOf(q.effect)),
			number(p, probability(p)), number(adjusted, probability(adjusted)), {Text: o.verdict(&q), IsBest: o.differ(q.a, q.b)},
		})
	}
	return t
}
