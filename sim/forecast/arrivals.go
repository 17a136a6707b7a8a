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

// source hands out the jobs that have arrived by T and then those of past days, until all jobs asked for have started. Each day after T has the jobs of one of
// the days before T, which is drawn; a day begins at the time of day of T.
type source struct {
	moment *moment
	watch  *starts
	run    int
	trace  sim.Trace

	day   int     // after T
	begun bool    // its past day has been drawn
	shift float64 // time from the past day to the day
	next  int     // number of the job that comes next
	last  int     // number of the first job after the past day
	clock float64 // the last arrival
}

// horizon is the number of days after which no job arrives any more: some orders of the queue never start a job while others arrive.
const horizon = 60

// Next implements sim.Source.
func (s *source) Next(spec *sim.Spec) (bool, error) {
	if more, err := s.trace.Next(spec); more || err != nil {
		return more, err
	}
	m := s.moment
	for m.past != nil && s.watch.left > 0 && s.day < horizon {
		if !s.begun {
			s.begin()
		}
		if s.next == s.last {
			s.day, s.begun = s.day+1, false
			continue
		}
		*spec = m.truth.specs[s.next]
		s.clock = max(s.clock, m.at, spec.Arrival+s.shift) // where rounding would put it before another
		spec.Arrival = s.clock
		spec.Runtime = spec.Estimate
		id := uint64(s.day)<<40 + uint64(s.next)
		if ratio := m.past.draws[s.next-m.past.first].ratio(m.opt.uniform(s.run, forArrival, id)); !math.IsNaN(ratio) {
			spec.Runtime *= ratio
		}
		s.next++
		return true, nil
	}
	return false, nil
}

// begin draws the past day whose jobs arrive on the day.
func (s *source) begin() {
	m := s.moment
	back := 1 + int(m.opt.uniform(s.run, forDay, uint64(s.day))*float64(m.past.days))
	from := m.at - float64(back)*m.opt.Day
	s.begun, s.shift = true, float64(back+s.day)*m.opt.Day
	s.next, s.last = max(m.after(from), m.past.first), m.after(min(from+m.opt.Day, m.at))
}
