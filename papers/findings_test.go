package papers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/papers"
	"github.com/allot-opt/allot/papers/verdict"
)

// small is an experiment of two policies at two points; the reading "swapped" takes one for the other, "double" measures another metric.
const small = `{"format": "allot-experiment/1", "id": "test/one", "title": "t",
 "source": {"authors": "a", "year": 2004, "title": "t", "in": "j", "figure": "f"}, "set_up": "s", "takes": {"quick": "1 s", "full": "1 s"},
 "suite": {"format": "allot-suite/1", "name": "s", "instances": [{"generate": "muscle", "group": "g{jobs}", "parameters": {"jobs": [4, 8]}, "seeds": 3}],
  "solvers": ["muscle", "dll"]},
 "axis": "jobs", "points": [{"id": "4", "x": 4}, {"id": "8", "x": 8}],
 "quantities": [{"name": "MCP", "doc": "d", "terms": {"mcp": 1}}], "policies": ["M", "D"],
 "readings": [
  {"id": "plain", "text": "t", "group": "g{point}", "policies": {"M": "muscle", "D": "dll"}},
  {"id": "own", "text": "t", "group": "g{point}", "policies": {"M": "muscle", "D": "dll"}, "percent": "of its own"},
  {"id": "swapped", "text": "t", "group": "g{point}", "policies": {"M": "dll", "D": "muscle"}},
  {"id": "other", "text": "t", "group": "g{point}", "policies": {"M": "muscle", "D": "dll"}, "quantities": {"MCP": {"mcp": 2, "makespan": -1}}}],
 "claims": [%s]}`

// claim is a claim of the small experiment.
func claim(id, rest string) string {
	return fmt.Sprintf(`{"id": %q, "text": "t", "where": "w", "quantity": "MCP", "policy": "M", "against": "D", %s}`, id, rest)
}

// smallExperiment reads the small experiment with claims.
func smallExperiment(t *testing.T, claims ...string) *papers.Experiment {
	t.Helper()
	e, err := papers.Read(strings.NewReader(fmt.Sprintf(small, strings.Join(claims, ", "))), "small.json")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// rows makes rows of both policies. The arguments are their mcp by point and repetition; makespans are 0.
func rows(muscle, dll map[string][]float64) []bench.Row {
	var list []bench.Row
	for name, values := range map[string]map[string][]float64{"muscle": muscle, "dll": dll} {
		for group, sample := range values {
			for k, value := range sample {
				list = append(list, bench.Row{Group: group, Solver: name, Seed: uint64(k + 1), Metrics: model.Metrics{"mcp": {Total: value}, "makespan": {Total: 0}}})
			}
		}
	}
	return list
}

// found returns the findings by claim and reading.
func found(t *testing.T, e *papers.Experiment, rows []bench.Row) map[string]papers.Finding {
	t.Helper()
	findings, err := e.Findings(rows)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]papers.Finding{}
	for _, f := range findings {
		byName[f.Claim.ID+" "+f.Reading.ID] = f
	}
	return byName
}

// Constructed rows whose verdicts are known: muscle is 20 % below dll at 4 and 50 % below at 8, in each repetition.
func TestFindingsOfConstructedRows(t *testing.T) {
	e := smallExperiment(t,
		claim("as 20", `"form": "percent", "value": -20, "at": ["4"]`),
		claim("as 40", `"form": "percent", "value": -40, "at": ["4"]`),
		claim("more", `"form": "percent", "value": 20, "at": ["4"]`),
		claim("both", `"form": "percent", "value": -42.5`),
		claim("less", `"form": "sign", "direction": "less"`),
		claim("more at", `"form": "sign", "direction": "more", "at": ["8"]`),
		claim("grows", `"form": "trend", "direction": "less"`),
		claim("shrinks", `"form": "trend", "direction": "more"`),
	)
	got := found(t, e, rows(
		map[string][]float64{"g4": {80, 160, 88}, "g8": {150, 200, 250}},
		map[string][]float64{"g4": {100, 200, 110}, "g8": {300, 400, 500}}))
	for name, want := range map[string]struct {
		verdict verdict.Verdict
		value   float64
		reason  string
	}{
		"as 20 plain":     {verdict.Replicates, -20, ""},
		"as 20 own":       {verdict.Replicates, -25, ""}, // 100·(1 − 100/80): 25 % of 20 off
		"as 20 swapped":   {verdict.Fails, 25, "the opposite is shown"},
		"as 20 other":     {verdict.Replicates, -20, ""},
		"as 40 plain":     {verdict.DirectionOnly, -20, "smaller than the paper's"},
		"more plain":      {verdict.Fails, -20, "the opposite is shown"},
		"more swapped":    {verdict.Replicates, 25, ""},
		"both plain":      {verdict.Replicates, 100 * (928.0/1610 - 1), ""}, // of the sums over both points
		"less plain":      {verdict.Replicates, 100 * (928.0/1610 - 1), ""},
		"less swapped":    {verdict.Fails, 100 * (1610.0/928 - 1), "the opposite is shown at 4; 8"},
		"more at plain":   {verdict.Fails, -50, "the opposite is shown at 8"},
		"grows plain":     {verdict.Replicates, -30, ""},
		"grows own":       {verdict.Replicates, -75, ""},
		"grows swapped":   {verdict.Fails, 75, "the opposite is shown"},
		"shrinks plain":   {verdict.Fails, -30, "the opposite is shown"},
		"shrinks swapped": {verdict.Replicates, 75, ""},
	} {
		f := got[name]
		if f.Verdict != want.verdict || f.Reason != want.reason || math.Abs(f.Value.Estimate-want.value) > 1e-9 {
			t.Errorf("%s: %s, %v (%s); want %s, %v (%s)", name, f.Verdict, f.Value.Estimate, f.Reason, want.verdict, want.value, want.reason)
		}
	}
}

// A sign that holds at one point and is open at another is undecided, and the reason says where.
func TestSignAtSomePoints(t *testing.T) {
	e := smallExperiment(t, claim("less", `"form": "sign", "direction": "less"`))
	got := found(t, e, rows(
		map[string][]float64{"g4": {80, 161, 88}, "g8": {300, 200, 100}},
		map[string][]float64{"g4": {100, 200, 110}, "g8": {100, 200, 300}}))["less plain"]
	if want := "the interval holds 0 at 8; shown at 1 of 2 points"; got.Verdict != verdict.Undecided || got.Reason != want {
		t.Errorf("%s (%s), want that %s", got.Verdict, got.Reason, want)
	}
}

// Points without rows are left out; a claim none of whose points has rows is not run, nor is an order of one point.
func TestFindingsOfSomePoints(t *testing.T) {
	e := smallExperiment(t, claim("at 4", `"form": "percent", "value": -20, "at": ["4"]`), claim("at 8", `"form": "percent", "value": -20, "at": ["8"]`),
		claim("all", `"form": "percent", "value": -20`), claim("grows", `"form": "trend", "direction": "less"`))
	got := found(t, e, rows(map[string][]float64{"g4": {80, 160}}, map[string][]float64{"g4": {100, 200}}))
	for name, want := range map[string]verdict.Verdict{
		"at 4 plain": verdict.Replicates, "at 8 plain": verdict.NotYet, "all plain": verdict.Replicates, "grows plain": verdict.NotYet} {
		if got[name].Verdict != want {
			t.Errorf("%s: %s, want %s", name, got[name].Verdict, want)
		}
	}
}

// A missing value is an error, not a verdict.
func TestFindingsOfWrongRows(t *testing.T) {
	e := smallExperiment(t, claim("at 4", `"form": "percent", "value": -20, "at": ["4"]`))
	both := func(change func(rows []bench.Row) []bench.Row) []bench.Row {
		return change(rows(map[string][]float64{"g4": {80, 160}}, map[string][]float64{"g4": {100, 200}}))
	}
	for name, list := range map[string][]bench.Row{
		"a fault":       both(func(r []bench.Row) []bench.Row { r[0].Fault = "broken"; return r }),
		"no schedule":   both(func(r []bench.Row) []bench.Row { r[0].Metrics = nil; return r }),
		"a row missing": both(func(r []bench.Row) []bench.Row { return r[:3] }),
		"a row twice":   both(func(r []bench.Row) []bench.Row { return append(r, r[0]) }),
		"a metric":      both(func(r []bench.Row) []bench.Row { r[0].Metrics = model.Metrics{}; return r }),
	} {
		if _, err := e.Findings(list); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Where the rival's mean is 0 there is no difference in percent. The claim is undecided; the absolute difference is judged.
func TestRivalOfZero(t *testing.T) {
	e := smallExperiment(t, claim("in percent", `"form": "sign", "direction": "more"`), claim("absolute", `"form": "sign", "direction": "more", "absolute": true`))
	got := found(t, e, rows(map[string][]float64{"g4": {80, 160, 120}}, map[string][]float64{"g4": {0, 0, 0}}))
	if f := got["in percent plain"]; f.Verdict != verdict.Undecided || f.Reason != "a mean is 0, so there is no difference in percent" {
		t.Errorf("in percent: %s (%s)", f.Verdict, f.Reason)
	}
	if f := got["absolute plain"]; f.Verdict != verdict.Replicates || f.Value.Estimate != 120 {
		t.Errorf("absolute: %s (%s), %v", f.Verdict, f.Reason, f.Value)
	}
}

// The forms beside percentages and signs, on constructed rows: muscle has 80 and 150 on average, dll 100 and 300.
func TestFormsOfClaims(t *testing.T) {
	e := smallExperiment(t,
		claim("interaction", `"form": "interaction", "direction": "less", "contrast": {"8": 1, "4": -1}`),
		claim("kendall", `"form": "trend", "method": "kendall", "direction": "less"`),
		claim("no trend", `"form": "trend", "direction": "none", "within": 40`),
		claim("limit", `"form": "limit", "direction": "less", "value": -15`),
		claim("limit together", `"form": "limit", "direction": "more", "value": -50, "together": true`),
		claim("same", `"form": "equivalence", "within": 25, "at": ["4"]`),
		claim("base", `"form": "percent", "value": -25, "at": ["4"], "base": {"mcp": 1}`),
		strings.Replace(claim("own limit", `"form": "limit", "direction": "less", "value": 300`), `"against": "D",`, "", 1),
		strings.Replace(claim("own trend", `"form": "trend", "direction": "more"`), `"against": "D",`, "", 1),
		strings.Replace(claim("target", `"form": "equivalence", "within": 30, "target": {"MCP": 81}, "at": ["4"]`), `"against": "D",`, "", 1),
		strings.Replace(claim("nearest", `"form": "nearest", "target": {"MCP": 81}, "at": ["4"]`), `"against": "D",`, "", 1),
		strings.Replace(claim("not nearest", `"form": "nearest", "target": {"MCP": 81}, "at": ["8"]`), `"against": "D",`, "", 1),
		`{"id": "statement", "text": "t", "where": "w", "form": "statement", "not_testable": {"kind": "follows from the set-up", "reason": "why not"}}`,
	)
	if s := e.Claims[0].Subject(); s != "MCP of M against D: at 8 − at 4" {
		t.Errorf("the interaction is of %q", s)
	}
	got := found(t, e, rows(
		map[string][]float64{"g4": {79, 80, 81}, "g8": {149, 150, 151}},
		map[string][]float64{"g4": {99, 100, 101}, "g8": {299, 300, 301}}))
	for name, want := range map[string]struct {
		verdict verdict.Verdict
		value   float64
		ours    string
	}{
		"interaction":    {verdict.Replicates, -30, "−20.0 → −50.0 %: −30.0 points [−30.1, −29.9]"},
		"kendall":        {verdict.Replicates, -1, "−20.0 → −50.0 %: −1.0 τ [−1.0, −1.0]"},
		"no trend":       {verdict.Replicates, -30, "−20.0 → −50.0 %: −30.0 points [−30.1, −29.9]"},
		"limit":          {verdict.Replicates, -42.5, "−50.0 to −20.0 %"},
		"limit together": {verdict.Replicates, -42.5, "−42.5 % [−43.0, −42.0]"},
		"same":           {verdict.Replicates, -20, "−20.0 % [−20.5, −19.5]"},
		"base":           {verdict.Replicates, -25, "−25.0 % [−25.8, −24.2]"},
		"own limit":      {verdict.Replicates, 115, "80.0 to 150.0"},
		"own trend":      {verdict.Replicates, 100 * 70 / 115.0, "+69.6 → +130.4 %: +60.9 points [+60.9, +60.9]"},
		"target":         {verdict.Replicates, 0, "−1.0 [−3.5, +1.5]"},
		"nearest":        {verdict.Replicates, 0, "+1.0 to +69.0"},
		"not nearest":    {verdict.Fails, 0, "+1.0 to +69.0"},
		"statement":      {verdict.NotTestable, 0, "–"},
	} {
		f := got[name+" plain"]
		if f.Verdict != want.verdict || math.Abs(f.Value.Estimate-want.value) > 1e-9 || f.Ours() != want.ours {
			t.Errorf("%s: %s (%s), %v, %q; want %s, %v, %q", name, f.Verdict, f.Reason, f.Value.Estimate, f.Ours(), want.verdict, want.value, want.ours)
		}
	}
}

// The interval holds the true difference about as often as its confidence says. The values are log-normal, correlated within a repetition, and have
// a known ratio of means.
func TestIntervalCoverage(t *testing.T) {
	e := smallExperiment(t, claim("c", `"form": "percent", "value": -20, "at": ["4"]`))
	rng := rand.New(rand.NewPCG(5, 7))
	const runs, repetitions = 1000, 40
	for reading, truth := range map[string]float64{"plain": -20, "own": -25} {
		holds := 0
		for range runs {
			var a, b []float64
			for range repetitions {
				common := rng.NormFloat64()
				a = append(a, 80*math.Exp(0.4*common+0.3*rng.NormFloat64()))
				b = append(b, 100*math.Exp(0.4*common+0.3*rng.NormFloat64()))
			}
			f := found(t, e, rows(map[string][]float64{"g4": a}, map[string][]float64{"g4": b}))["c "+reading]
			if f.Value.Low <= truth && truth <= f.Value.High {
				holds++
			}
		}
		if share := float64(holds) / runs; share < 0.92 || share > 0.97 {
			t.Errorf("reading %s: %v of the intervals hold the truth, want 0.95", reading, share)
		}
	}
}

// The closest reading is chosen by verdict, then by distance, then by order.
func TestClosest(t *testing.T) {
	e := smallExperiment(t,
		claim("as 20", `"form": "percent", "value": -20, "at": ["4"]`),
		claim("as 25", `"form": "percent", "value": -25, "at": ["4"]`),
		claim("more", `"form": "sign", "direction": "more", "at": ["4"]`))
	findings, err := e.Findings(rows(map[string][]float64{"g4": {80, 160}}, map[string][]float64{"g4": {100, 200}}))
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []string{"plain", "own", "swapped"} {
		if f := papers.Closest(findings, &e.Claims[k]); f == nil || f.Reading.ID != want {
			t.Errorf("claim %s: closest is %+v, want %s", e.Claims[k].ID, f, want)
		}
	}
	// plain: reproduces, reproduces (20 is 20 % of 25 off), fails; own the same with distances 0.25 and 0; swapped fails twice.
	if r := e.ClosestOverall(findings); r == nil || r.ID != "plain" {
		t.Errorf("closest overall is %+v, want plain", r)
	}
}
