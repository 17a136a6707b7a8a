package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// manyLooks is the number of machines and processors up to which a general cluster looks at all of them for each of its speeds and bandwidths.
// Above it, the cluster first finds out which speeds and bandwidths can give the slot that ends first.
const manyLooks = 1 << 20

// kinds is what a general cluster with many kinds of machines keeps to look for a slot.
type kinds struct {
	speeds, links []int32 // by machine: the position of its speed and of its bandwidth in those of the cluster

	hosts []int32 // scratch, by machine: the position of its rung; −1: the job cannot run there or the machine is not asked for
	runs  []int32 // scratch: the positions of the runs, those of a rung together
	alive []bool  // scratch, by run
	count []int32 // scratch: by rung; for a job that stays on one machine: by machine
}

// rung is the machines whose speed, or whose bandwidth, is at least a value.
type rung struct {
	free    float64 // the earliest time at which enough of their processors are released; +Inf: never
	slowest float64 // least speed of those that the job can hold; +Inf: there is none
	link    float64 // their least bandwidth
	fastest float64 // their greatest bandwidth
	own     bool    // a machine that the job can hold has just the value
}

// newKinds looks up the speeds and bandwidths of the machines.
func newKinds(g *generalCluster) *kinds {
	k := &kinds{speeds: make([]int32, len(g.machines)), links: make([]int32, len(g.machines)), hosts: make([]int32, len(g.machines))}
	for m := range g.machines {
		group := g.machines[m].group
		if m > 0 && group == g.machines[m-1].group {
			k.speeds[m], k.links[m] = k.speeds[m-1], k.links[m-1]
			continue
		}
		k.speeds[m], k.links[m] = position(g.speeds, group.Speed), position(g.links, group.Bandwidth)
	}
	return k
}

// position is the position of the value in values, which descend and hold it.
func position(values []float64, value float64) int32 {
	at, _ := slices.BinarySearchFunc(values, value, func(a, b float64) int { return cmp.Compare(b, a) })
	return int32(at)
}

// earliestOfMany is earliest for a cluster with many kinds of machines. It gives the same slot. A speed whose machines are released too late, or
// are too slow, to end the job before the best slot so far cannot improve it; the same holds for each bandwidth.
//
// Complexity: O(processors) for the speeds, and O(processors) for each speed and each bandwidth that improves the slot. The release of
// processors has to become earlier from improvement to improvement, so that there are at most as many as releases, and mostly one or two.
// If bandwidth matters, O(processors) for each speed that is not ruled out.
func (g *generalCluster) earliestOfMany(job, n int, ready float64, links []float64, among Among) (Slot, bool) {
	if g.kinds == nil {
		g.kinds = newKinds(g)
	}
	best, found := Slot{End: math.Inf(1)}, false
	try := func(speed, link float64) {
		if slot, ok := g.earliestOn(job, n, ready, among.from(speed, link), best.End); ok && slot.End < best.End {
			best, found = slot, true
		}
	}
	improves := func(r *rung, link float64) bool {
		return r.own && g.mayEnd(job, n, ready, r, link) < best.End && !g.ended()
	}
	for k, r := range g.rungs(job, n, g.kinds.speeds, len(g.speeds), math.MaxInt32, among) {
		switch {
		case !improves(&r, r.fastest):
		case len(links) == 1:
			if improves(&r, r.link) {
				try(g.speeds[k], links[0])
			}
		default:
			for l, r := range g.rungs(job, n, g.kinds.links, len(g.links), int32(k), among) {
				if improves(&r, r.link) {
					try(g.speeds[k], g.links[l])
				}
			}
		}
	}
	if g.limit.ended {
		return Slot{}, false
	}
	return best, found
}

// mayEnd is a time before which the job cannot end on n processors of the rung with the given bandwidth.
func (g *generalCluster) mayEnd(job, n int, ready float64, r *rung, link float64) float64 {
	j := &g.in.Jobs()[job]
	length := g.in.Busy(job, g.cluster, r.slowest, (j.Tasks+n-1)/n) + g.in.Transfer(job, link)
	if length == 0 && !g.queued {
		return ready
	}
	return model.End(g.pools.earliest(j, g.cluster, max(ready, r.free), length), length)
}

// rungs are the machines by the number of values, from the greatest value on: those of the first value, of the first two and so on. of has the
// position of the value of each machine. Machines that are slower than the speed at the position most are left out, and so are those that are not among the given ones.
//
// Complexity: O(processors + values).
func (g *generalCluster) rungs(job, n int, of []int32, values int, most int32, among Among) []rung {
	rungs := make([]rung, values)
	for k := range rungs {
		rungs[k] = rung{free: math.Inf(1), slowest: math.Inf(1), link: math.Inf(1)}
	}
	j, hosts, can := &g.in.Jobs()[job], g.kinds.hosts, 0
	for m := range g.machines {
		group := g.machines[m].group
		if m == 0 || group != g.machines[m-1].group {
			can = g.in.ProcessorsFor(j, group)
		}
		if hosts[m] = -1; can == 0 || g.kinds.speeds[m] > most || !among.has(group) {
			continue
		}
		hosts[m] = of[m]
		r := &rungs[of[m]]
		r.own, r.slowest, r.link, r.fastest = true, min(r.slowest, group.Speed), min(r.link, group.Bandwidth), max(r.fastest, group.Bandwidth)
	}
	for k := 1; k < values; k++ {
		r, before := &rungs[k], &rungs[k-1]
		r.slowest, r.link, r.fastest = min(r.slowest, before.slowest), min(r.link, before.link), max(r.fastest, before.fastest)
	}
	if g.work += int64(10*len(g.machines) + 5*len(g.runs)); j.Span == model.SpanMachine && g.in.Features().Has(model.MachineSpan) {
		g.releasedOfOne(n, rungs)
	} else {
		g.released(n, rungs)
	}
	return rungs
}

// released finds the release of n processors of each rung. It begins with all rungs and takes away the processors of one after another.
func (g *generalCluster) released(n int, rungs []rung) {
	k := g.kinds
	k.count = append(k.count[:0], make([]int32, len(rungs)+1)...)
	k.runs, k.alive = slices.Grow(k.runs[:0], len(g.runs))[:len(g.runs)], slices.Grow(k.alive[:0], len(g.runs))[:len(g.runs)]
	for at, r := range g.runs {
		host := k.hosts[g.parts[r.part].machine]
		if k.alive[at] = host >= 0; host >= 0 {
			k.count[host+1]++
		}
	}
	for r := range rungs {
		k.count[r+1] += k.count[r]
	}
	next := k.count // where the next run of each rung goes; behind the loop: where the runs of the rung end
	for at, r := range g.runs {
		if host := k.hosts[g.parts[r.part].machine]; host >= 0 {
			k.runs[next[host]] = int32(at)
			next[host]++
		}
	}
	at := -1 // the position of the run with the n-th processor to be released
	for r, missing := len(rungs)-1, n; r >= 0; r-- {
		for ; missing > 0 && at+1 < len(g.runs); at++ {
			if k.alive[at+1] {
				missing -= int(g.runs[at+1].count)
			}
		}
		if missing > 0 {
			return // the rungs above have fewer still
		}
		rungs[r].free = g.runs[at].released
		begin := int32(0)
		if r > 0 {
			begin = next[r-1]
		}
		for _, gone := range k.runs[begin:next[r]] {
			if k.alive[gone] = false; int(gone) <= at {
				missing += int(g.runs[gone].count)
			}
		}
	}
}

// releasedOfOne finds the release of n processors of one machine of each rung.
func (g *generalCluster) releasedOfOne(n int, rungs []rung) {
	k := g.kinds
	k.count = append(k.count[:0], make([]int32, len(g.machines))...)
	for _, one := range g.runs {
		m := g.parts[one.part].machine
		before := int(k.count[m])
		if k.count[m] += one.count; before < n && int(k.count[m]) >= n && k.hosts[m] >= 0 {
			r := &rungs[k.hosts[m]]
			r.free = min(r.free, one.released)
		}
	}
	for r := 1; r < len(rungs); r++ {
		rungs[r].free = min(rungs[r].free, rungs[r-1].free)
	}
}
