package statistics

import (
	"fmt"
	"math"
	"slices"
)

// Profile is a step curve: Y[i] is the share of problems whose figure is at most x, for x from X[i] to just before X[i+1]. X rises
// strictly, and the curve is 0 before X[0]. If there are failures, the last Y is below 1.
type Profile struct {
	X, Y []float64
}

// Empirical returns the empirical distribution of x as a profile, with a step at each value. Failed runs (NaN, +Inf) count as problems that are
// never reached; if all failed, there is no step. An empty x and −Inf are errors. O(n log n). The profiles below are each the distribution of
// one figure.
func Empirical(x []float64) (Profile, error) {
	sorted, err := orderable("x", x)
	if err != nil {
		return Profile{}, err
	}
	slices.Sort(sorted)
	var profile Profile
	for i, v := range sorted {
		if math.IsInf(v, 1) {
			break
		}
		if i+1 < len(sorted) && sorted[i+1] == v {
			continue
		}
		profile.X = append(profile.X, v)
		profile.Y = append(profile.Y, float64(i+1)/float64(len(sorted)))
	}
	return profile, nil
}

// PerformanceProfile returns for each solver ρₛ(x), the share of problems on which its cost is at most x times the least cost of all solvers.
// ρₛ(1) is the share of problems that the solver wins or ties; for large x it is the share that the solver solves. costs is problem × solver.
// A problem that no solver solves counts as unsolved for all. A negative cost is an error, because its ratio has no meaning. If the least cost
// is 0, only a cost of 0 is within any factor of it. The ranking of the second and later solvers depends on which other solvers are in the
// table (N. Gould, J. Scott (2016), doi:10.1145/2950048). O(n·k log n).
//
// E. D. Dolan, J. J. Moré (2002), Benchmarking optimization software with performance profiles, doi:10.1007/s101070100263,
// section 2.
func PerformanceProfile(costs [][]float64) ([]Profile, error) {
	table, err := nonNegativeTable("costs", costs)
	if err != nil {
		return nil, err
	}
	for _, row := range table {
		best := slices.Min(row)
		for j, cost := range row {
			switch {
			case math.IsInf(cost, 1): // failed
			case cost == best:
				row[j] = 1
			case best == 0:
				row[j] = math.Inf(1)
			default:
				row[j] = min(cost/best, math.MaxFloat64)
			}
		}
	}
	return columnProfiles(table)
}

// nonNegativeTable is orderableTable, but negative numbers are errors.
func nonNegativeTable(name string, values [][]float64) ([][]float64, error) {
	table, err := orderableTable(name, values)
	if err != nil {
		return nil, err
	}
	for i, row := range table {
		for j, v := range row {
			if v < 0 {
				return nil, fmt.Errorf("%s[%d][%d]: expected a number ≥ 0, found %v", name, i, j, v)
			}
		}
	}
	return table, nil
}

// columnProfiles are the distributions of the columns.
func columnProfiles(table [][]float64) ([]Profile, error) {
	profiles := make([]Profile, len(table[0]))
	column := make([]float64, len(table))
	for j := range profiles {
		for i, row := range table {
			column[i] = row[j]
		}
		var err error
		if profiles[j], err = Empirical(column); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// DataProfile returns for each solver dₛ(κ), the share of problems that it solves within κ units of budget. spent is problem × solver: the
// evaluations (or seconds) until the problem is solved, by the test of convergence of Moré and Wild; +Inf or NaN means never. Unlike a
// performance profile it does not depend on the other solvers in the table. A negative spent is an error. O(n·k log n).
//
// J. J. Moré, S. M. Wild (2009), Benchmarking derivative-free optimization algorithms, doi:10.1137/080724083, section 2.
func DataProfile(spent [][]float64) ([]Profile, error) {
	table, err := nonNegativeTable("spent", spent)
	if err != nil {
		return nil, err
	}
	return columnProfiles(table)
}
