package statistics

// Profile is a step curve: Y[i] is the share of problems whose figure is at most X[i], and stays so until X[i+1]. X rises strictly; the curve is
// 0 before X[0]. Failures keep its last Y below 1.
type Profile struct {
	X, Y []float64
}

// At is the curve's value at x. O(log n).
func (p Profile) At(x float64) float64 {
	return 0
}

// Empirical is the empirical distribution of x as a profile: a step at each value, failed runs (NaN, +Inf) counted but never reached. All
// failed: no step. An empty x and −Inf are errors. O(n log n). The profiles below are distributions of one figure each.
func Empirical(x []float64) (Profile, error) {
	return Profile{}, errUnwritten
}

// PerformanceProfile is, for each solver, the share of problems on which its cost is at most x times the least of all solvers' costs: ρₛ(x), where ρₛ(1)
// is the share it wins or ties and the limit the share it solves. costs is problem × solver. A problem that no solver solves counts for
// all. Costs are ratios' terms, so a negative one is an error; beside a least cost of 0 only 0 is within any factor. The ranking of the second and
// later solvers depends on who else is in the table (N. Gould, J. Scott (2016), doi:10.1145/2950048). O(n·k log n).
//
// E. D. Dolan, J. J. Moré (2002), Benchmarking optimization software with performance profiles, doi:10.1007/s101070100263, section 2.
func PerformanceProfile(costs [][]float64) ([]Profile, error) {
	return nil, errUnwritten
}

// DataProfile is, for each solver, the share of problems that it solves within x units of budget: dₛ(κ). spent is problem × solver, the evaluations
// (or seconds) until Spent says solved, +Inf or NaN for never; unit is one budget unit for each problem (Moré and Wild: variables + 1,
// the evaluations of a simplex gradient), nil for 1. Unlike a performance profile it does not depend on who else is in the table.
// Negative spent and units that are not positive are errors. O(n·k log n).
//
// J. J. Moré, S. M. Wild (2009), Benchmarking derivative-free optimization algorithms, doi:10.1137/080724083, eq. 2.9.
func DataProfile(spent [][]float64, unit []float64) ([]Profile, error) {
	return nil, errUnwritten
}

// Incumbent is a solution found in a run.
type Incumbent struct {
	At        float64 // when: seconds or evaluations from the start, ≥ 0
	Objective float64 // minimised
}

// Spent is when a run first had an objective f with f ≤ best + tolerance·(start − best), +Inf if never: the test of convergence of Moré and Wild
// (2009), doi:10.1137/080724083, eq. 2.2. start is the objective of the starting point, the same for all solvers of a problem (that of a baseline where they
// start differently); best the least that any of them found. It holds for objectives of any sign and does not change when they are shifted or scaled.
// 0 ≤ tolerance < 1 and start ≥ best, all finite; a trace whose times fall is an error. O(len(trace)).
func Spent(trace []Incumbent, start, best, tolerance float64) (float64, error) {
	return 0, errUnwritten
}

// PrimalGap is how far an objective is from the best known, from 0 to 1:
//
//	γ = 0                                       if objective ≤ best
//	γ = 1                                       if they have different signs, or there is no objective (NaN, ±Inf)
//	γ = (objective − best)/max(|objective|, |best|)   otherwise
//
// Berthold's best is the optimum, of which nothing is better; a best known can be beaten, and that is a gap of 0. Beside a best of 0 every other
// objective has gap 1, and beside a negative one gap 1 starts at 0. A best that is not finite is an error. T. Berthold (2013), Measuring the impact of primal
// heuristics, doi:10.1016/j.orl.2013.08.007, section 2.
func PrimalGap(objective, best float64) (float64, error) {
	return 0, errUnwritten
}

// PrimalIntegral is the area under the primal gap of the best solution so far, from 0 to limit, 1 before the first one: P(T) = Σ γᵢ·(tᵢ₊₁ − tᵢ). In
// the unit of the limit (seconds, evaluations); over limit it is the mean gap, from 0 to 1. Incumbents after the limit do not count; one that is worse
// than its predecessor changes nothing. Times that fall or are negative and a limit that is not positive and finite are errors. O(len(trace)).
//
// Berthold (2013), doi:10.1016/j.orl.2013.08.007, section 2.
func PrimalIntegral(trace []Incumbent, best, limit float64) (float64, error) {
	return 0, errUnwritten
}
