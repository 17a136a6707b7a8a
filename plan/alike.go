package plan

import "slices"

// Alike reports whether all jobs that are not ready before the time ready, placed one after another, find the same slots in both states of an
// instance. It may report false although they do. Processors that are released before the time ready may have been released at different times.
//
// Complexity: as that of Assign.
func (r *Resources) Alike(other *Resources, ready float64) bool {
	for c := range r.clusters {
		if !r.clusters[c].alike(other.clusters[c], ready) {
			return false
		}
	}
	for k, p := range r.pools.profiles {
		if p != nil && !p.alike(other.pools.profiles[k], ready) {
			return false
		}
	}
	return true
}

// alike implements clusterState.
func (c *plainCluster) alike(other clusterState, ready float64) bool {
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

// alike implements clusterState. The order of the parts counts, as jobs take the last processors of those that are free.
func (g *generalCluster) alike(other clusterState, ready float64) bool {
	o := other.(*generalCluster)
	if g.nodes != nil && !g.nodes.alike(o.nodes, ready) || !alikeRuns(g.runs, o.runs, ready) {
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

// alikeRuns says that the processors are of the same parts one after another, and that those not released by the time ready are released at the same times.
func alikeRuns(a, b []run, ready float64) bool {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.part != y.part || max(x.released, ready) != max(y.released, ready) {
			return false
		}
		for a = a[1:]; x.released <= ready && len(a) > 0 && a[0].released <= ready && a[0].part == x.part; a = a[1:] {
			x.count += a[0].count
		}
		for b = b[1:]; y.released <= ready && len(b) > 0 && b[0].released <= ready && b[0].part == y.part; b = b[1:] {
			y.count += b[0].count
		}
		if x.count != y.count {
			return false
		}
	}
	return len(a) == len(b)
}

// alike says that both profiles have the same used amount at every time from t on.
func (p *profile) alike(other *profile, t float64) bool {
	from, otherFrom := p.after(t), other.after(t)
	if from > 0 != (otherFrom > 0) || from > 0 && p.used[from-1] != other.used[otherFrom-1] {
		return false
	}
	return slices.Equal(p.times[from:], other.times[otherFrom:]) && slices.Equal(p.used[from:], other.used[otherFrom:])
}
