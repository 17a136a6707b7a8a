package solvers

import (
	"math"

	"github.com/allot-opt/allot/internal/kit"
)

// shapeTree finds the job of the largest sufferage among jobs whose durations have one shape: on each resource, a constant + a factor · the work + a
// factor · the data. Each leaf holds a few jobs of about the same work and data. Each node knows the least and the largest work and data of the jobs
// below it: its box.
//
// Over a box the end on one resource is linear, the least end over all resources is concave, and the later of the ends on two resources p and q is
// convex. No sufferage exceeds max(end on p, end on q) − least end. This difference is convex, so it is largest at a corner of the box. There it is at
// most the larger of the regrets of p and q: the regret of a resource is the largest excess, over the four corners, of the end on it over the least
// end. The bound of a node is the second smallest regret. If the same two resources are the best two on the whole box, the bound equals the largest
// sufferage at a corner. A resource on which jobs end later than on both p and q at each corner is worse everywhere in the box, so the search leaves
// it out below the node.
//
// Durations are rounded, and so are the bounds. The margin is more than these errors can add up to. A job is compared exactly before it is taken.
//
// Source: this is a search of the first two levels of an arrangement of planes, one plane a resource (H. Edelsbrunner (1987), Algorithms in
// Combinatorial Geometry, doi:10.1007/978-3-642-61568-9, chapter 1), by a k-d tree (J. L. Bentley (1975), doi:10.1145/361002.361007).
type shapeTree struct {
	c          *completions
	shape      []planeOf // by resource on which the jobs can run
	jobLeaves            // the jobs of the tree
	work, data []float64 // by place in jobs
	due        []float64 // by place in jobs: the hard deadline; +Inf: none
	here       []bool    // by place in jobs: the job is in the tree
	place      []int32   // by job: its place in jobs; shared by all trees
	nodes      []shapeNode
	deviation  float64 // no duration differs more from its shape
	longest    float64 // duration

	best    *option     // the best job found so far
	leaving []int32     // places of the jobs that are too near to their hard deadlines to be served by a tree: see leave
	margin  float64     // of the bounds of this search
	levels  [][]planeOf // by level of the tree: the resources that count below the node that is visited there, at the present releases
	corners []corners   // of the resources last looked at
	looks   int         // nodes and jobs looked at in the last searches
	left    int         // jobs that had to leave in the last searches
	steps   int         // searches
	poll    *kit.Poll
}

// planeOf is the time of a job on a resource as a function of its work and data: its duration, or its end.
type planeOf struct {
	resource               int
	base, perWork, perData float64
}

// at is the time of a job of that work and data.
func (p *planeOf) at(work, data float64) float64 { return p.base + p.perWork*work + p.perData*data }

// corners is a time at the four corners of a box.
type corners [4]float64

// latest is the largest of them.
func (x *corners) latest() float64 { return max(x[0], x[1], x[2], x[3]) }

// shapeNode is a node of the tree. They are numbered as in a heap: the root is 1, the children of k are 2k and 2k + 1.
type shapeNode struct {
	jobs        int32      // that are left below
	first       int32      // the first of them
	least, most [2]float64 // work and data
	due         float64    // the first hard deadline; +Inf: none
}

// alike says whether all jobs below have the same work and data, so that they take equally long everywhere.
func (n *shapeNode) alike() bool { return n.least == n.most }

// ends is the end on the resource at the corners of the box.
func (n *shapeNode) ends(p *planeOf) corners {
	low, high := p.base+p.perWork*n.least[0], p.base+p.perWork*n.most[0]
	return corners{low + p.perData*n.least[1], high + p.perData*n.least[1], low + p.perData*n.most[1], high + p.perData*n.most[1]}
}

// search makes best the best job of the tree where that comes before it, and finds the jobs that must leave.
func (t *shapeTree) search(best *option) {
	t.best, t.leaving, t.steps = best, t.leaving[:0], t.steps+1
	if t.nodes[1].jobs == 0 {
		return
	}
	start, latest := t.c.Instance.FirstArrival(), 0.0
	all := t.levels[0][:0]
	for _, p := range t.shape {
		free := max(t.c.only[p.resource], start)
		latest = max(latest, math.Abs(free))
		p.base += free
		all = append(all, p)
	}
	const rounding = 1.0 / (1 << 47) // of a dozen sums
	t.margin = 4*t.deviation + (latest+t.longest)*rounding
	if two := t.bound(&t.nodes[1], all, t.nodes[1].due); t.beats(two.sufferage) {
		t.visit(1, 1, all, two)
	}
}

// beats says whether a job of at most that sufferage may come before the best one found.
func (t *shapeTree) beats(sufferage float64) bool {
	return t.best.job < 0 || sufferage+t.margin >= t.best.sufferage()
}

// pair is two resources that bound the sufferage of the jobs of a box.
type pair struct {
	a, b      int     // places in the list of resources; −1: none
	sufferage float64 // no job in the box has a larger one; +Inf where there are no two resources
	latest    float64 // on both resources all jobs in the box end by this time
}

// bound finds the two resources of the least regret on which all jobs of the box end by the time due.
func (t *shapeTree) bound(n *shapeNode, list []planeOf, due float64) pair {
	t.looks++
	t.poll.Stopped(4 * len(list))
	inf := math.Inf(1)
	first := corners{inf, inf, inf, inf}
	for k := range list {
		e := n.ends(&list[k])
		t.corners[k] = e
		first[0], first[1], first[2], first[3] = min(first[0], e[0]), min(first[1], e[1]), min(first[2], e[2]), min(first[3], e[3])
	}
	two, least := pair{a: -1, b: -1, sufferage: inf, latest: inf}, inf
	for k := range list {
		e := &t.corners[k]
		regret := max(e[0]-first[0], e[1]-first[1], e[2]-first[2], e[3]-first[3])
		if regret >= two.sufferage || e.latest()+t.margin > due {
			continue
		}
		if regret < least {
			two.a, two.b, two.sufferage, least = k, two.a, least, regret
		} else {
			two.b, two.sufferage = k, regret
		}
	}
	if two.b >= 0 {
		two.latest = max(t.corners[two.a].latest(), t.corners[two.b].latest()) + t.margin
	}
	return two
}

// visit searches below the node. list is the resources that may be among the best two of its jobs, two those that bound it.
func (t *shapeTree) visit(node, level int, list []planeOf, two pair) {
	n := &t.nodes[node]
	if t.poll.Ended() {
		return
	}
	if two.b >= 0 {
		list = t.narrow(n, level, list, two)
	}
	if node >= t.leaves || n.alike() {
		if t.settle(node, list) {
			return
		}
	}
	a, b := &t.nodes[2*node], &t.nodes[2*node+1]
	none := pair{a: -1, b: -1, sufferage: math.Inf(-1)}
	x, y := none, none
	if a.jobs > 0 {
		x = t.bound(a, list, a.due)
	}
	if b.jobs > 0 {
		y = t.bound(b, list, b.due)
	}
	for range 2 {
		child, two := 2*node, x
		if y.sufferage > x.sufferage {
			child, two = 2*node+1, y
			y = none
		} else {
			x = none
		}
		if t.nodes[child].jobs > 0 && two != none && t.beats(two.sufferage) {
			t.visit(child, level+1, list, two)
		}
	}
}

// narrow leaves out the resources on which every job of the box ends later than on both of the two.
func (t *shapeTree) narrow(n *shapeNode, level int, list []planeOf, two pair) []planeOf {
	x, y := n.ends(&list[two.a]), n.ends(&list[two.b])
	for c := range x {
		x[c] += t.margin
		y[c] += t.margin
	}
	kept := t.levels[level][:0]
	for k := range list {
		e := n.ends(&list[k])
		if e[0] > x[0] && e[1] > x[1] && e[2] > x[2] && e[3] > x[3] && e[0] > y[0] && e[1] > y[1] && e[2] > y[2] && e[3] > y[3] {
			continue
		}
		kept = append(kept, list[k])
	}
	return kept
}

// settle looks at the jobs of a leaf, or of a node whose jobs are alike: there one job stands for all. It returns false where the jobs below the node must be
// looked at one leaf after the other.
//
// A job may stay in the tree if its deadline is no earlier than the latest end on the two resources of the least regret. Then its deadline
// excludes none of its best two resources. The other jobs leave the tree.
func (t *shapeTree) settle(node int, list []planeOf) bool {
	n := &t.nodes[node]
	latest := math.Inf(-1)
	if !math.IsInf(n.due, 1) {
		latest = t.bound(n, list, math.Inf(1)).latest
	}
	if n.alike() && latest <= n.due {
		t.try(n.first, list)
		return true
	}
	if node < t.leaves {
		return false
	}
	from, to := t.places(node-t.leaves, node-t.leaves+1)
	for at := from; at < to; at++ {
		switch {
		case !t.here[at]:
		case t.due[at] < latest:
			t.leaving = append(t.leaving, t.jobs[at])
			t.left++
		case t.mayBeat(at, list):
			t.try(t.jobs[at], list)
		}
	}
	return true
}

// mayBeat says whether the job may come before the best one found, by the shape of its times.
func (t *shapeTree) mayBeat(at int, list []planeOf) bool {
	first, second := math.Inf(1), math.Inf(1)
	for k := range list {
		switch end := list[k].at(t.work[at], t.data[at]); {
		case end < first:
			first, second = end, first
		case end < second:
			second = end
		}
	}
	return t.beats(second - first)
}

// try makes the job the best one where it is. Ties of resources go to the first one.
func (t *shapeTree) try(job int32, list []planeOf) {
	t.looks++
	t.poll.Stopped(len(list))
	o := option{job: int(job), best: -1, runnerUp: -1, first: math.Inf(1), second: math.Inf(1)}
	arrival := t.c.Instance.Jobs()[job].Arrival
	for k := range list {
		resource := list[k].resource
		switch end := max(t.c.only[resource], arrival) + t.c.on(int(job), resource); {
		case end < o.first:
			o.runnerUp, o.second, o.best, o.first = o.best, o.first, resource, end
		case end < o.second:
			o.runnerUp, o.second = resource, end
		}
	}
	if o.before(t.best) {
		*t.best = o
	}
}

// hopeless reports whether the tree should be given up. It decides once every 16 searches, by the number of nodes and jobs that they have looked at.
func (t *shapeTree) hopeless() bool {
	const every = 16
	if t.steps%every != 0 {
		return false
	}
	looks, left := t.looks, t.left
	t.looks, t.left = 0, 0
	const path = 32 // a job leaves only once, so that the way to it is no sign of loose bounds
	return looks > every*(64+int(t.nodes[1].jobs)/8)+path*left
}
