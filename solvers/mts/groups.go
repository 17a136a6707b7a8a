package mts

import (
	"math"
	"slices"
)

// group is kinds of one class that overload the same numbers of resources, so that their mt differ by f alone. The least f of the group is the
// least, over the resources, of the release plus the shortest span of a member there, as Min-min finds it: no member need be looked at by itself,
// however many have nearly the least f. A member leaves the group when a count changes. In the heap a kind stands for the group, with lower bounds
// of the keys of all members.
type group struct {
	index   int32 // of the group in the run
	number  int32 // of the kind that stands for it
	members []int32
	left    int         // members that have not left
	orders  []timeOrder // by resource: the members that can end in time there, the shortest first; some may have left
	front   []float64   // by resource: the span of the first of the order; +Inf: none
	step    int         // step in which it was last evaluated
	best    int32       // the member of the least mt then
}

// counts are what the members of a group have in common.
type counts struct{ cpu, link, room int32 }

// regroup forms groups of the kinds of the class that have been looked at often.
func (r *run) regroup(class int) {
	r.looks = 0
	if r.release == nil {
		return
	}
	earliest := math.Inf(1)
	for _, release := range r.release {
		earliest = min(earliest, release)
	}
	type candidates struct {
		kinds []int32
		looks int
	}
	var found []*candidates // in the order of the heap
	byCounts := make(map[counts]*candidates)
	for _, k := range r.heaps[class] {
		kind := &r.kinds[k]
		if kind.members != nil || kind.arrival > earliest {
			continue
		}
		c := byCounts[kind.counts()]
		if c == nil {
			c = &candidates{}
			found, byCounts[kind.counts()] = append(found, c), c
		}
		c.kinds, c.looks = append(c.kinds, k), c.looks+int(kind.looks)
	}
	for _, c := range found {
		if len(c.kinds) >= r.few && c.looks >= r.patience*len(c.kinds) {
			r.form(c.kinds)
		}
	}
}

func (k *jobKind) counts() counts { return counts{k.cpu, k.link, k.room} }

// form makes a group of the kinds, and of the groups that are like them and no larger.
func (r *run) form(kinds []int32) {
	like := r.kinds[kinds[0]]
	for _, k := range kinds {
		r.heaps[like.class].Remove(r, int(r.kinds[k].place))
	}
	for at, size := 0, len(kinds); at < len(r.groups); at++ {
		g := r.groups[at]
		if g == nil || g.left > size {
			continue
		}
		if own := &r.kinds[g.number]; own.class == like.class && own.counts() == like.counts() {
			kinds = append(kinds, r.disband(g)...)
		}
	}
	g := &group{index: int32(len(r.groups)), number: int32(len(r.kinds)), members: kinds, left: len(kinds), orders: make([]timeOrder, len(r.release)), front: make([]float64, len(r.release))}
	key, log := math.Inf(1), math.Inf(1)
	sizes := make([]int, len(r.release))
	for _, k := range kinds {
		kind := &r.kinds[k]
		kind.group, kind.looks = g.index, 0
		key, log = min(key, kind.key), min(log, kind.log)
		r.openSpans(k, func(resource int, _ float64) { sizes[resource]++ })
	}
	for resource, size := range sizes {
		g.orders[resource].items = make([]timedKind, 0, size)
	}
	for _, k := range kinds {
		r.openSpans(k, func(resource int, span float64) {
			order := &g.orders[resource]
			order.items = append(order.items, timedKind{span, k, true})
		})
	}
	for resource := range g.front {
		g.dropDeparted(r, resource)
	}
	r.poll.Stopped(len(kinds) * len(r.release))
	r.groups = append(r.groups, g)
	r.kinds = append(r.kinds, jobKind{jobs: []int32{-1}, class: like.class, cpu: like.cpu, link: like.link, room: like.room,
		group: -1, low: -1, rank: -1, log: log, key: key, members: g})
	r.heaps[like.class].Push(r, g.number)
}

// openSpans calls yield with each resource on which the kind can end in time and how long it takes there.
func (r *run) openSpans(k int32, yield func(resource int, span float64)) {
	kind := &r.kinds[k]
	for resource, span := range r.span[int(k)*len(r.release):][:len(r.release)] {
		if span <= math.MaxFloat64 && !(kind.hard && kind.late(r.release[resource], span)) {
			yield(resource, span)
		}
	}
}

// dropDeparted takes members that have left from the front of the order of the resource.
func (g *group) dropDeparted(r *run, resource int) {
	order := &g.orders[resource]
	for order.len() > 0 && !g.holds(r, order.get(0).kind) {
		order.first++
	}
	g.front[resource] = math.Inf(1)
	if order.len() > 0 {
		g.front[resource] = order.get(0).at
	}
}

// holds says whether the kind is still a member.
func (g *group) holds(r *run, k int32) bool { return r.kinds[k].group == g.index }

// evaluateGroup finds the member of the least mt and its resource. It returns false where too many members have nearly that mt.
func (r *run) evaluateGroup(g *group) bool {
	own := &r.kinds[g.number]
	end, resource := r.leastEnd(g)
	if resource < 0 {
		return false // no completion time is a number of the machine
	}
	last := r.nearly(end)
	near := make([]int32, 0, r.few)
	for at, span := range g.front {
		if r.release[at]+span > last {
			continue
		}
		g.dropDeparted(r, at)
		order := &g.orders[at]
		for i := range order.len() {
			member := order.get(i)
			if r.release[at]+member.at > last {
				break
			}
			if !g.holds(r, member.kind) || slices.Contains(near, member.kind) {
				continue
			}
			if near = append(near, member.kind); len(near) > r.few {
				return false
			}
		}
	}
	g.step, g.best = r.steps, near[0]
	own.log = r.log(end)
	r.weigh(own)
	own.resource = int32(resource)
	if len(near) > 1 {
		r.firstOf(g, near)
	}
	own.rank, own.jobs[0] = own.resource, r.kinds[g.best].jobs[0]
	return true
}

// leastEnd is the least completion time of the members, and the first resource on which a member has it.
func (r *run) leastEnd(g *group) (end float64, resource int) {
	for {
		r.poll.Spend(len(g.front))
		end, resource = math.Inf(1), -1
		for at, span := range g.front {
			if other := r.release[at] + span; other < end {
				end, resource = other, at
			}
		}
		if resource < 0 || g.holds(r, g.orders[resource].get(0).kind) {
			return end, resource
		}
		g.dropDeparted(r, resource)
	}
}

// firstOf finds the first of the members by mt, resource and job, and its resource.
func (r *run) firstOf(g *group, members []int32) {
	for at, k := range members {
		r.kinds[k].end = math.NaN()
		r.evaluate(k)
		r.kinds[k].rank = r.kinds[k].resource
		if at == 0 || r.Before(k, g.best) {
			g.best = k
		}
	}
	r.kinds[g.number].resource = r.kinds[g.best].resource
}

// leave takes the kind out of its group. It keeps a lower bound of its completion time.
func (r *run) leave(kind *jobKind) {
	g := r.groups[kind.group]
	own := &r.kinds[g.number]
	kind.group, kind.log, kind.low, kind.rank = -1, max(kind.log, own.log), -1, -1
	if g.left--; g.left == 0 {
		r.heaps[own.class].Remove(r, int(own.place))
		r.groups[g.index] = nil
	}
}

// disband ends the group and returns the members that it still had.
func (r *run) disband(g *group) []int32 {
	members := slices.DeleteFunc(g.members, func(k int32) bool { return !g.holds(r, k) })
	for _, k := range members {
		r.leave(&r.kinds[k])
	}
	return members
}

// dissolve makes single kinds of the members. It happens where many completion times are equal: then heaps of single kinds are better.
func (r *run) dissolve(g *group) {
	r.dissolved++
	r.patience *= 2
	class := r.kinds[g.number].class
	for _, k := range r.disband(g) {
		r.weigh(&r.kinds[k])
		r.heaps[class].Push(r, k)
	}
}
