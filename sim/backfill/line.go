package backfill

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// line is a queue in order of priority that is not sorted. The jobs of one kind, which fit the same processors, lie together: in blocks of neighbours by rank, and these in sections, each of one
// party, see [scorer.party]. Rank puts jobs together that are about as good, so that most blocks can be passed over; it decides nothing. A block and a section know an upper bound of
// the priorities of their jobs, which stays one as time goes on: see [promise], and for the weights of [Priorities] line.bound. So the job of the highest priority is found by looking into the few blocks
// that may hold it, and priorities are compared as they are and not by their bounds.
//
// In orders in which priorities do not change while a job waits, the first job of each kind is known until it leaves, and so is the first of all. A search then goes down a tree of the kinds, and passes those below
// a node at once that come too late, hold too many processors, or of which no job is short enough.
//
// Complexity: a search takes O(k + s + b + c·m) for k kinds and s sections that may hold the job, b blocks of sections that promise enough, and c blocks of m jobs that do. In the order of [Priorities]
// an instant takes O(n/m) besides, for n jobs.
type line struct {
	order    Order
	platform *sim.Platform
	clusters []int

	byKind  map[kindKey]*kindQueue
	byWidth []*kindQueue            // in its place where jobs of as many processors are of one kind; nil: they are not
	listed  func(*sim.Job) *listing // where a job waits, of a line that serves several queues; nil: it serves one
	kinds   []*kindQueue
	narrow  []int32    // by kind: fewest processors that its jobs hold
	least   []float64  // by kind: no size is less, see [sim.Platform.KindOf]
	heads   []foremost // likewise, where priorities never change
	firsts  tournament // of these
	places  []place    // by handle
	asked   []float64  // by licence: how many are asked for
	ratios  []float64  // by licence, at the instant
	length  int
	lasting bool     // priorities never change while a job waits, but for those of jobs that become late
	joined  []joined // with a bound of the wait: those that have joined, in the order of arrival, from which the late ones are gone

	now      float64
	shortest float64
	instant  int64
	round    int64   // priorities are those of all instants of the same round
	given    float64 // largest part given to any job, as a magnitude

	spareKinds  []*kindQueue // without jobs, to be used again
	spareBlocks []*block
}

// kindKey tells the kinds of a line apart: jobs of one kind fit the same processors and wait in the same queues.
type kindKey struct {
	sim.Kind
	in *listing
}

// joined is a job that has joined the queue. It may have left since, and its handle may be that of another job.
type joined struct {
	arrival float64
	number  int64
	handle  int32
}

// place is where a queued job is.
type place struct {
	in    *kindQueue // nil: not queued
	block *block
	at    int32
}

// kindQueue holds the queued jobs of one kind.
type kindQueue struct {
	closed   int64 // instant of the line at which none can start; 0: not known of any
	sections []section
	needs    []model.Need // licences of each of the jobs
	licences float64      // score of these, at the instant
	slack    float64      // by which the bounds may be off through rounding
	kind     kindKey
	at       int // in the list of kinds

	widths  []int // by place in the clusters of the policy: processors that a job holds; empty: not yet known
	spreads bool  // the jobs may hold processors of several clusters

	visits []visit // see [joint]; nil: not known yet

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

// section is neighbouring blocks of one party.
type section struct {
	blocks []*block // by rank; never empty ones
	promise
	bounded
}

// block is some jobs of one kind and party.
type block struct {
	jobs []waiting
	low  rank // no rank of a job is less, and none of a block before it is as great

	least  int     // the job of the least size
	latest float64 // latest finite deadline, as a magnitude; 0: none

	promise          // where no scorer gives the priorities: level and at are the highest priority, without the score of licences, and the time when it was last scored
	round    int64   // in which it was last scored; 0: a job has joined since
	base     float64 // highest priority then, without the scores of licences and of short jobs
	ramp     float64 // see Order.ramp
	compared float64 // shortest length in the queue then
	bounded
}

// bounded is an upper bound of priorities.
type bounded struct {
	bound float64
	known int64 // the round of the line for which it is one
}

// rank is a job's place among those of its kind.
type rank struct {
	party      int
	by, length float64
	number     int64
}

// compare orders ranks.
func (r *rank) compare(other *rank) int {
	return cmp.Or(cmp.Compare(r.party, other.party), cmp.Compare(r.by, other.by), cmp.Compare(r.length, other.length), cmp.Compare(r.number, other.number))
}

// The most jobs of a block and blocks of a section, and the most processors of a platform on which the kinds of jobs are in a list.
const (
	mostWidths  = 1 << 20
	mostWaiting = 32
	mostBlocks  = 32
)

// newLine is an empty queue for jobs that may run on the clusters.
func newLine(order Order, platform *sim.Platform, clusters []int) line {
	l := line{order: order, platform: platform, clusters: clusters, byKind: map[kindKey]*kindQueue{}, lasting: order.lasts(),
		asked: make([]float64, platform.Licences()), ratios: make([]float64, platform.Licences())}
	if platform.Flat() && platform.Empty().Processors[0] < mostWidths {
		l.byWidth = make([]*kindQueue, platform.Empty().Processors[0]+1)
	}
	return l
}

// serve lets a line serve several queues. The function tells where a job waits. Jobs of as many processors may wait in different queues, so the number does not tell their kind.
func (l *line) serve(listed func(*sim.Job) *listing) { l.listed, l.byWidth = listed, nil }

// add adds a job.
func (l *line) add(j *sim.Job, fastest float64) {
	of, size := l.platform.KindOf(j, l.clusters)
	kind := kindKey{Kind: of}
	if l.listed != nil {
		kind.in = l.listed(j)
	}
	k := l.kindOf(j, kind)
	if k == nil {
		k = l.newKind()
		k.kind, k.at, k.needs = kind, len(l.kinds), j.Request.Licences
		l.keepKind(j, kind, k)
		l.firsts.touch(len(l.kinds))
		l.kinds, l.heads = append(l.kinds, k), append(l.heads, foremost{})
		l.narrow, l.least = append(l.narrow, int32(fewest(l.platform, j, l.clusters))), append(l.least, math.Inf(1))
	}
	for int(j.Handle) >= len(l.places) {
		l.places = append(l.places, place{})
	}
	w := l.order.entry(j, fastest, size)
	if s := l.order.scorer; s != nil {
		w.width, w.class = int(l.narrow[k.at]), l.platform.UserPriority(j)
		if l.now = max(l.now, j.Arrival); s.BoundWait != nil {
			l.note(j)
		}
	}
	l.given = max(l.given, math.Abs(w.given))
	if size < l.least[k.at] {
		l.least[k.at] = size
		l.firsts.touch(k.at)
	}
	l.put(k, w)
	l.count(j, 1)
	l.length++
}

// kindOf is the queue of the jobs of a kind, of which j is one; nil: none waits.
func (l *line) kindOf(j *sim.Job, kind kindKey) *kindQueue {
	if l.byWidth != nil {
		return l.byWidth[j.Processors]
	}
	return l.byKind[kind]
}

// keepKind makes a queue that of the jobs of a kind, of which j is one; nil: none waits any more.
func (l *line) keepKind(j *sim.Job, kind kindKey, k *kindQueue) {
	switch {
	case l.byWidth != nil:
		l.byWidth[j.Processors] = k
	case k != nil:
		l.byKind[kind] = k
	default:
		delete(l.byKind, kind)
	}
}

// note lists a job that may become late.
func (l *line) note(j *sim.Job) {
	at := len(l.joined)
	for at > 0 && l.joined[at-1].arrival > j.Arrival {
		at--
	}
	l.joined = slices.Insert(l.joined, at, joined{j.Arrival, j.Number, j.Handle})
}

// hurry moves the jobs that have waited longer than the bound to where their new rank is.
func (l *line) hurry() {
	passed := 0
	for _, of := range l.joined {
		if !(l.now-of.arrival > *l.order.scorer.BoundWait) {
			break
		}
		passed++
		if at := l.places[of.handle]; at.in != nil && at.block.jobs[at.at].job.Number == of.number {
			w := at.block.jobs[at.at]
			l.take(at)
			l.put(at.in, w)
		}
	}
	l.joined = l.joined[passed:]
}

// newKind is a kind without jobs. It uses the memory of one that has none any more.
func (l *line) newKind() *kindQueue {
	last := len(l.spareKinds) - 1
	if last < 0 {
		return &kindQueue{}
	}
	k := l.spareKinds[last]
	l.spareKinds = l.spareKinds[:last]
	*k = kindQueue{sections: k.sections[:0], widths: k.widths[:0], finders: k.finders[:0], outlook: outlook{offers: k.offers[:0], asides: k.asides[:0]}}
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

// count counts the licences that a job asks for, or no longer.
func (l *line) count(j *sim.Job, sign float64) {
	for _, need := range j.Request.Licences {
		if l.order.CountJobs {
			l.asked[need.Licence] += sign
		} else {
			l.asked[need.Licence] += sign * float64(need.Copies)
		}
	}
}

// put puts a job into the block of its rank.
func (l *line) put(k *kindQueue, w waiting) {
	w.rank = l.order.rank(l.now, &w)
	in, at := k.place(&w.rank)
	switch {
	case in >= 0 && k.sections[in].blocks[0].low.party == w.rank.party:
	case in+1 < len(k.sections) && k.sections[in+1].blocks[0].low.party == w.rank.party:
		in, at = in+1, 0
	default:
		in, at = in+1, 0
		k.sections = slices.Insert(k.sections, in, section{blocks: []*block{l.newBlock()}, promise: l.nothing()})
		k.sections[in].blocks[0].low = w.rank
	}
	s := &k.sections[in]
	b := s.blocks[at]
	if w.rank.compare(&b.low) < 0 {
		b.low = w.rank
	}
	joins := promise{level: math.Inf(1), top: math.Inf(1), shortest: w.length, earliest: w.job.Number, widest: float64(w.width), smallest: w.size}
	if l.order.scorer != nil {
		w.score = l.order.of(&w, l.now, 0, 0)
		joins.level, joins.top = l.order.scorer.level(l.now, w.job, w.fastest, w.score)
	}
	if l.lasting {
		if l.order.scorer == nil {
			w.score = w.given
		}
		if h := &l.heads[k.at]; h.known && w.goesBefore(h) {
			*h = foremost{w.score, w.job.Number, w.job.Handle, true}
			l.firsts.touch(k.at)
		}
	}
	l.places[w.job.Handle] = place{k, b, int32(len(b.jobs))}
	b.jobs = append(b.jobs, w)
	b.count(len(b.jobs) - 1)
	l.join(&s.promise, joins)
	l.join(&b.promise, joins)
	s.known, b.known, b.round = 0, 0, 0
	if len(b.jobs) == mostWaiting {
		l.split(k, in, at)
	}
}

// nothing is the promise of no jobs now.
func (l *line) nothing() promise {
	if s := l.order.scorer; s != nil {
		return nothing(s.time(l.now))
	}
	return nothing(l.now)
}

// join adds what a job promises now.
func (l *line) join(p *promise, joins promise) {
	if s := l.order.scorer; s != nil {
		p.level, p.at = s.levelBy(l.now, p), s.time(l.now)
	}
	p.include(joins.level, joins)
}

// place is the section and the block of a rank; −1: it is before all.
func (k *kindQueue) place(r *rank) (in, at int) {
	if in = len(k.sections) - 1; in >= 0 { // most ranks are the last ones
		blocks := k.sections[in].blocks
		if at = len(blocks) - 1; blocks[at].low.compare(r) <= 0 {
			return in, at
		}
	}
	in = sort.Search(len(k.sections), func(i int) bool { return k.sections[i].blocks[0].low.compare(r) > 0 }) - 1
	if in < 0 {
		return in, 0
	}
	blocks := k.sections[in].blocks
	return in, sort.Search(len(blocks), func(i int) bool { return blocks[i].low.compare(r) > 0 }) - 1
}

// split halves a block, and its section where it has too many.
func (l *line) split(k *kindQueue, in, at int) {
	s := &k.sections[in]
	b, upper := s.blocks[at], l.newBlock()
	slices.SortFunc(b.jobs, func(x, y waiting) int { return x.rank.compare(&y.rank) })
	jobs := append(upper.jobs, b.jobs[mostWaiting/2:]...)
	clear(b.jobs[mostWaiting/2:])
	b.jobs = b.jobs[:mostWaiting/2]
	*upper = *b
	upper.jobs, upper.low = jobs, jobs[0].rank
	for _, half := range []*block{b, upper} {
		half.measure()
		for i := range half.jobs {
			l.places[half.jobs[i].job.Handle] = place{k, half, int32(i)}
		}
	}
	s.blocks = slices.Insert(s.blocks, at+1, upper)
	if len(s.blocks) == mostBlocks {
		rest := section{slices.Clone(s.blocks[mostBlocks/2:]), s.promise, s.bounded}
		clear(s.blocks[mostBlocks/2:])
		s.blocks = s.blocks[:mostBlocks/2]
		k.sections = slices.Insert(k.sections, in+1, rest)
	}
}

// newBlock is a block without jobs. It uses the memory of one that has none any more.
func (l *line) newBlock() *block {
	last := len(l.spareBlocks) - 1
	if last < 0 {
		return &block{promise: l.nothing()}
	}
	b := l.spareBlocks[last]
	l.spareBlocks = l.spareBlocks[:last]
	*b = block{jobs: b.jobs[:0], promise: l.nothing()}
	return b
}

// measure brings up to date what a block knows of its jobs beside their priorities.
func (b *block) measure() {
	b.least, b.earliest, b.shortest, b.widest, b.latest = 0, math.MaxInt64, math.Inf(1), 0, 0
	b.smallest = math.Inf(1)
	for i := range b.jobs {
		b.count(i)
	}
}

// count adds to it what it knows of one job, after those before it in the list.
func (b *block) count(i int) {
	w := &b.jobs[i]
	if w.size < b.jobs[b.least].size {
		b.least = i
	}
	b.smallest = b.jobs[b.least].size
	b.earliest, b.shortest, b.widest = min(b.earliest, w.job.Number), min(b.shortest, w.length), max(b.widest, float64(w.width))
	if !math.IsInf(w.deadline, 1) {
		b.latest = max(b.latest, math.Abs(w.deadline))
	}
}

// remove takes a job out.
func (l *line) remove(j *sim.Job) {
	at := l.places[j.Handle]
	size := at.block.jobs[at.at].size
	l.take(at)
	l.count(j, -1)
	l.length--
	if len(at.in.sections) > 0 {
		if least := &l.least[at.in.at]; size <= *least {
			*least = math.Inf(1)
			at.in.each(func(b *block) { *least = min(*least, b.smallest) })
			l.firsts.touch(at.in.at)
		}
		return
	}
	end := len(l.kinds) - 1
	l.kinds[at.in.at], l.narrow[at.in.at], l.least[at.in.at], l.heads[at.in.at] = l.kinds[end], l.narrow[end], l.least[end], l.heads[end]
	l.kinds[at.in.at].at = at.in.at
	l.kinds[end] = nil
	l.firsts.touch(at.in.at)
	l.firsts.touch(end)
	l.kinds, l.narrow, l.least, l.heads = l.kinds[:end], l.narrow[:end], l.least[:end], l.heads[:end]
	l.keepKind(j, at.in.kind, nil)
	l.spareKinds = append(l.spareKinds, at.in)
}

// take takes a job out of its block. The jobs of a block that has few left join its neighbours.
func (l *line) take(at place) {
	b, last := at.block, len(at.block.jobs)-1
	if h := &l.heads[at.in.at]; h.handle == b.jobs[at.at].job.Handle {
		h.known = false
		l.firsts.touch(at.in.at)
	}
	l.places[b.jobs[at.at].job.Handle] = place{}
	if int(at.at) != last {
		b.jobs[at.at] = b.jobs[last]
		l.places[b.jobs[at.at].job.Handle].at = at.at
	}
	b.jobs[last] = waiting{}
	b.jobs = b.jobs[:last]
	in, k := at.in.place(&b.low)
	s := &at.in.sections[in]
	if last > mostWaiting/4 || last > 0 && len(s.blocks) == 1 {
		b.measure()
		return
	}
	if s.blocks = slices.Delete(s.blocks, k, k+1); len(s.blocks) == 0 {
		at.in.sections = slices.Delete(at.in.sections, in, in+1)
	}
	for _, w := range b.jobs {
		l.put(at.in, w)
	}
	clear(b.jobs)
	l.spareBlocks = append(l.spareBlocks, b)
}

// begin fixes what the priorities of an instant depend on: the time, the shortest job and the licences asked for by the jobs that are
// queued now.
func (l *line) begin(now float64) {
	l.now = now
	l.instant++
	l.round = l.order.round(l.instant)
	switch {
	case l.order.scorer != nil:
		l.hurry()
		return
	case l.order.still():
		return
	}
	l.shortest = math.Inf(1)
	l.each(func(b *block) { l.shortest = min(l.shortest, b.shortest) })
	plenty := l.rate()
	magnitude := l.order.magnitude(now)
	for _, k := range l.kinds {
		k.licences = licenceScore(k.needs, l.ratios, plenty)
		if k.slack = magnitude + math.Abs(l.order.Licences*k.licences); k.slack > 0 { // else the priority is the given part, exactly
			k.slack = 1e-11 * (k.slack + l.given)
		}
	}
}

// each calls yield with each block.
func (l *line) each(yield func(*block)) {
	for _, k := range l.kinds {
		k.each(yield)
	}
}

// each calls yield with each block of the kind.
func (k *kindQueue) each(yield func(*block)) {
	for i := range k.sections {
		for _, b := range k.sections[i].blocks {
			yield(b)
		}
	}
}

// any is a job of the kind.
func (k *kindQueue) any() *sim.Job { return k.sections[0].blocks[0].jobs[0].job }

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

// most is an upper bound of the priorities of a section.
func (l *line) most(k *kindQueue, s *section) float64 {
	if s.known == l.round {
		return s.bound
	}
	if s.known = l.round; l.order.scorer != nil {
		s.bound = l.order.scorer.bound(l.now, s.blocks[0].low.party, &s.promise)
		return s.bound
	}
	s.bound = math.Inf(-1)
	for _, b := range s.blocks {
		s.bound = max(s.bound, l.mostOf(k, b))
	}
	return s.bound
}

// mostOf is an upper bound of the priorities of a block.
func (l *line) mostOf(k *kindQueue, b *block) float64 {
	if b.known == l.round {
		return b.bound
	}
	if b.known = l.round; l.order.scorer != nil {
		b.bound = l.order.scorer.bound(l.now, b.low.party, &b.promise)
	} else {
		b.bound = l.bound(k, b)
	}
	return b.bound
}

// bound is an upper bound of the priorities of a block by the weights of [Priorities]: they were known when it was last scored, and since then no job has gained more than by aging and by the steepest
// score of a deadline, nor by the shortest job having changed.
func (l *line) bound(k *kindQueue, b *block) float64 {
	o := &l.order
	if b.round == 0 || math.IsInf(b.ramp, 1) {
		return math.Inf(1)
	}
	gained := l.now - b.at
	gain := o.Aging * gained
	if b.ramp > 0 { // the time, and what rounding may add to it
		gain += b.ramp * (gained + 1e-14*b.latest)
	}
	best := b.base + math.Abs(o.Wait)
	if b.shortest > 0 {
		best = min(best, b.base+max(0, o.Wait*min(1, l.shortest/b.shortest)), b.level+max(0, o.Wait*((l.shortest-b.compared)/b.shortest)))
	} else if l.shortest == b.compared {
		best = min(best, b.level)
	}
	return best + gain + o.Licences*k.licences + k.slack
}

// look computes the priorities of the jobs of a block at the instant.
func (l *line) look(k *kindQueue, b *block) {
	if b.round == l.round {
		return
	}
	o := &l.order
	b.round, b.at, b.level = l.round, l.now, math.Inf(-1)
	if s := o.scorer; s != nil {
		b.at, b.top = s.time(l.now), math.Inf(-1)
		for i := range b.jobs {
			w := &b.jobs[i]
			w.score = o.of(w, l.now, 0, 0)
			level, top := s.level(l.now, w.job, w.fastest, w.score)
			b.level, b.top = max(b.level, level), max(b.top, top)
		}
		return
	}
	b.compared, b.base, b.ramp = l.shortest, math.Inf(-1), 0
	licences := o.Licences * k.licences
	for i := range b.jobs {
		w := &b.jobs[i]
		w.score = o.of(w, l.now, l.shortest, k.licences)
		highest := w.score - licences
		b.level = max(b.level, highest)
		b.base = max(b.base, highest-o.wait(w.length, l.shortest))
		b.ramp = max(b.ramp, o.ramp(w, l.now))
	}
}

// before says whether a job goes before another at the instant, for which both have been looked at.
func (w *waiting) before(other *waiting) bool {
	return w.score > other.score || w.score == other.score && w.job.Number < other.job.Number
}
