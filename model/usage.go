package model

import (
	"cmp"
	"slices"
)

// usageEvent changes what is active and what is requested at a time.
type usageEvent struct {
	time              float64
	active, requested int
}

// processorUsage is the time mean of active/min(available, active + requested) over the processors of the grid, in %.
func (e *evaluation) processorUsage() float64 {
	events := make([]usageEvent, 0, 3*len(e.parts))
	for k := range e.parts {
		p := &e.parts[k]
		events = addUsage(events, e.in.jobs[p.job].Arrival, p.start, p.end, p.set.Len())
	}
	mean, _ := timeMean(events, e.in.processors)
	return 100 * mean
}

// pool names a limited pool of copies: the grid's (cluster −1) or a cluster's own.
type pool struct{ licence, cluster int }

// licenceUsage is the same for each limited pool of licences, averaged over the pools that jobs asked for, in %.
func (e *evaluation) licenceUsage() float64 {
	events := map[pool][]usageEvent{}
	for k := range e.parts {
		if p := &e.parts[k]; p.first {
			e.drawn(p.job, func(from pool, copies int) {
				events[from] = addUsage(events[from], e.in.jobs[p.job].Arrival, p.start, p.jobEnd(e.schedule), copies)
			})
		}
	}
	pools := sortedPools(events)
	sum, asked := 0.0, 0
	for _, from := range pools {
		if mean, any := timeMean(events[from], e.in.copies(from)); any {
			sum += mean
			asked++
		}
	}
	if asked == 0 {
		return 0
	}
	return 100 * sum / float64(asked)
}

// copies is the size of a pool.
func (in *Instance) copies(p pool) int {
	if p.cluster < 0 {
		return in.licences[p.licence].Copies
	}
	return in.clusters[p.cluster].pools[p.licence]
}

// sortedPools are the keys in a fixed order.
func sortedPools[V any](m map[pool]V) []pool {
	pools := make([]pool, 0, len(m))
	for p := range m {
		pools = append(pools, p)
	}
	slices.SortFunc(pools, func(a, b pool) int {
		return cmp.Or(cmp.Compare(a.licence, b.licence), cmp.Compare(a.cluster, b.cluster))
	})
	return pools
}

// addUsage adds the events of one holder: it requests the amount from its arrival and holds it from start to end.
func addUsage(events []usageEvent, arrival, start, end float64, amount int) []usageEvent {
	return append(events, usageEvent{arrival, 0, amount}, usageEvent{start, amount, -amount}, usageEvent{end, -amount, 0})
}

// timeMean is the time mean of active/min(available, active + requested) over the time in which something is active or
// requested, and whether there is such a time.
func timeMean(events []usageEvent, available int) (mean float64, any bool) {
	slices.SortFunc(events, func(a, b usageEvent) int { return cmp.Compare(a.time, b.time) })
	active, requested := 0, 0
	weighted, length := 0.0, 0.0
	for k, event := range events {
		active += event.active
		requested += event.requested
		if k+1 == len(events) {
			break
		}
		dt := events[k+1].time - event.time
		if limit := min(available, active+requested); limit > 0 && dt > 0 {
			weighted += dt * float64(active) / float64(limit)
			length += dt
		}
	}
	if length == 0 {
		return 0, false
	}
	return weighted / length, true
}
