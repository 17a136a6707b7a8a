package ggone

import (
	"math"
)

// The sizes beyond which no search is made: places in the tables of the knapsack, and penalties.
const (
	largestKnapsack = 1 << 22
	largestPricing  = 1 << 28
)

// mayOverflow says whether a penalty may be too large to be added up, or to be told from the +Inf of a limit of 0. Nothing can be proved then.
func (p *Problem) mayOverflow() bool {
	largest := hugeTotal / float64(len(p.Tasks)+1)
	load := p.Rate + float64(len(p.Tasks))/p.Period
	for k := range p.Classes {
		c := &p.Classes[k]
		wait := c.Kappa * load / ulp // above the wait at any load that computes as stable
		if !(wait <= largest) {
			return true
		}
		q := penaltiesOf(p, c, p.Tasks)
		for y, t := range p.Tasks {
			broken := math.IsInf(q.deadline[y], -1) || math.IsInf(q.budget[y], -1)
			if x := q.of(y, wait); !(x <= largest) && !broken || t.Deadline > 0 && math.IsInf(1/t.Deadline, 1) || t.Budget > 0 && math.IsInf(1/t.Budget, 1) {
				return true
			}
		}
	}
	return false
}

// tooLarge says whether the problem with the given number of dummies is too large to be searched.
func (p *Problem) tooLarge(dummies int) bool {
	ranks, levels := 0, 0
	for k := range p.Classes {
		c := &p.Classes[k]
		ranks += c.Machines
		levels += c.most(p.Period, len(p.Tasks)+dummies) + 1
	}
	n := len(p.Tasks) + dummies + 1
	return ranks > largestKnapsack/n || levels > largestPricing/n
}

// tooLargeWithIdle says whether the problem is too large to be searched with the idle load: (tasks + idle load) · machines is the size.
func (p *Problem) tooLargeWithIdle(idle float64) bool {
	machines := 0
	for k := range p.Classes {
		machines += p.Classes[k].Machines
	}
	return !((float64(len(p.Tasks))+idle)*float64(machines) <= largestKnapsack)
}

// greedy is an allocation without a search or a bound, for problems that are too large: loads in proportion to what the machines can take,
// then each task, in order, in the free place where it costs least. Complexity: O(tasks · classes).
func (p *Problem) greedy(idle float64, dummies int) Result {
	total := len(p.Tasks) + dummies
	room, left, machines := p.room(), total, 0
	type open struct {
		penalties
		first, load int // first machine; load of all machines but the last with places
		wait        float64
		places      []int // free ones by machine of the class
		next        int   // machine that gets the next task
	}
	result := Result{Objective: math.Inf(1), Machine: make([]int, len(p.Tasks))}
	classes := make([]open, 0, len(p.Classes))
	for k := range p.Classes {
		c := &p.Classes[k]
		most := c.most(p.Period, math.MaxInt32)
		o := open{penalties: penaltiesOf(p, c, p.Tasks), first: machines, places: make([]int, c.Machines)}
		for m := range o.places {
			if room > 0 {
				o.places[m] = min(most, int(math.Ceil(float64(left)*float64(most)/float64(room))), left)
			}
			room, left = room-most, left-o.places[m]
			o.load = max(o.load, o.places[m])
			result.Load = append(result.Load, float64(o.places[m])/p.Period)
		}
		o.wait = c.wait(float64(o.load), p.Period)
		machines += c.Machines
		classes = append(classes, o)
	}
	for y := range p.Tasks {
		at, least := -1, math.Inf(1)
		for k := range classes {
			o := &classes[k]
			for o.next < len(o.places) && o.places[o.next] == 0 {
				o.next++
			}
			if o.next == len(o.places) {
				continue
			}
			if cost := o.of(y, o.wait); at < 0 || cost < least {
				at, least = k, cost
			}
		}
		o := &classes[at]
		o.places[o.next]--
		result.Machine[y] = o.first + o.next
	}
	if idle < float64(dummies) { // the last dummy is not a whole task
		for k := range classes {
			for m, places := range classes[k].places {
				if places > 0 && idle < float64(dummies) {
					result.Load[classes[k].first+m] -= (float64(dummies) - idle) / p.Period
					idle = float64(dummies)
				}
			}
		}
	}
	p.addCommitted(result.Load)
	if idle > 0 && dummies == 0 {
		result.Load = nil // the evaluator parks the idle rate where it costs least
	}
	return result
}
