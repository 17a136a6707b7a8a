package ggone

import (
	"math"
	"slices"
)

// narrowest is the width, in tasks, below which a box is not split further: placing tasks closes the rest.
const narrowest = 0.2

// pieces is the number of pieces of a box between two whole loads. More pieces give a better bound and take longer in proportion.
const pieces = 4

// bound is the Lagrangian bound of the box at the prices: Σu + v·Σℓ + the sum over the servers of the least value that each can take. It
// is +Inf where no loads in the box have the right sum, −Inf where the context ends.
func (s *idleSearch) bound(n *idleNode, prices []float64) float64 {
	s.evaluations++
	u, v := prices[:len(prices)-1], prices[len(prices)-1]
	low, high, least := 0.0, 0.0, 0.0
	for r := range s.servers {
		if s.ctx.Err() != nil {
			return math.Inf(-1)
		}
		if n.low[r] > n.high[r] {
			return math.Inf(1)
		}
		low += n.low[r]
		high += n.high[r]
		if r > 0 && !n.placed && s.servers[r].class == s.servers[r-1].class && n.low[r] == n.low[r-1] && n.high[r] == n.high[r-1] {
			s.pieces[r] = s.pieces[r-1]
		} else {
			s.pieces[r] = s.bestPiece(n, r, u, v)
		}
		least += s.pieces[r].value
	}
	if low > s.total*(1+1e-12) || high+s.sliver < s.total*(1-1e-12) {
		return math.Inf(1)
	}
	return s.floor(u, v).of(least)
}

// floor prepares the lower bounds at the prices, as [core.floor] does.
func (s *idleSearch) floor(u []float64, v float64) floor {
	return floorAt(u, v*(s.total-s.sliver), v*s.total, float64(len(u)+len(s.servers)+16)*ulp)
}

// bestPiece is the best piece of a server's box. Between two whole loads the server holds as many tasks as the lower one allows.
func (s *idleSearch) bestPiece(n *idleNode, r int, u []float64, v float64) piece {
	server := &s.servers[r]
	best := piece{load: n.low[r], value: math.Inf(1)}
	for a := n.low[r]; ; {
		if s.ctx.Err() != nil {
			return piece{value: math.Inf(-1)}
		}
		b := min(n.high[r], (math.Floor(a*pieces)+1)/pieces)
		if p := s.boundPiece(n, r, a, b, u, v); p.value < best.value {
			best = p
		}
		if a = b; a >= n.high[r] {
			break
		}
	}
	// Below its largest load a machine has one task less than at that load, where it is a whole number.
	if most := n.high[r]; most > n.low[r] && most == s.largest(r) && most == math.Floor(most) {
		if p := s.boundPiece(n, r, most, most, u, v); p.value < best.value {
			best = p
		}
	}
	w := server.class.wait(best.load, s.p.Period)
	best.exact = -v * best.load
	for _, y := range best.serves {
		best.exact += server.of(y, w) - u[y]
	}
	return best
}

// boundPiece bounds the value that a server can take with a load from a to b, where a and b lie between one whole number and the next: by
// the penalties at load a with the price of load b, and by the tangents in the middle, taken at their lower end. The better bound counts.
func (s *idleSearch) boundPiece(n *idleNode, r int, a, b float64, u []float64, v float64) piece {
	server, most := &s.servers[r], int(a)
	at := func(load, price float64, value func(y int) float64) piece {
		for y := range u {
			s.values[y] = value(y) - u[y]
		}
		total, serves := s.cheapest(n, r, most)
		return piece{load: load, value: total - price*load, serves: serves}
	}
	w := server.waitBelow(a, s.p.Period)
	best := at(b, v, func(y int) float64 { return server.of(y, w) })
	middle := a + (b-a)/2
	if most == 0 || a == b || server.spare(middle, s.p.Period) < 1e-8 { // the slope has lost most digits
		return best
	}
	w = server.waitBelow(middle, s.p.Period)
	slope := server.slope(middle, s.p.Period)
	rounding := 8 * ulp / server.spare(middle, s.p.Period) // relative error of the slope, which grows as the machine gets full
	line := func(load float64) piece {
		return at(load, v, func(y int) float64 {
			rise := server.rate(y, w) * slope * (load - middle)
			return server.of(y, w) + rise - rounding*math.Abs(rise)
		})
	}
	tangent := line(a)
	if other := line(b); other.value < tangent.value {
		tangent = other
	}
	if tangent.value > best.value {
		return tangent
	}
	return best
}

// cheapest chooses the tasks of the least total value for server r, at most most: those placed on it, and free ones with a value below 0,
// the least first. It returns the total and the tasks; the total is +Inf where more than most are placed.
func (s *idleSearch) cheapest(n *idleNode, r, most int) (total float64, which []int) {
	work := s.work[:0]
	for y, x := range s.values {
		switch at := n.place[y]; {
		case at == r:
			total += x
			which = append(which, y)
			most--
		case at < 0 && x < 0:
			work = append(work, x)
		}
	}
	if most < 0 {
		return math.Inf(1), nil
	}
	limit, left := 0.0, min(most, len(work))
	switch {
	case left == 0:
		return total, which
	case left < len(work):
		least, largest := selectSmallest(work, left)
		total, limit = total+least, largest
	default:
		total += sum(work)
	}
	for y, x := range s.values {
		if n.place[y] < 0 && x < limit && left > 0 {
			which = append(which, y)
			left--
		}
	}
	for y, x := range s.values {
		if n.place[y] < 0 && x == limit && x < 0 && left > 0 {
			which = append(which, y)
			left--
		}
	}
	return total, which
}

// ascend raises the bound of the node by the subgradient method.
func (s *idleSearch) ascend(n *idleNode) {
	iterations := 60
	if n.born == 0 {
		iterations = 300
	}
	for _, prices := range [][]float64{n.prices, s.prices} {
		if l := s.bound(n, prices); l > n.bound {
			n.bound, n.prices = l, prices
		}
	}
	prices := slices.Clone(n.prices)
	best := n.prices
	clear(s.direction)
	clear(s.share)
	step, stall := 1.0, 0
	for range iterations {
		if s.stopped() {
			break
		}
		l := s.bound(n, prices)
		if math.IsInf(l, 0) {
			if l > 0 {
				n.bound = l
			}
			return
		}
		if l > n.bound {
			n.bound, best, stall = l, slices.Clone(prices), 0
		} else if stall++; stall >= 4 {
			stall, step = 0, step*shrink
		}
		if n.bound >= s.limit() {
			break
		}
		clear(s.count)
		load := 0.0
		for r := range s.pieces {
			load += s.pieces[r].load
			for _, y := range s.pieces[r].serves {
				s.count[y]++
				s.share[y*len(s.servers)+r]++
			}
		}
		for y, n := range s.count {
			deflect(&s.direction[y], 1-n)
		}
		deflect(&s.direction[len(s.count)], s.total-load)
		if !advance(prices, s.direction, step, l, s.best) {
			break
		}
		prices[len(prices)-1] = max(0, prices[len(prices)-1]) // penalties do not fall as the load grows
	}
	n.prices = best
}

// split picks the rank of the server whose bound is furthest from its exact value, and where to split its box; −1: such errors do not keep
// the node open. Of servers of one class with equal boxes it takes the middle one. Call it after bound of the node.
func (s *idleSearch) split(n *idleNode) (rank int, at float64) {
	const share = 0.25 // of the gap
	rank, most, all := -1, 0.0, 0.0
	for r := range s.servers {
		wide := n.high[r]-n.low[r] > narrowest
		if fault := s.pieces[r].exact - s.pieces[r].value; wide && fault > 0 {
			all += fault
			if fault > most {
				rank, most = r, fault
			}
		}
	}
	if rank < 0 || !(all > share*(s.limit()-n.bound)) {
		return -1, 0
	}
	last := rank
	for last+1 < len(s.servers) && s.servers[last+1].class == s.servers[rank].class && n.low[last+1] == n.low[rank] && n.high[last+1] == n.high[rank] && !n.placed {
		last++
	}
	rank = (rank + last) / 2
	low, high := n.low[rank], n.high[rank]
	if whole := math.Round(s.pieces[rank].load); low < whole && whole < high {
		return rank, whole
	}
	if whole := math.Floor(low) + 1; whole < high {
		if other := math.Ceil(high) - 1; high-other < whole-low {
			return rank, other
		}
		return rank, whole
	}
	return rank, s.bend(rank, low, high)
}

// bend is the load at which to split a box: the load nearest to the middle at which a task of the server begins to exceed a limit, so that
// the penalty is smooth on both sides; where there is none, the middle.
func (s *idleSearch) bend(rank int, low, high float64) float64 {
	server := &s.servers[rank]
	m := server.marginal(s.pieces[rank].serves)
	middle, edge := low+(high-low)/2, 1e-6*(high-low)
	at := middle
	least := math.Inf(1)
	for _, w := range m.waits {
		if load := server.loadOf(w, s.p.Period); load > low+edge && load < high-edge && math.Abs(load-middle) < least {
			at, least = load, math.Abs(load-middle)
		}
	}
	return at
}

// undecided is the free task whose place the last ascent left most open; −1: all tasks are placed.
func (s *idleSearch) undecided(n *idleNode) int {
	task, least := -1, math.Inf(1)
	for y, at := range n.place {
		if at >= 0 {
			continue
		}
		all, most := 0.0, 0.0
		for _, x := range s.share[y*len(s.servers) : (y+1)*len(s.servers)] {
			all += x
			most = max(most, x)
		}
		if sure := most / max(all, 1); task < 0 || sure < least {
			task, least = y, sure
		}
	}
	return task
}
