package ggone

import (
	"context"
	"math"
	"slices"
)

// transport solves the transportation problem at fixed loads: it assigns tasks to sinks of given capacities at least cost. It starts from
// prices of places, so that few tasks have to move.
type transport struct {
	sinks  []sink
	sinkOf []int // by task

	cost      []float64 // by task and sink
	arc       []float64 // by sink and sink: least growth of the cost when a task of the first moves to the second
	mover     []int     // that task
	potential []float64 // by sink: value of a place; every task is where its cost less the potential is least
	distance  []float64 // by sink: length of the shortest path; an arc is as long as the cost grows more than the potential
	before    []int     // by sink: the sink before it on the shortest path; −1: none
	settled   []bool    // by sink: its distance is final
}

// sink is a group of machines on which a task costs the same.
type sink struct {
	class    int
	load     int     // of each machine
	wait     float64 // W
	capacity int     // of all machines together
	price    float64 // first guess of the value of a place; a good guess saves moves
	members  []int
}

// assignment is the outcome of a transportation problem. Unknown differs from too expensive: where nothing is known cost is +Inf and
// bound −Inf.
type assignment struct {
	cost  float64 // of the assignment found; +Inf: none of finite cost was found
	bound float64 // no assignment costs less; +Inf: it is proved that none is of finite cost; −Inf: nothing is proved
}

// unknownAssignment is the outcome of a search that was stopped, or that failed for rounding.
var unknownAssignment = assignment{math.Inf(1), math.Inf(-1)}

// solve assigns the tasks; there must be as many places as tasks. cost is the cost of task y in sink s.
//
// It is the successive shortest path method on the graph of the sinks. Tasks start where cost − potential is least, which is optimal for the
// loads that result. Then they move along shortest paths from sinks with too many tasks to sinks with too few. The potentials keep the length
// of every arc at 0 or more, so that Dijkstra's method finds the paths and no path has a cycle; a length below 0, which rounding alone makes,
// counts as 0. The bound is the value of the potentials as dual prices, and so does not rest on the paths.
//
// J. Edmonds, R. M. Karp (1972), Theoretical improvements in algorithmic efficiency for network flow problems, J. ACM 19(2),
// doi:10.1145/321694.321699. Complexity: O(tasks · sinks) for each path, of which there are as many as tasks in the wrong place.
func (t *transport) solve(ctx context.Context, tasks int, cost func(s *sink, y int) float64) assignment {
	k, places := len(t.sinks), 0
	for s := range t.sinks {
		places += t.sinks[s].capacity
	}
	if places != tasks {
		return unknownAssignment
	}
	t.resize(tasks, k)
	largest := 0.0 // finite cost
	for s := range t.sinks {
		for y := range tasks {
			x := cost(&t.sinks[s], y)
			if !(x >= 0) {
				return unknownAssignment
			}
			if t.cost[y*k+s] = x; x <= math.MaxFloat64 {
				largest = max(largest, x)
			}
		}
	}
	if largest > hugeTotal/float64(tasks+k+1) {
		return unknownAssignment
	}
	if !t.begin(tasks) {
		return assignment{math.Inf(1), math.Inf(1)} // a task costs +Inf everywhere
	}
	for n := 0; ; n++ {
		if n%16 == 15 && ctx.Err() != nil {
			return unknownAssignment
		}
		end, found := t.shortest()
		if end < 0 {
			if found {
				break
			}
			return assignment{math.Inf(1), t.impossible()}
		}
		if !t.augment(end) {
			return unknownAssignment
		}
	}
	var sum total
	for y, s := range t.sinkOf {
		sum.add(t.cost[y*k+s])
	}
	return assignment{sum.value(), t.dual()}
}

// begin puts every task where its cost less the potential is least; false where a task costs +Inf in every sink.
func (t *transport) begin(tasks int) bool {
	k := len(t.sinks)
	for s := range t.sinks {
		t.sinks[s].members = t.sinks[s].members[:0]
		if t.potential[s] = t.sinks[s].price; !(math.Abs(t.potential[s]) < hugeTotal/float64(tasks+k+1)) {
			t.potential[s] = 0
		}
	}
	for y := range tasks {
		least, at := math.Inf(1), -1
		for s, x := range t.cost[y*k : y*k+k] {
			if x -= t.potential[s]; x < least {
				least, at = x, s
			}
		}
		if at < 0 {
			return false
		}
		t.sinkOf[y] = at
		t.sinks[at].members = append(t.sinks[at].members, y)
	}
	for s := range t.sinks {
		t.updateArcs(s)
	}
	return true
}

// resize makes room for the given numbers of tasks and sinks.
func (t *transport) resize(tasks, sinks int) {
	t.cost = slices.Grow(t.cost[:0], tasks*sinks)[:tasks*sinks]
	t.arc = slices.Grow(t.arc[:0], sinks*sinks)[:sinks*sinks]
	t.mover = slices.Grow(t.mover[:0], sinks*sinks)[:sinks*sinks]
	t.potential = slices.Grow(t.potential[:0], sinks)[:sinks]
	t.distance = slices.Grow(t.distance[:0], sinks)[:sinks]
	t.before = slices.Grow(t.before[:0], sinks)[:sinks]
	t.settled = slices.Grow(t.settled[:0], sinks)[:sinks]
	t.sinkOf = slices.Grow(t.sinkOf[:0], tasks)[:tasks]
}

// updateArcs recomputes the arcs that leave a sink. Its members all have a finite cost there.
func (t *transport) updateArcs(s int) {
	k := len(t.sinks)
	arc, mover := t.arc[s*k:s*k+k], t.mover[s*k:s*k+k]
	for l := range arc {
		arc[l] = math.Inf(1)
	}
	for _, y := range t.sinks[s].members {
		row := t.cost[y*k : y*k+k]
		own := row[s]
		for l, x := range row {
			if x-own < arc[l] {
				arc[l], mover[l] = x-own, y
			}
		}
	}
}

// relax extends the shortest paths from the sinks whose distances are set. It returns the nearest sink for which ends is true; −1: there is
// none. An arc shorter than 0, which rounding alone makes, counts as 0.
func (t *transport) relax(ends func(s int) bool) int {
	k := len(t.sinks)
	clear(t.settled)
	for {
		near, least := -1, math.Inf(1)
		for s, d := range t.distance {
			if !t.settled[s] && d < least {
				near, least = s, d
			}
		}
		if near < 0 || ends(near) {
			return near
		}
		t.settled[near] = true
		from := t.potential[near]
		for l, x := range t.arc[near*k : near*k+k] {
			if math.IsInf(x, 1) || t.settled[l] {
				continue
			}
			if x = least + max(0, x+from-t.potential[l]); x < t.distance[l] {
				t.distance[l], t.before[l] = x, near
			}
		}
	}
}

// shortest finds the sink with a free place that is nearest to a sink with too many tasks, and changes the potentials so that the path has
// length 0. An end of −1 means that no sink has too many tasks where found is true, that there is no path where it is false.
func (t *transport) shortest() (end int, found bool) {
	found = true
	for s := range t.sinks {
		t.distance[s], t.before[s] = math.Inf(1), -1
		if len(t.sinks[s].members) > t.sinks[s].capacity {
			t.distance[s], found = 0, false
		}
	}
	if found {
		return -1, true
	}
	end = t.relax(func(s int) bool { return len(t.sinks[s].members) < t.sinks[s].capacity })
	if end >= 0 {
		for s, length := range t.distance {
			t.potential[s] += min(length, t.distance[end])
		}
	}
	return end, false
}

// impossible is the bound where no path was found. Then the reached sinks hold more tasks than they have places, and none of these tasks has
// a finite cost elsewhere, so that no assignment is of finite cost: +Inf. The method counts again before it says so; where the count
// disagrees it proves nothing, −Inf.
func (t *transport) impossible() float64 {
	k, tasks, places := len(t.sinks), 0, 0
	for s := range t.sinks {
		if math.IsInf(t.distance[s], 1) {
			continue
		}
		tasks += len(t.sinks[s].members)
		places += t.sinks[s].capacity
		for _, y := range t.sinks[s].members {
			for l, x := range t.cost[y*k : y*k+k] {
				if math.IsInf(t.distance[l], 1) && !math.IsInf(x, 1) {
					return math.Inf(-1)
				}
			}
		}
	}
	if tasks > places {
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// augment moves a task along each arc of the shortest path to the sink; false where a task to move is not in its sink.
func (t *transport) augment(end int) bool {
	k := len(t.sinks)
	touched := []int{end}
	for l := end; t.before[l] >= 0; l = t.before[l] {
		from := t.before[l]
		y := t.mover[from*k+l]
		at := slices.Index(t.sinks[from].members, y)
		if at < 0 || len(touched) > k {
			return false
		}
		members := t.sinks[from].members
		members[at] = members[len(members)-1]
		t.sinks[from].members = members[:len(members)-1]
		t.sinks[l].members = append(t.sinks[l].members, y)
		t.sinkOf[y] = l
		touched = append(touched, from)
	}
	for _, s := range touched {
		t.updateArcs(s)
	}
	return true
}

// dual is the value of the potentials as dual prices, rounded down: the sum over tasks of the least cost − potential, plus the sum over places
// of the potential. No assignment to these places costs less, whatever the potentials are. It is −Inf where they overflowed.
func (t *transport) dual() float64 {
	k := len(t.sinks)
	var sum total
	for y := range t.sinkOf {
		least := math.Inf(1)
		for s, x := range t.cost[y*k : y*k+k] {
			least = min(least, x-t.potential[s])
		}
		sum.add(least)
	}
	for s := range t.sinks {
		sum.add(float64(t.sinks[s].capacity) * t.potential[s])
	}
	bound := sum.below()
	return bound - evaluationError(len(t.sinkOf))*math.Abs(bound)
}

// prices fills u with optimal dual prices of the tasks after solve: the cost of each task less the price of its place, at the lowest such
// prices of places.
func (t *transport) prices(u []float64) {
	k := len(t.sinks)
	for s := range k {
		t.distance[s], t.before[s] = -t.potential[s], -1
	}
	t.relax(func(int) bool { return false })
	for y := range u {
		s := t.sinkOf[y]
		u[y] = t.cost[y*k+s] - (t.distance[s] + t.potential[s])
	}
}
