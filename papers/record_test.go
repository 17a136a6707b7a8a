package papers

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/papers/verdict"
)

var update = flag.Bool("update", false, "rewrite docs/replication.md and its pictures from the records, and the judgements of the records")

// example is an outcome with a finding and a line.
func example(t *testing.T) *Outcome {
	t.Helper()
	list, err := Lookup("muscle/fig4")
	if err != nil {
		t.Fatal(err)
	}
	e := list[0]
	value := statistics.Interval{N: 7, Estimate: -12.3456789, Low: -13, High: -11.25}
	o := &Outcome{Experiment: e, Quick: true, Series: []Series{{Quantity: "MCP", Policy: "DLL", Reading: &e.Readings[0], Points: []SeriesPoint{{40, value}}}}}
	for _, f := range e.notYet("not run") {
		if f.Claim.ID == "c1" {
			f.Value = value
			f.Verdict, f.Reason = verdict.Percentage(*f.Claim.Value, value)
		}
		o.Findings = append(o.Findings, f)
	}
	return o
}

// A record holds what an outcome found, row by row, and reads back as it was written.
func TestRecordRoundTrip(t *testing.T) {
	o := example(t)
	record := o.Record()
	var text bytes.Buffer
	if err := WriteRecord(&text, record); err != nil {
		t.Fatal(err)
	}
	read, err := ReadRecord(&text, "record.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(record, read); diff != "" {
		t.Error(diff)
	}
	row := read.Claims[0]
	if row.ID != "muscle/fig4/c1" || row.Verdict != verdict.Replicates || row.Repetitions != 7 || row.Value.Estimate != -12.3457 || row.Command != "allot reproduce --quick muscle/fig4" ||
		row.Commit == "" || row.Where == "" || row.Tolerance == "" || row.Paper != "−12.1 %" || !strings.Contains(row.Quotation, "12.1%") {
		t.Errorf("the first row is %+v", row)
	}
	back := o.Experiment.outcome(read)
	if changes := o.changesFrom(back); len(changes) > 0 {
		t.Errorf("the record changes verdicts: %v", changes)
	}
	if len(back.Series) != 1 || back.Series[0].Points[0].Value.Low != -13 {
		t.Errorf("the lines are %+v", back.Series)
	}
	back.Findings[0].Verdict = verdict.Fails
	if changes := o.changesFrom(back); len(changes) != 1 || changes[0].ID != "muscle/fig4/c1" || changes[0].Recorded != verdict.Fails || changes[0].Now != verdict.Replicates {
		t.Errorf("one verdict changed, found %v", changes)
	}
}

// With other seeds a verdict that was or is undecided has not changed; another one has.
func TestChangesWithOtherSeeds(t *testing.T) {
	before, after := example(t), example(t)
	for _, test := range []struct {
		before, after verdict.Verdict
		shift         uint64
		changes       int
	}{
		{verdict.Replicates, verdict.Undecided, 0, 1},
		{verdict.Replicates, verdict.Undecided, 1000, 0},
		{verdict.Undecided, verdict.Fails, 1000, 0},
		{verdict.Replicates, verdict.DirectionOnly, 1000, 1},
	} {
		before.Findings[0].Verdict, after.Findings[0].Verdict, after.Shift = test.before, test.after, test.shift
		if changes := after.changesFrom(before); len(changes) != test.changes {
			t.Errorf("%s, then %s, seeds shifted by %d: %v, want %d changes", test.before, test.after, test.shift, changes, test.changes)
		}
	}
}

// The shift is added to the seeds of all instances, and leaves the experiment as it was.
func TestShiftedSeeds(t *testing.T) {
	e := example(t).Experiment
	shifted := e.suite(false, 5000)
	for k, source := range e.Suite.Instances {
		first := uint64(1)
		if source.Seeds.First != nil {
			first = *source.Seeds.First
		}
		if found := *shifted.Instances[k].Seeds.First; found != first+5000 || shifted.Instances[k].Seeds.Count != source.Seeds.Count {
			t.Errorf("instances %d: first seed %d, want %d", k, found, first+5000)
		}
	}
}

// Each record is of an experiment, and of all its claims and readings, as the data files have them today; and the verdicts follow from the recorded numbers by
// the rule.
func TestRecordsFit(t *testing.T) {
	for name, r := range recorded() {
		list, err := Lookup(r.Experiment)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := list[0]
		refreshed := false
		for _, f := range e.outcome(r).Findings {
			k := slices.IndexFunc(r.Claims, func(c RecordedClaim) bool { return c.ID == e.ID+"/"+f.Claim.ID && c.Reading == f.Reading.ID })
			if c := &r.Claims[max(k, 0)]; k >= 0 && !(cmp.Equal(c.NotTestable, f.judgement()) && c.Repeats == f.Claim.Repeats && c.NotStated == f.Claim.NotStated) {
				if !*update {
					t.Errorf("%s: the judgement of %s under %q is not what the data and the figures give; write it with -update", name, c.ID, c.Reading)
				}
				c.NotTestable, c.Repeats, c.NotStated, refreshed = f.judgement(), f.Claim.Repeats, f.Claim.NotStated, true
			}
			if f.Reason == unrecorded {
				t.Errorf("%s: no row for %s under %q; run it again with --record", name, f.Claim.ID, f.Reading.ID)
			}
			if f.Claim.Form == percent && f.Value.N > 0 {
				if v, _ := verdict.Percentage(*f.Claim.Value, f.Value); v != f.Verdict {
					t.Errorf("%s: claim %s under %q is %s, but by the rule %s", name, f.Claim.ID, f.Reading.ID, f.Verdict, v)
				}
			}
		}
		if *update && refreshed {
			var text bytes.Buffer
			if err := errors.Join(WriteRecord(&text, r), os.WriteFile(filepath.Join("record", r.FileName()), text.Bytes(), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range r.Claims {
			if e.reading(c.Reading) == nil {
				t.Errorf("%s: %s is of reading %q, which the experiment does not have", name, c.ID, c.Reading)
			}
			for k := range e.Claims {
				if e.ID+"/"+e.Claims[k].ID == c.ID && (c.Quotation != e.Claims[k].Text || c.Paper != e.Claims[k].States()) {
					t.Errorf("%s: %s quotes %q, %s; the data file has %q, %s", name, c.ID, c.Quotation, c.Paper, e.Claims[k].Text, e.Claims[k].States())
				}
			}
		}
	}
}

// docs/replication.md and its pictures are made from the records. With -update they are written.
func TestPageOfTheDocs(t *testing.T) {
	const folder, pictures = "../docs", "pictures/replication"
	var outcomes []*Outcome
	for _, e := range Known() {
		outcomes = append(outcomes, e.Recorded())
	}
	readme, err := os.ReadFile("../README.md")
	if line := fmt.Sprintf("Five papers: %s; %d can't be tested:", totalOf(outcomes).Evidence(), totalOf(outcomes).Verdicts[verdict.NotTestable]); err != nil || !strings.Contains(string(readme), line) {
		t.Errorf("README.md does not say %q (%v)", line, err)
	}
	files := map[string][]byte{}
	var page bytes.Buffer
	if err := WriteReplication(&page, outcomes, "replication"); err != nil {
		t.Fatal(err)
	}
	files["replication.md"] = page.Bytes()
	for _, name := range PaperNames(outcomes) {
		var details bytes.Buffer
		if err := WriteDetails(&details, outcomes, name, "../"+pictures); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join("replication", name+".md")] = details.Bytes()
	}
	for _, o := range outcomes {
		for _, p := range o.Pictures() {
			var svg bytes.Buffer
			if err := p.Figure.Write(&svg, picture.SVG); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(svg.String(), "var(") {
				t.Errorf("%s has a variable of a style sheet, which many renderers paint black", p.Name)
			}
			files[filepath.Join(pictures, p.Name+".svg")] = svg.Bytes()
		}
	}
	if *update {
		if err := os.RemoveAll(filepath.Join(folder, pictures)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(folder, pictures), 0o777), os.MkdirAll(filepath.Join(folder, "replication"), 0o777)); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if found, err := os.ReadFile(path); err != nil || !bytes.Equal(found, content) {
			t.Errorf("%s is not what the records give (%v); write it with go test ./papers -run Page -update", name, err)
		}
	}
	var html bytes.Buffer
	if err := WriteReplicationPage(&html, outcomes); err != nil || !strings.Contains(html.String(), "muscle/fig4/c3") {
		t.Errorf("the page in HTML lacks muscle/fig4/c3, or %v", err)
	}
}

// On the pages the claims that fail come first, and a reading that was added later is marked.
func TestFailuresFirst(t *testing.T) {
	o := example(t)
	for k := range o.Findings {
		if f := &o.Findings[k]; f.Claim.ID == "c3" && f.Reading == &o.Experiment.Readings[0] {
			f.Verdict, f.Reason = verdict.Fails, "the opposite is shown"
		}
	}
	var page, details bytes.Buffer
	if err := errors.Join(WriteReplication(&page, []*Outcome{o}, "replication"), WriteDetails(&details, []*Outcome{o}, "muscle", "pictures")); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	fails, works := strings.Index(text, "| [`muscle/fig4/c3`](replication/muscle.md#muscle-fig4) |"), strings.Index(text, "| [`muscle/fig4/c1`](replication/muscle.md#muscle-fig4) |")
	if fails < 0 || works < fails {
		t.Errorf("c3 at %d, c1 at %d: the claim that fails must come first", fails, works)
	}
	for _, want := range []string{"1 of 2 testable claims replicate, 1 does not", "MCP of MUSCLE: 12.1 % below that of DLL at 40", "**does not replicate**", "Without a verdict of their own", "Tests of ours"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for _, want := range []string{"long, own (post hoc)", "mask (the headline)", "900 repetitions (registered)", "Registered in commit", "not run yet", "Does not replicate: the opposite is shown"} {
		if !strings.Contains(details.String(), want) {
			t.Errorf("the details lack %q:\n%s", want, details.String())
		}
	}
}

// The values that the paper states stand in the pictures: its own, and those that its percentages give with our mean of the rival.
func TestStatedValuesInPictures(t *testing.T) {
	list, err := Lookup("twolevel/fig3")
	if err != nil {
		t.Fatal(err)
	}
	e := list[0]
	o := &Outcome{Experiment: e}
	own := o.stated(&e.Readings[0], "share of Cluster 1", "")
	if len(own) != 1 || own[0].Name != "the paper: MS" || len(own[0].Points) == 0 || own[0].Points[len(own[0].Points)-1].X != 5 || own[0].Points[len(own[0].Points)-1].Value != *new(e.Claims[1].Target["share of Cluster 1"]) {
		t.Errorf("twolevel/fig3: %+v", own)
	}
	m := example(t)
	mask, ownPercent := &m.Experiment.Readings[0], &m.Experiment.Readings[1]
	for _, r := range []*Reading{mask, ownPercent} {
		m.Series = append(m.Series, Series{Quantity: "MCP", Policy: "DLL", Reading: r, Points: []SeriesPoint{{100, statistics.Interval{N: 3, Estimate: 200}}}})
	}
	for r, want := range map[*Reading]float64{mask: 200 * (1 - 0.567), ownPercent: 200 / 1.567} {
		found := false
		for _, line := range m.stated(r, "MCP", "") {
			for _, p := range line.Points {
				found = found || line.Name == "the paper: MUSCLE by its % against DLL" && p.X == 100 && math.Abs(p.Value-want) < 1e-9
			}
		}
		if !found {
			t.Errorf("under %s the paper's 56.7 %% is not at %v: %+v", r.ID, want, m.stated(r, "MCP", ""))
		}
	}
}
