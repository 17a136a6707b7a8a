package backfill

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// capped is [ordered] where at times fewer processors may be busy than there are, as a power cap has it. The first jobs that cannot start get a reservation, with
// the limits to come in view, so that no job is passed over for ever. A job starts only if by its estimate it ends before a limit that leaves no room for it.
//
// Complexity: that of [ordered] with more than one reservation, and O(l) an instant for l limits to come.
type capped struct {
	ordered
	limits []model.Step // most busy processors, by time; those that are over but the last are gone
}

// newCapped is the policy on a number of processors.
func newCapped(step float64, depth, processors int, order Ranking, limits []model.Step) *capped {
	return &capped{*newOrdered(step, depth, processors, order), limits}
}

// Decide implements sim.Policy.
func (p *capped) Decide(e *sim.Engine) {
	now := e.Now()
	p.scorer.begin(now)
	for len(p.limits) > 1 && p.limits[1].Time <= now {
		p.limits = p.limits[1:]
	}
	p.queue.begin(now)
	next, found := p.queue.head()
	if !found {
		return
	}
	planRunning(&p.plan, &p.ends, now, after(now, p.step), int32(p.processors))
	for k, limit := range p.limits {
		end := infinite
		if k+1 < len(p.limits) {
			end = p.limits[k+1].Time
		}
		if less := int32(p.processors) - int32(limit.Value); less > 0 {
			p.plan.add(max(now, limit.Time), end, -less)
		}
		if limit.Time > now {
			e.Wake(limit.Time)
		} else if k+1 < len(p.limits) {
			e.Wake(end)
		}
	}
	for reserved := 0; reserved < max(1, p.depth); next, found = p.queue.after(next) {
		if !found || e.Stopped() {
			return
		}
		j := next.job
		switch at := p.plan.earliest(j.Processors, j.Estimate, p.step, infinite); {
		case at == infinite:
			p.queue.remove(next)
			e.Drop(j, "needs more processors than the power cap ever leaves for its estimated time")
		case at <= now && int(j.Processors) <= e.Free():
			p.startPlanned(e, next)
		default:
			reserved++
			p.plan.add(at, ending(at, j.Estimate, p.step), -j.Processors)
		}
	}
	for p.depth > 0 && e.Free() > 0 {
		if next, found = p.queue.first(now, e.Free(), p.plan.until); !found {
			return
		}
		p.startPlanned(e, next)
	}
}
