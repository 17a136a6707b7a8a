package statistics

import "errors"

var errUnwritten = errors.New("not written yet")

// Wilcoxon is the outcome of SignedRank.
type Wilcoxon struct {
	N     int // pairs, the zero differences included
	Zeros int // pairs without a difference, two failures among them
	// Plus and Minus are the sums of the ranks of the positive and of the negative differences a − b: with costs, of the pairs on which
	// a is worse and on which it is better.
	Plus, Minus float64
	Z           float64 // standardised, with tie and continuity correction; of the sign of Plus − Minus
	P           float64 // two-sided
	Exact       bool    // P is from the exact distribution, given ties and zeros; else from Z
	// Effect is the matched-pairs rank-biserial correlation, from −1 (a less in every pair) to 1: (Plus − Minus) over the sum of all ranks,
	// those of the zeros included, which speak for neither.
	Effect float64
}

// SignedRank is Wilcoxon's signed-rank test, two-sided, of the hypothesis that the differences a − b of matched pairs are
// symmetric about 0. The absolute differences are ranked, ties by their mean rank.
//
// Zero differences (two solvers that both reach the optimum) are ranked with the others and their ranks left out, after Pratt: dropping
// them before ranking, as Wilcoxon did, can turn a significant result into none when a difference grows. A failed run
// differs from a success by more than any number; these pairs tie.
//
// Up to 50 non-zero differences P is exact: the share of all 2ᵐ signs of the m ranks there are, ties and gaps as they are, whose
// Plus is as far from its mean or farther. Above, from Z = (|Plus − μ| − ½)/σ, μ = Σr/2 and σ² = Σr²/4 over the ranks
// that count, which is the formula with the corrections for zeros and ties. All zero: P = 1.
//
// Samples of different lengths, empty ones and −Inf are errors. O(n log n + m⁴).
//
// F. Wilcoxon (1945), Individual comparisons by ranking methods, doi:10.2307/3001968; J. W. Pratt (1959), Remarks on zeros and ties in the
// Wilcoxon signed rank procedures, doi:10.1080/01621459.1959.10501526; E. E. Cureton (1967), The normal approximation to the
// signed-rank sampling distribution when zero differences are present, doi:10.1080/01621459.1967.10500917; the effect:
// D. S. Kerby (2014), The simple difference formula, doi:10.2466/11.IT.3.1.
func SignedRank(a, b []float64) (Wilcoxon, error) {
	return Wilcoxon{}, errUnwritten
}

// MannWhitney is the outcome of RankSum.
type MannWhitney struct {
	NA, NB int     // sizes of the samples
	U      float64 // pairs (a, b) with a > b, ties half
	Z      float64 // standardised, with tie and continuity correction; positive where a is greater
	P      float64 // two-sided
	Exact  bool    // P is from the exact distribution given the ties; else from Z
	Delta  float64 // Cliff's delta, (2U − NA·NB)/(NA·NB)
}

// RankSum is the test of Mann and Whitney, which is Wilcoxon's rank-sum test, two-sided, for samples without pairs, such as runs of
// a random solver with seeds of its own on one instance: are a's costs drawn from the same distribution as b's? Where there
// are pairs SignedRank sees more. Up to 50 values together P is exact, the share of all ways to choose a's ranks, ties as they
// are, whose U is as far from its mean or farther; above from Z = (|U − NA·NB/2| − ½)/σ, σ² = NA·NB/12 · (N + 1 − Σ(t³ − t)/(N(N − 1))).
// Failed runs tie after all others. Empty samples and −Inf are errors. O(n log n + n⁴) for n up to 50, O(n log n) above.
//
// H. B. Mann, D. R. Whitney (1947), On a test of whether one of two random variables is stochastically larger than the other,
// doi:10.1214/aoms/1177730491; Hollander, Wolfe, Chicken (2014), doi:10.1002/9781119196037, section 4.1.
func RankSum(a, b []float64) (MannWhitney, error) {
	return MannWhitney{}, errUnwritten
}
