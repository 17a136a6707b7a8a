package model

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// The rules about machines that are reserved or off at times.

// reserved: where all jobs have one reservation, and every machine is closed for it from the first arrival on, the reservation keeps no job from anything.
//
// Why nothing changes: a job of the reservation may run on a machine that is closed for it all the time, and not within a closed time of another name, see
// [Machine.OpenTo]. No job starts before the first arrival, so the first always holds; without the reservation the second alone is asked, of the closed times that are left.
// Jobs that run already are not asked. Whether a machine is ever open, which looks at times before the first arrival too, stays as it was: else the rule does not apply.
func (r *reducer) reserved() {
	if r.asks&asksReservation == 0 {
		return
	}
	name := ""
	for _, demand := range r.demands {
		switch {
		case demand.running() != nil:
		case demand.node == nil || demand.node.Reservation == "" || name != "" && demand.node.Reservation != name:
			return
		default:
			name = demand.node.Reservation
		}
	}
	if name == "" || !r.everyMachine(func(m *Machine) bool { return r.alwaysFor(name, m) }) {
		return
	}
	times, jobs := 0, 0
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			m := &r.cluster(c).Machines[g]
			left := m.closedBut(name)
			times += (len(m.closed) - len(left)) * m.Count
			m.closed = left
		}
	}
	for d, demand := range r.demands {
		if demand.node.Reservation != "" {
			r.editNode(d, nodeEdit{reservation: true}, func(n *NodeNeeds) { n.Reservation = "" })
			jobs += r.classes[d].jobs
		}
	}
	r.asks &^= asksReservation
	r.applied("reservation: all machines are closed for it from the first arrival on, in %s; %s have it", numtext.CountedGrouped(times, "time of a machine", "times of machines"), counted(jobs))
}

// alwaysFor says whether the machine is closed for the reservation from the first arrival on, and is ever open to its jobs just if it is to jobs without one when it is not.
func (r *reducer) alwaysFor(name string, m *Machine) bool {
	left := *m
	left.closed = m.closedBut(name)
	return m.reserved(name, r.in.firstArrival, math.Inf(1)) && m.everOpenTo(name, false) == left.everOpenTo("", false)
}

// closedBut are the closed times but for those of the reservation; nil: there are none.
func (m *Machine) closedBut(reservation string) []Closure {
	left := slices.DeleteFunc(slices.Clone(m.closed), func(c Closure) bool { return c.For == reservation })
	if len(left) == 0 {
		return nil
	}
	return left
}

// sleep: a machine whose states keep no job waiting and no last state from being reached needs none: they take no time, or there is time enough for them before the first job
// arrives and after all jobs have ended, or the machine is idle for too short a time to be suspended.
//
// Why nothing changes: states limit schedules in one way alone. Between two jobs, before the first and behind the last there must be time for the ways into and out of
// service, see the method fits of a gap; of a machine that serves nobody an instance is refused where there is not. The conditions of [reducer.awake] make each of these gaps long enough, whatever jobs run there. Power, which the states change, is
// counted by metrics and by power caps: the rule does not apply where the objective has such a metric or a cap is stated. What is shown of a schedule beside its
// objective is evaluated on the stated instance, which has the states. On line a job gets those machines first that are on, so that policies see
// what suspends machines, unless none is suspended before all jobs have ended; states at the ends of a horizon they do not see, as they take no horizon that limits anything.
func (r *reducer) sleep() {
	if r.original.features&SleepingMachines == 0 || r.countsPower() || r.capped() {
		return
	}
	machines, rests := 0, false
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			p := r.in.clusters[c].Machines[g].Power
			if !p.limits() {
				continue
			}
			free, late := r.awake(p)
			if !free || !late && p.Suspends() && r.use&OnLine != 0 {
				continue
			}
			power := *p
			power.Begin, power.End, power.SuspendAfter = On, On, math.Inf(1)
			m := &r.cluster(c).Machines[g]
			m.Power = &power
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

// limits says whether the states of the machine limit schedules: it begins or ends in one that is off, or is suspended by a rule.
func (p *MachinePower) limits() bool { return p != nil && (p.Begin >= 0 || p.End >= 0 || p.Suspends()) }

// awake says whether the states of a machine leave time enough, and whether they do so because all jobs have ended by the time of [reducer.lastEnd].
func (r *reducer) awake(p *MachinePower) (free, late bool) {
	up, down := 0.0, 0.0
	if p.Begin >= 0 {
		up = p.Off[p.Begin].Up.Time
	}
	if p.End >= 0 {
		down = p.Off[p.End].Down.Time
	}
	switch h := r.in.horizon; {
	case p.Suspends() && p.Off[0].Down.Time+p.Off[0].Up.Time == 0:
		return true, false
	case p.Suspends(): // no gap before a job is longer than all of the time until the last end
		return h == nil && r.lastEnd() < p.SuspendAfter, true
	case up > 0 && h.From+up > r.in.firstArrival:
		return false, false
	case down > 0:
		return h.From <= r.in.firstArrival && r.lastEnd()+down <= h.To, true
	}
	return true, false
}
