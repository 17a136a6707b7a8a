package model

import (
	"cmp"
	"fmt"
	"slices"
)

// devices is the number of devices of all machines.
func (in *Instance) devices() Amount {
	sum := Amount(0)
	for k, r := range in.resources {
		if !r.Devices {
			continue
		}
		for c := range in.clusters {
			for g := range in.clusters[c].Machines {
				m := &in.clusters[c].Machines[g]
				sum = sum.plus(m.Amount(k).times(m.Count))
			}
		}
	}
	return sum
}

// hasDevices says whether a machine has devices.
func (in *Instance) hasDevices() bool { return len(in.resources) > 0 && in.devices() > 0 }

// deviceTime is the time for which the placed jobs hold devices, in devices·time: a share counts as what it is of its device.
func (e *evaluation) deviceTime() float64 {
	sum := 0.0
	for k := range e.parts {
		held := Amount(0)
		e.eachUse(int32(k), func(use *nodeUse) {
			for r := range e.in.resources {
				if e.in.resources[r].Devices {
					amount, _ := e.need(use, r)
					held = held.plus(amount)
				}
			}
		})
		sum += held.Float() * (e.parts[k].end - e.parts[k].start)
	}
	return sum
}

// deviceUtilisation is the metric device_utilisation.
func (e *evaluation) deviceUtilisation() float64 {
	return percent(e.deviceTime(), e.in.devices().Float()*e.makespan())
}

// eachUse calls yield for each machine that the piece uses.
func (s *schedule) eachUse(part int32, yield func(*nodeUse)) {
	p := &s.parts[part]
	n := s.in.jobs[p.job].Node()
	cluster := &s.in.clusters[p.cluster]
	s.in.onMachines(p.cluster, p.set, func(group, k, processors int) {
		m := &cluster.Machines[group]
		use := nodeUse{part: part, cluster: p.cluster, machine: m.firstMachine + k, group: group, processors: processors, blocks: processors}
		if !m.whole {
			use.blocks, use.foreign = processors/n.Block, processors%n.Block != 0
		}
		yield(&use)
	})
}

// blockKind is what a block of a job that needs devices holds of its machine.
type blockKind struct {
	processors int
	memory     float64 // of a task
	node       *NodeNeeds
}

// blockKinds are the different blocks of the jobs that need devices.
func (in *Instance) blockKinds() []blockKind {
	var kinds []blockKind
	seen := map[string]bool{}
	for k := range in.jobs {
		j := &in.jobs[k]
		n := j.Node()
		if !slices.ContainsFunc(n.Resources, func(need ResourceNeed) bool { return in.resources[need.Resource].Devices }) {
			continue
		}
		key := fmt.Sprint(n.Block, j.Memory, n.Resources, n.Features)
		if !seen[key] {
			seen[key] = true
			kinds = append(kinds, blockKind{n.Block, j.Memory, n})
		}
	}
	return kinds
}

// stranded is the metric stranded: the time mean, from the first arrival to the last end, of the device shares that are free on machines on which no
// block of a job that needs devices would find room.
func (e *evaluation) stranded() float64 {
	length := e.lastEnd - e.in.firstArrival
	if !(length > 0) {
		return 0
	}
	kinds := e.in.blockKinds()
	var uses []nodeUse
	for k := range e.parts {
		if e.parts[k].end > e.parts[k].start {
			e.eachUse(int32(k), func(use *nodeUse) { uses = append(uses, *use) })
		}
	}
	slices.SortStableFunc(uses, func(a, b nodeUse) int { return cmp.Or(a.cluster-b.cluster, a.machine-b.machine) })
	sum, at := 0.0, 0
	for cluster := range e.in.clusters {
		for g := range e.in.clusters[cluster].Machines {
			m := &e.in.clusters[cluster].Machines[g]
			idle := newNodeState(e.in, m)
			untouched := idle.stranded(kinds)
			for k := range m.Count {
				from := at
				for at < len(uses) && uses[at].cluster == cluster && uses[at].machine == m.firstMachine+k {
					at++
				}
				if from == at {
					sum += untouched * length
					continue
				}
				sum += e.strandedOn(uses[from:at], newNodeState(e.in, m), kinds)
			}
		}
	}
	return sum / length
}

// strandedOn is the integral over time, from the first arrival to the last end, of the stranded shares of one machine.
func (e *evaluation) strandedOn(uses []nodeUse, state *nodeState, kinds []blockKind) float64 {
	type event struct {
		time float64
		use  *nodeUse
		sign int
	}
	events := make([]event, 0, 2*len(uses))
	for k := range uses {
		p := &e.parts[uses[k].part]
		events = append(events, event{p.start, &uses[k], 1}, event{p.end, &uses[k], -1})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	sum, last, stranded := 0.0, e.in.firstArrival, state.stranded(kinds)
	for k := range events {
		v := &events[k]
		sum += stranded * (v.time - last)
		last = v.time
		state.hold(e.schedule, v.use, v.sign)
		if k+1 == len(events) || events[k+1].time > v.time {
			stranded = state.stranded(kinds)
		}
	}
	return sum + stranded*(e.lastEnd-last)
}

// nodeState is what is free of one machine.
type nodeState struct {
	in         *Instance
	machine    *Machine
	processors int
	memory     amount     // that is held
	free       []Amount   // by resource
	devices    [][]Amount // by resource and device; nil where it has none
}

// newNodeState is an idle machine of the group.
func newNodeState(in *Instance, m *Machine) *nodeState {
	s := &nodeState{in: in, machine: m, processors: m.Units, free: make([]Amount, len(in.resources)), devices: make([][]Amount, len(in.resources))}
	for r := range in.resources {
		s.free[r] = m.Amount(r)
		if in.resources[r].Devices {
			s.devices[r] = slices.Repeat([]Amount{WholeAmount}, int(m.Amount(r)/WholeAmount))
		}
	}
	return s
}

// hold takes what a piece uses from the machine, or gives it back where sign is −1.
func (s *nodeState) hold(in *schedule, use *nodeUse, sign int) {
	p := &in.parts[use.part]
	s.processors -= sign * use.processors
	s.memory.add(s.in.jobs[p.job].Memory, float64(sign*use.processors))
	for r := range s.in.resources {
		amount, devices := in.need(use, r)
		s.free[r] -= Amount(sign) * amount
		for device := range devices.each() {
			if device < len(s.devices[r]) {
				s.devices[r][device] -= Amount(sign) * amount / Amount(devices.Len())
			}
		}
	}
}

// stranded is the free shares of all devices of the machine if no block of the kinds has room there, otherwise 0.
func (s *nodeState) stranded(kinds []blockKind) float64 {
	sum := Amount(0)
	for r := range s.devices {
		for _, free := range s.devices[r] {
			sum += max(0, free)
		}
	}
	if sum == 0 || slices.ContainsFunc(kinds, s.fits) {
		return 0
	}
	return sum.Float()
}

// fits says whether a block has room on the machine.
func (s *nodeState) fits(kind blockKind) bool {
	needed := kind.processors
	if s.machine.whole {
		needed = 1
	}
	if needed > s.processors || !s.machine.Offers(kind.node.Features) {
		return false
	}
	memory := s.memory
	if memory.add(kind.memory, float64(needed)); memory.exceeds(s.machine.Memory) {
		return false
	}
	for _, need := range kind.node.Resources {
		if need.Amount > s.free[need.Resource] {
			return false
		}
		devices := s.devices[need.Resource]
		if devices == nil {
			if s.in.resources[need.Resource].Devices {
				return false
			}
			continue
		}
		wanted, share := 1, need.Amount
		if share >= WholeAmount {
			wanted, share = int(need.Amount/WholeAmount), WholeAmount
		}
		found := 0
		for _, free := range devices {
			if free >= share {
				found++
			}
		}
		if found < wanted {
			return false
		}
	}
	return true
}
