package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
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

// world is the state of a run in the general world: the truth about the jobs, what is free and what came of the jobs so far.
type world struct {
	in       *model.Instance
	platform *Platform
	source   Batches      // of further jobs; nil: none
	order    []int        // jobs in queue order
	place    []int        // of each job in the order
	at       int          // next in the order
	parts    [][]Part     // by handle: parts of the running job
	cut      []Outcome    // by handle: how the running job will end
	free     []processors // by machine
	local    *localJobs   // nil: no machine has background load

	waits []int32         // by job: predecessors that have not ended
	lost  []bool          // by job: waits for one that will never end
	held  map[int64]int32 // by number: handles of jobs that have arrived and wait for others
	ready []int64         // numbers of the jobs that wait for none any more and may join the queue, ascending

	solution *model.Solution // nil: not kept
}

// simulateGeneral runs an instance in the general world.
//
// Complexity beside that of the policy: O(log n + machines) a job. Memory: O(n).
func simulateGeneral(ctx context.Context, in *model.Instance, policy func(*Platform, uint64) Policy, opt Options) (*model.Solution, Totals, error) {
	w := &world{in: in, platform: newPlatform(in, 0), order: byArrival(in), solution: &model.Solution{}}
	w.solution.Jobs = make([]model.Placement, 0, len(in.Jobs()))
	w.place = make([]int, len(w.order))
	for k, job := range w.order {
		w.place[job] = k
	}
	if in.Features().Has(model.Precedence) {
		w.waits, w.lost = make([]int32, len(w.order)), make([]bool, len(w.order))
		for job := range w.waits {
			w.waits[job] = int32(len(in.Jobs()[job].After))
		}
	}
	totals, err := w.run(ctx, policy, opt)
	if err != nil {
		return nil, totals, err
	}
	return w.solution, totals, nil
}

// run makes the policy and runs it.
func (w *world) run(ctx context.Context, policy func(*Platform, uint64) Policy, opt Options) (Totals, error) {
	w.held = map[int64]int32{}
	w.free = make([]processors, len(w.platform.Machines))
	for m := range w.free {
		w.free[m].reset(w.platform.Machines[m].Processors)
		if w.platform.Machines[m].Background != nil && w.local == nil {
			w.local = &localJobs{seed: opt.Seed, processors: map[[2]int]*localQueue{}}
		}
	}
	e := &Engine{ctx: ctx, policy: policy(w.platform, opt.Seed), source: w, opt: opt, world: w}
	e.totals.Processors = w.in.Processors()
	if watcher, ok := opt.Observer.(Watcher); ok {
		watcher.Watch(w.platform, e.policy)
	}
	err := e.run()
	return e.totals, err
}

// byArrival lists the jobs in queue order: by arrival, those of one arrival in the order of the instance.
func byArrival(in *model.Instance) []int {
	order := make([]int, len(in.Jobs()))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	return order
}

// Next implements Source.
func (w *world) Next(s *Spec) (bool, error) {
	for w.at == len(w.order) {
		if more, err := w.refill(); !more {
			return false, err
		}
	}
	index := w.order[w.at]
	w.at++
	j := &w.in.Jobs()[index]
	*s = Spec{Arrival: j.Arrival, Estimate: j.Estimate, Processors: int32(j.Min), Request: &Request{
		ID: j.ID, Min: j.Min, Max: j.Max, Tasks: j.Tasks, Span: j.Span, Memory: j.Memory, MinBandwidth: j.MinBandwidth,
		Deadline: j.Deadline, DeadlineHard: j.DeadlineHard && j.HasDeadline(), Licences: j.Licences, UserClass: j.UserClass,
		ReferenceSpeed: j.ReferenceSpeed, Stated: !math.IsNaN(j.Estimate), WorkCV: j.WorkCV, Budget: j.Budget, Workflow: j.Workflow,
		in: w.in, index: index,
	}}
	for _, before := range j.After {
		s.Request.After = append(s.Request.After, int64(w.place[before]))
	}
	return true, nil
}

// admit says whether a job that arrives joins the queue now.
func (w *world) admit(e *Engine, j *Job) bool {
	in, index := j.Request.in, j.Request.index
	if w.lost != nil && w.lost[index] {
		e.leave(j, Dropped, w.whyLost(index))
		return false
	}
	if w.waits != nil && w.waits[index] > 0 {
		j.state = waiting
		w.held[j.Number] = j.Handle
		return false
	}
	for c := range w.in.Clusters() {
		if in.CanRun(index, c) {
			return true
		}
	}
	e.leave(j, Dropped, plan.WhyNowhere(in, index))
	return false
}

// whyLost is the reason of a job that waits for a job that will never end.
func (w *world) whyLost(index int) string {
	for _, before := range w.in.Jobs()[index].After {
		if w.lost[before] {
			return fmt.Sprintf("waits for job %s, which is not placed", w.in.Jobs()[before].ID)
		}
	}
	return "waits for a job that is not placed"
}

// joinReady lets those jobs join the queue whose predecessors have all ended.
func (w *world) joinReady(e *Engine) {
	for len(w.ready) > 0 {
		number := w.ready[0]
		w.ready = w.ready[1:]
		handle, ok := w.held[number]
		if !ok {
			continue // it has not arrived yet
		}
		delete(w.held, number)
		j := e.jobs.at(handle)
		if !w.admit(e, j) {
			continue
		}
		j.state = queued
		e.queued++
		e.policy.Arrive(j)
	}
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

// outcome is how a running job ends.
func (w *world) outcome(j *Job) Outcome { return w.cut[j.Handle] }

// Held is what a running job holds, part by part, for policies that plan with it.
func (e *Engine) Held(j *Job) []Part { return e.world.parts[j.Handle] }

// Shares are the processors of the part by machine.
func (p *Part) Shares() []Share { return p.shares }

// left notes what came of a job and returns the reason for people.
func (w *world) left(e *Engine, j *Job, outcome Outcome, reason string) string {
	id := j.Request.ID
	switch outcome {
	case Killed:
		reason = killedReason(j.Start, e.now)
	case MissedHard:
		reason = fmt.Sprintf("ended at its hard deadline %v, which it had not met: started at %v", j.Request.Deadline, j.Start)
	}
	switch {
	case w.solution == nil:
	case outcome == Finished:
		w.solution.Jobs = append(w.solution.Jobs, w.placement(j))
	default:
		w.solution.Unscheduled = append(w.solution.Unscheduled, model.Unscheduled{Job: id, Reason: reason})
	}
	if w.waits != nil {
		w.leftFor(j.Request.index, outcome == Finished)
	}
	return reason
}

// leftFor tells the successors of a job that it has left.
func (w *world) leftFor(index int, finished bool) {
	w.lost[index] = !finished
	for _, next := range w.in.Successors(index) {
		w.waits[next]--
		w.lost[next] = w.lost[next] || !finished
		if w.waits[next] == 0 || w.lost[next] {
			w.enlist(int64(w.place[next]))
		}
	}
}

// enlist adds a job to the ready ones and keeps them in queue order.
func (w *world) enlist(number int64) {
	at := len(w.ready)
	for at > 0 && w.ready[at-1] > number {
		at--
	}
	w.ready = append(w.ready, 0)
	copy(w.ready[at+1:], w.ready[at:])
	w.ready[at] = number
}

// placement is the job as the solution has it.
func (w *world) placement(j *Job) model.Placement {
	parts := w.parts[j.Handle]
	p := model.Placement{Job: j.Request.ID, Start: j.Start}
	for k := range parts {
		p.End = max(p.End, parts[k].end)
	}
	if len(parts) == 1 {
		p.Cluster, p.Processors = w.in.Clusters()[parts[0].Cluster].ID, parts[0].Processors
		return p
	}
	for _, part := range parts {
		p.Pieces = append(p.Pieces, model.Piece{Cluster: w.in.Clusters()[part.Cluster].ID, Processors: part.Processors, Tasks: part.Tasks, Start: j.Start, End: part.end})
	}
	return p
}
