package model

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// nameResources numbers every resource that a machine or a job names.
func (r *resolver) nameResources() {
	devices := map[string]bool{}
	named := map[string]bool{}
	for k, id := range r.spec.Devices {
		if devices[id] {
			r.faults.add(element("devices", k), "expected each resource once, found %q again", clip(id))
		}
		devices[id] = true
	}
	for c := range r.spec.Clusters {
		for m := range r.spec.Clusters[c].Machines {
			for id, amount := range r.spec.Clusters[c].Machines[m].Resources {
				named[id] = named[id] || amount > 0
			}
		}
	}
	for id, asked := range r.seen.resources {
		named[id] = named[id] || asked
	}
	for id := range devices {
		named[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(named)) {
		if id == "memory" {
			r.faults.add("", "expected resources other than %q, which is a field of machines and of jobs", id)
		}
		if !named[id] {
			continue // an amount of 0 is none
		}
		r.resources[id] = len(r.in.resources)
		r.in.resources = append(r.in.resources, Resource{id, devices[id]})
	}
}

// node resolves what a machine has that jobs ask for.
func (r *resolver) node(m *Machine, spec *MachineSpec, path string) {
	for _, id := range slices.Sorted(maps.Keys(spec.Resources)) {
		if spec.Resources[id] == 0 {
			continue
		}
		if m.amounts == nil {
			m.amounts = make([]Amount, len(r.in.resources))
		}
		k := r.resources[id]
		m.amounts[k] = amountFrom(spec.Resources[id])
		if r.in.resources[k].Devices && (m.amounts[k]%WholeAmount != 0 || m.amounts[k] > maxDevices*WholeAmount) {
			r.faults.add(join(path+".resources", id), "expected a whole number of devices of at most %d, found %v", maxDevices, spec.Resources[id])
		}
	}
	for k, feature := range spec.Features {
		if slices.Contains(spec.Features[:k], feature) {
			r.faults.add(path+"."+element("features", k), "expected each feature once, found %q again", clip(feature))
		}
	}
	m.features = slices.Clone(spec.Features)
	for k, c := range spec.Closed {
		closure := Closure{c.From, valueOr(c.To, math.Inf(1)), strings.Clone(c.For)}
		if closure.From >= closure.To {
			r.faults.add(path+"."+element("closed", k), "expected from < to, found from %v and to %v", closure.From, closure.To)
		}
		m.closed = append(m.closed, closure)
	}
}

// maxDevices is the largest number of devices of a machine.
const maxDevices = 1 << 16

// asksOfNodes says whether a job states anything of the machines that it runs on.
func asksOfNodes(spec *JobSpec) bool {
	return spec.Block > 0 || spec.Resources != nil || spec.Machines != (ProcessorRange{}) || spec.PerMachine > 0 || spec.Features != nil ||
		spec.Exclusive || spec.Reservation != "" || spec.Running != nil
}

// jobNode resolves what a job asks of the machines that it runs on.
func (r *resolver) jobNode(j *Job, spec *JobSpec, path string) {
	n := NodeNeeds{
		Block:       max(1, spec.Block),
		MinMachines: spec.Machines.Min,
		MaxMachines: spec.Machines.Max,
		PerMachine:  spec.PerMachine,
		Exclusive:   spec.Exclusive,
		Reservation: strings.Clone(spec.Reservation),
	}
	for _, list := range spec.Features {
		n.Features = append(n.Features, slices.Clone(list))
	}
	for _, id := range slices.Sorted(maps.Keys(spec.Resources)) {
		amount := amountFrom(spec.Resources[id])
		if amount == 0 {
			continue
		}
		k := r.resources[id]
		if r.in.resources[k].Devices && amount > WholeAmount && amount%WholeAmount != 0 {
			r.faults.add(join(path+".resources", id), "expected a share of one device or a whole number of devices, found %v", spec.Resources[id])
		}
		n.Resources = append(n.Resources, ResourceNeed{k, amount})
	}
	r.jobLayout(j, &n, path)
	if spec.Running != nil {
		n.Running = r.running(j, spec, path)
	}
	if reflect.DeepEqual(n, anyNeeds) {
		return
	}
	if n.Running == nil {
		key := fmt.Sprint(n)
		if shared := r.nodes[key]; shared != nil {
			j.node = shared
			return
		}
		r.nodes[key] = &n
	}
	j.node = &n
}

// jobLayout checks how the blocks of a job lie on machines.
func (r *resolver) jobLayout(j *Job, n *NodeNeeds, path string) {
	for _, processors := range [...]int{j.Min, j.Max} {
		if processors%n.Block != 0 {
			r.faults.add(path+".block", "expected blocks that make up the %d processors of the job, found blocks of %d", processors, n.Block)
			return
		}
	}
	blocks := j.Min / n.Block
	if (n.MaxMachines > 0 || n.PerMachine > 0) && !j.Rigid() {
		r.faults.add(path+".processors", "expected one number, because the job states machines or per_machine; found %d to %d", j.Min, j.Max)
		return
	}
	least, most := max(1, n.MinMachines), blocks // machines that the blocks can lie on
	if n.MaxMachines > 0 {
		most = min(most, n.MaxMachines)
	}
	if n.PerMachine > 0 {
		if blocks%n.PerMachine != 0 {
			r.faults.add(path+".per_machine", "expected a number of blocks that divides the %d of the job, found %d", blocks, n.PerMachine)
			return
		}
		needed := blocks / n.PerMachine
		least, most = max(least, needed), min(most, needed)
	}
	switch {
	case least > most:
		r.faults.add(path+".machines", "expected a number of machines on which the %d blocks of the job can lie, found %d to %d", blocks, n.MinMachines, n.MaxMachines)
	case j.Span == SpanMachine && least > 1:
		r.faults.add(path+".span", "expected a span other than machine, because the job needs at least %d machines", least)
	}
	for k, list := range n.Features {
		if len(list) == 0 {
			r.faults.add(path+"."+element("features", k), "expected at least one feature, found none")
		}
	}
}

// running resolves where a job runs already.
func (r *resolver) running(j *Job, spec *JobSpec, path string) *Running {
	s := spec.Running
	run := &Running{Processors: slices.Clone(s.Processors), Elapsed: s.Elapsed}
	path += ".running"
	if j.Arrival != 0 {
		r.faults.add(path, "expected a job that arrives at 0, because it runs then; found arrival %v", j.Arrival)
	}
	if len(spec.After) > 0 {
		r.faults.add(path, "expected a job that waits for no other, because it runs already")
	}
	c, ok := r.in.clusterIndex[s.Cluster]
	if !ok || c >= len(r.in.clusters) {
		r.faults.add(path+".cluster", "expected the id of a cluster, found %q", clip(s.Cluster))
		return run
	}
	run.Cluster = c
	cluster := &r.in.clusters[c]
	least, most := j.Min, j.Max
	if cluster.WholeMachines {
		least, most = 1, 1
	}
	switch {
	case len(s.Processors) == 0 || !s.Processors.within(cluster.Processors):
		r.faults.add(path+".processors", "expected processors from 0 to %d, found %q", cluster.Processors-1, clip(s.Processors.String()))
		return run
	case s.Processors.Len() < least || s.Processors.Len() > most:
		r.faults.add(path+".processors", "expected %d to %d processors, as the job states, found %d", least, most, s.Processors.Len())
		return run
	}
	if j.runtimes != nil && math.IsNaN(j.runtimes[c]) {
		r.faults.add(path+".cluster", "expected a cluster for which the job states a run time, found %q", clip(s.Cluster))
	}
	r.runningHolds(run, s, path)
	return run
}

// runningHolds resolves what a running job holds.
func (r *resolver) runningHolds(run *Running, s *RunningSpec, path string) {
	machines := map[string]int{} // name → number of the machine
	groups := map[string]*Machine{}
	cluster := &r.in.clusters[run.Cluster]
	r.in.onMachines(run.Cluster, run.Processors, func(group, k, _ int) {
		m := &cluster.Machines[group]
		machines[m.Name(k)], groups[m.Name(k)] = m.firstMachine+k, m
	})
	named := map[[2]string]bool{} // resource and machine of a hold
	for _, name := range slices.Sorted(maps.Keys(s.Holds)) {
		m := groups[name]
		if m == nil {
			r.faults.add(join(path+".holds", name), "expected a machine of the job's processors, found %q", clip(name))
			continue
		}
		for _, id := range slices.Sorted(maps.Keys(s.Holds[name])) {
			at := join(join(path+".holds", name), id)
			k, known := r.resources[id]
			if !known {
				r.faults.add(at, "expected a resource that a machine has, found %q", clip(id))
				continue
			}
			h := RunningHold{Machine: machines[name], Resource: k, Amount: amountFrom(s.Holds[name][id])}
			if h.Amount > m.Amount(k) {
				r.faults.add(at, "expected at most the %v of the machine, found %v", m.Amount(k).Float(), h.Amount.Float())
			}
			h.Devices = s.Devices[id][name]
			if n := Amount(h.Devices.Len()); r.in.resources[k].Devices && h.Amount > 0 &&
				(n == 0 || h.Amount > n*WholeAmount || h.Amount%n != 0 || !h.Devices.within(int(m.Amount(k)/WholeAmount))) {
				r.faults.add(join(join(path+".devices", id), name), "expected devices from 0 to %d that hold equal parts of %v, found %q", m.Amount(k)/WholeAmount-1, h.Amount.Float(), clip(h.Devices.String()))
			}
			named[[2]string{id, name}] = true
			run.Holds = append(run.Holds, h)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Devices)) {
		for _, name := range slices.Sorted(maps.Keys(s.Devices[id])) {
			k, known := r.resources[id]
			if !known || !r.in.resources[k].Devices || !named[[2]string{id, name}] {
				r.faults.add(join(join(path+".devices", id), name), "expected devices of a resource and a machine of running.holds, found %s on %s", shown(id), shown(name))
			}
		}
	}
	run.Devices = s.Devices
	slices.SortFunc(run.Holds, func(a, b RunningHold) int {
		if a.Machine != b.Machine {
			return a.Machine - b.Machine
		}
		return a.Resource - b.Resource
	})
}

// runningTogether checks that the jobs that run already can run beside each other: that the checker accepts them where they are.
func (r *resolver) runningTogether() {
	sol := &Solution{}
	for k := range r.in.jobs {
		j := &r.in.jobs[k]
		if run := j.Node().Running; run != nil {
			sol.Jobs = append(sol.Jobs, Placement{Job: j.ID, Cluster: r.in.clusters[run.Cluster].ID, Processors: run.Processors, Devices: run.Devices,
				End: End(0, r.in.Duration(k, run.Cluster, run.Processors))})
		}
	}
	for _, v := range Check(r.in, sol).Violations {
		if k, known := r.in.JobIndex(v.Job); known && r.in.jobs[k].Node().Running != nil {
			r.faults.add(element("jobs", k)+".running", "expected jobs that can run beside each other at 0: %s", v.Message)
		} else if v.Code == codeAsleep {
			r.faults.add("horizon", "expected time in which machines are in their last states behind the jobs that run already: of %s of %s: %s", v.Resource, clip(v.Cluster), v.Message)
		}
	}
}

// devicesMeasured checks that there are devices if the objective measures them.
func (r *resolver) devicesMeasured() {
	for _, term := range r.in.objective {
		if m, _ := MetricNamed(term.Metric); m.Only == "devices" && !r.in.measures(&m) {
			r.faults.add(join("objective", term.Metric), "expected a metric of what the instance has, found no machine with devices")
		}
	}
}
