package backfill

import (
	"math"

	"github.com/allot-opt/allot/sim"
)

// offer is what the jobs of a kind could have of a cluster now.
type offer struct {
	cluster  int // −1: of the clusters of the claims
	shares   []sim.Share
	claims   []sim.Claim // of a job that may spread
	tried    bool        // whether harmless is known
	harmless bool        // it leaves the reserved job its place whenever it ends
}

// count counts the free processors of each cluster.
func (p *general) count() {
	p.stamp++
	all, most := int32(0), int32(0)
	for at, c := range p.clusters {
		p.most[at], p.widest[at] = p.platform.MostFree(&p.platform.Free, c)
		all, most = all+p.most[at], max(most, p.most[at])
	}
	if p.roomy = most; p.spread.selector != nil {
		p.roomy = all
	}
}

// begin begins an instant: what was found out before counts no more.
func (p *general) begin() {
	p.instant++
	p.begun = p.stamp + 1
	p.count()
}

// offers are what the jobs of a kind could have of each cluster now, where machines are closed at times those of the least size.
func (p *general) offers(k *kindQueue) []offer {
	if k.stamp == p.stamp || k.closed == p.instant {
		return k.offers
	}
	j := k.any()
	if p.closes || p.platform.Capped() {
		j = leastOf(k).job
	}
	p.update(k, &k.outlook, j)
	if len(k.offers) == 0 {
		k.closed = p.instant
	}
	return k.offers
}

// update brings up to date what jobs of a kind could have, of which j is one. Within an instant the room only shrinks: what does not fit will not, and the
// fastest machines on which a job fits stay the same as long as they have room.
func (p *general) update(k *kindQueue, o *outlook, j *sim.Job) {
	if o.stamp == p.stamp || k.closed == p.instant {
		return
	}
	if o.stamp < p.begun || !p.stillFree(k, o, j) {
		p.collect(k, o, j)
		o.planned, o.touched = 0, len(p.touched)
	}
	if o.planned != p.planned || p.byNode { // where machines count one by one, the place beside the reserved job may be gone too
		o.enough, o.tooLong = math.Inf(-1), math.Inf(1)
	}
	for i := 0; i < len(o.offers) && o.planned != p.planned; i++ {
		o.offers[i].tried = false
	}
	o.planned, o.stamp = p.planned, p.stamp
	if p.flat && p.plan.job != nil && len(o.offers) > 0 {
		o.enough, o.tooLong = p.longest(o, j)
	}
}

// longest is a size with which jobs of a kind, of which j is one, may start on a flat platform, where it is their estimate, and one with which they may not. Those between are a rounding apart.
func (p *general) longest(o *outlook, j *sim.Job) (enough, tooLong float64) {
	if p.harmless(&o.offers[0], j) {
		return math.Inf(1), math.Inf(1)
	}
	return p.untilShadow()
}

// untilShadow is an estimate with which jobs on a flat platform certainly end by the shadow time, and one with which they certainly do not.
func (p *general) untilShadow() (enough, tooLong float64) {
	if math.IsInf(p.plan.by, 1) {
		return math.Inf(1), math.Inf(1)
	}
	now := p.platform.Now()
	largest := max(now, math.Abs(p.plan.by))
	rounding := 2 * (math.Nextafter(largest, math.Inf(1)) - largest)
	return p.plan.by - now - rounding, p.plan.by - now + rounding
}

// stillFree says whether all processors that were offered to the jobs of the kind are still free, so that these jobs would get them.
func (p *general) stillFree(k *kindQueue, o *outlook, j *sim.Job) bool {
	if k.spreads {
		return false
	}
	if p.byNode {
		return p.stillChosen(o, j)
	}
	for i := range o.offers {
		if !p.platform.HasRoom(&p.platform.Free, j, o.offers[i].cluster, o.offers[i].shares) {
			return false
		}
	}
	return true
}

// collect finds the offers for the jobs of a kind, of which j is one.
func (p *general) collect(k *kindQueue, o *outlook, j *sim.Job) {
	p.measure(k, j)
	switch {
	case k.spreads:
		p.collectSpread(k)
		return
	case p.byNode:
		p.collectByNode(k, o, j)
		return
	}
	kept := o.offers[:0]
	for at, c := range p.clusters {
		width := k.widths[at]
		if int(p.most[at]) < width || k.kind.OnOneMachine() && int(p.widest[at]) < width {
			continue
		}
		shares, ok := p.platform.FitsOn(&p.platform.Free, j, c, width, p.shares[:0])
		p.shares = shares
		if !ok {
			continue
		}
		kept = anotherOffer(kept, c, shares)
	}
	o.offers = kept
}

// choose returns, of the offers on which a job may start now, the one on which it ends first by its estimate, and that end; nil: there is no offer.
func (p *general) choose(now float64, k *kindQueue, j *sim.Job) (best *offer, bestEnd float64) {
	bestEnd = math.Inf(1)
	view := p.viewOf(k, j)
	for i := range view.offers {
		o := &view.offers[i]
		if p.byNode {
			if o, end := p.chooseByNode(now, k, view, i, j); o != nil && end < bestEnd {
				best, bestEnd = o, end
			}
			continue
		}
		end := now + p.estimate(j, o)
		if end < bestEnd && inTime(j, end) && (end <= p.plan.by || p.harmless(o, j)) {
			best, bestEnd = o, end
		}
	}
	return best, bestEnd
}

// mayStart says whether a job may start now, leaving its hard deadline aside. A job of its kind that is smaller may do what it may do. So two sizes are
// remembered: the largest that is known to be small enough, and the smallest that is known to be too large.
func (p *general) mayStart(now float64, k *kindQueue, w *waiting) bool {
	view := p.viewOf(k, w.job)
	switch {
	case w.size <= view.enough:
		return true
	case w.size >= view.tooLong:
		return false
	}
	for i := range view.offers {
		o := &view.offers[i]
		if p.harmless(o, w.job) || now+p.estimate(w.job, o) <= p.plan.by || p.byNode && p.aside(k, view, i, w.job) != nil {
			view.enough = w.size
			return true
		}
	}
	view.tooLong = w.size
	return false
}

// starts says whether a job may start now.
func (p *general) starts(now float64, k *kindQueue, w *waiting) bool {
	if !p.hurries(w.job) && !p.mayStart(now, k, w) {
		return false
	}
	if !w.job.Request.DeadlineHard {
		return true
	}
	best, _ := p.choose(now, k, w.job)
	return best != nil
}

// harmless says whether a job that starts now on the offer leaves the reserved job its place, whenever it ends.
func (p *general) harmless(o *offer, j *sim.Job) bool {
	r := &p.plan
	if r.job == nil {
		return true
	}
	if !o.tried && p.byNode {
		o.harmless, o.tried = p.harmlessByNode(o, j), true
	}
	if !o.tried {
		r.trial.CopyFrom(&r.room)
		p.take(&r.trial, j, o)
		o.harmless, o.tried = p.fits(&r.trial, r), true
	}
	return o.harmless
}
