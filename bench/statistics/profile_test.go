package statistics_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
)

// at is the value of a curve at x.
func at(p statistics.Profile, x float64) float64 {
	value := 0.0
	for i := range p.X {
		if p.X[i] <= x {
			value = p.Y[i]
		}
	}
	return value
}

func TestEmpirical(t *testing.T) {
	got, err := statistics.Empirical([]float64{3, 1, nan, 1, inf, 2, 3, 1})
	want := statistics.Profile{X: []float64{1, 2, 3}, Y: []float64{3.0 / 8, 4.0 / 8, 6.0 / 8}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for x, y := range map[float64]float64{-inf: 0, 0.99: 0, 1: 0.375, 1.5: 0.375, 2: 0.5, 3: 0.75, inf: 0.75} {
		if found := at(got, x); found != y {
			t.Errorf("at %v: %v, expected %v", x, found, y)
		}
	}
	got, err = statistics.Empirical([]float64{inf, nan})
	if err != nil || len(got.X) != 0 || at(got, 1e9) != 0 {
		t.Errorf("all failed: %+v, %v", got, err)
	}
}

// Dolan and Moré (2002), section 2, by hand: three solvers on four problems, one of which nobody solves.
//
//	times        ratios
//	2   4  inf   1    2    -
//	9   3    6   3    1    2
//	5   5   20   1    1    4
//	nan inf inf  -    -    -
func TestPerformanceProfileDolanMore(t *testing.T) {
	got, err := statistics.PerformanceProfile([][]float64{{2, 4, inf}, {9, 3, 6}, {5, 5, 20}, {nan, inf, inf}})
	want := []statistics.Profile{
		{X: []float64{1, 3}, Y: []float64{0.5, 0.75}},
		{X: []float64{1, 2}, Y: []float64{0.5, 0.75}},
		{X: []float64{2, 4}, Y: []float64{0.25, 0.5}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, expected %+v", got, err, want)
	}
	if at(got[2], 1) != 0 || at(got[0], 1e9) != 0.75 {
		t.Error("ρ(1) is the share of wins, the limit the share solved")
	}
}

func TestPerformanceProfileOfZeros(t *testing.T) {
	got, err := statistics.PerformanceProfile([][]float64{{0, 0, 1}, {0, 2, 2}, {1e-300, 1e300, inf}})
	want := []statistics.Profile{
		{X: []float64{1}, Y: []float64{1}},
		{X: []float64{1, math.MaxFloat64}, Y: []float64{1.0 / 3, 2.0 / 3}}, // solved, if at 10⁶⁰⁰ times the cost
		{},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, expected %+v", got, err, want)
	}
	_, err = statistics.PerformanceProfile([][]float64{{1, 2}, {3, -1}})
	refused(t, "a negative cost", err, "costs[1][1]: expected a number ≥ 0, found -1")
	_, err = statistics.PerformanceProfile([][]float64{{}})
	refused(t, "no solver", err, "costs[0]: expected at least one value")
}

func TestPerformanceProfileInvariances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(t, 1)
		got, err := statistics.PerformanceProfile(rows)
		if err != nil {
			t.Fatal(err)
		}
		moved := make([][]float64, len(rows))
		for i, row := range shuffled(t, rows) {
			unit := math.Exp2(float64(rapid.IntRange(-5, 5).Draw(t, "unit")))
			for _, v := range row {
				moved[i] = append(moved[i], v*unit)
			}
		}
		again, err := statistics.PerformanceProfile(moved)
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("%v, moved %v, %v", got, again, err)
		}
		for j, profile := range got {
			solved, best := 0, 0
			for _, row := range rows {
				least := inf
				for _, v := range row {
					if v < least {
						least = v
					}
				}
				solved += btoi(row[j] < inf && (least > 0 || row[j] == 0))
				best += btoi(row[j] < inf && row[j] == least)
			}
			if got, want := at(profile, 1), float64(best)/float64(len(rows)); got != want {
				t.Fatalf("solver %d wins %v, expected %v", j, got, want)
			}
			if got, want := at(profile, inf), float64(solved)/float64(len(rows)); got != want {
				t.Fatalf("solver %d solves %v, expected %v", j, got, want)
			}
			for i := range profile.X {
				if i > 0 && (profile.X[i] <= profile.X[i-1] || profile.Y[i] <= profile.Y[i-1]) {
					t.Fatalf("not rising: %+v", profile)
				}
				count := 0
				for _, row := range rows { // the definition: the share of problems with ratio ≤ x
					least := inf
					for _, v := range row {
						if v < least {
							least = v
						}
					}
					count += btoi(row[j] < inf && (row[j] == least || row[j]/least <= profile.X[i]))
				}
				if want := float64(count) / float64(len(rows)); profile.Y[i] != want {
					t.Fatalf("solver %d at %v: %v, expected %v", j, profile.X[i], profile.Y[i], want)
				}
			}
		}
	})
}

// Moré and Wild (2009), section 2, by hand.
func TestDataProfileMoreWild(t *testing.T) {
	got, err := statistics.DataProfile([][]float64{{2, 10}, {50, nan}})
	want := []statistics.Profile{{X: []float64{2, 50}, Y: []float64{0.5, 1}}, {X: []float64{10}, Y: []float64{0.5}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, expected %+v", got, err, want)
	}
	_, err = statistics.DataProfile([][]float64{{1}, {-2}})
	refused(t, "spent", err, "spent[1][0]: expected a number ≥ 0, found -2")
}

// The data profile of a solver does not depend on the other solvers in the table.
func TestDataProfileOfEachAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(t, 1)
		all, err := statistics.DataProfile(rows)
		if err != nil {
			t.Fatal(err)
		}
		for j := range all {
			alone := make([][]float64, len(rows))
			for i, row := range rows {
				alone[i] = row[j : j+1]
			}
			one, err := statistics.DataProfile(alone)
			if err != nil || !reflect.DeepEqual(one[0], all[j]) {
				t.Fatalf("%+v, alone %+v, %v", all[j], one, err)
			}
		}
	})
}
