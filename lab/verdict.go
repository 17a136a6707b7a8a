package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/internal/timetext"
)

// verdicts states in words, for each policy but the first, what it changes and for whom.
func (g *Group) verdicts(b *strings.Builder, r *Report) {
	if len(g.Policies) < 2 {
		return
	}
	perhaps, same := false, true
	for k := 1; k < len(g.Policies); k++ {
		title, lines, unsure := g.words(r, &g.Policies[k])
		b.WriteByte('\n')
		paragraph(b, "%s", title)
		for _, line := range lines {
			item(b, line)
		}
		perhaps, same = perhaps || unsure, same && lines == nil
	}
	if same {
		return
	}
	b.WriteByte('\n')
	for _, line := range g.method(r, perhaps) {
		paragraph(b, "%s", line)
	}
}

// words are what a policy changes, and for whom; perhaps says that of some it is not shown.
func (g *Group) words(r *Report, p *Policy) (title string, lines []string, perhaps bool) {
	first := r.short(g.Policies[0].Name)
	title = r.short(p.Name) + " against " + first + ":"
	d := p.Classes[0].WaitDifference
	leaves := p.LeftOut + g.Policies[0].LeftOut
	if leaves == 0 && d != nil && d.Greater+d.Less == 0 {
		return title + " every job waits as long", nil, false
	}
	say := func(format string, parts ...any) { lines = append(lines, fmt.Sprintf(format, parts...)) }
	say("mean wait %s", r.verdict(d, "longer", "shorter"))
	if leaves > 0 {
		say("%s no place, %d under %s: only jobs that both place are compared", numtext.Counted(p.LeftOut, "job has", "jobs have"), g.Policies[0].LeftOut, first)
	}
	if d != nil {
		say("%s longer, %d shorter, %d as long", numtext.Counted(d.Greater, "job waits", "jobs wait"), d.Less, d.Jobs-d.Greater-d.Less)
		say("mean bounded slowdown %s", r.verdict(p.Classes[0].SlowdownDifference, "greater", "less"))
	}
	s := r.split(p)
	if s.tested == 0 {
		return title, lines, false
	}
	for _, list := range []struct {
		what    string
		classes []*Class
		always  bool // also where there are none
	}{{"hurt", s.hurt, true}, {"perhaps hurt", s.perhapsHurt, false}, {"served better", s.helped, true}, {"perhaps served better", s.perhapsHelped, false}} {
		const most = 8
		names := strings.Join(kit.Each(list.classes[:min(most, len(list.classes))], r.described), "; ")
		switch n := len(list.classes); {
		case n > most:
			say("%s: %s, and %d more", list.what, names, n-most)
		case n > 0:
			say("%s: %s", list.what, names)
		case list.always:
			say("%s: nobody, as far as is shown", list.what)
		}
	}
	if s.tested < s.classes {
		say("not tested: %s, with jobs in too few blocks of days", numtext.Counted(s.classes-s.tested, "class", "classes"))
	}
	return title, lines, len(s.perhapsHurt)+len(s.perhapsHelped) > 0
}

// method says how the differences of a group are tested, or why they are not.
func (g *Group) method(r *Report, perhaps bool) []string {
	if g.Tests[kindAll] == 0 {
		return []string{fmt.Sprintf("Too few days for an interval: %s in blocks of %d, and %d blocks with jobs are needed. Nothing is shown: the differences above may be chance.",
			numtext.Counted(r.Days, "day"), r.Block, statistics.LeastBlocks)}
	}
	families := []string{fmt.Sprintf("%d of all jobs", g.Tests[kindAll])}
	tests := 0
	for _, kind := range compared {
		if n := g.Tests[kind]; n > 0 {
			tests += n
			families = append(families, fmt.Sprintf("%d by %s", n, kind))
		}
	}
	list := []string{fmt.Sprintf("The %s intervals come from a paired bootstrap over days. Among many intervals some miss by chance. So a difference counts as shown, and has a *, "+
		"only if it is significant after Holm's correction for its family of tests (%s): %s. \"Perhaps\" means that only its own interval excludes 0.",
		percent(r.Confidence), percent(1-r.Confidence), strings.Join(families, ", "))}
	if perhaps {
		list = append(list, fmt.Sprintf("If nothing differed, about %s of the %d classes tested would still be among \"perhaps\".", figure(float64(tests)*(1-r.Confidence)), tests))
	}
	return list
}

// paragraph writes a text in lines that fit.
func paragraph(b *strings.Builder, format string, parts ...any) {
	b.WriteString(texttable.Wrap(fmt.Sprintf(format, parts...), texttable.Columns, "  "))
}

// item writes a text in lines that fit, below what it belongs to.
func item(b *strings.Builder, text string) {
	const indent = 2
	b.WriteString(strings.Repeat(" ", indent) + strings.ReplaceAll(texttable.Wrap(text, texttable.Columns-indent, "  "), "\n ", "\n   "))
}

// verdict formats a difference with its interval and its meaning.
func (r *Report) verdict(d *Difference, greater, less string) string {
	if d == nil {
		return "not known: no job is placed by both"
	}
	write := r.time
	if greater == "greater" {
		write = figure
	}
	amount := r.amount(d, write)
	switch {
	case d.Greater+d.Less == 0:
		return "the same for every job"
	case d.Low == nil:
		return amount + ": too few days for an interval, so no difference is shown"
	case d.Shown(r.Confidence) && d.Mean > 0:
		return amount + ": " + greater
	case d.Shown(r.Confidence):
		return amount + ": " + less
	case d.Sign() != 0:
		return amount + ": perhaps, but not shown after the correction for all comparisons made here"
	}
	return amount + ": no difference is shown"
}

// amount is a difference with its interval where it has one, in per cent of the first policy's mean and in the unit of the figure.
func (r *Report) amount(d *Difference, write func(float64) string) string {
	switch {
	case d.RatioLow != nil:
		return r.share(d) + ", " + signed(d.Mean, write)
	case d.Low != nil && d.First > 0:
		return fmt.Sprintf("%s, %s [%s, %s]", signedPercent(d.Mean/d.First), signed(d.Mean, write), signed(*d.Low, write), signed(*d.High, write))
	case d.Low != nil:
		return fmt.Sprintf("%s [%s, %s]", signed(d.Mean, write), signed(*d.Low, write), signed(*d.High, write))
	case d.First > 0:
		return signedPercent(d.Mean/d.First) + ", " + signed(d.Mean, write)
	}
	return signed(d.Mean, write)
}

// change is the difference of a mean wait with its interval.
func (r *Report) change(d *Difference) string { return r.amount(d, r.time) }

// share is the difference of a mean wait with its interval, in per cent where the first mean is above 0.
func (r *Report) share(d *Difference) string {
	switch {
	case d.Greater+d.Less == 0:
		return "the same"
	case d.RatioLow != nil:
		return fmt.Sprintf("%s [%s, %s]", signedPercent(*d.Ratio-1), signedPercent(*d.RatioLow-1), signedPercent(*d.RatioHigh-1))
	case d.First > 0:
		return signedPercent(d.Mean / d.First)
	}
	return r.signed(d.Mean)
}

// split is the classes of a policy, by what is shown of their waits.
type split struct {
	hurt, perhapsHurt, helped, perhapsHelped []*Class
	tested, classes                          int
}

// split parts the classes that are compared.
func (r *Report) split(p *Policy) (s split) {
	for c := range p.Classes {
		class := &p.Classes[c]
		if !slices.Contains(compared, class.Kind) {
			continue
		}
		d := class.WaitDifference
		s.classes++
		if d == nil || d.P == nil {
			continue
		}
		s.tested++
		switch sign, shown := d.Sign(), d.Shown(r.Confidence); {
		case sign > 0 && shown:
			s.hurt = append(s.hurt, class)
		case sign > 0:
			s.perhapsHurt = append(s.perhapsHurt, class)
		case sign < 0 && shown:
			s.helped = append(s.helped, class)
		case sign < 0:
			s.perhapsHelped = append(s.perhapsHelped, class)
		}
	}
	return s
}

// described is a class and how its mean wait changes.
func (r *Report) described(c *Class) string {
	text := c.title() + " " + r.signed(c.WaitDifference.Mean)
	if d := c.WaitDifference; d.First > 0 {
		text += " (" + signedPercent(d.Mean/d.First) + ")"
	}
	return text
}

// title names a class where its kind is not said.
func (c *Class) title() string {
	if slices.Contains([]string{kindAll, kindShape, kindPeriod}, c.Kind) {
		return c.Name
	}
	return c.Kind + " " + legible(c.Name)
}

// star marks a difference that is shown.
func (r *Report) star(d *Difference) string {
	if d.Shown(r.Confidence) {
		return "*"
	}
	return ""
}

// time is a length of time for people.
func (r *Report) time(x float64) string {
	if seconds, known := secondsIn(r.Time); known {
		return timetext.Of(x*seconds, "s", figure)
	}
	return figure(x)
}

// signed is a length of time with its sign.
func (r *Report) signed(x float64) string { return signed(x, r.time) }

// figure is a figure for people with three significant digits, more where they stand before the point.
func figure(x float64) string {
	switch {
	case x == 0:
		return "0"
	case math.Abs(x) >= 1e6:
		return fmt.Sprintf("%.3g", x)
	case math.Abs(x) >= 99.95:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// signed writes a figure with its sign.
func signed(x float64, write func(float64) string) string {
	if x < 0 {
		return "−" + write(-x)
	}
	return "+" + write(x)
}

// percent is a share in percent.
func percent(x float64) string { return figure(100*x) + " %" }

// signedPercent is a change in percent, with a digit behind the point.
func signedPercent(x float64) string {
	return signed(100*x, func(x float64) string {
		if x >= 99.95 {
			return fmt.Sprintf("%.0f %%", x)
		}
		return fmt.Sprintf("%.1f %%", x)
	})
}
