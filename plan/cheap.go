package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// StartsCheap says whether a schedule for the instance starts jobs at the cheapest moment instead of the earliest, see [NewCheapSchedule] and [NewResources]:
// power limits schedules or counts in the objective. Not where jobs ask something of single machines or may spread over clusters only, nor where machines are
// suspended by a rule, nor beside earlier jobs where power limits nothing.
func StartsCheap(in *model.Instance) bool {
	const without = NodeFeatures | model.GridSpan
	if f := in.Features(); f.Has(model.Commitments) && f&model.PowerLimits == 0 { // a solver may do without such schedules in some rounds, and looks at processors then
		return false
	}
	return in.LaterMayBeBetter() && in.Whole()&without == 0 && !suspends(in)
}

// PricesStarts says whether slots have a price: [StartsCheap] holds and the objective has energy, energy_cost or carbon.
func PricesStarts(in *model.Instance) bool { return StartsCheap(in) && in.PowerPrices(0) != nil }

// suspends says whether machines are suspended by a rule.
func suspends(in *model.Instance) bool {
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			if p := in.Clusters()[c].Machines[g].Power; p != nil && p.Suspends() {
				return true
			}
		}
	}
	return false
}

// CheapFeatures are the features that a schedule for the instance honours beside those that it honours without power: the limits of power where
// [StartsCheap] holds.
func CheapFeatures(in *model.Instance) model.Features {
	if StartsCheap(in) {
		return model.PowerLimits
	}
	return 0
}

// cheapCluster tracks what is free of a cluster over time and starts each job at the cheapest moment that is left: jobs fill the times between others. Power
// costs what the tariff says, see startCost; a machine that can be off costs what it takes more of power around the job, see sleeper. Horizon, power caps, memory
// and licences are honoured.
//
// Complexity of looking for a slot: O(steps of the tariff + times at which something becomes free or taken) where the processors are all alike; else times the
// machines that differ, and sorted.
type cheapCluster struct {
	in      *model.Instance
	cluster int
	pools   *licencePools
	limit   *limit
	prices  *prices
	waits   waits
	banks   []bank
	cap     *powerCap // nil: there is none
	speeds  []float64 // distinct, descending
	links   []float64
	ways    *gapCosts // nil: no machine can be off, or that costs nothing
	waking  float64   // what machines that can be off take more of power, beside their processors, than if nobody used them
	seek    cheapSeek
	work    int64
}

// bank is processors of which only the number in use matters: of one machine, or of machines that are alike in all that matters.
type bank struct {
	group      *model.Machine
	index      int // of the group
	first      int // number of the first processor
	processors int
	used       *profile
	memory     *profile // nil: does not matter
	power      float64  // of a busy processor
	sleeps     bool     // a machine that can be off, and whose states cost something or must be at the ends of the horizon
}

func newCheapCluster(in *model.Instance, cluster int, pools *licencePools, limit *limit, prices *prices) *cheapCluster {
	c := &in.Clusters()[cluster]
	g := &cheapCluster{in: in, cluster: cluster, pools: pools, limit: limit, prices: prices, waits: newWaits(in), cap: newPowerCap(c)}
	memory, span := in.Whole().Has(model.MemoryLimits), in.Whole().Has(model.MachineSpan)
	for k := range c.Machines {
		m := &c.Machines[k]
		b := bank{group: m, index: k, first: m.First, processors: m.Count * m.Units}
		if m.Power != nil {
			b.power = m.Power.Busy
			b.sleeps = len(m.Power.Off) > 0 && (prices.times != nil || m.Power.Begin != model.On || m.Power.End != model.On)
		}
		limited := memory && !math.IsInf(m.Memory, 1)
		if b.sleeps || limited || span {
			for i := range m.Count {
				one := b
				one.first, one.processors = m.First+i*m.Units, m.Units
				g.banks = append(g.banks, one)
			}
		} else if n := len(g.banks); n > 0 && alikeGroups(in, c, g.banks[n-1].group, m) && !g.banks[n-1].sleeps {
			g.banks[n-1].processors += b.processors
		} else {
			g.banks = append(g.banks, b)
		}
		g.speeds, g.links = append(g.speeds, m.Speed), append(g.links, m.Bandwidth)
	}
	g.speeds, g.links = distinct(g.speeds), distinct(g.links)
	sleeps := false
	for k := range g.banks {
		b := &g.banks[k]
		b.used = newProfile(float64(b.processors))
		if memory && !math.IsInf(b.group.Memory, 1) {
			b.memory = newProfile(b.group.Memory)
		}
		sleeps = sleeps || b.sleeps
	}
	if sleeps && prices.times != nil {
		g.ways = newGapCosts(in, cluster, prices)
	}
	return g
}

// alikeGroups says whether the processors of two groups of machines are alike in all that matters to a schedule, and take the same power.
func alikeGroups(in *model.Instance, c *model.Cluster, a, b *model.Machine) bool {
	if a.Speed != b.Speed || a.Bandwidth != b.Bandwidth || a.Memory != b.Memory || a.Cost != b.Cost || a.Power.OfBusy() != b.Power.OfBusy() {
		return false
	}
	for licence := range in.Licences() {
		if a.Runs(licence) != b.Runs(licence) {
			return false
		}
	}
	return true
}

// fresh implements clusterState.
func (g *cheapCluster) fresh(of *Resources) clusterState {
	f := *g
	f.pools, f.limit, f.work, f.seek = of.pools, of.limit, 0, cheapSeek{}
	f.banks = make([]bank, len(g.banks))
	for k := range f.banks {
		b := &f.banks[k]
		*b = g.banks[k]
		b.used = newProfile(b.used.capacity)
		if b.memory != nil {
			b.memory = newProfile(b.memory.capacity)
		}
	}
	f.cap = newPowerCap(&g.in.Clusters()[g.cluster])
	f.waking = 0
	if g.ways != nil {
		f.ways = newGapCosts(g.in, g.cluster, g.prices)
	}
	return &f
}

// queueInstants implements clusterState: jobs that take no time start when they are ready.
func (g *cheapCluster) queueInstants() {}

// release implements clusterState. A job may start in a hole between others, so a processor counts as free from the first arrival on.
func (g *cheapCluster) release(int) float64 { return max(g.in.FirstArrival(), g.prices.from) }

// size implements clusterState.
func (g *cheapCluster) size() int { return 200*len(g.banks) + 16*len(g.in.Jobs()) }

// worked implements clusterState.
func (g *cheapCluster) worked() int64 { return g.work }

// assign implements clusterState.
func (g *cheapCluster) assign(other clusterState) {
	from := other.(*cheapCluster)
	for k := range g.banks {
		g.banks[k].used.Assign(&from.banks[k].used.Function)
		if m := g.banks[k].memory; m != nil {
			m.Assign(&from.banks[k].memory.Function)
		}
	}
	if g.cap != nil {
		g.cap.Assign(&from.cap.Function)
	}
	g.waking = from.waking
}

// alike implements clusterState.
func (g *cheapCluster) alike(other clusterState, ready float64, _ Asked) bool {
	o := other.(*cheapCluster)
	if g.ways != nil { // what was before tells what it costs to wake a machine
		ready = math.Inf(-1)
	}
	for k := range g.banks {
		if !g.banks[k].used.alike(o.banks[k].used, ready) || g.banks[k].memory != nil && !g.banks[k].memory.alike(o.banks[k].memory, ready) {
			return false
		}
	}
	return g.cap == nil || g.cap.AlikeFrom(ready, &o.cap.Function, samePower)
}

// take implements clusterState.
func (g *cheapCluster) take(job, n int, _ model.ProcessorSet, shares []place.Share, start, end float64) {
	g.hold(job, n, shares, start, end, 1)
}

// hold lets the job hold its processors, or with a sign of −1 give them back.
func (g *cheapCluster) hold(job, n int, shares []place.Share, start, end, sign float64) {
	if !(end > start) {
		return
	}
	j := &g.in.Jobs()[job]
	if shares == nil {
		g.holdIn(&g.banks[0], j, n, start, end, sign)
	}
	for _, share := range shares {
		g.holdIn(&g.banks[share.Machine], j, int(share.Processors), start, end, sign)
	}
}

// holdSet lets a job outside the instance hold processors, of which only the number in each bank matters.
func (g *cheapCluster) holdSet(j *model.Job, set model.ProcessorSet, start, end float64) {
	for _, share := range g.sharesOf(set) {
		if end > start {
			g.holdIn(&g.banks[share.Machine], j, int(share.Processors), start, end, 1)
		}
	}
}

// sharesOf is how many processors of the set lie in each bank.
func (g *cheapCluster) sharesOf(set model.ProcessorSet) (shares []place.Share) {
	for k := range g.banks {
		b, n := &g.banks[k], 0
		for _, r := range set {
			n += max(0, min(r.Last, b.first+b.processors-1)-max(r.First, b.first)+1)
		}
		if n > 0 {
			shares = append(shares, place.Share{Machine: int32(k), Processors: int32(n)})
		}
	}
	return shares
}

// holdIn is hold of n processors in one bank.
func (g *cheapCluster) holdIn(b *bank, j *model.Job, n int, start, end, sign float64) {
	if b.sleeps && g.ways != nil && sign > 0 {
		g.waking += g.ways.more(b, start, end)
	}
	b.used.add(start, end, sign*float64(n))
	if b.memory != nil && j.Memory > 0 {
		b.memory.add(start, end, sign*float64(n)*j.Memory)
	}
	power := b.power
	if own, stated := j.Power(); stated {
		power = own
	}
	g.cap.add(start, end, power, sign*float64(n))
	g.work += 100 + int64(len(b.used.Times))/4
	if b.sleeps && g.ways != nil && sign < 0 {
		g.waking -= g.ways.more(b, start, end)
	}
}

// earliest implements clusterState: the cheapest slot, and of equal ones the earliest.
func (g *cheapCluster) earliest(job, n int, ready float64, among Among) (Slot, bool) {
	until := g.prices.to
	j := &g.in.Jobs()[job]
	if !j.DeadlineHard || j.Deadline >= until {
		return g.within(job, n, ready, until, among, false)
	}
	if slot, ok := g.within(job, n, ready, j.Deadline, among, false); ok {
		return slot, true
	}
	return g.within(job, n, ready, until, among, true) // too late: it tells by how much
}

// within is the cheapest slot on some machines from the time ready on that ends by a time; with first it is the earliest.
func (g *cheapCluster) within(job, n int, ready, until float64, among Among, first bool) (Slot, bool) {
	best, found := Slot{}, false
	speeds, links := g.speeds, g.links
	if j := &g.in.Jobs()[job]; j.StatesRuntimes() {
		speeds, links = speeds[len(speeds)-1:], links[len(links)-1:]
	} else if j.Input+j.Output == 0 {
		links = links[len(links)-1:]
	}
	for _, speed := range speeds {
		for _, link := range links {
			if g.limit.spend(1 + len(g.banks)) {
				return Slot{}, false
			}
			if !g.seek.begin(g, job, n, ready, until, among.from(speed, link), first) {
				continue
			}
			if slot, ok := g.seek.slot(); ok && (!found || slot.Before(&best)) {
				best, found = slot, true
			}
		}
	}
	return best, found
}

// Before says that the slot is better for the job than another: it costs less, or as much and ends first. Where no slot costs anything it ends first.
func (s *Slot) Before(other *Slot) bool {
	const equal = 1e-12
	if difference := s.Price - other.Price; math.Abs(difference) > equal*(math.Abs(s.Price)+math.Abs(other.Price)) {
		return difference < 0
	}
	return s.End < other.End
}

// Cheapest is the cheapest slot on n processors of the cluster from the time ready on that ends by a time; false: there is none. [StartsCheap] must hold.
func (r *Resources) Cheapest(job, cluster, n int, ready, until float64) (Slot, bool) {
	g := r.clusters[cluster].(*cheapCluster)
	until = min(until, g.prices.to)
	if j := &r.in.Jobs()[job]; j.DeadlineHard {
		until = min(until, j.Deadline)
	}
	slot, ok := g.within(job, n, ready, until, allMachines, false)
	slot.Cluster = cluster
	return slot, ok
}

// Free gives back what a job holds that was placed into the slot. [StartsCheap] must hold. What it held of memory is free but for rounding.
func (r *Resources) Free(job int, slot *Slot) {
	if slot.instant {
		return
	}
	r.clusters[slot.Cluster].(*cheapCluster).hold(job, slot.Processors, slot.shares, slot.Start, slot.End, -1)
	for _, need := range r.in.Jobs()[job].Licences {
		if p, _ := r.pools.of(need.Licence, slot.Cluster); p != nil && need.Copies > 0 {
			p.add(slot.Start, slot.End, -float64(need.Copies))
		}
	}
}

// Waking is what machines take more of power, beside the processors that run, than if they served nobody, by the prices of the slots. [StartsCheap] must hold. It
// may be too much, see [model.Ways.Exact].
func (r *Resources) Waking() float64 {
	sum := 0.0
	for _, c := range r.clusters {
		sum += c.(*cheapCluster).waking
	}
	return sum
}

// KnowsWaking says whether what Waking says is exact.
func (r *Resources) KnowsWaking() bool {
	for _, c := range r.clusters {
		g := c.(*cheapCluster)
		for k := range g.banks {
			if g.ways != nil && g.banks[k].sleeps && !g.ways.ways.Exact(g.banks[k].group.Power) {
				return false
			}
		}
	}
	return true
}

// Tariff returns the times within the horizon at which power on the cluster becomes cheaper, and at which it becomes dearer. [StartsCheap] must hold.
func (r *Resources) Tariff(cluster int) (cheaper, dearer []float64) {
	p := r.clusters[cluster].(*cheapCluster).prices
	return p.drops, p.rises
}
