package tables

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
)

// Time limits, failures and crashes are told by solver; a solver that does not support an instance has not failed.
func TestRemarks(t *testing.T) {
	var rows []bench.Row
	add := func(solver string, change func(*bench.Row)) {
		row := bench.Row{Solver: solver, TimeLimit: 10, Objective: new(1.0), Status: model.Feasible, Stop: model.StopDone}
		change(&row)
		rows = append(rows, row)
	}
	for k := range 20 {
		add("heft", func(*bench.Row) {})
		add("mine", func(row *bench.Row) {
			if k < 8 {
				row.Stop = model.StopTime
			}
			if k < 3 {
				row.Objective, row.Status = nil, model.Unknown
			}
		})
		add("broken", func(row *bench.Row) {
			if k%2 == 1 {
				row.Objective, row.Fault = nil, "the program failed: exit status 3\nTraceback"
			}
		})
	}
	add("late", func(row *bench.Row) { row.Warning = "the program failed after its last solution: exit status 5" })
	add("broken", func(row *bench.Row) {
		row.Objective, row.Fault, row.Kind = nil, "unsupported: memory", bench.Unsupported
	})
	want := []string{
		"Stopped by the time limit of 10s: mine on 8 of 20 runs, on 3 without a schedule. On another machine their results may differ.",
		"Failed: broken on 10 of 20 runs (the program failed: exit status 3).",
		"Crashed after the last schedule, which counts: late on 1 of 1 run.",
	}
	if got := Remarks(rows); !slices.Equal(got, want) {
		t.Errorf("found\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := Remarks(rows[:1]); got != nil {
		t.Errorf("found %q of a run without trouble", got)
	}
	for k := range rows {
		rows[k].TimeLimit = float64(k%2) + 1
	}
	if got := Remarks(rows)[0]; !strings.HasPrefix(got, "Stopped by the time limit: mine") {
		t.Errorf("two limits: %q", got)
	}
}

// A load is told where it is above the number of cores.
func TestBusy(t *testing.T) {
	const want = "Machine load 2.3 on 2 cores: times are too long, and results under a time limit may be too bad."
	if got := Busy(2.26, 2); got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	for _, load := range []float64{0, 1, 2, math.NaN()} {
		if got := Busy(load, 2); got != "" {
			t.Errorf("load %v: %q", load, got)
		}
	}
	if got := Busy(5, 0); got != "" {
		t.Errorf("unknown cores: %q", got)
	}
}

// Worked by hand, with the odd values.
func TestRPD(t *testing.T) {
	row := func(objective float64, left int) *bench.Row { return &bench.Row{Objective: &objective, Left: left} }
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		row, best *bench.Row
		want      float64
	}{
		{row(12, 0), row(10, 0), 20}, {row(10, 0), row(10, 0), 0}, {row(10*(1+1e-12), 0), row(10, 0), 0}, {row(-8, 0), row(-10, 0), 20},
		{row(3, 0), row(0, 0), inf}, {row(0, 0), row(0, 0), 0}, {row(5, 0), row(-10, 0), 150}, {row(9, 1), row(10, 0), nan}, {&bench.Row{}, row(1, 0), nan},
		{row(1, 0), nil, nan}, {&bench.Row{Objective: new(1.0), Fault: "x"}, row(1, 0), nan},
	} {
		if got := RPD(c.row, c.best); math.Abs(got-c.want) > 1e-9 && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("RPD(%+v, %+v) = %v, expected %v", c.row, c.best, got, c.want)
		}
	}
}

// The best objective comes first, equal ones stay in the given order, a schedule that owes jobs comes later, and none comes last. RPD stands beside the gap.
func TestRowsAreSorted(t *testing.T) {
	row := func(solver string, objective *float64, left int) bench.Row {
		return bench.Row{Instance: "i", Solver: solver, Objective: objective, Left: left, Online: new(false)}
	}
	rows := []bench.Row{row("none", nil, 0), row("b", new(12.0), 0), row("owes", new(1.0), 2), row("a", new(10.0), 0), row("c", new(12.0), 0)}
	var out strings.Builder
	if err := Write(&out, rows, nil, 80); err != nil {
		t.Fatal(err)
	}
	const want = `┌────────┬───────────┬───────┬───────┬───────┬────────┐
│ solver │ objective │ bound │ gap % │ RPD % │ time s │
├────────┼───────────┼───────┼───────┼───────┼────────┤
│ a      │       10* │     – │     – │  0.00 │  0.000 │
│ b      │       12  │     – │     – │ 20.00 │  0.000 │
│ c      │       12  │     – │     – │ 20.00 │  0.000 │
│ owes   │        1  │     – │     – │     – │  0.000 │
│ none   │         – │     – │     – │     – │  0.000 │
└────────┴───────────┴───────┴───────┴───────┴────────┘
jobs left out though owed; who leaves out fewer ranks higher: owes 2
`
	if got := out.String(); got != want {
		t.Errorf("found\n%s\nexpected\n%s", got, want)
	}
}

// A long name is broken, so that the table and its notes fit the width.
func TestLongNamesFit(t *testing.T) {
	long := "exec:python3 /home/somebody/projects/scheduling/heuristics/first_come.py --fast"
	rows := []bench.Row{{Solver: long, Fault: strings.Repeat("the program failed ", 10)}, {Solver: "mct", Objective: new(123456.789), Bound: model.ProvedBound(100000.25), Gap: new(12.34567)}}
	var out strings.Builder
	if err := Write(&out, rows, nil, 80); err != nil {
		t.Fatal(err)
	}
	if longest := text.LongestLineLen(out.String()); longest > 80 {
		t.Errorf("a line has %d letters:\n%s", longest, out.String())
	}
	if joined := strings.NewReplacer("│", "", " ", "", "\n", "", "–", "").Replace(out.String()); !strings.Contains(joined, "heuristics") {
		t.Errorf("the name is not whole:\n%s", out.String())
	}
}
