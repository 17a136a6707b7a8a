package ggone

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/queue"

	"github.com/allot-opt/allot/model"
)

// search is one run of the branch-and-bound.
type search struct {
	*core
	ctx       context.Context
	opt       Options
	knapsack  *knapsack
	transport transport

	best      float64
	bestLoads []int
	rankOf    []int              // by task, in the best allocation
	tried     map[string]float64 // by loads: lower bound of the cost of allocations at them
	proved    float64            // lower bound of all open nodes
	unproved  float64            // lower bound of the parts that were tried and that rounding left undecided; +Inf: none

	evaluations  int64
	nodes        int
	u, direction []float64
	count        []float64
	seen         [][]float64 // by rank and load: how often the rank had the load in the last ascent
	open         queue.Heap[*node]
	born         int
	trace        *trace // what the certificate needs; nil: none is asked for
}

// node is a part of the problem: a box of loads with a bound and the prices that prove it.
type node struct {
	box
	bound float64
	u     []float64
	born  int

	record int // its position in the trace
}

// Before implements [queue.Item]: the node with the least bound goes first, of equal bounds the older one.
func (n *node) Before(other *node) bool {
	return n.bound < other.bound || n.bound == other.bound && n.born < other.born
}

func newSearch(ctx context.Context, c *core, opt Options) *search {
	s := &search{
		core: c, ctx: ctx, opt: opt, knapsack: newKnapsack(ctx, c),
		best: math.Inf(1), rankOf: make([]int, c.tasks), tried: map[string]float64{}, proved: math.Inf(-1), unproved: math.Inf(1),
		u: make([]float64, c.tasks), direction: make([]float64, c.tasks), count: make([]float64, c.tasks),
	}
	for _, k := range c.class {
		s.seen = append(s.seen, make([]float64, len(c.classes[k].levels)))
	}
	if opt.Certify && c.tasks > 0 {
		s.trace = newTrace()
	}
	return s
}

// limit is the cost from which on an allocation is not worth finding: the best, less the tolerance.
func (s *search) limit() float64 { return s.opt.limit(s.best, s.tasks) }

// lowerBound is a lower bound of all allocations, given the bound of the open nodes.
func (s *search) lowerBound(open float64) float64 { return min(s.limit(), s.unproved, open) }

// limited says whether the number of evaluations is used up.
func (s *search) limited() bool { return s.opt.Evaluations > 0 && s.evaluations >= s.opt.Evaluations }

// stopped says whether the search has to end.
func (s *search) stopped() bool { return s.limited() || s.ctx.Err() != nil }

// report calls the caller's progress function.
func (s *search) report() {
	if s.opt.Progress != nil {
		s.opt.Progress(Progress{s.evaluations, s.best, model.ProvedBound(min(s.best, s.proved))})
	}
}

// run searches until everything is proved or it has to stop.
func (s *search) run() {
	root := &node{box: s.root(), u: make([]float64, s.tasks), bound: math.Inf(-1)}
	if s.rootOpen(root) {
		s.open.Push(root)
	}
	s.proved = s.lowerBound(root.bound)
	s.report()
	for known := s.best; len(s.open) > 0 && !s.stopped(); {
		if s.best < known { // a better allocation: the root's prices now rule out more
			s.improve(root.box, rootTries)
			known = s.best
			root.bound = math.Inf(-1)
			if s.fix(root) && !math.IsInf(root.bound, -1) {
				s.sieve(root)
			}
		}
		n := s.open.Pop()
		if bound := s.lowerBound(n.bound); bound > s.proved {
			s.proved = bound
			s.report()
		}
		s.plunge(n)
	}
	s.proved = s.lowerBound(math.Inf(1))
	if len(s.open) > 0 {
		s.proved = s.lowerBound(s.open[0].bound)
	}
}

// rootOpen bounds the root and finds first allocations; false where that solves the problem.
//
// A round is an ascent, a local search, the dual prices of the allocation that it found, and the removal of the loads that these prices rule
// out. The step of an ascent depends on the cost of the best allocation, so where the gap is wide another round with a better allocation
// pays.
func (s *search) rootOpen(root *node) bool {
	if s.forbidding && !s.stopped() { // without a start each step of an ascent would look for one
		s.try(s.fitting())
	}
	for round := 0; round < rootRounds && !s.stopped(); round++ {
		before, a := root.bound, rootAscent
		switch {
		case round == 1:
			a = againstBox
		case round > 2:
			a.iterations <<= round - 2
			a.patience <<= round - 2
		}
		s.ascend(root, a)
		if math.IsInf(s.best, 1) && !s.stopped() {
			s.try(s.proportional())
		}
		if !math.IsInf(s.best, 1) {
			s.improve(root.box, rootTries)
			s.adoptPrices(root)
		}
		if s.stopped() {
			return true
		}
		if !s.fix(root) {
			return false
		}
		if math.IsInf(root.bound, -1) {
			return true
		}
		s.sieve(root)
		gap := s.best - root.bound
		if round > 0 && (gap < rootGap*s.best || root.bound-before < 0.1*gap) {
			break
		}
	}
	return true
}

// adoptPrices takes the dual prices of the best allocation for the node's where they bound it better. They rest on the loads of that allocation
// alone. But where many tasks cost the same in many places, as when waits hardly matter, the subgradient method takes long to find prices as
// good.
func (s *search) adoptPrices(n *node) {
	if s.stopped() || math.IsInf(s.assign(s.bestLoads).cost, 1) {
		return
	}
	u := make([]float64, s.tasks)
	s.transport.prices(u)
	if l := s.bound(u, n.box); l > n.bound {
		n.bound, n.u = l, u
	}
}

// proportional shares the tasks among the machines in proportion to what they can take.
func (s *search) proportional() []int {
	loads := make([]int, len(s.class))
	room, left := 0, s.tasks
	for _, k := range s.class {
		room += len(s.classes[k].levels) - 1
	}
	for r, k := range s.class { // invariant: room ≥ left
		most := len(s.classes[k].levels) - 1
		if room > 0 {
			loads[r] = min(most, int(math.Ceil(float64(left)*float64(most)/float64(room))), left)
		}
		room, left = room-most, left-loads[r]
	}
	return s.descending(loads)
}

// fitting is loads at which each task can be somewhere, as far as a rule finds them: the tasks that can be on the fewest machines come first, and each goes to
// the one of these that is least full. The tasks left over go anywhere.
//
// Complexity: O(tasks · machines).
func (s *search) fitting() []int {
	loads := make([]int, len(s.class))
	machines := make([]int, s.tasks) // on which a task can be
	canBe := func(y int, q *coreClass) bool { return len(q.levels) > 1 && !math.IsInf(q.of(y, q.levels[1].wait), 1) }
	order := make([]int, s.tasks)
	for y := range order {
		order[y] = y
		for k := range s.classes {
			if q := &s.classes[k]; canBe(y, q) {
				machines[y] += q.machines
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(machines[a], machines[b]) })
	// place puts a task on the least full of the machines that it may be on.
	place := func(y int, anywhere bool) bool {
		at, least := -1, 0.0
		for r, k := range s.class {
			q := &s.classes[k]
			if loads[r]+1 == len(q.levels) || !anywhere && !canBe(y, q) {
				continue
			}
			if full := float64(loads[r]+1) / float64(len(q.levels)-1); at < 0 || full < least {
				at, least = r, full
			}
		}
		if at >= 0 {
			loads[at]++
		}
		return at >= 0
	}
	left := 0
	for _, y := range order {
		if !place(y, false) {
			left++
		}
	}
	for range left {
		place(0, true) // there is room: see [Problem.room]
	}
	return s.descending(loads)
}

// plunge goes down from a node to the better child again and again, until a node is closed; the other children wait in the queue.
func (s *search) plunge(n *node) {
	for n.bound < s.limit() {
		if s.stopped() {
			s.open.Push(n)
			return
		}
		s.nodes++
		s.ascend(n, nodeAscent)
		s.trace.priced(n)
		if n.bound >= s.limit() || !s.stopped() && !s.fix(n) {
			return
		}
		if !s.stopped() && s.tryAll(n, fewLoads) {
			return
		}
		if s.stopped() {
			s.open.Push(n)
			return
		}
		up, down := s.children(n)
		if up.bound > down.bound {
			up, down = down, up
		}
		if down.bound < s.limit() {
			s.open.Push(down)
		}
		n = up
	}
}

// children splits a node by a rank and a load: in up the rank, and so every fuller one of its class, carries at least the load, in down it
// carries less, and so does every rank after it.
func (s *search) children(n *node) (up, down *node) {
	rank, load := s.chooseBranch(n)
	for _, c := range []**node{&up, &down} {
		s.born++
		*c = &node{box: box{slices.Clone(n.low), slices.Clone(n.high)}, bound: n.bound, u: n.u, born: s.born}
	}
	up.low[rank] = load
	down.high[rank] = load - 1
	up.record, down.record = s.trace.split(n, rank, load)
	s.order(up.box)
	s.order(down.box)
	up.bound = max(n.bound, s.bound(n.u, up.box))
	down.bound = max(n.bound, s.bound(n.u, down.box))
	return up, down
}

// chooseBranch picks the rank and the load to branch on: those for which the ascent was least decided between at least that load and less. Of
// equals it takes the rank with the widest limits.
func (s *search) chooseBranch(n *node) (rank, load int) {
	best := -1.0
	for r := range s.class {
		all, above := 0.0, 0.0
		for k := n.low[r]; k <= n.high[r]; k++ {
			all += s.seen[r][k]
		}
		for k := n.high[r]; k > n.low[r]; k-- {
			above += s.seen[r][k]
			share := above / max(all, 1)
			if score := min(share, 1-share) + 1e-6*float64(n.high[r]-n.low[r]); score > best {
				best, rank, load = score, r, k
			}
		}
	}
	return rank, load
}
