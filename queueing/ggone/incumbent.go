package ggone

import (
	"cmp"
	"math"
	"slices"
)

// descending is the loads sorted inside each class, the largest first.
func (c *core) descending(loads []int) []int {
	sorted := slices.Clone(loads)
	for k := range c.classes {
		q := &c.classes[k]
		slices.SortFunc(sorted[q.firstRank:q.firstRank+q.machines], func(a, b int) int { return b - a })
	}
	return sorted
}

// keyOf is the key of loads in a map.
func keyOf(loads []int) string {
	key := make([]byte, 0, 4*len(loads))
	for _, n := range loads {
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return string(key)
}

// try finds the cost at the loads exactly and keeps them if they are the best so far. Loads that were tried before are not
// tried again.
func (s *search) try(loads []int) bool {
	loads = s.descending(loads)
	key := keyOf(loads)
	if _, tried := s.tried[key]; tried || s.stopped() {
		return false
	}
	found := s.assign(loads)
	s.tried[key] = found.bound
	s.trace.tried(s, key, loads)
	if !(found.cost < s.best) {
		return false
	}
	s.best, s.bestLoads = found.cost, loads
	s.placeTasks(loads)
	s.report()
	return true
}

// provedAt is the lower bound of the cost at the loads, known once they were tried; −Inf: none.
func (s *search) provedAt(loads []int) float64 {
	if bound, tried := s.tried[keyOf(s.descending(loads))]; tried {
		return bound
	}
	return math.Inf(-1)
}

// assign solves the transportation problem at the loads.
func (s *search) assign(loads []int) assignment {
	s.evaluations++
	t := &s.transport
	t.sinks = t.sinks[:0]
	for r, n := range loads {
		k := s.class[r]
		if n == 0 {
			continue
		}
		if last := len(t.sinks) - 1; last >= 0 && t.sinks[last].class == k && t.sinks[last].load == n {
			t.sinks[last].capacity += n
			continue
		}
		l := &s.classes[k].levels[n]
		next := sink{class: k, load: n, wait: l.wait, capacity: n, price: l.theta}
		if math.IsInf(next.price, 0) {
			next.price = 0
		}
		t.sinks = append(t.sinks, next)
	}
	return t.solve(s.ctx, s.tasks, func(k *sink, y int) float64 { return s.classes[k.class].of(y, k.wait) })
}

// placeTasks notes which rank serves each task, after assign at the loads: the tasks of a sink fill its ranks in turn.
func (s *search) placeTasks(loads []int) {
	r := 0
	for k := range s.transport.sinks {
		sink := &s.transport.sinks[k]
		slices.Sort(sink.members)
		left := 0
		for _, y := range sink.members {
			for left == 0 { // on to the next rank of the sink
				for s.class[r] != sink.class || loads[r] != sink.load {
					r++
				}
				left = loads[r]
				r++
			}
			s.rankOf[y] = r - 1
			left--
		}
	}
}

// move takes a task from one rank to another.
type move struct {
	from, to int
	bound    float64 // lower bound of the cost after the move
}

// improve is a local search from the best loads. A move takes one task fewer on one rank and one more on another. The dual prices of the
// transportation problem bound the cost after each move, so that few moves have to be tried. It ends after about the given number of tries.
func (s *search) improve(b box, tries int64) {
	u := make([]float64, s.tasks)
	last := s.evaluations + tries
	for improved := true; improved && s.evaluations < last && !s.stopped(); {
		improved = false
		if math.IsInf(s.assign(s.bestLoads).cost, 1) {
			return
		}
		s.transport.prices(u)
		if !s.price(u, b) {
			return
		}
		loads := slices.Clone(s.bestLoads)
		for _, m := range s.moves(u, b, loads) {
			loads[m.from]--
			loads[m.to]++
			if improved = s.try(loads); improved || s.evaluations >= last {
				break
			}
			loads[m.from]++
			loads[m.to]--
		}
	}
}

// moves lists the moves inside the box whose bound is below the best cost, the least bound first.
func (s *search) moves(u []float64, b box, loads []int) []move {
	level := func(r, n int) float64 { return s.classes[s.class[r]].levels[n].g }
	if !b.holds(loads) {
		return nil
	}
	base := sum(u)
	for r, n := range loads {
		base += level(r, n)
	}
	same := func(a, b int) bool { return s.class[a] == s.class[b] && loads[a] == loads[b] }
	var list []move
	for from, n := range loads {
		if n == b.low[from] || from+1 < len(loads) && same(from, from+1) {
			continue
		}
		less := level(from, n-1) - level(from, n)
		for to, m := range loads {
			if to == from || m == b.high[to] || to > 0 && same(to, to-1) {
				continue
			}
			if bound := base + less + level(to, m+1) - level(to, m); bound < s.limit() {
				list = append(list, move{from, to, bound})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b move) int { return cmp.Compare(a.bound, b.bound) })
	return list
}

// sum is the sum of the numbers.
func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}
