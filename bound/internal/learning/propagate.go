package learning

// propagate raises all bounds that follow from the bounds raised before, by cheap reasons first. It returns false at a conflict.
func (s *Solver) propagate() bool {
	for {
		for s.head < len(s.trail) {
			e := s.trail[s.head]
			s.head++
			if !s.follow(e) {
				return false
			}
		}
		r := s.nextStale()
		if r < 0 {
			return true
		}
		if !s.fill(r) {
			return false
		}
	}
}

// nextStale is the first resource one of whose jobs has moved since its profile was made. It is −1 if there is none.
func (s *Solver) nextStale() int {
	for r := range s.resources {
		if s.resources[r].stale {
			return r
		}
	}
	return -1
}

// follow propagates one step by precedence, clauses and pairs, and marks the resources of its job.
func (s *Solver) follow(e step) bool {
	if !s.visit(e) {
		return false
	}
	for _, to := range s.edges[e.of] {
		if !s.raise(literal{to.to, e.now + to.distance}, cause{byPrecedence, e.of, to.distance}) {
			return false
		}
	}
	j := int(e.of / 2)
	for _, r := range s.uses[j] {
		s.resources[r].stale = true
	}
	if j > s.end {
		return s.keepOrder(int32(j-s.end) - 1)
	}
	for _, k := range s.pairsOf[j] {
		if !s.order(k) || !s.keepOrder(k) {
			return false
		}
	}
	return true
}

// order decides which job of a pair comes first if one of them cannot end before the other starts.
func (s *Solver) order(k int32) bool {
	p := &s.pairs[k]
	v := int32(s.end) + 1 + k
	if s.low[2*p.a]+s.lengths[p.a] > -s.low[2*p.b+1] && !s.raise(literal{2*v + 1, 0}, cause{byOrder, p.a, p.b}) {
		return false
	}
	return s.low[2*p.b]+s.lengths[p.b] <= -s.low[2*p.a+1] || s.raise(literal{2 * v, 1}, cause{byOrder, p.b, p.a})
}

// keepOrder moves the jobs of a pair as its order demands, if that is decided.
func (s *Solver) keepOrder(k int32) bool {
	first, second, decided := s.ordered(k)
	if !decided {
		return true
	}
	why := cause{byPair, k, 0}
	if first != s.pairs[k].a {
		why.b = 1
	}
	return s.raise(literal{2 * second, s.low[2*first] + s.lengths[first]}, why) && s.raise(literal{2*first + 1, s.low[2*second+1] + s.lengths[first]}, why)
}

// ordered returns the jobs of the pair in their order, and whether the order is decided.
func (s *Solver) ordered(k int32) (first, second int32, decided bool) {
	p, v := &s.pairs[k], int32(s.end)+1+k
	switch {
	case s.low[2*v] == 1:
		return p.a, p.b, true
	case s.low[2*v+1] == 0:
		return p.b, p.a, true
	}
	return 0, 0, false
}
