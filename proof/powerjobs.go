package proof

import (
	"math"
	"math/big"
	"slices"
	"sort"
)

// powerRun is one way to run a job: on processors of a cluster, for a time. A loose one holds that as late as it may, at the least costs since the head of the job,
// and may not start before a time after it.
type powerRun struct {
	cluster, width int
	length, late   *big.Rat
	loose          bool
}

// powerPrice is what a processor costs by time that takes a power: that and its price.
type powerPrice struct {
	rate []*big.Int // by limit, from it on
	sums []*big.Int // by limit: the integral
	low  []*big.Int // by limit, from it on: the least rate to the end
}

// What the rules tolerate of a time at an end of the horizon, and more: a part of the length of the job, and of the times of the horizon.
var (
	toleratedLength = big.NewRat(2, 1_000_000_000)
	toleratedTime   = big.NewRat(1, 1<<50)
)

// listRuns lists the ways to run each job. It returns false if what some job may do is not known.
func (v *powerView) listRuns() bool {
	v.runs = make([][]powerRun, len(v.in.Jobs()))
	for j := range v.runs {
		if v.never[j] || v.head[j] == nil {
			continue
		}
		if v.unknown(j) { // it takes no power at least
			if v.negative || v.weights.waits() {
				return false
			}
			continue
		}
		for c := range v.clusters {
			if v.alone[j][c] && !v.listOn(j, c) {
				return false
			}
		}
	}
	return true
}

// unknown says that it is not known how long the job holds which processors.
func (v *powerView) unknown(j int) bool {
	return v.over[j] != nil || v.in.Jobs()[j].Node().Running != nil
}

// listOn lists the ways to run job j on cluster c alone. Where no rate is negative those suffice that hold the least; otherwise all have to be rectangles.
func (v *powerView) listOn(j, c int) bool {
	for _, w := range v.jobWays(j, c) {
		run := powerRun{c, w.size, w.time, new(big.Rat), w.loose}
		if v.negative && (w.loose || !w.exact) || w.loose && v.weights.wait != nil {
			return false
		}
		if w.loose {
			run.length = number(down(w.length()))
			run.late = larger(run.late, number(down(new(big.Rat).Sub(w.time, run.length))))
		}
		v.runs[j] = append(v.runs[j], run)
		if _, widest := v.in.Width(j, c); v.negative && v.in.Jobs()[j].Tasks <= w.size { // more than it has tasks for
			run.width = min(widest, v.in.Clusters()[c].Processors)
			v.runs[j] = append(v.runs[j], run)
		}
	}
	return true
}

// powers are the least and the largest power of a processor of job j on cluster c.
func (v *powerView) powers(j, c int) (least, most float64) {
	if own, stated := v.in.Jobs()[j].Power(); stated {
		return own, own
	}
	least = math.Inf(1)
	for g := range v.in.Clusters()[c].Machines {
		busy := 0.0
		if p := v.in.Clusters()[c].Machines[g].Power; p != nil {
			busy = p.Busy
		}
		least, most = min(least, busy), max(most, busy)
	}
	return least, most
}

// job is what job j costs and pays at least; nil: nothing is known to be possible.
func (v *powerView) job(j int) *big.Int {
	if v.never[j] || v.head[j] == nil {
		return nil
	}
	if v.unknown(j) {
		return new(big.Int)
	}
	head, end := larger(new(big.Rat), new(big.Rat).Add(v.head[j], v.shift)), v.length
	if v.plain[j] != nil {
		if last := v.times.of(new(big.Rat).Add(v.plain[j], v.shift)); last.Cmp(end) < 0 {
			end = last
		}
	}
	var best *big.Int
	for _, run := range v.runs[j] {
		first, length := v.times.of(new(big.Rat).Add(head, run.late)), v.times.of(run.length)
		last := new(big.Int).Sub(end, length)
		if last.Cmp(first) < 0 {
			short := new(big.Rat).SetFrac(new(big.Int).Sub(first, last), new(big.Int).Lsh(big.NewInt(1), v.times.digits))
			if short.Cmp(v.tolerated(j, run.length)) > 0 {
				continue // it does not end in time
			}
			if first = last; first.Sign() < 0 {
				first = new(big.Int)
			}
			last = first
		}
		least, most := v.powers(j, run.cluster)
		for k, power := range []float64{least, most} {
			if k == 1 && (most == least || !v.negative) {
				continue
			}
			price := v.priceOf(run.cluster, power)
			if run.loose {
				price = v.leastSince(price, v.clusters[run.cluster].limits, v.times.of(head))
			}
			cost := v.cheapest(price, v.clusters[run.cluster].limits, first, last, length, v.waitOf(j, run.width, length))
			if best == nil || cost.Cmp(best) < 0 {
				best = cost
			}
		}
	}
	return best
}

// tolerated is by how much job j, if it has the length, may end too late and still be taken to fit.
func (v *powerView) tolerated(j int, length *big.Rat) *big.Rat {
	sum := new(big.Rat).Mul(length, toleratedLength)
	if v.last[j] != nil {
		sum = larger(sum, new(big.Rat).Sub(v.last[j], v.plain[j]))
	}
	ends := number(math.Abs(v.from))
	ends.Add(ends, number(math.Abs(v.to)))
	return sum.Add(sum, ends.Mul(ends, toleratedTime))
}

// priceOf is what a processor costs that takes the power.
func (v *powerView) priceOf(c int, power float64) *powerPrice {
	if v.cached != nil && v.cachedCluster == c && v.cachedPower == power {
		return v.cached
	}
	k, watts := &v.clusters[c], v.watts.of(number(power))
	p := &powerPrice{}
	for n := range k.rate {
		x := new(big.Int).Mul(k.rate[n], watts)
		p.rate = append(p.rate, x.Add(x, k.paid[n]))
	}
	for n := range k.areas {
		x := new(big.Int).Mul(k.areas[n], watts)
		p.sums = append(p.sums, x.Add(x, k.sums[n]))
	}
	p.low = slices.Clone(p.rate)
	for n := len(p.low) - 2; n >= 0; n-- {
		if p.low[n+1].Cmp(p.low[n]) < 0 {
			p.low[n] = p.low[n+1]
		}
	}
	v.cached, v.cachedCluster, v.cachedPower = p, c, power
	return p
}

// leastSince is the least of what a processor costs since the head of a job.
func (v *powerView) leastSince(p *powerPrice, limits []*big.Int, head *big.Int) *powerPrice {
	from := sort.Search(len(limits), func(k int) bool { return limits[k].Cmp(head) > 0 }) - 1
	from = min(max(0, from), len(p.rate)-1)
	least := &powerPrice{rate: slices.Clone(p.rate), sums: []*big.Int{new(big.Int)}}
	for n := range least.rate {
		if n < from {
			least.rate[n] = least.rate[from]
		} else if n > from && least.rate[n-1].Cmp(least.rate[n]) < 0 {
			least.rate[n] = least.rate[n-1]
		}
		part := new(big.Int).Sub(limits[n+1], limits[n])
		least.sums = append(least.sums, part.Add(part.Mul(part, least.rate[n]), least.sums[n]))
	}
	last := least.rate[len(least.rate)-1] // they do not rise
	least.low = slices.Repeat([]*big.Int{last}, len(least.rate))
	return least
}

// powerWait is what a job costs by its start and end.
type powerWait struct {
	width                 *big.Int
	constant, delay, over *big.Int
	due                   *big.Int // the start with which it ends at its deadline; nil: that does not count
}

// waitOf is what job j costs by its start and end, on width processors for the length.
func (v *powerView) waitOf(j, width int, length *big.Int) *powerWait {
	w := &powerWait{width: big.NewInt(int64(width))}
	if !v.weights.waits() {
		return w
	}
	price := func(x *big.Rat) *big.Int { return new(big.Int).Lsh(v.rates.of(x), v.watts.digits) }
	since := func(time float64) *big.Int { return v.times.of(new(big.Rat).Sub(number(time), number(v.from))) }
	job := &v.in.Jobs()[j]
	w.delay, w.over = price(v.delay), price(v.late)
	w.constant = new(big.Int).Mul(price(v.ends), length)
	w.constant.Sub(w.constant, new(big.Int).Mul(w.delay, since(job.Arrival)))
	if job.HasDeadline() && v.weights.over != nil {
		w.due = since(job.Deadline)
		w.due.Sub(w.due, length)
	}
	return w
}

// cheapest is the least cost of a job of the length that starts between two times. As a function of the start the cost is linear but where the start, the end or
// the deadline meets a limit.
func (v *powerView) cheapest(p *powerPrice, limits []*big.Int, first, last, length *big.Int, w *powerWait) *big.Int {
	at, end := new(big.Int).Set(first), new(big.Int)
	other, cost, part := new(big.Int), new(big.Int), new(big.Int)
	bucket := func(t *big.Int) int {
		k := sort.Search(len(limits), func(k int) bool { return limits[k].Cmp(t) > 0 }) - 1
		return min(max(0, k), len(limits)-2)
	}
	i, j := bucket(at), bucket(end.Add(at, length))
	looked := i + v.looks
	var best *big.Int
	for {
		end.Add(at, length)
		cost.Mul(p.rate[j], part.Sub(end, limits[j]))
		cost.Add(cost, p.sums[j])
		cost.Sub(cost, part.Mul(p.rate[i], part.Sub(at, limits[i])))
		cost.Sub(cost, p.sums[i])
		cost.Mul(cost, w.width)
		if w.constant != nil {
			cost.Add(cost, part.Mul(w.delay, at))
			cost.Add(cost, w.constant)
			if w.due != nil && at.Cmp(w.due) > 0 {
				cost.Add(cost, part.Mul(w.over, part.Sub(at, w.due)))
			}
		}
		if best == nil {
			best = new(big.Int).Set(cost)
		} else if cost.Cmp(best) < 0 {
			best.Set(cost)
		}
		if at.Cmp(last) >= 0 {
			return best
		}
		if i >= looked { // a later start costs no less than the least rate of later times, and waits as long at least
			cost.Mul(cost.Mul(p.low[i], length), w.width)
			if w.constant != nil {
				cost.Add(cost, part.Mul(w.delay, at))
				cost.Add(cost, w.constant)
			}
			if cost.Cmp(best) < 0 {
				best.Set(cost)
			}
			return best
		}
		next := limits[i+1]
		other.Sub(limits[j+1], length)
		part.Set(last)
		for _, t := range []*big.Int{next, other, w.due} {
			if t != nil && t.Cmp(at) > 0 && t.Cmp(part) < 0 {
				part.Set(t)
			}
		}
		at.Set(part)
		if next.Cmp(at) <= 0 && i+2 < len(limits) {
			i++
		}
		if other.Cmp(at) <= 0 && j+2 < len(limits) {
			j++
		}
	}
}
