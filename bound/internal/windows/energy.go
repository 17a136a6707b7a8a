package windows

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// energy is the working memory of overfull.
type energy struct {
	from  []int32
	bends []bend
	grid  []growth // by time from the least bend on: what the bends there add up to; all zero between two calls of order
}

// growth is the sum of the bends at one time.
type growth struct {
	change int64
	some   bool // there is a bend
}

// bend is a time at which the least use of a resource, counted from a fixed time on, begins or ceases to grow by a job.
type bend struct {
	at     int32
	change int64
}

// mostStarts is how many starts of intervals are looked at for a resource.
const mostStarts = 400

// energies narrows windows by the energy of intervals, for one resource after another. It returns false if an interval is overfull or a job has no
// start left.
//
// Source: P. Baptiste, C. Le Pape, W. Nuijten (1999), doi:10.1023/A:1018995000688, §3, energetic reasoning.
func (r *Refuter) energies() bool {
	for k := range r.resources {
		if r.stop() {
			return true
		}
		if !r.overfull(k, true) {
			return false
		}
	}
	return true
}

// overfull looks at the intervals [a, b] whose start a is an earliest start, an earliest end or a latest start of a job. A job with window
// [s, e] and length p runs within [a, b] for at least min(p, b − a, s + p − a, b − (e − p)) wherever it starts. With m = min(p, s + p − a) that
// is 0 until b = max(a, e − p), grows with b until it is m and stays. So for one start all ends are looked at in one sweep, and the ends at
// which the growth changes suffice. It returns false if the jobs need more than the interval has.
//
// If adjust is set it also moves the jobs that would need too much if they started at their earliest or ended at their latest.
func (r *Refuter) overfull(k int, adjust bool) bool {
	e, resource := &r.energy, &r.resources[k]
	e.from = e.from[:0]
	for _, u := range resource.Uses {
		length := r.p.Length[u.Job]
		e.from = append(e.from, r.start[u.Job], r.end[u.Job]-length, r.start[u.Job]+length)
	}
	slices.Sort(e.from)
	e.from = slices.Compact(e.from)
	step := 1 + (len(e.from)-1)/mostStarts
	largest := r.mostEnergy(resource)
	for i := 0; i < len(e.from); i += step {
		a := e.from[i]
		e.bends = e.bends[:0]
		for _, u := range resource.Uses {
			length := r.p.Length[u.Job]
			if most := min(length, r.start[u.Job]+length-a); most > 0 {
				from := max(a, r.end[u.Job]-length)
				e.bends = append(e.bends, bend{from, u.Need}, bend{from + most, -u.Need})
			}
		}
		r.work += int64(30 * len(e.bends))
		e.order(a)
		need, slope, at := int64(0), int64(0), a
		for i, b := range e.bends {
			need += slope * int64(b.at-at)
			at = b.at
			slope += b.change
			if at == a || i+1 < len(e.bends) && e.bends[i+1].at == at {
				continue
			}
			spare := resource.Capacity*int64(at-a) - need
			if spare < 0 {
				r.because(Step{Interval, int32(k), a, at})
				r.empty = -1
				r.refusal.Resource, r.refusal.From, r.refusal.To = *resource, a, at
				return false
			}
			if adjust && spare < largest {
				moved := r.changed
				r.changed = false
				r.because(Step{Interval, int32(k), a, at})
				ok := r.adjust(resource, a, at, spare)
				now := r.changed
				r.changed = r.changed || moved
				if !ok {
					return false
				}
				if now { // the sums are those of the windows before
					return true
				}
			}
		}
	}
	return true
}

// order sorts the bends by time. None of them may be before the time first. Where the times are near each other it counts them instead of comparing
// them, which is several times as fast, and leaves one bend for each time: the sum of those there.
func (e *energy) order(first int32) {
	last := first
	for _, b := range e.bends {
		last = max(last, b.at)
	}
	span := int64(last) - int64(first) + 1
	if span > int64(8*len(e.bends)) {
		slices.SortFunc(e.bends, func(x, y bend) int { return cmp.Compare(x.at, y.at) })
		return
	}
	if int64(len(e.grid)) < span {
		e.grid = make([]growth, span)
	}
	grid := e.grid[:span]
	for _, b := range e.bends {
		at := &grid[b.at-first]
		at.change, at.some = at.change+b.change, true
	}
	e.bends = e.bends[:0]
	for k := range grid {
		if grid[k].some {
			e.bends = append(e.bends, bend{first + int32(k), grid[k].change})
			grid[k] = growth{}
		}
	}
}

// mostEnergy is the largest energy that one job needs of the resource: its need times its length.
func (r *Refuter) mostEnergy(resource *tasks.Resource) int64 {
	most := int64(0)
	for _, u := range resource.Uses {
		most = max(most, u.Need*int64(r.p.Length[u.Job]))
	}
	return most
}

// adjust moves jobs out of the interval. It looks at the jobs that, at their earliest start or at their latest, would need more energy in the
// interval than their least need plus the spare energy. Such a job may run within the interval only for the time that these two allow.
func (r *Refuter) adjust(resource *tasks.Resource, a, b int32, spare int64) bool {
	r.work += int64(4 * len(resource.Uses))
	for _, u := range resource.Uses {
		j, length := u.Job, r.p.Length[u.Job]
		least := max(0, min(length, b-a, r.start[j]+length-a, b-(r.end[j]-length)))
		room := int32(min(int64(length), int64(least)+spare/u.Need))
		if min(r.start[j]+length, b)-max(r.start[j], a) > room {
			return r.later(j, b-room)
		}
		if min(r.end[j], b)-max(r.end[j]-length, a) > room {
			return r.earlier(j, a+room)
		}
	}
	return true
}
