package proof

import (
	"fmt"
	"slices"
)

// This file says what follows from windows: by precedence, by jobs that cannot overlap, by clauses, and by what jobs hold of a resource at a time or in an interval.

// precede moves a job before one that waits for it, or before the end.
func (w *windows) precede(first, second int) (wrong string) {
	end := len(w.in.Jobs())
	switch {
	case first >= end || second > end || !w.has[first] || second < end && !w.has[second]:
		return "expected jobs that have to be placed"
	case second < end && !slices.Contains(w.in.Jobs()[second].After, first):
		return fmt.Sprintf("job %d does not wait for job %d", second, first)
	}
	w.apartBy(first, second)
	return ""
}

// apartBy moves the first number so that it ends before the second starts.
func (w *windows) apartBy(first, second int) {
	w.raise(second, w.low[first]+w.length[first])
	w.lower(first, w.high[second]-w.length[first])
}

// pair looks at two jobs that cannot overlap. If one cannot end before the other starts, the other comes first. If it is known which comes first, it ends before
// the other starts.
func (w *windows) pair(p int) (wrong string) {
	if p >= len(w.a.Pairs)/2 {
		return fmt.Sprintf("expected a pair, found %d of %d", p, len(w.a.Pairs)/2)
	}
	of := len(w.in.Jobs()) + 1 + p
	a, b := w.a.Pairs[2*p], w.a.Pairs[2*p+1]
	if w.low[a]+w.length[a] > w.high[b] {
		w.lower(of, 0)
	}
	if w.low[b]+w.length[b] > w.high[a] {
		w.raise(of, 1)
	}
	switch {
	case w.empty:
	case w.low[of] == 1:
		w.apartBy(a, b)
	case w.high[of] == 0:
		w.apartBy(b, a)
	}
	return ""
}

// clause looks at a clause. If all its literals but one are false, that one is true; if all are, there is a contradiction.
func (w *windows) clause(k, before int) (wrong string) {
	if k >= before || len(w.a.Lemmas[k].Clause) == 0 {
		return fmt.Sprintf("expected the position of a clause before, found %d", k)
	}
	literals, open := w.a.Lemmas[k].Clause, -1
	for i := 0; i < len(literals); i += 2 {
		of, value := literals[i]/2, int64(literals[i+1])
		if literals[i]%2 == 0 && w.high[of] < value || literals[i]%2 == 1 && w.low[of] > value {
			continue // false
		}
		if open >= 0 {
			return ""
		}
		open = i
	}
	switch {
	case open < 0:
		w.empty = true
	case literals[open]%2 == 0:
		w.raise(literals[open]/2, int64(literals[open+1]))
	default:
		w.lower(literals[open]/2, int64(literals[open+1]))
	}
	return ""
}

// atTime looks at what jobs hold of the resource at a time wherever they start. Jobs that do not fit beside them do not run then.
func (w *windows) atTime(r *windowResource, t int64) {
	held := int64(0)
	for _, u := range r.uses {
		if w.high[u.job] <= t && t < w.low[u.job]+w.length[u.job] {
			held += u.need
		}
	}
	if held > r.capacity {
		w.empty = true
		return
	}
	for _, u := range r.uses {
		low, high, length := w.low[u.job], w.high[u.job], w.length[u.job]
		if held+u.need <= r.capacity || high <= t && t < low+length {
			continue
		}
		if low+length > t {
			w.raise(u.job, t+1)
		}
		if high <= t {
			w.lower(u.job, t-length)
		}
	}
}

// within looks at what jobs hold at least of the resource in an interval. A job that held too much there if it started at its earliest starts later; at its
// latest, earlier.
func (w *windows) within(r *windowResource, from, to int64) {
	spare := r.capacity * (to - from)
	for _, u := range r.uses {
		spare -= u.need * w.leastIn(u.job, from, to)
	}
	if spare < 0 {
		w.empty = true
		return
	}
	type limits struct{ job, low, high int64 }
	var moved []limits // after all were looked at: each is moved by what the others hold now
	for _, u := range r.uses {
		low, high, length := w.low[u.job], w.high[u.job], w.length[u.job]
		most := w.leastIn(u.job, from, to) + spare/u.need // it may hold the resource for that long
		next := limits{int64(u.job), low, high}
		if min(low+length, to)-max(low, from) > most {
			next.low = to - most
		}
		if min(high+length, to)-max(high, from) > most {
			next.high = from + most - length
		}
		if next.low != low || next.high != high {
			moved = append(moved, next)
		}
	}
	for _, m := range moved {
		w.raise(int(m.job), m.low)
		w.lower(int(m.job), m.high)
	}
}

// leastIn is the time for which a job runs in the interval at least.
func (w *windows) leastIn(j int, from, to int64) int64 {
	return max(0, min(w.length[j], to-from, w.low[j]+w.length[j]-from, to-w.high[j]))
}
