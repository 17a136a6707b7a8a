package backfill

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// What [general] does where machines count one by one: see [sim.Platform.ByNode].
//
// The room has many machines, of which few change from one instant to the next. So a kind of jobs counts the room that machines have for it, and looks again
// only at those on which something became free or was taken since; and a reservation looks for the reserved job only when a machine has room that lacked it.
//
// A job that would outlast the shadow time first tries the machines that the rule chooses. If the reserved job would lose its place there, the job tries
// the machines that the rule chooses in what is free both now and beside the place of the reserved job.

// finder is for how many processors of a kind of jobs the machines of a cluster have room. It is brought up to date by what became free and what was taken since.
type finder struct {
	freed, taken int     // lengths of the lists that are in it
	could        []int32 // by machine: at most as many as a job needs, and 0 where a job of one machine has too little
	total        int     // the sum of these
	usable       bitset  // the machines that have room when nothing runs
	first        int     // of the machines
	one          bool    // the jobs lie on one machine
	none         bool    // no place was found, and nothing became free since on a machine with room; a rule that draws is asked unless this is so
}

// has says whether the machine may have room.
func (f *finder) has(m int) bool { return f.could[m-f.first] > 0 }

// beside is what is free now and at the shadow time beside the place of the reserved job.
type beside struct {
	planned, stamp int64    // when rest and both were made
	ok             bool     // the reserved job has a place
	rest           sim.Room // at the shadow time, without that place
	both           sim.Room
}

// classed is what the jobs of a kind could have now that see the same machines open: see [sim.Platform.OpenClass].
type classed struct {
	class   sim.OpenClass
	instant int64
	outlook
}

// reserveByNode is [general.reserve] where machines count one by one: at the earliest estimated end, or time at which machines are opened or closed, at
// which the job fits.
func (p *general) reserveByNode(e *sim.Engine, j *sim.Job) {
	p.stamp++
	p.planned++
	if p.reserveAgain(e, j) {
		return
	}
	r := &p.plan
	r.room.CopyFrom(&p.platform.Free)
	now := e.Now()
	changes := p.changes[firstAfter(p.changes, now):]
	p.watch(j)
	try := func(at float64) bool { return p.reserveAt(j, at) }
	likely := false
	p.inOrder(now, func(at float64, last bool, other *sim.Job) bool {
		for ; len(changes) > 0 && changes[0] < at; changes = changes[1:] {
			if e.Stopped() || try(changes[0]) {
				return false
			}
		}
		parts := e.Held(other)
		p.platform.GiveParts(&r.room, other, parts)
		for k := range parts {
			likely = p.helpsByNode(j, other, &parts[k]) || likely
		}
		if !last {
			return true
		}
		if len(changes) > 0 && changes[0] == at {
			changes, likely = changes[1:], true
		}
		if !likely {
			return true
		}
		likely = false
		return !e.Stopped() && !try(at)
	})
	for ; r.job == nil && len(changes) > 0 && !e.Stopped(); changes = changes[1:] {
		try(changes[0])
	}
	p.kept.valid, p.kept.shadow = p.kept.valid && r.job != nil, r.shadow
}

// reserveAt makes the reservation at the time if the job fits the room of the reservation then.
func (p *general) reserveAt(j *sim.Job, at float64) bool {
	r, best := &p.plan, math.Inf(1)
	for _, c := range p.clusters {
		shares, ok := p.platform.FitsAt(&r.room, j, c, p.platform.Rigid(j, c), at, p.shares[:0])
		p.shares = shares
		if !ok {
			continue
		}
		if end := at + p.platform.Estimate(j, c, shares); end < best && inTime(j, end) {
			best = end
			r.job, r.cluster, r.shadow = j, c, at
		}
	}
	return r.job != nil
}

// reserveAgain makes the reservation of the last instant again where the shadow time is still the same, with the room that was kept up to date since:
// the same job is the first that cannot start, none has started before it now, no running job has outlived its estimate, and see [general.gaveBack].
func (p *general) reserveAgain(e *sim.Engine, j *sim.Job) bool {
	k, now := &p.kept, e.Now()
	late := len(p.running) > 0 && p.running[0].EstimatedEnd <= now
	again := k.valid && !late && k.job == j && len(p.touched) == 0 && k.shadow > now && p.reserveAt(j, k.shadow)
	*k = keptPlan{!late && !p.closes && len(j.Request.Licences) == 0 && !j.Request.DeadlineHard, j, p.plan.shadow, e}
	return again
}

// gaveBack keeps the room of the reservation up to date when a running job has ended. If it was expected to end by the shadow time, what it held was
// free there already. That the reserved job fits no earlier still holds then: just before the shadow time the same is free as before. If the job was
// expected to end then or later, the machines on which it ran must have too little room even at the shadow time.
func (p *general) gaveBack(j *sim.Job) {
	k, r := &p.kept, &p.plan
	if !k.valid || j.EstimatedEnd < k.shadow {
		return
	}
	parts := k.engine.Held(j)
	if j.EstimatedEnd > k.shadow {
		p.platform.GiveParts(&r.room, j, parts)
	}
	for i := range parts {
		c := parts[i].Cluster
		if !p.platform.OnOneMachine(k.job, c) {
			k.valid = false
			return
		}
		width := p.platform.Rigid(k.job, c)
		for _, s := range parts[i].Shares {
			if p.platform.Hosts(&r.room, k.job, int(s.Machine)) >= width {
				k.valid = false
				return
			}
		}
	}
}

// keptPlan is what is known of the reservation of the last instant.
type keptPlan struct {
	valid  bool     // it may serve again
	job    *sim.Job // while valid
	shadow float64
	engine *sim.Engine
}

// firstAfter is the place of the first of the ascending times that is after the given one.
func firstAfter(times []float64, at float64) int {
	k, found := slices.BinarySearch(times, at)
	if found {
		k++
	}
	return k
}

// watch counts the processors that the job could hold on each machine of the room of the reservation, if it may lie on several.
func (p *general) watch(j *sim.Job) {
	clear(p.could)
	clear(p.couldOn)
	for _, c := range p.clusters {
		if p.platform.OnOneMachine(j, c) {
			continue
		}
		first, last := p.platform.MachinesOf(c)
		for m := first; m < last; m++ {
			n := int32(p.platform.Hosts(&p.plan.room, j, m))
			p.could[c] += int(n)
			p.couldOn[m] = n
		}
	}
}

// helpsByNode says whether a job that did not fit may fit once the other has given back the part.
func (p *general) helpsByNode(j, other *sim.Job, part *sim.Part) bool {
	c, room := part.Cluster, &p.plan.room
	width := p.platform.Rigid(j, c)
	helps := len(j.Request.Licences) > 0 && len(other.Request.Licences) > 0
	if p.platform.OnOneMachine(j, c) {
		return helps || slices.ContainsFunc(part.Shares, func(s sim.Share) bool { return p.platform.Hosts(room, j, int(s.Machine)) >= width })
	}
	for _, s := range part.Shares {
		n := int32(p.platform.Hosts(room, j, int(s.Machine)))
		p.could[c] += int(n - p.couldOn[s.Machine])
		p.couldOn[s.Machine] = n
	}
	return helps || p.could[c] >= width
}

// collectByNode finds the offers for jobs of a kind, of which j is one.
func (p *general) collectByNode(k *kindQueue, o *outlook, j *sim.Job) {
	kept := o.offers[:0]
	for len(k.finders) < len(p.clusters) {
		k.finders = append(k.finders, finder{})
	}
	for at, c := range p.clusters {
		width := k.widths[at]
		if int(p.most[at]) < width {
			continue
		}
		f := &k.finders[at]
		if room := p.hasRoom(k, at, j); f.none || !room && !p.platform.Draws() {
			continue
		}
		shares, ok := p.platform.FitsLate(&p.platform.Free, j, c, width, f.has, p.shares[:0])
		p.shares, f.none = shares, !ok && !p.closes && len(k.needs) == 0
		if ok {
			kept = anotherOffer(kept, c, shares)
		}
	}
	o.offers = kept
}

// anotherOffer appends an offer. It uses the memory of earlier ones.
func anotherOffer(kept []offer, cluster int, shares []sim.Share) []offer {
	if len(kept) < cap(kept) {
		kept = kept[:len(kept)+1]
	} else {
		kept = append(kept, offer{})
	}
	o := &kept[len(kept)-1]
	*o = offer{cluster: cluster, shares: append(o.shares[:0], shares...)}
	return kept
}

// hasRoom says whether the machines of a cluster have room for a job of the kind, such as j, apart from limits of their number, closed times, deadlines and licences.
//
// Complexity: O(machines) at first, then O(changes since).
func (p *general) hasRoom(k *kindQueue, at int, j *sim.Job) bool {
	f, c, width := &k.finders[at], p.clusters[at], k.widths[at]
	first, last := p.platform.MachinesOf(c)
	freed := p.platform.Freed()
	look := func(m int) {
		n := min(p.platform.Hosts(&p.platform.Free, j, m), width)
		if f.one && n < width {
			n = 0
		}
		f.total += n - int(f.could[m-first])
		f.could[m-first] = int32(n)
	}
	if f.could == nil {
		f.could, f.first, f.one = make([]int32, last-first), first, p.platform.OnOneMachine(j, c)
		f.usable = newBitset(last - first)
		for m := first; m < last; m++ {
			if p.platform.Hosts(p.empty, j, m) > 0 {
				f.usable.add(m - first)
				look(m)
			}
		}
		f.freed, f.taken = len(freed), len(p.taken)
	}
	for ; f.freed < len(freed); f.freed++ {
		if m := int(freed[f.freed]); first <= m && m < last && f.usable.has(m-first) {
			look(m)
			f.none = f.none && !f.has(m)
		}
	}
	for ; f.taken < len(p.taken); f.taken++ {
		if m := int(p.taken[f.taken]); first <= m && m < last && f.usable.has(m-first) {
			look(m)
		}
	}
	return f.total >= width
}

// stillChosen says whether the rule would choose again what the offers for jobs like j have: it takes the first machine, no job of the instant went to the
// machines, and there are licences.
func (p *general) stillChosen(o *outlook, j *sim.Job) bool {
	if !p.platform.TakesFirst() || slices.ContainsFunc(o.offers, func(o offer) bool { return p.platform.ShortOf(&p.platform.Free, j, o.cluster) >= 0 }) {
		return false
	}
	for _, m := range p.touched[o.touched:] {
		for i := range o.offers {
			for _, s := range o.offers[i].shares {
				if s.Machine == m {
					return false
				}
			}
		}
	}
	return true
}

// viewOf is what a job could have now: what all of its kind could have, or where machines are closed at times those that see the same machines open.
func (p *general) viewOf(k *kindQueue, j *sim.Job) *outlook {
	if !p.closes {
		p.offers(k)
		return &k.outlook
	}
	if k.closed == p.instant {
		return &outlook{}
	}
	class := p.platform.OpenClass(j, p.clusters)
	for i := range k.classes {
		if c := k.classes[i]; c.class == class && c.instant == p.instant {
			p.update(k, &c.outlook, j)
			return &c.outlook
		}
	}
	var c *classed
	for i := range k.classes {
		if k.classes[i].instant != p.instant {
			c = k.classes[i]
		}
	}
	if c == nil {
		c = &classed{}
		k.classes = append(k.classes, c)
	}
	c.class, c.instant, c.outlook.stamp = class, p.instant, 0
	p.update(k, &c.outlook, j)
	return &c.outlook
}

// leastOf is a job of the least size of a kind.
func leastOf(k *kindQueue) *waiting {
	var least *waiting
	k.each(func(b *block) {
		if w := &b.jobs[b.least]; least == nil || w.size < least.size {
			least = w
		}
	})
	return least
}

// findRest finds out what is free at the shadow time beside the place of the reserved job; false: it has none.
func (p *general) findRest() bool {
	b, r := &p.beside, &p.plan
	if b.planned == p.planned {
		return b.ok
	}
	b.planned, b.stamp = p.planned, 0
	b.rest.CopyFrom(&r.room)
	shares, ok := p.platform.FitsAt(&b.rest, r.job, r.cluster, p.platform.Rigid(r.job, r.cluster), r.shadow, p.shares[:0])
	p.shares = shares
	if b.ok = ok; ok {
		p.platform.Take(&b.rest, r.job, r.cluster, shares)
	}
	return ok
}

// harmlessByNode is [general.harmless]: the reserved job keeps its place or finds another.
func (p *general) harmlessByNode(o *offer, j *sim.Job) bool {
	r := &p.plan
	if p.findRest() && p.platform.HasRoom(&p.beside.rest, j, o.cluster, o.shares) {
		return true
	}
	r.trial.CopyFrom(&r.room)
	p.take(&r.trial, j, o)
	return p.fits(&r.trial, r)
}

// aside is the offer of a cluster for jobs like j that leaves the reserved job its place; nil: there is none.
func (p *general) aside(k *kindQueue, o *outlook, at int, j *sim.Job) *offer {
	r, b := &p.plan, &p.beside
	if r.job == nil || !p.findRest() {
		return nil
	}
	if b.stamp != p.stamp {
		b.stamp = p.stamp
		b.both.CopyFrom(&p.platform.Free)
		for _, c := range p.clusters {
			p.platform.IntersectCluster(&b.both, &b.rest, c)
		}
	}
	if o.asideStamp != p.stamp {
		o.asideStamp = p.stamp
		o.asides = append(o.asides[:0], make([]offer, len(o.offers))...)
	}
	a := &o.asides[at]
	if !a.tried {
		c := o.offers[at].cluster
		place := slices.Index(p.clusters, c)
		shares, ok := p.platform.FitsLate(&b.both, j, c, k.widths[place], k.finders[place].has, nil)
		*a = offer{cluster: c, shares: shares, tried: true, harmless: ok}
	}
	if !a.harmless {
		return nil
	}
	return a
}

// hurries says whether the machines that a job gets may depend on its hard deadline.
func (p *general) hurries(j *sim.Job) bool { return p.mixed && j.Request.DeadlineHard }

// sooner is the offer itself, or one of faster machines in the room if the job would miss its hard deadline on the offer; nil: there is none.
func (p *general) sooner(room *sim.Room, o *offer, j *sim.Job, now float64) *offer {
	if o == nil || inTime(j, now+p.estimate(j, o)) {
		return o
	}
	if !p.mixed {
		return nil
	}
	shares, ok := p.platform.FitsSooner(room, j, o.cluster, p.platform.Rigid(j, o.cluster), nil)
	if !ok {
		return nil
	}
	return &offer{cluster: o.cluster, shares: shares}
}

// chooseByNode is an offer like o on which a job keeps its hard deadline and leaves the reserved job its place, with the end there; nil: there is none.
func (p *general) chooseByNode(now float64, k *kindQueue, view *outlook, at int, j *sim.Job) (*offer, float64) {
	o := p.sooner(&p.platform.Free, &view.offers[at], j, now)
	if o == nil {
		return nil, 0
	}
	end := now + p.estimate(j, o)
	if end <= p.plan.by || p.harmless(o, j) {
		return o, end
	}
	if o = p.sooner(&p.beside.both, p.aside(k, view, at, j), j, now); o == nil {
		return nil, 0
	}
	return o, now + p.estimate(j, o)
}

// cannotStart says whether a job can neither start now nor later, where machines count one by one.
func cannotStart(e *sim.Engine, platform *sim.Platform, clusters []int, h *hardJob) bool {
	return h.until < e.Now() && (platform.Shut(h.job, clusters) != "" || platform.Late(h.job, clusters))
}

// dropByNode drops a job that cannot start any more.
func dropByNode(e *sim.Engine, platform *sim.Platform, clusters []int, h *hardJob) {
	switch reason := platform.Shut(h.job, clusters); {
	case !platform.Mixed() && dropHopeless(e, platform, clusters, h.job, h.fastest):
	case reason != "":
		e.Drop(h.job, reason+only(platform, clusters))
	default:
		where := "on all machines open to it"
		if r := h.job.Request; platform.Capped() || r.Min < r.Max { // caps decide too which processors it gets, and fewer might do
			where = "on the processors that it gets"
		}
		if platform.Capped() {
			where += " under the power caps"
		}
		e.Drop(h.job, fmt.Sprintf("hard deadline %v cannot be met: started at %v or later it would end after that%s %s, by its estimate", h.job.Request.Deadline, e.Now(), only(platform, clusters), where))
	}
}

// Resume implements sim.Resumer.
func (p *general) Resume(e *sim.Engine, j *sim.Job) {
	p.running = insertByEnd(p.running, j)
	p.queue.order.scorer.resumed(j, heldBy(e, j))
}

// heldBy is the number of processors that a running job holds.
func heldBy(e *sim.Engine, j *sim.Job) int {
	n := 0
	for _, part := range e.Held(j) {
		n += part.Processors.Len()
	}
	return n
}

// Resume implements sim.Resumer.
func (p *generalConservative) Resume(e *sim.Engine, j *sim.Job) {
	for int(j.Handle) >= len(p.booked) {
		p.booked = append(p.booked, generalBooking{})
	}
	p.plan.open(e.Now())
	part := &e.Held(j)[0]
	s := &p.booked[j.Handle]
	*s = generalBooking{cluster: part.Cluster, start: e.Now(), end: ending(e.Now(), j.EstimatedEnd-e.Now(), p.step), shares: part.Shares}
	p.plan.take(j, s)
	p.running = insertByEnd(p.running, j)
	p.scorer.resumed(j, heldBy(e, j))
}
