package statistics_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// Along the axis of evaluations the same run has another moment of success. Incumbents whose evaluations fall are refused along
// that axis only.
func TestAxes(t *testing.T) {
	run := []model.Incumbent{{Elapsed: 2, Evaluations: 100, Objective: 200}, {Elapsed: 5, Evaluations: 500, Objective: 100}}
	for name, c := range map[string]struct {
		along statistics.Axis
		at    float64
	}{"seconds": {statistics.Seconds, 5}, "evaluations": {statistics.Evaluations, 500}} {
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
