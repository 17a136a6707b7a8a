package ggone

import (
	"math"
	"slices"
)

// narrowest is the width below which a box is not split further.
const narrowest = 1e-9

// bound is the Lagrangian bound of the box at the prices: Σu + v·Σℓ + Σ over the servers of the least they can take. +Inf
// where no loads in the box have the right sum.
func (s *slackSearch) bound(n *slackNode, prices []float64) float64 {
	s.evaluations++
	u, v := prices[:len(prices)-1], prices[len(prices)-1]
	low, high := 0.0, 0.0
	total := safeSum(u) + v*s.total*(1-1e-13)
	for r := range s.servers {
		if n.low[r] > n.high[r] {
			return math.Inf(1)
		}
		low += n.low[r]
		high += n.high[r]
		if r > 0 && s.servers[r].class == s.servers[r-1].class && n.low[r] == n.low[r-1] && n.high[r] == n.high[r-1] {
			s.pieces[r] = s.pieces[r-1]
		} else {
			s.pieces[r] = s.take(&s.servers[r], n.low[r], n.high[r], u, v)
		}
		total += s.pieces[r].value
	}
	if low > s.total*(1+1e-12) || high < s.total*(1-1e-12) {
		return math.Inf(1)
	}
	return total
}

// take is the best piece of a server's box: between two whole loads it holds as many tasks as the lower says.
func (s *slackSearch) take(server *server, low, high float64, u []float64, v float64) piece {
	best := piece{value: math.Inf(1)}
	for a := low; ; {
		b := min(high, math.Floor(a)+1)
		if p := s.takePiece(server, a, b, u, v); p.value < best.value {
			best = p
		}
		if a = b; a >= high {
			break
		}
	}
	best.serves = slices.Clone(best.serves)
	w := server.class.wait(best.load, s.p.Period)
	best.exact = -v * best.load
	for _, y := range best.serves {
		best.exact += server.of(y, w) - u[y]
	}
	return best
}

// takePiece bounds what the server can take with a load from a to b, both inside one whole number and the next: by the penalties
// at a with all of b's load, and by the tangents in the middle at the worse end. The better bound counts.
func (s *slackSearch) takePiece(server *server, a, b float64, u []float64, v float64) piece {
	most := int(a)
	w := server.class.wait(a, s.p.Period)
	for y := range u {
		s.values[y] = server.of(y, w) - u[y]
	}
	value, serves := s.cheapest(most)
	best := piece{load: b, value: value - v*b, serves: serves}
	if most == 0 || a == b {
		return best
	}
	middle := a + (b-a)/2
	w = server.class.wait(middle, s.p.Period)
	slope := server.slope(middle, s.p.Period)
	tangent := piece{value: math.Inf(1)}
	for _, load := range [2]float64{a, b} {
		for y := range u {
			s.values[y] = server.of(y, w) + server.rate(y, w)*slope*(load-middle) - u[y]
		}
		if value, serves := s.cheapest(most); value-v*load < tangent.value {
			tangent = piece{load: load, value: value - v*load, serves: serves}
		}
	}
	if tangent.value > best.value {
		return tangent
	}
	return best
}

// cheapest is the sum of the at most n least of the values below 0, and which they are.
func (s *slackSearch) cheapest(n int) (total float64, which []int) {
	if n == 0 {
		return 0, nil
	}
	work := s.work[:0]
	for _, x := range s.values {
		if x < 0 {
			work = append(work, x)
		}
	}
	limit := 0.0
	if len(work) > n {
		total, limit = selectSmallest(work, n)
	} else {
		total = sum(work)
	}
	left := min(n, len(work))
	for y, x := range s.values {
		if x < limit && left > 0 {
			which = append(which, y)
			left--
		}
	}
	for y, x := range s.values {
		if x == limit && limit < 0 && left > 0 {
			which = append(which, y)
			left--
		}
	}
	return total, which
}

// ascend raises the bound of the node by the subgradient method.
func (s *slackSearch) ascend(n *slackNode) {
	iterations := 30
	if n.born == 0 {
		iterations = 300
	}
	prices := slices.Clone(n.prices)
	best := n.prices
	clear(s.direction)
	step, stall := 1.0, 0
	for range iterations {
		if s.stopped() {
			break
		}
		l := s.bound(n, prices)
		if math.IsInf(l, 1) {
			n.bound = l
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
			}
		}
		norm := 0.0
		for y := range s.direction {
			g := s.total - load
			if y < len(s.count) {
				g = 1 - s.count[y]
			}
			s.direction[y] = deflection*g + (1-deflection)*s.direction[y]
			norm += s.direction[y] * s.direction[y]
		}
		target := s.best
		if math.IsInf(target, 1) {
			target = l + max(1, math.Abs(l))
		}
		h := step * (target - l) / norm
		if !(h > 0) || math.IsInf(h, 1) {
			break
		}
		for y := range prices {
			prices[y] += h * s.direction[y]
		}
		prices[len(prices)-1] = max(0, prices[len(prices)-1]) // penalties do not fall with the load
	}
	n.prices = best
}

// split picks the server whose bound is furthest from the truth, else that of the widest box, and where to split its box; −1:
// all are too narrow. It follows bound of the node. Of servers with one box it takes the middle one.
func (s *slackSearch) split(n *slackNode) (rank int, at float64) {
	rank = -1
	pick := func(score func(r int) float64) {
		most := 0.0
		for r := range s.servers {
			if n.high[r]-n.low[r] > narrowest*max(1, n.high[r]) && score(r) > most {
				rank, most = r, score(r)
			}
		}
	}
	pick(func(r int) float64 {
		return s.pieces[r].exact - s.pieces[r].value - 1e-3*(s.limit()-n.bound)/float64(len(s.servers))
	})
	if rank < 0 {
		pick(func(r int) float64 { return n.high[r] - n.low[r] })
	}
	if rank < 0 {
		return rank, 0
	}
	last := rank
	for last+1 < len(s.servers) && s.servers[last+1].class == s.servers[rank].class && n.low[last+1] == n.low[rank] && n.high[last+1] == n.high[rank] {
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
	return rank, low + (high-low)/2
}
