package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// gapCosts is what machines that can be off take of power, beside what their processors take that run.
type gapCosts struct {
	ways   *model.Ways
	prices *prices
	known  map[gapKey]float64
}

// gapKey is a gap of a machine of a group between what it serves.
type gapKey struct {
	group    int
	from, to float64
}

// mostGaps is how many gaps are kept.
const mostGaps = 1 << 16

func newGapCosts(in *model.Instance, cluster int, prices *prices) *gapCosts {
	return &gapCosts{ways: in.Ways(cluster), prices: prices, known: map[gapKey]float64{}}
}

// cost is what a machine takes that serves nobody in between; +Inf: it cannot be on, or in its last state, by then.
func (c *gapCosts) cost(b *bank, from, to float64) float64 {
	p := b.group.Power
	if from >= to && (from > c.prices.from || p.Begin == model.On) && (to < c.prices.to || p.End == model.On) {
		return 0
	}
	key := gapKey{b.index, from, to}
	if cost, ok := c.known[key]; ok {
		return cost
	}
	cost, ok := c.ways.Cost(p, from, to)
	if !ok {
		cost = math.Inf(1)
	}
	if len(c.known) >= mostGaps {
		clear(c.known)
	}
	c.known[key] = cost
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
	for k >= 0 && u.used[k] == 0 && (k == 0 || u.used[k-1] == 0) {
		k--
	}
	// Now step k begins when the machine becomes free, or it is in use in step k.
	for ; k < len(u.times); k++ {
		from := p.from
		if k >= 0 {
			if u.used[k] != 0 {
				continue
			}
			from = u.times[k]
		}
		if from >= end {
			return
		}
		for k+1 < len(u.times) && u.used[k+1] == 0 {
			k++
		}
		to := p.to
		if k+1 < len(u.times) {
			to = u.times[k+1]
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
