package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// search goes through the processors of a general cluster in the order of their release, for one job, and counts those that
// the job could hold by the time it looks at.
type search struct {
	g             *generalCluster
	job           *model.Job
	size          int
	slowest, link float64 // the least of the machines
	length        float64 // the longest that the job could take
	seen          int     // units released by the time
	free          []int   // by machine: those of them that the job could hold; −1: not on that machine
	room          []int   // by machine: as many of those as memory allows
	count         int     // the free ones: all, or those of the machine with the most for a job that must stay on one
}

// begin starts a search among machines of at least the given speed and link that can host the job; false where there are
// too few of them.
func (s *search) begin(g *generalCluster, job, size int, speed, link float64) bool {
	*s = search{g: g, job: &g.in.Jobs()[job], size: size, free: s.free[:0], room: s.room[:0]}
	slowest, slowestLink, processors := math.Inf(1), math.Inf(1), 0
	hosts, of := 0, (*model.Machine)(nil)
	for k := range g.machines {
		m := g.machines[k].group
		if m != of { // the machines of a group are alike
			hosts, of = g.in.ProcessorsFor(s.job, m), m
		}
		s.room = append(s.room, 0)
		if hosts == 0 || m.Speed < speed || m.Bandwidth < link {
			s.free = append(s.free, -1)
			continue
		}
		s.free = append(s.free, 0)
		slowest, slowestLink = min(slowest, m.Speed), min(slowestLink, m.Bandwidth)
		if s.job.Span == model.SpanMachine {
			processors = max(processors, hosts)
		} else {
			processors += hosts
		}
	}
	if processors < size {
		return false
	}
	s.slowest, s.link = slowest, slowestLink
	tasks := (s.job.Tasks + size - 1) / size
	s.length = g.in.Busy(job, g.cluster, slowest, tasks) + g.in.Transfer(job, slowestLink)
	return true
}

// release counts the processors that are released by the time, which never goes back.
func (s *search) release(t float64) {
	units := s.g.units
	for ; s.seen < len(units) && units[s.seen].released <= t; s.seen++ {
		free := &s.free[units[s.seen].machine]
		switch {
		case *free < 0:
		case s.job.Span == model.SpanMachine:
			*free++
			s.count = max(s.count, *free)
		default:
			*free++
			s.count++
		}
	}
}

// nextRelease is when the next processor is released that the job could hold; +Inf: none.
func (s *search) nextRelease() float64 {
	for _, u := range s.g.units[s.seen:] {
		if s.free[u.machine] >= 0 {
			return u.released
		}
	}
	return math.Inf(1)
}

// nextMemory is the next time after t at which the memory that is used changes on a machine of the search; +Inf: none.
func (s *search) nextMemory(t float64) float64 {
	next := math.Inf(1)
	for k, free := range s.free {
		if p := s.g.machines[k].memory; free >= 0 && p != nil {
			next = min(next, p.Next(t))
		}
	}
	return next
}

// share says how many processors of each machine the job may take from t on, within memory, and whether they are enough. A
// job that must stay on one machine may take those of the machine with the fewest that are enough.
func (s *search) share(t float64) bool {
	all, home := 0, -1
	for k, free := range s.free {
		if free > 0 && s.job.Memory > 0 && s.g.machines[k].memory != nil {
			free = s.g.machines[k].memory.Room(t, t+s.length, s.job.Memory, free)
		}
		s.room[k] = max(0, free)
		all += s.room[k]
		if free >= s.size && (home < 0 || free < s.room[home]) {
			home = k
		}
	}
	if s.job.Span != model.SpanMachine {
		return all >= s.size
	}
	if home < 0 {
		return false
	}
	free := s.room[home]
	clear(s.room)
	s.room[home] = free
	return true
}

// choose takes the processors: the latest-released, lowest numbers first.
func (s *search) choose() model.ProcessorSet {
	ids := make([]int, 0, s.size)
	for k := s.seen - 1; len(ids) < s.size; k-- {
		u := s.g.units[k]
		if s.room[u.machine] > 0 {
			s.room[u.machine]--
			ids = append(ids, int(u.processor))
		}
	}
	return model.Processors(ids...)
}
