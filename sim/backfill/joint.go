package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// joint is FCFS or EASY for a region of several queues. It goes through the jobs of all of them, a higher tier first, and in a tier in the order of the queue; a job of several partitions is met
// once for each.
//
//   - FCFS: a job starts if it fits on machines that no closed queue keeps. The first job of a queue that does not fit closes the queue, and its machines are kept from the jobs behind.
//   - EASY: a job starts if it fits, from now until its estimated end, beside the reservations made so far. Of each queue the first depth jobs that cannot start get a reservation, the earliest.
type joint struct {
	*general
	of    *partitioned
	in    *region
	tiers []*tierLine // descending
	shut  bitset      // FCFS: machines of closed queues
	room  sim.Room    // what is free on the others
	anew  bool        // a job has started as one of a queue that kept something from others as one of another
}

// tierLine is the jobs of the queues of a tier.
type tierLine struct {
	tier float64
	line *line
}

// visit is a queue in which a job is met, and the machines on which it may run as one of that queue; nil: any.
type visit struct {
	queue  *partQueue
	within bitset
}

// newJoint is a policy for the queues of a region.
func newJoint(of *partitioned, r *region, depth int, step float64, order Order) *joint {
	p := &joint{general: newOn(of.platform, r.clusters, depth, step, order), of: of, shut: newBitset(len(of.platform.Machines)), in: r}
	p.again = func(j *sim.Job) bool { return len(of.listingOf(j).queues) > 1 }
	for _, q := range r.queues {
		if !slices.ContainsFunc(p.tiers, func(t *tierLine) bool { return t.tier == q.tier }) {
			p.tiers = append(p.tiers, &tierLine{tier: q.tier})
		}
	}
	slices.SortFunc(p.tiers, func(a, b *tierLine) int { return cmp.Compare(b.tier, a.tier) })
	if len(p.tiers) == 1 {
		p.tiers[0].line = &p.queue
		p.queue.serve(of.listingOf)
		return p
	}
	for _, t := range p.tiers {
		l := newLine(order, of.platform, r.clusters)
		l.serve(func(j *sim.Job) *listing { return of.listingOf(j).in(t.tier) })
		t.line = &l
	}
	p.left = p.forget
	return p
}

// Arrive implements sim.Policy.
func (p *joint) Arrive(j *sim.Job) {
	p.queue.order.scorer.arrived(j)
	p.enter(j)
}

// enter puts a job into the queue, and into the lines of its tiers.
func (p *joint) enter(j *sim.Job) {
	p.general.enter(j)
	for _, t := range p.tiers {
		if t.line != &p.queue && t.line.listed(j) != nil {
			t.line.add(j, fastest(p.platform, j, p.clusters, p.empty))
		}
	}
}

// forget takes a job out of the lines of its tiers.
func (p *joint) forget(j *sim.Job) {
	for _, t := range p.tiers {
		if t.line.listed(j) != nil {
			t.line.remove(j)
		}
	}
}

// Decide implements sim.Policy.
func (p *joint) Decide(e *sim.Engine) {
	clear(p.reserved)
	p.touched = p.touched[:0]
	p.queue.order.scorer.begin(e.Now())
	p.dropHopeless(e)
	if p.queue.length == 0 {
		return
	}
	p.begin()
	any := false
	for _, t := range p.tiers {
		t.line.begin(e.Now())
		for _, k := range t.line.kinds {
			any = any || len(p.offers(k)) > 0 || p.platform.Capped() // a job may have to be dropped
		}
	}
	asked := p.queue.askedOf(e)
	switch {
	case any || asked != nil && !p.platform.Draws(): // a reservation would draw
		p.pass(e)
	case asked != nil:
		p.waitsFirst(e, asked.job, asked.job)
	}
}

// pass goes through the jobs of all tiers. Where a job starts that has been in the way of others, and is no more, it begins again.
func (p *joint) pass(e *sim.Engine) {
	for p.anew = true; p.anew && !e.Stopped(); {
		p.anew = false
		p.passOnce(e)
	}
	p.deep.within = nil
}

// passOnce goes through the jobs of all tiers, until a job starts that has been in the way of others.
func (p *joint) passOnce(e *sim.Engine) {
	clear(p.shut)
	clear(p.reserved)
	for _, q := range p.of.queues {
		q.reserved, q.by = 0, nil
	}
	if p.depth > 0 || p.platform.Capped() {
		p.foresee(e)
	}
	for _, t := range p.tiers {
		if t.line.length > 0 && !p.anew {
			p.serve(e, t.line)
		}
	}
}

// serve goes through the jobs of a tier.
func (p *joint) serve(e *sim.Engine, l *line) {
	var after *waiting
	for !e.Stopped() && !p.anew {
		next := l.first(&search{after: after, open: p.open})
		if asked := l.askedOf(e); overtaken(asked, next) && (after == nil || after.before(asked)) {
			for _, v := range p.visits(l.places[asked.job.Handle].in, asked.job) {
				p.deep.within = v.within
				p.told(e, asked.job, v.queue)
			}
		}
		if next == nil {
			return
		}
		met := *next
		for _, v := range p.visits(l.places[met.job.Handle].in, met.job) {
			if p.meet(e, met.job, &v) {
				break
			}
		}
		after = &met
	}
}

// open says whether jobs of a kind may start or get a reservation.
func (p *joint) open(k *kindQueue) bool {
	if p.depth == 0 {
		return slices.ContainsFunc(k.kind.in.queues, func(q *partQueue) bool { return q.by == nil })
	}
	return slices.ContainsFunc(k.kind.in.queues, func(q *partQueue) bool { return q.reserved < p.depth }) || len(p.offers(k)) > 0
}

// visits are the queues in which the jobs of a kind are met, of which j is one.
func (p *joint) visits(k *kindQueue, j *sim.Job) []visit {
	if k.visits != nil {
		return k.visits
	}
	all := p.of.listingOf(j).queues
	if len(all) > 1 {
		for _, q := range k.kind.in.queues {
			if fitsWithin(p.platform, j, q.own) {
				k.visits = append(k.visits, visit{q, q.own})
			}
		}
		if slices.ContainsFunc(all, func(q *partQueue) bool { return fitsWithin(p.platform, j, q.own) }) {
			return k.visits
		}
	}
	for _, q := range k.kind.in.queues {
		k.visits = append(k.visits, visit{queue: q})
	}
	return k.visits
}

// meet starts a job of a queue, or keeps something for it. It says whether the job has started.
func (p *joint) meet(e *sim.Engine, j *sim.Job, v *visit) bool {
	q := v.queue
	if p.depth == 0 {
		if q.by != nil || p.startBehind(e, j, v.within) {
			p.told(e, j, q)
			p.anew = p.anew || !j.Queued() && slices.ContainsFunc(p.in.queues, func(q *partQueue) bool { return q.by == j })
			return !j.Queued()
		}
		if p.told(e, j, q); p.platform.Capped() && !p.reserveMet(e, j, v) {
			return !j.Queued()
		}
		q.by = j
		p.shut.join(q.machines)
		return false
	}
	if p.deep.within = v.within; p.startAgain(e, j) {
		return true
	}
	p.told(e, j, q)
	if q.reserved < p.depth {
		if !p.platform.Capped() {
			p.reserveDeep(j)
		} else if !p.reserveMet(e, j, v) {
			return !j.Queued()
		}
		q.reserved++
	}
	return false
}

// startAgain starts a job beside the reservations of others. Its own, of a queue in which it was met before, are not in its way.
func (p *joint) startAgain(e *sim.Engine, j *sim.Job) bool {
	own := func(k keeper) bool { return k.job == j }
	if !p.again(j) || !slices.ContainsFunc(p.keepers, own) {
		return p.startBeside(e, j, &p.platform.Free)
	}
	for k := range p.keepers {
		if own(p.keepers[k]) {
			p.deep.give(j, &p.keepers[k].booking, e.Now())
		}
	}
	if p.startBeside(e, j, &p.platform.Free) {
		p.anew = true
		return true
	}
	for k := range p.keepers {
		if own(p.keepers[k]) {
			p.deep.take(j, &p.keepers[k].booking)
		}
	}
	return false
}

// startBehind starts a job on machines that no closed queue keeps, on the cluster where it ends first by its estimate; false: it fits on none.
func (p *joint) startBehind(e *sim.Engine, j *sim.Job, within bitset) bool {
	p.room.CopyFrom(&p.platform.Free)
	for m := range p.platform.Machines {
		if p.shut.has(m) || within != nil && !within.has(m) {
			p.room.Shut(m)
		}
	}
	if p.platform.Capped() {
		p.deep.within = nil
		return p.startBeside(e, j, &p.room)
	}
	best, where := math.Inf(1), -1
	for _, c := range p.clusters {
		shares, ok := p.platform.FitsOn(&p.room, j, c, p.platform.Rigid(j, c), p.shares[:0])
		if p.shares = shares; !ok {
			continue
		}
		if end := e.Now() + p.platform.Estimate(j, c, shares); end < best && inTime(j, end) {
			best, where = end, c
			p.chosen = append(p.chosen[:0], shares...)
		}
	}
	if where < 0 {
		return false
	}
	p.startOn(e, j, where, p.chosen)
	return true
}

// hand implements regional. Reservations are made afresh at each instant, so there is none to keep.
func (p *general) hand() (h handed) {
	p.enterAlone()
	p.queue.each(func(b *block) {
		for i := range b.jobs {
			h.queued = append(h.queued, held{job: b.jobs[i].job})
		}
	})
	for _, j := range p.running {
		h.running = append(h.running, held{job: j})
	}
	return h
}

// wakes implements regional.
func (p *general) wakes() float64 { return math.Inf(1) }

// takeOver implements regional.
func (p *general) takeOver(h handed) {
	for _, r := range h.running {
		p.running = insertByEnd(p.running, r.job)
	}
	for _, q := range h.queued {
		p.enter(q.job)
	}
}

// takeOver implements regional.
func (p *joint) takeOver(h handed) {
	p.general.takeOver(handed{running: h.running})
	for _, q := range h.queued {
		p.enter(q.job)
	}
}
