package backfill

import (
	"math"
	"slices"
)

// The first job of all where priorities do not change while a job waits: the first of each kind is known, and a tournament of these finds it.

// foremost is the first job of a kind.
type foremost struct {
	score  float64
	number int64
	handle int32
	known  bool
}

// tournament finds the first job of all among the first ones of the kinds of a line. What changed since it was last asked is listed.
type tournament struct {
	leaves  int        // a power of two
	nodes   []standing // of the tree, of which the first is 1
	changed []bool     // by kind
	list    []int32
}

// standing is what is known of the kinds below a node.
type standing struct {
	win    int32   // the kind with the first job; −1: there is none
	narrow int32   // fewest processors that jobs hold
	least  float64 // no size is less
}

// none is what is known of no kinds.
var none = standing{-1, math.MaxInt32, math.Inf(1)}

// touch tells that the first job or the least size of a kind may be another one, or that there is no such kind any more.
func (t *tournament) touch(at int) {
	for at >= len(t.changed) {
		t.changed = append(t.changed, false)
	}
	if !t.changed[at] {
		t.changed[at], t.list = true, append(t.list, int32(at))
	}
}

// winner is the kind with the first job; some job is queued. O(log k) for each kind of k that has changed.
func (t *tournament) winner(l *line) int32 {
	if len(t.changed) > t.leaves {
		t.leaves = 1
		for t.leaves < len(t.changed) {
			t.leaves *= 2
		}
		t.nodes = slices.Repeat([]standing{none}, 2*t.leaves)
		for at := range t.changed {
			t.touch(at)
		}
	}
	for _, at := range t.list {
		t.changed[at] = false
		node := t.leaves + int(at)
		if t.nodes[node] = none; int(at) < len(l.kinds) {
			l.headOf(int(at))
			t.nodes[node] = standing{at, l.narrow[at], l.least[at]}
		}
		for node /= 2; node > 0; node /= 2 {
			a, b := &t.nodes[2*node], &t.nodes[2*node+1]
			t.nodes[node] = standing{l.former(a.win, b.win), min(a.narrow, b.narrow), min(a.least, b.least)}
		}
	}
	t.list = t.list[:0]
	return t.nodes[1].win
}

// descend looks for the job among the kinds below a node, those with the first job first.
func (s *search) descend(l *line, node int) {
	n := &l.firsts.nodes[node]
	if n.win < 0 || s.limits.passes(n.narrow, n.least) || !s.beats(l.heads[n.win].score, l.heads[n.win].number) {
		return
	}
	if node >= l.firsts.leaves {
		s.among(l, l.kinds[n.win], nil)
		return
	}
	sooner := 2 * node
	if l.firsts.nodes[sooner].win != n.win {
		sooner++
	}
	s.descend(l, sooner)
	s.descend(l, sooner^1)
}

// former is the kind of two whose first job goes first; −1: there is none.
func (l *line) former(a, b int32) int32 {
	switch {
	case a < 0:
		return b
	case b < 0 || int(b) >= len(l.heads):
		return a
	case int(a) >= len(l.heads):
		return b
	}
	x, y := &l.heads[a], &l.heads[b]
	if x.score > y.score || x.score == y.score && x.number < y.number {
		return a
	}
	return b
}

// head is the first job where priorities never change; some job is queued.
func (l *line) head() *waiting {
	at := l.places[l.heads[l.firsts.winner(l)].handle]
	return &at.block.jobs[at.at]
}

// headOf is the first job of a kind, likewise.
func (l *line) headOf(at int) *foremost {
	h := &l.heads[at]
	if h.known {
		return h
	}
	k := l.kinds[at]
	var s search
	for i := range k.sections {
		if in := &k.sections[i]; s.beats(l.most(k, in), in.earliest) {
			s.enter(l, k, in)
		}
	}
	*h = foremost{s.found.score, s.found.job.Number, s.found.job.Handle, true}
	return h
}

// goesBefore says whether a job goes before the first of its kind.
func (w *waiting) goesBefore(h *foremost) bool {
	return w.score > h.score || w.score == h.score && w.job.Number < h.number
}
