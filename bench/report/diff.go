package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// Verdict is what a comparison comes to, as seen from the second run.
type Verdict string

// The verdicts. No difference shown does not mean that there is none.
const (
	Better Verdict = "better"
	Worse  Verdict = "worse"
	Open   Verdict = "no difference shown"
)

// Diff is what changed from run A to run B, over the cells that both have.
type Diff struct {
	Versions [2][]string `json:"versions"`          // of allot, of A and of B
	Overall  []DiffLine  `json:"overall,omitempty"` // of the solvers over all groups; absent: there is one group
	Lines    []DiffLine  `json:"lines"`             // of the solvers in each group
	Changes  []Change    `json:"changes,omitempty"`
	OnlyA    []DiffCell  `json:"only_a,omitempty"`
	OnlyB    []DiffCell  `json:"only_b,omitempty"`
}

// DiffLine is what changed for a solver in a group.
type DiffLine struct {
	Group     string     `json:"group,omitempty"`
	Solver    string     `json:"solver"`
	Pairs     int        `json:"pairs"` // cells
	Left      [2]int     `json:"left"`  // jobs left out in A and in B
	Objective Comparison `json:"objective"`
	Time      Comparison `json:"time"`
}

// Comparison is one figure in two runs.
type Comparison struct {
	Ratio *float64 `json:"ratio,omitempty"` // geometric mean of B/A; absent: there are no such pairs
	Low   *float64 `json:"low,omitempty"`   // of its 95 % interval; absent: unbounded
	High  *float64 `json:"high,omitempty"`
	// Better, Equal and Worse count the pairs in which B is better than, equal to and worse than A.
	Better   int     `json:"better"`
	Equal    int     `json:"equal"`
	Worse    int     `json:"worse"`
	P        float64 `json:"p"`      // Wilcoxon's signed ranks, two-sided
	Adjusted float64 `json:"p_holm"` // by Holm over the lines of its list that could be significant
	Effect   float64 `json:"effect"` // rank-biserial correlation, above 0 where B is worse
	Verdict  Verdict `json:"verdict"`
	// Differing are the pairs of the test that differ: of Better and Worse those that do not repeat what another seed did.
	Differing int `json:"differing"`
}

// DiffCell names a cell.
type DiffCell struct {
	Key      string `json:"key,omitempty"`
	Group    string `json:"group,omitempty"`
	Instance string `json:"instance"`
	Solver   string `json:"solver"`
	Seed     uint64 `json:"seed"`
}

// Change is a cell whose run ended in another way.
type Change struct {
	DiffCell
	What string `json:"what"` // one of Changes
	Why  string `json:"why,omitempty"`
}

// The kinds of changes.
const (
	newlyFaulty  = "newly faulty"
	noMoreFaulty = "no longer faulty"
	newlyNone    = "newly without a schedule"
	newlySolved  = "newly with a schedule"
	newlyOptimal = "newly proved optimal"
	noMoreProved = "no longer proved optimal"
)

// changes lists the kinds of changes.
func changes() []string {
	return []string{newlyFaulty, newlyNone, noMoreProved, noMoreFaulty, newlySolved, newlyOptimal}
}

// Limits of what counts as a difference of times. Below the least time, in seconds, clocks and caches dominate. Any two runs on a shared
// machine can differ by a factor nearer to 1 than the noise.
const (
	leastTime = 1e-3
	timeNoise = 1.05
)

// Compare compares run A with run B, cell by cell: the same instance, solver, parameters, seed and budget. It is an error if they share
// no cell or one has two rows of a cell.
//
// Objectives are tested by Wilcoxon's signed ranks on the costs of each pair relative to the smaller one. A failed run ranks after all others, and a
// schedule that owes more jobs ([model.Instance.Owed]) ranks after one that owes fewer. Holm's correction covers the lines of a list that could be significant
// (see [adjust]). If runs that differ only in their seed agree in everything but their times, the solver draws no random numbers, and the runs are
// one observation. Times are tested in the same way on their logarithms, and count as different only if the interval of their ratio lies beyond 5 %.
// Complexity: O(n log n).
func Compare(a, b []bench.Row) (*Diff, error) {
	inA, err := byCell(a, "A")
	if err != nil {
		return nil, err
	}
	inB, err := byCell(b, "B")
	if err != nil {
		return nil, err
	}
	d := &Diff{Versions: [2][]string{versions(a), versions(b)}}
	lines, overall := map[[2]string]*samples{}, map[[2]string]*samples{}
	for _, cell := range sortedCells(inA) {
		x, y := inA[cell], inB[cell]
		if y == nil {
			d.OnlyA = append(d.OnlyA, diffCell(x))
			continue
		}
		for _, at := range []struct {
			list  map[[2]string]*samples
			group string
		}{{lines, x.Group}, {overall, ""}} {
			name := [2]string{at.group, x.Solver}
			if at.list[name] == nil {
				at.list[name] = &samples{line: DiffLine{Group: at.group, Solver: x.Solver}, at: map[string]int{}}
			}
			at.list[name].add(x, y)
		}
		d.Changes = append(d.Changes, changesOf(x, y)...)
	}
	for _, cell := range sortedCells(inB) {
		if inA[cell] == nil {
			d.OnlyB = append(d.OnlyB, diffCell(inB[cell]))
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("expected two runs that share cells (instance, solver, parameters, seed and budget), found none")
	}
	if d.Lines, err = tested(lines); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(d.Lines, func(l DiffLine) bool { return l.Group != d.Lines[0].Group }) {
		if d.Overall, err = tested(overall); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// tested are the lines of samples in the order of groups and solvers, with their verdicts.
func tested(samples map[[2]string]*samples) ([]DiffLine, error) {
	var lines []DiffLine
	for _, name := range slices.SortedFunc(maps.Keys(samples), func(p, q [2]string) int {
		return cmp.Or(numtext.Natural(p[0], q[0]), numtext.Natural(p[1], q[1]))
	}) {
		lines = append(lines, samples[name].test())
	}
	for _, of := range []func(*DiffLine) *Comparison{
		func(l *DiffLine) *Comparison { return &l.Objective }, func(l *DiffLine) *Comparison { return &l.Time },
	} {
		values, least := make([]float64, len(lines)), make([]float64, len(lines))
		for k := range lines {
			c := of(&lines[k])
			values[k], least[k] = c.P, leastSigned(c.Differing)
		}
		adjusted, err := adjust(values, least)
		if err != nil {
			return nil, err
		}
		for k := range lines {
			of(&lines[k]).Adjusted = adjusted[k]
		}
	}
	for k := range lines {
		o, t := &lines[k].Objective, &lines[k].Time
		o.Verdict, t.Verdict = o.verdict(), t.verdict()
		if !t.isBeyond(timeNoise) {
			t.Verdict = Open
		}
	}
	return lines, nil
}

// verdict is what the test says.
func (c *Comparison) verdict() Verdict {
	switch {
	case !(c.Adjusted <= alpha), c.Effect == 0:
		return Open
	case c.Effect > 0:
		return Worse
	}
	return Better
}

// byCell are the rows by their cells.
func byCell(rows []bench.Row, run string) (map[string]*bench.Row, error) {
	cells := map[string]*bench.Row{}
	for k := range rows {
		row := &rows[k]
		cell := runKey(row)
		if cells[cell] != nil {
			return nil, fmt.Errorf("run %s: expected one row a cell, found two of %s on %s, seed %d", run, row.Solver, row.Instance, row.Seed)
		}
		cells[cell] = row
	}
	return cells, nil
}

// sortedCells are the cells in the order of groups, instances, solvers and seeds.
func sortedCells(cells map[string]*bench.Row) []string {
	return slices.SortedFunc(maps.Keys(cells), func(p, q string) int {
		a, b := cells[p], cells[q]
		return cmp.Or(numtext.Natural(a.Group, b.Group), numtext.Natural(a.Instance, b.Instance), numtext.Natural(a.Solver, b.Solver), cmp.Compare(a.Seed, b.Seed), cmp.Compare(p, q))
	})
}

// diffCell names the cell of a row.
func diffCell(row *bench.Row) DiffCell {
	return DiffCell{row.Key, row.Group, row.Instance, row.Solver, row.Seed}
}

// versions are those of the rows, in order.
func versions(rows []bench.Row) []string {
	set := map[string]bool{}
	for k := range rows {
		if rows[k].Version != "" {
			set[rows[k].Version] = true
		}
	}
	return keys(set)
}

// changesOf are the ways in which two runs of a cell ended differently.
func changesOf(a, b *bench.Row) []Change {
	var list []Change
	add := func(before, after bool, begun, ended, why string) {
		switch {
		case after && !before:
			list = append(list, Change{diffCell(b), begun, why})
		case before && !after:
			list = append(list, Change{DiffCell: diffCell(b), What: ended})
		}
	}
	add(a.Fault != "", b.Fault != "", newlyFaulty, noMoreFaulty, b.Fault)
	if a.Fault == "" && b.Fault == "" {
		add(a.Objective == nil, b.Objective == nil, newlyNone, newlySolved, "")
	}
	if a.Objective != nil && b.Objective != nil {
		add(a.Status == model.Optimal, b.Status == model.Optimal, newlyOptimal, noMoreProved, "")
	}
	return list
}

// samples are the pairs of a line.
type samples struct {
	line         DiffLine
	cases        [][]rowPair    // by what they share but the seed
	at           map[string]int // of a case
	timeA, timeB []float64      // logarithms of seconds
	timeRatios   []float64
}

// rowPair is the runs of a cell in A and in B.
type rowPair struct{ a, b *bench.Row }

// add adds the rows of a cell.
func (s *samples) add(a, b *bench.Row) {
	s.line.Pairs++
	s.line.Objective.count(rowPair{a, b}.costs())
	whole := *a
	whole.Key, whole.Seed = "", 0
	name := runKey(&whole)
	at, ok := s.at[name]
	if !ok {
		at = len(s.cases)
		s.at[name], s.cases = at, append(s.cases, nil)
	}
	s.cases[at] = append(s.cases[at], rowPair{a, b})
	if !math.IsNaN(objective(a)) && !math.IsNaN(objective(b)) {
		s.line.Left[0], s.line.Left[1] = s.line.Left[0]+a.Left, s.line.Left[1]+b.Left
		// How long it takes to fail says nothing.
		before, after := max(a.Elapsed, leastTime), max(b.Elapsed, leastTime)
		s.timeA, s.timeB = append(s.timeA, math.Log(before)), append(s.timeB, math.Log(after))
		s.timeRatios = append(s.timeRatios, after/before)
		s.line.Time.count(before, after)
	}
}

// count counts a pair of costs.
func (c *Comparison) count(a, b float64) {
	switch order := compareLast(b, a); {
	case order < 0:
		c.Better++
	case order > 0:
		c.Worse++
	default:
		c.Equal++
	}
}

// costs are what the pair is compared by.
func (p rowPair) costs() (a, b float64) {
	pair := relative(costs([]tables.Result{tables.ResultOf([]*bench.Row{p.a}), tables.ResultOf([]*bench.Row{p.b})}))
	return pair[0], pair[1]
}

// ratio returns the ratio of the objectives, B/A, or false if it has no meaning.
func (p rowPair) ratio() (float64, bool) {
	const farthest = 1e300 // beyond this the ratio or its inverse is no number
	a, b := objective(p.a), objective(p.b)
	ratio := b / a
	return ratio, p.a.Owed() == p.b.Owed() && a > 0 && ratio > 1/farthest && ratio < farthest
}

// isRepeated says whether two pairs are the same runs over again: with another seed nothing at all is different.
func (p rowPair) isRepeated(q rowPair) bool {
	alike := func(x, y *bench.Row) bool {
		u, v := objective(x), objective(y)
		return (u == v || math.IsNaN(u) && math.IsNaN(v)) && x.Left == y.Left && x.Evaluations == y.Evaluations && x.Fault == y.Fault
	}
	return alike(p.a, q.a) && alike(p.b, q.b)
}

// observed are the pairs that are observations. A solver that draws nothing does the same with every seed, so where all runs of a case are
// alike they are one.
func (s *samples) observed() []rowPair {
	var list []rowPair
	for _, pairs := range s.cases {
		if !slices.ContainsFunc(pairs, func(p rowPair) bool { return !p.isRepeated(pairs[0]) }) {
			pairs = pairs[:1]
		}
		list = append(list, pairs...)
	}
	return list
}

// test fills the line in, but for what depends on the others.
func (s *samples) test() DiffLine {
	var costA, costB, ratios []float64
	for _, p := range s.observed() {
		a, b := p.costs()
		costA, costB = append(costA, a), append(costB, b)
		if compareLast(a, b) != 0 {
			s.line.Objective.Differing++
		}
		if ratio, ok := p.ratio(); ok {
			ratios = append(ratios, ratio)
		}
	}
	s.line.Objective.test(costB, costA, ratios)
	s.line.Time.Differing = s.line.Time.Better + s.line.Time.Worse
	s.line.Time.test(s.timeB, s.timeA, s.timeRatios)
	return s.line
}

// test sets the p-value, the effect and the ratio.
func (c *Comparison) test(b, a, ratios []float64) {
	c.P = 1
	if w, err := statistics.SignedRank(b, a); err == nil {
		c.P, c.Effect = w.P, w.Effect
	}
	if mean, err := statistics.GeometricMean(ratios, confidence); err == nil {
		c.Ratio, c.Low, c.High = numtext.Finite(mean.Estimate), numtext.Finite(mean.Low), numtext.Finite(mean.High)
		if len(ratios) < 2 {
			c.Low, c.High = nil, nil
		}
	}
}

// isBeyond says whether the interval of the ratio lies beyond a factor, either way.
func (c *Comparison) isBeyond(factor float64) bool {
	return c.Low != nil && *c.Low > factor || c.High != nil && *c.High < 1/factor
}

// Regressed says whether B is significantly worse somewhere, or has runs that are newly faulty.
func (d *Diff) Regressed() bool {
	isWorse := func(l DiffLine) bool { return l.Objective.Verdict == Worse || l.Time.Verdict == Worse }
	return slices.ContainsFunc(d.Overall, isWorse) || slices.ContainsFunc(d.Lines, isWorse) ||
		slices.ContainsFunc(d.Changes, func(c Change) bool { return c.What == newlyFaulty })
}
