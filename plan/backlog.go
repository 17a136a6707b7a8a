package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// Backlog is what jobs that run, or wait for machines that they have been given, are expected to hold of single machines over time. Jobs that wait for one another
// may hold more, all together, than a machine has: then nothing is free.
type Backlog struct{ resources *Resources }

// NewBacklog is the backlog of the machines of an instance of which nothing is held. [Placing.ByNode] must hold for the instance.
func NewBacklog(in *model.Instance) *Backlog {
	return &Backlog{newResources(in.Batch(nil, nil, nil), false, Placing{Holes: true})}
}

// Hold notes what a job holds of a cluster from start to end.
func (b *Backlog) Hold(j *model.Job, cluster int, shares []place.Share, start, end float64) {
	g := b.cluster(cluster)
	g.occupy(g.site.KindOf(j), shares, start, end)
	b.resources.pools.add(j, &Slot{Cluster: cluster, Start: start, End: end})
}

// Start is the earliest time from ready on at which the shares and the licences of a job are free for as long as it takes, and whether their machines are open to it
// then for as long.
func (b *Backlog) Start(j *model.Job, cluster int, shares []place.Share, ready, takes float64) (start float64, open bool) {
	g := b.cluster(cluster)
	k := g.site.KindOf(j)
	for start = ready; ; {
		next := b.resources.pools.earliest(j, cluster, start, takes)
		if next == start {
			next = g.short(k, shares, start, model.End(start, takes))
		}
		if next == start || math.IsInf(next, 1) {
			return next, g.opensTo(k, shares, next, model.End(next, takes))
		}
		start = next
	}
}

// Opens is the earliest time from ready on at which the shares and the licences of a job are free and its machines open for as long as it takes; +Inf: there is none.
func (b *Backlog) Opens(j *model.Job, cluster int, shares []place.Share, ready, takes float64) float64 {
	g := b.cluster(cluster)
	for t := ready; ; {
		start, open := b.Start(j, cluster, shares, t, takes)
		if open || math.IsInf(start, 1) {
			return start
		}
		t = math.Inf(1)
		for i := range shares {
			t = min(t, g.nodes[int(shares[i].Machine)-g.first].After(start))
		}
	}
}

// cluster is the state of a cluster.
func (b *Backlog) cluster(c int) *nodeCluster { return b.resources.clusters[c].(*nodeCluster) }

// short is the time at which the next step begins on a machine of the shares, where they are not all free from start to end, or start where they are; +Inf: no step
// begins after the start.
func (g *nodeCluster) short(k *place.Kind, shares []place.Share, start, end float64) float64 {
	next, free := math.Inf(1), true
	for i := range shares {
		m := int(shares[i].Machine)
		n := &g.nodes[m-g.first]
		step := n.At(start)
		g.site.Load(&g.room, m, &n.Values[step])
		for step++; step < len(n.Times) && n.Times[step] < end; step++ {
			g.site.IntersectState(&g.room, m, &n.Values[step])
		}
		free = free && g.site.Has(&g.room, k, shares[i:i+1])
		next = min(next, n.After(start))
	}
	if free {
		return start
	}
	return next
}

// opensTo says whether the machines of the shares are open to a job of the kind from start until end.
func (g *nodeCluster) opensTo(k *place.Kind, shares []place.Share, start, end float64) bool {
	for i := range shares {
		if !g.site.Machines[shares[i].Machine].OpenTo(k.Node.Reservation, start, end) {
			return false
		}
	}
	return true
}
