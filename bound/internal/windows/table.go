package windows

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// table is the time-table of a resource. It says how much is held at each time by the jobs that run then wherever they start.
type table struct {
	events []event
	parts  []part
}

type event struct {
	at     int32
	change int64
}

type part struct {
	from, to int32
	held     int64
}

// tables moves jobs to where the time-tables of the problem's resources leave room for them. It returns false if a time-table is overfull or a job
// has no start left.
func (r *Refuter) tables() bool {
	for k := range r.resources[:r.real] {
		if !r.fill(k) {
			return false
		}
	}
	return true
}

func (r *Refuter) fill(k int) bool {
	t, resource := &r.table, &r.resources[k]
	t.events, t.parts = t.events[:0], t.parts[:0]
	for _, u := range resource.Uses {
		length := r.p.Length[u.Job]
		if from, to := r.end[u.Job]-length, r.start[u.Job]+length; from < to {
			t.events = append(t.events, event{from, u.Need}, event{to, -u.Need})
		}
	}
	r.work += int64(20 * len(t.events))
	slices.SortFunc(t.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	held, since := int64(0), int32(0)
	for _, e := range t.events {
		if e.at > since && held > 0 {
			if held > resource.Capacity {
				r.because(Step{Time, int32(k), since, 0})
				r.empty = -1
				return false
			}
			t.parts = append(t.parts, part{since, e.at, held})
		}
		held, since = held+e.change, e.at
	}
	for _, u := range resource.Uses {
		if !r.place(u, k, resource.Capacity) {
			return false
		}
	}
	return true
}

// place moves the window of a job away from the parts in which it does not fit.
func (r *Refuter) place(u tasks.Use, k int, capacity int64) bool {
	j, length := u.Job, r.p.Length[u.Job]
	own := part{r.end[j] - length, r.start[j] + length, 0} // it holds its own part there, if any
	r.work += int64(2 * len(r.table.parts))
	for _, p := range r.table.parts {
		mine := own.from < own.to && p.from >= own.from && p.to <= own.to
		if !mine && p.held+u.Need > capacity && p.from < r.start[j]+length && p.to > r.start[j] && !r.behind(j, k, p) {
			return false
		}
	}
	for _, p := range slices.Backward(r.table.parts) {
		mine := own.from < own.to && p.from >= own.from && p.to <= own.to
		if !mine && p.held+u.Need > capacity && p.to > r.end[j]-length && p.from < r.end[j] && !r.before(j, k, p) {
			return false
		}
	}
	return true
}

// behind moves the earliest start of a job behind a part of the time-table of resource k. A record has a step for each time at which the job does not fit.
func (r *Refuter) behind(j, k int, p part) bool {
	for r.record != nil && r.start[j] < p.to {
		t := min(p.to, r.start[j]+r.p.Length[j]) - 1
		if r.because(Step{Time, int32(k), t, 0}); !r.later(j, t+1) {
			return false
		}
	}
	return r.later(j, p.to)
}

// before moves the latest end of a job before a part of the time-table of resource k.
func (r *Refuter) before(j, k int, p part) bool {
	for r.record != nil && r.end[j] > p.from {
		t := max(p.from, r.end[j]-r.p.Length[j])
		if r.because(Step{Time, int32(k), t, 0}); !r.earlier(j, t) {
			return false
		}
	}
	return r.earlier(j, p.from)
}
