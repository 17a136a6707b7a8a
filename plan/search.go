package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// search walks through the processors of a general cluster in the order of their release, for one job, and counts those that the job
// could hold at the current time.
type search struct {
	g             *generalCluster
	job           *model.Job
	size          int
	oneMachine    bool    // the job must stay on one machine, and the instance has a job and a cluster for which that matters
	slowest, link float64 // least speed and bandwidth of the machines
	length        float64 // longest time that the job could take
	seen          int     // units released by the current time
	free          []int   // by machine: released processors that the job could hold; −1: not on that machine
	room          []int   // by machine: the number of free ones that memory allows
	count         int     // free processors: of all machines, or of the machine with most where the job must stay on one
}

// begin starts a search for size processors of machines with at least the given speed and link; false where there are too few.
func (s *search) begin(g *generalCluster, job, size int, speed, link float64) bool {
	*s = search{g: g, job: &g.in.Jobs()[job], size: size, free: s.free[:0], room: s.room[:0]}
	s.oneMachine = s.job.Span == model.SpanMachine && g.in.Features().Has(model.MachineSpan)
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
		if s.oneMachine {
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

// release moves the search to time t and counts the processors released by then. t must not fall from call to call.
func (s *search) release(t float64) {
	units := s.g.units
	for ; s.seen < len(units) && units[s.seen].released <= t; s.seen++ {
		free := &s.free[units[s.seen].machine]
		switch {
		case *free < 0:
		case s.oneMachine:
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

// nextMemory is the next time after t at which the used memory changes on a machine where memory is what keeps the job from released processors
// at time t, by the last call of share; +Inf: none. Changes elsewhere cannot make room for the job.
func (s *search) nextMemory(t float64) float64 {
	next := math.Inf(1)
	for k, room := range s.room {
		if room < s.free[k] {
			next = min(next, s.g.machines[k].memory.next(t))
		}
	}
	return next
}

// share finds how many processors of each machine the job may take from t on, within memory, and says whether they are enough. A job
// that must stay on one machine gets the machine with the fewest that are enough.
func (s *search) share(t float64) bool {
	all, home := 0, -1
	for k, free := range s.free {
		if free > 0 && s.job.Memory > 0 && s.g.machines[k].memory != nil {
			free = s.g.machines[k].memory.room(t, model.End(t, s.length), s.job.Memory, free)
		}
		s.room[k] = max(0, free)
		all += s.room[k]
		if free >= s.size && (home < 0 || free < s.room[home]) {
			home = k
		}
	}
	if !s.oneMachine {
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

// choose is the processors for the job: the latest-released, lowest numbers first.
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
