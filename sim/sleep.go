package sim

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// sleepers are the machines of a cluster in a run in which machines go to sleep by a rule, see [model.MachinePower].SuspendAfter. A job that gets a machine which sleeps waits for
// it to come up; it holds all its processors meanwhile.
type sleepers struct {
	machines []sleeper
	free     *processors
	holders  []*holder // by handle
}

// sleeper is a machine.
type sleeper struct {
	first, units int
	power        *model.MachinePower // nil, or without a rule: it never sleeps
	holders      []*holder           // jobs that hold processors of it and take time
	since        float64             // when the last that ran there ended, or the run began
	woken        float64             // when it is up, if it has been woken since; NaN: it has not
}

// holder is a job that holds processors.
type holder struct {
	job      *Job
	set      model.ProcessorSet
	machines []int
	start    float64 // to come where it waits for machines to wake
}

// newSleepers are the machines of an instance of one cluster; nil: none sleeps by a rule.
func newSleepers(in *model.Instance, free *processors) *sleepers {
	if !in.Features().Has(model.SleepingMachines) {
		return nil
	}
	s := &sleepers{free: free}
	for _, group := range in.Clusters()[0].Machines {
		for n := range group.Count {
			s.machines = append(s.machines, sleeper{first: group.First + n*group.Units, units: group.Units, power: group.Power, since: in.FirstArrival(), woken: math.NaN()})
		}
	}
	return s
}

// waking is how long a machine takes at most to be up that has just gone to sleep.
func (s *sleepers) waking() (longest float64) {
	for k := range s.machines {
		if p := s.machines[k].power; p != nil && p.Suspends() {
			longest = max(longest, p.Off[0].Down.Time+p.Off[0].Up.Time)
		}
	}
	return longest
}

// serves says whether a job runs there at the time.
func (m *sleeper) serves(at float64) bool {
	return slices.ContainsFunc(m.holders, func(h *holder) bool { return h.start <= at })
}

// after is the earliest start, from a time on, of a job on the machine, if nobody is served there in between: before the machine goes to sleep, or when it can be up again.
func (m *sleeper) after(from float64) float64 {
	if m.power == nil || !m.power.Suspends() || from-m.since < m.power.SuspendAfter {
		return from
	}
	off := &m.power.Off[0]
	return max(from, m.since+m.power.SuspendAfter+off.Down.Time+off.Up.Time)
}

// ready is the earliest start, from a time on, of a job that gets the machine now.
func (m *sleeper) ready(now, from float64) float64 {
	switch {
	case m.serves(from):
		return from
	case m.woken <= from:
		return from
	case m.power == nil || !m.power.Suspends() || now-m.since < m.power.SuspendAfter:
		return m.after(from)
	}
	off := &m.power.Off[0]
	ready := max(now, m.since+m.power.SuspendAfter+off.Down.Time) + off.Up.Time
	if m.woken < ready {
		ready = m.woken
	}
	return max(from, ready)
}

// take chooses free processors for a job: of machines that are on, those that serve somebody first, and then of those that are ready first; of equals the first. It returns when the
// job starts. O(m·log m) for m machines.
func (s *sleepers) take(j *Job, now float64) float64 {
	order := make([]int, 0, len(s.machines))
	for k := range s.machines {
		order = append(order, k)
	}
	ready := func(k int) float64 { // −∞: it serves somebody
		if s.machines[k].serves(now) {
			return math.Inf(-1)
		}
		return s.machines[k].ready(now, now)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ready(a), ready(b)) })
	h := &holder{job: j, start: now}
	left := int(j.Processors)
	for _, k := range order {
		if left == 0 {
			break
		}
		if got := s.free.takeOf(s.machines[k].first, s.machines[k].units, left); len(got) > 0 {
			left -= got.Len()
			h.set, h.machines = append(h.set, got...), append(h.machines, k)
		}
	}
	h.set = model.NewProcessorSet(h.set...)
	s.settle(h, func(m *sleeper, from float64) float64 { return m.ready(now, from) })
	for _, k := range h.machines {
		m := &s.machines[k]
		if m.holders = append(m.holders, h); !(m.woken <= h.start) && !m.serves(now) {
			m.woken = h.start
		}
	}
	for int(j.Handle) >= len(s.holders) {
		s.holders = append(s.holders, nil)
	}
	s.holders[j.Handle] = h
	return h.start
}

// settle moves the start of a job on until all its machines are up then. One that is on may go to sleep while the job waits for another.
func (s *sleepers) settle(h *holder, ready func(m *sleeper, from float64) float64) {
	for again := true; again; {
		again = false
		for _, k := range h.machines {
			if at := ready(&s.machines[k], h.start); at > h.start {
				h.start, again = at, true
			}
		}
	}
}

// give ends the use of the processors of a job. Jobs that wait to start on a machine that serves nobody any more may have to wait for it to sleep and wake: their starts move on.
func (s *sleepers) give(j *Job, now float64) {
	h := s.holders[j.Handle]
	s.holders[j.Handle] = nil
	for _, k := range h.machines {
		m := &s.machines[k]
		m.holders = slices.DeleteFunc(m.holders, func(other *holder) bool { return other == h })
		if !m.serves(now) {
			m.since, m.woken = now, math.NaN()
		}
	}
	for _, k := range h.machines {
		for _, other := range s.machines[k].holders {
			if other.start > now {
				s.settle(other, func(m *sleeper, from float64) float64 {
					if m.serves(now) {
						return from
					}
					return m.after(from)
				})
			}
		}
	}
	for _, k := range h.machines {
		m := &s.machines[k]
		for _, other := range m.holders {
			if !m.serves(now) && !(m.woken <= other.start) {
				m.woken = other.start
			}
		}
	}
}

// takeOf removes up to n of the free ones among a number of processors from the first on, and returns them.
func (p *processors) takeOf(first, count, n int) model.ProcessorSet {
	var set model.ProcessorSet
	for k := first; k < first+count && n > 0; k++ {
		if p.words[k>>6]>>(k&63)&1 == 0 {
			continue
		}
		p.words[k>>6] &^= mask(k&63, 1)
		n--
		if last := len(set) - 1; last >= 0 && set[last].Last == k-1 {
			set[last].Last = k
		} else {
			set = append(set, model.Range{First: k, Last: k})
		}
	}
	return set
}
