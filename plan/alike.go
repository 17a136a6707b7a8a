package plan

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// Asked is what jobs ask for beside numbers of processors.
type Asked uint8

const (
	askedMachines Asked = 1 << iota // of single machines: memory that may run short, or to stay on one
	askedLicences                   // of a limited pool

	askedAll = askedMachines | askedLicences
)

// Asks is what the job asks for beside a number of processors.
func (r *Resources) Asks(job int) (asked Asked) {
	j := &r.in.Jobs()[job]
	for c := range r.clusters {
		switch g := r.clusters[c].(type) {
		case *plainCluster:
		case *generalCluster:
			if g.named || g.nodes != nil || g.short && j.Memory > 0 || j.Span == model.SpanMachine {
				asked |= askedMachines
			}
		default:
			asked |= askedMachines
		}
	}
	if r.pools.profiles != nil && len(j.Licences) > 0 {
		asked |= askedLicences
	}
	return asked
}

// Alike reports whether all jobs that are not ready before the time ready and ask for no more than is said, placed one after another, find the same slots in both states of an
// instance. It may report false although they do. Processors that are released before the time ready may have been released at different times, and what nobody asks for may differ.
//
// Complexity: as that of Assign.
func (r *Resources) Alike(other *Resources, ready float64, asked Asked) bool {
	for c := range r.clusters {
		if !r.clusters[c].alike(other.clusters[c], ready, asked) {
			return false
		}
	}
	for k, p := range r.pools.profiles {
		if p != nil && asked&askedLicences != 0 && !p.alike(other.pools.profiles[k], ready) {
			return false
		}
	}
	return true
}

// alike implements clusterState.
func (c *plainCluster) alike(other clusterState, ready float64, _ Asked) bool {
	a, b := c.releases, other.(*plainCluster).releases
	from, free := a.freeBy(ready)
	otherFrom, otherFree := b.freeBy(ready)
	return free == otherFree && slices.Equal(a.steps[from:a.n], b.steps[otherFrom:b.n])
}

// freeBy is the number of processors that are released by time t, and the first step after it.
func (r *Releases) freeBy(t float64) (next int, free int32) {
	for ; next < r.n && r.steps[next].time <= t; next++ {
		free += r.steps[next].count
	}
	return next, free
}

// alike implements clusterState. The order of the parts counts, as jobs take the last processors of those that are free; where nobody asks for more of single machines, that of the groups.
func (g *generalCluster) alike(other clusterState, ready float64, asked Asked) bool {
	o := other.(*generalCluster)
	if g.nodes != nil && !g.nodes.alike(o.nodes, ready, asked) {
		return false
	}
	if asked&askedMachines == 0 {
		return alikeRuns(g.runs, o.runs, ready, func(part int32) int32 { return g.machines[g.parts[part].machine].number })
	}
	if !alikeRuns(g.runs, o.runs, ready, func(part int32) int32 { return part }) {
		return false
	}
	for k := range g.machines {
		g.machines[k].asked = false
	}
	for _, r := range g.runs { // no job asks for memory before the first processor of the machine is released
		at := g.parts[r.part].machine
		m := &g.machines[at]
		if m.memory != nil && !m.asked && !m.memory.alike(o.machines[at].memory, max(ready, r.released)) {
			return false
		}
		m.asked = true
	}
	return true
}

// alikeRuns says that the processors are of the same kinds one after another, and that those not released by the time ready are released at the same times.
func alikeRuns(a, b []run, ready float64, kind func(part int32) int32) bool {
	next := func(runs *[]run) (released float64, of, count int32) {
		first := (*runs)[0]
		released, of = max(first.released, ready), kind(first.part)
		for len(*runs) > 0 && max((*runs)[0].released, ready) == released && kind((*runs)[0].part) == of {
			count += (*runs)[0].count
			*runs = (*runs)[1:]
		}
		return released, of, count
	}
	for len(a) > 0 && len(b) > 0 {
		released, of, count := next(&a)
		if otherReleased, otherOf, otherCount := next(&b); released != otherReleased || of != otherOf || count != otherCount {
			return false
		}
	}
	return len(a) == len(b)
}

// alike says that both profiles have the same used amount at every time from t on. Of one whose jobs have ended and one that had none it may not say so.
func (p *profile) alike(other *profile, t float64) bool {
	from, otherFrom := p.after(t), other.after(t)
	if from > 0 != (otherFrom > 0) || from > 0 && p.Values[from-1] != other.Values[otherFrom-1] {
		return false
	}
	return slices.Equal(p.Times[from:], other.Times[otherFrom:]) && slices.Equal(p.Values[from:], other.Values[otherFrom:])
}
