package rcpsp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
)

// predecessors lists the predecessors of each activity, in the order of the file.
func (p *project) predecessors() [][]int {
	list := make([][]int, len(p.activities))
	for k := range p.activities {
		for _, next := range p.activities[k].successors {
			list[next] = append(list[next], k)
		}
	}
	return list
}

// checkCycles lists one cycle of activities, if there is one. The model would find it as well, but not one through a dummy, which is no job.
func (p *project) checkCycles() {
	waits := make([]int, len(p.activities)) // predecessors that are not in the order yet
	for k := range p.activities {
		for _, next := range p.activities[k].successors {
			waits[next]++
		}
	}
	var order []int
	for k, n := range waits {
		if n == 0 {
			order = append(order, k)
		}
	}
	for done := 0; done < len(order); done++ {
		for _, next := range p.activities[order[done]].successors {
			if waits[next]--; waits[next] == 0 {
				order = append(order, next)
			}
		}
	}
	if len(order) == len(p.activities) {
		return
	}
	// Each activity that still waits has a predecessor that waits, so going from one to the next comes back.
	before := p.predecessors()
	at := slices.IndexFunc(waits, func(n int) bool { return n > 0 })
	seen := map[int]int{}
	var path []int
	for {
		if first, again := seen[at]; again {
			path = path[first:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		at = before[at][slices.IndexFunc(before[at], func(k int) bool { return waits[k] > 0 })]
	}
	p.listCycle(path)
}

// listCycle lists a cycle of activities, each of which precedes the one in front of it in the path.
func (p *project) listCycle(path []int) {
	slices.Reverse(path)
	least := slices.Index(path, slices.Min(path))
	path = slices.Concat(path[least:], path[:least])
	const most = 10
	var names []string
	for k, a := range path {
		if k == most {
			names = append(names, "…")
			break
		}
		names = append(names, strconv.Itoa(a+1))
	}
	names = append(names, strconv.Itoa(path[0]+1))
	p.faults.Line(p.activities[path[0]].line, "activity %d: expected no cycle, found %s", path[0]+1, strings.Join(names, " before "))
}

// dropDummies returns which activities are no jobs and the predecessors of those that are.
func (p *project) dropDummies() (dropped []bool, before [][]int) {
	dropped, before = make([]bool, len(p.activities)), p.predecessors()
	for _, k := range []int{0, len(p.activities) - 1} {
		a := &p.activities[k]
		if dropped[k] || !a.dummyLike() {
			continue
		}
		if !p.faults.Names("line "+strconv.Itoa(a.line), len(before[k])*len(a.successors)) { // each pair depends on each other without it
			return dropped, before
		}
		dropped[k] = true
		p.report.NoteLine(model.ImportDropped, "a dummy: the first or last activity, of length 0 and without demands", a.line)
		for _, next := range a.successors {
			at := slices.Index(before[next], k)
			rest := slices.Delete(before[next], at, at+1)
			before[next] = merged(rest, before[k])
		}
		for _, previous := range before[k] { // the other dummy follows these now
			p.activities[previous].successors = merged(slices.DeleteFunc(p.activities[previous].successors, func(next int) bool { return next == k }), a.successors)
		}
	}
	return dropped, before
}

// merged returns the numbers of both lists in ascending order, each once.
func merged(a, b []int) []int {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}

// spec is the instance of the project.
func (p *project) spec(title, cluster string) model.InstanceSpec {
	if !p.faults.None() {
		return model.InstanceSpec{}
	}
	dropped, before := p.dropDummies()
	spec := model.InstanceSpec{Name: title, Units: &model.Units{Time: "period"}, Licences: map[string]int{}}
	for r, units := range p.capacity {
		spec.Licences[resource(r)] = units
	}
	for k := range p.activities {
		if dropped[k] {
			continue
		}
		a := &p.activities[k]
		job := model.JobSpec{ID: strconv.Itoa(k + 1), Work: &a.duration}
		for _, previous := range before[k] {
			job.After = append(job.After, strconv.Itoa(previous+1))
		}
		for r, units := range a.demand {
			if units > 0 {
				if job.Licences == nil {
					job.Licences = map[string]int{}
				}
				job.Licences[resource(r)] = units
			}
		}
		spec.Jobs = append(spec.Jobs, job)
		p.jobs = append(p.jobs, k)
	}
	spec.Clusters = []model.ClusterSpec{{ID: cluster, Machines: []model.MachineSpec{{ID: "node", Count: max(1, len(spec.Jobs))}}}}
	return spec
}

// resource is the name of a resource, counted from 0.
func resource(r int) string { return "R" + strconv.Itoa(r+1) }
