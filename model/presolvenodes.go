package model

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// The rules about what machines and pools have and jobs hold of it.

// licences: where a pool has copies for all jobs at once, it never runs short; a need that nothing limits goes. What a machine does not run stays a reason.
func (r *reducer) licences() {
	if r.asks&asksLicences == 0 || r.use&(Scoring|Licensed) != 0 || r.minimises("licence_usage") {
		return
	}
	asked := make([]int, len(r.in.licences)) // copies of all jobs together
	for d, demand := range r.demands {
		for _, need := range demand.Licences {
			asked[need.Licence] += min(need.Copies, math.MaxInt32) * r.classes[d].jobs
		}
	}
	ample := make([]bool, len(r.in.licences))
	for l := range ample {
		ample[l] = true
		for c := range r.in.clusters {
			copies, _ := r.in.Pool(c, l)
			ample[l] = ample[l] && copies >= asked[l]
		}
	}
	left, jobs := make([]bool, len(ample)), 0 // needs of the licence stay, for a machine does not run it
	for d, demand := range r.demands {
		var kept []Need
		for k, need := range demand.Licences {
			goes := ample[need.Licence]
			if goes && r.sites.licences && demand.running() == nil {
				rest := *demand
				rest.Licences = append(slices.Clone(kept), demand.Licences[k+1:]...)
				goes = r.onAll(&rest, func(m *Machine) bool { return m.Runs(need.Licence) })
			}
			if !goes {
				kept = append(kept, need)
				left[need.Licence] = true
			}
		}
		if len(kept) < len(demand.Licences) {
			r.edit(d).Licences = kept
			jobs += r.classes[d].jobs
		}
	}
	pools, licences := 0, 0 // pools that limit nothing any more
	for l := range ample {
		if ample[l] && asked[l] > 0 {
			licences++
		}
		if !ample[l] || !left[l] {
			continue
		}
		if r.in.licences[l].Copies != Unlimited {
			r.in.licences = slices.Clone(r.in.licences)
			r.in.licences[l].Copies = Unlimited
			pools++
		}
		for c := range r.in.clusters {
			if own := r.in.clusters[c].pools; own != nil && own[l] >= 0 && own[l] != Unlimited {
				cluster := r.cluster(c)
				cluster.pools = slices.Clone(own)
				cluster.pools[l] = Unlimited
				pools++
			}
		}
	}
	if jobs+pools > 0 {
		r.applied("licences: the pools of %s have copies for all jobs at once; %s without the need", numtext.CountedGrouped(licences, "licence"), counted(jobs))
	}
}

// bandwidth: where no job moves data, and none asks for more bandwidth than every machine offers, machines do not differ by it.
func (r *reducer) bandwidth() {
	if r.use&Scoring != 0 || math.IsInf(r.sites.slowestLink, 1) {
		return
	}
	if r.asks&asksTransfer != 0 {
		return
	}
	if r.asks&asksBandwidth != 0 {
		if slices.ContainsFunc(r.demands, func(d *Demand) bool { return d.MinBandwidth > r.sites.slowestLink }) {
			return
		}
		for d, demand := range r.demands {
			if demand.MinBandwidth > 0 {
				r.edit(d).MinBandwidth = 0
			}
		}
	}
	groups := 0
	for c := range r.in.clusters {
		if !slices.ContainsFunc(r.in.clusters[c].Machines, func(m Machine) bool { return !math.IsInf(m.Bandwidth, 1) }) {
			continue
		}
		cluster := r.cluster(c)
		cluster.Uniform = true
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			if !math.IsInf(m.Bandwidth, 1) {
				m.Bandwidth = math.Inf(1)
				groups++
			}
			cluster.Uniform = cluster.Uniform && m.Speed == cluster.Machines[0].Speed
		}
	}
	r.sites.slowestLink = math.Inf(1)
	r.applied("bandwidth: no job moves data or asks for more than every machine offers; stated by %s of machines", numtext.CountedGrouped(groups, "group"))
}

// network: where no job has a message, clusters do not differ by their networks.
func (r *reducer) network() {
	if r.asks&asksMessage != 0 {
		return
	}
	clusters := 0
	for c := range r.in.clusters {
		if cluster := &r.in.clusters[c]; cluster.Latency > 0 || !math.IsInf(cluster.NetBandwidth, 1) {
			cluster = r.cluster(c)
			cluster.Latency, cluster.NetBandwidth = 0, math.Inf(1)
			clusters++
		}
	}
	if clusters > 0 {
		r.applied("network: no job has a message; stated by %s", numtext.CountedGrouped(clusters, "cluster"))
	}
}

// nodeFeatures: a need that every machine open to the job meets goes.
func (r *reducer) nodeFeatures() {
	if r.asks&asksFeatures == 0 {
		return
	}
	stranded := r.minimises("stranded") // which asks for room on all machines
	offered := map[*NodeNeeds]uint64{}  // the lists that every machine meets
	lists, jobs := 0, 0
	for d, demand := range r.demands {
		n := demand.node
		if n == nil || len(n.Features) == 0 || len(n.Features) > 64 {
			continue
		}
		goes, known := offered[n]
		if !known {
			for k, list := range n.Features {
				if r.everyMachine(func(m *Machine) bool { return intersects(list, m.features) }) {
					goes |= 1 << k
				}
			}
			offered[n] = goes
		}
		for k := range n.Features {
			if goes&(1<<k) != 0 || stranded {
				continue
			}
			if n.Running != nil { // where it runs is not asked
				goes |= 1 << k
				continue
			}
			if r.steps < 0 {
				continue
			}
			own := *n
			own.Features = featuresWithout(n.Features, goes|1<<k)
			rest := *demand
			rest.node = &own
			if r.onAll(&rest, func(m *Machine) bool { return intersects(n.Features[k], m.features) }) {
				goes |= 1 << k
			}
		}
		if goes == 0 {
			continue
		}
		r.editNode(d, nodeEdit{lists: goes}, func(own *NodeNeeds) { own.Features = featuresWithout(n.Features, goes) })
		lists, jobs = lists+bits.OnesCount64(goes)*r.classes[d].jobs, jobs+r.classes[d].jobs
	}
	if jobs > 0 {
		r.applied("features: every machine open to the job meets %s of %s", numtext.CountedGrouped(lists, "need"), counted(jobs))
	}
}

// featuresWithout are the lists but those whose bit is set.
func featuresWithout(lists [][]string, goes uint64) (kept [][]string) {
	for k, list := range lists {
		if goes&(1<<k) == 0 {
			kept = append(kept, list)
		}
	}
	return kept
}

// everyMachine says whether something holds for all machines.
func (r *reducer) everyMachine(holds func(m *Machine) bool) bool {
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			if !holds(&r.in.clusters[c].Machines[g]) {
				return false
			}
		}
	}
	return true
}

// span: the span machine asks for nothing of a job of one processor, and where clusters have one machine or allocate whole ones; the span grid asks for nothing of a job that
// cannot spread.
func (r *reducer) span() {
	if r.asks&asksSpan == 0 {
		return
	}
	single := true // every cluster gives a job processors of one machine
	for c := range r.in.clusters {
		single = single && (r.in.clusters[c].machines == 1 || r.in.clusters[c].WholeMachines)
	}
	jobs := 0
	for d, demand := range r.demands {
		alone := demand.Span == SpanMachine && (demand.Max == 1 || single)
		together := demand.Span == SpanGrid && (r.sites.clusters == 1 || min(demand.Max, demand.Tasks) < 2)
		if alone || together {
			r.edit(d).Span = SpanCluster
			jobs += r.classes[d].jobs
		}
	}
	if jobs > 0 {
		r.applied("span: %s cannot but keep it", counted(jobs))
	}
}

// exclusive: on a machine of one processor every job is alone.
func (r *reducer) exclusive() {
	if r.asks&asksExclusive == 0 {
		return
	}
	one := func(m *Machine) bool { return m.Units == 1 }
	jobs := 0
	for d, demand := range r.demands {
		if demand.node == nil || !demand.node.Exclusive {
			continue
		}
		if !r.sites.oneEach {
			if run := demand.running(); run != nil {
				alone := true
				r.in.clusters[run.Cluster].eachGroup(run.Processors, func(m *Machine, _ int) { alone = alone && one(m) })
				if !alone {
					continue
				}
			} else if !r.onAll(demand, one) {
				continue
			}
		}
		r.editNode(d, nodeEdit{exclusive: true}, func(n *NodeNeeds) { n.Exclusive = false })
		jobs += r.classes[d].jobs
	}
	if jobs > 0 {
		r.applied("exclusive: every machine open to the job has one processor, for %s", counted(jobs))
	}
}

// blocks: a job keeps to what it says of blocks and of the number of its machines wherever it lies, where machines are allocated whole, where its cluster has one machine, or
// where no machine has room for two blocks.
//
// Why nothing changes: of a job that does not spread over the grid the checker asks that the processors on each machine are whole blocks, and counts machines and blocks.
// On whole machines it holds one machine, whatever its block. On the only machine of a cluster a rigid job holds all its processors, which are whole blocks; a job with
// needs of resources keeps them, as each block holds them. For the number of machines see [reducer.anyLayout].
func (r *reducer) blocks() {
	if r.asks&asksBlocks == 0 {
		return
	}
	sizes, layouts, stranded := 0, 0, r.minimises("stranded")
	alone, machines, all := r.sites.noneWhole, 0, 0 // every cluster has one machine, which is not allocated whole; the most machines of a cluster, and all
	for c := range r.in.clusters {
		machines, all = max(machines, r.in.clusters[c].machines), all+r.in.clusters[c].machines
		alone = alone && r.in.clusters[c].machines == 1
	}
	for d, demand := range r.demands {
		n := demand.node
		most := machines
		if demand.Span == SpanGrid {
			most = all
		}
		if n != nil && n.Running == nil && (n.MaxMachines > 0 || n.PerMachine > 0) && (demand.Span != SpanGrid || r.sites.noneWhole) && r.anyLayout(demand, most) {
			r.editNode(d, nodeEdit{layout: true}, func(own *NodeNeeds) { own.MinMachines, own.MaxMachines, own.PerMachine = 0, 0, 0 })
			layouts += r.classes[d].jobs
		}
	}
	for d, demand := range r.demands {
		n := demand.node
		if n == nil || n.Running != nil || n.Block == 1 || stranded {
			continue
		}
		whole := r.sites.whole || !r.sites.noneWhole && r.onAll(demand, func(m *Machine) bool { return m.whole })
		together := alone && demand.Span != SpanGrid && demand.Min == demand.Max && len(n.Resources) == 0 && n.MaxMachines == 0 && n.PerMachine == 0
		if whole || together {
			r.editNode(d, nodeEdit{block: true}, func(own *NodeNeeds) { own.Block = 1 })
			sizes += r.classes[d].jobs
		}
	}
	if sizes+layouts > 0 {
		r.applied("blocks: %s on one machine or on whole ones, %s with no choice of how many machines", counted(sizes), counted(layouts))
	}
}

// anyLayout says whether a job that states on how many machines it lies keeps to that wherever it lies. Machines is the most that a cluster has, or all where it may spread over the grid.
//
// The job is rigid and holds at least one block on each of its machines. So it lies on one machine at least, and on as many as it has blocks or its cluster has machines at
// most; on just as many as it has blocks where no machine that is open to it has room for two. A job of one block, and every job on whole machines, lies on one; a job that
// may spread holds several whole ones and does not come here.
// What stranded asks for stays.
func (r *reducer) anyLayout(demand *Demand, machines int) bool {
	n, blocks := demand.node, demand.Min/demand.node.Block
	if blocks == 1 {
		return true
	}
	if r.minimises("stranded") {
		return false
	}
	keeps := func(fewest, most int) bool { // on each number of machines from the fewest to the most
		return n.MinMachines <= fewest && (n.MaxMachines == 0 || n.MaxMachines >= most) && (n.PerMachine == 0 || fewest == most && n.PerMachine*most == blocks)
	}
	if !r.sites.noneWhole { // where one block counts on a whole machine, whatever the processors of the job
		return n.PerMachine == 0 && keeps(1, min(blocks, machines))
	}
	return keeps(1, min(blocks, machines)) || keeps(blocks, blocks) && r.onAll(demand, func(m *Machine) bool { return m.Units/n.Block <= 1 })
}

// memory: no machine runs short, whatever runs there. Machines do not differ by it then.
func (r *reducer) memory() {
	if r.use&Scoring != 0 || r.minimises("stranded", "device_utilisation") {
		return
	}
	jobs, most := 0, 0.0 // the largest need of a job that may run everywhere
	var picky []*Demand
	for d, demand := range r.demands {
		switch {
		case demand.Memory == 0:
			continue
		case r.everywhere(demand):
			most = max(most, demand.Memory)
		default:
			picky = append(picky, demand)
		}
		jobs += r.classes[d].jobs
	}
	slices.SortStableFunc(picky, func(a, b *Demand) int { return cmp.Compare(b.Memory, a.Memory) })
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			m := &r.in.clusters[c].Machines[g]
			if math.IsInf(m.Memory, 1) {
				continue
			}
			if !holdsExactly(m.Memory, most, m.Units) {
				return
			}
			for _, demand := range picky {
				if holdsExactly(m.Memory, demand.Memory, m.Units) {
					break // so it does for the others, which need less
				}
				if r.steps--; r.steps < 0 || r.reachesOrRuns(demand, c, m) {
					return
				}
			}
		}
	}
	for d, demand := range r.demands {
		if demand.Memory > 0 {
			r.edit(d).Memory = 0
		}
	}
	groups := 0
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			if !math.IsInf(r.in.clusters[c].Machines[g].Memory, 1) {
				r.cluster(c).Machines[g].Memory = math.Inf(1)
				groups++
			}
		}
	}
	if jobs > 0 {
		r.applied("memory: no machine can run short; needed by %s", counted(jobs))
	} else if groups > 0 {
		r.applied("memory: no job needs any; stated by %s of machines", numtext.CountedGrouped(groups, "group"))
	}
}

// reachesOrRuns says whether jobs of the demand may run on the machine, or run there already.
func (r *reducer) reachesOrRuns(d *Demand, c int, m *Machine) bool {
	run := d.running()
	if run == nil {
		return r.reaches(d, c, m)
	}
	return c == run.Cluster && slices.ContainsFunc(run.Processors, func(p Range) bool { return p.First <= m.Last() && m.First <= p.Last })
}

// holdsExactly says whether n·each ≤ memory, without rounding.
func holdsExactly(memory, each float64, n int) bool {
	need := float64(n) * each
	return need < memory || need == memory && math.FMA(float64(n), each, -need) <= 0
}

// blockNeed is what blocks of some jobs hold at most. Blocks of jobs that take no time may lie on each other, so that their largest number counts.
type blockNeed struct{ size, most int }

// nodeResources: no machine runs short of a resource that does not come in devices, whatever runs there beside what the running jobs hold.
func (r *reducer) nodeResources() {
	if r.asks&asksResources == 0 || r.use&Scoring != 0 || len(r.in.resources) > 64 || r.minimises("stranded", "device_utilisation") {
		return
	}
	gone := uint64(0)
	for resource := range r.in.resources {
		if !r.in.resources[resource].Devices && r.asked(resource) && r.neverShort(resource) {
			gone |= 1 << resource
		}
	}
	if gone == 0 {
		return
	}
	jobs := 0
	for d, demand := range r.demands {
		n, goes := demand.node, uint64(0)
		if n == nil {
			continue
		}
		for _, need := range n.Resources {
			goes |= gone & (1 << need.Resource)
		}
		if n.Running != nil {
			for _, h := range n.Running.Holds {
				goes |= gone & (1 << h.Resource)
			}
		}
		if goes == 0 {
			continue
		}
		r.editNode(d, nodeEdit{resources: goes}, func(own *NodeNeeds) {
			own.Resources = slices.DeleteFunc(slices.Clone(own.Resources), func(need ResourceNeed) bool { return gone&(1<<need.Resource) != 0 })
			if own.Running != nil {
				run := *own.Running
				run.Holds = slices.DeleteFunc(slices.Clone(run.Holds), func(h RunningHold) bool { return gone&(1<<h.Resource) != 0 })
				own.Running = &run
			}
		})
		jobs += r.classes[d].jobs
	}
	r.applied("resources: no machine can run short of %s, needed by %s", numtext.Counted(bits.OnesCount64(gone), "resource"), counted(jobs))
}

// asked says whether a job holds something of the resource, or will.
func (r *reducer) asked(resource int) bool {
	return slices.ContainsFunc(r.demands, func(d *Demand) bool {
		return d.node != nil && (d.node.Need(resource) > 0 || d.node.Running != nil && slices.ContainsFunc(d.node.Running.Holds, func(h RunningHold) bool { return h.Resource == resource }))
	})
}

// neverShort says whether every machine has what its processors can hold of the resource at most.
func (r *reducer) neverShort(resource int) bool {
	most := map[blockNeed]Amount{} // of jobs that may run everywhere
	var picky []int
	held := map[[2]int]Amount{} // by cluster and number of a machine: what running jobs hold
	for d, demand := range r.demands {
		if demand.node == nil {
			continue
		}
		if run := demand.running(); run != nil {
			for _, h := range run.Holds {
				if h.Resource == resource {
					at := [2]int{run.Cluster, h.Machine}
					held[at] = held[at].plus(h.Amount)
				}
			}
			continue
		}
		need := demand.node.Need(resource)
		switch {
		case need == 0:
		case r.everywhere(demand):
			of := r.blockNeed(d)
			most[of] = max(most[of], need)
		default:
			picky = append(picky, d)
		}
	}
	if len(picky) > presolveSteps/r.sites.groups {
		for _, d := range picky {
			of := r.blockNeed(d)
			most[of] = max(most[of], r.demands[d].node.Need(resource))
		}
		picky = nil
	}
	taken := map[*Machine]Amount{} // the most that is held on a machine of the group
	for at, amount := range held {
		m := r.in.clusters[at[0]].groupOfMachine(at[1])
		taken[m] = max(taken[m], amount)
	}
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			m := &r.in.clusters[c].Machines[g]
			free := m.Amount(resource) - taken[m]
			for of, need := range most {
				if !of.fits(m, need, free) {
					return false
				}
			}
			for _, d := range picky {
				if need := r.demands[d].node.Need(resource); r.blockNeed(d).fits(m, need, free) {
					continue
				}
				if r.steps--; r.steps < 0 || r.reaches(r.demands[d], c, m) {
					return false
				}
			}
		}
	}
	return true
}

// blockNeed is how the blocks of a demand lie on machines.
func (r *reducer) blockNeed(d int) blockNeed {
	of := blockNeed{size: r.demands[d].node.Block}
	if r.classes[d].instant {
		of.most = r.demands[d].Max
	}
	return of
}

// fits says whether blocks that fill all processors of the machine hold no more than is free: processors · need ≤ size · free.
func (of blockNeed) fits(m *Machine, need, free Amount) bool {
	size := of.size
	if m.whole {
		size = 1
	}
	if m.Units < size {
		return true // it has no room for a block
	}
	high, low := bits.Mul64(uint64(max(m.Units, of.most)), uint64(need))
	mostHigh, mostLow := bits.Mul64(uint64(size), uint64(max(0, free)))
	return high < mostHigh || high == mostHigh && low <= mostLow
}

// widths: a moldable job holds no more processors than are there. Its number of tasks stays.
func (r *reducer) widths() {
	if r.asks&asksWidths == 0 {
		return
	}
	one, cluster, grid := 0, 0, 0 // the most processors of a machine, of a cluster and of the grid
	for c := range r.in.clusters {
		there := r.in.clusters[c].Processors
		if r.in.clusters[c].WholeMachines {
			cluster, one = max(cluster, 1), max(one, 1)
		} else {
			cluster = max(cluster, there)
		}
		grid += there
		for g := range r.in.clusters[c].Machines {
			one = max(one, r.in.clusters[c].Machines[g].Units)
		}
	}
	jobs := 0
	for d, demand := range r.demands {
		if demand.Min == demand.Max || demand.runtimes != nil || demand.running() != nil || r.classes[d].instant {
			continue
		}
		most := cluster
		switch demand.Span {
		case SpanMachine:
			most = one
		case SpanGrid:
			most = grid
		}
		if demand.node != nil {
			most -= most % demand.node.Block
		}
		if most = max(most, demand.Min); most < demand.Max {
			r.edit(d).Max = most
			jobs += r.classes[d].jobs
		}
	}
	if jobs > 0 {
		r.applied("widths: %s may hold more processors than there are", counted(jobs))
	}
}
