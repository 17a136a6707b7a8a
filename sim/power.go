package sim

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// power is what a platform knows of the power caps of its clusters. The power that a cluster may take is one more amount in a [Room], like the copies in a pool of licences, but what there is of it changes
// with time: at each time the idle power of all machines and what running processors take must not exceed the cap then. Sums are those of [model.PowerBalance], so that the checker accepts what a
// policy takes, and what a policy holds back for the sake of power the checker would refuse.
//
// What runs is expected to end by its estimate, so a job may start only if it keeps to all caps until its own estimated end beside what runs then by the estimates.
type power struct {
	of      []int32 // by cluster: its place in caps; −1: it has none
	caps    []powerCap
	changes []float64 // times at which a cap changes, ascending
}

// powerCap is the cap of a cluster.
type powerCap struct {
	cluster int
	steps   []model.Step
	at      int                  // the step in force; −1: before the first, without a limit
	idle    []model.PowerBalance // by step: when nothing runs
	used    model.PowerBalance   // what all machines and running processors take now
	later   []model.PowerBalance // by step to come: of what is expected to run when it begins
	falls   bool                 // some step is below the one before, or the first comes after the first arrival
	alike   bool                 // a busy processor takes the same on all machines
	first   int                  // of the cluster's machines
	rank    []int32              // by machine from the first on: its place in cheap
	cheap   []int                // the cluster's machines as the platform lists them, those of the least power first, of equal ones the fastest
}

// CapReason is why a job is dropped that no cap to come lets run on the processors that it gets: on others it may take less.
const CapReason = "takes more power on the processors that it gets than the power cap still leaves for its estimated time"

// newPower looks at the power caps of an instance; nil: there are none.
func newPower(in *model.Instance) *power {
	if !in.Features().Has(model.PowerCaps) {
		return nil
	}
	p := &power{of: make([]int32, len(in.Clusters()))}
	for k := range in.Clusters() {
		c := &in.Clusters()[k]
		if p.of[k] = -1; len(c.PowerCap) == 0 {
			continue
		}
		p.of[k] = int32(len(p.caps))
		of := powerCap{cluster: k, steps: c.PowerCap, at: -1, used: c.PowerBalance(0), falls: fallsFrom(c.PowerCap, in.FirstArrival()), alike: busyAlike(c)}
		for _, s := range c.PowerCap {
			p.changes = append(p.changes, s.Time)
			of.idle = append(of.idle, c.PowerBalance(s.Value))
		}
		of.later = slices.Clone(of.idle)
		p.caps = append(p.caps, of)
	}
	slices.Sort(p.changes)
	p.changes = slices.Compact(p.changes)
	return p
}

// fallsFrom says whether less power may be taken at some time after the given one than before.
func fallsFrom(steps []model.Step, from float64) bool {
	for k, s := range steps {
		if s.Time > from && (k == 0 || s.Value < steps[k-1].Value) {
			return true
		}
	}
	return false
}

// busyAlike says whether a busy processor takes the same power on all machines of a cluster.
func busyAlike(c *model.Cluster) bool {
	return !slices.ContainsFunc(c.Machines, func(m model.Machine) bool { return m.Power.OfBusy() != c.Machines[0].Power.OfBusy() })
}

// powerApart says whether the machines of some cluster must be listed apart because its power cap counts them differently.
func powerApart(in *model.Instance) bool {
	for k := range in.Clusters() {
		if c := &in.Clusters()[k]; len(c.PowerCap) > 0 && !busyAlike(c) {
			return true
		}
	}
	return false
}

// listPower prepares the platform, whose machines are listed, for the power caps of its instance.
func (p *Platform) listPower() {
	if p.power = newPower(p.in); p.power == nil {
		return
	}
	for k := range p.power.caps {
		c := &p.power.caps[k]
		for m := p.clusters[c.cluster].first; m < p.clusters[c.cluster].last; m++ {
			c.cheap = append(c.cheap, m)
		}
		slices.SortStableFunc(c.cheap, func(a, b int) int {
			return cmp.Or(cmp.Compare(p.modelMachine(a).Power.OfBusy(), p.modelMachine(b).Power.OfBusy()), cmp.Compare(p.Machines[b].Speed, p.Machines[a].Speed))
		})
		c.first, c.rank = p.clusters[c.cluster].first, make([]int32, len(c.cheap))
		for place, m := range c.cheap {
			c.rank[m-c.first] = int32(place)
		}
	}
	p.empty.Power = make([]model.PowerBalance, len(p.power.caps))
	for k := range p.empty.Power {
		p.empty.Power[k].Limit(math.Inf(1))
	}
	p.Free.Power = slices.Clone(p.empty.Power)
	p.advance(0)
}

// modelMachine is the group of machines of the instance to which machine m belongs.
func (p *Platform) modelMachine(m int) *model.Machine {
	machine := &p.Machines[m]
	return &p.in.Clusters()[machine.Cluster].Machines[machine.Group]
}

// advance brings what is free to the time now.
func (p *Platform) advance(now float64) {
	p.now = now
	if p.power == nil {
		return
	}
	for k := range p.power.caps {
		c := &p.power.caps[k]
		before := c.at
		for c.at+1 < len(c.steps) && c.steps[c.at+1].Time <= now {
			c.at++
		}
		if c.at != before {
			p.Free.Power[k] = c.used
			p.Free.Power[k].Limit(c.steps[c.at].Value)
		}
	}
}

// capOf is the power cap of the cluster; nil: it has none.
func (p *Platform) capOf(cluster int) *powerCap {
	if p.power == nil || p.power.of[cluster] < 0 {
		return nil
	}
	return &p.power.caps[p.power.of[cluster]]
}

// idleAt is the balance when nothing runs at a time.
func (c *powerCap) idleAt(at float64) model.PowerBalance {
	k, found := slices.BinarySearchFunc(c.steps, at, func(s model.Step, t float64) int { return cmp.Compare(s.Time, t) })
	switch {
	case found:
		return c.idle[k]
	case k > 0:
		return c.idle[k-1]
	}
	var none model.PowerBalance
	none.Limit(math.Inf(1))
	return none
}

// Now is the time.
func (p *Platform) Now() float64 { return p.now }

// Lasting is the room of the empty platform under the last power caps, which hold for ever, to read only: [Platform.Empty] where there are none.
func (p *Platform) Lasting() *Room {
	if p.power == nil {
		return &p.empty
	}
	room := new(Room)
	room.CopyFrom(&p.empty)
	for k := range p.power.caps {
		room.Power[k] = p.power.caps[k].lasting()
	}
	return room
}

// Capped says that some cluster has a power cap.
func (p *Platform) Capped() bool { return p.power != nil }

// CappedCluster says that the cluster has a power cap.
func (p *Platform) CappedCluster(cluster int) bool { return p.capOf(cluster) != nil }

// CapChanges are the times at which power caps change, ascending; nil: there are none.
func (p *Platform) CapChanges() []float64 {
	if p.power == nil {
		return nil
	}
	return p.power.changes
}

// CapBalance is what the cluster, which has a power cap, takes when nothing runs less what it may take at a time.
func (p *Platform) CapBalance(cluster int, at float64) model.PowerBalance {
	return p.capOf(cluster).idleAt(at)
}

// StatesPower says whether the job states the power of its processors, which is then the same on all machines.
func (p *Platform) StatesPower(j *Job) bool {
	_, states := j.Request.in.Jobs()[j.Request.index].Power()
	return states
}

// PowerLevels are the machines of a cluster with a power cap whose busy processors take at most a power, for each of these but the highest, descending.
func (p *Platform) PowerLevels(cluster int) [][]int {
	c := p.capOf(cluster)
	levels := c.levels(p)
	var sets [][]int
	for _, n := range slices.Backward(levels[:len(levels)-1]) {
		sets = append(sets, c.cheap[:n])
	}
	return sets
}

// LeastPower is the fewest machines of a cluster with a power cap, those of the least power first, on which the job fits when nothing else runs, where every machine is listed.
func (p *Platform) LeastPower(j *Job, cluster, processors int) []int {
	return p.capOf(cluster).fewest(p.nodes.first, &p.empty, j, processors, nil)
}

// fewest is the fewest machines, those of the least power first, on which there is room for the job, whenever they are open. among says which may be counted; nil: all.
func (c *powerCap) fewest(site *place.Site, room *Room, j *Job, processors int, among func(machine int) bool) []int {
	n := sort.Search(len(c.cheap), func(n int) bool {
		_, ok := site.Choose(&room.Room, site.Kind(j.Request.index), c.cluster, processors, func(m int) bool { return c.isAmong(m, n+1) && isAmong(among, m) }, nil)
		return ok
	})
	return c.cheap[:min(n+1, len(c.cheap))]
}

// SetCaps gives a room, in which nothing runs, the power that the caps allow at a time.
func (p *Platform) SetCaps(room *Room, at float64) {
	for k := range p.power.caps {
		room.Power[k] = p.power.caps[k].idleAt(at)
	}
}

// jobPower is the power of a processor of the job on machine m, as the platform lists it.
func (p *Platform) jobPower(j *Job, m int) float64 {
	return j.Request.in.Jobs()[j.Request.index].PowerOn(p.modelMachine(m))
}

// changePower takes the power of a job on the shares out of the room, or gives it back where sign is −1. What is free now changes only as parts of jobs begin and end: see [Platform.begins].
func (p *Platform) changePower(room *Room, j *Job, shares []Share, sign int) {
	if p.power == nil || room == &p.Free {
		return
	}
	for _, s := range shares {
		m := int(s.Machine)
		if k := p.power.of[p.Machines[m].Cluster]; k >= 0 {
			room.Power[k].Take(p.jobPower(j, m), sign*int(s.Processors))
		}
	}
}

// begins takes the power of a part of a job that begins to run, until its estimated end by what is expected.
func (p *Platform) begins(j *Job, part *Part) { p.runs(j, part, 1) }

// ends gives the power of a part back.
func (p *Platform) ends(j *Job, part *Part) { p.runs(j, part, -1) }

func (p *Platform) runs(j *Job, part *Part, sign int) {
	c := p.capOf(part.Cluster)
	if c == nil {
		return
	}
	free := &p.Free.Power[p.power.of[part.Cluster]]
	for _, s := range part.Shares {
		each, n := p.jobPower(j, int(s.Machine)), sign*int(s.Processors)
		c.used.Take(each, n)
		free.Take(each, n)
		for k := c.at + 1; k < len(c.steps) && c.steps[k].Time < part.EstimatedEnd; k++ {
			c.later[k].Take(each, n)
		}
	}
}

// WithPower is the balance when the job takes power on the shares of the cluster too.
func (p *Platform) WithPower(balance model.PowerBalance, j *Job, shares []Share) model.PowerBalance {
	for _, s := range shares {
		balance.Take(p.jobPower(j, int(s.Machine)), int(s.Processors))
	}
	return balance
}

// keepsCap says whether the job keeps to the cap on the shares of the cluster in the room. In what is free now it has to keep to later caps too, until its estimated end.
func (p *Platform) keepsCap(room *Room, j *Job, cluster int, shares []Share) bool {
	c := p.capOf(cluster)
	if c == nil {
		return true
	}
	if b := p.WithPower(room.Power[p.power.of[cluster]], j, shares); !b.Keeps() {
		return false
	}
	return room != &p.Free || !c.falls || p.keepsLater(c, j, shares, model.End(p.now, p.Estimate(j, cluster, shares)))
}

// keepsLater says whether the job on the shares keeps to the caps between now and its end, beside what is expected to run then.
func (p *Platform) keepsLater(c *powerCap, j *Job, shares []Share, end float64) bool {
	for k := c.at + 1; k < len(c.steps) && c.steps[k].Time < end; k++ {
		if b := p.WithPower(c.later[k], j, shares); !b.Keeps() {
			return false
		}
	}
	return true
}

// PowerLack is what of its power cap a cluster lacks for a job that would start now on so many processors.
type PowerLack struct {
	Needs, Left float64 // what the job would take, and what is left for it
	At          float64 // when too little is left: now, or before the job ends by its estimate
}

// LacksPower says whether it is the power cap of the cluster that keeps the job from starting now on so many processors, as it would fit without the cap. Asking changes nothing.
func (p *Platform) LacksPower(j *Job, cluster, processors int) (lack PowerLack, is bool) {
	c := p.capOf(cluster)
	if c == nil || p.CouldStart(j, cluster, processors) {
		return lack, false
	}
	var room Room
	room.CopyFrom(&p.Free)
	room.Power[p.power.of[cluster]].Limit(math.Inf(1))
	shares, ok := p.fitsFirst(&room, j, cluster, processors, p.now, true)
	if !ok {
		return lack, false
	}
	end := model.End(p.now, p.Estimate(j, cluster, shares))
	for step := c.at; step < len(c.steps) && (step <= c.at || c.steps[step].Time < end); step++ {
		left, at := p.Free.Power[p.power.of[cluster]], p.now
		if step > c.at {
			left, at = c.later[step], c.steps[step].Time
		}
		if b := p.WithPower(left, j, shares); !b.Keeps() {
			for _, s := range shares {
				lack.Needs += p.jobPower(j, int(s.Machine)) * float64(s.Processors)
			}
			lack.Left, lack.At = max(0, left.Left()-c.steps[step].Value*0x1p-52), at // without what rounding is allowed
			return lack, true
		}
	}
	return lack, false
}

// KeepsCaps says whether a job that starts now on the claims keeps to the power caps of its clusters, until its estimated end.
func (p *Platform) KeepsCaps(j *Job, claims []Claim) bool {
	if p.power == nil {
		return true
	}
	link := math.Inf(1)
	for i := range claims {
		link = min(link, p.link(claims[i].Shares))
	}
	parts := make([]Part, len(claims))
	for i, claim := range claims {
		if claim.Tasks == 0 {
			claim.Tasks = j.Request.Tasks
		}
		parts[i] = Part{Cluster: claim.Cluster, Shares: claim.Shares, EstimatedEnd: model.End(p.now, p.estimate(j, claim.Cluster, claim.Shares, claim.Tasks, link))}
	}
	return p.keepCaps(j, parts)
}

// keepCaps is [Platform.KeepsCaps] of parts.
func (p *Platform) keepCaps(j *Job, parts []Part) bool {
	if p.power == nil {
		return true
	}
	for k := range p.power.caps {
		c := &p.power.caps[k]
		for step := c.at; step < len(c.steps); step++ {
			at, b := p.now, p.Free.Power[k]
			if step > c.at {
				at, b = c.steps[step].Time, c.later[step]
			}
			takes := false
			for i := range parts {
				if parts[i].Cluster == c.cluster && (step == c.at || at < parts[i].EstimatedEnd) {
					b, takes = p.WithPower(b, j, parts[i].Shares), true
				}
			}
			if takes && !b.Keeps() {
				return false
			}
			if !takes || !c.falls {
				break
			}
		}
	}
	return true
}

// underCap is the shares from begin on, which are where the job would get its processors, if the job keeps to the cap there; else others on which it does: those that are chosen among the
// machines that take at most a certain power, the largest with which it does, or at last those of the least power on which there is room, whatever the rule.
func (p *Platform) underCap(site *place.Site, room *Room, j *Job, cluster, processors int, start float64, among func(machine int) bool, shares []Share, begin int) ([]Share, bool) {
	c := p.capOf(cluster)
	if c == nil || p.keepsCap(room, j, cluster, shares[begin:]) {
		return shares, true
	}
	shares = shares[:begin]
	if c.alike || p.StatesPower(j) {
		return shares, false
	}
	try := func(machines []int) (ok bool) {
		if p.nodes == nil {
			shares, ok = p.fill(room, j, cluster, processors, machines, shares[:begin])
		} else {
			shares, ok = p.fitsInTime(site, room, j, cluster, processors, start, func(m int) bool { return c.isAmong(m, len(machines)) && isAmong(among, m) }, shares[:begin])
		}
		return ok && p.keepsCap(room, j, cluster, shares[begin:])
	}
	for _, level := range p.PowerLevels(cluster) {
		if p.nodes == nil { // in the order in which machines are taken
			n := len(level)
			level = slices.DeleteFunc(slices.Clone(p.clusters[cluster].order), func(m int) bool { return !c.isAmong(m, n) })
		}
		if try(level) {
			return shares, true
		}
	}
	ok := false
	if p.nodes == nil {
		ok = try(c.cheap)
	} else if shares, ok = c.least(p.nodes.first, room, j, processors, among, shares[:begin]); ok {
		ok = p.nodes.allOpen(j.Request.index, cluster, shares[begin:], start) && p.inTime(j, cluster, shares[begin:], start) && p.keepsCap(room, j, cluster, shares[begin:])
	}
	if ok {
		return shares, true
	}
	if shares = shares[:begin]; p.nodes != nil && site != p.nodes.first { // what fits at all fits under every rule
		if shares, ok = p.fitsInTime(p.nodes.first, room, j, cluster, processors, start, among, shares); ok {
			return p.underCap(p.nodes.first, room, j, cluster, processors, start, among, shares, begin)
		}
		shares = shares[:begin]
	}
	return shares, false
}

// least chooses the machines of the least power on which there is room for the job, whenever they are open: as few as are enough, and as few blocks as possible on the last of them. So the job takes as little
// as it can, but where it limits its machines. among says which may be chosen; nil: all.
func (c *powerCap) least(site *place.Site, room *Room, j *Job, processors int, among func(machine int) bool, shares []Share) ([]Share, bool) {
	of := c.fewest(site, room, j, processors, among)
	last := of[len(of)-1]
	choose := func(blocks int) ([]Share, bool) {
		return site.ChooseUpTo(&room.Room, site.Kind(j.Request.index), c.cluster, processors, func(m int) int {
			switch {
			case !c.isAmong(m, len(of)) || !isAmong(among, m):
				return 0
			case m == last:
				return blocks
			}
			return processors
		}, shares)
	}
	blocks := 1 + sort.Search(processors, func(n int) bool { _, ok := choose(n + 1); return ok })
	return choose(blocks)
}

// isAmong says whether machine m is one of the first n of those of the least power.
func (c *powerCap) isAmong(m, n int) bool { return int(c.rank[m-c.first]) < n }

// levels are the numbers of machines, those of the least power first, after which comes another power.
func (c *powerCap) levels(p *Platform) (counts []int) {
	for n := 1; n <= len(c.cheap); n++ {
		if n == len(c.cheap) || p.modelMachine(c.cheap[n]).Power.OfBusy() != p.modelMachine(c.cheap[n-1]).Power.OfBusy() {
			counts = append(counts, n)
		}
	}
	return counts
}

// everFits says whether the job can start on the cluster when nothing else runs, at the given time or when machines are closed or opened or a power cap changes after it: between these times nothing
// opens and no cap rises. Where inTime is set it must keep its hard deadline, by its estimate.
func (p *Platform) everFits(j *Job, cluster int, from float64, inTime bool) bool {
	at, changes := from, p.changesOf(cluster)
	for {
		if _, ok := p.fitsEmpty(j, cluster, at, inTime); ok {
			return true
		}
		for len(changes) > 0 && changes[0] <= at {
			changes = changes[1:]
		}
		if len(changes) == 0 || inTime && model.Late(changes[0], j.Request.Deadline) {
			return false
		}
		at, changes = changes[0], changes[1:]
	}
}

// changesOf are the times at which machines of the cluster are closed or opened, or its power cap changes, ascending.
func (p *Platform) changesOf(cluster int) []float64 {
	var times []float64
	if p.nodes != nil {
		times = p.nodes.closing[cluster].changes
	}
	c := p.capOf(cluster)
	if c == nil {
		return times
	}
	times = slices.Clone(times)
	for _, s := range c.steps {
		times = append(times, s.Time)
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// fitsEmpty says whether the job fits the empty cluster, on the processors of a rigid job, if it starts at the time, until its estimated end, and how long it takes. A moldable job whose rigid maximum is more than
// the fewest processors that it may hold has room for it under the last cap.
func (p *Platform) fitsEmpty(j *Job, cluster int, start float64, inTime bool) (takes float64, ok bool) {
	c, room, processors := p.capOf(cluster), &p.empty, p.Rigid(j, cluster)
	if c != nil {
		room = new(Room)
		room.CopyFrom(&p.empty)
		room.Power[p.power.of[cluster]] = c.idleAt(start)
	}
	next := 0 // the next step of the cap
	for c != nil && next < len(c.steps) && c.steps[next].Time <= start {
		next++
	}
	for {
		shares, ok := p.fitsFirst(room, j, cluster, processors, start, inTime)
		if !ok {
			return 0, false
		}
		takes = p.Estimate(j, cluster, shares)
		if c == nil || next == len(c.steps) || c.steps[next].Time >= model.End(start, takes) {
			return takes, !inTime || p.inTime(j, cluster, shares, start)
		}
		if b := &room.Power[p.power.of[cluster]]; c.idle[next].Above(b) {
			*b = c.idle[next]
		}
		next++
	}
}

// fitsFirst is [Platform.FitsAt] under the rule first, which draws nothing at random. Where inTime is not set the job may miss its hard deadline.
func (p *Platform) fitsFirst(room *Room, j *Job, cluster, processors int, start float64, inTime bool) (shares []Share, ok bool) {
	switch {
	case p.nodes == nil:
		return p.FitsAt(room, j, cluster, processors, start, nil)
	case inTime:
		shares, ok = p.fitsInTime(p.nodes.first, room, j, cluster, processors, start, nil, nil)
	default:
		shares, ok = p.nodes.fits(p.nodes.first, room, j.Request.index, cluster, processors, start, nil, nil)
	}
	if !ok {
		return nil, false
	}
	return p.underCap(p.nodes.first, room, j, cluster, processors, start, nil, shares, 0)
}

// capsUntil is [Platform.FitsUntil] where clusters have power caps.
func (p *Platform) capsUntil(j *Job, clusters []int) float64 {
	until, hard := math.Inf(-1), j.Request.DeadlineHard
	for _, c := range clusters {
		if !p.CanRun(j, c) {
			continue
		}
		changes := p.changesOf(c)
		for k := len(changes); k >= 0; k-- { // the last first; the present comes before all that are to come
			at := p.now
			if k > 0 && changes[k-1] > at {
				at = changes[k-1]
			} else if k < len(changes) && changes[k] <= p.now {
				break
			}
			takes, ok := p.fitsEmpty(j, c, at, hard)
			if !ok {
				continue
			}
			if until = max(until, at); len(changes) == 0 || at >= changes[len(changes)-1] { // nothing changes after that
				if !hard {
					return math.Inf(1)
				}
				until = max(until, j.Request.Deadline-takes-1e-12*(math.Abs(j.Request.Deadline)+takes)) // whatever rounding does
			}
			break
		}
	}
	return until
}

// CapsShut says whether it is power caps that leave the job no start any more on some of the clusters.
func (p *Platform) CapsShut(j *Job, clusters []int) bool {
	return slices.ContainsFunc(clusters, func(c int) bool {
		return p.capOf(c) != nil && p.CanRun(j, c) && !p.everFits(j, c, p.now, false) && (p.nodes == nil || !p.nodes.closing[c].any || p.nodes.everFits(&p.empty, j.Request.index, c, p.Rigid(j, c), p.now))
	})
}

// lasting is the balance under the last cap of the cluster, when nothing runs: what there is for ever.
func (c *powerCap) lasting() model.PowerBalance { return c.idle[len(c.idle)-1] }

// mostOf is the largest number of processors up to n of a power each that a balance leaves room for.
func mostOf(balance model.PowerBalance, each float64, n int) int {
	return sort.Search(n, func(k int) bool {
		b := balance
		b.Take(each, k+1)
		return !b.Keeps()
	})
}

// underLastCap is the number of processors of the cluster, up to n, that the last cap lets the job hold when nothing else runs.
func (p *Platform) underLastCap(j *Job, cluster, n int) int {
	c := p.capOf(cluster)
	balance, left := c.lasting(), n
	for _, m := range c.cheap {
		each := p.jobPower(j, m)
		got := mostOf(balance, each, min(left, p.hosts(&p.empty, j, m)))
		balance.Take(each, got)
		left -= got
	}
	return n - left
}

// usableUnderCaps lowers the numbers of processors, by machine, that a job could hold in the room to those that leave each cluster below its cap, those of the least power first. A job that must stay on
// one machine may hold them of any machine, but not of all.
func (p *Platform) usableUnderCaps(room *Room, j *Job, free []int32) {
	if p.power == nil {
		return
	}
	for k := range p.power.caps {
		c, balance := &p.power.caps[k], room.Power[k]
		for _, m := range c.cheap {
			each := p.jobPower(j, m)
			free[m] = int32(mostOf(balance, each, int(free[m])))
			if j.Request.Span != model.SpanMachine {
				balance.Take(each, int(free[m]))
			}
		}
	}
}

// SamePower says whether two rooms have the same power left.
func (r *Room) SamePower(other *Room) bool {
	for k := range r.Power {
		a, b := &r.Power[k], &other.Power[k]
		if a.Above(b) || b.Above(a) {
			return false
		}
	}
	return true
}

// meetPower leaves of the power what is left in both rooms.
func (r *Room) meetPower(other *Room) {
	for k := range r.Power {
		if other.Power[k].Above(&r.Power[k]) {
			r.Power[k] = other.Power[k]
		}
	}
}
