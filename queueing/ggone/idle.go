package ggone

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/queue"

	"github.com/allot-opt/allot/model"
)

// This file solves the problem with an idle rate in any amount. The idle rate is what the rate of arrivals exceeds the tasks and the
// committed rates by; times the period it is the idle load, in tasks. Loads are real numbers: λ_r·T = ℓ_r ≥ n_r and Σℓ_r = λ·T.
//
// Two whole-number problems give first allocations and a bound: one without the idle rate, one with the idle rate as dummy tasks. Then a
// branch-and-bound on boxes of real loads closes the gap. Its relaxation prices the tasks, by u, and the load, by v: a machine in a box
// takes the tasks and the load of the least penalty − Σu − v·ℓ. The penalty is convex in ℓ. In each piece of the box it is bounded by its
// value at the low end and by its tangents in the middle; the better bound counts. The error falls with the square of the width.

// idleWork is about the number of penalties after which a search with an idle rate stops, where no number of evaluations limits it: dozens
// of tasks with an idle rate may keep it busy for ever.
const idleWork = 1 << 27

// The evaluations of the two whole-number problems where Options sets no limit: they only have to give a start, and dummies are all alike.
const (
	wholeEvaluations = 20000
	dummyEvaluations = 3000
)

// polishEvery is the number of boxes for each allocation: one box of polishEvery gives one, as parking takes as long as many bounds.
const polishEvery = 16

// idleTolerance is the least tolerance with an idle rate: the width of the boxes falls only with its square root.
const idleTolerance = 1e-6

// idleSearch is one run of the branch-and-bound on real loads.
type idleSearch struct {
	p       *Problem
	ctx     context.Context
	opt     Options
	servers []server
	total   float64 // Σℓ
	sliver  float64 // load that the machines could take beyond the largest loads looked at; 0 where that is next to nothing of what they can spare

	best     float64
	loads    []float64
	machine  []int
	prices   []float64 // of the tasks and of load at the best allocation
	proved   float64
	unproved float64 // bound of the parts that rounding left undecided; +Inf: none

	evaluations int64
	most        int64 // largest number of evaluations
	open        queue.Heap[*idleNode]
	born        int
	explored    int
	transport   transport

	count        []float64
	direction    []float64 // of u, then of v
	share        []float64 // by task and server: how often the task was there in the last ascent
	values, work []float64
	pieces       []piece // by server: the piece that the last bound took
}

// piece is what a server takes in the relaxation.
type piece struct {
	load, value float64
	serves      []int
	exact       float64 // the value itself at the load, not a bound
}

// idleNode is a box of loads.
type idleNode struct {
	low, high []float64
	place     []int     // by task: the server that it is placed on; −1: free
	placed    bool      // some task is placed
	prices    []float64 // u, then v
	bound     float64
	born      int
}

// Before implements [queue.Item]: the box with the least bound goes first, of equal bounds the older one.
func (n *idleNode) Before(other *idleNode) bool {
	return n.bound < other.bound || n.bound == other.bound && n.born < other.born
}

// solveIdle solves the problem with an idle load, in tasks over the period.
func (p *Problem) solveIdle(ctx context.Context, idle float64, opt Options) (Result, error) {
	opt.Tolerance = max(opt.Tolerance, idleTolerance)
	tasks := len(p.Tasks)
	s := &idleSearch{
		p: p, ctx: ctx, opt: opt, servers: p.servers(), total: float64(tasks) + idle,
		best: math.Inf(1), proved: math.Inf(-1), unproved: math.Inf(1),
		count: make([]float64, tasks), direction: make([]float64, tasks+1),
		values: make([]float64, tasks), work: make([]float64, tasks),
	}
	capacity := 0.0
	for r := range s.servers {
		capacity += s.servers[r].class.ServiceRate * p.Period
	}
	if capacity-s.total < nearlyFull*capacity {
		s.sliver = 2 * (1 - full) * capacity
	}
	s.prices = make([]float64, tasks+1)
	s.share = make([]float64, tasks*len(s.servers))
	s.pieces = make([]piece, len(s.servers))
	s.most = cmp.Or(opt.Evaluations, math.MaxInt64)
	s.startFromWhole(idle)
	switch {
	case opt.Evaluations == 0:
		s.most = s.affordable()
	case s.penalties() > idleWork: // a single bound would take more than the whole search may
		s.most = 0
	}
	root := &idleNode{prices: make([]float64, tasks+1), bound: s.proved}
	for range tasks {
		root.place = append(root.place, -1)
	}
	for r := range s.servers {
		root.low, root.high = append(root.low, 0), append(root.high, s.largest(r))
	}
	if s.proved < s.limit() {
		if s.loads != nil {
			s.polish(s.loads)
		}
		root.prices = slices.Clone(s.prices)
		s.open.Push(root)
	}
	for len(s.open) > 0 && !s.stopped() {
		n := s.open.Pop()
		s.proved = max(s.proved, s.lowerBound(n.bound))
		if n.bound < s.limit() {
			s.explore(n)
		}
	}
	last := math.Inf(1)
	if len(s.open) > 0 {
		last = s.open[0].bound
	}
	s.proved = max(s.proved, s.lowerBound(last))
	result := Result{Machine: s.machine, Tolerance: s.opt.Tolerance, Objective: s.best, Bound: model.ProvedBound(min(s.proved, s.best)), Evaluations: s.evaluations,
		Limited: s.opt.Evaluations > 0 && s.evaluations >= s.opt.Evaluations}
	result.Proved = !math.IsInf(s.best, 1) && s.proved >= s.limit()
	if s.loads != nil {
		result.Load = make([]float64, len(s.loads))
		for r, l := range s.loads {
			result.Load[r] = l / p.Period
		}
		p.addCommitted(result.Load)
	}
	return result, nil
}

// largest is the largest load that a server can have: the load just below which it stays stable, and at most the total. A machine whose
// tasks take no work is stable at any load.
func (s *idleSearch) largest(r int) float64 { return min(s.servers[r].most, s.total*(1+1e-12)) }

// affordable is the number of bounds that compute about idleWork penalties; 0 where that is too few to be of use.
func (s *idleSearch) affordable() int64 {
	if bounds := idleWork / s.penalties(); bounds > 100 {
		return max(2000, int64(min(bounds, 1e15)))
	}
	return 0
}

// penalties is about the number of penalties that one bound computes.
func (s *idleSearch) penalties() float64 {
	levels := float64(len(s.servers))
	for r := range s.servers {
		levels += s.largest(r)
	}
	return 3 * pieces * levels * float64(len(s.p.Tasks)+1)
}

// limit is the cost from which on an allocation is not worth finding.
func (s *idleSearch) limit() float64 { return s.opt.limit(s.best, len(s.p.Tasks)) }

// lowerBound is a lower bound of all allocations, given the bound of the open boxes.
func (s *idleSearch) lowerBound(open float64) float64 { return min(s.limit(), s.unproved, open) }

// stopped says whether the search has to end.
func (s *idleSearch) stopped() bool {
	return s.evaluations >= s.most || s.ctx.Err() != nil
}

// startFromWhole takes allocations from the two whole-number problems, and the bound from the one without an idle rate.
func (s *idleSearch) startFromWhole(idle float64) {
	for _, dummies := range []int{0, wholeTasks(idle)} {
		if s.p.room() < len(s.p.Tasks)+dummies || s.p.tooLarge(dummies) || s.stopped() {
			continue
		}
		opt := s.opt
		opt.Progress = nil
		if opt.Evaluations == 0 {
			if opt.Evaluations = wholeEvaluations; dummies > 0 {
				opt.Evaluations = dummyEvaluations
			}
		}
		if s.opt.Evaluations > 0 { // leave some for the search itself
			opt.Evaluations = max(1, (opt.Evaluations-s.evaluations)/3)
		}
		whole, proved := s.p.solveWhole(s.ctx, idle, dummies, opt)
		if s.opt.Evaluations > 0 { // otherwise the limit counts boxes alone
			s.evaluations += whole.Evaluations
		}
		if dummies == 0 {
			s.proved = proved
		}
		s.offer(whole.Machine)
	}
	s.report()
}

// report calls the caller's progress function.
func (s *idleSearch) report() {
	if s.opt.Progress != nil {
		s.opt.Progress(Progress{s.evaluations, s.best, model.ProvedBound(min(s.best, s.proved))})
	}
}

// offer parks the idle load of an allocation and keeps the allocation where it is the best so far. It returns the loads (nil: none were
// found), the price of load and a lower bound of the allocation's cost.
func (s *idleSearch) offer(machine []int) (loads []float64, price, bound float64) {
	s.evaluations++
	tasks := make([][]int, len(s.servers))
	for y, r := range machine {
		tasks[r] = append(tasks[r], y)
	}
	loads, price, bound, ok := s.p.park(s.ctx, s.servers, tasks, s.total)
	if !ok {
		if s.machine == nil && s.ctx.Err() != nil { // better than no allocation: the evaluator parks the idle load
			s.machine = slices.Clone(machine)
		}
		return nil, 0, bound
	}
	if cost := s.p.cost(s.servers, tasks, loads); cost < s.best || s.loads == nil {
		s.best, s.loads, s.machine = cost, loads, slices.Clone(machine)
		s.report()
	}
	return loads, price, bound
}

// polish assigns the tasks at real loads and parks the idle load anew, in turn, as long as the cost falls. It keeps the prices of the
// best allocation.
func (s *idleSearch) polish(loads []float64) {
	for range 8 {
		before := s.best
		machine := s.assign(loads)
		if machine == nil {
			return
		}
		prices := make([]float64, len(s.prices))
		s.transport.prices(prices[:len(machine)])
		next, price, _ := s.offer(machine)
		if next == nil {
			return
		}
		if s.best < before || s.prices[len(machine)] == 0 {
			prices[len(machine)] = price
			s.prices = prices
		}
		if !(s.best < before) {
			return
		}
		loads = next
	}
}

// assign solves the transportation problem at real loads: a machine has as many places as its load has whole tasks. Where these are too
// few, the machines whose loads are nearest to the next whole number get one more.
func (s *idleSearch) assign(loads []float64) []int {
	s.evaluations++
	places, sum := make([]int, len(loads)), 0
	for r, l := range loads {
		places[r] = max(0, int(l+1e-9))
		sum += places[r]
	}
	for sum < len(s.p.Tasks) {
		at, least := -1, math.Inf(1)
		for r, l := range loads {
			if lacks := float64(places[r]) + 1 - l; float64(places[r]+1) < s.servers[r].most && lacks < least {
				at, least = r, lacks
			}
		}
		if at < 0 {
			return nil
		}
		places[at]++
		sum++
	}
	t := &s.transport
	t.sinks = t.sinks[:0]
	for r, n := range places {
		if n > 0 {
			t.sinks = append(t.sinks, sink{class: r, load: n, capacity: n, wait: s.servers[r].class.wait(max(loads[r], float64(n)), s.p.Period)})
		}
	}
	found := t.solve(s.ctx, sum, func(k *sink, y int) float64 {
		if y >= len(s.p.Tasks) {
			return 0 // a place that stays free
		}
		return s.servers[k.class].of(y, k.wait)
	})
	if math.IsInf(found.cost, 1) {
		return nil
	}
	machine := make([]int, len(s.p.Tasks))
	for y := range machine {
		machine[y] = t.sinks[t.sinkOf[y]].class
	}
	return machine
}

// explore bounds a box and splits it.
func (s *idleSearch) explore(n *idleNode) {
	s.ascend(n)
	if n.bound >= s.limit() {
		return
	}
	if s.stopped() {
		s.open.Push(n)
		return
	}
	s.bound(n, n.prices)
	if s.explored++; s.explored%polishEvery == 1 {
		loads := make([]float64, len(s.servers))
		for r := range s.pieces {
			loads[r] = s.pieces[r].load
		}
		s.polish(loads)
	}
	var children []*idleNode
	task := s.undecided(n)
	if task < 0 { // all tasks are placed: the problem left is convex
		loads, _, bound := s.offer(n.place)
		switch bound = max(bound, n.bound); {
		case loads == nil && s.stopped():
			s.open.Push(n)
		case bound < s.limit():
			s.unproved = min(s.unproved, bound)
		}
		return
	}
	if rank, at := s.split(n); rank >= 0 {
		children = s.splitBox(n, rank, at)
	} else {
		for r := range s.servers {
			c := s.child(n)
			c.place[task], c.placed = r, true
			children = append(children, c)
		}
	}
	for _, c := range children {
		if c.bound = max(n.bound, s.bound(c, c.prices)); c.bound < s.limit() {
			s.open.Push(c)
		}
	}
}

// splitBox splits the box at a load of a server: loads fall from rank to rank inside a class.
func (s *idleSearch) splitBox(n *idleNode, rank int, at float64) []*idleNode {
	up, down := s.child(n), s.child(n)
	for r := range s.servers {
		if s.servers[r].class != s.servers[rank].class {
			continue
		}
		if r <= rank {
			up.low[r] = max(up.low[r], at)
		}
		if r >= rank {
			down.high[r] = min(down.high[r], at)
		}
	}
	return []*idleNode{up, down}
}

// child is a copy of the node.
func (s *idleSearch) child(n *idleNode) *idleNode {
	s.born++
	return &idleNode{low: slices.Clone(n.low), high: slices.Clone(n.high), place: slices.Clone(n.place), placed: n.placed,
		prices: n.prices, bound: n.bound, born: s.born}
}
