package model

import "math"

// Step is a value that holds from a time until that of the next step.
type Step struct{ Time, Value float64 }

// Tariff is what power costs, and emits, by time. The first value of a list that does not repeat holds before its time too.
type Tariff struct {
	Price, Carbon []Step  // in the order of time; nil: not stated
	Period        float64 // after which both lists repeat; 0: they do not
	Per           float64 // power × time of one priced unit
}

// MachinePower is the power of one machine. The index of a state counts in Off; On is the state in which the machine may serve jobs.
type MachinePower struct {
	Idle, Busy   float64 // that of a machine that is on; more for each busy processor
	Off          []OffState
	Begin, End   int     // states when the horizon begins and ends
	SuspendAfter float64 // idle time after which the machine goes to Off[0]; +Inf: it goes whenever that is cheapest
}

// On is the state of a machine that is on, beside the indices of its states that are off.
const On = -1

// OffState is a state that saves power, in which a machine serves nobody.
type OffState struct {
	Name     string
	Power    float64
	Down, Up Way
}

// Way is a way between on and off: how long it takes, and the power meanwhile.
type Way struct{ Time, Power float64 }

// Suspends says whether the machine goes to its first state by a rule, see SuspendAfter.
func (p *MachinePower) Suspends() bool { return !math.IsInf(p.SuspendAfter, 1) }

// Sleeps says whether the machine has states that are off. A machine without power has none.
func (p *MachinePower) Sleeps() bool { return p != nil && len(p.Off) > 0 }

// OfBusy is what a busy processor of the machine takes more; 0 for a machine without power.
func (p *MachinePower) OfBusy() float64 {
	if p == nil {
		return 0
	}
	return p.Busy
}

// Tariff is that of the clusters without their own; nil: none.
func (in *Instance) Tariff() *Tariff { return in.tariff }

// Horizon is the time within which jobs start and end and in which power counts, and whether the instance states one.
func (in *Instance) Horizon() (from, to float64, stated bool) {
	if in.horizon == nil {
		return 0, 0, false
	}
	return in.horizon.From, in.horizon.To, true
}

// Power is the power of one of the job's processors while it runs, above idle, and whether the job states it. Otherwise it is the Busy of the machine.
func (j *Job) Power() (power float64, stated bool) { return j.power, j.powerStated }

// PowerOn is the power of one of the job's processors on the machine while it runs, above idle.
func (j *Job) PowerOn(m *Machine) float64 {
	if j.powerStated {
		return j.power
	}
	return m.Power.OfBusy()
}

// RunningPower is the power of a job while it runs on processors of a cluster, above idle. O(groups of machines).
func (in *Instance) RunningPower(job, cluster int, set ProcessorSet) float64 {
	sum := 0.0
	in.clusters[cluster].eachGroup(set, func(m *Machine, processors int) { sum += in.jobs[job].PowerOn(m) * float64(processors) })
	return sum
}

// powered is what the instance states of power.
type powered struct{ any, prices, carbon bool }

// findPower looks at what the instance states of power. Prices, or carbon, count where every cluster has them.
func (in *Instance) findPower() powered {
	p := powered{prices: true, carbon: true}
	for c := range in.clusters {
		t := in.clusters[c].Tariff
		p.prices, p.carbon = p.prices && t != nil && t.Price != nil, p.carbon && t != nil && t.Carbon != nil
		for g := range in.clusters[c].Machines {
			p.any = p.any || in.clusters[c].Machines[g].Power != nil
		}
	}
	for k := range in.jobs {
		p.any = p.any || in.jobs[k].powerStated
	}
	return p
}

// HasPower says whether a machine or a job states its power, so that schedules have metrics of it.
func (in *Instance) HasPower() bool { return in.powered.any }

// MayBeNegative says whether a metric may be below 0: the cost or the carbon of power, where a value of a tariff is. Of such a metric nothing is known
// until something is proved.
func (in *Instance) MayBeNegative(metric string) bool {
	for c := range in.clusters {
		t := in.clusters[c].Tariff
		if t == nil {
			continue
		}
		list := t.Price
		switch metric {
		case "energy_cost":
		case "carbon":
			list = t.Carbon
		default:
			return false
		}
		for _, s := range list {
			if s.Value < 0 {
				return true
			}
		}
	}
	return false
}

// LaterMayBeBetter says whether a schedule may cost less, or be right, only because a job starts later than it could: power limits schedules, or the objective
// has a metric of power.
func (in *Instance) LaterMayBeBetter() bool {
	if in.features&PowerLimits != 0 {
		return true
	}
	for _, term := range in.objective {
		if m, _ := MetricNamed(term.Metric); term.Weight != 0 && (m.Only == "power" || m.Only == "prices" || m.Only == "carbon") {
			return true
		}
	}
	return false
}

// spec is the tariff as a wire type.
func (t *Tariff) spec() *TariffSpec {
	if t == nil {
		return nil
	}
	return &TariffSpec{Price: pairs(t.Price), Carbon: pairs(t.Carbon), Period: t.Period, Per: unlessDefault(t.Per, 1)}
}

// pairs are steps as pairs of time and value; nil: none.
func pairs(list []Step) [][]float64 {
	if list == nil {
		return nil
	}
	all := make([][]float64, len(list))
	for k, s := range list {
		all[k] = []float64{s.Time, s.Value}
	}
	return all
}

// spec is the power of a machine as a wire type.
func (p *MachinePower) spec() *PowerSpec {
	if p == nil {
		return nil
	}
	spec := &PowerSpec{Idle: p.Idle, Busy: p.Busy, Begin: p.stateName(p.Begin), End: p.stateName(p.End), SuspendAfter: finiteOrNil(p.SuspendAfter)}
	for _, off := range p.Off {
		spec.Off = append(spec.Off, OffSpec{off.Name, off.Power, WaySpec(off.Down), WaySpec(off.Up)})
	}
	return spec
}

// stateName is the name of a state as a file states it; empty: on.
func (p *MachinePower) stateName(state int) string {
	if state == On {
		return ""
	}
	return p.Off[state].Name
}
