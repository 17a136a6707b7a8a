package backfill

import "math"

// sizeQueue is the queued jobs of one size in queue order, with a tree of the least estimates above them. It finds the first job with
// an estimate short enough in O(log n). Jobs that have left stay as gaps until the tree is rebuilt.
type sizeQueue struct {
	size    int32
	live    int
	used    int       // leaves used, gaps included
	first   int       // no leaf before it is live
	tree    []float64 // tree[1] is the root, leaf k is tree[leaves+k]; +Inf: a gap
	entries []entry   // by leaf
}

// entry is a queued job.
type entry struct {
	order  int64 // place in the queue
	handle int32
}

const leastLeaves = 16

// leaves is the number of leaves that the tree has room for.
func (l *sizeQueue) leaves() int { return len(l.tree) / 2 }

// add appends a job and returns its leaf. It calls moved for every other job whose leaf changes, with the new leaf.
func (l *sizeQueue) add(e entry, estimate float64, moved func(handle int32, leaf int32)) int32 {
	if l.used == l.leaves() {
		l.rebuild(moved)
	}
	leaf := l.used
	l.used++
	l.live++
	l.entries[leaf] = e
	l.set(leaf, estimate)
	return int32(leaf)
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
		l.used, l.first = 0, 0
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
	for leaves < 2*l.live {
		leaves *= 2
	}
	tree := make([]float64, 2*leaves)
	entries := make([]entry, leaves)
	for k := range tree {
		tree[k] = math.Inf(1)
	}
	n := 0
	for k := l.first; k < l.used; k++ {
		x := l.tree[l.leaves()+k]
		if math.IsInf(x, 1) {
			continue
		}
		tree[leaves+n], entries[n] = x, l.entries[k]
		moved(entries[n].handle, int32(n))
		n++
	}
	for k := leaves - 1; k > 0; k-- {
		tree[k] = min(tree[2*k], tree[2*k+1])
	}
	l.tree, l.entries, l.used, l.first = tree, entries, n, 0
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
