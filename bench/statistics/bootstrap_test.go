package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// differenceOf draws replicates for the periods and makes the interval.
func differenceOf(periods []Period, b Bootstrap) (BlockDifference, error) {
	m, err := NewMovingBlocks(len(periods), b)
	if err != nil {
		return BlockDifference{}, err
	}
	return m.Difference(periods)
}

// TestMovingBlocksEnumerated compares the deviation with that over all 4⁴ equally likely replicates of four periods in blocks of one, and all 4³ of five
// periods in blocks of two, the last of which is cut.
func TestMovingBlocksEnumerated(t *testing.T) {
	for _, c := range []struct {
		periods []Period
		block   int
		full    []float64 // things in the blocks side by side
	}{
		{[]Period{{N: 1, Difference: 3}, {N: 2, Difference: -8}, {N: 5, Difference: 1}, {N: 0, Difference: 0}}, 1, []float64{1, 2, 5}},
		{[]Period{{N: 1, Difference: 3}, {N: 0, Difference: 0}, {N: 2, Difference: -8}, {N: 5, Difference: 1}, {N: 3, Difference: 3}}, 2, []float64{1, 7, 3}},
	} {
		n, sum := 0, 0.0
		for _, p := range c.periods {
			n, sum = n+p.N, sum+p.Difference
		}
		estimate := sum / float64(n)
		var all []float64
		var extend func(things, left int, sum float64)
		extend = func(things, left int, sum float64) {
			if left <= 0 {
				all = append(all, (sum-estimate*float64(things))/float64(n))
				return
			}
			for from := 0; from+c.block <= len(c.periods); from++ {
				more, plus := 0, 0.0
				for _, p := range c.periods[from : from+min(c.block, left)] {
					more, plus = more+p.N, plus+p.Difference
				}
				extend(things+more, left-c.block, sum+plus)
			}
		}
		extend(0, len(c.periods), 0)
		mean, spread, squares := 0.0, 0.0, 0.0
		for _, x := range all {
			mean += x / float64(len(all))
		}
		for _, x := range all {
			spread += (x - mean) * (x - mean) / float64(len(all))
		}
		for _, x := range c.full {
			squares += x * x
		}
		effective := float64(n*n) / squares
		want := math.Sqrt(spread * effective / (effective - 1))
		got, err := differenceOf(c.periods, Bootstrap{Block: c.block, Replicates: 100_000, Seed: 1, Confidence: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.SD-want) > 0.01*want || math.Abs(got.Effective-effective) > 1e-12 || got.Blocks != len(c.full) || got.Estimate != estimate || got.N != n {
			t.Errorf("%+v, expected an estimate of %v, a deviation of %v and %v blocks, effectively %v", got, estimate, want, len(c.full), effective)
		}
		if !math.IsInf(got.Low, -1) || !math.IsInf(got.High, 1) || got.P != 1 {
			t.Errorf("%+v, expected no interval of %d blocks", got, got.Blocks)
		}
	}
}

// TestMovingBlocksStudent: twenty blocks of one period with one thing each. The interval and P are those of Student's t with 19 degrees of freedom, whose 97.5 %
// quantile is 2.093024 and whose P beyond 3 is 0.0073615 (tables).
func TestMovingBlocksStudent(t *testing.T) {
	periods := make([]Period, 20)
	for k := range periods {
		periods[k] = Period{N: 1, Difference: float64(k % 2)} // 0 and 1 in turn
	}
	got, err := differenceOf(periods, Bootstrap{Block: 1, Replicates: 100_000, Seed: 3, Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	deviation := math.Sqrt(0.25 / 19) // ½ over √20, and √(20/19)
	if got.Estimate != 0.5 || math.Abs(got.SD-deviation) > 0.01*deviation || math.Abs((got.High-got.Low)/2-2.093024*got.SD) > 1e-6*got.SD || got.Blocks != 20 {
		t.Errorf("%+v, expected a deviation of %v", got, deviation)
	}
	for k := range periods {
		periods[k].Difference += 3*got.SD - 0.5
	}
	if got, err = differenceOf(periods, Bootstrap{Block: 1, Replicates: 100_000, Seed: 3, Confidence: 0.95}); err != nil || math.Abs(got.P-0.0073615) > 2e-5 {
		t.Errorf("P %v, %v; expected 0.0073615", got.P, err)
	}
}

// TestMovingBlocksCovers: of series of days in which neighbours have something in common (first-order autoregression) the intervals hold the true mean about as
// often as they promise, and P is below 5 % as seldom. Where the number of jobs a day differs widely (the user's kind of series) too. Intervals of single days cover
// far too seldom where days have much in common, so the series tell.
func TestMovingBlocksCovers(t *testing.T) {
	race.OneGoroutine(t)
	const runs = 400
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		days, block int
		common      float64
		uneven      bool
		from, to    float64
	}{
		{30, 0, 0, false, 0.92, 0.985},
		{30, 0, 0.3, false, 0.89, 0.97},
		{60, 0, 0.3, true, 0.90, 0.98},
		{120, 0, 0.3, true, 0.91, 0.98},
		{340, 0, 0.3, true, 0.92, 0.98},
		{340, 0, 0.5, false, 0.90, 0.97},
		{340, 1, 0.7, false, 0, 0.75},
	} {
		covered, tried := 0, 0
		for tried < runs {
			periods, x := make([]Period, c.days), 0.0
			for range 30 { // forget the beginning
				x = c.common*x + rng.NormFloat64()
			}
			for k := range periods {
				x = c.common*x + rng.NormFloat64()
				n := 1
				if c.uneven {
					n = int(rng.ExpFloat64() * 3)
				}
				periods[k] = Period{N: n, Difference: float64(n) * (2 + x)}
			}
			i, err := differenceOf(periods, Bootstrap{Block: c.block, Replicates: 200, Seed: rng.Uint64(), Confidence: 0.95})
			if err != nil {
				t.Fatal(err)
			}
			if math.IsInf(i.Low, -1) {
				continue // too few blocks
			}
			tried++
			if i.Low <= 2 && 2 <= i.High {
				covered++
			}
			if excludes := i.Low > 0 || i.High < 0; i.P < 0.05 && !excludes || i.P >= 0.05 && excludes && i.Effective > 6 {
				t.Fatalf("%+v: P and the interval do not agree", i)
			}
		}
		if share := float64(covered) / runs; share < c.from || share > c.to {
			t.Errorf("%+v: the intervals hold the mean in %.3f of the runs", c, share)
		}
	}
}

// TestMovingBlocksSkew: of days of which few make most of the mean (the square of an exponential variable, less its mean) the intervals hold it more often than those
// of t alone, which do in about 88 %; they reach farther to the side of such days; and the transformation and its inverse belong together.
func TestMovingBlocksSkew(t *testing.T) {
	const runs, days = 400, 120
	rng := rand.New(rand.NewPCG(7, 8))
	covered, farther := 0, 0
	for range runs {
		periods := make([]Period, days)
		for k := range periods {
			e := rng.ExpFloat64()
			periods[k] = Period{N: 1, Difference: e*e - 2}
		}
		i, err := differenceOf(periods, Bootstrap{Replicates: 200, Seed: rng.Uint64(), Confidence: 0.95})
		if err != nil {
			t.Fatal(err)
		}
		if i.Low <= 0 && 0 <= i.High {
			covered++
		}
		if i.High-i.Estimate > 1.001*(i.Estimate-i.Low) {
			farther++
		}
		if (i.P < 0.05) != (i.Low > 0 || i.High < 0) {
			t.Fatalf("%+v: P and the interval do not agree", i)
		}
	}
	if share := float64(covered) / runs; share < 0.90 || share > 0.98 {
		t.Errorf("the intervals hold the mean in %.3f of the runs", share)
	}
	if farther < 0.8*runs {
		t.Errorf("%d of %d intervals reach farther up", farther, runs)
	}
	for _, skew := range []float64{-1.5, -0.2, -1e-9, 0, 1e-9, 0.3, 1} {
		for _, x := range []float64{-4, -1, 0, 0.5, 2, 6} {
			if got := withoutSkew(skewedT(x, skew), skew); math.Abs(got-x) > 1e-8 {
				t.Errorf("skewness %v: %v comes back as %v", skew, x, got)
			}
		}
	}
}

func TestMovingBlocksOdd(t *testing.T) {
	b := Bootstrap{Replicates: 100, Confidence: 0.95}
	one, err := differenceOf([]Period{{N: 4, Difference: 10}}, b)
	if err != nil || one.Estimate != 2.5 || !math.IsInf(one.Low, -1) || !math.IsInf(one.High, 1) || one.P != 1 {
		t.Errorf("one period: %+v, %v", one, err)
	}
	for _, days := range []int{2, 9, 29} { // 29 days are 10 blocks of 3, the last of which has 2
		few := slices.Repeat([]Period{{N: 1, Difference: 3}}, days)
		i, err := differenceOf(few, b)
		if none := math.IsInf(i.Low, -1) && math.IsInf(i.High, 1) && i.P == 1; err != nil || none != (days < 28) {
			t.Errorf("%d days: %+v, %v", days, i, err)
		}
	}
	same := slices.Repeat([]Period{{N: 2, Difference: 6}}, 30)
	if i, err := differenceOf(same, b); err != nil || i.Low != 3 || i.High != 3 || i.Estimate != 3 || i.N != 60 || !(math.Abs(i.P-1.0/512) <= 1e-12) {
		t.Errorf("no spread: %+v, %v", i, err)
	}
	if i, err := differenceOf(slices.Repeat([]Period{{N: 2, Difference: 0}}, 30), b); err != nil || i.Low != 0 || i.High != 0 || i.P != 1 {
		t.Errorf("no difference: %+v, %v", i, err)
	}
	// All of a hundred things in one block, and one in each of eleven others: these hardly count, so the interval is very wide.
	packed := make([]Period, 100)
	for k := range packed {
		if k%9 == 0 {
			packed[k] = Period{N: 1, Difference: 1}
		}
	}
	packed[50] = Period{N: 100, Difference: 300}
	if i, err := differenceOf(packed, b); err != nil || i.Effective > 1.5 || i.P < 0.2 {
		t.Errorf("packed: %+v, %v", i, err)
	}
	for _, c := range []struct {
		periods []Period
		b       Bootstrap
	}{
		{nil, b}, {[]Period{{N: 0, Difference: 0}}, b}, {same, Bootstrap{Confidence: 0.95}}, {same, Bootstrap{Replicates: 99, Confidence: 0.9}},
		{same, Bootstrap{Replicates: 100, Confidence: 1}}, {[]Period{{N: 1, Difference: math.NaN()}}, b}, {[]Period{{N: -1, Difference: 0}}, b},
	} {
		if _, err := differenceOf(c.periods, c.b); err == nil {
			t.Errorf("%v, %+v: expected an error", c.periods, c.b)
		}
	}
}

// TestBlockLength: blocks grow as the cube root, leave ten, and have at least three periods.
func TestBlockLength(t *testing.T) {
	for periods, want := range map[int]int{1: 3, 20: 3, 30: 3, 60: 6, 120: 8, 340: 11, 1000: 15} {
		if got := BlockLength(periods); got != want {
			t.Errorf("%d periods: blocks of %d, expected %d", periods, got, want)
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

// ratioOf draws replicates for the periods and makes the interval of the ratio.
func ratioOf(periods []Period, b Bootstrap) (BlockDifference, error) {
	m, err := NewMovingBlocks(len(periods), b)
	if err != nil {
		return BlockDifference{}, err
	}
	return m.Ratio(periods)
}

// TestRatioByHand: blocks of one period are drawn independently, so the variance of the linearised logarithm is that of the periods times their number.
func TestRatioByHand(t *testing.T) {
	first := []float64{4, 0, 7, 1, 3, 3, 9, 2, 5, 6, 1, 8}
	second := []float64{5, 1, 6, 2, 0, 4, 9, 1, 8, 5, 2, 6.5}
	periods, a, b := make([]Period, len(first)), 0.0, 0.0
	for k := range periods {
		periods[k] = Period{N: 2, Difference: second[k] - first[k], First: first[k]}
		a, b = a+first[k], b+second[k]
	}
	variance, weights := 0.0, 0.0
	for k := range periods {
		residual := (second[k] - b/a*first[k]) / b
		variance += residual * residual
		w := (first[k]/a + second[k]/b) / 2
		weights += w * w
	}
	effective := 1 / weights
	want := math.Sqrt(variance * effective / (effective - 1))
	got, err := ratioOf(periods, Bootstrap{Block: 1, Replicates: 200_000, Seed: 1, Confidence: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.SD-want) > 0.01*want || math.Abs(got.Effective-effective) > 1e-12 || got.Blocks != 12 || math.Abs(got.Estimate-b/a) > 1e-12 || got.N != 24 {
		t.Errorf("%+v, expected a ratio of %v, a deviation of %v and effectively %v blocks", got, b/a, want, effective)
	}
	// Student's t by its tail: beyond each end lie 5 %, and beyond the ratio P/2.
	for _, end := range []float64{got.Low, got.High} {
		if tail := StudentTail(math.Abs(math.Log(end/got.Estimate))/got.SD, effective-1); math.Abs(tail-0.05) > 1e-9 {
			t.Errorf("beyond %v lie %v, expected 0.05", end, tail)
		}
	}
	if p := 2 * StudentTail(math.Abs(math.Log(got.Estimate))/got.SD, effective-1); math.Abs(got.P-p) > 1e-12 {
		t.Errorf("P %v, expected %v", got.P, p)
	}
	// The other way round everything is reciprocal.
	swapped := make([]Period, len(periods))
	for k := range periods {
		swapped[k] = Period{N: 2, Difference: first[k] - second[k], First: second[k]}
	}
	back, err := ratioOf(swapped, Bootstrap{Block: 1, Replicates: 200_000, Seed: 1, Confidence: 0.9})
	if err != nil || math.Abs(back.Low*got.High-1) > 1e-9 || math.Abs(back.High*got.Low-1) > 1e-9 || math.Abs(back.P-got.P) > 1e-9 {
		t.Errorf("%+v, %v; expected the reciprocal of %+v", back, err, got)
	}
}

// TestRatioOdd: there is no interval where there is no ratio or too little of what it is made of; equal ratios in every period leave no doubt but that of few blocks.
func TestRatioOdd(t *testing.T) {
	b := Bootstrap{Replicates: 100, Confidence: 0.95}
	none := func(i BlockDifference) bool { return i.Low == 0 && math.IsInf(i.High, 1) && i.P == 1 }
	if i, err := ratioOf(slices.Repeat([]Period{{N: 1, Difference: 3}}, 60), b); err != nil || !none(i) || !math.IsInf(i.Estimate, 1) {
		t.Errorf("the first all 0: %+v, %v", i, err)
	}
	if i, err := ratioOf(slices.Repeat([]Period{{N: 1, Difference: -3, First: 3}}, 60), b); err != nil || !none(i) || i.Estimate != 0 {
		t.Errorf("the second all 0: %+v, %v", i, err)
	}
	if i, err := ratioOf(slices.Repeat([]Period{{N: 1}}, 60), b); err != nil || !none(i) || !math.IsNaN(i.Estimate) {
		t.Errorf("both 0: %+v, %v", i, err)
	}
	if i, err := ratioOf(slices.Repeat([]Period{{N: 1, Difference: 1, First: 1}}, 20), b); err != nil || !none(i) || i.Estimate != 2 {
		t.Errorf("few blocks: %+v, %v", i, err)
	}
	same := slices.Repeat([]Period{{N: 2, Difference: 6, First: 2}}, 60)
	if i, err := ratioOf(same, b); err != nil || math.Abs(i.Low-4) > 1e-12 || math.Abs(i.High-4) > 1e-12 || math.Abs(i.P-1.0/512) > 1e-12 {
		t.Errorf("always four times: %+v, %v", i, err)
	}
	same[30] = Period{N: 1, Difference: -500, First: 1000} // more than all the other days together
	if i, err := ratioOf(same, b); err != nil || !none(i) || i.Effective > 2 {
		t.Errorf("one day makes the mean: %+v, %v", i, err)
	}
	for _, first := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := ratioOf([]Period{{N: 1, First: first}}, b); err == nil {
			t.Errorf("first sum %v: expected an error", first)
		}
	}
}

// TestRatioOfManyUsers: of 54 users whose waits under both policies have one distribution, Holm's correction names one falsely in about 5 % of the runs, also where one day in a
// hundred makes most of the mean.
func TestRatioOfManyUsers(t *testing.T) {
	race.OneGoroutine(t)
	const runs = 200
	for _, disasters := range []float64{0, 0.01} {
		wrong := 0
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 9))
			m, err := NewMovingBlocks(340, Bootstrap{Replicates: 300, Seed: seed, Confidence: 0.95})
			if err != nil {
				t.Fatal(err)
			}
			var p []float64
			for range 54 {
				periods := make([]Period, 340)
				for k := range periods {
					n := int(rng.ExpFloat64() * 3)
					wait := func() float64 {
						x := rng.ExpFloat64()
						if rng.Float64() < disasters {
							x += rng.ExpFloat64() * 100
						}
						return float64(n) * x
					}
					first := wait()
					periods[k] = Period{N: n, Difference: wait() - first, First: first}
				}
				i, err := m.Ratio(periods)
				if err != nil {
					t.Fatal(err)
				}
				p = append(p, i.P)
			}
			adjusted, err := Holm(p)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Min(adjusted) <= 0.05 {
				wrong++
			}
		}
		if wrong == 0 || wrong > runs/8 {
			t.Errorf("disasters on %v of the days: a user is named in %d of %d runs", disasters, wrong, runs)
		}
	}
}
