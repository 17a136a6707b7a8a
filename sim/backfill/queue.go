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
	kept    int // places that are kept for jobs that are not queued yet
	onMoved func(handle, leaf int32)
}

// slot is where a job is that is queued, or is to be.
type slot struct {
	order int64 // −1: it has no place
	in    *sizeQueue
	leaf  int32
	kept  bool // it is not queued yet
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

// push adds a job at the end, or at the place that was kept for it.
func (q *queue) push(j *sim.Job) {
	if q.keeps(j.Handle) {
		q.join(j)
		return
	}
	k := q.add(j, entry{q.next, j.Handle, false})
	q.update(k)
	q.length++
}

// keep keeps the place at the end for a job that is to join the queue later.
func (q *queue) keep(j *sim.Job) {
	q.add(j, entry{q.next, j.Handle, true})
	q.kept++
}

// add adds a job, or only its place, at the end. It returns the place of its size in bySize.
func (q *queue) add(j *sim.Job, e entry) int {
	for int(j.Handle) >= len(q.slots) {
		q.slots = append(q.slots, slot{order: -1})
	}
	q.next++
	l, k := q.ofSize(j.Processors)
	q.slots[j.Handle] = slot{e.order, l, l.add(e, j.Estimate, q.onMoved), e.kept}
	if len(q.line) == cap(q.line) && 2*(q.length+q.kept) < len(q.line) {
		q.tidy()
	}
	q.line = append(q.line, e)
	return k
}

// keeps says whether a place is kept for the job.
func (q *queue) keeps(handle int32) bool {
	return int(handle) < len(q.slots) && q.slots[handle].order >= 0 && q.slots[handle].kept
}

// join adds a job at the place that was kept for it.
func (q *queue) join(j *sim.Job) {
	s := &q.slots[j.Handle]
	s.kept = false
	s.in.join(s.leaf, j.Estimate)
	q.update(q.index(s.in.size))
	q.begin = min(q.begin, sort.Search(len(q.line), func(k int) bool { return q.line[k].order >= s.order }))
	q.length++
	q.kept--
}

// giveUp gives the place up that was kept for a job, if there is one.
func (q *queue) giveUp(handle int32) {
	if q.keeps(handle) {
		s := &q.slots[handle]
		s.in.giveUp(s.leaf)
		*s = slot{order: -1}
		q.kept--
	}
}

// goesFirst says whether a place is kept for the job before that of the first queued job.
func (q *queue) goesFirst(handle int32) bool {
	head := q.head()
	return head >= 0 && q.keeps(handle) && q.slots[handle].order < q.slots[head].order
}

// tidy removes the gaps of the line.
func (q *queue) tidy() {
	kept, from := q.line[:0], q.begin
	if q.kept > 0 {
		from = 0
	}
	for _, e := range q.line[from:] {
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
		if s := &q.slots[e.handle]; s.order == e.order && !s.kept {
			return e.handle
		}
		q.begin++
	}
	if q.kept == 0 {
		q.line, q.begin = q.line[:0], 0
	}
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
	best := entry{math.MaxInt64, -1, false}
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
