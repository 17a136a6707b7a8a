package tables

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
)

// TestRank ranks rows that are worked out by hand: two instances, three solvers, two seeds.
func TestRank(t *testing.T) {
	row := func(instance, solver string, seed uint64, objective float64, left int) bench.Row {
		return bench.Row{Group: "g", Instance: instance, InstanceSHA256: instance, Solver: solver, Seed: seed, Minimised: "makespan", Objective: &objective, Left: left, Elapsed: 2}
	}
	rows := []bench.Row{
		row("a", "x", 1, 10, 0), row("a", "x", 2, 20, 0), // mean 15, ratios 1 and 2 to the best, 10
		row("b", "x", 1, 4, 0), row("b", "x", 2, 4, 0), // wins; ratios 2, as 2 is known
		row("a", "y", 1, 14, 0), row("a", "y", 2, 14, 0), // wins a by the mean; ratios 1.4
		row("b", "y", 1, 3, 1), row("b", "y", 2, 5, 0), // leaves half a job out on average; the ratio of the one that leaves none is 2.5
		row("a", "z", 1, 1, 0), {Group: "g", Instance: "a", InstanceSHA256: "a", Solver: "z", Seed: 2, Minimised: "makespan", Fault: "panic"},
		{Group: "g", Instance: "b", InstanceSHA256: "b", Solver: "z", Seed: 1, Minimised: "makespan"}, // nothing found
		{Group: "other", Instance: "c", InstanceSHA256: "c", Solver: "z", Minimised: "mcp", Objective: new(0.0)},
		{Group: "other", Instance: "c", InstanceSHA256: "c", Solver: "x", Minimised: "mcp", Objective: new(1.0)},
	}
	rows = append(rows, bench.Row{Group: "mixed", Instance: "d", InstanceSHA256: "d", Solver: "x", Minimised: "mcp", Objective: new(1.0)},
		bench.Row{Group: "mixed", Instance: "e", InstanceSHA256: "e", Solver: "x", Minimised: "makespan", Objective: new(9.0)})
	rows[8].Objective = new(10.0)
	known := []bench.Row{row("b", "w", 1, 2, 0)}
	want := []Ranking{
		{Group: "g", Minimised: "makespan", Instances: 2, Standings: []Standing{
			{Solver: "x", Runs: 4, Objective: new(9.5), Ratio: new(1.75), Compared: 4, Wins: 1, Elapsed: 2},
			{Solver: "y", Runs: 4, Objective: new(9.0), Ratio: new((1.4 + 1.4 + 2.5) / 3), Compared: 3, Wins: 1, Elapsed: 2, Left: 0.25},
			{Solver: "z", Runs: 3, Objective: new(10.0), Ratio: new(1.0), Compared: 1, Elapsed: 2.0 / 3, Unsolved: 1, Faults: 1}, // however good, it has no schedule twice, and a run without a schedule wins nothing
		}},
		{Group: "other", Minimised: "mcp", Instances: 1, Standings: []Standing{
			{Solver: "z", Runs: 1, Objective: new(0.0), Ratio: new(1.0), Compared: 1, Wins: 1},
			{Solver: "x", Runs: 1, Objective: new(1.0), Compared: 1}, // the ratio to 0 says nothing
		}},
		{Group: "mixed", Minimised: "mcp, makespan", Instances: 2, Standings: []Standing{ // a mean of two metrics is none of anything
			{Solver: "x", Runs: 2, Ratio: new(1.0), Compared: 2, Wins: 2},
		}},
	}
	found := Rank(rows, known)
	if diff := cmp.Diff(want, found, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })); diff != "" {
		t.Errorf("(-expected +found)\n%s", diff)
	}
	text := Rankings(found)
	const table = `g: 2 instances; minimise makespan
┌────────┬──────┬────────────────┬────────────┬──────┬─────────────┬────────┬──────────┬─────────────┐
│ solver │ runs │ mean objective │ mean ratio │ wins │ mean time s │ faults │ left out │ no schedule │
├────────┼──────┼────────────────┼────────────┼──────┼─────────────┼────────┼──────────┼─────────────┤
│ x      │    4 │        9.50000 │     1.7500 │    1 │        2.00 │      0 │        0 │           0 │
│ y      │    4 │              9 │     1.7667 │    1 │        2.00 │      0 │ 0.250000 │           0 │
│ z      │    3 │             10 │     1.0000 │    0 │       0.667 │      1 │        0 │           1 │
└────────┴──────┴────────────────┴────────────┴──────┴─────────────┴────────┴──────────┴─────────────┘
`
	if !strings.HasPrefix(text, table) {
		t.Errorf("the table begins otherwise:\n%s", text)
	}
}

// A group of on-line policies and solvers that know the future has two rankings: nobody wins over somebody who knew less.
func TestRankKindsApart(t *testing.T) {
	row := func(solver string, online bool, x float64) bench.Row {
		return bench.Row{Instance: "a", InstanceSHA256: "a", Solver: solver, Online: &online, Minimised: "makespan", Objective: &x}
	}
	got := Rank([]bench.Row{row("p", true, 8), row("s", false, 4), row("q", true, 6)}, nil)
	if len(got) != 2 || got[0].Kind != "on line" || got[1].Kind != "plans ahead" || len(got[1].Standings) != 1 {
		t.Fatalf("%+v", got)
	}
	if first := got[0].Standings[0]; first.Solver != "q" || first.Wins != 1 || *first.Ratio != 1.5 || got[1].Standings[0].Wins != 1 {
		t.Errorf("%+v", got)
	}
	if got := Rank([]bench.Row{row("p", true, 8), row("q", true, 6)}, nil); len(got) != 1 || got[0].Kind != "" {
		t.Errorf("of one kind: %+v", got)
	}
}

// TestRankWithStated ranks rows beside stated values: a lower one is what ratios refer to, one that a run beats is counted, unless it differs by its
// rounding alone.
func TestRankWithStated(t *testing.T) {
	row := func(instance string, objective float64) bench.Row {
		return bench.Row{Instance: instance, InstanceSHA256: instance, Solver: "x", Minimised: "makespan", Objective: &objective, Bound: model.ProvedBound(objective / 2)}
	}
	stated := func(instance string, value float64) bench.Row {
		s := row(instance, value)
		s.Solver, s.Bound, s.Stated = "", model.Bound{}, &bench.StatedBest{Metric: "makespan", Value: value, Rounding: 0.05, File: "known.csv"}
		return s
	}
	rows := []bench.Row{row("a", 10), row("b", 10), row("c", 10), row("d", 10)}
	known := []bench.Row{stated("a", 8), stated("b", 10.04), stated("c", 12), stated("elsewhere", 1)}
	got := Rank(rows, known)[0]
	if got.Stated != 3 || got.Beaten != 1 || got.Standings[0].Ratio == nil || *got.Standings[0].Ratio != (1.25+1+1+1)/4 {
		t.Errorf("%+v, ratio %v", got, *got.Standings[0].Ratio)
	}
	if twice := Rank(rows, append(known, known...))[0]; twice.Stated != 3 || twice.Beaten != 1 {
		t.Errorf("a suite that lists instances twice: %+v", twice)
	}
	text := Rankings([]Ranking{got})
	if want := "mean ratio: to the best known objective that known.csv states for 3 of 4, or to the best run where that is better (on 1)\n"; !strings.HasSuffix(text, want) {
		t.Errorf("%s\nshould end with %s", text, want)
	}
	if list := Contradictions(rows, known); list != nil {
		t.Errorf("no bound excludes a value, but %q", list)
	}
	low := append(known, stated("d", 4.94)) // the bound is 5, so that even 4.99 would be excluded
	if list := Contradictions(append(rows, rows...), low); len(list) != 1 || list[0] != "known.csv states makespan 4.94000 for d, but x proved that none is below 5" {
		t.Errorf("%q", list)
	}
	if list := Contradictions(rows, append(known, stated("d", 4.96))); list != nil {
		t.Errorf("4.96 may be 5.01 before rounding, but %q", list)
	}
}
