package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// cap is the power that idle machines and running processors of a cluster take over time, and the most that they may take: one more resource. No step is like the one
// before it, as in a profile.
type powerCap struct {
	times []float64 // ascending; the first is −Inf
	taken []twofold // from times[k] on
	most  []float64
}

// twofold is a sum in two parts, what it is and what its additions have lost, so that no rounding errors add up: two-sum and two-product, T. J. Dekker (1971),
// doi:10.1007/BF01397083.
type twofold struct{ sum, lost float64 }

// add adds n times x.
func (a *twofold) add(x, n float64) {
	product := x * n
	sum := a.sum + product
	back := sum - a.sum
	a.lost += (a.sum - (sum - back)) + (product - back) + math.FMA(x, n, -product)
	a.sum = sum
}

// within says that the sum is at most a limit, but for the rounding of the numbers that state both.
func (a twofold) within(limit float64) bool {
	return a.sum-limit+a.lost <= limit*0x1p-52
}

// newPowerCap is the cap of a cluster on which nothing runs; nil: there is none.
func newPowerCap(c *model.Cluster) *powerCap {
	if len(c.PowerCap) == 0 {
		return nil
	}
	var idle twofold
	for g := range c.Machines {
		if m := &c.Machines[g]; m.Power != nil {
			idle.add(m.Power.Idle, float64(m.Count))
		}
	}
	p := &powerCap{times: []float64{math.Inf(-1)}, taken: []twofold{idle}, most: []float64{math.Inf(1)}}
	for _, s := range c.PowerCap {
		if s.Value != p.most[len(p.most)-1] { // a step may state again what the one before it states
			p.times, p.taken, p.most = append(p.times, s.Time), append(p.taken, idle), append(p.most, s.Value)
		}
	}
	return p
}

// fits says whether n processors of the power may run in step k.
func (p *powerCap) fits(k int, power, n float64) bool {
	taken := p.taken[k]
	taken.add(power, n)
	return taken.within(p.most[k])
}

// step is the step in which the time lies.
func (p *powerCap) step(t float64) int {
	k, found := slices.BinarySearch(p.times, t)
	if !found {
		k--
	}
	return k
}

// split makes the time a step of its own and returns its index.
func (p *powerCap) split(t float64) int {
	k, found := slices.BinarySearch(p.times, t)
	if !found {
		p.times, p.taken, p.most = slices.Insert(p.times, k, t), slices.Insert(p.taken, k, p.taken[k-1]), slices.Insert(p.most, k, p.most[k-1])
	}
	return k
}

// join removes step k if it is no different from the one before.
func (p *powerCap) join(k int) {
	if k > 0 && k < len(p.times) && p.taken[k] == p.taken[k-1] && p.most[k] == p.most[k-1] {
		p.times, p.taken, p.most = slices.Delete(p.times, k, k+1), slices.Delete(p.taken, k, k+1), slices.Delete(p.most, k, k+1)
	}
}

// add lets n processors of the power run from start to end; less than none: they no longer do.
func (p *powerCap) add(start, end, power, n float64) {
	if p == nil || power == 0 || end <= start {
		return
	}
	from, to := p.split(start), p.split(end)
	for k := from; k < to; k++ {
		p.taken[k].add(power, n)
	}
	p.join(to)
	p.join(from)
}

// assign copies another cap.
func (p *powerCap) assign(other *powerCap) {
	p.times, p.taken, p.most = append(p.times[:0], other.times...), append(p.taken[:0], other.taken...), append(p.most[:0], other.most...)
}

// barrier is something of limited capacity that a job needs an amount of: processors, memory, licences or power.
type barrier struct {
	profile *profile
	cap     *powerCap // nil: the profile
	amount  float64   // of a cap: processors
	power   float64
	at      int // the step from which to look on
}

// next is the first time after t within which the job must not run, from its begin to its end; +Inf: there is none. It must not be asked of earlier times later.
func (b *barrier) next(t float64) (from, to float64) {
	k := b.at
	if c := b.cap; c != nil {
		for k+1 < len(c.times) && c.times[k+1] <= t {
			k++
		}
		for k < len(c.times) && c.fits(k, b.power, b.amount) {
			k++
		}
		if b.at = min(k, len(c.times)-1); k == len(c.times) {
			return math.Inf(1), math.Inf(1)
		}
		from = c.times[k]
		for k++; k < len(c.times) && !c.fits(k, b.power, b.amount); k++ {
		}
		if k == len(c.times) {
			return from, math.Inf(1)
		}
		return from, c.times[k]
	}
	p := b.profile
	if !p.fits(0, b.amount) {
		return math.Inf(-1), math.Inf(1)
	}
	for k+1 < len(p.times) && p.times[k+1] <= t {
		k++
	}
	for k < len(p.times) && p.fits(p.used[k], b.amount) {
		k++
	}
	if b.at = max(0, min(k, len(p.times)-1)); k >= len(p.times) {
		return math.Inf(1), math.Inf(1)
	}
	from = p.times[k]
	for k++; k < len(p.times) && !p.fits(p.used[k], b.amount); k++ {
	}
	if k == len(p.times) {
		return from, math.Inf(1)
	}
	return from, p.times[k]
}

// begin looks from a time on.
func (b *barrier) begin(t float64) {
	if b.cap != nil {
		b.at = b.cap.step(t)
	} else {
		b.at = b.profile.from(t)
	}
}
