package model

import (
	"cmp"
	"fmt"
	"slices"
)

// power checks the horizon, what clusters may take, and that machines are on when they serve jobs.
func (c *checker) power() {
	if c.in.features.Has(HorizonLimits) {
		c.horizon()
	}
	if c.in.features.Has(PowerCaps) {
		for k := range c.in.clusters {
			if len(c.in.clusters[k].PowerCap) > 0 {
				c.powerCap(k)
			}
		}
	}
	c.asleep()
}

// horizon checks that jobs start and end within the horizon.
func (c *checker) horizon() {
	h := c.in.horizon
	for k := range c.in.jobs {
		if c.isPlaced(k) && (c.start[k] < h.From || c.end[k] > h.To) {
			c.report.add(Violation{Code: codeHorizon, Job: c.in.jobs[k].ID, From: c.start[k], To: c.end[k],
				Message: fmt.Sprintf("the horizon is from %v to %v", h.From, h.To)})
		}
	}
}

// powerCap checks that the idle power of all machines and the running processors take no more than the cluster may. Each time at which they take too much is
// named once, with the job that runs and started last.
func (c *checker) powerCap(cluster int) {
	in := &c.in.clusters[cluster]
	type change struct {
		time  float64
		part  *part // nil: of the cap
		count float64
		power float64
		cap   float64
	}
	var changes []change
	for _, s := range in.PowerCap {
		changes = append(changes, change{time: s.Time, cap: s.Value})
	}
	for k := range c.parts {
		p := &c.parts[k]
		if p.cluster != cluster || p.end == p.start {
			continue
		}
		in.eachGroup(p.set, func(m *Machine, processors int) {
			power := c.in.jobs[p.job].PowerOn(m)
			changes = append(changes, change{time: p.start, part: p, count: float64(processors), power: power},
				change{time: p.end, part: p, count: -float64(processors), power: power})
		})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.time, b.time) })
	now := in.idlePower()
	limit, limited := 0.0, false
	var last *part
	for k, x := range changes {
		switch {
		case x.part == nil:
			limit, limited = x.cap, true
		case x.count > 0:
			last = x.part
			fallthrough
		default:
			now.add(x.power, x.count)
		}
		if k+1 < len(changes) && changes[k+1].time == x.time || !limited || !now.exceeds(limit) {
			continue
		}
		if last == nil || last.end <= x.time { // the one that started last has ended
			last = c.runningAt(cluster, x.time)
		}
		if last == nil {
			continue // nothing runs
		}
		c.report.add(Violation{Code: codePowerCap, Job: c.in.jobs[last.job].ID, Cluster: in.ID, From: x.time, To: last.end,
			Message: fmt.Sprintf("takes %v from %v on, may take %v", now.value(), x.time, limit)})
	}
}

// runningAt is the piece on the cluster that runs at the time and started last; nil: none runs.
func (c *checker) runningAt(cluster int, time float64) (last *part) {
	for k := range c.parts {
		if p := &c.parts[k]; p.cluster == cluster && p.start <= time && time < p.end && (last == nil || p.start >= last.start) {
			last = p
		}
	}
	return last
}

// asleep checks that machines can be on when they serve jobs, and in their last states when the horizon ends.
func (c *checker) asleep() {
	if !c.in.features.Has(SleepingMachines) {
		return
	}
	from, to := c.counted()
	used := c.sleepersUsed(from, to)
	at := 0
	for k := range c.in.clusters {
		cluster := &c.in.clusters[k]
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			if !m.Power.Sleeps() {
				continue
			}
			unused := false // one that serves nobody speaks for all of the group
			for machine := range m.Count {
				next := at
				for next < len(used) && used[next].cluster == k && used[next].group == g && used[next].machine == machine {
					next++
				}
				if next > at || !unused {
					unused = unused || next == at
					c.asleepOn(cluster, m, machine, used[at:next], from, to)
				}
				at = next
			}
		}
	}
}

// asleepOn checks one machine.
func (c *checker) asleepOn(cluster *Cluster, m *Machine, machine int, uses []machineUse, from, to float64) {
	m.Power.eachGap(uses, from, to, func(g *gap, next int) bool {
		if g.fits(m.Power) {
			return true
		}
		v := Violation{Code: codeAsleep, Cluster: cluster.ID, Resource: m.Name(machine), From: g.from, To: g.to,
			Message: fmt.Sprintf("the machine has the time from %v to %v, and cannot be in its last state by then", g.from, g.to)}
		if next < len(uses) {
			v.Job, v.From, v.To = c.in.jobs[uses[next].job].ID, uses[next].from, uses[next].to
			v.Message = fmt.Sprintf("the machine has been free since %v, and cannot be on again by then", g.from)
		}
		c.report.add(v)
		return true
	}, nil)
}
