package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// mostNamed is how many policies, or classes that pay, a sentence of the answer names.
const mostNamed = 3

// Answer is the result in sentences, the most important first: whether a policy is shown to serve better than the first of the first group or worse, by how much, and who
// pays; then what is not shown. If no policy explains what was recorded, that comes before. Of a site whose policy the instance states, its fit to the record always does; where that is bad
// the rest is held back.
func (r *Report) Answer() []string {
	var list []string
	add := func(sentences ...string) {
		list = append(list, slices.DeleteFunc(sentences, func(s string) bool { return s == "" })...)
	}
	about, withheld := r.AboutRecord()
	if add(about...); withheld {
		return list
	}
	fit := ""
	if r.Record != nil && about == nil {
		fit = r.Record.sentence(r)
	}
	if fit != "" && !r.Record.Explained {
		add(fit)
		fit = ""
	}
	if len(r.Groups) > 0 {
		add(r.Groups[0].powerAnswer(r)...)
		add(append(r.Groups[0].answer(r), r.Groups[0].leftOut(r))...)
	}
	add(fit)
	return list
}

// standings are the policies of a group but the first, by what is shown of their mean waits.
type standings struct {
	better, worse []*Policy // the greatest differences first
	open          []*Policy // no difference is shown
	same          []*Policy // every job waits as long
	apart         []*Policy // no job is placed by both
}

// standings sorts the policies.
func (g *Group) standings(r *Report) (s standings) {
	for k := 1; k < len(g.Policies); k++ {
		p := &g.Policies[k]
		switch d := p.Classes[0].WaitDifference; {
		case d == nil:
			s.apart = append(s.apart, p)
		case d.Greater+d.Less == 0 && p.LeftOut+g.Policies[0].LeftOut == 0:
			s.same = append(s.same, p)
		case d.Shown(r.Confidence) && d.Mean < 0:
			s.better = append(s.better, p)
		case d.Shown(r.Confidence):
			s.worse = append(s.worse, p)
		default:
			s.open = append(s.open, p)
		}
	}
	mean := func(p *Policy) float64 { return p.Classes[0].WaitDifference.Mean }
	slices.SortStableFunc(s.better, func(a, b *Policy) int { return cmp.Compare(mean(a), mean(b)) })
	slices.SortStableFunc(s.worse, func(a, b *Policy) int { return cmp.Compare(mean(b), mean(a)) })
	return s
}

// answer says what is shown of the policies of a group.
func (g *Group) answer(r *Report) []string {
	first := &g.Policies[0]
	name := r.short(first.Name)
	if len(g.Policies) == 1 {
		text := "Only " + name + " ran (" + g.Name() + "), so nothing is compared"
		if all := &first.Classes[0]; all.Wait != nil {
			text += ": its mean wait is " + r.time(all.Wait.Mean)
		}
		return []string{text + "."}
	}
	s := g.standings(r)
	var list []string
	say := func(format string, parts ...any) { list = append(list, fmt.Sprintf(format, parts...)) }
	better, worse := "be better", "be worse"
	if r.Power != nil { // where there are bills waits are not all
		better, worse = "have shorter waits", "have longer waits"
	}
	if len(s.better) > 0 {
		best := s.better[0]
		say("%s is shown to %s than %s: mean wait %s.", r.short(best.Name), better, name, r.change(best.Classes[0].WaitDifference))
		list = append(list, g.price(r, best)...)
		if more := s.better[1:]; len(more) > 0 {
			say("%s %s shown to %s too.", g.named(r, more), numtext.Word(len(more), "is", "are"), better)
		}
	} else if len(s.worse) > 0 && len(g.Policies) > 2 {
		say("No policy is shown to %s than %s.", better, name)
	}
	if len(s.worse) > 0 {
		if worst := s.worse[0]; len(s.worse) == 1 {
			say("%s is shown to %s than %s: mean wait %s.", r.short(worst.Name), worse, name, r.change(worst.Classes[0].WaitDifference))
		} else {
			say("%s are shown to %s than %s.", g.named(r, s.worse), worse, name)
		}
		if len(s.better) == 0 {
			list = append(list, g.price(r, s.worse[0])...)
		}
	}
	if len(s.open) > 0 {
		why := ""
		if g.Tests[kindAll] == 0 {
			why = fmt.Sprintf(": too few days for an interval (%s in blocks of %d; %d blocks with jobs are needed)", numtext.Counted(r.Days, "day"), r.Block, statistics.LeastBlocks)
		}
		if slices.ContainsFunc(s.open, func(p *Policy) bool { return p.Classes[0].WaitDifference.Sign() != 0 }) {
			why = ": among so many comparisons an interval that leaves 0 out may be chance"
		}
		say("No difference from %s in the mean wait is shown for %s%s.", name, g.named(r, s.open), why)
		longest := slices.MaxFunc(s.open, func(a, b *Policy) int { return cmp.Compare(a.Classes[0].Wait.Max, b.Classes[0].Wait.Max) })
		list = append(list, g.longest(r, longest, " under "+r.short(longest.Name)))
	}
	if len(s.same) > 0 {
		say("Under %s every job waits as long as under %s.", document.Listed(kit.Each(s.same, func(p *Policy) string { return r.short(p.Name) })), name)
	}
	if len(s.apart) > 0 {
		say("Nothing is known of %s: no job is placed by both it and %s.", document.Listed(kit.Each(s.apart, func(p *Policy) string { return r.short(p.Name) })), name)
	}
	return list
}

// named lists policies, each with its change.
func (g *Group) named(r *Report, policies []*Policy) string {
	names := kit.Each(policies[:min(mostNamed, len(policies))], func(p *Policy) string {
		return r.short(p.Name) + " (" + r.share(p.Classes[0].WaitDifference) + ")"
	})
	if more := len(policies) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return document.Listed(names)
}

// price says who pays for a policy, and whether the longest wait grows by more than half, which a mean hides.
func (g *Group) price(r *Report, p *Policy) []string {
	var list []string
	under := ""
	if len(g.Policies) > 2 {
		under = " under " + r.short(p.Name)
	}
	who, pay := "Who pays", "pay"
	if r.Power != nil { // nobody pays with money
		who, pay = "Who waits longer", "wait longer"
	}
	s := r.split(p)
	switch {
	case s.tested == 0:
		list = append(list, who+under+" is not known: no class of jobs has enough blocks of days.")
	case len(s.hurt) > 0:
		names := kit.Each(s.hurt[:min(mostNamed, len(s.hurt))], r.described)
		if more := len(s.hurt) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		list = append(list, who+under+": "+strings.Join(names, "; ")+".")
	default:
		text := fmt.Sprintf("Nobody is shown to %s%s: of %s tested none is shown to wait longer", pay, under, numtext.Counted(s.tested, "class", "classes"))
		if n := len(s.perhapsHurt); n > 0 {
			text += fmt.Sprintf(", %d perhaps", n)
		}
		if left := s.classes - s.tested; left > 0 {
			text += fmt.Sprintf("; %d could not be tested", left)
		}
		list = append(list, text+".")
	}
	return append(list, g.longest(r, p, under))
}

// longest says that the longest wait grows by more than half under a policy; empty: it does not.
func (g *Group) longest(r *Report, p *Policy, under string) string {
	const much = 1.5
	if a, b := g.Policies[0].Classes[0].Wait, p.Classes[0].Wait; a != nil && b != nil && b.Max > much*a.Max {
		return fmt.Sprintf("The longest wait%s grows from %s to %s.", under, r.time(a.Max), r.time(b.Max))
	}
	return ""
}

// leftOut says which policies leave jobs out, of whose waits nobody knows; empty: none does.
func (g *Group) leftOut(r *Report) string {
	var parts []string
	for k := range g.Policies {
		if p := &g.Policies[k]; p.LeftOut > 0 {
			parts = append(parts, fmt.Sprintf("%d under %s", p.LeftOut, r.short(p.Name)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if more := len(parts) - mostNamed; more > 0 {
		parts = append(parts[:mostNamed], fmt.Sprintf("some under %d more", more))
	}
	text := "Jobs without a place: " + document.Listed(parts) + ". Only jobs that both policies place are compared"
	if r.Power != nil {
		text += ", and no whole bills of policies that place other jobs"
	}
	return text + "."
}
