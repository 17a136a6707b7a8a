package sim

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Claim is what a policy gives a job: processors of a cluster for a number of its tasks.
type Claim struct {
	Cluster int
	Shares  []Share
	Tasks   int // 0: all, of a job with one claim
	// Limit is the time after which the claim ends the job, if it still runs; 0: none; below 0: at once.
	Limit float64
	// Processors are the very ones to give, as many of each machine as the shares say; nil: the lowest free ones.
	Processors model.ProcessorSet
	// Hold says that the processors stay held until the job's last part ends.
	Hold bool
}

// Part is a claim that the engine has granted: processors, which are released when their tasks end.
type Part struct {
	Cluster    int
	Processors model.ProcessorSet
	Tasks      int
	// EstimatedEnd is the time at which the part ends by the job's estimate.
	EstimatedEnd float64
	Shares       []Share // its processors by machine
	end          float64
	takes        float64 // time from the start to the end, without local jobs
	hold         bool
	count        int // processors
}

// StartOn starts a queued job, with one part for each claim. Licences come from the pools of all its clusters,
// once from each pool, and stay held until the job ends. A claim that does not fit is a fault of the policy and ends the run.
func (e *Engine) StartOn(j *Job, claims ...Claim) {
	w := e.world
	if j.state != queued || len(claims) == 0 {
		e.failf("job %d cannot start at %v", j.Number, e.now)
		return
	}
	tasks := 0
	for _, claim := range claims {
		if short := w.platform.ShortOf(&w.platform.Free, j, claim.Cluster); short >= 0 {
			e.failf("job %s starts at %v without licence %s", j.Request.ID, e.now, w.platform.LicenceID(short))
			return
		}
		tasks += claim.Tasks
	}
	if r := j.Request; tasks != r.Tasks && !(tasks == 0 && len(claims) == 1) {
		e.failf("job %s of %d tasks starts at %v with %d", r.ID, r.Tasks, e.now, tasks)
		return
	}
	parts, ok := w.grant(e, j, claims)
	if !ok {
		return
	}
	if !w.platform.keepCaps(j, parts) {
		e.failf("job %s cannot start at %v: it would take more than a power cap before it ends by its estimate", j.Request.ID, e.now)
		return
	}
	w.begin(e, j, claims, parts)
}

// begin lets a job run on the parts that it was granted.
func (w *world) begin(e *Engine, j *Job, claims []Claim, parts []Part) {
	w.platform.takeLicencesOf(&w.platform.Free, j, parts)
	w.cut[j.Handle] = Finished
	start := j.Start
	e.started(j)
	j.Start = start
	j.parts = int32(len(parts))
	link := math.Inf(1)
	for k := 0; k < len(parts) && !(w.platform.alike && parts[k].Tasks == j.Request.Tasks); k++ { // takes asks for it
		link = min(link, w.in.SlowestLink(parts[k].Cluster, parts[k].Processors))
	}
	drawn := e.length(j)
	for k := range parts {
		p, length := &parts[k], drawn
		cut, at := w.limit(e, j, claims[k].Limit)
		switch p.end = p.EstimatedEnd; {
		case e.foreseen:
			p.takes = p.EstimatedEnd - start
		case !math.IsNaN(length):
			if expected := j.EstimatedEnd - start; p.EstimatedEnd < j.EstimatedEnd {
				length *= (p.EstimatedEnd - start) / expected
			}
			p.end, p.takes = model.End(start, length), length
		default:
			p.takes = w.takes(j, p, link)
			p.end = w.end(start, max(at, start), j, p)
		}
		if p.end > at && (cut != MissedHard || model.Late(p.end, at)) {
			p.end, w.cut[j.Handle] = max(at, e.now), cut
		}
		if p.end > p.EstimatedEnd {
			w.outlives(e, p)
		}
		e.schedule(j, k, p.end)
		w.platform.begins(j, p)
	}
	if e.opt.Observer != nil {
		e.opt.Observer.Started(e.now, j, parts)
	}
}

// outlives is for a part that ends after its estimate where a power cap falls. Nothing lets it run on under the lower cap: that is an error, unless only rounding made it late.
func (w *world) outlives(e *Engine, p *Part) {
	switch c := w.platform.capOf(p.Cluster); {
	case c == nil || !fallsFrom(c.steps, e.now):
	case model.Late(p.end, p.EstimatedEnd):
		e.Fail(errOutlive)
	default:
		p.end = p.EstimatedEnd
	}
}

// wakes takes the processors of a part on machines that are on rather than on others, where the job takes time there, and returns the machines. Those that it holds already (chosen is false) stay.
func (w *world) wakes(j *Job, p *Part, chosen bool, now float64) (machines []int) {
	if w.takes(j, p, w.in.SlowestLink(p.Cluster, p.Processors)) == 0 {
		return nil // it wakes nobody
	}
	var set model.ProcessorSet
	for _, s := range p.Shares {
		m := &w.platform.Machines[s.Machine]
		here := m.within(p.Processors)
		of := []int(nil)
		if chosen {
			w.free[s.Machine].give(here)
			here, of = w.sleep.choose(&w.free[s.Machine], s, now)
		} else {
			of = w.sleep.of(s.Machine, here)
		}
		machines = append(machines, of...)
		for _, run := range here {
			set = append(set, model.Range{First: run.First + m.First, Last: run.Last + m.First})
		}
	}
	p.Processors = model.NewProcessorSet(set...)
	return machines
}

// startAwake lets a job start when all its machines are up.
func (w *world) startAwake(e *Engine, j *Job, parts []Part, machines [][]int) {
	if !slices.ContainsFunc(machines, func(of []int) bool { return len(of) > 0 }) {
		return
	}
	if j.Start = w.sleep.hold(j, machines, e.now, w.running(j) != nil); j.Start == e.now {
		return
	}
	link := math.Inf(1)
	for k := range parts {
		link = min(link, w.platform.link(parts[k].Shares))
	}
	j.EstimatedEnd = j.Start
	for k := range parts {
		p := &parts[k]
		p.EstimatedEnd = model.End(j.Start, w.platform.estimate(j, p.Cluster, p.Shares, p.Tasks, link))
		j.EstimatedEnd = max(j.EstimatedEnd, p.EstimatedEnd)
	}
}

// postponed plans the end of a part anew whose job started later than it was to. It returns false if it did not.
func (w *world) postponed(e *Engine, ended *event) bool {
	j := e.jobs.at(ended.handle)
	p := &w.parts[j.Handle][ended.part]
	start := w.sleep.start(j)
	end := model.End(start, p.takes)
	if start == j.Start && p.end >= end {
		return false
	}
	j.Start, p.end = start, end
	e.schedule(j, int(ended.part), end)
	return true
}

// limit is the time by which a job that starts now has to end, and how it leaves if it does not. A hard deadline may be over already.
func (w *world) limit(e *Engine, j *Job, limit float64) (Outcome, float64) {
	cut, at := Finished, math.Inf(1)
	if w.running(j) != nil { // a schedule has it to its end
		return cut, at
	}
	if e.opt.Kill {
		cut, at = Killed, j.EstimatedEnd
	}
	if until := e.now + max(0, limit); limit != 0 && until < at {
		cut, at = Killed, until
	}
	if r := j.Request; r.DeadlineHard && r.Deadline < at {
		cut, at = MissedHard, r.Deadline
	}
	return cut, at
}

// takes is how long the tasks of a part take, by the time rule.
func (w *world) takes(j *Job, p *Part, link float64) float64 {
	r := j.Request
	if w.platform.alike && p.Tasks == r.Tasks {
		return j.runtime
	}
	return r.in.Longest(r.index, p.Cluster, p.Processors, p.Tasks) + r.in.Transfer(r.index, link)
}

// end is when the tasks of a part that starts now end: by the time rule, and later where local jobs share the processors. After the time
// at it only matters that the part has not ended by then. A job that runs already keeps its hard deadline, by the time rule: local jobs make it end no later
// than that.
func (w *world) end(now, at float64, j *Job, p *Part) float64 {
	r, takes := j.Request, p.takes
	end := model.End(now, takes)
	if w.local == nil {
		return end
	}
	for _, s := range p.Shares {
		m := &w.platform.Machines[s.Machine]
		if m.Background == nil {
			continue
		}
		for _, set := range p.Processors {
			for processor := max(set.First, m.First); processor <= min(set.Last, m.First+m.Processors-1); processor++ {
				end = max(end, w.local.of(p.Cluster, processor, m.Background).stretch(now, takes, at))
			}
		}
	}
	if r.DeadlineHard && w.running(j) != nil {
		end = max(model.End(now, takes), min(end, r.Deadline))
	}
	return end
}

// grant takes what the claims ask for and sets the estimated end.
func (w *world) grant(e *Engine, j *Job, claims []Claim) ([]Part, bool) {
	w.handle(j)
	before := w.parts[j.Handle]
	parts := before[:0]
	j.EstimatedEnd = e.now
	link := math.Inf(1)
	for _, claim := range claims {
		link = min(link, w.platform.link(claim.Shares))
	}
	var machines [][]int // by part, where machines sleep and the job takes time
	for k, claim := range claims {
		if !w.takeShares(e, j, &claim) {
			return nil, false
		}
		var shares []Share
		if !w.names && k < len(before) { // nobody has kept what another job held
			shares = before[k].Shares[:0]
		}
		p := Part{Cluster: claim.Cluster, Tasks: claim.Tasks, hold: claim.Hold, Shares: append(shares, claim.Shares...)}
		if p.Tasks == 0 {
			p.Tasks = j.Request.Tasks
		}
		if claim.Processors != nil && !(w.names && w.takeThese(claim)) {
			e.failf("job %s cannot start at %v on processors %s of cluster %s", j.Request.ID, e.now, claim.Processors, w.platform.ClusterID(claim.Cluster))
			return nil, false
		}
		if w.names {
			for k := 0; k < len(p.Shares) && claim.Processors == nil; k++ {
				p.Processors = append(p.Processors, w.choose(p.Shares[k])...)
			}
			p.Processors = model.NewProcessorSet(append(p.Processors, claim.Processors...)...)
		}
		for _, s := range p.Shares {
			p.count += int(s.Processors)
		}
		if w.sleep != nil {
			machines = append(machines, w.wakes(j, &p, claim.Processors == nil, e.now))
		}
		p.EstimatedEnd = model.End(e.now, w.platform.estimate(j, p.Cluster, p.Shares, p.Tasks, link))
		w.platform.working += p.count
		j.EstimatedEnd = max(j.EstimatedEnd, p.EstimatedEnd)
		parts = append(parts, p)
	}
	w.parts[j.Handle] = parts
	if j.Start = e.now; machines != nil {
		w.startAwake(e, j, parts, machines)
	}
	return parts, true
}

// Resumer is a policy that takes a system over while jobs run: it is told of each before its first decision.
type Resumer interface {
	// Resume tells of a job that runs already. It holds its parts, see [Engine.Held], and its estimate is what is left of its time.
	Resume(e *Engine, j *Job)
}

// running says where the job runs already when it arrives; nil: it does not.
func (w *world) running(j *Job) *model.Running {
	return j.Request.in.Jobs()[j.Request.index].Node().Running
}

// resume lets a job go on that runs already.
func (w *world) resume(e *Engine, j *Job, run *model.Running) {
	policy, ok := e.policy.(Resumer)
	if !ok {
		e.failf("job %s runs already, and the policy cannot take it over", j.Request.ID)
		return
	}
	e.queued++
	shares, _ := w.platform.SharesOf(run.Cluster, run.Processors)
	if w.in.Duration(j.Request.index, run.Cluster, run.Processors) == 0 {
		w.endAtOnce(e, j, Part{Cluster: run.Cluster, Processors: run.Processors, Tasks: j.Request.Tasks, Shares: shares})
		return
	}
	claims := []Claim{{Cluster: run.Cluster, Shares: shares, Processors: run.Processors}}
	parts, ok := w.grant(e, j, claims)
	if !ok {
		return
	}
	w.begin(e, j, claims, parts)
	policy.Resume(e, j)
}

// endAtOnce ends a job that runs already and takes no time. It holds nothing, as the checker has it, so that it may lie on processors of others that run
// already, and the policy is not told of it.
func (w *world) endAtOnce(e *Engine, j *Job, part Part) {
	part.EstimatedEnd, part.end = e.now, e.now
	j.EstimatedEnd = e.now
	w.handle(j)
	w.parts[j.Handle], w.cut[j.Handle] = append(w.parts[j.Handle][:0], part), Finished
	e.started(j)
	if e.opt.Observer != nil {
		e.opt.Observer.Started(e.now, j, w.parts[j.Handle])
	}
	e.leave(j, Finished, "")
}

// handle makes room for what is known of running jobs up to the handle of the job.
func (w *world) handle(j *Job) {
	for int(j.Handle) >= len(w.parts) {
		w.parts, w.cut = append(w.parts, nil), append(w.cut, Finished)
	}
}

// takeShares takes what the claim asks for of each machine. It returns false where too little is free, or a machine is closed to the job.
func (w *world) takeShares(e *Engine, j *Job, claim *Claim) bool {
	p := w.platform
	for k := range claim.Shares {
		s := claim.Shares[k : k+1]
		if w.running(j) != nil { // jobs that run already fit together, and need not fit where they are otherwise
			p.take(&p.Free, j, s)
			continue
		}
		if p.Machines[s[0].Machine].Cluster != claim.Cluster || p.hosts(&p.Free, j, int(s[0].Machine)) < int(s[0].Processors) ||
			p.nodes != nil && !p.nodes.site.Has(&p.Free.Room, p.nodes.site.Kind(j.Request.index), s) {
			e.failf("job %s cannot start at %v: too little is free of machine %d", j.Request.ID, e.now, s[0].Machine)
			return false
		}
		p.take(&p.Free, j, s)
	}
	if p.nodes != nil && w.running(j) == nil && !p.nodes.allOpen(j.Request.index, claim.Cluster, claim.Shares, e.now) {
		e.failf("job %s cannot start at %v: a machine is closed to it before it ends by its estimate", j.Request.ID, e.now)
		return false
	}
	return true
}

// choose takes the lowest free processors of a machine.
func (w *world) choose(s Share) model.ProcessorSet {
	set := w.free[s.Machine].take(int(s.Processors))
	for k := range set {
		set[k].First += w.platform.Machines[s.Machine].First
		set[k].Last += w.platform.Machines[s.Machine].First
	}
	return set
}

// takeThese takes the very processors of the claim. It returns false where they are not free or not those of its shares.
func (w *world) takeThese(claim Claim) bool {
	named := 0
	for _, s := range claim.Shares {
		m := &w.platform.Machines[s.Machine]
		here := m.within(claim.Processors)
		if here.Len() != int(s.Processors) || !w.free[s.Machine].has(here) {
			return false
		}
		w.free[s.Machine].remove(here)
		named += here.Len()
	}
	return named == claim.Processors.Len()
}

// within is the part of a set of the cluster's processors that lies on the machine, counted from the machine's first.
func (m *Machine) within(set model.ProcessorSet) model.ProcessorSet {
	var here model.ProcessorSet
	for _, r := range set {
		if first, last := max(r.First, m.First), min(r.Last, m.First+m.Processors-1); first <= last {
			here = append(here, model.Range{First: first - m.First, Last: last - m.First})
		}
	}
	return here
}

// release gives back what a part held and tells the policy. With the job's last part it also gives back the parts that were held until then.
func (w *world) release(e *Engine, j *Job, part int, last bool) {
	parts := w.parts[j.Handle]
	e.totals.busy.add(float64(parts[part].count) * (e.now - j.Start))
	w.platform.working -= parts[part].count
	w.platform.ends(j, &parts[part])
	if w.sleep != nil {
		w.sleep.give(j, part, last, e.now)
	}
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
		w.platform.giveLicencesOf(&w.platform.Free, j, parts)
	}
	e.policy.Release(j, part, last)
}

// give gives back the processors and the memory of a part.
func (w *world) give(j *Job, p *Part) {
	w.platform.give(&w.platform.Free, j, p.Shares)
	for k := 0; k < len(p.Shares) && w.names; k++ { // the processors lie on these machines
		s := p.Shares[k]
		w.free[s.Machine].give(w.platform.Machines[s.Machine].within(p.Processors))
	}
}

// Held is what a running job holds, part by part, for policies that plan with it; nil for a job that does not run.
func (e *Engine) Held(j *Job) []Part {
	if !j.Started() {
		return nil
	}
	return e.world.parts[j.Handle]
}
