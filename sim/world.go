package sim

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// world is the state of a run: the truth about the jobs, what is free and what came of the jobs so far.
type world struct {
	in       *model.Instance
	platform *Platform
	source   Batches             // of further jobs; nil: none
	specs    Source              // of a trace; nil: it is not one
	requests map[int32]*Request  // of a trace, by processors
	entries  Entries             // the jobs of a run that begins in the middle of another; nil: it does not
	entered  int64               // entries so far
	since    map[int64]Entry     // by number: of those that run already and have not arrived
	order    []int               // jobs in queue order
	place    []int               // of each job in the order
	at       int                 // next in the order
	users    kit.Numbers[string] // by name
	parts    [][]Part            // by handle: parts of the running job
	cut      []Outcome           // by handle: how the running job will end
	free     []processors        // by machine
	sleep    *sleepers           // nil: no machine sleeps by a rule
	local    *localJobs          // nil: no machine has background load
	changes  []float64           // times to come at which machines are closed or opened, or power caps change
	shut     bool                // a job that arrived at the instant was dropped because power caps never let it run: the policy decides all the same

	waits []int32         // by job: predecessors that have not ended
	lost  []bool          // by job: waits for one that will never end
	held  map[int64]int32 // by number: handles of jobs that have arrived and wait for others
	ready []int64         // numbers of the jobs that wait for none any more and may join the queue, ascending

	solution *model.Solution // nil: not kept
	names    bool            // it matters which processors jobs get
}

// simulate runs an instance.
//
// Complexity beside that of the policy: O(log n + machines) a job. Memory: O(n).
func simulate(ctx context.Context, in *model.Instance, policies Discipline, opt Options) (*model.Solution, Totals, error) {
	w := &world{in: in, platform: newPlatform(in, 0, &policies, opt.Seed), order: byArrival(in), solution: &model.Solution{}}
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
	totals, err := w.run(ctx, policies.General, opt)
	if err != nil {
		return nil, totals, err
	}
	return w.solution, totals, nil
}

// run makes the policy and runs it.
func (w *world) run(ctx context.Context, policy func(*Platform, uint64) Policy, opt Options) (Totals, error) {
	w.held, w.users = map[int64]int32{}, kit.Numbers[string]{}
	w.names = opt.Observer != nil || w.requests == nil // nobody sees those of a trace without an observer
	w.free = make([]processors, len(w.platform.Machines))
	for m := range w.free {
		w.free[m].reset(w.platform.Machines[m].Processors)
		if w.platform.Machines[m].Background != nil && w.local == nil {
			w.local = &localJobs{seed: opt.Seed, processors: map[[2]int]*localQueue{}}
		}
	}
	e := &Engine{ctx: ctx, policy: policy(w.platform, opt.Seed), source: w, opt: opt, world: w}
	e.totals.Processors = w.in.Processors()
	e.large = len(w.platform.Machines)+w.platform.Clusters() > largePlatform
	if w.sleep = newSleepers(w.platform); w.sleep != nil {
		e.waking = w.sleep.waking
		if w.platform.nodes != nil {
			w.platform.nodes.awake = func(m int) bool { return w.sleep.awake(m, e.now) }
		}
	}
	w.platform.stopped, w.changes = e.Stopped, w.platform.AllChanges()
	if watcher, ok := opt.Observer.(Watcher); ok {
		watcher.Watch(w.platform, e.policy)
	}
	e.asker, _ = opt.Observer.(Asker)
	err := e.runOpen()
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
	switch {
	case w.entries != nil:
		return w.nextEntry(s), nil
	case w.specs != nil:
		return w.nextSpec(s)
	}
	for w.at == len(w.order) {
		if more, err := w.refill(); !more {
			return false, err
		}
	}
	index := w.order[w.at]
	w.at++
	*s = w.spec(index)
	for _, before := range w.in.Jobs()[index].After {
		s.Request.After = append(s.Request.After, int64(w.place[before]))
	}
	return true, nil
}

// spec is a job of the instance as the engine takes it, without those that it waits for.
func (w *world) spec(index int) Spec {
	j := &w.in.Jobs()[index]
	s := Spec{Arrival: j.Arrival, Estimate: j.Estimate, Processors: int32(j.Min), User: w.users.Of(j.User()), Request: &Request{
		ID: j.ID, Min: j.Min, Max: j.Max, Tasks: j.Tasks, Span: j.Span, Memory: j.Memory, MinBandwidth: j.MinBandwidth,
		Deadline: j.Deadline, DeadlineHard: j.DeadlineHard && j.HasDeadline(), Licences: j.Licences, UserClass: j.UserClass,
		ReferenceSpeed: j.ReferenceSpeed, Stated: !math.IsNaN(j.Estimate), WorkCV: j.WorkCV, Budget: j.Budget, Workflow: j.Workflow,
		in: w.in, index: index,
	}}
	if s.expected = math.NaN(); w.platform != nil && w.platform.alike {
		width, _ := w.in.Width(index, 0)
		s.Processors = int32(width)
		s.expected, s.Runtime = lengthsOn(w.in, index, 0, width, &w.in.Clusters()[0].Machines[0])
	}
	return s
}

// admit says whether a job that arrives joins the queue now.
func (w *world) admit(e *Engine, j *Job) bool {
	in, index := j.Request.in, j.Request.index
	if w.lost != nil && w.lost[index] {
		if retractor, ok := e.policy.(Retractor); ok {
			retractor.Retract(j)
		}
		e.leave(j, Dropped, w.whyLost(index))
		return false
	}
	if w.waits != nil && w.waits[index] > 0 {
		j.state = waiting
		w.held[j.Number] = j.Handle
		return false
	}
	why := ""
	_, finds := e.policy.(Placer)
	for c := range w.in.Clusters() {
		if w.platform.CanRun(j, c) {
			if finds || w.platform.EverFits(j, c, e.now) {
				w.platform.expect(j)
				return true
			}
			why = w.platform.Shut(j, []int{c})
			w.shut = w.shut || why == CapReason
		}
	}
	if _, spreads := e.policy.(Spreader); spreads && w.platform.nodes == nil && in.MustSpread(index) {
		return true
	}
	if retractor, ok := e.policy.(Retractor); ok {
		retractor.Retract(j)
	}
	if why == "" {
		why = in.WhyNowhere(index)
	}
	e.leave(j, Dropped, why)
	return false
}

// change is the next time from which on machines are closed or opened, or a power cap changes; +Inf: there is none. What is not after the present time is forgotten.
func (w *world) change(now float64) float64 {
	for len(w.changes) > 0 && w.changes[0] <= now {
		w.changes = w.changes[1:]
	}
	if len(w.changes) == 0 {
		return math.Inf(1)
	}
	return w.changes[0]
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
		e.join(j)
		if e.Stopped() {
			return
		}
	}
}

// outcome is how a running job ends.
func (w *world) outcome(j *Job) Outcome { return w.cut[j.Handle] }

// left notes what came of a job and returns the reason for people.
func (w *world) left(e *Engine, j *Job, outcome Outcome, reason string) string {
	id := j.Request.ID
	switch outcome {
	case Killed:
		if reason = killedReason(j.Start, e.now); !e.opt.Kill || e.now < j.EstimatedEnd {
			reason = fmt.Sprintf("killed at the end of its time: started at %v, ended at %v", j.Start, e.now)
		}
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
		p.Devices = w.platform.devices(j, parts[0].Shares)
		return p
	}
	for _, part := range parts {
		p.Pieces = append(p.Pieces, model.Piece{Cluster: w.in.Clusters()[part.Cluster].ID, Processors: part.Processors, Tasks: part.Tasks, Start: j.Start, End: part.end,
			Devices: w.platform.devices(j, part.Shares)})
	}
	return p
}
