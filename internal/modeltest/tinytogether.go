package modeltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// TinyTogether has one to four jobs on one to three machines, with everything at once: what jobs ask of single machines, closed times, jobs that run already,
// power, states, tariffs with periods, caps, horizons, licences, memory, precedence, jobs that choose their processors, large weights, and times in
// [Decimals]. Much of it may be absent.
func TinyTogether(rng *rand.Rand) *model.Instance {
	in, _ := TinyTogetherSpec(rng)
	return in
}

// TinyTogetherSpec is [TinyTogether] with what the instance was made of.
func TinyTogetherSpec(rng *rand.Rand) (*model.Instance, *model.InstanceSpec) {
	for {
		d := &tinyDrawer{rng, 1, rng.IntN(6) == 0}
		spec := d.instance()
		spec.Name = "tiny together"
		if d.rarely(2) {
			d.forgetNodes(&spec)
		}
		d.moldable(&spec)
		if d.rarely(3) {
			d.licences(&spec)
		}
		if !d.rarely(3) {
			d.power(&spec)
		}
		d.objective(&spec)
		if !d.rarely(6) {
			NewDecimals(rng).Retime(&spec)
		}
		if in, err := model.New(spec); err == nil { // a job that runs already may contradict what it asks for, a horizon what an objective needs
			return in, &spec
		}
	}
}

// forgetNodes leaves closed times and jobs that choose machines by memory alone, or less.
func (d *tinyDrawer) forgetNodes(spec *model.InstanceSpec) {
	closed := d.rarely(3)
	spec.Devices = nil
	for c := range spec.Clusters {
		for g := range spec.Clusters[c].Machines {
			m := &spec.Clusters[c].Machines[g]
			m.Resources, m.Features = nil, nil
			if !closed {
				m.Closed = nil
			}
		}
	}
	for j := range spec.Jobs {
		job := &spec.Jobs[j]
		job.Resources, job.Features, job.Exclusive, job.PerMachine, job.Block = nil, nil, false, 0, 0
		job.Machines = model.ProcessorRange{}
		if !closed {
			job.Reservation = ""
		}
		if d.rarely(2) {
			job.Running = nil
		} else if job.Running != nil {
			job.Running.Holds, job.Running.Devices = nil, nil
		}
	}
}

// moldable lets jobs choose their number of processors.
func (d *tinyDrawer) moldable(spec *model.InstanceSpec) {
	if d.rarely(2) {
		return
	}
	for j := range spec.Jobs {
		job := &spec.Jobs[j]
		if job.Machines.Max == 0 && job.PerMachine == 0 && d.rarely(2) {
			job.Processors.Max += max(1, job.Block) * (1 + d.IntN(2))
			if d.rarely(2) {
				job.Tasks = 1 + d.IntN(4)
			}
		}
	}
}

// licences draws pools and what jobs need of them.
func (d *tinyDrawer) licences(spec *model.InstanceSpec) {
	spec.Licences = map[string]int{"l": 1 + d.IntN(2)}
	if d.rarely(3) {
		spec.Clusters[0].Licences = map[string]int{"l": 1 + d.IntN(2)}
	}
	for j := range spec.Jobs {
		if d.rarely(2) {
			spec.Jobs[j].Licences = map[string]int{"l": 1 + d.IntN(2)}
		}
	}
}

// power draws what power costs and limits.
func (d *tinyDrawer) power(spec *model.InstanceSpec) {
	length := 3 + d.IntN(8)
	if !d.rarely(8) {
		spec.Horizon = &model.HorizonSpec{To: float64(length)}
		if d.rarely(2) {
			spec.Horizon.From = float64(1 + d.IntN(3))
			spec.Horizon.To += spec.Horizon.From
		}
	}
	spec.Tariff = d.tariff(length)
	states := d.rarely(2)
	for c := range spec.Clusters {
		cluster := &spec.Clusters[c]
		if d.rarely(4) {
			cluster.Tariff = d.tariff(length)
		}
		idle := 0.0
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			m.Power = &model.PowerSpec{Idle: pickOne(d.Rand, 0, 1, 2), Busy: pickOne(d.Rand, 0, 1, 3, 0.7)}
			idle += m.Power.Idle * float64(max(1, m.Count))
			for k := 0; states && k < 2 && d.rarely(2); k++ {
				m.Power.Off = append(m.Power.Off, model.OffSpec{Name: fmt.Sprint("off", k), Power: pickOne(d.Rand, 0, 0.5), Down: d.way(), Up: d.way()})
			}
			switch {
			case len(m.Power.Off) == 0:
			case d.rarely(8):
				m.Power.SuspendAfter = new(float64(d.IntN(3)))
			case spec.Horizon != nil && d.rarely(4):
				m.Power.Begin, m.Power.End = []string{"", "off0"}[d.IntN(2)], []string{"", "off0"}[d.IntN(2)]
			}
		}
		for t := 0; d.rarely(5) && t < 3; t++ {
			cluster.PowerCap = append(cluster.PowerCap, []float64{float64(2 * t), idle + 1 + float64(d.IntN(6))})
		}
	}
	for j := range spec.Jobs {
		if d.rarely(5) {
			spec.Jobs[j].Power = new(pickOne(d.Rand, 0, 1, 5))
		}
	}
}

// way draws a way between on and a state.
func (d *tinyDrawer) way() model.WaySpec {
	return model.WaySpec{Time: float64(d.IntN(3)), Power: float64(d.IntN(4))}
}

// tariff draws prices and carbon by time.
func (d *tinyDrawer) tariff(length int) *model.TariffSpec {
	t := &model.TariffSpec{Per: pickOne(d.Rand, 1, 1, 3.6e6)}
	least := pickOne(d.Rand, 0, 0, 0, -3)
	from := float64(d.IntN(3))
	for k := 0; k < length; k += 1 + d.IntN(3) {
		t.Price = append(t.Price, []float64{from + float64(k), least + float64(d.IntN(7))})
		t.Carbon = append(t.Carbon, []float64{from + float64(k), float64(d.IntN(7))})
	}
	if d.rarely(3) {
		t.Period = float64(length + d.IntN(3))
	}
	return t
}

// objective draws one to three metrics, of which one may count more than all others.
func (d *tinyDrawer) objective(spec *model.InstanceSpec) {
	metrics := []string{"makespan", "mcp", "mean_response", "mean_wait", "over_deadline", "missed", "mean_slowdown", "bounded_slowdown", "cost", "unfinished", "idle_time", "finished", "utilisation"}
	if spec.Horizon != nil && d.rarely(2) {
		metrics = []string{"energy", "energy_cost", "carbon", "energy_cost", "carbon", "peak_power", "mean_wait", "mean_response", "over_deadline"}
	}
	spec.Objective = map[string]float64{}
	for range 1 + d.IntN(2)*d.IntN(3) {
		weight := pickOne(d.Rand, 1, 1, 1, 0.3, 1e9)
		spec.Objective[metrics[d.IntN(len(metrics))]] = weight
	}
}
