package ggone

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
)

// full is the part of a machine's spare service rate that idle rate may fill: to just below μ.
const full = 1 - 1e-12

// server is one machine with real loads, in tasks over the period beside its committed rate.
type server struct {
	*penalties
	class *Class
	most  float64 // load just below which it stays stable
}

// servers lists the machines.
func (p *Problem) servers() []server {
	var list []server
	for k := range p.Classes {
		c := &p.Classes[k]
		q := penaltiesOf(p, c, p.Tasks)
		most := max(0, (c.ServiceRate*full-c.Committed)*p.Period, float64(c.most(p.Period, len(p.Tasks)))) // whole tasks may come closer to μ
		for range c.Machines {
			list = append(list, server{&q, c, most})
		}
	}
	return list
}

// spare is the part of the service rate that the load leaves.
func (s *server) spare(load, period float64) float64 {
	return 1 - (load/period+s.class.Committed)/s.class.ServiceRate
}

// slope is the derivative of the wait by the load.
func (s *server) slope(load, period float64) float64 {
	idle := s.spare(load, period)
	return s.class.Kappa / period / (idle * idle)
}

// waitBelow is a lower bound of the wait: it is below the computed one by more than its rounding error, which grows as the machine gets
// full.
func (s *server) waitBelow(load, period float64) float64 {
	return s.class.wait(load, period) * max(0, 1-4*ulp/max(s.spare(load, period), ulp))
}

// loadOf is the load at which the wait is w.
func (s *server) loadOf(w, period float64) float64 {
	return (w/(s.class.Kappa+w/s.class.ServiceRate) - s.class.Committed) * period
}

// marginal is the right derivative of a server's penalty by its load, for the tasks it has.
type marginal struct {
	*server
	waits, rates []float64 // from waits[k] on, ascending, the penalty grows by rates[k] for each unit of the wait
}

func (s *server) marginal(tasks []int) marginal {
	type bend struct{ wait, rate float64 }
	var bends []bend
	for _, y := range tasks {
		if !math.IsInf(s.deadline[y], 0) {
			bends = append(bends, bend{s.deadline[y] - s.service[y], s.perTime[y]})
		}
		if !math.IsInf(s.budget[y], 0) && s.price > 0 && !s.serviceOnly {
			bends = append(bends, bend{s.budget[y]/s.price - s.service[y], s.price * s.perCost[y]})
		}
	}
	slices.SortFunc(bends, func(a, b bend) int { return cmp.Compare(a.wait, b.wait) })
	m, rate := marginal{server: s}, 0.0
	for _, b := range bends {
		rate += b.rate
		m.waits, m.rates = append(m.waits, b.wait), append(m.rates, rate)
	}
	return m
}

// at is the derivative at a load.
func (m *marginal) at(load, period float64) float64 {
	w := m.class.wait(load, period)
	k := sort.Search(len(m.waits), func(k int) bool { return m.waits[k] > w })
	if k == 0 {
		return 0
	}
	return m.rates[k-1] * m.slope(load, period)
}

// loadAt is the largest load from low to high at which the derivative is at most the price.
func (m *marginal) loadAt(price, low, high, period float64) float64 {
	if m.at(high, period) <= price {
		return high
	}
	for range 100 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if m.at(middle, period) <= price {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// park spreads the total load, with at least 1 on a machine for each of its tasks, so that the penalty is least. It returns the loads, the
// price of load there and a lower bound of the penalty of all such loads. The penalty of a machine is convex in its load, so at the best
// loads all derivatives equal one price, which bisection finds. The bound holds for any price, as a dual one, and so does not rest on the
// bisection. Where ok is false it found no loads, though there may be some.
func (p *Problem) park(ctx context.Context, servers []server, tasks [][]int, total float64) (loads []float64, price, bound float64, ok bool) {
	n := len(servers)
	marginals := make([]marginal, n)
	room := 0.0
	for r := range servers {
		marginals[r] = servers[r].marginal(tasks[r])
		if float64(len(tasks[r])) > servers[r].most {
			return nil, 0, math.Inf(-1), false
		}
		room += servers[r].most
	}
	if room < total {
		return nil, 0, math.Inf(-1), false
	}
	at := func(price float64) (loads []float64, sum float64) {
		loads = make([]float64, n)
		for r := range servers {
			loads[r] = marginals[r].loadAt(price, float64(len(tasks[r])), servers[r].most, p.Period)
			sum += loads[r]
		}
		return loads, sum
	}
	low, high := 0.0, 1.0
	for _, sum := at(high); sum < total && high < math.MaxFloat64/4; _, sum = at(high) {
		low, high = high, high*4
	}
	for range 200 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if ctx.Err() != nil {
			return nil, 0, math.Inf(-1), false
		}
		if _, sum := at(middle); sum < total {
			low = middle
		} else {
			high = middle
		}
	}
	less, lessSum := at(low)
	more, moreSum := at(high)
	rounding := float64(4*(n+1)) * 0x1p-52 * total // of the sum of the loads, and of the loads themselves
	bound = p.parkingBound(servers, marginals, tasks, less, low, total-lessSum-rounding)
	if lessSum >= total { // too much even at price 0: bisect from the tasks alone on
		more, moreSum, lessSum = less, lessSum, 0
		less = make([]float64, n)
		for r := range less {
			less[r] = float64(len(tasks[r]))
			lessSum += less[r]
		}
	}
	part := 1.0
	if moreSum > lessSum {
		part = min(1, max(0, (total-lessSum)/(moreSum-lessSum)))
	}
	for r := range less {
		less[r] += part * (more[r] - less[r])
	}
	return less, high, bound, true
}

// parkingBound is a lower bound of the cost of the tasks over all loads of the right sum: the given loads cost least at their price, and
// lack more load is worth lack · price. All is rounded down, to no less than 0: a penalty is a difference of a time and its limit, and
// may be off by the rounding of both where they are nearly equal. It is −Inf where a machine whose tasks have limits is so full that its
// wait has lost most digits.
func (p *Problem) parkingBound(servers []server, marginals []marginal, tasks [][]int, loads []float64, price, lack float64) float64 {
	for r := range marginals {
		if len(marginals[r].waits) > 0 && servers[r].spare(loads[r], p.Period) < 1e-8 {
			return math.Inf(-1)
		}
	}
	bound := p.cost(servers, tasks, loads)
	if math.IsInf(bound, 1) { // every load breaks a limit of 0
		return bound
	}
	if lack > 0 {
		bound += price * lack
	}
	if !(bound <= hugeTotal) {
		return math.Inf(-1)
	}
	for r := range servers {
		w := servers[r].class.wait(loads[r], p.Period)
		for _, y := range tasks[r] {
			bound -= servers[r].rounding(y, w)
		}
	}
	return max(0, bound-idleTolerance/4*bound)
}

// cost is the penalty of all tasks at the loads.
func (p *Problem) cost(servers []server, tasks [][]int, loads []float64) float64 {
	total := 0.0
	for r := range servers {
		if len(tasks[r]) == 0 {
			continue
		}
		w := servers[r].class.wait(loads[r], p.Period)
		for _, y := range tasks[r] {
			total += servers[r].of(y, w)
		}
	}
	return total
}
