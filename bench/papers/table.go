package papers

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Outcome is an experiment with what came out.
type Outcome struct {
	Experiment *Experiment
	Findings   []Finding // claim by claim
	Series     []Series  // the means, for the plots
	Quick      bool
}

// WriteTable writes the findings as a table for people, claim by claim, a line a reading; a star marks the reading that comes closest to the claim.
func (o *Outcome) WriteTable(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, WidthMax: 40}, {Number: 5, WidthMax: 60}})
	t.AppendHeader(table.Row{"claim", "paper", "reading", "ours", "verdict"})
	e := o.Experiment
	for c := range e.Claims {
		claim := &e.Claims[c]
		if c > 0 {
			t.AppendSeparator()
		}
		closest := Closest(o.Findings, claim)
		subject, states := claim.Subject(), claim.States()
		for k := range o.Findings {
			f := &o.Findings[k]
			if f.Claim != claim || f.Verdict == NotRun && closest != nil {
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
	_, err := fmt.Fprintf(w, "%s: %s%s\n%s\n%s\n%s\n", e.ID, e.Title, mode, e.Source.Citation(), t.Render(), o.Summary())
	return err
}

// verdictText is the verdict with the reason.
func (f *Finding) verdictText() string {
	if f.Reason == "" {
		return string(f.Verdict)
	}
	return string(f.Verdict) + ": " + f.Reason
}

// Summary says in a sentence or two which reading comes closest and what becomes of the claims under it.
func (o *Outcome) Summary() string {
	best := o.Experiment.ClosestOverall(o.Findings)
	if best == nil {
		return "No claim was run."
	}
	tally := TallyText(Tally(o.Findings, best))
	if len(o.Experiment.Readings) == 1 {
		return "Of the claims " + tally + "."
	}
	first := &o.Experiment.Readings[0]
	if best == first {
		return fmt.Sprintf("The reading %q comes closest: of the claims %s.", best.ID, tally)
	}
	return fmt.Sprintf("The reading %q comes closest: of the claims %s; under the first reading, %q, %s.", best.ID, tally, first.ID,
		strings.TrimSuffix(TallyText(Tally(o.Findings, first)), "."))
}
