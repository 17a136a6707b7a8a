package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// waits notes the jobs that hold until the job starts what there was too little of, and from when on its own processors or machines had enough.
func (x *explainer) waits(e *Explanation, ready float64) {
	j, p := &x.in.Jobs()[x.job], e.Placement
	near := func(end float64) bool {
		return math.Abs(end-p.Start) <= 8*(math.Nextafter(p.Start, math.Inf(1))-p.Start)
	}
	note := func(why string, job int) {
		if why != "" && near(x.end[job]) {
			e.Waits = append(e.Waits, Wait{why, x.in.Jobs()[job].ID, x.end[job]})
		}
	}
	for _, before := range j.After {
		note("precedence", before)
	}
	free, short := ready, false // short: of a licence
	own := func(visit func(c int, part model.Piece)) {
		p.Parts(j.Tasks, func(part model.Piece) {
			if c, ok := x.in.ClusterIndex(part.Cluster); ok {
				visit(c, part)
			}
		})
	}
	own(func(c int, _ model.Piece) {
		for _, need := range j.Licences {
			pool, _ := x.pools.of(need.Licence, c)
			if pool == nil || need.Copies == 0 || p.End == p.Start || pool.fits(pool.before(p.Start, near), float64(need.Copies)) {
				continue
			}
			short = true
			for at := range x.parts {
				for _, h := range x.parts[at] {
					if other, _ := x.pools.of(need.Licence, at); other == pool && near(h.end) && h.start < h.end && x.holdsLicence(h.job, need.Licence) {
						note("licence", h.job)
					}
				}
			}
		}
	})
	own(func(c int, part model.Piece) {
		if x.limits == nil || !x.limits.shortBefore(c, part, near) {
			return
		}
		for _, h := range x.parts[c] {
			if near(h.end) && h.start < h.end && x.limits.takesPower(h.job, c, h.set) {
				note("power", h.job)
			}
		}
	})
	own(func(c int, part model.Piece) {
		if x.nodes != nil {
			free = max(free, x.waitsOnNodes(c, part, ready, near, note))
			return
		}
		if part.End == part.Start {
			return // it holds nothing
		}
		enough := short && x.freeBefore(c, part, near) >= part.Processors.Len()
		for _, h := range x.parts[c] {
			shares := h.start < h.end && overlap(h.set, part.Processors) // a job of no time holds nothing
			if shares && (h.start < p.Start || near(h.end)) {
				free = max(free, min(h.end, p.Start))
			}
			switch {
			case !near(h.end) || h.start >= h.end:
			case j.Memory > 0 && x.in.Jobs()[h.job].Memory > 0 && x.lacksMemory(c, part, h.set, near):
				note(place.Memory, h.job)
			case shares && !enough:
				note(place.Processors, h.job)
			}
		}
	})
	slices.SortStableFunc(e.Waits, func(a, b Wait) int { return cmp.Or(cmp.Compare(a.For, b.For), cmp.Compare(a.Job, b.Job)) })
	e.Waits = slices.Compact(e.Waits)
	if x.limits != nil && free < p.Start {
		free, e.Limited = x.limits.reached(p, free)
	}
	e.Free = &free
}

// before is the amount used just before the time, of a profile in which times near it count as the time.
func (p *profile) before(at float64, near func(t float64) bool) float64 {
	k := p.after(at) - 1
	for ; k >= 0 && near(p.Times[k]); k-- {
	}
	if k < 0 {
		return 0
	}
	return p.Values[k]
}

// holdsLicence says whether the given job holds copies of the licence.
func (x *explainer) holdsLicence(job, licence int) bool {
	return slices.ContainsFunc(x.in.Jobs()[job].Licences, func(n model.Need) bool { return n.Licence == licence && n.Copies > 0 })
}

// holdsBefore says whether another job holds its part of machines just before the explained job starts on a part.
func holdsBefore(h other, start float64, near func(end float64) bool) bool {
	return h.start < h.end && h.start < start && !near(h.start) && (h.end > start || near(h.end))
}

// freeBefore is the number of processors of the cluster, no slower than the slowest of the part, that the job could have held just before it starts.
func (x *explainer) freeBefore(cluster int, part model.Piece, near func(end float64) bool) int {
	c, j := &x.in.Clusters()[cluster], &x.in.Jobs()[x.job]
	var held []model.Range
	for _, h := range x.parts[cluster] {
		if holdsBefore(h, part.Start, near) {
			held = append(held, h.set...)
		}
	}
	busy, slowest := model.NewProcessorSet(held...), math.Inf(1)
	for g := range c.Machines {
		if m := &c.Machines[g]; overlap(part.Processors, model.ProcessorSet{{First: m.First, Last: m.Last()}}) {
			slowest = min(slowest, m.Speed)
		}
	}
	n := 0
	for g := range c.Machines {
		m := &c.Machines[g]
		if m.Speed < slowest || x.in.ProcessorsFor(j, m) == 0 {
			continue
		}
		for p := m.First; p <= m.Last(); p++ {
			if !overlap(busy, model.ProcessorSet{{First: p, Last: p}}) {
				n++
			}
		}
	}
	return n
}

// lacksMemory says whether some machine that the part and the given set share had too little memory for the part just before it starts.
func (x *explainer) lacksMemory(cluster int, part model.Piece, set model.ProcessorSet, near func(end float64) bool) bool {
	c, each := &x.in.Clusters()[cluster], x.in.Jobs()[x.job].Memory
	for m, processors := range onMachines(c, part.Processors) {
		if _, g := c.MachineOf(processors[0]); math.IsInf(c.Machines[g].Memory, 1) || onMachines(c, set)[m] == nil {
			continue
		}
		_, g := c.MachineOf(processors[0])
		used := 0.0
		for _, h := range x.parts[cluster] {
			if holdsBefore(h, part.Start, near) {
				used += x.in.Jobs()[h.job].Memory * float64(len(onMachines(c, h.set)[m]))
			}
		}
		if place.Times(c.Machines[g].Memory-used, c.Machines[g].Memory, each, len(processors)) < len(processors) {
			return true
		}
	}
	return false
}

// waitsOnNodes tells note of the jobs that the part waits for, where machines count one by one, and returns the time from which on its machines had enough for it, and were open.
func (x *explainer) waitsOnNodes(cluster int, part model.Piece, ready float64, near func(end float64) bool, note func(why string, job int)) float64 {
	g, k := x.nodes.clusters[cluster].(*nodeCluster), x.nodes.site.Kind(x.job)
	c, free, holds := &x.in.Clusters()[cluster], ready, part.End > part.Start
	for m, processors := range onMachines(c, part.Processors) {
		n, machine := &g.nodes[m], g.first+m
		lacks := func(at int) []string {
			if !holds {
				return nil
			}
			g.site.Load(&g.room, machine, &n.Values[at])
			return g.site.Lacks(&g.room, k, machine, len(processors))
		}
		at := n.At(part.Start)
		for at > 0 && near(n.Times[at]) {
			at--
		}
		short := lacks(at)
		for _, h := range x.parts[cluster] {
			if holds && near(h.end) && h.start < h.end && onMachines(c, h.set)[m] != nil {
				note(x.whyOn(h.job, m, c, short), h.job)
			}
		}
		from := part.Start
		for ; at >= 0 && from > ready; at-- {
			alone := holds && k.Node.Exclusive && !g.site.Holds(&g.room, machine, g.site.Idle(machine))
			if len(short) > 0 || alone || !g.site.Machines[machine].OpenTo(k.Node.Reservation, max(n.Times[at], ready), max(n.Times[at], ready)+part.End-part.Start) {
				break
			}
			if from = max(n.Times[at], ready); at > 0 {
				short = lacks(at - 1)
			}
		}
		free = max(free, from)
	}
	return free
}

// whyOn is what the explained job lacks on a machine that another job holds there; empty: nothing.
func (x *explainer) whyOn(job, machine int, c *model.Cluster, short []string) string {
	own, other := x.in.Jobs()[x.job].Node(), &x.in.Jobs()[job]
	if own.Exclusive || other.Node().Exclusive {
		return "machine"
	}
	for _, what := range short {
		switch what {
		case place.Processors:
			return what
		case place.Memory:
			if other.Memory > 0 {
				return what
			}
			continue
		}
		for r := range x.in.Resources() {
			if x.in.Resources()[r].ID == what && (other.Node().Need(r) > 0 || other.Node().Running.HoldsOn(machine, r)) {
				return what
			}
		}
	}
	return ""
}

// overlap says whether two sets have a processor in common.
func overlap(a, b model.ProcessorSet) bool {
	for _, r := range a {
		for _, q := range b {
			if r.First <= q.Last && q.First <= r.Last {
				return true
			}
		}
	}
	return false
}

// onMachines are the processors of a set of the cluster by machine.
func onMachines(c *model.Cluster, set model.ProcessorSet) map[int][]int {
	on := map[int][]int{}
	for _, r := range set {
		for p := r.First; p <= r.Last; p++ {
			m, _ := c.MachineOf(p)
			on[m] = append(on[m], p)
		}
	}
	return on
}
