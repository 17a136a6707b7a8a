package bound

import (
	"context"
	"math"
	"slices"
)

// mostCheap is the largest number of jobs of a set that cheapSets looks for, and mostKeyed the largest number of jobs of an instance that it treats.
const (
	mostCheap = 7
	mostKeyed = 64
	mostKnown = 1 << 20 // sets whose costs are kept
	areaParts = 5       // how finely the bound by area is mixed with that by orders
)

// cheapSets finds the cheapest sets of few jobs on a cluster, at prices of the jobs. It is part of the method priced-counts, see
// [counts.Few].
//
// Let the set S of n jobs run on a cluster of m processors. With the best makespan and time over deadlines it costs
//
//	q·(H·makespan + w_o·late − w_i·area) − Σ u_j,  H = w_m + w_i·m,  q = n/(p·W)
//
// The search adds jobs to a set, the longest first. It leaves a set out if a mixture of two bounds is not below the limit: the makespan is at least the
// area/m, and a set costs at least what its first jobs do in the best of their orders. For both, the jobs to come are the cheapest.
//
// Complexity: exponential in n; the search stops after the steps it is given.
type cheapSets struct {
	*clusterSets
	jobs  []int // that can run on the cluster, by execution time, longest first
	known map[uint64]orderedCost
	last  [mostCheap + 1][][]int // by number of jobs: sets found lately
	steps int64
}

// orderedCost is what a set costs at least in all orders.
type orderedCost struct {
	least float64
	exact bool
}

// cheapSets prepares the sets of each cluster.
func (r *Relaxation) cheapSets() []*cheapSets {
	if len(r.must) > mostKeyed || !r.solid || r.shrinksIdle() {
		return nil
	}
	list := make([]*cheapSets, len(r.in.Clusters()))
	for c := range list {
		sets := r.setsOn(c)
		list[c] = &cheapSets{clusterSets: &sets, known: map[uint64]orderedCost{}}
		for _, j := range slices.Backward(sets.longest) {
			if sets.runs[j] {
				list[c].jobs = append(list[c].jobs, j)
			}
		}
	}
	return list
}

// Most implements [counts.Few].
func (c *cheapSets) Most() int { return min(mostCheap, len(c.jobs)) }

// Size implements [counts.Few].
func (c *cheapSets) Size() float64 { return c.size() }

// Least implements [counts.Few].
func (c *cheapSets) Least(ctx context.Context, n int, prices []float64, have, limit float64, steps int64) (value float64, set []int, used int64, ok bool) {
	before := c.steps
	s := cheapSearch{cheapSets: c, n: n, q: float64(n) * c.unit, prices: prices, best: limit, most: c.steps + steps}
	for _, last := range c.last[n] {
		if v := s.value(last); v < s.best {
			s.best, s.set = v, last
		}
	}
	if s.best > have {
		s.prepare()
		s.extend(ctx, 0, chosenJobs{})
		if s.set != nil {
			kept := slices.DeleteFunc(c.last[n], func(last []int) bool { return slices.Equal(last, s.set) })
			c.last[n] = append([][]int{s.set}, kept[:min(len(kept), 7)]...)
		}
	}
	return s.best, s.set, c.steps - before, c.steps < s.most && s.q > 0
}

// cheapSearch is a search for a set of n jobs.
type cheapSearch struct {
	*cheapSets
	n      int
	q      float64
	prices []float64
	best   float64 // cost of the set, or the limit
	set    []int
	rest   [areaParts][][]float64 // by part of the bound by area, position in jobs and number of jobs: least sum of the jobs from there on
	chosen []int
	most   int64 // steps
}

// chosenJobs are sums over the jobs of a set that is not complete.
type chosenJobs struct {
	area, prices, late float64
	both               float64 // at least what the makespan and the time over deadlines cost
}

// prepare computes what the jobs to come cost at least.
func (s *cheapSearch) prepare() {
	w, m := s.cluster.Weights, float64(s.cluster.Processors)
	for b := range s.rest {
		byArea := float64(b) / (areaParts - 1) * (w.Makespan + w.IdleTime*m) / m
		least := make([]float64, 0, s.n+1)
		s.rest[b] = make([][]float64, len(s.jobs)+1)
		for a := len(s.jobs); a >= 0; a-- {
			if a < len(s.jobs) {
				j := s.jobs[a]
				v := s.q*(byArea-w.IdleTime)*s.area[j] - s.prices[j]
				at, _ := slices.BinarySearch(least, v)
				least = slices.Insert(least, at, v)
				least = least[:min(s.n, len(least))]
			}
			row := make([]float64, s.n+1)
			for k := range s.n {
				row[k+1] = math.Inf(1)
				if k < len(least) {
					row[k+1] = row[k] + least[k]
				}
			}
			s.rest[b][a] = row
		}
	}
}

// bound is what the set costs at least with jobs from position a on.
func (s *cheapSearch) bound(a int, at chosenJobs) float64 {
	w, m := s.cluster.Weights, float64(s.cluster.Processors)
	byArea := (w.Makespan+w.IdleTime*m)/m*at.area + w.OverDeadline*at.late
	more := math.Inf(-1)
	for b := range s.rest {
		part := float64(b) / (areaParts - 1)
		more = max(more, s.q*(part*byArea+(1-part)*at.both)+s.rest[b][a][s.n-len(s.chosen)])
	}
	return more - s.q*w.IdleTime*at.area - at.prices
}

// extend adds jobs from position a on.
func (s *cheapSearch) extend(ctx context.Context, a int, at chosenJobs) {
	if len(s.chosen) == s.n {
		if v := s.value(s.chosen); v < s.best {
			s.best, s.set = v, slices.Clone(s.chosen)
		}
		return
	}
	for ; a < len(s.jobs) && s.bound(a, at) < s.best; a++ {
		if s.steps++; s.steps >= s.most || s.steps%1024 == 0 && ctx.Err() != nil {
			s.most = s.steps
			return
		}
		j := s.jobs[a]
		next := chosenJobs{area: at.area + s.area[j], prices: at.prices + s.prices[j], late: at.late + max(0, s.end[j]-s.due[j])}
		next.both = max(at.both, s.weigh(s.end[j], next.late))
		s.chosen = append(s.chosen, j)
		cheap := s.bound(a+1, next) < s.best
		if k := len(s.chosen); cheap && k > 1 && k < s.n && k <= leastOrdered {
			enough := (s.best + s.q*s.cluster.Weights.IdleTime*next.area + next.prices - s.rest[0][a+1][s.n-k]) / s.q
			next.both = max(next.both, s.ordered(s.chosen, enough))
			cheap = s.bound(a+1, next) < s.best
		}
		if cheap {
			s.extend(ctx, a+1, next)
		}
		s.chosen = s.chosen[:len(s.chosen)-1]
	}
}

// value is what the set costs, or at least the best so far.
func (s *cheapSearch) value(set []int) float64 {
	if s.q == 0 {
		return math.Inf(1)
	}
	v := 0.0
	for _, j := range set {
		v -= s.q*s.cluster.Weights.IdleTime*s.area[j] + s.prices[j]
	}
	return v + s.q*s.ordered(set, (s.best-v)/s.q)
}

// ordered is what the makespan and the time over deadlines of the set cost in the best order, or something from the limit up to that.
func (c *cheapSets) ordered(set []int, limit float64) float64 {
	key := uint64(0)
	for _, j := range set {
		key |= 1 << j
	}
	known, ok := c.known[key]
	if ok && (known.exact || known.least >= limit) {
		return known.least
	}
	o := cheapOrders{cheapSets: c, jobs: set, least: limit}
	o.extend(0, 0, 0, 0, 0)
	if len(c.known) >= mostKnown {
		clear(c.known)
	}
	c.known[key] = orderedCost{o.least, o.least < limit}
	return o.least
}

// cheapOrders looks for the cheapest list schedule of a set of jobs.
type cheapOrders struct {
	*cheapSets
	jobs  []int
	least float64
	run   running
	at    [mostCheap]int // positions of the jobs placed
}

// extend adds each job that is left to a list schedule of n jobs, of which the last started at the time last. Jobs that start together come in one order only.
//
// The jobs that are left start at the time last at the earliest, so what was idle before stays idle.
func (o *cheapOrders) extend(n, used int, last, makespan, late float64) {
	o.steps++
	if n == len(o.jobs) {
		o.least = min(o.least, o.weigh(makespan, late))
		return
	}
	held := 0.0 // processor time after last
	for _, r := range o.run[:n] {
		held += float64(r.size) * max(0, r.end-last)
	}
	first, sum := makespan, late // bounds of the makespan and the time over deadlines
	for i, j := range o.jobs {
		if used>>i&1 == 0 {
			end := max(last, o.start[j]) + o.durations[j]
			held, first, sum = held+o.area[j], max(first, end), sum+max(0, end-o.due[j])
		}
	}
	if o.weigh(max(first, last+held/float64(o.cluster.Processors)), sum) >= o.least {
		return
	}
	for i, j := range o.jobs {
		if used>>i&1 == 1 {
			continue
		}
		start := o.next(&o.run, n, j, last)
		if n > 0 && start == last && i < o.at[n-1] {
			continue
		}
		end := o.run[n].end
		o.at[n] = i
		o.extend(n+1, used|1<<i, start, max(makespan, end), late+max(0, end-o.due[j]))
	}
}
