package solvers

import "math"

// mtsHeap holds kinds, the least key first. Of equal keys the kind with the first resource comes first, then that with the first job; where MTS is
// Min-min, the kind with the first job, as there. A kind knows its place.
type mtsHeap []int32

// before says whether kind a comes before b.
func (r *mtsRun) before(a, b int32) bool {
	x, y := &r.kinds[a], &r.kinds[b]
	switch {
	case x.key != y.key:
		return x.key < y.key
	case x.resource != y.resource && !r.minmin:
		return x.resource < y.resource
	}
	return x.jobs[0] < y.jobs[0]
}

// put sets a place of the heap.
func (h mtsHeap) put(r *mtsRun, place int, kind int32) {
	h[place] = kind
	r.kinds[kind].place = int32(place)
}

// push adds a kind.
func (h *mtsHeap) push(r *mtsRun, kind int32) {
	*h = append(*h, kind)
	h.put(r, len(*h)-1, kind)
	h.rise(r, len(*h)-1)
}

// rise brings a kind up whose key has become less.
func (h mtsHeap) rise(r *mtsRun, place int) {
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
func (h mtsHeap) sink(r *mtsRun, place int) {
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
func (h *mtsHeap) remove(r *mtsRun, place int) {
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

// match lists the fragments on the resource now. A job that has arrived by the release and has the latest start τ loads the processors by
// ex/(ex + τ − release). That is 1 − fragment or more where τ − release ≤ ex·fragment/(1 − fragment).
func (r *mtsRun) match(resource int, q *mtsQueue) {
	if !r.fragments {
		return
	}
	q.matches = q.matches[:0]
	for _, m := range q.early {
		if r.kinds[m.kind].arrival > q.release {
			q.matches = append(q.matches, m)
		}
	}
	const rounding = 1e-9
	window := q.longest * r.p.Fragment / (1 - r.p.Fragment)
	last := q.release + window + rounding*(math.Abs(q.release)+window)
	for i := range q.latest.len() {
		latest := q.latest.get(i)
		if latest.at > last {
			break
		}
		if kind := &r.kinds[latest.kind]; latest.fits && kind.place >= 0 && kind.arrival <= q.release {
			r.tryFragment(&q.matches, latest.kind, resource, q.release)
		}
	}
}

// tryFragment adds the kind to the list if it leaves little enough of the resource from the start.
func (r *mtsRun) tryFragment(list *[]mtsMatch, k int32, resource int, start float64) {
	if math.Signbit(r.span[int(k)*len(r.Resources)+resource]) {
		return
	}
	if sum, ok := r.loads(&r.kinds[k], resource, start).fragment(r.p.Fragment); ok {
		*list = append(*list, mtsMatch{sum, k})
	}
}

// leastFragment is the kind of the class that leaves least of a resource, by the fragment rule, with the resource; −1: none.
func (r *mtsRun) leastFragment(class int8) (kind int32, resource int) {
	if !r.fragments {
		return -1, 0
	}
	best := mtsMatch{kind: -1}
	for at := range r.queues {
		for q := range r.queues[at] {
			for _, m := range r.queues[at][q].matches {
				k := &r.kinds[m.kind]
				if k.place < 0 || k.class != class {
					continue
				}
				if best.kind < 0 || m.sum < best.sum || m.sum == best.sum && resource == at && k.jobs[0] < r.kinds[best.kind].jobs[0] {
					best, resource = m, at
				}
			}
		}
	}
	return best.kind, resource
}
