package backfill

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/sim"
)

// ends is the running jobs by estimated end, in blocks that know the sum of their processors. A search for the time at which n
// processors are free passes whole blocks.
type ends struct {
	blocks []endBlock
	free   [][]endEntry // lists for the entries of new blocks
}

// endBlock is a run of neighbours in the order of their ends, with the sum of their processors.
type endBlock struct {
	entries []endEntry
	sum     int32
}

// endEntry is a running job; size is its number of processors.
type endEntry struct {
	end          float64
	handle, size int32
}

// block is the index of the first block whose last entry does not come before the end.
func (s *ends) block(end float64) int {
	return sort.Search(len(s.blocks), func(k int) bool {
		e := s.blocks[k].entries
		return e[len(e)-1].end >= end
	})
}

// add adds a running job.
func (s *ends) add(end float64, handle, size int32) {
	if len(s.blocks) == 0 {
		s.blocks = append(s.blocks, endBlock{entries: append(s.entries(), endEntry{end, handle, size}), sum: size})
		return
	}
	k := min(s.block(end), len(s.blocks)-1)
	b := &s.blocks[k]
	at := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].end >= end })
	b.entries = slices.Insert(b.entries, at, endEntry{end, handle, size})
	b.sum += size
	if len(b.entries) == mostInBlock {
		s.halve(k)
	}
}

// entries is an empty list with room for a block.
func (s *ends) entries() []endEntry {
	if n := len(s.free) - 1; n >= 0 {
		list := s.free[n]
		s.free = s.free[:n]
		return list
	}
	return make([]endEntry, 0, mostInBlock)
}

// halve moves the second half of a block into a new block.
func (s *ends) halve(k int) {
	b := &s.blocks[k]
	upper := endBlock{entries: append(s.entries(), b.entries[mostInBlock/2:]...)}
	b.entries = b.entries[:mostInBlock/2]
	for _, e := range upper.entries {
		upper.sum += e.size
	}
	b.sum -= upper.sum
	s.blocks = slices.Insert(s.blocks, k+1, upper)
}

// remove takes a running job out.
func (s *ends) remove(end float64, handle int32) {
	for k := s.block(end); k < len(s.blocks); k++ {
		b := &s.blocks[k]
		for at := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].end >= end }); at < len(b.entries); at++ {
			if b.entries[at].handle != handle {
				continue
			}
			b.sum -= b.entries[at].size
			b.entries = slices.Delete(b.entries, at, at+1)
			if len(b.entries) == 0 {
				s.free = append(s.free, b.entries)
				s.blocks = slices.Delete(s.blocks, k, k+1)
			}
			return
		}
	}
}

// shadow is the earliest estimated end at which need processors are free, where free of them are free now. The second result is the
// number of processors free at that time beyond need. Jobs that have outlived their estimate count as ending at the time late. The
// running jobs must hold at least need − free processors.
func (s *ends) shadow(now, late float64, free, need int32) (at float64, extra int32) {
	waiting, k, i := s.outlived(now)
	at = math.Inf(-1)
	for k < len(s.blocks) {
		b := &s.blocks[k]
		if i == 0 && free+b.sum < need && b.entries[len(b.entries)-1].end < late {
			free += b.sum
			k++
			continue
		}
		for ; i < len(b.entries); i++ {
			e := &b.entries[i]
			if free >= need && e.end > at {
				return at, free - need
			}
			if waiting > 0 && e.end >= late {
				free, at, waiting = free+waiting, late, 0
				if free >= need && e.end > at {
					return at, free - need
				}
			}
			free, at = free+e.size, e.end
		}
		k, i = k+1, 0
	}
	if waiting > 0 && free < need {
		free, at = free+waiting, late
	}
	return at, free - need
}

// outlived is the number of processors of the jobs whose estimated end is not after now, and the block and the entry at which the other
// jobs begin.
func (s *ends) outlived(now float64) (processors int32, block, entry int) {
	for k := range s.blocks {
		for i, e := range s.blocks[k].entries {
			if e.end > now {
				return processors, k, i
			}
			processors += e.size
		}
	}
	return processors, len(s.blocks), 0
}

// rankedJob is a queued job with its priority.
type rankedJob struct {
	priority float64
	job      *sim.Job
}

// byPriority is the order of a queue: the highest priority first, ties by number.
func byPriority(a, b rankedJob) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.job.Number, b.job.Number))
}

// planRunning makes the plan of what the running jobs hold until their estimated ends. Those that have outlived their estimate hold it until late.
func planRunning(plan *profile, running *ends, now, late float64, processors int32) {
	plan.reset(now, processors)
	for k := range running.blocks {
		for _, r := range running.blocks[k].entries {
			end := r.end
			if end <= now {
				end = late
			}
			plan.add(now, end, -r.size)
		}
	}
}

// onlyOnce is a discipline of one run of a policy.
func onlyOnce(policy sim.Policy) sim.Discipline {
	return sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy { return policy }}
}
