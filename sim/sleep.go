package sim

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// sleepers are the machines of a run in which machines go to sleep by a rule, see [model.MachinePower].SuspendAfter. A job that gets a machine which sleeps waits for it to come up; it holds all its processors
// meanwhile. Of the machines that the platform lists as one a job gets those that serve somebody first, and then those that are ready first.
type sleepers struct {
	platform *Platform
	machines []sleeper
	first    []int     // by machine of the platform: its first one; one more at the end
	byHandle []*holder // what running jobs wait for, or waited for
	waking   float64   // see [Engine.Waking]
	begun    bool      // the first job of a stream is known
}

// sleeper is a machine.
type sleeper struct {
	listed, first, units int                 // the machine as the platform lists it, and its processors there
	power                *model.MachinePower // nil, or without a rule: it never sleeps
	holders              []*holder           // jobs that hold processors of it and take time
	since                float64             // when the last that ran there ended, or the run began
	woken                float64             // when it is up, if it has been woken since; NaN: it has not
}

// holder is a job that holds processors.
type holder struct {
	job      *Job
	start    float64 // to come where it waits for machines to wake
	machines [][]int // by part
}

// newSleepers are the machines of a platform; nil: none sleeps by a rule.
func newSleepers(p *Platform) *sleepers {
	if !p.in.Features().Has(model.SleepingMachines) {
		return nil
	}
	s := &sleepers{platform: p, waking: waking(p.in)}
	for listed := range p.Machines {
		m := &p.Machines[listed]
		s.first = append(s.first, len(s.machines))
		for _, group := range p.in.Clusters()[m.Cluster].Machines {
			for n := range group.Count {
				first := group.First + n*group.Units - m.First
				if first < 0 || first >= m.Processors {
					continue
				}
				s.machines = append(s.machines, sleeper{listed: listed, first: first, units: group.Units, power: group.Power, since: p.in.FirstArrival(), woken: math.NaN()})
			}
		}
	}
	s.first = append(s.first, len(s.machines))
	return s
}

// waking is the longest time in which a machine that sleeps by a rule goes down and up again.
func waking(in *model.Instance) (longest float64) {
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			if power := in.Clusters()[c].Machines[g].Power; power != nil && power.Suspends() {
				longest = max(longest, power.Off[0].Down.Time+power.Off[0].Up.Time)
			}
		}
	}
	return longest
}

// from says when the first job of a stream arrives: until then all machines are idle.
func (s *sleepers) from(first float64) {
	for k := range s.machines {
		if !s.begun {
			s.machines[k].since = first
		}
	}
	s.begun = true
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

// choose takes free processors of a machine as the platform lists it: of machines that are on, those that serve somebody first, and then of those that are ready first; of equals the first. It returns
// them, counted as the platform does, and the machines. O(m·log m) for m machines.
func (s *sleepers) choose(free *processors, share Share, now float64) (set model.ProcessorSet, machines []int) {
	var order []int
	for k := s.first[share.Machine]; k < s.first[share.Machine+1]; k++ {
		order = append(order, k)
	}
	ready := func(k int) float64 { // −∞: it serves somebody
		if s.machines[k].serves(now) {
			return math.Inf(-1)
		}
		return s.machines[k].ready(now, now)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ready(a), ready(b)) })
	left := int(share.Processors)
	for _, k := range order {
		if left == 0 {
			break
		}
		if got := free.takeOf(s.machines[k].first, s.machines[k].units, left); len(got) > 0 {
			left -= got.Len()
			set, machines = append(set, got...), append(machines, k)
		}
	}
	return model.NewProcessorSet(set...), machines
}

// of is the machines on which processors lie, counted as the platform does on the machine that it lists.
func (s *sleepers) of(listed int32, set model.ProcessorSet) (machines []int) {
	for k := s.first[listed]; k < s.first[listed+1]; k++ {
		m := &s.machines[k]
		if slices.ContainsFunc(set, func(r model.Range) bool { return r.First < m.first+m.units && r.Last >= m.first }) {
			machines = append(machines, k)
		}
	}
	return machines
}

// hold lets a job hold its machines, and returns when it starts: now, if it runs already, else when all are up.
func (s *sleepers) hold(j *Job, machines [][]int, now float64, runs bool) float64 {
	h := &holder{job: j, start: now, machines: machines}
	if !runs {
		s.settle(h, func(m *sleeper, from float64) float64 { return m.ready(now, from) })
	}
	for _, of := range h.machines {
		for _, k := range of {
			m := &s.machines[k]
			if !slices.Contains(m.holders, h) {
				m.holders = append(m.holders, h)
			}
			if !(m.woken <= h.start) && !m.serves(now) {
				m.woken = h.start
			}
		}
	}
	for int(j.Handle) >= len(s.byHandle) {
		s.byHandle = append(s.byHandle, nil)
	}
	s.byHandle[j.Handle] = h
	return h.start
}

// settle moves the start of a job on until all its machines are up then. One that is on may go to sleep while the job waits for another.
func (s *sleepers) settle(h *holder, ready func(m *sleeper, from float64) float64) {
	for again := true; again; {
		again = false
		for _, of := range h.machines {
			for _, k := range of {
				if at := ready(&s.machines[k], h.start); at > h.start {
					h.start, again = at, true
				}
			}
		}
	}
}

// start is when a job starts, as it has turned out: it may move on while the job waits for its machines. It holds no machines if it takes no time.
func (s *sleepers) start(j *Job) float64 {
	if int(j.Handle) >= len(s.byHandle) || s.byHandle[j.Handle] == nil {
		return j.Start
	}
	return s.byHandle[j.Handle].start
}

// give ends the use of the machines of a part of a job. Jobs that wait to start on a machine that serves nobody any more may have to wait for it to sleep and wake: their starts move on.
func (s *sleepers) give(j *Job, part int, last bool, now float64) {
	if int(j.Handle) >= len(s.byHandle) || s.byHandle[j.Handle] == nil {
		return
	}
	h := s.byHandle[j.Handle]
	left := h.machines[part]
	h.machines[part] = nil
	if last {
		s.byHandle[j.Handle] = nil
	}
	left = slices.DeleteFunc(left, func(k int) bool { // another part is there still
		return slices.ContainsFunc(h.machines, func(of []int) bool { return slices.Contains(of, k) })
	})
	for _, k := range left {
		m := &s.machines[k]
		m.holders = slices.DeleteFunc(m.holders, func(other *holder) bool { return other == h })
		if !m.serves(now) {
			m.since, m.woken = now, math.NaN()
		}
	}
	for _, k := range left {
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
	for _, k := range left {
		m := &s.machines[k]
		for _, other := range m.holders {
			if !m.serves(now) && !(m.woken <= other.start) {
				m.woken = other.start
			}
		}
	}
}

// awake says whether all of a machine, as the platform lists it, serves somebody or is on now.
func (s *sleepers) awake(listed int, now float64) bool {
	for k := s.first[listed]; k < s.first[listed+1]; k++ {
		if m := &s.machines[k]; !m.serves(now) && m.ready(now, now) > now {
			return false
		}
	}
	return true
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
