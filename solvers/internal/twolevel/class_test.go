package twolevel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// margin = max(0, deadline − estimate − submission).
func TestMargin(t *testing.T) {
	for _, c := range []struct{ deadline, estimate, submission, want float64 }{
		{100, 30, 20, 50}, // 100 − 30 − 20
		{100, 80, 20, 0},  // it must start at once
		{100, 90, 20, 0},  // 100 − 110 < 0: it is late already
		{20, 5, 20, 0},    // the deadline is now
		{20, 0, 20, 0},
		{20, 0, 15, 5},
	} {
		if got := margin(c.deadline, c.estimate, c.submission); got != c.want {
			t.Errorf("margin(%v, %v, %v) = %v, want %v", c.deadline, c.estimate, c.submission, got, c.want)
		}
	}
}

// With mean 1023 and 10 levels 2E = 2046 = 2^11 − 2, so u = 1 and S_k = 2 + 4 + … + 2^k = 2^(k+1) − 2: 0, 2, 6, 14, …, 1022, 2046.
// With mean 7 and 2 levels 2E = 14, u = 14/(2^3 − 2) = 7/3, S = 0, 14/3, 14.
func TestMarginLevel(t *testing.T) {
	for _, c := range []struct {
		margin, mean float64
		levels, want int
	}{
		{0, 1023, 10, 10}, {1.99, 1023, 10, 10}, // [0, 2)
		{2, 1023, 10, 9}, {5.99, 1023, 10, 9}, // [2, 6)
		{6, 1023, 10, 8}, {13.5, 1023, 10, 8}, // [6, 14)
		{1021, 1023, 10, 2}, // [S_8 = 510, S_9 = 1022)
		{1022, 1023, 10, 1}, {2045, 1023, 10, 1},
		{2046, 1023, 10, 0}, {1e9, 1023, 10, 0}, // 2E and more
		{4.66, 7, 2, 2}, {4.67, 7, 2, 1}, {13.9, 7, 2, 1}, {14, 7, 2, 0}, // S_1 = 4.667
		{0.5, 0, 10, 0}, {0, 0, 10, 0}, // E = 0: 2E is reached
		{3, 7, 0, 0}, // no levels
		{3, 7, 1, 1}, // one piece, [0, 14)
	} {
		if got := marginLevel(c.margin, c.mean, c.levels); got != c.want {
			t.Errorf("marginLevel(%v, %v, %d) = %d, want %d", c.margin, c.mean, c.levels, got, c.want)
		}
	}
}

// With E = 1023 and 10 levels; r = margin/estimate.
func TestDeadlinePart(t *testing.T) {
	for _, c := range []struct {
		margin, mean, estimate float64
		levels, want           int
	}{
		{10, 1023, 10, 10, 7},                // level 8, r = 1: 8 − 1
		{10, 1023, 4, 10, 6},                 // level 8, r = 2.5: 8 − 2
		{10, 1023, 1, 10, 0},                 // level 8, r = 10: 8 − 10 < 0
		{10, 1023, 1.25, 10, 0},              // level 8, r = 8: 8 − 8
		{10, 1023, 11, 10, 8},                // level 8, r = 0.909: −log2 r = 0.14, + 0
		{10, 1023, 20, 10, 9},                // level 8, r = 1/2: + 1
		{10, 1023, 39, 10, 9},                // level 8, r = 0.256: −log2 r = 1.96, + 1
		{10, 1023, 40, 10, 10},               // level 8, r = 1/4: + 2
		{10, 1023, 1e6, 10, 10},              // level 8, r = 1e−5: + 16, at most 10
		{3000, 1023, 6001, 10, 1},            // level 0, r = 0.4999: + 1
		{3000, 1023, 96e3, 10, 5},            // level 0, r = 1/32: + 5
		{0, 1023, 50, 10, 10},                // r = 0: must start at once
		{0, 0, 50, 10, 10},                   // E = 0 too
		{0, 0, 0, 10, 10},                    // and no time to run
		{5, 0, 40, 10, 3},                    // E = 0: level 0, r = 1/8: + 3
		{5, 1023, 0, 10, 0},                  // a job of no time: r is infinite
		{5, 1023, 40, 0, 0}, {0, 0, 0, 0, 0}, // no levels
		{5e-324, 1023, 1e300, 10, 10}, // r is lost in rounding
	} {
		if got := deadlinePart(c.margin, c.mean, c.estimate, c.levels); got != c.want {
			t.Errorf("deadlinePart(%v, %v, %v, %d) = %d, want %d", c.margin, c.mean, c.estimate, c.levels, got, c.want)
		}
	}
}

// ⌊−log2 r⌋ at and beside powers of two: r = 1/4 gives 2, a little more gives 1, a little less 2.
func TestHalvings(t *testing.T) {
	for w := range 60 {
		r := math.Ldexp(1, -w)
		if got := halvings(r); got != w {
			t.Errorf("of 2^−%d: %d", w, got)
		}
		if got := halvings(math.Nextafter(r, 0)); got != w {
			t.Errorf("just below 2^−%d: %d", w, got)
		}
		if got := halvings(math.Nextafter(r, 2)); w > 0 && got != w-1 {
			t.Errorf("just above 2^−%d: %d", w, got)
		}
	}
}

// ⌈n·levels/|L|⌉.
func TestLicencePart(t *testing.T) {
	for _, c := range []struct{ asked, all, levels, want int }{
		{1, 4, 10, 3}, // ⌈10/4⌉ = ⌈2.5⌉
		{2, 4, 10, 5}, {3, 4, 10, 8}, {4, 4, 10, 10}, {0, 4, 10, 0},
		{1, 20, 10, 1}, {3, 20, 10, 2}, // ⌈0.5⌉, ⌈1.5⌉
		{0, 0, 10, 0}, // there are no licences
		{1, 4, 0, 0},
	} {
		if got := licencePart(c.asked, c.all, c.levels); got != c.want {
			t.Errorf("licencePart(%d, %d, %d) = %d, want %d", c.asked, c.all, c.levels, got, c.want)
		}
	}
}

// The mean is of the margins before: the first job has its own, then 8, (8 + 2)/2 = 5, (8 + 2 + 5)/3 = 5; a window of 3 then forgets 8:
// (2 + 5 + 11)/3 = 6.
func TestWindow(t *testing.T) {
	w := window{size: 3}
	var means []float64
	for _, margin := range []float64{8, 2, 5, 11, 7} {
		means = append(means, w.mean(margin))
		w.add(margin)
	}
	if want := []float64{8, 8, 5, 5, 6}; !slices.Equal(means, want) {
		t.Errorf("means %v, want %v", means, want)
	}
	if len(w.margins) != 3 {
		t.Errorf("the window keeps %d margins", len(w.margins))
	}
}

// Queued: 2 jobs of priority 10 and loads 3 and 4, one of priority 5 and load 2, one of priority 0 and load 1. From 5 on: 3 + 4 + 2 = 9.
func TestLoads(t *testing.T) {
	var l loads
	for _, x := range [][2]float64{{10, 3}, {0, 1}, {5, 2}, {10, 4}} {
		l.add(x[0], x[1])
	}
	expect := func(priority, load float64, jobs int) {
		t.Helper()
		if a, n := l.from(priority); a != load || n != jobs {
			t.Errorf("from %v: load %v of %d jobs, want %v of %d", priority, a, n, load, jobs)
		}
	}
	expect(11, 0, 0)
	expect(10, 7, 2)
	expect(7, 7, 2)
	expect(5, 9, 3)
	expect(0, 10, 4)
	l.remove(10, 3)
	l.remove(10, 4)
	expect(10, 0, 0)
	expect(0, 3, 2)
	l.add(20, 0.1)
	l.add(20, 0.2)
	l.remove(20, 0.1)
	l.remove(20, 0.2) // 0.1 + 0.2 − 0.1 − 0.2 is not 0 in floating point
	expect(20, 0, 0)
}

// The rules in turn: the only cluster; the first idle one even if a later one is idle too; the least load; the fewest jobs; a draw.
func TestDispatch(t *testing.T) {
	for _, c := range []struct {
		candidates []candidate
		want       int
		rule       rule
		drawn      string
	}{
		{[]candidate{{3, 9, 1}}, 0, onlyCluster, ""},
		{[]candidate{{0, 9, 1}, {1, 0, 0}, {2, 0, 0}}, 1, idleCluster, ""},
		{[]candidate{{0, 9, 1}, {1, 0, 4}}, 1, idleCluster, ""}, // four jobs of no time
		{[]candidate{{0, 9, 1}, {1, 8, 5}, {2, 10, 1}}, 1, leastLoad, ""},
		{[]candidate{{0, 8, 6}, {1, 8, 5}, {2, 9, 1}}, 1, leastJobs, ""},
		{[]candidate{{0, 8, 5}, {1, 8, 6}}, 0, leastJobs, ""},
		{[]candidate{{0, 8, 5}, {1, 9, 1}, {2, 8, 5}}, 2, drawnCluster, "2"},
		{[]candidate{{0, 9, 9}, {1, 8, 5}, {2, 8, 5}, {3, 8, 5}}, 3, drawnCluster, "3"},
	} {
		drawn := ""
		at, rule := dispatch(c.candidates, func(n int) int { drawn += fmt.Sprint(n); return n - 1 })
		if at != c.want || rule != c.rule || drawn != c.drawn {
			t.Errorf("%v: %d by rule %d after drawing %q, want %d by %d, %q", c.candidates, at, rule, drawn, c.want, c.rule, c.drawn)
		}
	}
}
