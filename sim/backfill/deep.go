package backfill

import (
	"math"

	"github.com/allot-opt/allot/sim"
)

// backfillDeep continues from the first blocked job, in the order of the queue. A job starts if it fits from now until its estimated end
// beside the reservations made so far. The first depth jobs that cannot start get a reservation.
func (p *general) backfillDeep(e *sim.Engine, head waiting) {
	p.foresee(e)
	reserved, asked := 0, p.queue.askedOf(e)
	for next := &head; next != nil && !e.Stopped(); {
		head = *next
		asked = p.tell(e, asked, next)
		if starts := p.startBeside(e, head.job, &p.platform.Free); !starts {
			asked = p.tellOf(e, asked, head.job)
			if reserved < p.depth {
				reserved++
				p.reserveDeep(head.job)
			}
		}
		look := search{after: &head}
		if reserved == p.depth {
			p.onlyStart(e, &look)
		}
		next = p.queue.first(&look)
	}
	p.tell(e, asked, nil)
}

// onlyStart makes a search look for jobs that may start, once no job gets a reservation any more. Where nothing but its size tells a job from others of its kind, none that is as
// large as one that cannot start can: what is free beside the reservations only shrinks.
func (p *general) onlyStart(e *sim.Engine, look *search) {
	look.limits = p.limits()
	look.open = func(k *kindQueue) bool { return !e.Stopped() && len(p.offers(k)) > 0 }
	if p.closes || p.mixed || len(p.hard) > 0 || p.platform.Draws() {
		return
	}
	look.limited = true
	look.anyStarts = func(k *kindQueue, w *waiting) bool {
		for _, c := range p.clusters {
			if _, ok := p.deep.slotNow(w.job, c, &p.platform.Free); ok {
				return true
			}
		}
		k.tooLong = min(k.tooLong, w.size)
		return false
	}
	look.starts = func(k *kindQueue, w *waiting) bool { return w.size < k.tooLong && look.anyStarts(k, w) }
}

// foresee makes a plan of what the running jobs hold until their expected ends.
func (p *general) foresee(e *sim.Engine) {
	now := e.Now()
	p.planned++
	p.keepers, p.asks = p.keepers[:0], e.Asked() != nil
	if p.reserved == nil {
		p.reserved = map[int64]float64{}
		p.deep.platform, p.deep.empty, p.deep.step, p.deep.clusters, p.deep.changes, p.deep.rigid = p.platform, p.empty, p.step, p.clusters, p.changes, true
		if p.platform.Flat() {
			p.deep.flat = &profile{}
		}
	}
	p.deep.waking = e.Waking()
	p.deep.reset(now)
	p.takeRunning(&p.deep, e)
}

// takeRunning takes what the running jobs hold until their expected ends out of a plan.
func (p *general) takeRunning(t *timeline, e *sim.Engine) {
	now := e.Now()
	p.inOrder(now, func(end float64, _ bool, j *sim.Job) bool {
		for _, part := range e.Held(j) {
			t.take(j, &generalBooking{cluster: part.Cluster, start: now, end: end, shares: part.Shares})
		}
		return true
	})
}

// startBeside starts a job beside the reservations, on the cluster where it ends first by its estimate. It returns false if
// the job fits on no cluster. What is free now is in a room.
func (p *general) startBeside(e *sim.Engine, j *sim.Job, free *sim.Room) bool {
	best := generalBooking{end: math.Inf(1)}
	for _, c := range p.clusters {
		if e.Stopped() {
			return false
		}
		if s, ok := p.deep.slotNow(j, c, free); ok && s.end < best.end {
			best.cluster, best.start, best.end, best.shares = s.cluster, s.start, s.end, append(best.shares[:0], s.shares...)
		}
	}
	if best.shares == nil {
		return false
	}
	if best.end > best.start {
		p.deep.take(j, &best)
	}
	p.startOn(e, j, best.cluster, best.shares)
	return true
}

// slotNow returns a booking on the cluster from now until the job's estimated end, on processors that are free and not planned for others, until the next look.
// It returns false if there is none, or if it misses the job's hard deadline.
func (t *timeline) slotNow(j *sim.Job, cluster int, free *sim.Room) (generalBooking, bool) {
	if t.flat != nil {
		now := t.flat.heads[0].first
		s := generalBooking{cluster: cluster, start: now, end: now + j.Expected()}
		if free.Processors[0] < j.Processors || !t.flat.holds(&position{}, j.Processors, s.end) {
			return s, false
		}
		t.shares = append(t.shares[:0], sim.Share{Processors: j.Processors})
		s.shares = t.shares
		return s, true
	}
	s := generalBooking{cluster: cluster, start: t.Times[0]}
	t.platform.CopyCluster(&t.common, free, cluster)
	t.keepWithin(cluster)
	for next := 0; ; next++ { // a job of no time needs what is free alone: a reservation from now on is not in its way
		var ok bool
		if t.shares, ok = t.platform.FitsOn(&t.common, j, cluster, t.width(j, cluster), t.shares[:0]); !ok {
			return s, false
		}
		s.shares = t.shares
		takes := t.platform.Estimate(j, cluster, s.shares)
		s.end = s.start + t.waking + takes
		if next == len(t.Times) || t.Times[next] >= s.end {
			return s, inTime(j, s.start+takes)
		}
		t.platform.IntersectCluster(&t.common, t.Values[next], cluster)
	}
}
