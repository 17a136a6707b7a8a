package backfill

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/allot-opt/allot/internal/steps"
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

// meets says whether two sets have a machine in common.
func (b bitset) meets(other bitset) bool {
	for w := range b {
		if b[w]&other[w] != 0 {
			return true
		}
	}
	return false
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

// planSlots says which machines are free of plans over time, until the end. Neighbouring steps, the slots, differ.
type planSlots struct {
	steps.Function[bitset]
	end   float64
	spare []bitset
	spans [][]span // by machine: when jobs are planned on it, by begin
	used  []int32  // machines with spans
}

// span is a time in which a job is planned on a machine.
type span struct{ begin, end float64 }

// reset makes one slot in which all machines are free.
func (s *planSlots) reset(begin, end float64, all bitset) {
	s.spare = append(s.spare, s.Values...)
	s.Times, s.Values, s.end = append(s.Times[:0], begin), append(s.Values[:0], s.copyOf(all)), end
	for _, m := range s.used {
		s.spans[m] = s.spans[m][:0]
	}
	s.used = s.used[:0]
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
	return min(s.End(k), s.end)
}

// after is the first slot that ends after the time; the number of slots if none does.
func (s *planSlots) after(at float64) int {
	return sort.Search(len(s.Times), func(k int) bool { return s.endOf(k) > at })
}

// common leaves in free the machines that no job is planned on in any slot from start to until, both included. next is the end of the first slot
// after which machines of the set within are free that are not so from the start to that end; 0: there is none, as far as the slot after until. As in Slurm,
// a job whose own machines become free only later is then not planned.
//
// Complexity: O(slots · machines/64).
func (s *planSlots) common(start, until float64, within, free bitset) (next float64) {
	k := s.after(start)
	first := k
	for ; k < len(s.Times) && s.Times[k] <= until; k++ {
		any := uint64(0)
		now := s.Values[k][:len(free)]
		for w := range free {
			free[w] &= now[w]
			any |= free[w]
		}
		if any == 0 {
			break
		}
	}
	for k = first + 1; k < len(s.Times) && (k == first+1 || s.Times[k-2] <= until); k++ {
		if s.frees(k, within) {
			return s.Times[k]
		}
	}
	return 0
}

// holds says whether the machines are free of plans from begin to end.
func (s *planSlots) holds(begin, end float64, machines bitset) bool {
	for k := s.after(begin); k < len(s.Times) && s.Times[k] < end; k++ {
		for w, word := range s.Values[k] {
			if machines[w]&^word != 0 {
				return false
			}
		}
	}
	return true
}

// from is the first slot that begins at the time or later; the number of slots if none does.
func (s *planSlots) from(at float64) int { return sort.SearchFloat64s(s.Times, at) }

// split makes the time the begin of a slot, unless it lies outside of all, and returns the first slot that begins at it or later.
func (s *planSlots) split(at float64) int {
	if at <= s.Times[0] || at >= s.end {
		return s.from(at)
	}
	return s.Split(at, s.copyOf)
}

// take plans the machines from begin to end.
func (s *planSlots) take(begin, end float64, machines bitset) {
	if end = min(end, s.end); begin >= end {
		return
	}
	from := s.split(begin)
	to := s.split(end)
	for w, word := range machines {
		for k := from; word != 0 && k < to; k++ {
			s.Values[k][w] &^= word
		}
	}
	s.merge(to)
	s.merge(from)
	machines.each(func(m int) {
		of := s.spans[m]
		if len(of) == 0 {
			s.used = append(s.used, int32(m))
		}
		at := len(of)
		for at > 0 && of[at-1].begin > begin {
			at--
		}
		s.spans[m] = slices.Insert(of, at, span{begin, end})
	})
}

// gap is the first time from the given one on from which the machine is free of plans until that time plus length.
func (s *planSlots) gap(machine int32, from, length float64) float64 {
	for _, of := range s.spans[machine] {
		if of.begin > from+length {
			break
		}
		from = max(from, of.end)
	}
	return from
}

// frees says whether some machine of the set is free from the begin of slot k on but not before.
func (s *planSlots) frees(k int, within bitset) bool {
	before, then := s.Values[k-1][:len(within)], s.Values[k][:len(within)]
	for w, word := range within {
		if word&then[w]&^before[w] != 0 {
			return true
		}
	}
	return false
}

// lastFreed is the last time after start and before the given one at which machines of the set become free of plans; start: there is none, or there are two of these
// times, or start and the first one, that are more than length apart.
func (s *planSlots) lastFreed(start, before, length float64, within bitset) float64 {
	k := s.from(before) - 1
	for ; k > 0 && s.Times[k] > start && !s.frees(k, within); k-- {
	}
	if k <= 0 || s.Times[k] <= start {
		return start
	}
	last := s.Times[k]
	for at := last; at-start > length; {
		i := s.from(at - length)
		for ; i < k && !s.frees(i, within); i++ {
		}
		if s.Times[i] >= at {
			return start
		}
		k, at = i, s.Times[i]
	}
	return last
}

// merge merges slot k with the one before it if the two are alike.
func (s *planSlots) merge(k int) {
	if free, merged := s.Join(k, slices.Equal[bitset]); merged {
		s.spare = append(s.spare, free)
	}
}
