// Package statistics has the statistics of a comparison of solvers: pure functions on numbers that know nothing of instances,
// solvers or files.
//
// Two rules hold throughout.
//
//   - A function that uses the order of costs alone (Median, Quantile, SignedRank, RankSum, CliffDelta, VarghaDelaney,
//     Friedman and the profiles) takes NaN and +Inf for a failed run: after every other cost, equal to every other failure.
//     −Inf is an error. Costs are compared as they are: whose last digits are noise is to be rounded first.
//   - A function that adds costs up (Sum, Mean, GeometricMean, HodgesLehmann) wants finite ones: a mean over the runs that
//     happened to succeed is a figure of other problems, and whoever means it leaves the failures out by name.
//
// Input that a formula says nothing of, empty samples among it, is an error that says what was expected and where. Nothing
// panics, and no argument is changed. Costs are minimised everywhere. A confidence is that of an interval (0.95), an alpha the
// probability of an error of the first kind (0.05).
package statistics

import (
	"fmt"
	"math"
)

// Sum is the sum of x by compensated summation: in any order it is off by one rounding of the sum and n² of the square of a
// rounding (2⁻¹⁰⁴) of Σ|xᵢ|. The sum of nothing is 0; infinities and NaN give what + gives. O(n).
//
// A. Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, doi:10.1002/zamm.19740540106.
func Sum(x []float64) float64 {
	sum, lost := 0.0, 0.0
	for _, v := range x {
		next := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			lost += (sum - next) + v
		} else {
			lost += (v - next) + sum
		}
		sum = next
	}
	if total := sum + lost; !math.IsNaN(total) {
		return total
	}
	return sum // an infinite term or overflow: the compensation is ∞ − ∞
}

// checkFinite refuses an empty sample and values that cannot be added up.
func checkFinite(name string, x []float64) error {
	if len(x) == 0 {
		return fmt.Errorf("%s: expected at least one value, found none", name)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s[%d]: expected a finite number, found %v", name, i, v)
		}
	}
	return nil
}

// orderable is a copy of the costs in x with +Inf for every failure; an empty x and −Inf are errors.
func orderable(name string, x []float64) ([]float64, error) {
	if len(x) == 0 {
		return nil, fmt.Errorf("%s: expected at least one value, found none", name)
	}
	costs := make([]float64, len(x))
	for i, v := range x {
		switch {
		case math.IsInf(v, -1):
			return nil, fmt.Errorf("%s[%d]: expected a number, or +Inf or NaN for a failure, found -Inf", name, i)
		case math.IsNaN(v):
			v = math.Inf(1)
		}
		costs[i] = v
	}
	return costs, nil
}

// orderableTable is a copy of a table of costs, problem × solver, with +Inf for every failure.
func orderableTable(name string, costs [][]float64) ([][]float64, error) {
	if len(costs) == 0 {
		return nil, fmt.Errorf("%s: expected at least one problem, found none", name)
	}
	table := make([][]float64, len(costs))
	for i, row := range costs {
		if len(row) != len(costs[0]) {
			return nil, fmt.Errorf("%s[%d]: expected %d values as in %s[0], found %d", name, i, len(costs[0]), name, len(row))
		}
		var err error
		if table[i], err = orderable(fmt.Sprintf("%s[%d]", name, i), row); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// checkShare refuses what is not strictly between 0 and 1.
func checkShare(name string, value float64) error {
	if !(value > 0 && value < 1) {
		return fmt.Errorf("%s: expected a number between 0 and 1, both excluded, found %v", name, value)
	}
	return nil
}
