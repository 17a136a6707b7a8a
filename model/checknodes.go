package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// asksOfNodes says whether jobs ask for more of machines than processors, memory, licences and bandwidth, or machines are closed at times.
func (in *Instance) asksOfNodes() bool {
	return in.features&ofNodes != 0
}

// nodes checks what jobs ask of the machines that they run on: blocks, the number of machines, features, closed times, jobs that run already,
// machines that a job has to itself, and resources and devices at every instant. Amounts are whole numbers, so that sums are exact.
func (c *checker) nodes() {
	if !c.in.asksOfNodes() {
		c.noDevices()
		return
	}
	if c.in.features.Has(ClosedTimes) {
		c.known = c.in.Known()
	}
	for k := range c.in.jobs {
		if c.in.jobs[k].Node().Running != nil && !c.isPlaced(k) && !c.statesNothing() {
			c.report.add(Violation{Code: codeRunning, Job: c.in.jobs[k].ID, Message: "the job runs already and is not placed"})
		}
	}
	var uses []nodeUse
	for k := range c.parts {
		uses = c.nodeUses(uses, int32(k))
	}
	for k := range c.in.jobs {
		if c.isPlaced(k) && c.whole[k] {
			c.machinesOf(k)
		}
	}
	slices.SortStableFunc(uses, func(a, b nodeUse) int {
		return cmp.Or(a.cluster-b.cluster, a.machine-b.machine, cmp.Compare(c.parts[a.part].start, c.parts[b.part].start))
	})
	for from := 0; from < len(uses); {
		to := from
		for to < len(uses) && uses[to].cluster == uses[from].cluster && uses[to].machine == uses[from].machine {
			to++
		}
		c.machine(uses[from:to])
		from = to
	}
}

// noDevices checks that no placement names devices where no job needs any.
func (c *checker) noDevices() {
	for k := range c.parts {
		if p := &c.parts[k]; len(p.devices) > 0 {
			c.report.add(Violation{Code: codeDevice, Job: c.in.jobs[p.job].ID, Cluster: c.in.clusters[p.cluster].ID, From: p.start, To: p.end,
				Message: "the job needs no devices, and names some"})
		}
	}
}

// nodeUse is what a piece uses of one machine.
type nodeUse struct {
	part             int32
	cluster, machine int // the machine by its number in the cluster
	group            int
	processors       int
	blocks           int
	foreign          bool // the processors there are no whole number of blocks
}

// nodeUses adds what the piece uses of each machine, and checks what can be said of the piece alone.
func (c *checker) nodeUses(uses []nodeUse, part int32) []nodeUse {
	p := &c.parts[part]
	job, cluster := &c.in.jobs[p.job], &c.in.clusters[p.cluster]
	n := job.Node()
	violation := func(code Code, resource, format string, args ...any) {
		c.report.add(Violation{code, job.ID, cluster.ID, resource, p.start, p.end, fmt.Sprintf(format, args...)})
	}
	if run := n.Running; run != nil {
		if p.cluster != run.Cluster || !slices.Equal(p.set, run.Processors) || p.start != 0 {
			violation(codeRunning, p.set.clipped(), "the job runs already, on the processors %s of %s from 0 on", run.Processors.clipped(), shown(c.in.clusters[run.Cluster].ID))
		}
	}
	until := p.end
	if c.in.features.Has(ClosedTimes) {
		estimated := c.known.Longest(p.job, p.cluster, p.set, p.tasks) + c.known.Transfer(p.job, c.in.slowestLinkOf(c.partsOf(p.job)))
		until = min(until, p.start+estimated)
	}
	c.eachUse(part, func(use *nodeUse) {
		uses = append(uses, *use)
		m := &cluster.Machines[use.group]
		name := m.Name(use.machine - m.firstMachine)
		if n.Running != nil {
			return
		}
		if use.foreign {
			violation(codeBlock, name, "expected blocks of %d processors, found %d processors on the machine", n.Block, use.processors)
		}
		if list := m.lacks(n.Features); list >= 0 {
			violation(codeFeature, name, "the machine has none of the features %q", n.Features[list])
		}
		if !m.OpenTo(n.Reservation, p.start, until) {
			violation(codeClosed, name, "the machine is closed to %s within [%v, %v)", forWhom(n.Reservation), p.start, until)
		}
	})
	c.deviceNames(p, n, violation)
	return uses
}

// forWhom names the jobs of a reservation, for people.
func forWhom(reservation string) string {
	if reservation == "" {
		return "jobs without a reservation"
	}
	return "jobs of reservation " + shown(reservation)
}

// slowestLinkOf is the least bandwidth of the machines of all pieces.
func (in *Instance) slowestLinkOf(parts []part) float64 {
	slowest := in.SlowestLink(parts[0].cluster, parts[0].set)
	for _, p := range parts[1:] {
		slowest = min(slowest, in.SlowestLink(p.cluster, p.set))
	}
	return slowest
}

// deviceNames checks that the devices that a piece names are of its machines and of resources that the job holds.
func (c *checker) deviceNames(p *part, n *NodeNeeds, violation func(Code, string, string, ...any)) {
	if len(p.devices) == 0 {
		return
	}
	cluster := &c.in.clusters[p.cluster]
	machines := map[string]bool{}
	c.in.onMachines(p.cluster, p.set, func(group, k, _ int) { machines[cluster.Machines[group].Name(k)] = true })
	for _, id := range slices.Sorted(maps.Keys(p.devices)) {
		resource := slices.IndexFunc(c.in.resources, func(r Resource) bool { return r.ID == id && r.Devices })
		needs := resource >= 0 && n.Need(resource) > 0
		if n.Running != nil {
			needs = resource >= 0 && len(n.Running.Devices[id]) > 0
		}
		if !needs {
			violation(codeDevice, id, "expected devices of resources that the job needs, found %s", shown(id))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.devices[id])) {
			switch {
			case !machines[name]:
				violation(codeDevice, id, "expected devices of the machines that the job runs on, found some of %s", shown(name))
			case n.Running != nil && len(n.Running.Devices[id][name]) == 0 && len(p.devices[id][name]) > 0:
				violation(codeDevice, id, "expected the devices that the job holds, found some of %s", shown(name))
			}
		}
	}
}

// machinesOf checks the number of machines that a job runs on, and of its blocks on each.
func (c *checker) machinesOf(k int) {
	n := c.in.jobs[k].Node()
	if n.Running != nil || n.MaxMachines == 0 && n.PerMachine == 0 {
		return
	}
	blocks := map[[2]int]int{} // by cluster and machine
	for _, p := range c.partsOf(k) {
		cluster := &c.in.clusters[p.cluster]
		c.in.onMachines(p.cluster, p.set, func(group, at, processors int) {
			m := &cluster.Machines[group]
			if !m.whole {
				processors /= n.Block
			}
			blocks[[2]int{p.cluster, m.firstMachine + at}] += processors
		})
	}
	violation := func(format string, args ...any) {
		p := &c.partsOf(k)[0]
		c.report.add(Violation{Code: codeBlock, Job: c.in.jobs[k].ID, Cluster: c.in.clusters[p.cluster].ID, From: c.start[k], To: c.end[k], Message: fmt.Sprintf(format, args...)})
	}
	if n.MaxMachines > 0 && (len(blocks) < n.MinMachines || len(blocks) > n.MaxMachines) {
		violation("expected %d to %d machines, found %d", n.MinMachines, n.MaxMachines, len(blocks))
	}
	for _, at := range slices.SortedFunc(maps.Keys(blocks), func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) }) {
		if n.PerMachine > 0 && blocks[at] != n.PerMachine {
			violation("expected %d blocks on each machine, found %d on %s", n.PerMachine, blocks[at], shown(c.in.clusters[at[0]].machineName(at[1])))
			return // once a job
		}
	}
}

// need is what a piece holds of a resource of one of its machines, and on which devices: nil where the resource has none.
func (s *schedule) need(use *nodeUse, resource int) (amount Amount, devices ProcessorSet) {
	p := &s.parts[use.part]
	n := s.in.jobs[p.job].Node()
	if run := n.Running; run != nil {
		for _, h := range run.Holds {
			if h.Machine == use.machine && h.Resource == resource {
				amount = h.Amount
			}
		}
	} else {
		amount = n.Need(resource).times(use.blocks)
	}
	if s.in.resources[resource].Devices {
		m := &s.in.clusters[use.cluster].Machines[use.group]
		devices = p.devices[s.in.resources[resource].ID][m.Name(use.machine-m.firstMachine)]
	}
	return amount, devices
}

// machine checks what pieces use of one machine. They come in the order of their starts.
func (c *checker) machine(uses []nodeUse) {
	for resource := range c.in.resources {
		c.resource(uses, resource)
	}
	c.exclusive(uses)
}

// resource checks that the machine has what pieces hold of the resource, at every instant. A piece that takes no time holds nothing, but what all
// pieces of its job need there has to be there.
func (c *checker) resource(uses []nodeUse, resource int) {
	m := &c.in.clusters[uses[0].cluster].Machines[uses[0].group]
	name, id, has := m.Name(uses[0].machine-m.firstMachine), c.in.resources[resource].ID, m.Amount(resource)
	violation := func(code Code, u *nodeUse, format string, args ...any) {
		p := &c.parts[u.part]
		c.report.add(Violation{code, c.in.jobs[p.job].ID, c.in.clusters[p.cluster].ID, name, p.start, p.end, fmt.Sprintf(format, args...)})
	}
	type hold struct {
		use     *nodeUse
		amount  Amount
		devices ProcessorSet
	}
	var holds []hold
	ofJob := map[int]Amount{} // of jobs with a piece that takes no time
	type shareOf struct{ job, device int }
	shares := map[shareOf]bool{} // named by pieces of jobs that have several
	for k := range uses {
		u := &uses[k]
		amount, devices := c.need(u, resource)
		if amount == 0 {
			continue
		}
		if c.in.resources[resource].Devices && !c.rightDevices(u, resource, amount, devices, violation) {
			devices = nil // said already
		}
		p := &c.parts[u.part]
		for device := range devices.each() {
			if of := (shareOf{p.job, device}); amount < WholeAmount*Amount(devices.Len()) && shares[of] {
				violation(codeDevice, u, "two pieces of the job share device %d of %s", device, shown(id))
			} else if len(c.partsOf(p.job)) > 1 {
				shares[of] = true
			}
		}
		if ofJob[p.job] = ofJob[p.job].plus(amount); p.end > p.start {
			holds = append(holds, hold{u, amount, devices})
		} else if ofJob[p.job] > has {
			violation(codeResource, u, "the job needs %v of %s, the machine has %v", ofJob[p.job].Float(), shown(id), has.Float())
		}
	}
	ends := slices.Clone(holds)
	slices.SortStableFunc(ends, func(a, b hold) int { return cmp.Compare(c.parts[a.use.part].end, c.parts[b.use.part].end) })
	type load struct {
		amount Amount
		last   *nodeUse // the last that took it
	}
	held, done, full := Amount(0), 0, false
	loads := map[int]load{} // by device
	for _, h := range holds {
		start := c.parts[h.use.part].start
		for ; done < len(ends) && c.parts[ends[done].use.part].end <= start; done++ {
			if held -= ends[done].amount; full {
				held = 0
			}
			for device := range ends[done].devices.each() {
				at := loads[device]
				at.amount -= ends[done].amount / Amount(ends[done].devices.Len())
				loads[device] = at
			}
		}
		if held = held.plus(h.amount); held > has && !full {
			violation(codeResource, h.use, "the jobs running there need %v of %s, the machine has %v", held.Float(), shown(id), has.Float())
			full = true // once a machine
		}
		for device := range h.devices.each() {
			at := loads[device]
			if at.amount += h.amount / Amount(h.devices.Len()); at.amount > WholeAmount && at.last != nil {
				other := &c.in.jobs[c.parts[at.last.part].job]
				violation(codeDevice, h.use, "device %d of %s is held by job %s too", device, shown(id), shown(other.ID))
			}
			at.last = h.use
			loads[device] = at
		}
	}
}

// rightDevices says whether a piece names as many devices of its machine as it needs there, and lists the violation where it does not.
func (c *checker) rightDevices(u *nodeUse, resource int, amount Amount, devices ProcessorSet, violation func(Code, *nodeUse, string, ...any)) bool {
	m := &c.in.clusters[u.cluster].Machines[u.group]
	id, n := shown(c.in.resources[resource].ID), c.in.jobs[c.parts[u.part].job].Node()
	if there := int(m.Amount(resource) / WholeAmount); !devices.within(there) {
		violation(codeDevice, u, "the machine has the devices 0 to %d of %s, found %s", there-1, id, devices.clipped())
		return false
	}
	if n.Running != nil {
		for _, h := range n.Running.Holds {
			if h.Machine == u.machine && h.Resource == resource && !slices.Equal(h.Devices, devices) {
				violation(codeRunning, u, "the job runs already on the devices %s of %s, found %s", h.Devices.clipped(), id, devices.clipped())
				return false
			}
		}
		return true
	}
	want := u.blocks
	if n.Need(resource) >= WholeAmount {
		want = int(min(amount/WholeAmount, maxDevices+1))
	}
	if devices.Len() != want {
		violation(codeDevice, u, "expected %d devices of %s, found %d", want, id, devices.Len())
		return false
	}
	return true
}

// exclusive checks that no other job is on the machine while a job has it to itself.
func (c *checker) exclusive(uses []nodeUse) {
	if !slices.ContainsFunc(uses, func(u nodeUse) bool { return c.in.jobs[c.parts[u.part].job].Node().Exclusive }) {
		return
	}
	m := &c.in.clusters[uses[0].cluster].Machines[uses[0].group]
	name := m.Name(uses[0].machine - m.firstMachine)
	// Of the pieces so far: the two of different jobs that end last, of all and of those that have the machine to themselves.
	var all, alone [2]*part
	keep := func(last *[2]*part, p *part) {
		switch {
		case last[0] == nil || p.end > last[0].end || p.job == last[0].job && p.end >= last[0].end:
			if last[0] != nil && last[0].job != p.job {
				last[1] = last[0]
			}
			last[0] = p
		case p.job != last[0].job && (last[1] == nil || p.end > last[1].end):
			last[1] = p
		}
	}
	for k := range uses {
		p := &c.parts[uses[k].part]
		if p.end == p.start {
			continue
		}
		own := c.in.jobs[p.job].Node().Exclusive
		against := &alone
		if own {
			against = &all
		}
		for _, other := range against {
			if other != nil && other.job != p.job && other.end > p.start {
				c.report.add(Violation{codeExclusive, c.in.jobs[p.job].ID, c.in.clusters[p.cluster].ID, name, p.start, min(p.end, other.end),
					fmt.Sprintf("job %s is on the machine until %v, and one of the two has it to itself", shown(c.in.jobs[other.job].ID), other.end)})
				break
			}
		}
		if keep(&all, p); own {
			keep(&alone, p)
		}
	}
}
