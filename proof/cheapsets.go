package proof

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
)

// This file verifies what sets of few jobs cost at least on a cluster, at prices of the jobs, for bounds of mcp by the numbers of jobs. No set of n jobs may
// have a lower
//
//	n·(H·makespan + w_o·late − w_i·(processor time)) − p·Σu
//
// where the first two are what its best order costs, see partitions. The search adds jobs to a set, the longest first, and leaves a set out where a mixture of
// two bounds reaches the least: by area, and by the orders of the jobs so far; the jobs to come are the cheapest. Weights, times and costs are rounded down.

const (
	mostCheap     = 8       // jobs of a set
	mostKeyed     = 64      // jobs of the instance
	mostSetSteps  = 1 << 33 // of all searches together: some minutes
	mostKeptCosts = 1 << 20
	mixtures      = 4
)

// cheapSets looks for cheap sets of jobs on a cluster.
type cheapSets struct {
	*timetable
	weighed
	processors int64
	cluster    int
	jobs       []int // that can run there, the longest first
	kept       map[uint64]keptCost
	steps      *int64

	// Of one search.
	unit        [2]uint // binary digits that are dropped before and after the cost is multiplied by the number of jobs
	n           int
	target      int64
	area, other []int64     // by job: its part of n·H·area/m, and what it costs otherwise, less its price
	late        []int64     // by job: n·w_o·late, if it runs alone
	rest        [][][]int64 // by mixture, position and number of jobs: the least sum from there on
	chosen      []int
}

// keptCost is what the makespan and the time over deadlines of a set cost in its best order, or a lower bound of that.
type keptCost struct {
	least int128
	exact bool
}

// mostOfSets limits what the sets of jobs cost on a cluster: they end at the latest when all jobs have run one after the other.
func (t *countTree) mostOfSets(c int, w weighed) float64 {
	end, held, late := int64(0), int128{}, int128{}
	for j := range t.length {
		end = max(end, t.head[j])
	}
	for j := range t.length {
		end += t.length[j][c].low
	}
	for j := range t.length {
		run := t.length[j][c]
		held = held.plus(product(w.busy*int64(run.size), run.top))
		late = late.plus(product(w.over, max(0, end-t.due[j])))
	}
	return product(w.height, end).magnitude() + held.magnitude() + late.magnitude()
}

// setFloors verifies what is stated of sets at prices, and takes it over.
func (t *countTree) setFloors(k int, prices, units grid, cut uint, step string) error {
	stated, clusters := t.a.Prices[k].Sets, len(t.in.Clusters())
	if t.floor = t.floors[k]; t.floor != nil {
		return nil
	}
	t.floor = make([][]int64, clusters)
	if stated != nil && len(stated) != clusters {
		return refute(step+".sets", "expected %d clusters, found %d", clusters, len(stated))
	}
	jobs := len(t.job)
	for c, floors := range stated {
		if len(floors) == 0 {
			continue
		}
		if jobs > mostKeyed {
			return doubt(step+".sets", "sets of more than %d jobs are not covered", mostKeyed)
		}
		s := t.cheapSets(c, t.weigh(c, prices))
		s.unit, t.floor[c] = [2]uint{cut, t.unit}, slices.Repeat([]int64{-closed}, jobs+1)
		for i, floor := range floors {
			at := fmt.Sprintf("%s.sets[%d][%d]", step, c, i)
			switch {
			case floor.Jobs < 1 || floor.Jobs > jobs:
				return refute(at+".jobs", "expected a number of jobs from 1 to %d", jobs)
			case floor.Jobs > mostCheap:
				return doubt(at+".jobs", "sets of more than %d jobs are not covered", mostCheap)
			}
			target := units.down(new(big.Rat).Mul(number(floor.Least), big.NewRat(int64(jobs), 1)))
			cheaper, ok := s.cheaper(floor.Jobs, target, t.job)
			if !ok {
				return doubt(at, "the check was cut off")
			}
			if cheaper != nil {
				return refute(at+".least", "the jobs %v cost less together", cheaper)
			}
			t.floor[c][floor.Jobs] = max(t.floor[c][floor.Jobs], target)
		}
	}
	t.floors[k] = t.floor
	return nil
}

// cheapSets are the sets of a cluster at the weights. Costs of sets are kept as long as these are the same.
func (t *countTree) cheapSets(c int, w weighed) *cheapSets {
	if s := t.cheap[c]; s != nil && s.weighed == w {
		return s
	}
	s := &cheapSets{timetable: t.timetable, weighed: w, cluster: c, processors: int64(t.in.Clusters()[c].Processors), kept: map[uint64]keptCost{}, steps: &t.steps}
	for j := range t.length {
		if t.length[j][c].size > 0 {
			s.jobs = append(s.jobs, j)
		}
	}
	slices.SortStableFunc(s.jobs, func(a, b int) int { return cmp.Compare(t.length[b][c].low, t.length[a][c].low) })
	t.cheap[c] = s
	return s
}

// times is n·x in units, rounded down.
func (s *cheapSets) times(x int128) int64 {
	return product(int64(s.n), x.down(s.unit[0])).down(s.unit[1])
}

// cheaper is a set of n jobs that costs less than the target; nil: there is none.
func (s *cheapSets) cheaper(n int, target int64, prices []int64) (set []int, ok bool) {
	jobs := len(s.length)
	s.n, s.target, s.chosen = n, target, s.chosen[:0]
	s.area, s.other, s.late = make([]int64, jobs), make([]int64, jobs), make([]int64, jobs)
	for _, j := range s.jobs {
		run := s.length[j][s.cluster]
		s.area[j] = s.times(product(s.past*int64(run.size), run.low))
		s.other[j] = s.times(int128{}.minus(product(s.busy*int64(run.size), run.top))) - prices[j]
		s.late[j] = s.times(product(s.weighed.over, max(0, s.head[j]+run.low-s.due[j])))
	}
	s.rest = make([][][]int64, mixtures+1)
	for b := range s.rest {
		s.rest[b] = make([][]int64, len(s.jobs)+1)
		var values []int64
		for a := len(s.jobs); ; a-- {
			row := slices.Repeat([]int64{closed}, n+1)
			row[0] = 0
			for k := range min(n, len(values)) {
				row[k+1] = row[k] + values[k]
			}
			if s.rest[b][a] = row; a == 0 {
				break
			}
			j := s.jobs[a-1]
			values = append(values, s.other[j]+s.area[j]/mixtures*int64(b))
			slices.Sort(values)
			values = values[:min(n, len(values))]
		}
	}
	return s.extend(0, partSums{})
}

// partSums are sums over the jobs of a set that is not complete, in units.
type partSums struct {
	area, other, late int64
	both              int128
}

// reaches says whether every set with more jobs from position a on costs at least the target.
func (s *cheapSets) reaches(a int, at partSums) bool {
	both, missing := s.times(at.both), s.n-len(s.chosen)
	for b := range s.rest {
		if s.rest[b][a][missing] >= closed {
			return true
		}
		mixed := (at.area+at.late)/mixtures*int64(b) + both/mixtures*int64(mixtures-b)
		if at.other+mixed+s.rest[b][a][missing] >= s.target {
			return true
		}
	}
	return false
}

// extend adds jobs from position a on.
func (s *cheapSets) extend(a int, at partSums) (set []int, ok bool) {
	if len(s.chosen) == s.n {
		if s.complete() {
			return nil, true
		}
		return slices.Clone(s.chosen), true
	}
	for ; a < len(s.jobs) && !s.reaches(a, at); a++ {
		if *s.steps++; *s.steps > mostSetSteps || *s.steps%1024 == 0 && s.ctx.Err() != nil {
			return nil, false
		}
		j := s.jobs[a]
		run := s.length[j][s.cluster]
		end := s.head[j] + run.low
		next := partSums{area: at.area + s.area[j], other: at.other + s.other[j], late: at.late + s.late[j], both: at.both}
		if x := product(s.height, end).plus(product(s.weighed.over, max(0, end-s.due[j]))); next.both.below(x) {
			next.both = x
		}
		s.chosen = append(s.chosen, j)
		reached := s.reaches(a+1, next)
		if k := len(s.chosen); !reached && k > 1 && k < s.n && k <= 5 {
			if x := s.ordered(s.chosen, s.wide(s.target-next.other-s.rest[0][a+1][s.n-k]+mixtures)); next.both.below(x) {
				next.both = x
			}
			reached = s.reaches(a+1, next)
		}
		if !reached {
			if set, ok = s.extend(a+1, next); set != nil || !ok {
				return set, ok
			}
		}
		s.chosen = s.chosen[:len(s.chosen)-1]
	}
	return nil, true
}

// complete says whether the set chosen costs at least the target.
func (s *cheapSets) complete() bool {
	other := int64(0)
	for _, j := range s.chosen {
		other += s.other[j]
	}
	return s.times(s.ordered(s.chosen, s.wide(s.target-other)))+other >= s.target
}

// wide is the least x for which n·x in units is at least the value; impossible: it is too large.
func (s *cheapSets) wide(value int64) int128 {
	if value <= 0 {
		return int128{}
	}
	if s.unit[0] > 62 || s.unit[1] > 62 {
		return impossible
	}
	x := product(value, 1<<s.unit[1])
	if x.high >= int64(s.n) {
		return impossible
	}
	quotient, left := bits.Div64(uint64(x.high), x.low, uint64(s.n))
	if left > 0 {
		quotient++
	}
	if quotient >= closed {
		return impossible
	}
	return product(int64(quotient), 1<<s.unit[0])
}

// ordered is what the makespan and the time over deadlines of the set cost in its best order, or something from the limit up to that.
func (s *cheapSets) ordered(set []int, limit int128) int128 {
	key := uint64(0)
	for _, j := range set {
		key |= 1 << j
	}
	kept, ok := s.kept[key]
	if ok && (kept.exact || !kept.least.below(limit)) {
		return kept.least
	}
	o := bestOrder{cheapSets: s, order: listed{timetable: s.timetable, cluster: s.cluster, jobs: set}, best: limit}
	o.extend(0, 0, 0, 0, 0)
	if len(s.kept) >= mostKeptCosts {
		clear(s.kept)
	}
	s.kept[key] = keptCost{o.best, o.best.below(limit)}
	return o.best
}

// bestOrder looks for the order of a set of jobs that costs least.
type bestOrder struct {
	*cheapSets
	order  listed
	best   int128
	placed [mostCheap]int // positions in the jobs of the order
}

// extend adds each job that is left to the first n, of which the last starts at the time last. The jobs that are left start no earlier.
//
// Of two jobs that start together, one after the other in the order, the one that is earlier in jobs comes first: in the other order neither starts later.
func (o *bestOrder) extend(n, used int, last, makespan, late int64) {
	*o.steps++
	if n == len(o.order.jobs) {
		if x := o.both(makespan, late); x.below(o.best) {
			o.best = x
		}
		return
	}
	least, lateness, held := makespan, late, int128{} // held: processor time after last
	for i, j := range o.order.jobs {
		run := o.length[j][o.cluster]
		if used>>i&1 == 1 {
			held = held.plus(product(int64(run.size), max(0, o.order.ends[i]-last)))
			continue
		}
		end := max(last, o.head[j]) + run.low
		held = held.plus(product(int64(run.size), run.low))
		least, lateness = max(least, end), lateness+max(0, end-o.due[j])
	}
	quotient, _ := bits.Div64(uint64(held.high), held.low, uint64(o.processors)) // no job has more processors
	if hope := o.both(max(least, last+int64(quotient)), lateness); !hope.below(o.best) {
		return
	}
	for i, j := range o.order.jobs {
		if used>>i&1 == 1 {
			continue
		}
		start := o.order.start(i, used, last)
		if n > 0 && start == last && i < o.placed[n-1] {
			continue
		}
		o.order.ends[i], o.placed[n] = start+o.length[j][o.cluster].low, i
		o.extend(n+1, used|1<<i, start, max(makespan, o.order.ends[i]), late+max(0, o.order.ends[i]-o.due[j]))
	}
}
