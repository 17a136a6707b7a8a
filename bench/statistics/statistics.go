// Package statistics has the statistical methods to compare solvers: intervals, tests, effect sizes and profiles. They are
// pure functions on numbers and do not depend on instances, solvers or files.
//
// Two rules hold throughout.
//
//   - A function that uses only the order of costs (Quantile, SignedRank, RankSum,
//     Friedman and the profiles) takes NaN and +Inf for a failed run: worse than every other cost and equal to every other
//     failure. −Inf is an error. Costs are compared exactly; if their last digits are noise, round them first.
//   - A function that adds costs up (Sum, Mean, GeometricMean) accepts finite costs only. A mean over only those
//     runs that succeeded describes other problems; a caller who wants it must remove the failures himself.
//
// Input for which a formula is not defined, such as an empty sample, is an error that says what was expected and where.
// Nothing panics, and no argument is changed. Costs are always minimised. A confidence belongs to an interval (0.95); an alpha
// is the probability of an error of the first kind (0.05).
package statistics

import (
	"fmt"
	"math"
)

// Sum adds up x by compensated summation. In any order the error is at most one rounding of the sum plus n²·2⁻¹⁰⁴·Σ|xᵢ|. The sum of an
// empty x is 0; infinities and NaN give what + gives. O(n).
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
	return sum // a term is infinite or the sum overflows, so the compensation would be ∞ − ∞
}

// checkFinite returns an error for an empty sample and for values that are not finite.
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

// orderable copies the costs in x and writes +Inf for every failure. An empty x and −Inf are errors.
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

// orderableTable copies a table of costs, problem × solver, and writes +Inf for every failure.
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

// checkShare returns an error for a number that is not strictly between 0 and 1.
func checkShare(name string, value float64) error {
	if !(value > 0 && value < 1) {
		return fmt.Errorf("%s: expected a number between 0 and 1, both excluded, found %v", name, value)
	}
	return nil
}
