package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
)

// Test is how a race decides that a candidate is worse than the best.
type Test string

// The tests.
const (
	// ByRank compares ranks on each instance, so that instances of any size count alike: Friedman's test and Conover's comparisons with the best, and Wilcoxon's signed-rank
	// test between two.
	ByRank Test = "rank"
	// ByMean compares means by Student's test of the pairs with the best: what counts is the sum over the instances, such as the windows of one trace.
	ByMean Test = "mean"
)

// standing is a candidate's place in a race.
type standing struct {
	at    int     // of the candidate in the table
	score float64 // sum of its ranks, or mean; the lowest is best
}

// standings orders the candidates of a table of results (instance × candidate) from the best to the worst; equal ones keep their order.
func (t Test) standings(results [][]tables.Result) []standing {
	n := len(results[0])
	list := make([]standing, n)
	if t == ByRank {
		for k := range list {
			list[k].at = k
		}
		for _, row := range results {
			for k, rank := range ranksOf(row) {
				list[k].score += rank
			}
		}
	} else {
		for k := range list {
			own := column(results, k)
			list[k] = standing{k, 0}
			for _, r := range own {
				if !hasMean(r) {
					list[k].score = math.Inf(1)
					break
				}
				list[k].score += r.Objective / float64(len(own))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b standing) int { return cmp.Compare(a.score, b.score) })
	return list
}

// column is column k of the table.
func column(results [][]tables.Result, k int) []tables.Result {
	list := make([]tables.Result, len(results))
	for i := range results {
		list[i] = results[i][k]
	}
	return list
}

// ranksOf ranks the results on one instance from 1, the best; ties share the mean of their ranks.
func ranksOf(row []tables.Result) []float64 {
	ranks := make([]float64, len(row))
	for a := range row {
		ranks[a] = 1
		for b := range row {
			switch {
			case a == b:
			case row[b].Better(row[a]):
				ranks[a]++
			case !row[a].Better(row[b]):
				ranks[a] += 0.5
			}
		}
	}
	return ranks
}

// worse returns the candidates of a table that the test shows to be worse than the best, by their indices, in ascending order.
//
// W. J. Conover (1999), Practical Nonparametric Statistics, 3rd ed., section 5.8; M. Birattari et al. (2002), A racing algorithm for configuring metaheuristics, GECCO, 11–18.
//
// Complexity: O(i·c²) for i instances and c candidates.
func (t Test) worse(results [][]tables.Result, confidence float64) ([]int, error) {
	n, k := len(results), len(results[0])
	if n < 2 || k < 2 {
		return nil, nil
	}
	order := t.standings(results)
	var list []int
	switch {
	case t == ByMean && math.IsInf(order[0].score, 1): // all fail somewhere, so there are no means
	case t == ByMean:
		best := column(results, order[0].at)
		for _, s := range order[1:] {
			if worse, err := worseOnMean(best, column(results, s.at), confidence); err != nil {
				return nil, err
			} else if worse {
				list = append(list, s.at)
			}
		}
	case k == 2:
		first, second := order[0].at, order[1].at
		a, b := make([]float64, n), make([]float64, n)
		for i, row := range results {
			a[i], b[i] = likened(row[first], row[second])
		}
		test, err := statistics.SignedRank(a, b)
		if err != nil {
			return nil, err
		}
		if test.P < 1-confidence && test.Plus < test.Minus {
			list = append(list, second)
		}
	default:
		ranks := make([][]float64, n)
		for i, row := range results {
			ranks[i] = ranksOf(row)
		}
		test, err := statistics.Friedman(ranks)
		if err != nil {
			return nil, err
		}
		if test.PF >= 1-confidence {
			return nil, nil
		}
		apart, err := test.Conover(confidence)
		if err != nil {
			return nil, err
		}
		for _, s := range order[1:] {
			if (s.score-order[0].score)/float64(n) > apart {
				list = append(list, s.at)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// likened are two results as numbers to compare: the objectives, or 0 and 1 where jobs left out decide. A failure is NaN.
func likened(a, b tables.Result) (x, y float64) {
	switch {
	case math.IsNaN(a.Objective) || math.IsNaN(b.Objective):
		return a.Objective, b.Objective
	case a.Left == b.Left:
		if !a.Better(b) && !b.Better(a) {
			return a.Objective, a.Objective
		}
		return a.Objective, b.Objective
	case a.Better(b):
		return 0, math.Inf(1)
	}
	return math.Inf(1), 0
}

// worseOnMean reports whether the mean of b is shown to be above that of a, which has one.
func worseOnMean(a, b []tables.Result, confidence float64) (bool, error) {
	differences := make([]float64, len(a))
	for i := range a {
		if !hasMean(b[i]) {
			return true, nil
		}
		if a[i].Better(b[i]) || b[i].Better(a[i]) { // else they differ by rounding
			differences[i] = b[i].Objective - a[i].Objective
		}
	}
	mean, err := statistics.Mean(differences, confidence)
	return err == nil && mean.Low > 0, err
}

// hasMean reports whether the result can be part of a mean: a failure cannot, nor one that leaves jobs out, as its objective is of other jobs.
func hasMean(r tables.Result) bool { return !math.IsNaN(r.Objective) && !(r.Left > 0) }
