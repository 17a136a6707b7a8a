package slots

import "container/heap"

// due is a queue of slots, the one whose time comes first at the top.
type due struct {
	slots []*slot
	time  func(*slot) float64
}

// top is the slot whose time comes first; nil: there is none.
func (d *due) top() *slot {
	if len(d.slots) == 0 {
		return nil
	}
	return d.slots[0]
}

// add puts a slot into the queue.
func (d *due) add(s *slot) { heap.Push((*dueHeap)(d), s) }

// remove takes a slot out, if it is in.
func (d *due) remove(s *slot) {
	if s.queue == d {
		heap.Remove((*dueHeap)(d), s.index)
	}
}

// update gives a slot of the queue its place after its time has changed.
func (d *due) update(s *slot) { heap.Fix((*dueHeap)(d), s.index) }

// dueHeap implements [heap.Interface] apart from the methods that others call.
type dueHeap due

// Len implements [heap.Interface].
func (h *dueHeap) Len() int { return len(h.slots) }

// Less implements [heap.Interface].
func (h *dueHeap) Less(a, b int) bool {
	x, y := h.slots[a], h.slots[b]
	if s, t := h.time(x), h.time(y); s != t {
		return s < t
	}
	return x.number < y.number
}

// Swap implements [heap.Interface].
func (h *dueHeap) Swap(a, b int) {
	h.slots[a], h.slots[b] = h.slots[b], h.slots[a]
	h.slots[a].index, h.slots[b].index = a, b
}

// Push implements [heap.Interface].
func (h *dueHeap) Push(x any) {
	s := x.(*slot)
	s.queue, s.index = (*due)(h), len(h.slots)
	h.slots = append(h.slots, s)
}

// Pop implements [heap.Interface].
func (h *dueHeap) Pop() any {
	last := len(h.slots) - 1
	s := h.slots[last]
	h.slots[last], h.slots = nil, h.slots[:last]
	s.queue = nil
	return s
}
