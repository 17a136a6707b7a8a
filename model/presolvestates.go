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
