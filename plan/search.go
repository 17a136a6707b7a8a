package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// search walks through the processors of a general cluster in the order of their release, for one job, and counts those that the job
// could hold at the current time. It looks at a machine when the first of these is released. It asks the memory of a machine again only when
// the answer may have changed.
type search struct {
	g             *generalCluster
	job           *model.Job
	size          int
	oneMachine    bool        // the job must stay on one machine, and the instance has a job and a cluster for which that matters
	anywhere      bool        // the job may hold all released processors of its hosts, so that only their number counts
	slowest, link float64     // least speed and bandwidth of the machines
	length        float64     // longest time that the job could take
	estimate      float64     // and by its estimate, as far as closed times matter
	number        int         // of the job
	kind          *place.Kind // of the job, where machines are asked one by one
	seen          int         // runs released by the current time
	hosts         []bool      // by group: the job could hold processors of its machines
	looks         []look      // machines with released processors that the job could hold, in the order of the release
	at            []int32     // by machine: its position in looks, plus one; 0: it is not there
	count         int         // free processors: of all machines, or of the machine with most where the job must stay on one
	home          int32       // position in looks of the machine of a job that must stay on one
	grows         float64     // the next time at which memory may leave the job more processors, by the last call of share; +Inf: none
}

// look is a machine with processors that are released.
type look struct {
	machine int32
	free    int32   // released processors that the job could hold
	room    int32   // the number of these that memory allows
	from    float64 // room holds for jobs that start before this time: then memory may leave more; −Inf: it is not known
	until   float64 // and that end by this time: then memory leaves fewer
}

// begin starts a search for size processors of machines of the given machines; false where there are too few.
func (s *search) begin(g *generalCluster, job, size int, among Among) bool {
	at := s.at
	for k := range s.looks {
		at[s.looks[k].machine] = 0
	}
	if len(at) < len(g.machines) {
		at = make([]int32, len(g.machines))
	}
	s.g, s.job, s.number, s.size, s.hosts, s.looks, s.at, s.grows = g, &g.in.Jobs()[job], job, size, s.hosts[:0], s.looks[:0], at, math.Inf(1)
	s.seen, s.count, s.home = 0, 0, 0
	s.oneMachine = s.job.Span == model.SpanMachine && g.in.Features().Has(model.MachineSpan)
	if g.nodes != nil && !s.beginOnNodes(job) {
		return false
	}
	slowest, slowestLink, processors := math.Inf(1), math.Inf(1), 0
	for k := range g.groups {
		m := g.groups[k].group
		can := 0
		if g.groups[k].count > 0 && among.has(m) {
			can = g.in.ProcessorsFor(s.job, m)
		}
		if s.hosts = append(s.hosts, can > 0); can == 0 {
			continue
		}
		slowest, slowestLink = min(slowest, m.Speed), min(slowestLink, m.Bandwidth)
		if s.oneMachine {
			processors = max(processors, can)
		} else {
			processors += can * g.groups[k].count
		}
	}
	if processors < size {
		return false
	}
	s.anywhere = !s.oneMachine && !g.named && g.nodes == nil && (s.job.Memory == 0 || !g.short)
	s.slowest, s.link = slowest, slowestLink
	tasks := (s.job.Tasks + size - 1) / size
	s.length = g.in.Busy(job, g.cluster, slowest, tasks) + g.in.Transfer(job, slowestLink)
	if s.estimate = s.length; g.nodes != nil && g.nodes.known != nil {
		s.estimate = min(s.length, g.nodes.known.Busy(job, g.cluster, slowest, tasks)+g.nodes.known.Transfer(job, slowestLink))
	}
	return true
}

// release moves the search to time t and counts the processors released by then. t must not fall from call to call.
func (s *search) release(t float64) {
	g := s.g
	for ; s.seen < len(g.runs) && g.runs[s.seen].released <= t; s.seen++ {
		machine, count := g.parts[g.runs[s.seen].part].machine, g.runs[s.seen].count
		if s.anywhere {
			if s.hosts[g.machines[machine].number] {
				s.count += int(count)
			}
			continue
		}
		at := s.at[machine]
		if at == 0 {
			if !s.hosts[g.machines[machine].number] {
				continue
			}
			s.looks = append(s.looks, look{machine: machine})
			at = int32(len(s.looks))
			s.at[machine] = at
		}
		l := &s.looks[at-1]
		l.free += count
		l.from = math.Inf(-1)
		if s.oneMachine {
			s.count = max(s.count, int(l.free))
		} else {
			s.count += int(count)
		}
	}
}

// next is the next time at which the job may find more processors, by the last call of share; +Inf: there is none.
func (s *search) next() float64 { return min(s.nextRelease(), s.grows) }

// nextRelease is when the next processor is released that the job could hold; +Inf: none.
func (s *search) nextRelease() float64 {
	for _, r := range s.g.runs[s.seen:] {
		if s.hosts[s.g.machines[s.g.parts[r.part].machine].number] {
			return r.released
		}
	}
	return math.Inf(1)
}

// share finds how many processors of each machine the job may take from t on, within memory, and says whether they are enough. A job
// that must stay on one machine gets the machine with the fewest that are enough, the first of equals.
func (s *search) share(t float64) bool {
	end := model.End(t, s.length)
	all := 0 // no fewer than there are, as long as some machines may have less than when they were asked
	s.grows, s.home = math.Inf(1), -1
	if s.anywhere {
		return s.count >= s.size
	}
	for k := range s.looks {
		l := &s.looks[k]
		if t >= l.from {
			s.ask(l, t, end)
		}
		all += int(l.room)
		s.grows = min(s.grows, l.from)
	}
	s.g.work += int64(len(s.looks))
	if all < s.size {
		return false
	}
	for k := range s.looks {
		l := &s.looks[k]
		if end > l.until {
			all -= int(l.room)
			s.ask(l, t, end)
			s.grows = min(s.grows, l.from)
			if all += int(l.room); all < s.size {
				return false
			}
		}
		if s.oneMachine && int(l.room) >= s.size && (s.home < 0 || s.before(l, &s.looks[s.home])) {
			s.home = int32(k)
		}
	}
	return !s.oneMachine || s.home >= 0
}

// before says that a job that must stay on one machine prefers machine a.
func (s *search) before(a, b *look) bool {
	return a.room < b.room || a.room == b.room && a.machine < b.machine
}

// ask finds out how many of the free processors of a machine memory allows from t to end, and for how long that holds.
func (s *search) ask(l *look, t, end float64) {
	l.room, l.from, l.until = l.free, math.Inf(1), math.Inf(1)
	if s.g.nodes != nil {
		s.askNode(l, t, end)
		return
	}
	p := s.g.machines[l.machine].memory
	if p == nil || s.job.Memory == 0 {
		return
	}
	most, falls := 0.0, math.Inf(1)
	k := p.from(t)
	if t < end {
		for ; k < len(p.Times) && p.Times[k] < end; k++ {
			if p.Values[k] >= most && p.Values[k] > 0 {
				most, falls = p.Values[k], p.Times[k+1] // a next step exists: nothing is used from the last one on
			}
		}
		for ; k < len(p.Times); k++ {
			if p.Values[k] > most {
				l.until = p.Times[k]
				break
			}
		}
	}
	s.g.work += 20
	l.room = int32(place.Times(max(0, p.capacity-most), p.capacity, s.job.Memory, int(l.free)))
	if l.room < l.free {
		l.from = falls
	}
}

// choose is the processors for the job: the latest-released, lowest numbers first. Where slots name no processors, it is the first ones of each part: only their number counts.
func (s *search) choose() model.ProcessorSet {
	g := s.g
	ids := g.ids[:0] // parts
	for k, left := s.seen-1, int32(s.size); left > 0; k-- {
		r := &g.runs[k]
		n := min(r.count, left)
		if machine := g.parts[r.part].machine; s.anywhere {
			if !s.hosts[g.machines[machine].number] {
				continue
			}
		} else {
			at := s.at[machine] - 1
			if at < 0 || s.looks[at].room == 0 || s.oneMachine && at != s.home {
				continue
			}
			n = min(n, s.looks[at].room)
			s.looks[at].room -= n
		}
		if g.counts[r.part] == 0 {
			ids = append(ids, int(r.part))
		}
		g.counts[r.part] += n
		left -= n
	}
	g.ids = ids
	if len(ids) > 1 {
		slices.Sort(ids)
	}
	ranges := make(model.ProcessorSet, 0, len(ids))
	for _, id := range ids {
		first := int(g.parts[id].first)
		last := first + int(g.counts[id]) - 1
		if k := len(ranges) - 1; k >= 0 && ranges[k].Last+1 == first {
			ranges[k].Last = last
		} else {
			ranges = append(ranges, model.Range{First: first, Last: last})
		}
		g.counts[id] = 0
	}
	return ranges
}
