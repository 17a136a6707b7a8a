package advise

import "math"

// Allowed is how many of n earlier values may lie above a limit, so that with the given confidence at most the share risk of later values lies above it. It is −1 where even the greatest
// of the n values is no such limit: n is too small. The limit is the order statistic of rank n − Allowed.
//
// It holds for values that are drawn independently from any one distribution: the number of values above its (1 − risk)-quantile is binomial, and Allowed is the greatest k with
// P(Bin(n, risk) ≤ k) ≤ 1 − confidence. Source: S. S. Wilks (1941), Determination of sample sizes for setting tolerance limits, doi:10.1214/aoms/1177731788. O(k).
func Allowed(n int, risk, confidence float64) int {
	allowed, sum := -1, 0.0
	// The terms are exponentials of logarithms, since (1 − risk)^n may be too small for a float64.
	term := float64(n) * math.Log1p(-risk)
	for k := 0; k < n; k++ {
		if sum += math.Exp(term); sum > 1-confidence {
			return allowed
		}
		allowed = k
		term += math.Log(float64(n-k)) - math.Log(float64(k+1)) + math.Log(risk) - math.Log1p(-risk)
	}
	return allowed
}

// Needed is the least n of which Allowed is not −1: the jobs that advice needs.
func Needed(risk, confidence float64) int {
	n := max(1, int(math.Ceil(math.Log(1-confidence)/math.Log1p(-risk))))
	for n > 1 && Allowed(n-1, risk, confidence) >= 0 {
		n--
	}
	for Allowed(n, risk, confidence) < 0 {
		n++
	}
	return n
}

// round is a limit as people write it: the least of some usual ones that is not below it, or whole days. All are seconds.
func round(limit float64) float64 {
	const minute, hour, day = 60, 3600, 86400
	for _, usual := range []float64{5 * minute, 10 * minute, 15 * minute, 20 * minute, 30 * minute, 45 * minute, hour, 1.5 * hour, 2 * hour, 3 * hour, 4 * hour, 5 * hour, 6 * hour, 8 * hour,
		10 * hour, 12 * hour, 15 * hour, 18 * hour, day, 30 * hour, 36 * hour, 42 * hour} {
		if usual >= limit {
			return usual
		}
	}
	return math.Ceil(limit/day) * day
}
