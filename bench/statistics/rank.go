package statistics

import (
	"cmp"
	"math"
	"slices"
)

// ulp is the relative distance of neighbouring floats.
const ulp = 0x1p-52

// doubledRanks are twice the ranks of values, from 2, with the mean rank for ties, hence whole numbers; ties is Σ(t³ − t) over
// the sizes t of the ties. Values differ from their neighbours in order only if they do so by more than the sum of their
// roundings, where they are given: what rounding alone may have set apart is a tie. O(n log n).
func doubledRanks(values, rounding []float64) (ranks []int, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	tied := func(i, j int) bool {
		if values[i] == values[j] {
			return true
		}
		return rounding != nil && values[j]-values[i] <= rounding[i]+rounding[j]
	}
	ranks = make([]int, len(values))
	for first := 0; first < len(order); {
		next := first + 1
		for next < len(order) && tied(order[next-1], order[next]) {
			next++
		}
		for _, i := range order[first:next] {
			ranks[i] = first + 1 + next
		}
		t := float64(next - first)
		ties += t*t*t - t
		first = next
	}
	return ranks, ties
}

// subsetsUpTo is how many of the 2ᵐ subsets of ranks have a sum of at most limit. Exact up to m = 53. O(m · limit).
func subsetsUpTo(ranks []int, limit int) float64 {
	if limit < 0 {
		return 0
	}
	count := make([]float64, limit+1)
	count[0] = 1
	top := 0
	for _, r := range ranks {
		top = min(top+r, limit)
		for s := top; s >= r; s-- {
			count[s] += count[s-r]
		}
	}
	total := 0.0
	for _, c := range count {
		total += c
	}
	return total
}

// subsetsOfSize is how many subsets of the given size have each sum of ranks, from 0. Exact where the binomial coefficient is
// below 2⁵³. O(m · size · Σ ranks).
func subsetsOfSize(ranks []int, size int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	counts := make([][]float64, size+1)
	for k := range counts {
		counts[k] = make([]float64, total+1)
	}
	counts[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, size); k > 0; k-- {
			for s := total; s >= r; s-- {
				counts[k][s] += counts[k-1][s-r]
			}
		}
	}
	return counts[size]
}

// twoSided is the probability of a standard normal variable at least as far from 0 as z.
func twoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// corrected is deviation/σ after the continuity correction of ½ towards 0; 0 where nothing can deviate.
func corrected(deviation, variance float64) float64 {
	size := math.Abs(deviation) - 0.5
	if size <= 0 || variance <= 0 {
		return 0
	}
	return math.Copysign(size/math.Sqrt(variance), deviation)
}
