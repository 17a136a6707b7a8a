package statistics

import "math"

// MannWhitney is the outcome of RankSum.
type MannWhitney struct {
	NA, NB int     // sizes of the samples
	U      float64 // pairs (a, b) with a > b, ties half
	Z      float64 // standardised, with tie and continuity correction; positive where a is greater
	P      float64 // two-sided
	Exact  bool    // P is from the exact distribution given the ties; else from Z
	Delta  float64 // Cliff's delta, (2U − NA·NB)/(NA·NB)
}

// RankSum is the two-sided test of Mann and Whitney, also known as Wilcoxon's rank-sum test, for samples without pairs, such as
// runs of a random solver with different seeds on one instance. It tests whether a's costs come from the same distribution as
// b's. If there are pairs, SignedRank is more powerful. Up to 50 values together P is exact: it is the share of all ways to
// choose a's ranks, with the given ties, whose U is at least as far from its mean. Above, P comes from
// Z = (|U − NA·NB/2| − ½)/σ with σ² = NA·NB/12 · (N + 1 − Σ(t³ − t)/(N(N − 1))). Failed runs are worse than all others and tie
// with each other. Empty samples and −Inf are errors. O(N log N), and O(N³·min(NA, NB)) for the exact P.
//
// H. B. Mann, D. R. Whitney (1947), On a test of whether one of two random variables is stochastically larger than the other,
// doi:10.1214/aoms/1177730491; Hollander, Wolfe, Chicken (2014), doi:10.1002/9781119196037, section 4.1.
func RankSum(a, b []float64) (MannWhitney, error) {
	ranks, ties, err := jointRanks(a, b)
	if err != nil {
		return MannWhitney{}, err
	}
	result := MannWhitney{NA: len(a), NB: len(b)}
	m, n := float64(len(a)), float64(len(b))
	sum := 0
	for _, r := range ranks[:len(a)] {
		sum += r
	}
	twiceU := sum - len(a)*(len(a)+1)
	result.U = float64(twiceU) / 2
	result.Delta = (float64(twiceU) - m*n) / (m * n)
	result.Z = corrected(result.U-m*n/2, m*n/12*(m+n+1-ties/((m+n)*(m+n-1))))
	if result.Exact = len(ranks) <= exactValues; !result.Exact {
		result.P = twoSided(result.Z)
		return result, nil
	}
	// Use the ranks of the smaller sample: the sums of the two samples have a constant total.
	size, centre := len(a), len(a)*(len(ranks)+1)
	if len(b) < len(a) {
		size, centre = len(b), len(b)*(len(ranks)+1)
	}
	far := abs(sum - len(a)*(len(ranks)+1))
	all, beyond := 0.0, 0.0
	for s, count := range subsetsOfSize(ranks, size) {
		all += count
		if abs(s-centre) >= far {
			beyond += count
		}
	}
	result.P = beyond / all
	return result, nil
}

// jointRanks are the doubled ranks of a's values and then b's among all of them.
func jointRanks(a, b []float64) (ranks []int, ties float64, err error) {
	if a, err = orderable("a", a); err != nil {
		return nil, 0, err
	}
	if b, err = orderable("b", b); err != nil {
		return nil, 0, err
	}
	ranks, ties = doubledRanks(append(a, b...), nil)
	return ranks, ties, nil
}

func abs(x int) int { return max(x, -x) }

// Magnitude is an effect in words.
type Magnitude string

// The magnitudes, in order.
const (
	Negligible Magnitude = "negligible"
	Small      Magnitude = "small"
	Medium     Magnitude = "medium"
	Large      Magnitude = "large"
)

// The least sizes of a delta for each word: 2·A₁₂ − 1 at Vargha and Delaney's 0.56, 0.64 and 0.71.
const (
	smallDelta  = 0.12
	mediumDelta = 0.28
	largeDelta  = 0.42
)

// MagnitudeOf returns the word for a Cliff's delta (or a rank-biserial correlation, or 2·A₁₂ − 1), with the limits that Vargha and
// Delaney (2000, doi:10.3102/10769986025002101) match with Cohen's. It is a description, not a test; it tells how often one sample
// is better, not by how much. For NaN it is empty.
func MagnitudeOf(delta float64) Magnitude {
	switch size := math.Abs(delta); {
	case math.IsNaN(delta):
		return ""
	case size < smallDelta:
		return Negligible
	case size < mediumDelta:
		return Small
	case size < largeDelta:
		return Medium
	default:
		return Large
	}
}
