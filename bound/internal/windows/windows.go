// Package windows refutes makespans without a search: it assumes that the jobs end within a time, and narrows the window in which each job
// must run until nothing changes or some job has no window left.
//
// Source: R. Klein, A. Scholl (1999), Computing lower bounds by destructive improvement, doi:10.1016/S0377-2217(97)00442-6. All arithmetic is
// on whole numbers and exact.
package windows

import (
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// Refuter refutes makespans of one problem. Only one goroutine at a time may use it.
type Refuter struct {
	p            *tasks.Problem
	real         int              // resources of the problem; those behind are derived from it
	resources    []tasks.Resource // the cheapest reasons first
	heads, tails []int32
	start, end   []int32 // by job: the earliest start and the latest end
	changed      bool
	work         int64
	stop         func() bool
	refusal      Refusal
	table        table
	energy       energy
}

// Refusal is why a makespan was refuted at last: in the interval the jobs need more of the resource than there is, given their windows.
type Refusal struct {
	Makespan int32
	Resource tasks.Resource
	From, To int32
	// Plain says that the windows are those of arrival and precedence alone, so that the interval is the whole proof. It is false where
	// windows were narrowed before, or where no interval but a job without a start refuted the makespan.
	Plain bool
}

// New prepares the resources.
func New(p *tasks.Problem) *Refuter {
	const pairs = 400_000 // of an interval's start and a job: what one look at all resources may take
	r := &Refuter{p: p, real: len(p.Resources), resources: slices.Clone(p.Resources), heads: p.Heads(), tails: p.Tails()}
	n := len(p.Length)
	many := min(n, pairs/(n*n+1))
	r.resources = append(r.resources, Cliques(p, many)...)
	for k := range p.Resources {
		r.resources = append(r.resources, Changed(p, &p.Resources[k], min(6, many))...)
	}
	return r
}

// Work is the work done so far, about in ns.
func (r *Refuter) Work() int64 { return r.work }

// Refusal is why the last makespan was refuted.
func (r *Refuter) Refusal() Refusal { return r.refusal }

// Refutes says that no schedule ends within the makespan. It gives up, and says false, when stop says so.
func (r *Refuter) Refutes(makespan int32, stop func() bool) bool {
	r.start, r.end = append(r.start[:0], r.heads...), r.end[:0]
	r.stop = stop
	r.refusal = Refusal{Makespan: makespan}
	for j, tail := range r.tails {
		r.end = append(r.end, makespan-tail)
		if r.start[j]+r.p.Length[j] > r.end[j] {
			return true
		}
	}
	for plain := true; !stop(); plain = false {
		r.changed = false
		if plain && r.refutesPlainly() {
			return true
		}
		if !r.precedence() || !r.pairs() || !r.tables() {
			return true
		}
		if !r.changed && !r.energies() {
			return true
		}
		if !r.changed {
			return false
		}
	}
	return false
}

// refutesPlainly looks for an interval that refutes the makespan by itself, before any window is narrowed.
func (r *Refuter) refutesPlainly() bool {
	for k := range r.resources {
		if !r.overfull(&r.resources[k], false) {
			r.refusal.Plain = true
			return true
		}
	}
	return false
}

// later moves the earliest start of a job; false: it has no start left.
func (r *Refuter) later(j int, start int32) bool {
	if start > r.start[j] {
		r.start[j], r.changed = start, true
	}
	return r.start[j]+r.p.Length[j] <= r.end[j]
}

// earlier moves the latest end of a job; false: it has no start left.
func (r *Refuter) earlier(j int, end int32) bool {
	if end < r.end[j] {
		r.end[j], r.changed = end, true
	}
	return r.start[j]+r.p.Length[j] <= r.end[j]
}

// precedence moves jobs behind those that they wait for.
func (r *Refuter) precedence() bool {
	for _, j := range r.p.Order {
		for _, before := range r.p.After[j] {
			if !r.later(j, r.start[before]+r.p.Length[before]) {
				return false
			}
		}
	}
	for _, j := range slices.Backward(r.p.Order) {
		for _, before := range r.p.After[j] {
			if !r.earlier(before, r.end[j]-r.p.Length[j]) {
				return false
			}
		}
	}
	r.work += int64(4 * len(r.p.Order))
	return true
}

// pairs puts job b before job a, which it cannot overlap, if a cannot end before b starts.
func (r *Refuter) pairs() bool {
	for a, list := range r.p.Apart {
		r.work += int64(2 * len(list))
		for _, b := range list {
			if r.start[a]+r.p.Length[a] <= r.end[b]-r.p.Length[b] {
				continue
			}
			if !r.later(a, r.start[b]+r.p.Length[b]) || !r.earlier(b, r.end[a]-r.p.Length[a]) {
				return false
			}
		}
	}
	return true
}
