package model

import (
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// The rules about machines that no job can use, and devices of which there are enough.

// unused: machines on which no job of the instance can run go, where they stand behind all others of their cluster, and so do clusters of such machines behind all others. So processors
// and clusters keep their numbers.
func (r *reducer) unused() {
	if r.use&Scoring != 0 || r.countsPower() ||
		r.minimises("idle_time", "mcp", "balance", "utilisation", "processor_usage", "device_utilisation", "stranded", "licence_usage", "qos_penalty") {
		return
	}
	reservations, machines := r.reservations(), 0
	instant := slices.ContainsFunc(r.in.jobs, func(j Job) bool { return j.Estimate == 0 }) || slices.ContainsFunc(r.classes, func(c class) bool { return c.instant }) // closed times may not concern it
	for c := len(r.in.clusters) - 1; c >= 0; c-- {
		cluster := &r.in.clusters[c]
		n, unused := len(cluster.Machines), func(g int) bool {
			m := &cluster.Machines[g]
			if len(cluster.PowerCap) > 0 && m.Power != nil && m.Power.Idle > 0 { // a cap counts the idle power of all machines
				return false
			}
			return r.neverUsed(c, m, reservations, instant)
		}
		for n > 1 && unused(n-1) {
			n--
		}
		switch {
		case n == 1 && c > 0 && c == len(r.in.clusters)-1 && unused(0):
			machines += cluster.machines
			r.in.processors -= cluster.Processors
			r.in.clusterIndex = maps.Clone(r.in.clusterIndex)
			delete(r.in.clusterIndex, cluster.ID)
			r.in.clusters = r.in.clusters[:c:c]
		case n < len(cluster.Machines):
			gone := cluster.Machines[n]
			machines += cluster.machines - gone.firstMachine
			cluster = r.cluster(c)
			cluster.Machines = cluster.Machines[:n:n]
			cluster.machines = gone.firstMachine
			r.in.processors -= cluster.Processors - gone.First
			cluster.Processors = gone.First
			cluster.Uniform = !slices.ContainsFunc(cluster.Machines, func(m Machine) bool {
				return m.Speed != cluster.Machines[0].Speed || m.Bandwidth != cluster.Machines[0].Bandwidth
			})
		}
	}
	if machines == 0 {
		return
	}
	for d, demand := range r.demands {
		if n := len(r.in.clusters); len(demand.runtimes) > n {
			own := r.edit(d)
			own.runtimes = own.runtimes[:n:n]
		}
	}
	r.look()
	r.applied("machines: no job can use %s", numtext.CountedGrouped(machines, "machine"))
}

// neverUsed says whether no job can run on the machine, and none runs there already.
func (r *reducer) neverUsed(c int, m *Machine, reservations []string, instant bool) bool {
	closed := !instant && slices.ContainsFunc(m.closed, func(c Closure) bool {
		return c.From <= r.in.firstArrival && math.IsInf(c.To, 1) && !slices.Contains(reservations, c.For)
	})
	for _, demand := range r.demands {
		if r.steps--; r.steps < 0 {
			return false
		}
		if run := demand.running(); run != nil && r.reachesOrRuns(demand, c, m) || run == nil && !closed && r.opens(demand, c, m) {
			return false
		}
	}
	return true
}

// handed is a resource of devices that goes because there are so many devices for each processor.
type handed struct{ resource, each int }

// devices: where every machine has devices for each of its processors, so many as a block holds at most for each of its own, no job waits for one: each takes those of its
// processors, which [Reduction.Restore] names.
func (r *reducer) devices() {
	if r.asks&asksResources == 0 || r.use&Scoring != 0 || !r.sites.noneWhole || r.minimises("stranded", "device_utilisation") {
		return
	}
	gone, jobs := uint64(0), 0
	for resource := range min(64, len(r.in.resources)) {
		if each := r.devicesEach(resource); each > 0 {
			r.report.handed = append(r.report.handed, handed{resource, each})
			gone |= 1 << resource
		}
	}
	if gone == 0 {
		return
	}
	if r.report.from, r.report.to = r.original, r.in; r.report.merged == nil {
		r.report.merged = make([]bool, len(r.original.clusters))
	}
	for d := range r.demands {
		if r.dropResources(d, gone) {
			jobs += r.classes[d].jobs
		}
	}
	r.applied("devices: every machine has %s for each of its processors, needed by %s", numtext.Counted(len(r.report.handed), "kind", "kinds"), counted(jobs))
}

// devicesEach is the number of devices that a block holds at most for each of its processors, if every machine that is open to a job which needs some has so many for each
// processor; 0: not so, or nobody needs the resource.
func (r *reducer) devicesEach(resource int) int {
	if !r.in.resources[resource].Devices {
		return 0
	}
	each := 0
	for d, demand := range r.demands {
		if demand.node == nil {
			continue
		}
		need := demand.node.Need(resource)
		if run := demand.running(); run != nil && (need > 0 || slices.ContainsFunc(run.Holds, func(h RunningHold) bool { return h.Resource == resource })) || need > 0 && r.classes[d].instant {
			return 0
		}
		if need > 0 {
			each = max(each, ceilDiv(wholeDevices(need), demand.node.Block))
		}
	}
	if each == 0 || !r.everyMachine(func(m *Machine) bool { return m.Amount(resource)/WholeAmount/Amount(m.Units) >= Amount(each) }) {
		return 0
	}
	return each
}

// wholeDevices is the number of devices on which a block lies that needs so much of them.
func wholeDevices(need Amount) int { return int((need + WholeAmount - 1) / WholeAmount) }

// hand gives the job the devices of its processors on a cluster, for the resources of devices that have gone.
func (r *Reduction) hand(job *Job, cluster string, set ProcessorSet, held DevicesHeld) DevicesHeld {
	c, known := r.from.clusterIndex[cluster]
	if !known || !set.within(r.from.clusters[c].Processors) || len(set) == 0 {
		return held
	}
	n := job.Node()
	var more DevicesHeld
	for _, of := range r.handed {
		need := n.Need(of.resource)
		if need == 0 || n.Running != nil {
			continue
		}
		if more == nil {
			if more = maps.Clone(held); more == nil {
				more = DevicesHeld{}
			}
		}
		left := map[string]int{}        // by machine: devices that the job is to hold
		byMachine := map[string][]int{} // numbers of the devices
		r.from.onMachines(c, set, func(group, k, processors int) {
			name := r.from.clusters[c].Machines[group].Name(k)
			left[name] += processors / n.Block * wholeDevices(need)
		})
		for processor := range set.each() {
			m := &r.from.clusters[c].Machines[r.from.clusters[c].GroupOf(processor)]
			k := (processor - m.First) / m.Units
			name, first := m.Name(k), (processor-m.First-k*m.Units)*of.each
			for device := first; device < first+of.each && left[name] > 0; device++ {
				byMachine[name] = append(byMachine[name], device)
				left[name]--
			}
		}
		on := make(map[string]ProcessorSet, len(byMachine))
		for name, devices := range byMachine {
			on[name] = Processors(devices...)
		}
		more[r.from.resources[of.resource].ID] = on
	}
	if more == nil {
		return held
	}
	return more
}

// without are the devices that are held of resources that have not gone.
func (r *Reduction) without(held DevicesHeld) DevicesHeld {
	if len(held) == 0 {
		return held
	}
	left := maps.Clone(held)
	for _, of := range r.handed {
		delete(left, r.from.resources[of.resource].ID)
	}
	if len(left) == 0 {
		return nil
	}
	return left
}
