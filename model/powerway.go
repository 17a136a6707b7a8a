package model

import (
	"math"
	"slices"
)

// This file finds the way of a machine through its states where it serves nobody, from begin to end of a gap. The definition is a shortest path. Its nodes
// are a state and a time: an end of the gap, a step of the tariff, or one of these plus or minus the time of a way. A way between on and off begins and ends
// at such times. Of paths of equal cost the one with the fewest ways counts, then the one whose states stand earlier in off, then the one whose ways begin
// earlier.
//
// A cheapest way needs no other times where ways do not follow each other at once: the cost is linear in the time of a way as long as neither its begin nor its
// end meets a step, so that it can be moved to one of both sides for nothing.

// drawn is power that is taken for some time. Of a machine it says in which state.
type drawn struct {
	power, from, to float64
	state           int // index in Off, or On; on a way the state that is off
	way             Direction
}

// gap is a time in which a machine serves nobody.
type gap struct {
	from, to   float64
	begin, end int  // states
	last       bool // no job follows
}

// energyPrice is how a unit of energy counts.
type energyPrice func(rates) float64

// wayFinder finds ways through gaps. It keeps its memory from one to the next.
type wayFinder struct {
	view  *tariffView
	price energyPrice

	power    *MachinePower
	times    []float64
	sums     []float64 // by time: price of unit power from the begin of the gap on
	labels   []wayLabel
	switches []waySwitch
	tie      float64 // costs that differ by less are equal
}

// wayLabel is the cheapest path to a node.
type wayLabel struct {
	cost  float64
	ways  int32
	last  int32 // of its ways; −1: none
	known bool
}

// waySwitch is a way of a path.
type waySwitch struct {
	before   int32 // the one before it; −1: none
	state    int32 // to which it leads, 0: on, k+1: off k
	from, to int32 // positions of its times
}

// tieShare is the share of what the gap costs at most up to which costs are equal.
const tieShare = 1e-12

// rounding is what two times may differ by that are meant to be the same: starts and ends are rounded, and so are sums with the times of ways.
func (g *gap) rounding() float64 { return 2 * spacing(g.to) }

// fits says whether a machine can be in the states at the ends of the gap.
func (g *gap) fits(p *MachinePower) bool {
	least, length := 0.0, g.to-g.from
	switch {
	case p.Suspends():
		return p.suspendedFits(g)
	case g.begin == g.end:
		return true
	}
	if g.begin != On {
		least += p.Off[g.begin].Up.Time
	}
	if g.end != On {
		least += p.Off[g.end].Down.Time
	}
	return length+g.rounding() >= least
}

// suspendedFits is fits of a machine that is suspended by a rule: no job starts while it is on its way down or up, or off.
func (p *MachinePower) suspendedFits(g *gap) bool {
	length, off := g.to-g.from, &p.Off[0]
	switch {
	case g.last:
		return true
	case g.begin != On:
		return length+g.rounding() >= off.Up.Time
	}
	return length < p.SuspendAfter || length+g.rounding() >= p.SuspendAfter+off.Down.Time+off.Up.Time
}

// suspended is the way of a machine that is suspended by a rule.
func (p *MachinePower) suspended(g *gap) []drawn {
	off, until := &p.Off[0], g.to
	var way []drawn
	at := g.from
	add := func(power, to float64, state int, direction Direction) {
		if to = min(to, until); to > at {
			way, at = append(way, drawn{power, at, to, state, direction}), to
		}
	}
	if g.begin == On && (g.last || g.to-g.from >= p.SuspendAfter) {
		add(p.Idle, g.from+p.SuspendAfter, On, Stays)
		add(off.Down.Power, at+off.Down.Time, 0, Down)
	} else if g.begin == On {
		add(p.Idle, g.to, On, Stays)
		return way
	}
	if !g.last {
		add(off.Power, g.to-off.Up.Time, 0, Stays)
		add(off.Up.Power, g.to, 0, Up)
	}
	add(off.Power, g.to, 0, Stays)
	return way
}

// find is the power that the machine takes in the gap; false: it cannot be in the states at the ends of it.
func (f *wayFinder) find(p *MachinePower, g *gap) ([]drawn, bool) {
	switch {
	case !g.fits(p):
		return nil, false
	case p.Suspends():
		return p.suspended(g), true
	}
	f.power, f.switches = p, f.switches[:0]
	f.listTimes(g)
	f.search(g)
	goal := f.label(len(f.times)-1, g.end)
	if !goal.known {
		return nil, false
	}
	return f.path(g, *goal), true
}

// label is that of a state at a time.
func (f *wayFinder) label(at, state int) *wayLabel {
	return &f.labels[at*(len(f.power.Off)+1)+state+1]
}

// listTimes lists the times at which the machine may switch, and what unit power costs until then.
func (f *wayFinder) listTimes(g *gap) {
	eps := g.rounding()
	base := []float64{g.from}
	for k := f.view.at(g.from) + 1; k < len(f.view.times) && f.view.times[k] < g.to-eps; k++ { // a step that is an end of the gap counts as that
		if f.view.times[k] > base[len(base)-1]+eps {
			base = append(base, f.view.times[k])
		}
	}
	if g.to > g.from {
		base = append(base, g.to)
	}
	var more []float64
	for k := range f.power.Off {
		for _, way := range []Way{f.power.Off[k].Down, f.power.Off[k].Up} {
			if way.Time == 0 {
				continue
			}
			for _, t := range base {
				for _, at := range []float64{t - way.Time, t + way.Time} {
					if at >= g.from-eps && at <= g.to+eps {
						more = append(more, at)
					}
				}
			}
		}
	}
	slices.Sort(more)
	f.times = f.times[:0]
	next := 0
	for k, t := range base { // other times that are one of these count as it
		for ; next < len(more) && more[next] < t-eps; next++ {
			if n := len(f.times); n == 0 || more[next] > f.times[n-1]+eps {
				f.times = append(f.times, more[next])
			}
		}
		for ; next < len(more) && more[next] <= t+eps; next++ {
		}
		if k == 0 || t > f.times[len(f.times)-1] {
			f.times = append(f.times, t)
		}
	}
	f.sums = append(f.sums[:0], 0)
	sum, size := 0.0, 0.0
	step := f.view.at(g.from)
	for k := 1; k < len(f.times); k++ {
		f.view.eachStep(&step, f.times[k-1], f.times[k], func(from, to [2]float64, now rates) {
			cost := f.price(now) * (to[0] - from[0] + (to[1] - from[1]))
			sum, size = sum+cost, size+math.Abs(cost)
		})
		f.sums = append(f.sums, sum)
	}
	most := f.power.Idle
	for k := range f.power.Off {
		off := &f.power.Off[k]
		most = max(most, off.Power, off.Down.Power, off.Up.Power)
	}
	f.tie = tieShare * most * size
}

// search labels all nodes that can be reached, in the order of time.
func (f *wayFinder) search(g *gap) {
	n, states := len(f.times), len(f.power.Off)
	f.labels = slices.Grow(f.labels[:0], n*(states+1))[:n*(states+1)]
	clear(f.labels)
	*f.label(0, g.begin) = wayLabel{last: -1, known: true}
	eps := g.rounding()
	ends := make([]int, 2*states) // by way: where it ends that begins at the time
	for k := range n {
		if k > 0 {
			for s := On; s < states; s++ {
				if before := f.label(k-1, s); before.known {
					stays := *before
					stays.cost += f.statePower(s) * (f.sums[k] - f.sums[k-1])
					f.offer(k, s, stays)
				}
			}
		}
		for s := range states {
			if f.power.Off[s].Up.Time == 0 {
				f.take(k, k, s, On, 0)
			}
		}
		for s := range states {
			if f.power.Off[s].Down.Time == 0 {
				f.take(k, k, On, s, 0)
			}
		}
		for s := range states {
			off := &f.power.Off[s]
			for w, way := range []Way{off.Down, off.Up} {
				at := f.times[k] + way.Time
				for ends[2*s+w] < n && f.times[ends[2*s+w]] < at-eps {
					ends[2*s+w]++
				}
				to := ends[2*s+w]
				if way.Time == 0 || to >= n || f.times[to] > at+eps {
					continue
				}
				if w == 0 {
					f.take(k, to, On, s, way.Power)
				} else {
					f.take(k, to, s, On, way.Power)
				}
			}
		}
	}
}

// statePower is the power of a machine that stays in the state.
func (f *wayFinder) statePower(state int) float64 {
	if state == On {
		return f.power.Idle
	}
	return f.power.Off[state].Power
}

// take offers the path that takes a way from one state to another.
func (f *wayFinder) take(from, to, state, next int, power float64) {
	before := *f.label(from, state)
	if !before.known {
		return
	}
	f.switches = append(f.switches, waySwitch{before.last, int32(next + 1), int32(from), int32(to)})
	after := wayLabel{before.cost + power*(f.sums[to]-f.sums[from]), before.ways + 1, int32(len(f.switches) - 1), true}
	if !f.offer(to, next, after) {
		f.switches = f.switches[:len(f.switches)-1]
	}
}

// offer gives a node a path, if that is better than the one that it has.
func (f *wayFinder) offer(at, state int, path wayLabel) bool {
	has := f.label(at, state)
	if has.known && !f.better(&path, has) {
		return false
	}
	*has = path
	return true
}

// better says whether one path to a node comes before another.
func (f *wayFinder) better(a, b *wayLabel) bool {
	switch difference := a.cost - b.cost; {
	case math.Abs(difference) > f.tie:
		return difference < 0
	case a.ways != b.ways:
		return a.ways < b.ways
	}
	states, times := 0, 0 // how the first difference of states, and of times, compares
	for x, y := a.last, b.last; x != y; {
		s, t := &f.switches[x], &f.switches[y]
		if s.state != t.state {
			states = int(s.state - t.state)
		}
		if s.from != t.from {
			times = int(s.from - t.from)
		}
		x, y = s.before, t.before
	}
	if states != 0 {
		return states < 0
	}
	return times < 0
}

// path is what the machine takes on a path to the end of the gap.
func (f *wayFinder) path(g *gap, goal wayLabel) []drawn {
	var way []drawn
	add := func(power float64, from, to int32, state int, direction Direction) {
		if from < to {
			way = append(way, drawn{power, f.times[from], f.times[to], state, direction})
		}
	}
	until := int32(len(f.times) - 1)
	state := g.end
	for at := goal.last; at >= 0; at = f.switches[at].before {
		s := &f.switches[at]
		add(f.statePower(state), s.to, until, state, Stays)
		before := On // the state that the way leaves
		if s.state == 0 {
			if before = g.begin; s.before >= 0 {
				before = int(f.switches[s.before].state) - 1
			}
			add(f.power.Off[before].Up.Power, s.from, s.to, before, Up)
		} else {
			add(f.power.Off[s.state-1].Down.Power, s.from, s.to, int(s.state-1), Down)
		}
		state, until = before, s.from
	}
	add(f.statePower(state), 0, until, state, Stays)
	slices.Reverse(way)
	return way
}
