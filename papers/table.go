package papers

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/papers/verdict"
)

// Outcome is an experiment with its findings.
type Outcome struct {
	Experiment *Experiment
	Findings   []Finding // claim by claim
	Series     []Series  // the means, for the plots
	Quick      bool
	Reading    string            // the only one that was run; empty: all
	Shift      uint64            // added to all seeds
	Commit     string            // of the program that ran it; empty: this one
	commits    map[string]string // by reading: of the program that ran it, as recorded
}

// WriteTable writes the findings as a table for people: each claim under the first reading, which is the headline, then how many claims hold under
// each reading. The report has all findings.
func (o *Outcome) WriteTable(w io.Writer) error {
	t := texttable.New(5, "claim", "what", "paper", "ours", "verdict")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft}, {Number: 4, WidthMax: 40, WidthMaxEnforcer: text.WrapSoft},
		{Number: 5, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft}})
	e := o.Experiment
	for _, f := range o.Headline() {
		t.AppendRow(table.Row{f.Claim.ID, f.Claim.Subject(), f.Claim.States(), f.Ours(), f.verdictText()})
	}
	mode := ""
	if o.Quick {
		mode = " (quick)"
	}
	head := fmt.Sprintf("%s: %s%s\n%s\n", e.ID, e.Title, mode, e.Source.Citation())
	_, err := io.WriteString(w, head+t.Render()+"\n"+o.tallies()+o.Summary()+"\n")
	return err
}

// Headline lists the findings under the first reading, or the one that was run alone, in the order of the claims.
func (o *Outcome) Headline() []Finding { return o.under(o.shown()) }

// shown is the reading whose findings are shown: the one that was run alone, else the first.
func (o *Outcome) shown() *Reading {
	if r := o.Experiment.reading(o.Reading); r != nil {
		return r
	}
	return &o.Experiment.Readings[0]
}

// under lists the findings under a reading.
func (o *Outcome) under(r *Reading) []Finding {
	return kit.That(o.Findings, func(f Finding) bool { return f.Reading == r })
}

// tallies counts the verdicts under each reading. It is empty if there is only one reading.
func (o *Outcome) tallies() string {
	if len(o.Experiment.Readings) == 1 {
		return ""
	}
	columns := []any{"reading"}
	for _, v := range verdict.All() {
		columns = append(columns, v)
	}
	t := texttable.New(len(columns), columns...)
	for r := range o.Experiment.Readings {
		reading := &o.Experiment.Readings[r]
		count := CountUnder(o.Findings, reading)
		row := table.Row{reading.Name()}
		for _, v := range verdict.All() {
			row = append(row, count.Verdicts[v])
		}
		t.AppendRow(row)
	}
	return t.Render() + "\n"
}

// Name is the reading's ID, with a mark if it was added after the first run or registered before its own.
func (r *Reading) Name() string {
	switch {
	case r.PostHoc:
		return r.ID + " (post hoc)"
	case r.Registered != nil:
		return r.ID + " (registered)"
	}
	return r.ID
}

// verdictText formats the verdict with its reason.
func (f *Finding) verdictText() string {
	_, reason := f.Judged()
	text := f.word()
	if reason != "" {
		text += ": " + reason
	}
	return text + f.Claim.countedNote()
}

// Summary counts the verdicts under the first reading, and names the reading that comes closest to the paper if it is another. Which one that is was
// seen only after the runs.
func (o *Outcome) Summary() string {
	e := o.Experiment
	of := numtext.Counted(len(e.Claims), "claim")
	if o.Reading != "" {
		return fmt.Sprintf("Under the reading %q alone, of %s: %s.", o.Reading, of, CountUnder(o.Findings, o.shown()))
	}
	first := &e.Readings[0]
	text := fmt.Sprintf("Of %s: %s.", of, CountUnder(o.Findings, first))
	if len(e.Readings) > 1 {
		text = fmt.Sprintf("Under the first reading, %q, of %s: %s.", first.ID, of, CountUnder(o.Findings, first))
	}
	if best := e.ClosestOverall(o.Findings); best != nil && best != first {
		name := fmt.Sprintf("%q", best.ID)
		if best.PostHoc {
			name += " (post hoc)"
		}
		text += fmt.Sprintf(" The reading %s comes closest, which was seen only after the runs: %s.", name, CountUnder(o.Findings, best))
	}
	return text
}

// WriteList lists experiments: what they are, how many claims they have, how long they take, and the recorded verdicts under the first reading.
func WriteList(w io.Writer, list []*Experiment) error {
	t := texttable.New(6, "experiment", "what", "claims", "quick", "full", "state")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft}, {Number: 6, WidthMax: 50, WidthMaxEnforcer: text.WrapSoft}})
	for _, e := range list {
		o := e.Recorded()
		state := CountUnder(o.Findings, &e.Readings[0]).String()
		for n := range e.Readings {
			if e.Readings[n].Registered != nil {
				state += ". Registered: " + CountUnder(o.Findings, &e.Readings[n]).String()
			}
		}
		switch {
		case e.NotYet != "":
			state = "not yet: " + e.NotYet
		case o.Commit == "":
			state = "not recorded"
		default:
			state = o.Mode() + ": " + state
		}
		t.AppendRow(table.Row{e.ID, e.Title, len(e.Claims), e.Takes.Quick, e.Takes.Full, state})
	}
	_, err := io.WriteString(w, t.Render()+"\n")
	return err
}
