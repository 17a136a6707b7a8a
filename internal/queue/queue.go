// Package queue has heaps: package container/heap for items of one type, which it does not box, in the same order, also for items that know their
// place in the heap; and jobs that wait to be started, for list scheduling by priority.
package queue

// item says whether it goes before another item.
type item[T any] interface{ Before(T) bool }

// Heap is a heap of items, the one that goes before all others at place 0. The zero value is an empty heap.
type Heap[T item[T]] []T

// Init puts the items of any slice in order. O(n).
func (h Heap[T]) Init() {
	for k := len(h)/2 - 1; k >= 0; k-- {
		h.down(k)
	}
}

// Push adds an item. O(log n).
func (h *Heap[T]) Push(x T) {
	*h = append(*h, x)
	h.up(len(*h) - 1)
}

// Pop takes off the item that goes first; there must be one. O(log n).
func (h *Heap[T]) Pop() T {
	list, last := *h, len(*h)-1
	list[0], list[last] = list[last], list[0]
	*h = list[:last]
	h.down(0)
	first := list[last]
	clear(list[last:]) // no pointer of it stays behind
	return first
}

// Fix puts the item at place k where it belongs after it has changed. O(log n).
func (h Heap[T]) Fix(k int) {
	if !h.down(k) {
		h.up(k)
	}
}

// up moves the item at place k towards place 0.
func (h Heap[T]) up(k int) {
	for parent := (k - 1) / 2; k > 0 && h[k].Before(h[parent]); parent = (k - 1) / 2 {
		h[k], h[parent] = h[parent], h[k]
		k = parent
	}
}

// down moves the item at place k away from place 0, and says whether it moved.
func (h Heap[T]) down(k int) bool {
	from := k
	for {
		child := 2*k + 1
		if child >= len(h) {
			return k > from
		}
		if child+1 < len(h) && h[child+1].Before(h[child]) {
			child++
		}
		if !h[child].Before(h[k]) {
			return k > from
		}
		h[k], h[child] = h[child], h[k]
		k = child
	}
}

// Waiting is a job that waits to be started: the job with the least key goes first, of equal keys the one with the least place in the queue.
type Waiting struct {
	Key        float64
	Place, Job int32
}

// Before implements [Item].
func (w Waiting) Before(other Waiting) bool {
	return w.Key < other.Key || w.Key == other.Key && w.Place < other.Place
}
