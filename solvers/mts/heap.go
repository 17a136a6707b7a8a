package mts

// Before implements [queue.Keeper] for the heaps of kinds and groups, the least key first. Of equal keys the kind of the first rank comes first, then
// that with the first job; where MTS is Min-min, the kind with the first job, as there.
func (r *run) Before(a, b int32) bool {
	x, y := &r.kinds[a], &r.kinds[b]
	switch {
	case x.key != y.key:
		return x.key < y.key
	case x.rank != y.rank && !r.minmin:
		return x.rank < y.rank
	}
	return x.jobs[0] < y.jobs[0]
}

// Put implements [queue.Keeper]: a kind knows its place in the heap.
func (r *run) Put(kind int32, place int) { r.kinds[kind].place = int32(place) }
