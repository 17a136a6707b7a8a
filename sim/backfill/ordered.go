package backfill

import "github.com/allot-opt/allot/sim"

// ordered is [FCFS] and [EASY] of any depth in the plain world, in any order. Jobs that cannot start cost nothing, but for the depth of them that get a reservation.
// How long it takes to find a job is what [rankedQueue], [changingQueue] and [boundedQueue] state.
type ordered struct {
	step       float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	depth      int     // most reservations; 0: no backfilling
	processors int     // of the system
	scorer     *scorer // nil: the order of arrival

	queue rankedJobs
	ends  ends
	plan  profile
}

// newOrdered is the policy on a number of processors.
func newOrdered(step float64, depth, processors int, order Ranking) *ordered {
	scorer := newScorer(order, processors)
	return &ordered{step: step, depth: depth, processors: processors, scorer: scorer, queue: newRankedJobs(scorer)}
}

// Arrive implements sim.Policy.
func (p *ordered) Arrive(j *sim.Job) {
	p.scorer.arrived(j)
	r := rankedJob{job: j}
	if p.scorer != nil {
		r.priority = p.scorer.score(j.Arrival, j, j.Estimate, int(j.Processors), 0)
	}
	p.queue.push(r)
}

// Release implements sim.Policy.
func (p *ordered) Release(j *sim.Job, _ int, _ bool) {
	p.ends.remove(j.EstimatedEnd, j.Handle)
	p.scorer.ended(j)
}

// Decide implements sim.Policy.
func (p *ordered) Decide(e *sim.Engine) {
	p.scorer.begin(e.Now())
	q := p.queue
	if !q.anyFits(e.Free()) {
		return
	}
	q.begin(e.Now())
	first, waits := q.head()
	for waits && int(first.job.Processors) <= e.Free() {
		p.start(e, first)
		first, waits = q.head()
	}
	switch {
	case p.depth == 0 || !q.anyFits(e.Free()):
	case p.depth == 1:
		p.backfill(e, first)
	default:
		p.backfillDeep(e, first)
	}
}

// start starts a queued job.
func (p *ordered) start(e *sim.Engine, r rankedJob) {
	p.queue.remove(r)
	e.Start(r.job)
	p.ends.add(r.job.EstimatedEnd, r.job.Handle, r.job.Processors)
	p.scorer.started(r.job, int(r.job.Processors))
}

// backfill starts jobs after the first, which is blocked and gets a reservation. Processors and extra ones only become fewer, so a job that was passed over
// stays so at this instant.
func (p *ordered) backfill(e *sim.Engine, first rankedJob) {
	now := e.Now()
	shadow, extra := p.ends.shadow(now, after(now, p.step), int32(e.Free()), first.job.Processors)
	shadow -= e.Waking()
	for {
		next, found := p.queue.first(now, e.Free(), func(size int32) float64 {
			if size <= extra {
				return infinite
			}
			return shadow
		})
		if !found {
			return
		}
		if now+next.job.Estimate > shadow {
			extra -= next.job.Processors
		}
		p.start(e, next)
	}
}

// backfillDeep goes through the queue from the first job, which is blocked, until depth jobs have a reservation, and starts those that fit beside the reservations.
// Then it looks for more of these by size: a job fits if it ends by the first time at which the plan has fewer processors free than it needs.
func (p *ordered) backfillDeep(e *sim.Engine, first rankedJob) {
	now := e.Now()
	planRunning(&p.plan, &p.ends, now, after(now, p.step), int32(p.processors))
	until := func(size int32) float64 { return p.plan.until(size) - e.Waking() }
	next, found := first, true
	for reserved := 0; reserved < p.depth; next, found = p.queue.after(next) {
		if !found || e.Free() == 0 || e.Stopped() {
			return
		}
		if j := next.job; int(j.Processors) <= e.Free() && p.plan.holds(&position{}, j.Processors, now+e.Waking()+j.Estimate) {
			p.startPlanned(e, next)
		} else {
			reserved++
			at := p.plan.earliest(j.Processors, j.Estimate, p.step, infinite)
			p.plan.add(at, ending(at, j.Estimate, p.step), -j.Processors)
		}
	}
	for e.Free() > 0 {
		if next, found = p.queue.first(now, e.Free(), until); !found {
			return
		}
		p.startPlanned(e, next)
	}
}

// startPlanned starts a job and plans its processors.
func (p *ordered) startPlanned(e *sim.Engine, r rankedJob) {
	if end := e.Now() + e.Waking() + r.job.Estimate; end > e.Now() {
		p.plan.add(e.Now(), end, -r.job.Processors)
	}
	p.start(e, r)
}

// planRunning makes the plan of what the running jobs hold until their estimated ends. Those that have outlived their estimate hold it until late.
func planRunning(plan *profile, running *ends, now, late float64, processors int32) {
	plan.reset(now, processors)
	for k := range running.blocks {
		for _, r := range running.blocks[k].entries {
			end := r.end
			if end <= now {
				end = late
			}
			plan.add(now, end, -r.size)
		}
	}
}
