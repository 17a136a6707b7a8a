package queue

// keeper orders the items of a heap and notes where each of them is.
type keeper[T any] interface {
	Before(a, b T) bool // whether a goes before b
	Put(x T, place int) // x is at the place now; −1: it has left the heap
}

// Placed is a heap of items whose places a [Keeper] notes, so that any of them can be moved or taken out. The one that goes before all others is at
// place 0. The zero value is an empty heap. Each method takes O(log n).
type Placed[T any] []T

// Push adds an item.
func (h *Placed[T]) Push(of keeper[T], x T) {
	*h = append(*h, x)
	h.Up(of, len(*h)-1)
}

// Remove takes out the item at place k.
func (h *Placed[T]) Remove(of keeper[T], k int) {
	list, last := *h, len(*h)-1
	of.Put(list[k], -1)
	moved := list[last]
	clear(list[last:]) // no pointer of it stays behind
	if *h = list[:last]; k < last {
		list[k] = moved
		h.Fix(of, k)
	}
}

// Fix puts the item at place k where it belongs after it has changed.
func (h Placed[T]) Fix(of keeper[T], k int) {
	if h.Down(of, k) == k {
		h.Up(of, k)
	}
}

// Up moves the item at place k towards place 0, as far as it goes before others.
func (h Placed[T]) Up(of keeper[T], k int) {
	x := h[k]
	for parent := (k - 1) / 2; k > 0 && of.Before(x, h[parent]); parent = (k - 1) / 2 {
		h[k] = h[parent]
		of.Put(h[k], k)
		k = parent
	}
	h[k] = x
	of.Put(x, k)
}

// Down moves the item at place k away from place 0, as far as others go before it, and returns its new place.
func (h Placed[T]) Down(of keeper[T], k int) int {
	x := h[k]
	for {
		child := 2*k + 1
		if child+1 < len(h) && of.Before(h[child+1], h[child]) {
			child++
		}
		if child >= len(h) || !of.Before(h[child], x) {
			break
		}
		h[k] = h[child]
		of.Put(h[k], k)
		k = child
	}
	h[k] = x
	of.Put(x, k)
	return k
}
