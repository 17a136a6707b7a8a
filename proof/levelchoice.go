package proof

import (
	"math"
	"slices"
)

// choose finds the n cheapest tasks of a level.
func (t *levelTree) choose(l *level, n int) {
	l.least, l.last, l.next = 0, math.MinInt64/4, closed
	values := t.scratch[:0]
	for y, x := range l.cost {
		switch {
		case l.out != nil && l.out[y] || x >= closed:
		case l.sure != nil && l.sure[y]:
			l.least = bounded(l.least + x - t.price[y])
		default:
			values = append(values, x-t.price[y])
		}
	}
	t.scratch = values
	need := n - l.held // no more are sure than are chosen
	if l.dead || len(values) < need {
		l.least = closed
		return
	}
	slices.Sort(values)
	for _, v := range values[:need] {
		l.least = bounded(together(l.least, v))
	}
	if need > 0 {
		l.last = values[need-1]
	}
	if need < len(values) {
		l.next = values[need]
	}
}

// sieve finds, at the prices of the last narrowing to the box, which tasks can be at which load in an allocation that costs less than the bound.
//
// Let an allocation that uses the level cost at least v. If a task that is not among the cheapest ones is there, it costs at least v + the task − the
// most expensive of these. If one of the cheapest is not there, it costs at least v + the cheapest other one − this.
func (t *levelTree) sieve(box []loadBox) {
	for k := range t.classes {
		c := &t.classes[k]
		for n := range t.levels[k] {
			l, least := &t.levels[k][n], int64(closed)
			for r := c.first; r < c.first+c.machines; r++ {
				if box[r].low <= n && n <= box[r].high {
					least = min(least, t.with(r, n))
				}
			}
			room := t.target - t.base - least
			if room <= 0 { // so it is where the least is closed
				l.dead = true
			}
			if n > 0 && !l.dead {
				t.restrict(l, room)
			}
		}
	}
}

// restrict applies the rules of sieve to a level whose tasks are chosen at these prices. The room is above 0.
func (t *levelTree) restrict(l *level, room int64) {
	if l.out == nil {
		l.out, l.sure = make([]bool, t.tasks), make([]bool, t.tasks)
	}
	last, next := l.last, l.next // without a task to choose, all others are out already: the last that became sure made them so
	for y, x := range l.cost {
		if l.out[y] || l.sure[y] {
			continue
		}
		switch v := x - t.price[y]; {
		case v-last >= room: // also where the task is closed
			l.out[y] = true
		case next-v >= room:
			l.sure[y] = true
			l.held++
		}
	}
}
