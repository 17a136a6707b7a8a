package statistics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Nemenyi is the critical difference of mean ranks for all pairs: two of k solvers differ at alpha when their mean ranks on n
// problems differ by at least q·√(k(k + 1)/(6n)), q the (1 − alpha) quantile of the studentized range over √2. Fewer than two
// solvers or one problem and an alpha outside (0, 1) are errors.
//
// P. B. Nemenyi (1963), Distribution-free multiple comparisons, thesis, Princeton; Demšar (2006), section 3.2.2 and table 5a.
func Nemenyi(solvers, problems int, alpha float64) (float64, error) {
	if solvers < 2 || problems < 1 {
		return 0, fmt.Errorf("ranks: expected at least 2 solvers and 1 problem, found %d and %d", solvers, problems)
	}
	if err := checkShare("alpha", alpha); err != nil {
		return 0, err
	}
	k := float64(solvers)
	return rangeQuantile(alpha, solvers) / math.Sqrt2 * math.Sqrt(k*(k+1)/(6*float64(problems))), nil
}

// Conover is the critical difference of the mean ranks of two solvers, to be used where Friedman's test has rejected that all are alike:
//
//	t·√(2(n·Σr² − ΣRⱼ²)/((n − 1)(k − 1)))/n     r the ranks, Rⱼ their sums, t the (1 + confidence)/2 quantile of Student's t with (n − 1)(k − 1) degrees of freedom
//
// Each pair of solvers errs with probability 1 − confidence: it does not correct for the number of pairs, as [Nemenyi] does. A confidence outside (0, 1) is an error.
//
// W. J. Conover (1999), Practical Nonparametric Statistics, 3rd ed., section 5.8.
func (r *Ranks) Conover(confidence float64) (float64, error) {
	if err := checkShare("confidence", confidence); err != nil {
		return 0, err
	}
	free := float64((r.Problems - 1) * (r.Solvers - 1))
	return studentWidth(confidence, free) * math.Sqrt(2*r.residual/free) / float64(r.Problems), nil
}

// rangeSurvival is P(Q > q), Q the range of k standard normal variables, which is the studentized range at infinite degrees of
// freedom:
//
//	k ∫ φ(z) [Φ(z)ᵏ⁻¹ − (Φ(z) − Φ(z − q))ᵏ⁻¹] dz
//
// by the trapezoidal rule, whose error falls as exp(−c/h²) for such an integrand (analytic, with the tails of a normal
// density): 1/16 gives all digits for any k. The bracket is taken as Φᵏ⁻¹·(1 − (1 − Φ(z − q)/Φ(z))ᵏ⁻¹), which keeps the digits
// of small probabilities. H. O. Hartley (1942), The range in random samples, doi:10.1093/biomet/32.3-4.334; L. N. Trefethen, J.
// A. C. Weideman (2014), The exponentially convergent trapezoidal rule, doi:10.1137/130932132.
func rangeSurvival(q float64, k int) float64 {
	const step = 1.0 / 16
	others, sum := float64(k-1), 0.0
	for i := -10 * 16; i <= 40*16; i++ {
		z := float64(i) * step
		below := normalCDF(z)
		apart := min(1, normalCDF(z-q)/below)
		term := math.Exp(-z*z/2+others*math.Log(below)) * -math.Expm1(others*math.Log1p(-apart))
		sum += term
		if z > q/2+5 && term < sum*ulp/1024 { // past the peak: no digit is left to come
			break
		}
	}
	return min(1, float64(k)*step*sum/math.Sqrt(2*math.Pi))
}

// normalCDF keeps the digits of the lower tail.
func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// rangeQuantile is the q with rangeSurvival(q, k) = alpha, by bisection.
func rangeQuantile(alpha float64, k int) float64 {
	low, high := 0.0, 1.0
	for rangeSurvival(high, k) > alpha {
		low, high = high, 2*high
	}
	for high-low > ulp*max(1, high) {
		if middle := low + (high-low)/2; rangeSurvival(middle, k) > alpha {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2
}

// Cliques returns the bars of a critical-difference diagram: the maximal sets of at least two solvers whose mean ranks differ by less than the
// critical difference. Each set is a list of indexes into mean, in order of mean rank (ties in order of index); its bar reaches from the first
// to the last. Solvers that share a bar were not shown to differ; that does not show that they are alike. NaN in mean or difference is an
// error. O(k log k + output).
//
// Demšar (2006), section 3.2.4 and figure 1.
func Cliques(mean []float64, difference float64) ([][]int, error) {
	if math.IsNaN(difference) {
		return nil, fmt.Errorf("difference: expected a number, found NaN")
	}
	order := make([]int, len(mean))
	for i, rank := range mean {
		if math.IsNaN(rank) {
			return nil, fmt.Errorf("mean[%d]: expected a number, found NaN", i)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(mean[i], mean[j]) })
	var cliques [][]int
	reached := 0
	for first := range order {
		next := max(reached, first)
		for next < len(order) && mean[order[next]]-mean[order[first]] < difference {
			next++
		}
		if next > reached && next > first+1 { // otherwise the set is part of the one before, or has one solver only
			cliques = append(cliques, slices.Clone(order[first:next]))
		}
		reached = max(reached, next)
	}
	return cliques, nil
}

// Holm returns the adjusted p of each p, in the same order. With p₍₁₎ ≤ … ≤ p₍ₘ₎, the adjusted p₍ⱼ₎ is the maximum over i ≤ j of
// min(1, (m − i + 1)·p₍ᵢ₎). If a hypothesis is rejected when its adjusted p is at most alpha, the probability of any false rejection is at most
// alpha, whatever the dependence. An empty p gives an empty result; a p outside [0, 1] is an error. O(m log m).
//
// S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6(2), 65–70.
func Holm(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, value := range p {
		if !(value >= 0 && value <= 1) {
			return nil, fmt.Errorf("p[%d]: expected a probability from 0 to 1, found %v", i, value)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	adjusted, highest := make([]float64, len(p)), 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = highest
	}
	return adjusted, nil
}
