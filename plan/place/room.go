package place

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Room is how much is free of each machine, now or in a time of a plan. A room belongs to the site that made it.
type Room struct {
	Processors []int32   // by machine
	Memory     []float64 // by machine
	// Amounts is by machine. Each machine has an entry for each resource: what is free of it, or for devices the sum of their free shares. If the rule
	// counts blocks, see [Rule.Counts], an entry for each sort of blocks follows: the number that runs there, negated.
	Amounts []model.Amount
	Devices []model.Amount // the free share of each device, machine by machine, see [Machine.Devices]
	stamps  []int64        // by machine: if the stamps of a machine in two rooms are equal, the same is free there in both
}

// idle is the stamp of a machine on which nothing runs, shut that of one that [Site.IntersectFor] has left out.
const (
	idle = 1
	shut = -1
)

// Free is what is free of one machine.
type Free struct {
	*Machine
	Free    int // processors
	Memory  float64
	Amounts []model.Amount // by resource
	Devices []model.Amount // by device
	entries []model.Amount // those of Room.Amounts: by resource, then −blocks by sort
}

// Sorts is the number of sorts of blocks; 0 if the rule does not ask for counts.
func (f *Free) Sorts() int { return len(f.entries) - len(f.Amounts) }

// Runs is the number of blocks of the sort that run on the machine, see [Kind].
func (f *Free) Runs(sort int) int { return -int(f.entries[len(f.Amounts)+sort]) }

// width is the number of entries of a machine in Room.Amounts.
func (s *Site) width() int { return len(s.in.Resources()) + len(s.sorts) }

// Share is a number of processors of a machine, and the devices there.
type Share struct {
	Machine, Processors int32
	Devices             []int32 // places among the machine's devices, resource by resource in the order of the needs
}

// Room is the room of the site when nothing runs.
func (s *Site) Room() Room {
	n, width := len(s.Machines), s.width()
	r := Room{Processors: make([]int32, n), Memory: make([]float64, n), Amounts: make([]model.Amount, n*width), Devices: make([]model.Amount, s.layout.devices), stamps: make([]int64, n)}
	for m := range n {
		machine := &s.Machines[m]
		r.Processors[m], r.Memory[m], r.stamps[m] = int32(machine.Units), machine.Memory, idle
		for k := range s.in.Resources() {
			r.Amounts[m*width+k] = machine.Amount(k)
		}
	}
	for d := range r.Devices {
		r.Devices[d] = model.WholeAmount
	}
	return r
}

// Look is what is free of a machine; the lists are those of the room.
func (s *Site) Look(r *Room, machine int) Free {
	m, n, width := &s.Machines[machine], len(s.in.Resources()), s.width()
	of := r.Amounts[machine*width : (machine+1)*width]
	return Free{m, int(r.Processors[machine]), r.Memory[machine], of[:n:n], s.devicesOf(r, m), of}
}

// devicesOf is the free share of each device of the machine.
func (s *Site) devicesOf(r *Room, m *Machine) []model.Amount {
	return r.Devices[m.devices : m.devices+s.groups[m.group].devices]
}

// State is what is free of one machine, apart from any room.
type State struct {
	processors int32
	memory     float64
	shares     []model.Amount // as in Room.Amounts, then by device
	stamp      int64
}

// Save copies what the room has of the machine to the state.
func (s *Site) Save(r *Room, machine int, to *State) {
	free := s.Look(r, machine)
	to.processors, to.memory, to.stamp = r.Processors[machine], free.Memory, r.stamps[machine]
	to.shares = append(append(to.shares[:0], free.entries...), free.Devices...)
}

// Load copies the state to what the room has of the machine.
func (s *Site) Load(r *Room, machine int, from *State) {
	free := s.Look(r, machine)
	r.Processors[machine], r.Memory[machine], r.stamps[machine] = from.processors, from.memory, from.stamp
	copy(free.Devices, from.shares[copy(free.entries, from.shares):])
}

// Holds says whether the room has the state of the machine, as [Site.Load] brought it there.
func (s *Site) Holds(r *Room, machine int, state *State) bool {
	return r.stamps[machine] == state.stamp
}

// Adopt copies a state that another site of the same machines has made. Stamps of two sites tell nothing about each other, so the copy gets a new one.
func (s *Site) Adopt(to, from *State) {
	to.processors, to.memory, to.shares = from.processors, from.memory, append(to.shares[:0], from.shares...)
	if to.stamp = from.stamp; to.stamp != idle {
		to.stamp = s.tick()
	}
}

// Idle is the state of the machine when nothing runs there.
func (s *Site) Idle(machine int) *State {
	if s.idle == nil {
		s.idle = make([]State, len(s.Machines))
	}
	if state := &s.idle[machine]; state.stamp == 0 {
		m := &s.Machines[machine]
		*state = State{int32(m.Units), m.Memory, make([]model.Amount, s.width()), idle}
		for k := range s.in.Resources() {
			state.shares[k] = m.Amount(k)
		}
		for range s.groups[m.group].devices {
			state.shares = append(state.shares, model.WholeAmount)
		}
	}
	return &s.idle[machine]
}

// Clone is a copy of the state.
func (a *State) Clone() State {
	return State{a.processors, a.memory, append([]model.Amount(nil), a.shares...), a.stamp}
}

// Processors is the number of free processors.
func (a *State) Processors() int32 { return a.processors }

// Alike says whether the same is free in both states.
func (a *State) Alike(b *State) bool {
	return a.processors == b.processors && a.memory == b.memory && equal(a.shares, b.shares)
}

// IntersectState reduces what the room has of the machine to what is free in the state too, as [Site.Intersect] does with another room.
func (s *Site) IntersectState(r *Room, machine int, with *State) {
	if r.stamps[machine] == with.stamp {
		return
	}
	less, more := false, false
	free := s.Look(r, machine)
	r.Processors[machine] = least(r.Processors[machine], with.processors, &less, &more)
	r.Memory[machine] = least(r.Memory[machine], with.memory, &less, &more)
	entries, devices := with.shares[:s.width()], with.shares[s.width():]
	s.intersectAmounts(&free, entries, devices, &less, &more)
	s.stampIntersection(r, machine, with.stamp, less, more)
}

// intersectAmounts reduces what is free of resources and devices to what is also free by the other entries and devices.
func (s *Site) intersectAmounts(free *Free, entries, devices []model.Amount, less, more *bool) {
	for d := range free.Devices {
		free.Devices[d] = least(free.Devices[d], devices[d], less, more)
	}
	for k := range free.Amounts {
		if first, last := free.Machine.Devices(s, k); first < last {
			free.Amounts[k] = sum(free.Devices[first:last])
		} else {
			free.Amounts[k] = least(free.Amounts[k], entries[k], less, more)
		}
	}
	for k := len(free.Amounts); k < len(entries); k++ {
		free.entries[k] = least(free.entries[k], entries[k], less, more) // negated, so that the least is the most blocks
	}
}

// stampIntersection stamps a machine of the room after its intersection with another state, whose stamp is other. less says that the room had less of
// something, more that the other had: the result is like the room, like the other, or new.
func (s *Site) stampIntersection(r *Room, machine int, other int64, less, more bool) {
	switch {
	case less && more:
		r.stamps[machine] = s.tick()
	case more:
		r.stamps[machine] = other
	}
}

// CopyFrom makes the room equal to another.
func (r *Room) CopyFrom(other *Room) {
	r.Processors = append(r.Processors[:0], other.Processors...)
	r.Memory = append(r.Memory[:0], other.Memory...)
	r.Amounts = append(r.Amounts[:0], other.Amounts...)
	r.Devices = append(r.Devices[:0], other.Devices...)
	r.stamps = append(r.stamps[:0], other.stamps...)
}

// CopyMachines copies what another room of the same site has of the machines from first to last, [first, last).
func (s *Site) CopyMachines(r, other *Room, first, last int) {
	n := s.width()
	copy(r.Processors[first:last], other.Processors[first:last])
	copy(r.Memory[first:last], other.Memory[first:last])
	copy(r.Amounts[first*n:last*n], other.Amounts[first*n:last*n])
	from, to := s.deviceRange(first, last)
	copy(r.Devices[from:to], other.Devices[from:to])
	copy(r.stamps[first:last], other.stamps[first:last])
}

// deviceRange is where the devices of the machines lie.
func (s *Site) deviceRange(first, last int) (from, to int) {
	if first == last {
		return 0, 0
	}
	end := &s.Machines[last-1]
	return s.Machines[first].devices, end.devices + s.groups[end.group].devices
}

// Intersect reduces what the room has of the machines from first to last, [first, last), to what is free in both rooms: the minimum of each entry. A
// device that is free to a half in both rooms is so in the result; which half is free does not matter.
func (s *Site) Intersect(r, other *Room, first, last int) {
	for m := first; m < last; m++ {
		s.intersect(r, other, m)
	}
}

// IntersectFor is [Site.Intersect] where only places for jobs of the kind are looked for afterwards, with at least the given number of blocks on each machine. A machine of the room r that
// has room for fewer blocks counts as full from then on, and later intersections pass over it.
func (s *Site) IntersectFor(r, other *Room, k *Kind, blocks, first, last int) {
	for m := first; m < last; m++ {
		switch {
		case r.stamps[m] == shut:
		case s.Fitting(r, k, m) < blocks:
			r.Processors[m], r.stamps[m] = 0, shut
		default:
			s.intersect(r, other, m)
		}
	}
}

// Shut makes a machine count as full in the room, whatever is free there. Later intersections pass over it.
func (r *Room) Shut(machine int) {
	r.Processors[machine] = 0
	if r.stamps != nil {
		r.stamps[machine] = shut
	}
}

// intersect is [Site.Intersect] of one machine.
func (s *Site) intersect(r, other *Room, m int) {
	if r.stamps[m] == other.stamps[m] {
		return
	}
	less, more := false, false // the room has less, or more, of something than the other
	r.Processors[m] = least(r.Processors[m], other.Processors[m], &less, &more)
	r.Memory[m] = least(r.Memory[m], other.Memory[m], &less, &more)
	free, with := s.Look(r, m), s.Look(other, m)
	s.intersectAmounts(&free, with.entries, with.Devices, &less, &more)
	s.stampIntersection(r, m, other.stamps[m], less, more)
}

// least is the lesser of two numbers. It sets less if that is the first, more if it is the second.
func least[T int32 | float64 | model.Amount](a, b T, less, more *bool) T {
	switch {
	case a < b:
		*less = true
	case a > b:
		*more = true
		return b
	}
	return a
}

// sum adds amounts.
func sum(amounts []model.Amount) model.Amount {
	all := model.Amount(0)
	for _, a := range amounts {
		all += a
	}
	return all
}

// Alike says whether the same is free in both rooms, whatever led to it.
func (r *Room) Alike(other *Room) bool {
	return equal(r.Processors, other.Processors) && equal(r.Memory, other.Memory) && equal(r.Amounts, other.Amounts) && equal(r.Devices, other.Devices)
}

func equal[T comparable](a, b []T) bool {
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

// tick is a stamp that no machine had before.
func (s *Site) tick() int64 {
	s.clock++
	return s.clock
}

// Take takes what the shares of a job of the kind hold out of the room. A job that runs already holds what it says.
func (s *Site) Take(r *Room, k *Kind, shares []Share) { s.change(r, k, shares, -1) }

// Give puts what the shares of a job of the kind hold back into the room.
func (s *Site) Give(r *Room, k *Kind, shares []Share) { s.change(r, k, shares, 1) }

// Occupy takes what the shares of a job of the kind hold out of the room, as far as it is there: jobs that wait for one another may hold more, all together,
// than a machine has. What is taken so is never given back.
func (s *Site) Occupy(r *Room, k *Kind, shares []Share) {
	s.Take(r, k, shares)
	for i := range shares {
		m := int(shares[i].Machine)
		free := s.Look(r, m)
		r.Processors[m], r.Memory[m] = max(0, r.Processors[m]), max(0, r.Memory[m])
		for d := range free.Devices {
			free.Devices[d] = max(0, free.Devices[d])
		}
		for resource := range free.Amounts {
			if first, last := free.Machine.Devices(s, resource); first < last {
				free.Amounts[resource] = sum(free.Devices[first:last])
			}
			free.Amounts[resource] = max(0, free.Amounts[resource])
		}
	}
}

// change adds what the shares hold to what is free, with the sign.
func (s *Site) change(r *Room, k *Kind, shares []Share, sign int) {
	n := s.width()
	for i := range shares {
		share := &shares[i]
		if k.Node.Running != nil {
			s.changeRunning(r, k, share, sign)
			continue
		}
		m, machine := int(share.Machine), &s.Machines[share.Machine]
		processors := share.Processors
		if k.Node.Exclusive {
			processors = int32(machine.Units)
		}
		r.Processors[m] += int32(sign) * processors
		full := int(r.Processors[m]) == machine.Units
		switch {
		case math.IsInf(machine.Memory, 1):
		case sign > 0 && full:
			r.Memory[m] = machine.Memory // no rounding errors stay behind
		default:
			r.Memory[m] += float64(sign) * (k.Memory * float64(share.Processors))
		}
		blocks, devices, at := int(share.Processors)/s.size(k, m), s.devicesOf(r, machine), 0
		for _, need := range k.Node.Resources {
			held := need.Amount * model.Amount(blocks)
			r.Amounts[m*n+need.Resource] += model.Amount(sign) * held
			each, count := perDevice(s.in, need, blocks)
			for _, d := range share.Devices[at : at+count] {
				devices[d] += model.Amount(sign) * each
			}
			at += count
		}
		s.count(r, k, share, sign)
		if r.stamps[m] = idle; !full {
			r.stamps[m] = s.tick()
		}
	}
}

// count counts the blocks of the share among those of their sort that run on the machine. The numbers are negated, so that they fall when a job takes and
// rise when it gives back, as what is free does. A job that runs already counts as one block at least.
func (s *Site) count(r *Room, k *Kind, share *Share, sign int) {
	if k.Sort >= 0 && len(s.sorts) > 0 {
		m := int(share.Machine)
		r.Amounts[m*s.width()+len(s.in.Resources())+k.Sort] += model.Amount(sign * max(1, int(share.Processors)/s.size(k, m)))
	}
}

// changeRunning adds what a job that runs already holds of the machine of the share to what is free, with the sign.
func (s *Site) changeRunning(r *Room, k *Kind, share *Share, sign int) {
	m, machine, n := int(share.Machine), &s.Machines[share.Machine], s.width()
	processors := share.Processors
	if k.Node.Exclusive {
		processors = int32(machine.Units)
	}
	r.Processors[m] += int32(sign) * processors
	full := int(r.Processors[m]) == machine.Units
	if r.Memory[m] += float64(sign) * (k.Memory * float64(share.Processors)); sign > 0 && full {
		r.Memory[m] = machine.Memory // no rounding errors stay behind
	}
	devices := s.devicesOf(r, machine)
	for _, h := range k.Node.Running.Holds {
		if h.Machine != machine.Number {
			continue
		}
		r.Amounts[m*n+h.Resource] += model.Amount(sign) * h.Amount
		first, _ := machine.Devices(s, h.Resource)
		each := h.Amount / model.Amount(max(1, h.Devices.Len()))
		for _, run := range h.Devices {
			for d := run.First; d <= run.Last; d++ {
				devices[first+d] += model.Amount(sign) * each
			}
		}
	}
	s.count(r, k, share, sign)
	if r.stamps[m] = idle; !full {
		r.stamps[m] = s.tick()
	}
}

// perDevice is what a number of blocks hold of each of their devices of the resource, and how many devices that are; 0 if the resource does not come in
// devices.
func perDevice(in *model.Instance, need model.ResourceNeed, blocks int) (each model.Amount, count int) {
	switch {
	case !in.Resources()[need.Resource].Devices:
		return 0, 0
	case need.Amount < model.WholeAmount:
		return need.Amount, blocks
	}
	return model.WholeAmount, blocks * int(need.Amount/model.WholeAmount)
}

// Shares turns the processors and devices that a placement on a cluster states into shares, the reverse of [Site.Held]. It passes over devices that the
// machine does not have.
func (s *Site) Shares(k *Kind, cluster int, set model.ProcessorSet, held model.DevicesHeld) []Share {
	var shares []Share
	for m := s.begin[cluster]; m < s.begin[cluster+1]; m++ {
		machine := &s.Machines[m]
		n := 0
		for _, r := range set {
			n += max(0, min(r.Last, machine.First+machine.Units-1)-max(r.First, machine.First)+1)
		}
		if n == 0 {
			continue
		}
		share := Share{Machine: int32(m), Processors: int32(n)}
		for _, need := range k.Node.Resources {
			first, last := machine.Devices(s, need.Resource)
			for _, r := range held[s.in.Resources()[need.Resource].ID][s.name(machine)] {
				for d := r.First; d <= r.Last && first+d < last; d++ {
					share.Devices = append(share.Devices, int32(first+d))
				}
			}
		}
		shares = append(shares, share)
	}
	return shares
}

// name is the name of the machine in placements.
func (s *Site) name(m *Machine) string { return m.Name((m.First - m.Machine.First) / m.Units) }

// Held is, by resource and machine, the devices of the shares as a placement states them; nil: none.
func (s *Site) Held(k *Kind, shares []Share) model.DevicesHeld {
	var held model.DevicesHeld
	for i := range shares {
		machine, at := &s.Machines[shares[i].Machine], 0
		blocks := int(shares[i].Processors) / s.size(k, int(shares[i].Machine))
		for _, need := range k.Node.Resources {
			_, count := perDevice(s.in, need, blocks)
			if count == 0 {
				continue
			}
			first, _ := machine.Devices(s, need.Resource)
			numbers := make([]int, count)
			for d := range numbers {
				numbers[d] = int(shares[i].Devices[at+d]) - first
			}
			at += count
			if held == nil {
				held = model.DevicesHeld{}
			}
			id := s.in.Resources()[need.Resource].ID
			if held[id] == nil {
				held[id] = map[string]model.ProcessorSet{}
			}
			held[id][s.name(machine)] = model.Processors(numbers...)
		}
	}
	return held
}
