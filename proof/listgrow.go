package proof

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
)

// listState is a list of jobs that were placed in its order.
type listState struct {
	key   uint64      // see [listGrowth.keyOf]
	now   int64       // start of the job placed last: no other starts before
	costs int128      // of the jobs; less what idle time costs of all jobs
	nums  []int64     // see [listGrowth.layout]: what may be no later in a list that is as good
	free  [][]release // by resource: when its units become free, ascending
	size  float64     // about the sum of all that: a list that is as good has no larger one
}

// release says that units of a resource are free from a time on.
type release struct{ at, units int64 }

// use is a number of units of a resource that a job holds from its start to its end.
type use struct {
	resource int
	units    int64
}

// listGrowth grows lists of the jobs of some clusters: one that depends on no other, or all together. Resources are the processors of each of them, and pools of
// licences.
type listGrowth struct {
	*listing
	clusters []int
	uses     [][][]use // by cluster and job
	capacity []int64
	before   []uint64 // by job: those of the list that it waits for
	after    []uint64
	assigned bool // lists of the same jobs on other clusters are told apart
	anyone   bool // jobs have costs of their own
	steps    int
	compared int

	// Positions in nums; −1: not there.
	last, lasts, overs, ends int
	numbers                  int
}

// newListGrowth prepares the lists of some clusters.
func newListGrowth(l *listing, clusters []int) *listGrowth {
	g := &listGrowth{listing: l, clusters: clusters, before: make([]uint64, len(l.jobs)), after: make([]uint64, len(l.jobs))}
	for _, c := range clusters {
		g.capacity = append(g.capacity, l.clusters[c].processors)
	}
	pools := map[[2]int]int{} // cluster, −1 for the grid, and licence
	for i, c := range clusters {
		row := make([][]use, len(l.jobs))
		for k, j := range l.jobs {
			row[k] = append(row[k], use{i, l.clusters[c].jobs[k].size})
			if !l.a.Together || l.clusters[c].jobs[k].size == 0 {
				continue
			}
			for _, need := range l.in.Jobs()[j].Licences {
				copies, own := l.in.Pool(c, need.Licence)
				if copies == model.Unlimited || need.Copies == 0 {
					continue
				}
				pool := [2]int{-1, need.Licence}
				if own {
					pool[0] = c
				}
				at, known := pools[pool]
				if !known {
					at = len(g.capacity)
					pools[pool], g.capacity = at, append(g.capacity, int64(copies))
				}
				row[k] = append(row[k], use{at, int64(need.Copies)})
			}
		}
		g.uses = append(g.uses, row)
	}
	if l.a.Together {
		position := map[int]int{}
		for k, j := range l.jobs {
			position[j] = k
		}
		for k, j := range l.jobs {
			for _, b := range l.in.Jobs()[j].After { // it has to be placed too
				g.before[k] |= 1 << position[b]
				g.after[position[b]] |= 1 << k
			}
		}
	}
	g.layout()
	return g
}

// layout says what is where in the numbers of a list: the latest end; the latest end by cluster; the time over deadlines by cluster, for mcp; the end of each job
// for which another waits.
func (g *listGrowth) layout() {
	var idle, shared, over bool
	for _, c := range g.clusters {
		one := g.listing.clusters[c].byJobs[len(g.jobs)]
		idle = idle || g.listing.clusters[c].idle > 0
		shared, over = shared || one != listPrices{}, over || one.over > 0
		for k := range g.exact[c] {
			r := &g.exact[c][k]
			g.anyone = g.anyone || r.fixed != nil && (r.fixed.Sign() > 0 || r.wait.Sign() > 0 || r.steep.Sign() > 0 || r.over.Sign() > 0 || r.late.Sign() > 0)
		}
	}
	g.assigned = shared && len(g.clusters) > 1
	take := func(needed bool, count int) int {
		if !needed {
			return -1
		}
		g.numbers += count
		return g.numbers - count
	}
	g.last = take(g.makespan > 0, 1)
	g.lasts = take(idle || shared, len(g.clusters))
	g.overs = take(over, len(g.clusters))
	g.ends = take(slices.ContainsFunc(g.after, func(x uint64) bool { return x != 0 }), len(g.jobs))
}

// keyOf is the key of lists that are compared: the set of their jobs and, if that matters, the cluster of each.
func (g *listGrowth) keyOf(key uint64, k, i int) uint64 {
	key |= 1 << k
	if g.assigned {
		key |= uint64(i) << (mostListed + 3*k)
	}
	return key
}

// set is the set of the jobs of a key.
func set(key uint64) uint64 { return key & (1<<mostListed - 1) }

// jobsOf is the number of jobs of a list.
func (g *listGrowth) jobsOf(s *listState) int { return bits.OnesCount64(set(s.key)) }

// grow grows all lists, and passes on those that are kept. It is false if there are too many, or the context has ended.
func (g *listGrowth) grow(yield func(*listState)) bool {
	first := listState{nums: make([]int64, g.numbers)}
	for _, units := range g.capacity {
		first.free = append(first.free, []release{{0, units}})
	}
	layer := map[uint64][]listState{0: {first}}
	yield(&first)
	for range g.jobs {
		var keys []uint64
		next := map[uint64][]listState{}
		for key := range layer {
			for k := range g.jobs {
				for i := range g.clusters {
					if key>>k&1 == 0 && g.uses[i][k][0].units > 0 {
						if to := g.keyOf(key, k, i); next[to] == nil {
							next[to], keys = []listState{}, append(keys, to)
						}
					}
				}
			}
		}
		slices.Sort(keys)
		kept := 0
		for _, key := range keys {
			list, ok := g.listsOf(key, layer)
			if kept += len(list); !ok || kept > mostListStates {
				return false
			}
			if len(list) == 0 {
				delete(next, key)
				continue
			}
			next[key] = list
			for n := range list {
				yield(&list[n])
			}
		}
		layer = next
	}
	return true
}

// listsOf are the lists of a key that are kept, made of those with one job less.
func (g *listGrowth) listsOf(key uint64, layer map[uint64][]listState) (list []listState, ok bool) {
	for k := range g.jobs {
		if key>>k&1 == 0 || g.before[k]&^key != 0 {
			continue
		}
		for i := range g.clusters {
			from := key &^ (1 << k)
			if g.assigned {
				if i != int(key>>(mostListed+3*k)&7) {
					continue
				}
				from &^= 7 << (mostListed + 3*k)
			}
			for n := range layer[from] {
				if s, ok := g.place(&layer[from][n], k, i); ok {
					list = append(list, s)
				}
			}
			if len(list) > mostListStates {
				return nil, false
			}
		}
	}
	return g.undominated(list)
}

// place adds job k on cluster i to a list. It is false if the job cannot run there, or if all lists that begin like this cost as much as the target.
func (g *listGrowth) place(s *listState, k, i int) (grown listState, ok bool) {
	c := g.clusters[i]
	job := &g.listing.clusters[c].jobs[k]
	if job.size == 0 {
		return listState{}, false
	}
	start := job.head
	for left := g.before[k]; left != 0; left &= left - 1 {
		start = max(start, s.nums[g.ends+bits.TrailingZeros64(left)])
	}
	grown = listState{key: g.keyOf(s.key, k, i), now: s.now, costs: s.costs, free: s.free}
	if job.low > 0 { // a job of no length needs no room, and no other waits for its start
		start = max(start, s.now)
		for _, u := range g.uses[i][k] {
			start = max(start, freeAt(s.free[u.resource], u.units))
		}
		grown.now = start
	}
	end := start + job.low
	grown.nums = append(make([]int64, 0, g.numbers), s.nums...)
	if g.last >= 0 {
		grown.nums[g.last] = max(grown.nums[g.last], end)
	}
	if g.lasts >= 0 {
		grown.nums[g.lasts+i] = max(grown.nums[g.lasts+i], end)
	}
	if g.overs >= 0 && end > job.due {
		grown.nums[g.overs+i] += end - job.due
	}
	if g.ends >= 0 {
		g.end(&grown, k, end)
	}
	grown.costs = grown.costs.plus(job.cost(start)).minus(product(g.listing.clusters[c].idle*job.size, job.top))
	if job.low > 0 {
		grown.free = slices.Clone(s.free)
		for _, u := range g.uses[i][k] {
			grown.free[u.resource] = held(s.free[u.resource], u.units, start, end)
		}
	}
	return grown, g.atLeast(&grown).below(g.target)
}

// end enters the end of job k. The ends of jobs for which none of the jobs waits that are left do not count.
func (g *listGrowth) end(s *listState, k int, end int64) {
	for left := g.before[k]; left != 0; left &= left - 1 {
		if b := bits.TrailingZeros64(left); g.after[b]&^s.key == 0 {
			s.nums[g.ends+b] = 0
		}
	}
	if g.after[k] != 0 {
		s.nums[g.ends+k] = end
	}
}

// freeAt is when so many units are free.
func freeAt(list []release, units int64) int64 {
	for _, r := range list {
		if units -= r.units; units <= 0 {
			return r.at
		}
	}
	return forever
}

// held are the releases if so many units, those that are free first, are held from start to end. Other units are not used before the start.
func held(list []release, units, start, end int64) []release {
	grown := make([]release, 0, len(list)+2)
	add := func(at, units int64) {
		if n := len(grown); n > 0 && grown[n-1].at == at {
			grown[n-1].units += units
		} else if units > 0 {
			grown = append(grown, release{at, units})
		}
	}
	left, placed := units, false
	for _, r := range list {
		taken := min(left, r.units)
		left -= taken
		if r.units == taken {
			continue
		}
		at := max(start, r.at)
		if !placed && end <= at {
			add(end, units)
			placed = true
		}
		add(at, r.units-taken)
	}
	if !placed {
		add(end, units)
	}
	return grown
}

// jobsOn are the number of jobs that a list has on cluster i, and the processor time that they hold, multiplied by a price.
func (g *listGrowth) jobsOn(s *listState, i int, price func(jobs int) int64) (jobs int, held int128) {
	on := func(k int) bool {
		return s.key>>k&1 == 1 && (!g.assigned || int(s.key>>(mostListed+3*k)&7) == i)
	}
	for k := range g.jobs {
		if on(k) {
			jobs++
		}
	}
	if x := price(jobs); x > 0 {
		for k := range g.jobs {
			if on(k) {
				job := &g.listing.clusters[g.clusters[i]].jobs[k]
				held = held.plus(product(x*job.size, job.top))
			}
		}
	}
	return jobs, held
}

// total is what the list costs if no job is added.
func (g *listGrowth) total(s *listState) int128 {
	sum := g.apart(s)
	if g.last >= 0 {
		sum = sum.plus(product(g.makespan, s.nums[g.last]))
	}
	return sum
}

// apart is the total without the makespan of all clusters.
func (g *listGrowth) apart(s *listState) int128 {
	sum := s.costs
	for i, c := range g.clusters {
		x := &g.listing.clusters[c]
		if g.lasts < 0 {
			continue
		}
		jobs, held := g.jobsOn(s, i, func(jobs int) int64 { return x.byJobs[jobs].idle })
		w := &x.byJobs[jobs]
		sum = sum.plus(product(w.makespan+(w.idle+x.idle)*x.processors, s.nums[g.lasts+i])).minus(held)
		if g.overs >= 0 {
			sum = sum.plus(product(w.over, s.nums[g.overs+i]))
		}
	}
	return sum
}

// atLeast is what every list costs that begins with this one. The idle time of a cluster is at least what its processors were free before they became free
// for the next job. The jobs that are left cost at least what they cost alone.
func (g *listGrowth) atLeast(s *listState) int128 {
	sum, last := s.costs, int64(0)
	for i, c := range g.clusters {
		x := &g.listing.clusters[c]
		if g.lasts < 0 || s.nums[g.lasts+i] == 0 {
			continue
		}
		jobs, held := g.jobsOn(s, i, func(jobs int) int64 { return x.byJobs[jobs].idle })
		w, idle := &x.byJobs[jobs], int128{}.minus(held)
		for _, r := range s.free[i] {
			if x.idle > 0 {
				sum = sum.plus(product(x.idle*r.units, r.at))
			}
			idle = idle.plus(product(w.idle*r.units, r.at))
		}
		if (int128{}).below(idle) {
			sum = sum.plus(idle)
		}
		sum = sum.plus(product(w.makespan, s.nums[g.lasts+i]))
		if g.overs >= 0 {
			sum = sum.plus(product(w.over, s.nums[g.overs+i]))
		}
	}
	if g.last >= 0 {
		last = s.nums[g.last]
	}
	for k := range g.jobs {
		if s.key>>k&1 == 0 && (g.anyone || g.makespan > 0) {
			end, cost := g.left(s, k)
			last, sum = max(last, end), sum.plus(cost)
		}
	}
	return sum.plus(product(g.makespan, last))
}

// left is the least end, and the least cost, of a job that is left: on one of these clusters after the job placed last, or on another.
func (g *listGrowth) left(s *listState, k int) (end int64, cost int128) {
	end, cost = forever, int128{high: math.MaxInt64}
	for c := range g.listing.clusters {
		job := &g.listing.clusters[c].jobs[k]
		if job.size == 0 {
			continue
		}
		start := job.head
		if job.low > 0 && (len(g.clusters) > 1 || c == g.clusters[0]) {
			start = max(start, s.now)
		}
		end = min(end, start+job.low)
		if x := job.cost(start); x.below(cost) {
			cost = x
		}
	}
	return end, cost
}

// undominated drops each list than which another is as good. It is false if the context has ended.
func (g *listGrowth) undominated(list []listState) ([]listState, bool) {
	for n := range list {
		s := &list[n]
		for _, x := range s.nums {
			s.size += float64(x)
		}
		for _, resource := range s.free {
			for _, r := range resource {
				s.size += float64(r.units) * float64(max(s.now, r.at))
			}
		}
	}
	slices.SortFunc(list, func(a, b listState) int {
		switch {
		case a.costs.below(b.costs):
			return -1
		case b.costs.below(a.costs):
			return 1
		}
		return cmp.Compare(a.size, b.size)
	})
	kept := list[:0]
	for n := range list {
		if g.steps++; g.steps%256 == 0 && g.ctx.Err() != nil {
			return nil, false
		}
		s := &list[n]
		k := 0
		for k < len(kept) && !kept[k].dominates(s) {
			k++
		}
		if g.compared += k; g.compared > mostCompared {
			return nil, false
		}
		if k == len(kept) {
			kept = append(kept, *s)
		}
	}
	return slices.Clone(kept), true
}

// dominates says that whatever follows list b can follow list a as early, and at no higher cost. It may miss some.
func (a *listState) dominates(b *listState) bool {
	if a.size > b.size || b.costs.below(a.costs) {
		return false
	}
	for n, x := range a.nums {
		if x > b.nums[n] {
			return false
		}
	}
	for r := range a.free {
		if !a.asFree(b, r) {
			return false
		}
	}
	return true
}

// asFree says that of a resource as many units are free at each time for the jobs that follow list a as for those that follow list b.
func (a *listState) asFree(b *listState, resource int) bool {
	free, needed, k := int64(0), int64(0), 0
	for _, r := range b.free[resource] {
		at := max(b.now, r.at)
		needed += r.units
		for k < len(a.free[resource]) && max(a.now, a.free[resource][k].at) <= at {
			free += a.free[resource][k].units
			k++
		}
		if free < needed {
			return false
		}
	}
	return true
}
