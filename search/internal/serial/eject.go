package serial

import (
	"cmp"
	"slices"
)

// mostEjected is how many jobs may lose their places in one schedule, those that wait for them not counted. With 10 and 50 it is no better, see docs/notes/search-findings.md.
const mostEjected = 20

// ejector is the working memory of forwardEjecting.
type ejector struct {
	placed   []bool
	position []int32 // by job: in the order
	often    []int32 // by job: how often it has lost its place
	rivals   []int32 // jobs in the way, the one that should go first
	out      []int32 // rivals taken away
	kept     []int32 // rivals that have to go
	best     []int32 // the same, for the start that was chosen
	work     int     // places looked at, taken or given back
	passes   int64   // all work, in passes
}

func newEjector(n int) ejector {
	return ejector{placed: make([]bool, n), position: make([]int32, n), often: make([]int32, n)}
}

// forwardEjecting is forward, but a job that would end too late for the hard deadlines gets a place in which it is in time. Jobs placed before it that are in the way lose theirs, and so do those that wait for
// them: they are placed anew, the first in the order first. It returns false if it gives up. Then the schedule is not complete.
//
// Source: after the unscheduling step of B. Franck, K. Neumann, C. Schwindt, "Truncated branch-and-bound, schedule-construction, and schedule-improvement procedures for resource-constrained project
// scheduling", OR Spektrum 23, 2001, and, for sparing jobs that have lost their places often, Y. Nagata, O. Bräysy, "A powerful route minimization heuristic for the vehicle routing problem with time windows",
// Operations Research Letters 37, 2009.
//
// Complexity: O(mostEjected · n²) lookups in profiles at worst.
func (d *decoder) forwardEjecting(order []int32) bool {
	e, left := &d.ejector, mostEjected
	for _, p := range d.profiles {
		p.reset()
	}
	clear(e.placed)
	clear(e.often)
	for k, j := range order {
		e.position[j] = int32(k)
	}
	for k := 0; k < len(order); k++ {
		j := order[k]
		if e.placed[j] {
			continue
		}
		e.work++
		from := d.arrival[j]
		for _, b := range d.before.of(j) {
			from = max(from, d.end[b])
		}
		if d.at[j] < 0 {
			d.at[j] = d.first(j, from)
		}
		at := &d.places[j][d.at[j]]
		start := d.earliest(at, from)
		if start+at.length > d.due[j] {
			if from+at.length > d.due[j] {
				return false
			}
			start = d.makeWay(j, from)
			if left -= len(e.best); left < 0 {
				return false
			}
			next := k + 1
			for _, r := range e.best {
				if e.placed[r] {
					next = min(next, d.eject(r))
				}
			}
			k = next - 1
		}
		if d.room > 0 && start+at.length > float64(d.room) {
			return false // jobs that lost their places have left gaps
		}
		d.start[j], d.end[j] = start, start+at.length
		d.hold(j, d.at[j], start, true)
		e.placed[j] = true
	}
	d.last = slices.Max(d.end)
	for j := range d.until {
		d.until[j] = int32(d.end[j])
	}
	return true
}

// eject takes the place from the job and from all that wait for it. It returns the first of their positions in the order.
func (d *decoder) eject(j int32) int {
	e := &d.ejector
	e.placed[j] = false
	e.often[j]++
	d.hold(j, d.at[j], d.start[j], false)
	first := int(e.position[j])
	for _, next := range d.behind.of(j) {
		if e.placed[next] {
			first = min(first, d.eject(next))
		}
	}
	return first
}

// makeWay chooses a start of the job, at from or later, at which it ends in time. It notes in best the jobs that have to lose their places for it: few, and such as have seldom lost one. The job must
// be in time if it starts at from.
func (d *decoder) makeWay(j int32, from float64) float64 {
	e, at := &d.ejector, &d.places[j][d.at[j]]
	e.rivals = e.rivals[:0]
	for r := range int32(d.n) {
		if e.placed[r] && d.end[r] > from && d.start[r] < d.due[j] && d.end[r] > d.start[r] {
			e.rivals = append(e.rivals, r)
		}
	}
	slices.SortFunc(e.rivals, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.often[a], e.often[b]), cmp.Compare(d.due[b]-d.end[b], d.due[a]-d.end[a]), cmp.Compare(a, b))
	})
	chosen, last := from, d.due[j]-at.length
	least := d.inTheWay(at, from)
	e.best = append(e.best[:0], e.kept...)
	try := func(t float64) {
		if t < from || t > last {
			return
		}
		if cost := d.inTheWay(at, t); cost < least {
			chosen, least = t, cost
			e.best = append(e.best[:0], e.kept...)
		}
	}
	for _, r := range e.rivals {
		try(d.end[r])
	}
	try(last)
	return chosen
}

// inTheWay notes in kept the rivals that have to go so that a job can hold the place from the start on, and none but these. It returns what they cost: one that has been ejected before costs more.
func (d *decoder) inTheWay(at *place, start float64) (cost int64) {
	e := &d.ejector
	e.out, e.kept = e.out[:0], e.kept[:0]
	for _, r := range e.rivals {
		if d.end[r] > start && d.start[r] < start+at.length {
			d.hold(r, d.at[r], d.start[r], false)
			e.work += 2
			if e.out = append(e.out, r); d.earliest(at, start) == start {
				break
			}
		}
	}
	for _, r := range slices.Backward(e.out) { // some may stay after all
		d.hold(r, d.at[r], d.start[r], true)
		e.work += 2
		if d.earliest(at, start) != start {
			d.hold(r, d.at[r], d.start[r], false)
			e.kept = append(e.kept, r)
			cost += 1 + int64(e.often[r])*int64(e.often[r])
		}
	}
	for _, r := range e.kept {
		d.hold(r, d.at[r], d.start[r], true)
		e.work++
	}
	return cost
}
