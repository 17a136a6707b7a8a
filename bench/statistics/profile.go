package statistics

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// Profile is a step curve: Y[i] is the share of problems whose figure is at most X[i], and stays so until X[i+1]. X rises
// strictly; the curve is 0 before X[0]. Failures keep its last Y below 1.
type Profile struct {
	X, Y []float64
}

// At is the curve's value at x. O(log n).
func (p Profile) At(x float64) float64 {
	after := sort.Search(len(p.X), func(i int) bool { return p.X[i] > x })
	if after == 0 {
		return 0
	}
	return p.Y[after-1]
}

// Empirical is the empirical distribution of x as a profile: a step at each value, failed runs (NaN, +Inf) counted but never
// reached. All failed: no step. An empty x and −Inf are errors. O(n log n). The profiles below are distributions of one figure
// each.
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

// PerformanceProfile is, for each solver, the share of problems on which its cost is at most x times the least of all solvers'
// costs: ρₛ(x), where ρₛ(1) is the share it wins or ties and the limit the share it solves. costs is problem × solver. A
// problem that no solver solves counts for all. Costs are ratios' terms, so a negative one is an error; beside a least cost of
// 0 only 0 is within any factor. The ranking of the second and later solvers depends on who else is in the table (N. Gould, J.
// Scott (2016), doi:10.1145/2950048). O(n·k log n).
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

// nonNegativeTable is orderableTable without negative numbers.
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

// DataProfile is, for each solver, the share of problems that it solves within x units of budget: dₛ(κ). spent is problem ×
// solver, the evaluations (or seconds) until Spent says solved, +Inf or NaN for never; unit is one budget unit for each problem
// (Moré and Wild: variables + 1, the evaluations of a simplex gradient), nil for 1. Unlike a performance profile it does not
// depend on who else is in the table. Negative spent and units that are not positive are errors. O(n·k log n).
//
// J. J. Moré, S. M. Wild (2009), Benchmarking derivative-free optimization algorithms, doi:10.1137/080724083, section 2.
func DataProfile(spent [][]float64, unit []float64) ([]Profile, error) {
	table, err := nonNegativeTable("spent", spent)
	if err != nil {
		return nil, err
	}
	if unit == nil {
		return columnProfiles(table)
	}
	if len(unit) != len(table) {
		return nil, fmt.Errorf("unit: expected %d values, one for each problem, found %d", len(table), len(unit))
	}
	for i, row := range table {
		if !(unit[i] > 0) || math.IsInf(unit[i], 1) {
			return nil, fmt.Errorf("unit[%d]: expected a finite number above 0, found %v", i, unit[i])
		}
		for j, v := range row {
			if !math.IsInf(v, 1) {
				row[j] = min(v/unit[i], math.MaxFloat64)
			}
		}
	}
	return columnProfiles(table)
}
