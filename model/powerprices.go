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
	for k, t := range view.times {
		if rate := price(view.values[k]); k == 0 || rate != p.Rates[len(p.Rates)-1] {
			p.Times, p.Rates = append(p.Times, t), append(p.Rates, rate)
		}
	}
	return p
}

// Ways finds what a machine takes of power where it serves nobody. It keeps memory from one gap to the next, so that only one goroutine may use it.
type Ways struct {
	find     wayFinder
	from, to float64
	rates    []float64 // prices by step of the view
	sums     []float64 // their integrals up to each step
	negative bool      // some price is below 0
	off      []offFrom // scratch
}

// offFrom is a time at which a machine can be off, and the least that it has taken until a later one, less what it would take if it were off from the begin on.
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
			sum = w.sums[k-1] + w.rates[k-1]*(t-view.times[k-1])
		}
		rate := w.find.price(view.values[k])
		w.rates, w.sums, w.negative = append(w.rates, rate), append(w.sums, sum), w.negative || rate < 0
	}
	return w
}

// Cost is what a machine that is not suspended by a rule takes from one time to another, between which it serves nobody, by the prices of [Instance.PowerPrices].
// It is on at both, but where the horizon begins or ends it is in the state that it must be in there. It returns false if it cannot be in these states.
//
// Complexity: O(steps · states) for the steps of the tariff in between.
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
	if w.offOnce(p) {
		return w.once(p, &g), true
	}
	f := &w.find
	f.power, f.switches = p, f.switches[:0]
	f.listTimes(&g)
	f.search(&g)
	goal := f.label(len(f.times)-1, g.end)
	return goal.cost, goal.known
}

// offOnce says that it never pays to be on between two times of being off: no price is negative, and the machine takes least when it is off. Then it would stay
// off.
func (w *Ways) offOnce(p *MachinePower) bool {
	if w.negative || len(p.Off) != 1 {
		return false
	}
	off := &p.Off[0]
	return off.Power <= p.Idle && (off.Down.Time == 0 || off.Power <= off.Down.Power) && (off.Up.Time == 0 || off.Power <= off.Up.Power)
}

// price is the integral of the prices up to a time within a step at or after the given one.
func (w *Ways) price(t float64, k *int) float64 {
	times := w.find.view.times
	for *k > 0 && times[*k] > t {
		*k--
	}
	for *k+1 < len(times) && times[*k+1] <= t {
		*k++
	}
	return w.sums[*k] + w.rates[*k]*(t-times[*k])
}

// once is the cost of a gap of a machine that is off once at most. The times at which it can be off from and until are those of the definition: the way down
// begins or ends at a step of the tariff or at an end of the gap, and so does the way up.
func (w *Ways) once(p *MachinePower, g *gap) float64 {
	off, down, up := p.Off[0].Power, p.Off[0].Down, p.Off[0].Up
	times, eps := w.find.view.times, g.rounding()
	k := w.find.view.at(g.from)
	a, b, at := k, k, k
	begin, end := w.price(g.from, &at), 0.0
	for last := len(times) - 1; at < last && times[at+1] <= g.to; {
		at++
	}
	end = w.price(g.to, &at)
	best := math.Inf(1)
	w.off = w.off[:0]
	switch {
	case g.begin != On:
		w.off = append(w.off, offFrom{g.from, -off * begin})
	default:
		if g.end == On {
			best = p.Idle * (end - begin)
		}
		least := math.Inf(1)
		add := func(start float64, k, j *int) { // the way down begins at the time
			if stop := start + down.Time; start >= g.from-eps && stop <= g.to+eps {
				x, y := w.price(start, k), w.price(stop, j)
				least = min(least, p.Idle*(x-begin)+down.Power*(y-x)-off*y)
				w.off = append(w.off, offFrom{stop, least})
			}
		}
		c, d := k, k
		next, ends := k, k // steps at which the way begins next, −1 step for the begin of the gap, and ends next
		add(g.from, &a, &b)
		for next++; ; {
			for ends+1 < len(times) && times[ends+1]-down.Time < g.from-eps {
				ends++
			}
			begins, stops := math.Inf(1), math.Inf(1)
			if next < len(times) && times[next] <= g.to {
				begins = times[next]
			}
			if ends+1 < len(times) && times[ends+1] < g.to {
				stops = times[ends+1] - down.Time
			}
			switch {
			case begins <= stops && !math.IsInf(begins, 1):
				add(begins, &a, &b)
				next++
				continue
			case !math.IsInf(stops, 1):
				add(stops, &c, &d)
				ends++
				continue
			}
			break
		}
		if g.end != On {
			add(g.to-down.Time, &c, &d)
		}
	}
	if g.end != On {
		return min(best, w.off[len(w.off)-1].cost+off*end)
	}
	i, j := k, k
	from := 0
	until := func(stop float64) { // the machine is off until the time
		on := stop + up.Time
		if on > g.to+eps {
			return
		}
		for from+1 < len(w.off) && w.off[from+1].time <= stop+eps {
			from++
		}
		if w.off[from].time > stop+eps {
			return
		}
		x, y := w.price(stop, &i), w.price(on, &j)
		best = min(best, w.off[from].cost+off*x+up.Power*(y-x)+p.Idle*(end-y))
	}
	if len(w.off) == 0 {
		return best
	}
	for s := k; s < len(times) && times[s] < g.to; s++ {
		if times[s] > g.from {
			until(times[s])
		}
	}
	from, i, j = 0, k, k
	for s := k; s < len(times) && times[s] < g.to; s++ {
		if stop := times[s] - up.Time; stop >= g.from-eps {
			until(stop)
		}
	}
	if g.begin != On {
		from = 0
		until(g.from)
	}
	from = 0
	until(g.to - up.Time)
	return best
}
