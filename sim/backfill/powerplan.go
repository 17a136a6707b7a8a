package backfill

import (
	"fmt"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// What the policies do where clusters have power caps. The power that is left is part of every room of a plan, see [timeline.limit], so a job starts only if by its estimate it keeps to all caps until it
// ends, beside what runs and what is reserved.

// limit gives each time of a plan, in which nothing runs yet, the power that the caps allow then.
func (t *timeline) limit(now float64) {
	if !t.platform.Capped() {
		return
	}
	t.platform.SetCaps(t.Values[0], now)
	changes := t.platform.CapChanges()
	for _, at := range changes[firstAfter(changes, now):] {
		t.platform.SetCaps(t.Values[t.split(at)], at)
	}
}

// decideCapped is [general.Decide] under power caps, and the same with every depth: each job, in the order of the queue, starts if it fits from now until its estimated end beside the reservations made so
// far. The first depth jobs that cannot start get one, with the caps to come in view, so that no job is passed over for ever; without backfilling it is only the first, and nothing starts behind it. A job
// for which there is no time by the plan is dropped.
func (p *general) decideCapped(e *sim.Engine) {
	p.foresee(e)
	reserved, most, asked := 0, max(1, p.depth), p.queue.askedOf(e)
	for next := p.queue.first(&search{}); next != nil && !e.Stopped(); {
		head := *next
		asked = p.tell(e, asked, next)
		if !p.startBeside(e, head.job, &p.platform.Free) {
			asked = p.tellOf(e, asked, head.job)
			if reserved < most && p.reserveOrDrop(e, head.job, reserved == 0) {
				reserved++
			}
			if p.depth == 0 && reserved == most {
				if asked != nil && asked.job != head.job {
					e.Pass(behind(head.job))
				}
				return
			}
		}
		look := search{after: &head}
		if reserved == most {
			look.open = func(k *kindQueue) bool { return len(p.offers(k)) > 0 }
		}
		next = p.queue.first(&look)
	}
	p.tell(e, asked, nil)
}

// reserveOrDrop gives a job that cannot start the earliest reservation beside those made so far, of which it is the first or not. If there is none the job is dropped; false: it is. One with a hard
// deadline is dropped only where nothing that is yet to happen can help it: it may start where a job ends before its estimate.
func (p *general) reserveOrDrop(e *sim.Engine, j *sim.Job, first bool) bool {
	if p.reserveDeep(j) || e.Stopped() {
		return true
	}
	why := ""
	changes := p.platform.AllChanges()
	switch {
	case !j.Request.DeadlineHard:
		why = noTime(p.platform, j, p.clusters)
	case first && len(p.running) == 0 && firstAfter(changes, e.Now()) == len(changes):
		why = fmt.Sprintf("hard deadline %v cannot be met on the processors that it gets under the power caps, by its estimate", j.Request.Deadline)
	default:
		if why = p.platform.Shut(j, p.clusters); why == "" {
			return true
		}
	}
	p.leave(j)
	e.Drop(j, why)
	return false
}

// reserveDeep gives a job the earliest reservation in the plan; false: there is none.
func (p *general) reserveDeep(j *sim.Job) bool {
	s, ok := p.deep.earliest(j)
	if !ok {
		return false
	}
	if at, has := p.reserved[j.Number]; !has || s.start < at {
		p.reserved[j.Number] = s.start
	}
	p.deep.take(j, &s)
	if p.asks || p.again != nil && p.again(j) {
		s.shares = slices.Clone(s.shares)
		p.keepers = append(p.keepers, keeper{j, s})
	}
	return true
}

// reserveMet gives a job that is met in a queue of a region, and cannot start, the earliest reservation on machines of that queue; false: there is none, so that it keeps nothing back. It is dropped as
// [general.reserveOrDrop] says, but one of several partitions only where nothing is left for it on any of them.
func (p *joint) reserveMet(e *sim.Engine, j *sim.Job, v *visit) bool {
	if p.deep.within = v.within; v.within == nil {
		return p.reserveOrDrop(e, j, len(p.reserved) == 0)
	}
	if p.reserveDeep(j) || e.Stopped() {
		return true
	}
	if why := p.platform.Shut(j, p.clusters); why != "" {
		p.leave(j)
		e.Drop(j, why)
	}
	return false
}

// noTime is why a job without a hard deadline is dropped that finds no time in a plan.
func noTime(platform *sim.Platform, j *sim.Job, clusters []int) string {
	closes := platform.ClosesForGood(j, clusters)
	switch {
	case platform.Capped() && (!closes || platform.CapsShut(j, clusters)):
		return sim.CapReason + only(platform, clusters)
	case platform.Capped():
		return "no reservation ends, by the estimates, before its machines are closed to it, or lack power, for good"
	}
	return "no reservation ends, by the estimates, before its machines are closed to it for good"
}

// shareCap says whether two sets have machines of one cluster that has a power cap.
func (p *partitioned) shareCap(a, b bitset) bool {
	for c := range p.platform.Clusters() {
		if p.platform.CappedCluster(c) {
			first, last := p.platform.MachinesOf(c)
			if a.anyFrom(first, last) && b.anyFrom(first, last) {
				return true
			}
		}
	}
	return false
}

// anyFrom says whether the set has a machine from first on, before last.
func (b bitset) anyFrom(first, last int) bool {
	for m := first; m < last; m++ {
		if b.has(m) {
			return true
		}
	}
	return false
}
