package papers

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Outcome is an experiment with its findings.
type Outcome struct {
	Experiment *Experiment
	Findings   []Finding // claim by claim
	Series     []Series  // the means, for the plots
	Quick      bool
}

// WriteTable writes the findings as a table for people. Each claim is shown under the first reading. If another reading comes closest, the claim is
// shown under that too, marked with a star. The report has all findings.
func (o *Outcome) WriteTable(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft}, {Number: 5, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft}})
	t.AppendHeader(table.Row{"claim", "paper", "reading", "ours", "verdict"})
	e := o.Experiment
	for c := range e.Claims {
		claim := &e.Claims[c]
		closest := Closest(o.Findings, claim)
		subject, states := claim.Subject(), claim.States()
		for k := range o.Findings {
			f := &o.Findings[k]
			if f.Claim != claim || f.Reading != &e.Readings[0] && f != closest {
				continue
			}
			star := ""
			if f == closest && len(e.Readings) > 1 {
				star = " *"
			}
			t.AppendRow(table.Row{subject, states, f.Reading.ID + star, f.Ours(), f.verdictText()})
			subject, states = "", ""
		}
	}
	mode := ""
	if o.Quick {
		mode = " (quick)"
	}
	head := fmt.Sprintf("%s: %s%s\n%s\n", e.ID, e.Title, mode, e.Source.Citation())
	_, err := io.WriteString(w, head+t.Render()+"\n"+o.tallies()+o.Summary()+"\n")
	return err
}

// tallies counts the verdicts under each reading. It is empty if there is only one reading.
func (o *Outcome) tallies() string {
	if len(o.Experiment.Readings) == 1 {
		return ""
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"reading", Reproduces, DirectionOnly, Fails, NotRun})
	for r := range o.Experiment.Readings {
		reading := &o.Experiment.Readings[r]
		count := Tally(o.Findings, reading)
		t.AppendRow(table.Row{reading.ID, count[Reproduces], count[DirectionOnly], count[Fails], count[NotRun]})
	}
	return t.Render() + "\n"
}

// verdictText formats the verdict with its reason.
func (f *Finding) verdictText() string {
	if f.Reason == "" {
		return string(f.Verdict)
	}
	return string(f.Verdict) + ": " + f.Reason
}

// Summary says in one or two sentences which reading comes closest and counts the verdicts under it.
func (o *Outcome) Summary() string {
	best := o.Experiment.ClosestOverall(o.Findings)
	if best == nil {
		return "No claim was run."
	}
	of := fmt.Sprintf("of %d claims", len(o.Experiment.Claims))
	if len(o.Experiment.Claims) == 1 {
		of = "of 1 claim"
	}
	tally := TallyText(Tally(o.Findings, best))
	first := &o.Experiment.Readings[0]
	switch {
	case len(o.Experiment.Readings) == 1:
		return fmt.Sprintf("%s %s.", strings.ToUpper(of[:1])+of[1:], tally)
	case best == first:
		return fmt.Sprintf("The first reading, %q, comes closest: %s %s.", best.ID, of, tally)
	}
	return fmt.Sprintf("The reading %q comes closest: %s %s; under the first reading, %q, %s.", best.ID, of, tally, first.ID, TallyText(Tally(o.Findings, first)))
}
