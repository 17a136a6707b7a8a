package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Period is one period of a paired comparison, such as a day: how many things were measured in it, and the sum over them of the difference
// of the second measurement from the first.
type Period struct {
	N          int
	Difference float64
}

// Bootstrap are the settings of a moving-block bootstrap.
type Bootstrap struct {
	Block      int // neighbouring periods in a block; 0: the cube root of the number of periods, rounded up
	Replicates int // ≥ 1
	Seed       uint64
	Confidence float64 // of the intervals
}

// MovingBlocks are the replicates of a moving-block bootstrap: they serve any number of samples over the same periods. A replicate puts blocks of
// neighbouring periods together, drawn with replacement from all blocks there are, until it is as long as the sample; the last block is cut. Blocks keep
// what neighbouring periods have in common, such as a queue that lasts for days.
//
// H. R. Künsch (1989), The jackknife and the bootstrap for general stationary observations, doi:10.1214/aos/1176347265; the length of a
// block grows as the cube root: P. Hall, J. L. Horowitz, B.-Y. Jing (1995), On blocking rules for the bootstrap with dependent data,
// doi:10.1093/biomet/82.3.561.
type MovingBlocks struct {
	periods, block int
	confidence     float64
	starts         [][]int32 // by replicate: first period of each block; nil: the sample is no longer than a block
}

// NewMovingBlocks draws the replicates for a number of periods. O(R·P/B) for R replicates, P periods and blocks of B.
func NewMovingBlocks(periods int, b Bootstrap) (*MovingBlocks, error) {
	if err := checkShare("confidence", b.Confidence); err != nil {
		return nil, err
	}
	if periods < 1 || periods > math.MaxInt32 || b.Replicates < 1 || b.Block < 0 {
		return nil, fmt.Errorf("expected at least 1 period, 1 replicate and blocks of at least 0 periods, found %d, %d and %d", periods, b.Replicates, b.Block)
	}
	m := &MovingBlocks{periods: periods, block: b.Block, confidence: b.Confidence}
	if m.block == 0 {
		m.block = int(math.Ceil(math.Cbrt(float64(periods))))
	}
	if m.block >= periods {
		return m, nil
	}
	rng := rand.New(rand.NewPCG(b.Seed, 0x6d626f6f74))
	m.starts = make([][]int32, b.Replicates)
	for r := range m.starts {
		m.starts[r] = make([]int32, (periods+m.block-1)/m.block)
		for k := range m.starts[r] {
			m.starts[r][k] = int32(rng.IntN(periods - m.block + 1))
		}
	}
	return m, nil
}

// Block is the number of periods in a block.
func (m *MovingBlocks) Block() int { return m.block }

// Difference is the mean difference over all things, Σ differences / Σ n, with the percentile interval of the bootstrap: its ends are quantiles, see
// [Quantile], of the same ratio in each replicate. SD is the standard deviation of these. Periods in which nothing was measured are
// part of the time; replicates of nothing but such do not count. A sample no longer than a block has no interval: it is from −Inf to
// +Inf. Coverage is the confidence asked for, which such intervals reach only as the number of blocks grows: with few of them they are too narrow.
//
// Complexity: O(R·(P/B + log R)) for R replicates, P periods and blocks of B.
func (m *MovingBlocks) Difference(periods []Period) (Interval, error) {
	if len(periods) != m.periods {
		return Interval{}, fmt.Errorf("periods: expected %d, found %d", m.periods, len(periods))
	}
	before := make([]Period, len(periods)+1) // sums of the periods before each
	for k, p := range periods {
		if p.N < 0 || math.IsNaN(p.Difference) || math.IsInf(p.Difference, 0) {
			return Interval{}, fmt.Errorf("periods[%d]: expected a finite difference of at least 0 things, found %v of %d", k, p.Difference, p.N)
		}
		before[k+1] = Period{before[k].N + p.N, before[k].Difference + p.Difference}
	}
	whole := before[m.periods]
	if whole.N == 0 {
		return Interval{}, fmt.Errorf("periods: expected at least one thing measured, found none")
	}
	result := Interval{N: whole.N, Estimate: whole.Difference / float64(whole.N), SD: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: m.confidence}
	means := make([]float64, 0, len(m.starts))
	for _, starts := range m.starts {
		n, sum, left := 0, 0.0, m.periods
		for _, from := range starts {
			first, last := &before[from], &before[int(from)+min(m.block, left)]
			n, sum = n+last.N-first.N, sum+(last.Difference-first.Difference)
			left -= m.block
		}
		if n > 0 {
			means = append(means, sum/float64(n))
		}
	}
	if len(means) == 0 {
		result.Coverage = 1
		return result, nil
	}
	slices.Sort(means)
	result.Low, result.High = quantileSorted(means, (1-m.confidence)/2), quantileSorted(means, (1+m.confidence)/2)
	if spread, err := Mean(means, m.confidence); err == nil {
		result.SD = spread.SD
	}
	return result, nil
}

// Jain is Jain's index of fairness, (Σx)²/(n·Σx²), of what n parties got: 1 where all got the same, k/n where k of them got the
// same and the others nothing. Values are at least 0 and not all 0.
//
// R. K. Jain, D.-M. W. Chiu, W. R. Hawe (1984), A quantitative measure of fairness and discrimination for resource allocation in shared
// computer systems, DEC-TR-301, arXiv:cs/9809099.
func Jain(x []float64) (float64, error) {
	if err := checkFinite("x", x); err != nil {
		return 0, err
	}
	greatest := slices.Max(x)
	if least := slices.Min(x); least < 0 || greatest == 0 {
		return 0, fmt.Errorf("x: expected values of at least 0 that are not all 0, found %v to %v", least, greatest)
	}
	sum, squares := 0.0, 0.0
	for _, v := range x { // shares of the greatest, whose squares neither overflow nor vanish
		sum, squares = sum+v/greatest, squares+(v/greatest)*(v/greatest)
	}
	return sum * sum / (float64(len(x)) * squares), nil
}
