package backfill

import (
	"math"
	"slices"
	"sort"
)

// profile is how many processors are free when, from now on, by what is planned: free[k] from times[k] to times[k+1], the last from
// then on. Neighbours differ.
type profile struct {
	times []float64
	free  []int32
}

// reset frees all processors from now on.
func (p *profile) reset(now float64, processors int32) {
	p.times, p.free = append(p.times[:0], now), append(p.free[:0], processors)
}

// forget drops what is past.
func (p *profile) forget(now float64) {
	k := 0
	for k+1 < len(p.times) && p.times[k+1] <= now {
		k++
	}
	if k > 0 {
		p.times, p.free = slices.Delete(p.times, 0, k), slices.Delete(p.free, 0, k)
	}
	p.times[0] = max(p.times[0], now)
}

// add makes more processors free from start to end, or fewer.
func (p *profile) add(start, end float64, more int32) {
	from := p.split(start)
	to := p.split(end)
	for k := from; k < to; k++ {
		p.free[k] += more
	}
	p.join(to)
	p.join(from)
}

// split makes the time the beginning of a step, and returns which.
func (p *profile) split(t float64) int {
	k := sort.SearchFloat64s(p.times, t)
	if k < len(p.times) && p.times[k] == t {
		return k
	}
	p.times = slices.Insert(p.times, k, t)
	p.free = slices.Insert(p.free, k, p.free[k-1])
	return k
}

// join makes one of a step and the one before it, where they are equal.
func (p *profile) join(k int) {
	if k > 0 && p.free[k] == p.free[k-1] {
		p.times, p.free = slices.Delete(p.times, k, k+1), slices.Delete(p.free, k, k+1)
	}
}

// earliest is the earliest time before the limit at which the processors are free for the length, or until the limit; the
// limit if there is none. end says when something of the length ends.
//
// A job that holds a reservation at the limit looks for a better one so: from the limit on it would have its own
// processors again.
func (p *profile) earliest(size int32, limit float64, end func(start float64) float64) float64 {
	for k := 0; ; {
		for k < len(p.free) && p.free[k] < size {
			k++
		}
		if k == len(p.free) || p.times[k] >= limit {
			return limit
		}
		start := p.times[k]
		until := min(end(start), limit)
		for k++; k < len(p.free) && p.times[k] < until && p.free[k] >= size; k++ {
		}
		if k == len(p.free) || p.times[k] >= until {
			return start
		}
	}
}

// infinite is the limit of a job without a reservation.
var infinite = math.Inf(1)
