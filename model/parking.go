package model

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// full is the part of its service rate that a server may be loaded with: it stays just below μ.
const full = 1 - 1e-12

// park sets every server's load to the rate of its tasks and spreads the idle rate, the rest of λ, so that the penalty is least.
func park(servers []server, q Queueing, idle float64) {
	left, room := q.Rate, 0.0
	for k := range servers {
		s := &servers[k]
		s.load = s.least()
		left -= s.load
		room += s.room()
	}
	if idle == 0 {
		return
	}
	if left > room { // no stable loads
		for k := range servers {
			servers[k].load = max(servers[k].load, servers[k].serviceRate)
		}
		return
	}
	var busy []*server
	for k := range servers { // load on a server without tasks costs nothing
		s := &servers[k]
		if len(s.tasks) > 0 {
			busy = append(busy, s)
			continue
		}
		taken := min(left, s.room())
		s.load += taken
		left -= taken
	}
	if left > 0 {
		share(busy, q.Charge, left)
	}
}

// room is the load that the server can take besides its own.
func (s *server) room() float64 { return max(0, s.serviceRate*full-s.load) }

// share spreads the load left over the servers so that the penalty is least. The penalty of a server is convex in its load, so at the best
// loads all marginal penalties equal one price, which bisection finds. Where servers would take more than is left at this price, as at a price of 0, each
// takes the same part of what it would.
//
// Complexity: O(s log n) evaluations of a marginal penalty at some 4,000 loads for s servers with n tasks each.
func share(servers []*server, charge Charge, left float64) {
	marginals := make([]marginal, len(servers))
	for k, s := range servers {
		marginals[k] = s.marginal(charge)
	}
	less, more := make([]float64, len(servers)), make([]float64, len(servers))
	atPrice := func(price float64, loads []float64) (extra float64) {
		for k, s := range servers {
			loads[k] = marginals[k].loadAt(price, s.load+min(s.room(), 2*left))
			extra += loads[k] - s.load
		}
		return extra
	}
	price := leastFloat(0, math.MaxFloat64, func(price float64) bool { return atPrice(price, more) >= left })
	lessExtra, moreExtra := atPrice(math.Nextafter(price, -1), less), atPrice(price, more) // below 0 each keeps its own load
	part := (left - lessExtra) / max(moreExtra-lessExtra, left-lessExtra)
	for k, s := range servers {
		s.load = less[k] + part*(more[k]-less[k])
	}
}

// marginal is the right derivative of a server's penalty by its load.
type marginal struct {
	*server
	waits  []float64 // waits from which on a term of a task grows, ascending
	slopes []float64 // by k: growth of the penalty for each unit of the wait, from waits[k] on
}

// marginal prepares the derivative. A limit of 0 that is exceeded makes the penalty infinite, whatever the load. One that is +∞, and the budget of a task that
// costs nothing, make a term of slope 0.
func (s *server) marginal(charge Charge) marginal {
	type term struct{ wait, slope float64 }
	var terms []term
	for _, t := range s.tasks {
		if t.deadline > 0 {
			terms = append(terms, term{t.deadline - t.service, 1 / t.deadline})
		}
		if charge == ChargeResponse && t.budget > 0 {
			terms = append(terms, term{t.budget/t.cost - t.service, t.cost / t.budget})
		}
	}
	slices.SortFunc(terms, func(a, b term) int { return cmp.Compare(a.wait, b.wait) })
	m, sum := marginal{server: s}, 0.0
	for _, t := range terms {
		sum += t.slope
		m.waits, m.slopes = append(m.waits, t.wait), append(m.slopes, sum)
	}
	return m
}

// at is the derivative at a load.
func (m *marginal) at(load float64) float64 {
	wait := Wait(m.kappa, load, m.serviceRate)
	grow := sort.Search(len(m.waits), func(k int) bool { return m.waits[k] > wait })
	if grow == 0 {
		return 0
	}
	idle := 1 - load/m.serviceRate
	return m.slopes[grow-1] * m.kappa / (idle * idle)
}

// loadAt is the least load, from the server's own up to most, at which the marginal penalty is above the price; most if it is so at none.
func (m *marginal) loadAt(price, most float64) float64 {
	if m.at(most) <= price {
		return most
	}
	return leastFloat(m.load, most, func(load float64) bool { return m.at(load) > price })
}

// leastFloat is the least number from low to high for which a condition holds that holds for all above it, too; high if it holds for none below. The order
// of numbers of at least 0 is that of their bits.
//
// Complexity: O(log of the numbers between), at most 64 conditions.
func leastFloat(low, high float64, holds func(float64) bool) float64 {
	from, to := math.Float64bits(low), math.Float64bits(high)
	for from < to {
		if middle := from + (to-from)/2; holds(math.Float64frombits(middle)) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return math.Float64frombits(from)
}
