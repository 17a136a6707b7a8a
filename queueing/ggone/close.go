package ggone

import (
	"cmp"
	"slices"
)

// fewLoads is the number of vectors of loads up to which a node is closed by trying each. A vector takes one transportation problem,
// where branching takes two ascents or more.
const fewLoads = 16

// candidate is a vector of loads with a lower bound of its cost.
type candidate struct {
	loads []int
	bound float64
}

// tryAll tries all loads of the node that may cost less than the limit, if they are at most most, and returns whether it did. Call it
// after fix of the node.
func (s *search) tryAll(n *node, most int) bool {
	list, ok := s.candidates(n, most)
	if !ok {
		return false
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.bound, b.bound) })
	for _, c := range list {
		if c.bound < s.limit() {
			s.try(c.loads)
		}
	}
	if s.stopped() {
		return false
	}
	s.trace.closed(s, n, list)
	for _, c := range list { // loads that their transportation problem left unproved lower the bound of the whole
		if proved := max(c.bound, s.provedAt(c.loads)); proved < s.limit() {
			s.unproved = min(s.unproved, proved)
		}
	}
	return true
}

// candidates lists the loads of the node, descending inside each class, whose bound at its prices is below the limit; false where there are more
// than most. It walks the tables that fix left in the knapsack. Complexity: O(most · ranks · loads of a rank).
func (s *search) candidates(n *node, most int) (list []candidate, ok bool) {
	floor, limit, steps := s.floor(n.u), s.limit(), 4*most*len(s.class)
	loads := make([]int, len(s.class))
	var extend func(r, sum int, least float64) bool
	extend = func(r, sum int, least float64) bool {
		if r == len(s.class) {
			list = append(list, candidate{slices.Clone(loads), floor.of(least)})
			return len(list) <= most
		}
		if steps--; steps < 0 {
			return false
		}
		high := n.high[r]
		if r > 0 && s.class[r-1] == s.class[r] {
			high = min(high, loads[r-1])
		}
		levels := s.classes[s.class[r]].levels
		for load := n.low[r]; load <= high; load++ {
			next, least := sum+load, least+levels[load].g
			if next < s.knapsack.from[r+1] || next > s.knapsack.to[r+1] || floor.of(least+s.knapsack.back[r+1][next]) >= limit {
				continue
			}
			if loads[r] = load; !extend(r+1, next, least) {
				return false
			}
		}
		return true
	}
	return list, extend(0, 0, 0)
}
