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
	for at, c := range p.clusters {
		p.most[at], p.widest[at] = p.platform.MostFree(&p.platform.Free, c)
	}
}

// offers are what the jobs of a kind could have of each cluster now. Within an instant the room only shrinks: what does not fit will not,
// and the fastest machines on which a job fits stay the same as long as they have room.
func (p *general) offers(k *kindred) []offer {
	if k.stamp == p.stamp || k.closed {
		return k.offers
	}
	if k.stamp == 0 || !p.stillFree(k) {
		p.collect(k)
		k.closed = len(k.offers) == 0
		k.planned = 0
	}
	if k.planned != p.planned {
		k.planned, k.enough, k.tooLong = p.planned, math.Inf(-1), math.Inf(1)
		for i := range k.offers {
			k.offers[i].tried = false
		}
	}
	k.stamp = p.stamp
	return k.offers
}

// stillFree says whether all processors that were offered to the jobs of the kind are still free, so that these jobs would get them.
func (p *general) stillFree(k *kindred) bool {
	j := k.blocks[0].jobs[0].job
	if k.spreads {
		return false
	}
	for i := range k.offers {
		if !p.platform.HasRoom(&p.platform.Free, j, k.offers[i].cluster, k.offers[i].shares) {
			return false
		}
	}
	return true
}

// collect finds the offers for the jobs of a kind.
func (p *general) collect(k *kindred) {
	kept, j := k.offers[:0], k.blocks[0].jobs[0].job
	if p.measure(k, j); k.spreads {
		p.collectSpread(k)
		return
	}
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
		if len(kept) < cap(kept) { // it keeps its list of shares
			kept = kept[:len(kept)+1]
		} else {
			kept = append(kept, offer{})
		}
		o := &kept[len(kept)-1]
		*o = offer{cluster: c, shares: append(o.shares[:0], shares...)}
	}
	k.offers = kept
}

// choose returns, of the offers on which a job may start now, the one on which it ends first by its estimate, and that end; nil: there is no offer.
func (p *general) choose(now float64, k *kindred, j *sim.Job) (best *offer, bestEnd float64) {
	bestEnd = math.Inf(1)
	offers := p.offers(k)
	for i := range offers {
		o := &offers[i]
		end := now + p.estimate(j, o)
		if end < bestEnd && inTime(j, end) && (end <= p.plan.shadow || p.harmless(o, j)) {
			best, bestEnd = o, end
		}
	}
	return best, bestEnd
}

// hope says whether a job of the size, or of a larger one, may start now if its hard deadline allows it. What a job may do a shorter one
// of its kind may do too.
func (p *general) hope(now float64, k *kindred, w *waiting) bool {
	offers := p.offers(k)
	switch {
	case w.size <= k.enough:
		return true
	case w.size >= k.tooLong:
		return false
	}
	for i := range offers {
		o := &offers[i]
		if p.harmless(o, w.job) || now+p.estimate(w.job, o) <= p.plan.shadow {
			k.enough = w.size
			return true
		}
	}
	k.tooLong = w.size
	return false
}

// starts says whether a job may start now.
func (p *general) starts(now float64, k *kindred, w *waiting) bool {
	if !p.hope(now, k, w) {
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
	if !o.tried {
		r.trial.CopyFrom(&r.room)
		p.take(&r.trial, j, o)
		o.harmless, o.tried = p.fits(&r.trial, r), true
	}
	return o.harmless
}
