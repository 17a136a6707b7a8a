package draw

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
)

// load is what a schedule of many jobs shows: how many processors or devices each class of jobs holds, and how many jobs wait, as means over equal periods of time.
type load struct {
	periods
	of      []int         // class by job
	held    [][][]float64 // by cluster, class and period: share of the cluster's processors or devices
	waiting [][]float64   // by class and period: jobs that have arrived and not started; nil: arrivals are unknown
	mean    float64       // of the jobs that wait
	peak    int           // the most jobs that wait at a time
}

// periods divide the times to show. All but the first and the last have the same length.
type periods struct {
	from, each float64 // start of the first, even if it lies before the times to show, and length
	n          int
	start, end float64 // the times to show
}

// newPeriods divides the times of a layout into about the given number of periods, at most one more, of a familiar length.
func newPeriods(l *layout, most int) periods {
	span := l.end - l.start
	if !(span > 0) {
		return periods{from: l.start, each: 1, n: 1, start: l.start, end: l.start + 1}
	}
	each := 0.0
	if second, known := timetext.Seconds(l.unit); known && span*second >= picture.LeastTimeSpan && span*second <= picture.MostTimeSpan {
		each = picture.TimeStep(span*second/float64(most)) / second
	} else {
		mantissa, exponent := picture.NiceStep(span / float64(most))
		each = mantissa * math.Pow10(exponent)
	}
	if each < math.SmallestNonzeroFloat64*1e20 || l.start+each == l.start || math.IsInf(each, 1) {
		return periods{from: l.start, each: span, n: 1, start: l.start, end: l.end}
	}
	p := periods{each: each, start: l.start, end: l.end}
	p.from = l.zero() + math.Floor((l.start-l.zero())/each)*each
	p.n = max(1, int(math.Ceil((l.end-p.from)/each-1e-9)))
	return p
}

// place is a time as a number of periods after the first one's start.
func (p *periods) place(t float64) float64 {
	return min(max((min(max(t, p.start), p.end)-p.from)/p.each, 0), float64(p.n))
}

// bounds are the start and the end of a period, within the times to show.
func (p *periods) bounds(k int) (from, to float64) {
	return max(p.start, p.from+float64(k)*p.each), min(p.end, p.from+float64(k+1)*p.each)
}

// means adds intervals up, each with a weight, to their mean weight in each period.
type means struct {
	*periods
	ends  []float64 // what the ends of intervals add to the period they lie in, as parts of a period
	whole []float64 // changes of the weight that covers whole periods
}

// newMeans starts with nothing.
func newMeans(p *periods) *means {
	return &means{p, make([]float64, p.n+1), make([]float64, p.n+1)}
}

// add adds an interval, in constant time.
func (m *means) add(from, to, weight float64) {
	a, b := m.place(from), m.place(to)
	if !(b > a) {
		return
	}
	first, last := int(a), int(b)
	if first == last {
		m.ends[first] += (b - a) * weight
		return
	}
	m.ends[first] += (float64(first+1) - a) * weight
	m.ends[last] += (b - float64(last)) * weight
	m.whole[first+1] += weight
	m.whole[last] -= weight
}

// finish returns the means by period. A period that is shown in part has the mean of that part.
func (m *means) finish() []float64 {
	values, weight := make([]float64, m.n), 0.0
	for k := range values {
		weight += m.whole[k]
		from, to := m.bounds(k)
		if shown := m.place(to) - m.place(from); shown > 1e-9 {
			values[k] = max(0, m.ends[k]+weight) / shown
		}
		if values[k] < 1e-9 {
			values[k] = 0 // remove the remainder of rounding
		}
	}
	return values
}

// newLoad computes the load of a layout, with at most about the given number of periods. The classes are those of the scheme.
func newLoad(l *layout, s *scheme, most int) *load {
	v := &load{periods: newPeriods(l, most), of: s.of}
	classes := len(s.names)
	if s.names == nil { // the colours have no meaning: one class
		v.of, classes = make([]int, len(l.jobs)), 1
	}
	held := make([][]*means, len(l.bands))
	for c := range held {
		for range classes {
			held[c] = append(held[c], newMeans(&v.periods))
		}
	}
	for k := range l.blocks {
		b := &l.blocks[k]
		held[b.band][v.of[b.job]].add(b.start, b.end, l.shareOf(b))
	}
	for c := range held {
		shares := kit.Each(held[c], func(m *means) []float64 { return m.finish() })
		v.held = append(v.held, shares)
	}
	if l.known {
		v.addWaiting(l, classes)
	}
	return v
}

// addWaiting computes how many jobs wait.
func (v *load) addWaiting(l *layout, classes int) {
	waiting := make([]*means, classes)
	for c := range waiting {
		waiting[c] = newMeans(&v.periods)
	}
	var changes []change
	for k := range l.jobs {
		j := &l.jobs[k]
		from, to := max(j.arrival, v.start), min(j.start, v.end)
		if j.wait() == 0 || !(from < to) {
			continue
		}
		waiting[v.of[k]].add(from, to, 1)
		v.mean += (to - from) / (v.end - v.start)
		changes = append(changes, change{from, 1}, change{to, -1})
	}
	for _, m := range waiting {
		v.waiting = append(v.waiting, m.finish())
	}
	// A job that starts at a moment does not wait together with the jobs that arrive at that moment.
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.by, b.by)) })
	now := 0.0
	for _, c := range changes {
		now += c.by
		v.peak = max(v.peak, int(now))
	}
}

// mostOf is the greatest sum over the classes in one period.
func mostOf(classes [][]float64) float64 {
	most := 0.0
	for k := range classes[0] {
		sum := 0.0
		for _, values := range classes {
			sum += values[k]
		}
		most = max(most, sum)
	}
	return most
}
