package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/model"
	_ "github.com/allot-opt/allot/solvers"
)

// kindRows are rows of two on-line policies and two solvers that know the future on instances of a group.
func kindRows(group string, instances int, future bool) []bench.Row {
	var rows []bench.Row
	objectives := map[string]float64{"easy": 20, "fcfs": 30, "minmin": 11, "search": 10}
	for i := range instances {
		for _, name := range slices.Sorted(maps.Keys(objectives)) {
			x := objectives[name]
			r := row(name, fmt.Sprintf("%s-x%02d", group, i), x+float64(i))
			r.Group, r.Online = group, new(future && (name == "easy" || name == "fcfs"))
			r.Incumbents = []model.Incumbent{{Elapsed: 1, Objective: 2 * x}, {Elapsed: 5, Objective: x + float64(i)}}
			rows = append(rows, r)
		}
	}
	return rows
}

// Where instances hold a future, on-line policies are compared among themselves, the others among themselves, and each group has the best of the
// other below its table and as a line in its pictures. Without a future all are one group.
func TestOnlinePoliciesStandApart(t *testing.T) {
	s := newStudy(kindRows("traces", 8, true), nil, nil)
	if len(s.groups) != 2 || s.groups[0].title() != "traces: on-line policies" || s.groups[1].title() != "traces: solvers that know the future" {
		t.Fatalf("%d groups", len(s.groups))
	}
	for k, want := range []struct{ solvers, verdict, foot, gap string }{
		// Gaps to the best known, which search found: (20 − 10)/20 and so on, the mean of 10/(20 + i).
		{"easy fcfs", "easy has the best mean rank, 1 among 2 solvers over 8 instances. It is significantly better than fcfs", "search (solver that knows the future)", "42.96"},
		{"search minmin", "search has the best mean rank, 1 among 2 solvers over 8 instances. It is significantly better than minmin", "easy (on-line policy)", "0.00"},
	} {
		g := s.groups[k]
		if got := strings.Join(g.names(), " "); got != want.solvers {
			t.Errorf("solvers %s, expected %s", got, want.solvers)
		}
		if got := g.words().plain(); !strings.HasPrefix(got, want.verdict) {
			t.Error(got)
		}
		table := g.solversTable("t")
		if len(table.Rows) != 2 || len(table.Foot) != 1 || table.Foot[0][0].Text != want.foot || table.Foot[0][1].Text != document.Missing || table.Rows[0][4].Text != want.gap {
			t.Errorf("the table has %+v, below it %+v", table.Rows, table.Foot)
		}
		if got := len(g.test.pairs); got != 1 {
			t.Errorf("%d pairs are tested, expected 1", got)
		}
		reference := 0
		for _, p := range g.plots("g", map[string]int{}) {
			for _, entry := range p.Legend {
				if entry.Style == "ref" {
					reference++
					if !strings.HasSuffix(entry.Name, ", for reference") {
						t.Error(entry.Name)
					}
				}
			}
		}
		if reference != 3 { // data profile, mean and median gap; a performance profile is of the group's own best
			t.Errorf("%d pictures have a line for reference, expected 3", reference)
		}
	}
	if s := newStudy(kindRows("batch", 8, false), nil, nil); len(s.groups) != 1 || len(s.groups[0].test.pairs) != 6 {
		t.Errorf("without a future: %d groups", len(s.groups))
	}
}

// Over several groups there is a summary for each kind, also where one of the groups has nothing to tell apart.
func TestSummariesOfEachKind(t *testing.T) {
	rows := append(kindRows("batch", 7, false), kindRows("traces", 8, true)...)
	var b bytes.Buffer
	if err := Write(&b, []Run{{Name: "x", Rows: rows}}, Options{}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		`<span class="kind">On-line policies</span> <b>easy</b> has the best mean rank, 1 among 2 solvers over 15 instances.`,
		`<span class="kind">Solvers that know the future</span> <b>search</b> has the best mean rank, 1 among 2 solvers over 15 instances.`,
		`Mean gap to the best known, %, of the on-line policies`, `Mean gap to the best known, %, of the solvers that know the future`,
		`<h2 id="g1-h">batch</h2>`, `<h2 id="g2-h">traces: on-line policies</h2>`, `<h2 id="g3-h">traces: solvers that know the future</h2>`,
		`<dt>Ran on</dt><dd>not recorded</dd>`, `15 in 2 groups`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, "<b>Gap.</b>"); n != 1 || strings.Contains(page, "primal gap") {
		t.Errorf("the page defines a gap %d times, expected once", n)
	}
	alone := kindRows("traces", 8, true)
	for k := range alone {
		if alone[k].Solver == "easy" {
			alone[k].Solver = "fcfs"
			alone[k].Seed = 2
		}
	}
	g := newStudy(alone, nil, nil).groups[0]
	if got := g.words().plain(); got != "fcfs is the only on-line policy here, so there is nothing to compare it with." {
		t.Error(got)
	}
}

// The head of the page says what the runs were made on.
func TestEnvironmentsAreOnThePage(t *testing.T) {
	run := func(list ...bench.Environment) []Run {
		return []Run{{Name: "x", Rows: []bench.Row{row("a", "x", 1)}, File: &bench.RunFile{Environments: list}}}
	}
	e := bench.Environment{Date: "2026-02-03T04:05:06Z", Commit: "0123456789ab", System: "linux/amd64", CPU: "Fast  CPU <1>", Cores: 2, Memory: 24 << 30, Load: 0.5}
	first, second, many := e, e, []bench.Environment{}
	first.Host, second.Host = "cn2", "cn1"
	for k := range 10 {
		other := e
		other.Host = fmt.Sprintf("cn%d", k)
		many = append(many, other)
	}
	later := e
	later.Date, later.Load, later.Commit = "2026-02-05T04:05:06Z", 1.25, "ffff-dirty"
	for want, runs := range map[string][]Run{
		"Date: 2026-02-03; Ran on: Fast CPU <1>, 2 cores; Memory: 24 GiB; Commit: 0123456789ab; Load when it began: 0.5":                                                               run(e),
		"Date: 2026-02-03 to 2026-02-05; Ran on: Fast CPU <1>, 2 cores; Memory: 24 GiB; Commit: 0123456789ab; ffff-dirty; Load when it began: 0.5 to 1.2":                              run(e, later),
		"Date: 2026-02-03; Ran on: Fast CPU <1>, 2 cores; Memory: 24 GiB; Commit: 0123456789ab; Hosts: 2: cn1, cn2; Load when it began: 0.5":                                           run(first, second, second),
		"Date: 2026-02-03; Ran on: Fast CPU <1>, 2 cores; Memory: 24 GiB; Commit: 0123456789ab; Hosts: 10: cn0, cn1, cn2, cn3, cn4, cn5, cn6, cn7 and 2 more; Load when it began: 0.5": run(many...),
		"Ran on: not recorded": {{Name: "rows alone"}},
		"Date: 2026-02-03; Ran on: not recorded; Memory: not recorded; Commit: not recorded; Load when it began: 0": run(bench.Environment{Date: "2026-02-03T00:00:00Z"}),
	} {
		var got []string
		for _, f := range environments(runs) {
			got = append(got, f.Name+": "+f.Value)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s\nwant %s", strings.Join(got, "; "), want)
		}
	}
}

// Rows of older versions do not say who decided on line; their solvers' names do, also where the page shows longer ones.
func TestOlderRowsAreKnownByTheirSolvers(t *testing.T) {
	rows := kindRows("traces", 8, true)
	for k := range rows {
		rows[k].Online = nil
		rows[k].Parameters = map[string]string{"depth": fmt.Sprint(k / 4 % 2)} // there are four solvers
	}
	joined, err := gather([]Run{{Name: "old", Rows: rows}, {Name: "new", Rows: rows}})
	if err != nil {
		t.Fatal(err)
	}
	s := newStudy(joined, nil, nil)
	if len(s.groups) != 2 || s.groups[0].kind != online || len(s.groups[0].solvers) != 8 {
		t.Fatalf("%d groups, the first of %d solvers", len(s.groups), len(s.groups[0].solvers))
	}
	for _, c := range s.groups[0].solvers {
		if !strings.HasPrefix(c.name, "easy") && !strings.HasPrefix(c.name, "fcfs") {
			t.Errorf("%s is on line", c.name)
		}
	}
}

// A policy that is on line in one group is so over all groups, wherever the group stands.
func TestOnlineAnywhereIsOnlineOverall(t *testing.T) {
	for _, first := range []string{"a", "c"} {
		rows := kindRows("b", 8, true)
		for _, r := range kindRows(first, 8, true) {
			if r.Solver == "easy" { // knows all of these
				r.Online = new(false)
			}
			rows = append(rows, r)
		}
		var got []string
		for _, g := range newStudy(rows, nil, nil).overalls() {
			got = append(got, strings.Join(g.names(), " "))
		}
		if want := "easy fcfs, search minmin"; strings.Join(got, ", ") != want {
			t.Errorf("group %s: %q, expected %q", first, got, want)
		}
	}
}
