package backfill

import (
	"math"
	"slices"
)

// profile is an availability profile: the planned number of free processors over time, from now on. It is a step function whose
// neighbouring steps differ. Pieces hold the steps and know their most and least free processors, so that a search passes a whole
// piece at a time and a change touches the steps of two pieces only.
//
// Complexity: O(pieces + stepsInPiece) a change; O(1) for each piece that a search passes, O(stepsInPiece) for each it looks into.
type profile struct {
	firsts []float64 // time of the first step of each piece
	pieces []*piece
	spare  []*piece
}

const stepsInPiece = 16

// piece is a run of n neighbouring steps. From times[k] until the next step free[k] + more processors are free. The last step of the
// last piece never ends.
type piece struct {
	n           int
	more        int32 // added to all
	most, least int32 // of free, without more
	times       [stepsInPiece]float64
	free        [stepsInPiece]int32
}

// position is a step of a profile.
type position struct{ piece, step int }

// reset frees all processors from now on.
func (p *profile) reset(now float64, processors int32) {
	p.spare = append(p.spare, p.pieces...)
	first := p.fresh()
	first.n, first.times[0], first.free[0] = 1, now, processors
	first.measure()
	p.pieces, p.firsts = append(p.pieces[:0], first), append(p.firsts[:0], now)
}

// fresh is an empty piece.
func (p *profile) fresh() *piece {
	if n := len(p.spare) - 1; n >= 0 {
		x := p.spare[n]
		p.spare = p.spare[:n]
		x.n, x.more = 0, 0
		return x
	}
	return new(piece)
}

// measure brings the most and the least of the piece up to date.
func (x *piece) measure() {
	most, least := x.free[0], x.free[0]
	for _, f := range x.free[1:x.n] {
		most, least = max(most, f), min(least, f)
	}
	x.most, x.least = most, least
}

// forget drops what is past.
func (p *profile) forget(now float64) {
	at := p.find(now)
	p.spare = append(p.spare, p.pieces[:at.piece]...)
	p.pieces = slices.Delete(p.pieces, 0, at.piece)
	p.firsts = slices.Delete(p.firsts, 0, at.piece)
	x := p.pieces[0]
	if at.step > 0 {
		copy(x.times[:], x.times[at.step:x.n])
		copy(x.free[:], x.free[at.step:x.n])
		x.n -= at.step
		x.measure()
	}
	x.times[0] = max(x.times[0], now)
	p.firsts[0] = x.times[0]
}

// find is the step that contains time t; the first step where t lies before it.
func (p *profile) find(t float64) position {
	k, n := 0, len(p.firsts) // the last piece that begins by t lies in [k, n)
	for n-k > 1 {
		if middle := (k + n) / 2; p.firsts[middle] <= t {
			k = middle
		} else {
			n = middle
		}
	}
	x, step := p.pieces[k], 0
	for step+1 < x.n && x.times[step+1] <= t {
		step++
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
	upper.more = x.more
	x.n = half
	x.measure()
	upper.measure()
	p.pieces = slices.Insert(p.pieces, k+1, upper)
	p.firsts = slices.Insert(p.firsts, k+1, upper.times[0])
}

// add changes the number of free processors from start to end by more, which may be negative.
func (p *profile) add(start, end float64, more int32) {
	p.split(end)
	from := p.split(start)
	to := p.find(end)
	if from.piece == to.piece {
		p.pieces[from.piece].add(from.step, to.step, more)
	} else {
		first, last := p.pieces[from.piece], p.pieces[to.piece]
		first.add(from.step, first.n, more)
		for _, x := range p.pieces[from.piece+1 : to.piece] {
			x.more += more
		}
		last.add(0, to.step, more)
	}
	p.join(to)
	p.join(from)
}

// add changes the steps from ≤ k < to of one piece by more.
func (x *piece) add(from, to int, more int32) {
	for k := from; k < to; k++ {
		x.free[k] += more
	}
	x.measure()
}

// join merges a step with the one before it where they are equal.
func (p *profile) join(at position) {
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
		if x.free[0]+x.more != before.free[before.n-1]+before.more {
			return
		}
	}
	copy(x.times[at.step:], x.times[at.step+1:x.n])
	copy(x.free[at.step:], x.free[at.step+1:x.n])
	x.n--
	if x.n > 0 {
		p.firsts[at.piece] = x.times[0]
		x.measure()
		return
	}
	p.spare = append(p.spare, x)
	p.pieces = slices.Delete(p.pieces, at.piece, at.piece+1)
	p.firsts = slices.Delete(p.firsts, at.piece, at.piece+1)
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
		x := p.pieces[at.piece]
		need := size - x.more
		if x.most < need {
			continue
		}
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
	for k+1 < len(p.firsts) && p.firsts[k+1] < until {
		k++
	}
	for ; k >= at.piece; k-- {
		x := p.pieces[k]
		need := size - x.more
		if x.least >= need {
			continue
		}
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

// ending is the estimated end of a job that starts at the given time; it is always after the start.
func ending(start, estimate, step float64) float64 {
	if end := start + estimate; end > start {
		return end
	}
	return after(start, step)
}

// infinite is the limit of a job without a reservation.
var infinite = math.Inf(1)
