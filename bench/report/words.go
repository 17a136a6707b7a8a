package report

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
)

// piece is a part of a sentence; names of solvers are strong.
type piece struct {
	Text     string
	IsStrong bool
}

// sentence is pieces of text.
type sentence []piece

// say adds text.
func (s *sentence) say(text string) { *s = append(*s, piece{Text: text}) }

// name adds names as in a list.
func (s *sentence) name(names ...string) {
	for k, name := range names {
		switch {
		case k > 0 && k == len(names)-1:
			s.say(" and ")
		case k > 0:
			s.say(", ")
		}
		*s = append(*s, piece{document.Printable(name), true})
	}
}

// sizeOf is an effect in a word.
func sizeOf(effect float64) string {
	if math.IsNaN(effect) {
		return document.Missing
	}
	return string(statistics.MagnitudeOf(effect))
}

// words are what the tests say, in sentences for who has ten seconds.
func (o *outcome) words() sentence {
	var s sentence
	if o == nil {
		s.say("There are no two solvers that ran on the same instances, so there is nothing to compare.")
		return s
	}
	order := o.order()
	first := []string{}
	for _, k := range order {
		if o.mean[k] == o.mean[order[0]] {
			first = append(first, o.solvers[k])
		}
	}
	on := " over " + numtext.CountedGrouped(len(o.cases), "instance")
	if o.seeds {
		on = " on the only instance"
	}
	switch {
	case len(first) == len(o.solvers):
		s.say("All solvers have the same mean rank" + on + ". ")
	case len(first) > 1:
		s.name(first...)
		s.say(" share the best mean rank, " + document.Rounded(o.mean[order[0]], 3) + " of " + document.Whole(len(o.solvers)) + on + ". ")
	default:
		s.name(first...)
		s.say(" has the best mean rank, " + document.Rounded(o.mean[order[0]], 3) + " among " + numtext.CountedGrouped(len(o.solvers), "solver") + on + ". ")
	}
	o.sayTests(&s, order)
	return s
}

// hasSchedule says whether one of the runs that are compared made a schedule.
func (o *outcome) hasSchedule() bool {
	return slices.ContainsFunc(o.cases, func(p *problem) bool {
		return slices.ContainsFunc(o.solvers, func(name string) bool {
			return slices.ContainsFunc(p.cells[name], func(row *bench.Row) bool { return !math.IsNaN(objective(row)) })
		})
	})
}

// sayTests adds which solvers differ, and by which test.
func (o *outcome) sayTests(s *sentence, order []int) {
	if !slices.ContainsFunc(o.pairs, func(q pair) bool { return q.better+q.worse > 0 }) && len(o.pairs) > 0 {
		if o.hasSchedule() {
			s.say("Their results are equal on all " + o.sample() + ".")
		} else {
			s.say("None of them has a schedule of any instance.")
		}
		return
	}
	switch o.decision {
	case tooFew:
		s.say("There are too few " + o.sample() + " to tell solvers apart: with " + o.samples() + " no test could show a difference, however large.")
		return
	case noDifference:
		s.say("Friedman’s test shows no difference among them (p " + related(o.ranks.PF) + ").")
		return
	}
	if o.ranks != nil && len(o.solvers) > 2 {
		s.say("The solvers differ (Friedman’s p " + related(o.ranks.PF) + ", concordance " + document.Rounded(o.ranks.W, 2) + "). ")
	}
	worse, better, open := o.beside(order)
	lead, how := o.solvers[order[0]], " ("+o.test()+", α = 5 %)."
	switch {
	case len(worse) == 0:
		s.say("No other solver is shown to be worse than ")
		s.name(lead)
	case len(open)+len(better) == 0:
		s.say("It is significantly better than ")
		if len(worse) == 1 {
			s.name(worse...)
		} else {
			s.say("each of the others")
		}
	case len(worse) <= len(open)+len(better):
		s.name(lead)
		s.say(" is significantly better than ")
		s.name(worse...)
		s.say("; of the others none is shown to be worse")
	default:
		s.name(lead)
		s.say(" is significantly better than each of the others but ")
		s.name(slices.Concat(open, better)...)
		if len(better) == 0 {
			s.say(", from which no difference is shown")
		}
	}
	s.say(how)
	if len(better) > 0 { // ranks count how often, signed ranks by how much
		s.say(" Though of a worse mean rank, ")
		s.name(better...)
		s.say(numtext.Word(len(better), " is", " are") + " significantly better than ")
		s.name(lead)
		s.say(".")
	}
}

// beside sorts the other solvers by the test that decides: significantly worse than the one of the best mean rank, better, or neither.
func (o *outcome) beside(order []int) (worse, better, open []string) {
	for _, other := range order[1:] {
		name := o.solvers[other]
		q := o.between(order[0], other)
		switch {
		case !o.differ(order[0], other):
			open = append(open, name)
		case o.decision == byMeanRanks || q.a == order[0] && q.effect <= 0 || q.a == other && q.effect > 0:
			worse = append(worse, name)
		default:
			better = append(better, name)
		}
	}
	return worse, better, open
}

// related is a p-value with its relation.
func related(p float64) string {
	if text := probability(p); text[0] == '<' {
		return "< " + text[1:]
	}
	return "= " + probability(p)
}

// samples says how many there are.
func (o *outcome) samples() string {
	text := numtext.CountedGrouped(len(o.cases), "instance")
	if o.seeds {
		text = "so few runs on one instance"
	}
	if n := len(o.pairs); n > 1 {
		text += " and " + document.Whole(n) + " comparisons"
	}
	return text
}
