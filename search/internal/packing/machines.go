package packing

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// variety is a set of machines of a cluster between which no job sees a difference.
type variety struct {
	cluster int32
	group   int     // of one of its machines
	room    []int64 // by resource without devices
	devices []span  // by resource with devices
}

// span is where the devices of a resource lie among all devices of a machine.
type span struct{ from, to uint }

// set is the set of these devices.
func (s span) set() uint64 {
	if s.from == s.to {
		return 0
	}
	return math.MaxUint64 >> (64 - (s.to - s.from)) << s.from
}

// machine is one machine.
type machine struct {
	variety int32
	group   int32
	index   int32 // in its group
}

// mostDevices is the largest number of devices of a machine that the engine takes: a set of them is one word.
const mostDevices = 64

// readMachines lists the machines and their varieties. It returns false if a machine has too many devices.
func (p *problem) readMachines(unit scale) bool {
	in, known := p.in, map[string]int32{}
	for c := range in.Clusters() {
		groups := in.Clusters()[c].Machines
		for g := range groups {
			key := p.nature(c, &groups[g])
			t, seen := known[key]
			if !seen {
				v, fits := p.varietyOf(c, g, unit)
				if !fits {
					return false
				}
				t = int32(len(p.types))
				known[key], p.types = t, append(p.types, v)
			}
			for k := range groups[g].Count {
				p.machines = append(p.machines, machine{t, int32(g), int32(k)})
			}
		}
	}
	return true
}

// nature is a text that is the same for groups of machines of the cluster between which no job sees a difference.
func (p *problem) nature(cluster int, m *model.Machine) string {
	var key []byte
	number := func(x uint64) { key = binary.AppendUvarint(key, x) }
	text := func(s string) {
		number(uint64(len(s)))
		key = append(key, s...)
	}
	number(uint64(cluster))
	number(uint64(m.Units))
	number(math.Float64bits(m.Memory))
	for r := range p.in.Resources() {
		number(uint64(m.Amount(r)))
	}
	for l := range p.in.Licences() {
		if m.Runs(l) {
			number(1)
		} else {
			number(0)
		}
	}
	features := slices.Sorted(slices.Values(m.Features()))
	number(uint64(len(features)))
	for _, name := range features {
		text(name)
	}
	for _, closed := range m.Closed() {
		number(math.Float64bits(closed.From))
		number(math.Float64bits(closed.To))
		text(closed.For)
	}
	return string(key)
}

// varietyOf is the variety of a group of machines.
func (p *problem) varietyOf(cluster, group int, unit scale) (v variety, fits bool) {
	m := &p.in.Clusters()[cluster].Machines[group]
	v = variety{cluster: int32(cluster), group: group, room: make([]int64, p.dims), devices: make([]span, p.devices)}
	v.room[0], v.room[1] = int64(m.Units), unit.room(m.Memory)
	all := uint(0)
	for r := range p.in.Resources() {
		amount := m.Amount(r)
		if !p.in.Resources()[r].Devices {
			v.room[p.resource[r]] = int64(amount)
			continue
		}
		has := uint(amount / model.WholeAmount)
		if has > mostDevices || all+has > mostDevices {
			return v, false
		}
		v.devices[p.resource[r]] = span{all, all + has}
		all += has
	}
	return v, true
}

// scale turns amounts of memory into whole numbers.
type scale struct {
	factor float64
	exact  bool // all amounts of the instance become whole
}

// scaleOf is the scale of the instance. Decimal amounts become whole: where each was rounded once, the checker's tolerance covers the difference. If there
// is no such scale, needs are rounded up and the memory of machines down.
func scaleOf(in *model.Instance) scale {
	const limit = 1 << 61 // of what the processors of a machine hold together
	most, units := 0.0, 1.0
	var all []float64
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			all, units = append(all, m.Memory), max(units, float64(m.Units))
		}
	}
	for k := range in.Jobs() {
		all = append(all, in.Jobs()[k].Memory)
	}
	for _, x := range all {
		if !math.IsInf(x, 1) {
			most = max(most, x)
		}
	}
	for factor := 1.0; factor <= 1e6 && most*factor < min(1<<52, limit/units); factor *= 10 {
		if !slices.ContainsFunc(all, func(x float64) bool { return !math.IsInf(x, 1) && math.Round(x*factor)/factor != x }) {
			return scale{factor, true}
		}
	}
	return scale{factor: math.Ldexp(1, math.Ilogb(min(1<<52, limit/units))-1-math.Ilogb(max(most, 1e-250)))}
}

// room is the memory of a machine.
func (s scale) room(memory float64) int64 {
	switch {
	case math.IsInf(memory, 1):
		return math.MaxInt64
	case s.exact:
		return int64(math.Round(memory * s.factor))
	}
	return int64(math.Floor(memory * s.factor))
}

// need is the memory of a task.
func (s scale) need(memory float64) int64 {
	if s.exact {
		return int64(math.Round(memory * s.factor))
	}
	return int64(math.Ceil(memory * s.factor))
}
