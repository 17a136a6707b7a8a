package plan

// Releases is how many processors of a cluster are released when, by the jobs placed so far: the state of list decoding by
// counts. It allocates nothing after it has been made.
type Releases struct {
	steps []step // the first n, ascending by time
	n     int
}

// step is a number of processors, at least one, that are released at one time.
type step struct {
	time  float64
	count int32
}

// NewReleases is the state of a cluster on which at most so many jobs run at once.
func NewReleases(jobs int) *Releases { return &Releases{steps: make([]step, jobs+2)} } // all free, and one to insert

// most is the number of jobs that may run at once.
func (r *Releases) most() int { return len(r.steps) - 2 }

// Reset releases all processors at the origin.
func (r *Releases) Reset(origin float64, processors int) {
	r.steps[0], r.n = step{origin, int32(processors)}, 1
}

// Place starts a job of the given size at the earliest time from ready on at which enough processors are released, on the
// latest-released of those free by then, and returns that time. The cluster must have as many processors.
//
// Complexity: O(steps), of which there are no more than jobs that run at once.
func (r *Releases) Place(size int32, ready, duration float64) (start float64) {
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
	r.take(last, size, start+duration)
	return start
}

// take moves processors, the latest-released of the first steps up to last, to a step at the time end.
func (r *Releases) take(last int, size int32, end float64) {
	steps, n := r.steps, r.n
	to := last + 1 // the steps from here to last are used up
	for left := size; left > 0; left -= steps[to].count {
		if to--; steps[to].count > left {
			steps[to].count -= left
			to++
			break
		}
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
