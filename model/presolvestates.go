package model

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// The rules about machines that are off or reserved at times.

// sleep: states of machines keep no job waiting that take no time, or that a machine is in only before the first job arrives or after all have ended. Metrics of power
// count them.
func (r *reducer) sleep() {
	if r.original.features&SleepingMachines == 0 || r.countsPower() {
		return
	}
	machines, rests := 0, false
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			m := &r.in.clusters[c].Machines[g]
			if p := m.Power; p == nil || p.Begin < 0 && p.End < 0 && !p.Suspends() {
				continue
			}
			free, late := r.awake(m.Power)
			if !free {
				continue
			}
			power := *m.Power
			power.Begin, power.End, power.SuspendAfter = On, On, math.Inf(1)
			r.cluster(c).Machines[g].Power = &power
			machines, rests = machines+m.Count, rests || late
		}
	}
	if machines == 0 {
		return
	}
	if rests {
		r.restsOn(r.lastEnd())
	}
	r.applied("sleep: the states of %s keep no job waiting", numtext.CountedGrouped(machines, "machine"))
}

// awake says whether the states of a machine keep no job waiting; late: if all jobs have ended in time.
func (r *reducer) awake(p *MachinePower) (free, late bool) {
	if p.Begin >= 0 {
		if up := p.Off[p.Begin].Up.Time; up > 0 && !(r.beginsAt()+up <= r.in.firstArrival) {
			return false, false
		}
	}
	if p.Suspends() {
		if p.Off[0].Down.Time+p.Off[0].Up.Time == 0 {
			return true, false
		}
		return r.endsInTime() && p.SuspendAfter > r.lastEnd(), true // so that no gap is so long
	}
	if p.End < 0 {
		return true, false
	}
	down, h := p.Off[p.End].Down.Time, r.in.horizon
	if down == 0 {
		return true, false
	}
	r.in.horizon = nil // whether jobs end in time without it
	free = r.endsInTime() && r.lastEnd()+down <= h.To
	r.in.horizon = h
	return free, true
}

// beginsAt is the time from which on machines are in their first states.
func (r *reducer) beginsAt() float64 {
	if h := r.in.horizon; h != nil {
		return h.From
	}
	return r.in.firstArrival
}

// reserved: where all machines are closed for the one reservation that all jobs have, and always are, they are open to all jobs.
func (r *reducer) reserved() {
	if r.asks&asksReservation == 0 {
		return
	}
	name := ""
	for _, demand := range r.demands {
		switch {
		case demand.running() != nil: // closed times do not concern it
		case demand.node == nil || demand.node.Reservation == "" || name != "" && demand.node.Reservation != name:
			return
		default:
			name = demand.node.Reservation
		}
	}
	if name == "" || !r.everyMachine(func(m *Machine) bool { return m.reserved(name, r.in.firstArrival, math.Inf(1)) }) {
		return
	}
	times, jobs := 0, 0
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			m := &r.cluster(c).Machines[g]
			left := slices.DeleteFunc(slices.Clone(m.closed), func(c Closure) bool { return c.For == name })
			times += (len(m.closed) - len(left)) * m.Count
			if m.closed = left; len(left) == 0 {
				m.closed = nil
			}
		}
	}
	for d, demand := range r.demands {
		if demand.node.Reservation != "" {
			r.editNode(d, nodeEdit{reservation: true}, func(n *NodeNeeds) { n.Reservation = "" })
			jobs += r.classes[d].jobs
		}
	}
	r.asks &^= asksReservation
	r.applied("reservation: all machines are closed for it at all times, in %s of machines; %s have it", numtext.CountedGrouped(times, "time"), counted(jobs))
}
