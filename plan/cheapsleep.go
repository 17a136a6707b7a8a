package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// gapCosts is what machines that can be off take of power, beside what their processors take that run.
type gapCosts struct {
	ways   *model.Ways
	prices *prices
	known  []knownGap // what was asked last, by a hash of the gap
}

// knownGap is what a machine of a group takes in a gap between what it serves.
type knownGap struct {
	from, to, cost float64
	group          int // −1: none is known
}

// knownGaps is how many gaps are kept, a power of two.
const knownGaps = 1 << 14

func newGapCosts(in *model.Instance, cluster int, prices *prices) *gapCosts {
	return &gapCosts{ways: in.Ways(cluster), prices: prices}
}

// cost is what a machine takes that serves nobody in between; +Inf: it cannot be on, or in its last state, by then.
func (c *gapCosts) cost(b *bank, from, to float64) float64 {
	p := b.group.Power
	if from >= to && (from > c.prices.from || p.Begin == model.On) && (to < c.prices.to || p.End == model.On) {
		return 0
	}
	if c.known == nil {
		c.known = make([]knownGap, knownGaps)
		for k := range c.known {
			c.known[k].group = -1
		}
	}
	const odd1, odd2 = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	hash := (math.Float64bits(from)*odd1 ^ math.Float64bits(to)*odd2 + uint64(b.index)) * odd1
	k := &c.known[hash>>32&(knownGaps-1)]
	if k.group == b.index && k.from == from && k.to == to {
		return k.cost
	}
	cost, ok := c.ways.Cost(p, from, to)
	if !ok {
		cost = math.Inf(1)
	}
	*k = knownGap{from, to, cost, b.index}
	return cost
}

// more is what a machine takes more of power, beside its processors, if it also serves a job in a time. Never less: with the same states it could do without
// the job.
func (c *gapCosts) more(b *bank, start, end float64) float64 {
	more := 0.0
	b.eachFree(start, end, c.prices, func(from, to float64) {
		begin, last := max(from, start), min(to, end)
		after := b.group.Power.Idle * (c.prices.until(last) - c.prices.until(begin))
		if begin > from || from <= c.prices.from {
			after += c.cost(b, from, begin)
		}
		if last < to || to >= c.prices.to {
			after += c.cost(b, last, to)
		}
		if before := c.cost(b, from, to); !math.IsInf(before, 1) {
			after -= before
		}
		more += after
	})
	return more
}

// eachFree calls yield for each time in which nobody uses a processor of the machine and that meets another.
func (b *bank) eachFree(start, end float64, p *prices, yield func(from, to float64)) {
	u := b.used
	k := u.after(start) - 1 // the step in which the start lies; −1: before the first
	for k >= 0 && u.Values[k] == 0 && (k == 0 || u.Values[k-1] == 0) {
		k--
	}
	// Now step k begins when the machine becomes free, or it is in use in step k.
	for ; k < len(u.Times); k++ {
		from := p.from
		if k >= 0 {
			if u.Values[k] != 0 {
				continue
			}
			from = u.Times[k]
		}
		if from >= end {
			return
		}
		for k+1 < len(u.Times) && u.Values[k+1] == 0 {
			k++
		}
		to := p.to
		if k+1 < len(u.Times) {
			to = u.Times[k+1]
		}
		if to > start && to > from {
			yield(from, to)
		}
	}
}

// window narrows the times at which a machine can serve jobs: it is on its way up after the horizon begins, and on its way down before it ends.
func (b *bank) window(p *prices, from, to float64) (float64, float64) {
	if !b.sleeps {
		return from, to
	}
	power := b.group.Power
	if power.Begin != model.On {
		from = max(from, p.from+power.Off[power.Begin].Up.Time)
	}
	if power.End != model.On {
		to = min(to, p.to-power.Off[power.End].Down.Time)
	}
	return from, to
}
