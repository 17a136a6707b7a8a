package backfill

import (
	"math"
	"slices"
	"sort"
)

// agenda is the reservations of queued jobs in the order of their starts, in blocks that know their smallest job.
type agenda struct{ blocks []agendaBlock }

// agendaBlock is a run of neighbours in the order of their starts.
type agendaBlock struct {
	entries []agendaEntry
	least   int32 // size of the smallest job
}

// agendaEntry is a reservation; size is the number of processors.
type agendaEntry struct {
	start        float64
	handle, size int32
}

// mostInBlock is the most entries of a block.
const mostInBlock = 64

// block is the index of the first block whose last entry does not come before the start.
func (a *agenda) block(start float64) int {
	return sort.Search(len(a.blocks), func(k int) bool {
		e := a.blocks[k].entries
		return e[len(e)-1].start >= start
	})
}

// at is the place in a block of the first entry that does not come before the start.
func (b *agendaBlock) at(start float64) int {
	return sort.Search(len(b.entries), func(i int) bool { return b.entries[i].start >= start })
}

// measure brings the smallest job up to date.
func (b *agendaBlock) measure() {
	b.least = math.MaxInt32
	for i := range b.entries {
		b.least = min(b.least, b.entries[i].size)
	}
}

// add adds a reservation.
func (a *agenda) add(start float64, handle, size int32) {
	if len(a.blocks) == 0 {
		a.blocks = append(a.blocks, agendaBlock{append(make([]agendaEntry, 0, mostInBlock), agendaEntry{start, handle, size}), size})
		return
	}
	k := min(a.block(start), len(a.blocks)-1)
	b := &a.blocks[k]
	b.entries = slices.Insert(b.entries, b.at(start), agendaEntry{start, handle, size})
	if b.least = min(b.least, size); len(b.entries) < mostInBlock {
		return
	}
	upper := agendaBlock{entries: append(make([]agendaEntry, 0, mostInBlock), b.entries[mostInBlock/2:]...)}
	b.entries = b.entries[:mostInBlock/2]
	b.measure()
	upper.measure()
	a.blocks = slices.Insert(a.blocks, k+1, upper)
}

// remove takes a reservation out.
func (a *agenda) remove(start float64, handle int32) {
	for k := a.block(start); k < len(a.blocks); k++ {
		b := &a.blocks[k]
		for i := b.at(start); i < len(b.entries); i++ {
			if b.entries[i].handle != handle {
				continue
			}
			size := b.entries[i].size
			if b.entries = slices.Delete(b.entries, i, i+1); len(b.entries) == 0 {
				a.blocks = slices.Delete(a.blocks, k, k+1)
			} else if size == b.least {
				b.measure()
			}
			return
		}
	}
}

// clear takes all out.
func (a *agenda) clear() { a.blocks = a.blocks[:0] }

// due appends the handles of the jobs whose reservations have come.
func (a *agenda) due(now float64, handles []int32) []int32 {
	for k := range a.blocks {
		for _, e := range a.blocks[k].entries {
			if e.start > now {
				return handles
			}
			handles = append(handles, e.handle)
		}
	}
	return handles
}

// earliest returns the first start of a job that fits into the free processors; +Inf: there is none.
func (a *agenda) earliest(free int32) float64 {
	for k := range a.blocks {
		b := &a.blocks[k]
		for i := 0; b.least <= free && i < len(b.entries); i++ {
			if b.entries[i].size <= free {
				return b.entries[i].start
			}
		}
	}
	return math.Inf(1)
}
