package papers

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/papers/verdict"
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

// totalOf counts the claims of all outcomes under their first readings.
func totalOf(outcomes []*Outcome) Count {
	return Total(kit.Each(outcomes, func(o *Outcome) Count { return countUnder(o.Findings, &o.Experiment.Readings[0]) })...)
}

// registeredOf counts the claims of all outcomes under their registered readings.
func registeredOf(outcomes []*Outcome) Count {
	var total Count
	for _, o := range outcomes {
		if r := o.Experiment.registered(); r != nil {
			total = Total(total, countUnder(o.Findings, r))
		}
	}
	return total
}

// registered is the registered reading of the experiment; nil: it has none.
func (e *Experiment) registered() *Reading {
	for k := range e.Readings {
		if e.Readings[k].Registered != nil {
			return &e.Readings[k]
		}
	}
	return nil
}

// finding finds the finding on a claim under a reading; nil: there is none.
func (o *Outcome) finding(c *Claim, r *Reading) *Finding {
	for k := range o.Findings {
		if f := &o.Findings[k]; f.Claim == c && f.Reading == r {
			return f
		}
	}
	return nil
}

// count counts the paper's claims under the first readings.
func (p *paper) count() Count { return totalOf(p.outcomes) }

// source is the citation of the paper without a figure.
func (p *paper) source() string {
	return p.outcomes[0].Experiment.Source.paper()
}

// about is the subject of the claim, if the quotation is not the subject.
func (c *Claim) about() string {
	if s := c.Subject(); s != c.Text {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return ""
}

// cellText makes a text fit for a cell of a Markdown table.
func cellText(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;", "*", "\\*").Replace(text)
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
	Figure document.Figure
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
	a := &document.Document{Kicker: "Replication", Title: "Every claim, with a verdict", By: "allot reproduce --page", Method: rule(),
		Doc: "Each verdict is that under the first reading, the nearest to the paper's words; beside it stands that of a registered reading, where there is one."}
	total := totalOf(outcomes)
	for _, p := range byPaper(outcomes) {
		count := p.count()
		part := document.Part{Name: p.name, Text: p.source() + ". " + upperFirst(count.String()) + ". " + p.account().text(), Tables: []*document.Table{{
			Caption: "The claims of " + p.name + ", those that fail first", Columns: []document.Column{
				{Name: "claim", IsText: true}, {Name: "as the paper has it", IsText: true}, paperColumn, oursColumn, {Name: "repetitions"},
				{Name: "verdict", IsText: true}, {Name: "registered reading", IsText: true, Help: "written down with its reason before it ran"}, {Name: "replicates where", IsText: true}, {Name: "command", IsText: true}, {Name: "commit", IsText: true},
			}}}}
		for _, f := range p.headlines() {
			second := f.finding(f.Claim, f.Experiment.registered())
			registered := document.Cell{Text: "–"}
			if second != nil {
				registered.Text = second.withNumber()
			}
			part.Tables[0].Add([]document.Cell{
				{Text: f.Experiment.ID + "/" + f.Claim.ID}, {Text: fmt.Sprintf("“%s” (%s). %s", f.Claim.Text, f.Claim.Where, f.Claim.about())}, f.Claim.paperCell(),
				f.oursCell(), {Text: f.sampleSize()}, f.verdictCell(), registered, {Text: f.Claim.Tolerance()}, {Text: f.Command()}, {Text: f.Commit},
			}...)
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
			a.Facts = append(a.Facts, document.Fact{Name: string(v), Value: fmt.Sprintf("%d %s", n, strings.Repeat("█", n))})
		}
	}
	return a.HTML(w)
}

// upperFirst makes the first letter of a plain text a capital.
func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
