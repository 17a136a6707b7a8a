package plan

import "math"

// earlier is what jobs found on a cluster before. Placing more jobs never makes room. So a job that asks for no less, on no more machines, and is ready no
// earlier than one before cannot start before that one could.
//
// Complexity: O(mostEarlier) for a job.
type earlier struct {
	found []foundStart
	next  int // the one to forget next, once there are mostEarlier
}

// foundStart is the earliest start of a job: none that asks for as much can start from ready on before start.
type foundStart struct {
	size           int
	memory, length float64
	speed, link    float64
	alone          bool
	ready, start   float64
	magnitude      int // of the length: the power of two
}

// mostEarlier is how many starts a cluster keeps.
const mostEarlier = 128

// asked is what the search asks for, ready at the time.
func (s *search) asked(ready float64) foundStart {
	_, magnitude := math.Frexp(s.length)
	return foundStart{size: s.size, memory: s.job.Memory, length: s.length, speed: s.slowest, link: s.link, alone: s.oneMachine, ready: ready, start: ready, magnitude: magnitude}
}

// knows says whether what a job found bounds the start of others: neither licences nor bandwidth keep it from machines or times.
func (s *search) knows() bool { return len(s.job.Licences) == 0 && s.job.MinBandwidth == 0 }

// raise moves the start of the job to the first that earlier jobs have not ruled out.
func (e *earlier) raise(job *foundStart) {
	ready, start := job.ready, job.start
	for k := range e.found {
		f := &e.found[k]
		if f.start > start && f.ready <= job.ready && f.size <= job.size && f.memory <= job.memory && f.length <= job.length && f.speed <= job.speed &&
			f.link <= job.link && f.alone == job.alone {
			ready, start = f.ready, f.start
		}
	}
	job.ready, job.start = ready, start
}

// keep keeps the start of a job, in the place of one of a job of the same kind.
func (e *earlier) keep(job *foundStart) {
	for k := range e.found {
		f := &e.found[k]
		if f.size == job.size && f.memory == job.memory && f.magnitude == job.magnitude && f.alone == job.alone && f.speed == job.speed && f.link == job.link {
			if job.start >= f.start && job.ready <= f.ready {
				*f = *job
			}
			return
		}
	}
	if len(e.found) < mostEarlier {
		e.found = append(e.found, *job)
		return
	}
	e.found[e.next] = *job
	e.next = (e.next + 1) % mostEarlier
}

// assign copies other.
func (e *earlier) assign(other *earlier) {
	e.found, e.next = append(e.found[:0], other.found...), other.next
}
