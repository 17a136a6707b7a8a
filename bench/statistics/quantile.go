package statistics

import (
	"fmt"
	"slices"
)

// Quantile is the p-quantile, 0 ≤ p ≤ 1, by linear interpolation between order statistics: with h = (n − 1)·p, it lies the
// fraction h − ⌊h⌋ of the way from x₍⌊h⌋₎ to the next (counted from 0). This is definition 7 of R. J. Hyndman, Y. Fan (1996),
// Sample quantiles in statistical packages, doi:10.1080/00031305.1996.10473566, the default of R, NumPy and spreadsheets:
// extremes are the sample's own, and readers can repeat it. Failed runs count as +Inf. O(n log n).
func Quantile(x []float64, p float64) (float64, error) {
	sorted, err := orderable("x", x)
	if err != nil {
		return 0, err
	}
	if !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("p: expected a number from 0 to 1, found %v", p)
	}
	slices.Sort(sorted)
	h := float64(len(sorted)-1) * p
	i := int(h)
	low, fraction := sorted[i], h-float64(i)
	if fraction == 0 || sorted[i+1] == low {
		return low, nil
	}
	return low*(1-fraction) + sorted[i+1]*fraction, nil // high − low could overflow
}
