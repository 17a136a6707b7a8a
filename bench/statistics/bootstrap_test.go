package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// differenceOf draws replicates for the periods and makes the interval.
func differenceOf(periods []Period, b Bootstrap) (Interval, error) {
	m, err := NewMovingBlocks(len(periods), b)
	if err != nil {
		return Interval{}, err
	}
	return m.Difference(periods)
}

// TestMovingBlocksEnumerated compares the quantiles of the replicates with those of all 3³ equally likely replicates of three periods
// in blocks of one, and all 3² of four periods in blocks of two.
func TestMovingBlocksEnumerated(t *testing.T) {
	for _, c := range []struct {
		periods []Period
		block   int
	}{
		{[]Period{{1, 3}, {2, -8}, {5, 1}}, 1},
		{[]Period{{1, 3}, {0, 0}, {2, -8}, {5, 1}}, 2},
	} {
		var all []float64
		var extend func(n, left int, sum float64)
		extend = func(n, left int, sum float64) {
			if left <= 0 {
				if n > 0 {
					all = append(all, sum/float64(n))
				}
				return
			}
			for from := 0; from+c.block <= len(c.periods); from++ {
				more, plus := 0, 0.0
				for _, p := range c.periods[from : from+min(c.block, left)] {
					more, plus = more+p.N, plus+p.Difference
				}
				extend(n+more, left-c.block, sum+plus)
			}
		}
		extend(0, len(c.periods), 0)
		slices.Sort(all)
		got, err := differenceOf(c.periods, Bootstrap{Block: c.block, Replicates: 200_000, Seed: 1, Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		// The replicates are discrete: the ends lie where the shares of all replicates pass 5 % and 95 %.
		low, high := all[int(math.Floor(0.05*float64(len(all))))], all[int(math.Ceil(0.95*float64(len(all))))-1]
		if math.Abs(got.Low-low) > 1e-9 || math.Abs(got.High-high) > 1e-9 {
			t.Errorf("found [%v, %v], expected [%v, %v] of %v", got.Low, got.High, low, high, all)
		}
		mean := 0.0
		for _, x := range all {
			mean += x / float64(len(all))
		}
		spread := 0.0
		for _, x := range all {
			spread += (x - mean) * (x - mean) / float64(len(all))
		}
		if math.Abs(got.SD-math.Sqrt(spread)) > 0.01*math.Sqrt(spread) {
			t.Errorf("spread %v, expected %v", got.SD, math.Sqrt(spread))
		}
	}
}

// TestMovingBlocksCovers: of a series in which neighbours have much in common (first-order autoregression, 0.7) the intervals of blocks hold
// the true mean about as often as they promise, and those of single periods far too seldom.
func TestMovingBlocksCovers(t *testing.T) {
	const runs, length = 300, 400
	covered := map[int]int{}
	rng := rand.New(rand.NewPCG(5, 6))
	for range runs {
		periods, x := make([]Period, length), 0.0
		for k := range periods {
			x = 0.7*x + rng.NormFloat64()
			periods[k] = Period{1, 2 + x}
		}
		for _, block := range []int{1, 16} {
			i, err := differenceOf(periods, Bootstrap{Block: block, Replicates: 200, Seed: rng.Uint64(), Confidence: 0.95})
			if err != nil {
				t.Fatal(err)
			}
			if i.Low <= 2 && 2 <= i.High {
				covered[block]++
			}
		}
	}
	if share := float64(covered[16]) / runs; share < 0.86 || share > 0.99 {
		t.Errorf("blocks of 16 cover in %.2f of the runs", share)
	}
	if share := float64(covered[1]) / runs; share > 0.75 {
		t.Errorf("blocks of 1 cover in %.2f of the runs: the series has too little in common for the test", share)
	}
}

func TestMovingBlocksOdd(t *testing.T) {
	b := Bootstrap{Replicates: 10, Confidence: 0.95}
	one, err := differenceOf([]Period{{4, 10}}, b)
	if err != nil || one.Estimate != 2.5 || !math.IsInf(one.Low, -1) || !math.IsInf(one.High, 1) {
		t.Errorf("one period: %+v, %v", one, err)
	}
	same := slices.Repeat([]Period{{2, 6}}, 30)
	if i, err := differenceOf(same, b); err != nil || i.Low != 3 || i.High != 3 || i.Estimate != 3 || i.N != 60 {
		t.Errorf("no spread: %+v, %v", i, err)
	}
	for _, c := range []struct {
		periods []Period
		b       Bootstrap
	}{{nil, b}, {[]Period{{0, 0}}, b}, {same, Bootstrap{Confidence: 0.95}}, {same, Bootstrap{Replicates: 1, Confidence: 1}}, {[]Period{{1, math.NaN()}}, b}, {[]Period{{-1, 0}}, b}} {
		if _, err := differenceOf(c.periods, c.b); err == nil {
			t.Errorf("%v, %+v: expected an error", c.periods, c.b)
		}
	}
}

func TestJain(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{3, 3, 3}, 1}, {[]float64{1, 0, 0, 0}, 0.25}, {[]float64{1, 2, 3}, 36.0 / 42}, {[]float64{1e300, 1e300}, 1}, {[]float64{1e-300, 2e-300}, 0.9}} {
		if got, err := Jain(c.x); err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v: %v, %v; expected %v", c.x, got, err, c.want)
		}
	}
	for _, x := range [][]float64{nil, {0, 0}, {-1, 2}, {math.Inf(1)}} {
		if _, err := Jain(x); err == nil {
			t.Errorf("%v: expected an error", x)
		}
	}
}
