package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// generalCluster tracks each processor of a cluster by itself, with the memory of its machines and the pools of licences. It serves
// clusters whose machines differ and jobs that ask for more than processors. Where jobs ask something of single machines, it asks nodes whether a machine has that.
//
// Complexity of looking for a slot: O(processors + events · machines) for each speed and bandwidth of the cluster that matters to the
// job. The events are the times tried from the release of enough processors on, until memory and licences are free as well; mostly one
// or two.
type generalCluster struct {
	in        *model.Instance
	cluster   int
	pools     *licencePools
	units     []unit // all processors, by time of release; of one time the higher numbers first
	machines  []machine
	groups    []trackedGroup
	nodes     *nodeCluster    // what is free of the machines over time, memory too; nil: jobs ask nothing of single machines
	whole     bool            // it is the cluster when nothing is held: nodes does not count
	short     bool            // the memory of some machines may run short, and nodes is nil
	earlier   earlier         // where it may: what jobs found
	homes     []int32         // by processor: its machine; −1: it is not tracked
	ids       []int           // scratch
	speeds    []float64       // distinct, descending
	links     []float64       // distinct bandwidths, descending
	marked    []bool          // by processor; scratch
	moved     []unit          // scratch
	search    search          // scratch
	queued    bool            // see queueInstants
	kinds     *kinds          // scratch for many kinds of machines; nil: not needed so far
	idle      *generalCluster // the cluster when nothing is held, for jobs that take no time; nil: not needed so far
	work      int64
	limit     *limit
	untracked []untrackedGroup // machines beyond those that any job can need
}

// untrackedGroup is the number of machines of a group that are not tracked, as no job will ever need them.
type untrackedGroup struct {
	group *model.Machine
	count int
}

// trackedGroup is the number of machines of a group that are tracked.
type trackedGroup struct {
	group *model.Machine
	count int
	short bool // their memory may run short
}

// machine is one machine of the cluster.
type machine struct {
	group  *model.Machine
	number int32    // of the group
	asked  bool     // scratch
	memory *profile // nil: it never runs short
}

// unit is a processor.
type unit struct {
	released           float64
	processor, machine int32
}

// compareUnits orders units as in generalCluster.
func compareUnits(a, b unit) int {
	if a.released == b.released {
		return int(b.processor - a.processor)
	}
	return cmp.Compare(a.released, b.released)
}

// newGeneralCluster makes the empty state. The groups of another state of the cluster tell whether memory may run short; nil: there is none. nodes is the empty state of the
// machines; nil: jobs ask nothing of single machines.
func newGeneralCluster(in *model.Instance, cluster int, pools *licencePools, limit *limit, known []trackedGroup, nodes *nodeCluster) *generalCluster {
	c := &in.Clusters()[cluster]
	g := &generalCluster{in: in, cluster: cluster, pools: pools, limit: limit, nodes: nodes, marked: make([]bool, c.Processors)}
	tracked, units, machines := make([]int, len(c.Machines)), 0, 0
	for k := range c.Machines {
		group := &c.Machines[k]
		tracked[k] = g.tracked(group)
		units, machines = units+tracked[k]*group.Units, machines+tracked[k]
	}
	g.units, g.machines = make([]unit, 0, units), make([]machine, 0, machines)
	g.homes = slices.Repeat([]int32{-1}, c.Processors)
	for k := range c.Machines {
		group := &c.Machines[k]
		short := nodes == nil && (known != nil && known[k].short || known == nil && mayRunShort(in, cluster, group))
		g.groups = append(g.groups, trackedGroup{group, tracked[k], short})
		g.short = g.short || short
		if tracked[k] < group.Count {
			g.untracked = append(g.untracked, untrackedGroup{group, group.Count - tracked[k]})
		}
		for i := range tracked[k] {
			for p := range group.Units {
				g.homes[group.First+i*group.Units+p] = int32(len(g.machines))
				g.units = append(g.units, unit{in.FirstArrival(), int32(group.First + i*group.Units + p), int32(len(g.machines))})
			}
			m := machine{group: group, number: int32(k)}
			if short {
				m.memory = newProfile(group.Memory)
			}
			g.machines = append(g.machines, m)
		}
		g.speeds, g.links = append(g.speeds, group.Speed), append(g.links, group.Bandwidth)
	}
	slices.Reverse(g.units)
	g.speeds, g.links = distinct(g.speeds), distinct(g.links)
	return g
}

// tracked is the number of machines of the group that have to be tracked: all where earlier jobs hold processors of the cluster, or machines of a group differ by what is
// held there.
func (g *generalCluster) tracked(group *model.Machine) int {
	if g.nodes != nil || g.in.HeldUntil(g.cluster) != nil {
		return group.Count
	}
	return Reach(g.in, group.Count)
}

// idleFor is the number of processors of untracked machines that the job could hold.
func (g *generalCluster) idleFor(j *model.Job) int {
	processors := 0
	for _, idle := range g.untracked {
		processors += idle.count * g.in.ProcessorsFor(j, idle.group)
	}
	return processors
}

// start sets the times at which the processors are released.
func (g *generalCluster) start(released []float64) {
	for k := range g.units {
		g.units[k].released = released[g.units[k].processor]
	}
	slices.SortFunc(g.units, compareUnits)
}

// distinct are the values without repetition, in descending order.
func distinct(values []float64) []float64 {
	slices.Sort(values)
	values = slices.Compact(values)
	slices.Reverse(values)
	return values
}

// queueInstants implements clusterState.
func (g *generalCluster) queueInstants() { g.queued = true }

// release implements clusterState.
func (g *generalCluster) release(n int) float64 {
	for _, idle := range g.untracked {
		n -= idle.count * idle.group.Units
	}
	return g.units[max(n, 1)-1].released
}

// earliest implements clusterState. The slowest processor and link that a job holds bound its end. So the method tries, for each speed
// and each bandwidth in turn, the fastest first, the processors with at least that speed and bandwidth, and keeps the slot that ends
// first.
func (g *generalCluster) earliest(job, n int, ready float64) (Slot, bool) {
	if g.nodes != nil {
		if g.in.Jobs()[job].Node().Running != nil {
			return g.nodes.runningSlot(job)
		}
		n = g.nodes.wholeBlocks(job, n)
	}
	best, found := Slot{End: math.Inf(1)}, false
	speeds, links := g.speeds, g.links
	if j := &g.in.Jobs()[job]; j.StatesRuntimes() {
		speeds, links = speeds[len(speeds)-1:], links[len(links)-1:]
	} else if j.Input+j.Output == 0 {
		links = links[len(links)-1:]
	}
	if kinds := len(speeds) * len(links); g.nodes == nil && kinds > 1 && kinds > manyLooks/(len(g.units)+len(g.machines)) {
		return g.earliestOfMany(job, n, ready, links)
	}
	for _, speed := range speeds {
		for _, link := range links {
			if g.ended() {
				return Slot{}, false
			}
			if slot, ok := g.earliestOn(job, n, ready, speed, link, best.End); ok && slot.End < best.End {
				best, found = slot, true
			}
		}
	}
	return best, found
}

// whenIdle is the state of the cluster when no job holds anything.
func (g *generalCluster) whenIdle() *generalCluster {
	if g.idle == nil {
		g.idle = newGeneralCluster(g.in, g.cluster, newLicencePools(g.in), g.limit, g.groups, g.nodes)
		g.idle.queued, g.idle.whole = true, true // there is nothing to wait for
	}
	return g.idle
}

// earliestOn is the slot of the earliest start on processors with at least the given speed and link; false where it might not end before
// the time to beat.
func (g *generalCluster) earliestOn(job, n int, ready, speed, link, beat float64) (Slot, bool) {
	s := &g.search
	if !s.begin(g, job, n, speed, link) {
		return Slot{}, false
	}
	g.work += 60 + 10*int64(len(g.machines))
	if s.length == 0 && !g.queued { // the job takes no time on these processors: it may start at any instant, whatever runs then
		slot, ok := g.whenIdle().earliestOn(job, n, ready, speed, link, beat)
		slot.instant = true
		return slot, ok
	}
	from := s.asked(ready)
	knows := g.short && s.knows() && s.length > 0 && g.limit.among == allMachines
	if knows {
		g.earlier.raise(&from)
		defer func() {
			if !g.limit.ended {
				g.earlier.keep(&from)
			}
		}()
	}
	for t := from.start; model.End(t, s.length) < beat && !g.ended(); {
		from.start = t
		g.work += 10
		s.release(t)
		if s.count < s.size {
			t = s.nextRelease()
			continue
		}
		if later := g.pools.earliest(s.job, g.cluster, t, s.length); later > t {
			t = later
			continue
		}
		if !s.share(t) {
			t = s.next()
			continue
		}
		g.work += 300 + int64(s.seen) + 60*int64(n)
		if g.nodes != nil {
			if slot, ok := s.chooseOnNodes(t); ok {
				return slot, true
			}
			t = s.next()
			continue
		}
		set := s.choose()
		return Slot{Start: t, End: model.End(t, g.in.Duration(job, g.cluster, set)), set: set}, true
	}
	return Slot{}, false
}

// take implements clusterState.
func (g *generalCluster) take(job, n int, set model.ProcessorSet, shares []place.Share, start, end float64) {
	g.hold(&g.in.Jobs()[job], set, start, end)
	if g.nodes != nil {
		g.nodes.take(job, n, set, shares, start, end)
	}
}

// hold takes the processors of the set for the job from start to end.
func (g *generalCluster) hold(job *model.Job, set model.ProcessorSet, start, end float64) {
	moved := g.moved[:0]
	for k := len(set) - 1; k >= 0; k-- {
		for p := set[k].Last; p >= set[k].First; p-- {
			g.marked[p] = true
			moved = append(moved, unit{end, int32(p), g.homes[p]})
		}
	}
	// Only the units from the first that moves up to the new release change their places.
	low, _ := slices.BinarySearchFunc(g.units, start, releasedAfter)
	high, left := low, len(moved)
	for ; left > 0 && low > 0; low-- {
		if g.marked[g.units[low-1].processor] {
			left--
		}
	}
	if left > 0 { // some are released after the start: a job outside the instance holds them
		high = len(g.units)
	}
	more, _ := slices.BinarySearchFunc(g.units[high:], end, releasedAfter)
	units := g.units[low : high+more]
	kept := units[:0]
	for _, u := range units {
		if g.marked[u.processor] {
			g.marked[u.processor] = false
		} else {
			kept = append(kept, u)
		}
	}
	g.work += 2*int64(len(units)) + 20*int64(len(moved))
	// Merge from behind, where there is room for those that moved.
	last := len(kept) - 1
	for at, k := len(units)-1, len(moved)-1; k >= 0; at-- {
		if last >= 0 && compareUnits(moved[k], kept[last]) < 0 {
			units[at] = kept[last]
			last--
		} else {
			units[at] = moved[k]
			k--
		}
	}
	g.moved = moved
	g.useMemory(job.Memory, start, end)
}

// releasedAfter orders a unit before a time if it is released by then. So a search by it finds the first unit released later.
func releasedAfter(u unit, t float64) int {
	if u.released <= t {
		return -1
	}
	return 1
}

// fresh implements clusterState.
func (g *generalCluster) fresh(of *Resources) clusterState {
	var nodes *nodeCluster
	if g.nodes != nil {
		nodes = newNodeCluster(of, g.cluster)
	}
	f := newGeneralCluster(g.in, g.cluster, of.pools, of.limit, g.groups, nodes)
	f.queued = g.queued
	return f
}

// assign implements clusterState.
func (g *generalCluster) assign(other clusterState) {
	from := other.(*generalCluster)
	copy(g.units, from.units)
	g.earlier.assign(&from.earlier)
	if g.nodes != nil {
		g.nodes.assign(from.nodes)
	}
	for k := range g.machines {
		g.machines[k].asked = false
	}
	for _, u := range g.units {
		m := &g.machines[u.machine]
		if m.asked || m.memory == nil {
			continue
		}
		m.asked = true
		m.memory.assignFrom(from.machines[u.machine].memory, u.released)
	}
}

// size implements clusterState.
func (g *generalCluster) size() int {
	bytes := 16*len(g.units) + 64*len(g.machines)
	if g.nodes != nil {
		bytes += g.nodes.size()
	}
	return bytes
}

// worked implements clusterState.
func (g *generalCluster) worked() int64 {
	work := g.work
	if g.nodes != nil && !g.whole {
		work += g.nodes.worked()
	}
	for k := range g.machines {
		if p := g.machines[k].memory; p != nil {
			work += p.work
		}
	}
	return work
}

// useMemory takes memory for each of the processors that moved.
func (g *generalCluster) useMemory(each, start, end float64) {
	if each == 0 {
		return
	}
	for from := 0; from < len(g.moved); { // those of a machine stand together, by number
		m, to := g.moved[from].machine, from
		for to < len(g.moved) && g.moved[to].machine == m {
			to++
		}
		if p := g.machines[m].memory; p != nil {
			p.add(start, end, each*float64(to-from))
		}
		from = to
	}
}
