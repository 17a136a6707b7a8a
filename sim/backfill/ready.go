package backfill

import (
	"cmp"
	"math"
	"slices"
)

// ready says when machines will have room for jobs of a kind, at least a number of processors, as running jobs end. Such a time is the estimated end of the
// job that leaves the room, also if that is over; −Inf: now, +Inf: never. Room that is there once only grows.
type ready struct {
	kind  *kindRooms
	least int32
	could bitset    // the machines that have room when nothing runs
	count int       // of them
	at    []float64 // by machine; nil: no update yet
	order []int32   // the machines that are ready at some time: by that time, then by number
	seen  int       // number of changes of the releases that this list takes into account
}

func newReady(kind *kindRooms, least int, machines bitset) *ready {
	return &ready{kind: kind, least: int32(least), could: machines, count: machines.count(), seen: -1}
}

// update brings it up to date. O(k·(r + m)) for k machines on which jobs began or ended since, with r running jobs each, at most m machines.
func (r *ready) update(of *releases) {
	if r.seen == len(of.changed) {
		return
	}
	if r.at == nil {
		r.at = slices.Repeat([]float64{math.Inf(1)}, len(r.kind.machines))
	}
	if r.seen < 0 || len(of.changed)-r.seen > r.count/4 {
		r.order = r.order[:0]
		r.could.each(func(m int) {
			if r.at[m] = r.find(of, m); !math.IsInf(r.at[m], 1) {
				r.order = append(r.order, int32(m))
			}
		})
		slices.SortFunc(r.order, r.compare)
		r.seen = len(of.changed)
		return
	}
	for ; r.seen < len(of.changed); r.seen++ {
		m := of.changed[r.seen]
		if !r.could.has(int(m)) {
			continue
		}
		at := r.find(of, int(m))
		if at == r.at[m] {
			continue
		}
		if !math.IsInf(r.at[m], 1) {
			k, _ := slices.BinarySearchFunc(r.order, m, r.compare)
			r.order = slices.Delete(r.order, k, k+1)
		}
		if r.at[m] = at; !math.IsInf(at, 1) {
			k, _ := slices.BinarySearchFunc(r.order, m, r.compare)
			r.order = slices.Insert(r.order, k, m)
		}
	}
}

func (r *ready) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(r.at[a], r.at[b]), cmp.Compare(a, b))
}

// find is when the machine is ready.
func (r *ready) find(of *releases, m int) float64 {
	room := of.of(r.kind, m)
	if room.now.processors >= r.least {
		return math.Inf(-1)
	}
	for _, l := range room.later {
		if l.processors >= r.least {
			return l.end
		}
	}
	return math.Inf(1)
}
