package backfill

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// startInOrder is the main scheduler. It looks at the whole queue, or only as far as its depth goes.
func (p *slurm) startInOrder(e *sim.Engine, whole bool) {
	clear(p.closed)
	clear(p.homes)
	for _, of := range p.lines {
		of.by = nil
	}
	left, asked := p.Depth, p.asked(e)
	for k := 0; p.sorted(k); k++ {
		j := p.queue[k]
		if j == nil {
			continue
		}
		if left--; left < 0 && !whole || e.Stopped() {
			if asked != nil && asked.Queued() && !e.Stopped() {
				p.pass(e, asked, sim.Pass{Kind: sim.PassLimit, Limit: fmt.Sprintf("depth=%d (default_queue_depth)", p.Depth)})
			}
			return
		}
		home := p.platform.Needs(j).Reservation
		if p.lacksLicence(j, nil) || p.homes[home] != nil {
			if asked == j {
				p.told(e, j, p.homes[home])
				asked = nil
			}
			continue
		}
		tested, starts := false, false
		for _, of := range p.line[j.Handle] {
			if of.by != nil {
				continue
			}
			tested = true
			copy(p.avail, of.machines)
			p.avail.without(p.closed)
			if p.avail.count() >= max(1, p.platform.Needs(j).MinMachines) { // else it is not tested
				p.weigh(j, of, heaviest)
				if starts = p.startNow(e, k, of); starts {
					break
				}
				p.weigh(j, of, weightOf(p.platform, j))
				if home != "" {
					p.homes[home] = j
					continue
				}
			}
			if of.by = j; asked == j {
				p.told(e, j, p.closes(j, of))
				asked = nil
			}
			p.closed.join(of.machines)
			if p.short {
				p.keepPower(j)
			}
		}
		if tested && !starts && len(p.release.ends) == 0 {
			p.startIdle(e, k)
		}
		if asked == j && !tested {
			p.told(e, j, p.line[j.Handle][len(p.line[j.Handle])-1].by)
			asked = nil
		}
		if p.allClosed() {
			break
		}
	}
	if asked != nil && asked.Queued() && !e.Stopped() {
		p.told(e, asked, p.line[asked.Handle][len(p.line[asked.Handle])-1].by)
	}
}

// weigh gives the machines that the job could use in the queue a weight. They are all equal when the main scheduler begins to test a job, or a job is to start. A test for a job that
// needs devices, by either scheduler, leaves a weight on each machine that is available and has the devices at the time that is looked at last, the less, the more devices the job needs; one that fails in
// the main scheduler is repeated with all machines as if nothing ran. Machines of less weight come first. Weights stay until the next test: so they also rule where jobs go that need no devices.
func (p *slurm) weigh(j *sim.Job, of *lineOf, weight int32) {
	if !p.weighs {
		return
	}
	for c := range p.every {
		mask := p.mask(j, c)
		for w, word := range of.machines {
			for word &= mask[w]; word != 0; word &= word - 1 {
				p.weights[w<<6+bits.TrailingZeros64(word)] = weight
			}
		}
	}
}

// allClosed says whether all queues are closed in which jobs wait.
func (p *slurm) allClosed() bool {
	for _, of := range p.lines {
		if of.waiting > 0 && of.by == nil {
			return false
		}
	}
	return true
}

// lacksLicence says whether too few copies of a licence are free for the job, wherever it can run. Some licences do not count.
func (p *slurm) lacksLicence(j *sim.Job, but []bool) bool {
	if len(j.Request.Licences) == 0 {
		return false
	}
	for i := range p.options[j.Handle] {
		if p.platform.ShortOfBut(but, &p.platform.Free, j, p.options[j.Handle][i].cluster) < 0 {
			return false
		}
	}
	return true
}

// startNow starts the job of place k of the queue on machines of queues that are not closed, on the cluster on which it ends first; false: it does not fit.
func (p *slurm) startNow(e *sim.Engine, k int, of *lineOf) bool {
	j, now, best := p.queue[k], e.Now(), jobPlan{end: math.Inf(1)}
	p.short = false
	for i := range p.options[j.Handle] {
		o := &p.options[j.Handle][i]
		c := o.cluster
		if p.platform.ShortOf(&p.platform.Free, j, c) >= 0 {
			continue
		}
		p.fits.begin(p, o.need)
		p.open(j, of, c, now)
		p.avail.without(p.closed)
		var shares []sim.Share
		ok := p.fits.now(p)
		if ok {
			shares, ok = p.sharesNow(j, c)
			p.short = p.short || !ok && p.power != nil && p.power[c] != nil
		}
		if !ok && (p.mayShare(j) || len(p.levelsOf(j, c)) > 0) {
			copy(p.avail, of.machines)
			p.avail.without(p.closed)
			shares, ok = p.platform.FitsAmong(&p.platform.Free, j, c, o.need.width, p.avail.has, nil)
		}
		if ok {
			if end := now + p.platform.Estimate(j, c, shares); end < best.end {
				best = jobPlan{start: now, end: end, cluster: c, shares: shares}
			}
		}
	}
	if best.shares != nil {
		p.start(e, k, &best)
	}
	return best.shares != nil
}

// startIdle starts the job of place k of the queue, while nothing runs, on the cluster on which it ends first, wherever it fits there; false: it does not fit.
func (p *slurm) startIdle(e *sim.Engine, k int) bool {
	j, now, best := p.queue[k], e.Now(), jobPlan{end: math.Inf(1)}
	for i := range p.options[j.Handle] {
		c := p.options[j.Handle][i].cluster
		if shares, ok := p.platform.FitsOn(&p.platform.Free, j, c, p.platform.Rigid(j, c), nil); ok {
			if end := now + p.platform.Estimate(j, c, shares); end < best.end {
				best = jobPlan{start: now, end: end, cluster: c, shares: shares}
			}
		}
	}
	if best.shares == nil {
		return false
	}
	p.start(e, k, &best)
	return true
}

// mayShare says whether the job may find a place although a machine of it, were all others like it, would close before the job ends, or make it miss its hard deadline: faster ones take tasks from it.
func (p *slurm) mayShare(j *sim.Job) bool {
	return (j.Request.DeadlineHard || len(p.changes) > 0) && p.platform.Mixed()
}

// open makes the machines of the job's queue available that are open to the job from the start until its estimated end, and fast enough for its hard
// deadline: where speeds differ, slow machines must not stand in the way of others on which it ends in time.
func (p *slurm) open(j *sim.Job, of *lineOf, cluster int, start float64) {
	copy(p.avail, of.machines)
	p.avail.meet(p.all[cluster])
	closes, hurries := len(p.changes) > 0, j.Request.DeadlineHard && p.platform.Mixed()
	if !closes && !hurries {
		return
	}
	first, last := p.platform.MachinesOf(cluster)
	for m := first; m < last; m++ {
		if !p.avail.has(m) {
			continue
		}
		end := start + p.platform.Takes(j, m, p.fits.width)
		if hurries && !inTime(j, end) || closes && !p.platform.OpenTo(j, m, start, end) {
			p.avail.remove(m)
		}
	}
}

// atHome makes the machines available that are reserved for the job at the time, however long it runs: so Slurm plans the jobs of a reservation.
func (p *slurm) atHome(j *sim.Job, of *lineOf, cluster int, at float64) {
	copy(p.avail, of.machines)
	p.avail.meet(p.all[cluster])
	p.avail.each(func(m int) {
		if !p.platform.OpenAt(j, m, at) {
			p.avail.remove(m)
		}
	})
}

// reopened is when to look again for a job that machines of its queue are closed to between the times: a second after the first of them is open again, raised to a
// multiple of the resolution, or for a job of a reservation when that begins. +Inf: none is.
func (p *slurm) reopened(j *sim.Job, of *lineOf, cluster int, from, until float64) float64 {
	at, home := math.Inf(1), p.platform.Needs(j).Reservation
	if len(p.changes) == 0 {
		return at
	}
	first, last := p.platform.MachinesOf(cluster)
	for m := first; m < last; m++ {
		if !of.machines.has(m) {
			continue
		}
		for _, c := range p.platform.ClosedOf(m) {
			switch {
			case home != "" && c.For == home && c.From > from:
				at = min(at, c.From)
			case home == "" && c.From < until && c.To > from:
				at = min(at, math.Ceil((c.To+p.phase)/p.Resolution)*p.Resolution-p.phase+p.second)
			}
		}
	}
	return at
}

// sharesNow is what the job would hold if it started now on the machines that were found, with its devices. Under another rule than the first the rule chooses
// among all machines that are available.
func (p *slurm) sharesNow(j *sim.Job, cluster int) ([]sim.Share, bool) {
	among := p.avail
	if p.platform.TakesFirst() {
		among = p.machinesOf(p.fits.shares)
	}
	return p.platform.FitsAmong(&p.platform.Free, j, cluster, p.fits.width, among.has, nil)
}

// machinesOf is the machines of the shares, until it is called again.
func (p *slurm) machinesOf(shares []sim.Share) bitset {
	clear(p.taken)
	for _, s := range shares {
		p.taken.add(int(s.Machine))
	}
	return p.taken
}

// start starts the job of place k of the queue.
func (p *slurm) start(e *sim.Engine, k int, plan *jobPlan) {
	j := p.queue[k]
	e.StartOn(j, sim.Claim{Cluster: plan.cluster, Shares: plan.shares})
	p.scorer.started(j, p.platform.Rigid(j, plan.cluster))
	p.release.begin(j, plan.shares)
	p.takePower(j, plan.shares, e.Now(), max(e.Now(), j.EstimatedEnd))
	p.changed = true
	p.leave(k)
}

// leave takes the job of place k out of the queue.
func (p *slurm) leave(k int) {
	if j := p.queue[k]; j.Request.DeadlineHard || len(p.changes) > 0 {
		p.hard = slices.DeleteFunc(p.hard, func(h hardJob) bool { return h.job == j })
	}
	for _, of := range p.line[p.queue[k].Handle] {
		of.waiting--
	}
	p.queue[k] = nil
	p.gaps++
	p.waiting--
}

// backfill is a cycle.
func (p *slurm) backfill(e *sim.Engine) {
	now := e.Now()
	p.slots.reset(p.rounded(now), p.rounded(now+p.Window), p.free)
	p.planPower(now)
	p.cycle++
	p.soonest = math.Inf(1)
	clear(p.users)
	for _, of := range p.lines {
		of.tests = 0
	}
	tests, asked := 0, p.asked(e)
	if p.keepers = p.keepers[:0]; asked != nil {
		p.cycled = asked.Number + 1
	}
	for k := 0; p.sorted(k); k++ {
		j := p.queue[k]
		if j == nil || p.lacksLicence(j, p.limits) {
			if j != nil && asked == j {
				p.toldIn(e, j, nil)
				asked = nil
			}
			continue
		}
		for _, of := range p.line[j.Handle] {
			if limit := p.mayTest(j, of); limit != "" {
				if asked == j {
					p.say(e, sim.Pass{Kind: sim.PassLimit, Limit: limit})
				}
				continue
			}
			if tests++; tests > p.Tests || e.Stopped() {
				p.notReached(e, asked, fmt.Sprintf("tests=%d (bf_max_job_test)", p.Tests))
				return
			}
			if p.test(e, k, of) {
				break
			} else if asked == j {
				p.toldIn(e, j, of)
			}
		}
		if asked == j {
			asked = nil
		}
	}
}

// test plans the job of place k in one of its queues, on the cluster on which it can start first, and says whether it starts.
func (p *slurm) test(e *sim.Engine, k int, of *lineOf) (starts bool) {
	j, now, best := p.queue[k], e.Now(), jobPlan{start: math.Inf(1)}
	for i := range p.options[j.Handle] {
		o := &p.options[j.Handle][i]
		if p.platform.ShortOfBut(p.limits, &p.platform.Free, j, o.cluster) >= 0 {
			continue
		}
		if plan, ok := p.plan(e, j, of, o); ok && (plan.start < best.start || plan.start == best.start && plan.end < best.end) {
			best = plan
		}
	}
	if math.IsInf(best.start, 1) && p.mayShare(j) {
		best = p.shareNow(j, of, now)
	}
	switch {
	case best.start <= now && best.shares == nil: // a limit keeps it waiting
	case best.start <= now:
		p.start(e, k, &best)
		return true
	case !math.IsInf(best.start, 1):
		p.keep(j, &best, now)
	}
	return false
}

// shareNow is how a job for which no plan was found can start now on machines without plans, where faster ones take tasks from slower ones. If it cannot, the start is +Inf.
func (p *slurm) shareNow(j *sim.Job, of *lineOf, now float64) jobPlan {
	best := jobPlan{start: math.Inf(1), end: math.Inf(1)}
	for i := range p.options[j.Handle] {
		o := &p.options[j.Handle][i]
		copy(p.taken, of.machines)
		p.taken.meet(p.all[o.cluster])
		p.slots.common(now, now+o.limit, p.taken, p.avail)
		if shares, ok := p.platform.FitsAmong(&p.platform.Free, j, o.cluster, o.need.width, p.avail.has, nil); ok {
			if _, keeps := p.keepsPower(j, o.cluster, shares, now); !keeps {
				continue
			}
			if end := now + p.platform.Estimate(j, o.cluster, shares); end < best.end {
				best = jobPlan{start: now, end: end, cluster: o.cluster, shares: shares}
			}
		}
	}
	if best.shares != nil {
		p.weigh(j, of, heaviest)
	}
	return best
}

// mayTest counts a test of the job, unless there were as many as its user or its queue may have: then it returns the limit, for people.
func (p *slurm) mayTest(j *sim.Job, of *lineOf) (limit string) {
	if p.TestsQueue != nil && of.tests >= *p.TestsQueue {
		return fmt.Sprintf("tests_queue=%d (bf_max_job_part)", *p.TestsQueue)
	}
	if p.TestsUser != nil && j.User > 0 {
		for int(j.User) >= len(p.users) {
			p.users = append(p.users, 0)
		}
		if p.users[j.User] >= *p.TestsUser {
			return fmt.Sprintf("tests_user=%d (bf_max_job_user)", *p.TestsUser)
		}
		p.users[j.User]++
	}
	of.tests++
	return ""
}

// rounded is the time rounded down to a multiple of the resolution, by the clock.
func (p *slurm) rounded(at float64) float64 {
	return math.Floor((at+p.phase)/p.Resolution)*p.Resolution - p.phase
}

// plan finds the start of a job on the cluster; see [Slurm].
func (p *slurm) plan(e *sim.Engine, j *sim.Job, of *lineOf, o *option) (plan jobPlan, ok bool) {
	p.fits.begin(p, o.need)
	s, first := p.firstLook(j, of, o, e.Now())
	for next := 0.0; !e.Stopped(); s = next {
		if plan, next, ok = p.planFrom(j, of, o.cluster, e.Now(), s, o.limit, s < first); ok || next == 0 {
			return plan, ok
		}
	}
	return jobPlan{}, false
}

// firstLook is a time from which on to look for a plan: looks from before for sure find none, and would not weigh any machine anew. Those from before first only may weigh machines.
func (p *slurm) firstLook(j *sim.Job, of *lineOf, o *option, now float64) (from, first float64) {
	weighs := o.need.weight < heaviest
	if !p.alike || p.reserved(j) || weighs && (o.need.least > 1 || j.Request.DeadlineHard) { // which looks there would have been is not known then
		return now, now
	}
	before := min(p.notBefore(now, o.limit), now+p.Window)
	if before <= now {
		return now, now
	}
	p.open(j, of, o.cluster, now)
	first = p.slots.lastFreed(now, before, o.limit, p.avail)
	if weighs && first > now {
		p.avail.each(func(m int) {
			if p.slots.gap(int32(m), now, o.limit) >= first {
				p.avail.remove(m)
			}
		})
		if !p.fits.weighed(p) {
			return now, first
		}
	}
	return first, first
}

// notBefore is a time before which the job certainly has no plan: by then fewer machines than it needs have had room while they were free of plans for as long as it takes.
// A step of the resolution is left out of that time, because plans are rounded.
func (p *slurm) notBefore(now, limit float64) float64 {
	r, best := p.fits.ready, p.earliest[:0]
	length, n := limit-(1+1e-6)*p.Resolution, p.fits.fewest
	freed := false                       // one machine is needed, and those that are the first to be free are so when a plan ends
	late := p.release.expected(now, now) // no plan begins between now and late
	if k := p.release.firstAfter(now); k < len(p.release.ends) {
		late = min(late, p.release.ends[k].end)
	}
	for _, m := range r.order {
		from := max(now, r.at[m])
		if r.at[m] <= now && !math.IsInf(r.at[m], -1) {
			from = late
		}
		if len(best) == n && from > best[n-1] {
			break
		}
		at := p.slots.gap(m, from, length)
		if n == 1 && (len(best) == 0 || at <= best[0]) {
			freed = at > from && (freed || len(best) == 0 || at < best[0])
		}
		if len(best) < n {
			best = append(best, at)
		} else if at < best[n-1] {
			best[n-1] = at
		} else {
			continue
		}
		for k := len(best) - 1; k > 0 && best[k-1] > best[k]; k-- {
			best[k-1], best[k] = best[k], best[k-1]
		}
	}
	p.earliest = best
	if len(best) < n {
		return math.Inf(1)
	}
	if freed {
		return math.Nextafter(best[0], math.Inf(1))
	}
	return best[n-1]
}

// planFrom looks for a plan on the machines that are free of plans from s on. Where there is none, next is the time from which to look again; 0: none. If it is known that there is none, it only
// weighs machines.
func (p *slurm) planFrom(j *sim.Job, of *lineOf, cluster int, now, s, limit float64, none bool) (plan jobPlan, next float64, ok bool) {
	p.open(j, of, cluster, s)
	if p.reserved(j) {
		p.atHome(j, of, cluster, s)
	}
	copy(p.taken, p.avail)
	next = p.slots.common(s, s+limit, p.taken, p.avail)
	p.avail.meet(p.fits.mask)
	if reopened := p.reopened(j, of, cluster, s, s+limit); reopened < math.Inf(1) && (next == 0 || reopened < next) {
		next = reopened
	}
	if next > now+p.Window {
		next = 0
	}
	if none && p.fits.weighed(p) {
		return plan, next, false
	}
	if p.power != nil {
		return p.planUnder(j, of, cluster, now, s, next)
	}
	return p.planOn(j, of, cluster, now, s, next)
}

// planOn looks for a plan on the machines that are available from s on, no later than next; 0: at any time.
func (p *slurm) planOn(j *sim.Job, of *lineOf, cluster int, now, s, next float64) (plan jobPlan, again float64, ok bool) {
	latest := next
	if next == 0 {
		latest = math.Inf(1)
	}
	found, ok := p.fits.find(p, now, latest)
	if found = max(found, s); !ok || found > latest {
		return plan, next, false
	}
	plan = jobPlan{cycle: p.cycle, start: found, cluster: cluster}
	if found > now {
		plan.shares = slices.Clone(p.fits.shares)
	} else if p.platform.ShortOf(&p.platform.Free, j, cluster) >= 0 {
		return plan, 0, true
	} else {
		p.weigh(j, of, heaviest)
		if ok = p.fits.now(p); ok {
			if after, keeps := p.keepsPower(j, cluster, p.fits.shares, now); !keeps {
				return plan, p.lookAgain(now, next, after), false
			}
			plan.shares, ok = p.sharesNow(j, cluster)
		}
		if !ok {
			return plan, next, false
		}
	}
	plan.end = found + p.platform.Estimate(j, cluster, plan.shares)
	if after, keeps := p.keepsPower(j, cluster, plan.shares, found); !keeps {
		return plan, p.lookAgain(now, next, after), false
	}
	switch {
	case !inTime(j, plan.end):
		return plan, 0, false
	case found <= now || found > now+p.Window:
		return plan, next, true
	case p.slots.holds(p.rounded(found), p.rounded(plan.end), p.machinesOf(plan.shares)):
		return plan, next, true
	case found > s:
		next = found
	}
	return plan, next, false
}

// limit is the longest estimate of the job on machines of the cluster that are all alike.
func (p *slurm) limit(j *sim.Job, of *need) (longest float64) {
	of.mask.each(func(m int) {
		if longest == 0 || p.platform.Mixed() {
			longest = max(longest, p.platform.Takes(j, m, of.width))
		}
	})
	return longest
}

// keep keeps the machines of a plan, unless it lies beyond the window, or a limit keeps the job waiting now: then its start is known, and nothing is kept.
func (p *slurm) keep(j *sim.Job, plan *jobPlan, now float64) {
	if kept := &p.plans[j.Handle]; kept.cycle != p.cycle || plan.start < kept.start { // the first of its partitions
		*kept = *plan
	}
	p.soonest = min(p.soonest, plan.start)
	if plan.start > now+p.Window || p.platform.ShortOf(&p.platform.Free, j, plan.cluster) >= 0 {
		return
	}
	if p.cycled > 0 {
		p.keepers = append(p.keepers, keeper{j, generalBooking{plan.cluster, plan.start, plan.end, plan.shares}})
	}
	begin := max(p.rounded(plan.start), p.slots.Times[0])
	p.slots.take(begin, max(p.rounded(plan.end), begin+p.Resolution), p.machinesOf(plan.shares))
	p.takePower(j, plan.shares, plan.start, plan.end)
}
