package ggone

import (
	"math"
	"sort"
)

// Every lower bound is rounded down by more than its rounding errors can have added. It is −Inf, which proves nothing, where a number
// overflowed or is NaN.

const (
	// ulp is twice the relative error of one operation.
	ulp = 0x1p-52
	// hugeTotal is the size from which on sums are not trusted: they might overflow.
	hugeTotal = 1e290
)

// total adds numbers up with next to no error: it keeps what each addition loses and adds that in the end.
//
// A. Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54(1), doi:10.1002/zamm.19740540106.
type total struct{ sum, lost, size float64 }

// add adds a number.
func (t *total) add(x float64) {
	sum := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.lost += (t.sum - sum) + x
	} else {
		t.lost += (x - sum) + t.sum
	}
	t.sum = sum
	t.size += math.Abs(x)
}

// value is the sum.
func (t *total) value() float64 { return t.sum + t.lost }

// below is a lower bound of the exact sum: the computed sum less more than the rounding errors of the sum and of one operation in each
// number. It is −Inf where a number is not finite or the sum may have overflowed.
func (t *total) below() float64 {
	if !(t.size <= hugeTotal) {
		return math.Inf(-1)
	}
	return t.value() - 4*ulp*t.size
}

// evaluationError is the relative rounding error of a sum of the penalties of the given number of tasks, added one by one.
func evaluationError(tasks int) float64 { return float64(tasks+16) * ulp }

// floor turns least sums of g into lower bounds of the cost at given prices u.
type floor struct{ base, rounding, evaluation float64 }

// floor prepares the lower bounds at the prices u. Let δ be the relative error of a chain of operations, one for each task. A sum of
// (penalty − price) over as many places as there are tasks is off by at most δ·(|sum| + 2·Σ|u| over the places), as no penalty is below 0.
func (c *core) floor(u []float64) floor { return floorAt(u, 0, 0, c.rounding) }

// floorAt prepares the lower bounds at the prices u of the tasks and a price of the load, of which least is what all load is worth at least and most
// what it is worth at most; rounding is δ.
func floorAt(u []float64, least, most, rounding float64) floor {
	var sum total
	largest := 0.0
	for _, x := range u {
		sum.add(x)
		largest = max(largest, math.Abs(x))
	}
	sum.add(least)
	places := largest*float64(len(u)) + most
	if !(places <= hugeTotal) {
		return floor{math.Inf(-1), 0, 0}
	}
	return floor{sum.below() - 4*rounding*places, rounding, evaluationError(len(u))}
}

// of is the lower bound of the cost of all loads whose sum of g is at least least: +Inf where that is no finite number, −Inf where nothing
// is proved.
func (f floor) of(least float64) float64 {
	if math.IsInf(f.base, -1) || math.IsNaN(least) || math.IsInf(least, -1) {
		return math.Inf(-1)
	}
	if math.IsInf(least, 1) {
		return least
	}
	bound := f.base + least - f.rounding*math.Abs(least)
	return bound - f.evaluation*math.Abs(bound)
}

// certifiedPart is the part of a bound that its certificate states, apart from the rounding of small penalties.
const certifiedPart = 1 - 1e-11

// certified is what a certificate states of a bound. Its checker rounds each operation of a penalty down and takes every machine to be larger by 2⁻⁵¹.
//
// Let φ be the relative difference of a response R, or of its cost, between search and checker. Its penalty R/limit − 1 = x differs by φ·(1 + x), however
// small x is. Penalties of 1 and more differ by at most 3φ of themselves, as a task has two limits, and 3φ < 1e-11. What those below 1 differ by does not
// shrink with them. So their largest difference is taken off for each task, and twice more for the two tasks that a sieve compares.
//
// Complexity: O(tasks · classes · log tasks).
func (p *Problem) certified(bound float64) float64 {
	largest := 0.0
	for k := range p.Classes {
		c := &p.Classes[k]
		q, most := penaltiesOf(p, c, p.Tasks), c.most(p.Period, len(p.Tasks))
		for y := range p.Tasks {
			wait := func(n int) float64 { return c.wait(float64(n), p.Period) }
			n := sort.Search(most, func(n int) bool { return q.of(y, wait(n+1)) >= 1 }) // the largest load with a penalty below 1
			if n == 0 {
				continue
			}
			w, left := wait(n), 1-(float64(n)/p.Period+c.Committed)/c.ServiceRate
			off := 4 * ulp * (1 + 1/max(left, nearlyFull/2)) * w // of the wait: see nearlyFull
			largest = max(largest, q.rounding(y, w)+q.rate(y, w)*off)
		}
	}
	return bound*certifiedPart - float64(len(p.Tasks)+2)*largest
}
