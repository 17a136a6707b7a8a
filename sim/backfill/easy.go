package backfill

import (
	"math"

	"github.com/allot-opt/allot/sim"
)

// fcfs is [FCFS] in the plain world.
type fcfs struct {
	line  []int32
	begin int
}

// Arrive implements sim.Policy.
func (p *fcfs) Arrive(j *sim.Job) {
	if p.begin > 0 && len(p.line) == cap(p.line) {
		p.line = p.line[:copy(p.line, p.line[p.begin:])]
		p.begin = 0
	}
	p.line = append(p.line, j.Handle)
}

// Release implements sim.Policy.
func (p *fcfs) Release(*sim.Job, int, bool) {}

// Decide implements sim.Policy.
func (p *fcfs) Decide(e *sim.Engine) {
	for ; p.begin < len(p.line); p.begin++ {
		j := e.Job(p.line[p.begin])
		if int(j.Processors) > e.Free() {
			return
		}
		e.Start(j)
	}
	p.line, p.begin = p.line[:0], 0
}

// easy is [EASY] in the plain world.
//
// From one end of a job to the next the reservation does not change: a backfilled job ends by the shadow time or was subtracted from
// extra, and processors that no queued job could use at the first instant are of no use to them later. So at an instant at which
// jobs only arrive, only those jobs are looked at, unless a running job has outlived its estimate.
type easy struct {
	step float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant

	queue  *queue
	ends   ends
	fresh  []int32 // arrived, or joined late, since the last decision, in queue order; those that are kept out of the queue get their places
	known  bool    // shadow and extra are up to date
	shadow float64 // before the time that machines take to wake
	extra  int32
}

// Arrive implements sim.Policy.
func (p *easy) Arrive(j *sim.Job) { p.fresh = append(p.fresh, j.Handle) }

// KeepOut implements [sim.Deferrer]: the job has its place in the queue from its arrival on.
func (p *easy) KeepOut(j *sim.Job) { p.fresh = append(p.fresh, j.Handle) }

// Release implements sim.Policy.
func (p *easy) Release(j *sim.Job, _ int, _ bool) {
	p.ends.remove(j.EstimatedEnd, j.Handle)
	p.known = false
}

// start starts a job.
func (p *easy) start(e *sim.Engine, j *sim.Job) {
	e.Start(j)
	p.ends.add(j.EstimatedEnd, j.Handle, j.Processors)
}

// Decide implements sim.Policy.
func (p *easy) Decide(e *sim.Engine) {
	if p.queue == nil {
		p.queue = newQueue()
	}
	switch {
	case p.queue.length == 0:
		p.direct(e)
	case p.known && p.ends.earliest() > e.Now() && !(len(p.fresh) > 0 && p.queue.goesFirst(p.fresh[0])):
		p.backfillFresh(e)
	default:
		p.enqueue(e)
	}
	if p.queue.length > 0 && !p.known {
		p.pass(e)
	}
}

// direct starts jobs that arrive at an empty queue without putting them into it; from the first that does not fit on it queues them.
func (p *easy) direct(e *sim.Engine) {
	p.known = false
	for k, handle := range p.fresh {
		j := e.Job(handle)
		if j.Deferred() {
			p.queue.keep(j)
			continue
		}
		if int(j.Processors) > e.Free() {
			p.fresh = p.fresh[:copy(p.fresh, p.fresh[k:])]
			p.enqueue(e)
			return
		}
		p.queue.giveUp(handle)
		p.start(e, j)
	}
	p.fresh = p.fresh[:0]
}

// enqueue puts the fresh jobs into the queue.
func (p *easy) enqueue(e *sim.Engine) {
	for _, handle := range p.fresh {
		if j := e.Job(handle); j.Deferred() {
			p.queue.keep(j)
		} else {
			p.queue.push(j)
		}
	}
	p.fresh, p.known = p.fresh[:0], false
}

// backfillFresh starts the fresh jobs that may go before the reserved one and queues the others.
func (p *easy) backfillFresh(e *sim.Engine) {
	for _, handle := range p.fresh {
		switch j := e.Job(handle); {
		case j.Deferred():
			p.queue.keep(j)
		case int(j.Processors) > e.Free() || !p.mayStart(e.Now(), j):
			p.queue.push(j)
		default:
			p.queue.giveUp(handle)
			p.start(e, j)
		}
	}
	p.fresh = p.fresh[:0]
}

// mayStart says whether a job that fits may start without delaying the reserved one. Where the job does not end by the shadow time,
// extra shrinks by its processors.
func (p *easy) mayStart(now float64, j *sim.Job) bool {
	if now+j.Estimate <= p.shadow {
		return true
	}
	if j.Processors <= p.extra {
		p.extra -= j.Processors
		return true
	}
	return false
}

// pass starts the heads that fit, reserves the first that does not and backfills.
func (p *easy) pass(e *sim.Engine) {
	q, now := p.queue, e.Now()
	if q.smallest() > int32(e.Free()) {
		return // the reservation can wait until somebody asks
	}
	head := q.head()
	for head >= 0 && int(e.Job(head).Processors) <= e.Free() {
		j := e.Job(head)
		q.remove(head)
		p.start(e, j)
		head = q.head()
	}
	if head < 0 {
		return
	}
	p.shadow, p.extra = p.ends.shadow(now, after(now, p.step), int32(e.Free()), e.Job(head).Processors)
	p.shadow -= e.Waking()
	p.known = true
	for e.Free() > 0 {
		handle := q.first(now, int32(e.Free()), p.extra, p.shadow)
		if handle < 0 {
			return
		}
		j := e.Job(handle)
		q.remove(handle)
		p.mayStart(now, j)
		p.start(e, j)
	}
}

// after is one step from now. It is later than now even where the step is less than the spacing of floating-point numbers there.
func after(now, step float64) float64 {
	return max(now+step, math.Nextafter(now, math.Inf(1)))
}
