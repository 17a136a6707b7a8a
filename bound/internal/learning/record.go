package learning

import (
	"cmp"
	"slices"
)

// kind says from what a step of a proof follows.
type kind uint8

// The kinds of steps. In the comments jobs, pairs and times are the numbers A and B of a step; the end counts as a job.
const (
	Precedence kind = iota // job B waits for job A
	Pair                   // the order of the pair A
	Clause                 // the clause of item A
	Time                   // what resource A has at time B
)

// Step is a look at some bounds, from which others follow.
type Step struct {
	Kind kind
	A, B int32
}

// Literal says that the start of a job, of the end or of a pair is at least a value, or at most.
type Literal struct {
	Of, Value int32
	AtMost    bool
}

// Item is one part of a proof. If it has a clause its steps lead to a contradiction from the contrary of the clause. Otherwise they raise bounds that hold whatever is decided.
type Item struct {
	Number int32 // by which steps name its clause
	Clause []Literal
	Steps  []Step
}

// MostKept is a number of steps that may be kept: they take some hundreds of MB.
const MostKept = 1 << 24

// item is one part of all that was learned.
type item struct {
	clause []literal
	steps  []Step
	needs  []int32 // items before it
}

// alien is the item of a bound that another method has proved.
const alien = -1

// recorder keeps what proves the clauses and the bounds that hold without a decision.
type recorder struct {
	items    []item
	most     int             // steps that may be kept
	kept     int             // steps of the items
	full     bool            // too many: nothing more is kept
	clauses  []int32         // by clause: its item
	low      []int32         // by bound: its value without a decision
	roots    []int32         // by step of the trail without a decision: its item
	units    map[int32]int32 // by step without a cause: the item of its clause
	used     []usedStep      // what the present conflict has explained
	last     []Step          // what the conflict itself is, if it is no bound that was raised too far
	rootNeed []int32         // steps without a decision that the conflict needs
}

// usedStep is a step of a proof at its place in the trail.
type usedStep struct {
	at   int32
	step Step
}

// Keep keeps from now on what proves the bounds, in at most the given number of steps. What nothing needs any more is forgotten. If that does not help, later bounds are proved
// and nothing shows how. Call it before the first [Solver.Refute].
func (s *Solver) Keep(most int) { s.record = &recorder{most: most, units: map[int32]int32{}} }

// stepOf is the step of a proof that has raised the bound.
func (r *recorder) stepOf(s *Solver, of int32, why cause) Step {
	switch why.kind {
	case byDecision: // of a clause of one literal, where all makespans are refuted: nobody asks how
		return Step{Clause, alien, 0}
	case byPrecedence:
		from, to := why.a/2, of/2
		if of%2 == 1 {
			from, to = to, from
		}
		return Step{Precedence, from, to}
	case byPair:
		return Step{Pair, why.a, 0}
	case byOrder:
		return Step{Pair, of/2 - int32(s.end) - 1, 0}
	case byResource:
		return Step{Time, why.a, why.b}
	}
	return Step{Clause, r.clauses[why.a], 0}
}

// explained notes that a conflict uses step k of the trail, for which the reasons were given.
func (r *recorder) explained(s *Solver, reasons []literal, k int32) {
	e := &s.trail[k]
	r.used = append(r.used, usedStep{k, r.stepOf(s, e.of, e.why)})
	r.rootNeed = s.rootsOf(r.rootNeed, reasons, k)
	if e.why.kind == byResource {
		r.sureHolders(s, e.why.a, e.why.b)
	}
}

// sureHolders notes the steps without a decision by which jobs hold the resource at the time without any: reasons leave these jobs out.
func (r *recorder) sureHolders(s *Solver, resource, t int32) {
	if len(r.low) == 0 {
		return // before the first decision a conflict proves nothing
	}
	for _, u := range s.resources[resource].uses {
		j := int32(u.Job)
		if from, until := (literal{2 * j, t + 1 - s.lengths[j]}), (literal{2*j + 1, -t}); r.low[from.of] >= from.least && r.low[until.of] >= until.least {
			for _, l := range []literal{from, until} {
				if k := s.rootOf(l); k >= 0 {
					r.rootNeed = append(r.rootNeed, k)
				}
			}
		}
	}
}

// rootsOf appends the steps without a decision that make literals true.
func (s *Solver) rootsOf(out []int32, literals []literal, before int32) []int32 {
	for _, l := range literals {
		if s.stepOf(l, before) >= 0 {
			continue
		}
		if k := s.rootOf(l); k >= 0 {
			out = append(out, k)
		}
	}
	return out
}

// rootOf is the step without a decision at which a literal became true that holds without one; −1: it holds from the beginning.
func (s *Solver) rootOf(l literal) int32 {
	k := s.last[l.of]
	for k >= 0 && (s.trail[k].level > 0 || s.trail[k].before >= l.least) {
		k = s.trail[k].previous
	}
	return k
}

// rootHolders appends the steps before the given one, which is without a decision too, by which jobs hold the resource at the time.
func (s *Solver) rootHolders(out []int32, resource, t, before int32) []int32 {
	for _, u := range s.resources[resource].uses {
		j := int32(u.Job)
		from, until := literal{2 * j, t + 1 - s.lengths[j]}, literal{2*j + 1, -t}
		if s.at(from.of, before) >= from.least && s.at(until.of, before) >= until.least {
			out = s.rootsOf(out, []literal{from, until}, before)
		}
	}
	return out
}

// overfull notes that the conflict is a resource held beyond its capacity.
func (r *recorder) overfull(s *Solver, resource, t int32) {
	r.last = append(r.last, Step{Time, resource, t})
	r.sureHolders(s, resource, t)
}

// violated notes that the conflict is a clause without a literal that can hold.
func (r *recorder) violated(clause int32) {
	r.last = append(r.last, Step{Clause, r.clauses[clause], 0})
}

// learned makes an item of the clause that was learned from the conflict.
func (r *recorder) learned(s *Solver) int32 {
	slices.SortStableFunc(r.used, func(a, b usedStep) int { return cmp.Compare(a.at, b.at) })
	out := item{clause: slices.Clone(s.learned)}
	at := int32(-1)
	for _, u := range r.used {
		if u.at != at {
			out.steps = append(out.steps, u.step)
		}
		at = u.at
	}
	out.steps = append(out.steps, r.last...)
	for _, k := range r.rootNeed {
		out.needs = append(out.needs, r.roots[k])
	}
	r.used, r.last, r.rootNeed = r.used[:0], r.last[:0], r.rootNeed[:0]
	return r.add(out)
}

// add keeps an item. Of the items that it needs, those of its steps are added.
func (r *recorder) add(out item) int32 {
	for _, step := range out.steps {
		if step.Kind == Clause {
			out.needs = append(out.needs, step.A)
		}
	}
	slices.Sort(out.needs)
	out.needs = slices.Compact(out.needs)
	if r.full {
		out = item{}
	}
	r.kept += len(out.steps)
	r.items = append(r.items, out)
	return int32(len(r.items) - 1)
}

// own says which item is that of a clause.
func (r *recorder) own(clause, item int32) {
	for int(clause) >= len(r.clauses) {
		r.clauses = append(r.clauses, 0)
	}
	r.clauses[clause] = item
}

// root makes items of the steps that hold without a decision. Call it before a clause is deleted.
func (r *recorder) root(s *Solver) {
	end := len(s.trail)
	if len(s.levels) > 0 {
		end = int(s.levels[0])
	}
	for k := int32(len(r.roots)); int(k) < end; k++ {
		e, needs := &s.trail[k], []int32(nil)
		if e.why.kind == byDecision {
			if of, unit := r.units[k]; unit {
				r.roots = append(r.roots, r.add(item{steps: []Step{{Clause, of, 0}}}))
			} else {
				r.roots = append(r.roots, alien) // or it holds from the beginning
			}
			continue
		}
		switch e.why.kind {
		case byPrecedence:
			needs = s.rootsOf(needs, []literal{{e.why.a, e.now - e.why.b}}, k)
		case byClause:
			for _, l := range s.clauses[e.why.a].literals {
				if l.of != e.of {
					needs = s.rootsOf(needs, []literal{l.negated()}, k)
				}
			}
		case byResource:
			needs = s.rootsOf(s.rootHolders(needs, e.why.a, e.why.b, k), []literal{{e.of, e.before}}, k)
		case byOrder:
			for _, of := range []int32{2 * e.why.a, 2*e.why.b + 1} {
				needs = s.rootsOf(needs, []literal{{of, s.at(of, k)}}, k)
			}
		case byPair:
			p, order := s.pairs[e.why.a], 2*(int32(s.end)+1+e.why.a)
			for _, of := range []int32{order, order + 1, 2 * p.a, 2*p.a + 1, 2 * p.b, 2*p.b + 1} {
				needs = s.rootsOf(needs, []literal{{of, s.at(of, k)}}, k)
			}
		}
		for i := range needs {
			needs[i] = r.roots[needs[i]]
		}
		r.roots = append(r.roots, r.add(item{steps: []Step{r.stepOf(s, e.of, e.why)}, needs: needs}))
	}
	r.low = r.low[:0]
	for of := range s.low {
		r.low = append(r.low, s.at(int32(of), int32(end)))
	}
	if r.kept > r.most {
		r.forget(s)
	}
}

// forget drops what no clause that is left and no bound that holds needs. If that is not much, nothing more is kept.
func (r *recorder) forget(s *Solver) {
	from := slices.Clone(r.roots)
	for k := range s.clauses {
		if s.clauses[k].literals != nil {
			from = append(from, r.clauses[k])
		}
	}
	needed := r.needed(from)
	r.kept = 0
	for k := range r.items {
		if !needed[k] {
			r.items[k] = item{}
		}
		r.kept += len(r.items[k].steps)
	}
	r.full = r.kept > r.most/2
}

// needed says of each item whether one of the given needs it.
func (r *recorder) needed(from []int32) []bool {
	needed := make([]bool, len(r.items))
	for _, k := range from {
		if k != alien {
			needed[k] = true
		}
	}
	for k := len(needed) - 1; k >= 0; k-- {
		for _, of := range r.items[k].needs {
			if needed[k] && of != alien {
				needed[of] = true
			}
		}
	}
	return needed
}

// Proof returns a function that returns what proves that no makespan below [Solver.Least] is possible, as it is now: items in their order, after the last of which the end is that late. The function returns
// nil if that is not known, because another method has proved a part of it or because it is too long.
func (s *Solver) Proof() func() []Item {
	r := s.record
	r.root(s)
	least := literal{int32(2 * s.end), s.Least()}
	at := s.rootOf(least)
	if at < 0 {
		return func() []Item { return []Item{} } // a path of jobs
	}
	target := r.roots[at]
	if target == alien || r.full {
		return func() []Item { return nil }
	}
	return func() []Item { return r.proof(target) }
}

func (r *recorder) proof(target int32) []Item {
	needed := r.needed([]int32{target})
	list := []Item{}
	for k := range needed[:target+1] {
		from := &r.items[k]
		if !needed[k] {
			continue
		}
		if len(from.steps) == 0 || slices.Contains(from.needs, alien) {
			return nil
		}
		out := Item{Number: int32(k), Steps: from.steps}
		for _, l := range from.clause {
			literal := Literal{l.of / 2, l.least, false}
			if l.of%2 == 1 {
				literal.Value, literal.AtMost = -l.least, true
			}
			out.Clause = append(out.Clause, literal)
		}
		list = append(list, out)
	}
	return list
}

// PairOf returns the jobs of a pair.
func (s *Solver) PairOf(k int32) (a, b int) { return int(s.pairs[k].a), int(s.pairs[k].b) }
