package model

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// powerSums are what a schedule takes of power; all +Inf where it is not known.
type powerSums struct {
	energy, cost, carbon, peak float64
	costSize, carbonSize       float64 // sums of the magnitudes of what cost and carbon are made of
}

// powerUse computes the metrics of power.
func (e *evaluation) powerUse() powerSums { return e.power.get(e.addPower) }

// draw is power that a number of processors or machines of a cluster take for some time.
type draw struct {
	cluster int
	count   float64
	running bool // it is that of processors that run, above idle
	drawn
}

// addPower adds up what powerUse keeps.
func (e *evaluation) addPower() powerSums {
	sums := powerSums{}
	views := make([]*tariffView, len(e.in.clusters))
	var draws []draw
	known := e.eachDraw(views, func(d draw) {
		v := views[d.cluster]
		taken := d.count * d.power
		sum, size := v.over(d.from, d.to)
		sums.energy += taken * (d.to - d.from)
		sums.cost += taken * sum.price / v.per
		sums.carbon += taken * sum.carbon / v.per
		sums.costSize += taken * size.price / v.per
		sums.carbonSize += taken * size.carbon / v.per
		draws = append(draws, d)
	})
	if !known {
		none := math.Inf(1)
		return powerSums{none, none, none, none, none, none}
	}
	sums.peak = peakOf(draws)
	return sums
}

// peakOf is the highest power of all together.
func peakOf(draws []draw) float64 {
	peak := 0.0
	eachPower(draws, 1, func(draw) int { return 0 }, func(_ float64, now []amount) { peak = max(peak, now[0].value()) })
	return peak
}

// counted is the time in which power counts.
func (s *schedule) counted() (from, to float64) {
	if from, to, stated := s.in.Horizon(); stated {
		return from, to
	}
	last := s.in.firstArrival
	for k := range s.parts {
		last = max(last, s.end[s.parts[k].job])
	}
	return s.in.firstArrival, last
}

// wayPrice is how energy counts where a machine takes the cheapest way through its states: by the objective's weights of energy, energy_cost and carbon, or, if
// it has none of them, by its price, or else as it is.
func (in *Instance) wayPrice(per float64) energyPrice {
	var energy, price, carbon float64
	for _, term := range in.objective {
		switch term.Metric {
		case "energy":
			energy = term.Weight
		case "energy_cost":
			price = term.Weight / per
		case "carbon":
			carbon = term.Weight / per
		}
	}
	if energy == 0 && price == 0 && carbon == 0 {
		if in.powered.prices {
			price = 1 / per
		} else {
			energy = 1
		}
	}
	return func(r rates) float64 { return energy + price*r.price + carbon*r.carbon }
}

// eachDraw calls yield for all power that is taken in the time that counts, in an order that depends on the schedule alone. It fills in the views of the
// tariffs by cluster first. It returns false if the power is not known: a machine cannot be in the states that it must be in, or a tariff has too many steps.
func (e *evaluation) eachDraw(views []*tariffView, yield func(draw)) bool {
	from, to := e.counted()
	for c := range e.in.clusters {
		few := false
		if views[c], few = e.in.clusters[c].Tariff.view(from, to); !few {
			return false
		}
	}
	for k := range e.parts {
		p := &e.parts[k]
		begin, end := max(from, p.start), min(to, p.end)
		if begin >= end {
			continue
		}
		e.in.clusters[p.cluster].eachGroup(p.set, func(m *Machine, processors int) {
			if power := e.in.jobs[p.job].PowerOn(m); power > 0 {
				yield(draw{p.cluster, float64(processors), true, drawn{power: power, from: begin, to: end}})
			}
		})
	}
	return e.eachMachine(from, to, views, yield)
}

// eachMachine calls yield for what the machines take beside what processors take that run.
func (e *evaluation) eachMachine(from, to float64, views []*tariffView, yield func(draw)) bool {
	used := e.sleepersUsed(from, to)
	at := 0
	for c := range e.in.clusters {
		cluster := &e.in.clusters[c]
		find := wayFinder{view: views[c], price: e.in.wayPrice(views[c].per)}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			if !m.Power.Sleeps() {
				if m.Power != nil && from < to {
					yield(draw{c, float64(m.Count), false, drawn{power: m.Power.Idle, from: from, to: to, state: On}})
				}
				continue
			}
			unused := m.Count
			for at < len(used) && used[at].cluster == c && used[at].group == g {
				next := at + 1
				for next < len(used) && used[next].sameMachine(&used[at]) {
					next++
				}
				if !find.machine(m.Power, used[at:next], from, to, func(d drawn) { yield(draw{c, 1, false, d}) }) {
					return false
				}
				unused, at = unused-1, next
			}
			if unused > 0 && !find.machine(m.Power, nil, from, to, func(d drawn) { yield(draw{c, float64(unused), false, d}) }) {
				return false
			}
		}
	}
	return true
}

// machineUse is a time in which a machine serves a job.
type machineUse struct {
	cluster, group, machine int
	job                     int
	from, to                float64
}

// sameMachine says whether another use is of the same machine.
func (u *machineUse) sameMachine(other *machineUse) bool {
	return u.cluster == other.cluster && u.group == other.group && u.machine == other.machine
}

// sleepersUsed lists, by machine and in the order of time, when the machines that can be off serve jobs. A job of no time wakes nothing.
func (s *schedule) sleepersUsed(from, to float64) []machineUse {
	var used []machineUse
	for k := range s.parts {
		p := &s.parts[k]
		begin, end := max(from, p.start), min(to, p.end)
		if begin >= end {
			continue
		}
		s.in.onMachines(p.cluster, p.set, func(group, machine, _ int) {
			if s.in.clusters[p.cluster].Machines[group].Power.Sleeps() {
				used = append(used, machineUse{p.cluster, group, machine, p.job, begin, end})
			}
		})
	}
	slices.SortStableFunc(used, func(a, b machineUse) int {
		return cmp.Or(a.cluster-b.cluster, a.group-b.group, a.machine-b.machine, cmp.Compare(a.from, b.from))
	})
	return used
}

// eachGap calls yield for each gap of a machine between what it serves, and serve, unless it is nil, for each time in which it serves. A gap that takes no time
// counts only at the ends, where the machine may have to be in another state.
func (p *MachinePower) eachGap(uses []machineUse, from, to float64, yield func(g *gap, next int) bool, serve func(from, to float64)) bool {
	at, state := from, p.Begin
	for k := 0; k < len(uses); {
		if u := &uses[k]; u.from > at || k == 0 {
			if g := (gap{from: at, to: u.from, begin: state, end: On}); (u.from > at || state != On) && !yield(&g, k) {
				return false
			}
			at, state = u.from, On
		}
		begin := at
		for ; k < len(uses) && uses[k].from <= at; k++ {
			at = max(at, uses[k].to)
		}
		if serve != nil {
			serve(begin, at)
		}
	}
	if at < to || state != p.End {
		return yield(&gap{from: at, to: to, begin: state, end: p.End, last: true}, len(uses))
	}
	return true
}

// machine calls yield for what one machine takes beside its processors.
func (f *wayFinder) machine(p *MachinePower, uses []machineUse, from, to float64, yield func(drawn)) bool {
	return p.eachGap(uses, from, to, func(g *gap, _ int) bool {
		way, known := f.find(p, g)
		for _, d := range way {
			yield(d)
		}
		return known
	}, func(from, to float64) { yield(drawn{power: p.Idle, from: from, to: to, state: On}) })
}

// exactPower is energy, energy_cost or carbon in exact numbers; nil: it is not known.
func (e *evaluation) exactPower(metric string) *big.Rat {
	sums := make([]exactSum, len(e.in.clusters))
	views := make([]*tariffView, len(e.in.clusters))
	known := e.eachDraw(views, func(d draw) {
		sum := &sums[d.cluster]
		if metric == "energy" {
			sum.addProduct(d.count, d.power, d.to)
			sum.addProduct(-d.count, d.power, d.from)
			return
		}
		step := views[d.cluster].at(d.from)
		views[d.cluster].eachStep(&step, d.from, d.to, func(from, to [2]float64, now rates) {
			rate := now.price
			if metric == "carbon" {
				rate = now.carbon
			}
			for part := range to {
				sum.addProduct(d.count, d.power, rate, to[part])
				sum.addProduct(-d.count, d.power, rate, from[part])
			}
		})
	})
	if !known {
		return nil
	}
	total := new(big.Rat)
	for c := range sums {
		x := sums[c].over(1)
		if metric != "energy" {
			x.Quo(x, rational(views[c].per))
		}
		total.Add(total, x)
	}
	return total
}
