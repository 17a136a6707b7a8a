package verdict_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/papers/verdict"
)

// interval is an interval around its middle.
func interval(low, high float64) statistics.Interval {
	return statistics.Interval{N: 9, Estimate: (low + high) / 2, Low: low, High: high}
}

// The rule of a percentage, case by case, worked by hand. A quarter of 12.1 is 3.025; of 6 it is 1.5; of 2.27 it is 0.5675, so the width is 1 point.
func TestPercentage(t *testing.T) {
	for _, test := range []struct {
		paper, low, high float64
		want             verdict.Verdict
		reason           string
	}{
		{-12.1, -13, -11, verdict.Replicates, ""},      // the paper's number is in the interval
		{-12.1, -10, -9.2, verdict.Replicates, ""},     // 9.6 is 20.7 % off
		{-12.1, -15.12, -9.08, verdict.Replicates, ""}, // half width 3.02, just below a quarter
		{-12.1, -15.13, -9.07, verdict.Undecided, "the direction is the paper's, but the interval is wider than ±3.02 points"}, // a little wider
		{-12.1, -20, -5, verdict.Undecided, "the direction is the paper's, but the interval is wider than ±3.02 points"},       // holds the paper's number all the same
		{-56.7, -60, -30, verdict.Undecided, "the direction is the paper's, but the interval is wider than ±14.2 points"},
		{-4.23, -47.2, -34.6, verdict.Undecided, "the direction is the paper's and the size is not, but the interval is wider than ±1.06 points"},
		{-12.1, -9, -8, verdict.DirectionOnly, "smaller than the paper's"},  // 8.5 is 30 % off
		{-12.1, -31, -29, verdict.DirectionOnly, "larger than the paper's"}, //
		{-12.1, -0.2, -0.1, verdict.DirectionOnly, "smaller than the paper's"},
		{-12.1, -1, 0, verdict.Fails, "no difference is shown"}, // 0 itself
		{-12.1, -1, 2, verdict.Fails, "no difference is shown"},
		{-12.1, -20, 3, verdict.Undecided, "the interval is wider than ±3.02 points"},
		{-12.1, 3, 5, verdict.Fails, "the opposite is shown"},
		{-12.1, 3, 50, verdict.Fails, "the opposite is shown"}, // whatever the width
		{6, 5.5, 6.1, verdict.Replicates, ""},
		{6, 7, 7.9, verdict.Replicates, ""},                             // 7.45 is 24.2 % off
		{6, 7.6, 7.9, verdict.DirectionOnly, "larger than the paper's"}, // 7.75 is 29.2 % off
		{6, -7.9, -7, verdict.Fails, "the opposite is shown"},
		{6, math.Inf(-1), math.Inf(1), verdict.Undecided, "the interval is wider than ±1.5 points"}, // one repetition
		{-8, -10, -10, verdict.Replicates, ""},                                                      // exactly a quarter off, without spread
		{-8, -10 - 1e-9, -10 - 1e-9, verdict.DirectionOnly, "larger than the paper's"},
		{2.27, 2, 3.9, verdict.Replicates, ""}, // half width 0.95, below a point
		{2.27, 2, 4.1, verdict.Undecided, "the direction is the paper's, but the interval is wider than ±1 points"},
		{1.5, -0.1, 1.6, verdict.Undecided, "the interval holds 0 and the paper's number"},
	} {
		ours := interval(test.low, test.high)
		if math.IsInf(test.low, 0) {
			ours.Estimate = test.paper
		}
		got, reason := verdict.Percentage(test.paper, ours)
		if got != test.want || reason != test.reason {
			t.Errorf("paper %v, ours %v to %v: %s (%s), want %s (%s)", test.paper, test.low, test.high, got, reason, test.want, test.reason)
		}
	}
}

// Fewer repetitions never turn a percentage into a success: a wider interval around the same estimate does not replicate where the narrower one did
// not. For numbers under 4 %, where the least width of a point rules, a success is never farther off than that point.
func TestPercentageProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paper := rapid.OneOf(rapid.Float64Range(0.01, 4), rapid.Float64Range(4, 300)).Draw(t, "paper")
		if rapid.Bool().Draw(t, "less") {
			paper = -paper
		}
		estimate := paper * rapid.Float64Range(-2, 3).Draw(t, "estimate")
		half := math.Abs(paper) * rapid.Float64Range(0, 1.5).Draw(t, "half")
		wider := half + math.Abs(paper)*rapid.Float64Range(0, 1.5).Draw(t, "more")
		narrow, _ := verdict.Percentage(paper, interval(estimate-half, estimate+half))
		wide, _ := verdict.Percentage(paper, interval(estimate-wider, estimate+wider))
		if wide == verdict.Replicates {
			limit := max(1, math.Abs(paper)/4) * (1 + 1e-9)
			if math.Abs(estimate-paper) > limit || wider > limit || estimate*paper < 0 {
				t.Fatalf("paper %v: %v ± %v replicates", paper, estimate, wider)
			}
			if math.Abs(paper) >= 4.001 && narrow != verdict.Replicates && math.Abs(math.Abs(estimate-paper)-math.Abs(paper)/4) > 1e-6 {
				t.Fatalf("paper %v: %v ± %v replicates, but ± %v is %s", paper, estimate, wider, half, narrow)
			}
		}
		if one, _ := verdict.Percentage(paper, statistics.Interval{N: 1, Estimate: paper, Low: math.Inf(-1), High: math.Inf(1)}); one != verdict.Undecided {
			t.Fatalf("a single repetition is %s", one)
		}
	})
}

// The forms that need every point: a sign, a limit.
func TestPoints(t *testing.T) {
	at := func(intervals ...float64) (list []verdict.At) {
		for k := 0; k < len(intervals); k += 2 {
			list = append(list, verdict.At{Point: string(rune('a' + k/2)), Value: interval(intervals[k], intervals[k+1])})
		}
		return list
	}
	for _, test := range []struct {
		claimed verdict.Direction
		at      []verdict.At
		want    verdict.Verdict
		reason  string
	}{
		{verdict.Less, at(-3, -1, -9, -8), verdict.Replicates, ""},
		{verdict.More, at(1, 3, 8, 9), verdict.Replicates, ""},
		{verdict.Less, at(-3, -1, -9, 8), verdict.Undecided, "the interval holds 0 at b; shown at 1 of 2 points"},
		{verdict.Less, at(-3, -1, -0.5, 0.5), verdict.Fails, "no difference is shown at b; shown at 1 of 2 points"}, // within a point of 0
		{verdict.Less, at(-3, -1, 2, 8), verdict.Fails, "the opposite is shown at b; shown at 1 of 2 points"},
		{verdict.More, at(-3, -1, -3, -1, -3, -1), verdict.Fails, "the opposite is shown at every point"},
		{verdict.More, nil, verdict.Undecided, ""},
	} {
		if got, reason := verdict.Signs(test.claimed, test.at); got != test.want || reason != test.reason {
			t.Errorf("signs %v of %v: %s (%s), want %s (%s)", test.claimed, test.at, got, reason, test.want, test.reason)
		}
	}
	for _, test := range []struct {
		claimed verdict.Direction
		at      []verdict.At
		want    verdict.Verdict
	}{
		{verdict.Less, at(1, 2, 1, 2.5), verdict.Replicates},
		{verdict.Less, at(1, 2, 1, 2.6), verdict.Undecided},
		{verdict.Less, at(1, 2, 2.6, 2.7), verdict.Fails},
		{verdict.More, at(3, 4), verdict.Replicates},
		{verdict.More, at(1, 2), verdict.Fails},
		{verdict.More, at(1, 4), verdict.Undecided},
	} {
		if got, reason := verdict.Limits(test.claimed, 2.5, test.at); got != test.want {
			t.Errorf("limit %v of %v: %s (%s), want %s", test.claimed, test.at, got, reason, test.want)
		}
	}
}

// A direction: an interval that holds 0 is undecided, unless it is so narrow that a difference is excluded.
func TestDifference(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      verdict.Verdict
	}{{0.1, 9, verdict.Replicates}, {-9, -0.1, verdict.Fails}, {-0.5, 0.5, verdict.Fails}, {-0.5, 1.5, verdict.Undecided}, {0, 9, verdict.Undecided}} {
		if got, _ := verdict.Difference(verdict.More, interval(test.low, test.high)); got != test.want {
			t.Errorf("%v to %v: %s, want %s", test.low, test.high, got, test.want)
		}
	}
	if got, _ := verdict.Correlation(verdict.More, interval(-0.5, 0.5)); got != verdict.Undecided {
		t.Errorf("a τ between −0.5 and 0.5 is %s", got)
	}
	if got, _ := verdict.Correlation(verdict.Less, interval(-0.05, 0.05)); got != verdict.Fails {
		t.Errorf("a τ between −0.05 and 0.05 is %s", got)
	}
}

// meanOf is the mean with the rule's interval.
func meanOf(values []float64) statistics.Interval {
	i, err := statistics.Mean(values, verdict.Confidence)
	if err != nil {
		panic(err)
	}
	return i
}
