package statistics

// Ranks is the outcome of Friedman.
type Ranks struct {
	Mean              []float64 // mean rank of each solver; 1 is the best possible
	Problems, Solvers int
	ChiSquare         float64 // Friedman's statistic, corrected for ties; solvers − 1 degrees of freedom
	PChiSquare        float64
	F                 float64 // Iman and Davenport's, +Inf where all problems rank alike
	PF                float64 // with solvers − 1 and (solvers − 1)(problems − 1) degrees of freedom
	W                 float64 // Kendall's concordance, the effect size: 0 no agreement of the problems, 1 all rank alike
}

// Friedman ranks k solvers on each of n problems (costs is problem × solver, lower is better, ties by their mean rank, failed runs
// last) and tests the hypothesis that the solvers are alike:
//
//	χ² = 12/(n·k·(k + 1)) · Σⱼ (Rⱼ − n(k + 1)/2)² / (1 − Σ(t³ − t)/(n(k³ − k)))     Rⱼ the rank sums, t the sizes of the ties
//	F  = (n − 1)χ²/(n(k − 1) − χ²)
//	W  = χ²/(n(k − 1))
//
// PF is the one to use: χ² is conservative. Where all problems rank the solvers alike F is infinite, and PF the exact probability of that
// under the hypothesis. Where every problem ties all solvers there is nothing to see: χ² = F = W = 0, P = 1.
//
// Rows of different lengths, fewer than two problems or solvers and −Inf are errors. O(n·k log k).
//
// M. Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the analysis of variance,
// doi:10.1080/01621459.1937.10503522; R. L. Iman, J. M. Davenport (1980), Approximations of the critical region of the Friedman
// statistic, doi:10.1080/03610928008827904; M. G. Kendall, B. Babington Smith (1939), doi:10.1214/aoms/1177732186; J. Demšar (2006),
// Statistical comparisons of classifiers over multiple data sets, JMLR 7, section 3.2.2.
func Friedman(costs [][]float64) (Ranks, error) {
	return Ranks{}, errUnwritten
}

// Compare is the post-hoc test of two solvers by their mean ranks: z = (Rᵢ − Rⱼ)/√(k(k + 1)/(6n)), positive where i is worse, and
// its two-sided p, to be corrected by Holm over all comparisons made. Demšar (2006), section 3.2.2. An index out of range is an error.
func (r Ranks) Compare(i, j int) (z, p float64, err error) {
	return 0, 0, errUnwritten
}

// Nemenyi is the critical difference of mean ranks for all pairs: two of k solvers differ at alpha when their mean ranks on n problems differ
// by at least q·√(k(k + 1)/(6n)), q the (1 − alpha) quantile of the studentized range over √2. Fewer than two solvers or one problem and
// an alpha outside (0, 1) are errors.
//
// P. B. Nemenyi (1963), Distribution-free multiple comparisons, thesis, Princeton; Demšar (2006), section 3.2.2 and table 5a.
func Nemenyi(solvers, problems int, alpha float64) (float64, error) {
	return 0, errUnwritten
}

// BonferroniDunn is the critical difference of mean ranks for comparisons with one control: Nemenyi's with the quantile of the normal distribution
// at 1 − alpha/(2(k − 1)) for q.
//
// O. J. Dunn (1961), Multiple comparisons among means, doi:10.1080/01621459.1961.10482090; Demšar (2006), section 3.2.2 and table 5b.
func BonferroniDunn(solvers, problems int, alpha float64) (float64, error) {
	return 0, errUnwritten
}

// Cliques are the bars of a critical-difference diagram: the maximal sets of at least two solvers whose mean ranks all lie within less than
// the critical difference. Each is a list of indexes into mean in order of mean rank (ties in order of index); the bar goes from the
// first's to the last's. Solvers that share a bar were not shown to differ, which is not that they are alike. NaN in mean or difference
// is an error. O(k log k + output).
//
// Demšar (2006), section 3.2.4 and figure 1.
func Cliques(mean []float64, difference float64) ([][]int, error) {
	return nil, errUnwritten
}

// Holm is the adjusted p of each p in place: with p₍₁₎ ≤ … ≤ p₍ₘ₎ it is max over i ≤ j of min(1, (m − i + 1)·p₍ᵢ₎). Rejecting where it is at
// most alpha keeps the probability of any false rejection at alpha, whatever the dependence. None for none; what is not from 0 to 1 is
// an error. O(m log m).
//
// S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6(2), 65–70.
func Holm(p []float64) ([]float64, error) {
	return nil, errUnwritten
}
