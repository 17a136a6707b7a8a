package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// generalCluster tracks how many processors of which machines are released over time, with the memory of the machines and the pools of licences. It serves
// clusters whose machines differ and jobs that ask for more than processors. Where jobs ask something of single machines, it asks nodes whether a machine has that.
//
// It tells apart no more than a job can: processors of a part of the cluster are alike, and only their number counts, as on a plain cluster. A part is a group of machines;
// one machine where its memory may run short, a job must stay on one machine or jobs ask something of single machines; and one processor where slots name processors.
//
// Complexity of looking for a slot: O(runs + events · machines) for each speed and bandwidth of the cluster that matters to the job; there are at most as many runs as jobs that
// run at once hold parts, and the parts. The events are the times tried from the release of enough processors on, until memory and licences are free as well; mostly one
// or two.
type generalCluster struct {
	in        *model.Instance
	cluster   int
	pools     *licencePools
	runs      []run // the processors of all parts, by time of release; of one time the later parts first
	parts     []part
	named     bool // each part is a processor, and slots name them
	machines  []machine
	groups    []trackedGroup
	nodes     *nodeCluster    // what is free of the machines over time, memory too; nil: jobs ask nothing of single machines
	whole     bool            // it is the cluster when nothing is held: nodes does not count
	short     bool            // the memory of some machines may run short, and nodes is nil
	earlier   earlier         // where it may: what jobs found
	homes     []int32         // by processor: its part; −1: it is not tracked
	ids       []int           // scratch
	counts    []int32         // scratch, by part: 0
	speeds    []float64       // distinct, descending
	links     []float64       // distinct bandwidths, descending
	moved     []run           // scratch
	search    search          // scratch
	queued    bool            // see queueInstants
	kinds     *kinds          // scratch for many kinds of machines; nil: not needed so far
	idle      *generalCluster // the cluster when nothing is held, for jobs that take no time; nil: not needed so far
	work      int64
	limit     *limit
	untracked []untrackedGroup // machines beyond those that any job can need
	kept      []float64        // by processor: until when a job holds it that runs already; nil: none does
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

// machine is one machine of the cluster, or all machines of a group of which no job tells one from another.
type machine struct {
	group  *model.Machine
	number int32    // of the group
	asked  bool     // scratch
	memory *profile // nil: it never runs short
}

// part is processors of which no job tells one from another.
type part struct {
	machine           int32 // index of the machine that they belong to
	first, processors int32
}

// run is a number of processors of a part, at least one, that are released at one time.
type run struct {
	released    float64
	part, count int32
}

// compareRuns orders runs as in generalCluster.
func compareRuns(a, b run) int {
	if a.released == b.released {
		return int(b.part - a.part)
	}
	return cmp.Compare(a.released, b.released)
}

// newGeneralCluster makes the empty state. The groups of another state of the cluster tell whether memory may run short; nil: there is none. nodes is the empty state of the
// machines; nil: jobs ask nothing of single machines. named says that slots name processors.
func newGeneralCluster(in *model.Instance, cluster int, pools *licencePools, limit *limit, known []trackedGroup, nodes *nodeCluster, named bool) *generalCluster {
	c := &in.Clusters()[cluster]
	g := &generalCluster{in: in, cluster: cluster, pools: pools, limit: limit, nodes: nodes, named: named, homes: slices.Repeat([]int32{-1}, c.Processors)}
	span := in.Features().Has(model.MachineSpan)
	for k := range c.Machines {
		group := &c.Machines[k]
		short := nodes == nil && (known != nil && known[k].short || known == nil && mayRunShort(in, cluster, group))
		alike := !short && !span && !g.named && nodes == nil // the machines are, to all jobs
		tracked := group.Count
		if !alike {
			tracked = g.tracked(group)
		}
		g.groups = append(g.groups, trackedGroup{group, tracked, short})
		g.short = g.short || short
		if tracked < group.Count {
			g.untracked = append(g.untracked, untrackedGroup{group, group.Count - tracked})
		}
		if alike {
			g.addMachine(machine{group: group, number: int32(k)}, group.First, tracked*group.Units)
		} else {
			for i := range tracked {
				m := machine{group: group, number: int32(k)}
				if short {
					m.memory = newProfile(group.Memory)
				}
				g.addMachine(m, group.First+i*group.Units, group.Units)
			}
		}
		g.speeds, g.links = append(g.speeds, group.Speed), append(g.links, group.Bandwidth)
	}
	for k := len(g.parts) - 1; k >= 0; k-- {
		g.runs = append(g.runs, run{in.FirstArrival(), int32(k), g.parts[k].processors})
	}
	g.counts = make([]int32, len(g.parts))
	g.speeds, g.links = distinct(g.speeds), distinct(g.links)
	return g
}

// addMachine adds a machine with the given processors, which are one part or, where slots name them, one part each.
func (g *generalCluster) addMachine(m machine, first, processors int) {
	each := processors
	if g.named {
		each = 1
	}
	for p := first; p < first+processors; p++ {
		if g.homes[p] = int32(len(g.parts)); (p-first)%each == each-1 {
			g.parts = append(g.parts, part{int32(len(g.machines)), int32(p - each + 1), int32(each)})
		}
	}
	g.machines = append(g.machines, m)
}

// tracked is the number of machines of the group that have to be tracked one by one: all where earlier jobs hold processors of the cluster, or machines of a group differ by what
// is held there.
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
	g.runs = g.runs[:0]
	for p, part := range g.homes {
		if part >= 0 {
			g.runs = append(g.runs, run{released[p], part, 1})
		}
	}
	slices.SortFunc(g.runs, compareRuns)
	kept := g.runs[:0]
	for _, r := range g.runs {
		if last := len(kept) - 1; last >= 0 && compareRuns(kept[last], r) == 0 {
			kept[last].count++
		} else {
			kept = append(kept, r)
		}
	}
	g.runs = kept
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
	last, free := 0, int(g.runs[0].count)
	for free < n {
		last++
		free += int(g.runs[last].count)
	}
	return g.runs[last].released
}

// earliest implements clusterState. The slowest processor and link that a job holds bound its end. So the method tries, for each speed
// and each bandwidth in turn, the fastest first, the processors with at least that speed and bandwidth, and keeps the slot that ends
// first.
func (g *generalCluster) earliest(job, n int, ready float64, among Among) (Slot, bool) {
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
	if kinds := len(speeds) * len(links); g.nodes == nil && kinds > 1 && kinds > manyLooks/(len(g.runs)+len(g.machines)) {
		return g.earliestOfMany(job, n, ready, links, among)
	}
	for _, speed := range speeds {
		for _, link := range links {
			if g.ended() {
				return Slot{}, false
			}
			if slot, ok := g.earliestOn(job, n, ready, among.from(speed, link), best.End); ok && slot.End < best.End {
				best, found = slot, true
			}
		}
	}
	return best, found
}

// latestEnd implements clusterState: it is known of a job that may run on all machines and hold all of their processors that are released.
func (g *generalCluster) latestEnd(job, n int, ready float64) float64 {
	j := &g.in.Jobs()[job]
	if g.named || g.nodes != nil || len(g.untracked) > 0 || len(j.Licences) > 0 || j.Memory > 0 || j.Span == model.SpanMachine {
		return math.Inf(1)
	}
	for k := range g.groups {
		if g.in.ProcessorsFor(j, g.groups[k].group) == 0 {
			return math.Inf(1)
		}
	}
	const rounding = 1e-9
	g.work += 30 + int64(len(g.runs))/3
	length := g.in.Busy(job, g.cluster, g.speeds[len(g.speeds)-1], (j.Tasks+n-1)/n) + g.in.Transfer(job, g.links[len(g.links)-1])
	return model.End(max(ready, g.release(n)), length*(1+rounding))
}

// whenIdle is the state of the cluster when no job holds anything.
func (g *generalCluster) whenIdle() *generalCluster {
	if g.idle == nil {
		g.idle = newGeneralCluster(g.in, g.cluster, newLicencePools(g.in), g.limit, g.groups, g.nodes, g.named)
		g.idle.queued, g.idle.whole = true, true // there is nothing to wait for
	}
	return g.idle
}

// earliestOn is the slot of the earliest start on processors of the given machines; false where it might not end before
// the time to beat.
func (g *generalCluster) earliestOn(job, n int, ready float64, among Among, beat float64) (Slot, bool) {
	s := &g.search
	if !s.begin(g, job, n, among) {
		return Slot{}, false
	}
	g.work += 60 + 10*int64(len(g.groups))
	if s.length == 0 && !g.queued { // the job takes no time on these processors: it may start at any instant, whatever runs then
		slot, ok := g.whenIdle().earliestOn(job, n, ready, among, beat)
		slot.instant = true
		return slot, ok
	}
	if !g.short || !s.knows() || s.length == 0 || !math.IsInf(among.Cost, 1) {
		slot, _, ok := g.earliestFrom(job, n, ready, beat)
		return slot, ok
	}
	from := s.asked(ready)
	g.earlier.raise(&from)
	slot, last, ok := g.earliestFrom(job, n, from.start, beat)
	if from.start = last; !g.limit.ended {
		g.earlier.keep(&from)
	}
	return slot, ok
}

// earliestFrom is the slot that the search finds from the time on, and the last time that was tried.
func (g *generalCluster) earliestFrom(job, n int, t, beat float64) (slot Slot, last float64, ok bool) {
	s := &g.search
	for last = t; model.End(t, s.length) < beat && !g.ended(); {
		last = t
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
		g.work += 100 + int64(s.seen)
		if g.nodes != nil {
			g.work += 200 + 40*int64(n)
			if slot, ok := s.chooseOnNodes(t); ok {
				return slot, last, true
			}
			t = s.next()
			continue
		}
		set := s.choose()
		g.work += 20 * int64(len(g.ids))
		return Slot{Start: t, End: model.End(t, g.in.Duration(job, g.cluster, set)), set: set}, last, true
	}
	return Slot{}, last, false
}

// take implements clusterState.
func (g *generalCluster) take(job, n int, set model.ProcessorSet, shares []place.Share, start, end float64) {
	g.hold(&g.in.Jobs()[job], set, start, end)
	if g.nodes != nil {
		g.nodes.take(job, n, set, shares, start, end)
	}
}

// hold takes as many processors of each part as the set has for the job from start to end: the latest-released of those free at the start.
func (g *generalCluster) hold(job *model.Job, set model.ProcessorSet, start, end float64) {
	moved := g.moved[:0]
	g.eachPart(set, func(part, n int32) {
		if k := len(moved) - 1; k >= 0 && moved[k].part == part {
			moved[k].count += n
		} else {
			moved = append(moved, run{end, part, n})
		}
		g.counts[part] += n
	})
	g.moved = moved
	left := len(moved)
	take := func(k int) {
		r := &g.runs[k]
		if n := min(r.count, g.counts[r.part]); n > 0 {
			r.count -= n
			if g.counts[r.part] -= n; g.counts[r.part] == 0 {
				left--
			}
		}
	}
	after := releasedBy(g.runs, start)
	low := after // the runs from here on may change
	for left > 0 && low > 0 {
		low--
		take(low)
	}
	high := after
	for ; left > 0; high++ { // some are released after the start: a job outside the instance holds them
		take(high)
	}
	more := releasedBy(g.runs[high:], end)
	g.work += 2*int64(high+more-low) + 20*int64(len(moved))
	g.useMemory(job.Memory, start, end)
	g.merge(low, high+more, moved)
}

// keep takes note of which processors a job holds that runs already, until it ends.
func (g *generalCluster) keep(set model.ProcessorSet, end float64) {
	if g.kept == nil {
		if g.kept = slices.Clone(g.in.HeldUntil(g.cluster)); g.kept == nil {
			g.kept = slices.Repeat([]float64{g.in.FirstArrival()}, len(g.homes))
		}
	}
	for _, r := range set {
		for p := r.First; p <= r.Last; p++ {
			g.kept[p] = max(g.kept[p], end)
		}
	}
}

// eachPart calls yield with the number of processors that each run of the set has of a part, from the last part to the first.
func (g *generalCluster) eachPart(set model.ProcessorSet, yield func(part, n int32)) {
	for k := len(set) - 1; k >= 0; k-- {
		for last := int32(set[k].Last); last >= int32(set[k].First); {
			part := g.homes[last]
			first := max(g.parts[part].first, int32(set[k].First))
			yield(part, last-first+1)
			last = first - 1
		}
	}
}

// merge removes the empty runs from low to high, and adds more runs there, which are in order.
func (g *generalCluster) merge(low, high int, more []run) {
	kept := low
	for k := low; k < high; k++ {
		if g.runs[k].count > 0 {
			g.runs[kept] = g.runs[k]
			kept++
		}
	}
	fresh := more[:0] // those that join no run of the same part and time
	for k, at := 0, low; k < len(more); k++ {
		for at < kept && compareRuns(g.runs[at], more[k]) < 0 {
			at++
		}
		if at < kept && compareRuns(g.runs[at], more[k]) == 0 {
			g.runs[at].count += more[k].count
		} else {
			fresh = append(fresh, more[k])
		}
	}
	if end := kept + len(fresh); end <= high {
		g.runs = slices.Delete(g.runs, end, high)
	} else {
		g.runs = slices.Insert(g.runs, high, fresh[:end-high]...) // to make room
	}
	for at, k := kept+len(fresh)-1, len(fresh)-1; k >= 0; at-- {
		if kept > low && compareRuns(fresh[k], g.runs[kept-1]) < 0 {
			kept--
			g.runs[at] = g.runs[kept]
		} else {
			g.runs[at] = fresh[k]
			k--
		}
	}
}

// releasedBy is the number of runs that are released by the time.
func releasedBy(runs []run, t float64) int {
	low, high := 0, len(runs)
	for low < high {
		if middle := int(uint(low+high) >> 1); runs[middle].released <= t {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// fresh implements clusterState.
func (g *generalCluster) fresh(of *Resources) clusterState {
	var nodes *nodeCluster
	if g.nodes != nil {
		nodes = newNodeCluster(of, g.cluster)
	}
	f := newGeneralCluster(g.in, g.cluster, of.pools, of.limit, g.groups, nodes, g.named)
	f.queued = g.queued
	return f
}

// assign implements clusterState.
func (g *generalCluster) assign(other clusterState) {
	from := other.(*generalCluster)
	g.runs = append(g.runs[:0], from.runs...)
	g.earlier.assign(&from.earlier)
	if g.nodes != nil {
		g.nodes.assign(from.nodes)
	}
	for k := range g.machines {
		g.machines[k].asked = false
	}
	for _, r := range g.runs {
		at := g.parts[r.part].machine
		m := &g.machines[at]
		if m.asked || m.memory == nil {
			continue
		}
		m.asked = true
		m.memory.assignFrom(from.machines[at].memory, r.released)
	}
}

// size implements clusterState.
func (g *generalCluster) size() int {
	bytes := 16*len(g.runs) + 64*len(g.machines)
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
		at, to, n := g.parts[g.moved[from].part].machine, from, int32(0)
		for ; to < len(g.moved) && g.parts[g.moved[to].part].machine == at; to++ {
			n += g.moved[to].count
		}
		if p := g.machines[at].memory; p != nil {
			p.add(start, end, each*float64(n))
		}
		from = to
	}
}
