package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// besides makes rows of solvers on instances, objectives[solver][instance]; NaN is a failure.
func besides(names []string, objectives ...[]float64) []bench.Row {
	var rows []bench.Row
	for i := range objectives[0] {
		for s, name := range names {
			r := row(name, fmt.Sprint("i", i), objectives[s][i])
			r.Online = new(false)
			if math.IsNaN(objectives[s][i]) {
				r.Objective, r.Status = nil, model.Unknown
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// beside is what people see of the rows.
func beside(t *testing.T, rows []bench.Row) string {
	t.Helper()
	var b strings.Builder
	if err := WriteBeside(&b, rows, 80); err != nil {
		t.Fatal(err)
	}
	if n := longestLine(b.String()); n > 80 {
		t.Errorf("a line of %d letters:\n%s", n, b.String())
	}
	return b.String()
}

// longestLine is the number of letters of the longest line.
func longestLine(text string) (longest int) {
	for line := range strings.Lines(text) {
		longest = max(longest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
	}
	return longest
}

// Worked by hand. mine/heft: 1/2 on six instances and 1 on two, so exp(6/8·ln ½) = 0.595; the logarithms deviate by ln 2·√(12/8/7) = 0.3209, t of 7 degrees of freedom is 2.3646,
// so the interval is 0.595·exp(±2.3646·0.3209/√8) = [0.455, 0.778]. Signed ranks: six differences of one sign and two zeros, 2/2⁶ = 0.031. The deviations of heft are 100 on six instances.
func TestBesideByHand(t *testing.T) {
	mine := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	heft := []float64{2, 4, 6, 8, 10, 12, 7, 8}
	got := beside(t, besides([]string{"heft", "mine"}, heft, mine))
	const want = `Over 8 instances, each beside heft: the ratio of the objectives (geometric mean)
with its 95 % interval; below 1 is better.
┌───────────┬───────────────────┬───────┬────────┬───────┬───────┐
│ solvers   │      ratio [95 %] │ RPD % │ better │ equal │ worse │
├───────────┼───────────────────┼───────┼────────┼───────┼───────┤
│ mine/heft │ 0.59 [0.45, 0.78] │  0.00 │      6 │     2 │     0 │
│ heft      │                 1 │ 75.00 │      – │     – │     – │
└───────────┴───────────────────┴───────┴────────┴───────┴───────┘
mine is better than heft on 6 of 8 instances and worse on 0: shown (95 %;
Wilcoxon’s signed ranks with Holm’s correction).
`
	if got != want {
		t.Errorf("found\n%s\nexpected\n%s", got, want)
	}
	// The other way round the ratio is the reciprocal, and the verdict the opposite.
	got = beside(t, besides([]string{"mine", "heft"}, mine, heft))
	for _, want := range []string{"│ heft/mine │ 1.68 [1.29, 2.20] │ 75.00 │      0 │     2 │     6 │", "heft is worse than mine on 6 of 8 instances and better on 0: shown"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Cases in which little or nothing can be said.
func TestBesideSaysWhatItCannotSay(t *testing.T) {
	nan := math.NaN()
	owes := func(rows []bench.Row, places ...int) []bench.Row {
		for _, k := range places {
			rows[k].Left = 1
		}
		return rows
	}
	kinds := func(rows []bench.Row, online string) []bench.Row {
		for k := range rows {
			rows[k].Online = new(rows[k].Solver == online)
		}
		return rows
	}
	unsupported := besides([]string{"a", "b"}, []float64{1, 1}, []float64{1, 1})
	for k := range unsupported {
		if unsupported[k].Solver == "b" {
			unsupported[k].Objective, unsupported[k].Fault, unsupported[k].Kind = nil, "unsupported: x", bench.Unsupported
		}
	}
	for name, c := range map[string]struct {
		rows []bench.Row
		want []string
		not  string
	}{
		"one solver": {besides([]string{"a"}, []float64{1, 2}), nil, ""},
		"one instance": {besides([]string{"a", "b"}, []float64{10}, []float64{8}),
			[]string{"Objectives on one instance: b/a 0.80.", "One instance shows no difference between solvers"}, "better than"},
		"all equal": {besides([]string{"a", "b"}, []float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 3, 4, 5, 6}),
			[]string{"1.00 [1.00, 1.00]", "b and a have equal results on all 6 instances."}, "shown"},
		"few": {besides([]string{"a", "b"}, []float64{10, 10, 10, 10, 10}, []float64{5, 5, 5, 5, 5}),
			[]string{"│         0.50 │", "An interval needs at least 6 instances with a ratio.", "too few instances to tell, no difference is"}, "0.50 ["},
		"zeros": {besides([]string{"a", "b"}, []float64{0, 0, 4, 4, 4, 4, 4, 4}, []float64{0, 3, 2, 2, 2, 2, 2, 2}),
			[]string{"b/a: the ratio is over 7 instances; left out: 1 with an objective of 0 or below.", "│     ∞ │", "0.55 ["}, ""},
		"failures": {besides([]string{"a", "b"}, []float64{4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, []float64{nan, nan, nan, nan, nan, 3, 3, 3, 3, 3}),
			[]string{"b/a: the ratio is over 5 instances; left out: 5 without a schedule.", "on 5 of 10 instances and worse on 5", "no difference is shown"}, "0.75 ["},
		"nothing at all": {besides([]string{"a", "b", "c"}, []float64{4, 4}, []float64{nan, nan}, []float64{3, 3}),
			[]string{"b has no schedule of any instance. c is better than a on 2 of 2"}, "b is"},
		"no reference": {besides([]string{"a", "b"}, []float64{nan, nan}, []float64{3, 3}), []string{"a has no schedule of any instance."}, "better than"},
		"jobs left out": {owes(besides([]string{"a", "b"}, []float64{4, 4, 4}, []float64{1, 3, 3}), 1),
			[]string{"left out: 1 with fewer jobs placed by", "0.75"}, ""},
		"kinds": {kinds(besides([]string{"easy", "search"}, []float64{4, 4}, []float64{1, 1}), "easy"),
			[]string{"easy is the only on-line policy here: it is compared with no other."}, "search/easy"},
		"unsupported": {unsupported, nil, ""},
	} {
		got := beside(t, c.rows)
		if c.want == nil && got != "" {
			t.Errorf("%s: expected nothing, found\n%s", name, got)
		}
		for _, want := range c.want {
			if !strings.Contains(strings.ReplaceAll(got, "\n", " "), want) {
				t.Errorf("%s: no %q in\n%s", name, want, got)
			}
		}
		if c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: %q in\n%s", name, c.not, got)
		}
	}
}

// Several solvers come by ratio, the first among them; those with failures come last. The sentence sorts them by what is shown.
func TestBesideSortsSolvers(t *testing.T) {
	base := make([]float64, 30)
	scaled := func(by float64) []float64 {
		list := make([]float64, len(base))
		for k := range list {
			list[k] = by * float64(10+k) * (1 + 0.001*float64(k%3))
		}
		return list
	}
	failing := scaled(0.2)
	failing[3] = math.NaN()
	got := beside(t, besides([]string{"heft", "slow", "fails", "fast"}, scaled(1), scaled(2), failing, scaled(0.5)))
	places := []int{strings.Index(got, "│ fast/heft"), strings.Index(got, "│ heft "), strings.Index(got, "│ slow/heft"), strings.Index(got, "│ fails/heft")}
	for k, at := range places {
		if at < 0 || k > 0 && at < places[k-1] {
			t.Errorf("the rows stand at %v:\n%s", places, got)
		}
	}
	flat := strings.ReplaceAll(got, "\n", " ")
	for _, want := range []string{"fast and fails are better than heft, shown (95 %;", "slow is worse than heft, shown."} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Where a few large differences turn the mean ratio against the test, the sentence says so.
func TestBesideContradiction(t *testing.T) {
	a, b := make([]float64, 40), make([]float64, 40)
	for k := range a {
		a[k], b[k] = 10, 9.9-0.01*float64(k%5)
		if k < 3 {
			b[k] = 10 * math.Exp(4)
		}
	}
	got := strings.ReplaceAll(beside(t, besides([]string{"a", "b"}, a, b)), "\n", " ")
	if !strings.Contains(got, "b is better than a on 37 of 40 instances and worse on 3: shown") || !strings.Contains(got, "Yet the mean ratio of b is 1.3") {
		t.Errorf("found %s", got)
	}
}

// A ratio has the decimals that its interval is worth.
func TestRatioText(t *testing.T) {
	ratio := func(estimate, low, high, coverage float64) *statistics.PairedRatio {
		return &statistics.PairedRatio{Interval: statistics.Interval{Estimate: estimate, Low: low, High: high, Coverage: coverage}}
	}
	for _, c := range []struct {
		ratio *statistics.PairedRatio
		want  string
	}{
		{ratio(0.93, 0.9, 0.97, 0.95), "0.93 [0.90, 0.97]"}, {ratio(0.99712, 0.9961, 0.9982, 0.95), "0.9971 [0.9961, 0.9982]"}, {ratio(1, 1, 1, 0.95), "1.00 [1.00, 1.00]"},
		{ratio(0.5, 0, math.Inf(1), 1), "0.50"}, {ratio(0.02425, 0, math.Inf(1), 1), "0.024"}, {ratio(0.002, 0, math.Inf(1), 1), "0.0020"}, {ratio(math.NaN(), 0, math.Inf(1), 1), "–"}, {ratio(12345.6, 3, math.Inf(1), 0.95), "12,346 [3.00, ∞]"},
		{ratio(0.00001, 0.000005, 0.00002, 0.95), "1e−05 [5e−06, 2e−05]"},
	} {
		if got := ratioText(c.ratio); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// The first lines of the page name solvers that the time limit stopped, failures, and the load of the busiest machine, before or while it ran, if that is above its cores.
func TestFirstLinesOfThePage(t *testing.T) {
	rows := besides([]string{"a", "b"}, []float64{1, 2, 3}, []float64{2, 2, 2})
	for k := range rows {
		rows[k].Stop = model.StopDone
		if rows[k].Solver == "b" && k < 4 {
			rows[k].Stop, rows[k].TimeLimit = model.StopTime, 2
		}
	}
	rows[4].Objective, rows[4].Fault = nil, "the program failed: exit status 1"
	run := func(environments ...bench.Environment) []Run {
		return []Run{{Name: "x", Rows: rows, File: &bench.RunFile{Environments: environments}}}
	}
	stopped, failed := "Stopped by the time limit of 2s: b on 2 of 3 runs. On another machine their results may differ.", "Failed: a on 1 of 3 runs (the program failed: exit status 1)."
	for _, c := range []struct {
		runs []Run
		load string
	}{
		{run(), ""}, {run(bench.Environment{Cores: 2, Load: 2}), ""}, {run(bench.Environment{Load: 9}), ""},
		{run(bench.Environment{Cores: 2, Load: 1, PeakLoad: 3}), "Machine load 3.0 on 2 cores"}, {run(bench.Environment{Cores: 8, Load: 12}, bench.Environment{Cores: 2, Load: 5}), "Machine load 5.0 on 2 cores"},
	} {
		got, err := Remarks(c.runs)
		if err != nil || len(got) < 2 || got[0] != stopped || got[1] != failed || (len(got) == 3) != (c.load != "") || c.load != "" && !strings.HasPrefix(got[2], c.load) {
			t.Errorf("found %q (%v), expected %q, %q and %q", got, err, stopped, failed, c.load)
		}
	}
	var page strings.Builder
	if err := Write(&page, run(), Options{}); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if at := strings.Index(text, "<li>"+stopped); at < 0 || at > strings.Index(text, `<dl class="facts">`) {
		t.Errorf("the page does not begin with %q", stopped)
	}
}

// The others are compared with the solver that is asked for, or the first of the suite that ran, or the first by name.
func TestFirstSolver(t *testing.T) {
	rows := besides([]string{"c", "b", "a"}, []float64{1, 2}, []float64{2, 2}, []float64{3, 1})
	suite := &bench.RunFile{Suite: bench.Suite{Solvers: []bench.SolverChoice{{Solver: "exact"}, {Solver: "minmin", Label: "b"}}}}
	for _, c := range []struct {
		file    *bench.RunFile
		against string
		want    string
	}{{nil, "", "a"}, {suite, "", "b"}, {suite, "c", "c"}} {
		runs := []Run{{Name: "x", Rows: rows, File: c.file}}
		s, _, err := newStudyOf(runs)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.groups[0].first(preferred(runs, c.against)); got != c.want {
			t.Errorf("against %q: %q, expected %q", c.against, got, c.want)
		}
	}
	if err := Write(io.Discard, []Run{{Name: "x", Rows: rows}}, Options{Against: "d"}); !errors.Is(err, ErrNoSolver) {
		t.Errorf("against a solver that there is not: %v", err)
	}
	before := []Run{{Name: "before", Rows: rows, File: suite}, {Name: "after", Rows: rows, File: suite}}
	s, _, err := newStudyOf(before)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.groups[0].first(preferred(before, "")); got != "b @ after" {
		t.Errorf("of two runs %q", got)
	}
}

// Plots of ratios stand on the page where there is an interval, not of a single instance or of too few.
func TestForestNeedsIntervals(t *testing.T) {
	many, few := make([]float64, 6), make([]float64, 3)
	for _, c := range []struct {
		values []float64
		want   bool
	}{{many, true}, {few, false}} {
		a, b := make([]float64, len(c.values)), make([]float64, len(c.values))
		for k := range a {
			a[k], b[k] = 10, 8+0.1*float64(k)
		}
		s := newStudy(besides([]string{"a", "b"}, a, b), nil, nil)
		g := s.groups[0]
		f := g.test.forestOf(g.duels("a", g.test.solvers))
		if (f != nil) != c.want {
			t.Errorf("%d instances: a plot is %v", len(a), f != nil)
		}
		if f != nil && (len(f.Blocks[0].Rows) != 1 || !f.Blocks[0].Rows[0].Shown || !(f.Blocks[0].Rows[0].High < 1)) {
			t.Errorf("found %+v", f.Blocks)
		}
	}
}

// Where the correction for many comparisons leaves nothing shown, an interval without 1 is a perhaps; one with 1 is not.
func TestBesidePerhaps(t *testing.T) {
	names, objectives := []string{"first"}, [][]float64{{10, 11, 12, 13, 14, 15}}
	for k := range 8 {
		var own []float64
		for i, x := range objectives[0] {
			own = append(own, x*(1+0.01*float64((i*(k+2))%5-2)))
			if k == 7 {
				own[i] = x * (0.9 + 0.001*float64(i))
			}
		}
		names, objectives = append(names, fmt.Sprint("s", k)), append(objectives, own)
	}
	got := strings.ReplaceAll(beside(t, besides(names, objectives...)), "\n", " ")
	if !strings.Contains(got, "s7 is better than first, shown (95 %; Nemenyi’s critical difference of mean ranks). No difference from first is shown for s0, s1, s5, s6, s2 and s4. Perhaps s3 differs from first: its interval excludes 1, but among all comparisons made here that is not shown.") {
		t.Errorf("found %s", got)
	}
}
