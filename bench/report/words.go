package report

import (
	"math"

	"github.com/allot-opt/allot/bench/statistics"
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
		*s = append(*s, piece{printable(name), true})
	}
}

// verdict is the comparison in a word.
func (q *pair) verdict() string {
	switch {
	case !(q.adjusted <= alpha):
		return "no difference shown"
	case q.effect <= 0:
		return "better"
	}
	return "worse"
}

// sizeOf is an effect in a word.
func sizeOf(effect float64) string {
	if math.IsNaN(effect) {
		return missing
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
	on := " over " + counted(len(o.cases), "instance")
	if o.seeds {
		on = " on the only instance"
	}
	switch {
	case len(first) == len(o.solvers):
		s.say("All solvers have the same mean rank" + on + ". ")
	case len(first) > 1:
		s.name(first...)
		s.say(" share the best mean rank, " + figure(o.mean[order[0]], 3) + " of " + whole(len(o.solvers)) + on + ". ")
	default:
		s.name(first...)
		s.say(" has the best mean rank, " + figure(o.mean[order[0]], 3) + " among " + counted(len(o.solvers), "solver") + on + ". ")
	}
	o.sayTests(&s, order)
	return s
}

// sayTests adds what is significant.
func (o *outcome) sayTests(s *sentence, order []int) {
	k := len(o.solvers)
	if o.ranks != nil && k > 2 {
		if o.ranks.PF > alpha {
			s.say("Friedman's test shows no difference among them (p = " + probability(o.ranks.PF) + ").")
			return
		}
		s.say("The solvers differ (Friedman p " + related(o.ranks.PF) + ", concordance " + figure(o.ranks.W, 2) + "). ")
	}
	beaten, open, test := o.beaten(order)
	switch lead := o.solvers[order[0]]; {
	case len(beaten) == 0:
		s.say("No other solver is shown to be worse than ")
		s.name(lead)
		s.say(" (" + test + ", α = 5 %).")
	case len(open) == 0:
		s.say("It is significantly better than ")
		if len(beaten) == 1 {
			s.name(beaten...)
		} else {
			s.say("each of the others")
		}
		s.say(" (" + test + ", α = 5 %).")
	case len(beaten) <= len(open):
		s.name(lead)
		s.say(" is significantly better than ")
		s.name(beaten...)
		s.say("; of the others none is shown to be worse (" + test + ", α = 5 %).")
	default:
		s.name(lead)
		s.say(" is significantly better than each of the others but ")
		s.name(open...)
		s.say(", from which no difference is shown (" + test + ", α = 5 %).")
	}
	if len(open) > 0 && o.isHopeless() {
		s.say(" So few samples could not show a difference of a pair, however large: " + o.samples() + " and " + counted(len(o.pairs), "comparison") + ".")
	}
}

// beaten are the solvers that are significantly worse than the first, those that are not shown to be, and by which test. Where there are too
// few instances for pairs, mean ranks may still tell.
func (o *outcome) beaten(order []int) (beaten, open []string, test string) {
	byRanks := o.ranks != nil && len(o.solvers) > 2 && o.isHopeless() && !math.IsNaN(o.critical)
	switch {
	case byRanks:
		test = "Nemenyi’s critical difference of mean ranks"
	case o.seeds:
		test = "Mann and Whitney’s rank sums over the runs, with Holm’s correction"
	default:
		test = "Wilcoxon’s signed ranks with Holm’s correction"
	}
	for _, other := range order[1:] {
		q, significant := o.between(order[0], other)
		isWorse := q != nil && significant && q.verdict() == "better"
		if byRanks {
			isWorse = o.mean[other]-o.mean[order[0]] >= o.critical
		}
		if isWorse {
			beaten = append(beaten, o.solvers[other])
		} else {
			open = append(open, o.solvers[other])
		}
	}
	return beaten, open, test
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
	if o.seeds {
		return "one instance with few runs"
	}
	return counted(len(o.cases), "instance")
}

// isHopeless says that no pair of solvers could differ significantly with so few samples.
func (o *outcome) isHopeless() bool {
	able, least := 0.0, 1.0
	for _, q := range o.pairs {
		if q.least <= alpha {
			able, least = able+1, min(least, q.least)
		}
	}
	return least*able > alpha || able == 0
}
