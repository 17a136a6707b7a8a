package backfill

import "math"

// sizeQueue is the queued jobs of one size in queue order, with a tree of the least estimates above them. It finds the first job with
// an estimate short enough in O(log n). Jobs that have left stay as gaps until the tree is rebuilt.
type sizeQueue struct {
	size    int32
	live    int
	kept    int       // leaves of jobs that are not queued and keep their place
	used    int       // leaves used, gaps included
	first   int       // no leaf before it is live
	tree    []float64 // tree[1] is the root, leaf k is tree[leaves+k]; +Inf: a gap, or a place that is kept
	entries []entry   // by leaf
}

// entry is a job with a place in the queue.
type entry struct {
	order  int64 // place in the queue
	handle int32
	kept   bool // it is not queued yet
}

const leastLeaves = 16

// leaves is the number of leaves that the tree has room for.
func (l *sizeQueue) leaves() int { return len(l.tree) / 2 }

// add appends a job, or only its place, and returns its leaf. It calls moved for every other job whose leaf changes, with the new leaf.
func (l *sizeQueue) add(e entry, estimate float64, moved func(handle int32, leaf int32)) int32 {
	if l.used == l.leaves() {
		l.rebuild(moved)
	}
	leaf := l.used
	l.used++
	l.entries[leaf] = e
	if e.kept {
		l.kept++
		return int32(leaf)
	}
	if l.live++; l.live == 1 {
		l.first = leaf
	}
	l.set(leaf, estimate)
	return int32(leaf)
}

// join adds a job at the place that was kept for it.
func (l *sizeQueue) join(leaf int32, estimate float64) {
	l.entries[leaf].kept = false
	l.kept--
	if l.live++; l.live == 1 || int(leaf) < l.first {
		l.first = int(leaf)
	}
	l.set(int(leaf), estimate)
}

// giveUp turns the place that was kept for a job into a gap.
func (l *sizeQueue) giveUp(leaf int32) {
	l.entries[leaf].kept = false
	l.kept--
}

// set changes a leaf and the least estimates above it.
func (l *sizeQueue) set(leaf int, x float64) {
	k := l.leaves() + leaf
	l.tree[k] = x
	for k > 1 {
		k >>= 1
		least := min(l.tree[2*k], l.tree[2*k+1])
		if l.tree[k] == least {
			return
		}
		l.tree[k] = least
	}
}

// remove turns a leaf into a gap.
func (l *sizeQueue) remove(leaf int32) {
	l.set(int(leaf), math.Inf(1))
	l.live--
	switch {
	case l.live == 0:
		if l.kept == 0 {
			l.used = 0
		}
	case int(leaf) == l.first:
		leaves := l.tree[l.leaves():]
		for math.IsInf(leaves[l.first], 1) {
			l.first++
		}
	}
}

// rebuild removes the gaps and makes the tree twice as large as the jobs need.
func (l *sizeQueue) rebuild(moved func(handle int32, leaf int32)) {
	leaves := leastLeaves
	for leaves < 2*(l.live+l.kept) {
		leaves *= 2
	}
	tree := make([]float64, 2*leaves)
	entries := make([]entry, leaves)
	for k := range tree {
		tree[k] = math.Inf(1)
	}
	n, first, from := 0, 0, l.first
	if l.kept > 0 {
		from = 0
	}
	for k := from; k < l.used; k++ {
		x := l.tree[l.leaves()+k]
		if math.IsInf(x, 1) && !l.entries[k].kept {
			continue
		}
		if k == l.first {
			first = n
		}
		tree[leaves+n], entries[n] = x, l.entries[k]
		moved(entries[n].handle, int32(n))
		n++
	}
	for k := leaves - 1; k > 0; k-- {
		tree[k] = min(tree[2*k], tree[2*k+1])
	}
	l.tree, l.entries, l.used, l.first = tree, entries, n, first
}

// least is the least estimate; +Inf of an empty queue.
func (l *sizeQueue) least() float64 { return l.tree[1] }

// head is the first job.
func (l *sizeQueue) head() *entry { return &l.entries[l.first] }

// firstWithin returns the first job that would end by the limit, according to its estimate, if it started now. It returns nil if there is no such
// job before the given place in the queue. Sums of floating-point numbers are monotonic, so a node passes the test if one of its leaves does.
func (l *sizeQueue) firstWithin(now, limit float64, before int64) *entry {
	if now+l.tree[1] > limit {
		return nil
	}
	leaves := l.leaves()
	k := 1
	for k < leaves {
		k *= 2
		if now+l.tree[k] > limit {
			k++
		}
	}
	if e := &l.entries[k-leaves]; e.order < before {
		return e
	}
	return nil
}
