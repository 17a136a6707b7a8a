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

// advanceAll is advance of all jobs of a roster, with their bookings by handle.
func (p *flatPlan) advanceAll(e *sim.Engine, queue *roster, booked []generalBooking) {
	for k := range queue.jobs {
		if e.Stopped() {
			return
		}
		if r := &queue.jobs[k]; r.job != nil {
			p.bringForward(r, &booked[r.handle])
		}
	}
}

// advance implements availability.
func (p *flatPlan) advance(j *sim.Job, s *generalBooking) {
	r := entryOf(j)
	p.bringForward(&r, s)
}

// bringForward is advance of a job of a roster.
func (p *flatPlan) bringForward(r *rosterJob, s *generalBooking) {
	// Before the frontier there is no place of the length of the estimate. A shorter one that ends where the old reservation begins, begins less
	// than the estimate before it.
	start, from := 0.0, p.frontier.before(r.size, r.expected)
	if latest := s.start - r.expected; from > latest && latest < s.start {
		start = p.back(r.size, s.start)
	} else {
		start = p.earliestFrom(p.find(from), r.size, r.expected, p.step, s.start)
	}
	p.frontier.note(r.size, r.expected, start)
	if start == s.start {
		return
	}
	// The old reservation and the new one may overlap: only the difference changes the profile.
	end := ending(start, r.expected, p.step)
	if p.indexed {
		p.agenda.remove(s.start, r.handle)
		p.agenda.add(start, r.handle, r.size)
	}
	p.add(start, min(end, s.start), -r.size)
	if freed := max(end, s.start); freed < s.end {
		p.add(freed, s.end, r.size)
		p.frontier.freed(&p.profile, freed, s.end, r.size)
	}
	s.start, s.end = start, end
}
