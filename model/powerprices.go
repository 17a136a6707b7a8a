package model

import "math"

// PowerPrices is what a unit of power costs on a cluster by the objective's weights of energy, energy_cost and carbon, as a step function of time within the
// horizon: Rates[k] from Times[k] until the next, the last until the horizon ends.
type PowerPrices struct {
	Times, Rates []float64
	From, To     float64
}

// PowerPrices returns the prices of power on a cluster; nil where the objective has none of the three metrics, or a tariff has too many steps to be measured.
//
// Complexity: O(steps of the tariff within the horizon).
func (in *Instance) PowerPrices(cluster int) *PowerPrices {
	from, to, stated := in.Horizon()
	priced := false
	for _, term := range in.objective {
		priced = priced || term.Weight != 0 && (term.Metric == "energy" || term.Metric == "energy_cost" || term.Metric == "carbon")
	}
	if !stated || !priced {
		return nil
	}
	view, few := in.clusters[cluster].Tariff.view(from, to)
	if !few {
		return nil
	}
	price := in.wayPrice(view.per)
	p := &PowerPrices{From: from, To: to}
	view.eachNearest(func(time float64, now rates) {
		if rate := price(now); len(p.Rates) == 0 || rate != p.Rates[len(p.Rates)-1] {
			p.Times, p.Rates = append(p.Times, time), append(p.Rates, rate)
		}
	})
	return p
}

// Ways finds what a machine takes of power where it serves nobody. It keeps memory from one gap to the next, so that only one goroutine may use it.
type Ways struct {
	find     wayFinder
	from, to float64
	rates    []float64 // prices by step of the view
	sums     []float64 // their integrals up to each step
	highest  float64   // the highest price
	negative bool      // some price is below 0
	off      []offFrom // scratch
}

// offFrom is a time from which on a machine can be off, and what it has taken by then at least, by an earlier time too, more than if it were off.
type offFrom struct{ time, cost float64 }

// Ways starts a finder for the machines of a cluster; nil where [Instance.PowerPrices] is.
func (in *Instance) Ways(cluster int) *Ways {
	from, to, stated := in.Horizon()
	if !stated || in.PowerPrices(cluster) == nil {
		return nil
	}
	view, _ := in.clusters[cluster].Tariff.view(from, to)
	w := &Ways{find: wayFinder{view: view, price: in.wayPrice(view.per)}, from: from, to: to}
	for k, t := range view.times {
		sum := 0.0
		if k > 0 {
			sum = w.sums[k-1] + w.rates[k-1]*(view.since(k-1, t)+view.rests[k])
		}
		rate := w.find.price(view.values[k])
		w.rates, w.sums, w.negative = append(w.rates, rate), append(w.sums, sum), w.negative || rate < 0
		w.highest = max(w.highest, rate)
	}
	return w
}

// Cost is what a machine that is not suspended by a rule takes from one time to another, between which it serves nobody, by the prices of
// [Instance.PowerPrices]. It is on at both, but where the horizon begins or ends it is in the state that it must be in there. It returns false if it cannot be
// in these states. Where no price is negative it looks only at ways on which the machine is off once at most: others cost less only if the machine has several
// states that are off, or takes less when it is on. See Exact.
//
// Complexity: O(steps · states) for the steps of the tariff in between, most often far less.
func (w *Ways) Cost(p *MachinePower, from, to float64) (float64, bool) {
	g := gap{from: from, to: to, begin: On, end: On}
	if from <= w.from {
		g.begin = p.Begin
	}
	if to >= w.to {
		g.end = p.End
	}
	if !g.fits(p) {
		return 0, false
	}
	if !w.negative {
		return w.once(p, &g)
	}
	f := &w.find
	f.power, f.switches = p, f.switches[:0]
	f.listTimes(&g)
	f.search(&g)
	goal := f.label(len(f.times)-1, g.end)
	return goal.cost, goal.known
}

// Exact says whether Cost is exact for the machine, and not more than it takes.
func (w *Ways) Exact(p *MachinePower) bool {
	return w.negative || len(p.Off) == 1 && p.Off[0].saves(p.Idle)
}

// saves says that a machine takes least when it is off. If no price is negative, it never pays then to be on between two times in the state: the machine would
// stay off.
func (o *OffState) saves(idle float64) bool {
	return o.Power <= idle && (o.Down.Time == 0 || o.Power <= o.Down.Power) && (o.Up.Time == 0 || o.Power <= o.Up.Power)
}

// price is the integral of the prices up to a time, which lies in a step near k.
func (w *Ways) price(t float64, k *int) float64 {
	view := w.find.view
	for *k > 0 && !view.begun(*k, t) {
		*k--
	}
	for *k+1 < len(view.times) && view.begun(*k+1, t) {
		*k++
	}
	return w.sums[*k] + w.rates[*k]*view.since(*k, t)
}

// once is the least cost of a gap in which a machine is off once at most.
func (w *Ways) once(p *MachinePower, g *gap) (float64, bool) {
	k, last := w.find.view.at(g.from), w.find.view.at(g.to)
	begin, end := w.price(g.from, &k), w.price(g.to, &last)
	best := math.Inf(1)
	if g.begin == On && g.end == On {
		best = p.Idle * (end - begin)
	}
	for s := range p.Off {
		if g.begin != On && g.begin != s || g.end != On && g.end != s {
			continue
		}
		best = min(best, w.onceIn(p, s, g, begin, end, k, last))
	}
	if math.IsInf(best, 1) && g.begin != On && g.end != On && g.begin != g.end { // down again behind the way up
		return w.between(p, g, begin, end, k, last), true
	}
	return best, !math.IsInf(best, 1)
}

// between is the cost of a gap that begins and ends in different states that are off: the machine is on in between, at the cheapest of the times that count.
func (w *Ways) between(p *MachinePower, g *gap, begin, end float64, first, last int) float64 {
	up, down := p.Off[g.begin].Up.Time, p.Off[g.end].Down.Time
	best := math.Inf(1)
	try := func(at float64) {
		if at-up < g.from-g.rounding() || at+down > g.to+g.rounding() {
			return
		}
		k := first
		now := w.price(at, &k)
		a, b := gap{from: g.from, to: at, begin: g.begin, end: On}, gap{from: at, to: g.to, begin: On, end: g.end}
		best = min(best, w.onceIn(p, g.begin, &a, begin, now, first, k)+w.onceIn(p, g.end, &b, now, end, k, last))
	}
	try(g.from + up)
	try(g.to - down)
	for s := first; s <= last; s++ {
		for _, at := range []float64{0, up, -up, down, -down} {
			try(w.find.view.times[s] + at)
		}
	}
	return best
}

// onceIn is the cost of a gap in which a machine is off once, in the state. The times from which and until which it is off are those of the definition: the
// way down begins or ends at a step of the tariff or at an end of the gap, and so does the way up. begin and end are the integrals of the prices up to the ends
// of the gap, which lie in the steps first and last.
//
// What the machine takes more than if it were off all the time is a part for the way down and a part for the way up. The parts are at least what it takes more
// when it is on before and after, but for what a way may take less; so ways that begin later, or end earlier, than that allows need not be looked at.
func (w *Ways) onceIn(p *MachinePower, state int, g *gap, begin, end float64, first, last int) float64 {
	off, up := p.Off[state].Power, p.Off[state].Up
	times, eps := w.find.view.times, g.rounding()
	bounded, more := p.Idle >= off, p.Idle-off
	upSlack := max(0, off-up.Power) * w.highest * up.Time
	w.listOff(p, state, g, begin, first)
	if len(w.off) == 0 {
		return math.Inf(1)
	}
	if g.end != On {
		return off*(end-begin) + w.off[len(w.off)-1].cost
	}
	best, least := math.Inf(1), w.off[len(w.off)-1].cost
	i, j, at := last, last, len(w.off)-1
	until := func(stop float64) bool { // the machine is off until the time; false: earlier ones cost too much
		on := stop + up.Time
		if on > g.to+eps || stop < g.from-eps {
			return true
		}
		for at > 0 && w.off[at].time > stop+eps {
			at--
		}
		if w.off[at].time > stop+eps {
			return false
		}
		y := w.price(on, &j)
		if bounded && least+more*(end-y)-upSlack > best {
			return false
		}
		best = min(best, w.off[at].cost+more*(end-y)+(up.Power-off)*(y-w.price(stop, &i)))
		return true
	}
	until(g.to - up.Time)
	ends, begins := last, last // steps at which the way up ends next, and begins next, from the last to the first
	for begins > first && times[begins]+up.Time > g.to+eps {
		begins--
	}
	for {
		stop := math.Inf(-1)
		if ends > first {
			stop = times[ends] - up.Time
		}
		if begins > first && times[begins] >= stop {
			stop = times[begins]
			begins--
		} else {
			ends--
		}
		if math.IsInf(stop, -1) || !until(stop) {
			break
		}
	}
	until(g.from)
	return off*(end-begin) + best
}

// listOff lists from which times on the machine can be off, ascending, and what it takes more by then at least than if it were off all the time.
func (w *Ways) listOff(p *MachinePower, state int, g *gap, begin float64, first int) {
	off, down := p.Off[state].Power, p.Off[state].Down
	times, eps := w.find.view.times, g.rounding()
	bounded, more := p.Idle >= off, p.Idle-off
	downSlack := max(0, off-down.Power) * w.highest * down.Time
	w.off = w.off[:0]
	if g.begin != On {
		w.off = append(w.off, offFrom{g.from, 0})
	} else {
		least := math.Inf(1)
		a, b := first, first
		add := func(start float64) bool { // the way down begins at the time; false: later ones cost too much
			stop := start + down.Time
			if start < g.from-eps || stop > g.to+eps {
				return true
			}
			x := w.price(start, &a)
			if bounded && more*(x-begin)-downSlack > least {
				return false
			}
			y := w.price(stop, &b)
			least = min(least, more*(x-begin)+(down.Power-off)*(y-x))
			w.off = append(w.off, offFrom{stop, least})
			return true
		}
		begins, ends := first+1, first+1 // steps at which a way begins next, and ends next
		for ends < len(times) && times[ends]-down.Time < g.from-eps {
			ends++
		}
		for going := add(g.from); going; {
			starts, stops := math.Inf(1), math.Inf(1)
			if begins < len(times) && times[begins] <= g.to {
				starts = times[begins]
			}
			if ends < len(times) && times[ends] < g.to {
				stops = times[ends] - down.Time
			}
			switch {
			case starts <= stops && !math.IsInf(starts, 1):
				going = add(starts)
				begins++
			case !math.IsInf(stops, 1):
				going = add(stops)
				ends++
			default:
				if going = false; g.end != On {
					add(g.to - down.Time)
				}
			}
		}
	}
}
