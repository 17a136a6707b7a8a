// Package plan turns decisions (an order of jobs, a choice of clusters) into schedules: availability profiles, list
// decoding and schedules under construction. It knows nothing of the algorithms that take the decisions.
package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/steps"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// profile is the used amount of something of limited capacity, such as a pool of licences or the memory of a machine, as a step function
// of time. Intervals are half-open, so an interval of no length uses nothing.
//
// No step is like the one before it, so that the order in which jobs came and went does not matter.
//
// Add and Earliest take O(log n + k) for n steps of which k lie in the interval; inserting a step also moves the steps behind it.
type profile struct {
	steps.Function[float64] // nothing before the first time and from the last on
	capacity                float64
	work                    int64 // see Resources.Work
}

// newProfile returns a profile with nothing used.
func newProfile(capacity float64) *profile { return &profile{capacity: capacity} }

// add uses the amount from start to end.
func (p *profile) add(start, end, amount float64) {
	if end <= start || amount == 0 {
		return
	}
	from, to := p.split(start), p.split(end)
	p.work += int64(to - from)
	for k := from; k < to; k++ {
		p.Values[k] += amount
	}
	p.join(to)
	p.join(from)
}

// join removes step k if it is no different from the one before it. Nothing is used before the first step.
func (p *profile) join(k int) {
	if k == 0 && p.Values[0] == 0 {
		p.Times, p.Values = slices.Delete(p.Times, 0, 1), slices.Delete(p.Values, 0, 1)
		return
	}
	p.Join(k, sameAmount)
}

func sameAmount(a, b float64) bool { return a == b }

// split makes the time a step of its own and returns its index.
func (p *profile) split(t float64) int {
	n := len(p.Times)
	k := p.Split(t, nil)
	if len(p.Times) > n {
		p.work += 60 + int64(n-k)/4
	}
	return k
}

// after is the index of the first step after the time. Mostly that is one of the last steps, so the search begins at the end and doubles its
// stride.
func (p *profile) after(t float64) int {
	low, high := len(p.Times)-1, len(p.Times) // all steps from high on are after t
	for stride := 1; low >= 0 && p.Times[low] > t; stride *= 2 {
		low, high = low-stride, low
	}
	for low = max(0, low+1); low < high; { // all steps before low are not
		if middle := (low + high) / 2; p.Times[middle] > t {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high
}

// from is the index of the step that contains the time; 0 before the first.
func (p *profile) from(t float64) int { return max(0, p.after(t)-1) }

// fits says whether the amount is free beside the used one.
func (p *profile) fits(used, amount float64) bool {
	sum := used + amount
	return sum <= p.capacity || sum <= p.capacity*(1+place.Rounding) && !(place.Whole(sum) && place.Whole(p.capacity) && place.Whole(amount))
}

// earliest is the earliest time from ready on at which the amount is free for the given length; +Inf where the amount is
// more than the capacity.
func (p *profile) earliest(ready, length, amount float64) float64 {
	switch {
	case !p.fits(0, amount):
		return math.Inf(1)
	case length <= 0:
		return ready
	}
	start, first := ready, p.from(ready)
	k := first
	for ; k < len(p.Times) && p.Times[k] < model.End(start, length); k++ {
		if !p.fits(p.Values[k], amount) {
			start = p.Times[k+1] // a next step exists: nothing is used from the last one on
		}
	}
	p.work += 40 + 3*int64(k-first)
	return start
}

// free is the least amount that is free at every instant from start to end.
func (p *profile) free(start, end float64) float64 {
	most := 0.0
	if start < end {
		first := p.from(start)
		k := first
		for ; k < len(p.Times) && p.Times[k] < end; k++ {
			most = max(most, p.Values[k])
		}
		p.work += 40 + 3*int64(k-first)
	}
	return max(0, p.capacity-most)
}

// room returns how many copies of the amount are free at every instant from start to end, but at most the number most.
func (p *profile) room(start, end, amount float64, most int) int {
	return place.Times(p.free(start, end), p.capacity, amount, most)
}
