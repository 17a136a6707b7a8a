package ggone

import (
	"context"
	"math"
)

// transport assigns tasks to sinks of given capacities at least cost: the transportation problem that is left once the
// loads are fixed. It starts from prices, so that few tasks have to move.
type transport struct {
	sinks  []sink
	sinkOf []int // by task

	cost     []float64 // by task and sink
	arc      []float64 // by sink and sink: least growth of the cost when a task of the first moves to the second
	mover    []int     // that task
	distance []float64 // by sink
	before   []int     // by sink: the one before it on the shortest path; −1: none
}

// sink is a group of machines on which a task costs the same.
type sink struct {
	class    int
	load     int     // of each machine
	wait     float64 // W
	capacity int     // of all machines together
	price    float64 // of a place; the better it is guessed, the less is to do
	members  []int
}

// solve assigns the tasks, as many as there are places, and returns the cost, +Inf where there is no way of finite cost or
// the context ends. cost says what a task costs in a sink.
//
// It is the successive shortest path method on the graph of the sinks: tasks start where penalty − price is least, which is
// optimal for the loads that come out, and then move along shortest paths from sinks that hold too many to those that hold
// too few. Complexity: O(tasks · sinks) for each path, of which there are as many as tasks in the wrong place.
func (t *transport) solve(ctx context.Context, tasks int, cost func(s *sink, y int) float64) float64 {
	k := len(t.sinks)
	t.resize(tasks, k)
	for s := range t.sinks {
		for y := range tasks {
			t.cost[y*k+s] = cost(&t.sinks[s], y)
		}
	}
	for y := range tasks {
		least, at := math.Inf(1), 0
		for s, x := range t.cost[y*k : y*k+k] {
			if x -= t.sinks[s].price; x < least {
				least, at = x, s
			}
		}
		t.sinkOf[y] = at
		t.sinks[at].members = append(t.sinks[at].members, y)
	}
	for s := range t.sinks {
		t.leave(s)
	}
	for n := 0; ; n++ {
		if n%16 == 15 && ctx.Err() != nil {
			return math.Inf(1)
		}
		end, done := t.shortest()
		if done {
			break
		}
		if end < 0 {
			return math.Inf(1)
		}
		t.augment(end)
	}
	sum := 0.0
	for y, s := range t.sinkOf {
		sum += t.cost[y*k+s]
	}
	return sum
}

// resize makes room for so many tasks and sinks.
func (t *transport) resize(tasks, sinks int) {
	grow := func(v *[]float64, n int) {
		if cap(*v) < n {
			*v = make([]float64, n)
		}
		*v = (*v)[:n]
	}
	growInt := func(v *[]int, n int) {
		if cap(*v) < n {
			*v = make([]int, n)
		}
		*v = (*v)[:n]
	}
	grow(&t.cost, tasks*sinks)
	grow(&t.arc, sinks*sinks)
	grow(&t.distance, sinks)
	growInt(&t.mover, sinks*sinks)
	growInt(&t.before, sinks)
	growInt(&t.sinkOf, tasks)
}

// leave recomputes the arcs that leave a sink.
func (t *transport) leave(s int) {
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

// relax finds, from the distances that are set, the shortest to every sink (Bellman and Ford). The slack keeps rounding
// errors from turning in circles.
func (t *transport) relax() {
	const slack = 1e-13
	k := len(t.sinks)
	for range k {
		changed := false
		for s := range k {
			from := t.distance[s]
			if math.IsInf(from, 1) {
				continue
			}
			for l, x := range t.arc[s*k : s*k+k] {
				if x += from; x < t.distance[l]-slack*math.Abs(x) {
					t.distance[l], t.before[l], changed = x, s, true
				}
			}
		}
		if !changed {
			return
		}
	}
}

// shortest finds the nearest sink with a free place, from those that hold too many; done says that none does.
func (t *transport) shortest() (end int, done bool) {
	done = true
	for s := range t.sinks {
		t.distance[s], t.before[s] = math.Inf(1), -1
		if len(t.sinks[s].members) > t.sinks[s].capacity {
			t.distance[s], done = 0, false
		}
	}
	if done {
		return 0, true
	}
	t.relax()
	end, least := -1, math.Inf(1)
	for s := range t.sinks {
		if len(t.sinks[s].members) < t.sinks[s].capacity && t.distance[s] < least {
			end, least = s, t.distance[s]
		}
	}
	return end, false
}

// augment moves a task along each arc of the shortest path to the sink.
func (t *transport) augment(end int) {
	k := len(t.sinks)
	touched := []int{end}
	for l := end; t.before[l] >= 0 && len(touched) <= k; l = t.before[l] {
		from := t.before[l]
		y := t.mover[from*k+l]
		members := t.sinks[from].members
		for i, x := range members {
			if x == y {
				members[i] = members[len(members)-1]
				t.sinks[from].members = members[:len(members)-1]
				break
			}
		}
		t.sinks[l].members = append(t.sinks[l].members, y)
		t.sinkOf[y] = l
		touched = append(touched, from)
	}
	for _, s := range touched {
		t.leave(s)
	}
}

// prices are optimal dual prices of the tasks after solve: what each costs less the price of its place.
func (t *transport) prices(u []float64) {
	k := len(t.sinks)
	for s := range k {
		t.distance[s], t.before[s] = 0, -1
	}
	t.relax()
	for y := range u {
		s := t.sinkOf[y]
		u[y] = t.cost[y*k+s] - t.distance[s]
	}
}
