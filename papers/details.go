package papers

import (
	"fmt"
	"io"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/papers/verdict"
)

// PaperNames lists the papers of the outcomes, in their order.
func PaperNames(outcomes []*Outcome) []string {
	return kit.Each(byPaper(outcomes), func(p paper) string { return p.name })
}

// WriteDetails writes the page of one paper as Markdown: what each of its experiments ran, its readings, every claim under every kind of reading, and
// the figures. The pictures are those that [Outcome.Pictures] names, in the given folder.
func WriteDetails(w io.Writer, outcomes []*Outcome, name, pictures string) error {
	b := new(strings.Builder)
	for _, p := range byPaper(outcomes) {
		if p.name != name {
			continue
		}
		fmt.Fprintf(b, "# %s: what was run\n\nMade by `allot reproduce --page replication.md` from the recorded runs; do not edit. [All results](../replication.md), [how a claim is judged](../experiments.md#when-does-a-claim-replicate).\n\n%s.\n\n%s.\n", p.account().Title, p.source(), upperFirst(p.count().String()))
		for _, o := range p.outcomes {
			o.markdown(b, pictures)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// claimsTable writes the claims with the verdicts under the first and the registered reading, those that fail first.
func (o *Outcome) claimsTable(b *strings.Builder) {
	b.WriteString("\n| claim | as the paper has it | paper | repetitions | first reading | registered reading | other readings | replicates where |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	registered := o.Experiment.registered()
	for _, f := range byVerdict(o.Headline()) {
		var others []string
		for k := range o.Experiment.Readings[1:] {
			r := &o.Experiment.Readings[k+1]
			if other := o.finding(f.Claim, r); r != registered && other != nil && other.Verdict != verdict.NotYet {
				judged, _ := other.Judged()
				others = append(others, fmt.Sprintf("%s: %s", r.Name(), judged))
			}
		}
		second := "–"
		if r := o.finding(f.Claim, registered); r != nil {
			second = cellText(r.withNumber())
		}
		fmt.Fprintf(b, "| `%s` | “%s” (%s). %s | %s | %s | %s | %s | %s | %s |\n", f.Claim.ID, cellText(f.Claim.Text), cellText(f.Claim.Where), cellText(f.Claim.about()), cellText(f.Claim.States()), f.sampleSize(),
			cellText(f.withNumber()), second, cellText(strings.Join(others, "; ")), cellText(f.Claim.Tolerance()))
	}
}

// withNumber is our number with the verdict and its reason.
func (f *Finding) withNumber() string {
	if ours := f.Ours(); ours != "–" {
		return ours + ". " + upperFirst(f.verdictText())
	}
	return upperFirst(f.verdictText())
}

// ranIn says in which commit the runs of a registered reading were made; empty: they were not.
func (o *Outcome) ranIn(r *Reading) string {
	if commit := o.commits[r.ID]; commit != "" && r.Registered != nil {
		return ", run in " + commit
	}
	return ", not run yet"
}

// markdown writes the part of one experiment: what was run, the readings and the figures.
func (o *Outcome) markdown(b *strings.Builder, pictures string) {
	e := o.Experiment
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n\n## %s: %s\n\n%s %s\n\n", e.anchor(), e.ID, e.Title, e.Source.Figure+".", e.SetUp)
	if o.Commit != "" {
		fmt.Fprintf(b, "Recorded with `%s`, commit %s. It takes %s in quick mode, %s in full.\n", o.Command(), o.Commit, e.Takes.Quick, e.Takes.Full)
	} else {
		fmt.Fprintf(b, "Not recorded yet. It takes %s in quick mode, %s in full.\n", e.Takes.Quick, e.Takes.Full)
	}
	for k, text := range e.Notes {
		fmt.Fprintf(b, "%s- %s\n", strings.Repeat("\n", max(0, 1-k)), text)
	}
	deviations := kit.Each(e.Deviations, func(d string) string { return "- " + d })
	for k := range e.Claims {
		for _, d := range e.Claims[k].Deviations {
			deviations = append(deviations, fmt.Sprintf("- `%s/%s`: %s", e.ID, e.Claims[k].ID, d))
		}
	}
	if len(deviations) > 0 {
		fmt.Fprintf(b, "\nDeviations from the paper:\n\n%s\n", strings.Join(deviations, "\n"))
	}
	b.WriteString("\n| reading | what it assumes | of the claims |\n| --- | --- | --- |\n")
	for r := range e.Readings {
		reading := &e.Readings[r]
		text := reading.Text
		if reg := reading.Registered; reg != nil {
			text += " Registered because: " + reg.Reason
			if reg.Commit != "" {
				text += " Registered in commit " + reg.Commit + o.ranIn(reading) + "."
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", cellText(reading.role(r)), cellText(text), CountUnder(o.Findings, reading))
	}
	o.claimsTable(b)
	for _, p := range o.Pictures() {
		fmt.Fprintf(b, "\n![%s](%s/%s.svg)", p.Figure.Title, pictures, p.Name)
	}
	if len(o.Pictures()) > 0 {
		b.WriteString("\n")
	}
}
