package modeltest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// PowerFeatures are the features of what instances state of power. They are not among AllFeatures: a test that draws them knows of power. With one of them
// instances also state power, tariffs and states that ask for no feature.
const PowerFeatures = model.PowerLimits

// power draws what the instance states of power, after all else.
func (d *drawer) power() {
	running := slices.ContainsFunc(d.spec.Jobs, func(j model.JobSpec) bool { return j.Running != nil }) // they may not fit into a horizon or under a cap
	if d.may(model.HorizonLimits) && !running && d.chance("horizon") {
		d.spec.Horizon = &model.HorizonSpec{From: float64(d.count("horizon from", 0, 2)), To: float64(d.count("horizon to", 3, 60))}
	}
	if d.chance("tariff") {
		d.spec.Tariff = d.tariff()
	}
	for c := range d.spec.Clusters {
		if d.rarely("cluster tariff") {
			d.spec.Clusters[c].Tariff = d.tariff()
		}
	}
	if !d.chance("states power") {
		return
	}
	for c := range d.spec.Clusters {
		cluster := &d.spec.Clusters[c]
		idle := 0.0
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			if m.Background != nil {
				m.Background.Load = 0
			}
			if d.chance("machine power") {
				m.Power = d.machinePower(running)
				idle += m.Power.Idle * float64(max(1, m.Count))
			}
		}
		if d.may(model.PowerCaps) && !running && d.chance("power cap") {
			cluster.PowerCap = d.steps(func() float64 { return max(1e-18, 2*idle) + d.nonnegative("cap") })
			for _, s := range cluster.PowerCap {
				s[1] = min(s[1], model.Largest)
			}
		}
	}
	for j := range d.spec.Jobs {
		if d.rarely("job power") {
			d.spec.Jobs[j].Power = new(d.power1("of the job"))
		}
	}
}

// power1 is a power of at least 0, small enough that sums of it can be stated.
func (d *drawer) power1(label string) float64 {
	if x := d.nonnegative(label); x <= 1e12 {
		return x
	}
	return 1e12
}

// steps draws a value by time, from 0 on.
func (d *drawer) steps(value func() float64) [][]float64 {
	list := [][]float64{{0, value()}}
	for range d.count("more steps", 0, 6) {
		list = append(list, []float64{list[len(list)-1][0] + float64(d.count("step", 1, 12))/4, value()})
	}
	return list
}

// tariff draws a tariff.
func (d *drawer) tariff() *model.TariffSpec {
	value := func() float64 {
		if d.rarely("negative") {
			return -d.power1("value")
		}
		return d.power1("value")
	}
	t := &model.TariffSpec{Per: d.positiveSometimes("per")}
	if d.chance("price") {
		t.Price = d.steps(value)
	}
	if t.Price == nil || d.chance("carbon") {
		t.Carbon = d.steps(value)
	}
	if d.chance("period") {
		t.Period = 20 + d.positiveSometimes("period")
	}
	return t
}

// machinePower draws the power of a machine.
func (d *drawer) machinePower(running bool) *model.PowerSpec {
	p := &model.PowerSpec{Idle: d.power1("idle"), Busy: d.power1("busy")}
	way := func() model.WaySpec {
		return model.WaySpec{Time: float64(d.count("way time", 0, 8)) / 4, Power: d.power1("way power")}
	}
	for k := range d.count("states", 0, 3) {
		p.Off = append(p.Off, model.OffSpec{Name: d.id("off", k), Power: d.power1("off power"), Down: way(), Up: way()})
	}
	if !d.may(model.SleepingMachines) || running || len(p.Off) == 0 {
		return p
	}
	names := []string{""}
	for _, off := range p.Off {
		names = append(names, off.Name)
	}
	switch {
	case d.rarely("suspended"):
		p.SuspendAfter = new(float64(d.count("suspend after", 0, 8)) / 4)
		if d.spec.Horizon != nil && d.chance("begins suspended") {
			p.Begin = p.Off[0].Name
		}
	case d.spec.Horizon != nil && d.chance("sleeps at an end"):
		p.Begin, p.End = rapid.SampledFrom(names).Draw(d.T, "begin"), rapid.SampledFrom(names).Draw(d.T, "end")
		if ways := between(p, names); p.Begin != p.End && ways > d.spec.Horizon.To-d.spec.Horizon.From {
			p.End = p.Begin
		}
	}
	return p
}

// between is how long a machine takes from its first state to its last, of the given names; the first is that of on.
func between(p *model.PowerSpec, names []string) (ways float64) {
	for k, name := range names[1:] {
		if name == p.Begin {
			ways += p.Off[k].Up.Time
		}
		if name == p.End {
			ways += p.Off[k].Down.Time
		}
	}
	return ways
}

// measures says whether what the metric measures of power is stated, and may be minimised.
func (d *drawer) measures(m *model.Metric) bool {
	if d.g.Features&PowerFeatures == 0 || m.Name != "peak_power" && d.spec.Horizon == nil {
		return false
	}
	any := slices.ContainsFunc(d.spec.Jobs, func(j model.JobSpec) bool { return j.Power != nil })
	missing := false // in a cluster
	for c := range d.spec.Clusters {
		cluster := &d.spec.Clusters[c]
		any = any || slices.ContainsFunc(cluster.Machines, func(m model.MachineSpec) bool { return m.Power != nil })
		t := cluster.Tariff
		if t == nil {
			t = d.spec.Tariff
		}
		missing = missing || t == nil || m.Only == "prices" && t.Price == nil || m.Only == "carbon" && t.Carbon == nil
	}
	switch m.Only {
	case "power":
		return any
	case "prices", "carbon":
		return any && !missing
	}
	return false
}
