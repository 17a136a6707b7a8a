package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/model"
)

// runOf makes a run of one solver: an objective a row, an instance each; NaN is a fault.
func runOf(solver string, seconds float64, objectives ...float64) []bench.Row {
	var rows []bench.Row
	for k, x := range objectives {
		row := bench.Row{
			Key: fmt.Sprint(solver, k), Group: "g", Instance: fmt.Sprint("i", k), InstanceSHA256: fmt.Sprint(k), Solver: solver, Seed: 1,
			Status: model.Feasible, Elapsed: seconds,
		}
		if math.IsNaN(x) {
			row.Fault, row.Status = "broke", ""
		} else {
			row.Objective = &x
		}
		rows = append(rows, row)
	}
	return rows
}

// diff compares, or fails.
func diff(t interface {
	Helper()
	Fatal(...any)
}, a, b []bench.Row) *report.Diff {
	t.Helper()
	d, err := report.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDiffKnown: eight pairs that all get worse by different factors have p = 2/2⁸ by the exact test; Holm doubles it beside another line
// that could be significant and leaves it beside one that could not.
func TestDiffKnown(t *testing.T) {
	base := []float64{10, 20, 30, 40, 50, 60, 70, 80}
	worse := slices.Clone(base)
	for k := range worse {
		worse[k] *= 1.1 + 0.01*float64(k)
	}
	mixed := []float64{11, 18, 33, 36, 55, 54, 77, 72} // four a tenth better, four a tenth worse
	a := append(runOf("s", 1, base...), runOf("same", 1, base...)...)
	b := append(runOf("s", 2, worse...), runOf("same", 1, base...)...)
	d := diff(t, a, b)
	s, same := d.Lines[1], d.Lines[0]
	if s.Solver != "s" {
		s, same = same, s
	}
	ratio := 1.0
	for k := range base {
		ratio *= math.Pow(worse[k]/base[k], 1.0/8)
	}
	if o := s.Objective; o.Verdict != report.Worse || o.Worse != 8 || o.Better+o.Equal != 0 || o.P != 2.0/256 || o.Adjusted != 2.0/256 || o.Effect != 1 ||
		math.Abs(*o.Ratio-ratio) > 1e-12 || !(*o.Low < ratio && ratio < *o.High) {
		t.Errorf("objective %+v, ratio %v", o, *o.Ratio)
	}
	if c := s.Time; c.Verdict != report.Worse || math.Abs(*c.Ratio-2) > 1e-12 || c.Worse != 8 {
		t.Errorf("time %+v", c)
	}
	if o := same.Objective; o.Verdict != report.Open || o.Equal != 8 || o.P != 1 || o.Effect != 0 || *o.Ratio != 1 {
		t.Errorf("the same objectives: %+v", o)
	}
	if !d.Regressed() || diff(t, b, a).Regressed() {
		t.Error("worse is no regression, or better is one")
	}
	d = diff(t, append(runOf("s", 1, base...), runOf("t", 1, base...)...), append(runOf("s", 1, worse...), runOf("t", 1, mixed...)...))
	if o := d.Lines[0].Objective; o.Adjusted != 4.0/256 {
		t.Errorf("beside a line that could be significant: %+v", o)
	}
	if o := d.Lines[1].Objective; o.Verdict != report.Open || o.Better != 4 || o.Worse != 4 {
		t.Errorf("better and worse alike: %+v", o)
	}
}

// TestDiffFewPairs: five pairs that all get worse have p = 2/2⁵ at least and show nothing.
func TestDiffFewPairs(t *testing.T) {
	d := diff(t, runOf("s", 1, 1, 2, 3, 4, 5), runOf("s", 1, 2, 4, 6, 8, 10))
	if o := d.Lines[0].Objective; o.Verdict != report.Open || o.P != 0.0625 || o.Adjusted != 1 {
		t.Errorf("%+v", o)
	}
}

// TestDiffRepetitions: three instances with three seeds each are nine pairs, but of a solver that draws nothing only three observations, which
// show nothing, however often they are told. Where it does something else with one seed of an instance, all three count.
func TestDiffRepetitions(t *testing.T) {
	seeded := func(objectives ...float64) []bench.Row {
		var rows []bench.Row
		for seed := range uint64(3) {
			for k, row := range runOf("s", 1, objectives...) {
				row.Key, row.Seed = fmt.Sprint(k, seed), seed
				rows = append(rows, row)
			}
		}
		return rows
	}
	a, b := seeded(1, 2, 3), seeded(2, 3, 4)
	o := diff(t, a, b).Lines[0].Objective
	if want := math.Cbrt(2.0 * 3 / 2 * 4 / 3); o.Verdict != report.Open || o.Worse != 9 || o.Differing != 3 || o.P != 0.25 || math.Abs(*o.Ratio-want) > 1e-12 {
		t.Errorf("repeated: %+v, ratio %v, expected %v", o, *o.Ratio, want)
	}
	if once := diff(t, runOf("s", 1, 1, 2, 3), runOf("s", 1, 2, 3, 4)).Lines[0].Objective; *once.Low != *o.Low || *once.High != *o.High || once.P != o.P {
		t.Errorf("once: %+v, repeated: %+v", once, o)
	}
	a[0].Evaluations, a[1].Evaluations = 5, 6
	if o := diff(t, a, b).Lines[0].Objective; o.Verdict != report.Worse || o.Worse != 9 || o.Differing != 7 {
		t.Errorf("with seeds that do something: %+v", o)
	}
}

// TestDiffTimeNoise: significant, but nearer to 1 than the noise of machines, or below the clock.
func TestDiffTimeNoise(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		before, after float64
		want          report.Verdict
	}{{1, 1.04, report.Open}, {1, 1.2, report.Worse}, {1.2, 1, report.Better}, {1e-5, 9e-4, report.Open}, {1e-4, 0.1, report.Worse}} {
		d := diff(t, runOf("s", c.before, x...), runOf("s", c.after, x...))
		if got := d.Lines[0].Time; got.Verdict != c.want {
			t.Errorf("%v s, then %v s: %+v", c.before, c.after, got)
		}
	}
}

// TestDiffChanges: what ended otherwise, what is in one run only.
func TestDiffChanges(t *testing.T) {
	nan := math.NaN()
	a := append(runOf("s", 1, 1, 2, nan, 4), runOf("gone", 1, 1)...)
	b := append(runOf("s", 1, 1, nan, 3, 4), runOf("new", 1, 1, 2)...)
	a[3].Status, b[0].Status = model.Optimal, model.Optimal
	d := diff(t, a, b)
	var got []string
	for _, c := range d.Changes {
		got = append(got, c.Instance+" "+c.What+" "+c.Why)
	}
	want := []string{"i0 newly proved optimal ", "i1 newly faulty broke", "i2 no longer faulty ", "i3 no longer proved optimal "}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(d.OnlyA) != 1 || d.OnlyA[0].Solver != "gone" || len(d.OnlyB) != 2 || d.Lines[0].Pairs != 4 {
		t.Errorf("%+v", d)
	}
	if !d.Regressed() {
		t.Error("a run that is newly faulty is no regression")
	}
	var text strings.Builder
	if err := report.WriteDiff(&text, d); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"newly faulty: 1 run\n  s on i1, seed 1, in g: broke", "only in B: 2 runs", "objective no difference shown"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is missing in\n%s", part, text.String())
		}
	}
}

// TestDiffLeft: more jobs left out are worse, whatever the objective.
func TestDiffLeft(t *testing.T) {
	a, b := runOf("s", 1, 1, 2, 3, 4, 5, 6, 7), runOf("s", 1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
	for k := range b {
		b[k].Left = 1 + k
	}
	d := diff(t, a, b)
	if l := d.Lines[0]; l.Objective.Verdict != report.Worse || l.Objective.Ratio != nil || l.Left != [2]int{0, 28} {
		t.Errorf("%+v", l)
	}
}

func TestDiffSaysWhatIsWrong(t *testing.T) {
	x := runOf("s", 1, 1, 2)
	if _, err := report.Compare(x, runOf("t", 1, 1, 2)); err == nil || !strings.Contains(err.Error(), "share") {
		t.Errorf("no cell in both: %v", err)
	}
	if _, err := report.Compare(x, append(x, x[0])); err == nil || !strings.Contains(err.Error(), "run B: expected one row a cell") {
		t.Errorf("a cell twice: %v", err)
	}
}

// anyRun draws a run of a few solvers in two groups.
func anyRun(t *rapid.T, name string) []bench.Row {
	var rows []bench.Row
	for solver := range 2 {
		for k := range 12 {
			row := bench.Row{
				Group: fmt.Sprint("g", k%2), Instance: fmt.Sprint("i", k), Solver: fmt.Sprint("s", solver), Elapsed: rapid.Float64Range(0, 3).Draw(t, name+" s"),
				Left: rapid.IntRange(0, 1).Draw(t, name+" left"),
			}
			switch x := rapid.Float64Range(-2, 10).Draw(t, name); {
			case x > 9.5:
				row.Fault = "broke"
			case x < 9:
				row.Objective, row.Status = &x, rapid.SampledFrom([]model.Status{model.Feasible, model.Optimal}).Draw(t, "status")
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// TestDiffProperties: a run does not differ from itself; the other way round everything is turned; the order of rows does not matter.
func TestDiffProperties(t *testing.T) {
	turned := map[report.Verdict]report.Verdict{report.Better: report.Worse, report.Worse: report.Better, report.Open: report.Open}
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyRun(t, "a"), anyRun(t, "b")
		own := diff(t, a, a)
		for _, l := range slices.Concat(own.Lines, own.Overall) {
			if l.Objective.Verdict != report.Open || l.Time.Verdict != report.Open || l.Objective.Equal != l.Pairs {
				t.Fatalf("a run and itself: %+v", l)
			}
		}
		if len(own.Changes)+len(own.OnlyA)+len(own.OnlyB) != 0 || own.Regressed() {
			t.Fatalf("a run and itself: %+v", own)
		}
		forth, back := diff(t, a, b), diff(t, b, a)
		for k, l := range slices.Concat(forth.Lines, forth.Overall) {
			m := slices.Concat(back.Lines, back.Overall)[k]
			for _, pair := range [][2]report.Comparison{{l.Objective, m.Objective}, {l.Time, m.Time}} {
				if x, y := pair[0], pair[1]; turned[x.Verdict] != y.Verdict || x.Better != y.Worse || x.Equal != y.Equal || math.Abs(x.Adjusted-y.Adjusted) > 1e-12 ||
					math.Abs(x.Effect+y.Effect) > 1e-12 || (x.Ratio == nil) != (y.Ratio == nil) || x.Ratio != nil && math.Abs(*x.Ratio**y.Ratio-1) > 1e-9 {
					t.Fatalf("forth %+v, back %+v", x, y)
				}
			}
		}
		shuffled := rapid.Permutation(b).Draw(t, "shuffled")
		if difference := cmp.Diff(forth, diff(t, a, shuffled)); difference != "" {
			t.Fatalf("another order of rows: %s", difference)
		}
	})
}
