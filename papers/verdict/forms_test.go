package verdict_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/papers/verdict"
)

// samples makes points at the places of x, one panel; values are by point, then by repetition.
func samples(x []float64, values ...[]float64) (list []verdict.Sample) {
	for k := range x {
		list = append(list, verdict.Sample{Point: string(rune('a' + k)), X: x[k], Values: values[k]})
	}
	return list
}

// drawn makes points of random values in two panels.
func drawn(t *rapid.T) []verdict.Sample {
	repetitions := rapid.IntRange(1, 5).Draw(t, "repetitions")
	var list []verdict.Sample
	for _, panel := range []string{"one", "two"} {
		for k := range rapid.IntRange(2, 6).Draw(t, panel) {
			values := rapid.SliceOfN(rapid.Float64Range(-100, 100), repetitions, repetitions).Draw(t, "values")
			list = append(list, verdict.Sample{Panel: panel, X: float64(k*k + 1), Values: values})
		}
	}
	return list
}

// Kendall's τ is that of counting all ordered pairs of a panel.
func TestCorrelationsAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawn(t)
		got, ok := verdict.Correlations(at)
		if !ok {
			t.Fatal("no correlation")
		}
		for i := range got {
			sum, pairs := 0.0, 0.0
			for k := range at {
				for l := range k {
					if at[k].Panel != at[l].Panel {
						continue
					}
					pairs++
					switch product := (at[k].X - at[l].X) * (at[k].Values[i] - at[l].Values[i]); {
					case product > 0:
						sum++
					case product < 0:
						sum--
					}
				}
			}
			if math.Abs(got[i]-sum/pairs) > 1e-9 {
				t.Fatalf("repetition %d: τ %v, want %v", i, got[i], sum/pairs)
			}
		}
	})
	if _, ok := verdict.Correlations(samples([]float64{1}, []float64{1, 2})); ok {
		t.Error("one point has a correlation")
	}
}

// The change over the axis is the slope of gonum's regression times the length. In two panels of the same slope and other levels it is that slope.
func TestChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawn(t)
		var one []verdict.Sample
		var x, y []float64
		for _, s := range at {
			if s.Panel == "one" {
				one, x, y = append(one, s), append(x, s.X), append(y, s.Values[0])
			}
		}
		_, slope := stat.LinearRegression(x, y, nil, false)
		got, ok := verdict.Changes(one)
		if want := slope * (x[len(x)-1] - x[0]); !ok || math.Abs(got[0]-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("change %v, want %v", got[0], want)
		}
		level := map[string]float64{"one": 5, "two": -70}
		for k := range at {
			at[k].Values = []float64{level[at[k].Panel] + 3*at[k].X}
		}
		length := 0.0
		for k := range at {
			length = max(length, at[k].X-1)
		}
		if got, ok := verdict.Changes(at); !ok || math.Abs(got[0]-3*length) > 1e-9*(1+3*length) {
			t.Fatalf("two panels change by %v, want %v", got[0], 3*length)
		}
	})
	// By hand: at 40, 60, 100 the values 1, 3, 2. Mean x is 66.67, Sxx = 1866.67, Sxy = 20; 60·20/1866.67 = 0.642857.
	if got, _ := verdict.Changes(samples([]float64{40, 60, 100}, []float64{1}, []float64{3}, []float64{2})); math.Abs(got[0]-0.6428571428571429) > 1e-12 {
		t.Errorf("by hand the change is 0.642857, found %v", got[0])
	}
	if _, ok := verdict.Changes(samples([]float64{4, 4}, []float64{1}, []float64{2})); ok {
		t.Error("one place has a change")
	}
}

// A trend looks at all points, not only at the ends: a line that falls from a high first point and then rises has no upward trend by its ends.
func TestTrendOfAllPoints(t *testing.T) {
	at := samples([]float64{1, 2, 3, 4, 5}, []float64{0}, []float64{-8}, []float64{-6}, []float64{-4}, []float64{1})
	changes, _ := verdict.Changes(at)
	if taus, _ := verdict.Correlations(at); math.Abs(changes[0]-2.4) > 1e-12 || math.Abs(taus[0]-0.4) > 1e-12 {
		t.Errorf("change %v and τ %v, want 2.4 and 0.4", changes[0], taus[0]) // 4·((−2)·0 + 8 + 0 − 4 + 2)/10; 7 pairs rise, 3 fall
	}
}

// noisy are repetitions around a mean with the same spread: ±1, ±1, …, whose SD for n even is √(n/(n−1)).
func noisy(mean, spread float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = mean + spread*float64(1-2*(i%2))
	}
	return list
}

// Two one-sided tests against tabulated quantiles: 10 values of SD 1.0541 have the standard error 1/3; t(0.95, 9) = 1.8331, so a mean of 0 is
// equivalent within 0.6111 and not within 0.6110. t(0.975, 9) = 2.2622: from a mean of margin + 0.7541 on, the interval is outside.
func TestEquivalent(t *testing.T) {
	for _, test := range []struct {
		mean, margin float64
		want         verdict.Verdict
	}{
		{0, 0.6112, verdict.Replicates}, {0, 0.6109, verdict.Undecided}, {0.3, 0.9112, verdict.Replicates}, {-0.3, 0.9109, verdict.Undecided},
		{5 + 0.7542, 5, verdict.Fails}, {-5 - 0.7542, 5, verdict.Fails}, {5 + 0.7539, 5, verdict.Undecided},
	} {
		got, reason, err := verdict.Equivalent(test.margin, samples([]float64{1}, noisy(test.mean, 1, 10)))
		if err != nil || got != test.want {
			t.Errorf("mean %v within %v: %s (%s), %v; want %s", test.mean, test.margin, got, reason, err, test.want)
		}
	}
	one := samples([]float64{1}, []float64{0})
	if got, _, _ := verdict.Equivalent(5, one); got != verdict.Undecided {
		t.Errorf("a single repetition is %s", got)
	}
	both := samples([]float64{1, 2}, noisy(0, 1, 10), noisy(9, 1, 10))
	if got, reason, _ := verdict.Equivalent(5, both); got != verdict.Fails || reason != "a difference of more than 5 is shown at b" {
		t.Errorf("one point outside: %s (%s)", got, reason)
	}
}

// A peak is between the ends and beyond both.
func TestPeak(t *testing.T) {
	x := []float64{40, 100, 160}
	for _, test := range []struct {
		name    string
		claimed verdict.Direction
		at      []verdict.Sample
		want    verdict.Verdict
	}{
		{"rises and falls", verdict.More, samples(x, noisy(15, 1, 10), noisy(57, 1, 10), noisy(13, 1, 10)), verdict.Replicates},
		{"the same of negative numbers", verdict.Less, samples(x, noisy(-15, 1, 10), noisy(-57, 1, 10), noisy(-13, 1, 10)), verdict.Replicates},
		{"rises only", verdict.More, samples(x, noisy(15, 1, 10), noisy(57, 1, 10), noisy(70, -1, 10)), verdict.Fails},
		{"is lost in the noise", verdict.More, samples(x, noisy(15, 30, 10), noisy(20, -30, 10), noisy(13, 30, 10)), verdict.Undecided},
		{"two points", verdict.More, samples(x[:2], noisy(15, 1, 10), noisy(57, 1, 10)), verdict.Undecided},
		{"one repetition", verdict.More, samples(x, []float64{1}, []float64{9}, []float64{1}), verdict.Undecided},
	} {
		if got, reason, err := verdict.Peak(test.claimed, test.at); err != nil || got != test.want {
			t.Errorf("%s: %s (%s), %v; want %s", test.name, got, reason, err, test.want)
		}
	}
}

// The named point is nearer to what the paper states than every other.
func TestNearest(t *testing.T) {
	x := []float64{0, 5, 10}
	for _, test := range []struct {
		at   []verdict.Sample
		want verdict.Verdict
	}{
		{samples(x, noisy(30, 1, 10), noisy(3, 1, 10), noisy(9, 1, 10)), verdict.Replicates},
		{samples(x, noisy(30, 1, 10), noisy(9, 1, 10), noisy(3, 1, 10)), verdict.Fails},
		{samples(x, noisy(30, 1, 10), noisy(3, 9, 10), noisy(4, -9, 10)), verdict.Undecided},
	} {
		if got, reason, err := verdict.Nearest("b", test.at); err != nil || got != test.want {
			t.Errorf("%s (%s), %v; want %s", got, reason, err, test.want)
		}
	}
	if got, _, _ := verdict.Nearest("z", samples(x, noisy(1, 1, 4), noisy(1, 1, 4), noisy(1, 1, 4))); got != verdict.Undecided {
		t.Errorf("a point that is not there is %s", got)
	}
}

// An interaction is a difference of differences: (9 − 4) − (3 − 1) = 3 in the first repetition.
func TestContrast(t *testing.T) {
	at := samples([]float64{1, 2, 3, 4}, []float64{9, 8}, []float64{4, 4}, []float64{3, 1}, []float64{1, 1})
	if got := verdict.Contrast(at, []float64{1, -1, -1, 1}); got[0] != 3 || got[1] != 4 {
		t.Errorf("contrasts %v, want 3 and 4", got)
	}
}

// Fewer repetitions rarely turn a claim that is false into a success: where there is no trend, no difference and no peak, the share of successes
// stays at most the error of a one-sided 97.5 % interval, from two repetitions on. Samples of the same values repeated with a wider spread never
// succeed where the narrow ones did not.
func TestFewRepetitionsGiveNoSuccess(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	const runs = 800
	for _, n := range []int{2, 3, 5, 20} {
		success := map[string]int{}
		for range runs {
			at := samples([]float64{1, 2, 3, 4}, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n))
			for k := range at {
				for i := range n {
					at[k].Values[i] = 10 * rng.NormFloat64()
				}
			}
			changes, _ := verdict.Changes(at)
			if v, _ := verdict.Difference(verdict.More, meanOf(changes)); v == verdict.Replicates {
				success["trend"]++
			}
			if v, _, _ := verdict.Peak(verdict.More, at); v == verdict.Replicates {
				success["peak"]++
			}
			if v, _, _ := verdict.Equivalent(1, at); v == verdict.Replicates {
				success["equivalence"]++
			}
			if v, _ := verdict.Percentage(30, meanOf(at[0].Values)); v == verdict.Replicates {
				success["percentage"]++
			}
		}
		for form, count := range success {
			if share := float64(count) / runs; share > 0.045 {
				t.Errorf("%d repetitions: %s succeeds in %v of runs without an effect", n, form, share)
			}
		}
	}
}
