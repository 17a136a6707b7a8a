package papers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/papers/verdict"
)

// A policy that is within 2 % of the range from the floor or the ceiling makes a claim untestable, and only where the claim needs the point.
func TestDegenerateRegime(t *testing.T) {
	e := &Experiment{
		ID:     "test/regime",
		Points: []Point{{ID: "a", X: 1}, {ID: "b", X: 2}, {ID: "c", X: 3}},
		Quantities: []Quantity{
			{Name: "failures", Range: &Range{Floor: 0, Ceiling: 1000, QuickCeiling: new(50.0)}},
			{Name: "free", Terms: Terms{"mcp": 1}},
		},
		Policies: []string{"M", "D"},
		Readings: []Reading{{ID: "first"}, {ID: "other", Quantities: map[string]Terms{"failures": {"missed": 1}}}, {ID: "a alone", Points: []string{"a"}}},
	}
	for _, test := range []struct {
		name    string
		claim   Claim
		m, d    []float64 // by point
		reading int
		quick   bool
		want    string
	}{
		{name: "inside", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D"}, m: []float64{21, 500, 979}, d: []float64{500, 500, 500}},
		{name: "at the floor", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D"}, m: []float64{20, 500, 500}, d: []float64{500, 500, 500}, want: "M is at the floor of 0 at a"},
		{name: "at the ceiling", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D"}, m: []float64{500, 500, 500}, d: []float64{500, 980, 1000}, want: "D is at the ceiling of 1000 at b, c"},
		{name: "both", claim: Claim{Form: trend, Quantity: "failures", Policy: "M", Against: "D"}, m: []float64{0, 5, 500}, d: []float64{1000, 500, 500}, want: "D is at the ceiling of 1000 at a; M is at the floor of 0 at a, b"},
		{name: "not needed", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D", At: []string{"a", "b"}}, m: []float64{500, 500, 1000}, d: []float64{500, 500, 1000}},
		{name: "not in the contrast", claim: Claim{Form: interaction, Quantity: "failures", Policy: "M", Contrast: Terms{"a": 1, "b": -1}}, m: []float64{500, 500, 1000}, d: []float64{500, 500, 500}},
		{name: "in the contrast", claim: Claim{Form: interaction, Quantity: "failures", Policy: "M", Contrast: Terms{"a": 1, "c": -1}}, m: []float64{500, 500, 1000}, d: []float64{500, 500, 500}, want: "M is at the ceiling of 1000 at c"},
		{name: "the nearest needs all points", claim: Claim{Form: nearest, Policy: "M", Target: Terms{"failures": 400}, At: []string{"a"}}, m: []float64{500, 0, 500}, d: []float64{500, 500, 500}, want: "M is at the floor of 0 at b"},
		{name: "a rival that is not the claim's", claim: Claim{Form: trend, Quantity: "failures", Policy: "M"}, m: []float64{500, 500, 500}, d: []float64{0, 0, 0}},
		{name: "no range", claim: Claim{Form: sign, Quantity: "free", Policy: "M", Against: "D"}, m: []float64{0, 0, 0}, d: []float64{0, 0, 0}},
		{name: "another metric", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D"}, reading: 1, m: []float64{0, 0, 0}, d: []float64{0, 0, 0}},
		{name: "a point that the reading lacks", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D"}, reading: 2, m: []float64{500, 0, 0}, d: []float64{500, 0, 0}},
		{name: "quick", claim: Claim{Form: sign, Quantity: "failures", Policy: "M", Against: "D"}, quick: true, m: []float64{25, 25, 49}, d: []float64{25, 25, 25}, want: "M is at the ceiling of 50 at c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			reading := &e.Readings[test.reading]
			o := &Outcome{Experiment: e, Quick: test.quick, Findings: []Finding{{Claim: &test.claim, Reading: reading, Verdict: verdict.Replicates}}}
			for policy, values := range map[string][]float64{"M": test.m, "D": test.d} {
				for _, q := range e.Quantities {
					s := Series{Quantity: q.Name, Policy: policy, Reading: reading}
					for k, v := range values {
						s.Points = append(s.Points, SeriesPoint{e.Points[k].X, statistics.Interval{N: 3, Estimate: v}})
					}
					o.Series = append(o.Series, s)
				}
			}
			o.judgeTestable()
			f := &o.Findings[0]
			judged, reason := f.Judged()
			switch {
			case f.Verdict != verdict.Replicates:
				t.Errorf("the verdict of the numbers became %s", f.Verdict)
			case test.want == "" && (judged != verdict.Replicates || f.NotTestable != nil):
				t.Errorf("%s: %s; want the numbers' verdict", judged, reason)
			case test.want != "" && (judged != verdict.NotTestable || f.NotTestable.Kind != degenerateRegime || f.NotTestable.Reason != test.want):
				t.Errorf("%s: %s; want not testable: %s", judged, reason, test.want)
			}
		})
	}
}

// A judgement of the data file comes before the regime, holds under its readings alone, and leaves what was not run as it is.
func TestStatedJudgement(t *testing.T) {
	e := &Experiment{Readings: []Reading{{ID: "first"}, {ID: "second"}}}
	all := Claim{Form: sign, NotTestable: &NotTestable{Kind: "another measure", Reason: "why"}}
	first := Claim{Form: sign, NotTestable: &NotTestable{Kind: "policies coincide", Reason: "why", Readings: []string{"first"}}}
	for _, test := range []struct {
		claim   *Claim
		reading int
		numbers verdict.Verdict
		want    verdict.Verdict
	}{
		{&all, 0, verdict.Fails, verdict.NotTestable},
		{&all, 1, verdict.Replicates, verdict.NotTestable},
		{&all, 0, verdict.NotYet, verdict.NotYet},
		{&first, 0, verdict.Replicates, verdict.NotTestable},
		{&first, 1, verdict.Replicates, verdict.Replicates},
	} {
		o := &Outcome{Experiment: e, Findings: []Finding{{Claim: test.claim, Reading: &e.Readings[test.reading], Verdict: test.numbers}}}
		o.judgeTestable()
		if judged, _ := o.Findings[0].Judged(); judged != test.want || o.Findings[0].Verdict != test.numbers {
			t.Errorf("%s under %s: %s became %s, want %s", test.claim.NotTestable.Kind, e.Readings[test.reading].ID, o.Findings[0].Verdict, judged, test.want)
		}
	}
}

// The counts are of evidence: a claim that repeats another, one of ours and one that can't be tested are counted apart.
func TestCountsEvidence(t *testing.T) {
	r := &Reading{ID: "first"}
	finding := func(c Claim, v verdict.Verdict) Finding {
		return Finding{Claim: &c, Reading: r, Verdict: v, NotTestable: c.NotTestable}
	}
	why := &NotTestable{Kind: "another measure", Reason: "why"}
	findings := []Finding{
		finding(Claim{}, verdict.Replicates), finding(Claim{}, verdict.Replicates), finding(Claim{}, verdict.Fails), finding(Claim{}, verdict.Undecided), finding(Claim{}, verdict.DirectionOnly),
		finding(Claim{NotTestable: why}, verdict.Replicates), finding(Claim{NotTestable: why}, verdict.NotTestable), finding(Claim{}, verdict.NotYet),
		finding(Claim{Repeats: "a/b/c"}, verdict.Replicates), finding(Claim{NotStated: "why"}, verdict.Replicates), finding(Claim{NotStated: "why", Repeats: "a/b/c"}, verdict.Fails),
	}
	c := countUnder(findings, r)
	const want = "2 of 5 testable claims replicate, 1 in the direction only, 1 undecided, 1 does not; 2 could not be tested here; 1 not run yet; 1 counted with another; 2 not the paper's"
	if c.String() != want || Total(c, c).String() != "4 of 10 testable claims replicate, 2 in the direction only, 2 undecided, 2 do not; 4 could not be tested here; 2 not run yet; 2 counted with another; 4 not the paper's" {
		t.Errorf("%q, twice %q; want %q", c, Total(c, c), want)
	}
	if one := countUnder(findings[:1], r).String(); one != "1 of 1 testable claim replicates" {
		t.Error(one)
	}
}

// A claim that repeats another names one that is there, is counted, and is of the same form of statement about the same policies.
func TestRepeatsAreOfClaims(t *testing.T) {
	known := map[string]*Claim{}
	for _, e := range Known() {
		for k := range e.Claims {
			known[e.ID+"/"+e.Claims[k].ID] = &e.Claims[k]
		}
	}
	for id, c := range known {
		other := known[c.Repeats]
		if c.Repeats == "" {
			continue
		}
		if other == nil || !other.counts() || other.Quantity != c.Quantity || other.Policy != c.Policy || other.Against != c.Against {
			t.Errorf("%s repeats %s: expected a claim that counts, of the same quantity and policies", id, c.Repeats)
		}
	}
}

// Policies coincide where their lines are the same, and a claim against one of two such policies says so.
func TestPoliciesCoincide(t *testing.T) {
	for _, e := range Known() {
		o := e.recordedIn("full")
		if o == nil {
			continue
		}
		line := func(reading *Reading, quantity, policy string) string {
			var text strings.Builder
			for _, s := range o.Series {
				if s.Reading == reading && s.Quantity == quantity && s.Policy == policy {
					fmt.Fprintln(&text, s.Panel, s.Points)
				}
			}
			return text.String()
		}
		for _, f := range o.Findings {
			c := f.Claim
			if c.Against == "" || !f.isRun() || c.Quantity == clockQuantity || f.NotTestable != nil && f.NotTestable.Kind == degenerateRegime {
				continue
			}
			same := slices.ContainsFunc(e.Policies, func(p string) bool {
				own := line(f.Reading, c.Quantity, p)
				return own != "" && (p != c.Policy && own == line(f.Reading, c.Quantity, c.Policy) || p != c.Against && own == line(f.Reading, c.Quantity, c.Against))
			})
			if stated := f.NotTestable != nil && f.NotTestable.Kind == "policies coincide"; same != stated && !(same && f.NotTestable != nil) {
				t.Errorf("%s/%s under %s: policies have the same line: %v, stated: %v", e.ID, c.ID, f.Reading.ID, same, stated)
			}
		}
	}
}

// No verdict of a first reading changes: the records say what the numbers of the first runs said.
func TestFirstReadingsStay(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "first-readings.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range Known() {
		r := recorded()[e.ID+" full"]
		if r == nil {
			t.Errorf("%s: no record of the full mode", e.ID)
			continue
		}
		for _, c := range r.Claims {
			if c.Reading == e.Readings[0].ID {
				found[c.ID] = c.Reading + "\t" + string(c.Verdict)
			}
		}
	}
	lines := bytes.Split(bytes.TrimSpace(golden), []byte("\n"))
	if len(lines) != 172 {
		t.Errorf("%d verdicts are kept, want those of 172 claims", len(lines))
	}
	for _, line := range lines {
		id, want, _ := strings.Cut(string(line), "\t")
		if found[id] != want {
			t.Errorf("%s: the record has %q, the first run had %q", id, found[id], want)
		}
	}
}
