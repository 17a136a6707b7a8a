package place

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// candidate is a machine on which a job may lie.
type candidate struct {
	score           float64
	machine, blocks int32
	device          int32
}

// Blocks is the number of blocks of the kind that the machine has room for. If the kind states how many blocks lie on each machine, it is 0 where there is
// room for fewer.
//
// Complexity: O(needs · devices of the machine).
func (s *Site) Blocks(r *Room, k *Kind, machine int) int {
	return s.BlocksOn(r, k, machine, int(r.Processors[machine]))
}

// BlocksOn is [Site.Blocks] if the number of processors were free on the machine.
func (s *Site) BlocksOn(r *Room, k *Kind, machine, processors int) int {
	n := s.plainBlocks(k, machine, processors, r.Memory[machine])
	if n == 0 || len(k.Node.Resources) == 0 {
		return atLeast(n, k)
	}
	free := s.Look(r, machine)
	return s.resourceBlocks(&free, k, n)
}

// BlocksIn is [Site.Blocks] of a state of the machine if the number of processors, or all that are free there if they are fewer, were free.
func (s *Site) BlocksIn(a *State, k *Kind, machine, processors int) int {
	n := s.plainBlocks(k, machine, min(processors, int(a.processors)), a.memory)
	if n == 0 || len(k.Node.Resources) == 0 {
		return atLeast(n, k)
	}
	resources, width := len(s.in.Resources()), s.width()
	free := Free{Machine: &s.Machines[machine], Amounts: a.shares[:resources], Devices: a.shares[width:]}
	return s.resourceBlocks(&free, k, n)
}

// plainBlocks is the number of blocks of the kind that fit into processors and memory, if these are what is free on the machine.
func (s *Site) plainBlocks(k *Kind, machine, processors int, memory float64) int {
	hosts := s.Hosts(k, machine)
	m := &s.Machines[machine]
	if hosts == 0 || processors == 0 || k.Node.Exclusive && processors < m.Units {
		return 0
	}
	size := s.size(k, machine)
	n := min(hosts, processors) / size
	if k.Memory > 0 && n > 0 && !math.IsInf(m.Memory, 1) && m.Units > 1 { // on a machine of one processor, Hosts has seen to the memory
		n = Times(memory, m.Memory, k.Memory, n*size) / size
	}
	return n
}

// resourceBlocks is the number of blocks, n at most, for which resources and devices are enough.
func (s *Site) resourceBlocks(free *Free, k *Kind, n int) int {
	for _, need := range k.Node.Resources {
		most := free.Amounts[need.Resource] / need.Amount
		if s.in.Resources()[need.Resource].Devices {
			most = min(most, model.Amount(s.devicesFor(free, need)))
		}
		if n = int(min(most, model.Amount(n))); n == 0 {
			return 0
		}
	}
	return atLeast(n, k)
}

// atLeast is the number of blocks; 0 where the kind asks for more on each machine.
func atLeast(n int, k *Kind) int {
	if n < k.Node.PerMachine {
		return 0
	}
	return n
}

// devicesFor is the number of blocks for which the machine has devices.
func (s *Site) devicesFor(f *Free, need model.ResourceNeed) int {
	first, last := f.Machine.Devices(s, need.Resource)
	enough, n := min(need.Amount, model.WholeAmount), 0
	for _, free := range f.Devices[first:last] {
		if free >= enough {
			n++
		}
	}
	if need.Amount > model.WholeAmount {
		n /= int(need.Amount / model.WholeAmount)
	}
	return n
}

// mostKept is the most entries that a site keeps, of 32 bytes each. Kinds that come later are looked at anew each time.
const mostKept = 1 << 22

// Fitting is [Site.Blocks], but remembers what it finds of a kind on a machine until something else is free there.
func (s *Site) Fitting(r *Room, k *Kind, machine int) int { return int(s.look(r, k, machine).blocks) }

// look finds out what the machine has room for, and the score of a block there.
func (s *Site) look(r *Room, k *Kind, machine int) entry {
	stamp, e := r.stamps[machine], &entry{}
	if k.seen == nil && s.kept+len(s.Machines) <= mostKept {
		k.seen = make([]entry, len(s.Machines))
		s.kept += len(s.Machines)
	}
	if k.seen != nil {
		e = &k.seen[machine]
	}
	if e.stamp == stamp {
		if s.drawing != nil && e.blocks > 0 {
			s.score(r, k, machine, e)
		}
		return *e
	}
	*e = entry{stamp: stamp, blocks: int32(s.Blocks(r, k, machine)), device: -1}
	if !s.first && e.blocks > 0 {
		s.score(r, k, machine, e)
	}
	return *e
}

// score asks the rule.
func (s *Site) score(r *Room, k *Kind, machine int, e *entry) {
	free := s.Look(r, machine)
	score, device := s.scorer.Score(&free, k)
	e.score, e.device = score, int32(device)
}

// Choose chooses, by the rule of the site, the machines of the cluster on which a job of the kind gets its processors. open says which machines it may use;
// nil: all. It appends the shares of the machines to shares. It returns false if there is too little room.
//
// Complexity: O(m) for m machines of the cluster, and a score for each whose free amounts have changed since the kind last looked; O(m·log m) for a
// job of several machines.
func (s *Site) Choose(r *Room, k *Kind, cluster, processors int, open func(machine int) bool, shares []Share) ([]Share, bool) {
	return s.choose(r, k, cluster, processors, open, nil, shares)
}

// ChooseUpTo is [Site.Choose] on machines that may take only so many blocks as most says, 0 for those that are not open.
func (s *Site) ChooseUpTo(r *Room, k *Kind, cluster, processors int, most func(machine int) int, shares []Share) ([]Share, bool) {
	left := 0 // of the machine that was asked last
	return s.choose(r, k, cluster, processors, func(m int) bool { left = most(m); return left > 0 }, &left, shares)
}

// choose is [Site.Choose]; most is the number of blocks that the machine may take for which open was called last, nil: as many as it has room for.
func (s *Site) choose(r *Room, k *Kind, cluster, processors int, open func(machine int) bool, most *int, shares []Share) ([]Share, bool) {
	if s.drawing != nil {
		s.drawing.Draw()
	}
	size := k.Size
	if s.in.Clusters()[cluster].WholeMachines {
		size = 1
	}
	blocks := processors / size
	if k.whole || blocks == 1 {
		if n := k.Node; n.MinMachines > 1 || n.PerMachine > 0 && n.PerMachine != blocks { // one machine cannot keep these limits
			return shares, false
		}
		best := candidate{score: math.Inf(1), machine: -1}
		for _, m := range s.order[cluster] {
			if open != nil && !open(int(m)) {
				continue
			}
			e := s.look(r, k, int(m))
			if most != nil && *most < blocks {
				continue
			}
			if int(e.blocks) >= blocks && (best.machine < 0 || e.score < best.score) {
				if best = (candidate{e.score, m, int32(blocks), e.device}); s.first {
					break
				}
			}
		}
		if best.machine < 0 {
			return shares, false
		}
		return append(shares, s.share(r, k, best)), true
	}
	s.found = s.found[:0]
	all := 0
	for _, m := range s.order[cluster] {
		if open != nil && !open(int(m)) {
			continue
		}
		e := s.look(r, k, int(m))
		if most != nil {
			e.blocks = min(e.blocks, int32(*most))
		}
		if e.blocks == 0 {
			continue
		}
		c := candidate{e.score, m, min(e.blocks, int32(blocks)), e.device} // with PerMachine just as many, see Blocks
		s.found = append(s.found, c)
		if all += int(c.blocks); s.first && all >= blocks && k.Node.MaxMachines == 0 {
			break
		}
	}
	if all < blocks {
		return shares, false
	}
	if !s.first {
		slices.SortStableFunc(s.found, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	}
	return s.fill(r, k, blocks, shares)
}

// fill fills the machines that were found, in their order. It passes over a machine if with it the job could not keep its limits of the number of machines.
func (s *Site) fill(r *Room, k *Kind, blocks int, shares []Share) ([]Share, bool) {
	begin := len(shares)
	least, most := k.Node.MinMachines, k.Node.MaxMachines
	if most == 0 {
		most = math.MaxInt
	}
	if len(s.found) < least || !s.capacities(most, blocks) {
		return shares, false
	}
	for i := 0; i < len(s.found) && blocks > 0; i++ {
		c := s.found[i]
		used := len(shares) - begin
		s.most[c.blocks]--
		take := min(int(c.blocks), blocks-max(0, least-used-1)) // leave a block for each further machine that it has to use
		if take <= 0 || take+s.largest(most-used-1) < blocks {
			continue
		}
		c.blocks = int32(take)
		shares = append(shares, s.share(r, k, c))
		blocks -= take
	}
	if blocks > 0 {
		return shares[:begin], false
	}
	return shares, true
}

// capacities counts the machines that were found, by their number of blocks. It returns false if no choice of at most most machines has room for all blocks.
func (s *Site) capacities(most, blocks int) bool {
	largest := int32(0)
	for _, c := range s.found {
		largest = max(largest, c.blocks)
	}
	s.most = append(s.most[:0], make([]int32, largest+1)...)
	for _, c := range s.found {
		s.most[c.blocks]++
	}
	return s.largest(most) >= blocks
}

// largest is the number of blocks for which the n roomiest of the counted machines have room together.
func (s *Site) largest(n int) int {
	blocks := 0
	for b := len(s.most) - 1; b > 0 && n > 0; b-- {
		of := min(int(s.most[b]), n)
		blocks, n = blocks+of*b, n-of
	}
	return blocks
}

// ShareOn is the share of a job of the kind of so many blocks on the machine, which has room for them, with the devices of which the least is free.
func (s *Site) ShareOn(r *Room, k *Kind, machine, blocks int) Share {
	return s.share(r, k, candidate{machine: int32(machine), blocks: int32(blocks), device: -1})
}

// share is the processors and devices of a machine that a job takes.
func (s *Site) share(r *Room, k *Kind, c candidate) Share {
	m := int(c.machine)
	share := Share{Machine: c.machine, Processors: c.blocks * int32(s.size(k, m))}
	for _, need := range k.Node.Resources {
		each, count := perDevice(s.in, need, int(c.blocks))
		if count > 0 {
			share.Devices = s.devices(r, k, m, need.Resource, each, count, int(c.device), share.Devices)
		}
	}
	return share
}

// devices appends the places of count devices of the resource on which at least the amount each is free: the one that the rule has chosen, then those with
// the least free.
func (s *Site) devices(r *Room, k *Kind, machine, resource int, each model.Amount, count, chosen int, taken []int32) []int32 {
	m := &s.Machines[machine]
	free, begin := s.devicesOf(r, m), len(taken)
	first, last := m.Devices(s, resource)
	if resource == k.Share && chosen >= 0 {
		taken = append(taken, int32(chosen))
	}
	for len(taken) < begin+count {
		best := -1
		for d := first; d < last; d++ {
			if free[d] >= each && (best < 0 || free[d] < free[best]) && !slices.Contains(taken[begin:], int32(d)) {
				best = d
			}
		}
		taken = append(taken, int32(best))
	}
	slices.Sort(taken[begin:])
	return taken
}

// Has says whether the room has what the shares of a job of the kind hold.
func (s *Site) Has(r *Room, k *Kind, shares []Share) bool {
	for i := range shares {
		share := &shares[i]
		m := int(share.Machine)
		blocks := int(share.Processors) / s.size(k, m)
		if s.Blocks(r, k, m) < blocks {
			return false
		}
		free, at := s.devicesOf(r, &s.Machines[m]), 0
		for _, need := range k.Node.Resources {
			each, count := perDevice(s.in, need, blocks)
			if len(share.Devices) < at+count { // of a placement that somebody else has made
				return false
			}
			for _, d := range share.Devices[at : at+count] {
				if free[d] < each {
					return false
				}
			}
			at += count
		}
	}
	return true
}
