package statistics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// HodgesLehmann estimates the median difference a − b; it belongs to the test SignedRank. The estimate is the median of the Walsh averages
// (dᵢ + dⱼ)/2, i ≤ j. The interval holds the shifts that the test does not reject; it reaches from the c-th least to the c-th greatest average.
// Up to 50 pairs, c comes from the exact distribution without ties; above, from its normal approximation with continuity correction. SD is the
// standard deviation of the differences. Samples of different lengths, empty samples and values that are not finite are errors. Below 6 pairs
// there is no interval of 95 % (−Inf, +Inf, Coverage 1). O(n² log n) time and n²/2 numbers; more than 5,000 pairs are an error.
//
// J. L. Hodges, E. L. Lehmann (1963), Estimates of location based on rank tests, doi:10.1214/aoms/1177704172; J. W. Tukey
// (1949) for the interval; Hollander, Wolfe, Chicken (2014), doi:10.1002/9781119196037, sections 3.2 and 3.3.
func HodgesLehmann(a, b []float64, confidence float64) (Interval, error) {
	if len(a) != len(b) {
		return Interval{}, fmt.Errorf("b: expected %d values, one for each of a, found %d", len(a), len(b))
	}
	if len(a) > walshPairs {
		return Interval{}, fmt.Errorf("a: expected at most %d pairs, found %d", walshPairs, len(a))
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
	}
	if err := errors.Join(checkFinite("a", a), checkFinite("b", b), checkFinite("a − b", differences)); err != nil {
		return Interval{}, err
	}
	if err := checkShare("confidence", confidence); err != nil {
		return Interval{}, err
	}
	averages := make([]float64, 0, len(a)*(len(a)+1)/2)
	for i, d := range differences {
		for _, e := range differences[i:] {
			averages = append(averages, d/2+e/2)
		}
	}
	slices.Sort(averages)
	result := Interval{N: len(a), Estimate: quantileSorted(averages, 0.5), SD: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: 1}
	if len(a) > 1 {
		result.SD = stat.StdDev(differences, nil)
	}
	if c, coverage := walshIndex(len(a), confidence); c > 0 {
		result.Low, result.High, result.Coverage = averages[c-1], averages[len(averages)-c], coverage
	}
	return result, nil
}

// walshPairs is the largest number of pairs that HodgesLehmann takes. It then sorts 12.5 million Walsh averages in 100 MB.
const walshPairs = 5000

// walshIndex returns the greatest c such that the signed-rank statistic of n pairs is below c with probability at most (1 − confidence)/2, and
// the coverage of the interval from this c. It returns 0 if there is no such c.
func walshIndex(n int, confidence float64) (c int, coverage float64) {
	sums := n * (n + 1) / 2
	var below func(c int) float64
	if n <= exactPairs {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = i + 1
		}
		all := math.Exp2(float64(n))
		below = func(c int) float64 { return subsetsUpTo(ranks, c-1) / all }
	} else {
		variance := float64(n) * float64(n+1) * float64(2*n+1) / 24
		below = func(c int) float64 { return normalCDF((float64(c) - 0.5 - float64(sums)/2) / math.Sqrt(variance)) }
	}
	c = sort.Search(sums/2+1, func(c int) bool { return 2*below(c) > tail(confidence) }) - 1
	if c <= 0 {
		return 0, 1
	}
	return c, 1 - 2*below(c)
}
