package backfill

import (
	"math"

	"github.com/allot-opt/allot/sim"
)

// flexible is [Flexible] in the plain world. Its queue is not sorted, see [line]: the jobs of one size are a kind.
type flexible struct {
	step float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant

	ends  ends
	queue line
}

// newFlexible is the policy with its weights.
func newFlexible(step float64, priorities Priorities) *flexible {
	return &flexible{step: step, queue: newLine(Order{Priorities: priorities}, nil, nil)}
}

// Arrive implements sim.Policy.
func (p *flexible) Arrive(j *sim.Job) { p.queue.add(j, j.Estimate) }

// Release implements sim.Policy.
func (p *flexible) Release(j *sim.Job, _ int, _ bool) { p.ends.remove(j.EstimatedEnd, j.Handle) }

// Decide implements sim.Policy.
func (p *flexible) Decide(e *sim.Engine) {
	if p.smallest() > e.Free() {
		return
	}
	now := e.Now()
	p.queue.begin(now)
	var head waiting
	for {
		first := p.queue.first(&search{})
		if first == nil || e.Stopped() {
			return
		}
		if head = *first; int(head.job.Processors) > e.Free() {
			break
		}
		p.start(e, head.job)
	}
	shadow, extra := p.ends.shadow(now, after(now, p.step), int32(e.Free()), head.job.Processors)
	shadow -= e.Waking()
	may := func(_ *kindQueue, w *waiting) bool {
		return w.job.Processors <= extra || now+w.job.Estimate <= shadow
	}
	for e.Free() > 0 && !e.Stopped() {
		next := p.queue.first(&search{
			after: &head, widest: int32(e.Free()), open: func(k *kindQueue) bool { return k.width() <= e.Free() }, anyStarts: may, starts: may,
		})
		if next == nil {
			return
		}
		if head = *next; now+head.job.Estimate > shadow {
			extra -= head.job.Processors
		}
		p.start(e, head.job)
	}
}

// start starts a job.
func (p *flexible) start(e *sim.Engine, j *sim.Job) {
	p.queue.remove(j)
	e.Start(j)
	p.ends.add(j.EstimatedEnd, j.Handle, j.Processors)
}

// smallest is the least size of a queued job; MaxInt: none is queued.
func (p *flexible) smallest() int {
	least := math.MaxInt
	for _, k := range p.queue.kinds {
		least = min(least, k.width())
	}
	return least
}

// width is the processors of the jobs of a kind, in a trace.
func (k *kindQueue) width() int { return int(k.any().Processors) }
