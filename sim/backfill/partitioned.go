package backfill

import (
	"cmp"
	"slices"
	"strings"

	"github.com/allot-opt/allot/sim"
)

// partitioned serves a queue for each partition that the instance states. Queues that share machines, a pool of licences or the power cap of a cluster are a region, and each region has a policy of its own, so that queues which
// share nothing do not delay each other. The partitions show at the beginning what they share. The rest shows as jobs arrive: a job joins the queues that it names; a queue has the machines of its
// partition and those that its jobs can use beside them.
type partitioned struct {
	platform *sim.Platform
	serve    func(*region) regional
	oneOnly  bool // all queues are one region

	stated  map[string]sim.Queue
	queues  map[string]*partQueue // those of the partitions, and others that a job has named
	names   map[string]*listing   // by what jobs name as their queue
	regions []*region             // in the order of their first jobs
	of      []*region             // by handle
	changes []float64             // times at which machines are closed or opened
}

// partQueue is a queue.
type partQueue struct {
	name     string
	tier     float64
	own      bitset       // machines of the partition; none where the instance does not state it
	machines bitset       // with those that its jobs can use beside them
	pools    map[int]bool // of licences that its jobs have asked for

	reserved int      // reservations of the instant
	by       *sim.Job // the first job, which does not fit at the instant and so closes the queue; nil: it is open
}

// listing is the queues of a job that names several partitions, or one.
type listing struct {
	queues []*partQueue
	tiers  []*listing        // the same apart by tier, descending; nil: they are of one tier
	seen   map[sim.Kind]bool // kinds of jobs whose machines the queues have
}

// region is queues that share machines, licences or a power cap.
type region struct {
	queues   []*partQueue
	machines bitset
	clusters []int
	policy   regional // nil: none of its queues has had a job
	stirred  bool     // something has happened to it since its last decision
}

// regional is a policy for the jobs of a region.
type regional interface {
	sim.Policy
	sim.Resumer
	// hand is what another policy has to know that serves the region from now on.
	hand() handed
	// takeOver takes over from policies that serve the region no more.
	takeOver(handed)
	// wakes is the time at which the last decision asked for another; +Inf: it asked for none.
	wakes() float64
}

// held is a job, with what the plan of a policy holds for it.
type held struct {
	job      *sim.Job
	booking  generalBooking
	promised bool // it waits, and has a reservation
}

// handed is the jobs of a region.
type handed struct {
	queued  []held // in the order of number once it is taken over
	running []held
	freed   []generalFreed // by jobs that have ended at the instant
	afresh  bool           // a plan does not hold
}

// newPartitioned is a policy for a platform with queues.
func newPartitioned(platform *sim.Platform, queues []sim.Queue, oneRegion bool, serve func(*region) regional) *partitioned {
	p := &partitioned{platform: platform, serve: serve, oneOnly: oneRegion, stated: map[string]sim.Queue{}, queues: map[string]*partQueue{}, names: map[string]*listing{}, changes: platform.AllChanges()}
	for _, q := range queues {
		p.stated[q.Name] = q
	}
	for _, q := range queues {
		p.join([]*partQueue{p.queueOf(q.Name)})
	}
	return p
}

// listingOf is the queues of a job: those of the partitions that it names, where the instance states them all, else one of that name.
func (p *partitioned) listingOf(j *sim.Job) *listing {
	text := p.platform.QueueOf(j)
	l := p.names[text]
	if l != nil {
		return l
	}
	l = &listing{seen: map[sim.Kind]bool{}}
	for _, name := range queueNames(text, func(name string) bool { _, known := p.stated[name]; return known }) {
		if q := p.queueOf(name); !slices.Contains(l.queues, q) {
			l.queues = append(l.queues, q)
		}
	}
	l.divide()
	p.names[text] = l
	return l
}

// queueNames are the names of the queues of jobs that state a text: the partitions that it lists, where the instance states them all, else the text.
func queueNames(text string, stated func(name string) bool) []string {
	names := strings.Split(text, ",")
	if slices.ContainsFunc(names, func(name string) bool { return !stated(name) }) {
		return []string{text}
	}
	return names
}

// divide sets the queues apart by tier.
func (l *listing) divide() {
	sorted := slices.SortedStableFunc(slices.Values(l.queues), func(a, b *partQueue) int { return cmp.Compare(b.tier, a.tier) })
	if sorted[0].tier == sorted[len(sorted)-1].tier {
		return
	}
	for _, q := range sorted {
		if last := len(l.tiers) - 1; last >= 0 && l.tiers[last].queues[0].tier == q.tier {
			l.tiers[last].queues = append(l.tiers[last].queues, q)
		} else {
			l.tiers = append(l.tiers, &listing{queues: []*partQueue{q}})
		}
	}
}

// in is the part of a tier; nil: there is none.
func (l *listing) in(tier float64) *listing {
	if l.tiers == nil {
		if l.queues[0].tier == tier {
			return l
		}
		return nil
	}
	for _, part := range l.tiers {
		if part.queues[0].tier == tier {
			return part
		}
	}
	return nil
}

// highest is the highest tier of the queues.
func (l *listing) highest() float64 {
	if l.tiers != nil {
		return l.tiers[0].queues[0].tier
	}
	return l.queues[0].tier
}

// queueOf is the queue of the name.
func (p *partitioned) queueOf(name string) *partQueue {
	q := p.queues[name]
	if q == nil {
		of := p.stated[name]
		q = &partQueue{name: name, tier: of.Tier, own: newBitset(len(p.platform.Machines)), pools: map[int]bool{}}
		for _, m := range of.Machines {
			q.own.add(m)
		}
		q.machines = slices.Clone(q.own)
		p.queues[name] = q
	}
	return q
}

// learn notes what a job can use, and returns its queues. Of a job of several partitions nothing but their machines counts, if it fits on those of one of them.
func (p *partitioned) learn(j *sim.Job) *listing {
	l := p.listingOf(j)
	kind, _ := p.platform.KindOf(j, all(p.platform))
	if l.seen[kind] {
		return l
	}
	l.seen[kind] = true
	for _, q := range l.queues {
		p.platform.PoolsOf(j, func(pool int) { q.pools[pool] = true })
	}
	if len(l.queues) > 1 && slices.ContainsFunc(l.queues, func(q *partQueue) bool { return fitsWithin(p.platform, j, q.own) }) {
		return l
	}
	for m := range p.platform.Machines {
		if p.platform.Reaches(j, m) {
			for _, q := range l.queues {
				q.machines.add(m)
			}
		}
	}
	return l
}

// fitsWithin says whether a job fits on the machines of a set alone when nothing runs.
func fitsWithin(platform *sim.Platform, j *sim.Job, within bitset) bool {
	var room sim.Room
	room.CopyFrom(platform.Empty())
	for m := range platform.Machines {
		if !within.has(m) {
			room.Shut(m)
		}
	}
	for c := range platform.Clusters() {
		if platform.HasPlace(&room, j, c, platform.Rigid(j, c)) {
			return true
		}
	}
	return false
}

// shares says whether a queue and a region have machines, a pool of licences or a power cap in common, or the queue is one of the region.
func (p *partitioned) shares(r *region, q *partQueue) bool {
	return slices.ContainsFunc(r.queues, func(other *partQueue) bool {
		if other == q || other.machines.meets(q.machines) || p.shareCap(q.machines, other.machines) {
			return true
		}
		for pool := range q.pools {
			if other.pools[pool] {
				return true
			}
		}
		return false
	})
}

// join is the region of some queues. Regions that these queues join become one.
func (p *partitioned) join(queues []*partQueue) *region {
	var joined []*region
	for _, r := range p.regions {
		if p.oneOnly || slices.ContainsFunc(queues, func(q *partQueue) bool { return p.shares(r, q) }) {
			joined = append(joined, r)
		}
	}
	whole := &region{machines: newBitset(len(p.platform.Machines))}
	for _, r := range joined {
		whole.queues = append(whole.queues, r.queues...)
	}
	for _, q := range queues {
		if !slices.Contains(whole.queues, q) {
			whole.queues = append(whole.queues, q)
		}
	}
	for _, q := range whole.queues {
		whole.machines.join(q.machines)
	}
	if len(joined) == 1 && len(joined[0].queues) == len(whole.queues) && slices.Equal(joined[0].machines, whole.machines) {
		return joined[0]
	}
	whole.machines.each(func(m int) { // in the order of clusters
		if c := p.platform.Machines[m].Cluster; len(whole.clusters) == 0 || whole.clusters[len(whole.clusters)-1] != c {
			whole.clusters = append(whole.clusters, c)
		}
	})
	p.replace(joined, whole)
	return whole
}

// replace lets a region serve the jobs of others.
func (p *partitioned) replace(regions []*region, whole *region) {
	var all handed
	for _, r := range regions {
		if r.policy == nil {
			continue
		}
		if whole.policy == nil {
			whole.policy, whole.stirred = p.serve(whole), true
		}
		h := r.policy.hand()
		all.queued, all.running = append(all.queued, h.queued...), append(all.running, h.running...)
		all.freed, all.afresh = append(all.freed, h.freed...), all.afresh || h.afresh
	}
	if whole.policy != nil {
		slices.SortFunc(all.queued, func(a, b held) int { return cmp.Compare(a.job.Number, b.job.Number) })
		for _, h := range slices.Concat(all.queued, all.running) {
			p.of[h.job.Handle] = whole
		}
		whole.policy.takeOver(all)
	}
	at := len(p.regions)
	if len(regions) > 0 {
		at = slices.Index(p.regions, regions[0])
	}
	p.regions = slices.Insert(p.regions, at, whole)
	p.regions = slices.DeleteFunc(p.regions, func(r *region) bool { return slices.Contains(regions, r) })
}

// put notes the region of a job.
func (p *partitioned) put(j *sim.Job) *region {
	r := p.join(p.learn(j).queues)
	if r.policy == nil {
		r.policy = p.serve(r)
	}
	for int(j.Handle) >= len(p.of) {
		p.of = append(p.of, nil)
	}
	p.of[j.Handle] = r
	return r
}

// Arrive implements sim.Policy.
func (p *partitioned) Arrive(j *sim.Job) {
	r := p.put(j)
	r.stirred = true
	r.policy.Arrive(j)
}

// Resume implements sim.Resumer.
func (p *partitioned) Resume(e *sim.Engine, j *sim.Job) {
	r := p.put(j)
	r.stirred = true
	r.policy.Resume(e, j)
}

// Release implements sim.Policy.
func (p *partitioned) Release(j *sim.Job, part int, last bool) {
	r := p.of[j.Handle]
	r.stirred = true
	r.policy.Release(j, part, last)
}

// Decide implements sim.Policy. A region decides only when something has happened to it, as on a site of its own.
func (p *partitioned) Decide(e *sim.Engine) {
	_, changes := slices.BinarySearch(p.changes, e.Now())
	for _, r := range p.regions {
		if e.Stopped() {
			return
		}
		if r.policy == nil {
			continue
		}
		if at := r.policy.wakes(); r.stirred || changes || at <= e.Now() {
			r.stirred = false
			r.policy.Decide(e)
		} else {
			e.Wake(at)
		}
	}
}

// Explain implements sim.Explainer.
func (p *partitioned) Explain(j *sim.Job) []sim.Reason {
	if int(j.Handle) >= len(p.of) || p.of[j.Handle] == nil {
		return nil // it was dropped when it arrived
	}
	if explainer, ok := p.of[j.Handle].policy.(sim.Explainer); ok {
		return explainer.Explain(j)
	}
	return nil
}
