package backfill

import (
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/internal/steps"
	"github.com/allot-opt/allot/sim"
)

// nodePlan is the planned room of a platform over time, from now on, machine by machine. It serves platforms on which nothing else matters to a start:
// see [sim.Platform.SteadyNodes]. What it finds is what [timeline] finds, which keeps all machines at each step.
type nodePlan struct {
	platform *sim.Platform
	step     float64
	now      float64
	began    bool
	ties     bool       // the rule chooses among all machines on which a job fits, so all are found; else the first is
	lines    []nodeLine // by machine
	needs    map[planKey]*planNeed
	rooms    []*roomNeed
	options  [][]planOption // by handle
	looks    []look         // by handle
	freed    []freedSpan    // since the pass before the last one
	past     int            // number of those that were forgotten
	passed   int            // number of all, at the begin of the last pass
	touched  []int          // by machine: number of spans when something last became free there
	launch   int            // counts the times that jobs start
	near     []int32        // of the gaps in which a job may start: their machines
	from     float64        // the first of these starts
	until    float64        // a time before which the last of these starts is
	room     sim.Room       // scratch
	at       []float64      // scratch: by place in the machines of a need
	soonest  []float64      // scratch
	among    bitset         // scratch
	shares   []sim.Share    // scratch
	clock    int64          // the last version
	versions []int64        // scratch
}

// nodeLine is what is free of a machine over time.
type nodeLine struct {
	steps.Function[nodeStep]
	version int64 // that nothing else had before it was last changed
}

// nodeStep is what is free of a machine in a step, and for which needs that is enough.
type nodeStep struct {
	state       sim.MachineState
	known, fits uint64 // sets of needs by number: those that have looked, and of these those for which it is enough
}

// planOption is a cluster on which a job may run, what it needs there and how long it takes.
type planOption struct {
	*planNeed
	length float64
}

func newNodePlan(platform *sim.Platform, step float64) *nodePlan {
	n := len(platform.Machines)
	p := &nodePlan{platform: platform, step: step, ties: !platform.TakesFirst(), lines: make([]nodeLine, n), needs: map[planKey]*planNeed{}, at: make([]float64, n), touched: make([]int, n), among: newBitset(n)}
	p.room.CopyFrom(platform.Empty())
	return p
}

// open implements availability.
func (p *nodePlan) open(now float64) {
	if p.now = now; !p.began {
		p.reset(now)
	}
}

// reset implements availability.
func (p *nodePlan) reset(now float64) {
	p.now, p.began, p.past, p.passed, p.freed = now, true, 0, 0, p.freed[:0]
	clear(p.touched)
	for m := range p.lines {
		l := &p.lines[m]
		l.Times, l.Values = append(l.Times[:0], now), append(l.Values[:0], nodeStep{state: p.platform.IdleState(m).Clone()})
		l.version = p.tick()
	}
	for _, r := range p.rooms {
		r.reset()
	}
}

// stepAt is the step in which the time lies; the first one where the time lies before it.
func (l *nodeLine) stepAt(at float64) int { return max(0, l.At(at)) }

// clone is a step that changes by itself.
func (s nodeStep) clone() nodeStep {
	s.state = s.state.Clone()
	return s
}

// alike says whether two steps are equal.
func (s nodeStep) alike(other nodeStep) bool { return s.state.Alike(&other.state) }

// take implements availability.
func (p *nodePlan) take(j *sim.Job, s *generalBooking) { p.change(j, s, false) }

// end implements availability. It notes that what is put back is free for others.
func (p *nodePlan) end(j *sim.Job, s *generalBooking) {
	p.change(j, s, true)
	p.note(s)
}

// tick is a version that nothing had before.
func (p *nodePlan) tick() int64 {
	p.clock++
	return p.clock
}

// tryWithout puts what the booking of a queued job holds back into the plan for a search; undo undoes that, so that all is as before.
func (p *nodePlan) tryWithout(j *sim.Job, s *generalBooking) {
	p.versions = p.versions[:0]
	for i := range s.shares {
		p.versions = append(p.versions, p.lines[s.shares[i].Machine].version)
	}
	p.change(j, s, true)
}

func (p *nodePlan) undo(j *sim.Job, s *generalBooking) {
	p.change(j, s, false)
	for i := range s.shares {
		p.lines[s.shares[i].Machine].version = p.versions[i]
	}
}

// note notes that what the booking held from now on is free.
func (p *nodePlan) note(s *generalBooking) {
	for i := range s.shares {
		if from := max(s.start, p.now); from < s.end {
			m := int(s.shares[i].Machine)
			p.freed = append(p.freed, freedSpan{m, from, s.end})
			p.touched[m] = p.past + len(p.freed)
		}
	}
}

// change takes what the booking holds from now on out of the plan, or puts it back. O(steps of the machine) a machine.
func (p *nodePlan) change(j *sim.Job, s *generalBooking, give bool) {
	start := max(s.start, p.now)
	if start >= s.end {
		return
	}
	for i := range s.shares {
		l := &p.lines[s.shares[i].Machine]
		l.Forget(p.now)
		from, to := l.Split(start, nodeStep.clone), l.Split(s.end, nodeStep.clone)
		for k := from; k < to; k++ {
			step := &l.Values[k]
			p.platform.ChangeState(&step.state, &p.room, j, s.shares[i:i+1], give)
			step.known = 0
		}
		l.version = p.tick()
		l.Join(to, nodeStep.alike)
		l.Join(from, nodeStep.alike)
	}
}

// firstStart is the earliest start on the machine, from a time on, of what needs so long there; +Inf: there is none before the limit. Only a time at which something becomes free can be the earliest
// start, or the first one asked for.
//
// Complexity: O(log s + k) for s steps of the machine, of which it looks at k; with devices O(k²) at worst.
func (p *nodePlan) firstStart(n *roomNeed, m int, length, from, limit float64) float64 {
	l := &p.lines[m]
	k := l.stepAt(from)
	for start := from; start < limit; start = l.Times[k] {
		end, last := ending(start, length, p.step), k
		fits := n.fits(p, l, m, last)
		for fits && l.End(last) < end {
			last++
			fits = n.fits(p, l, m, last)
		}
		switch {
		case !fits:
			k = last + 1
		case last == k || !n.devices:
			return start
		default:
			if p.meet(l, m, k, last); p.platform.Hosts(&p.room, &n.job, m) >= n.least {
				return start
			}
			k++
		}
		if k == len(l.Times) {
			break
		}
	}
	return math.Inf(1)
}

// meet brings what is free of the machine in all steps from first to last to the room.
func (p *nodePlan) meet(l *nodeLine, m, first, last int) {
	p.platform.LoadState(&p.room, m, &l.Values[first].state)
	for k := first + 1; k <= last; k++ {
		p.platform.MeetState(&p.room, m, &l.Values[k].state)
	}
}

// choose chooses machines for a job that starts at the time, among those of which among says that they may have room then. It appends them to shares.
func (p *nodePlan) choose(j *sim.Job, o *planOption, start float64) ([]sim.Share, bool) {
	end := ending(start, o.length, p.step)
	p.among.each(func(m int) {
		l := &p.lines[m]
		first := l.stepAt(start)
		last := first
		for l.End(last) < end {
			last++
		}
		p.meet(l, m, first, last)
	})
	var ok bool
	p.shares, ok = p.platform.FitsLate(&p.room, j, o.cluster, o.width, p.among.has, p.shares[:0])
	return p.shares, ok
}

// alone is the earliest start on one machine from a time on; +Inf: there is none before the limit. It leaves in among machines on which the job can start then: under the rule first the first of them, else all.
func (p *nodePlan) alone(o *planOption, machines []int32, from, limit float64) float64 {
	best := limit
	for _, m := range machines {
		bound := best
		if p.ties {
			bound = math.Nextafter(best, math.Inf(1))
		}
		start := p.firstStart(o.roomNeed, int(m), o.length, from, bound)
		if start < best {
			clear(p.among)
			best = start
			p.among.add(int(m))
		} else if start == best && best < limit {
			p.among.add(int(m))
		}
	}
	if best == limit {
		return math.Inf(1)
	}
	return best
}

// enough says whether as many machines as the job needs in any case may have room from a time on, each for as long as the job takes, from a start before the limit. Machines of the booking, of the job itself, always
// may. It leaves in at the first start on each of the others; −Inf: it is not known.
//
// Complexity: O(machines), and as [nodePlan.firstStart] for those that have changed since jobs of the need last looked, or for which a longer one did.
func (p *nodePlan) enough(o *planOption, s *generalBooking, from, limit float64) bool {
	left := o.fewest
	for i, m := range o.machines {
		p.at[i] = math.Inf(-1)
		kept, version := &o.kept[i], p.lines[m].version
		begin := from
		if kept.version == version && kept.length <= o.length && kept.from <= from {
			if kept.start >= limit {
				p.at[i] = kept.start
				continue
			}
			begin = max(from, kept.start)
		}
		start := p.firstStart(o.roomNeed, int(m), o.length, begin, limit)
		if p.at[i] = min(start, limit); start < limit {
			left--
		}
		*kept = keptStart{version, o.length, from, min(start, limit)}
	}
	if s == nil {
		return left <= 0
	}
	for i := range s.shares {
		if m := s.shares[i].Machine; o.mask.has(int(m)) {
			at, _ := slices.BinarySearch(o.machines, m)
			if p.at[at] = math.Inf(-1); o.kept[at].start >= limit {
				left--
			}
		}
	}
	return left <= 0
}

// together is the earliest start on several machines from a time on; +Inf: there is none before the limit. It leaves in among the machines that may have room then. It begins with the starts in at, see
// [nodePlan.enough].
//
// A time is tried only if as many machines as the job needs in any case have room from then on. The next one is that at which so many do, or if there are too few processors, that at which something becomes free.
func (p *nodePlan) together(j *sim.Job, o *planOption, from, limit float64) float64 {
	for t := from; t < limit; {
		p.soonest = p.soonest[:0]
		clear(p.among)
		for i, m := range o.machines {
			bound := limit
			if len(p.soonest) == o.fewest {
				bound = min(limit, math.Nextafter(p.soonest[o.fewest-1], math.Inf(1)))
			}
			if p.at[i] < t {
				p.at[i] = p.firstStart(o.roomNeed, int(m), o.length, t, bound)
			}
			switch at := p.at[i]; {
			case at == t:
				p.among.add(int(m))
				fallthrough
			case at < bound:
				p.soonest = keepLeast(p.soonest, at, o.fewest)
			case math.IsInf(at, 1):
				p.at[i] = math.Inf(-1) // it is only known that there is none before the bound
			}
		}
		if len(p.soonest) < o.fewest {
			break
		}
		if next := p.soonest[o.fewest-1]; next > t {
			t = next
			continue
		}
		if _, ok := p.choose(j, o, t); ok {
			return t
		}
		next := math.Inf(1)
		for _, m := range o.machines {
			l := &p.lines[m]
			next = min(next, l.End(l.stepAt(t)))
		}
		t = next
	}
	return math.Inf(1)
}

// keepLeast inserts a number into an ascending list of at most n, of which it keeps the least.
func keepLeast(list []float64, x float64, n int) []float64 {
	if len(list) == n {
		if x >= list[n-1] {
			return list
		}
		list = list[:n-1]
	}
	at := sort.SearchFloat64s(list, x)
	return slices.Insert(list, at, x)
}
