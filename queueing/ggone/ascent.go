package ggone

import (
	"math"
	"slices"
)

// ascent is the settings of a run of the subgradient method. The values below measured best, see docs/ggone.md.
type ascent struct {
	iterations int
	step       float64 // first step, as a share of Polyak's
	patience   int     // iterations without gain after which the step shrinks
}

// The settings by where a run starts: at the root from prices that know nothing, at a node from the prices of its parent.
var (
	rootAscent = ascent{iterations: 600, step: 1, patience: 20}
	againstBox = ascent{iterations: 200, step: 0.1, patience: 20} // at the root, after its box was narrowed
	nodeAscent = ascent{iterations: 30, step: 1.5, patience: 4}
)

// The rounds at the root. More than two follow only while the gap is above a share of the best cost; each has twice the iterations and
// the patience of the one before. The local search of a round may try a limited number of allocations.
const (
	rootRounds = 7
	rootGap    = 2e-4
	rootTries  = 1500
)

const (
	shrink     = 0.8
	deflection = 0.7 // share of the new subgradient in the direction
)

// price prices all levels in the box at the prices u; false where the context ends first.
func (s *search) price(u []float64, b box) bool {
	for k := range s.classes {
		q := &s.classes[k]
		first, last := q.firstRank, q.firstRank+q.machines-1
		for n := b.low[last]; n <= b.high[first]; n++ {
			for r := first; r <= last; r++ {
				if b.low[r] <= n && n <= b.high[r] {
					s.core.price(k, n, u)
					break
				}
			}
			if s.slow && s.ctx.Err() != nil {
				return false
			}
		}
	}
	return true
}

// bound is the Lagrangian bound of the box at the prices u: Σu + the least sum of g over loads that add up to the number of tasks. No
// loads in the box cost less, whatever u is. It is −Inf where the context ends first.
func (s *search) bound(u []float64, b box) float64 {
	s.evaluations++
	if !s.price(u, b) {
		return math.Inf(-1)
	}
	return s.floor(u).of(s.knapsack.least(b))
}

// countServed finds how often each task is served at the loads of the last bound.
func (s *search) countServed(u []float64) {
	clear(s.count)
	for r, n := range s.knapsack.loads {
		if n == 0 {
			continue
		}
		times := 1.0
		k := s.class[r]
		if r > 0 && s.class[r-1] == k && s.knapsack.loads[r-1] == n {
			continue // counted
		}
		for next := r + 1; next < len(s.class) && s.class[next] == k && s.knapsack.loads[next] == n; next++ {
			times++
		}
		s.addServed(k, n, u, times, s.count)
	}
}

// ascend raises the node's bound by the deflected subgradient method with Polyak's step, and leaves the best prices in the node. It also
// counts how often each rank had each load; branching uses the counts.
//
// B. T. Polyak (1969), Minimization of unsmooth functionals, USSR Comput. Math. Math. Phys. 9(3), doi:10.1016/0041-5553(69)90061-5; P. M.
// Camerini, L. Fratta, F. Maffioli (1975), On improving relaxation methods by modified gradient techniques, Math. Programming
// Study 3, doi:10.1007/BFb0120697, for the direction.
func (s *search) ascend(n *node, a ascent) {
	u, best := s.u, slices.Clone(n.u)
	copy(u, n.u)
	clear(s.direction)
	for r := range s.seen {
		clear(s.seen[r])
	}
	stall, step := 0, a.step
	for k := range a.iterations {
		if s.stopped() {
			break
		}
		l := s.bound(u, n.box)
		if math.IsInf(l, 0) {
			if l > 0 {
				n.bound = l
			}
			return
		}
		if l > n.bound {
			n.bound, stall = l, 0
			copy(best, u)
		} else if stall++; stall >= a.patience {
			stall, step = 0, step*shrink
		}
		if n.bound >= s.limit() {
			break
		}
		for r, load := range s.descending(s.knapsack.loads) {
			s.seen[r][load]++
		}
		if k%50 == 49 || k == a.iterations-1 || math.IsInf(s.best, 1) {
			s.try(s.knapsack.loads)
		}
		s.countServed(u)
		for y := range s.direction {
			deflect(&s.direction[y], 1-s.count[y])
		}
		if !advance(u, s.direction, step, l, s.best) {
			break
		}
	}
	n.u = best
}

// deflect turns an element of the direction towards that of the new subgradient.
func deflect(direction *float64, subgradient float64) {
	*direction = deflection*subgradient + (1-deflection)**direction
}

// advance moves the prices a step along the direction, where the bound is l and the best cost known is best; false where the direction is 0 or no
// step is known.
func advance(prices, direction []float64, step, l, best float64) bool {
	norm := 0.0
	for _, d := range direction {
		norm += d * d
	}
	if math.IsInf(best, 1) { // no allocation of finite cost is known
		best = l + max(1, math.Abs(l))
	}
	h := step * (best - l) / norm
	if !(h > 0) || math.IsInf(h, 1) {
		return false
	}
	for y := range prices {
		prices[y] += h * direction[y]
	}
	return true
}

// fix removes from the node's box each load of a rank whose bound at the node's prices reaches the limit: no allocation with it is worth
// finding. It returns whether the node is still open.
func (s *search) fix(n *node) bool {
	s.trace.fixed(n)
	for {
		s.evaluations++
		if !s.price(n.u, n.box) {
			return true // the time is up: nothing is proved
		}
		floor := s.floor(n.u)
		l := floor.of(s.knapsack.solve(n.box))
		if math.IsInf(l, -1) {
			if s.ctx.Err() == nil { // the prices overflow, and nothing is known of the loads
				s.unproved = min(s.unproved, n.bound)
				return false
			}
			return true
		}
		n.bound = max(n.bound, l)
		if n.bound >= s.limit() {
			return false
		}
		if !s.knapsack.complete(n.box) {
			return true
		}
		narrower := false
		for r := range s.class {
			if s.slow && s.ctx.Err() != nil {
				return true
			}
			low, high := n.low[r], n.high[r]
			for low <= high && floor.of(s.knapsack.leastWith(r, low)) >= s.limit() {
				low++
			}
			for low <= high && floor.of(s.knapsack.leastWith(r, high)) >= s.limit() {
				high--
			}
			if low > high {
				n.bound = math.Inf(1)
				return false
			}
			narrower = narrower || low > n.low[r] || high < n.high[r]
			n.low[r], n.high[r] = low, high
		}
		s.order(n.box)
		if !narrower {
			return true
		}
	}
}

// sieve restricts the levels to the candidates that the prices of the root leave. Call it after fix of the root.
func (s *search) sieve(root *node) {
	floor := s.floor(root.u)
	for k := range s.classes {
		q := &s.classes[k]
		for n := range q.levels {
			least := math.Inf(1)
			for r := q.firstRank; r < q.firstRank+q.machines; r++ {
				if root.low[r] <= n && n <= root.high[r] {
					least = min(least, floor.of(s.knapsack.leastWith(r, n)))
				}
			}
			if room := s.limit() - least; room > 0 && !math.IsInf(least, 0) {
				s.restrict(k, n, root.u, room)
			}
		}
	}
}
