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
	worth           float64 // with the rule worth
	*model.StepSums         // the first step is at the first arrival

	sorted []stretch // for use within threshold
	tried  []float64 // for use within cheapest
}

// stretch is a value and how long it holds.
type stretch struct{ value, length float64 }

// newPlan is the plan for the steps of a tariff.
func newPlan(b *Budget, budget, known float64, steps []model.Step) *plan {
	return &plan{rule: b.PriceRule, quantile: b.PriceQuantile, worth: b.PriceWorth, budget: budget, known: known, StepSums: model.SumSteps(steps)}
}

// until is the time at which a job joins the queue: from its arrival to its arrival plus the budget.
func (p *plan) until(j sim.Deferrable) float64 {
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

// threshold is the quantile of the values from the arrival on, as long as they are known: the least value such that the values up to it hold for at least this
// share of the time.
func (p *plan) threshold(arrival float64) float64 {
	to := arrival + p.known
	p.sorted = p.sorted[:0]
	p.each(arrival, to, func(value, length float64) { p.sorted = append(p.sorted, stretch{value, length}) })
	slices.SortFunc(p.sorted, func(a, b stretch) int { return cmp.Compare(a.value, b.value) })
	left := p.quantile * p.known
	for k := range p.sorted {
		if left -= p.sorted[k].length; left <= 0 {
			return p.sorted[k].value
		}
	}
	return p.sorted[len(p.sorted)-1].value // rounding
}

// each calls yield for the values from one time to another, and how long each holds.
func (p *plan) each(from, to float64, yield func(value, length float64)) {
	for k := p.At(from); k < len(p.Steps) && p.Steps[k].Time < to; k++ {
		end := to
		if k+1 < len(p.Steps) {
			end = min(to, p.Steps[k+1].Time)
		}
		yield(p.Steps[k].Value, end-max(from, p.Steps[k].Time))
	}
}

// magnitude is the magnitude of the value added up over a time.
func (p *plan) magnitude(from, to float64) (sum float64) {
	p.each(from, to, func(value, length float64) { sum += math.Abs(value) * length })
	return sum
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

// cheapest is the first start at which the value added up over a run is least, and the time from the arrival to it times worth and the mean magnitude of what is
// known. The value is known for a time after the arrival; later it counts at its mean. As a function of the start the sum is linear between the times at which the start, or
// the end, passes a step or leaves the known time, so it is least at one of these.
func (p *plan) cheapest(arrival, length, known, worth float64) float64 {
	last, end := p.last(arrival), arrival+known
	looked := min(known, last-arrival+length)
	mean, level := 0.0, 0.0
	if looked > 0 {
		level = p.magnitude(arrival, arrival+looked) / looked
	}
	if !math.IsInf(end, 1) {
		mean, level = p.Over(arrival, end)/known, p.magnitude(arrival, end)/known
	}
	cost := func(start float64) float64 {
		within := min(start+length, max(start, end))
		return p.Over(start, within) + mean*(start+length-within) + worth*level*(start-arrival)
	}
	p.tried = append(p.tried[:0], last, end-length)
	for k := p.At(arrival); k < len(p.Steps) && p.Steps[k].Time <= last+length; k++ {
		p.tried = append(p.tried, p.Steps[k].Time, p.Steps[k].Time-length)
	}
	slices.Sort(p.tried)
	best, least := arrival, cost(arrival)
	for _, start := range p.tried {
		if start <= arrival || start > last {
			continue
		}
		if c := cost(start); c < least-costRounding*level*length {
			best, least = start, c
		}
	}
	return best
}

// costRounding is how much less a later start has to cost, relative to what the job costs at the mean: nobody waits for a rounding error.
const costRounding = 1e-9
