package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/model"
)

// The summary has means, intervals, bounds and marks as computed by hand: on ten instances of each group the best is 60; a is always at 100, b at 60 or 120,
// c without an objective on one of group h.
// Ranks in g: best and b 1.5, c 3 or 3.5, a 4 or 3.5; in h: best 1, c 2 or last, a 3 or 2, b 4 or 3.
func TestWriteSummary(t *testing.T) {
	var rows []bench.Row
	add := func(group string, i int, solver string, objective float64) {
		r := runOf(solver, 1, objective)[0]
		r.Group, r.Instance, r.InstanceSHA256, r.Bound = group, fmt.Sprint(group, i), fmt.Sprint(group, i), model.ProvedBound(45)
		if solver == "b" && group == "h" {
			r.AllocatesBy = "missed"
		}
		if objective == 0 {
			r.Objective = nil
		}
		rows = append(rows, r)
	}
	for i := range 10 {
		for _, group := range []string{"g", "h"} {
			add(group, i, "a", 100)
			add(group, i, "b", map[string]float64{"g": 60, "h": 120}[group])
			add(group, i, "best", 60)
		}
		add("g", i, "c", 75+float64(i%2)*25) // gaps of 20 and 40 %: 30 ± 2.262157·√(1000/9)/√10 = 7.54
		add("h", i, "c", map[bool]float64{true: 0, false: 80}[i == 0])
	}
	summary := func(opt report.SummaryOptions) string {
		var b strings.Builder
		if err := report.WriteSummary(&b, []report.Run{run("x", rows)}, opt); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	found := summary(report.SummaryOptions{Against: "a"})
	for _, want := range []string{
		"| solver | mean rank | g | h | time, s |\n| --- | ---: | ---: | ---: | ---: |\n",
		"| best | **1.25** | **0.00 ▲** | **0.00 ▲** | ",
		"| a | 3.33 | 40.00 | 40.00 | ",
		"| b | 2.70 | **0.00 ▲** | 50.00 ▼ | ",
		"| c | 2.73 | 30.00 ± 7.5 | 25.00 (9 of 10) | ",
		"| best known: gap to the bound | – | 25.00 | 25.00 | – |\n\nb: allocates by missed, whatever the instance minimises.\n",
		".\n\nAgainst a:\n\n- best – better: g and h\n- b – worse: h; better: g\n- c – no difference shown: g and h\n",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("the summary lacks %q:\n%s", want, found)
		}
	}
	for _, line := range strings.Split(summary(report.SummaryOptions{Solvers: []string{"c", "nobody"}}), "\n") {
		if strings.ContainsAny(line, "▲▼") || strings.HasPrefix(line, "| a |") || strings.HasPrefix(line, "Against") {
			t.Errorf("a summary of c alone, against nobody, has %q", line)
		}
	}
	if err := report.WriteSummary(&strings.Builder{}, []report.Run{run("x", rows)}, report.SummaryOptions{Against: "nobody"}); err == nil || !strings.Contains(err.Error(), `found "nobody"`) {
		t.Errorf("against nobody: %v", err)
	}
	var table strings.Builder
	if err := report.WriteTable(&table, []report.Run{run("x", rows)}, report.Markdown); err != nil || !strings.HasSuffix(table.String(), "|\n\nb: allocates by missed, whatever the instance minimises.\n") {
		t.Errorf("%v, the table ends without the note:\n%s", err, table.String())
	}
	page := string(write(t, []report.Run{run("x", rows)}, report.Options{}))
	if got := strings.Count(page, "b: allocates by missed, whatever the instance minimises."); got != 2 {
		t.Errorf("%d notes on the page, expected those of group h and of all", got)
	}
}
