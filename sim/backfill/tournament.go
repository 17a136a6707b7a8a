package backfill

import "slices"

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
	leaves  int     // a power of two
	wins    []int32 // by node of the tree, of which the first is 1: the kind with the first job below; −1: there is none
	changed []bool  // by kind
	list    []int32
}

// touch tells that the first job of a kind may be another one, or that there is no such kind any more.
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
		t.wins = slices.Repeat([]int32{-1}, 2*t.leaves)
		for at := range t.changed {
			t.touch(at)
		}
	}
	for _, at := range t.list {
		t.changed[at] = false
		node := t.leaves + int(at)
		if t.wins[node] = -1; int(at) < len(l.kinds) {
			l.headOf(int(at))
			t.wins[node] = at
		}
		for node /= 2; node > 0; node /= 2 {
			t.wins[node] = l.former(t.wins[2*node], t.wins[2*node+1])
		}
	}
	t.list = t.list[:0]
	return t.wins[1]
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

// head is the first job where priorities never change; nil: none is queued.
func (l *line) head() *waiting {
	if len(l.kinds) == 0 {
		return nil
	}
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
