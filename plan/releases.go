package plan

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// Releases is the number of processors of a cluster that the jobs placed so far release over time: the state of list decoding by counts.
// It allocates nothing after it has been made.
type Releases struct {
	steps []step // the first n, ascending by time
	n     int
	idle  float64 // processor time between the release of a processor and the start of the next job on it
	work  int64   // see Work
}

// step is a number of processors, at least one, that are released at one time.
type step struct {
	time  float64
	count int32
}

// NewReleases is the state of a cluster on which at most the given number of jobs run at once. Reset sets its processors.
func NewReleases(jobs int) *Releases { return &Releases{steps: make([]step, jobs+2)} } // one step a job, one of free processors and one to insert

// NewReleasesAt is the state of a cluster whose processors are released at the given times, on which at most the given number of jobs run at
// once. Keep it in a [ReleasesLog] to come back to it.
func NewReleasesAt(released []float64, jobs int) *Releases {
	var steps []step
	for _, at := range slices.Sorted(slices.Values(released)) {
		if n := len(steps); n > 0 && steps[n-1].time == at {
			steps[n-1].count++
		} else {
			steps = append(steps, step{at, 1})
		}
	}
	n := len(steps)
	return &Releases{steps: append(steps, make([]step, jobs+1)...), n: n} // room as NewReleases has it, for the steps instead of one
}

// most is the number of jobs that may run at once.
func (r *Releases) most() int { return len(r.steps) - 2 }

// Reset releases all processors at the origin.
func (r *Releases) Reset(origin float64, processors int) {
	r.steps[0], r.n, r.idle = step{origin, int32(processors)}, 1, 0
}

// Idle is the sum, over the jobs placed so far and their processors, of the time from the release of the processor to the start of the job.
func (r *Releases) Idle() float64 { return r.idle }

// Work is about how many ns of one core the jobs placed and the states restored so far have taken, counted by the steps looked at: it
// does not depend on the machine.
func (r *Releases) Work() int64 { return r.work }

// What [Releases.Work] counts in ns, as measured: placing a job beside its steps, and the steps that a ns copies.
const (
	releasesPlace = 25
	releasesCopy  = 4
)

// FourthPowers is the sum over all processors of the fourth power of (release − origin) · unit.
func (r *Releases) FourthPowers(origin, unit float64) float64 {
	sum := 0.0
	for _, s := range r.steps[:r.n] {
		x := (s.time - origin) * unit
		x *= x
		sum += float64(s.count) * x * x
	}
	return sum
}

// ReleasesLog keeps states of a [Releases], one after another.
type ReleasesLog struct {
	steps []step
	marks []releasesMark
}

// releasesMark is where the steps of a state end.
type releasesMark struct {
	end  int
	idle float64
}

// Len is the number of states that are kept.
func (l *ReleasesLog) Len() int { return len(l.marks) }

// Cut forgets all states but the first k.
func (l *ReleasesLog) Cut(k int) {
	l.marks = l.marks[:k]
	if k == 0 {
		l.steps = l.steps[:0]
	} else {
		l.steps = l.steps[:l.marks[k-1].end]
	}
}

// Add keeps the state.
func (l *ReleasesLog) Add(r *Releases) {
	l.steps = append(l.steps, r.steps[:r.n]...)
	l.marks = append(l.marks, releasesMark{len(l.steps), r.idle})
}

// Restore brings back state k.
func (l *ReleasesLog) Restore(k int, r *Releases) {
	from := 0
	if k > 0 {
		from = l.marks[k-1].end
	}
	r.n, r.idle = copy(r.steps, l.steps[from:l.marks[k].end]), l.marks[k].idle
	r.work += releasesPlace + int64(r.n)/releasesCopy
}

// Earliest is the earliest time from ready on at which size processors are released. The cluster must have that many.
func (r *Releases) Earliest(size int32, ready float64) float64 {
	last, free := 0, r.steps[0].count
	for free < size {
		last++
		free += r.steps[last].count
	}
	return max(ready, r.steps[last].time)
}

// Place starts a job on size processors at the earliest time from ready on at which these are released, and returns that time. The job
// takes the latest-released of the processors free by then. The cluster must have that many. A job of no length holds nothing: it
// starts when it is ready, whatever runs then.
//
// Complexity: O(steps). There are at most as many steps as jobs that run at once.
func (r *Releases) Place(size int32, ready, duration float64) (start float64) {
	if duration == 0 {
		return ready
	}
	steps := r.steps
	last, free := 0, steps[0].count
	for free < size {
		last++
		free += steps[last].count
	}
	start = steps[last].time
	if start < ready {
		start = ready
		for last+1 < r.n && steps[last+1].time <= start {
			last++
		}
	}
	r.take(last, size, start, model.End(start, duration))
	return start
}

// take moves size processors, the latest-released of the steps up to last, to a step at the time end.
func (r *Releases) take(last int, size int32, start, end float64) {
	steps, n := r.steps, r.n
	to := last + 1 // the steps from here to last are used up
	for left := size; left > 0; left -= steps[to].count {
		if to--; steps[to].count > left {
			steps[to].count -= left
			r.idle += float64(left) * (start - steps[to].time)
			to++
			break
		}
		r.idle += float64(steps[to].count) * (start - steps[to].time)
	}
	if to > last && steps[last].time == end { // a job of no time, on some of the processors that are released as it starts
		steps[last].count += size
		return
	}
	// Those after them that come before the end move down over them.
	from := last + 1
	for from < n && steps[from].time < end {
		if to != from {
			steps[to] = steps[from]
		}
		to++
		from++
	}
	r.work += releasesPlace + int64(from) + int64(n-from)/releasesCopy
	switch {
	case from < n && steps[from].time == end:
		steps[from].count += size
	case to < from:
		steps[to] = step{end, size}
		to++
	default: // nothing was used up: make room
		copy(steps[to+1:n+1], steps[from:n])
		steps[to] = step{end, size}
		r.n = n + 1
		return
	}
	if to < from {
		r.n = to + copy(steps[to:], steps[from:n])
	}
}
