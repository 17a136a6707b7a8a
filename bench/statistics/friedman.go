package statistics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Ranks is the outcome of Friedman.
type Ranks struct {
	Mean              []float64 // mean rank of each solver; 1 is the best possible
	Problems, Solvers int
	ChiSquare         float64 // Friedman's statistic, corrected for ties; solvers − 1 degrees of freedom
	PChiSquare        float64
	F                 float64 // Iman and Davenport's statistic; +Inf if all problems rank the solvers alike
	PF                float64 // with solvers − 1 and (solvers − 1)(problems − 1) degrees of freedom
	W                 float64 // Kendall's concordance, the effect size: 0 no agreement of the problems, 1 all rank alike

	residual float64 // n·Σr² − ΣRⱼ² over the ranks r, the part of their spread that the solvers do not explain
}

// Friedman ranks k solvers on each of n problems (costs is problem × solver, lower is better, ties by their mean rank, failed
// runs last) and tests the hypothesis that the solvers are alike:
//
//	χ² = 12/(n·k·(k + 1)) · Σⱼ (Rⱼ − n(k + 1)/2)² / (1 − Σ(t³ − t)/(n(k³ − k)))     Rⱼ the rank sums, t the sizes of the ties
//	F  = (n − 1)χ²/(n(k − 1) − χ²)
//	W  = χ²/(n(k − 1))
//
// Use PF, because χ² is conservative. If all problems rank the solvers alike, F is infinite and PF is the exact probability of
// that under the hypothesis. If every problem ties all solvers, there is no difference: χ² = F = W = 0, P = 1.
//
// Rows of different lengths, fewer than two problems or solvers and −Inf are errors. O(n·k log k).
//
// M. Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the analysis of variance,
// doi:10.1080/01621459.1937.10503522; R. L. Iman, J. M. Davenport (1980), Approximations of the critical region of the Friedman
// statistic, doi:10.1080/03610928008827904; M. G. Kendall, B. Babington Smith (1939), doi:10.1214/aoms/1177732186; J. Demšar
// (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, section 3.2.2.
func Friedman(costs [][]float64) (Ranks, error) {
	table, err := orderableTable("costs", costs)
	if err != nil {
		return Ranks{}, err
	}
	n, k := len(table), len(table[0])
	if n < 2 || k < 2 {
		return Ranks{}, fmt.Errorf("costs: expected at least 2 problems and 2 solvers, found %d and %d", n, k)
	}
	// Twice the ranks are whole numbers, so four times the sums of squares are too, and "all alike" is an equality.
	sums := make([]int, k)
	within := -n * k * (k + 1) * (k + 1) // Σ (2r − (k + 1))²
	for _, row := range table {
		ranks, _ := doubledRanks(row, nil)
		for j, r := range ranks {
			sums[j] += r
			within += r * r
		}
	}
	between := 0 // Σ (2R − n(k + 1))²
	result := Ranks{Mean: make([]float64, k), Problems: n, Solvers: k, PChiSquare: 1, PF: 1}
	for j, sum := range sums {
		result.Mean[j] = float64(sum) / float64(2*n)
		between += (sum - n*(k+1)) * (sum - n*(k+1))
	}
	if within == 0 {
		return result, nil
	}
	result.residual = float64(n*within-between) / 4 // the means, which both sums are taken from, cancel
	free, freeWithin := float64(k-1), float64(k-1)*float64(n-1)
	result.ChiSquare = free * float64(between) / float64(within)
	result.PChiSquare = mathext.GammaIncRegComp(free/2, result.ChiSquare/2)
	result.W = float64(between) / (float64(n) * float64(within))
	if between == n*within {
		result.F, result.PF = math.Inf(1), allAlike(table[0], n)
		return result, nil
	}
	result.F = float64(n-1) * float64(between) / float64(n*within-between)
	result.PF = mathext.RegIncBeta(freeWithin/2, free/2, freeWithin/(freeWithin+free*result.F)) // 1 − CDF would lose small ones
	return result, nil
}

// allAlike returns the probability that n problems all have the same order of the solvers, if each has one of the k!/Πt! orders at
// random. The row gives the ties.
func allAlike(row []float64, n int) float64 {
	sorted := slices.Sorted(slices.Values(row))
	logOrders, _ := math.Lgamma(float64(len(row) + 1))
	tie := 0
	for i := range sorted {
		if tie++; i > 0 && sorted[i] != sorted[i-1] {
			tie = 1
		}
		logOrders -= math.Log(float64(tie))
	}
	return math.Exp(-float64(n-1) * logOrders)
}
