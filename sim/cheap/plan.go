package cheap

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// plan says when jobs join the queue.
type plan struct {
	rule            string
	quantile        float64
	budget, known   float64
	worth           float64         // with the rule worth
	*model.StepSums                 // the first step is at the first arrival
	magnitudes      *model.StepSums // the same of the magnitudes of the values

	at, end int     // steps at the last arrival, and at the end of what was known then: the next are near
	sorted  []int32 // by value: the steps from at to end, for the rule quantile
	spare   []int32 // memory
}

// newPlan is the plan for the steps of a tariff.
func newPlan(b *Budget, budget, known float64, steps []model.Step) *plan {
	magnitudes := slices.Clone(steps)
	for k := range magnitudes {
		magnitudes[k].Value = math.Abs(steps[k].Value)
	}
	return &plan{rule: b.PriceRule, quantile: b.PriceQuantile, worth: b.PriceWorth, budget: budget, known: known, StepSums: model.SumSteps(steps), magnitudes: model.SumSteps(magnitudes)}
}

// until is the time at which a job joins the queue: from its arrival to its arrival plus the budget.
func (p *plan) until(j sim.Deferrable) float64 {
	at, end := p.AtFrom(p.at, j.Arrival), p.AtFrom(p.end, j.Arrival+p.known)
	if p.rule == "quantile" {
		p.sort(at, end)
	}
	p.at, p.end = at, end
	switch p.rule {
	case "quantile":
		return p.firstBelow(j.Arrival, p.threshold(j.Arrival))
	case "slot":
		return p.lowest(j.Arrival)
	case "window":
		return p.cheapest(j.Arrival, j.Estimate, p.known, 0)
	case "oracle":
		return p.cheapest(j.Arrival, j.Runtime, math.Inf(1), 0)
	}
	return p.cheapest(j.Arrival, j.Estimate, p.known, p.worth/float64(j.Processors))
}

// last is the latest time at which a job that arrives then may join the queue: what is not known yet it cannot wait for.
func (p *plan) last(arrival float64) float64 { return arrival + min(p.budget, p.known) }

// sort keeps the steps from one position to another sorted by value. It takes O(n + m log m) for n of these steps, of which m are new.
func (p *plan) sort(at, end int) {
	next := max(at, p.end+1)
	if at < p.at || end < p.end || len(p.sorted) == 0 {
		p.sorted, next = p.sorted[:0], at
	}
	if at > p.at {
		p.sorted = slices.DeleteFunc(p.sorted, func(k int32) bool { return int(k) < at })
	}
	before := len(p.sorted)
	for ; next <= end; next++ {
		p.sorted = append(p.sorted, int32(next))
	}
	byValue := func(a, b int32) int { // the later of equals first
		return cmp.Or(cmp.Compare(p.Steps[a].Value, p.Steps[b].Value), cmp.Compare(b, a))
	}
	later := p.sorted[before:]
	if slices.SortFunc(later, byValue); before == 0 || len(later) == 0 || byValue(p.sorted[before-1], later[0]) <= 0 {
		return
	}
	later = append(p.spare[:0], later...)
	p.spare = later
	for to := len(p.sorted) - 1; len(later) > 0; to-- { // the greatest first, so that nothing is overwritten that is still needed
		if last := len(later) - 1; before > 0 && byValue(p.sorted[before-1], later[last]) > 0 {
			before--
			p.sorted[to] = p.sorted[before]
		} else {
			p.sorted[to], later = later[last], later[:last]
		}
	}
}

// threshold is the quantile of the values from the arrival on, as long as they are known: the least value such that the values up to it hold for at least this
// share of the time.
func (p *plan) threshold(arrival float64) float64 {
	left, value := p.quantile*p.known, 0.0
	for _, k := range p.sorted {
		from, to := max(arrival, p.Steps[k].Time), arrival+p.known
		if int(k) < p.end {
			to = p.Steps[k+1].Time
		}
		if from >= to {
			continue // what is known ends where the step begins
		}
		value = p.Steps[k].Value
		if left -= to - from; left <= 0 {
			break
		}
	}
	return value
}

// firstBelow is the first time at which the value is at most the threshold; where there is none, the time of the lowest.
func (p *plan) firstBelow(arrival, threshold float64) float64 {
	for k := p.at; k < len(p.Steps) && p.Steps[k].Time <= p.last(arrival); k++ {
		if p.Steps[k].Value <= threshold {
			return max(arrival, p.Steps[k].Time)
		}
	}
	return p.lowest(arrival)
}

// lowest is the first time at which the value is lowest.
func (p *plan) lowest(arrival float64) float64 {
	best := p.at
	for k := best + 1; k < len(p.Steps) && p.Steps[k].Time <= p.last(arrival); k++ {
		if p.Steps[k].Value < p.Steps[best].Value {
			best = k
		}
	}
	return max(arrival, p.Steps[best].Time)
}

// cheapest is the first start at which the value added up over a run is least, and the time from the arrival to it times worth and the mean magnitude of what is
// known. The value is known for a time after the arrival; later it counts at its mean. As a function of the start the sum is linear between the times at which the start, or
// the end, passes a step or leaves the known time, so it is least at one of these.
func (p *plan) cheapest(arrival, length, known, worth float64) float64 {
	last, end := p.last(arrival), arrival+known
	looked := min(known, last-arrival+length)
	mean, level := 0.0, 0.0
	if math.IsInf(end, 1) {
		if looked > 0 {
			level = p.magnitudes.Over(arrival, arrival+looked) / looked
		}
	} else {
		mean, level = p.Between(p.at, p.end, arrival, end)/known, p.magnitudes.Between(p.at, p.end, arrival, end)/known
	}
	a, b, most := p.at, p.at, len(p.Steps)-1 // the steps at the start and at the end, and the last at which it may end
	if !math.IsInf(end, 1) {
		most = p.end
	}
	if length > 0 { // where steps are equally long, the end is near this one
		b = p.AtFrom(max(0, p.at-1+int(min(length/p.known, 1)*float64(p.end-p.at))), min(arrival+length, end))
	}
	best, least := arrival, 0.0
	for start := arrival; ; {
		for a < len(p.Steps)-1 && p.Steps[a+1].Time <= start {
			a++
		}
		for b < most && p.Steps[b+1].Time-length <= start {
			b++
		}
		within := min(start+length, end)
		cost := p.Between(a, b, start, within) + mean*(start+length-within) + worth*level*(start-arrival)
		if start == arrival {
			least = cost
		} else if cost < least-costRounding*level*length {
			best, least = start, cost
		}
		next := last
		if a < len(p.Steps)-1 {
			next = min(next, p.Steps[a+1].Time)
		}
		if b < most {
			next = min(next, p.Steps[b+1].Time-length)
		} else if end-length > start {
			next = min(next, end-length)
		}
		if !(next > start) {
			return best
		}
		start = next
	}
}

// costRounding is how much less a later start has to cost, relative to what the job costs at the mean: nobody waits for a rounding error.
const costRounding = 1e-9
