package mts

import "math"

// match is a job that the fragment rule could place on a resource.
type match struct {
	sum  float64
	kind int32
}

// load is the parts of a resource that a job uses, at most 1.
type load struct{ cpu, bandwidth, memory float64 }

// fragment is the sum of the parts that the loads leave unused; false where one of the parts exceeds most.
func (l load) fragment(most float64) (sum float64, ok bool) {
	cpu, bandwidth, memory := 1-l.cpu, 1-l.bandwidth, 1-l.memory
	return cpu + bandwidth + memory, cpu <= most && bandwidth <= most && memory <= most
}

// loadOf is the load of a job that has the time left from its start to its deadline, runs for ex and moves files for tr. files says whether the link counts,
// and memory is the part of it that the job needs.
func loadOf(ex, tr, left float64, files bool, memory float64) load {
	loads := load{cpu: 1, bandwidth: 1, memory: memory}
	if ex < left-tr {
		loads.cpu = ex / (left - tr)
	}
	if files && tr < left-ex {
		loads.bandwidth = tr / (left - ex)
	}
	return loads
}

// loads are the loads of the kind on the resource, where it starts in time.
func (r *run) loads(k *jobKind, resource int, start float64) load {
	l := &r.Resources[resource]
	ex, tr := r.times(k, resource)
	return loadOf(ex, tr, k.deadline-start, k.files && !math.IsInf(l.Bandwidth, 1), r.room(k, l.Memory))
}

// room is the part of a memory that the kind needs; 1 where it is unlimited.
func (r *run) room(k *jobKind, memory float64) float64 {
	if math.IsInf(memory, 1) {
		return 1
	}
	return k.memory / (memory * r.p.MemoryShare)
}

// match lists the fragments on the resource now. A job that has arrived by the release and has the latest start τ loads the processors by
// ex/(ex + τ − release). That is 1 − fragment or more where τ − release ≤ ex·fragment/(1 − fragment).
func (r *run) match(resource int, q *lateQueue) {
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
	last := q.release + window + rounding*(math.Abs(q.release)+window+q.longest)
	for i := range q.latest.len() {
		latest := q.latest.get(i)
		if latest.at > last {
			break
		}
		if kind := &r.kinds[latest.kind]; latest.fits && kind.left() && kind.arrival <= q.release {
			r.tryFragment(&q.matches, latest.kind, resource, q.release)
		}
	}
}

// tryFragment adds the kind to the list if it leaves little enough of the resource from the start.
func (r *run) tryFragment(list *[]match, k int32, resource int, start float64) {
	if span := r.span[int(k)*len(r.Resources)+resource]; math.Signbit(span) || math.IsInf(span, 1) {
		return
	}
	if sum, ok := r.loads(&r.kinds[k], resource, start).fragment(r.p.Fragment); ok {
		*list = append(*list, match{sum, k})
	}
}

// leastFragment is the kind of the class that leaves least of a resource, by the fragment rule, with the resource; −1: none.
func (r *run) leastFragment(class int8) (kind int32, resource int) {
	if !r.fragments {
		return -1, 0
	}
	best := match{kind: -1}
	for at := range r.queues {
		for q := range r.queues[at] {
			for _, m := range r.queues[at][q].matches {
				k := &r.kinds[m.kind]
				if !k.left() || k.class != class {
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
