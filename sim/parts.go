package sim

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Claim is what a policy gives a job: processors of a cluster for a number of its tasks.
type Claim struct {
	Cluster int
	Shares  []Share
	Tasks   int // 0: all, of a job with one claim
	// Limit is the time after which the claim ends the job, if it still runs; 0: none.
	Limit float64
	// Hold says that the processors stay held until the job's last part ends.
	Hold bool
}

// Part is a claim that has been met: the processors, which give themselves back when their tasks have ended.
type Part struct {
	Cluster    int
	Processors model.ProcessorSet
	Tasks      int
	// EstimatedEnd is the time at which the part ends by the job's estimate.
	EstimatedEnd float64
	shares       []Share
	end          float64
	hold         bool
}

// StartOn starts a queued job in the general world, with one part for each claim. Licences come from the pools of the first claim's
// cluster. A claim that does not fit is a fault of the policy and ends the run.
func (e *Engine) StartOn(j *Job, claims ...Claim) {
	w := e.world
	if w == nil || j.state != queued || len(claims) == 0 {
		e.failf("job %d cannot start at %v", j.Number, e.now)
		return
	}
	if short := w.platform.ShortOf(&w.platform.Free, j, claims[0].Cluster); short >= 0 {
		e.failf("job %s starts at %v without licence %s", j.Request.ID, e.now, w.platform.LicenceID(short))
		return
	}
	tasks := 0
	for _, claim := range claims {
		tasks += claim.Tasks
	}
	if r := j.Request; tasks != r.Tasks && !(tasks == 0 && len(claims) == 1) {
		e.failf("job %s of %d tasks starts at %v with %d", r.ID, r.Tasks, e.now, tasks)
		return
	}
	parts, ok := w.meet(e, j, claims)
	if !ok {
		return
	}
	w.platform.takeLicences(&w.platform.Free, j, parts[0].Cluster)
	w.cut[j.Handle] = Finished
	e.started(j)
	j.parts, j.cluster = int32(len(parts)), int32(parts[0].Cluster)
	link := math.Inf(1)
	for k := range parts {
		link = min(link, w.in.SlowestLink(parts[k].Cluster, parts[k].Processors))
	}
	for k := range parts {
		p := &parts[k]
		cut, at := w.limit(e, j, claims[k].Limit)
		if p.end = p.EstimatedEnd; !e.foreseen {
			p.end = w.end(e.now, at, j, p, link)
		}
		if p.end > at {
			p.end, w.cut[j.Handle] = at, cut
		}
		e.schedule(j, k, p.end)
	}
	if e.opt.Observer != nil {
		e.opt.Observer.Started(e.now, j, parts)
	}
}

// limit is the time at which the engine ends a job that starts now, and how it then leaves.
func (w *world) limit(e *Engine, j *Job, limit float64) (Outcome, float64) {
	cut, at := Finished, math.Inf(1)
	if e.opt.Kill {
		cut, at = Killed, j.EstimatedEnd
	}
	if limit > 0 && e.now+limit < at {
		cut, at = Killed, e.now+limit
	}
	if r := j.Request; r.DeadlineHard && r.Deadline < at {
		cut, at = MissedHard, max(r.Deadline, e.now)
	}
	return cut, at
}

// end is when the tasks of a part that starts now end: by the time rule, and later where local jobs share the processors. After the time
// at it only matters that the part has not ended by then.
func (w *world) end(now, at float64, j *Job, p *Part, link float64) float64 {
	r := j.Request
	takes := r.in.Longest(r.index, p.Cluster, p.Processors, p.Tasks) + r.in.Transfer(r.index, link)
	if w.local == nil {
		return now + takes
	}
	end := now + takes
	for _, s := range p.shares {
		m := &w.platform.Machines[s.Machine]
		if m.Background == nil {
			continue
		}
		for _, set := range p.Processors {
			for processor := max(set.First, m.first); processor <= min(set.Last, m.first+m.Processors-1); processor++ {
				end = max(end, w.local.of(p.Cluster, processor, m.Background).stretch(now, takes, at))
			}
		}
	}
	return end
}

// meet takes what the claims ask for and sets the estimated end.
func (w *world) meet(e *Engine, j *Job, claims []Claim) ([]Part, bool) {
	for int(j.Handle) >= len(w.parts) {
		w.parts, w.cut = append(w.parts, nil), append(w.cut, Finished)
	}
	parts := w.parts[j.Handle][:0]
	j.EstimatedEnd = e.now
	link := math.Inf(1)
	for _, claim := range claims {
		link = min(link, w.platform.link(claim.Shares))
	}
	for _, claim := range claims {
		for _, s := range claim.Shares {
			if w.platform.hosts(&w.platform.Free, j, int(s.Machine)) < int(s.Processors) || w.platform.Machines[s.Machine].Cluster != claim.Cluster {
				e.failf("job %s cannot start at %v: too little is free of machine %d", j.Request.ID, e.now, s.Machine)
				return nil, false
			}
			w.platform.take(&w.platform.Free, j, []Share{s})
		}
		p := Part{Cluster: claim.Cluster, Tasks: claim.Tasks, hold: claim.Hold, shares: append([]Share(nil), claim.Shares...)}
		if p.Tasks == 0 {
			p.Tasks = j.Request.Tasks
		}
		for _, s := range p.shares {
			p.Processors = append(p.Processors, w.choose(s)...)
		}
		p.Processors = model.NewProcessorSet(p.Processors...)
		p.EstimatedEnd = e.now + w.platform.estimate(j, p.Cluster, p.shares, p.Tasks, link)
		w.platform.working += p.Processors.Len()
		j.EstimatedEnd = max(j.EstimatedEnd, p.EstimatedEnd)
		parts = append(parts, p)
	}
	w.parts[j.Handle] = parts
	return parts, true
}

// choose takes the lowest free processors of a machine.
func (w *world) choose(s Share) model.ProcessorSet {
	set := w.free[s.Machine].take(int(s.Processors))
	for k := range set {
		set[k].First += w.platform.Machines[s.Machine].first
		set[k].Last += w.platform.Machines[s.Machine].first
	}
	return set
}

// release gives back what a part held and tells the policy. With the job's last part it also gives back the parts that were held until then.
func (w *world) release(e *Engine, j *Job, part int, last bool) {
	parts := w.parts[j.Handle]
	e.totals.busy.add(float64(parts[part].Processors.Len()) * (e.now - j.Start))
	w.platform.working -= parts[part].Processors.Len()
	if parts[part].hold && !last {
		return
	}
	for k := range parts {
		if last && parts[k].hold && k != part {
			w.give(j, &parts[k])
			e.policy.Release(j, k, false)
		}
	}
	w.give(j, &parts[part])
	if last {
		w.platform.giveLicences(&w.platform.Free, j, int(j.cluster))
	}
	e.policy.Release(j, part, last)
}

// give gives back the processors and the memory of a part.
func (w *world) give(j *Job, p *Part) {
	w.platform.give(&w.platform.Free, j, p.shares)
	for _, r := range p.Processors {
		for _, s := range p.shares { // the processors lie on these machines
			m := &w.platform.Machines[s.Machine]
			if first, last := max(r.First, m.first), min(r.Last, m.first+m.Processors-1); first <= last {
				w.free[s.Machine].give(model.ProcessorSet{{First: first - m.first, Last: last - m.first}})
			}
		}
	}
}

// Held is what a running job holds, part by part, for policies that plan with it; nil for a job that does not run.
func (e *Engine) Held(j *Job) []Part {
	if !j.Started() || e.world == nil {
		return nil
	}
	return e.world.parts[j.Handle]
}

// Shares are the processors of the part by machine.
func (p *Part) Shares() []Share { return p.shares }
