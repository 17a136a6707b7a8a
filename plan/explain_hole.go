package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// holeSearch looks for processors of one cluster that a job could hold at a time between what others hold.
type holeSearch struct {
	x          *explainer
	cluster    int
	size       int
	length     float64    // the longest time that the job could take there
	least      float64    // the shortest time
	processors []int      // those that can run the job, the fastest first
	busy       [][]other  // by processor: parts of other jobs, in order of time
	next       []int      // by processor: the first part in busy that has not ended
	memory     []*profile // by machine; nil: unlimited
}

// begin prepares the search on processors of at least the speed and link; nil where there are too few.
func (x *explainer) begin(cluster, size int, speed, link float64) *holeSearch {
	c, j := &x.in.Clusters()[cluster], &x.in.Jobs()[x.job]
	s := &holeSearch{x: x, cluster: cluster, size: size, busy: make([][]other, c.Processors), next: make([]int, c.Processors)}
	slowest, fastest, slowestLink, fastestLink := math.Inf(1), 0.0, math.Inf(1), 0.0
	groups := make([]int, 0, len(c.Machines))
	for g := range c.Machines {
		m := &c.Machines[g]
		if m.Speed >= speed && m.Bandwidth >= link && x.in.ProcessorsFor(j, m) > 0 {
			groups = append(groups, g)
			slowest, fastest = min(slowest, m.Speed), max(fastest, m.Speed)
			slowestLink, fastestLink = min(slowestLink, m.Bandwidth), max(fastestLink, m.Bandwidth)
		}
	}
	slices.SortStableFunc(groups, func(a, b int) int { return cmp.Compare(c.Machines[b].Speed, c.Machines[a].Speed) })
	if l := x.limits; l != nil && l.caps[cluster] != nil { // the sets that take least
		slices.SortStableFunc(groups, func(a, b int) int {
			return cmp.Compare(l.powerOn(x.job, &c.Machines[a]), l.powerOn(x.job, &c.Machines[b]))
		})
	}
	for _, g := range groups {
		for p := c.Machines[g].First; p <= c.Machines[g].Last(); p++ {
			s.processors = append(s.processors, p)
		}
	}
	if len(s.processors) < size {
		return nil
	}
	tasks := (j.Tasks + size - 1) / size
	s.length = x.in.Busy(x.job, cluster, slowest, tasks) + x.in.Transfer(x.job, slowestLink)
	s.least = x.in.Busy(x.job, cluster, fastest, 1) + x.in.Transfer(x.job, fastestLink)
	if j.StatesRuntimes() || len(groups) == 1 {
		s.least = s.length
	}
	last, _ := c.MachineOf(c.Processors - 1)
	s.memory = make([]*profile, last+1)
	for _, h := range x.parts[cluster] {
		s.hold(c, h)
	}
	for p := range s.busy {
		slices.SortFunc(s.busy[p], func(a, b other) int { return cmp.Compare(a.start, b.start) })
	}
	return s
}

// first is the first of the times from which on the job could hold enough processors, with these processors; the set is nil where the
// job might not end before the time to beat.
func (s *holeSearch) first(times []float64, beat float64) (float64, model.ProcessorSet) {
	if s == nil {
		return 0, nil
	}
	for _, t := range times {
		if t+s.least >= beat {
			break
		}
		if set := s.at(t); set != nil {
			return t, set
		}
	}
	return 0, nil
}

// hold notes a part of another job.
func (s *holeSearch) hold(c *model.Cluster, h other) {
	each := s.x.in.Jobs()[h.job].Memory
	for _, r := range h.set {
		for p := r.First; p <= r.Last && p < len(s.busy); p++ {
			if h.end > h.start {
				s.busy[p] = append(s.busy[p], h)
			}
			if m, g := c.MachineOf(p); each > 0 && !math.IsInf(c.Machines[g].Memory, 1) {
				if s.memory[m] == nil {
					s.memory[m] = newProfile(c.Machines[g].Memory)
				}
				s.memory[m].add(h.start, h.end, each)
			}
		}
	}
}

// at is a set of processors that the job could hold from t on; nil where there are too few. t must not fall from call to call.
func (s *holeSearch) at(t float64) model.ProcessorSet {
	j, c := &s.x.in.Jobs()[s.x.job], &s.x.in.Clusters()[s.cluster]
	until := model.End(t, s.length)
	nothing := s.length <= 0 // what takes no time holds nothing, so it may run amid others
	if !nothing && s.x.pools.earliest(j, s.cluster, t, s.length) > t {
		return nil
	}
	var all []int
	byMachine := map[int][]int{}
	for _, p := range s.processors {
		for s.next[p] < len(s.busy[p]) && s.busy[p][s.next[p]].end <= t {
			s.next[p]++
		}
		if k := s.next[p]; !nothing && k < len(s.busy[p]) && s.busy[p][k].start < until {
			continue
		}
		m, g := c.MachineOf(p)
		if l := s.x.limits; l != nil && !nothing {
			from, to := l.window(&c.Machines[g])
			if _, inTime := model.EndBy(t, s.least, to); t < from || !inTime {
				continue
			}
		}
		room := s.x.in.ProcessorsFor(j, &c.Machines[g])
		if !nothing && s.memory[m] != nil && j.Memory > 0 {
			room = s.memory[m].room(t, until, j.Memory, room)
		}
		if len(byMachine[m]) >= room {
			continue
		}
		byMachine[m] = append(byMachine[m], p)
		all = append(all, p)
		if j.Span == model.SpanMachine {
			if len(byMachine[m]) == s.size {
				if set := s.allowed(byMachine[m], t); set != nil {
					return set
				}
			}
		} else if len(all) == s.size {
			return s.allowed(all, t)
		}
	}
	return nil
}

// allowed is the set of the processors, if the job may hold them from t on by the horizon and the limits of power; else nil.
func (s *holeSearch) allowed(processors []int, t float64) model.ProcessorSet {
	set := model.Processors(processors...)
	if l := s.x.limits; l != nil {
		if _, ok := l.end(s.cluster, set, t, s.x.in.Duration(s.x.job, s.cluster, set)); !ok {
			return nil
		}
	}
	return set
}
