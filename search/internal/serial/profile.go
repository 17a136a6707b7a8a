package serial

import "math"

// profile says how much of several resources is free over time. A word holds the free amounts of all of them, each in a lane of bits with a
// guard bit above it. To test a need, it is subtracted from the word: the guard bit of every resource of which too little is free turns 0. So
// one subtraction compares all resources.
//
// Times are at least 0. Intervals are half-open.
type profile interface {
	// reset frees everything.
	reset()
	// earliest is the earliest time, at ready or later, from which on the need is free for the length. The length must be above 0, and the
	// need must fit the profile when everything is free.
	earliest(ready, length float64, need uint64) float64
	// take uses the need from start to end. It must be free there.
	take(start, end float64, need uint64)
}

// grid is a profile with a word for each unit of time, for whole times and lengths. It has room up to a fixed time.
//
// Complexity of earliest and take: O(units of time looked at).
type grid struct {
	empty uint64 // everything free; the guard bits are set
	guard uint64
	free  []uint64
	end   int // everything is free from here on
}

// newGrid is a profile with room up to the given time.
func newGrid(empty, guard uint64, room int) *grid {
	g := &grid{empty: empty, guard: guard, free: make([]uint64, room), end: room}
	g.reset()
	return g
}

// reset implements profile.
func (g *grid) reset() {
	free := g.free[:g.end]
	for k := range free {
		free[k] = g.empty
	}
	g.end = 0
}

// earliest implements profile. It looks at the units of an interval from the last one back. If too little is free in one of them, the interval
// has to start behind it, and the units before it need no look.
func (g *grid) earliest(ready, length float64, need uint64) float64 {
	start, units := int(ready), int(length)
	free, guard := g.free[:g.end], g.guard
	for known := start; ; { // enough is free from start to known
		end := min(start+units, len(free))
		k := end - 1
		for k >= known && (free[k]-need)&guard == guard {
			k--
		}
		if k < known {
			return float64(start)
		}
		start, known = k+1, end
	}
}

// take implements profile.
func (g *grid) take(start, end float64, need uint64) {
	from, to := int(start), int(end)
	g.end = max(g.end, to)
	held := g.free[from:to]
	for k := range held {
		held[k] -= need
	}
}

// steps is a profile with a word for each time at which something changes. Times are compared exactly.
//
// Complexity of earliest: O(log n + k) for n steps of which k are looked at; of take: the same, and the steps behind an inserted one move.
type steps struct {
	empty uint64 // everything free; the guard bits are set
	guard uint64
	times []float64 // ascending, from 0
	free  []uint64  // free[k] from times[k] to times[k+1]; everything from the last time on
}

// newSteps is a profile with room for the given number of intervals; it grows where there are more.
func newSteps(empty, guard uint64, intervals int) *steps {
	s := &steps{empty: empty, guard: guard, times: make([]float64, 0, 2*intervals+2), free: make([]uint64, 0, 2*intervals+2)}
	s.reset()
	return s
}

// reset implements profile.
func (s *steps) reset() {
	s.times = append(s.times[:0], 0)
	s.free = append(s.free[:0], s.empty)
}

// at is the index of the step that contains the time.
func (s *steps) at(t float64) int {
	low, high := 0, len(s.times) // times[low] ≤ t < times[high]
	for high-low > 1 {
		if middle := int(uint(low+high) >> 1); s.times[middle] <= t {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// earliest implements profile.
func (s *steps) earliest(ready, length float64, need uint64) float64 {
	start, enough := ready, ready+length
	last := len(s.times) - 1
	for k := s.at(ready); k < last && s.times[k] < enough; k++ {
		if (s.free[k]-need)&s.guard != s.guard {
			start = s.times[k+1]
			enough = start + length
		}
	}
	return start
}

// take implements profile.
func (s *steps) take(start, end float64, need uint64) {
	from := s.split(s.at(start), start)
	to := from
	for to+1 < len(s.times) && s.times[to+1] <= end {
		to++
	}
	to = s.split(to, end)
	for k := from; k < to; k++ {
		s.free[k] -= need
	}
}

// split makes the time, which lies in step k, a step of its own and returns its index.
func (s *steps) split(k int, t float64) int {
	if s.times[k] == t {
		return k
	}
	n := len(s.times)
	s.times, s.free = append(s.times, math.Inf(1)), append(s.free, 0)
	copy(s.times[k+2:], s.times[k+1:n])
	copy(s.free[k+2:], s.free[k+1:n])
	s.times[k+1], s.free[k+1] = t, s.free[k]
	return k + 1
}
