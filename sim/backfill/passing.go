package backfill

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// Why a policy passes over the job that an observer asks about, found out at the moment at which it does. Nothing of it changes a decision.

// keeper is a queued job with a reservation.
type keeper struct {
	job     *sim.Job
	booking generalBooking
}

// mostTried is the number of reservations of which it is tried whether one alone is in a job's way.
const mostTried = 20

// lacks is why a job cannot start now on one of the clusters, whatever is reserved for others; without a kind: it can.
func lacks(platform *sim.Platform, j *sim.Job, clusters []int, rigid bool) sim.Pass {
	why, late := sim.Pass{Kind: sim.PassRoom, Clusters: clusters, Rigid: rigid}, false
	for _, c := range clusters {
		width := platform.Width(j, c)
		if rigid {
			width = platform.Rigid(j, c)
		}
		if !platform.CanRun(j, c) {
			continue
		}
		if platform.WouldBeLate(j, c, width) {
			late = true
		} else if platform.CouldStart(j, c, width) {
			return sim.Pass{}
		}
	}
	if late {
		why.Kind = sim.PassLate
	}
	return why
}

// behind is why a job waits that comes after another in the queue, behind which the policy does not look.
func behind(other *sim.Job) sim.Pass {
	return sim.Pass{Kind: sim.PassBehind, For: other}
}

// inTheWay says which of the jobs with reservations keeps one from starting that fits what is free: the first of them without whose reservation it would start, else the first beside whose reservation
// alone it would not. starts says whether it would beside some of them.
func inTheWay(keepers []keeper, starts func(beside []keeper) bool) sim.Pass {
	why := sim.Pass{Kind: sim.PassKept}
	var others []keeper
	for k := range keepers[:min(len(keepers), mostTried)] {
		others = append(append(others[:0], keepers[:k]...), keepers[k+1:]...)
		if starts(others) {
			why.For, why.At = keepers[k].job, keepers[k].booking.start
			return why
		}
	}
	for k := range keepers[:min(len(keepers), mostTried)] {
		if !starts(keepers[k : k+1]) {
			why.For, why.At = keepers[k].job, keepers[k].booking.start
			return why
		}
	}
	return why
}

// blank is a plan like t in which nothing runs.
func (t *timeline) blank() *timeline {
	fresh := &timeline{platform: t.platform, empty: t.empty, step: t.step, clusters: t.clusters, changes: t.changes, waking: t.waking, rigid: t.rigid, within: t.within}
	if t.flat != nil {
		fresh.flat = &profile{}
	}
	return fresh
}

// askedOf is the job about which an observer asks, if it waits in this queue; nil: it does not.
func (l *line) askedOf(e *sim.Engine) *waiting {
	j := e.Asked()
	if j == nil || int(j.Handle) >= len(l.places) {
		return nil
	}
	if at := l.places[j.Handle]; at.in != nil && at.block.jobs[at.at].job == j {
		l.look(at.in, at.block)
		w := at.block.jobs[at.at]
		return &w
	}
	return nil
}

// overtaken says whether a job that was looked for after others lies behind one that waits, so that this one was passed over; nil: none was found.
func overtaken(asked *waiting, next *waiting) bool {
	return asked != nil && (next == nil || asked.before(next))
}

// tell tells why a job that an observer asks about is passed over, if the one that comes next lies behind it; nil: it has been told.
func (p *general) tell(e *sim.Engine, asked, next *waiting) *waiting {
	if !overtaken(asked, next) || e.Stopped() {
		return asked
	}
	if asked.job.Queued() {
		p.passedBeside(e, asked.job)
	}
	return nil
}

// tellOf is tell of a job that has been looked at and does not start.
func (p *general) tellOf(e *sim.Engine, asked *waiting, j *sim.Job) *waiting {
	if asked == nil || asked.job != j {
		return asked
	}
	p.passedBeside(e, j)
	return nil
}

// lacks is why a job cannot start now, whatever is reserved for others; without a kind: it can.
func (p *general) lacks(j *sim.Job) sim.Pass {
	if !p.spreads(j) {
		return lacks(p.platform, j, p.clusters, true)
	}
	claims, ok := p.place(&p.platform.Free, j)
	why := sim.Pass{Kind: sim.PassRoom, Rigid: true, Needed: p.spread.sizes[j.Handle], Usable: p.spread.selector.Usable(j)}
	switch {
	case ok && inTime(j, p.platform.Now()+p.platform.EstimateClaims(j, claims)):
		return sim.Pass{}
	case ok:
		why.Kind = sim.PassLate
	}
	return why
}

// passed tells why the policy passes over a job that is not the first in the queue, beside the one reservation.
func (p *general) passed(e *sim.Engine, j *sim.Job) {
	why := p.lacks(j)
	if why.Kind == 0 {
		why = sim.Pass{Kind: sim.PassKept, For: p.plan.job, At: p.plan.shadow}
	}
	e.Pass(why)
}

// passedBeside tells why the policy passes over a job beside the reservations made so far.
func (p *general) passedBeside(e *sim.Engine, j *sim.Job) {
	why := p.lacks(j)
	if why.Kind == 0 && p.platform.Draws() { // to look for a place would draw
		why = sim.Pass{Kind: sim.PassKept}
	}
	if why.Kind == 0 {
		others := slices.DeleteFunc(slices.Clone(p.keepers), func(k keeper) bool { return k.job == j })
		why = inTheWay(others, func(beside []keeper) bool {
			t := p.deep.blank()
			t.reset(e.Now())
			p.takeRunning(t, e)
			for k := range beside {
				t.take(beside[k].job, &beside[k].booking)
			}
			for _, c := range p.clusters {
				if _, ok := t.slotNow(j, c, &p.platform.Free); ok {
					return true
				}
			}
			return false
		})
	}
	e.Pass(why)
}

// passed tells why a job is passed over that waits after the decision.
func (p *generalConservative) passed(e *sim.Engine) {
	j := e.Asked()
	switch {
	case j == nil:
		return
	case slices.Contains(p.fresh, j):
		e.Pass(sim.Pass{Kind: sim.PassLimit, Limit: fmt.Sprintf("reservations=%d, and jobs ahead of it have them", p.most)})
		return
	case int(j.Handle) >= len(p.roster.places):
		return
	}
	if at := p.roster.places[j.Handle]; at < 0 || int(at) >= len(p.roster.jobs) || p.roster.jobs[at].job != j {
		return // another policy serves it
	}
	now, own := e.Now(), p.startOf(j.Handle)
	why := lacks(p.platform, j, p.clusters, false)
	if why.Kind == 0 && own > now && !p.platform.Draws() {
		why = p.kept(e, j)
	}
	if why.Kind == 0 {
		why = sim.Pass{Kind: sim.PassTurn, At: own}
	}
	e.Pass(why)
}

// kept is which reservation is in the way of a job that fits what is free.
func (p *generalConservative) kept(e *sim.Engine, j *sim.Job) sim.Pass {
	now, longest := e.Now(), 0.0
	for m := range p.platform.Machines {
		if c := p.platform.Machines[m].Cluster; p.platform.CanRun(j, c) {
			longest = max(longest, p.platform.Takes(j, m, p.platform.Width(j, c)))
		}
	}
	var keepers []keeper
	for k := range p.roster.jobs {
		if other := p.roster.jobs[k].job; other != nil && other != j && p.booked[other.Handle].start <= now+e.Waking()+longest {
			keepers = append(keepers, keeper{other, p.booked[other.Handle]})
		}
	}
	slices.SortStableFunc(keepers, func(a, b keeper) int { return cmp.Compare(a.booking.start, b.booking.start) })
	starts := func(beside []keeper) bool {
		t := p.timeline()
		t.reset(now)
		for _, runs := range p.running {
			s := p.booked[runs.Handle]
			if s.start, s.end = now, max(s.end, runs.EstimatedEnd); s.end <= now {
				s.end = after(now, p.step)
			}
			t.take(runs, &s)
		}
		for k := range beside {
			s := beside[k].booking
			s.start = max(s.start, now)
			if s.start < s.end {
				t.take(beside[k].job, &s)
			}
		}
		_, ok := t.earliestBefore(j, math.Nextafter(now, math.Inf(1)))
		return ok
	}
	if starts(keepers) {
		return sim.Pass{}
	}
	return inTheWay(keepers, starts)
}

// told tells why a job that has been met in a queue waits, if an observer asks about it.
func (p *joint) told(e *sim.Engine, j *sim.Job, q *partQueue) {
	switch {
	case e.Asked() != j:
	case p.depth > 0:
		p.passedBeside(e, j)
	case q.by != nil && q.by != j:
		e.Pass(behind(q.by))
	default:
		why := p.lacks(j)
		if why.Kind == 0 {
			why = behind(p.keepsFrom(j))
		}
		if why.For == nil && slices.ContainsFunc(p.in.queues, func(q *partQueue) bool { return q.by == j }) { // what it closes as one of a partition it does not get as one of another
			why = sim.Pass{Kind: sim.PassRoom, Clusters: p.clusters, Rigid: true}
		}
		e.Pass(why)
	}
}

// keepsFrom is the first job of a queue that keeps machines from a job that would fit on them; nil: no queue does alone.
func (p *joint) keepsFrom(j *sim.Job) *sim.Job {
	for _, q := range p.in.queues {
		if q.by == nil || q.by == j {
			continue
		}
		p.room.CopyFrom(&p.platform.Free)
		for _, other := range p.in.queues {
			if other != q && other.by != nil {
				other.machines.each(func(m int) { p.room.Shut(m) })
			}
		}
		for _, c := range p.clusters {
			if p.platform.HasPlace(&p.room, j, c, p.platform.Rigid(j, c)) {
				return q.by
			}
		}
	}
	return nil
}

// asked is the job in the queue about which an observer asks; nil: none. What a cycle has said of it stands until the next one.
func (p *slurm) asked(e *sim.Engine) *sim.Job {
	if j := e.Asked(); j != nil && int(j.Handle) < len(p.line) && len(p.line[j.Handle]) > 0 {
		return j
	}
	return nil
}

// pass tells why the main scheduler passes over a job, unless what a cycle has said stands.
func (p *slurm) pass(e *sim.Engine, j *sim.Job, why sim.Pass) {
	if p.stands(j) {
		return
	}
	if lack := p.lacks(j, nil); p.cycled == j.Number+1 && p.said.Kind == sim.PassRoom && lack.Kind == sim.PassRoom { // it still is so, of what is free now
		why = lack
	}
	e.Pass(why)
}

// stands says whether a cycle has said why the job waits, and that is still so.
func (p *slurm) stands(j *sim.Job) bool {
	if p.cycled != j.Number+1 {
		return false
	}
	switch p.said.Kind {
	case sim.PassKept:
		return p.said.For == nil || p.said.For.Queued() && p.lacks(j, nil).Kind == 0
	case sim.PassLimit:
		return p.waiting > 1
	}
	return false
}

// say tells why a cycle passes over a job.
func (p *slurm) say(e *sim.Engine, why sim.Pass) {
	p.said = why
	e.Pass(why)
}

// notReached tells that a scheduler did not come as far as the job.
func (p *slurm) notReached(e *sim.Engine, asked *sim.Job, limit string) {
	if asked != nil && asked.Queued() && !e.Stopped() {
		p.say(e, sim.Pass{Kind: sim.PassLimit, Limit: limit})
	}
}

// told tells why the main scheduler passes over a job: for the sake of another, or, without one, because too little is free.
func (p *slurm) told(e *sim.Engine, j, other *sim.Job) {
	why := behind(other)
	if other == nil {
		if why = p.lacks(j, nil); why.Kind == 0 {
			why = sim.Pass{Kind: sim.PassRoom, Rigid: true}
		}
	}
	p.pass(e, j, why)
}

// lacks is why a job cannot start now on the machines of a queue, or of all its queues, whatever is planned for others; without a kind: it can.
func (p *slurm) lacks(j *sim.Job, of *lineOf) sim.Pass {
	if why := lacks(p.platform, j, p.every, true); why.Kind != 0 {
		return why
	}
	if p.startsAmong(j, of, func(int) bool { return true }) {
		return sim.Pass{}
	}
	return sim.Pass{Kind: sim.PassRoom, Rigid: true}
}

// startsAmong says whether a job could start now on those machines of a queue, or of all its queues, that the function names.
func (p *slurm) startsAmong(j *sim.Job, of *lineOf, among func(machine int) bool) bool {
	in := func(m int) bool {
		if of != nil {
			return of.machines.has(m) && among(m)
		}
		return slices.ContainsFunc(p.line[j.Handle], func(of *lineOf) bool { return of.machines.has(m) }) && among(m)
	}
	for _, c := range p.every {
		if p.platform.CanRun(j, c) && p.platform.CouldStartAmong(j, c, p.platform.Rigid(j, c), in) {
			return true
		}
	}
	return false
}

// closes is the job of another queue whose machines are kept from one that would fit on them; nil: there is none.
func (p *slurm) closes(j *sim.Job, of *lineOf) *sim.Job {
	if p.lacks(j, of).Kind != 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.lines)) {
		other := p.lines[name]
		if other.by == nil || other == of {
			continue
		}
		if p.startsAmong(j, of, func(m int) bool { return other.machines.has(m) || !p.closed.has(m) }) {
			return other.by
		}
	}
	return nil
}

// toldIn tells why a cycle passes over a job that was tested in a queue; without one it was not, as it lacks a licence.
func (p *slurm) toldIn(e *sim.Engine, j *sim.Job, of *lineOf) {
	why, now := p.lacks(j, of), e.Now()
	if why.Kind == 0 {
		longest := 0.0
		for i := range p.options[j.Handle] {
			longest = max(longest, p.options[j.Handle][i].limit)
		}
		var keepers []keeper
		for _, k := range p.keepers {
			from := max(p.rounded(k.booking.start), p.slots.Times[0])
			if to := max(p.rounded(k.booking.end), from+p.Resolution); k.job != j && from < now+longest && to > now {
				keepers = append(keepers, k)
			}
		}
		why = inTheWay(keepers, func(beside []keeper) bool {
			planned := newBitset(len(p.platform.Machines))
			for i := range beside {
				for _, s := range beside[i].booking.shares {
					planned.add(int(s.Machine))
				}
			}
			return p.startsAmong(j, of, func(m int) bool { return !planned.has(m) })
		})
		if len(keepers) == 0 {
			why = sim.Pass{Kind: sim.PassRoom, Rigid: true}
		}
	}
	p.say(e, why)
}
