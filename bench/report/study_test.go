package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// row is a run of a solver on an instance.
func row(solver, instance string, objective float64) bench.Row {
	return bench.Row{Solver: solver, Instance: instance, InstanceSHA256: instance, Objective: &objective, Elapsed: 10}
}

// TestCosts: failures are NaN, jobs left out come before the objective, objectives before nothing.
func TestCosts(t *testing.T) {
	nan := math.NaN()
	of := func(left, objective float64) tables.Result { return tables.Result{Left: left, Objective: objective} }
	results := []tables.Result{of(0, 5), of(1, -3), of(0, nan), of(0, 7), of(2, 1), of(1, 2)}
	got := costs(results)
	want := []int{0, 3, 1, 5, 4} // by cost
	order := []int{0, 1, 3, 4, 5}
	slices.SortFunc(order, func(a, b int) int { return compareLast(got[a], got[b]) })
	if !slices.Equal(order, want) || !math.IsNaN(got[2]) {
		t.Errorf("costs %v, order %v", got, order)
	}
	rapid.Check(t, func(t *rapid.T) {
		var list []tables.Result
		for range rapid.IntRange(1, 5).Draw(t, "n") {
			list = append(list, of(float64(rapid.IntRange(0, 3).Draw(t, "left")), float64(rapid.IntRange(-5, 5).Draw(t, "objective"))))
		}
		cost := relative(costs(list))
		for i, a := range list {
			for j, b := range list {
				if a.Better(b) != (cost[i] < cost[j]) {
					t.Fatalf("%v and %v cost %v and %v", a, b, cost[i], cost[j])
				}
			}
		}
	})
}

// TestAdjust: Holm's correction of 0.01, 0.04 and 0.03 is 0.03, 0.06, 0.06; what could not be significant does not count.
func TestAdjust(t *testing.T) {
	got, err := adjust([]float64{0.01, 0.5, 0.04, 1, 0.03}, []float64{0, 0.5, 0.01, 1, 0.05})
	want := []float64{0.03, 1, 0.06, 1, 0.06}
	if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	// The least p of the signed ranks is what the test gives where all differences have one sign.
	for n := 1; n < 12; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for k := range b {
			b[k] = float64(k + 1)
		}
		if w, err := statistics.SignedRank(a, b); err != nil || math.Abs(w.P-leastSigned(n)) > 1e-12 && n > 1 {
			t.Errorf("%d differences: p %v, least %v, %v", n, w.P, leastSigned(n), err)
		}
	}
	if w, err := statistics.RankSum([]float64{1, 2, 3, 4}, []float64{5, 6, 7}); err != nil || math.Abs(w.P-2/choose(7, 3)) > 1e-12 {
		t.Errorf("rank sums: p %v, least %v, %v", w.P, 2/choose(7, 3), err)
	}
}

// The jobs left out are counted over all runs.
func TestFiguresCountJobsLeftOut(t *testing.T) {
	rows := []bench.Row{row("a", "x", 1), row("a", "x", 1), row("a", "y", 1)}
	rows[0].Left, rows[1].Left, rows[1].Seed, rows[2].Left = 1, 2, 2, 4
	g := newStudy(rows, nil, nil).groups[0]
	if left := g.figuresOf(g.solvers[0]).left; left != 7 {
		t.Errorf("%d jobs are left out, expected 7", left)
	}
}

// TestFigures of a group worked by hand: objectives 10 and 14 beside 8 and 20, the bound 7 on the first instance.
func TestFigures(t *testing.T) {
	rows := []bench.Row{row("a", "x", 10), row("a", "y", 14), row("b", "x", 8), row("b", "y", 20)}
	rows[0].Bound, rows[0].Evaluations = model.ProvedBound(7), 40
	rows[3].Left, rows[3].Evaluations = 2, 10
	s := newStudy(rows, []bench.Row{{InstanceSHA256: "x", Objective: new(7.5)}}, nil)
	g := s.groups[0]
	a, b := g.figuresOf(g.solvers[0]), g.figuresOf(g.solvers[1])
	if g.solvers[0].name != "a" {
		a, b = b, a
	}
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 || math.IsNaN(x) && math.IsNaN(y) }
	// a: gaps 2.5/10 and 0 to the best known, 3/10 to the bound: shares of the objective. b leaves jobs out on y, so only x counts.
	if !near(a.gap, 100*(1.0/4)/2) || !near(b.gap, 100*0.5/8) || !near(a.bound, 30) || !near(b.bound, 12.5) {
		t.Errorf("gaps %v, %v; to the bound %v, %v", a.gap, b.gap, a.bound, b.bound)
	}
	if a.wins != 1 || b.wins != 1 || b.left != 2 || !near(a.mean.Estimate, 12) || !near(a.speed, 2) || !near(b.time, 10) {
		t.Errorf("a %+v, b %+v", a, b)
	}
	// t with one degree of freedom at 97.5 % is 12.706: 2·12.706.
	if text := interval(a.mean); text != "12 ± 25" {
		t.Error(text)
	}
}

// TestBestIsComparable: the mean of a solver that failed on the hardest instance is of easier ones, so it is not marked as the best.
func TestBestIsComparable(t *testing.T) {
	for _, c := range []struct {
		mean float64 // of b on the instance where it did not fail
		best string
	}{{9, ""}, {80, "a"}} {
		rows := []bench.Row{row("a", "x", 10), row("a", "y", 100), row("b", "x", c.mean), row("b", "y", 1), row("c", "x", 11), row("c", "y", 110)}
		rows[3].Objective, rows[3].Fault = nil, "broke"
		best := ""
		for _, cells := range newStudy(rows, nil, nil).groups[0].solversTable("t").Rows {
			if cells[3].IsGood {
				best += cells[0].Text
			}
			if cells[0].Text == "b" && (cells[12].Text != "1 of 2" || !cells[12].IsBad) {
				t.Errorf("runs of b: %+v", cells[12])
			}
		}
		if best != c.best {
			t.Errorf("b has %v: the best mean is that of %q, want %q", c.mean, best, c.best)
		}
	}
}

// TestConvergence: a gap is 1 before the first schedule and that of the best so far after it.
func TestConvergence(t *testing.T) {
	a, b := row("a", "x", 10), row("b", "x", 20)
	a.Incumbents = []model.Incumbent{{Elapsed: 1, Objective: 40}, {Elapsed: 3, Objective: 20}, {Elapsed: 5, Objective: 10}}
	s := newStudy([]bench.Row{a, b}, nil, nil)
	g := s.groups[0]
	mean := func(gaps []float64) float64 { return statistics.Sum(gaps) / float64(len(gaps)) }
	moments := []float64{0.5, 1, 2, 3, 6, 9, 10}
	if got, want := g.gapsAt("a", moments, mean), []float64{1, 0.75, 0.75, 0.5, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := g.gapsAt("b", moments, mean), []float64{1, 1, 1, 1, 1, 1, 0.5}; !slices.Equal(got, want) {
		t.Errorf("no trace: %v, want %v", got, want)
	}
	p := g.cases[0]
	if x, y := p.timeToTarget("a"), p.timeToTarget("b"); x != 5 || !math.IsInf(y, 1) {
		t.Errorf("to the target %v, %v", x, y)
	}
}

// TestSolversAreToldApart: by their parameters where one name has several, and budgets that one solver ran under.
func TestSolversAreToldApart(t *testing.T) {
	rows := []bench.Row{row("a", "x", 1), row("a", "x", 2), row("b", "x", 3)}
	rows[0].Parameters, rows[1].Parameters, rows[2].Parameters = map[string]string{"k": "1"}, map[string]string{"k": "2", "j": "3"}, map[string]string{"k": "1"}
	s := newStudy(rows, nil, nil)
	if got := strings.Join(s.solvers, "; "); got != "a (k=1); a (j=3, k=2); b" {
		t.Error(got)
	}
	rows = []bench.Row{row("a", "x", 1), row("a", "x", 2)}
	rows[0].TimeLimit, rows[1].TimeLimit = 10, 60
	rows[0].Group, rows[1].Group = "g", "g"
	if s = newStudy(rows, nil, nil); len(s.groups) != 2 || s.groups[0].name != "g · 10 s" || s.groups[1].name != "g · 60 s" {
		t.Errorf("%d groups", len(s.groups))
	}
	rows[1].Solver = "b" // each has one budget
	if s = newStudy(rows, nil, nil); len(s.groups) != 1 {
		t.Errorf("%d groups", len(s.groups))
	}
}

// TestStyles: no two curves of a picture look alike, and a solver looks alike in all where that is possible.
func TestStyles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &group{}
		preferred := map[string]int{}
		for k, at := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).Draw(t, "ranks")[:rapid.IntRange(1, 12).Draw(t, "n")] {
			name := string(rune('a' + at))
			preferred[name] = at
			g.solvers = append(g.solvers, &contender{name: name, rank: float64(k)})
		}
		seen := map[int]bool{}
		for k, c := range g.solvers {
			style := g.styles(preferred)[c.name]
			if (style == document.Faint) != (k >= picture.Styles) || style != document.Faint && seen[style] {
				t.Fatalf("solver %d has style %d", k, style)
			}
			if len(g.solvers) <= picture.Styles && preferred[c.name] < picture.Styles && style != preferred[c.name] {
				t.Fatalf("%s has style %d, in other groups %d", c.name, style, preferred[c.name])
			}
			seen[style] = true
		}
	})
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		percent(0): "0.00", percent(0.001): "<0.01", percent(12.345): "12.35", percent(1234.6): "1235", percent(math.Inf(1)): "∞", percent(math.NaN()): document.Missing,
		probability(0.0004): "<0.001", probability(0.04999): "0.050", probability(0.99996): "1", seconds(0.00025): "250 µs", seconds(3e-9): "3e−09 s",
		seconds(0.5): "500 ms", seconds(12): "12 s", clip("abcdef", 4): "abc…", clip("中文中文", 5): "中文…", clip("abcd", 4): "abcd", document.Printable("a\u202eb"): "a\uFFFDb",
		document.Listed([]string{"a", "b", "c"}): "a, b and c", document.Rounded(-2.5, 3): "−2.5",
		interval(statistics.Interval{Estimate: 1234.567, Low: 1224.5, High: 1244.6}): "1235 ± 10",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestInstancesAreKnownByTheirHash: a suite that grew by a second instance of a name tells the two apart by longer names, in new rows only.
func TestInstancesAreKnownByTheirHash(t *testing.T) {
	old, grown, other := row("a", "x", 1), row("b", "x 1234abcd", 2), row("b", "x 5678cdef", 3)
	old.Key, grown.Key, other.Key = "1", "2", "3"
	old.InstanceSHA256, grown.InstanceSHA256 = "1234abcd", "1234abcd"
	for _, rows := range [][]bench.Row{{old, grown, other}, {other, grown, old}} {
		s := newStudy(rows, nil, nil)
		cases := s.groups[0].cases
		if len(cases) != 2 || cases[0].instance != "x" || len(cases[0].cells) != 2 || cases[1].instance != "x 5678cdef" {
			t.Errorf("%d problems, expected x of both solvers and x 5678cdef", len(cases))
		}
	}
}

// TestMixedObjectives: a mean of makespans and costs is no figure.
func TestMixedObjectives(t *testing.T) {
	a, b := row("s", "x", 1), row("s", "y", 3)
	g := newStudy([]bench.Row{a, b}, nil, nil).groups[0]
	if mean := g.figuresOf(g.solvers[0]).mean.Estimate; mean != 2 {
		t.Errorf("the mean is %v, expected 2", mean)
	}
	b.Minimised = "cost"
	g = newStudy([]bench.Row{a, b}, nil, nil).groups[0]
	if mean := g.figuresOf(g.solvers[0]).mean.Estimate; !math.IsNaN(mean) {
		t.Errorf("the mean of two metrics is %v", mean)
	}
}
