package model

import (
	"math"
	"slices"
	"sort"
)

// mostSteps is the largest number of steps of a tariff in the time that counts. Beyond it, nothing of it is measured.
const mostSteps = 1 << 20

// tariffView is a tariff over the time that counts, step by step.
type tariffView struct {
	times  []float64 // at which a value of price or carbon begins; the first is the begin
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
	var price, carbon []Step
	if t != nil {
		v.per = t.Per
		var few [2]bool
		price, few[0] = StepsWithin(t.Price, t.Period, from, to)
		carbon, few[1] = StepsWithin(t.Carbon, t.Period, from, to)
		if !few[0] || !few[1] {
			return nil, false
		}
	}
	v.times = append(v.times, from)
	for _, list := range [][]Step{price, carbon} {
		for _, s := range list {
			v.times = append(v.times, s.Time)
		}
	}
	slices.Sort(v.times)
	v.times = slices.Compact(v.times)
	var p, c int
	var sum, lost, size, now rates
	for k, time := range v.times {
		if k > 0 {
			sum, lost = sum.compensated(lost, now, time-v.times[k-1])
			size = size.plus(now.size(), time-v.times[k-1])
		}
		for ; p < len(price) && price[p].Time <= time; p++ {
			now.price = price[p].Value
		}
		for ; c < len(carbon) && carbon[c].Time <= time; c++ {
			now.carbon = carbon[c].Value
		}
		v.values, v.sums, v.lost, v.sizes = append(v.values, now), append(v.sums, sum), append(v.lost, lost), append(v.sizes, size)
	}
	return v, true
}

// StepsWithin are the steps of a list from the one that holds at the begin on, which then stands there, to the last before the end; false: they are too many.
func StepsWithin(list []Step, period, from, to float64) ([]Step, bool) {
	if len(list) == 0 {
		return nil, true
	}
	within := []Step{{from, list[0].Value}}
	add := func(time, value float64) {
		switch {
		case time <= from:
			within[0].Value = value
		case time < to && time > within[len(within)-1].Time:
			within = append(within, Step{time, value})
		}
	}
	if period == 0 {
		for _, s := range list {
			add(s.Time, s.Value)
		}
		return within, len(within) <= mostSteps
	}
	if !((to-from)/period*float64(len(list)) < mostSteps) {
		return nil, false
	}
	first := math.Floor((from-list[0].Time)/period) - 1
	for n := first; ; n++ {
		begin := list[0].Time + n*period
		if begin >= to {
			return within, true
		}
		if n+1 == n || n-first > mostSteps {
			return nil, false
		}
		for _, s := range list {
			add(s.Time+n*period, s.Value)
		}
	}
}

// at is the position of the step that holds at the time.
func (v *tariffView) at(time float64) int {
	return max(0, sort.Search(len(v.times), func(k int) bool { return v.times[k] > time })-1)
}

// over is price and carbon added up over a time, and their magnitudes. Where steps lie between the begin and the end they are looked up.
func (v *tariffView) over(from, to float64) (sum, size rates) {
	a, b := v.at(from), v.at(to)
	if a == b {
		return rates{}.plus(v.values[a], to-from), rates{}.plus(v.values[a].size(), to-from)
	}
	first, last := v.times[a+1]-from, to-v.times[b]
	sum = rates{}.plus(v.sums[b], 1).plus(v.sums[a+1], -1).plus(v.lost[b], 1).plus(v.lost[a+1], -1).plus(v.values[a], first).plus(v.values[b], last)
	size = rates{}.plus(v.sizes[b], 1).plus(v.sizes[a+1], -1).plus(v.values[a].size(), first).plus(v.values[b].size(), last)
	return sum, size
}

// eachStep calls yield for each part of a time within which nothing changes.
func (v *tariffView) eachStep(from, to float64, yield func(from, to float64, now rates)) {
	for k := v.at(from); from < to; k++ {
		end := to
		if k+1 < len(v.times) {
			end = min(to, v.times[k+1])
		}
		if end > from {
			yield(from, end, v.values[k])
			from = end
		}
	}
}
