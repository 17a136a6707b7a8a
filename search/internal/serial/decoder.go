package serial

import (
	"math"
	"slices"
)

// decoder makes schedules by the serial scheme: it places the jobs in a given order, each at the earliest time at which everything that it
// needs is free while it runs. So a job fills a hole between jobs placed before it, if it fits there. (J. E. Kelley, "The critical-path method:
// resources planning and scheduling", in Industrial Scheduling, 1963; R. Kolisch, "Serial and parallel resource-constrained project
// scheduling methods revisited", European Journal of Operational Research 90, 1996, doi:10.1016/0377-2217(95)00357-6.)
//
// The backward pass does the same in reversed time, where each job waits for its successors. Read in ordinary time, every job of its schedule
// runs as late as it can. Only the forward pass looks at arrivals.
type decoder struct {
	*problem
	profiles []profile
	at       []int32   // by job: index of its place; −1 before a forward pass: the pass takes the place where the job ends first
	start    []float64 // by job, in the pass made last
	end      []float64
	last     float64 // last end of that pass
	passes   int64
	sums     []clusterSums // by cluster; scratch
	grid     *grid         // the only profile, where the jobs have brief forms
	until    []int32       // by job: the end in the pass made last, if that was on the grid

	// Where deadlines are hard, see reserve.
	boundOrder []int32   // the jobs with a reserved place
	reserved   []float64 // by job: start in that place
	reservedAt []int32   // by job: index of that place
	release    []float64 // by job: scratch
	chosen     []int32   // by job: scratch
	ejector    ejector

	sorted []int32 // scratch
	bucket []int32 // scratch
}

func newDecoder(p *problem) *decoder {
	d := &decoder{problem: p, profiles: p.newProfiles(), at: make([]int32, p.n), start: make([]float64, p.n), end: make([]float64, p.n),
		sums: make([]clusterSums, len(p.Clusters)), sorted: make([]int32, p.n), bucket: make([]int32, 4*p.n+2)}
	if len(p.hard) > 0 {
		d.reserved, d.reservedAt, d.release, d.chosen = make([]float64, p.n), make([]int32, p.n), make([]float64, p.n), make([]int32, p.n)
		d.ejector = newEjector(p.n)
	}
	if p.brief != nil {
		d.grid, d.until = d.profiles[0].(*grid), make([]int32, p.n)
	}
	return d
}

// forward places the jobs in the given order. In it each job comes after those it waits for.
func (d *decoder) forward(order []int32) { d.pass(order, &d.before, d.arrival) }

// backward places the jobs in the given order in reversed time. In the order each job comes after those that wait for it.
func (d *decoder) backward(order []int32) { d.pass(order, &d.behind, d.atOnce) }

// pass places the jobs in the given order. Each starts no earlier than its time in ready, and after the jobs in waits have ended.
//
// Complexity: O(n · (steps looked at + needs) + precedences).
func (d *decoder) pass(order []int32, waits *graph, ready []float64) {
	d.passes++
	for _, p := range d.profiles {
		p.reset()
	}
	d.last = 0
	if d.grid != nil {
		d.passOnGrid(order, waits, ready)
		return
	}
	for _, j := range order {
		from := ready[j]
		for _, k := range waits.of(j) {
			if end := d.end[k]; end > from { // the built-in max takes much longer, because it looks for NaN
				from = end
			}
		}
		if d.at[j] < 0 {
			d.at[j] = d.first(j, from)
		}
		at := &d.places[j][d.at[j]]
		start := d.earliest(at, from)
		end := start + at.length
		d.start[j], d.end[j] = start, end
		if end > d.last {
			d.last = end
		}
		if end > start {
			for _, n := range at.needs {
				d.profiles[n.profile].take(start, end, n.amount)
			}
		}
	}
}

// passOnGrid does the work of pass where the jobs have brief forms. It saves the calls and about a third of the time.
func (d *decoder) passOnGrid(order []int32, waits *graph, ready []float64) {
	free, guard, until, last, reach := d.grid.free, d.grid.guard, d.until, 0, d.grid.end
	for _, j := range order {
		job, start := d.brief[j], int(ready[j])
		for _, k := range waits.of(j) {
			if end := int(until[k]); end > start {
				start = end
			}
		}
		end := start + int(job.length)
		if job.need > 0 {
			for known := start; ; { // enough is free from start to known
				k := end - 1
				for k >= known && (free[k]-job.need)&guard == guard {
					k--
				}
				if k < known {
					break
				}
				start, known, end = k+1, end, k+1+int(job.length)
			}
			held := free[start:end]
			for k := range held {
				held[k] -= job.need
			}
			if end > reach {
				reach = end
			}
		}
		if end > last {
			last = end
		}
		until[j] = int32(end)
		d.start[j], d.end[j] = float64(start), float64(end)
	}
	clear(d.at)
	d.last, d.grid.end = float64(last), reach
}

// first is the index of the place where the job ends first; among equal places it is the first.
func (d *decoder) first(j int32, ready float64) int32 {
	best, end := 0, math.Inf(1)
	for k := range d.places[j] {
		if at := &d.places[j][k]; ready+at.length < end {
			if e := d.earliest(at, ready) + at.length; e < end {
				best, end = k, e
			}
		}
	}
	return int32(best)
}

// earliest is the earliest time, at ready or later, at which the job can start at the place.
func (d *decoder) earliest(at *place, ready float64) float64 {
	switch {
	case ready+at.length <= ready || len(at.needs) == 0: // what takes no time holds nothing
		return ready
	case len(at.needs) == 1:
		return d.profiles[at.needs[0].profile].earliest(ready, at.length, at.needs[0].amount)
	}
	for t := ready; ; {
		later := t
		for _, n := range at.needs {
			later = d.profiles[n.profile].earliest(later, at.length, n.amount)
		}
		if later == t {
			return t
		}
		t = later
	}
}

// justify improves a schedule made by a forward pass. It pushes all jobs as late as possible, beginning with those that end last, and then as
// early as possible, beginning with those that start first. The schedule never gets longer, and most often it gets shorter.
//
// Source: V. Valls, F. Ballestín, S. Quintanilla, "Justification and RCPSP: a technique that pays", European Journal of Operational Research
// 165, 2005, doi:10.1016/j.ejor.2004.04.008.
//
// Deviations: where jobs arrive over time the backward pass ignores the arrivals.
func (d *decoder) justify(order []int32) {
	for _, pass := range []func([]int32){d.backward, d.forward} {
		d.sort(order, d.end)
		slices.Reverse(order)
		pass(order)
	}
}

// sort sorts the jobs by key; jobs with the same key keep their order. No key may be above the last end.
//
// Complexity: O(n) where the keys are spread evenly, O(n²) at worst.
func (d *decoder) sort(order []int32, key []float64) {
	n, scale := len(order), 0.0
	if d.grid != nil && d.last < float64(len(d.bucket)-2) {
		d.count(order, key)
		return
	}
	if s := float64(n-1) / d.last; s <= math.MaxFloat64 {
		scale = s // else all times are 0, or so near to it that one bucket will do
	}
	clear(d.bucket[:n+1])
	behind := d.bucket[1:] // behind[b]: number of jobs in the buckets before b, then those of b that are in place, too
	for _, j := range order {
		behind[int(key[j]*scale)+1]++
	}
	for b := 1; b < n; b++ {
		behind[b] += behind[b-1]
	}
	sorted := d.sorted
	for _, j := range order {
		b := int(key[j] * scale)
		sorted[behind[b]] = j
		behind[b]++
	}
	for k := 1; k < n; k++ {
		j, i := sorted[k], k
		for ; i > 0 && key[sorted[i-1]] > key[j]; i-- {
			sorted[i] = sorted[i-1]
		}
		sorted[i] = j
	}
	copy(order, sorted)
}

// count sorts the jobs by key like sort, for whole keys that are below the number of buckets.
func (d *decoder) count(order []int32, key []float64) {
	behind := d.bucket[:int(d.last)+2] // behind[t]: number of jobs with keys below t, then those with key t that are in place, too
	clear(behind)
	for _, j := range order {
		behind[int(key[j])+1]++
	}
	sum := int32(0)
	for t, some := range behind {
		sum += some
		behind[t] = sum
	}
	for _, j := range order {
		t := int(key[j])
		d.sorted[behind[t]] = j
		behind[t]++
	}
	copy(order, d.sorted)
}

// value is the objective of the schedule that the last forward pass made.
func (d *decoder) value() float64 {
	if d.lastOnly {
		return d.Constant + d.Makespan*(d.origin+d.unit*d.last-d.Origin)
	}
	return d.sum()
}
