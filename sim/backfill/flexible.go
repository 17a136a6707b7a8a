package backfill

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// flexible is [Flexible] in the plain world.
type flexible struct {
	step       float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	priorities Priorities

	ends  ends
	queue []rankedJob
}

// rankedJob is a queued job with its priority.
type rankedJob struct {
	priority float64
	job      *sim.Job
}

// Arrive implements sim.Policy.
func (p *flexible) Arrive(j *sim.Job) { p.queue = append(p.queue, rankedJob{job: j}) }

// Release implements sim.Policy.
func (p *flexible) Release(j *sim.Job, _ int, _ bool) { p.ends.remove(j.EstimatedEnd, j.Handle) }

// Decide implements sim.Policy.
func (p *flexible) Decide(e *sim.Engine) {
	p.rank(e.Now())
	now, kept := e.Now(), p.queue[:0]
	blocked, shadow, extra := false, 0.0, int32(0)
	for _, r := range p.queue {
		j := r.job
		fits := int(j.Processors) <= e.Free()
		switch {
		case fits && !blocked:
		case !blocked:
			blocked = true
			shadow, extra = p.ends.shadow(now, after(now, p.step), int32(e.Free()), j.Processors)
			kept = append(kept, r)
			continue
		case fits && now+j.Estimate <= shadow:
		case fits && j.Processors <= extra:
			extra -= j.Processors
		default:
			kept = append(kept, r)
			continue
		}
		e.Start(j)
		p.ends.add(j.EstimatedEnd, j.Handle, j.Processors)
	}
	clear(p.queue[len(kept):])
	p.queue = kept
}

// rank sorts the queue by priority, ties in queue order.
func (p *flexible) rank(now float64) {
	shortest := math.Inf(1)
	for _, r := range p.queue {
		shortest = min(shortest, r.job.Estimate)
	}
	for k := range p.queue {
		j := p.queue[k].job
		p.queue[k].priority = p.priorities.of(now, j.Arrival, math.Inf(1), j.Estimate, j.Estimate, shortest, 0)
	}
	slices.SortFunc(p.queue, byPriority)
}
