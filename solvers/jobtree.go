package solvers

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// jobTree finds the job whose smallest completion time is the largest. Each leaf holds a few jobs that take about equally long on every resource.
// Each node knows, for each resource, the longest time that one of its jobs takes there. So no job below the node has a smallest completion time
// above the minimum, over the resources, of release + longest time. A search goes down from the root and skips the nodes whose bound is below the best
// job found.
//
// The tree serves instances in which jobs have one size on each resource and all arrive at once. Hard deadlines make no bound wrong: on a resource
// where a job is late, see [model.Late], it ends later than on those where it is not. If run times are unrelated, all bounds are loose; the tree is given
// up when searches take too long.
//
// Source: the nodes are those of a k-d tree: J. L. Bentley (1975), Multidimensional binary search trees used for associative searching,
// Comm. ACM 18(9), doi:10.1145/361002.361007.
type jobTree struct {
	c *completions
	jobLeaves
	leafOf  []int32 // by job; −1: not in the tree
	nodes   []treeNode
	home    []int32   // by job: the resource on which it would end first when last looked at; −1: not known
	longest []float64 // by node and resource; +Inf: some job cannot run there
	best    option    // the best job that the search has found; job −1: none
	late    []int32   // jobs that the search has found late on every resource
	looks   int       // looks at all resources in the last searches
	steps   int       // searches
	poll    *kit.Poll
}

// treeNode is a node of the tree. They are numbered as in a heap: the root is 1, the children of k are 2k and 2k + 1.
type treeNode struct {
	jobs  int32 // that are left below
	first int32 // the first of them
	home  int32 // the resource of the least release + longest when last looked at; −1: not known
}

// jobLeaves divides the jobs of a tree evenly among its leaves.
type jobLeaves struct {
	jobs   []int32 // one leaf after the other
	leaves int     // a power of two
}

// newJobLeaves makes as few leaves as hold the jobs.
func newJobLeaves(jobs []int32) jobLeaves {
	const most = 8 // jobs of a leaf
	l := jobLeaves{jobs, 1}
	for l.leaves*most < len(jobs) {
		l.leaves *= 2
	}
	return l
}

// places returns where the jobs of the leaves from leaf from up to, but not including, leaf to begin and end in jobs.
func (l *jobLeaves) places(from, to int) (begin, end int) {
	return len(l.jobs) * from / l.leaves, len(l.jobs) * to / l.leaves
}

// of returns the jobs of these leaves.
func (l *jobLeaves) of(from, to int) []int32 {
	begin, end := l.places(from, to)
	return l.jobs[begin:end]
}

// newJobTree makes a tree of all jobs that can be placed; nil where the instance is of another kind.
func newJobTree(ctx context.Context, c *completions) *jobTree {
	if c.only == nil || c.Instance.Features().Has(model.Arrivals) {
		return nil
	}
	t := &jobTree{c: c, leafOf: slices.Repeat([]int32{-1}, len(c.Left)), home: slices.Repeat([]int32{-1}, len(c.Left)), poll: kit.NewPoll(ctx)}
	var jobs []int32
	for j := range c.Left {
		if t.look(j).best >= 0 {
			jobs = append(jobs, int32(j))
		}
	}
	t.jobLeaves = newJobLeaves(jobs)
	t.nodes, t.longest = slices.Repeat([]treeNode{{home: -1}}, 2*t.leaves), make([]float64, 2*t.leaves*len(c.Resources))
	t.split(1, 0, t.leaves)
	for leaf := range t.leaves {
		t.poll.Spend(len(t.of(leaf, leaf+1)) * len(c.Resources))
		t.fill(leaf)
	}
	for node := t.leaves - 1; node > 0 && !t.poll.Stopped(len(c.Resources)); node-- {
		t.join(node)
		t.count(node)
	}
	t.looks = 0
	return t
}

// split orders the jobs of the leaves so that those of the first half differ from the others. It divides them by a resource on which only some can run, else
// by that on which their times differ most.
func (t *jobTree) split(node, from, to int) {
	jobs := t.of(from, to)
	if to-from == 1 || t.poll.Stopped(len(jobs)) {
		for _, j := range jobs {
			t.leafOf[j] = int32(from)
		}
		return
	}
	by := t.splitter(jobs)
	copy(jobs, sorted(jobs, func(j int32) float64 { return t.c.on(int(j), by) }))
	t.split(2*node, from, (from+to)/2)
	t.split(2*node+1, (from+to)/2, to)
}

// splitter is the resource by which the jobs are divided best. It looks at some of the jobs.
func (t *jobTree) splitter(jobs []int32) int {
	const sample = 32
	step := max(1, len(jobs)/sample)
	t.poll.Spend(sample * len(t.c.Resources))
	by, widest, evenest := 0, math.Inf(-1), 0
	for k := range t.c.Resources {
		low, high, can, cannot := math.Inf(1), math.Inf(-1), 0, 0
		for at := 0; at < len(jobs); at += step {
			if d := t.c.on(int(jobs[at]), k); math.IsInf(d, 1) {
				cannot++
			} else {
				can, low, high = can+1, min(low, d), max(high, d)
			}
		}
		even := min(can, cannot)
		if even > evenest || even == evenest && even == 0 && high-low > widest {
			by, widest, evenest = k, high-low, even
		}
	}
	return by
}

// fill makes the times of a leaf from those of its jobs.
func (t *jobTree) fill(leaf int) {
	node := t.leaves + leaf
	n, longest := &t.nodes[node], t.row(node)
	for k := range longest {
		longest[k] = math.Inf(-1)
	}
	n.jobs, n.first = 0, math.MaxInt32
	for _, j := range t.of(leaf, leaf+1) {
		if t.leafOf[j] < 0 {
			continue
		}
		n.jobs, n.first = n.jobs+1, min(n.first, j)
		for k, d := range t.durations(j) {
			longest[k] = max(longest[k], d)
		}
	}
}

// join makes the times of a node from those of its two children; false where they have not changed.
func (t *jobTree) join(node int) (changed bool) {
	row, right := t.row(node), t.row(2*node+1)
	for k, x := range t.row(2 * node) {
		if x = max(x, right[k]); row[k] != x {
			row[k], changed = x, true
		}
	}
	return changed
}

// count brings the number of jobs below a node up to date, and the first of them.
func (t *jobTree) count(node int) {
	a, b := &t.nodes[2*node], &t.nodes[2*node+1]
	t.nodes[node].jobs, t.nodes[node].first = a.jobs+b.jobs, min(a.first, b.first)
}

// remove takes a job out of the tree.
func (t *jobTree) remove(job int) {
	leaf := int(t.leafOf[job])
	t.leafOf[job] = -1
	t.fill(leaf)
	changed := true
	for node := (t.leaves + leaf) / 2; node > 0; node /= 2 {
		changed = changed && t.join(node)
		t.count(node)
	}
}

// row is the longest times of a node.
func (t *jobTree) row(node int) []float64 {
	m := len(t.c.Resources)
	return t.longest[node*m : (node+1)*m]
}

// durations are those of the job on all resources.
func (t *jobTree) durations(job int32) []float64 { return t.c.duration[job] }

// search finds the best job, and late jobs, which must be removed then.
func (t *jobTree) search() {
	t.best, t.late = option{job: -1, best: -1, first: math.Inf(-1)}, t.late[:0]
	if t.nodes[1].jobs > 0 {
		t.visit(1)
	}
	t.steps++
}

// beats reports whether a job may be better than the best job found, given that its smallest completion time is at most end and its number is at
// least first.
func (t *jobTree) beats(end float64, first int32) bool {
	return t.best.job < 0 || end > t.best.first || end == t.best.first && int(first) < t.best.job
}

// visit searches below the node.
func (t *jobTree) visit(node int) {
	if t.poll.Ended() {
		return
	}
	if node >= t.leaves {
		for _, j := range t.of(node-t.leaves, node-t.leaves+1) {
			if t.leafOf[j] >= 0 {
				t.try(j)
			}
		}
		return
	}
	a, b := 2*node, 2*node+1
	x, y := t.bound(a), t.bound(b)
	if y > x {
		a, b, x, y = b, a, y, x
	}
	if t.nodes[a].jobs > 0 && t.beats(x, t.nodes[a].first) {
		t.visit(a)
	}
	if t.nodes[b].jobs > 0 && t.beats(y, t.nodes[b].first) {
		t.visit(b)
	}
}

// try compares the job with the best job found, and keeps the better one.
func (t *jobTree) try(j int32) {
	if home := t.home[j]; home >= 0 && !t.beats(t.upperBound(t.c.only[home]+t.c.on(int(j), int(home))), j) {
		return
	}
	o := t.look(int(j))
	if o.best < 0 {
		t.late = append(t.late, j)
		return
	}
	if t.home[j] = int32(o.best); t.beats(o.first, j) {
		t.best = o
	}
}

// upperBound returns an upper bound of the smallest completion time, given an end on one resource. If the job is late on that resource, its smallest
// completion time is on another, where it is not late. With deadlines the bound is the next larger number: what counts as rounding doubles at powers of two.
func (t *jobTree) upperBound(end float64) float64 {
	if t.c.deadlines {
		return math.Nextafter(end, math.Inf(1))
	}
	return end
}

// look finds the resource on which the job would end first; ties go to the first resource.
func (t *jobTree) look(job int) option {
	t.looked()
	j := &t.c.Instance.Jobs()[job]
	o, latest := option{job: job, best: -1, first: math.Inf(1)}, math.Inf(1)
	if t.c.deadlines && j.DeadlineHard {
		latest = j.Deadline
	}
	for k, d := range t.durations(int32(job)) {
		if d > math.MaxFloat64 {
			continue
		}
		start := max(t.c.only[k], j.Arrival)
		if end := start + d; end < o.first && !model.Late(end, latest) {
			o.best, o.first = k, end
		}
	}
	return o
}

// looked notes a look at all resources.
func (t *jobTree) looked() {
	t.looks++
	t.poll.Stopped(len(t.c.Resources))
}

// bound is a time that no job below the node exceeds with its smallest completion time.
func (t *jobTree) bound(node int) float64 {
	n, longest := &t.nodes[node], t.row(node)
	if n.jobs == 0 {
		return math.Inf(-1)
	}
	release := t.c.only
	if n.home >= 0 {
		if end := t.upperBound(release[n.home] + longest[n.home]); !t.beats(end, n.first) {
			return end
		}
	}
	t.looked()
	least := math.Inf(1)
	n.home = -1
	for k, d := range longest {
		if end := release[k] + d; end < least {
			n.home, least = int32(k), end
		}
	}
	return t.upperBound(least)
}

// hopeless reports whether the tree should be given up. It decides once every 16 searches, by the number of nodes and jobs that they have looked at.
func (t *jobTree) hopeless() bool {
	const every = 16
	if t.steps%every != 0 {
		return false
	}
	looks := t.looks
	t.looks = 0
	return float64(looks) > every*(64+8*math.Sqrt(float64(t.nodes[1].jobs)))
}

// each calls yield with each job of the tree.
func (t *jobTree) each(yield func(job int)) {
	for _, j := range t.jobs {
		if t.leafOf[j] >= 0 {
			yield(int(j))
		}
	}
}
