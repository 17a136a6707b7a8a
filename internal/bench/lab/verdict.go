package lab

import (
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"

	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/bench/statistics"
)

// verdicts states in words, for each policy but the first, what it changes and for whom.
func (g *Group) verdicts(b *strings.Builder, r *Report) {
	if len(g.Policies) < 2 {
		return
	}
	perhaps, same := false, true
	for k := 1; k < len(g.Policies); k++ {
		p := &g.Policies[k]
		all := &p.Classes[0]
		leaves := p.LeftOut + g.Policies[0].LeftOut
		if d := all.WaitDifference; leaves == 0 && d != nil && d.Greater+d.Less == 0 {
			fmt.Fprintf(b, "\n%s against %s: every job waits as long\n", p.Name, g.Policies[0].Name)
			continue
		}
		same = false
		fmt.Fprintf(b, "\n%s against %s:\n", p.Name, g.Policies[0].Name)
		fmt.Fprintf(b, "  mean wait %s\n", r.verdict(all.WaitDifference, "longer", "shorter"))
		if leaves > 0 {
			fmt.Fprintf(b, "  %s no place, %d under %s: only jobs that both place are compared\n", numtext.Counted(p.LeftOut, "job has", "jobs have"), g.Policies[0].LeftOut, g.Policies[0].Name)
		}
		if d := all.WaitDifference; d != nil {
			fmt.Fprintf(b, "  %s longer, %d shorter, %d as long\n", numtext.Counted(d.Greater, "job waits", "jobs wait"), d.Less, d.Jobs-d.Greater-d.Less)
			fmt.Fprintf(b, "  mean bounded slowdown %s\n", r.verdict(all.SlowdownDifference, "greater", "less"))
		}
		perhaps = r.lists(b, p) || perhaps
	}
	switch {
	case same:
		return
	case g.Tests[KindAll] == 0:
		fmt.Fprintf(b, "\nToo few days for an interval: %s in blocks of %d, and %d blocks with jobs are needed. Nothing is shown: the differences above may be chance.\n",
			numtext.Counted(r.Days, "day"), r.Block, statistics.LeastBlocks)
		return
	}
	var families []string
	tests := 0
	for _, kind := range []string{KindAll, KindShape, KindQueue, KindUser} {
		if n := g.Tests[kind]; n > 0 {
			name := "by " + kind
			if kind == KindAll {
				name = "of all jobs"
			} else {
				tests += n
			}
			families = append(families, fmt.Sprintf("%d %s", n, name))
		}
	}
	fmt.Fprintf(b, "\nThe %s intervals come from a paired bootstrap over days. Among many intervals some miss by chance. So a difference counts as shown, and has a *,\n"+
		"only if it is significant after Holm's correction for its family of tests (%s): %s. \"Perhaps\" means that only its own interval excludes 0.\n",
		percent(r.Confidence), percent(1-r.Confidence), strings.Join(families, ", "))
	if perhaps {
		fmt.Fprintf(b, "If nothing differed, about %s of the %d classes tested would still be among \"perhaps\".\n", figure(float64(tests)*(1-r.Confidence)), tests)
	}
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
	amount := signed(d.Mean, write)
	if d.First > 0 {
		amount = signedPercent(d.Mean/d.First) + ", " + amount
	}
	switch {
	case d.Greater+d.Less == 0:
		return "the same for every job"
	case d.Low == nil:
		return amount + ": too few days for an interval, so no difference is shown"
	case d.RatioLow != nil:
		amount = fmt.Sprintf("%s [%s, %s], %s", signedPercent(*d.Ratio-1), signedPercent(*d.RatioLow-1), signedPercent(*d.RatioHigh-1), signed(d.Mean, write))
	default:
		amount += fmt.Sprintf(" [%s, %s]", signed(*d.Low, write), signed(*d.High, write))
	}
	switch {
	case d.Shown(r.Confidence) && d.Mean > 0:
		return amount + ": " + greater
	case d.Shown(r.Confidence):
		return amount + ": " + less
	case d.Sign() != 0:
		return amount + ": perhaps, but not shown after the correction for all comparisons made here"
	}
	return amount + ": no difference is shown"
}

// lists says who waits longer and who less, and whether any of it is only perhaps so.
func (r *Report) lists(b *strings.Builder, p *Policy) (perhaps bool) {
	var hurt, perhapsHurt, helped, perhapsHelped []string
	tested, classes := 0, 0
	for c := range p.Classes[1:] {
		class := &p.Classes[c+1]
		d := class.WaitDifference
		classes++
		if d == nil || d.P == nil {
			continue
		}
		tested++
		text := class.Name
		if class.Kind != KindShape {
			text = class.Kind + " " + class.Name
		}
		text += " " + r.signed(d.Mean)
		if d.First > 0 {
			text += " (" + signedPercent(d.Mean/d.First) + ")"
		}
		switch sign, shown := d.Sign(), d.Shown(r.Confidence); {
		case sign > 0 && shown:
			hurt = append(hurt, text)
		case sign > 0:
			perhapsHurt = append(perhapsHurt, text)
		case sign < 0 && shown:
			helped = append(helped, text)
		case sign < 0:
			perhapsHelped = append(perhapsHelped, text)
		}
	}
	if tested == 0 {
		return false
	}
	list(b, "hurt", hurt, true)
	list(b, "perhaps hurt", perhapsHurt, false)
	list(b, "served better", helped, true)
	list(b, "perhaps served better", perhapsHelped, false)
	if tested < classes {
		fmt.Fprintf(b, "  not tested: %s, with jobs in too few blocks of days\n", numtext.Counted(classes-tested, "class", "classes"))
	}
	return len(perhapsHurt)+len(perhapsHelped) > 0
}

// list writes the first of some classes; if there are none, it states this if asked.
func list(b *strings.Builder, what string, classes []string, always bool) {
	const most = 8
	switch {
	case len(classes) == 0 && always:
		fmt.Fprintf(b, "  %s: nobody, as far as is shown\n", what)
	case len(classes) == 0:
	case len(classes) > most:
		fmt.Fprintf(b, "  %s: %s, and %d more\n", what, strings.Join(classes[:most], "; "), len(classes)-most)
	default:
		fmt.Fprintf(b, "  %s: %s\n", what, strings.Join(classes, "; "))
	}
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
