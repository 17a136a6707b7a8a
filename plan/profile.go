// Package plan turns decisions (an order of jobs, a choice of clusters) into schedules: availability profiles, list
// decoding and schedules under construction. It knows nothing of the algorithms that take the decisions.
package plan

import (
	"math"
	"slices"
	"sort"
)

// Profile is what is used of a resource of limited capacity, such as a pool of licences or the memory of a machine, as a
// step function of time.
//
// Add and Earliest take O(log n + k) for n steps of which k lie in the interval looked at; inserting a step moves those
// behind it.
type Profile struct {
	capacity float64
	times    []float64 // ascending
	used     []float64 // used[k] from times[k] to times[k+1], the last for ever; before times[0] nothing
}

// NewProfile is the empty profile of a resource.
func NewProfile(capacity float64) *Profile { return &Profile{capacity: capacity} }

// Add uses the amount from start to end.
func (p *Profile) Add(start, end, amount float64) {
	if end <= start || amount == 0 {
		return
	}
	from, to := p.split(start), p.split(end)
	for k := from; k < to; k++ {
		p.used[k] += amount
	}
}

// split makes the time a step of its own and returns its index.
func (p *Profile) split(t float64) int {
	k, found := slices.BinarySearch(p.times, t)
	if found {
		return k
	}
	before := 0.0
	if k > 0 {
		before = p.used[k-1]
	}
	p.times = slices.Insert(p.times, k, t)
	p.used = slices.Insert(p.used, k, before)
	return k
}

// step is the index of the step that holds the time; −1 before the first.
func (p *Profile) step(t float64) int {
	return sort.Search(len(p.times), func(k int) bool { return p.times[k] > t }) - 1
}

// fits says that the amount is free beside what is used. Sums of memory carry rounding errors, so a full resource is one
// that is full to within them.
func (p *Profile) fits(used, amount float64) bool { return used+amount <= p.capacity*(1+1e-12) }

// Earliest is the earliest time from ready on at which the amount is free for the given length; +Inf where the amount is
// more than the capacity.
func (p *Profile) Earliest(ready, length, amount float64) float64 {
	if !p.fits(0, amount) {
		return math.Inf(1)
	}
	start := ready
	k := p.step(ready)
	for ; k < len(p.times); k++ {
		if k >= 0 && p.times[k] >= start+length && p.times[k] > start {
			return start
		}
		if k >= 0 && !p.fits(p.used[k], amount) {
			if k+1 == len(p.times) {
				return math.Inf(1)
			}
			start = max(start, p.times[k+1])
		}
	}
	return start
}

// Free is the least amount that is free at every instant from start to end.
func (p *Profile) Free(start, end float64) float64 {
	most := 0.0
	k := p.step(start)
	for ; k < len(p.times) && (k < 0 || p.times[k] < end || p.times[k] <= start); k++ {
		if k >= 0 {
			most = max(most, p.used[k])
		}
	}
	return max(0, p.capacity-most)
}

// Next is the earliest time after t at which the use changes; +Inf where there is none.
func (p *Profile) Next(t float64) float64 {
	if k := p.step(t) + 1; k < len(p.times) {
		return p.times[k]
	}
	return math.Inf(1)
}
