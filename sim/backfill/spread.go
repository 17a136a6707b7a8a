package backfill

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/spread"
)

// spreading is what a policy for a whole system of several clusters knows of the jobs whose span is the grid.
type spreading struct {
	selector *spread.Selector // nil: every job stays on one cluster
	sizes    []int            // by handle: processors that the job holds wherever it starts
	reach    []int            // by handle: most processors that the job could hold at once in the empty system
}

// Spreads implements sim.Spreader.
func (p *general) Spreads() {}

// spreads says whether the job may hold processors of several clusters.
func (p *general) spreads(j *sim.Job) bool { return p.spread.selector != nil && j.Request.MaySpread() }

// sizeSpread finds out how many processors a job that may spread holds, and returns the estimate on those that it gets of the empty system. The
// engine has dropped the jobs that can run nowhere.
func (p *general) sizeSpread(j *sim.Job) (estimate float64) {
	s, r := &p.spread, j.Request
	for int(j.Handle) >= len(s.sizes) {
		s.sizes, s.reach = append(s.sizes, 0), append(s.reach, 0)
	}
	s.selector.Look(p.empty, j)
	s.reach[j.Handle] = s.selector.Usable(j)
	s.sizes[j.Handle] = max(r.Min, min(r.Max, r.Tasks, s.reach[j.Handle]))
	s.selector.Choose(j, s.sizes[j.Handle])
	return p.platform.EstimateClaims(j, s.selector.Claims())
}

// place is where a job that may spread would have its processors in the room, until the next choice; false: there is no place.
func (p *general) place(room *sim.Room, j *sim.Job) ([]sim.Claim, bool) {
	s := &p.spread
	s.selector.Look(room, j)
	if !s.selector.Choose(j, s.sizes[j.Handle]) {
		return nil, false
	}
	return s.selector.Claims(), true
}

// measure finds out how many processors the jobs of a kind hold, of which j is one.
func (p *general) measure(k *kindQueue, j *sim.Job) {
	if len(k.widths) > 0 {
		return
	}
	k.spreads = p.spreads(j)
	for _, c := range p.clusters {
		k.widths = append(k.widths, p.platform.Rigid(j, c))
	}
}

// collectSpread finds the one offer for the jobs of a kind that may spread. Another place may come first as the room shrinks.
func (p *general) collectSpread(k *kindQueue) {
	claims, ok := p.place(&p.platform.Free, k.any())
	k.offers = k.offers[:0]
	if !ok {
		return
	}
	if k.offers = slices.Grow(k.offers, 1)[:1]; len(claims) > cap(k.offers[0].claims) {
		k.offers[0].claims = make([]sim.Claim, len(claims))
	}
	o := &k.offers[0]
	*o = offer{cluster: -1, claims: o.claims[:len(claims)]}
	for i, c := range claims {
		shares := append(o.claims[i].Shares[:0], c.Shares...)
		o.claims[i] = c
		o.claims[i].Shares = shares
	}
}

// estimate is the execution time of a job on an offer, by its estimate.
func (p *general) estimate(j *sim.Job, o *offer) float64 {
	if o.cluster < 0 {
		return p.platform.EstimateClaims(j, o.claims)
	}
	return p.platform.Estimate(j, o.cluster, o.shares)
}

// take takes what a job holds on the offer out of the room.
func (p *general) take(room *sim.Room, j *sim.Job, o *offer) {
	if o.cluster < 0 {
		p.platform.TakeClaims(room, j, o.claims)
		return
	}
	p.platform.Take(room, j, o.cluster, o.shares)
}

// claim starts a job on an offer.
func (p *general) claim(e *sim.Engine, j *sim.Job, o *offer) {
	if o.cluster < 0 {
		p.claims = o.claims
		e.StartOn(j, o.claims...)
		return
	}
	p.chosen = append(p.chosen[:0], o.shares...)
	e.StartOn(j, sim.Claim{Cluster: o.cluster, Shares: p.chosen})
}

// held is the number of processors that a job holds on an offer.
func (p *general) held(j *sim.Job, o *offer) int {
	if o.cluster < 0 {
		return p.spread.sizes[j.Handle]
	}
	return p.platform.Rigid(j, o.cluster)
}

// fits says whether the reserved job fits the room where it is to run.
func (p *general) fits(room *sim.Room, r *reservation) (ok bool) {
	if r.cluster < 0 {
		_, ok = p.place(room, r.job)
		return ok
	}
	p.shares, ok = p.platform.FitsAt(room, r.job, r.cluster, p.platform.Rigid(r.job, r.cluster), r.shadow, p.shares[:0])
	return ok
}

// Explain implements sim.Explainer. It states how many processors a moldable job gets, and where a job that may spread gets them.
func (p *general) Explain(j *sim.Job) []sim.Reason {
	r := j.Request
	over := p.spreads(j)
	if r.Min == r.Max && !over || over && (int(j.Handle) >= len(p.spread.sizes) || p.spread.sizes[j.Handle] == 0) {
		return nil // a job that was dropped when it arrived has no size
	}
	reason := sim.Reason{Rule: "rigid maximum"}
	if over {
		n := p.spread.sizes[j.Handle]
		reason.Text = fmt.Sprintf("%d processors: the job has %d tasks and holds at least %d, and the empty system has %d for it at once",
			n, r.Tasks, r.Min, p.spread.reach[j.Handle])
		reason.Terms = []sim.Term{{Name: "processors", Value: float64(n)}}
	} else {
		var list []string
		for _, c := range p.clusters {
			if p.platform.CanRun(j, c) {
				list = append(list, fmt.Sprintf("%d on %s", p.platform.Rigid(j, c), p.platform.ClusterID(c)))
				reason.Terms = append(reason.Terms, sim.Term{Name: p.platform.ClusterID(c), Value: float64(p.platform.Rigid(j, c))})
			}
		}
		if list == nil {
			return nil // it can run nowhere
		}
		reason.Text = fmt.Sprintf("the job has %d tasks and holds at least %d processors; it takes the most that it could use at once on the empty cluster: %s",
			r.Tasks, r.Min, strings.Join(list, ", "))
	}
	if !over || !j.Started() {
		return []sim.Reason{reason}
	}
	return []sim.Reason{reason, p.explainPlace()}
}

// explainPlace says where the job got its processors that starts now.
func (p *general) explainPlace() sim.Reason {
	reason := sim.Reason{Rule: "selection"}
	var list []string
	for _, c := range p.claims {
		n := 0
		for _, s := range c.Shares {
			n += int(s.Processors)
		}
		list = append(list, fmt.Sprintf("%d on %s", n, p.platform.ClusterID(c.Cluster)))
		reason.Terms = append(reason.Terms, sim.Term{Name: p.platform.ClusterID(c.Cluster), Value: float64(n)})
	}
	reason.Text = "the cluster with the fewest free processors among those with enough: " + list[0]
	if len(list) > 1 {
		reason.Text = "no cluster has enough free processors, so those with the most come first: " + strings.Join(list, ", ")
	}
	return reason
}

// dropLate drops a job that may spread and would miss its hard deadline even in the empty system.
func dropLate(e *sim.Engine, j *sim.Job, estimate float64) {
	e.Drop(j, fmt.Sprintf("hard deadline %v would be missed: started at %v on the processors that it gets of the empty system it would end at %v, by its estimate",
		j.Request.Deadline, e.Now(), e.Now()+estimate))
}
