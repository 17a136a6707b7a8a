package model

import (
	"cmp"
	"slices"
)

// PowerPart is a part of what a schedule takes of power.
type PowerPart int

// The parts. PowerParts is their number.
const (
	PowerOn      PowerPart = iota // idle power of machines that are on
	PowerOff                      // machines that are off
	PowerWays                     // machines on their way between on and off
	PowerRunning                  // what running processors take above idle
	PowerParts
)

// PowerStep is the power by part from a time until that of the next step.
type PowerStep struct {
	Time  float64
	Parts [PowerParts]float64
}

// Total is the power of all parts.
func (s *PowerStep) Total() float64 {
	sum := 0.0
	for _, x := range s.Parts {
		sum += x
	}
	return sum
}

// PowerUse is the power that a schedule takes over time: that of which the metrics energy, energy_cost, carbon and peak_power are made.
type PowerUse struct {
	From, To float64 // the time in which power counts
	draws    []draw
}

// Power finds the power that a schedule takes over time. It is false if the power is not known, because a machine cannot be in a state that it must be in, or
// because a tariff has too many steps. The error is that of [Evaluate].
//
// Complexity: O(n log n) for n placed pieces, beside the ways of machines that can be off.
func Power(in *Instance, sol *Solution) (*PowerUse, bool, error) {
	var report Report
	s := resolve(in, sol, &report)
	if len(report.Violations) > 0 {
		return nil, false, report.Violations[0]
	}
	u := &PowerUse{}
	u.From, u.To = s.counted()
	known := s.sums().eachDraw(make([]*tariffView, len(in.clusters)), func(d draw) { u.draws = append(u.draws, d) })
	if !known {
		return nil, false, nil
	}
	return u, true, nil
}

// All lists the power of all clusters together, in the order of time. The first step is at From, the last at To and 0, whatever stands before it. The others
// differ from the step before.
//
// Complexity: O(n log n) for n placed pieces and states of machines.
func (u *PowerUse) All() []PowerStep { return u.steps(u.draws) }

// Of is [PowerUse.All] of one cluster.
func (u *PowerUse) Of(cluster int) []PowerStep {
	return u.steps(slices.DeleteFunc(slices.Clone(u.draws), func(d draw) bool { return d.cluster != cluster }))
}

// steps lists the power that is drawn.
func (u *PowerUse) steps(draws []draw) []PowerStep {
	list := []PowerStep{{Time: u.From}}
	eachPower(draws, int(PowerParts), draw.part, func(time float64, now []amount) {
		step := PowerStep{Time: time}
		for part := range now {
			step.Parts[part] = max(0, now[part].value())
		}
		switch last := &list[len(list)-1]; {
		case time == last.Time:
			last.Parts = step.Parts
		case last.Parts != step.Parts:
			list = append(list, step)
		}
	})
	if last := &list[len(list)-1]; last.Time < u.To {
		return append(list, PowerStep{Time: u.To})
	} else if last.Time > u.From {
		last.Parts = [PowerParts]float64{} // remove the remainder of rounding
	}
	return list
}

// part is the part that power counts to.
func (d draw) part() PowerPart {
	switch {
	case d.running:
		return PowerRunning
	case d.way != Stays:
		return PowerWays
	case d.state == On:
		return PowerOn
	}
	return PowerOff
}

// eachPower adds up, in the order of time, the power that is drawn, by part. It calls yield for each time at which something changes.
func eachPower[P ~int](draws []draw, parts int, part func(draw) P, yield func(time float64, now []amount)) {
	type change struct {
		time, power, count float64
		part               P
	}
	changes := make([]change, 0, 2*len(draws))
	for _, d := range draws {
		if d.to > d.from && d.power > 0 {
			changes = append(changes, change{d.from, d.power, d.count, part(d)}, change{d.to, d.power, -d.count, part(d)})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.time, b.time) })
	now := make([]amount, parts)
	for k, c := range changes {
		if now[c.part].add(c.power, c.count); k+1 == len(changes) || changes[k+1].time > c.time {
			yield(c.time, now)
		}
	}
}
