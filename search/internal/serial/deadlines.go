package serial

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// readDeadlines finds the jobs with hard deadlines. It returns false if leaving out some of them may be better than placing them all.
func (p *problem) readDeadlines() bool {
	p.bound = make([]bool, p.n)
	var bind func(j int32)
	bind = func(j int32) {
		if p.bound[j] {
			return
		}
		p.bound[j] = true
		for _, k := range p.before.of(j) {
			bind(k)
		}
	}
	for j := range p.In.Jobs() {
		job := &p.In.Jobs()[j]
		if !job.DeadlineHard || !job.HasDeadline() {
			continue
		}
		if !p.In.Owes(j) {
			return false
		}
		p.hard = append(p.hard, int32(j))
		bind(int32(j))
	}
	return true
}

// latest is the last whole time of the engine by which the job may end for its own deadline; +Inf: any.
func (p *problem) latest(j int32) float64 {
	job := &p.In.Jobs()[j]
	if !job.DeadlineHard || !job.HasDeadline() {
		return math.Inf(1)
	}
	return math.Floor((job.Deadline - p.origin) / p.unit)
}

// meets says whether the schedule that the last forward pass made meets all hard deadlines.
func (d *decoder) meets() bool {
	return !slices.ContainsFunc(d.hard, func(j int32) bool { return model.Late(d.origin+d.unit*d.end[j], d.In.Jobs()[j].Deadline) })
}

// meeting is the schedule of a member's order and places; nil: it misses a hard deadline.
func (d *decoder) meeting(m *member) *member {
	copy(d.at, m.at)
	if d.forward(m.order); !d.meets() {
		return nil
	}
	met := newMember(d.n)
	copy(met.order, m.order)
	copy(met.at, d.at)
	copy(met.start, d.start)
	return met
}

// forwardInTime is forward where deadlines are hard. It returns whether the schedule meets all of them; if not, the schedule may not be complete. If the order alone misses one, it places the jobs once more, as
// long as that makes no more passes than most in all. Either jobs that would be late take the places of others, see forwardEjecting: that takes at most about a 24th of all passes. Or the jobs of bound hold places in which
// all deadlines are met, see reserve, until it is their turn. That schedule meets all deadlines too if each job has the place that it has there.
func (d *decoder) forwardInTime(order []int32, met *member, most int64) bool {
	copy(d.chosen, d.at)
	if d.forward(order); d.meets() {
		return true
	}
	if e := &d.ejector; e.passes*24 <= d.passes && d.passes < most {
		copy(d.at, d.chosen)
		e.work = 0
		done := d.forwardEjecting(order)
		used := min(1+int64(e.work/d.n), most-d.passes)
		d.passes, e.passes = d.passes+used, e.passes+used
		if done && d.meets() {
			return true
		}
	}
	if d.passes+2 > most {
		return false
	}
	d.reserve(met)
	copy(d.at, d.chosen)
	d.forwardReserved(order)
	return d.meets()
}

// reserve notes starts of the jobs of bound at which all hard deadlines are met. It takes a schedule that meets them, leaves out the other jobs, and pushes the jobs of bound as late as possible.
func (d *decoder) reserve(met *member) {
	order, horizon := d.boundOrder[:0], 0.0
	for j := range d.places {
		d.end[j] = met.start[j] + d.places[j][met.at[j]].length
		horizon = max(horizon, d.end[j])
	}
	for _, j := range met.order {
		if d.bound[j] {
			order = append(order, j)
		}
	}
	slices.Reverse(order) // of jobs that end at one time, those that take none may wait for the others
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(d.end[b], d.end[a]) })
	for j := range d.release {
		d.release[j] = max(0, horizon-max(d.end[j], d.latest(int32(j))))
		if !d.bound[j] { // no job has to end before it starts
			if d.end[j] = 0; d.until != nil {
				d.until[j] = 0
			}
		}
	}
	copy(d.at, met.at)
	d.pass(order, &d.behind, d.release)
	for _, j := range order {
		d.reserved[j] = horizon - d.end[j]
	}
	copy(d.reservedAt, met.at)
	d.boundOrder = order
}

// forwardReserved is forward, but the jobs of bound hold the places that are reserved for them until it is their turn.
func (d *decoder) forwardReserved(order []int32) {
	d.passes++
	for _, p := range d.profiles {
		p.reset()
	}
	for _, j := range d.boundOrder {
		d.hold(j, d.reservedAt[j], d.reserved[j], true)
	}
	d.last = 0
	for _, j := range order {
		from := d.arrival[j]
		for _, k := range d.before.of(j) {
			from = max(from, d.end[k])
		}
		if d.bound[j] {
			d.hold(j, d.reservedAt[j], d.reserved[j], false)
		}
		if d.at[j] < 0 {
			d.at[j] = d.first(j, from)
		}
		at := &d.places[j][d.at[j]]
		d.start[j] = d.earliest(at, from)
		d.end[j] = d.start[j] + at.length
		d.last = max(d.last, d.end[j])
		d.hold(j, d.at[j], d.start[j], true)
	}
	for j := range d.until {
		d.until[j] = int32(d.end[j])
	}
}

// hold takes what the job needs on a place from the start on, or gives it back.
func (d *decoder) hold(j, place int32, start float64, takes bool) {
	at := &d.places[j][place]
	end := start + at.length
	if end <= start {
		return
	}
	for _, n := range at.needs {
		amount := n.amount
		if !takes {
			amount = -amount
		}
		d.profiles[n.profile].take(start, end, amount)
	}
}
