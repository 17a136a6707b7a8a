package slots_test

import (
	"math"
	"slices"
)

// naive is static and dynamic reservation in the plainest way: at each time it looks at every task and every slot. It shares no code with the
// engine and the policies.
type naive struct {
	tasks           []naiveTask
	flows           []naiveFlow
	servers         []naiveServer
	static, extend  bool
	noWait          bool
	k               float64
	now             float64
	calendar        [][]*naiveSlot // by server, in order
	charged         []float64      // by workflow
	reservedInOrder []int          // tasks in the order of their reservation
	names           []string       // of the servers
}

type naiveTask struct {
	arrival, work, mean, cv float64
	after                   []int
	flow                    int // −1: none
	hard                    float64

	arrived, ready, left, ended, rejected bool
	slot                                  *naiveSlot
	start                                 float64 // NaN: never started
	server                                int
	end                                   float64 // when it ends if it runs
	killed                                bool
}

type naiveFlow struct {
	deadline, budget float64
	broken           bool
}

type naiveServer struct{ speed, cost float64 }

type naiveSlot struct {
	task, server                       int
	planned, start, end, length, price float64
	running                            bool
}

// run goes from time to time until nothing is left to happen.
func (n *naive) run() {
	n.calendar, n.charged = make([][]*naiveSlot, len(n.servers)), make([]float64, len(n.flows))
	for k := range n.tasks {
		n.tasks[k].start = math.NaN()
	}
	for {
		next := math.Inf(1)
		for k := range n.tasks {
			t := &n.tasks[k]
			switch {
			case !t.arrived:
				next = min(next, t.arrival)
			case !math.IsNaN(t.start) && !t.left:
				next = min(next, t.end)
				if n.extend {
					next = min(next, t.slot.end)
				}
			case t.slot != nil && t.slot.start > n.now:
				next = min(next, t.slot.start)
			}
		}
		if math.IsInf(next, 1) {
			return
		}
		n.now = next
		for n.round() {
		}
	}
}

// round does what happens at the time, and says whether something more happens at the same time.
func (n *naive) round() bool {
	for k := range n.tasks { // ends
		if t := &n.tasks[k]; !math.IsNaN(t.start) && !t.left && t.end <= n.now {
			t.left, t.ended = true, !t.killed
			if t.flow >= 0 {
				n.charged[t.flow] += (n.now - t.start) * n.servers[t.server].cost
			}
			n.drop(k)
		}
	}
	n.lose()
	for k := range n.tasks { // arrivals
		if t := &n.tasks[k]; t.arrival <= n.now {
			t.arrived = true
		}
	}
	n.lose()
	for k := range n.tasks {
		t := &n.tasks[k]
		t.ready = t.arrived && !t.left && !slices.ContainsFunc(t.after, func(b int) bool { return !n.tasks[b].ended })
	}
	n.shift()
	if n.static {
		n.reserveStatic()
	} else {
		for k := range n.tasks {
			if t := &n.tasks[k]; t.ready && t.slot == nil && math.IsNaN(t.start) && !n.reserve(k, n.now, 0) {
				t.rejected = true
			}
		}
	}
	again := false
	for k := range n.tasks {
		if t := &n.tasks[k]; t.ready && t.rejected && !t.left {
			t.left, again = true, true
		}
	}
	for s := range n.servers {
		if len(n.calendar[s]) == 0 {
			continue
		}
		head := n.calendar[s][0]
		if t := &n.tasks[head.task]; !head.running && head.start <= n.now && t.ready {
			if t.hard < n.now {
				t.left, again = true, true
				n.drop(head.task)
				continue
			}
			head.running = true
			head.start, head.end = n.now, n.now+head.length
			if n.extend && head.end == n.now {
				head.end = math.Nextafter(n.now, math.Inf(1))
			}
			t.start, t.server, t.end = n.now, s, n.now+t.work/n.servers[s].speed
			if !n.extend && t.end > head.end {
				t.end, t.killed = head.end, true
			}
			if t.hard < t.end {
				t.end, t.killed = max(t.hard, n.now), true
			}
			again = again || t.end <= n.now
		}
	}
	return again
}

// lose takes out the tasks that wait for one that left without ending.
func (n *naive) lose() {
	for again := true; again; {
		again = false
		for k := range n.tasks {
			t := &n.tasks[k]
			lost := slices.ContainsFunc(t.after, func(b int) bool { return n.tasks[b].left && !n.tasks[b].ended })
			if t.arrived && !t.left && lost {
				if n.static && t.slot == nil && !t.rejected && t.flow >= 0 {
					n.flows[t.flow].broken = true
				}
				t.left, again = true, true
				n.drop(k)
			}
		}
	}
}

// drop takes the task's slot out of the calendar.
func (n *naive) drop(task int) {
	slot := n.tasks[task].slot
	if slot == nil {
		return
	}
	n.tasks[task].slot = nil
	c := &n.calendar[slot.server]
	*c = slices.DeleteFunc(*c, func(s *naiveSlot) bool { return s == slot })
	n.reservedInOrder = slices.DeleteFunc(n.reservedInOrder, func(t int) bool { return t == task })
}

// shift doubles the slots that are used up and moves all that have not begun to where they may be.
func (n *naive) shift() {
	for s := range n.servers {
		free := n.now
		for _, slot := range n.calendar[s] {
			if slot.running {
				for slot.end <= n.now {
					slot.end = slot.start + 2*(slot.end-slot.start)
				}
			} else {
				slot.start = max(slot.planned, free)
				slot.end = slot.start + slot.length
			}
			free = slot.end
		}
	}
}

// cost is what the workflow has paid and what its slots cost.
func (n *naive) cost(flow int) float64 {
	sum := n.charged[flow]
	for _, k := range n.reservedInOrder {
		if n.tasks[k].flow == flow {
			sum += n.tasks[k].slot.price
		}
	}
	return sum
}

// reserve gives the task the slot that ends first, tries every server, and says whether it has one.
func (n *naive) reserve(task int, from, rest float64) bool {
	t := &n.tasks[task]
	deadline, budget, paid := t.hard, math.Inf(1), 0.0
	if t.flow >= 0 {
		deadline, budget, paid = min(deadline, n.flows[t.flow].deadline), n.flows[t.flow].budget, n.cost(t.flow)
	}
	var best *naiveSlot
	for s, server := range n.servers {
		length := t.mean / server.speed * (1 + n.k*t.cv)
		price := length * server.cost
		if paid+price+rest > budget {
			continue
		}
		start := from
		for _, slot := range n.calendar[s] {
			if start < slot.start && start+length <= slot.start {
				break
			}
			start = max(start, slot.end)
		}
		if n.noWait && start > from {
			continue
		}
		if best == nil || start+length < best.end || start+length == best.end && price < best.price {
			best = &naiveSlot{task: task, server: s, planned: start, start: start, end: start + length, length: length, price: price}
		}
	}
	if best == nil || best.end > deadline {
		return false
	}
	t.slot = best
	c := n.calendar[best.server]
	at := len(c)
	for at > 0 && c[at-1].planned > best.planned {
		at--
	}
	n.calendar[best.server] = slices.Insert(c, at, best)
	n.reservedInOrder = append(n.reservedInOrder, task)
	return true
}

// reserveStatic gives slots to workflow after workflow.
func (n *naive) reserveStatic() {
	open := func(k int) bool {
		t := &n.tasks[k]
		return t.arrived && !t.left && !t.rejected && t.slot == nil && math.IsNaN(t.start)
	}
	for again := true; again; {
		again = false
		for k := range n.tasks {
			if !open(k) {
				continue
			}
			group := []int{k}
			for other := range n.tasks {
				if other != k && open(other) && n.tasks[k].flow >= 0 && n.tasks[other].flow == n.tasks[k].flow {
					group = append(group, other)
				}
			}
			if group[0] != slices.Min(group) || n.postponed(group) {
				continue
			}
			if !n.reserveGroup(group) {
				for _, task := range group {
					n.drop(task)
					n.tasks[task].rejected = true
					if flow := n.tasks[task].flow; flow >= 0 {
						n.flows[flow].broken = true
					}
				}
			}
			again = true
		}
	}
}

// postponed says whether a task of the group waits for one outside that has no slot yet.
func (n *naive) postponed(group []int) bool {
	for _, k := range group {
		for _, b := range n.tasks[k].after {
			t := &n.tasks[b]
			if !slices.Contains(group, b) && !t.left && t.slot == nil {
				return true
			}
		}
	}
	return false
}

// reserveGroup gives slots to all tasks of the group; false: one has none.
func (n *naive) reserveGroup(group []int) bool {
	if flow := n.tasks[group[0]].flow; flow >= 0 && n.flows[flow].broken {
		return false
	}
	var order []int
	for len(order) < len(group) { // the first that waits for none of the rest
		for _, k := range group {
			waits := func(b int) bool { return slices.Contains(group, b) && !slices.Contains(order, b) }
			if !slices.Contains(order, k) && !slices.ContainsFunc(n.tasks[k].after, waits) {
				order = append(order, k)
				break
			}
		}
	}
	for at, k := range order {
		from, rest := n.now, 0.0
		for _, b := range n.tasks[k].after {
			if s := n.tasks[b].slot; s != nil {
				from = max(from, s.end)
			}
		}
		for later := len(order) - 1; later > at; later-- {
			t, least := &n.tasks[order[later]], math.Inf(1)
			for _, server := range n.servers {
				least = min(least, t.mean/server.speed*(1+n.k*t.cv)*server.cost)
			}
			rest += least
		}
		if !n.reserve(k, from, rest) {
			return false
		}
	}
	return true
}
