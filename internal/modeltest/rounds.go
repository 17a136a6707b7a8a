package modeltest

import (
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Rounds is an instance of up to eleven jobs that arrive over time, for rounds of planning: what [TinyNodes] draws, with licences, a horizon, tariffs, power caps, states
// of machines and estimates that are too short or too long, in times that are not whole, such as 0.1 and 60.1. One in three asks nothing of single machines, so that power
// may limit its schedules too.
func Rounds(rng *rand.Rand) *model.Instance {
	for {
		d := &tinyDrawer{rng, pickOne(rng, 1, 0.1, 0.3, 1.1, 60.1, 8e-9, 3600), false}
		spec := d.instance()
		d.moreJobs(&spec)
		if plain := d.rarely(3); plain {
			withoutNodes(&spec)
		}
		d.poolsOf(&spec)
		d.linksOf(&spec)
		if d.rarely(5) {
			spec.Queueing = &model.QueueingSpec{Rate: 0.5 / d.unit, CV: new(1.0), Period: 10 * d.unit}
		}
		if d.rarely(2) {
			d.powerOf(&spec)
		}
		in, err := model.New(spec)
		if err == nil && !d.rarely(8) {
			in, err = model.New(withoutHopeless(in, spec))
		}
		if err == nil && len(in.Jobs()) > 1 {
			return in
		}
	}
}

// withoutHopeless is the spec of an instance without the jobs that can run nowhere, and those that wait for them.
func withoutHopeless(in *model.Instance, spec model.InstanceSpec) model.InstanceSpec {
	hopeless := map[string]bool{}
	jobs := spec.Jobs
	spec.Jobs = nil
	for k, j := range jobs { // each stands behind those that it waits for
		hopeless[j.ID] = !in.Runs(k) || slices.ContainsFunc(j.After, func(id string) bool { return hopeless[id] })
		if !hopeless[j.ID] {
			spec.Jobs = append(spec.Jobs, j)
		}
	}
	return spec
}

// moreJobs adds jobs, and lets all but those that run already arrive later and be misjudged. In some instances all estimates are true.
func (d *tinyDrawer) moreJobs(spec *model.InstanceSpec) {
	for range 2 + d.IntN(6) {
		spec.Jobs = append(spec.Jobs, d.job(spec, len(spec.Jobs), false))
	}
	judged := d.rarely(2)
	for k := range spec.Jobs {
		j := &spec.Jobs[k]
		if j.Estimate = nil; judged && d.rarely(2) {
			j.Estimate = new(pickOne(d.Rand, 0, 0.1, 0.5, 0.9, 1, 1.3, 3) * *j.Work)
		}
		if j.Running == nil {
			j.Arrival = d.unit * pickOne(d.Rand, 0, 0, 0.5, 1, 2, 3.3, 7)
		}
		if j.Deadline != nil {
			*j.Deadline += j.Arrival
		}
	}
}

// withoutNodes takes away all that jobs ask of single machines.
func withoutNodes(spec *model.InstanceSpec) {
	for c := range spec.Clusters {
		for g := range spec.Clusters[c].Machines {
			m := &spec.Clusters[c].Machines[g]
			m.Closed, m.Resources, m.Features = nil, nil, nil
		}
	}
	for k := range spec.Jobs {
		j := &spec.Jobs[k]
		j.Running, j.Block, j.Resources, j.Machines, j.PerMachine = nil, 0, nil, model.ProcessorRange{}, 0
		j.Features, j.Exclusive, j.Reservation = nil, false, ""
	}
}

// poolsOf adds licences.
func (d *tinyDrawer) poolsOf(spec *model.InstanceSpec) {
	if !d.rarely(3) {
		return
	}
	spec.Licences = map[string]int{"l": 1 + d.IntN(2)}
	for k := range spec.Jobs {
		if spec.Jobs[k].Running == nil && d.rarely(2) {
			spec.Jobs[k].Licences = map[string]int{"l": 1}
		}
	}
}

// linksOf limits the bandwidth of machines, so that it takes time to move input.
func (d *tinyDrawer) linksOf(spec *model.InstanceSpec) {
	if !d.rarely(3) {
		return
	}
	for c := range spec.Clusters {
		for g := range spec.Clusters[c].Machines {
			spec.Clusters[c].Machines[g].Bandwidth = pickOne(d.Rand, 3, 7, 30) / d.unit
		}
	}
}

// powerOf adds power: a tariff, and some of what may limit schedules.
func (d *tinyDrawer) powerOf(spec *model.InstanceSpec) {
	spec.Tariff = &model.TariffSpec{}
	for k := range 4 {
		spec.Tariff.Price = append(spec.Tariff.Price, []float64{d.unit * 2.5 * float64(k), float64(d.IntN(5) - 1)})
	}
	limits := d.rarely(2)
	if limits && !d.rarely(4) {
		spec.Horizon = &model.HorizonSpec{To: d.unit * pickOne(d.Rand, 6, 12.1, 30)}
		spec.Objective = []map[string]float64{nil, {"energy_cost": 1}, {"energy": 1, "mean_response": 1}}[d.IntN(3)]
	}
	for c := range spec.Clusters {
		cluster, idle := &spec.Clusters[c], 0.0
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			m.Power = &model.PowerSpec{Idle: pickOne(d.Rand, 0, 0.3, 2), Busy: pickOne(d.Rand, 0.1, 1, 1.1)}
			idle += m.Power.Idle * float64(max(1, m.Count))
			if spec.Horizon != nil && d.rarely(3) {
				m.Power.Off = []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: d.unit * pickOne(d.Rand, 0.1, 1), Power: 3}}}
				if d.rarely(2) {
					m.Power.Begin = "off"
				}
			} else if d.rarely(12) {
				m.Power.Off, m.Power.SuspendAfter = []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: d.unit, Power: 3}}}, new(d.unit)
			}
		}
		if limits && d.rarely(2) {
			cluster.PowerCap = [][]float64{{0, idle + 3.3}, {d.unit * 3, idle + pickOne(d.Rand, 0, 1.1, 2.2)}, {d.unit * 5, idle + 5}}
		}
	}
}
