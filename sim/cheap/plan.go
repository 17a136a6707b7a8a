package cheap

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// plan says when jobs join the queue.
type plan struct {
	rule            string
	quantile        float64
	budget, known   float64
	*model.StepSums // the first step is at the first arrival

	sorted []stretch // for use within threshold
}

// stretch is a value and how long it holds.
type stretch struct{ value, length float64 }

// newPlan is the plan for the steps of a tariff.
func newPlan(b *Budget, budget, known float64, steps []model.Step) *plan {
	return &plan{rule: b.PriceRule, quantile: b.PriceQuantile, budget: budget, known: known, StepSums: model.SumSteps(steps)}
}

// until is the time at which a job joins the queue: from its arrival to its arrival plus the budget.
func (p *plan) until(arrival, estimate, runtime float64) float64 {
	switch p.rule {
	case "slot":
		return p.lowest(arrival)
	case "window":
		return p.cheapest(arrival, estimate, p.known)
	case "oracle":
		return p.cheapest(arrival, runtime, math.Inf(1))
	}
	return p.firstBelow(arrival, p.threshold(arrival))
}

// last is the latest time at which a job that arrives then may join the queue: what is not known yet it cannot wait for.
func (p *plan) last(arrival float64) float64 { return arrival + min(p.budget, p.known) }

// threshold is the quantile of the values from the arrival on, as long as they are known: the least value such that the values up to it hold for at least this
// share of the time.
func (p *plan) threshold(arrival float64) float64 {
	to := arrival + p.known
	p.sorted = p.sorted[:0]
	for k := p.At(arrival); k < len(p.Steps) && p.Steps[k].Time < to; k++ {
		end := to
		if k+1 < len(p.Steps) {
			end = min(to, p.Steps[k+1].Time)
		}
		p.sorted = append(p.sorted, stretch{p.Steps[k].Value, end - max(arrival, p.Steps[k].Time)})
	}
	slices.SortFunc(p.sorted, func(a, b stretch) int { return cmp.Compare(a.value, b.value) })
	left := p.quantile * p.known
	for k := range p.sorted {
		if left -= p.sorted[k].length; left <= 0 {
			return p.sorted[k].value
		}
	}
	return p.sorted[len(p.sorted)-1].value // rounding
}

// firstBelow is the first time at which the value is at most the threshold; where there is none, the time of the lowest.
func (p *plan) firstBelow(arrival, threshold float64) float64 {
	for k := p.At(arrival); k < len(p.Steps) && p.Steps[k].Time <= p.last(arrival); k++ {
		if p.Steps[k].Value <= threshold {
			return max(arrival, p.Steps[k].Time)
		}
	}
	return p.lowest(arrival)
}

// lowest is the first time at which the value is lowest.
func (p *plan) lowest(arrival float64) float64 {
	best := p.At(arrival)
	for k := best + 1; k < len(p.Steps) && p.Steps[k].Time <= p.last(arrival); k++ {
		if p.Steps[k].Value < p.Steps[best].Value {
			best = k
		}
	}
	return max(arrival, p.Steps[best].Time)
}

// cheapest is the first start at which the value added up over a run is least. The value is known for a time after the arrival; later it counts at the mean of what is
// known. As a function of the start the sum is linear between the times at which the start, or the end, passes a step or leaves the known time, so it is least at
// one of these.
func (p *plan) cheapest(arrival, length, known float64) float64 {
	last, end := p.last(arrival), arrival+known
	mean := 0.0
	if !math.IsInf(end, 1) {
		mean = p.Over(arrival, end) / known
	}
	cost := func(start float64) float64 {
		within := min(start+length, max(start, end))
		return p.Over(start, within) + mean*(start+length-within)
	}
	best, least := arrival, cost(arrival)
	try := func(start float64) {
		if start <= arrival || start > last {
			return
		}
		if c := cost(start); c < least || c == least && start < best {
			best, least = start, c
		}
	}
	for k := p.At(arrival); k < len(p.Steps) && p.Steps[k].Time <= last+length; k++ {
		try(p.Steps[k].Time)
		try(p.Steps[k].Time - length)
	}
	if try(last); !math.IsInf(end, 1) {
		try(end - length)
	}
	return best
}
