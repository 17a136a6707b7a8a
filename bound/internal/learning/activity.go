package learning

import "github.com/allot-opt/allot/internal/queue"

// activity ranks the literals by how often the latest conflicts needed them, as M. W. Moskewicz and others (2001), Chaff.
type activity struct {
	atoms      []atom
	index      map[literal]int32   // the atom of [s_j ≤ t], {2·j+1, −t}
	heap       queue.Placed[int32] // atoms, the most active first
	taken      []takenAtom         // atoms out of the heap, as they were decided when looked at
	step       float64
	clauseStep float32
}

// atom is a literal [s_j ≤ t] that occurred in a conflict.
type atom struct {
	literal
	score float64
	place int32 // in the heap; −1: out of it
}

type takenAtom struct{ atom, level int32 }

func (a *activity) init() {
	a.index, a.step, a.clauseStep = map[literal]int32{}, 1, 1
}

// bump makes the literal and its negation more active.
func (a *activity) bump(l literal) {
	if l.of%2 == 0 {
		l = l.negated()
	}
	k, known := a.index[l]
	if !known {
		k = int32(len(a.atoms))
		a.index[l] = k
		a.atoms = append(a.atoms, atom{l, 0, -1})
		a.atoms[k].score = a.step
		a.heap.Push(a, k)
		return
	}
	a.atoms[k].score += a.step
	if a.atoms[k].place >= 0 {
		a.heap.Up(a, int(a.atoms[k].place))
	}
}

// bumpClause makes the clause more active.
func (s *Solver) bumpClause(k int32) {
	c := &s.clauses[k]
	c.activity += s.clauseStep
	if c.activity > 1e20 {
		for i := range s.clauses {
			s.clauses[i].activity *= 1e-20
		}
		s.clauseStep *= 1e-20
	}
}

// decay makes later bumps count more than earlier ones.
func (a *activity) decay() {
	a.step /= 0.95
	a.clauseStep /= 0.999
	if a.step > 1e100 {
		for k := range a.atoms {
			a.atoms[k].score *= 1e-100
		}
		a.step *= 1e-100
	}
}

// next is the literal to decide next. It returns false if all starts are fixed.
func (s *Solver) next() (literal, bool) {
	level := int32(len(s.levels))
	for len(s.heap) > 0 {
		k := s.heap[0]
		s.heap.Remove(&s.activity, 0)
		l := s.atoms[k].literal
		if s.isTrue(l) || s.isFalse(l) {
			s.taken = append(s.taken, takenAtom{k, level})
			continue
		}
		s.taken = append(s.taken, takenAtom{k, level + 1})
		return l.negated(), true // a job starts later: twice as many schedules were found as with the literal itself
	}
	best := int32(-1) // the job that can start first; of equals the one with the latest latest start last
	for j := range int32(s.end) {
		if s.low[2*j] == -s.low[2*j+1] {
			continue
		}
		if best < 0 || s.low[2*j] < s.low[2*best] || s.low[2*j] == s.low[2*best] && s.low[2*j+1] > s.low[2*best+1] {
			best = j
		}
	}
	if best < 0 {
		return literal{}, false
	}
	return literal{2*best + 1, -s.low[2*best]}, true
}

// restore puts the atoms that may be undecided again back into the heap.
func (a *activity) restore(level int) {
	for n := len(a.taken); n > 0 && a.taken[n-1].level > int32(level); n-- {
		a.heap.Push(a, a.taken[n-1].atom)
		a.taken = a.taken[:n-1]
	}
}

// Before implements [queue.Keeper]: the more active atom is decided first.
func (a *activity) Before(x, y int32) bool {
	if a.atoms[x].score != a.atoms[y].score {
		return a.atoms[x].score > a.atoms[y].score
	}
	return x < y
}

// Put implements [queue.Keeper].
func (a *activity) Put(x int32, place int) { a.atoms[x].place = int32(place) }
