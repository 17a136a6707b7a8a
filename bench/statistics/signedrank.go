package statistics

import (
	"fmt"
	"math"
)

// The sizes up to which SignedRank and RankSum count instead of approximating: counts fit a float64 exactly, in 20 MB and a few
// tenths of a second at most.
const (
	exactPairs  = 50    // non-zero differences
	exactAmong  = 50000 // pairs, with the zeros
	exactValues = 50    // values of both samples
)

// Wilcoxon is the outcome of SignedRank.
type Wilcoxon struct {
	N     int // pairs, the zero differences included
	Zeros int // pairs without a difference, two failures among them
	// Plus and Minus are the sums of the ranks of the positive and of the negative differences a − b: with costs, of the pairs
	// on which a is worse and on which it is better.
	Plus, Minus float64
	Z           float64 // standardised, with tie and continuity correction; of the sign of Plus − Minus
	P           float64 // two-sided
	Exact       bool    // P is from the exact distribution, given ties and zeros; else from Z
	// Effect is the matched-pairs rank-biserial correlation, from −1 (a less in every pair) to 1: (Plus − Minus) divided by
	// the sum of all ranks, including the ranks of the zeros, which count for neither.
	Effect float64
}

// SignedRank is Wilcoxon's signed-rank test, two-sided, of the hypothesis that the differences a − b of matched pairs are
// symmetric about 0. The absolute differences are ranked, ties by their mean rank; differences that the rounding of the values
// and of the subtraction can have set apart are ties, as are 0.768 − 0.763 and 0.588 − 0.583, and a difference that it can have
// made is zero.
//
// Zero differences (two solvers that both reach the optimum) are ranked with the others and their ranks left out, after Pratt:
// dropping them before ranking, as Wilcoxon did, can turn a significant result into none when a difference grows. A failed run
// differs from a success by more than any number; these pairs tie.
//
// Up to 50 non-zero differences (among 50,000 pairs) P is exact: the share of all 2ᵐ signs of the m ranks there are, ties and
// gaps as they are, whose Plus is as far from its mean or farther. Above, from Z = (|Plus − μ| − ½)/σ, μ = Σr/2 and σ² = Σr²/4
// over the ranks that count, which is the formula with the corrections for zeros and ties. All zero: P = 1.
//
// Samples of different lengths, empty ones and −Inf are errors. O(n log n), and O(m²·n) for the exact P.
//
// F. Wilcoxon (1945), Individual comparisons by ranking methods, doi:10.2307/3001968; J. W. Pratt (1959), Remarks on zeros and
// ties in the Wilcoxon signed rank procedures, doi:10.1080/01621459.1959.10501526; E. E. Cureton (1967), The normal
// approximation to the signed-rank sampling distribution when zero differences are present, doi:10.1080/01621459.1967.10500917;
// the effect: D. S. Kerby (2014), The simple difference formula, doi:10.2466/11.IT.3.1.
func SignedRank(a, b []float64) (Wilcoxon, error) {
	differences, roundings, err := pairDifferences(a, b)
	if err != nil {
		return Wilcoxon{}, err
	}
	n := len(differences)
	sizes := make([]float64, n)
	for i, d := range differences {
		sizes[i] = math.Abs(d)
	}
	ranks, _ := doubledRanks(sizes, roundings)
	result := Wilcoxon{N: n}
	var counted []int
	plus, minus, squares := 0, 0, 0.0
	for i, d := range differences {
		switch {
		case d == 0:
			result.Zeros++
			continue
		case d > 0:
			plus += ranks[i]
		default:
			minus += ranks[i]
		}
		counted = append(counted, ranks[i])
		squares += float64(ranks[i]) * float64(ranks[i])
	}
	result.Plus, result.Minus = float64(plus)/2, float64(minus)/2
	result.Effect = float64(plus-minus) / (float64(n) * float64(n+1))
	result.Z = corrected((result.Plus-result.Minus)/2, squares/16)
	if result.Exact = len(counted) <= exactPairs && n <= exactAmong; result.Exact {
		// The distribution is symmetric: a set of signs and its opposite are as far from the mean.
		result.P = min(1, 2*subsetsUpTo(counted, min(plus, minus))/math.Exp2(float64(len(counted))))
	} else {
		result.P = twoSided(result.Z)
	}
	return result, nil
}

// pairDifferences are a − b with ±Inf where one of the two failed and 0 where both did, and for each what rounding can have
// made of it: half an ulp of either value and of the difference.
func pairDifferences(a, b []float64) (differences, roundings []float64, err error) {
	if len(a) != len(b) {
		return nil, nil, fmt.Errorf("b: expected %d values, one for each of a, found %d", len(a), len(b))
	}
	if a, err = orderable("a", a); err != nil {
		return nil, nil, err
	}
	if b, err = orderable("b", b); err != nil {
		return nil, nil, err
	}
	differences, roundings = make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		switch {
		case a[i] == b[i]:
			continue
		case math.IsInf(a[i], 1):
			differences[i] = math.Inf(1)
		case math.IsInf(b[i], 1):
			differences[i] = math.Inf(-1)
		default:
			d, rounding := clamp(a[i]-b[i]), 1.5*ulp*max(math.Abs(a[i]), math.Abs(b[i]))
			if math.Abs(d) > rounding {
				differences[i], roundings[i] = d, rounding
			}
		}
	}
	return differences, roundings, nil
}

// clamp keeps a difference of numbers that overflows apart from that to a failed run.
func clamp(d float64) float64 { return max(-math.MaxFloat64, min(math.MaxFloat64, d)) }
