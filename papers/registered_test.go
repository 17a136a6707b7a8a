package papers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/papers/verdict"
)

// again is an experiment with a registered reading on seeds of its own, which has one point of two, and a claim that was added later.
const again = `{"format": "allot-experiment/1", "id": "test/again", "title": "t",
 "source": {"authors": "a", "year": 2004, "title": "t", "in": "j", "figure": "f"}, "set_up": "s", "takes": {"quick": "1 s", "full": "1 s"},
 "suite": {"format": "allot-suite/1", "name": "s", "instances": [{"generate": "muscle", "group": "g{jobs}", "parameters": {"jobs": [4, 8]}, "seeds": 3},
  {"generate": "muscle", "group": "again{jobs}", "parameters": {"jobs": 4}, "seeds": {"first": 101, "count": 3}}],
  "solvers": ["muscle", "dll"]},
 "axis": "jobs", "points": [{"id": "4", "x": 4}, {"id": "8", "x": 8}],
 "quantities": [{"name": "MCP", "doc": "d", "terms": {"mcp": 1}}], "policies": ["M", "D"],
 "readings": [{"id": "first", "text": "t", "group": "g{point}", "policies": {"M": "muscle", "D": "dll"}},
  {"id": "again", "text": "t", "registered": {"reason": "why", "commit": "abc"}, "points": ["4"], "only": "4 jobs, which decide", "group": "again{point}", "policies": {"M": "muscle", "D": "dll"}}],
 "claims": [{"id": "c1", "text": "t", "where": "w", "form": "sign", "quantity": "MCP", "policy": "M", "against": "D", "direction": "less", "at": ["4"]},
  {"id": "c2", "text": "t", "where": "w", "form": "sign", "quantity": "MCP", "policy": "M", "against": "D", "direction": "less"},
  {"id": "c3", "text": "t", "where": "w", "form": "limit", "quantity": "MCP", "policy": "M", "direction": "less", "value": 100, "at": ["4"], "added": true}]}`

// outcomeOf judges rows in which M has the given mean against 100 of D, in the given groups.
func outcomeOf(t *testing.T, e *Experiment, reading string, mean float64, groups ...string) *Outcome {
	t.Helper()
	var rows []bench.Row
	for _, group := range groups {
		for seed := range uint64(3) {
			for label, value := range map[string]float64{"muscle": mean, "dll": 100} {
				rows = append(rows, bench.Row{Group: group, Solver: label, Seed: seed, Metrics: model.Metrics{"mcp": {Total: value + float64(seed)}}})
			}
		}
	}
	o := &Outcome{Experiment: e, Reading: reading}
	if err := o.judge(rows); err != nil {
		t.Fatal(err)
	}
	return o
}

// verdicts lists claim, reading and verdict of a record.
func verdicts(r *Record) string {
	var list []string
	for _, c := range r.Claims {
		list = append(list, fmt.Sprint(strings.TrimPrefix(c.ID, "test/again/"), " ", c.Reading, " ", c.Verdict))
	}
	return strings.Join(list, "; ")
}

// A reading that ran alone joins the record: what was recorded stays, also where the new run says otherwise, and only what is missing is added.
func TestMergeAddsOnly(t *testing.T) {
	e, err := Read(strings.NewReader(again), "again.json")
	if err != nil {
		t.Fatal(err)
	}
	record := outcomeOf(t, e, "", 80, "g4", "g8").Record()
	record.Claims = record.Claims[:4] // c3 was not there yet
	const before = "c1 first replicates; c1 again not yet; c2 first replicates; c2 again not yet"
	if got := verdicts(record); got != before {
		t.Fatalf("the first record: %s", got)
	}
	record.Merge(e, "first", outcomeOf(t, e, "first", 120, "g4", "g8").Record())
	if got := verdicts(record); got != before[:strings.LastIndex(before, ";")]+"; c2 again not yet; c3 first does not replicate" {
		t.Errorf("a run of the first reading that says otherwise: %s", got)
	}
	if line := record.Series[0]; line.Values[0].Estimate != 81 {
		t.Errorf("the line of the first reading was replaced: %+v", line)
	}
	record.Merge(e, "again", outcomeOf(t, e, "again", 90, "again4").Record())
	const after = "c1 first replicates; c1 again replicates; c2 first replicates; c2 again not yet; c3 first does not replicate; c3 again replicates"
	if got := verdicts(record); got != after {
		t.Errorf("with the registered reading: %s\nwant %s", got, after)
	}
	if row := record.row("test/again/c1", "again"); row.Registered != "abc" || !strings.Contains(row.Command, `--reading "again"`) {
		t.Errorf("the row of the registered reading is %+v", row)
	}
	if n := len(record.Series); n != 4 || record.Series[n-1].Reading != "again" {
		t.Errorf("%d lines, want 2 of each reading", n)
	}
	if changes := outcomeOf(t, e, "again", 120, "again4").changesFrom(e.outcome(record)); len(changes) != 2 {
		t.Errorf("a run of one reading is compared with that reading alone: %v", changes)
	}
}

// A registered reading judges a claim only where it ran at all points of the claim.
func TestRegisteredNeedsAllPoints(t *testing.T) {
	e, err := Read(strings.NewReader(again), "again.json")
	if err != nil {
		t.Fatal(err)
	}
	o := outcomeOf(t, e, "again", 80, "again4")
	for id, want := range map[string]verdict.Verdict{"c1": verdict.Replicates, "c2": verdict.NotYet, "c3": verdict.Replicates} {
		for k := range e.Claims {
			if f := o.finding(&e.Claims[k], e.registered()); e.Claims[k].ID == id && f.Verdict != want {
				t.Errorf("%s: %s (%s), want %s", id, f.Verdict, f.Reason, want)
			}
		}
	}
	if s := o.Summary(); !strings.Contains(s, `Under the reading "again" alone`) {
		t.Error(s)
	}
}

// A claim about a point that its reading is not about is outside of the reading: it never waits for a run, and is counted apart.
func TestOutsideOfAReading(t *testing.T) {
	e, err := Read(strings.NewReader(again), "again.json")
	if err != nil {
		t.Fatal(err)
	}
	o := outcomeOf(t, e, "", 80, "g4", "g8", "again4")
	const want, twice = "2 of 2 testable claims replicate; 1 outside of the reading", "4 of 4 testable claims replicate; 2 outside of the reading"
	if found := countUnder(o.Findings, e.registered()); found.String() != want || Total(found, found).String() != twice {
		t.Errorf("%q, twice %q, want %q", found, Total(found, found), want)
	}
	for id, want := range map[string]string{"c1": "replicates", "c2": "outside of this reading: it is of 4 jobs, which decide"} {
		for k := range e.Claims {
			if f := o.finding(&e.Claims[k], e.registered()); e.Claims[k].ID == id && (!strings.HasPrefix(f.verdictText(), want) || !strings.HasPrefix(f.short(false), want)) {
				t.Errorf("%s: %q, %q, want %q", id, f.verdictText(), f.short(false), want)
			}
		}
	}
	if before := countUnder(outcomeOf(t, e, "", 80, "g4", "g8").Findings, e.registered()).String(); before != "2 not run yet; 1 outside of the reading" {
		t.Errorf("before its run: %q", before)
	}
}

// A run of one reading plans the cells of that reading alone.
func TestRestrict(t *testing.T) {
	e, err := Read(strings.NewReader(again), "again.json")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := e.suite(false, 0).Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := len(plan.Cells)
	if err := e.restrict(plan, "again"); err != nil {
		t.Fatal(err)
	}
	for _, c := range plan.Cells {
		if g := plan.Instances[c.Instance].Group; g != "again4" {
			t.Errorf("a cell of %s", g)
		}
	}
	if len(plan.Cells) != 6 || all != 18 {
		t.Errorf("%d of %d cells, want 6 of 18", len(plan.Cells), all)
	}
	if err := e.restrict(plan, "other"); err == nil || !strings.Contains(err.Error(), `expected a reading of test/again, one of "first", "again"; found "other"`) {
		t.Error(err)
	}
}

// Seeds of registered readings are those that no other reading of any experiment uses.
func TestRegisteredSeedsAreNew(t *testing.T) {
	const first = 700001
	for _, e := range Known() {
		if e.Suite == nil {
			continue
		}
		for k, s := range e.Suite.Instances {
			seed := uint64(1)
			if s.Seeds.First != nil {
				seed = *s.Seeds.First
			}
			own := false
			if r := e.registered(); r != nil {
				own = firstWord(r.Group) == firstWord(s.Group)
			}
			if own != (seed >= first) {
				t.Errorf("%s: instances[%d], group %q, begin at seed %d", e.ID, k, s.Group, seed)
			}
		}
	}
}

// firstWord is what a group begins with, which tells those of a registered reading apart.
func firstWord(group string) string { return group[:strings.IndexAny(group+" ", " ,")] }

// A run of one reading has a part of the rows of a reading that shares a policy with it. That part neither judges the other reading nor stops the run.
func TestOneReadingAloneIsJudged(t *testing.T) {
	text := strings.Replace(again, `"policies": {"M": "muscle", "D": "dll"}},`,
		`"policies": {"M": "muscle", "D": "dll"}}, {"id": "shared", "text": "t", "post_hoc": true, "group": "g{point}", "policies": {"M": "muscle", "D": "wrand"}},`, 1)
	text = strings.Replace(text, `"solvers": ["muscle", "dll"]`, `"solvers": ["muscle", "dll", "wrand"]`, 1)
	e, err := Read(strings.NewReader(text), "again.json")
	if err != nil {
		t.Fatal(err)
	}
	const want = "c1 first replicates; c1 shared not yet; c1 again not yet; c2 first replicates; c2 shared not yet; c2 again not yet; " +
		"c3 first replicates; c3 shared not yet; c3 again not yet"
	if got := verdicts(outcomeOf(t, e, "first", 80, "g4", "g8").Record()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
