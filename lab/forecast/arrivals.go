package forecast

import (
	"math"
	"sort"

	"github.com/allot-opt/allot/sim"
)

// past is the jobs from which the arrivals after T are drawn: those of the last days before T.
type past struct {
	days  int
	first int    // number of the first of these jobs in queue order
	draws []draw // of their run times
}

// newPast finds them; nil: the jobs go back for less than a day.
func newPast(m *moment, known *known) *past {
	specs := m.truth.specs
	if len(specs) == 0 {
		return nil
	}
	days := int(math.Floor(min((m.at-specs[0].Arrival)/m.opt.Day, float64(m.opt.Days))))
	if days < 1 {
		return nil
	}
	p := &past{days: days, first: m.after(m.at - float64(days)*m.opt.Day)}
	for number := p.first; number < len(specs) && specs[number].Arrival <= m.at; number++ {
		j := &m.in.Jobs()[m.order[number]]
		p.draws = append(p.draws, known.of(j.User(), j.Min, specs[number].Estimate, -1))
	}
	return p
}

// after is the number of the first job that arrives after a time.
func (t *truth) after(at float64) int {
	return sort.Search(len(t.specs), func(k int) bool { return t.specs[k].Arrival > at })
}

// later draws the jobs that arrive after T: those of past days, until all jobs asked for have started. Each day after T has the jobs of one of
// the days before T, which is drawn; a day begins at the time of day of T.
type later struct {
	moment *moment
	watch  *starts
	run    int
	ratios []float64 // of run time to estimate, of the jobs so far; NaN: it runs for its estimate

	day   int     // after T
	begun bool    // its past day has been drawn
	shift float64 // time from the past day to the day
	next  int     // number of the job that comes next
	last  int     // number of the first job after the past day
	clock float64 // the last arrival
}

// horizon is the number of days after which no job arrives any more: some orders of the queue never start a job while others arrive.
const horizon = 60

// arrival draws the next job. It returns the job's number and when it arrives; false: no more jobs arrive.
func (l *later) arrival() (number int, at float64, more bool) {
	m := l.moment
	for m.past != nil && l.watch.left > 0 && l.day < horizon {
		if !l.begun {
			l.begin()
		}
		if l.next == l.last {
			l.day, l.begun = l.day+1, false
			continue
		}
		number := l.next
		l.next++
		l.clock = max(l.clock, m.at, m.truth.specs[number].Arrival+l.shift) // where rounding would put it before another
		id := uint64(l.day)<<40 + uint64(number)
		l.ratios = append(l.ratios, m.past.draws[number-m.past.first].ratio(m.opt.uniform(l.run, forArrival, id)))
		return number, l.clock, true
	}
	return 0, 0, false
}

// length is how long the job runs that is the k-th to arrive after T, for its estimate.
func (l *later) length(k int, estimate float64) float64 {
	if ratio := l.ratios[k]; !math.IsNaN(ratio) {
		return l.moment.limited(estimate*ratio, estimate)
	}
	return estimate
}

// begin draws the past day whose jobs arrive on the day.
func (l *later) begin() {
	m := l.moment
	back := 1 + int(m.opt.uniform(l.run, forDay, uint64(l.day))*float64(m.past.days))
	from := m.at - float64(back)*m.opt.Day
	l.begun, l.shift = true, float64(back+l.day)*m.opt.Day
	l.next, l.last = max(m.after(from), m.past.first), m.after(min(from+m.opt.Day, m.at))
}

// entries hands out the jobs that have arrived by T, and then those that arrive later.
type entries struct {
	list  []sim.Entry
	later *later
}

// Next implements sim.Entries.
func (s *entries) Next(entry *sim.Entry) bool {
	if len(s.list) > 0 {
		*entry, s.list = s.list[0], s.list[1:]
		return true
	}
	number, at, more := s.later.arrival()
	if more {
		*entry = sim.Entry{Job: s.later.moment.order[number], Arrival: at}
	}
	return more
}
