package statistics_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// Berthold (2013), section 2: the cases of the definition, and what is ours beyond it.
func TestPrimalGapBerthold(t *testing.T) {
	for _, c := range []struct{ objective, best, want float64 }{
		{0, 0, 0},             // |opt| = |c·x| = 0
		{1, -1, 1},            // opt · c·x < 0
		{125, 100, 0.2},       // |opt − c·x|/max
		{-100, -125, 0.2},     // the greater size is the best's
		{5, 0, 1},             // beside 0
		{0, -5, 1},            // up to 0
		{100, 100, 0},         // reached
		{90, 100, 0},          // beaten, which is ours
		{-130, -125, 0},       //
		{-1, 1, 0},            // beaten across 0
		{nan, 3, 1},           // no objective
		{inf, 3, 1},           //
		{1e308, -1e308, 1},    // where the difference overflows
		{1e308, 1e-308, 1},    // to the last digit
		{4e-320, 2e-320, 0.5}, // subnormal
	} {
		got, err := statistics.PrimalGap(c.objective, c.best)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "gap", got, c.want, 1e-3*1e-12)
	}
	for _, best := range []float64{nan, inf, -inf} {
		_, err := statistics.PrimalGap(1, best)
		refused(t, "best", err, "best[0]: expected a finite number")
	}
}

// By hand: nothing until 2, then 200 until 5, then 125 until 8, then the optimum 100 until 10: 2·1 + 3·0.5 + 3·0.2 + 2·0 = 4.1.
func TestPrimalIntegralBerthold(t *testing.T) {
	incumbents := []model.Incumbent{{Elapsed: 2, Objective: 200}, {Elapsed: 5, Objective: 125}, {Elapsed: 8, Objective: 100}}
	for limit, want := range map[float64]float64{10: 4.1, 8: 4.1, 7: 3.9, 2: 2, 1: 1, 3: 2.5, 100: 4.1} {
		got, err := statistics.PrimalIntegral(incumbents, statistics.Seconds, 100, limit)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "integral", got, want, 1e-15)
	}
	got, err := statistics.PrimalIntegral(nil, statistics.Seconds, 100, 10)
	if err != nil || got != 10 {
		t.Errorf("nothing found: %v, %v", got, err)
	}
	got, err = statistics.PrimalIntegral([]model.Incumbent{{Elapsed: 0, Objective: -50}, {Elapsed: 4, Objective: -100}}, statistics.Seconds, -100, 10) // 4·0.5
	if err != nil || got != 2 {
		t.Errorf("negative objectives: %v, %v", got, err)
	}
	got, err = statistics.PrimalIntegral([]model.Incumbent{{Elapsed: 2, Objective: 125}, {Elapsed: 3, Objective: 200}, {Elapsed: 3, Objective: nan}, {Elapsed: 6, Objective: 100}}, statistics.Seconds, 100, 10) // 2 + 4·0.2
	if err != nil {
		t.Fatal(err)
	}
	near(t, "a worse one later", got, 2.8, 1e-15)

	for _, limit := range []float64{0, -1, nan, inf} {
		_, err := statistics.PrimalIntegral(incumbents, statistics.Seconds, 100, limit)
		refused(t, "limit", err, "limit: expected a finite number above 0")
	}
	_, err = statistics.PrimalIntegral(incumbents, statistics.Seconds, nan, 10)
	refused(t, "best", err, "best")
	for _, bad := range [][]model.Incumbent{{{Elapsed: -1, Objective: 5}}, {{Elapsed: nan, Objective: 5}}, {{Elapsed: inf, Objective: 5}}} {
		_, err = statistics.PrimalIntegral(bad, statistics.Seconds, 100, 10)
		refused(t, "times", err, "incumbents[0]: expected it at a finite number of at least 0")
	}
	_, err = statistics.PrimalIntegral([]model.Incumbent{{Elapsed: 3, Objective: 5}, {Elapsed: 2, Objective: 4}}, statistics.Seconds, 1, 10)
	refused(t, "falling times", err, "incumbents[1]: expected it at a finite number of at least 3, found it at 2")
}

// Along the axis of evaluations the same run has another area and another moment of success. Incumbents whose evaluations fall are refused along
// that axis only.
func TestAxes(t *testing.T) {
	run := []model.Incumbent{{Elapsed: 2, Evaluations: 100, Objective: 200}, {Elapsed: 5, Evaluations: 500, Objective: 100}}
	for name, c := range map[string]struct {
		along           statistics.Axis
		limit, at, area float64
	}{"seconds": {statistics.Seconds, 10, 5, 2 + 3*0.5}, "evaluations": {statistics.Evaluations, 1000, 500, 100 + 400*0.5}} {
		area, err := statistics.PrimalIntegral(run, c.along, 100, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name, area, c.area, 1e-15)
		if at, err := statistics.Spent(run, c.along, 200, 100, 0.1); err != nil || at != c.at {
			t.Errorf("%s: spent %v, %v; expected %v", name, at, err, c.at)
		}
	}
	run[1].Evaluations = 99
	if _, err := statistics.Spent(run, statistics.Seconds, 200, 100, 0.1); err != nil {
		t.Error(err)
	}
	_, err := statistics.Spent(run, statistics.Evaluations, 200, 100, 0.1)
	refused(t, "falling evaluations", err, "incumbents[1]: expected it at a finite number of at least 100, found it at 99")
}

// anyRun draws the incumbents of a run with rising times.
func anyRun(t *rapid.T) []model.Incumbent {
	at := rapid.SliceOfN(rapid.Float64Range(0, 20), 0, 8).Draw(t, "at")
	slices.Sort(at)
	run := make([]model.Incumbent, len(at))
	for i := range run {
		run[i] = model.Incumbent{Elapsed: at[i], Evaluations: int64(at[i]), Objective: rapid.Float64Range(-10, 10).Draw(t, "objective")}
	}
	return run
}

func TestPrimalIntegralProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, best := anyRun(t), rapid.Float64Range(-10, 10).Draw(t, "best")
		limit := rapid.Float64Range(0.5, 25).Draw(t, "limit")
		got, err := statistics.PrimalIntegral(run, statistics.Seconds, best, limit)
		if err != nil {
			t.Fatal(err)
		}
		if got < 0 || got > limit*(1+1e-12) {
			t.Fatalf("%v over %v", got, limit)
		}
		// Slowly: the gap of the best so far at the middle of many small steps between all times.
		times := []float64{0, limit}
		for _, i := range run {
			if i.Elapsed < limit {
				times = append(times, i.Elapsed)
			}
		}
		slices.Sort(times)
		area := 0.0
		for i := 1; i < len(times); i++ {
			middle, gap := (times[i-1]+times[i])/2, 1.0
			for _, incumbent := range run {
				if incumbent.Elapsed <= middle {
					g, _ := statistics.PrimalGap(incumbent.Objective, best)
					gap = min(gap, g)
				}
			}
			area += gap * (times[i] - times[i-1])
		}
		near(t, "integral", got, area, 1e-12)
		// Objective and best in another unit, time in another.
		scaled := slices.Clone(run)
		for i := range scaled {
			scaled[i].Elapsed *= 8
			scaled[i].Objective *= 4
		}
		again, _ := statistics.PrimalIntegral(scaled, statistics.Seconds, best*4, limit*8)
		near(t, "scaled", again, 8*got, 1e-14)
	})
}

// Moré and Wild (2009), the test of convergence, by hand: from 100 to 20 at best, a tenth of the way is left at 28.
func TestSpentMoreWild(t *testing.T) {
	run := []model.Incumbent{{Elapsed: 1, Objective: 90}, {Elapsed: 4, Objective: 28}, {Elapsed: 9, Objective: 20}}
	for tolerance, want := range map[float64]float64{0.9: 1, 0.1: 4, 0.0999: 9, 0: 9} {
		if got, err := statistics.Spent(run, statistics.Seconds, 100, 20, tolerance); err != nil || got != want {
			t.Errorf("tolerance %v: %v, %v, expected %v", tolerance, got, err, want)
		}
	}
	if got, err := statistics.Spent(run, statistics.Seconds, 100, 19, 0.001); err != nil || got != inf {
		t.Errorf("never: %v, %v", got, err)
	}
	if got, err := statistics.Spent([]model.Incumbent{{Elapsed: 0, Objective: nan}, {Elapsed: 2, Objective: -1.7e308}}, statistics.Seconds, 1.7e308, -1.7e308, 0.5); err != nil || got != 2 {
		t.Errorf("extremes: %v, %v", got, err)
	}
	if got, err := statistics.Spent([]model.Incumbent{{Elapsed: 3, Objective: 0.1}}, statistics.Seconds, 0.1, 0.1, 0.3); err != nil || got != 3 {
		t.Errorf("start is best: %v, %v", got, err)
	}
	_, err := statistics.Spent(run, statistics.Seconds, 10, 20, 0.1)
	refused(t, "start", err, "start: expected a number of at least best, 20, found 10")
	_, err = statistics.Spent(run, statistics.Seconds, nan, 20, 0.1)
	refused(t, "start", err, "finite")
	for _, tolerance := range []float64{-0.1, 1, nan} {
		_, err = statistics.Spent(run, statistics.Seconds, 100, 20, tolerance)
		refused(t, "tolerance", err, "tolerance")
	}
	_, err = statistics.Spent([]model.Incumbent{{Elapsed: 2, Objective: 1}, {Elapsed: 1, Objective: 1}}, statistics.Seconds, 100, 20, 0.1)
	refused(t, "times", err, "incumbents[1]: expected")
}

func TestSpentRisesAsToleranceFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun(t)
		tolerances := rapid.SliceOfN(rapid.Float64Range(0, 0.99), 2, 2).Draw(t, "tolerances")
		slices.Sort(tolerances)
		strict, errA := statistics.Spent(run, statistics.Seconds, 10, -10, tolerances[0])
		loose, errB := statistics.Spent(run, statistics.Seconds, 10, -10, tolerances[1])
		if errA != nil || errB != nil || strict < loose {
			t.Fatalf("%v at %v, %v at %v", strict, tolerances[0], loose, tolerances[1])
		}
		if moved := slices.Clone(run); !math.IsInf(strict, 1) { // objectives of any sign: twice as large, all the same
			for i := range moved {
				moved[i].Objective *= 2
			}
			if again, _ := statistics.Spent(moved, statistics.Seconds, 20, -20, tolerances[0]); again != strict {
				t.Fatalf("%v, scaled %v", strict, again)
			}
		}
	})
}
