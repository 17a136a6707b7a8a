package plan

import "context"

// Until makes searches for slots give up when the context ends: Earliest, EarliestOn and Spread then find no slot, or not the earliest, and GaveUp
// says so. Without it a search may take seconds where a cluster has very many machines that differ.
func (r *Resources) Until(ctx context.Context) {
	r.limit.ctx = ctx
}

// GaveUp says that a search has given up because the context of Until had ended.
func (r *Resources) GaveUp() bool { return r.limit.ended }

// limit asks a context now and then whether it has ended. All clusters of a state share it.
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
func (g *generalCluster) ended() bool { return g.limit.spend(len(g.units) + len(g.machines)) }
