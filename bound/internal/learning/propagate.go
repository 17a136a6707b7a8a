package learning

// propagate raises all bounds that the raised ones force, cheap reasons first. It returns false at a conflict.
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

// nextStale is the first resource of which a job has moved since its profile was made; −1: none.
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
	if j == s.end {
		return true
	}
	for _, other := range s.p.Apart[j] {
		if !s.separate(int32(j), int32(other)) || !s.separate(int32(other), int32(j)) {
			return false
		}
	}
	return true
}

// separate puts job b before job a, which it cannot overlap, if a cannot end before b starts.
func (s *Solver) separate(a, b int32) bool {
	if s.low[2*a]+s.lengths[a] <= -s.low[2*b+1] {
		return true
	}
	why := cause{byPair, b, a}
	return s.raise(literal{2 * a, s.low[2*b] + s.lengths[b]}, why) && s.raise(literal{2*b + 1, s.low[2*a+1] + s.lengths[b]}, why)
}
