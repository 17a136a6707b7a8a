package mts

// heap holds kinds and groups, the least key first. Of equal keys the kind of the first rank comes first, then that with the first job; where MTS
// is Min-min, the kind with the first job, as there. A kind knows its place.
type heap []int32

// before says whether kind a comes before b.
func (r *run) before(a, b int32) bool {
	x, y := &r.kinds[a], &r.kinds[b]
	switch {
	case x.key != y.key:
		return x.key < y.key
	case x.rank != y.rank && !r.minmin:
		return x.rank < y.rank
	}
	return x.jobs[0] < y.jobs[0]
}

// put sets a place of the heap.
func (h heap) put(r *run, place int, kind int32) {
	h[place] = kind
	r.kinds[kind].place = int32(place)
}

// push adds a kind.
func (h *heap) push(r *run, kind int32) {
	*h = append(*h, kind)
	h.put(r, len(*h)-1, kind)
	h.rise(r, len(*h)-1)
}

// rise brings a kind up whose key has become less.
func (h heap) rise(r *run, place int) {
	kind := h[place]
	for place > 0 {
		parent := (place - 1) / 2
		if !r.before(kind, h[parent]) {
			break
		}
		h.put(r, place, h[parent])
		place = parent
	}
	h.put(r, place, kind)
}

// sink brings a kind down whose key has become greater.
func (h heap) sink(r *run, place int) {
	kind := h[place]
	for {
		child := 2*place + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && r.before(h[child+1], h[child]) {
			child++
		}
		if !r.before(h[child], kind) {
			break
		}
		h.put(r, place, h[child])
		place = child
	}
	h.put(r, place, kind)
}

// remove takes a kind out.
func (h *heap) remove(r *run, place int) {
	s := *h
	r.kinds[s[place]].place = -1
	last := len(s) - 1
	moved := s[last]
	*h = s[:last]
	if place < last {
		h.put(r, place, moved)
		h.sink(r, place)
		h.rise(r, int(r.kinds[moved].place))
	}
}
