package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// timeLimits are the horizon, the power caps and the ways of machines that can be off, which limit when the explained job may run.
type timeLimits struct {
	in       *model.Instance
	job      int
	from, to float64     // the horizon
	caps     []*powerCap // by cluster, with what the other jobs take; nil: there is none
}

// newTimeLimits are those before other jobs take power.
func newTimeLimits(in *model.Instance, job int) *timeLimits {
	l := &timeLimits{in: in, job: job, from: math.Inf(-1), to: math.Inf(1), caps: make([]*powerCap, len(in.Clusters()))}
	if from, to, stated := in.Horizon(); stated {
		l.from, l.to = from, to
	}
	for c := range l.caps {
		l.caps[c] = newPowerCap(&in.Clusters()[c])
	}
	return l
}

// shares are the processors of a set, by the power that the job takes on each of them.
func (l *timeLimits) shares(job, cluster int, set model.ProcessorSet) []share {
	var shares []share
	c := &l.in.Clusters()[cluster]
	for g := range c.Machines {
		m := &c.Machines[g]
		n := 0
		for _, r := range set {
			n += max(0, min(r.Last, m.Last())-max(r.First, m.First)+1)
		}
		if n > 0 {
			shares = append(shares, share{power: l.powerOn(job, m), n: n})
		}
	}
	return shares
}

// powerOn is what a processor of the machine takes on which the job runs.
func (l *timeLimits) powerOn(job int, m *model.Machine) float64 {
	if own, stated := l.in.Jobs()[job].Power(); stated {
		return own
	}
	return m.Power.OfBusy()
}

// hold notes a part of another job.
func (l *timeLimits) hold(job, cluster int, part model.Piece) {
	for _, share := range l.shares(job, cluster, part.Processors) {
		l.caps[cluster].add(part.Start, part.End, share.power, float64(share.n))
	}
}

// times are those after another at which the limits on the cluster change so that the job may start.
func (l *timeLimits) times(cluster int, after float64) (times []float64) {
	note := func(t float64) {
		if t > after {
			times = append(times, t)
		}
	}
	if p := l.caps[cluster]; p != nil {
		for _, t := range p.Times {
			note(t)
		}
	}
	c := &l.in.Clusters()[cluster]
	for g := range c.Machines {
		from, _ := l.window(&c.Machines[g])
		note(from)
	}
	return times
}

// window is the time within which a machine can serve the job: it is on its way up after the horizon begins, and on its way down before it ends.
func (l *timeLimits) window(m *model.Machine) (from, to float64) {
	b := bank{group: m, sleeps: m.Power.Sleeps()}
	return b.window(&prices{from: l.from, to: l.to}, l.from, l.to)
}

// end is the end of the job if it starts on the set at the time and takes the duration; false: a limit forbids that.
func (l *timeLimits) end(cluster int, set model.ProcessorSet, start, duration float64) (float64, bool) {
	until := l.to
	c := &l.in.Clusters()[cluster]
	for g := range c.Machines {
		if m := &c.Machines[g]; duration > 0 && overlap(set, model.ProcessorSet{{First: m.First, Last: m.Last()}}) {
			from, to := l.window(m)
			if start < from {
				return 0, false
			}
			until = min(until, to)
		}
	}
	end, ok := model.EndBy(start, duration, until)
	return end, ok && start >= l.from && (end == start || l.caps[cluster].allows(l.shares(l.job, cluster, set), start, end))
}

// Limits of power and time that keep a job from its own processors.
const (
	LimitedByHorizon = "horizon"   // it has not begun
	LimitedBySleep   = "asleep"    // a machine that begins off is not up
	LimitedByCap     = "power-cap" // too little is left of the cap
)

// forbids is the limit that keeps the job from running as the placement has it, but from another time on; empty: none does.
func (l *timeLimits) forbids(p *model.Placement, start float64) (by string) {
	p.Parts(l.in.Jobs()[l.job].Tasks, func(part model.Piece) {
		c, ok := l.in.ClusterIndex(part.Cluster)
		if !ok || by != "" {
			return
		}
		if start < l.from {
			by = LimitedByHorizon
			return
		}
		if takes := part.End - part.Start; takes > 0 {
			cluster := &l.in.Clusters()[c]
			for g := range cluster.Machines {
				if m := &cluster.Machines[g]; overlap(part.Processors, model.ProcessorSet{{First: m.First, Last: m.Last()}}) {
					if from, _ := l.window(m); start < from {
						by = LimitedBySleep
						return
					}
				}
			}
			if !l.caps[c].allows(l.shares(l.job, c, part.Processors), start, start+takes) {
				by = LimitedByCap
			}
		}
	})
	return by
}

// reached is the first time from a time on, up to the start of the placement, from which on the limits let the job run there, and the limit that forbids what is before; it is empty
// if none does.
func (l *timeLimits) reached(p *model.Placement, from float64) (at float64, by string) {
	times := []float64{from, l.from}
	p.Parts(l.in.Jobs()[l.job].Tasks, func(part model.Piece) {
		if c, ok := l.in.ClusterIndex(part.Cluster); ok {
			times = append(times, l.times(c, from)...)
		}
	})
	slices.Sort(times)
	for _, t := range times {
		if t < from || t >= p.Start {
			continue
		}
		now := l.forbids(p, t)
		if now == "" {
			return t, by
		}
		by = now
	}
	if by == "" {
		return from, ""
	}
	return p.Start, by
}

// shortBefore says whether a part of the job has too little of the power cap just before it starts.
func (l *timeLimits) shortBefore(cluster int, part model.Piece, near func(t float64) bool) bool {
	p := l.caps[cluster]
	if p == nil || part.End <= part.Start {
		return false
	}
	k := p.At(part.Start)
	for k > 0 && near(p.Times[k]) {
		k--
	}
	taken := p.Values[k].taken
	for _, share := range l.shares(l.job, cluster, part.Processors) {
		taken.add(share.power, float64(share.n))
	}
	return !taken.within(p.Values[k].most)
}

// takesPower says whether a part of another job takes any.
func (l *timeLimits) takesPower(job, cluster int, set model.ProcessorSet) bool {
	return slices.ContainsFunc(l.shares(job, cluster, set), func(s share) bool { return s.power > 0 })
}

// anywhere is the end of the job if it runs from start to end, or ends with the horizon where only rounding is beyond, on a number of processors of the cluster, whatever machines these are
// of; false: a limit forbids that, on the machines that take most or are up for the shortest time.
func (l *timeLimits) anywhere(cluster, size int, start, end float64) (float64, bool) {
	until, most := l.to, 0.0
	c := &l.in.Clusters()[cluster]
	for g := range c.Machines {
		if from, to := l.window(&c.Machines[g]); end > start {
			if start < from {
				return 0, false
			}
			until = min(until, to)
		}
		most = max(most, l.powerOn(l.job, &c.Machines[g]))
	}
	if end > until {
		var inTime bool
		if end, inTime = model.EndBy(start, end-start, until); !inTime {
			return 0, false
		}
	}
	return end, start >= l.from && (end == start || l.caps[cluster].allows([]share{{power: most, n: size}}, start, end))
}
