package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// duel compares the results of a solver with those of another, the first, on the instances on which all solvers of an outcome ran.
type duel struct {
	solver, first        string
	ratio                statistics.PairedRatio // of the objectives, solver/first
	failed               int                    // of the instances, those where a run of one of the two has no schedule
	unlike               int                    // those where one of the two owes more jobs than the other: their objectives are of different jobs
	nothing              int                    // those where one objective is 0 or below, so that there is no ratio
	better, equal, worse int                    // instances, or pairs of runs if there is one instance
	empty                string                 // the one of the two that has no result on any of the instances; empty: both have some
	sign                 int                    // −1: shown to be better, 1: to be worse, by the test that decides; 0: no difference is shown
}

// duels are the comparisons of the other solvers with the first, by ratio, where those with fewer failures come first; equal ones keep the order of the names given. They
// are nil if the first takes no part in the tests.
func (g *group) duels(first string, order []string) []duel {
	if g.test == nil || !slices.Contains(g.test.solvers, first) {
		return nil
	}
	var list []duel
	for _, name := range order {
		if name != first && slices.Contains(g.test.solvers, name) {
			list = append(list, g.duel(name, first))
		}
	}
	slices.SortStableFunc(list, func(a, b duel) int {
		return cmp.Or(cmp.Compare(a.failed+a.unlike, b.failed+b.unlike), compareLast(a.ratio.Estimate, b.ratio.Estimate))
	})
	return list
}

// duel compares two solvers of the test.
func (g *group) duel(name, first string) duel {
	o := g.test
	d := duel{solver: name, first: first}
	var mine, theirs []float64
	results := map[string]int{}
	for _, p := range o.cases {
		a, b := p.result(first), p.result(name)
		for solver, r := range map[string]tables.Result{first: a, name: b} { // in any order: each is counted alone
			if !math.IsNaN(r.Objective) {
				results[solver]++
			}
		}
		switch {
		case math.IsNaN(a.Objective) || math.IsNaN(b.Objective):
			d.failed++
		case math.Abs(a.Left-b.Left) > model.Tolerance:
			d.unlike++
		default:
			theirs, mine = append(theirs, a.Objective), append(mine, likened(a, b))
		}
	}
	if results[first] == 0 {
		d.empty = first
	} else if results[name] == 0 {
		d.empty = name
	}
	d.ratio.Estimate, d.ratio.High = math.NaN(), math.Inf(1)
	if len(mine) > 0 {
		if ratio, err := statistics.RatioOfPairs(theirs, mine, confidence); err == nil {
			d.ratio = ratio
		}
	}
	d.nothing = d.ratio.Nothing
	at, other := slices.Index(o.solvers, name), slices.Index(o.solvers, first)
	if q := o.between(at, other); q != nil {
		d.better, d.equal, d.worse = q.better, q.equal, q.worse
		if q.a != at {
			d.better, d.worse = q.worse, q.better
		}
	}
	switch {
	case g.beats(name, first):
		d.sign = -1
	case g.beats(first, name):
		d.sign = 1
	}
	return d
}

// perhaps says whether the interval of the ratio excludes 1, though the test that decides shows no difference.
func (d *duel) perhaps() bool {
	return d.sign == 0 && d.ratio.HasInterval() && (d.ratio.Low > 1 || d.ratio.High < 1)
}

// likened is the objective of b, or that of a if the two differ by rounding only.
func likened(a, b tables.Result) float64 {
	if a.Better(b) || b.Better(a) {
		return b.Objective
	}
	return a.Objective
}

// ratioText writes a ratio with its interval, as 0.93 [0.90, 0.97], with as many decimals as the interval is worth; a dash: there is none.
func ratioText(r *statistics.PairedRatio) string {
	if math.IsNaN(r.Estimate) {
		return document.Missing
	}
	decimals, width := 2, math.Inf(1)
	if r.HasInterval() {
		width = r.High - r.Low
	}
	for decimals < 4 && (r.Estimate < math.Pow10(1-decimals) || width > 0 && width < 4*math.Pow10(-decimals) || r.Estimate != 1 && math.Abs(r.Estimate-1) < 2*math.Pow10(-decimals)) {
		decimals++
	}
	write := func(x float64) string {
		if math.IsInf(x, 1) {
			return "∞"
		}
		if x >= 1000 || x > 0 && x < 0.001 {
			return document.Rounded(x, 3)
		}
		return strconv.FormatFloat(x, 'f', decimals, 64)
	}
	if !r.HasInterval() {
		return write(r.Estimate)
	}
	return write(r.Estimate) + " [" + write(r.Low) + ", " + write(r.High) + "]"
}

// remarks say which instances the ratio leaves out, and why.
func (d *duel) remarks() []string {
	var list []string
	for _, part := range []struct {
		n   int
		why string
	}{{d.failed, "without a schedule"}, {d.unlike, "with fewer jobs placed by one of the two"}, {d.nothing, "with an objective of 0 or below"}} {
		if part.n > 0 {
			list = append(list, strconv.Itoa(part.n)+" "+part.why)
		}
	}
	return list
}

// nameEmpty names those who have no schedule of any instance.
func (s *sentence) nameEmpty(duels []duel) {
	var names []string
	for _, d := range duels {
		if d.empty != "" && !slices.Contains(names, d.empty) {
			names = append(names, d.empty)
		}
	}
	s.name(names...)
	s.say(numtext.Word(len(names), " has", " have") + " no schedule of any instance.")
}

// against says how the first solver compares with each of the others, in one sentence or two.
func (o *outcome) against(duels []duel) sentence {
	var s sentence
	if len(duels) == 0 {
		return s
	}
	n := numtext.CountedGrouped(len(o.cases), "instance")
	if rest := kit.That(duels, func(d duel) bool { return d.empty == "" }); len(rest) < len(duels) { // what has no schedule at all needs no test
		s.nameEmpty(duels)
		if more := o.against(rest); more != nil {
			s.say(" ")
			s = append(s, more...)
		}
		return s
	}
	if o.seeds && o.decision == tooFew {
		s.say("One instance shows no difference between solvers: no interval, no test.")
		return s
	}
	by := ""
	if test := o.test(); test != "" {
		by = " (95 %; " + test + ")"
	}
	if len(duels) == 1 {
		duels[0].say(&s, o, n, by)
		return s
	}
	var better, worse, open, perhaps []string
	for k := range duels {
		switch d := &duels[k]; {
		case d.sign < 0:
			better = append(better, d.solver)
		case d.sign > 0:
			worse = append(worse, d.solver)
		case d.perhaps():
			perhaps = append(perhaps, d.solver)
		default:
			open = append(open, d.solver)
		}
	}
	first := duels[0].first
	if o.decision == tooFew {
		s.say("Too few " + o.sample() + " to tell any solver from ")
		s.name(first)
		s.say(": no difference is shown.")
		open = nil
	}
	for _, part := range []struct {
		names []string
		text  string
	}{{better, " better than "}, {worse, " worse than "}} {
		if part.names != nil {
			s.name(part.names...)
			s.say(numtext.Word(len(part.names), " is", " are") + part.text)
			s.name(first)
			s.say(", shown" + by + ". ")
			by = ""
		}
	}
	if open != nil {
		s.say("No difference from ")
		s.name(first)
		s.say(" is shown for ")
		s.name(open...)
		s.say(". ")
	}
	if perhaps != nil {
		s.say(" Perhaps ")
		s.name(perhaps...)
		s.say(numtext.Word(len(perhaps), " differs", " differ") + " from ")
		s.name(first)
		s.say(": " + numtext.Word(len(perhaps), "its interval excludes", "their intervals exclude") + " 1, but among all comparisons made here that is not shown" + by + ".")
	}
	for _, d := range duels {
		d.contradict(&s)
	}
	return s
}

// say says how the only two solvers compare.
func (d *duel) say(s *sentence, o *outcome, n, by string) {
	if d.better+d.worse == 0 && d.equal > 0 {
		s.name(d.solver, d.first)
		s.say(" have equal results on all " + n + ".")
		return
	}
	s.name(d.solver)
	word, count, other, inverse := " is better than ", d.better, d.worse, "worse"
	if d.sign > 0 || d.sign == 0 && d.worse > d.better {
		word, count, other, inverse = " is worse than ", d.worse, d.better, "better"
	}
	s.say(word)
	s.name(d.first)
	what := n
	if o.seeds {
		what = numtext.CountedGrouped(d.better+d.equal+d.worse, "pair") + " of runs on one instance"
	}
	s.say(" on " + document.Whole(count) + " of " + what + " and " + inverse + " on " + document.Whole(other))
	switch {
	case d.sign != 0:
		s.say(": shown" + by + ".")
	case o.decision == tooFew:
		s.say(": too few " + o.sample() + " to tell, no difference is shown.")
	default:
		s.say(": no difference is shown" + by + ".")
	}
	if d.perhaps() {
		s.say(" The interval of the ratio excludes 1, so perhaps there is one.")
	}
	d.contradict(s)
}

// contradict says so where the ratio and the test point in different directions.
func (d *duel) contradict(s *sentence) {
	if d.sign != 0 && float64(d.sign)*(d.ratio.Estimate-1) < 0 {
		s.say(" Yet the mean ratio of ")
		s.name(d.solver)
		s.say(" is " + ratioText(&d.ratio) + ": a few large differences point the other way.")
	}
}
