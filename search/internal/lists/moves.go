package lists

import (
	"math"
	"math/bits"
	"slices"
)

// Parameters of the moves; the others are in [engine.Walks].
const (
	marginFactor = 3   // an estimate must miss the limit by this many temperatures
	maxAge       = 100 // changes of a cluster after which the saving without a job is computed again
)

// step tries one move.
func (w *chain) step() {
	w.tried++
	if len(w.jobs) == 0 {
		return // on none of the clusters that the walk may change: a move that changes nothing
	}
	w.margin = marginFactor * w.temperature
	// Draw the highest energy that will be accepted before the move is made (Metropolis et al. 1953).
	threshold := w.energy + w.temperature*w.rng.ExpFloat64()
	j := w.jobs[w.rng.IntN(len(w.jobs))]
	if w.rng.Float64() < w.p.walks.Relocate {
		w.relocate(j, threshold)
	} else {
		w.swap(j, w.partner(j), threshold)
	}
}

// around draws a position out of n near the position at. The distance is random; each power of two is as likely as the next.
func (w *chain) around(at, n int) int {
	r := w.rng.Uint64()
	scale := int(uint32(r>>8)) % bits.Len(uint(n))
	d := 1<<scale - 1 + int(r>>40)&(1<<scale-1)
	if r&1 == 0 {
		d = -d
	}
	switch at += d; {
	case at < 0:
		return min(n-1, -at)
	case at >= n:
		return max(0, 2*n-2-at)
	}
	return at
}

// beside draws a position out of n on another cluster, near the relative position of job j on its own.
func (w *chain) beside(j int32, n int) int {
	return w.around(int(w.pos[j])*n/len(w.clusters[w.at[j]].order), n)
}

// partner draws a job to swap with job j.
func (w *chain) partner(j int32) int32 {
	if w.rng.Float64() < w.p.walks.Alike {
		return w.byArea[w.around(int(w.rank[j]), len(w.byArea))]
	}
	order := w.clusters[w.mine[w.rng.IntN(len(w.mine))]].order
	if len(order) == 0 {
		return j
	}
	return order[w.beside(j, len(order))]
}

// relocate moves job j to another position.
func (w *chain) relocate(j int32, threshold float64) {
	b := w.mine[w.rng.IntN(len(w.mine))]
	if w.p.Clusters[b].Jobs[j].Size == 0 {
		return
	}
	if n := len(w.clusters[b].order); b == w.at[j] {
		if to := w.beside(j, n); to != int(w.pos[j]) {
			w.shift(j, to, threshold)
		}
	} else {
		w.transfer(j, b, w.beside(j, n+1), threshold)
	}
}

// limit is the highest energy that the clusters a and b may have together, with the makespan over all clusters.
func (w *chain) limit(threshold float64, a, b int32) float64 {
	limit := threshold - (w.energy - w.p.Makespan*w.last[0].makespan - w.clusters[a].energy)
	if a != b {
		limit += w.clusters[b].energy
	}
	return limit
}

// shift moves job j within its cluster.
func (w *chain) shift(j int32, to int, threshold float64) {
	c, from := w.at[j], int(w.pos[j])
	if w.p.guess && w.energy+w.guessShift(c, from, to) > threshold {
		return
	}
	s := &w.clusters[c]
	order, first := s.order, min(from, to)
	q := w.begin(c, first, len(order), s.prefix[len(order)].busy, w.lastBut(c, c), w.limit(threshold, c, c))
	if from < to {
		copy(order[from:to], order[from+1:to+1])
	} else {
		copy(order[to+1:from+1], order[to:from])
	}
	order[to] = j
	last := max(from, to)
	ok := q.place(order[first:last]...) && q.follow(order[last:], s.prefix[last+1:])
	if ok {
		_, ok = q.done()
	}
	if ok {
		w.rebuild(c, first)
		w.accept()
		return
	}
	if from < to {
		copy(order[from+1:to+1], order[from:to])
	} else {
		copy(order[to:from], order[to+1:from+1])
	}
	order[from] = j
}

// without computes the energy and the makespan of the cluster of job j as they would be without j.
func (w *chain) without(j int32) (energy, makespan float64) {
	c, at := w.at[j], int(w.pos[j])
	s := &w.clusters[c]
	n := len(s.order)
	q := w.begin(c, at, n-1, s.prefix[n].busy-w.p.Clusters[c].Jobs[j].Area(), 0, math.Inf(1))
	q.place(s.order[at+1:]...)
	energy, _ = q.done()
	w.saved[j], w.seen[j] = s.energy-energy, s.changes
	return energy, q.sums.latest - w.p.Origin
}

// estimate is about the energy of the cluster of job j without j.
func (w *chain) estimate(j int32) float64 {
	s := &w.clusters[w.at[j]]
	if s.changes-w.seen[j] > maxAge {
		w.without(j)
	}
	return s.energy - w.saved[j]
}

// transfer moves job j to cluster b. It decodes cluster b first. If that looks too expensive, given an estimate of what the job's
// own cluster saves, it does not decode the other.
func (w *chain) transfer(j, b int32, to int, threshold float64) {
	a, from := w.at[j], int(w.pos[j])
	if w.p.guess && w.energy+w.guessExchange(a, from, j, nobody)+w.guessExchange(b, to, nobody, j) > threshold {
		return
	}
	sa, sb := &w.clusters[a], &w.clusters[b]
	n, limit, floor := len(sb.order), w.limit(threshold, a, b), w.lastBut(a, b)
	about := w.estimate(j)
	q := w.begin(b, to, n+1, sb.prefix[n].busy+w.p.Clusters[b].Jobs[j].Area(), floor, limit-about+w.margin)
	q.margin = 0
	if !q.place(j) || !q.follow(sb.order[to:], sb.prefix[to+1:]) {
		return
	}
	energy, ok := q.done()
	if !ok {
		return
	}
	floor = max(floor, q.sums.latest-w.p.Origin)
	without, makespan := w.without(j)
	if energy+without+w.p.Makespan*max(makespan, floor) > limit {
		return
	}
	sa.order = slices.Delete(sa.order, from, from+1)
	sb.order = slices.Insert(sb.order, to, j)
	w.at[j], w.seen[j] = b, math.MinInt32
	w.rebuild(a, from)
	w.rebuild(b, to)
	w.accept()
}

// swap exchanges jobs i and j.
func (w *chain) swap(i, j int32, threshold float64) {
	if i == j {
		return
	}
	a, b := w.at[i], w.at[j]
	if a != b {
		if w.p.Clusters[b].Jobs[i].Size > 0 && w.p.Clusters[a].Jobs[j].Size > 0 {
			if w.p.Clusters[a].Jobs[i].Area() < w.p.Clusters[a].Jobs[j].Area() {
				i, j = j, i
			}
			w.swapAcross(i, j, threshold)
		}
		return
	}
	s := &w.clusters[a]
	order, from, to := s.order, min(w.pos[i], w.pos[j]), max(w.pos[i], w.pos[j])
	if w.p.guess && w.energy+w.guessSwap(a, int(from), int(to)) > threshold {
		return
	}
	q := w.begin(a, int(from), len(order), s.prefix[len(order)].busy, w.lastBut(a, a), w.limit(threshold, a, a))
	order[from], order[to] = order[to], order[from]
	ok := q.place(order[from:to]...) && q.follow(order[to:], s.prefix[to+1:])
	if ok {
		_, ok = q.done()
	}
	if !ok {
		order[from], order[to] = order[to], order[from]
		return
	}
	w.rebuild(a, int(from))
	w.accept()
}

// swapAcross exchanges two jobs on two clusters; i is the larger. It decodes the cluster that receives i first: most often that
// cluster looks too expensive even if the other saved all that i costs.
func (w *chain) swapAcross(i, j int32, threshold float64) {
	a, b := w.at[i], w.at[j]
	pa, pb := int(w.pos[i]), int(w.pos[j])
	about := 0.0 // the energy of cluster a after the swap
	if w.p.guess {
		change := w.guessExchange(a, pa, i, j)
		if w.energy+change+w.guessExchange(b, pb, j, i) > threshold {
			return
		}
		about = w.clusters[a].energy + change
	} else {
		about = w.estimate(i)
	}
	sa, sb := &w.clusters[a], &w.clusters[b]
	ca, cb := w.p.Clusters[a].Jobs, w.p.Clusters[b].Jobs
	na, nb := len(sa.order), len(sb.order)
	limit, floor := w.limit(threshold, a, b), w.lastBut(a, b)
	q := w.begin(b, pb, nb, sb.prefix[nb].busy-cb[j].Area()+cb[i].Area(), floor, limit-about+w.margin)
	q.margin = 0
	sb.order[pb] = i
	ok := q.follow(sb.order[pb:], sb.prefix[pb+1:])
	var energy float64
	if ok {
		energy, ok = q.done()
	}
	if ok {
		sa.order[pa] = j
		q = w.begin(a, pa, na, sa.prefix[na].busy-ca[i].Area()+ca[j].Area(), max(floor, q.sums.latest-w.p.Origin), limit-energy)
		if ok = q.place(sa.order[pa:]...); ok {
			_, ok = q.done()
		}
	}
	if !ok {
		sa.order[pa], sb.order[pb] = i, j
		return
	}
	w.at[i], w.at[j] = b, a
	w.seen[i], w.seen[j] = math.MinInt32, math.MinInt32
	w.rebuild(a, pa)
	w.rebuild(b, pb)
	w.accept()
}
