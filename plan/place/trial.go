package place

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// trial is what would be free of a machine: a scorer puts blocks there and looks at what remains.
type trial struct {
	processors int
	memory     float64
	amounts    []model.Amount // by resource; those of resources that come in devices are not kept up
	devices    []model.Amount // resource by resource, the device with the least free first
}

// block is what a block of a kind needs of the machines of a class.
type block struct {
	processors int
	memory     float64
	slack      float64              // what memory may lack because sums are rounded
	amounts    []model.ResourceNeed // of resources that do not come in devices
	devices    []deviceNeed
}

// deviceNeed is what a block needs of the devices [first, last) of a machine: an amount of each of a number of them.
type deviceNeed struct {
	resource, first, last int
	each                  model.Amount
	count                 int
}

// blocks are the blocks of the kinds of a site, by kind and class of machines; nil: such machines cannot hold it.
type blocks struct {
	site    *Site
	classes []int // by group: groups of equal machines are of one class
	first   []int // by class, its first machine
	of      [][]*block
}

func newBlocks(s *Site) *blocks {
	b := &blocks{site: s, classes: make([]int, len(s.groups))}
	seen := map[string]int{}
	for k := range s.Machines {
		m := &s.Machines[k]
		if k > 0 && m.group == s.Machines[k-1].group {
			continue
		}
		key := s.alike(m)
		if _, ok := seen[key]; !ok {
			seen[key] = len(seen)
			b.first = append(b.first, k)
		}
		b.classes[m.group] = seen[key]
	}
	return b
}

// alike is a text that is equal for machines that take the same blocks when the same is free.
func (s *Site) alike(m *Machine) string {
	runs := make([]bool, len(s.in.Licences()))
	for l := range runs {
		runs[l] = m.Runs(l)
	}
	amounts := make([]model.Amount, len(s.in.Resources()))
	for r := range amounts {
		amounts[r] = m.Amount(r)
	}
	return fmt.Sprintf("%d %v %v %v %v %q %v %+v", m.Units, s.in.Clusters()[m.Cluster].WholeMachines, m.Memory, m.Bandwidth, amounts, m.Features(), runs, m.Closed())
}

// class is the class of the machine.
func (b *blocks) class(m *Machine) int { return b.classes[m.group] }

// on is the block of the kind on machines like the given one; nil: they cannot hold it, even if nothing else is there.
func (b *blocks) on(k *Kind, m *Machine) *block {
	for len(b.of) <= k.Number {
		b.of = append(b.of, nil)
	}
	if b.of[k.Number] == nil {
		b.of[k.Number] = make([]*block, len(b.first))
		for class, machine := range b.first {
			if b.site.Hosts(k, machine) >= b.site.size(k, machine) {
				b.of[k.Number][class] = newBlock(b.site, k, machine)
			}
		}
	}
	return b.of[k.Number][b.class(m)]
}

func newBlock(s *Site, k *Kind, machine int) *block {
	m := &s.Machines[machine]
	b := &block{processors: s.size(k, machine), slack: m.Memory * Rounding}
	if b.memory = k.Memory * float64(b.processors); math.IsInf(m.Memory, 1) || m.Units == 1 { // no limit; or on one processor, where Site.Hosts has seen to it
		b.memory, b.slack = 0, 0
	}
	if k.Node.Exclusive {
		b.processors = m.Units
	}
	for _, need := range k.Node.Resources {
		if each, count := perDevice(s.in, need, 1); count > 0 {
			first, last := m.Devices(s, need.Resource)
			b.devices = append(b.devices, deviceNeed{need.Resource, first, last, each, count})
		} else {
			b.amounts = append(b.amounts, need)
		}
	}
	return b
}

// shares is the sum of what the block needs of all devices.
func (b *block) shares() model.Amount {
	all := model.Amount(0)
	for _, need := range b.devices {
		all += need.each * model.Amount(need.count)
	}
	return all
}

// load begins with what is free of a machine.
func (t *trial) load(s *Site, f *Free) {
	t.processors, t.memory = f.Free, f.Memory
	t.amounts = append(t.amounts[:0], f.Amounts...)
	t.devices = append(t.devices[:0], f.Devices...)
	for r := range t.amounts {
		if first, last := f.Machine.Devices(s, r); last > first {
			slices.Sort(t.devices[first:last])
			t.amounts[r] = 0
		}
	}
}

// copyFrom makes the trial equal to another.
func (t *trial) copyFrom(other *trial) {
	t.processors, t.memory = other.processors, other.memory
	t.amounts = append(t.amounts[:0], other.amounts...)
	t.devices = append(t.devices[:0], other.devices...)
}

// fits says whether there is room for the block.
func (t *trial) fits(b *block) bool { return t.memory+b.slack >= b.memory && t.fitsWithoutMemory(b) }

// fitsWithoutMemory says whether there is room for the block but for its memory.
func (t *trial) fitsWithoutMemory(b *block) bool {
	if t.processors < b.processors {
		return false
	}
	for _, need := range b.amounts {
		if t.amounts[need.Resource] < need.Amount {
			return false
		}
	}
	for _, need := range b.devices {
		if need.last-need.first < need.count || t.devices[need.last-need.count] < need.each {
			return false
		}
	}
	return true
}

// put takes what the block needs; the block must fit. Its share of a device of the given resource comes from a device with the given amount free; shares of
// other resources come from the device with the least free that is enough.
func (t *trial) put(b *block, resource int, free model.Amount) {
	t.processors -= b.processors
	t.memory -= b.memory
	for _, need := range b.amounts {
		t.amounts[need.Resource] -= need.Amount
	}
	for _, need := range b.devices {
		devices := t.devices[need.first:need.last]
		if need.each == model.WholeAmount {
			rest := len(devices) - need.count
			copy(devices[need.count:], devices[:rest])
			clear(devices[:need.count])
			continue
		}
		least := need.each
		if need.resource == resource {
			least = free
		}
		d := 0
		for devices[d] < least {
			d++
		}
		left := devices[d] - need.each
		for ; d > 0 && devices[d-1] > left; d-- {
			devices[d] = devices[d-1]
		}
		devices[d] = left
	}
}

// key appends a key that is equal for trials on machines of the class in which the same is free. More processors or memory than the given limits make no
// difference.
func (t *trial) key(key []byte, class, processors int, memory float64) []byte {
	key = binary.AppendUvarint(key, uint64(class))
	key = binary.AppendVarint(key, int64(min(t.processors, processors)))
	key = binary.AppendUvarint(key, math.Float64bits(min(t.memory, memory)))
	for _, a := range t.amounts {
		key = binary.AppendVarint(key, int64(a))
	}
	for _, d := range t.devices {
		key = binary.AppendVarint(key, int64(d))
	}
	return key
}

// chosen is the best score of a block over the devices that may give it its share, and the first of the devices with it; −1 if it needs no share.
// score is asked once for each amount that such a device has free; a block that needs no share it is asked once.
func chosen(s *Site, f *Free, k *Kind, score func(free model.Amount) float64) (best float64, device int) {
	if k.Share < 0 {
		return score(0), -1
	}
	first, last := f.Machine.Devices(s, k.Share)
	need := k.Node.Need(k.Share)
	best, device = math.Inf(1), -1
	for d := first; d < last; d++ {
		if free := f.Devices[d]; free >= need && !slices.Contains(f.Devices[first:d], free) {
			if at := score(free); device < 0 || at < best {
				best, device = at, d
			}
		}
	}
	return best, device
}
