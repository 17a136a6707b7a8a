package tou

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"
)

// Options are the limits of a run.
type Options struct {
	Evaluations int64 // programmes; 0: no limit
	// Found is told of each better schedule, and of the bound, in units; nil: silent.
	Found func(r *Result)
}

// Result is what a run found.
type Result struct {
	Starts      []int // by job, in intervals; nil: no schedule
	Cost        int64 // of the schedule, in units
	Bound       int64 // no schedule costs less, in units
	Bounded     bool
	Infeasible  bool
	Done        bool // the tree was searched to its end
	Evaluations int64
	Root        *node // its leaves prove Bound; only where Certified
	Certified   bool
}

// node is a node of the tree: a leaf, whose prices show that it costs as much as the bound, or an interval that is not busy in one part and busy in the other.
type node struct {
	Prices []int64 // by size, in parts of a unit, of which Fine make one
	At     int
	Limit  bool // it is split by what happens at the begin of the interval: in one part no job begins there, in the other none runs across
	Low    *node
	High   *node
}

// fine is how many parts a unit has in which sizes are priced.
const fine = 64

// open is a node that is not split yet.
type open struct {
	*node
	bound int64 // in parts
	fixed []Fixed
	split int
	limit bool // the split is by the begin of the interval
	order int
}

// queue is a heap of open nodes: the least bound first.
type queue []*open

func (q queue) Len() int { return len(q) }
func (q queue) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(q[a].bound, q[b].bound), q[b].order-q[a].order) < 0
}
func (q queue) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*open)) }
func (q *queue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// solver is a run.
type solver struct {
	ctx  context.Context
	p    *Problem
	g    *programme
	opt  Options
	r    *Result
	list []piece
}

// Solve finds a best schedule and proves it, unless it is stopped before.
func Solve(ctx context.Context, p *Problem, opt Options) *Result {
	s := &solver{ctx: ctx, p: p, g: newProgramme(p), opt: opt, r: &Result{Cost: infinite}}
	root := &open{node: &node{Prices: make([]int64, len(p.Sizes))}, bound: math.MinInt64, fixed: make([]Fixed, p.Intervals)}
	s.r.Root = root.node
	s.ascend(root, 80)
	if root.bound == math.MinInt64 { // stopped before the first programme ended
		return s.r
	}
	if s.r.Infeasible = root.bound >= infinite/2; s.r.Infeasible {
		return s.r
	}
	nodes := queue{root}
	for len(nodes) > 0 && !s.stopped() {
		best := nodes[0]
		s.bound(best.bound)
		if s.closed(best.bound) || best.split < 0 { // or nothing is left to split, and the stretches cannot be filled
			break
		}
		heap.Pop(&nodes)
		for k, value := range []choice{low, high} {
			child := &open{node: &node{Prices: slices.Clone(best.Prices)}, fixed: slices.Clone(best.fixed), bound: best.bound, order: best.order + 1}
			if best.limit {
				child.fixed[best.split].Limit = value
			} else {
				child.fixed[best.split].Interval = value
			}
			if k == 0 {
				best.Low = child.node
			} else {
				best.High = child.node
			}
			if s.ascend(child, 12); !s.closed(child.bound) {
				heap.Push(&nodes, child)
			}
		}
		best.At, best.Limit = best.split, best.limit
	}
	switch {
	case len(nodes) > 0 && !s.closed(nodes[0].bound): // stopped, or stuck
		s.bound(nodes[0].bound)
		s.r.Root = &node{Prices: root.Prices}
		s.r.Certified = len(nodes) == 1 && nodes[0] == root
	case s.r.Cost < infinite:
		s.r.Done, s.r.Bound, s.r.Bounded, s.r.Certified = true, s.r.Cost, true, true
	default:
		s.r.Infeasible = true
	}
	return s.r
}

// stopped says whether the run has to end.
func (s *solver) stopped() bool {
	return s.ctx.Err() != nil || s.opt.Evaluations > 0 && s.r.Evaluations >= s.opt.Evaluations
}

// units rounds a bound in parts up to whole units, which is what a schedule costs.
func units(parts int64) int64 {
	q := parts / fine
	if parts%fine > 0 {
		q++
	}
	return q
}

// closed says whether nothing below the best schedule can be in a node of this bound.
func (s *solver) closed(parts int64) bool { return parts >= infinite/2 || units(parts) >= s.r.Cost }

// bound takes a bound of all schedules.
func (s *solver) bound(parts int64) {
	if b := min(units(parts), s.r.Cost); !s.r.Bounded || b > s.r.Bound {
		s.r.Bound, s.r.Bounded = b, true
		if s.opt.Found != nil {
			s.opt.Found(s.r)
		}
	}
}

// ascend raises the bound of a node by a subgradient method on the prices of sizes, and chooses the interval to split by.
func (s *solver) ascend(n *open, rounds int) {
	prices := slices.Clone(n.Prices)
	best, share := int64(math.MinInt64), 1.0
	busy := make([]float64, s.p.Intervals+1)
	weight := 0.0
	for round := range rounds {
		if round > 0 && s.stopped() {
			break
		}
		s.r.Evaluations++
		value, run := s.g.run(s.ctx, prices, fine, n.fixed)
		if !run {
			break
		}
		if value >= infinite {
			n.bound, n.Prices = infinite, prices
			return
		}
		s.list = s.g.path(s.list)
		cost := value
		slope := make([]int64, len(prices))
		for k := range prices {
			value -= prices[k] * int64(s.p.Counts[k])
			slope[k] = -int64(s.p.Counts[k])
		}
		for _, x := range s.list {
			slope[x.kind]++
			cost -= prices[x.kind]
			busy[x.start]++
			busy[x.start+s.p.Sizes[x.kind]]--
		}
		weight++
		if value > best {
			best = value
			n.Prices = slices.Clone(prices)
		} else {
			share *= 0.9
		}
		s.try(cost / fine)
		n.bound = max(n.bound, best)
		if s.closed(n.bound) {
			return
		}
		norm := 0.0
		for _, x := range slope {
			norm += float64(x) * float64(x)
		}
		if norm == 0 {
			break
		}
		goal := float64(best) + max(0.02*math.Abs(float64(best)), 16*fine)
		if s.r.Cost < infinite {
			goal = float64(s.r.Cost)*fine - fine/2
		}
		step := share * max(goal-float64(value), fine/2) / norm
		moved := false
		for k := range prices {
			by := int64(math.Round(step * float64(slope[k])))
			most := int64(1<<58) / int64(s.p.Total+1)
			prices[k] = max(-most, min(most, prices[k]+by))
			moved = moved || by != 0
		}
		if !moved {
			break
		}
	}
	if n.split, n.limit = s.undecided(busy, weight, n.fixed), false; n.split < 0 { // the stretches stand: what is left is how jobs fill them
		n.limit = true
		n.split = slices.IndexFunc(n.fixed, func(f Fixed) bool { return f.Interval == high && f.Limit == free })
	}
}

// undecided is the free interval that is busy in about half of the paths; of these the first.
func (s *solver) undecided(changes []float64, paths float64, fixed []Fixed) int {
	at, least, now := -1, math.Inf(1), 0.0
	for t := range s.p.Intervals {
		now += changes[t]
		if fixed[t].Interval != free {
			continue
		}
		if off := math.Abs(now/paths - 0.5); off < least {
			at, least = t, off
		}
	}
	return at
}

// try makes a schedule of the path: its stretches of work, filled with the jobs.
func (s *solver) try(cost int64) {
	if cost >= s.r.Cost {
		return
	}
	var starts, lengths []int
	for k := len(s.list) - 1; k >= 0; k-- {
		x := s.list[k]
		size := s.p.Sizes[x.kind]
		if n := len(starts); n > 0 && starts[n-1]+lengths[n-1] == x.start {
			lengths[n-1] += size
		} else {
			starts, lengths = append(starts, x.start), append(lengths, size)
		}
	}
	chosen, filled := s.p.pack(lengths)
	if !filled {
		return
	}
	s.r.Cost = cost
	s.r.Starts = make([]int, s.p.number())
	next := make([]int, len(s.p.Sizes))
	for k, t := range starts {
		for size, n := range chosen[k] {
			for range n {
				s.r.Starts[s.p.jobs[size][next[size]]] = t
				next[size]++
				t += s.p.Sizes[size]
			}
		}
	}
	if s.opt.Found != nil {
		s.opt.Found(s.r)
	}
}

// number is the number of jobs.
func (p *Problem) number() int {
	n := len(p.none)
	for _, c := range p.Counts {
		n += c
	}
	return n
}
