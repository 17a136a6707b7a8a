package plan

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

// Until makes searches for slots give up when the context ends: Earliest, EarliestOn and Spread then find no slot, or not the earliest, and GaveUp
// says so. Without it a search may take seconds where a cluster has very many machines that differ.
func (r *Resources) Until(ctx context.Context) {
	r.limit.ctx = ctx
}

// GaveUp says that a search has given up because the context of Until had ended.
func (r *Resources) GaveUp() bool { return r.limit.ended }

// Among limits the machines that a search for a slot may use: they have at least the speed Speed and the bandwidth Bandwidth, and a processor of theirs costs at most Cost per
// unit of time.
type Among struct {
	Speed, Bandwidth, Cost float64
}

// allMachines is the [Among] that every machine is one of.
var allMachines = Among{Cost: math.Inf(1)}

// has says whether a machine is one of them.
func (a *Among) has(m *model.Machine) bool {
	return m.Speed >= a.Speed && m.Bandwidth >= a.Bandwidth && m.Cost <= a.Cost
}

// from are those of the machines that have at least a speed and a bandwidth.
func (a Among) from(speed, bandwidth float64) Among {
	a.Speed, a.Bandwidth = max(a.Speed, speed), max(a.Bandwidth, bandwidth)
	return a
}

// EarliestAmong is Earliest on some machines of the cluster. On a cluster whose machines are alike in all three it looks at all of them.
func (r *Resources) EarliestAmong(job, cluster, n int, ready float64, machines Among) (Slot, bool) {
	slot, ok := r.clusters[cluster].earliest(job, n, ready, machines)
	if !ok {
		return Slot{Cluster: cluster, End: math.Inf(1)}, false
	}
	if slot.Cluster = cluster; slot.Processors == 0 { // else a number of whole blocks
		slot.Processors = n
	}
	return slot, true
}

// limit limits the searches of all clusters of a state: it asks a context now and then whether it has ended.
type limit struct {
	ctx   context.Context // nil: no limit
	spent int             // work since the context was asked
	ended bool            // the context had ended when it was last asked
}

// spend counts work and says that the search for a slot has to give up.
func (l *limit) spend(work int) bool {
	const every = 1 << 18
	if l.spent += work; l.spent > every && l.ctx != nil && !l.ended {
		l.spent, l.ended = 0, l.ctx.Err() != nil
	}
	return l.ended
}

// ended says that the search for a slot has to give up. A search asks each time before it looks at all processors.
func (g *generalCluster) ended() bool { return g.limit.spend(len(g.runs) + len(g.machines)) }
