package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// prices is what power costs on a cluster over time, and when jobs may run there.
type prices struct {
	from, to     float64   // the horizon
	times, rates []float64 // rates[k] from times[k] to times[k+1]; none: power costs nothing
	sums         []float64 // integrals of the rates up to each time
	drops, rises []float64 // times at which the rate falls, and at which it rises
	size         float64   // the integral of the magnitude of the rates
	near         []int32   // by part of the horizon, all of one length: the step in which it begins
	parts        float64   // by unit of time
}

// newPrices reads the prices of a cluster.
func newPrices(in *model.Instance, cluster int) *prices {
	p := &prices{from: math.Inf(-1), to: math.Inf(1)}
	if from, to, stated := in.Horizon(); stated {
		p.from, p.to = from, to
	}
	known := in.PowerPrices(cluster)
	if known == nil {
		return p
	}
	p.times, p.rates = known.Times, known.Rates
	p.sums = make([]float64, len(p.times))
	for k := range p.times {
		if k > 0 {
			p.sums[k] = p.sums[k-1] + p.rates[k-1]*(p.times[k]-p.times[k-1])
			if p.rates[k] < p.rates[k-1] {
				p.drops = append(p.drops, p.times[k])
			} else {
				p.rises = append(p.rises, p.times[k])
			}
		}
		end := p.to
		if k+1 < len(p.times) {
			end = p.times[k+1]
		}
		p.size += math.Abs(p.rates[k]) * (end - p.times[k])
	}
	p.near = make([]int32, 2*len(p.times)+1)
	p.parts = float64(len(p.near)-1) / (p.to - p.from)
	if math.IsInf(p.parts, 1) || math.IsNaN(p.parts) {
		p.parts = 0
	}
	k := 0
	for i := range p.near {
		for k+1 < len(p.times) && (p.times[k+1]-p.from)*p.parts < float64(i) {
			k++
		}
		p.near[i] = int32(k)
	}
	return p
}

// until is the integral of the rates from the begin of the horizon to the time, which lies within it.
func (p *prices) until(t float64) float64 {
	k := int(p.near[max(0, min(len(p.near)-1, int((t-p.from)*p.parts)))])
	for k > 0 && p.times[k] > t {
		k--
	}
	for k+1 < len(p.times) && p.times[k+1] <= t {
		k++
	}
	return p.sums[k] + p.rates[k]*(t-p.times[k])
}

// waits are the weights of what a job costs by its start and end beside power, where the objective is a sum over the jobs there.
type waits struct{ wait, response, slowdown, bounded, over float64 }

// newWaits reads the objective.
func newWaits(in *model.Instance) waits {
	var w waits
	for _, term := range in.ObjectiveTerms() {
		each := term.Weight / float64(max(1, len(in.Jobs())))
		switch term.Metric {
		case "mean_wait":
			w.wait = each
		case "mean_response":
			w.response = each
		case "mean_slowdown":
			w.slowdown = each
		case "bounded_slowdown":
			w.bounded = each
		case "over_deadline":
			w.over = term.Weight
		}
	}
	return w
}

// startCost is what a job costs as a function of its start. The function is piecewise linear. Its slope changes where the start meets a step of the tariff,
// where the end does, and where waiting begins to count. So within a time in which every start is possible, it is least at one of these times or at an end of
// that time. Only those count at which the slope rises: the start of a lower rate, the end at a higher one, and where waiting begins to count. The ends of the
// times in which a start is possible are ends of other jobs, or their starts, or steps of a power cap, minus the length where the job ends there.
type startCost struct {
	*prices
	waits
	power, length     float64
	arrival, deadline float64 // the deadline is +Inf where it does not count
	tie               float64 // costs that differ by no more are equal
}

// bounds of bounded_slowdown: shorter jobs count as this long.
const shortest = 10

// of is the cost of a start.
func (f *startCost) of(start float64) float64 {
	if f.times == nil {
		return 0 // the earliest is the best
	}
	end := model.End(start, f.length)
	cost := f.power * (f.until(end) - f.until(start))
	response := end - f.arrival
	cost += f.wait*(start-f.arrival) + f.response*response
	if f.slowdown != 0 && f.length > 0 {
		cost += f.slowdown * response / f.length
	}
	if f.bounded != 0 {
		cost += f.bounded * max(1, response/max(f.length, shortest))
	}
	if f.over != 0 && end > f.deadline {
		cost += f.over * (end - f.deadline)
	}
	return cost
}

// begin prepares the cost of a job of a length that takes the power.
func (f *startCost) begin(p *prices, w waits, j *model.Job, power, length float64) {
	*f = startCost{prices: p, waits: w, power: power, length: length, arrival: j.Arrival, deadline: math.Inf(1)}
	if j.HasDeadline() {
		f.deadline = j.Deadline
	}
	const share = 1e-12
	f.tie = share * power * p.size
}

// kinks are the starts at which waiting begins to count; +Inf: it has none.
func (f *startCost) kinks() [2]float64 {
	kinks := [2]float64{math.Inf(1), math.Inf(1)}
	if f.over != 0 {
		kinks[0] = lastStart(f.deadline, f.length)
	}
	if f.bounded != 0 {
		kinks[1] = lastStart(f.arrival+max(f.length, shortest), f.length)
	}
	return kinks
}

// lastStart is a late start of a job of the length that ends by a time. Where the sum is rounded down, some starts may be later by as much as it is rounded.
func lastStart(end, length float64) float64 {
	start := end - length
	for !math.IsInf(end, 0) && model.End(start, length) > end {
		start = math.Nextafter(start, math.Inf(-1))
	}
	return start
}
