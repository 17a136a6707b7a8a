package slots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// unit is tasks that are given slots together: those of a workflow that have arrived and have none. Workflows that wait for tasks of each
// other are one unit.
type unit []*task

// reserveWorkflows gives slots to the workflows that have been submitted. One that waits for tasks of others is dealt with after those.
func (p *policy) reserveWorkflows(e *sim.Engine) {
	units := p.units()
	for progress := true; progress && len(units) > 0; {
		progress = false
		var postponed []unit
		for _, u := range units {
			if e.Stopped() {
				return
			}
			if len(p.awaited(u)) > 0 {
				postponed = append(postponed, u)
				continue
			}
			p.reserveUnit(e.Now(), u)
			progress = true
		}
		if units = postponed; !progress {
			if together, others := p.entangled(units); len(together) > 0 {
				p.reserveUnit(e.Now(), together)
				units, progress = others, true
			}
		}
	}
	p.fresh = slices.DeleteFunc(p.fresh, func(t *task) bool { return t.slot != nil || t.reject != "" })
}

// units divides the tasks without slots by workflow, in queue order.
func (p *policy) units() []unit {
	var units []unit
	of := map[*workflow]int{}
	for _, t := range p.fresh {
		k, known := of[t.flow]
		if !known {
			k = len(units)
			of[t.flow] = k
			units = append(units, nil)
		}
		units[k] = append(units[k], t)
	}
	return units
}

// awaited are the numbers of the jobs outside the unit that tasks of it wait for and that have no slot yet, so that no slot can be reserved
// behind theirs.
func (p *policy) awaited(u unit) []int64 {
	var list []int64
	for _, t := range u {
		for _, number := range t.request.After {
			before := p.tasks[number]
			if number < p.arrived && (before == nil || before.slot != nil || before.flow == t.flow && before.reject == "") {
				continue // it has left, has a slot, or is of the same unit
			}
			list = append(list, number)
		}
	}
	return list
}

// entangled joins the units that wait for each other alone, all tasks of which have arrived; others are the rest.
func (p *policy) entangled(units []unit) (together unit, others []unit) {
	in := map[int64]bool{}
	for _, u := range units {
		for _, t := range u {
			in[t.number] = true
		}
	}
	candidates := units
	for again := true; again; {
		again = false
		var kept []unit
		for _, u := range candidates {
			if !slices.ContainsFunc(p.awaited(u), func(number int64) bool { return !in[number] }) {
				kept = append(kept, u)
				continue
			}
			for _, t := range u {
				in[t.number] = false
			}
			others, again = append(others, u), true
		}
		candidates = kept
	}
	for _, u := range candidates {
		together = append(together, u...)
	}
	slices.SortFunc(together, func(a, b *task) int { return cmp.Compare(a.number, b.number) })
	return together, others
}

// reserveUnit gives slots to all tasks of the unit or, if one can have none, rejects them all.
func (p *policy) reserveUnit(now float64, u unit) {
	order := p.topological(u)
	rest := p.leastRest(order)
	for k, t := range order {
		var why *sim.Reason
		if t.flow.broken != "" {
			why = &sim.Reason{Rule: "workflow", Text: t.flow.broken}
		} else {
			why = p.assign(t, p.after(t, now), rest[k])
		}
		if why == nil {
			continue
		}
		for _, done := range slices.Backward(order[:k]) {
			t := done
			t.flow.forget(t)
			p.free(now, t)
		}
		rejected := fmt.Sprintf("task %s of workflow %s has been rejected", t.request.ID, t.flow.id)
		for _, t := range u {
			p.refuse(t, *why)
			t.flow.broken = cmp.Or(t.flow.broken, rejected)
		}
		return
	}
}

// after is the earliest time for a slot of the task: behind the slots of the tasks that it waits for.
func (p *policy) after(t *task, now float64) float64 {
	from := now
	for _, number := range t.request.After {
		if before := p.tasks[number]; before != nil && before.slot != nil {
			from = max(from, before.slot.end)
		}
	}
	return from
}

// leastRest is what the tasks of the same workflow that come later in the order cost at least, by place in the order.
func (p *policy) leastRest(order []*task) []float64 {
	rest, sums := make([]float64, len(order)), map[*workflow]float64{}
	for k, t := range slices.Backward(order) {
		rest[k] = sums[t.flow]
		least := math.Inf(1)
		for m := range p.platform.Machines {
			if _, cost, can := p.time(t, m); can {
				least = min(least, cost)
			}
		}
		if !math.IsInf(least, 1) { // a task that no machine can run is rejected for that, and not for what it costs
			sums[t.flow] += least
		}
	}
	return rest
}

// topological orders the tasks so that each stands after those of the unit that it waits for; of those that may be next the first in queue
// order is.
func (p *policy) topological(u unit) []*task {
	waits, next := make(map[*task]int, len(u)), map[*task][]*task{}
	for _, t := range u {
		waits[t] = 0
	}
	var ready []*task // in queue order
	for _, t := range u {
		for _, number := range t.request.After {
			before := p.tasks[number]
			if _, here := waits[before]; here {
				waits[t]++
				next[before] = append(next[before], t)
			}
		}
		if waits[t] == 0 {
			ready = append(ready, t)
		}
	}
	order := make([]*task, 0, len(u))
	for len(ready) > 0 {
		t := ready[0]
		ready = ready[1:]
		order = append(order, t)
		for _, n := range next[t] {
			if waits[n]--; waits[n] == 0 {
				at, _ := slices.BinarySearchFunc(ready, n, func(a, b *task) int { return cmp.Compare(a.number, b.number) })
				ready = slices.Insert(ready, at, n)
			}
		}
	}
	return order
}
