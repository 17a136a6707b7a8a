package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/splitmix"
	"github.com/allot-opt/allot/sim"
)

// rankedJob is a queued job with its priority.
type rankedJob struct {
	priority float64
	job      *sim.Job
}

// byPriority orders jobs by priority, ties in queue order.
func byPriority(a, b rankedJob) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.job.Number, b.job.Number))
}

// rankedJobs is queued jobs in the order of their priorities. What it finds holds for the instant that it was told of last.
type rankedJobs interface {
	// push adds a job, with its priority at its arrival.
	push(rankedJob)
	// remove takes a job out that the queue has found.
	remove(rankedJob)
	// begin tells of an instant.
	begin(now float64)
	// anyFits says whether a queued job needs at most the free processors.
	anyFits(free int) bool
	// head is the first job; false: none is queued.
	head() (rankedJob, bool)
	// after is the job that follows another, which need not be queued any more; false: none.
	after(rankedJob) (rankedJob, bool)
	// first is the first job that fits into the free processors and that ends, by its estimate, by the limit of its size if it starts now; false: none.
	first(now float64, free int, limit func(size int32) float64) (rankedJob, bool)
}

// newRankedJobs is a queue in the order of a scorer; nil: the order of arrival.
func newRankedJobs(s *scorer) rankedJobs {
	if s == nil {
		return &rankedQueue{}
	}
	var q rankedJobs = &rankedQueue{}
	if s.Order == byWFP3 || s.Order == byMultifactor {
		q = &changingQueue{scorer: s}
	}
	if s.BoundWait != nil {
		q = &boundedQueue{bound: *s.BoundWait, rest: q}
	}
	return q
}

// rankedQueue is queued jobs by priority, with a tree for each size, the number of processors of a job. Priorities do not change while a job is queued.
type rankedQueue struct {
	sizes []int32 // ascending; a size of which none is queued any more stays
	trees []rankedTree
}

// rankedTree is the queued jobs of one size: a treap in the order of their priorities, which knows the least estimate in each subtree. It is balanced by what a hash of the
// jobs' numbers says, so its shape does not depend on the order in which jobs came.
//
// R. Seidel, C. R. Aragon (1996), Randomized search trees, Algorithmica 16, 464–497, doi:10.1007/BF01940876.
type rankedTree struct {
	root  int32
	nodes []rankedNode // nodes[0] is no job
	spare int32        // list, by left, of nodes to be used again
}

// rankedNode is a queued job in a tree.
type rankedNode struct {
	rankedJob
	least       float64 // least estimate in the subtree
	weight      uint64  // no less than those below
	left, right int32   // 0: none
}

// push implements rankedJobs.
func (q *rankedQueue) push(r rankedJob) {
	k, known := slices.BinarySearch(q.sizes, r.job.Processors)
	if !known {
		q.sizes = slices.Insert(q.sizes, k, r.job.Processors)
		q.trees = slices.Insert(q.trees, k, newRankedTree())
	}
	q.trees[k].push(r)
}

// begin implements rankedJobs.
func (q *rankedQueue) begin(float64) {}

// newRankedTree is a tree without jobs.
func newRankedTree() rankedTree { return rankedTree{nodes: []rankedNode{{least: math.Inf(1)}}} }

// push adds a job.
func (t *rankedTree) push(r rankedJob) {
	n := t.spare
	if n == 0 {
		n = int32(len(t.nodes))
		t.nodes = append(t.nodes, rankedNode{})
	} else {
		t.spare = t.nodes[n].left
	}
	t.nodes[n] = rankedNode{rankedJob: r, least: r.job.Estimate, weight: splitmix.Mix(uint64(r.job.Number))}
	t.root = t.insert(t.root, n)
}

// remove implements rankedJobs.
func (q *rankedQueue) remove(r rankedJob) {
	k, _ := slices.BinarySearch(q.sizes, r.job.Processors)
	t := &q.trees[k]
	t.root = t.remove(t.root, r)
}

// anyFits implements rankedJobs.
func (q *rankedQueue) anyFits(free int) bool {
	for k, size := range q.sizes {
		if int(size) > free {
			return false
		}
		if q.trees[k].root != 0 {
			return true
		}
	}
	return false
}

// head implements rankedJobs.
func (q *rankedQueue) head() (rankedJob, bool) {
	return q.best(func(t *rankedTree, _ int32) int32 { return t.first() })
}

// after implements rankedJobs.
func (q *rankedQueue) after(r rankedJob) (rankedJob, bool) {
	return q.best(func(t *rankedTree, _ int32) int32 {
		return t.firstWhere(func(other rankedJob) bool { return byPriority(other, r) > 0 })
	})
}

// first implements rankedJobs.
func (q *rankedQueue) first(now float64, free int, limit func(size int32) float64) (rankedJob, bool) {
	return q.best(func(t *rankedTree, size int32) int32 {
		if int(size) > free || t.root == 0 {
			return 0
		}
		return t.firstWithin(now, limit(size))
	})
}

// best is the first of the jobs that are found in each tree; false: none is.
func (q *rankedQueue) best(find func(t *rankedTree, size int32) int32) (best rankedJob, found bool) {
	for k := range q.trees {
		t := &q.trees[k]
		if n := find(t, q.sizes[k]); n != 0 && (!found || byPriority(t.nodes[n].rankedJob, best) < 0) {
			best, found = t.nodes[n].rankedJob, true
		}
	}
	return best, found
}

// first is the first job; 0: none.
func (t *rankedTree) first() int32 {
	n := t.root
	for n != 0 && t.nodes[n].left != 0 {
		n = t.nodes[n].left
	}
	return n
}

// firstWhere is the first job of which a condition holds that holds of all jobs behind it; 0: none.
func (t *rankedTree) firstWhere(holds func(rankedJob) bool) (found int32) {
	for n := t.root; n != 0; {
		if holds(t.nodes[n].rankedJob) {
			found, n = n, t.nodes[n].left
		} else {
			n = t.nodes[n].right
		}
	}
	return found
}

// firstWithin is the first job that would end by the limit; 0: none. Sums of floating-point numbers are monotonic, so a subtree passes the test if one of its jobs does.
func (t *rankedTree) firstWithin(now, limit float64) int32 {
	n := t.root
	if now+t.nodes[n].least > limit {
		return 0
	}
	for {
		node := &t.nodes[n]
		switch {
		case node.left != 0 && now+t.nodes[node.left].least <= limit:
			n = node.left
		case now+node.job.Estimate <= limit:
			return n
		default:
			n = node.right
		}
	}
}

// insert adds a node to a subtree and returns its root.
func (t *rankedTree) insert(root, n int32) int32 {
	if root == 0 {
		return n
	}
	at := &t.nodes[root]
	if t.nodes[n].weight > at.weight {
		t.nodes[n].left, t.nodes[n].right = t.split(root, t.nodes[n].rankedJob)
		t.measure(n)
		return n
	}
	if byPriority(t.nodes[n].rankedJob, at.rankedJob) < 0 {
		at.left = t.insert(at.left, n)
	} else {
		at.right = t.insert(at.right, n)
	}
	t.measure(root)
	return root
}

// split divides a subtree into the jobs before and those after one.
func (t *rankedTree) split(root int32, r rankedJob) (before, after int32) {
	if root == 0 {
		return 0, 0
	}
	at := &t.nodes[root]
	if byPriority(at.rankedJob, r) < 0 {
		at.right, after = t.split(at.right, r)
		t.measure(root)
		return root, after
	}
	before, at.left = t.split(at.left, r)
	t.measure(root)
	return before, root
}

// remove takes a job out of a subtree and returns its root.
func (t *rankedTree) remove(root int32, r rankedJob) int32 {
	at := &t.nodes[root]
	switch order := byPriority(r, at.rankedJob); {
	case order < 0:
		at.left = t.remove(at.left, r)
	case order > 0:
		at.right = t.remove(at.right, r)
	default:
		rest := t.join(at.left, at.right)
		*at = rankedNode{left: t.spare}
		t.spare = root
		return rest
	}
	t.measure(root)
	return root
}

// join is the tree of the jobs of two subtrees, where all of one go before all of the other.
func (t *rankedTree) join(before, after int32) int32 {
	switch a, b := &t.nodes[before], &t.nodes[after]; {
	case before == 0:
		return after
	case after == 0:
		return before
	case a.weight >= b.weight:
		a.right = t.join(a.right, after)
		t.measure(before)
		return before
	default:
		b.left = t.join(before, b.left)
		t.measure(after)
		return after
	}
}

// measure brings the least estimate of a subtree up to date.
func (t *rankedTree) measure(root int32) {
	n := &t.nodes[root]
	n.least = min(n.job.Estimate, t.nodes[n.left].least, t.nodes[n.right].least)
}
