package backfill

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// conservative is [Conservative] in the plain world.
type conservative struct {
	step       float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	processors int     // of the system
	scorer     *scorer // nil: the order of arrival

	profile profile
	ends    ends
	line    []int32     // queued jobs in queue order
	fresh   int         // number of jobs at the end of the line that have no reservation yet
	booked  []booking   // by handle: the reservation of a queued job, what is planned for a running one
	freed   []freed     // by the jobs that ended since the last decision
	order   []rankedJob // scratch
	afresh  bool        // a job outlived its estimate: the plan does not hold
}

// booking is what the profile holds for a job.
type booking struct{ start, end float64 }

// freed is the rest of the booking of a job that has ended.
type freed struct {
	end  float64
	size int32
}

// Arrive implements sim.Policy.
func (p *conservative) Arrive(j *sim.Job) {
	for int(j.Handle) >= len(p.booked) {
		p.booked = append(p.booked, booking{})
	}
	p.line = append(p.line, j.Handle)
	p.fresh++
	p.scorer.arrived(j)
}

// Release implements sim.Policy.
func (p *conservative) Release(j *sim.Job, _ int, _ bool) {
	p.ends.remove(j.EstimatedEnd, j.Handle)
	p.freed = append(p.freed, freed{p.booked[j.Handle].end, j.Processors})
	p.scorer.ended(j)
}

// Decide implements sim.Policy.
func (p *conservative) Decide(e *sim.Engine) {
	now := e.Now()
	if p.scorer != nil {
		p.rank(e)
	}
	if len(p.profile.pieces) == 0 {
		p.profile.reset(now, int32(p.processors))
	}
	late := p.ends.earliest() <= now
	for _, f := range p.freed {
		p.afresh = p.afresh || f.end < now
	}
	if late || p.afresh {
		p.rebuild(e)
	} else {
		p.compress(e)
	}
	p.afresh = late
	for _, handle := range p.line[len(p.line)-p.fresh:] {
		if e.Stopped() {
			return
		}
		p.reserve(e.Job(handle))
	}
	p.fresh = 0
	wake := p.launch(e)
	if !late {
		e.Wake(wake)
	}
}

// rank sorts the jobs that have reservations, and those that have none yet.
func (p *conservative) rank(e *sim.Engine) {
	p.scorer.begin(e.Now())
	old := len(p.line) - p.fresh
	for _, part := range [][]int32{p.line[:old], p.line[old:]} {
		p.order = p.order[:0]
		for _, handle := range part {
			j := e.Job(handle)
			p.order = append(p.order, rankedJob{p.scorer.score(e.Now(), j, j.Estimate, int(j.Processors), 0), j})
		}
		slices.SortFunc(p.order, byPriority)
		for k := range p.order {
			part[k] = p.order[k].job.Handle
		}
	}
}

// reserve gives a job the earliest reservation at which it fits.
func (p *conservative) reserve(j *sim.Job) {
	p.book(j, p.profile.earliest(j.Processors, j.Estimate, p.step, infinite))
}

// book notes a reservation and takes its processors out of the profile.
func (p *conservative) book(j *sim.Job, start float64) {
	b := booking{start, ending(start, j.Estimate, p.step)}
	p.booked[j.Handle] = b
	p.profile.add(b.start, b.end, -j.Processors)
}

// rebuild makes the plan afresh, with the jobs that have outlived their estimates ending one step from now.
func (p *conservative) rebuild(e *sim.Engine) {
	now := e.Now()
	p.freed = p.freed[:0]
	p.profile.reset(now, int32(p.processors))
	late := after(now, p.step)
	for k := range p.ends.blocks {
		for _, r := range p.ends.blocks[k].entries {
			end := r.end
			if end <= now {
				end = late
			}
			p.booked[r.handle].end = end
			p.profile.add(now, end, -r.size)
		}
	}
	for _, handle := range p.line[:len(p.line)-p.fresh] {
		if e.Stopped() {
			return
		}
		p.reserve(e.Job(handle))
	}
}

// compress gives back what early ends freed; then each queued job in turn gets the earliest reservation at which it fits now.
func (p *conservative) compress(e *sim.Engine) {
	now := e.Now()
	p.profile.forget(now)
	early := false
	for _, f := range p.freed {
		if f.end > now {
			p.profile.add(now, f.end, f.size)
			early = true
		}
	}
	p.freed = p.freed[:0]
	if !early {
		return
	}
	for _, handle := range p.line[:len(p.line)-p.fresh] {
		if e.Stopped() {
			return
		}
		p.advance(e.Job(handle))
	}
}

// advance gives a job the earliest reservation at which it fits now, where that is earlier than its own.
func (p *conservative) advance(j *sim.Job) {
	b := p.booked[j.Handle]
	start := p.profile.earliest(j.Processors, j.Estimate, p.step, b.start)
	if start == b.start {
		return
	}
	// The old reservation and the new one may overlap: only the difference changes the profile.
	end := ending(start, j.Estimate, p.step)
	p.booked[j.Handle] = booking{start, end}
	p.profile.add(start, min(end, b.start), -j.Processors)
	if freed := max(end, b.start); freed < b.end {
		p.profile.add(freed, b.end, j.Processors)
	}
}

// launch starts the jobs whose reservation has come. It returns the earliest reservation of the others that fit already; +Inf: none.
func (p *conservative) launch(e *sim.Engine) (wake float64) {
	now := e.Now()
	kept := p.line[:0]
	for _, handle := range p.line {
		j := e.Job(handle)
		if p.booked[handle].start > now || int(j.Processors) > e.Free() {
			kept = append(kept, handle)
			continue
		}
		e.Start(j)
		p.ends.add(j.EstimatedEnd, handle, j.Processors)
		p.scorer.started(j, int(j.Processors))
	}
	p.line = kept
	wake = math.Inf(1)
	for _, handle := range kept {
		if int(e.Job(handle).Processors) <= e.Free() {
			wake = min(wake, p.booked[handle].start)
		}
	}
	return wake
}
