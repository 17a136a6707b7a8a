package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// line is a queue in order of priority that is not sorted. The jobs of one kind, which fit the same processors, lie together in blocks. A
// block knows an upper bound of the priorities of its jobs, which stays one as time goes on: it was exact when the block was last scored,
// and since then no job gained more than by aging and by the steepest score of a deadline, nor by the shortest job having changed. So the
// job of the highest priority is found by looking into the few blocks that may hold it, and priorities are compared as they are and not
// by their bounds.
//
// Complexity: O(n/b + k) an instant, for n jobs of k kinds in blocks of b, and O(b) for each block looked into.
type line struct {
	order    Order
	platform *sim.Platform
	clusters []int

	byKind map[kindKey]*kindQueue
	kinds  []*kindQueue
	places []place   // by handle
	asked  []float64 // by licence: how many are asked for
	ratios []float64 // by licence, at the instant
	length int

	now      float64
	shortest float64
	instant  int64
	epoch    int64   // of the scorer
	given    float64 // largest part given to any job, as a magnitude

	spareKinds  []*kindQueue // without jobs, to be used again
	spareBlocks []*block
}

// kindKey tells kinds of jobs apart: by where they fit, and by how their scores change, see scorer.party.
type kindKey struct {
	sim.Kind
	party int
}

// place is where a queued job is.
type place struct {
	in    *kindQueue // nil: not queued
	block *block
	at    int32
}

// kindQueue holds the queued jobs of one kind.
type kindQueue struct {
	bound    float64 // no job of the kind has a higher priority at the instant
	earliest int64   // no job of the kind has a lower number
	closed   bool    // since the beginning of the instant none can start
	blocks   []*block
	needs    []model.Need // licences of each of the jobs
	licences float64      // score of these, at the instant
	slack    float64      // by which the bounds may be off through rounding
	kind     kindKey
	at       int // in the list of kinds

	widths  []int // by place in the clusters of the policy: processors that a job holds; empty: not yet known
	spreads bool  // the jobs may hold processors of several clusters

	outlook
	finders []finder   // by place in the clusters of the policy, where machines count one by one
	classes []*classed // where machines are closed at times
}

// outlook is what of the platform jobs could have now; see general.offers.
type outlook struct {
	stamp   int64
	planned int64
	offers  []offer
	enough  float64 // a size that is known to be small enough for a job to start
	tooLong float64 // a size that is known to be too large

	touched    int     // length of the list of machines to which jobs of the instant went when the offers were found
	asides     []offer // by place in the offers, where machines count one by one
	asideStamp int64
}

// block is some jobs of one kind.
type block struct {
	jobs  []waiting
	place int // in the blocks of its kind

	least    int     // the job of the least size
	earliest int64   // least number of a job
	shortest float64 // least length
	latest   float64 // latest finite deadline, as a magnitude; 0: none

	instant  int64   // at which it was last scored; 0: a job has joined since
	outdated bool    // the epoch of the scorer was another one then
	level    float64 // where scores are steady: the highest without the fair share then
	pass     float64 // time of the pass of the scores then
	still    bool    // the priorities were the given ones, which do not change
	time     float64 // of that instant
	top      float64 // highest priority then, without the score of licences
	base     float64 // highest priority then, without the scores of licences and of short jobs
	ramp     float64 // see Order.ramp
	compared float64 // shortest length in the queue then
	bound    float64 // no job of the block has a higher priority at the instant of the line
}

// mostWaiting is the most jobs of a block.
const mostWaiting = 32

// newLine is an empty queue for jobs that may run on the clusters; without a platform for the jobs of a trace.
func newLine(order Order, platform *sim.Platform, clusters []int) line {
	if platform == nil {
		return line{order: order, byKind: map[kindKey]*kindQueue{}}
	}
	return line{order: order, platform: platform, clusters: clusters, byKind: map[kindKey]*kindQueue{},
		asked: make([]float64, platform.Licences()), ratios: make([]float64, platform.Licences())}
}

// add adds a job.
func (l *line) add(j *sim.Job, fastest float64) {
	kind, size := kindKey{Kind: sim.KindOfWidth(j.Processors)}, j.Estimate
	if l.platform != nil {
		kind.Kind, size = l.platform.KindOf(j, l.clusters)
		kind.party = l.order.scorer.party(j)
	}
	k := l.byKind[kind]
	if k == nil {
		k = l.newKind()
		k.kind, k.at, k.needs = kind, len(l.kinds), needsOf(j)
		l.byKind[kind] = k
		l.kinds = append(l.kinds, k)
	}
	for int(j.Handle) >= len(l.places) {
		l.places = append(l.places, place{})
	}
	w := l.order.entry(j, fastest, size)
	if l.order.scorer != nil {
		w.width, w.class = fewest(l.platform, j, l.clusters), l.platform.UserPriority(j)
	}
	l.given = max(l.given, math.Abs(w.given))
	l.put(k, w)
	l.count(j, 1)
	l.length++
}

// newKind is a kind without jobs. It uses the memory of one that has none any more.
func (l *line) newKind() *kindQueue {
	last := len(l.spareKinds) - 1
	if last < 0 {
		return &kindQueue{}
	}
	k := l.spareKinds[last]
	l.spareKinds = l.spareKinds[:last]
	*k = kindQueue{blocks: k.blocks[:0], widths: k.widths[:0], finders: k.finders[:0], outlook: outlook{offers: k.offers[:0], asides: k.asides[:0]}}
	return k
}

// fewest is the least number of processors that a job holds on one of the clusters on which it can run.
func fewest(platform *sim.Platform, j *sim.Job, clusters []int) int {
	least := math.MaxInt
	for _, c := range clusters {
		if platform.CanRun(j, c) {
			least = min(least, platform.Width(j, c))
		}
	}
	return least
}

// needsOf is the licences that a job asks for.
func needsOf(j *sim.Job) []model.Need {
	if j.Request == nil {
		return nil
	}
	return j.Request.Licences
}

// count counts the licences that a job asks for, or no longer.
func (l *line) count(j *sim.Job, sign float64) {
	for _, need := range needsOf(j) {
		if l.order.CountJobs {
			l.asked[need.Licence] += sign
		} else {
			l.asked[need.Licence] += sign * float64(need.Copies)
		}
	}
}

// put puts a job into the last block of its kind.
func (l *line) put(k *kindQueue, w waiting) {
	last := len(k.blocks) - 1
	if last < 0 || len(k.blocks[last].jobs) == mostWaiting {
		last++
		k.blocks = append(k.blocks, l.newBlock(last))
	}
	b := k.blocks[last]
	l.places[w.job.Handle] = place{k, b, int32(len(b.jobs))}
	b.jobs = append(b.jobs, w)
	b.measure()
	b.instant, b.bound = 0, math.Inf(1)
	k.bound = b.bound
}

// newBlock is a block without jobs. It uses the memory of one that has none any more.
func (l *line) newBlock(place int) *block {
	last := len(l.spareBlocks) - 1
	if last < 0 {
		return &block{place: place}
	}
	b := l.spareBlocks[last]
	l.spareBlocks = l.spareBlocks[:last]
	*b = block{jobs: b.jobs[:0], place: place}
	return b
}

// measure brings up to date what a block knows of its jobs beside their priorities.
func (b *block) measure() {
	b.least, b.earliest, b.shortest, b.latest = 0, math.MaxInt64, math.Inf(1), 0
	for i := range b.jobs {
		w := &b.jobs[i]
		if w.size < b.jobs[b.least].size {
			b.least = i
		}
		b.earliest, b.shortest = min(b.earliest, w.job.Number), min(b.shortest, w.length)
		if !math.IsInf(w.deadline, 1) {
			b.latest = max(b.latest, math.Abs(w.deadline))
		}
	}
}

// remove takes a job out.
func (l *line) remove(j *sim.Job) {
	at := l.places[j.Handle]
	l.places[j.Handle] = place{}
	b, last := at.block, len(at.block.jobs)-1
	if int(at.at) != last {
		b.jobs[at.at] = b.jobs[last]
		l.places[b.jobs[at.at].job.Handle].at = at.at
	}
	b.jobs[last] = waiting{}
	b.jobs = b.jobs[:last]
	l.count(j, -1)
	l.length--
	switch {
	case last == 0:
		l.discard(at.in, b)
		l.spareBlocks = append(l.spareBlocks, b)
	case last <= mostWaiting/4 && b.place < len(at.in.blocks)-1:
		jobs := b.jobs
		l.discard(at.in, b)
		for _, w := range jobs {
			l.put(at.in, w)
		}
	default:
		b.measure()
	}
}

// discard takes a block out of its kind, and a kind without blocks out of the line.
func (l *line) discard(k *kindQueue, b *block) {
	last := len(k.blocks) - 1
	k.blocks[b.place] = k.blocks[last]
	k.blocks[b.place].place = b.place
	k.blocks[last] = nil
	k.blocks = k.blocks[:last]
	if last > 0 {
		return
	}
	end := len(l.kinds) - 1
	l.kinds[k.at] = l.kinds[end]
	l.kinds[k.at].at = k.at
	l.kinds[end] = nil
	l.kinds = l.kinds[:end]
	delete(l.byKind, k.kind)
	l.spareKinds = append(l.spareKinds, k)
}

// begin fixes what the priorities of an instant depend on: the time, the shortest job and the licences asked for by the jobs that are
// queued now.
func (l *line) begin(now float64) {
	l.now, l.shortest = now, math.Inf(1)
	l.instant++
	epoch := l.order.scorer.epoch()
	for _, k := range l.kinds {
		for _, b := range k.blocks {
			l.shortest = min(l.shortest, b.shortest)
			b.outdated = b.outdated || epoch != l.epoch
		}
	}
	l.epoch = epoch
	plenty := l.rate()
	magnitude := l.order.magnitude(now)
	for _, k := range l.kinds {
		k.licences = licenceScore(k.needs, l.ratios, plenty)
		if k.slack = magnitude + math.Abs(l.order.Licences*k.licences); k.slack > 0 { // else the priority is the given part, exactly
			k.slack = 1e-11 * (k.slack + l.given)
		}
		k.bound, k.earliest, k.closed, k.stamp = math.Inf(-1), math.MaxInt64, false, 0
		for _, b := range k.blocks {
			b.bound = l.bound(k, b)
			k.bound, k.earliest = max(k.bound, b.bound), min(k.earliest, b.earliest)
		}
	}
}

// rate finds how scarce each licence is, and how many of those that are asked for are not critical.
func (l *line) rate() (plenty int) {
	for licence, asked := range l.asked {
		if l.ratios[licence] = 0; asked == 0 {
			continue
		}
		if l.ratios[licence] = l.platform.Scarcity(licence, asked, l.clusters); l.ratios[licence] <= 1 {
			plenty++
		}
	}
	return plenty
}

// bound is an upper bound of the priorities of a block.
func (l *line) bound(k *kindQueue, b *block) float64 {
	o := &l.order
	if b.outdated && b.instant != 0 && o.scorer.steady() {
		return o.scorer.slurm.bound(k.kind.party, b.level, b.pass)
	}
	if b.instant == 0 || b.outdated || math.IsInf(b.ramp, 1) || o.jumps() {
		return math.Inf(1)
	}
	gained := l.now - b.time
	gain := o.Aging * gained
	if b.ramp > 0 { // the time, and what rounding may add to it
		gain += b.ramp * (gained + 1e-14*b.latest)
	}
	best := b.base + math.Abs(o.Wait)
	if b.shortest > 0 {
		best = min(best, b.base+max(0, o.Wait*min(1, l.shortest/b.shortest)), b.top+max(0, o.Wait*((l.shortest-b.compared)/b.shortest)))
	} else if l.shortest == b.compared {
		best = min(best, b.top)
	}
	return best + gain + o.Licences*k.licences + k.slack
}

// look computes the priorities of the jobs of a block at the instant.
func (l *line) look(k *kindQueue, b *block) {
	if b.instant == l.instant || b.instant != 0 && b.still && !b.outdated && k.slack == 0 {
		return
	}
	b.outdated = false
	o := &l.order
	b.instant, b.time, b.compared, b.still = l.instant, l.now, l.shortest, k.slack == 0 && !o.jumps()
	b.top, b.base, b.ramp, b.bound = math.Inf(-1), math.Inf(-1), 0, math.Inf(-1)
	licences := o.Licences * k.licences
	for i := range b.jobs {
		w := &b.jobs[i]
		w.score = o.of(w, l.now, l.shortest, k.licences)
		b.bound = max(b.bound, w.score)
		top := w.score - licences
		b.top = max(b.top, top)
		b.base = max(b.base, top-o.wait(w.length, l.shortest))
		b.ramp = max(b.ramp, o.ramp(w, l.now))
	}
	if o.jumps() || o.scorer.epoch() == 0 {
		return
	}
	b.level, b.pass = math.Inf(-1), o.scorer.slurm.last
	for i := range b.jobs {
		if w := &b.jobs[i]; math.IsInf(w.score, 1) {
			b.level = w.score
		} else {
			b.level = max(b.level, o.scorer.slurm.level(w.job.Handle))
		}
	}
}

// before says whether a job goes before another at the instant, for which both have been looked at.
func (w *waiting) before(other *waiting) bool {
	return w.score > other.score || w.score == other.score && w.job.Number < other.job.Number
}

// ahead lists the jobs that joined before another, in queue order.
func (l *line) ahead(j *sim.Job) []*sim.Job {
	var jobs []*sim.Job
	for _, k := range l.kinds {
		for _, b := range k.blocks {
			for i := range b.jobs {
				if other := b.jobs[i].job; other.Number < j.Number {
					jobs = append(jobs, other)
				}
			}
		}
	}
	slices.SortFunc(jobs, func(a, b *sim.Job) int { return cmp.Compare(a.Number, b.Number) })
	return jobs
}

// search looks for the first job in the order.
type search struct {
	after     *waiting                        // nil, or the job after which it comes
	open      func(*kindQueue) bool           // whether jobs of a kind may start; nil: any will do
	starts    func(*kindQueue, *waiting) bool // whether a job may start
	anyStarts func(*kindQueue, *waiting) bool // whether some job of a block may start, asked of the smallest job of the block; nil: some may
	found     *waiting
}

// first is the first job that the search looks for; nil: there is none. It looks into the block that promises most before the others.
func (l *line) first(s *search) *waiting {
	var promising *block
	var of *kindQueue
	for _, k := range l.kinds {
		if s.passes(k) || promising != nil && (k.bound < promising.bound || k.bound == promising.bound && k.earliest >= promising.earliest) {
			continue
		}
		best := promising
		for _, b := range k.blocks {
			if best == nil || b.bound > best.bound || b.bound == best.bound && b.earliest < best.earliest {
				best = b
			}
		}
		if best != promising && (s.open == nil || s.open(k)) { // what may start costs more to find than a bound
			promising, of = best, k
		}
	}
	if promising == nil {
		return nil
	}
	s.visit(l, of, promising)
	for _, k := range l.kinds {
		if s.passes(k) || s.found != nil && (k.bound < s.found.score || k.bound == s.found.score && k.earliest >= s.found.job.Number) {
			continue
		}
		for _, b := range k.blocks {
			if b == promising || s.found != nil && (b.bound < s.found.score || b.bound == s.found.score && b.earliest >= s.found.job.Number) {
				continue
			}
			if s.open != nil && !s.open(k) {
				break
			}
			s.visit(l, k, b)
		}
	}
	return s.found
}

// passes says whether a kind is known not to be looked for.
func (s *search) passes(k *kindQueue) bool { return s.open != nil && k.closed }

// visit looks for the job in a block.
func (s *search) visit(l *line, k *kindQueue, b *block) {
	if s.anyStarts != nil && !s.anyStarts(k, &b.jobs[b.least]) {
		return
	}
	l.look(k, b)
	highest := math.Inf(-1)
	for i := range b.jobs {
		w := &b.jobs[i]
		highest = max(highest, w.score)
		if s.found != nil && !w.before(s.found) || s.after != nil && !s.after.before(w) {
			continue
		}
		if s.starts == nil || s.starts(k, w) {
			s.found = w
		}
	}
	if b.bound = highest; b.still {
		b.top = highest
	}
}
