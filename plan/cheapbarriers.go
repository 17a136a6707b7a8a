package plan

import (
	"math"

	"github.com/allot-opt/allot/internal/steps"
	"github.com/allot-opt/allot/model"
)

// cap is the power that idle machines and running processors of a cluster take over time, and the most that they may take: one more resource. No step is like the one
// before it, as in a profile.
type powerCap struct{ steps.Function[powerStep] } // the first time is −Inf

// powerStep is what is taken in a step, and what may be.
type powerStep struct {
	taken twofold
	most  float64
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
	p := &powerCap{steps.Function[powerStep]{Times: []float64{math.Inf(-1)}, Values: []powerStep{{idle, math.Inf(1)}}}}
	for _, s := range c.PowerCap {
		if s.Value != p.Values[len(p.Values)-1].most { // a step may state again what the one before it states
			p.Times, p.Values = append(p.Times, s.Time), append(p.Values, powerStep{idle, s.Value})
		}
	}
	return p
}

// fits says whether n processors of the power may run in step k.
func (p *powerCap) fits(k int, power, n float64) bool {
	taken := p.Values[k].taken
	taken.add(power, n)
	return taken.within(p.Values[k].most)
}

func samePower(a, b powerStep) bool { return a == b }

// add lets n processors of the power run from start to end; less than none: they no longer do.
func (p *powerCap) add(start, end, power, n float64) {
	if p == nil || power == 0 || end <= start {
		return
	}
	from, to := p.Split(start, nil), p.Split(end, nil)
	for k := from; k < to; k++ {
		p.Values[k].taken.add(power, n)
	}
	p.Join(to, samePower)
	p.Join(from, samePower)
}

// barrier is something of limited capacity that a job needs an amount of: processors, memory, licences or power.
type barrier struct {
	profile *profile
	cap     *powerCap // nil: the profile
	amount  float64   // of a cap: processors
	power   float64
	at      int // the step from which to look on
}

// fits says whether the job may run in step k.
func (b *barrier) fits(k int) bool {
	if b.cap != nil {
		return b.cap.fits(k, b.power, b.amount)
	}
	return b.profile.fits(b.profile.Values[k], b.amount)
}

// next is the first time after t within which the job must not run, from its begin to its end; +Inf: there is none. It must not be asked of earlier times later.
func (b *barrier) next(t float64) (from, to float64) {
	times, k := []float64(nil), b.at
	if b.cap != nil {
		times = b.cap.Times
	} else if times = b.profile.Times; !b.profile.fits(0, b.amount) {
		return math.Inf(-1), math.Inf(1)
	}
	for k+1 < len(times) && times[k+1] <= t {
		k++
	}
	for k < len(times) && b.fits(k) {
		k++
	}
	if b.at = max(0, min(k, len(times)-1)); k >= len(times) {
		return math.Inf(1), math.Inf(1)
	}
	from = times[k]
	for k++; k < len(times) && !b.fits(k); k++ {
	}
	if k == len(times) {
		return from, math.Inf(1)
	}
	return from, times[k]
}

// begin looks from a time on.
func (b *barrier) begin(t float64) {
	if b.cap != nil {
		b.at = b.cap.At(t)
	} else {
		b.at = b.profile.from(t)
	}
}
