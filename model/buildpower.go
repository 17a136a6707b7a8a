package model

import (
	"fmt"
	"math"
	"strings"
)

// idleState is how a file names the state of a machine that is on.
const idleState = "idle"

// tariff resolves a tariff; nil where there is none.
func (r *resolver) tariff(spec *TariffSpec, path string) *Tariff {
	if spec == nil {
		return nil
	}
	t := &Tariff{Period: spec.Period, Per: valueOrOne(spec.Per)}
	t.Price = r.steps(spec.Price, path+".price")
	t.Carbon = r.steps(spec.Carbon, path+".carbon")
	if t.Price == nil && t.Carbon == nil {
		r.faults.add(path, "expected price or carbon, found neither")
	}
	for _, list := range []struct {
		name  string
		steps []Step
	}{{"price", t.Price}, {"carbon", t.Carbon}} {
		if n := len(list.steps); n > 0 && t.Period > 0 && list.steps[n-1].Time-list.steps[0].Time >= t.Period {
			r.faults.add(path+"."+element(list.name, n-1), "expected a time less than the period, %v, after the first, found %v", t.Period, list.steps[n-1].Time)
		}
	}
	return t
}

// valueOrOne is the number, or 1 where it is absent.
func valueOrOne(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// steps resolves pairs of time and value; nil where there are none.
func (r *resolver) steps(list [][]float64, path string) []Step {
	if list == nil {
		return nil
	}
	if len(list) == 0 {
		r.faults.add(path, "expected at least one pair [time, value], found none")
	}
	steps := make([]Step, 0, len(list))
	for k, pair := range list {
		at := fmt.Sprintf("%s[%d]", path, k)
		switch {
		case len(pair) != 2:
			r.faults.add(at, "expected a pair [time, value], found %d numbers", len(pair))
			return nil
		case pair[0] < 0:
			r.faults.add(at, "expected a time of at least 0, found %v", pair[0])
		case k > 0 && len(steps) > 0 && pair[0] <= steps[k-1].Time:
			r.faults.add(at, "expected a time after that of the pair before, %v, found %v", steps[k-1].Time, pair[0])
		}
		steps = append(steps, Step{pair[0], pair[1]})
	}
	return steps
}

// machinePower resolves the power of a machine; nil where none is stated.
func (r *resolver) machinePower(spec *PowerSpec, path string) *MachinePower {
	if spec == nil {
		return nil
	}
	p := &MachinePower{Idle: spec.Idle, Busy: spec.Busy, SuspendAfter: valueOr(spec.SuspendAfter, math.Inf(1))}
	names := map[string]int{idleState: On, "": On}
	for k, off := range spec.Off {
		if _, twice := names[off.Name]; twice {
			r.faults.add(path+"."+element("off", k)+".name", "expected a unique name other than idle, found %q", clip(off.Name))
		}
		names[off.Name] = k
		p.Off = append(p.Off, OffState{strings.Clone(off.Name), off.Power, Way(off.Down), Way(off.Up)})
	}
	for _, at := range []struct {
		name, state string
		to          *int
	}{{"begin", spec.Begin, &p.Begin}, {"end", spec.End, &p.End}} {
		state, known := names[at.state]
		if !known {
			r.faults.add(path+"."+at.name, "expected idle or a name of off, found %q", clip(at.state))
			state = On
		}
		if *at.to = state; state != On && r.spec.Horizon == nil {
			r.faults.add(path+"."+at.name, "expected a horizon in an instance whose machines begin or end off, found none")
		}
	}
	if p.Suspends() {
		switch {
		case len(p.Off) == 0:
			r.faults.add(path+".suspend_after", "expected states in off, found none")
		case p.Begin > 0:
			r.faults.add(path+".begin", "expected idle or the first of off beside suspend_after, found %q", clip(spec.Begin))
		case p.End != On:
			r.faults.add(path+".end", "expected no state beside suspend_after, which says in which the machine ends; found %q", clip(spec.End))
		}
	}
	return p
}

// powerCap resolves what a cluster may take; nil where it may take any power.
func (r *resolver) powerCap(list [][]float64, c *Cluster, path string) []Step {
	steps := r.steps(list, path)
	idle := c.idlePower()
	for k, s := range steps {
		if beyond := idle; beyond.exceeds(s.Value) {
			r.faults.add(fmt.Sprintf("%s[%d]", path, k), "expected at least the idle power of all machines, %v, found %v", idle.value(), s.Value)
			break
		}
	}
	return steps
}

// idlePower is that of all machines of the cluster.
func (c *Cluster) idlePower() (sum amount) {
	for g := range c.Machines {
		if m := &c.Machines[g]; m.Power != nil {
			sum.add(m.Power.Idle, float64(m.Count))
		}
	}
	return sum
}

// IdlePower is the power of all machines when they are on and serve nobody: what a power cap counts beside what runs.
func (c *Cluster) IdlePower() float64 {
	sum := c.idlePower()
	return sum.value()
}

// power checks what the instance states of power as a whole.
func (r *resolver) power() {
	in := r.in
	if h := in.horizon; h != nil && h.From >= h.To {
		r.faults.add("horizon", "expected from < to, found from %v and to %v", h.From, h.To)
	}
	for c := range in.clusters {
		for g := range in.clusters[c].Machines {
			m := &in.clusters[c].Machines[g]
			if h := in.horizon; h != nil && m.Power.Sleeps() {
				if idle := (gap{from: h.From, to: h.To, begin: m.Power.Begin, end: m.Power.End, last: true}); h.From < h.To && !idle.fits(m.Power) {
					r.faults.add(element("clusters", c)+"."+element("machines", g)+".power", "expected ways from begin to end that fit into the horizon, from %v to %v, found longer ones", h.From, h.To)
				}
			}
			if in.powered.any && m.Background != nil && m.Background.Load > 0 {
				r.faults.add(element("clusters", c)+"."+element("machines", g)+".background", "expected no background load in an instance that states power")
			}
		}
		path := "tariff"
		if in.clusters[c].own.tariff {
			path = element("clusters", c) + ".tariff"
		}
		r.tariffBegins(in.clusters[c].Tariff, path)
	}
	r.powerMeasured()
}

// tariffBegins checks that a tariff that does not repeat has values from the begin of the time that counts on.
func (r *resolver) tariffBegins(t *Tariff, path string) {
	in, begin := r.in, r.in.firstArrival
	if in.horizon != nil {
		begin = in.horizon.From
	}
	if t == nil || t.Period > 0 || len(in.jobs) == 0 && in.horizon == nil {
		return
	}
	for _, list := range []struct {
		name  string
		steps []Step
	}{{"price", t.Price}, {"carbon", t.Carbon}} {
		if len(list.steps) > 0 && list.steps[0].Time > begin {
			r.faults.add(path+"."+element(list.name, 0), "expected a value from %v on, where the time begins that counts; the first is of %v", begin, list.steps[0].Time)
		}
	}
}

// powerMeasured checks that what the objective says of power can be measured.
func (r *resolver) powerMeasured() {
	for _, term := range r.in.objective {
		m, _ := MetricNamed(term.Metric)
		switch m.Only {
		case "power", "prices", "carbon":
		default:
			continue
		}
		path := join("objective", term.Metric)
		switch {
		case !r.in.powered.any:
			r.faults.add(path, "expected a metric of what the instance has, found no machine and no job that states power")
		case !r.in.measures(&m):
			r.faults.add(path, "expected a tariff with %s in every cluster, found none", m.Only)
		case r.in.horizon == nil && term.Metric != "peak_power":
			r.faults.add(path, "expected a horizon, within which it counts, found none")
		}
	}
}
