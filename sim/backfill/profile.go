package backfill

import (
	"math"
	"slices"
)

// profile is an availability profile: the planned number of free processors over time, from now on. It is a step function whose
// neighbouring steps differ. Pieces hold the steps; heads say what a search must know of each piece, so that it passes a whole piece at a
// time, and a change touches the steps of two pieces only.
//
// Complexity: O(pieces + stepsInPiece) a change; O(1) for each piece that a search passes, O(stepsInPiece) for each it looks into.
type profile struct {
	heads  []head
	pieces []*piece
	spare  []*piece
}

const stepsInPiece = 16

// head is what is known of a piece without looking into it.
type head struct {
	first       float64 // time of its first step
	most, least int32   // free processors
	more        int32   // to add to the free processors of each step
}

// piece is a run of n neighbouring steps. From times[k] until the next step free[k] + more processors are free. The last step of the
// last piece never ends.
type piece struct {
	n     int
	times [stepsInPiece]float64
	free  [stepsInPiece]int32
}

// position is a step of a profile.
type position struct{ piece, step int }

// reset frees all processors from now on.
func (p *profile) reset(now float64, processors int32) {
	p.spare = append(p.spare, p.pieces...)
	first := p.fresh()
	first.n, first.times[0], first.free[0] = 1, now, processors
	p.pieces, p.heads = append(p.pieces[:0], first), append(p.heads[:0], head{first: now})
	p.measure(0)
}

// fresh is an empty piece.
func (p *profile) fresh() *piece {
	if n := len(p.spare) - 1; n >= 0 {
		x := p.spare[n]
		p.spare = p.spare[:n]
		x.n = 0
		return x
	}
	return new(piece)
}

// measure brings the most and the least free processors of a piece up to date.
func (p *profile) measure(k int) {
	h, x := &p.heads[k], p.pieces[k]
	most, least := x.free[0], x.free[0]
	for _, f := range x.free[1:x.n] {
		most, least = max(most, f), min(least, f)
	}
	h.most, h.least = most+h.more, least+h.more
}

// forget drops what is past.
func (p *profile) forget(now float64) {
	at := p.find(now)
	if at.piece > 0 {
		p.spare = append(p.spare, p.pieces[:at.piece]...)
		p.pieces = slices.Delete(p.pieces, 0, at.piece)
		p.heads = slices.Delete(p.heads, 0, at.piece)
	}
	x := p.pieces[0]
	if at.step > 0 {
		copy(x.times[:], x.times[at.step:x.n])
		copy(x.free[:], x.free[at.step:x.n])
		x.n -= at.step
		p.measure(0)
	}
	x.times[0] = max(x.times[0], now)
	p.heads[0].first = x.times[0]
}

// find is the step that contains time t; the first step where t lies before it.
func (p *profile) find(t float64) position {
	k := 0
	for n := len(p.heads); n > 1; { // the last piece that begins by t is one of the n from k on
		half := n / 2
		if p.heads[k+half].first <= t {
			k += half
		}
		n -= half
	}
	x, step := p.pieces[k], 0
	for _, u := range x.times[1:x.n] { // without a branch that depends on t this is quicker than to stop at the step
		if u <= t {
			step++
		}
	}
	return position{k, step}
}

// split makes time t the beginning of a step and returns that step.
func (p *profile) split(t float64) position {
	at := p.find(t)
	x := p.pieces[at.piece]
	if x.times[at.step] >= t {
		return at
	}
	if x.n == stepsInPiece {
		p.halve(at.piece)
		if at.step >= x.n {
			at.piece, at.step = at.piece+1, at.step-x.n
			x = p.pieces[at.piece]
		}
	}
	at.step++
	copy(x.times[at.step+1:x.n+1], x.times[at.step:x.n])
	copy(x.free[at.step+1:x.n+1], x.free[at.step:x.n])
	x.times[at.step], x.free[at.step] = t, x.free[at.step-1]
	x.n++
	return at
}

// halve moves the second half of a full piece into one of its own.
func (p *profile) halve(k int) {
	const half = stepsInPiece / 2
	x, upper := p.pieces[k], p.fresh()
	upper.n = copy(upper.times[:], x.times[half:])
	copy(upper.free[:], x.free[half:])
	x.n = half
	p.pieces = slices.Insert(p.pieces, k+1, upper)
	h := p.heads[k]
	h.first = upper.times[0]
	p.heads = slices.Insert(p.heads, k+1, h)
	p.measure(k)
	p.measure(k + 1)
}

// add changes the number of free processors from start to end by more, which may be negative.
func (p *profile) add(start, end float64, more int32) {
	from := p.split(start)
	pieces := len(p.pieces)
	to := p.split(end)
	if len(p.pieces) > pieces && from.piece+1 == to.piece && from.step >= p.pieces[from.piece].n { // halved
		from.piece, from.step = to.piece, from.step-p.pieces[from.piece].n
	}
	if from.piece == to.piece {
		p.change(from.piece, from.step, to.step, more)
	} else {
		p.change(from.piece, from.step, p.pieces[from.piece].n, more)
		for k := from.piece + 1; k < to.piece; k++ {
			h := &p.heads[k]
			h.more, h.most, h.least = h.more+more, h.most+more, h.least+more
		}
		p.change(to.piece, 0, to.step, more)
	}
	p.mergeEqual(to)
	p.mergeEqual(from)
}

// change changes the steps from ≤ k < to of one piece by more.
func (p *profile) change(piece, from, to int, more int32) {
	x := p.pieces[piece]
	for k := from; k < to; k++ {
		x.free[k] += more
	}
	p.measure(piece)
}

// mergeEqual merges a step with the one before it if the two are equal.
func (p *profile) mergeEqual(at position) {
	x := p.pieces[at.piece]
	switch {
	case at.step > 0:
		if x.free[at.step] != x.free[at.step-1] {
			return
		}
	case at.piece == 0:
		return
	default:
		before := p.pieces[at.piece-1]
		if x.free[0]+p.heads[at.piece].more != before.free[before.n-1]+p.heads[at.piece-1].more {
			return
		}
	}
	copy(x.times[at.step:], x.times[at.step+1:x.n])
	copy(x.free[at.step:], x.free[at.step+1:x.n])
	x.n--
	if x.n > 0 {
		p.heads[at.piece].first = x.times[0]
		p.measure(at.piece)
		return
	}
	p.spare = append(p.spare, x)
	p.pieces = slices.Delete(p.pieces, at.piece, at.piece+1)
	p.heads = slices.Delete(p.heads, at.piece, at.piece+1)
}

// earliest is the earliest time before the limit from which on size processors are free for the length of the estimate, or until the
// limit; it is the limit where there is no such time.
//
// The limit serves a job that holds a reservation at that time and looks for an earlier one: from the limit on it has its own
// processors.
func (p *profile) earliest(size int32, estimate, step, limit float64) float64 {
	return p.earliestFrom(position{}, size, estimate, step, limit)
}

// earliestFrom is like earliest, of the times from a position on.
func (p *profile) earliestFrom(at position, size int32, estimate, step, limit float64) float64 {
	for {
		if !p.wide(&at, size) {
			return limit
		}
		start := p.pieces[at.piece].times[at.step]
		if start >= limit {
			return limit
		}
		if p.holds(&at, size, min(ending(start, estimate, step), limit)) {
			return start
		}
	}
}

// wide moves the position to the first step, from there on, with at least size processors free; false: there is none.
func (p *profile) wide(at *position, size int32) bool {
	for ; at.piece < len(p.pieces); at.piece, at.step = at.piece+1, 0 {
		h := &p.heads[at.piece]
		if h.most < size {
			continue
		}
		x, need := p.pieces[at.piece], size-h.more
		for k, f := range x.free[at.step:x.n] {
			if f >= need {
				at.step += k
				return true
			}
		}
	}
	return false
}

// holds says whether size processors are free from the position until the given time. If not, it moves the position behind the last
// step before that time that has too few: a job that began earlier would still run in that step. It searches backwards in time, which
// makes the moves long.
func (p *profile) holds(at *position, size int32, until float64) bool {
	k := at.piece
	for k+1 < len(p.heads) && p.heads[k+1].first < until {
		k++
	}
	for ; k >= at.piece; k-- {
		h := &p.heads[k]
		if h.least >= size {
			continue
		}
		x, need := p.pieces[k], size-h.more
		first, step := 0, x.n-1
		if k == at.piece {
			first = at.step
		}
		for step >= first && x.times[step] >= until {
			step--
		}
		for ; step >= first; step-- {
			if x.free[step] < need {
				*at = position{k, step + 1}
				return false
			}
		}
	}
	return true
}

// firstBelow is the first step, from the given one on, with fewer than size processors free, and the time at which it begins; +Inf and the position behind the last step where there is none.
func (p *profile) firstBelow(at position, size int32) (float64, position) {
	for k, step := at.piece, at.step; k < len(p.heads); k, step = k+1, 0 {
		h := &p.heads[k]
		if h.least >= size {
			continue
		}
		x, need := p.pieces[k], size-h.more
		for ; step < x.n; step++ {
			if x.free[step] < need {
				return x.times[step], position{k, step}
			}
		}
	}
	return infinite, position{len(p.heads), 0}
}

// bounds is the least and the most free processors from a position until the given time.
func (p *profile) bounds(at position, until float64) (least, most int32) {
	least = math.MaxInt32
	for k, step := at.piece, at.step; k < len(p.pieces); k, step = k+1, 0 {
		x, more := p.pieces[k], p.heads[k].more
		for ; step < x.n; step++ {
			if x.times[step] >= until {
				return least, most
			}
			least, most = min(least, x.free[step]+more), max(most, x.free[step]+more)
		}
	}
	return least, most
}

// extent is the greatest interval around a step in which at least size processors are free, and the step behind it. The step given has that
// many.
func (p *profile) extent(at position, size int32) (from, to float64, behind position) {
	to, behind = p.firstBelow(at, size)
	return p.extentStart(at, size), to, behind
}

// back is the earliest time from which on at least size processors are free until the limit; it is the limit where they are not free just
// before it.
func (p *profile) back(size int32, limit float64) float64 {
	at := p.find(limit)
	if p.pieces[at.piece].times[at.step] >= limit {
		switch at.step--; {
		case at.step >= 0:
		case at.piece == 0:
			return limit
		default:
			at.piece--
			at.step = p.pieces[at.piece].n - 1
		}
	}
	if p.pieces[at.piece].free[at.step]+p.heads[at.piece].more < size {
		return limit
	}
	return p.extentStart(at, size)
}

// extentStart is the beginning of the interval of extent.
func (p *profile) extentStart(at position, size int32) float64 {
	from := p.pieces[at.piece].times[at.step]
	for k, step := at.piece, at.step; ; {
		h, x := &p.heads[k], p.pieces[k]
		if h.least >= size {
			from, step = h.first, 0
		}
		for need := size - h.more; step > 0; step-- {
			if x.free[step-1] < need {
				return from
			}
			from = x.times[step-1]
		}
		if k--; k < 0 {
			return from
		}
		step = p.pieces[k].n
	}
}

// ending is the estimated end of a job that starts at the given time; it is always after the start.
func ending(start, estimate, step float64) float64 {
	if end := start + estimate; end > start {
		return end
	}
	return after(start, step)
}

// after is one step from now. It is later than now even where the step is less than the spacing of floating-point numbers there.
func after(now, step float64) float64 {
	return max(now+step, math.Nextafter(now, math.Inf(1)))
}

// infinite is the limit of a job without a reservation.
var infinite = math.Inf(1)
