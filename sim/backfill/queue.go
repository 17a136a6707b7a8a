package backfill

import (
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/sim"
)

// queue is the queued jobs in queue order, indexed by size and estimate: it has a queue for each size, the number of processors of a
// job. Finding the first job that fits takes O(s·log n) at worst, for s sizes and n jobs of a size. A scan would look at O(n) jobs.
type queue struct {
	bySize  []*sizeQueue // sizes ascending; an empty queue stays
	leasts  []float64    // by place in bySize: least estimate
	heads   []int64      // by place in bySize: place in the queue of the first job; MaxInt64: none
	line    []entry      // all in queue order, gaps included
	begin   int          // nothing before it is queued
	next    int64        // place of the next job to arrive
	slots   []slot       // by handle
	length  int
	onMoved func(handle, leaf int32)
}

// slot is where a queued job is.
type slot struct {
	order int64 // −1: not queued
	in    *sizeQueue
	leaf  int32
}

func newQueue() *queue {
	q := &queue{}
	q.onMoved = func(handle, leaf int32) { q.slots[handle].leaf = leaf }
	return q
}

// index is the place in bySize of the first queue of at least the size.
func (q *queue) index(size int32) int {
	return sort.Search(len(q.bySize), func(k int) bool { return q.bySize[k].size >= size })
}

// ofSize is the queue of a size, made where there is none, with its place in bySize.
func (q *queue) ofSize(size int32) (*sizeQueue, int) {
	k := q.index(size)
	if k < len(q.bySize) && q.bySize[k].size == size {
		return q.bySize[k], k
	}
	l := &sizeQueue{size: size, tree: []float64{0, math.Inf(1)}, entries: make([]entry, 1)}
	q.bySize = slices.Insert(q.bySize, k, l)
	q.leasts = slices.Insert(q.leasts, k, math.Inf(1))
	q.heads = slices.Insert(q.heads, k, math.MaxInt64)
	return l, k
}

// update brings the least estimate and the head of the k-th size up to date.
func (q *queue) update(k int) {
	l := q.bySize[k]
	q.leasts[k] = l.least()
	q.heads[k] = math.MaxInt64
	if l.live > 0 {
		q.heads[k] = l.head().order
	}
}

// push adds a job at the end.
func (q *queue) push(j *sim.Job) {
	for int(j.Handle) >= len(q.slots) {
		q.slots = append(q.slots, slot{order: -1})
	}
	e := entry{q.next, j.Handle}
	q.next++
	l, k := q.ofSize(j.Processors)
	q.slots[j.Handle] = slot{e.order, l, l.add(e, j.Estimate, q.onMoved)}
	q.update(k)
	if len(q.line) == cap(q.line) && 2*q.length < len(q.line) {
		q.tidy()
	}
	q.line = append(q.line, e)
	q.length++
}

// tidy removes the gaps of the line.
func (q *queue) tidy() {
	kept := q.line[:0]
	for _, e := range q.line[q.begin:] {
		if q.slots[e.handle].order == e.order {
			kept = append(kept, e)
		}
	}
	q.line, q.begin = kept, 0
}

// head is the handle of the first job; −1: none.
func (q *queue) head() int32 {
	for q.begin < len(q.line) {
		e := &q.line[q.begin]
		if q.slots[e.handle].order == e.order {
			return e.handle
		}
		q.begin++
	}
	q.line, q.begin = q.line[:0], 0
	return -1
}

// remove takes a job out.
func (q *queue) remove(handle int32) {
	s := &q.slots[handle]
	s.in.remove(s.leaf)
	q.update(q.index(s.in.size))
	s.order = -1
	q.length--
}

// smallest is the least size of a queued job; MaxInt32: none is queued.
func (q *queue) smallest() int32 {
	for k, head := range q.heads {
		if head != math.MaxInt64 {
			return q.bySize[k].size
		}
	}
	return math.MaxInt32
}

// first is the handle of the first job in queue order that fits into the free processors and either ends by the shadow time if it
// starts now, or fits into the extra processors; −1: none.
func (q *queue) first(now float64, free, extra int32, shadow float64) int32 {
	best := entry{math.MaxInt64, -1}
	for k, l := range q.bySize {
		if l.size > free {
			break
		}
		if q.heads[k] >= best.order {
			continue
		}
		if l.size <= extra {
			best = *l.head()
		} else if now+q.leasts[k] <= shadow {
			if e := l.firstWithin(now, shadow, best.order); e != nil {
				best = *e
			}
		}
	}
	return best.handle
}
