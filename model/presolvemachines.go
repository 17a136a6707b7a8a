package model

import (
	"reflect"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// equalMachines: groups of machines beside each other that differ in their ids alone become one.
func (r *reducer) equalMachines() {
	like := r.likeness()
	before, after := 0, 0
	for c := range r.in.clusters {
		groups := r.in.clusters[c].Machines
		var merged []Machine
		for g := range groups {
			if last := len(merged) - 1; last >= 0 && like.equal(&merged[last], &groups[g]) {
				merged[last].Count += groups[g].Count
			} else {
				merged = append(merged, groups[g])
			}
		}
		if len(merged) == len(groups) {
			continue
		}
		before, after = before+len(groups), after+len(merged)
		renameMerged(groups, merged)
		if r.report.merged == nil {
			r.report.merged = make([]bool, len(r.in.clusters))
		}
		r.report.merged[c] = true
		r.cluster(c).Machines = merged
	}
	if before == 0 {
		return
	}
	r.report.from, r.report.to = r.original, r.in
	for d, demand := range r.demands {
		if run := demand.running(); run != nil && len(run.Devices) > 0 {
			own, there := *demand.node, *run
			there.Devices = r.report.devices(r.in.clusters[run.Cluster].ID, run.Devices, r.original, r.in, &r.report.forth)
			own.Running = &there
			r.edit(d).node = &own
		}
	}
	r.applied("equal machines: %s become %s", numtext.CountedGrouped(before, "group"), numtext.CountedGrouped(after, "group"))
}

// renameMerged gives each group of several that became one an id that makes no machine's name that of another: its first id, with stars behind it where another
// group is called by the name of one of its machines.
func renameMerged(groups, merged []Machine) {
	taken := make(map[string]bool, len(groups)) // ids, and what stands before the brackets of those that have some
	bracketed := make(map[string]bool)
	for g := range groups {
		taken[groups[g].ID] = true
		if open := strings.LastIndexByte(groups[g].ID, '['); open >= 0 {
			bracketed[groups[g].ID[:open]] = true
		}
	}
	for g := range merged {
		m := &merged[g]
		for id := m.ID; m.Count > 1 && bracketed[m.ID]; m.ID = id {
			for id += "*"; taken[id]; id += "*" {
			}
		}
		taken[m.ID] = true
	}
}

// likeness says what makes machines differ: what jobs ask for, and what metrics measure.
type likeness struct {
	memory, features bool
	power            bool   // a metric counts it, a cap limits it, or a machine is off at times
	licences         []bool // that jobs need
	resources        []bool // that jobs hold, and those of devices where the objective measures them
	exactCost        bool   // a limit of cost decides, so that rounding may
}

// likeness looks at what the jobs ask for.
func (r *reducer) likeness() *likeness {
	everything := r.use&Scoring != 0 || len(r.in.partitions) > 0 // somebody may ask for what no job does
	like := &likeness{memory: everything, features: everything, power: r.countsPower() || r.capped() || r.stopsPower(), licences: make([]bool, len(r.in.licences)), resources: make([]bool, len(r.in.resources)),
		exactCost: r.minimises("over_budget", "workflow_failures")}
	for k := range like.licences {
		like.licences[k] = everything
	}
	for k := range like.resources {
		like.resources[k] = everything || r.in.resources[k].Devices && r.minimises("device_utilisation", "stranded")
	}
	if r.asks&(asksMemory|asksLicences|asksFeatures|asksResources) == 0 {
		return like
	}
	for _, demand := range r.demands {
		like.memory = like.memory || demand.Memory > 0
		for _, need := range demand.Licences {
			like.licences[need.Licence] = true
		}
		if n := demand.node; n != nil {
			like.features = like.features || len(n.Features) > 0
			for _, need := range n.Resources {
				like.resources[need.Resource] = true
			}
			if n.Running != nil {
				for _, h := range n.Running.Holds {
					like.resources[h.Resource] = true
				}
			}
		}
	}
	return like
}

// equal says whether the machines of two groups are alike.
func (l *likeness) equal(a, b *Machine) bool {
	if a.Processors != b.Processors || a.Units != b.Units || a.whole != b.whole || a.Speed != b.Speed || a.Bandwidth != b.Bandwidth || a.Cost != b.Cost ||
		l.exactCost && a.Cost != 0 || l.memory && a.Memory != b.Memory || l.features && !slices.Equal(a.features, b.features) || !slices.Equal(a.closed, b.closed) {
		return false
	}
	for licence, counts := range l.licences {
		if counts && a.Runs(licence) != b.Runs(licence) {
			return false
		}
	}
	for resource, counts := range l.resources {
		if counts && a.Amount(resource) != b.Amount(resource) {
			return false
		}
	}
	return reflect.DeepEqual(a.Background, b.Background) && reflect.DeepEqual(a.Queue, b.Queue) && (!l.power || reflect.DeepEqual(a.Power, b.Power))
}
