package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// alpha is the significance level of the tests, confidence the confidence of the intervals.
const (
	alpha      = 0.05
	confidence = 0.95
)

// outcome is the tests of the solvers of one group, or of all groups together.
type outcome struct {
	solvers  []string          // that are compared, in natural order
	cases    []*problem        // on which all of them ran
	mean     []float64         // mean rank of each
	ranks    *statistics.Ranks // nil: fewer than two problems
	critical float64           // Nemenyi's difference; NaN: none
	decision decision          // which test says who differs
	alike    [][]int           // the largest sets of solvers that it does not tell apart, see [outcome.indistinct]
	pairs    []pair
	place    map[[2]int]int // of two solvers' pair in pairs, the lesser index first
	hopeless bool           // no pair could differ significantly, see [outcome.isHopeless]
	seeds    bool           // the samples of the pairs are runs on the one problem, not problems
	left     []string       // solvers that ran on too few of the problems to be compared
	skipped  int            // problems that one of them did not run on
}

// pair is the comparison of two solvers.
type pair struct {
	a, b                 int // indices of solvers, a of the better mean rank
	better, equal, worse int // numbers of samples on which a is better than, equal to and worse than b
	p, adjusted          float64
	effect               float64 // rank-biserial correlation, or Cliff's delta: below 0 in favour of a
	least                float64 // no p could be below this
}

// result is that of the solver on the problem.
func (p *problem) result(solver string) tables.Result {
	r, ok := p.results[solver]
	if !ok {
		r = tables.ResultOf(p.cells[solver])
		p.results[solver] = r
	}
	return r
}

// costs turns results on one problem into costs in the same order: the objective, and for each job that is left out beyond the fewest
// left out more than the objectives span. Failures are NaN.
func costs(results []tables.Result) []float64 {
	fewest, low, high := math.Inf(1), math.Inf(1), math.Inf(-1)
	for _, r := range results {
		if !math.IsNaN(r.Objective) {
			fewest, low, high = min(fewest, r.Left), min(low, r.Objective), max(high, r.Objective)
		}
	}
	step := (high - low) + max(math.Abs(low), math.Abs(high))
	if !(step > 0) {
		step = 1
	}
	list := make([]float64, len(results))
	for k, r := range results {
		if list[k] = r.Objective; r.Left > fewest && !math.IsNaN(r.Objective) {
			list[k] += (r.Left - fewest) * step
		}
	}
	return list
}

// compare tests solvers on problems. It returns nil if no two solvers ran on the same problems. A solver takes part if it ran on at least half as
// many problems as the solver that ran on the most. A problem counts if all these solvers ran on it.
func compare(names []string, cases []*problem) *outcome {
	names = slices.Clone(names)
	slices.SortFunc(names, numtext.Natural)
	o := &outcome{critical: math.NaN()}
	ran := func(name string) (n int) {
		for _, p := range cases {
			if len(p.cells[name]) > 0 {
				n++
			}
		}
		return n
	}
	most := 0
	for _, name := range names {
		most = max(most, ran(name))
	}
	for _, name := range names {
		if 2*ran(name) >= most {
			o.solvers = append(o.solvers, name)
		} else {
			o.left = append(o.left, name)
		}
	}
	o.cases = kit.That(cases, func(p *problem) bool {
		return !slices.ContainsFunc(o.solvers, func(name string) bool { return len(p.cells[name]) == 0 })
	})
	o.skipped = len(cases) - len(o.cases)
	if len(o.solvers) < 2 || len(o.cases) == 0 {
		return nil
	}
	matrix := costsOf(o.cases, o.solvers)
	o.rank(matrix)
	if o.seeds = len(o.cases) == 1; o.seeds {
		o.comparePairs(o.bySeed)
	} else {
		o.comparePairs(func(a, b int) ([]float64, []float64) { return column(matrix, a), column(matrix, b) })
	}
	o.decide()
	return o
}

// costsOf is the costs, problem × solver, each row over the least of the problem's, so that problems count alike whatever their units.
func costsOf(cases []*problem, solvers []string) [][]float64 {
	matrix := make([][]float64, len(cases))
	for k, p := range cases {
		results := make([]tables.Result, len(solvers))
		for s, name := range solvers {
			results[s] = p.result(name)
		}
		matrix[k] = relative(costs(results))
	}
	return matrix
}

// relative divides costs by the size of the least, or where that is 0 of the next, and rounds them to
// the model's tolerance, so that sums in another order tie; NaN stays.
func relative(costs []float64) []float64 {
	least, size := math.Inf(1), 0.0
	for _, c := range costs {
		if c < least {
			least = c
		}
	}
	if !math.IsInf(least, 0) {
		size = math.Abs(least)
	}
	if size == 0 { // beside a best of 0: by the next
		for _, c := range costs {
			if a := math.Abs(c); a > 0 && (size == 0 || a < size) {
				size = a
			}
		}
	}
	if size == 0 {
		return costs
	}
	for k := range costs {
		costs[k] = math.Round(costs[k]/size/model.Tolerance) * model.Tolerance
	}
	return costs
}

// rank sets the mean ranks and, with two problems or more, the tests of them.
func (o *outcome) rank(matrix [][]float64) {
	rows := matrix
	if len(rows) == 1 {
		rows = append(slices.Clone(rows), rows[0]) // the mean rank of one problem is its rank
	}
	ranks, err := statistics.Friedman(rows)
	if err != nil {
		o.mean = slices.Repeat([]float64{math.NaN()}, len(o.solvers))
		return
	}
	o.mean = ranks.Mean
	if len(matrix) < 2 {
		return
	}
	o.ranks = &ranks
	if critical, err := statistics.Nemenyi(len(o.solvers), len(matrix), alpha); err == nil {
		o.critical = critical
	}
}

// bySeed are the samples of two solvers on the only problem: their runs.
func (o *outcome) bySeed(a, b int) ([]float64, []float64) {
	p := o.cases[0]
	var results []tables.Result
	for _, name := range []string{o.solvers[a], o.solvers[b]} {
		for _, row := range p.cells[name] {
			results = append(results, tables.ResultOf([]*bench.Row{row}))
		}
	}
	all := costs(results)
	n := len(p.cells[o.solvers[a]])
	return all[:n], all[n:]
}

// comparePairs tests every pair and adjusts the p-values of all of them together.
func (o *outcome) comparePairs(samples func(a, b int) ([]float64, []float64)) {
	var values, least []float64
	for i := range o.solvers {
		for j := i + 1; j < len(o.solvers); j++ {
			a, b := i, j
			if o.mean[b] < o.mean[a] {
				a, b = b, a
			}
			x, y := samples(a, b)
			q, ok := newPair(x, y, o.seeds)
			if !ok {
				continue
			}
			q.a, q.b = a, b
			o.pairs = append(o.pairs, q)
			values, least = append(values, q.p), append(least, q.least)
		}
	}
	adjusted, err := adjust(values, least)
	for k := range o.pairs {
		o.pairs[k].adjusted = math.NaN()
		if err == nil {
			o.pairs[k].adjusted = adjusted[k]
		}
	}
	slices.SortStableFunc(o.pairs, func(x, y pair) int {
		return cmp.Or(compareLast(o.mean[x.a], o.mean[y.a]), cmp.Compare(x.a, y.a), compareLast(o.mean[x.b], o.mean[y.b]))
	})
}

// newPair tests two samples: matched ones by the signed ranks, runs with seeds of their own by the rank sum.
func newPair(x, y []float64, unmatched bool) (pair, bool) {
	if unmatched {
		test, err := statistics.RankSum(x, y)
		if err != nil {
			return pair{}, false
		}
		q := pair{p: test.P, effect: test.Delta, least: 2 / choose(len(x)+len(y), len(x))}
		for _, a := range x {
			for _, b := range y {
				q.count(a, b)
			}
		}
		return q, true
	}
	test, err := statistics.SignedRank(x, y)
	if err != nil {
		return pair{}, false
	}
	q := pair{p: test.P, effect: test.Effect, least: leastSigned(test.N - test.Zeros)}
	for k := range x {
		q.count(x[k], y[k])
	}
	return q, true
}

// adjust applies Holm's correction to the p-values that could be at most alpha at all, given the least possible value of each. The others
// do not count, after R. E. Tarone (1990), A modified Bonferroni method for discrete data, doi:10.2307/2531456. Pairs without a difference,
// such as two runs of a solver that draws no random numbers, show nothing and should not weaken the other tests. What can be is known
// without looking at who is better, so the probability of a false verdict stays below alpha.
func adjust(p, least []float64) ([]float64, error) {
	var able []float64
	for k := range p {
		if least[k] <= alpha {
			able = append(able, p[k])
		}
	}
	adjusted, err := statistics.Holm(able)
	if err != nil {
		return nil, err
	}
	list, next := slices.Repeat([]float64{1}, len(p)), 0
	for k := range p {
		if least[k] <= alpha {
			list[k] = adjusted[next]
			next++
		}
	}
	return list, nil
}

// leastSigned is the least p of the signed ranks of the given number n of differences: of all 2ⁿ signs two are extreme.
func leastSigned(differences int) float64 { return math.Pow(2, 1-float64(differences)) }

// choose is the number of ways to choose k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := 1; i <= k; i++ {
		ways *= float64(n-k+i) / float64(i)
	}
	return ways
}

// count counts one comparison of costs.
func (q *pair) count(a, b float64) {
	switch c := compareLast(a, b); {
	case c < 0:
		q.better++
	case c > 0:
		q.worse++
	default:
		q.equal++
	}
}

// column is a column of a matrix.
func column(matrix [][]float64, k int) []float64 {
	list := make([]float64, len(matrix))
	for i := range matrix {
		list[i] = matrix[i][k]
	}
	return list
}

// order is the solvers by mean rank.
func (o *outcome) order() []int {
	order := make([]int, len(o.solvers))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareLast(o.mean[a], o.mean[b]) })
	return order
}
