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
// Jobs of the same size that none of them ever overtakes are a group, in the order of arrival: with wfp3 those of an estimate, with multifactor those of a user. A search looks at
// the first job of a group, and at another only where that one may not start. Groups of a size lie in blocks. With wfp3 a block knows a bound of the ratios of wait to estimate in it: the
// greatest one when it was looked at last, and how fast the ratio of its shortest job has grown since. A search passes over blocks that promise less than what it has found. So bounds only show
// where not to look.
//
// Complexity: a search takes O(s + b + log n) with wfp3, for s sizes, b blocks that promise enough and n queued jobs; b is 1 or 2 for most sizes. With multifactor it takes O(g + log n)
// for g groups; where the weight of the age is negative, each arrival makes groups of its own.
type changingQueue struct {
	scorer *scorer
	now    float64
	sizes  []*groupsOfSize // ascending; a size of which no job is queued any more stays
}

// groupsOfSize is the groups of the jobs of one size.
type groupsOfSize struct {
	size   int32
	blocks []*groupBlock // never empty ones
	promise
}

// groupBlock is neighbouring groups in the order of their keys.
type groupBlock struct {
	groups []*group // never empty ones
	promise
}

// group is queued jobs of which no job ever overtakes another.
type group struct {
	key  groupKey
	jobs rankedTree // by number
}

// groupKey tells the groups of a size apart.
type groupKey struct {
	estimate float64 // with wfp3
	user     int32   // with multifactor, where users' shares count
	arrival  float64 // with multifactor, where age counts against a job
}

// compare orders keys.
func (k groupKey) compare(other groupKey) int {
	return cmp.Or(cmp.Compare(k.estimate, other.estimate), cmp.Compare(k.user, other.user), cmp.Compare(k.arrival, other.arrival))
}

// promise is what a search must know of groups without looking at them.
type promise struct {
	ratio    float64 // no ratio of wait to estimate was greater at the time at; +Inf: not known
	at       float64
	shortest float64 // no estimate is less
	earliest int64   // no number is less
}

// nothing is the promise of no groups.
func nothing(now float64) promise {
	return promise{ratio: math.Inf(-1), at: now, shortest: math.Inf(1), earliest: math.MaxInt64}
}

// include adds groups that have another promise. Both are looked at now.
func (p *promise) include(ratio float64, other *promise) {
	p.ratio, p.shortest, p.earliest = max(p.ratio, ratio), min(p.shortest, other.shortest), min(p.earliest, other.earliest)
}

// ratioBy is a bound of the ratios at a time.
func (p *promise) ratioBy(now float64) float64 {
	if now == p.at || math.IsInf(p.ratio, 1) {
		return p.ratio
	}
	return (p.ratio + (now-p.at)/p.shortest) * (1 + 1e-12) // the last factor is more than rounding may take off
}

// keyOf is the key of the group of a job.
func (q *changingQueue) keyOf(j *sim.Job) (key groupKey) {
	if q.scorer.Order == byWFP3 {
		return groupKey{estimate: j.Estimate}
	}
	if q.scorer.WeightShare != 0 {
		key.user = j.User
	}
	if q.scorer.WeightAge < 0 {
		key.arrival = j.Arrival
	}
	return key
}

// find is where a job's size and group are, or would be, and whether they are there.
func (q *changingQueue) place(j *sim.Job) (size int, block, at int, known bool) {
	size = sort.Search(len(q.sizes), func(k int) bool { return q.sizes[k].size >= j.Processors })
	if size == len(q.sizes) || q.sizes[size].size != j.Processors || len(q.sizes[size].blocks) == 0 {
		return size, 0, 0, false
	}
	key, blocks := q.keyOf(j), q.sizes[size].blocks
	block = sort.Search(len(blocks)-1, func(k int) bool {
		groups := blocks[k].groups
		return groups[len(groups)-1].key.compare(key) >= 0
	})
	at, known = slices.BinarySearchFunc(blocks[block].groups, key, func(g *group, key groupKey) int { return g.key.compare(key) })
	return size, block, at, known
}

// push implements rankedJobs.
func (q *changingQueue) push(r rankedJob) {
	j := r.job
	size, block, at, known := q.place(j)
	if size == len(q.sizes) || q.sizes[size].size != j.Processors {
		q.sizes = slices.Insert(q.sizes, size, &groupsOfSize{size: j.Processors})
	}
	s := q.sizes[size]
	if len(s.blocks) == 0 {
		s.blocks, s.promise = append(s.blocks, &groupBlock{promise: nothing(j.Arrival)}), nothing(j.Arrival)
	}
	b := s.blocks[block]
	for _, p := range []*promise{&s.promise, &b.promise} {
		p.shortest, p.earliest = min(p.shortest, j.Estimate), min(p.earliest, j.Number)
	}
	if !known {
		b.groups = slices.Insert(b.groups, at, &group{q.keyOf(j), newRankedTree()})
		b.ratio, s.ratio = math.Inf(1), math.Inf(1)
	}
	b.groups[at].jobs.push(rankedJob{job: j})
	if len(b.groups) == mostInBlock {
		upper := &groupBlock{slices.Clone(b.groups[mostInBlock/2:]), b.promise}
		clear(b.groups[mostInBlock/2:])
		b.groups = b.groups[:mostInBlock/2]
		s.blocks = slices.Insert(s.blocks, block+1, upper)
	}
}

// remove implements rankedJobs.
func (q *changingQueue) remove(r rankedJob) {
	size, block, at, _ := q.place(r.job)
	s := q.sizes[size]
	b := s.blocks[block]
	g := b.groups[at]
	if g.jobs.root = g.jobs.remove(g.jobs.root, rankedJob{job: r.job}); g.jobs.root != 0 {
		return
	}
	if b.groups = slices.Delete(b.groups, at, at+1); len(b.groups) == 0 {
		s.blocks = slices.Delete(s.blocks, block, block+1)
	}
}

// begin implements rankedJobs.
func (q *changingQueue) begin(now float64) { q.now = now }

// anyFits implements rankedJobs.
func (q *changingQueue) anyFits(free int) bool {
	for _, s := range q.sizes {
		if int(s.size) > free {
			return false
		}
		if len(s.blocks) > 0 {
			return true
		}
	}
	return false
}

// head implements rankedJobs.
func (q *changingQueue) head() (rankedJob, bool) { return q.find(&groupSearch{free: math.MaxInt}) }

// after implements rankedJobs.
func (q *changingQueue) after(r rankedJob) (rankedJob, bool) {
	return q.find(&groupSearch{free: math.MaxInt, after: &r})
}

// first implements rankedJobs.
func (q *changingQueue) first(_ float64, free int, limit func(size int32) float64) (rankedJob, bool) {
	return q.find(&groupSearch{free: free, limitOf: limit})
}

// groupSearch looks for the first job that meets its conditions.
type groupSearch struct {
	free    int                      // most processors
	limitOf func(size int32) float64 // latest end of a job of the size that starts now; nil: any end will do
	after   *rankedJob               // nil, or the job that it is to follow

	limit float64 // of the size that is looked at
	best  rankedJob
	found bool
}

// beats says whether a job of a priority and a number would go before the best so far.
func (s *groupSearch) beats(priority float64, number int64) bool {
	return !s.found || priority > s.best.priority || priority == s.best.priority && number < s.best.job.Number
}

// priority is the priority of a job now.
func (q *changingQueue) priority(j *sim.Job) float64 {
	return q.scorer.score(q.now, j, j.Estimate, int(j.Processors), 0)
}

// bound is a bound of the priorities of the jobs of a size that have made a promise.
func (q *changingQueue) bound(size int32, p *promise) float64 {
	ratio := p.ratioBy(q.now)
	if math.IsInf(ratio, 1) {
		return ratio
	}
	return min(ratio*ratio*ratio*float64(size), math.MaxFloat64)
}

// find does a search. It begins with the size that promises most.
func (q *changingQueue) find(s *groupSearch) (rankedJob, bool) {
	promising, most := -1, 0.0
	for k, g := range q.sizes {
		if int(g.size) > s.free {
			break
		}
		if len(g.blocks) == 0 {
			continue
		}
		if bound := q.bound(g.size, &g.promise); promising < 0 || bound > most || bound == most && g.earliest < q.sizes[promising].earliest {
			promising, most = k, bound
		}
	}
	if promising >= 0 {
		q.visit(s, q.sizes[promising])
	}
	for k, g := range q.sizes {
		if int(g.size) > s.free {
			break
		}
		if k != promising && len(g.blocks) > 0 && s.beats(q.bound(g.size, &g.promise), g.earliest) {
			q.visit(s, g)
		}
	}
	return s.best, s.found
}

// visit looks at the blocks of a size that promise enough.
func (q *changingQueue) visit(s *groupSearch, g *groupsOfSize) {
	if s.limit = infinite; s.limitOf != nil {
		s.limit = s.limitOf(g.size)
	}
	if q.now+g.shortest > s.limit {
		return
	}
	g.promise = nothing(q.now)
	for _, b := range g.blocks {
		if q.now+b.shortest <= s.limit && s.beats(q.bound(g.size, &b.promise), b.earliest) {
			q.look(s, b)
		}
		g.include(b.ratioBy(q.now), &b.promise)
	}
}

// look looks at the groups of a block.
func (q *changingQueue) look(s *groupSearch, b *groupBlock) {
	b.promise = nothing(q.now)
	for _, g := range b.groups {
		head := g.jobs.nodes[g.jobs.first()].job
		ratio := math.Inf(1)
		if q.scorer.Order == byWFP3 && head.Estimate > 0 {
			ratio = (q.now - head.Arrival) / head.Estimate
		}
		b.include(ratio, &promise{shortest: g.jobs.nodes[g.jobs.root].least, earliest: head.Number})
		if !s.beats(q.priority(head), head.Number) {
			continue
		}
		n := int32(0)
		if s.after == nil {
			n = g.jobs.firstWithin(q.now, s.limit)
		} else {
			n = g.jobs.firstWhere(func(r rankedJob) bool {
				return byPriority(rankedJob{q.priority(r.job), r.job}, *s.after) > 0
			})
		}
		if n == 0 {
			continue
		}
		j := g.jobs.nodes[n].job
		if priority := q.priority(j); s.beats(priority, j.Number) {
			s.best, s.found = rankedJob{priority, j}, true
		}
	}
}
