package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model/budget"
)

// clusters resolves the clusters.
func (r *resolver) clusters() {
	if len(r.spec.Clusters) == 0 {
		r.faults.add("clusters", "expected at least one cluster, found none")
	}
	for k := range r.spec.Clusters {
		spec, path := &r.spec.Clusters[k], element("clusters", k)
		if _, twice := r.in.clusterIndex[spec.ID]; twice {
			r.faults.add(path+".id", "expected a unique id, found %q again", clip(spec.ID))
		}
		r.in.clusterIndex[spec.ID] = k
		r.in.clusters = append(r.in.clusters, r.cluster(spec, path))
		r.in.processors = min(r.in.processors+r.in.clusters[k].Processors, MaxProcessors+1)
	}
	if r.in.processors > MaxProcessors {
		r.faults.add("clusters", "expected at most %d processors in all clusters, found more", MaxProcessors)
	}
}

// tables draws the tables of what jobs, machines and pools say of each cluster or licence, so that a small file cannot ask for all memory. It says whether the budget
// has them.
func (r *resolver) tables(b *budget.Budget) bool {
	states, lists, amounts := r.seen.runtimes, 0, 0
	for k := range r.spec.Clusters {
		c := &r.spec.Clusters[k]
		if len(c.Licences) > 0 {
			lists++
		}
		for m := range c.Machines {
			if c.Machines[m].Licences != nil {
				lists++
			}
			if len(c.Machines[m].Resources) > 0 {
				amounts++
			}
		}
	}
	for _, table := range []struct {
		path, what    string
		rows, columns int
	}{
		{"jobs", "(jobs with a runtime) × (clusters)", states, len(r.spec.Clusters)},
		{"clusters", "(clusters and machines that list licences) × (licences)", lists, len(r.licences)},
		{"clusters", "(machines that state resources) × (resources)", amounts, len(r.resources)},
	} {
		if err := b.Cells(table.rows, table.columns); err != nil {
			r.faults.stop(table.path, fmt.Errorf("%s, %d × %d: %w", table.what, table.rows, table.columns, err))
			return false
		}
	}
	return true
}

// cluster resolves one cluster.
func (r *resolver) cluster(spec *ClusterSpec, path string) Cluster {
	c := Cluster{
		ID:            spec.ID,
		WholeMachines: spec.Allocation == "machine",
		Weights:       resolveWeights(spec.Weights, r.in.weights),
		NetBandwidth:  math.Inf(1),
		ContextSwitch: r.in.overheads.ContextSwitch,
		own:           clusterSource{spec.Weights != nil, spec.Network != nil, spec.Overheads != nil, spec.Tariff != nil},
		Tariff:        r.in.tariff,
	}
	if spec.Network != nil {
		c.Latency, c.NetBandwidth = spec.Network.Latency, valueOrUnlimited(spec.Network.Bandwidth)
	}
	if spec.Overheads != nil {
		c.ContextSwitch = spec.Overheads.ContextSwitch
	}
	if len(spec.Licences) > 0 {
		c.pools = slices.Repeat([]int{-1}, len(r.in.licences))
		for id, copies := range spec.Licences {
			c.pools[r.licences[id]] = copies
		}
	}
	if spec.Tariff != nil {
		c.Tariff = r.tariff(spec.Tariff, path+".tariff")
	}
	if len(spec.Machines) == 0 {
		r.faults.add(path+".machines", "expected at least one machine, found none")
	}
	ids := make(map[string]int, len(spec.Machines)) // id → count
	for k := range spec.Machines {
		m := r.machine(&spec.Machines[k], c.WholeMachines, c.Processors)
		r.node(&m, &spec.Machines[k], path+"."+element("machines", k))
		m.Power = r.machinePower(spec.Machines[k].Power, path+"."+element("machines", k)+".power")
		m.firstMachine, c.machines = c.machines, c.machines+m.Count
		if _, twice := ids[m.ID]; twice {
			r.faults.add(path+"."+element("machines", k)+".id", "expected an id unique in the cluster, found %q again", clip(m.ID))
		}
		ids[m.ID] = m.Count
		c.Machines = append(c.Machines, m)
		if m.Count > (MaxProcessors-c.Processors)/m.Units {
			c.Processors = MaxProcessors + 1 // no product or sum must overflow
			break
		}
		c.Processors += m.Count * m.Units
	}
	for k := range c.Machines {
		if m := &c.Machines[k]; m.Count == 1 && namesMachine(m.ID, ids) {
			r.faults.add(path+"."+element("machines", k)+".id", "expected an id unique in the cluster, found %q, which is also the id of a machine in a group", clip(m.ID))
		}
	}
	c.PowerCap = r.powerCap(spec.PowerCap, &c, path+".power_cap")
	c.Uniform = !slices.ContainsFunc(c.Machines, func(m Machine) bool {
		first := &c.Machines[0]
		return m.Speed != first.Speed || m.Bandwidth != first.Bandwidth
	})
	return c
}

// namesMachine says whether an id is the name of a machine of one of the groups: m[1] where m has a count of 2.
func namesMachine(id string, counts map[string]int) bool {
	open := strings.LastIndexByte(id, '[')
	if open < 0 {
		return false
	}
	k, err := strconv.Atoi(strings.TrimSuffix(id[open+1:], "]"))
	return err == nil && k >= 0 && counts[id[:open]] > max(k, 1) && element(id[:open], k) == id
}

// machine resolves one group of machines whose first processor has the given number.
func (r *resolver) machine(spec *MachineSpec, whole bool, first int) Machine {
	m := Machine{
		ID:         spec.ID,
		Count:      max(spec.Count, 1),
		Processors: max(spec.Processors, 1),
		Speed:      spec.Speed,
		Memory:     valueOr(spec.Memory, math.Inf(1)),
		Bandwidth:  valueOrUnlimited(spec.Bandwidth),
		Cost:       spec.Cost,
		Background: clone(spec.Background),
		Queue:      spec.Queue.clone(),
		First:      first,
		licenceIDs: slices.Clone(spec.Licences),
	}
	if m.Speed == 0 {
		m.Speed = 1
	}
	m.statedSpeed = m.Speed
	m.Units = m.Processors
	if whole {
		m.whole, m.Units = true, 1
		m.Speed *= float64(m.Processors)
	}
	if spec.Licences != nil {
		m.licences = make([]bool, len(r.in.licences))
		for _, id := range spec.Licences {
			m.licences[r.licences[id]] = true
		}
	}
	return m
}
