package modeltest

import (
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// cluster draws one cluster.
func (d *drawer) cluster(k int) model.ClusterSpec {
	c := model.ClusterSpec{
		ID:         d.id("cluster", k),
		Allocation: rapid.SampledFrom([]string{"", "", "processor", "machine"}).Draw(d.T, "allocation"),
		Weights:    d.weights(),
		Licences:   d.pools(),
	}
	if d.chance("network") {
		c.Network = &model.Network{Latency: d.sometimes("latency"), Bandwidth: d.positiveSometimes("bandwidth")}
	}
	if d.chance("cluster overheads") {
		c.Overheads = d.overheads()
	}
	processors := 0
	for g := range d.count("groups", 1, d.g.Groups) {
		m := d.machine(g)
		if g > 0 && !d.may(model.MixedMachines) {
			// Alike in what counts; with whole machines the number of processors is part of the speed.
			first := &c.Machines[0]
			m.Speed, m.Bandwidth, m.Processors = first.Speed, first.Bandwidth, first.Processors
		}
		c.Machines = append(c.Machines, m)
		units := max(m.Processors, 1)
		if c.Allocation == "machine" {
			units = 1
		}
		processors += max(m.Count, 1) * units
	}
	d.widest = max(d.widest, processors)
	return c
}

// machine draws one group of machines.
func (d *drawer) machine(g int) model.MachineSpec {
	m := model.MachineSpec{
		ID:         d.id("machine", g),
		Count:      d.count("count", 0, d.g.Machines),
		Processors: d.count("processors", 0, d.g.Processors),
		Speed:      d.positiveSometimes("speed"),
		Bandwidth:  d.bandwidth,
		Cost:       d.sometimes("cost"),
	}
	if d.may(model.BandwidthNeeds) && d.chance("other bandwidth") {
		m.Bandwidth = d.positiveSometimes("bandwidth")
	}
	if d.memory {
		m.Memory = d.optional("memory")
	}
	if d.chance("machine lists licences") {
		m.Licences, d.restricted = []string{}, true
		for _, id := range d.licences {
			if d.chance("runs it") {
				m.Licences = append(m.Licences, id)
			}
		}
	}
	if d.rarely("background") {
		m.Background = &model.Background{Mean: d.positive("mean")}
		if d.may(model.BackgroundLoad) {
			m.Background.Load = d.nonnegative("load")
		}
	}
	if d.g.Features&NodeFeatures != 0 {
		d.node(&m)
	}
	if d.rarely("queue") {
		m.Queue = &model.QueueSpec{ServiceRate: d.positiveSometimes("service_rate"), ArrivalVariance: d.optional("arrival_variance"),
			ServiceVariance: d.optional("service_variance")}
	}
	return m
}
