package backfill

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/sim"
)

// changingQueue is queued jobs in an order in which jobs overtake others while they wait: wfp3 or multifactor. Priorities are computed exactly at each instant, as if the queue were
// sorted then.
//
// Jobs of which none ever overtakes another are a group, in the order of arrival: with wfp3 those of a size and an estimate, with multifactor those of a user and a size. A search looks at
// the first job of a group, and at another only where that one may not start. Groups lie in blocks, and blocks in parties: with wfp3 a size is a party, with multifactor a user. Each
// block and each party knows a bound of the priorities in it: the greatest when it was looked at last, and how fast they have grown since at most. A search passes over what promises
// less than it has found. So bounds only show where not to look.
//
// Complexity: a search takes O(p + b + log n) for p parties, b blocks that promise enough and n queued jobs; with wfp3 b is 1 or 2 for most sizes, with multifactor it grows with the
// users whose shares are about as good as the best. Where the weight of the age is negative, each arrival makes groups of its own.
type changingQueue struct {
	scorer  *scorer
	now     float64
	parties []*party // by key; one of which no job is queued any more stays
	sizes   []int32  // of the queued jobs, ascending; one of which no job is queued any more stays
	counts  []int    // by place in sizes
}

// party is groups that share a part of what their priorities are made of.
type party struct {
	key    int32         // size or user
	blocks []*groupBlock // never empty ones
	promise
}

// groupBlock is neighbouring groups in the order of their keys.
type groupBlock struct {
	groups []*group // never empty ones
	promise
}

const mostGroups = 16

// group is queued jobs of which no job ever overtakes another.
type group struct {
	key  groupKey
	size int32
	jobs rankedTree // by number
}

// groupKey tells the groups of a party apart.
type groupKey struct {
	kind    float64 // the estimate with wfp3, the size with multifactor
	arrival float64 // with multifactor, where age counts against a job
}

// compare orders keys.
func (k groupKey) compare(other groupKey) int {
	return cmp.Or(cmp.Compare(k.kind, other.kind), cmp.Compare(k.arrival, other.arrival))
}

// of is the keys of the party and of the group of a job.
func (q *changingQueue) of(j *sim.Job) (of int32, key groupKey) {
	if q.scorer.Order == byWFP3 {
		return j.Processors, groupKey{kind: j.Estimate}
	}
	key.kind = float64(j.Processors)
	if q.scorer.WeightAge < 0 {
		key.arrival = j.Arrival
	}
	return j.User, key
}

// place is where a job's party, block and group are, or would be, and whether the party and the group are there.
func (q *changingQueue) place(j *sim.Job) (in, block, at int, there, known bool) {
	of, key := q.of(j)
	in, there = slices.BinarySearchFunc(q.parties, of, func(p *party, of int32) int { return cmp.Compare(p.key, of) })
	if !there || len(q.parties[in].blocks) == 0 {
		return in, 0, 0, there, false
	}
	blocks := q.parties[in].blocks
	block = sort.Search(len(blocks)-1, func(k int) bool {
		groups := blocks[k].groups
		return groups[len(groups)-1].key.compare(key) >= 0
	})
	at, known = slices.BinarySearchFunc(blocks[block].groups, key, func(g *group, key groupKey) int { return g.key.compare(key) })
	return in, block, at, true, known
}

// push implements rankedJobs.
func (q *changingQueue) push(r rankedJob) {
	j := r.job
	q.count(j, 1)
	in, block, at, there, known := q.place(j)
	of, key := q.of(j)
	if !there {
		q.parties = slices.Insert(q.parties, in, &party{key: of})
	}
	p := q.parties[in]
	if len(p.blocks) == 0 {
		p.blocks, p.promise = append(p.blocks, &groupBlock{promise: nothing(j.Arrival)}), nothing(j.Arrival)
	}
	b := p.blocks[block]
	joins := promise{top: math.Inf(1), shortest: j.Estimate, earliest: j.Number, narrowest: j.Processors, widest: float64(j.Processors)}
	if !known { // the level is not known until it is looked at
		b.groups = slices.Insert(b.groups, at, &group{key, j.Processors, newRankedTree()})
		p.include(math.Inf(1), joins)
		b.include(math.Inf(1), joins)
	} else {
		p.shortest, b.shortest = min(p.shortest, j.Estimate), min(b.shortest, j.Estimate)
	}
	b.groups[at].jobs.push(rankedJob{job: j})
	if len(b.groups) == mostGroups {
		upper := &groupBlock{slices.Clone(b.groups[mostGroups/2:]), b.promise}
		clear(b.groups[mostGroups/2:])
		b.groups = b.groups[:mostGroups/2]
		p.blocks = slices.Insert(p.blocks, block+1, upper)
	}
}

// count counts a job that joins or leaves.
func (q *changingQueue) count(j *sim.Job, more int) {
	k, known := slices.BinarySearch(q.sizes, j.Processors)
	if !known {
		q.sizes, q.counts = slices.Insert(q.sizes, k, j.Processors), slices.Insert(q.counts, k, 0)
	}
	q.counts[k] += more
}

// remove implements rankedJobs.
func (q *changingQueue) remove(r rankedJob) {
	q.count(r.job, -1)
	in, block, at, _, _ := q.place(r.job)
	p := q.parties[in]
	b := p.blocks[block]
	g := b.groups[at]
	if g.jobs.root = g.jobs.remove(g.jobs.root, rankedJob{job: r.job}); g.jobs.root != 0 {
		return
	}
	if b.groups = slices.Delete(b.groups, at, at+1); len(b.groups) == 0 {
		p.blocks = slices.Delete(p.blocks, block, block+1)
	}
}

// begin implements rankedJobs.
func (q *changingQueue) begin(now float64) { q.now = now }

// anyFits implements rankedJobs.
func (q *changingQueue) anyFits(free int) bool {
	for k, size := range q.sizes {
		if int(size) > free {
			return false
		}
		if q.counts[k] > 0 {
			return true
		}
	}
	return false
}

// head implements rankedJobs.
func (q *changingQueue) head() (rankedJob, bool) { return q.find(&groupSearch{free: math.MaxInt32}) }

// after implements rankedJobs.
func (q *changingQueue) after(r rankedJob) (rankedJob, bool) {
	return q.find(&groupSearch{free: math.MaxInt32, after: &r})
}

// first implements rankedJobs.
func (q *changingQueue) first(_ float64, free int, limit func(size int32) float64) (rankedJob, bool) {
	return q.find(&groupSearch{free: int32(free), limitOf: limit})
}

// groupSearch looks for the first job that meets its conditions.
type groupSearch struct {
	free    int32                    // most processors
	limitOf func(size int32) float64 // latest end of a job of the size that starts now; nil: any end will do
	after   *rankedJob               // nil, or the job that it is to follow

	limits map[int32]float64 // by size, of those asked for
	best   rankedJob
	found  bool
}

// limit is the latest end of a job of a size that starts now.
func (s *groupSearch) limit(size int32) float64 {
	if s.limitOf == nil {
		return infinite
	}
	limit, known := s.limits[size]
	if !known {
		if s.limits == nil {
			s.limits = map[int32]float64{}
		}
		limit = s.limitOf(size)
		s.limits[size] = limit
	}
	return limit
}

// beats says whether a job of a priority and a number would go before the best so far.
func (s *groupSearch) beats(priority float64, number int64) bool {
	return !s.found || priority > s.best.priority || priority == s.best.priority && number < s.best.job.Number
}

// priority is the priority of a job now.
func (q *changingQueue) priority(j *sim.Job) float64 {
	return q.scorer.score(q.now, j, j.Estimate, int(j.Processors), 0)
}

// find does a search. It begins with the party that promises most.
func (q *changingQueue) find(s *groupSearch) (rankedJob, bool) {
	promising, most := -1, 0.0
	for k, p := range q.parties {
		if p.narrowest > s.free || len(p.blocks) == 0 {
			continue
		}
		if bound := q.scorer.bound(q.now, int(p.key), &p.promise); promising < 0 || bound > most || bound == most && p.earliest < q.parties[promising].earliest {
			promising, most = k, bound
		}
	}
	if promising < 0 {
		return s.best, false
	}
	q.visit(s, q.parties[promising])
	for k, p := range q.parties {
		if k != promising && p.narrowest <= s.free && len(p.blocks) > 0 && s.beats(q.scorer.bound(q.now, int(p.key), &p.promise), p.earliest) {
			q.visit(s, p)
		}
	}
	return s.best, s.found
}

// visit looks at the blocks of a party that promise enough.
func (q *changingQueue) visit(s *groupSearch, p *party) {
	if q.scorer.Order == byWFP3 && q.now+p.shortest > s.limit(p.key) {
		return
	}
	p.promise = nothing(q.now)
	for _, b := range p.blocks {
		switch {
		case b.narrowest > s.free || q.scorer.Order == byWFP3 && q.now+b.shortest > s.limit(p.key):
		case s.beats(q.scorer.bound(q.now, int(p.key), &b.promise), b.earliest):
			q.look(s, b)
		}
		p.include(q.scorer.levelBy(q.now, &b.promise), b.promise)
	}
}

// look looks at the groups of a block.
func (q *changingQueue) look(s *groupSearch, b *groupBlock) {
	b.promise = nothing(q.now)
	for _, g := range b.groups {
		head := g.jobs.nodes[g.jobs.first()].job
		priority := q.priority(head)
		level, top := q.scorer.level(q.now, head, head.Estimate, priority)
		b.include(level, promise{top: top, shortest: g.jobs.nodes[g.jobs.root].least, earliest: head.Number, narrowest: g.size, widest: float64(g.size)})
		if g.size <= s.free && s.beats(priority, head.Number) {
			q.choose(s, g)
		}
	}
}

// choose looks for the first job of a group that meets the conditions.
func (q *changingQueue) choose(s *groupSearch, g *group) {
	n := int32(0)
	if s.after == nil {
		n = g.jobs.firstWithin(q.now, s.limit(g.size))
	} else {
		n = g.jobs.firstWhere(func(r rankedJob) bool {
			return byPriority(rankedJob{q.priority(r.job), r.job}, *s.after) > 0
		})
	}
	if n == 0 {
		return
	}
	j := g.jobs.nodes[n].job
	if priority := q.priority(j); s.beats(priority, j.Number) {
		s.best, s.found = rankedJob{priority, j}, true
	}
}
