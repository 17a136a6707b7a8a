package papers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/allot-opt/allot/papers/verdict"
)

// WriteReplication writes the page of results as Markdown: for each paper what holds, what does not and what could not be judged, and a table of its
// claims, those that fail first. What each experiment ran is on the page of its paper, PAPER.md in the given folder, see [WriteDetails].
func WriteReplication(w io.Writer, outcomes []*Outcome, details string) error {
	b := new(strings.Builder)
	papers := byPaper(outcomes)
	n := 0
	for k := range papers {
		n += len(papers[k].headlines())
	}
	fmt.Fprintf(b, "# Do the papers' results hold?\n\nMade by `allot reproduce --page replication.md` from the recorded runs; do not edit.\n\n")
	fmt.Fprintf(b, "%d statements of %d papers, run again from seeds. Under the first reading, the nearest to a paper's words: %s.\n\n", n, len(papers), totalOf(outcomes))
	if registered := registeredOf(outcomes); registered.Testable() > 0 {
		fmt.Fprintf(b, "Where a second reading follows from a paper's own equations or figures, it was written down with its reason and committed before it ran, on seeds that nothing had used. Under these registered readings: %s.\n\n", registered)
	}
	b.WriteString("| paper | replicate | direction only | undecided | do not replicate | not testable here | registered readings: replicate | do not | not testable here |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for k := range papers {
		p := &papers[k]
		first, second := p.count().Verdicts, registeredOf(p.outcomes).Verdicts
		fmt.Fprintf(b, "| [%s](#%s), [details](%s/%s.md) | %d | %d | %d | %d | %d | %d | %d | %d |\n", p.account().Title, p.name, details, p.name, first[verdict.Replicates], first[verdict.DirectionOnly],
			first[verdict.Undecided], first[verdict.Fails], first[verdict.NotTestable], second[verdict.Replicates], second[verdict.Fails], second[verdict.NotTestable])
	}
	b.WriteString("\n## How to read the tables\n\n")
	for _, paragraph := range columnsText() {
		fmt.Fprintf(b, "- %s\n", paragraph)
	}
	for k := range papers {
		papers[k].results(b, details)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// results writes the part of one paper.
func (p *paper) results(b *strings.Builder, details string) {
	a := p.account()
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n\n## %s\n\n%s. [What was run](%s/%s.md).\n\n**Holds:** %s **Does not:** %s **Could not be judged:** %s\n\n", p.name, a.Title, p.source(), details, p.name, a.Holds, a.Fails, a.Open)
	b.WriteString("| claim | in plain words | the paper | first reading | registered reading | post hoc |\n| --- | --- | --- | --- | --- | --- |\n")
	var silent, judged []placed
	for _, f := range p.headlines() {
		if f.telling() == nil {
			silent = append(silent, f)
		} else {
			judged = append(judged, f)
		}
	}
	slices.SortStableFunc(judged, func(a, b placed) int { return compareVerdicts(a.telling(), b.telling()) })
	for _, f := range judged {
		second := f.finding(f.Claim, f.Experiment.registered())
		fmt.Fprintf(b, "| [`%s/%s`](%s/%s.md#%s) | %s | %s | %s | %s | %s |\n", f.Experiment.ID, f.Claim.ID, details, p.name, f.Experiment.anchor(), cellText(f.Claim.Plain()), cellText(f.Claim.States()),
			f.short(f.Quick), second.short(f.Quick), cellText(f.postHoc(f.Claim)))
	}
	p.silent(b, silent)
}

// telling is the finding that is evidence: under the first reading, else under the registered one; nil: neither is.
func (f *placed) telling() *Finding {
	if f.isEvidence() {
		return &f.Finding
	}
	if second := f.finding(f.Claim, f.Experiment.registered()); second != nil && second.isEvidence() {
		return second
	}
	return nil
}

// short is the verdict of a finding with our number, for a cell; nil: there is none.
func (f *Finding) short(quick bool) string {
	if f == nil {
		return "–"
	}
	judged, reason := f.Judged()
	text := f.word()
	switch judged {
	case verdict.NotTestable:
		return text + ": " + f.NotTestable.Kind
	case verdict.NotYet:
		return text + ": " + cellText(reason)
	case verdict.Fails:
		text = "**" + text + "**"
	}
	if quick {
		text += " (quick)"
	}
	if ours := f.Ours(); ours != "–" {
		text += ": " + cellText(ours)
	}
	return text
}

// postHoc names the readings that were added after the first run under which the claim replicates.
func (o *Outcome) postHoc(c *Claim) string {
	var holds []string
	run := false
	for k := range o.Experiment.Readings {
		r := &o.Experiment.Readings[k]
		if f := o.finding(c, r); r.PostHoc && f != nil && f.isEvidence() {
			run = true
			if f.Verdict == verdict.Replicates {
				holds = append(holds, r.ID)
			}
		}
	}
	switch {
	case len(holds) > 0:
		return "replicates under " + strings.Join(holds, "; ")
	case run:
		return "under none"
	}
	return "–"
}

// silent lists the claims on which there is no evidence under either reading, by the reason.
func (p *paper) silent(b *strings.Builder, list []placed) {
	var reasons []string
	ids := map[string][]string{}
	for _, f := range list {
		judged, _ := f.Judged()
		reason := "not run"
		switch {
		case f.Claim.NotStated != "":
			reason = "tests of ours, which the paper does not state"
		case f.Claim.Repeats != "":
			reason = "counted with another claim of the same set-up"
		case judged == verdict.NotTestable:
			reason = f.NotTestable.Kind
			if reason != degenerateRegime {
				reason += ": " + f.NotTestable.Reason
			}
		}
		if ids[reason] == nil {
			reasons = append(reasons, reason)
		}
		ids[reason] = append(ids[reason], fmt.Sprintf("`%s/%s` (%s)", f.Experiment.ID, f.Claim.ID, cellText(f.Claim.Plain())))
	}
	if len(list) > 0 {
		b.WriteString("\nWithout a verdict of their own:\n\n")
	}
	for _, reason := range reasons {
		fmt.Fprintf(b, "- %s: %s\n", upperFirst(cellText(reason)), strings.Join(ids[reason], "; "))
	}
}
