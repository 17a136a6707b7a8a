// Package windows refutes makespans without a search. It assumes that all jobs end within a makespan, and narrows the window in which each job must
// run. If some job has no window left, the makespan is refuted. It gives up when nothing changes any more.
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
	from         []int            // by resource: the one of the problem from which it is derived; −1: a clique
	heads, tails []int32
	ends         []int32 // by job: the latest end, whatever the makespan
	start, end   []int32 // by job: the earliest start and the latest end
	changed      bool
	work         int64
	stop         func() bool
	refusal      Refusal
	table        table
	energy       energy

	makespan int32
	why      Step    // the present step
	fresh    bool    // it has moved nothing yet
	empty    int     // the job without a start; −1: none, a resource is held beyond its capacity
	record   *record // nil: the steps are not kept
}

// Refusal says why a makespan was refuted in the end: in the interval the jobs, given their windows, need more of the resource than there is.
type Refusal struct {
	Makespan int32
	Resource tasks.Resource
	From, To int32
	// Plain says that the windows follow from arrival, precedence and latest ends alone, so that the interval is the whole proof. It is false if windows were
	// narrowed before, or if the makespan was refuted by a job without a start and not by an interval.
	Plain bool
}

// New prepares the resources.
func New(p *tasks.Problem) *Refuter {
	const pairs = 400_000 // largest number of pairs of an interval's start and a job in one look at all resources
	r := &Refuter{p: p, real: len(p.Resources), resources: slices.Clone(p.Resources), heads: p.Heads(), tails: p.Tails(), ends: p.Ends()}
	n := len(p.Length)
	many := min(n, pairs/(n*n+1))
	for k := range p.Resources {
		r.from = append(r.from, k)
	}
	r.derive(-1, cliques(p, many))
	for k := range p.Resources {
		r.derive(k, changed(p, &p.Resources[k], min(6, many)))
	}
	return r
}

// derive adds resources that follow from one of the problem.
func (r *Refuter) derive(from int, resources []tasks.Resource) {
	for _, derived := range resources {
		r.resources, r.from = append(r.resources, derived), append(r.from, from)
	}
}

// Work is the work done so far, about in ns.
func (r *Refuter) Work() int64 { return r.work }

// Refusal is why the last makespan was refuted.
func (r *Refuter) Refusal() Refusal { return r.refusal }

// Refutes says whether it can prove that no schedule ends within the makespan. If stop returns true it gives up and returns false.
func (r *Refuter) Refutes(makespan int32, stop func() bool) bool {
	r.start, r.end = append(r.start[:0], r.heads...), r.end[:0]
	r.stop = stop
	r.refusal, r.makespan = Refusal{Makespan: makespan}, makespan
	for j := range r.tails {
		r.end = append(r.end, r.latest(j))
	}
	for j := range r.start {
		if !r.startsBy(j) {
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

// latest is the latest end of a job before any window is narrowed.
func (r *Refuter) latest(j int) int32 { return min(r.makespan-r.tails[j], r.ends[j]) }

// refutesPlainly looks for an interval that refutes the makespan by itself, before any window is narrowed.
func (r *Refuter) refutesPlainly() bool {
	for k := range r.resources {
		if !r.overfull(k, false) {
			r.refusal.Plain = true
			return true
		}
	}
	return false
}

// later moves the earliest start of a job. It returns false if the job has no start left.
func (r *Refuter) later(j int, start int32) bool {
	if start > r.start[j] {
		r.moved(2*j, r.start[j], start)
		r.start[j], r.changed = start, true
	}
	return r.startsBy(j)
}

// earlier moves the latest end of a job. It returns false if the job has no start left.
func (r *Refuter) earlier(j int, end int32) bool {
	if end < r.end[j] {
		r.moved(2*j+1, r.end[j], end)
		r.end[j], r.changed = end, true
	}
	return r.startsBy(j)
}

// startsBy says whether the job has a start left.
func (r *Refuter) startsBy(j int) bool {
	if r.start[j]+r.p.Length[j] <= r.end[j] {
		return true
	}
	r.empty = j
	return false
}

// precedence moves jobs behind those that they wait for.
func (r *Refuter) precedence() bool {
	for _, j := range r.p.Order {
		for _, before := range r.p.After[j] {
			r.because(Step{Precedence, int32(before), int32(j), 0})
			if !r.later(j, r.start[before]+r.p.Length[before]) {
				return false
			}
		}
	}
	for _, j := range slices.Backward(r.p.Order) {
		for _, before := range r.p.After[j] {
			r.because(Step{Precedence, int32(before), int32(j), 0})
			if !r.earlier(before, r.end[j]-r.p.Length[j]) {
				return false
			}
		}
	}
	r.work += int64(4 * len(r.p.Order))
	return true
}

// pairs looks at jobs a and b that cannot overlap. If a cannot end before b starts, it puts b before a.
func (r *Refuter) pairs() bool {
	for a, list := range r.p.Apart {
		r.work += int64(2 * len(list))
		for _, b := range list {
			if r.start[a]+r.p.Length[a] <= r.end[b]-r.p.Length[b] {
				continue
			}
			r.because(Step{Pair, int32(a), int32(b), 0})
			if !r.later(a, r.start[b]+r.p.Length[b]) || !r.earlier(b, r.end[a]-r.p.Length[a]) {
				return false
			}
		}
	}
	return true
}
