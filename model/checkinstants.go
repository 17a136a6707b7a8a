package model

import (
	"cmp"
	"fmt"
	"slices"
)

// together checks the pieces of a job of which one takes no time. Such a piece holds nothing, so the checks of what is held at once pass over it; but
// all that the job needs has to be there: processors of its own for each piece, and memory for the tasks of all pieces on a machine.
func (c *checker) together(k int) {
	job, parts := &c.in.jobs[k], c.partsOf(k)
	if len(parts) < 2 || !slices.ContainsFunc(parts, func(p part) bool { return p.end == p.start }) {
		return
	}
	type run struct {
		cluster int
		Range
	}
	var runs []run
	type machine struct{ cluster, group, machine int }
	tasks := map[machine]int{}
	for _, p := range parts {
		for _, r := range p.set {
			runs = append(runs, run{p.cluster, r})
		}
		c.in.onMachines(p.cluster, p.set, func(group, at, processors int) { tasks[machine{p.cluster, group, at}] += processors })
	}
	slices.SortFunc(runs, func(a, b run) int { return cmp.Or(a.cluster-b.cluster, a.First-b.First) })
	for i := 1; i < len(runs); i++ {
		if before := runs[i-1]; runs[i].cluster == before.cluster && runs[i].First <= before.Last {
			c.report.add(Violation{codeOverlap, job.ID, c.in.clusters[before.cluster].ID, fmt.Sprint(runs[i].First), c.start[k], c.end[k], "two pieces of the job name the processor"})
			break // once a job
		}
	}
	for _, p := range parts { // in order, as a map has none
		c.in.onMachines(p.cluster, p.set, func(group, at, _ int) {
			on, m := machine{p.cluster, group, at}, &c.in.clusters[p.cluster].Machines[group]
			if n := tasks[on]; !HasRoom(m.Memory, job.Memory, n) {
				c.report.add(Violation{codeMemory, job.ID, c.in.clusters[p.cluster].ID, m.Name(at), c.start[k], c.end[k],
					fmt.Sprintf("the %d tasks of the job there need %v each, the machine has %v", n, job.Memory, m.Memory)})
			}
			delete(tasks, on)
		})
	}
}
