package packing

import (
	"math"
	"math/bits"

	"github.com/allot-opt/allot/model"
)

// state is what lies on each machine. The parts of a walk share it, and each changes its own machines only.
type state struct {
	*problem
	free    []int64        // by machine and resource without devices
	shares  []model.Amount // by machine and device: what is free of it
	first   []int32        // by machine: where its devices begin in shares; the last element is their number
	entries [][]entry      // by machine
	alone   []int32        // by machine: number of its entries that share it with no other job; at most 1
}

// entry is what one job holds on one machine.
type entry struct {
	gang    *gang // nil: the job lies on this machine only
	devices uint64
	kind    int32
	blocks  int32
}

// gang is a job on several machines.
type gang struct{ machines []int32 }

// newState is the state in which nothing is placed.
func newState(p *problem) *state {
	n := len(p.machines)
	s := &state{problem: p, free: make([]int64, 0, n*p.dims), first: make([]int32, n+1), entries: make([][]entry, n), alone: make([]int32, n)}
	for m := range p.machines {
		v := &p.types[p.machines[m].variety]
		s.free = append(s.free, v.room...)
		for _, d := range v.devices {
			for range d.to - d.from {
				s.shares = append(s.shares, model.WholeAmount)
			}
		}
		s.first[m+1] = int32(len(s.shares))
	}
	return s
}

// variety is the variety of the machine.
func (p *problem) variety(m int32) *variety { return &p.types[p.machines[m].variety] }

// room is the number of blocks of the kind, up to the number most, that the machine has room for.
func (s *state) room(k, m, most int32) int32 {
	d, v := &s.kinds[k], s.machines[m].variety
	n := min(most, s.rooms[int(k)*len(s.types)+int(v)])
	if n == 0 || s.alone[m] > 0 || d.alone && len(s.entries[m]) > 0 {
		return 0
	}
	free := s.free[int(m)*s.dims:][:s.dims]
	for _, need := range d.needs {
		if has := free[need.dim]; has < need.amount*int64(n) {
			if n = int32(has / need.amount); n == 0 {
				return 0
			}
		}
	}
	for _, need := range d.devices {
		of, able := s.types[v].devices[need.dim], int32(0)
		amount, each := need.ofDevices()
		for _, share := range s.shares[s.first[m]+int32(of.from) : s.first[m]+int32(of.to)] {
			if share >= amount {
				able++
			}
		}
		if each > 1 {
			able /= each
		}
		if n = min(n, able); n == 0 {
			return 0
		}
	}
	return n
}

// ofDevices is what a block holds of a device, and of how many devices.
func (n need) ofDevices() (amount model.Amount, each int32) {
	if amount = model.Amount(n.amount); amount <= model.WholeAmount {
		return amount, 1
	}
	return model.WholeAmount, int32(min(amount/model.WholeAmount, mostDevices+1))
}

// place puts blocks of the kind on the machine, which has room for them. Each share of a device comes from the fullest device on which it fits.
func (s *state) place(k, m, blocks int32, g *gang) {
	e := entry{gang: g, kind: k, blocks: blocks}
	shares := s.shares[s.first[m]:s.first[m+1]]
	for _, need := range s.kinds[k].devices {
		of := s.variety(m).devices[need.dim]
		amount, each := need.ofDevices()
		for range blocks * each {
			best, least := uint(0), model.Amount(math.MaxInt64)
			for i := of.from; i < of.to; i++ {
				if share := shares[i]; share >= amount && share < least && e.devices&(1<<i) == 0 {
					if best, least = i, share; share == amount {
						break
					}
				}
			}
			e.devices |= 1 << best
		}
	}
	s.put(m, e)
}

// put puts an entry with its devices on the machine.
func (s *state) put(m int32, e entry) {
	s.count(m, &e, -1)
	s.entries[m] = append(s.entries[m], e)
}

// lift takes entry i off the machine; the last entry gets its place.
func (s *state) lift(m int32, i int) {
	e := s.entries[m][i]
	s.count(m, &e, 1)
	last := len(s.entries[m]) - 1
	s.entries[m][i] = s.entries[m][last]
	s.entries[m] = s.entries[m][:last]
}

// count adds what the entry holds to what is free on the machine, or with sign −1 takes it away.
func (s *state) count(m int32, e *entry, sign int64) {
	d := &s.kinds[e.kind]
	free := s.free[int(m)*s.dims:][:s.dims]
	for _, need := range d.needs {
		free[need.dim] += sign * need.amount * int64(e.blocks)
	}
	for _, need := range d.devices {
		amount, _ := need.ofDevices()
		for held := e.devices & s.variety(m).devices[need.dim].set(); held != 0; held &= held - 1 {
			s.shares[int(s.first[m])+bits.TrailingZeros64(held)] += model.Amount(sign) * amount
		}
	}
	if d.alone {
		s.alone[m] -= int32(sign)
	}
}

// waste is how much is free on the machine of the resource number of without devices; of all its devices if there is no such number.
func (s *state) waste(m int32, of int) int64 {
	if of < s.dims {
		return s.free[int(m)*s.dims+of]
	}
	sum := model.Amount(0)
	for _, share := range s.shares[s.first[m]:s.first[m+1]] {
		sum += share
	}
	return int64(sum)
}
