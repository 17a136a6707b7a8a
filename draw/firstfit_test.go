package draw

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// firstFit schedules the jobs of a grid of one cluster by arrival: each starts as early as it can where its blocks have room, on the first machines. It knows blocks, machines, shares of
// devices, features, closed times, reservations and exclusive jobs, and is slow; the checker judges its schedules.
func firstFit(t testing.TB, in *model.Instance) *model.Solution {
	t.Helper()
	f := &fitter{in: in}
	for g := range in.Clusters()[0].Machines {
		m := &in.Clusters()[0].Machines[g]
		for n := range m.Count {
			f.nodes = append(f.nodes, &fitNode{group: m, name: m.Name(n), first: m.First + n*m.Units})
		}
	}
	sol := &model.Solution{Schema: model.SolutionSchema, Instance: in.Name(), Solver: "first fit", Status: model.Feasible}
	order := make([]int, len(in.Jobs()))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	for _, k := range order {
		p, ok := f.place(k)
		if !ok {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "it fits nowhere"})
			continue
		}
		sol.Jobs = append(sol.Jobs, p)
	}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(report.Violations[0])
	}
	sol.Objective = &report.Objective
	sol.Metrics = report.Metrics
	return sol
}

// fitter places jobs on nodes.
type fitter struct {
	in    *model.Instance
	nodes []*fitNode
}

// fitNode is a machine with what jobs hold there.
type fitNode struct {
	group *model.Machine
	name  string
	first int
	uses  []fitUse
}

// fitUse is what a job holds of a node.
type fitUse struct {
	start, end  float64
	processors  []int
	memory      float64
	amounts     []float64   // by resource
	devices     [][]float64 // by resource: of each device
	isExclusive bool
}

// place finds the earliest start of a job.
func (f *fitter) place(k int) (model.Placement, bool) {
	j := &f.in.Jobs()[k]
	times := []float64{j.Arrival}
	for _, n := range f.nodes {
		for _, u := range n.uses {
			times = append(times, u.end)
		}
		for _, c := range n.group.Closed() {
			times = append(times, c.From, c.To)
		}
	}
	slices.Sort(times)
	for _, start := range slices.Compact(times) {
		if start < j.Arrival || math.IsInf(start, 1) {
			continue
		}
		if p, ok := f.at(k, start); ok {
			return p, true
		}
	}
	return model.Placement{}, false
}

// at tries to start a job at a time.
func (f *fitter) at(k int, start float64) (model.Placement, bool) {
	j := &f.in.Jobs()[k]
	need := j.Node()
	end := start + f.in.DurationOn(k, 0, j.Max)
	blocks := j.Max / need.Block
	each := max(need.PerMachine, 1)
	var uses []fitUse
	var on []*fitNode
	for _, n := range f.nodes {
		if len(uses)*each == blocks {
			break
		}
		if u, ok := n.room(f.in, j, start, end, each); ok {
			uses, on = append(uses, u), append(on, n)
		}
	}
	if len(uses)*each != blocks {
		return model.Placement{}, false
	}
	p := model.Placement{Job: j.ID, Cluster: f.in.Clusters()[0].ID, Start: start, End: end}
	var set []int
	for i, u := range uses {
		on[i].uses = append(on[i].uses, u)
		set = append(set, u.processors...)
		for r, devices := range u.devices {
			var held []int
			for number, share := range devices {
				if share > 0 {
					held = append(held, number)
				}
			}
			if held == nil {
				continue
			}
			id := f.in.Resources()[r].ID
			if p.Devices == nil {
				p.Devices = model.DevicesHeld{}
			}
			if p.Devices[id] == nil {
				p.Devices[id] = map[string]model.ProcessorSet{}
			}
			p.Devices[id][on[i].name] = model.Processors(held...)
		}
	}
	p.Processors = model.Processors(set...)
	return p, true
}

// room is what the blocks of a job would hold of the node meanwhile, if they fit.
func (n *fitNode) room(in *model.Instance, j *model.Job, start, end float64, blocks int) (fitUse, bool) {
	need := j.Node()
	use := fitUse{start: start, end: end, memory: j.Memory * float64(blocks*need.Block), isExclusive: need.Exclusive}
	if !n.group.Offers(need.Features) || !n.group.OpenTo(need.Reservation, start, end) {
		return use, false
	}
	var others []fitUse
	taken := map[int]bool{}
	for _, u := range n.uses {
		if u.start < end && start < u.end {
			if u.isExclusive || need.Exclusive {
				return use, false
			}
			others = append(others, u)
			for _, p := range u.processors {
				taken[p] = true
			}
		}
	}
	for p := n.first; p < n.first+n.group.Units && len(use.processors) < blocks*need.Block; p++ {
		if !taken[p] {
			use.processors = append(use.processors, p)
		}
	}
	memory := use.memory
	for _, u := range others { // as if all of them ran together
		memory += u.memory
	}
	if len(use.processors) < blocks*need.Block || memory > n.group.Memory {
		return use, false
	}
	for r, resource := range in.Resources() {
		each := need.Need(r).Float()
		held := each * float64(blocks)
		for _, u := range others {
			held += u.amounts[r]
		}
		if held > n.group.Amount(r).Float()+1e-9 {
			return use, false
		}
		use.amounts = append(use.amounts, each*float64(blocks))
		if !resource.Devices {
			use.devices = append(use.devices, nil)
			continue
		}
		devices := make([]float64, int(n.group.Amount(r).Float()))
		left := blocks
		if each >= 1 {
			left = int(each) * blocks
		}
		for d := 0; d < len(devices) && left > 0 && each > 0; d++ {
			busy := 0.0
			for _, u := range others {
				busy += u.devices[r][d]
			}
			if busy+min(each, 1) <= 1+1e-9 {
				devices[d] = min(each, 1)
				left--
			}
		}
		if each > 0 && left > 0 {
			return use, false
		}
		use.devices = append(use.devices, devices)
	}
	return use, true
}

// gpuExample is the example of a GPU cluster with a schedule by first fit.
func gpuExample(t testing.TB) (*model.Solution, *model.Instance) {
	t.Helper()
	in, err := model.ReadInstanceFile("../examples/gpu.json")
	if err != nil {
		t.Fatal(err)
	}
	return firstFit(t, in), in
}
