package backfill

import (
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// planNeed is what jobs need of a cluster: jobs that need the same fit the same machines.
type planNeed struct {
	*roomNeed
	width    int
	fewest   int // machines that it needs in any case
	one      bool
	frontier frontier // before which times there is no place, by how long jobs take

	none   bool // no such job fits now, unless on machines that became free since
	known  int  // number of these that none takes into account
	launch int  // in which it was found out
}

// roomNeed is what jobs need of each machine of a cluster. It knows where room became free that may let such jobs start earlier.
type roomNeed struct {
	job      sim.Job // one of them
	bit      uint64  // of its own, in the sets of [nodeStep]; 0: there are too many needs
	cluster  int
	least    int // processors on each machine
	devices  bool
	machines []int32 // that have room when nothing runs
	mask     bitset
	kept     []keptStart // by place in machines: what jobs on several machines found
	of       []*planNeed // that need this of each machine

	seen    int     // number of the spans that became free that gaps takes into account
	gaps    []gap   // in which jobs may start that could not before
	longest float64 // of these
	soonest float64 // of these
}

// keptStart says that on a machine of a version nothing that takes at least a length has a start from one time until another, start.
type keptStart struct {
	version             int64
	length, from, start float64
}

// planKey tells needs apart.
type planKey struct {
	kind, cluster, width int
}

// freedSpan is a time from which on something of a machine is free that was not, until an end.
type freedSpan struct {
	machine  int
	from, to float64
}

// gap is where a machine has room for a need around what became free there: at times from one until another, for so long at most without a break.
type gap struct {
	number   int // of the span that became free
	machine  int
	from, to float64
	longest  float64
}

// join implements availability. It finds out what the job needs on each cluster on which it can run.
//
// Complexity: O(clusters), and O(machines) for the first job of a need.
func (p *nodePlan) join(j *sim.Job) {
	for int(j.Handle) >= len(p.options) {
		p.options = append(p.options, nil)
	}
	list := p.options[j.Handle][:0]
	for c := range p.platform.Clusters() {
		if !p.platform.CanRun(j, c) {
			continue
		}
		if n := p.needOf(j, c); len(n.machines) > 0 {
			list = append(list, planOption{n, p.platform.Takes(j, int(n.machines[0]), n.width)})
		}
	}
	p.options[j.Handle] = list
}

// needOf is what the job needs of the cluster.
func (p *nodePlan) needOf(j *sim.Job, cluster int) *planNeed {
	key := planKey{p.platform.NodeKind(j), cluster, p.platform.Width(j, cluster)}
	if n := p.needs[key]; n != nil {
		return n
	}
	needs := p.platform.Needs(j)
	n, least := &planNeed{width: key.width}, needs.Block
	if p.platform.CountsMachines(cluster) {
		least = 1
	}
	if n.one = j.Request.Span == model.SpanMachine || needs.MaxMachines == 1 || n.width == least; n.one {
		least = n.width
	}
	n.roomNeed = p.roomOf(j, cluster, least)
	n.of = append(n.of, n)
	most := 1
	for _, m := range n.machines {
		most = max(most, p.platform.HostsIn(p.platform.IdleState(int(m)), j, int(m)))
	}
	n.fewest = max(1, needs.MinMachines, (n.width+most-1)/most)
	n.frontier.clear(1)
	p.needs[key] = n
	return n
}

// roomOf is what the job needs of each machine of the cluster.
func (p *nodePlan) roomOf(j *sim.Job, cluster, least int) *roomNeed {
	for _, r := range p.rooms {
		if r.cluster == cluster && r.least == least && p.platform.SameMachines(&r.job, j) {
			return r
		}
	}
	r := &roomNeed{job: *j, cluster: cluster, least: least, mask: newBitset(len(p.lines)), devices: p.platform.NeedsDevices(j), seen: p.past + len(p.freed), soonest: math.Inf(1)}
	if len(p.rooms) < 64 {
		r.bit = 1 << len(p.rooms)
	}
	first, last := p.platform.MachinesOf(cluster)
	for m := first; m < last; m++ {
		if p.platform.HostsIn(p.platform.IdleState(m), j, m) >= least {
			r.machines = append(r.machines, int32(m))
			r.mask.add(m)
		}
	}
	r.kept = make([]keptStart, len(r.machines))
	p.rooms = append(p.rooms, r)
	return r
}

// reset forgets what was found in a plan that is made afresh.
func (n *roomNeed) reset() {
	n.seen, n.gaps, n.longest, n.soonest = 0, n.gaps[:0], 0, math.Inf(1)
	for _, of := range n.of {
		of.frontier.clear(1)
	}
}

// fits says whether step k of the machine has room for the need.
func (n *roomNeed) fits(p *nodePlan, l *nodeLine, m, k int) bool {
	step := &l.Values[k]
	if step.known&n.bit != 0 {
		return step.fits&n.bit != 0
	}
	step.known |= n.bit
	if int(step.state.Processors()) >= n.least && p.platform.HostsIn(&step.state, &n.job, m) >= n.least {
		step.fits |= n.bit
		return true
	}
	step.fits &^= n.bit
	return false
}

// update takes into account what became free since the last look. O(steps around it) for each span.
func (n *roomNeed) update(p *nodePlan) {
	if n.seen < p.past { // no job of the need was queued when the spans were forgotten
		n.reset()
		n.seen = p.past
	}
	for ; n.seen < p.past+len(p.freed); n.seen++ {
		f := &p.freed[n.seen-p.past]
		if !n.mask.has(f.machine) {
			continue
		}
		g := gap{number: n.seen, machine: f.machine, from: f.from, to: f.to}
		if !p.around(n, &g) {
			continue
		}
		for _, of := range n.of {
			of.frontier.open(0, g.from, g.from+g.longest)
		}
		n.gaps = append(n.gaps, g)
		n.longest, n.soonest = max(n.longest, g.longest), min(n.soonest, g.from)
	}
}

// around finds the times around those of the gap in which the machine has room for the need; false: there are none. Each begins before the gap ends and ends after it begins.
func (p *nodePlan) around(n *roomNeed, g *gap) bool {
	l := &p.lines[g.machine]
	until := g.to
	k := l.stepAt(max(g.from, p.now))
	g.longest = 0
	for k > 0 && l.Times[k] > p.now && n.fits(p, l, g.machine, k) && n.fits(p, l, g.machine, k-1) {
		k--
	}
	for ; k < len(l.Times) && l.Times[k] < until; k++ {
		if !n.fits(p, l, g.machine, k) {
			continue
		}
		begin := max(l.Times[k], p.now)
		for k+1 < len(l.Times) && n.fits(p, l, g.machine, k+1) {
			k++
		}
		if g.longest == 0 {
			g.from = begin
		}
		g.to = l.End(k)
		g.longest = max(g.longest, math.Nextafter(g.to, math.Inf(1))-begin) // no less than what rounding lets a job take
	}
	return g.longest > 0
}

// improve implements availability: what became free before the last one was seen by all.
func (p *nodePlan) improve() {
	for _, n := range p.rooms {
		n.gaps = slices.DeleteFunc(n.gaps, func(g gap) bool { return g.number < p.passed })
		n.sum()
	}
	if forgotten := p.passed - p.past; forgotten > 0 {
		p.freed, p.past = slices.Delete(p.freed, 0, forgotten), p.passed
	}
	p.passed = p.past + len(p.freed)
}

// earliest implements availability.
func (p *nodePlan) earliest(j *sim.Job) (generalBooking, bool) {
	best := generalBooking{start: math.Inf(1)}
	for i := range p.options[j.Handle] {
		o := &p.options[j.Handle][i]
		if p.platform.Stopped() {
			return best, false
		}
		o.update(p)
		from := max(p.now, o.frontier.before(1, o.length))
		start := math.Inf(1)
		if limit := math.Nextafter(best.start, math.Inf(1)); o.one {
			start = p.alone(o, o.machines, from, limit)
		} else if p.enough(o, nil, from, limit) {
			start = p.together(j, o, from, limit)
		}
		if !math.IsInf(start, 1) {
			o.frontier.note(1, o.length, start)
		}
		p.better(j, o, start, &best)
	}
	if best.shares != nil {
		p.seen(j, &best)
	}
	return best, best.shares != nil
}

// better makes the place on the machines that were found the best booking if it is, and keeps the hard deadline.
func (p *nodePlan) better(j *sim.Job, o *planOption, start float64, best *generalBooking) {
	end := ending(start, o.length, p.step)
	if math.IsInf(start, 1) || !inTime(j, start+o.length) || start > best.start || start == best.start && end >= best.end {
		return
	}
	if shares, ok := p.choose(j, o, start); ok {
		best.cluster, best.start, best.end, best.shares = o.cluster, start, end, append(best.shares[:0], shares...)
	}
}

// advance implements availability.
func (p *nodePlan) advance(j *sim.Job, s *generalBooking) {
	if p.stays(j.Handle) {
		return
	}
	if better, ok := p.sooner(j, s); ok {
		*s = better
		p.take(j, s)
	}
}

// sooner is the earliest booking that starts before the one that a queued job has; false: there is none.
//
// When the job last looked, it could start nowhere before. Since then other jobs have only taken from the plan, but for the spans that became free. Time alone opens nothing either: a start is earliest only where something becomes
// free, and such times before now were tried. So an earlier start holds something in one of these spans: there, on one machine at least, the plan has room without a break for as long as the job takes, and that time
// lies in a gap. What the job itself holds counts as free to it, so on its own machines the time may go beyond a gap that ends where its booking begins or later.
//
// Complexity: O(1) mostly, else O(gaps) and as [nodePlan.firstStart] for each gap in which the job may start; for several machines as [nodePlan.together].
func (p *nodePlan) sooner(j *sim.Job, s *generalBooking) (generalBooking, bool) {
	best, given, seen := generalBooking{start: s.start, end: math.Inf(-1)}, false, p.looks[j.Handle].seen
	for i := range p.options[j.Handle] {
		o := &p.options[j.Handle][i]
		o.update(p)
		if o.soonest >= s.start || o.longest < o.length && !p.recent(s, seen) || !p.mayStart(o, s, seen) || p.platform.Stopped() {
			continue
		}
		limit, from := best.start, max(p.now, p.from)
		if best.shares != nil {
			limit = math.Nextafter(limit, math.Inf(1))
		}
		limit = min(limit, p.until)
		if !o.one && !p.enough(o, s, from, limit) {
			p.shrink(o, s, seen)
			continue
		}
		if !given && (!o.one || slices.ContainsFunc(p.near, func(m int32) bool { return s.holds(int(m)) })) {
			given = true
			p.tryWithout(j, s)
		}
		var start float64
		if o.one {
			start = p.alone(o, p.near, from, limit)
		} else {
			start = p.together(j, o, from, limit)
		}
		if p.better(j, o, start, &best); best.cluster != o.cluster || best.shares == nil {
			p.shrink(o, s, seen)
		}
	}
	if best.shares == nil {
		if given {
			p.undo(j, s)
		}
	} else {
		if !given {
			p.change(j, s, true)
		}
		p.note(s)
	}
	if best.shares == nil {
		best = *s
	}
	p.seen(j, &best)
	return best, best.start < s.start
}

// look is what decides in most cases that a queued job cannot start earlier.
type look struct {
	start, length float64
	room          *roomNeed // nil: it has several clusters
	seen          int       // number of the spans that had become free when it last looked
	own           int32     // the machine of its booking; −1: several
}

// seen notes that a queued job with the booking has looked.
func (p *nodePlan) seen(j *sim.Job, s *generalBooking) {
	for int(j.Handle) >= len(p.looks) {
		p.looks = append(p.looks, look{})
	}
	of := look{start: s.start, seen: p.past + len(p.freed), own: -1}
	if options := p.options[j.Handle]; len(options) == 1 {
		of.room, of.length = options[0].roomNeed, options[0].length
	}
	if len(s.shares) == 1 {
		of.own = s.shares[0].Machine
	}
	p.looks[j.Handle] = of
}

// missed notes that queued jobs may have missed anything that is free.
func (p *nodePlan) missed() {
	for m := range p.lines {
		p.freed = append(p.freed, freedSpan{m, p.now, infinite})
		p.touched[m] = p.past + len(p.freed)
	}
}

// stays says that the queued job of the handle certainly finds no earlier start: see [nodePlan.sooner].
func (p *nodePlan) stays(handle int32) bool {
	of := &p.looks[handle]
	if of.room == nil {
		return false
	}
	all := p.past + len(p.freed)
	if of.room.seen != all {
		of.room.update(p)
	}
	if of.room.soonest < of.start && (of.room.longest >= of.length || of.own < 0 || p.touched[of.own] > of.seen && p.borders(of.room, of.own, of.start)) {
		return false
	}
	of.seen = all
	return true
}

// borders says whether the machine has room for the need just before the time.
func (p *nodePlan) borders(r *roomNeed, m int32, at float64) bool {
	l := &p.lines[m]
	k := l.stepAt(at)
	if l.Times[k] == at {
		k--
	}
	return k >= 0 && r.fits(p, l, int(m), k)
}

// mayStart lists the machines of the gaps in which the job with the booking may find an earlier start, and the times from which and before which one may be; false: there are none.
func (p *nodePlan) mayStart(o *planOption, s *generalBooking, seen int) bool {
	p.near, p.from, p.until = p.near[:0], math.Inf(1), math.Inf(-1)
	for k := o.since(seen); k < len(o.gaps); k++ {
		g := &o.gaps[k]
		if !o.opens(g, s) {
			continue
		}
		p.near, p.from = append(p.near, int32(g.machine)), min(p.from, g.from)
		until := s.start
		if !math.IsInf(g.to, 1) && (s.cluster != o.cluster || !s.holds(g.machine)) { // it has to end in the gap; rounding may add a little
			until = math.Nextafter(math.Nextafter(g.to, math.Inf(1))-o.length, math.Inf(1))
		}
		p.until = max(p.until, until)
	}
	slices.Sort(p.near)
	p.near = slices.Compact(p.near)
	return len(p.near) > 0
}

// opens says whether the job with the booking may find an earlier start in the gap.
func (o *planOption) opens(g *gap, s *generalBooking) bool {
	return g.from < s.start && (g.longest >= o.length || s.start <= g.to && s.cluster == o.cluster && s.holds(g.machine))
}

// since is the place of the first gap that is new to a job. seen is the number of spans that had become free when the job last looked.
func (n *roomNeed) since(seen int) int {
	return sort.Search(len(n.gaps), func(k int) bool { return n.gaps[k].number >= seen })
}

// recent says whether something has become free on the machines of the booking since its job last looked.
func (p *nodePlan) recent(s *generalBooking, seen int) bool {
	return slices.ContainsFunc(s.shares, func(share sim.Share) bool { return p.touched[share.Machine] > seen })
}

// holds says whether the booking holds something of the machine.
func (s *generalBooking) holds(m int) bool {
	return slices.ContainsFunc(s.shares, func(share sim.Share) bool { return int(share.Machine) == m })
}

// shrink looks again at the gaps in which the job with the booking found no place, because others may have gone there since.
func (p *nodePlan) shrink(o *planOption, s *generalBooking, seen int) {
	for k := o.since(seen); k < len(o.gaps); k++ {
		if g := &o.gaps[k]; o.opens(g, s) {
			p.around(o.roomNeed, g)
		}
	}
	o.sum()
}

// sum sums up the gaps.
func (n *roomNeed) sum() {
	n.longest, n.soonest = 0, math.Inf(1)
	for i := range n.gaps {
		n.longest, n.soonest = max(n.longest, n.gaps[i].longest), min(n.soonest, n.gaps[i].from)
	}
}

// fitsNow says whether the job fits a cluster now.
//
// Complexity: O(machines that became free since) mostly.
func (p *nodePlan) fitsNow(j *sim.Job) bool {
	return slices.ContainsFunc(p.options[j.Handle], func(o planOption) bool {
		return o.hasPlace(p, j) && inTime(j, p.now+o.length)
	})
}

// hasPlace says whether jobs of the need, such as j, fit now. It is asked again only once something has started or become free.
func (n *planNeed) hasPlace(p *nodePlan, j *sim.Job) bool {
	if n.launch == p.launch {
		return !n.none
	}
	n.launch = p.launch
	freed := p.platform.Freed()
	for ; n.none && n.known < len(freed); n.known++ {
		m := int(freed[n.known])
		n.none = !n.mask.has(m) || p.platform.Hosts(&p.platform.Free, j, m) < n.least
	}
	if n.known = len(freed); n.none {
		return false
	}
	_, ok := p.platform.FitsLate(&p.platform.Free, j, n.cluster, n.width, n.mask.has, p.shares[:0])
	n.none = !ok
	return ok
}
