package model

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// usageKind says what an event means.
type usageKind int

const (
	usageAsked   usageKind = iota // a holder arrives: the amount is requested
	usageStarted                  // what was requested is active
	usageEnded                    // what was active is free
	usageJobs                     // the amount is added to the number of jobs that run
	usageKinds
)

// timed is something at a time.
type timed[T any] struct {
	time float64
	of   T
}

// usageEvent is a change of what a cluster is asked for or holds.
type usageEvent = timed[usage]

// usage is an amount on a cluster.
type usage struct{ amount, cluster int32 }

// usageEvents are events by kind. Each kind is sorted on its own, as arrivals are in order as a rule.
type usageEvents [usageKinds][]usageEvent

// add adds a holder: it requests the amount from its arrival and holds it from start to end.
func (u *usageEvents) add(cluster, amount int, arrival, start, end float64) {
	for kind, time := range [...]float64{arrival, start, end} {
		u.at(usageKind(kind), time, cluster, amount)
	}
}

// at adds an event.
func (u *usageEvents) at(kind usageKind, time float64, cluster, amount int) {
	u[kind] = append(u[kind], usageEvent{time, usage{int32(amount), int32(cluster)}})
}

// inOrder calls yield for all events in order of time. The order of those at one time does not matter, as no time passes between them.
func (u *usageEvents) inOrder(yield func(kind usageKind, event *usageEvent)) {
	var left usageEvents
	for kind, events := range u {
		left[kind] = byTime(events)
	}
	for {
		next := usageKinds
		for kind := range usageKinds {
			if len(left[kind]) > 0 && (next == usageKinds || left[kind][0].time < left[next][0].time) {
				next = kind
			}
		}
		if next == usageKinds {
			return
		}
		yield(next, &left[next][0])
		left[next] = left[next][1:]
	}
}

// byTime sorts events by time, where times are equal in their order. It may use their room, and returns them there or elsewhere.
//
// Many are sorted by the digits of their times, 16 bits each, of which whole numbers need two: float64 numbers that are not negative are in the order of their bits. That takes O(n).
func byTime[T any](events []timed[T]) []timed[T] {
	const many = 1 << 14
	compare := func(a, b timed[T]) int { return cmp.Compare(a.time, b.time) }
	if len(events) < many || slices.ContainsFunc(events, func(e timed[T]) bool { return math.Signbit(e.time) || math.IsNaN(e.time) }) {
		slices.SortStableFunc(events, compare)
		return events
	}
	if slices.IsSortedFunc(events, compare) {
		return events
	}
	from, to := events, make([]timed[T], len(events))
	for shift := 0; shift < 64; shift += 16 {
		digit := func(e *timed[T]) uint16 { return uint16(math.Float64bits(e.time) >> shift) }
		var place [1 << 16]int32
		for k := range from {
			place[digit(&from[k])]++
		}
		if int(place[digit(&from[0])]) == len(from) {
			continue
		}
		next := int32(0)
		for d, count := range place {
			place[d] = next
			next += count
		}
		for k := range from {
			d := digit(&from[k])
			to[place[d]] = from[k]
			place[d]++
		}
		from, to = to, from
	}
	return from
}

// meter adds up the time mean of active/min(available, active + requested) over the time in which something is active or requested.
type meter struct {
	available         int
	active, requested int
	last              float64 // time of the last event
	weighted, length  float64
}

// add counts the time since the last event, and then the event.
func (m *meter) add(kind usageKind, event *usageEvent) {
	if dt := event.time - m.last; dt > 0 {
		if limit := min(m.available, m.active+m.requested); limit > 0 {
			m.weighted += dt * float64(m.active) / float64(limit)
			m.length += dt
		}
	}
	m.last = event.time
	switch amount := int(event.of.amount); kind {
	case usageAsked:
		m.requested += amount
	case usageStarted:
		m.active += amount
		m.requested -= amount
	case usageEnded:
		m.active -= amount
	}
}

// mean is the time mean, and whether there was a time to count.
func (m *meter) mean() (mean float64, any bool) { return ratio(m.weighted, m.length), m.length > 0 }

// processorUsage is what one sweep over the schedule finds of the processors.
type processorUsage struct {
	grid      float64   // time mean of active/min(available, active + requested)
	clusters  []float64 // the same by cluster
	partition float64   // time mean of the processors held/the number of jobs that run
}

// processors sweeps over the schedule once and keeps what it finds.
func (e *evaluation) processors() *processorUsage { return e.usage.get(e.sweep) }

// sweep goes through the events of all pieces in order of time. A solution does not state where a job was queued. So a piece counts as
// requested at the cluster on which it runs, from the arrival of its job to its own start. A job that is left out requests nothing.
//
// Abawajy (2004), "Dynamic parallel job scheduling in multi-cluster computing systems", names partition sizes and defines no mean of them. We take
// the mean over time, in which a job counts for as long as it runs.
func (e *evaluation) sweep() *processorUsage {
	grid, clusters := meter{available: e.in.processors}, make([]meter, len(e.in.clusters))
	for c := range clusters {
		clusters[c].available = e.in.clusters[c].Processors
	}
	running := 0
	weighted, length := 0.0, 0.0
	e.processorEvents().inOrder(func(kind usageKind, event *usageEvent) {
		if dt := event.time - grid.last; dt > 0 && running > 0 {
			weighted += dt * float64(grid.active) / float64(running)
			length += dt
		}
		switch kind {
		case usageStarted:
			running++
		case usageEnded:
			running--
		case usageJobs:
			running += int(event.of.amount)
		}
		grid.add(kind, event)
		clusters[event.of.cluster].add(kind, event)
	})
	found := &processorUsage{clusters: make([]float64, len(clusters)), partition: ratio(weighted, length)}
	found.grid, _ = grid.mean()
	for c := range clusters {
		found.clusters[c], _ = clusters[c].mean()
	}
	return found
}

// processorEvents are the events of all pieces. Each piece counts as a separate job; further events correct this for a job in pieces.
func (e *evaluation) processorEvents() *usageEvents {
	events, n := &usageEvents{}, len(e.parts)
	room := make([]usageEvent, 3*n)
	for kind := range usageJobs {
		events[kind] = room[int(kind)*n : int(kind)*n : int(kind+1)*n]
	}
	for k := range e.parts {
		p := &e.parts[k]
		start, end := e.start[p.job], e.end[p.job]
		events.add(p.cluster, p.set.Len(), e.in.jobs[p.job].Arrival, p.start, p.end)
		if len(e.partsOf(p.job)) == 1 && p.start == start && p.end == end {
			continue
		}
		events.at(usageJobs, p.start, p.cluster, -1)
		events.at(usageJobs, p.end, p.cluster, +1)
		if p.first {
			events.at(usageJobs, start, p.cluster, +1)
			events.at(usageJobs, end, p.cluster, -1)
		}
	}
	return events
}

// pool names a limited pool of copies: the grid's (cluster −1) or a cluster's own.
type pool struct{ licence, cluster int }

// poolUsage is the usage of a pool that jobs asked for.
type poolUsage struct {
	pool
	mean float64 // time mean of active/min(available, active + requested) copies
}

// usedPools are the pools that jobs asked for, with their usage, in a fixed order.
func (e *evaluation) usedPools() []poolUsage { return e.pools.get(e.sweepPools) }

// sweepPools computes the usage of the pools, which usedPools keeps.
func (e *evaluation) sweepPools() (pools []poolUsage) {
	events := map[pool]*usageEvents{}
	for k := range e.parts {
		if p := &e.parts[k]; p.first && len(e.in.jobs[p.job].Licences) > 0 {
			e.drawn(p.job, func(from pool, copies int) {
				if events[from] == nil {
					events[from] = &usageEvents{}
				}
				events[from].add(0, copies, e.in.jobs[p.job].Arrival, e.start[p.job], e.end[p.job])
			})
		}
	}
	for _, from := range sortedPools(events) {
		m := meter{available: e.in.copies(from)}
		events[from].inOrder(m.add)
		if mean, any := m.mean(); any {
			pools = append(pools, poolUsage{from, mean})
		}
	}
	return pools
}

// licenceUsage returns the mean usage, in %, over the pools that count and that jobs asked for, or 0 if there
// are none.
func (e *evaluation) licenceUsage(counts func(pool) bool) float64 {
	sum, asked := 0.0, 0.0
	for _, used := range e.usedPools() {
		if counts(used.pool) {
			sum += used.mean
			asked++
		}
	}
	return 100 * ratio(sum, asked)
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
	return slices.SortedFunc(maps.Keys(m), func(a, b pool) int {
		return cmp.Or(cmp.Compare(a.licence, b.licence), cmp.Compare(a.cluster, b.cluster))
	})
}

// load is the job's load as a meta-scheduler counts it: its estimate × reference_speed, whatever number of processors it asks for. Without
// an estimate it is the work of one task, which is what an estimate times its reference speed stands for.
func (j *Job) load() float64 {
	if math.IsNaN(j.Estimate) {
		return j.Work
	}
	return j.Estimate * j.ReferenceSpeed
}

// ratio is a/b; 0 of nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
