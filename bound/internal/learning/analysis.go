package learning

import "slices"

// analysis is the working memory of learn.
type analysis struct {
	needed  []int32 // by step: the value that the conflict needs of its bound
	seen    []bool  // by step
	marked  []int32 // the steps seen
	lower   []int32 // of these, the steps of lower levels
	open    int     // steps of the current level that are still to be explained; at the end one is left, which stays
	reasons []literal
	holding []holder
	learned []literal
	deep    []int32 // levels of the learned literals
}

// learn turns the conflict into a clause, goes back to the level at which the clause forces a bound, and forces it. It returns false if the
// conflict holds without any decision.
//
// It replaces literals of the last level by their causes until only one is left, the first unique implication point.
func (s *Solver) learn() bool {
	s.Stats.Conflicts++
	for len(s.needed) < len(s.trail) {
		s.needed, s.seen = append(s.needed, 0), append(s.seen, false)
	}
	if s.record != nil {
		s.record.rootNeed = s.rootsOf(s.record.rootNeed, s.conflict, int32(len(s.trail)))
	}
	deepest := int32(0)
	for _, l := range s.conflict {
		if k := s.stepOf(l, int32(len(s.trail))); k >= 0 {
			deepest = max(deepest, s.trail[k].level)
		}
	}
	if deepest == 0 {
		return false
	}
	s.back(int(deepest))
	if s.audit != nil {
		s.audit.contradicts(s, s.conflict)
	}
	s.marked, s.lower, s.open = s.marked[:0], s.lower[:0], 0
	s.mark(s.conflict, int32(len(s.trail)))
	k := int32(len(s.trail)) - 1
	for ; ; k-- {
		if !s.seen[k] {
			continue
		}
		if s.open == 1 && (len(s.levels) > 1 || s.trail[k].why.kind == byDecision) { // at level 1 go on to the makespan that was assumed
			break
		}
		s.open--
		s.reasons = s.explain(s.reasons[:0], k, s.needed[k])
		s.mark(s.reasons, k)
	}
	first := literal{s.trail[k].of, s.needed[k]}
	level, levels := s.assemble(first)
	for _, k := range s.marked {
		s.seen[k] = false
	}
	if s.audit != nil {
		s.audit.learned(s, s.learned)
	}
	s.decay()
	of := int32(0)
	if s.record != nil {
		of = s.record.learned(s)
	}
	s.back(int(level))
	if len(s.learned) == 1 {
		at, ok := len(s.trail), s.raise(s.learned[0], cause{})
		if s.record != nil && at < len(s.trail) {
			s.record.units[int32(at)] = of
		}
		return ok || s.learn()
	}
	c := s.add(s.learned, levels)
	if s.record != nil {
		s.record.own(c, of)
	}
	return s.raise(s.learned[0], cause{byClause, c, 0}) || s.learn()
}

// mark notes that the conflict needs the literals, which held before the step.
func (s *Solver) mark(literals []literal, before int32) {
	current := int32(len(s.levels))
	for _, l := range literals {
		k := s.stepOf(l, before)
		if k < 0 {
			continue
		}
		s.work++
		if s.trail[k].now < l.least {
			s.failed = true // the literal did not hold: a bug, after which nothing is to be believed
		}
		s.bump(l)
		if s.seen[k] {
			s.needed[k] = max(s.needed[k], l.least)
			continue
		}
		s.seen[k], s.needed[k] = true, l.least
		s.marked = append(s.marked, k)
		if s.trail[k].level == current {
			s.open++
		} else {
			s.lower = append(s.lower, k)
		}
	}
}

// assemble makes the clause that says: the literal first does not hold, or one of the lower literals does not. The second literal of the clause is
// one of the highest level. It returns that level and the number of levels.
func (s *Solver) assemble(first literal) (level, levels int32) {
	kept := s.lower[:0]
	slices.Sort(s.lower)
	for _, k := range s.lower {
		if s.trail[k].why.kind == byDecision || !s.follows(k, s.needed[k], causesDeep) {
			kept = append(kept, k)
		}
	}
	s.lower = kept
	s.learned = append(s.learned[:0], first.negated())
	s.deep = s.deep[:0]
	strongest := map[int32]bool{first.of: true}
	for i := len(kept) - 1; i >= 0; i-- { // of two literals of one bound the later one says more
		e := &s.trail[kept[i]]
		if strongest[e.of] {
			continue
		}
		strongest[e.of] = true
		s.learned = append(s.learned, literal{e.of, s.needed[kept[i]]}.negated())
		s.deep = append(s.deep, e.level)
		if e.level > level {
			level = e.level
			last := len(s.learned) - 1
			s.learned[1], s.learned[last] = s.learned[last], s.learned[1]
		}
	}
	slices.Sort(s.deep)
	return level, int32(len(slices.Compact(s.deep)) + 1)
}

// causesDeep is how many causes deep assemble looks to find that a literal follows from others.
const causesDeep = 3

// follows says whether the literal of the step follows from literals that the conflict needs anyway, of earlier steps of lower levels.
func (s *Solver) follows(k, least int32, depth int) bool {
	reasons := s.explain(nil, k, least)
	for _, l := range reasons {
		at := s.stepOf(l, k)
		if at < 0 || s.seen[at] && s.trail[at].level < int32(len(s.levels)) && s.needed[at] >= l.least {
			continue
		}
		if depth == 0 || s.trail[at].why.kind == byDecision || !s.follows(at, l.least, depth-1) {
			return false
		}
	}
	return true
}
