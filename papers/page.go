package papers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/papers/verdict"
)

// WriteReport writes the report as a page that needs no other files: the claims with the verdicts, the readings, the figures and the rule. The same
// rows give the same bytes.
func (o *Outcome) WriteReport(w io.Writer) error {
	e := o.Experiment
	a := &document.Document{
		Kicker: "Experiment " + e.ID, Title: e.Title, Doc: e.SetUp, Short: o.Summary(), By: "allot reproduce " + e.ID,
		Facts: []document.Fact{{Name: "Source", Value: e.Source.Citation()}, {Name: "Mode", Value: o.Mode()}},
		Parts: []document.Part{o.claimsPart()}, Method: e.method(),
	}
	if n := o.repetitions(); n != "" {
		a.Facts = append(a.Facts, document.Fact{Name: "Repetitions a point", Value: n})
	}
	figures := o.figureParts()
	a.Parts = append(a.Parts, figures[:min(1, len(figures))]...)
	if len(e.Notes) > 0 {
		a.Parts = append(a.Parts, document.Part{Name: "On the paper", Text: strings.Join(e.Notes, " ")})
	}
	if len(e.Readings) > 1 {
		a.Parts = append(a.Parts, o.readingsPart(), o.findingsPart())
	}
	a.Parts = append(a.Parts, figures[min(1, len(figures)):]...)
	return a.HTML(w)
}

// claimsPart makes the table of the claims, with the findings under the first reading. Claims that fail come first.
func (o *Outcome) claimsPart() document.Part {
	first := o.shown()
	g := &document.Table{Caption: "The claims under the reading \u201c" + first.ID + "\u201d", Columns: []document.Column{
		{Name: "claim", IsText: true, Help: "permanent, with the experiment: " + o.Experiment.ID + "/c1"}, {Name: "what", IsText: true}, {Name: "as the paper has it", IsText: true},
		paperColumn, oursColumn, {Name: "repetitions"}, {Name: "verdict", IsText: true}, {Name: "replicates where", IsText: true},
		{Name: "closest reading", IsText: true, Help: "the reading with the best verdict, then the nearest number; it was chosen after the runs"},
	}}
	for _, f := range byVerdict(o.Headline()) {
		closest := document.Cell{Text: first.ID}
		if c := Closest(o.Findings, f.Claim); c != nil && c.Reading != first {
			closest.Text = fmt.Sprintf("%s: %s, %s", c.Reading.Name(), c.Ours(), c.Verdict)
		}
		g.Rows = append(g.Rows, []document.Cell{
			{Text: f.Claim.ID}, {Text: f.Claim.Subject()}, {Text: fmt.Sprintf("\u201c%s\u201d (%s)", f.Claim.Text, f.Claim.Where)}, f.Claim.paperCell(), f.oursCell(),
			{Text: f.sampleSize()}, f.verdictCell(), {Text: f.Claim.Tolerance()}, closest,
		})
	}
	text := ""
	if d := o.Experiment.Deviations; len(d) > 0 {
		text = "Deviations from the paper: " + strings.Join(d, "; ") + "."
	}
	return document.Part{Name: "Claims", Text: text, Tables: []*document.Table{g}}
}

// byVerdict orders findings: those that fail first, then in the order of the claims.
func byVerdict(findings []Finding) []Finding {
	slices.SortStableFunc(findings, func(a, b Finding) int { return compareVerdicts(&a, &b) })
	return findings
}

// compareVerdicts is below 0 if the verdict of a comes first in [verdict.All].
func compareVerdicts(a, b *Finding) int {
	first, _ := a.Judged()
	second, _ := b.Judged()
	return slices.Index(verdict.All(), first) - slices.Index(verdict.All(), second)
}

// sampleSize says how many repetitions our number is of.
func (f *Finding) sampleSize() string {
	switch {
	case f.Value.N > 0:
		return fmt.Sprint(f.Value.N)
	case len(f.At) > 0:
		return fmt.Sprint(f.At[0].Value.N)
	}
	return "–"
}

// Columns of both tables of claims.
var (
	paperColumn = document.Column{Name: "paper",
		Help: "the paper's number; less, more: than the rival; less and less, more and more: along the axis"}
	oursColumn = document.Column{Name: "ours", Help: "difference of the means in percent with its 95 % interval; of several points its range"}
)

// findingsPart makes the table of the findings of all claims that were run.
func (o *Outcome) findingsPart() document.Part {
	g := &document.Table{Caption: "Every claim under every reading that was run", Columns: []document.Column{
		{Name: "claim", IsText: true}, paperColumn, {Name: "reading", IsText: true, Help: "★ comes closest to this claim; post hoc: added after the first run"}, oursColumn, {Name: "verdict", IsText: true},
	}}
	for k := range o.Findings {
		f := &o.Findings[k]
		if !f.isRun() {
			continue
		}
		reading := f.Reading.Name()
		if f == Closest(o.Findings, f.Claim) {
			reading += " ★"
		}
		g.Rows = append(g.Rows, []document.Cell{
			{Text: f.Claim.ID + ": " + f.Claim.Subject()}, f.Claim.paperCell(), {Text: reading}, f.oursCell(), f.verdictCell(),
		})
	}
	return document.Part{Name: "All findings", Tables: []*document.Table{g}}
}

// verdictCell makes the table cell of the verdict.
func (f *Finding) verdictCell() document.Cell {
	judged, _ := f.Judged()
	return document.Cell{Text: f.verdictText(), IsGood: judged == verdict.Replicates, IsBad: judged == verdict.Fails}
}

// oursCell makes the table cell of our number.
func (f *Finding) oursCell() document.Cell {
	c := document.Cell{Text: f.Ours()}
	if f.Value.N > 0 {
		c.Value = &f.Value.Estimate
	}
	return c
}

// paperCell makes the table cell of the paper's number.
func (c *Claim) paperCell() document.Cell { return document.Cell{Text: c.States(), Value: c.Value} }

// readingsPart makes the table of the readings, with the number of claims that hold under each.
func (o *Outcome) readingsPart() document.Part {
	g := &document.Table{Caption: "The readings, and how many claims hold under each", Columns: []document.Column{
		{Name: "reading", IsText: true}, {Name: "what it assumes", IsText: true},
	}}
	for _, v := range verdict.All() {
		g.Columns = append(g.Columns, document.Column{Name: string(v)})
	}
	best := o.Experiment.ClosestOverall(o.Findings)
	for r := range o.Experiment.Readings {
		reading := &o.Experiment.Readings[r]
		count := countUnder(o.Findings, reading)
		name := reading.Name()
		if reading == best && len(o.Experiment.Readings) > 1 {
			name += " ★"
		}
		row := []document.Cell{{Text: name}, {Text: reading.Text}}
		for _, v := range verdict.All() {
			row = append(row, document.Cell{Text: fmt.Sprint(count.Verdicts[v])})
		}
		g.Rows = append(g.Rows, row)
	}
	return document.Part{Name: "Readings", Text: "Where the paper is silent a reading says what was assumed. The first stays nearest to its words and is the headline; post hoc: added after the first run; ★ comes closest to its figures, which proves nothing of what its authors did.", Tables: []*document.Table{g}}
}

// figureParts makes the parts that hold the figures. A reading has a part if its figures differ from those of all readings before it. The first
// part is open.
func (o *Outcome) figureParts() []document.Part {
	var parts []document.Part
	seen := map[string]bool{}
	for r := range o.Experiment.Readings {
		reading := &o.Experiment.Readings[r]
		list := o.Figures(reading)
		if drawn := reading.drawn(); len(list) == 0 || seen[drawn] {
			continue
		} else {
			seen[drawn] = true
		}
		parts = append(parts, document.Part{Name: "Figures: " + reading.Name(), Text: reading.Text, Figures: list, Folded: len(parts) > 0})
	}
	return parts
}

// drawn identifies the rows and metrics that a reading draws.
func (r *Reading) drawn() string { return fmt.Sprint(r.Group, r.Points, r.Policies, r.Quantities) }

// Figures draws the paper's figures under a reading, with our means and intervals, on linear axes as the papers'. There is one for each quantity and panel, also for a panel with a
// single point, which has no lines.
func (o *Outcome) Figures(r *Reading) []document.Figure {
	var list []document.Figure
	for _, s := range o.Series {
		if s.Reading != r {
			continue
		}
		title := s.Quantity
		if s.Panel != "" {
			title += ", " + s.Panel
		}
		if len(list) == 0 || list[len(list)-1].Title != title {
			list = append(list, document.Figure{Title: title, Linear: true, X: o.Experiment.Axis, Y: o.quantity(s.Quantity).Doc, Note: o.quantity(s.Quantity).Doc})
		}
		line := document.Line{Name: s.Policy}
		for _, p := range s.Points {
			line.Points = append(line.Points, document.Estimate{X: p.X, Value: p.Value.Estimate, Low: p.Value.Low, High: p.Value.High})
		}
		f := &list[len(list)-1]
		f.Lines = append(f.Lines, line)
		if k := len(f.Lines); k == len(o.Experiment.Policies) {
			f.Lines = append(f.Lines, o.stated(r, s.Quantity, s.Panel)...)
		}
	}
	return list
}

// stated makes lines of the values that the paper states of the quantity: its own, or those that its percentages give with our mean of the rival.
func (o *Outcome) stated(r *Reading, quantity, panel string) []document.Line {
	var lines []document.Line
	add := func(name string, x, value float64) {
		k := slices.IndexFunc(lines, func(l document.Line) bool { return l.Name == name })
		if k < 0 {
			k, lines = len(lines), append(lines, document.Line{Name: name})
		}
		lines[k].Points = append(lines[k].Points, document.Estimate{X: x, Value: value, Low: value, High: value})
	}
	for k := range o.Experiment.Claims {
		c := &o.Experiment.Claims[k]
		for _, p := range o.Experiment.wanted(c) {
			if p.Panel != panel || !c.counts() {
				continue
			}
			if target, ok := c.Target[quantity]; ok && (c.Form != nearest || p.ID == c.At[0]) {
				add("the paper: "+c.Policy, p.X, target)
			}
			if c.Form != percent || c.Quantity != quantity || c.Base != nil || r.Base[quantity] != nil || len(o.Experiment.wanted(c)) > 1 {
				continue
			}
			rival, ok := o.mean(r, quantity, panel, c.Against, p.X)
			value := rival * (1 + *c.Value/100)
			if r.Percent == "of its own" {
				value = rival / (1 - *c.Value/100)
			}
			if ok {
				add(fmt.Sprintf("the paper: %s by its %% against %s", c.Policy, c.Against), p.X, value)
			}
		}
	}
	return lines
}

// mean is our mean at a place of a line; false: there is none.
func (o *Outcome) mean(r *Reading, quantity, panel, policy string, x float64) (float64, bool) {
	for k := range o.Series {
		s := &o.Series[k]
		if s.Reading != r || s.Quantity != quantity || s.Panel != panel || s.Policy != policy {
			continue
		}
		for _, p := range s.Points {
			if p.X == x {
				return p.Value.Estimate, true
			}
		}
	}
	return 0, false
}

// quantity finds a quantity by its name.
func (o *Outcome) quantity(name string) *Quantity {
	k := slices.IndexFunc(o.Experiment.Quantities, func(q Quantity) bool { return q.Name == name })
	return &o.Experiment.Quantities[k]
}

// repetitions says how many repetitions the points have.
func (o *Outcome) repetitions() string {
	counts := map[int]bool{}
	for _, s := range o.Series {
		for _, p := range s.Points {
			counts[p.Value.N] = true
		}
	}
	texts := kit.Each(slices.Sorted(maps.Keys(counts)), func(n int) string { return fmt.Sprint(n) })
	return strings.Join(texts, ", ")
}

// method explains how the verdicts are reached.
func (e *Experiment) method() []string {
	if e.Worked != nil {
		return []string{"Worked values must be the same, numbers up to rounding."}
	}
	return rule()
}

// columnsText explains the columns of the tables of claims, one paragraph each.
func columnsText() []string {
	return []string{
		"paper: the paper's number, or what it says of the policy: less or more than the rival; less and less, more and more: along the axis of the figure.",
		"ours, one number with an interval: the mean and its 95 % interval. In percent (%) it is the difference from the rival. With another unit, such as workflows or jobs, it is the difference itself, or the policy's own value where no rival is named.",
		"ours, “a to b”: the smallest and the largest of the means at the points of the claim, each of which has an interval of its own; the verdict says at which points these do not decide for the claim.",
		"ours, “a → b → c: d points”: the values at the points, then what the claim is about. For a trend that is the change over the whole axis, by the regression; for an interaction the sum that stands beside the quotation. Points are differences of percentages. Without a rival, percent are of the policy's own mean over the points.",
		"replicates where: what our number must keep to, see the rule.",
	}
}

// rule states the rule of the verdicts in words, one paragraph each.
func rule() []string {
	return []string{
		"These are replications in the words of the ACM (Artifact Review and Badging 1.1, 2020): another team, other code, other draws of the workload. A reproduction would be another team with the authors' own artifacts.",
		"A difference in percent is 100·(mean of the policy/mean of the rival − 1), over all points of the claim together; where a reading takes percent of the policy's own value, 100·(1 − mean of the rival/mean of the policy). In a repetition all policies run on the same jobs; repetitions are independent. The 95 % interval is Student's of the linearised ratio of the paired means (the delta method; Cochran 1977, Sampling Techniques, §2.11).",
		fmt.Sprintf("A percentage replicates where the half width of the interval is at most a quarter of the paper's number (at least %g point), the interval lies on the paper's side of 0, and the paper's number is in it or ours is within %.0f %% of the paper's. A wider interval is undecided, never a success, so that fewer repetitions do not help; where it lies wholly on the other side of 0 the claim does not replicate. Direction only: the side is the paper's, the size is another.", verdict.Least, 100*verdict.Tolerance),
		fmt.Sprintf("A sign must be shown at each of its points. It does not replicate where one point shows the opposite, or an interval that holds 0 within ±%g point; otherwise an interval that holds 0 is undecided. A limit likewise.", verdict.Least),
		"A trend is the slope of a regression over all the points, or Kendall's τ, computed in each repetition. A peak is a point between the ends that is shown to lie beyond both. Equivalence is judged by two one-sided tests at 5 %. An interaction is a difference of differences. Nearest: the distance is shown to be smaller than every other.",
		"The headline is the first reading, the nearest to the paper's words. It was fixed before the first run, except for the stop of TITAN in five experiments of MUSCLE: a sentence of the paper was overlooked, and the reading of the first runs stands beside it as patient. A reading that was added later is marked post hoc. The reading that comes closest is found by looking at the results; it proves nothing about what the authors did.",
	}
}
