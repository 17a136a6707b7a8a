package backfill

import (
	"math/bits"
	"slices"
	"sort"
)

// bitset is a set of machines by number.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(k int)      { b[k>>6] |= 1 << (k & 63) }
func (b bitset) remove(k int)   { b[k>>6] &^= 1 << (k & 63) }
func (b bitset) has(k int) bool { return b[k>>6]>>(k&63)&1 != 0 }

// join adds the machines of another set.
func (b bitset) join(other bitset) {
	for w := range other {
		b[w] |= other[w]
	}
}

// meet keeps the machines that are also in another set.
func (b bitset) meet(other bitset) {
	for w := range b {
		b[w] &= other[w]
	}
}

// without takes the machines of another set out.
func (b bitset) without(other bitset) {
	for w := range b {
		b[w] &^= other[w]
	}
}

// each calls the function for the machines of the set, in order.
func (b bitset) each(do func(m int)) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			do(w<<6 + bits.TrailingZeros64(word))
		}
	}
}

// count is the number of machines in the set.
func (b bitset) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// planSlots says which machines no job is planned on: slot k from its begin to that of the next one, the last one to the end. Neighbours differ.
type planSlots struct {
	list  []planSlot
	end   float64
	spare []bitset
}

// planSlot is a span of time and the machines that are free of plans in it.
type planSlot struct {
	begin float64
	free  bitset
}

// reset makes one slot in which all machines are free.
func (s *planSlots) reset(begin, end float64, all bitset) {
	for k := range s.list {
		s.spare = append(s.spare, s.list[k].free)
	}
	s.list, s.end = append(s.list[:0], planSlot{begin, s.copyOf(all)}), end
}

// copyOf is a copy of a set, in the memory of a spare one if there is any.
func (s *planSlots) copyOf(set bitset) bitset {
	if n := len(s.spare) - 1; n >= 0 {
		fresh := s.spare[n]
		s.spare = s.spare[:n]
		copy(fresh, set)
		return fresh
	}
	return slices.Clone(set)
}

// endOf is the end of slot k.
func (s *planSlots) endOf(k int) float64 {
	if k+1 < len(s.list) {
		return s.list[k+1].begin
	}
	return s.end
}

// after is the first slot that ends after the time; the number of slots if none does.
func (s *planSlots) after(at float64) int {
	return sort.Search(len(s.list), func(k int) bool { return s.endOf(k) > at })
}

// common leaves in free the machines that no job is planned on in any slot from start to until, both included. next is the end of the first slot
// after which machines of the set within are free that are not so from the start to that end; 0: there is none, as far as the slot after until. As in Slurm,
// a job whose own machines become free only later is then not planned.
//
// Complexity: O(slots · machines/64).
func (s *planSlots) common(start, until float64, within, free bitset) (next float64) {
	for k := s.after(start); k < len(s.list); k++ {
		if next == 0 && k+1 < len(s.list) && !covers(free, s.list[k].free, within, s.list[k+1].free) {
			next = s.list[k+1].begin
		}
		if s.list[k].begin > until {
			break
		}
		any := uint64(0)
		for w, word := range s.list[k].free {
			free[w] &= word
			any |= free[w]
		}
		if any == 0 && next != 0 {
			break
		}
	}
	return next
}

// covers says whether all machines of both within and then are also in both free and now.
func covers(free, now, within, then bitset) bool {
	for w := range free {
		if within[w]&then[w]&^(free[w]&now[w]) != 0 {
			return false
		}
	}
	return true
}

// holds says whether the machines are free of plans from begin to end.
func (s *planSlots) holds(begin, end float64, machines bitset) bool {
	for k := s.after(begin); k < len(s.list) && s.list[k].begin < end; k++ {
		for w, word := range s.list[k].free {
			if machines[w]&^word != 0 {
				return false
			}
		}
	}
	return true
}

// split makes the time the begin of a slot, unless it lies outside of all, and returns the first slot that begins at it or later.
func (s *planSlots) split(at float64) int {
	k := sort.Search(len(s.list), func(k int) bool { return s.list[k].begin >= at })
	if k > 0 && at < s.end && (k == len(s.list) || s.list[k].begin > at) {
		s.list = slices.Insert(s.list, k, planSlot{at, s.copyOf(s.list[k-1].free)})
	}
	return k
}

// take plans the machines from begin to end.
func (s *planSlots) take(begin, end float64, machines bitset) {
	from := s.split(begin)
	to := s.split(end)
	for k := from; k < to; k++ {
		for w := range machines {
			s.list[k].free[w] &^= machines[w]
		}
	}
	s.merge(to)
	s.merge(from)
}

// merge merges slot k with the one before it if the two are alike.
func (s *planSlots) merge(k int) {
	if k > 0 && k < len(s.list) && slices.Equal(s.list[k-1].free, s.list[k].free) {
		s.spare = append(s.spare, s.list[k].free)
		s.list = slices.Delete(s.list, k, k+1)
	}
}
