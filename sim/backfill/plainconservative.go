package backfill

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// conservative is [Conservative] in the plain world.
type conservative struct {
	step       float64 // time from now after which a job that has outlived its estimate is taken to end; 0: the next instant
	processors int     // of the system
	scorer     *scorer // nil: the order of arrival
	most       int     // reservations of queued jobs; 0: no limit

	profile  profile
	ends     ends
	roster   roster     // queued jobs that have reservations
	agenda   agenda     // their reservations; not kept where they are few, see upcoming
	fresh    []int32    // without a limit, jobs that have none yet
	behind   rankedJobs // with a limit, queued jobs that have none
	booked   []booking  // by handle: the reservation of a queued job, what is planned for a running one
	freed    []freed    // by the jobs that ended since the last decision
	frontier frontier
	order    []rankedJob // scratch
	due      []int32     // scratch
	afresh   bool        // a job outlived its estimate: the plan does not hold
}

// booking is what the profile holds for a job.
type booking struct{ start, end float64 }

// freed is the rest of the booking of a job that has ended.
type freed struct {
	end  float64
	size int32
}

// Arrive implements sim.Policy.
func (p *conservative) Arrive(j *sim.Job) {
	for int(j.Handle) >= len(p.booked) {
		p.booked = append(p.booked, booking{})
	}
	p.scorer.arrived(j)
	if p.most == 0 {
		p.fresh = append(p.fresh, j.Handle)
		return
	}
	r := rankedJob{job: j}
	if p.scorer != nil {
		r.priority = p.scorer.score(j.Arrival, j, j.Estimate, int(j.Processors), 0)
	}
	p.behind.push(r)
}

// Release implements sim.Policy.
func (p *conservative) Release(j *sim.Job, _ int, _ bool) {
	p.ends.remove(j.EstimatedEnd, j.Handle)
	p.freed = append(p.freed, freed{p.booked[j.Handle].end, j.Processors})
	p.scorer.ended(j)
}

// Decide implements sim.Policy.
func (p *conservative) Decide(e *sim.Engine) {
	now := e.Now()
	if p.scorer != nil {
		p.rank(e)
	}
	if len(p.profile.pieces) == 0 {
		p.profile.reset(now, int32(p.processors))
		p.frontier.clear(int32(p.processors))
	}
	late := p.ends.earliest() <= now
	for _, f := range p.freed {
		p.afresh = p.afresh || f.end < now
	}
	if late || p.afresh {
		p.rebuild(e)
	} else {
		p.compress(e)
	}
	p.afresh = late
	for _, handle := range p.fresh {
		if e.Stopped() {
			return
		}
		p.enlist(e.Job(handle))
	}
	p.fresh = p.fresh[:0]
	p.admit(e)
	wake := p.launch(e)
	for p.admit(e) { // jobs that start leave their turns to others
		wake = p.launch(e)
	}
	if !late {
		e.Wake(wake)
	}
}

// enlist puts a job behind those that have reservations and gives it one.
func (p *conservative) enlist(j *sim.Job) {
	p.roster.add(rosterJob{j.Estimate, j.Handle, j.Processors})
	p.reserve(&p.roster.jobs[len(p.roster.jobs)-1])
}

// admit gives reservations to the first of the jobs that have none, as far as the limit allows. It says whether one got one.
func (p *conservative) admit(e *sim.Engine) (any bool) {
	if p.most == 0 {
		return false
	}
	p.behind.begin(e.Now())
	for p.roster.live < p.most && !e.Stopped() {
		first, waits := p.behind.head()
		if !waits {
			break
		}
		p.behind.remove(first)
		p.enlist(first.job)
		any = true
	}
	return any
}

// rank sorts the jobs that have reservations, and those that have none yet.
func (p *conservative) rank(e *sim.Engine) {
	p.scorer.begin(e.Now())
	p.order = p.order[:0]
	for _, r := range p.roster.list() {
		p.order = append(p.order, p.scored(e, r.handle))
	}
	slices.SortFunc(p.order, byPriority)
	jobs := make([]rosterJob, len(p.order))
	for k := range p.order {
		j := p.order[k].job
		jobs[k] = rosterJob{j.Estimate, j.Handle, j.Processors}
	}
	p.roster.reset(jobs)
	p.order = p.order[:0]
	for _, handle := range p.fresh {
		p.order = append(p.order, p.scored(e, handle))
	}
	slices.SortFunc(p.order, byPriority)
	for k := range p.order {
		p.fresh[k] = p.order[k].job.Handle
	}
}

// scored is a job with its score.
func (p *conservative) scored(e *sim.Engine, handle int32) rankedJob {
	j := e.Job(handle)
	return rankedJob{p.scorer.score(e.Now(), j, j.Estimate, int(j.Processors), 0), j}
}

// reserve gives a job the earliest reservation at which it fits.
func (p *conservative) reserve(j *rosterJob) {
	at := p.profile.find(p.frontier.before(j.size, j.estimate))
	start := p.profile.earliestFrom(at, j.size, j.estimate, p.step, infinite)
	p.frontier.note(j.size, j.estimate, start)
	b := booking{start, ending(start, j.estimate, p.step)}
	p.booked[j.handle] = b
	p.profile.add(b.start, b.end, -j.size)
	if p.most == 0 {
		p.agenda.add(start, j.handle, j.size)
	}
}

// rebuild makes the plan afresh, with the jobs that have outlived their estimates ending one step from now.
func (p *conservative) rebuild(e *sim.Engine) {
	now := e.Now()
	p.freed = p.freed[:0]
	p.profile.reset(now, int32(p.processors))
	p.agenda.clear()
	p.frontier.clear(int32(p.processors))
	late := after(now, p.step)
	for k := range p.ends.blocks {
		for _, r := range p.ends.blocks[k].entries {
			end := r.end
			if end <= now {
				end = late
			}
			p.booked[r.handle].end = end
			p.profile.add(now, end, -r.size)
		}
	}
	for k := range p.roster.jobs {
		if e.Stopped() {
			return
		}
		if j := &p.roster.jobs[k]; j.estimate >= 0 {
			p.reserve(j)
		}
	}
}

// compress gives back what early ends freed; then each queued job in turn gets the earliest reservation at which it fits now.
func (p *conservative) compress(e *sim.Engine) {
	now := e.Now()
	p.profile.forget(now)
	early := false
	for _, f := range p.freed {
		if f.end > now {
			p.profile.add(now, f.end, f.size)
			p.frontier.freed(&p.profile, now, f.end, f.size)
			early = true
		}
	}
	p.freed = p.freed[:0]
	if !early {
		return
	}
	for k := range p.roster.jobs {
		if e.Stopped() {
			return
		}
		if j := &p.roster.jobs[k]; j.estimate >= 0 {
			p.advance(j)
		}
	}
}

// advance gives a job the earliest reservation at which it fits now, where that is earlier than its own.
func (p *conservative) advance(j *rosterJob) {
	b := p.booked[j.handle]
	// Before the frontier there is no place of the length of the estimate. A shorter one that ends where the old reservation begins, begins less
	// than the estimate before it.
	start, from := 0.0, p.frontier.before(j.size, j.estimate)
	if latest := b.start - j.estimate; from > latest && latest < b.start {
		start = p.profile.back(j.size, b.start)
	} else {
		start = p.profile.earliestFrom(p.profile.find(from), j.size, j.estimate, p.step, b.start)
	}
	p.frontier.note(j.size, j.estimate, start)
	if start == b.start {
		return
	}
	// The old reservation and the new one may overlap: only the difference changes the profile.
	end := ending(start, j.estimate, p.step)
	p.booked[j.handle] = booking{start, end}
	if p.most == 0 {
		p.agenda.remove(b.start, j.handle)
		p.agenda.add(start, j.handle, j.size)
	}
	p.profile.add(start, min(end, b.start), -j.size)
	if freed := max(end, b.start); freed < b.end {
		p.profile.add(freed, b.end, j.size)
		p.frontier.freed(&p.profile, freed, b.end, j.size)
	}
}

// launch starts the jobs whose reservation has come, in queue order. It returns the earliest reservation of the others that fit already; +Inf:
// none.
func (p *conservative) launch(e *sim.Engine) (wake float64) {
	if p.most > 0 {
		p.due = p.upcoming(e.Now(), p.due[:0])
	} else {
		p.due = p.agenda.due(e.Now(), p.due[:0])
		slices.SortFunc(p.due, func(a, b int32) int { return cmp.Compare(p.roster.places[a], p.roster.places[b]) })
	}
	for _, handle := range p.due {
		j := e.Job(handle)
		if int(j.Processors) > e.Free() {
			continue
		}
		if p.most == 0 {
			p.agenda.remove(p.booked[handle].start, handle)
		}
		p.roster.remove(handle)
		e.Start(j)
		p.ends.add(j.EstimatedEnd, handle, j.Processors)
		p.scorer.started(j, int(j.Processors))
	}
	if p.most == 0 {
		return p.agenda.earliest(int32(e.Free()))
	}
	wake = infinite
	for k := range p.roster.jobs {
		if j := &p.roster.jobs[k]; j.estimate >= 0 && int(j.size) <= e.Free() {
			wake = min(wake, p.booked[j.handle].start)
		}
	}
	return wake
}

// upcoming appends the handles of the jobs whose reservations have come, in queue order. To look at all costs less than an agenda where the limit keeps the reservations few and
// many of them move at an instant.
func (p *conservative) upcoming(now float64, handles []int32) []int32 {
	for k := range p.roster.jobs {
		if j := &p.roster.jobs[k]; j.estimate >= 0 && p.booked[j.handle].start <= now {
			handles = append(handles, j.handle)
		}
	}
	return handles
}
