package learning

import (
	"cmp"
	"slices"
)

// clause is a disjunction of literals. The first two are watched.
type clause struct {
	literals []literal
	levels   int32 // number of decision levels of its literals when it was learned; the fewer, the better the clause
	activity float32
}

// watch says that a clause has to be looked at when a bound reaches the value least, because then one of its literals is false.
type watch struct{ least, clause int32 }

// add keeps a learned clause of at least two literals and watches it.
func (s *Solver) add(literals []literal, levels int32) int32 {
	var k int32
	if n := len(s.free); n > 0 {
		k = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		k = int32(len(s.clauses))
		s.clauses = append(s.clauses, clause{})
	}
	s.clauses[k] = clause{literals: slices.Clone(literals), levels: levels, activity: s.clauseStep}
	s.watch(literals[0], k)
	s.watch(literals[1], k)
	return k
}

// watch looks at the clause when the literal becomes false.
func (s *Solver) watch(l literal, k int32) {
	no := l.negated()
	s.watches[no.of] = append(s.watches[no.of], watch{no.least, k})
}

// visit looks at the clauses that have a watched literal which the step makes false. It returns false at a conflict.
func (s *Solver) visit(e step) bool {
	list := s.watches[e.of]
	kept := 0
	s.work += int64(len(list) / 8)
	for i, w := range list {
		if w.least <= e.before || w.least > e.now {
			list[kept] = w
			kept++
			continue
		}
		keep, ok := s.look(w, literal{e.of, w.least}.negated())
		if keep {
			list[kept] = w
			kept++
		}
		if !ok {
			kept += copy(list[kept:], list[i+1:])
			s.watches[e.of] = list[:kept]
			return false
		}
	}
	s.watches[e.of] = list[:kept]
	return true
}

// look finds another literal of the clause to watch in place of the false one. If only one literal is left, it raises the bound of that one. It
// returns whether the watch stays, and ok is false at a conflict.
func (s *Solver) look(w watch, no literal) (keep, ok bool) {
	literals := s.clauses[w.clause].literals
	s.work++
	if literals[0] == no {
		literals[0], literals[1] = literals[1], literals[0]
	}
	if s.isTrue(literals[0]) {
		return true, true
	}
	for k := 2; k < len(literals); k++ {
		if !s.isFalse(literals[k]) {
			literals[1], literals[k] = literals[k], literals[1]
			s.watch(literals[1], w.clause)
			return false, true
		}
	}
	if s.isFalse(literals[0]) {
		s.conflict = s.conflict[:0]
		for _, l := range literals {
			s.conflict = append(s.conflict, l.negated())
		}
		if s.record != nil {
			s.record.violated(w.clause)
		}
		s.bumpClause(w.clause)
		return true, false
	}
	return true, s.raise(literals[0], cause{byClause, w.clause, 0})
}

// reduce deletes half of the learned clauses: those of many levels and little use. Call it when no level is open, so that no clause is a cause.
func (s *Solver) reduce() {
	const fewLevels = 2 // clauses of at most this many levels stay
	var order []int32
	for k := range s.clauses {
		if c := &s.clauses[k]; c.literals != nil && c.levels > fewLevels {
			order = append(order, int32(k))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.clauses[a].activity, s.clauses[b].activity), cmp.Compare(s.clauses[b].levels, s.clauses[a].levels), cmp.Compare(a, b))
	})
	for _, k := range order[:len(order)/2] {
		s.remove(k)
	}
	s.sweep()
	s.reduceAt += 500
}

// remove deletes a clause. The next sweep deletes its watches.
func (s *Solver) remove(k int32) {
	s.clauses[k].literals = nil
	s.free = append(s.free, k)
	s.Stats.Deleted++
}

// sweep drops the watches of deleted clauses.
func (s *Solver) sweep() {
	for b := range s.watches {
		s.watches[b] = slices.DeleteFunc(s.watches[b], func(w watch) bool { return s.clauses[w.clause].literals == nil })
	}
}

// clean deletes the clauses that hold whatever is decided. Call it when no level is open.
func (s *Solver) clean() {
	removed := false
	for k := range s.clauses {
		if c := &s.clauses[k]; c.literals != nil && slices.ContainsFunc(c.literals, s.isTrue) {
			s.remove(int32(k))
			removed = true
		}
	}
	if removed {
		s.sweep()
	}
}
