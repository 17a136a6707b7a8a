package model

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
}

// Ways starts a finder for the machines of a cluster; nil where [Instance.PowerPrices] is.
func (in *Instance) Ways(cluster int) *Ways {
	from, to, stated := in.Horizon()
	if !stated || in.PowerPrices(cluster) == nil {
		return nil
	}
	view, _ := in.clusters[cluster].Tariff.view(from, to)
	return &Ways{find: wayFinder{view: view, price: in.wayPrice(view.per)}, from: from, to: to}
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
	f := &w.find
	f.power, f.switches = p, f.switches[:0]
	f.listTimes(&g)
	f.search(&g)
	goal := f.label(len(f.times)-1, g.end)
	return goal.cost, goal.known
}
