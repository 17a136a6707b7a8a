package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// availability is what is planned to be free over time, from now on.
type availability interface {
	// open brings the plan to the present. It begins it where nothing has begun it.
	open(now float64)
	// reset frees everything from now on.
	reset(now float64)
	// join tells of a job that joins the queue.
	join(j *sim.Job)
	// take takes what the booking holds out of the plan.
	take(j *sim.Job, s *generalBooking)
	// earliest is the earliest booking at which the job fits; ties go to the earliest end, then to the first cluster. It returns false where no booking keeps the job's hard deadline.
	earliest(j *sim.Job) (generalBooking, bool)
	// end puts back what the booking of a job that has ended holds from now on.
	end(j *sim.Job, s *generalBooking)
	// improve begins a pass in which each booking of a queued job that can begin earlier does.
	improve()
	// advance gives a queued job the earliest booking at which it fits now, where that begins earlier than its own.
	advance(j *sim.Job, s *generalBooking)
}

// generalConservative is [Conservative]. A job for which there is no reservation before its hard deadline is
// dropped.
type generalConservative struct {
	scorer *scorer                // nil: the order of arrival
	tier   func(*sim.Job) float64 // jobs of a higher tier go first; nil: all are of one
	step   float64                // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	most   int                    // reservations of queued jobs; 0: no limit

	platform *sim.Platform
	clusters []int // on which its jobs may run
	plan     availability
	nodes    *nodePlan // the plan, where machines count one by one and nothing else matters; else nil
	flat     *flatPlan // the plan, where only the number of processors matters; else nil
	empty    *sim.Room
	roster   roster     // queued jobs that have reservations, in queue order
	fresh    []*sim.Job // that have none
	running  []*sim.Job // by estimated end, then number
	shares   []sim.Share
	due      []int32          // scratch
	booked   []generalBooking // by handle
	freed    []generalFreed
	order    []waiting // scratch
	afresh   bool      // a job outlived its estimate: the plan does not hold
	handed   bool      // the bookings are those of other policies, and not yet in the plan
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
			p := &generalConservative{scorer: scorer, step: step, most: most, platform: platform, clusters: clusters, empty: platform.Empty()}
			switch {
			case platform.SteadyNodes():
				p.nodes = newNodePlan(platform, step)
				p.plan = p.nodes
			case platform.Flat():
				p.flat = &flatPlan{platform: platform, step: step, indexed: most == 0}
				p.plan = p.flat
			default:
				p.plan = p.timeline()
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

// timeline is a plan of the platform, not yet begun.
func (p *generalConservative) timeline() *timeline {
	return &timeline{platform: p.platform, clusters: p.clusters, changes: p.platform.AllChanges(), empty: p.empty, step: p.step}
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

// enter puts a job into the queue.
func (p *generalConservative) enter(j *sim.Job) {
	p.book(held{job: j})
	if p.most > 0 && p.scorer == nil && p.tier == nil {
		p.fresh = insertByNumber(p.fresh, j)
	} else {
		p.fresh = append(p.fresh, j)
	}
	p.plan.join(j)
}

// hand implements regional.
func (p *generalConservative) hand() (h handed) {
	for _, j := range p.running {
		h.running = append(h.running, held{job: j, booking: p.booked[j.Handle]})
	}
	for _, j := range p.roster.list() {
		h.queued = append(h.queued, held{j, p.booked[j.Handle], true})
	}
	for _, j := range p.fresh {
		h.queued = append(h.queued, held{job: j})
	}
	h.freed, h.afresh = p.freed, p.afresh
	return h
}

// wakes implements regional.
func (p *generalConservative) wakes() float64 { return p.wake }

// takeOver implements regional. No job loses its reservation: the regions had nothing in common, so their plans fit together.
func (p *generalConservative) takeOver(h handed) {
	for _, r := range h.running {
		p.book(r)
		p.running = insertByEnd(p.running, r.job)
	}
	for _, q := range h.queued {
		if !q.promised {
			p.enter(q.job)
			continue
		}
		p.book(q)
		p.plan.join(q.job)
		p.roster.add(q.job)
	}
	p.freed, p.afresh, p.handed = h.freed, h.afresh, true
}

// book notes what the plan is to hold for a job, which may be nothing yet.
func (p *generalConservative) book(h held) {
	for int(h.job.Handle) >= len(p.booked) {
		p.booked = append(p.booked, generalBooking{})
	}
	p.booked[h.job.Handle] = h.booking
}

// restore makes the plan that of the policies from which this one took over.
func (p *generalConservative) restore(now float64) {
	p.plan.reset(now)
	take := func(j *sim.Job, s *generalBooking) {
		if s.start = max(s.start, now); s.end > now {
			p.plan.take(j, s)
		}
	}
	for k := range p.freed {
		take(&p.freed[k].job, &p.freed[k].slot)
	}
	for _, j := range p.running {
		take(j, &p.booked[j.Handle])
	}
	for _, j := range p.roster.list() {
		take(j, &p.booked[j.Handle])
		if p.nodes != nil {
			p.nodes.seen(j, &p.booked[j.Handle])
		}
	}
	if p.nodes != nil {
		p.nodes.missed()
	}
}

// FindsPlaces implements sim.Placer: a moldable job gets the fewest processors that it may hold.
func (p *generalConservative) FindsPlaces() {}

// Release implements sim.Policy.
func (p *generalConservative) Release(j *sim.Job, _ int, last bool) {
	if last {
		p.running = deleteByEnd(p.running, j)
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
		p.roster.reset(p.rank(now, p.roster.list()))
		p.rank(now, p.fresh)
	}
	p.plan.open(now)
	late := len(p.running) > 0 && p.running[0].EstimatedEnd <= now
	for k := range p.freed {
		p.afresh = p.afresh || p.freed[k].slot.end < now
	}
	switch {
	case late || p.afresh:
		p.rebuild(e)
	case p.handed:
		p.restore(now)
		fallthrough
	default:
		p.compress(e)
	}
	p.afresh, p.handed = late, false
	p.admit(e)
	wake := p.launch(e)
	for p.admit(e) { // jobs that start leave their turns to others
		wake = p.launch(e)
	}
	p.passed(e)
	if p.wake = math.Inf(1); !late {
		p.wake = wake
		e.Wake(wake)
	}
}

// admit gives reservations to the first of the jobs that have none, as far as the limit allows. It says whether one got one.
func (p *generalConservative) admit(e *sim.Engine) (any bool) {
	passed := 0
	for _, j := range p.fresh {
		if p.most > 0 && p.roster.live == p.most || e.Stopped() {
			break
		}
		passed++
		if !p.reserve(e, j) {
			continue
		}
		any = true
		if p.scorer == nil && p.tier == nil {
			p.roster.insert(j)
		} else {
			p.roster.add(j)
		}
	}
	clear(p.fresh[:passed])
	p.fresh = p.fresh[passed:]
	return any
}

// rank sorts jobs by tier and score, and returns them.
func (p *generalConservative) rank(now float64, jobs []*sim.Job) []*sim.Job {
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
	return jobs
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
	s, ok := p.plan.earliest(j)
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
	p.plan.take(j, &s)
	return true
}

// rebuild makes the plan afresh, with the jobs that have outlived their estimates ending one step from now.
func (p *generalConservative) rebuild(e *sim.Engine) {
	now := e.Now()
	p.freed = p.freed[:0]
	p.plan.reset(now)
	for _, j := range p.running {
		s := &p.booked[j.Handle]
		if s.start, s.end = now, j.EstimatedEnd; s.end <= now {
			s.end = after(now, p.step)
		}
		p.plan.take(j, s)
	}
	for k := range p.roster.jobs {
		if e.Stopped() {
			return
		}
		if j := p.roster.jobs[k].job; j != nil && !p.reserve(e, j) {
			p.roster.remove(k)
		}
	}
}

// compress gives back what early ends freed; then each queued job in turn gets the earliest reservation at which it fits now.
func (p *generalConservative) compress(e *sim.Engine) {
	early := false
	for k := range p.freed {
		f := &p.freed[k]
		early = early || f.slot.end > e.Now()
		p.plan.end(&f.job, &f.slot)
	}
	p.freed = p.freed[:0]
	if !early {
		return
	}
	p.plan.improve()
	for k := range p.roster.jobs {
		if e.Stopped() {
			return
		}
		if j := p.roster.jobs[k].job; j != nil && p.booked[j.Handle].start >= e.Now() { // else what it waits for ends later than planned, as machines had to wake
			p.plan.advance(j, &p.booked[j.Handle])
		}
	}
}

// comes lists the places of the jobs whose reservation has come, in queue order.
func (p *generalConservative) comes(now float64) []int32 {
	p.due = p.due[:0]
	if p.flat != nil && p.flat.indexed {
		p.due = p.flat.agenda.due(now, p.due)
		for k, handle := range p.due {
			p.due[k] = p.roster.places[handle]
		}
		slices.Sort(p.due)
		return p.due
	}
	for k := range p.roster.jobs {
		if r := &p.roster.jobs[k]; r.job != nil && p.startOf(r.handle) <= now {
			p.due = append(p.due, int32(k))
		}
	}
	return p.due
}

// startOf is when the reservation of a queued job begins.
func (p *generalConservative) startOf(handle int32) float64 {
	if p.nodes != nil {
		return p.nodes.looks[handle].start
	}
	return p.booked[handle].start
}

// launch starts the jobs whose reservation has come. It returns the earliest reservation of the others that fit already; +Inf: none.
func (p *generalConservative) launch(e *sim.Engine) (wake float64) {
	for _, at := range p.comes(e.Now()) {
		j := p.roster.jobs[at].job
		s := &p.booked[j.Handle]
		if !p.platform.HasRoom(&p.platform.Free, j, s.cluster, s.shares) {
			continue
		}
		if p.roster.remove(int(at)); p.flat != nil {
			p.flat.leave(j, s)
		}
		e.StartOn(j, sim.Claim{Cluster: s.cluster, Shares: s.shares})
		p.running = insertByEnd(p.running, j)
		p.scorer.started(j, p.platform.Width(j, s.cluster))
	}
	p.roster.tidy()
	if p.flat != nil && p.flat.indexed {
		return p.flat.agenda.earliest(p.platform.Free.Processors[0])
	}
	if p.nodes != nil {
		p.nodes.launch++
	}
	wake = math.Inf(1)
	for k := range p.roster.jobs {
		if r := &p.roster.jobs[k]; r.job != nil && p.startOf(r.handle) < wake && !e.Stopped() && p.fitsNow(r.job) {
			wake = p.startOf(r.handle)
		}
	}
	return wake
}

// fitsNow says whether a job fits what is free.
func (p *generalConservative) fitsNow(j *sim.Job) bool {
	if p.nodes != nil {
		return p.nodes.fitsNow(j)
	}
	fits := false
	for _, c := range p.clusters {
		var ok bool
		p.shares, ok = p.platform.Fits(&p.platform.Free, j, c, p.shares[:0])
		fits = fits || ok
	}
	return fits
}

// Reserved implements sim.Reserver.
func (p *generalConservative) Reserved(j *sim.Job) float64 {
	if slices.Contains(p.fresh, j) {
		return math.NaN()
	}
	return p.booked[j.Handle].start
}
