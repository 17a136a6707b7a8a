package backfill

import (
	"slices"

	"github.com/allot-opt/allot/sim"
)

// sorted is FCFS and EASY of any depth in the plainest way that is still quick enough for deep queues: the queue is sorted at each instant in which a job fits. It is the reference of ordered.
type sorted struct {
	step       float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	depth      int     // most reservations; 0: no backfilling
	processors int     // of the system
	scorer     *scorer

	queue []rankedJob
	ends  ends
	plan  profile
}

// Arrive implements sim.Policy.
func (p *sorted) Arrive(j *sim.Job) {
	p.queue = append(p.queue, rankedJob{job: j})
	p.scorer.arrived(j)
}

// Release implements sim.Policy.
func (p *sorted) Release(j *sim.Job, _ int, _ bool) {
	p.ends.remove(j.EstimatedEnd, j.Handle)
	p.scorer.ended(j)
}

// Decide implements sim.Policy.
func (p *sorted) Decide(e *sim.Engine) {
	p.scorer.begin(e.Now())
	if !p.anyFits(e) {
		return
	}
	p.rank(e.Now())
	begin := 0
	for begin < len(p.queue) && int(p.queue[begin].job.Processors) <= e.Free() {
		p.start(e, p.queue[begin].job)
		begin++
	}
	p.queue = slices.Delete(p.queue, 0, begin)
	switch {
	case len(p.queue) == 0 || p.depth == 0 || !p.anyFits(e):
	case p.depth == 1:
		p.backfill(e)
	default:
		p.backfillDeep(e)
	}
}

// anyFits says whether some queued job fits now.
func (p *sorted) anyFits(e *sim.Engine) bool {
	free := int32(e.Free())
	return free > 0 && slices.ContainsFunc(p.queue, func(r rankedJob) bool { return r.job.Processors <= free })
}

// start starts a job.
func (p *sorted) start(e *sim.Engine, j *sim.Job) {
	e.Start(j)
	p.ends.add(j.EstimatedEnd, j.Handle, j.Processors)
	p.scorer.started(j, int(j.Processors))
}

// rank sorts the queue.
func (p *sorted) rank(now float64) {
	for k := range p.queue {
		j := p.queue[k].job
		p.queue[k].priority = p.scorer.score(now, j, j.Estimate, int(j.Processors), 0)
	}
	slices.SortFunc(p.queue, byPriority)
}

// backfill starts jobs after the first, which is blocked and gets a reservation.
func (p *sorted) backfill(e *sim.Engine) {
	now := e.Now()
	shadow, extra := p.ends.shadow(now, after(now, p.step), int32(e.Free()), p.queue[0].job.Processors)
	p.keep(1, func(j *sim.Job) bool {
		switch {
		case int(j.Processors) > e.Free():
			return false
		case now+j.Estimate <= shadow:
		case j.Processors <= extra:
			extra -= j.Processors
		default:
			return false
		}
		p.start(e, j)
		return true
	})
}

// backfillDeep starts jobs after the first, which is blocked, and gives that one and the next that are blocked their reservations.
func (p *sorted) backfillDeep(e *sim.Engine) {
	now := e.Now()
	planRunning(&p.plan, &p.ends, now, after(now, p.step), int32(p.processors))
	reserved := 0
	p.keep(0, func(j *sim.Job) bool {
		if end := now + j.Estimate; int(j.Processors) <= e.Free() && p.plan.holds(&position{}, j.Processors, end) {
			if end > now {
				p.plan.add(now, end, -j.Processors)
			}
			p.start(e, j)
			return true
		}
		if reserved < p.depth && e.Free() > 0 && !e.Stopped() {
			reserved++
			at := p.plan.earliest(j.Processors, j.Estimate, p.step, infinite)
			p.plan.add(at, ending(at, j.Estimate, p.step), -j.Processors)
		}
		return false
	})
}

// keep keeps those jobs of the queue, from the given place on, that do not leave.
func (p *sorted) keep(from int, leaves func(*sim.Job) bool) {
	kept := p.queue[:from]
	for _, r := range p.queue[from:] {
		if !leaves(r.job) {
			kept = append(kept, r)
		}
	}
	clear(p.queue[len(kept):])
	p.queue = kept
}
