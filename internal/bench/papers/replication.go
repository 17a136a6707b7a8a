package papers

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/allot-opt/allot/internal/bench/papers/verdict"
	"github.com/allot-opt/allot/internal/bench/report"
	"github.com/allot-opt/allot/internal/each"
)

// paper is a paper with the outcomes of its experiments.
type paper struct {
	name     string
	outcomes []*Outcome
}

// byPaper groups outcomes by paper, in their order.
func byPaper(outcomes []*Outcome) []paper {
	var list []paper
	for _, o := range outcomes {
		name := o.Experiment.Paper()
		k := slices.IndexFunc(list, func(p paper) bool { return p.name == name })
		if k < 0 {
			k, list = len(list), append(list, paper{name: name})
		}
		list[k].outcomes = append(list[k].outcomes, o)
	}
	return list
}

// placed is a finding with its outcome.
type placed struct {
	*Outcome
	Finding
}

// headlines lists the findings under the first readings of all experiments of the paper, those that fail first.
func (p *paper) headlines() []placed {
	var list []placed
	for _, o := range p.outcomes {
		for _, f := range o.Headline() {
			list = append(list, placed{o, f})
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int { return compareVerdicts(&a.Finding, &b.Finding) })
	return list
}

// TotalOf counts the claims of all outcomes under their first readings.
func TotalOf(outcomes []*Outcome) Count {
	return Total(each.Of(outcomes, func(o *Outcome) Count { return CountUnder(o.Findings, &o.Experiment.Readings[0]) })...)
}

// count counts the paper's claims under the first readings.
func (p *paper) count() Count { return TotalOf(p.outcomes) }

// bars draws the counts of verdicts as bars of letters, one line each.
func bars(count Count) string {
	var b strings.Builder
	for _, v := range verdict.All() {
		if n := count.Verdicts[v]; n > 0 {
			fmt.Fprintf(&b, "%-18s %3d %s\n", v, n, strings.Repeat("█", n))
		}
	}
	return b.String()
}

// source is the citation of the paper without a figure.
func (p *paper) source() string {
	return p.outcomes[0].Experiment.Source.paper()
}

// WriteReplication writes the page of all claims as Markdown: a table for each paper, the claims that fail first, then what each experiment ran, its
// readings and its figures. The pictures are those that [Outcome.Pictures] names, in the given folder.
func WriteReplication(w io.Writer, outcomes []*Outcome, pictures string) error {
	b := new(strings.Builder)
	papers := byPaper(outcomes)
	total := TotalOf(outcomes)
	n := 0
	for k := range papers {
		n += len(papers[k].headlines())
	}
	fmt.Fprintf(b, "# Every claim, with a verdict\n\nMade by `allot reproduce --page replication.md` from the recorded runs; do not edit.\n\n")
	fmt.Fprintf(b, "%d claims of %d papers. Each verdict is that under the first reading, the nearest to the paper's words. Rows that say (quick) are of few repetitions, so that many of them are undecided. A claim's id leads to its experiment: what was run, with which command and commit, the deviations from the paper, the other readings and the pictures.\n\n```\n%s```\n\n## The columns\n\n", n, len(papers), bars(total))
	for _, paragraph := range columnsText() {
		fmt.Fprintf(b, "- %s\n", paragraph)
	}
	b.WriteString("\n## The rule\n\n")
	for _, paragraph := range Rule() {
		fmt.Fprintf(b, "- %s\n", paragraph)
	}
	for k := range papers {
		papers[k].markdown(b, pictures)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the part of one paper.
func (p *paper) markdown(b *strings.Builder, pictures string) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```\n%s```\n\n", p.name, p.source(), bars(p.count()))
	b.WriteString("| claim | as the paper has it | paper | ours | repetitions | verdict | replicates where |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range p.headlines() {
		mode := ""
		if f.Quick && f.isRun() {
			mode = " (quick)"
		}
		bold := ""
		judged, _ := f.Judged()
		if judged == verdict.Fails {
			bold = "**"
		}
		fmt.Fprintf(b, "| [`%s/%s`](#%s) | “%s” (%s). %s | %s | %s | %s%s | %s | %s |\n", f.Experiment.ID, f.Claim.ID, f.Experiment.anchor(), cellText(f.Claim.Text), cellText(f.Claim.Where),
			cellText(f.Claim.about()), cellText(f.Claim.States()), cellText(f.Ours()), f.sampleSize(), mode, bold+cellText(string(judged))+bold+cellText(f.reasonText()),
			cellText(f.Claim.Tolerance()))
	}
	for _, o := range p.outcomes {
		o.markdown(b, pictures)
	}
}

// about is the subject of the claim, if the quotation is not the subject.
func (c *Claim) about() string {
	if s := c.Subject(); s != c.Text {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return ""
}

// reasonText is the reason after a colon.
func (f *Finding) reasonText() string {
	_, reason := f.Judged()
	if reason != "" {
		reason = ": " + reason
	}
	return reason + f.Claim.countedNote()
}

// cellText makes a text fit for a cell of a Markdown table.
func cellText(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;", "*", "\\*").Replace(text)
}

// markdown writes the part of one experiment: what was run, the readings and the figures.
func (o *Outcome) markdown(b *strings.Builder, pictures string) {
	e := o.Experiment
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n\n### %s: %s\n\n%s %s\n\n", e.anchor(), e.ID, e.Title, e.Source.Figure+".", e.SetUp)
	if o.Commit != "" {
		fmt.Fprintf(b, "Recorded with `%s`, commit %s. It takes %s in quick mode, %s in full.\n", o.Command(), o.Commit, e.Takes.Quick, e.Takes.Full)
	} else {
		fmt.Fprintf(b, "Not recorded yet. It takes %s in quick mode, %s in full.\n", e.Takes.Quick, e.Takes.Full)
	}
	for k, text := range e.Notes {
		fmt.Fprintf(b, "%s- %s\n", strings.Repeat("\n", max(0, 1-k)), text)
	}
	deviations := each.Of(e.Deviations, func(d string) string { return "- " + d })
	for k := range e.Claims {
		for _, d := range e.Claims[k].Deviations {
			deviations = append(deviations, fmt.Sprintf("- `%s/%s`: %s", e.ID, e.Claims[k].ID, d))
		}
	}
	if len(deviations) > 0 {
		fmt.Fprintf(b, "\nDeviations from the paper:\n\n%s\n", strings.Join(deviations, "\n"))
	}
	if len(e.Readings) > 1 {
		b.WriteString("\n| reading | what it assumes | of the claims |\n| --- | --- | --- |\n")
		for r := range e.Readings {
			reading := &e.Readings[r]
			fmt.Fprintf(b, "| %s | %s | %s |\n", cellText(reading.role(r)), cellText(reading.Text), CountUnder(o.Findings, reading))
		}
	}
	for _, p := range o.Pictures() {
		fmt.Fprintf(b, "\n![%s](%s/%s.svg)", p.Figure.Title, pictures, p.Name)
	}
	if len(o.Pictures()) > 0 {
		b.WriteString("\n")
	}
}

// anchor is what the rows of the claims lead to: the section of the experiment.
func (e *Experiment) anchor() string { return strings.ReplaceAll(e.ID, "/", "-") }

// role is the reading's name with what it is: the headline, one fixed before the first run, or one that was added later.
func (r *Reading) role(place int) string {
	if place == 0 {
		return r.ID + " (the headline)"
	}
	return r.Name()
}

// Picture is a figure with the name of its file, without an extension.
type Picture struct {
	Name   string
	Figure report.Figure
}

// Pictures lists the figures under the first reading.
func (o *Outcome) Pictures() []Picture {
	var list []Picture
	prefix := strings.ReplaceAll(o.Experiment.ID, "/", "-")
	for _, f := range o.Figures(&o.Experiment.Readings[0]) {
		words := strings.FieldsFunc(strings.ToLower(f.Title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' })
		list = append(list, Picture{prefix + "-" + strings.Join(words, "-"), f})
	}
	return list
}

// WriteReplicationPage writes the page of all claims as HTML that needs no other files.
func WriteReplicationPage(w io.Writer, outcomes []*Outcome) error {
	a := &report.Account{Kicker: "Replication", Title: "Every claim, with a verdict", By: "allot reproduce --page", Method: Rule(),
		Doc: "Each verdict is that under the first reading, the nearest to the paper's words."}
	total := TotalOf(outcomes)
	for _, p := range byPaper(outcomes) {
		count := p.count()
		part := report.Part{Name: p.name, Text: p.source() + ". " + upperFirst(count.String()) + ".", Grid: &report.Grid{
			Caption: "The claims of " + p.name + ", those that fail first", Columns: []report.Column{
				{Name: "claim", IsText: true}, {Name: "as the paper has it", IsText: true}, paperColumn, oursColumn, {Name: "repetitions"},
				{Name: "verdict", IsText: true}, {Name: "replicates where", IsText: true}, {Name: "command", IsText: true}, {Name: "commit", IsText: true},
			}}}
		for _, f := range p.headlines() {
			part.Grid.Rows = append(part.Grid.Rows, []report.Cell{
				{Text: f.Experiment.ID + "/" + f.Claim.ID}, {Text: fmt.Sprintf("“%s” (%s). %s", f.Claim.Text, f.Claim.Where, f.Claim.about())}, f.Claim.paperCell(),
				f.oursCell(), {Text: f.sampleSize()}, f.verdictCell(), {Text: f.Claim.Tolerance()}, {Text: f.Command()}, {Text: f.Commit},
			})
		}
		for _, o := range p.outcomes {
			for _, picture := range o.Pictures() {
				part.Figures = append(part.Figures, picture.Figure)
			}
		}
		a.Parts = append(a.Parts, part)
	}
	a.Short = upperFirst(total.String()) + "."
	for _, v := range verdict.All() {
		if n := total.Verdicts[v]; n > 0 {
			a.Facts = append(a.Facts, report.Fact{Name: string(v), Value: fmt.Sprintf("%d %s", n, strings.Repeat("█", n))})
		}
	}
	return report.WriteAccount(w, a)
}

// upperFirst makes the first letter of a plain text a capital.
func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
