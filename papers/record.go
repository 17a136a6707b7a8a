package papers

import (
	"bufio"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/papers/verdict"
)

// recordFormat is the format of records.
const recordFormat = "allot-replication/1"

// Record is what one run of an experiment found, as a file: a row for each claim under each reading, and the lines of the figures. Every row
// states the paper's claim and its place, our result, the command and the commit, so each row can be quoted by itself.
type Record struct {
	Format     string           `json:"format" enum:"allot-replication/1"`
	Experiment string           `json:"experiment" check:"text"`
	Mode       string           `json:"mode" enum:"quick,full"`
	Claims     []RecordedClaim  `json:"claims"`
	Series     []RecordedSeries `json:"series,omitempty"`
}

// RecordedClaim is the finding on one claim under one reading.
type RecordedClaim struct {
	ID          string          `json:"id" check:"text"` // PAPER/FIGURE/CLAIM
	Reading     string          `json:"reading" check:"text"`
	PostHoc     bool            `json:"post_hoc,omitempty"`                // the reading was added after the first run
	Registered  string          `json:"registered,omitempty" check:"text"` // commit that registered the reading, before its run
	Quotation   string          `json:"quotation" check:"text"`
	Where       string          `json:"where" check:"text"`
	Kind        string          `json:"kind" check:"text"`
	Paper       string          `json:"paper" check:"text"`
	Ours        string          `json:"ours" check:"text"`
	Value       *RecordedValue  `json:"value,omitempty"`
	At          []RecordedPoint `json:"at,omitempty"`
	Repetitions int             `json:"repetitions,omitempty" check:"count"`
	Tolerance   string          `json:"tolerance,omitempty" check:"text"`
	Verdict     verdict.Verdict `json:"verdict" check:"text"`              // of the numbers alone
	NotTestable *NotTestable    `json:"not_testable,omitempty"`            // why the numbers are no evidence
	Repeats     string          `json:"repeats,omitempty" check:"text"`    // the claim with which it is counted
	NotStated   string          `json:"not_stated,omitempty" check:"text"` // why it is not counted
	Reason      string          `json:"reason,omitempty" check:"text"`
	Deviations  []string        `json:"deviations,omitempty" check:"text"` // with the first reading alone: they are the same for all
	Command     string          `json:"command" check:"text"`
	Commit      string          `json:"commit" check:"text"`
}

// RecordedValue is an estimate with its interval. An interval that is not finite has no limits.
type RecordedValue struct {
	Estimate float64  `json:"estimate" check:"figure"`
	Low      *float64 `json:"low,omitempty" check:"figure"`
	High     *float64 `json:"high,omitempty" check:"figure"`
	N        int      `json:"n" check:"count"`
}

// RecordedPoint is a value at a point.
type RecordedPoint struct {
	Point string        `json:"point" check:"text"`
	Value RecordedValue `json:"value"`
}

// RecordedSeries is a line of a figure.
type RecordedSeries struct {
	Quantity string          `json:"quantity" check:"text"`
	Panel    string          `json:"panel,omitempty" check:"text"`
	Policy   string          `json:"policy" check:"text"`
	Reading  string          `json:"reading" check:"text"`
	X        []float64       `json:"x"`
	Values   []RecordedValue `json:"values"`
}

// Mode is the name of the mode.
func (o *Outcome) Mode() string {
	if o.Quick {
		return "quick"
	}
	return "full"
}

// Command is the command that runs the experiment in this mode.
func (o *Outcome) Command() string {
	command := "allot reproduce "
	if o.Quick {
		command += "--quick "
	}
	if o.Reading != "" {
		command += fmt.Sprintf("--reading %q ", o.Reading)
	}
	if o.Shift > 0 {
		command += fmt.Sprintf("--shift-seeds %d ", o.Shift)
	}
	return command + o.Experiment.ID
}

// Record makes the record of an outcome. Numbers have six digits, because further ones can differ between kinds of processors.
func (o *Outcome) Record() *Record {
	e := o.Experiment
	r := &Record{Format: recordFormat, Experiment: e.ID, Mode: o.Mode()}
	commit := cmp.Or(bench.Commit(), "not recorded")
	for k := range o.Findings {
		f := &o.Findings[k]
		c := RecordedClaim{
			ID: e.ID + "/" + f.Claim.ID, Reading: f.Reading.ID, PostHoc: f.Reading.PostHoc, Quotation: f.Claim.Text, Where: f.Claim.Where, Kind: f.Claim.Form,
			Paper: f.Claim.States(), Ours: f.Ours(), Tolerance: f.Claim.Tolerance(), Verdict: f.Verdict, Reason: f.Reason,
			NotTestable: f.judgement(), Repeats: f.Claim.Repeats, NotStated: f.Claim.NotStated, Command: o.Command(), Commit: commit,
		}
		if r := f.Reading.Registered; r != nil {
			c.Registered = r.Commit
		}
		if f.Reading == &e.Readings[0] {
			c.Deviations = slices.Concat(e.Deviations, f.Claim.Deviations)
		}
		if f.Value.N > 0 {
			value := recordedValue(f.Value)
			c.Value, c.Repetitions = &value, f.Value.N
		}
		for _, p := range f.At {
			c.At = append(c.At, RecordedPoint{p.Point, recordedValue(p.Value)})
			c.Repetitions = p.Value.N
		}
		r.Claims = append(r.Claims, c)
	}
	for _, s := range o.Series {
		line := RecordedSeries{Quantity: s.Quantity, Panel: s.Panel, Policy: s.Policy, Reading: s.Reading.ID}
		for _, p := range s.Points {
			line.X, line.Values = append(line.X, p.X), append(line.Values, recordedValue(p.Value))
		}
		r.Series = append(r.Series, line)
	}
	return r
}

// Merge adds the rows of a run of one reading to the record. What is recorded stays as it is: a row is added where there is none, or one that was not
// run. The rows are in the order of the experiment.
func (r *Record) Merge(e *Experiment, reading string, run *Record) {
	merged := &Record{Format: r.Format, Experiment: r.Experiment, Mode: r.Mode, Series: r.Series}
	for k := range e.Claims {
		for n := range e.Readings {
			id, reading := e.ID+"/"+e.Claims[k].ID, e.Readings[n].ID
			row := r.row(id, reading)
			if added := run.row(id, reading); added != nil && added.Verdict != verdict.NotYet && (row == nil || row.Verdict == verdict.NotYet) {
				row = added
			}
			if row != nil {
				merged.Claims = append(merged.Claims, *row)
			}
		}
	}
	for _, s := range run.Series {
		known := slices.ContainsFunc(r.Series, func(old RecordedSeries) bool {
			return old.Quantity == s.Quantity && old.Panel == s.Panel && old.Policy == s.Policy && old.Reading == s.Reading
		})
		if s.Reading == reading && !known {
			merged.Series = append(merged.Series, s)
		}
	}
	*r = *merged
}

// row finds the row of a claim under a reading; nil: there is none.
func (r *Record) row(id, reading string) *RecordedClaim {
	for k := range r.Claims {
		if c := &r.Claims[k]; c.ID == id && c.Reading == reading {
			return c
		}
	}
	return nil
}

// recordedValue rounds an interval to six digits.
func recordedValue(i statistics.Interval) RecordedValue {
	v := RecordedValue{Estimate: sixDigits(i.Estimate), N: i.N}
	if !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) {
		v.Low, v.High = new(sixDigits(i.Low)), new(sixDigits(i.High))
	}
	return v
}

// sixDigits rounds to six significant digits.
func sixDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil || math.Abs(x) < 1e-12 { // what rounding leaves of 0
		return 0
	}
	return rounded
}

// interval is the value with its limits.
func (v RecordedValue) interval() statistics.Interval {
	i := statistics.Interval{N: v.N, Estimate: v.Estimate, SD: math.NaN(), Low: math.Inf(-1), High: math.Inf(1), Coverage: verdict.Confidence}
	if v.Low != nil && v.High != nil {
		i.Low, i.High = *v.Low, *v.High
	}
	return i
}

// WriteRecord writes a record as JSON, a line for each row.
func WriteRecord(w io.Writer, r *Record) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\"format\": %q, \"experiment\": %q, \"mode\": %q,\n", r.Format, r.Experiment, r.Mode)
	list := func(name string, n int, row func(k int) any) error {
		fmt.Fprintf(b, "%q: [", name)
		for k := range n {
			text, err := json.Marshal(row(k))
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "\n%s%s", text, strings.Repeat(",", min(1, n-1-k)))
		}
		b.WriteString("\n]")
		return nil
	}
	err := list("claims", len(r.Claims), func(k int) any { return &r.Claims[k] })
	if err == nil && len(r.Series) > 0 {
		b.WriteString(",\n")
		err = list("series", len(r.Series), func(k int) any { return &r.Series[k] })
	}
	b.WriteString("}\n")
	return cmp.Or(err, b.Flush())
}

// ReadRecord reads a record strictly.
func ReadRecord(r io.Reader, name string) (*Record, error) {
	record := new(Record)
	if err := model.ReadDocument(r, name, record, recordFormat); err != nil {
		return nil, err
	}
	return record, nil
}

// FileName is the name of the record's file.
func (r *Record) FileName() string {
	return strings.ReplaceAll(r.Experiment, "/", "-") + "-" + r.Mode + ".json"
}

// records are the files of the records.
//
//go:embed record
var records embed.FS

// recorded reads the records when they are first needed.
var recorded = sync.OnceValue(func() map[string]*Record {
	byName := map[string]*Record{}
	for _, r := range embedded(records, "record/*.json", ReadRecord) {
		byName[r.Experiment+" "+r.Mode] = r
	}
	return byName
})

// Recorded returns the recorded outcome of the experiment: of the full mode if there is one, otherwise of the quick mode. If no run was
// recorded, it returns an outcome that states this for each claim.
func (e *Experiment) Recorded() *Outcome {
	if o := e.recordedIn("full"); o != nil {
		return o
	}
	if o := e.recordedIn("quick"); o != nil {
		return o
	}
	return &Outcome{Experiment: e, Findings: e.notYet(cmp.Or(e.NotYet, "not run yet"))}
}

// recordedIn returns the recorded outcome of a mode, or nil if there is none. Rows of claims, readings and quantities that the experiment does not
// have are left out.
func (e *Experiment) recordedIn(mode string) *Outcome {
	r := recorded()[e.ID+" "+mode]
	if r == nil {
		return nil
	}
	return e.outcome(r)
}

// outcome makes the outcome that a record tells of.
func (e *Experiment) outcome(r *Record) *Outcome {
	o := &Outcome{Experiment: e, Quick: r.Mode == "quick", commits: map[string]string{}}
	if len(r.Claims) > 0 {
		o.Commit = r.Claims[0].Commit
	}
	for k := range e.Claims {
		for n := range e.Readings {
			f := Finding{Claim: &e.Claims[k], Reading: &e.Readings[n], Verdict: verdict.NotYet, Reason: e.missing(k, n)}
			if c := r.row(e.ID+"/"+f.Claim.ID, f.Reading.ID); c != nil {
				f.Verdict, f.Reason = c.Verdict, c.Reason
				if f.isRun() {
					o.commits[f.Reading.ID] = c.Commit
				}
				if c.Value != nil {
					f.Value = c.Value.interval()
				}
				for _, p := range c.At {
					f.At = append(f.At, verdict.At{Point: p.Point, Value: p.Value.interval()})
				}
			}
			o.Findings = append(o.Findings, f)
		}
	}
	for _, s := range r.Series {
		n := slices.IndexFunc(e.Readings, func(r Reading) bool { return r.ID == s.Reading })
		if n < 0 || !slices.ContainsFunc(e.Quantities, func(q Quantity) bool { return q.Name == s.Quantity }) {
			continue
		}
		line := Series{Quantity: s.Quantity, Panel: s.Panel, Policy: s.Policy, Reading: &e.Readings[n]}
		for k := range s.X {
			line.Points = append(line.Points, SeriesPoint{s.X[k], s.Values[k].interval()})
		}
		o.Series = append(o.Series, line)
	}
	o.judgeTestable()
	return o
}

// unrecorded is why a finding is not in the record where it should be.
const unrecorded = "not in the record"

// missing says why a record has no row of a claim under a reading.
func (e *Experiment) missing(claim, reading int) string {
	switch {
	case e.Readings[reading].Registered != nil:
		return "registered, not run yet"
	case e.Claims[claim].Added:
		return "the claim was added after this reading ran"
	}
	return unrecorded
}

// Change is a verdict that differs from the recorded one.
type Change struct {
	ID, Reading   string
	Recorded, Now verdict.Verdict
	Reason        string
}

// Changes compares the outcome with the record of the same mode. ok is false if there is no record. With other seeds, a verdict that was or is undecided
// has not changed: that is what undecided says.
func (o *Outcome) Changes() (changes []Change, ok bool) {
	before := o.Experiment.recordedIn(o.Mode())
	if before == nil {
		return nil, false
	}
	return o.changesFrom(before), true
}

// changesFrom lists the verdicts that differ from those of an earlier outcome. Claims that are measured by the clock do not count, because their figures
// differ from run to run.
func (o *Outcome) changesFrom(before *Outcome) []Change {
	old := map[[2]string]verdict.Verdict{}
	for _, f := range before.Findings {
		old[[2]string{f.Claim.ID, f.Reading.ID}] = f.Verdict
	}
	var changes []Change
	for _, f := range o.Findings {
		v := old[[2]string{f.Claim.ID, f.Reading.ID}]
		if o.Reading != "" && f.Reading.ID != o.Reading || f.Claim.Added && v == verdict.NotYet {
			continue
		}
		if v != f.Verdict && !f.clocked() &&
			!(o.Shift > 0 && (v == verdict.Undecided || f.Verdict == verdict.Undecided)) {
			changes = append(changes, Change{o.Experiment.ID + "/" + f.Claim.ID, f.Reading.ID, v, f.Verdict, f.Reason})
		}
	}
	return changes
}
