package slots

import (
	"math"

	"github.com/allot-opt/allot/internal/kit"
)

// slot is a reservation of a processor for a task.
type slot struct {
	start, end float64 // [start, end)
	planned    float64 // the time that it was reserved for; start is later only where the slot had to move
	number     int64   // of the reservation, so that slots of one time have a fixed order
	of         *task

	queue *due // that the slot is in; nil: none
	index int  // in it

	before, after *slot // neighbours in the calendar
	left, right   *slot // in the tree
	gap           float64
	widest        float64 // gap in the tree below and here
}

// less is the order of a calendar: by the time reserved for, then by the number.
func (s *slot) less(other *slot) bool {
	return s.planned < other.planned || s.planned == other.planned && s.number < other.number
}

// rank is the slot's priority in the tree: it looks random, and is the same in every run.
func (s *slot) rank() uint64 { return kit.Mix(uint64(s.number) * 0x9e3779b97f4a7c15) }

// refresh recomputes the gap before the slot and the widest gap below it.
func (s *slot) refresh() {
	s.gap = s.start
	if s.before != nil {
		s.gap -= s.before.end
	}
	s.widest = s.gap
	if s.left != nil {
		s.widest = max(s.widest, s.left.widest)
	}
	if s.right != nil {
		s.widest = max(s.widest, s.right.widest)
	}
}

// calendar is the slots of one processor, none of which overlap. It is a treap with the widest gap of each subtree (C. R. Aragon, R. G.
// Seidel (1989), Randomized search trees, FOCS, doi:10.1109/SFCS.1989.63531). The expected time of each method is O(log n) for n slots, and
// O(log n) more for each slot that moves.
type calendar struct {
	root        *slot
	first, last *slot
}

// fit is the earliest start, not before the given time, of a gap that holds the length. A slot of no length needs a place between two slots
// too, after those that begin at the same time.
func (c *calendar) fit(from, length float64) float64 {
	if c.last == nil {
		return from
	}
	// Rounding: the widest gap is a difference and must not hide a gap that holds the length by its ends.
	if next := search(c.root, from, length, length-1e-15*(length+c.last.end)); next != nil {
		return next.opens(from)
	}
	return max(from, c.last.end)
}

// opens is the earliest time from which on the processor is free before the slot.
func (s *slot) opens(from float64) float64 {
	if s.before == nil {
		return from
	}
	return max(from, s.before.end)
}

// search is the first slot of the tree, none that starts before the given time, with room for the length before it; nil: none. No gap
// narrower than least can hold it.
func search(n *slot, from, length, least float64) *slot {
	if n == nil || n.widest < least {
		return nil
	}
	if n.start >= from {
		if found := search(n.left, from, length, least); found != nil {
			return found
		}
		if at := n.opens(from); at < n.start && at+length <= n.start {
			return n
		}
	}
	return search(n.right, from, length, least)
}

// insert adds a slot, whose place is free.
func (c *calendar) insert(s *slot) {
	var before, after *slot
	for n := c.root; n != nil; {
		if s.less(n) {
			after, n = n, n.left
		} else {
			before, n = n, n.right
		}
	}
	s.before, s.after, s.left, s.right = before, after, nil, nil
	c.link(before, s)
	c.link(s, after)
	c.root = inserted(c.root, s)
	c.mend(after)
}

// link makes two slots neighbours; nil is the end of the calendar.
func (c *calendar) link(a, b *slot) {
	if a == nil {
		c.first = b
	} else {
		a.after = b
	}
	if b == nil {
		c.last = a
	} else {
		b.before = a
	}
}

func inserted(n, s *slot) *slot {
	if n == nil {
		s.refresh()
		return s
	}
	if s.rank() > n.rank() {
		s.left, s.right = split(n, s)
		s.refresh()
		return s
	}
	if s.less(n) {
		n.left = inserted(n.left, s)
	} else {
		n.right = inserted(n.right, s)
	}
	n.refresh()
	return n
}

// split divides a tree into the slots before s and those after it.
func split(n, s *slot) (before, after *slot) {
	if n == nil {
		return nil, nil
	}
	if s.less(n) {
		before, n.left = split(n.left, s)
		n.refresh()
		return before, n
	}
	n.right, after = split(n.right, s)
	n.refresh()
	return n, after
}

// remove takes a slot out.
func (c *calendar) remove(s *slot) {
	c.root = removed(c.root, s)
	after := s.after
	c.link(s.before, after)
	s.before, s.after, s.left, s.right = nil, nil, nil, nil
	c.mend(after)
}

func removed(n, s *slot) *slot {
	switch {
	case n == s:
		return joined(n.left, n.right)
	case s.less(n):
		n.left = removed(n.left, s)
	default:
		n.right = removed(n.right, s)
	}
	n.refresh()
	return n
}

// joined is the tree of two trees, all slots of the first of which stand before those of the second.
func joined(a, b *slot) *slot {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.rank() > b.rank():
		a.right = joined(a.right, b)
		a.refresh()
		return a
	}
	b.left = joined(a, b.left)
	b.refresh()
	return b
}

// mend recomputes what the tree knows of a slot whose start has changed, or the end of the one before it.
func (c *calendar) mend(s *slot) {
	if s != nil {
		mended(c.root, s)
	}
}

func mended(n, s *slot) {
	switch {
	case n == s:
	case s.less(n):
		mended(n.left, s)
	default:
		mended(n.right, s)
	}
	n.refresh()
}

// move gives a slot another time. The order of the slots must stay the same.
func (c *calendar) move(s *slot, start, end float64) {
	s.start, s.end = start, end
	c.mend(s)
	c.mend(s.after)
}

// settle moves the slots from s on to where they may be now: each to the time that it was reserved for or, if that is later, to the end of
// the slot before it. It stops at the first that stays. The function moved is told of each.
func (c *calendar) settle(s *slot, now float64, moved func(*slot)) {
	for ; s != nil && math.IsNaN(s.of.began); s = s.after {
		start := max(s.planned, s.opens(now))
		if start == s.start {
			return
		}
		c.move(s, start, start+s.of.length)
		moved(s)
	}
}
