package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// generalConservative is [Conservative] in the general world. A job for which there is no reservation before its hard deadline is
// dropped.
type generalConservative struct {
	scorer *scorer                // nil: the order of arrival
	tier   func(*sim.Job) float64 // jobs of a higher tier go first; nil: all are of one
	step   float64                // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	most   int                    // reservations of queued jobs; 0: no limit

	platform *sim.Platform
	clusters []int // on which its jobs may run
	plan     timeline
	nodes    *nodePlan // in its place where machines count one by one and nothing else matters; nil: not so
	empty    *sim.Room
	queue    []*sim.Job // that have reservations, in queue order
	fresh    []*sim.Job // that have none
	running  []*sim.Job
	booked   []generalBooking // by handle
	freed    []generalFreed
	order    []waiting // scratch
	afresh   bool      // a job outlived its estimate: the plan does not hold
	wake     float64   // see wakes
}

// generalFreed is what the plan holds for a job that has ended. It keeps a copy of the job, whose handle another job may have by now.
type generalFreed struct {
	job  sim.Job
	slot generalBooking
}

// newGeneralConservative returns a maker of policies for a platform.
func newGeneralConservative(step float64, most int, order Ranking) func(*sim.Platform, uint64) sim.Policy {
	return func(platform *sim.Platform, _ uint64) sim.Policy {
		scorer := newScorerOn(order, platform)
		make := func(clusters []int) *generalConservative {
			p := &generalConservative{scorer: scorer, step: step, most: most, platform: platform, clusters: clusters, plan: timeline{platform: platform, clusters: clusters, changes: platform.AllChanges()}, empty: platform.Empty()}
			if platform.SteadyNodes() {
				p.nodes = newNodePlan(platform, step)
			}
			return p
		}
		queues := platform.Queues()
		if queues == nil {
			return make(all(platform))
		}
		var whole *partitioned
		whole = newPartitioned(platform, queues, most > 0, func(r *region) regional {
			p := make(r.clusters)
			if slices.ContainsFunc(r.queues, func(q *partQueue) bool { return q.tier != r.queues[0].tier }) {
				p.tier = func(j *sim.Job) float64 { return whole.listingOf(j).highest() }
			}
			return p
		})
		return partitionedConservative{whole}
	}
}

// partitionedConservative is [partitioned] of policies that find out themselves whether closed times leave a job a place.
type partitionedConservative struct{ *partitioned }

// FindsPlaces implements sim.Placer.
func (partitionedConservative) FindsPlaces() {}

// Arrive implements sim.Policy.
func (p *generalConservative) Arrive(j *sim.Job) {
	p.enter(j)
	p.scorer.arrived(j)
}

// enter implements regional.
func (p *generalConservative) enter(j *sim.Job) {
	for int(j.Handle) >= len(p.booked) {
		p.booked = append(p.booked, generalBooking{})
	}
	if p.most > 0 && p.scorer == nil && p.tier == nil {
		p.fresh = insertByNumber(p.fresh, j)
	} else {
		p.fresh = append(p.fresh, j)
	}
	if p.nodes != nil {
		p.nodes.arrive(j)
	}
}

// jobs implements regional. All reservations are made afresh by the policy that takes the jobs over.
func (p *generalConservative) jobs() (queued []*sim.Job, running []held) {
	for _, j := range p.running {
		running = append(running, held{j, p.booked[j.Handle]})
	}
	return slices.Concat(p.queue, p.fresh), running
}

// wakes implements regional.
func (p *generalConservative) wakes() float64 { return p.wake }

// goOn implements regional.
func (p *generalConservative) goOn(h held) {
	for int(h.job.Handle) >= len(p.booked) {
		p.booked = append(p.booked, generalBooking{})
	}
	p.booked[h.job.Handle] = h.booking
	p.running, p.afresh = append(p.running, h.job), true
}

// FindsPlaces implements sim.Placer: a moldable job gets the fewest processors that it may hold.
func (p *generalConservative) FindsPlaces() {}

// Release implements sim.Policy.
func (p *generalConservative) Release(j *sim.Job, _ int, last bool) {
	if last {
		p.running = slices.DeleteFunc(p.running, func(other *sim.Job) bool { return other == j })
		p.freed = append(p.freed, generalFreed{*j, p.booked[j.Handle]})
		p.scorer.ended(j)
	}
}

// Decide implements sim.Policy.
func (p *generalConservative) Decide(e *sim.Engine) {
	now := e.Now()
	if p.scorer != nil {
		p.scorer.begin(now)
	}
	if p.scorer != nil || p.tier != nil {
		p.rank(now, p.queue)
		p.rank(now, p.fresh)
	}
	p.open(now)
	late := false
	for _, j := range p.running {
		late = late || j.EstimatedEnd <= now
	}
	for k := range p.freed {
		p.afresh = p.afresh || p.freed[k].slot.end < now
	}
	if late || p.afresh {
		p.rebuild(e)
	} else {
		p.compress(e)
	}
	p.afresh = late
	p.admit(e)
	wake := p.launch(e)
	for p.admit(e) { // jobs that start leave their turns to others
		wake = p.launch(e)
	}
	if p.wake = math.Inf(1); !late {
		p.wake = wake
		e.Wake(wake)
	}
}

// open begins the plan, if that has not been done, and brings it to the present.
func (p *generalConservative) open(now float64) {
	switch {
	case p.nodes != nil && p.nodes.began:
		p.nodes.now = now
	case p.nodes != nil || p.plan.times == nil:
		p.reset(now)
	}
}

// reset frees the whole plan.
func (p *generalConservative) reset(now float64) {
	if p.nodes != nil {
		p.nodes.reset(now)
		return
	}
	p.plan.reset(now, p.empty)
}

// take takes what the booking holds out of the plan.
func (p *generalConservative) take(j *sim.Job, s *generalBooking) {
	if p.nodes != nil {
		p.nodes.take(j, s)
		return
	}
	p.plan.take(j, s)
}

// earliest is the earliest reservation at which the job fits; false: there is none.
func (p *generalConservative) earliest(j *sim.Job) (generalBooking, bool) {
	if p.nodes != nil {
		return p.nodes.earliest(j)
	}
	return p.plan.earliest(j, p.step)
}

// admit gives reservations to the first of the jobs that have none, as far as the limit allows. It says whether one got one.
func (p *generalConservative) admit(e *sim.Engine) (any bool) {
	passed := 0
	for _, j := range p.fresh {
		if p.most > 0 && len(p.queue) == p.most || e.Stopped() {
			break
		}
		passed++
		if !p.reserve(e, j) {
			continue
		}
		any = true
		if p.scorer == nil && p.tier == nil {
			p.queue = insertByNumber(p.queue, j)
		} else {
			p.queue = append(p.queue, j)
		}
	}
	p.fresh = slices.Delete(p.fresh, 0, passed)
	return any
}

// rank sorts jobs by tier and score.
func (p *generalConservative) rank(now float64, jobs []*sim.Job) {
	p.order = p.order[:0]
	for _, j := range jobs {
		w := waiting{job: j}
		if p.scorer != nil {
			w.score = p.scorer.score(now, j, fastest(p.platform, j, p.clusters, p.empty), fewest(p.platform, j, p.clusters), p.platform.UserPriority(j))
		}
		if p.tier != nil {
			w.given = p.tier(j)
		}
		p.order = append(p.order, w)
	}
	slices.SortFunc(p.order, func(a, b waiting) int {
		return cmp.Or(cmp.Compare(b.given, a.given), cmp.Compare(b.score, a.score), cmp.Compare(a.job.Number, b.job.Number))
	})
	for k := range p.order {
		jobs[k] = p.order[k].job
	}
}

// insertByNumber inserts a job into a queue in order of number.
func insertByNumber(queue []*sim.Job, j *sim.Job) []*sim.Job {
	at := len(queue)
	for at > 0 && queue[at-1].Number > j.Number {
		at--
	}
	return slices.Insert(queue, at, j)
}

// reserve gives a job the earliest reservation at which it fits, or drops it; false: dropped.
func (p *generalConservative) reserve(e *sim.Engine, j *sim.Job) bool {
	s, ok := p.earliest(j)
	rigid := j.Request.Min == j.Request.Max // a moldable job gets fewer processors, whose links may be faster
	if !ok && rigid && !(p.platform.ByNode() && p.platform.Mixed()) && dropHopeless(e, p.platform, p.clusters, j, fastest(p.platform, j, p.clusters, p.empty)) {
		return false
	}
	if !ok {
		reason := "no reservation meets its hard deadline"
		if !j.Request.DeadlineHard {
			reason = noTime(p.platform, j, p.clusters)
		}
		e.Drop(j, reason)
		return false
	}
	p.booked[j.Handle] = s
	p.take(j, &s)
	return true
}

// rebuild makes the plan afresh, with the jobs that have outlived their estimates ending one step from now.
func (p *generalConservative) rebuild(e *sim.Engine) {
	now := e.Now()
	p.freed = p.freed[:0]
	p.reset(now)
	for _, j := range p.running {
		s := &p.booked[j.Handle]
		if s.start, s.end = now, j.EstimatedEnd; s.end <= now {
			s.end = after(now, p.step)
		}
		p.take(j, s)
	}
	p.queue = slices.DeleteFunc(p.queue, func(j *sim.Job) bool { return e.Stopped() || !p.reserve(e, j) })
}

// compress gives back what early ends freed; then each queued job in turn gets the earliest reservation at which it fits now.
func (p *generalConservative) compress(e *sim.Engine) {
	if p.nodes != nil {
		p.compressNodes(e)
		return
	}
	now := e.Now()
	p.plan.forget(now)
	early := false
	for k := range p.freed {
		f := &p.freed[k]
		early = early || f.slot.end > now
		p.plan.give(&f.job, &f.slot, now)
	}
	p.freed = p.freed[:0]
	if !early {
		return
	}
	for _, j := range p.queue {
		if e.Stopped() {
			return
		}
		s := &p.booked[j.Handle]
		if s.start < now { // what it waits for ends later than planned, as machines had to wake
			continue
		}
		p.plan.give(j, s, now)
		limit := s.start
		if p.platform.Draws() {
			limit = math.Inf(1)
		}
		if better, ok := p.plan.earliestBefore(j, p.step, limit); ok && better.start < s.start {
			*s = better
		}
		p.plan.take(j, s)
	}
}

// compressNodes is compress in a plan machine by machine.
func (p *generalConservative) compressNodes(e *sim.Engine) {
	early := false
	for k := range p.freed {
		f := &p.freed[k]
		early = early || f.slot.end > e.Now()
		p.nodes.give(&f.job, &f.slot)
	}
	p.freed = p.freed[:0]
	if !early {
		return
	}
	p.nodes.begin()
	for _, j := range p.queue {
		if p.nodes.stays(j.Handle) {
			continue
		}
		s := &p.booked[j.Handle]
		if better, ok := p.nodes.sooner(j, s); ok {
			*s = better
			p.nodes.take(j, s)
		}
	}
}

// launch starts the jobs whose reservation has come. It returns the earliest reservation of the others that fit already; +Inf: none.
func (p *generalConservative) launch(e *sim.Engine) (wake float64) {
	now := e.Now()
	kept := p.queue[:0]
	for _, j := range p.queue {
		if p.nodes != nil && p.nodes.looks[j.Handle].start > now {
			kept = append(kept, j)
			continue
		}
		s := &p.booked[j.Handle]
		if s.start > now || !p.platform.HasRoom(&p.platform.Free, j, s.cluster, s.shares) {
			kept = append(kept, j)
			continue
		}
		e.StartOn(j, sim.Claim{Cluster: s.cluster, Shares: s.shares})
		p.running = append(p.running, j)
		p.scorer.started(j, p.platform.Width(j, s.cluster))
	}
	clear(p.queue[len(kept):])
	p.queue = kept
	wake = math.Inf(1)
	if p.nodes != nil {
		return p.wakeNodes(e)
	}
	for _, j := range kept {
		if e.Stopped() {
			break
		}
		for _, c := range p.clusters {
			var ok bool
			if p.plan.shares, ok = p.platform.Fits(&p.platform.Free, j, c, p.plan.shares[:0]); ok {
				wake = min(wake, p.booked[j.Handle].start)
			}
		}
	}
	return wake
}

// wakeNodes is the earliest reservation of the queued jobs that fit already, in a plan machine by machine; +Inf: none.
func (p *generalConservative) wakeNodes(e *sim.Engine) float64 {
	p.nodes.launch++
	wake := math.Inf(1)
	for _, j := range p.queue {
		if start := p.nodes.looks[j.Handle].start; start < wake && !e.Stopped() && p.nodes.fitsNow(j) {
			wake = start
		}
	}
	return wake
}

// Plan implements sim.Planner.
func (p *generalConservative) Plan(j *sim.Job) sim.Plan {
	if slices.Contains(p.fresh, j) {
		return p.planBehind(j)
	}
	plan := sim.Plan{Reserved: p.booked[j.Handle].start, For: math.NaN()}
	for _, other := range p.queue {
		if other != j && p.booked[other.Handle].start < p.booked[j.Handle].start+j.Estimate && other.Number < j.Number {
			if len(plan.Keeps) == 0 {
				plan.For = p.booked[other.Handle].start
			}
			plan.Keeps = append(plan.Keeps, other)
		}
	}
	return plan
}

// planBehind is the plan for a job that has no reservation: those that have one go first, and those that get theirs before it.
func (p *generalConservative) planBehind(j *sim.Job) sim.Plan {
	plan := sim.Plan{Reserved: math.NaN(), Keeps: slices.Clone(p.queue), For: math.NaN()}
	slices.SortStableFunc(plan.Keeps, func(a, b *sim.Job) int {
		return cmp.Compare(p.booked[a.Handle].start, p.booked[b.Handle].start)
	})
	if len(plan.Keeps) > 0 {
		plan.For = p.booked[plan.Keeps[0].Handle].start
	}
	plan.Keeps = append(plan.Keeps, p.fresh[:slices.Index(p.fresh, j)]...)
	return plan
}
