package unrelated

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// beam is a beam search that gives the machines their jobs one machine after another. A partial schedule has filled the first machines almost up to
// their limits. By the identity of the weighted loads, regret and unused load are all that keeps the others from fitting, and how many ways
// remain to place the jobs that are left is estimated (see completions). Each level keeps the partial schedules with the most ways.
type beam struct {
	p       *problem
	order   []int32 // machines
	aim     float64 // the makespan to reach, as a multiple of the lower bound
	width   int     // partial schedules kept at each level
	levels  [][]partial
	next    []partial // of the level in the making
	at      int       // the partial schedule of the last level to expand next
	worst   float64   // at least width of next are better; +Inf: not known
	future  completions
	columns columns
	sorted  []int32   // jobs, those of greatest value for their time on the machine first
	price   []float64 // by job: that ratio
	hashes  []uint64  // by job
	row     []int32   // of one expansion: the jobs left, in order
	flips   []flip
	loads   []float64
	sum     []float64
}

// partial is a schedule of some machines.
type partial struct {
	left   []uint64 // bits over the jobs: those without a machine
	hash   uint64   // of left
	score  float64  // minus the logarithm of the number of completions
	parent int32    // in the level before
}

const (
	wantedColumns = 6  // of each partial schedule
	moreColumns   = 48 // of each partial schedule are scored to find these
	tooMany       = 4  // at this multiple of the width, next is pruned
	rescored      = 2  // this multiple of the width is scored afresh once all are known
	// hopeless is the logarithm of the number of completions, for each partial schedule kept, below which limits are raised.
	hopeless = -3
)

// maxBeam is the number of jobs times machines up to which there are beam searches: a step would take too long with more.
const maxBeam = 1 << 15

// beamFits tells whether a beam search makes sense. All times have to be finite and above 0. Only chains that keep rows ask: there are at most
// fewMachines machines then, and a mean of longRow jobs on each.
func beamFits(p *problem) bool {
	machines := len(p.clusterOf)
	if machines < 3 || len(p.jobs) < fewJobs || len(p.jobs)*machines > maxBeam || p.dense == nil {
		return false
	}
	return !slices.ContainsFunc(p.dense, func(w float64) bool { return !(w > 0) || math.IsInf(w, 1) })
}

// newBeam begins a search for a schedule of makespan aim, as a multiple of the lower bound.
func newBeam(p *problem, aim float64, width int, rng *kit.SplitMix) *beam {
	n, m := len(p.jobs), len(p.clusterOf)
	b := &beam{p: p, aim: aim, width: width, worst: math.Inf(1), price: make([]float64, n), loads: make([]float64, m), sum: make([]float64, m)}
	b.order = arrange(p, rng)
	b.future = completions{p: p, machines: b.order, limit: make([]float64, m), mu: make([]float64, m), share: slices.Repeat([]float64{1}, n),
		value: make([]float64, n), load: make([]float64, n*m)}
	for i, c := range p.clusterOf {
		b.future.limit[i], b.future.mu[i] = p.price[c]*aim, firstMu(p)
	}
	root := partial{left: make([]uint64, (n+63)/64)}
	for k := range n {
		b.hashes = append(b.hashes, rng.Next())
		root.left[k>>6] |= 1 << (k & 63)
		b.sorted = append(b.sorted, int32(k))
	}
	b.levels = [][]partial{{root}}
	return b
}

// arrange orders the machines at random, so that those with fewer jobs that might as well run elsewhere come early: the last machines have only
// each other to exchange jobs with.
func arrange(p *problem, rng *kit.SplitMix) []int32 {
	const warmth = 0.1 // a place is a likely one for a job if its weighted time is at most about this share above the least
	m := len(p.clusterOf)
	shared, q := make([]float64, m*m), make([]float64, m)
	for k := range p.jobs {
		least, sum := p.weighted(k, int(p.places[k][0])), 0.0
		for i, c := range p.clusterOf {
			q[i] = 0
			if ratio := least / p.weighted(k, int(c)); ratio > 0.5 { // others hardly count
				q[i] = math.Pow(ratio, 1/warmth)
			}
			sum += q[i]
		}
		for i := range q {
			if q[i] == 0 {
				continue
			}
			for l := range q {
				if i != l {
					shared[i*m+l] += least * q[i] * q[l] / (sum * sum)
				}
			}
		}
	}
	left, order := make([]int32, m), make([]int32, 0, m)
	for i := range left {
		left[i] = int32(i)
	}
	for len(left) > 0 {
		best, least := 0, math.Inf(1)
		for x, i := range left {
			with := 1e-9
			for _, l := range left {
				with += shared[int(i)*m+int(l)]
			}
			noise := float64(rng.Next()>>32)*0x1p-32 + float64(rng.Next()>>32)*0x1p-32 - 1
			if score := math.Log(with) + 0.7*noise; score < least {
				best, least = x, score
			}
		}
		order = append(order, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return order
}

// done tells whether all machines but one have their jobs; that one has all that are left.
func (b *beam) done() bool { return len(b.levels) == len(b.order) }

// step does a small part of the search. It returns the number of sums that it compared, and false if the search has failed or stop returned true.
func (b *beam) step(stop func() bool) (cost int64, ok bool) {
	now := b.levels[len(b.levels)-1]
	if b.at == 0 {
		if cost, ok = b.begin(stop); !ok {
			return cost, false
		}
	}
	cost += b.expand(&now[b.at], b.at, max(wantedColumns, 3*b.width/len(now)))
	if len(b.next) >= tooMany*b.width+1000 {
		b.prune(rescored * b.width)
		if len(b.next) >= rescored*b.width {
			b.worst = b.next[len(b.next)-1].score
		}
	}
	if b.at++; b.at < len(now) {
		return cost, true
	}
	more, ok := b.end(stop)
	return cost + more, ok && len(b.levels[len(b.levels)-1]) > 0
}

// last tells whether only one machine is left after the next.
func (b *beam) last() bool { return len(b.levels) == len(b.order)-1 }

// floor is the least logarithm of the number of completions.
func (b *beam) floor() float64 { return hopeless - math.Log(float64(b.width)) }

// begin prepares a level: it takes the next machine from those that are left, and its expected jobs with it.
func (b *beam) begin(stop func() bool) (cost int64, ok bool) {
	f := &b.future
	if len(b.levels) == 1 {
		if cost, ok = f.fit(b.floor(), stop); !ok {
			return cost, false
		}
	}
	for k := range f.share {
		if f.share[k] > 0 {
			f.share[k] *= 1 - f.weights(k)[0]
		}
	}
	f.machines = f.machines[1:]
	more, ok := b.fit(stop)
	machine := int(b.p.clusterOf[b.order[len(b.levels)-1]])
	for k := range b.price {
		b.price[k] = f.value[k] / b.p.weighted(k, machine)
	}
	slices.SortFunc(b.sorted, func(x, y int32) int { return cmp.Or(cmp.Compare(b.price[y], b.price[x]), cmp.Compare(x, y)) })
	return cost + more, ok
}

// fit fits the estimate to the jobs left, and computes the value of all jobs.
func (b *beam) fit(stop func() bool) (cost int64, ok bool) {
	f := &b.future
	ok = true
	if len(f.machines) > 1 {
		cost, ok = f.fit(b.floor(), stop)
	}
	for k := range b.price {
		q := f.weights(k)
		for u, i := range f.machines {
			q[u] *= b.p.weighted(k, int(b.p.clusterOf[i]))
		}
	}
	return cost + int64(len(b.price)*len(f.machines)/termsEach), ok
}

// expand finds columns of the next machine for a partial schedule, and adds the best keep of its successors.
func (b *beam) expand(s *partial, index, keep int) (cost int64) {
	machine := b.order[len(b.levels)-1]
	limit, cluster := b.future.limit[machine], int(b.p.clusterOf[machine])
	b.row = b.row[:0]
	for _, k := range b.sorted {
		if s.left[k>>6]>>(k&63)&1 != 0 {
			b.row = append(b.row, k)
		}
	}
	load, cut := 0.0, 0
	for cut < len(b.row) {
		w := b.p.weighted(int(b.row[cut]), cluster)
		if load+w > limit {
			break
		}
		load += w
		cut++
	}
	price := b.future.mu[machine]
	if cut < len(b.row) {
		price = b.price[b.row[cut]]
	}
	plain := partial{left: slices.Clone(s.left), hash: s.hash, parent: int32(index)}
	for _, k := range b.row[:cut] {
		b.take(&plain, k)
	}
	plain.score = b.rest(b.row[cut:], b.sum) - price*(limit-load)
	b.nearFlips(cut, cluster, price)
	b.columns.list(b.flips)
	cost = int64(len(b.row)+len(b.columns.sets[0])+len(b.columns.sets[1])) + b.columns.cheapestPairs(limit-load, price, 0.005*limit, b.worst-plain.score, max(keep, moreColumns))
	from := len(b.next)
	for _, found := range b.columns.found {
		child := partial{left: slices.Clone(plain.left), hash: plain.hash, score: plain.score + found.cost, parent: plain.parent}
		copy(b.loads, b.sum)
		b.columns.flipped(found, func(f flip) {
			sign := 1.0
			if f.load > 0 {
				sign = -1
			}
			b.take(&child, f.k)
			b.expect(b.loads, f.k, sign)
		})
		if !b.last() {
			child.score += b.future.bend(b.loads)
		}
		if child.score < b.worst {
			b.next = append(b.next, child)
		}
	}
	slices.SortFunc(b.next[from:], better)
	b.next = b.next[:min(len(b.next), from+keep)]
	return cost + int64(len(b.columns.found)*len(b.future.machines)/termsEach)
}

// take takes job k from those left, or puts it back.
func (b *beam) take(s *partial, k int32) {
	s.left[k>>6] ^= 1 << (k & 63)
	s.hash ^= b.hashes[k]
}

// rest is minus the logarithm of the number of completions with the given jobs left, without the bend. It fills loads with the expected loads of the
// machines left.
func (b *beam) rest(jobs []int32, loads []float64) float64 {
	score := b.future.base()
	clear(loads)
	for _, k := range jobs {
		score += b.future.value[k]
		b.expect(loads, k, 1)
	}
	return score
}

// expect adds the expected loads of job k, times sign, to those of the machines left.
func (b *beam) expect(loads []float64, k int32, sign float64) {
	for u, w := range b.future.load[int(k)*len(b.order):][:len(b.future.machines)] {
		loads[u] += sign * w
	}
}

// nearFlips fills flips with the cheapest ones near the end of the plain column, in order of cost.
func (b *beam) nearFlips(cut, cluster int, price float64) {
	b.flips = b.flips[:0]
	for x := max(0, cut-flipReach); x < min(len(b.row), cut+flipReach); x++ {
		k := b.row[x]
		w := b.p.weighted(int(k), cluster)
		f := flip{k, w, max(0, price*w-b.future.value[k])}
		if x < cut {
			f.load, f.cost = -w, max(0, b.future.value[k]-price*w)
		}
		b.flips = append(b.flips, f)
	}
	slices.SortFunc(b.flips, func(x, y flip) int { return cmp.Or(cmp.Compare(x.cost, y.cost), cmp.Compare(x.k, y.k)) })
	b.flips = b.flips[:min(len(b.flips), maxFlips)]
}

// better orders partial schedules, the best first.
func better(x, y partial) int {
	return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.hash, y.hash), cmp.Compare(x.parent, y.parent))
}

// prune keeps the best of next, and of those with the same jobs left only one.
func (b *beam) prune(width int) {
	slices.SortFunc(b.next, better)
	seen, kept := make(map[uint64]bool, width), b.next[:0]
	for _, s := range b.next {
		if !seen[s.hash] && len(kept) < width {
			seen[s.hash] = true
			kept = append(kept, s)
		}
	}
	b.next = kept
}

// end finishes a level: it fits the estimate to the mean of the best partial schedules, each weighted by its number of completions, and keeps the
// best.
func (b *beam) end(stop func() bool) (cost int64, ok bool) {
	b.prune(rescored * b.width)
	if !b.last() && len(b.next) > 0 {
		if stop() {
			return 0, false
		}
		b.mean()
		if stop() {
			return 0, false
		}
		if cost, ok = b.fit(stop); !ok {
			return cost, false
		}
		for x := range b.next {
			if x%16 == 0 && stop() {
				return cost, false
			}
			s := &b.next[x]
			b.row = appendLeft(b.row[:0], s)
			s.score = b.rest(b.row, b.loads) + b.future.bend(b.loads)
			cost += int64(len(b.row) * len(b.future.machines) / termsEach)
		}
		b.prune(b.width)
	}
	b.levels = append(b.levels, slices.Clone(b.next[:min(len(b.next), b.width)]))
	b.next, b.at, b.worst, b.columns.limit = b.next[:0], 0, math.Inf(1), 0
	return cost, true
}

// mean sets the shares of the jobs in the best partial schedules.
func (b *beam) mean() {
	clear(b.future.share)
	total := 0.0
	for x := range b.next[:min(len(b.next), b.width)] {
		s := &b.next[x]
		weight := math.Exp(b.next[0].score - s.score)
		if total += weight; weight < 1e-9 {
			break
		}
		b.row = appendLeft(b.row[:0], s)
		for _, k := range b.row {
			b.future.share[k] += weight
		}
	}
	for k := range b.future.share {
		b.future.share[k] /= total
	}
}

// appendLeft appends the jobs left to a list.
func appendLeft(list []int32, s *partial) []int32 {
	for x, word := range s.left {
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(x*64+bits.TrailingZeros64(word)))
		}
	}
	return list
}

// schedule is the best schedule of a finished search: a machine for each job.
func (b *beam) schedule() []int32 {
	at := make([]int32, len(b.price))
	level := len(b.levels) - 1
	s := &b.levels[level][0]
	for _, k := range appendLeft(nil, s) {
		at[k] = b.order[level]
	}
	for ; level > 0; level-- {
		before := &b.levels[level-1][s.parent]
		for _, k := range appendLeft(nil, before) {
			if s.left[k>>6]>>(k&63)&1 == 0 {
				at[k] = b.order[level-1]
			}
		}
		s = before
	}
	return at
}
