package ggone

import (
	"context"
	"math"
)

// box limits the load of each rank. Inside a class both limits are descending.
type box struct{ low, high []int }

// root is the box of all stable loads.
func (c *core) root() box {
	b := box{make([]int, len(c.class)), make([]int, len(c.class))}
	for r, k := range c.class {
		b.high[r] = len(c.classes[k].levels) - 1
	}
	return b
}

// order tightens the limits by the order of the ranks: inside a class loads are descending.
func (c *core) order(b box) {
	for r := len(c.class) - 2; r >= 0; r-- {
		if c.class[r] == c.class[r+1] {
			b.low[r] = max(b.low[r], b.low[r+1])
		}
	}
	for r := 1; r < len(c.class); r++ {
		if c.class[r] == c.class[r-1] {
			b.high[r] = min(b.high[r], b.high[r-1])
		}
	}
}

// holds says whether the loads lie in the box.
func (b box) holds(loads []int) bool {
	for r, n := range loads {
		if n < b.low[r] || n > b.high[r] {
			return false
		}
	}
	return true
}

// knapsack finds the loads, one a rank, that add up to the number of tasks at the least sum of g.
type knapsack struct {
	*core
	ctx   context.Context
	loads []int // by rank: those of the last least sum

	from, to []int       // by rank: least and largest sum of the ranks before it from which the others can reach the total
	fore     [][]float64 // by rank and sum of the loads before it: least sum of g of the ranks before it
	back     [][]float64 // by rank and sum of the loads before it: least sum of g of the rank and those after it

	narrowing narrowing
}

func newKnapsack(ctx context.Context, c *core) *knapsack {
	ranks := len(c.class)
	s := &knapsack{core: c, ctx: ctx, loads: make([]int, ranks), from: make([]int, ranks+1), to: make([]int, ranks+1)}
	fore, back := make([]float64, (ranks+1)*(c.tasks+1)), make([]float64, (ranks+1)*(c.tasks+1))
	for r := range ranks + 1 {
		from, to := r*(c.tasks+1), (r+1)*(c.tasks+1)
		s.fore, s.back = append(s.fore, fore[from:to]), append(s.back, back[from:to])
	}
	s.narrowing.box = box{make([]int, ranks), make([]int, ranks)}
	return s
}

// least is the result of [knapsack.solve], found faster: it looks only at loads that can be part of a least sum. It does not prepare
// [knapsack.complete].
func (s *knapsack) least(b box) float64 { return s.solve(s.narrow(b)) }

// solve is the least sum of g over the loads in the box, +Inf where there are none, −Inf where the context ends. The levels
// must be priced.
//
// Complexity: O(Σ over ranks of sums · loads of the rank), which is small once boxes are narrow.
func (s *knapsack) solve(b box) float64 {
	ranks := len(s.class)
	low, high := 0, 0
	for r := range ranks {
		if b.low[r] > b.high[r] {
			return math.Inf(1)
		}
		low += b.low[r]
		high += b.high[r]
	}
	if low > s.tasks || high < s.tasks {
		return math.Inf(1)
	}
	s.from[0], s.to[0], s.fore[0][0] = 0, 0, 0
	for r := range ranks {
		if s.slow && s.ctx.Err() != nil {
			return math.Inf(-1)
		}
		low -= b.low[r]
		high -= b.high[r]
		s.from[r+1], s.to[r+1] = max(s.from[r]+b.low[r], s.tasks-high), min(s.to[r]+b.high[r], s.tasks-low)
		s.extend(r, b.low[r], b.high[r])
	}
	least := s.fore[ranks][s.tasks]
	if math.IsInf(least, 1) {
		return least
	}
	for r, sum := ranks-1, s.tasks; r >= 0; r-- {
		s.loads[r] = s.pick(r, sum, b)
		sum -= s.loads[r]
	}
	return least
}

// extend computes the least sums of the ranks up to r from those of the ranks before it. It goes load by load, not sum by sum: the sums for
// which a load is the best so far are neighbours, so that the processor predicts the comparisons well.
func (s *knapsack) extend(r, low, high int) {
	levels := s.classes[s.class[r]].levels
	from, to := s.from[r+1], s.to[r+1]
	after := s.fore[r+1][from : to+1]
	for k := range after {
		after[k] = math.Inf(1)
	}
	for n := low; n <= high; n++ {
		first, last := max(from, s.from[r]+n), min(to, s.to[r]+n)
		if first > last {
			continue
		}
		g, before := levels[n].g, s.fore[r][first-n:last-n+1]
		for k, x := range after[first-from : last-from+1][:len(before)] {
			if y := before[k] + g; y < x {
				after[first-from+k] = y
			}
		}
	}
}

// pick is the load of rank r in the least sum of g over the ranks up to r whose loads add up to sum.
func (s *knapsack) pick(r, sum int, b box) int {
	levels, least := s.classes[s.class[r]].levels, s.fore[r+1][sum]
	for n := max(b.low[r], sum-s.to[r]); n <= min(b.high[r], sum-s.from[r]); n++ {
		if s.fore[r][sum-n]+levels[n].g == least {
			return n
		}
	}
	return b.low[r]
}

// complete fills in back, which [knapsack.leastWith] needs; false where the context ends. Call it after solve on the same box.
func (s *knapsack) complete(b box) bool {
	ranks := len(s.class)
	s.back[ranks][s.tasks] = 0
	for r := ranks - 1; r >= 0; r-- {
		if s.slow && s.ctx.Err() != nil {
			return false
		}
		levels := s.classes[s.class[r]].levels
		for sum := s.from[r]; sum <= s.to[r]; sum++ {
			least := math.Inf(1)
			for n := max(b.low[r], s.from[r+1]-sum); n <= min(b.high[r], s.to[r+1]-sum); n++ {
				least = min(least, s.back[r+1][sum+n]+levels[n].g)
			}
			s.back[r][sum] = least
		}
	}
	return true
}

// leastWith is the least sum of g over the loads of the box that give load n to rank r.
func (s *knapsack) leastWith(r, n int) float64 {
	least := math.Inf(1)
	for sum := max(s.from[r], s.from[r+1]-n); sum <= min(s.to[r], s.to[r+1]-n); sum++ {
		least = min(least, s.fore[r][sum]+s.back[r+1][sum+n])
	}
	return least + s.classes[s.class[r]].levels[n].g
}
