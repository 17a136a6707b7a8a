package learning

// literal says that a bound is at least a value. A bound is a number that only rises while the search goes down: bound 2·j is the earliest start of
// job j, bound 2·j+1 the negated latest start. The last job is the end of the schedule, so its bounds are the least makespan and the negated largest one.
//
// It is the Boolean variable of lazy clause generation: [s_j ≥ v] is {2·j, v}, [s_j ≤ v] is
// {2·j+1, −v}.
type literal struct{ of, least int32 }

// negated is the opposite literal: of the two bounds of a job, either one is at least v or the other is at least 1 − v.
func (l literal) negated() literal { return literal{l.of ^ 1, 1 - l.least} }

// cause says why a bound rose. An explanation is made from it only when an analysis asks for one.
type cause struct {
	kind causeKind
	a, b int32 // what these are depends on the kind
}

type causeKind uint8

const (
	byDecision   causeKind = iota
	byPrecedence           // a: the bound it follows, b: the distance
	byClause               // a: the clause
	byResource             // a: the resource, b: the time at which the job does not fit
	byPair                 // a: the pair, b: 0 if its job a comes first, else 1
	byOrder                // a: the job that cannot come first, b: the other one
)

// step is one rise of a bound.
type step struct {
	of, now, before int32
	previous        int32 // the step at which the bound rose before; −1: none
	level           int32
	why             cause
}

// isTrue says that the literal holds now.
func (s *Solver) isTrue(l literal) bool { return s.low[l.of] >= l.least }

// isFalse says that the literal cannot hold any more.
func (s *Solver) isFalse(l literal) bool { return s.low[l.of^1] >= 1-l.least }

// raise raises a bound, if it is lower, and says whether the job still has a start. If not, conflict holds the literals that
// contradict each other: the causes of the rise, and the other bound of the job.
func (s *Solver) raise(l literal, why cause) bool {
	if s.low[l.of] >= l.least {
		return true
	}
	s.trail = append(s.trail, step{l.of, l.least, s.low[l.of], s.last[l.of], int32(len(s.levels)), why})
	s.last[l.of] = int32(len(s.trail) - 1)
	s.low[l.of] = l.least
	s.work++
	if other := s.low[l.of^1]; l.least+other > 0 {
		s.conflict = append(s.explain(s.conflict[:0], s.last[l.of], 1-other), literal{l.of ^ 1, other})
		return false
	}
	return true
}

// at is the value of the bound just before the step.
func (s *Solver) at(of, before int32) int32 {
	k := s.last[of]
	if k < before {
		return s.low[of]
	}
	for s.trail[k].previous >= before {
		k = s.trail[k].previous
	}
	return s.trail[k].before
}

// stepOf is the step, before the given one, at which the literal became true. It is −1 if the literal holds without any decision.
func (s *Solver) stepOf(l literal, before int32) int32 {
	k := s.last[l.of]
	for k >= 0 && s.trail[k].level > 0 && (k >= before || s.trail[k].before >= l.least) {
		k = s.trail[k].previous
	}
	if k < 0 || s.trail[k].level == 0 {
		return -1
	}
	return k
}

// decide opens a level with the literal.
func (s *Solver) decide(l literal) {
	s.levels = append(s.levels, int32(len(s.trail)))
	s.raise(l, cause{kind: byDecision})
}

// back undoes all levels above the given one.
func (s *Solver) back(level int) {
	if level >= len(s.levels) {
		return
	}
	from := s.levels[level]
	for k := len(s.trail) - 1; k >= int(from); k-- {
		e := &s.trail[k]
		s.low[e.of], s.last[e.of] = e.before, e.previous
	}
	s.trail, s.levels = s.trail[:from], s.levels[:level]
	s.head = len(s.trail)
	for r := range s.resources {
		s.resources[r].stale = false // at the end of the level nothing was left to propagate
	}
	s.restore(level)
}
