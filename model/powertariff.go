package model

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// mostSteps is the largest number of steps of a tariff in the time that counts. Beyond it, nothing of it is measured.
const mostSteps = 1 << 20

// tariffView is a tariff over the time that counts, step by step.
type tariffView struct {
	times  []float64 // at which a value of price or carbon begins, to the nearest number; the first is the begin
	rests  []float64 // what these lack of the exact times
	values []rates   // from then on
	sums   []rates   // integrals from the begin to each of the times
	lost   []rates   // what rounding has taken of them, so that differences of large sums are right
	sizes  []rates   // the same of the magnitudes
	per    float64
}

// rates are price and carbon of a priced unit, or what they add up to.
type rates struct{ price, carbon float64 }

// plus adds other rates for a time.
func (r rates) plus(other rates, time float64) rates {
	return rates{r.price + other.price*time, r.carbon + other.carbon*time}
}

// compensated adds other rates for a time, and to lost what rounding takes of the sum: two-sum and two-product, T. J. Dekker (1971), doi:10.1007/BF01397083.
func (r rates) compensated(lost, other rates, time float64) (sum, left rates) {
	sum.price, left.price = compensated(r.price, lost.price, other.price, time)
	sum.carbon, left.carbon = compensated(r.carbon, lost.carbon, other.carbon, time)
	return sum, left
}

// compensated is a + x·y, and lost with what rounding takes of it.
func compensated(a, lost, x, y float64) (sum, left float64) {
	product := x * y
	sum = a + product
	back := sum - a
	return sum, lost + (a - (sum - back)) + (product - back) + math.FMA(x, y, -product)
}

// size is the magnitudes.
func (r rates) size() rates { return rates{math.Abs(r.price), math.Abs(r.carbon)} }

// view lists the steps of a tariff in a time; false: they are too many. A tariff that is nil has no steps and values of 0.
func (t *Tariff) view(from, to float64) (*tariffView, bool) {
	v := &tariffView{per: 1}
	var price, carbon []exactStep
	if t != nil {
		v.per = t.Per
		var few [2]bool
		price, few[0] = exactSteps(t.Price, t.Period, from, to)
		carbon, few[1] = exactSteps(t.Carbon, t.Period, from, to)
		if !few[0] || !few[1] {
			return nil, false
		}
	}
	all := append(append([]exactStep{{Step{Time: from}, 0}}, price...), carbon...)
	slices.SortFunc(all, exactStep.compare)
	all = slices.CompactFunc(all, func(a, b exactStep) bool { return a.compare(b) == 0 })
	var p, c int
	var sum, lost, size, now rates
	for k, at := range all {
		v.times, v.rests = append(v.times, at.Time), append(v.rests, at.rest)
		if k > 0 {
			passed, rest := at.Time-v.times[k-1], at.rest-v.rests[k-1]
			sum, lost = sum.compensated(lost, now, passed)
			lost, size = lost.plus(now, rest), size.plus(now.size(), passed+rest)
		}
		for ; p < len(price) && price[p].compare(at) <= 0; p++ {
			now.price = price[p].Value
		}
		for ; c < len(carbon) && carbon[c].compare(at) <= 0; c++ {
			now.carbon = carbon[c].Value
		}
		v.values, v.sums, v.lost, v.sizes = append(v.values, now), append(v.sums, sum), append(v.lost, lost), append(v.sizes, size)
	}
	return v, true
}

// exactStep is a step of a list that repeats. Its exact time is often no float64 number, and the evaluator adds up what it is: a rounded time would make a
// schedule cost less than a bound that is right.
type exactStep struct {
	Step         // its time is the nearest number
	rest float64 // what that lacks of the exact time
}

// after is the step, whole rounds of the list later: time + n·period, as a sum of two numbers (T. J. Dekker 1971, see [compensated]).
func (s Step) after(n, period float64) exactStep {
	product := n * period
	sum, rest := compensated(s.Time, 0, n, period)
	if math.IsInf(product, 0) {
		return exactStep{Step{sum, s.Value}, 0}
	}
	near := sum + rest
	return exactStep{Step{near, s.Value}, rest - (near - sum)}
}

// compare compares two exact times.
func (s exactStep) compare(other exactStep) int {
	return cmp.Or(cmp.Compare(s.Time, other.Time), cmp.Compare(s.rest, other.rest))
}

// StepsWithin are the steps of a list from the one that holds at the begin on, which then stands there, to the last before the end, at the numbers nearest to
// their times; false: they are too many.
func StepsWithin(list []Step, period, from, to float64) ([]Step, bool) {
	steps, few := exactSteps(list, period, from, to)
	var within []Step
	for _, s := range steps {
		if n := len(within); n > 0 && within[n-1].Time == s.Time {
			within = within[:n-1]
		}
		within = append(within, s.Step)
	}
	return within, few
}

// exactSteps is [StepsWithin] at the exact times.
func exactSteps(list []Step, period, from, to float64) ([]exactStep, bool) {
	if len(list) == 0 {
		return nil, true
	}
	begins, ends := exactStep{Step{Time: from}, 0}, exactStep{Step{Time: to}, 0}
	within := []exactStep{{Step{from, list[0].Value}, 0}}
	add := func(s exactStep) {
		switch {
		case s.compare(begins) <= 0:
			within[0].Value = s.Value
		case s.compare(ends) < 0 && s.compare(within[len(within)-1]) > 0:
			within = append(within, s)
		}
	}
	if period == 0 {
		for _, s := range list {
			add(exactStep{s, 0})
		}
		return within, len(within) <= mostSteps
	}
	if !((to-from)/period*float64(len(list)) < mostSteps) {
		return nil, false
	}
	first := math.Floor((from-list[0].Time)/period) - 1
	for n := first; ; n++ {
		if list[0].after(n, period).compare(ends) >= 0 {
			return within, true
		}
		if n+1 == n || n-first > mostSteps {
			return nil, false
		}
		for _, s := range list {
			add(s.after(n, period))
		}
	}
}

// begun says whether a step begins by a time.
func (v *tariffView) begun(step int, time float64) bool {
	return begunBy(v.times[step], v.rests[step], time)
}

// begunBy says whether a step whose exact time is the sum of two numbers begins by a time.
func begunBy(begin, rest, time float64) bool { return begin < time || begin == time && rest <= 0 }

// at is the position of the step that holds at the time.
func (v *tariffView) at(time float64) int {
	return max(0, sort.Search(len(v.times), func(k int) bool { return !v.begun(k, time) })-1)
}

// since is the time from the begin of a step on.
func (v *tariffView) since(step int, time float64) float64 {
	return time - v.times[step] - v.rests[step]
}

// over is price and carbon added up over a time, and their magnitudes. Where steps lie between the begin and the end they are looked up.
func (v *tariffView) over(from, to float64) (sum, size rates) {
	a, b := v.at(from), v.at(to)
	if a == b {
		return rates{}.plus(v.values[a], to-from), rates{}.plus(v.values[a].size(), to-from)
	}
	first, last := -v.since(a+1, from), v.since(b, to)
	sum = rates{}.plus(v.sums[b], 1).plus(v.sums[a+1], -1).plus(v.lost[b], 1).plus(v.lost[a+1], -1).plus(v.values[a], first).plus(v.values[b], last)
	size = rates{}.plus(v.sizes[b], 1).plus(v.sizes[a+1], -1).plus(v.values[a].size(), first).plus(v.values[b].size(), last)
	return sum, size
}

// eachStep calls yield for each part of a time within which nothing changes. Each of its ends is the sum of two numbers. It finds the first step from the given
// one on, and leaves there the last.
func (v *tariffView) eachStep(step *int, from, to float64, yield func(from, to [2]float64, now rates)) {
	for *step+1 < len(v.times) && v.begun(*step+1, from) {
		*step++
	}
	begin := [2]float64{from}
	for ; *step+1 < len(v.times) && v.begun(*step+1, to); *step++ {
		next := [2]float64{v.times[*step+1], v.rests[*step+1]}
		yield(begin, next, v.values[*step])
		begin = next
	}
	if begin != [2]float64{to} {
		yield(begin, [2]float64{to}, v.values[*step])
	}
}

// eachNearest calls yield for each number that is the nearest to the time of a step, with what holds from the last such step on.
func (v *tariffView) eachNearest(yield func(time float64, now rates)) {
	for k, time := range v.times {
		if k+1 == len(v.times) || v.times[k+1] != time {
			yield(time, v.values[k])
		}
	}
}
