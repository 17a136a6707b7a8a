package model

import (
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// unused: machines on which no job of the instance can run go, where they stand behind all others of their cluster, and clusters of such machines behind all others.
//
// Why nothing changes: every schedule that has a job on such a machine is wrong, see [reducer.neverUsed], and one without keeps the numbers of its processors and clusters, as only the
// last ones go. What counts machines that serve nobody keeps the rule from applying: the metrics of the objective that do, power caps, which count what all machines take,
// states of power, and a queueing view, whose loads name machines. On line the number of machines is what a policy may look at, and under another placement
// rule so is what they have.
func (r *reducer) unused() {
	if r.use&(OnLine|Scoring) != 0 || r.original.features&(PowerCaps|SleepingMachines) != 0 || r.in.queueing.Given || r.countsPower() ||
		r.minimises("idle_time", "mcp", "balance", "utilisation", "processor_usage", "device_utilisation", "stranded", "licence_usage", "qos_penalty") {
		return
	}
	reservations, machines := r.reservations(), 0
	// Closed times may not concern a job that takes no time, or none by its estimate.
	instant := slices.ContainsFunc(r.in.jobs, func(j Job) bool { return j.Estimate == 0 }) || slices.ContainsFunc(r.classes, func(c class) bool { return c.instant })
	for c := len(r.in.clusters) - 1; c >= 0; c-- {
		cluster := &r.in.clusters[c]
		n, unused := len(cluster.Machines), func(g int) bool { return r.neverUsed(c, &cluster.Machines[g], reservations, instant) }
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

// neverUsed says whether no job can run on the machine, and none runs there already: it is closed from the first arrival on to all of them, or each lacks there what it needs.
// Jobs of a class need memory that the same machines have.
func (r *reducer) neverUsed(c int, m *Machine, reservations []string, instant bool) bool {
	closed := !instant && slices.ContainsFunc(m.closed, func(c Closure) bool {
		return c.From <= r.in.firstArrival && math.IsInf(c.To, 1) && !slices.Contains(reservations, c.For)
	})
	for _, demand := range r.demands {
		if r.steps--; r.steps < 0 {
			return false
		}
		if run := demand.running(); run != nil {
			if r.reachesOrRuns(demand, c, m) {
				return false
			}
			continue
		}
		if !closed && r.opens(demand, c, m) {
			return false
		}
	}
	return true
}
