package backfill

import (
	"github.com/allot-opt/allot/sim"
)

// flatPlan is the availability of a platform on which only the number of processors matters: see [sim.Platform.Flat].
type flatPlan struct {
	profile
	platform *sim.Platform
	step     float64
	now      float64
	indexed  bool // the agenda is kept; it costs more than a look at all jobs where these are few
	agenda   agenda
	frontier frontier
}

// open implements availability.
func (p *flatPlan) open(now float64) {
	if p.now = now; len(p.pieces) == 0 {
		p.reset(now)
		return
	}
	p.forget(now)
}

// reset implements availability.
func (p *flatPlan) reset(now float64) {
	processors := p.platform.Empty().Processors[0]
	p.now = now
	p.profile.reset(now, processors)
	p.agenda.clear()
	p.frontier.clear(processors)
}

// join implements availability.
func (p *flatPlan) join(*sim.Job) {}

// take implements availability.
func (p *flatPlan) take(j *sim.Job, s *generalBooking) {
	p.add(s.start, s.end, -j.Processors)
	if p.indexed && j.Queued() {
		p.agenda.add(s.start, j.Handle, j.Processors)
	}
}

// leave tells that a job leaves the queue as it starts.
func (p *flatPlan) leave(j *sim.Job, s *generalBooking) {
	if p.indexed {
		p.agenda.remove(s.start, j.Handle)
	}
}

// earliest implements availability.
func (p *flatPlan) earliest(j *sim.Job) (generalBooking, bool) {
	size, estimate := j.Processors, j.Expected()
	start := p.earliestFrom(p.find(p.frontier.before(size, estimate)), size, estimate, p.step, infinite)
	p.frontier.note(size, estimate, start)
	return generalBooking{start: start, end: ending(start, estimate, p.step), shares: []sim.Share{{Machine: 0, Processors: size}}}, true
}

// end implements availability.
func (p *flatPlan) end(j *sim.Job, s *generalBooking) {
	if s.end > p.now {
		p.add(p.now, s.end, j.Processors)
		p.frontier.freed(&p.profile, p.now, s.end, j.Processors)
	}
}

// improve implements availability.
func (p *flatPlan) improve() {}

// advance implements availability.
func (p *flatPlan) advance(j *sim.Job, s *generalBooking) {
	size, estimate := j.Processors, j.Expected()
	// Before the frontier there is no place of the length of the estimate. A shorter one that ends where the old reservation begins, begins less
	// than the estimate before it.
	start, from := 0.0, p.frontier.before(size, estimate)
	if latest := s.start - estimate; from > latest && latest < s.start {
		start = p.back(size, s.start)
	} else {
		start = p.earliestFrom(p.find(from), size, estimate, p.step, s.start)
	}
	p.frontier.note(size, estimate, start)
	if start == s.start {
		return
	}
	// The old reservation and the new one may overlap: only the difference changes the profile.
	end := ending(start, estimate, p.step)
	if p.indexed {
		p.agenda.remove(s.start, j.Handle)
		p.agenda.add(start, j.Handle, size)
	}
	p.add(start, min(end, s.start), -size)
	if freed := max(end, s.start); freed < s.end {
		p.add(freed, s.end, size)
		p.frontier.freed(&p.profile, freed, s.end, size)
	}
	s.start, s.end = start, end
}
