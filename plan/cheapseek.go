package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// cheapSeek looks for the cheapest slot of one job on processors of at least a speed and a bandwidth.
type cheapSeek struct {
	g            *cheapCluster
	j            *model.Job
	job, n       int
	ready, until float64
	first        bool    // the earliest slot, whatever it costs
	length       float64 // the longest that the job could take
	together     bool    // the job may take processors of several banks
	usable       []int32 // banks
	hosts        []int   // by usable bank: the most processors that the job could hold there
	cost         startCost
	barriers     []barrier

	best, bestCost float64  // the best start so far, and its cost
	bestWakes      float64  // the part of it that machines take more beside the processors
	found          bool     // there is one
	starts         []aStart // scratch: starts of a machine that can be off, or of several banks
	shares         []share  // scratch
	bestShares     []share
}

// aStart is a start with what it costs, or costs at least.
type aStart struct {
	start, cost float64
	touches     bool // the job would begin when the machine has served another or end when it serves the next, or it touches a time when something is short
}

// cheaper orders starts in a heap: those that cost least at least come first.
type cheaper struct{}

func (cheaper) Before(x, y aStart) bool {
	return x.cost < y.cost || x.cost == y.cost && (x.start < y.start || x.start == y.start && x.touches && !y.touches)
}
func (cheaper) Put(aStart, int) {}

// mostApart is how many starts of a job on a machine that can be off are looked at that touch no other job: those at which its own power costs least. What the
// machine takes more has other kinks too, at times of its ways from those of other jobs; a search finds them by moving jobs.
const mostApart = 24

// A job that may take processors of several banks looks at starts, the cheapest by their bound first, until it has looked at mostLooks ÷ jobs banks, but at
// fewestTried starts at least, and goes on until one of them has room: a list of all jobs then takes a time that grows with their number only.
const (
	mostLooks   = 1 << 22
	fewestTried = 8
)

// share is a number of processors of a bank.
type share struct {
	bank  int32
	n     int
	power float64 // of one of them
	wakes float64 // what the machine takes more beside them
}

// begin prepares to look; false where the job can never run there.
func (s *cheapSeek) begin(g *cheapCluster, job, n int, ready, until float64, among Among, first bool) bool {
	j := &g.in.Jobs()[job]
	*s = cheapSeek{g: g, j: j, job: job, n: n, ready: max(ready, g.prices.from), until: until, first: first || g.prices.times == nil, usable: s.usable[:0], hosts: s.hosts[:0],
		barriers: s.barriers[:0], starts: s.starts[:0], shares: s.shares[:0], bestShares: s.bestShares[:0]}
	oneMachine := j.Span == model.SpanMachine && g.in.Features().Has(model.MachineSpan)
	slowest, slowestLink, all, most := math.Inf(1), math.Inf(1), 0, 0
	var of *model.Machine
	hosts := 0
	for k := range g.banks {
		b := &g.banks[k]
		if b.group != of {
			hosts, of = 0, b.group
			if among.has(of) {
				hosts = g.in.ProcessorsFor(j, of)
			}
		}
		if hosts == 0 {
			continue
		}
		room := b.processors
		if b.processors == of.Units {
			room = hosts
		}
		slowest, slowestLink = min(slowest, of.Speed), min(slowestLink, of.Bandwidth)
		all, most = all+room, max(most, room)
		s.usable, s.hosts = append(s.usable, int32(k)), append(s.hosts, room)
	}
	if oneMachine && most < n || all < n {
		return false
	}
	s.together = !oneMachine && n > 1 && len(s.usable) > 1
	tasks := (j.Tasks + n - 1) / n
	s.length = g.in.Busy(job, g.cluster, slowest, tasks) + g.in.Transfer(job, slowestLink)
	return true
}

// slot is the best slot.
func (s *cheapSeek) slot() (Slot, bool) {
	g := s.g
	if s.length == 0 { // it holds nothing, whatever runs then
		if s.ready > s.until {
			return Slot{}, false
		}
		s.cost.begin(g.prices, g.waits, s.j, 0, 0)
		s.bestCost = s.cost.of(s.ready) // it may have waited
		s.allot(0, false, func(i int) (int, float64) {
			if !s.together && s.hosts[i] < s.n { // all of it has to be on one machine
				return 0, 0
			}
			return s.hosts[i], 0
		})
		slot := s.made(s.ready, s.shares)
		slot.instant = true
		return slot, slot.End <= s.until
	}
	if s.together {
		return s.several()
	}
	best := share{bank: -1}
	unused := int32(-1) // the first machine of a group that serves nobody: the others of the group are no different
	for i, k := range s.usable {
		b := &g.banks[k]
		if s.hosts[i] < s.n {
			continue
		}
		if len(b.used.Times) == 0 && b.sleeps {
			if unused >= 0 && g.banks[unused].group == b.group {
				continue
			}
			unused = k
		}
		start, cost, found := s.best, s.bestCost, s.found
		if s.onBank(b); s.found && (!found || s.best != start || s.bestCost != cost) {
			best.bank = k
		}
	}
	if best.bank < 0 {
		return Slot{}, false
	}
	best.n = s.n
	return s.made(s.best, append(s.bestShares[:0], best)), true
}

// powerIn is what a processor of the bank takes that runs the job.
func (s *cheapSeek) powerIn(b *bank) float64 {
	if own, stated := s.j.Power(); stated {
		return own
	}
	return b.power
}

// licences adds barriers of the pools of licences that the job draws from.
func (s *cheapSeek) licences() {
	if s.g.pools.profiles == nil {
		return
	}
	for _, need := range s.j.Licences {
		if p, _ := s.g.pools.of(need.Licence, s.g.cluster); p != nil && need.Copies > 0 {
			s.barriers = append(s.barriers, barrier{profile: p, amount: float64(need.Copies)})
		}
	}
}

// onBank looks at all starts in one bank.
func (s *cheapSeek) onBank(b *bank) {
	g := s.g
	from, to := b.window(g.prices, s.ready, s.until)
	if !s.fits(from, to) {
		return
	}
	power := s.powerIn(b)
	s.cost.begin(g.prices, g.waits, s.j, power*float64(s.n), s.length)
	s.barriers = append(s.barriers[:0], barrier{profile: b.used, amount: float64(s.n)})
	if b.memory != nil && s.j.Memory > 0 {
		s.barriers = append(s.barriers, barrier{profile: b.memory, amount: float64(s.n) * s.j.Memory})
	}
	if g.cap != nil {
		s.barriers = append(s.barriers, barrier{cap: g.cap, amount: float64(s.n), power: power})
	}
	s.licences()
	g.work += 60 + 4*int64(len(b.used.Times))
	wakes := b.sleeps && g.ways != nil && !s.first
	s.starts = s.starts[:0]
	s.eachRoom(from, to, func(a, z float64) bool {
		if s.first {
			s.offer(a, 0, 0)
			return false
		}
		s.eachStart(a, z, func(start float64) {
			switch cost := s.cost.of(start); {
			case !wakes:
				s.offer(start, cost, 0)
			case !s.found || cost <= s.bestCost+s.cost.tie: // else waking the machine makes it no cheaper
				s.starts = append(s.starts, aStart{start, cost, start == a || start == z})
			}
		})
		if wakes {
			s.eachTouch(b.used, a, z, func(start float64) { s.starts = append(s.starts, aStart{start, s.cost.of(start), true}) })
		}
		return true
	})
	if wakes {
		apart := 0
		s.cheapestFirst(func(x aStart) bool {
			if !x.touches {
				if apart++; apart > mostApart {
					return true
				}
			}
			g.work += 150
			if more := g.ways.more(b, x.start, s.end(x.start)); !math.IsInf(more, 1) {
				s.offer(x.start, x.cost+more, more)
			}
			return true
		})
	}
}

// cheapestFirst calls yield for the starts, those that cost least at least first, until one costs more than the best or yield returns false.
func (s *cheapSeek) cheapestFirst(yield func(x aStart) bool) {
	left := queue.Placed[aStart](s.starts)
	for k := len(left)/2 - 1; k >= 0; k-- {
		left.Down(cheaper{}, k)
	}
	for ; len(left) > 0; left.Remove(cheaper{}, 0) {
		if x := left[0]; s.found && x.cost > s.bestCost+s.cost.tie || !yield(x) {
			return
		}
	}
}

// offer takes a start if it is better than the best so far, and says whether it is.
func (s *cheapSeek) offer(start, cost, wakes float64) bool {
	switch {
	case !s.found || cost < s.bestCost-s.cost.tie:
	case cost <= s.bestCost+s.cost.tie && start < s.best:
	default:
		return false
	}
	s.best, s.bestCost, s.bestWakes, s.found = start, cost, wakes, true
	return true
}

// end is the end of the job if it starts at a time.
func (s *cheapSeek) end(start float64) float64 {
	end, _ := model.EndBy(start, s.length, s.until)
	return end
}

// fits says whether the job ends by a time, which is not after until, if it starts at another.
func (s *cheapSeek) fits(start, to float64) bool { return s.end(start) <= to }

// eachRoom calls yield for each time in which the job can start at any moment, from its first to its last, in order, until yield returns false. The barriers
// say when something is short: the job must not run in any such time.
func (s *cheapSeek) eachRoom(from, to float64, yield func(a, z float64) bool) {
	last := lastStart(to, s.length)
	for k := range s.barriers {
		s.barriers[k].begin(from)
	}
	for a := from; s.fits(a, to) && !math.IsInf(a, 1); {
		shortFrom, shortTo := math.Inf(1), math.Inf(1)
		for k := range s.barriers {
			if u, v := s.barriers[k].next(a); u < shortFrom || u == shortFrom && v > shortTo {
				shortFrom, shortTo = u, v
			}
		}
		if s.end(a) <= shortFrom {
			z := last
			if shortFrom < math.Inf(1) {
				z = min(last, lastStart(shortFrom, s.length))
			}
			if !yield(a, max(a, z)) {
				return
			}
		}
		a = shortTo
	}
}

// eachStart calls yield for the starts from a to z of which one is the cheapest, see startCost.
func (s *cheapSeek) eachStart(a, z float64, yield func(start float64)) {
	p := s.cost.prices
	yield(a)
	if !(a < z) {
		return
	}
	for k := firstAfter(p.drops, a); k < len(p.drops) && p.drops[k] < z; k++ {
		yield(p.drops[k])
	}
	for k := firstAfter(p.rises, a+s.length); k < len(p.rises); k++ {
		start := lastStart(p.rises[k], s.length)
		if start >= z {
			break
		}
		if start > a {
			yield(start)
		}
	}
	for _, start := range s.cost.kinks() {
		if start > a && start < z {
			yield(start)
		}
	}
	yield(z)
}

// eachTouch calls yield for the starts between a and z at which the job begins when the machine has served all others for a while, or ends when it will serve the next.
func (s *cheapSeek) eachTouch(used *profile, a, z float64, yield func(start float64)) {
	if !(a < z) {
		return
	}
	for k := used.after(a); k < len(used.Times); k++ {
		serves, served := used.Values[k] > 0, k > 0 && used.Values[k-1] > 0
		if serves == served {
			continue
		}
		start := used.Times[k]
		if serves {
			start = lastStart(start, s.length)
		}
		switch {
		case start > a && start < z:
			yield(start)
		case used.Times[k] >= model.End(z, s.length):
			return
		}
	}
}

// firstAfter is the index of the first time after another.
func firstAfter(times []float64, t float64) int {
	k, found := slices.BinarySearch(times, t)
	if found {
		k++
	}
	return k
}

// several looks for the best slot of a job that may take processors of several banks. It tries the starts at which something changes, the cheapest first by
// what the job costs there at least.
func (s *cheapSeek) several() (Slot, bool) {
	g := s.g
	from := s.ready
	if !s.fits(from, s.until) {
		return Slot{}, false
	}
	last := max(from, lastStart(s.until, s.length))
	least, most := math.Inf(1), math.Inf(-1)
	for _, k := range s.usable {
		power := s.powerIn(&g.banks[k])
		least, most = min(least, power), max(most, power)
	}
	s.cost.begin(g.prices, g.waits, s.j, least*float64(s.n), s.length)
	times := []float64{from, last}
	add := func(t float64) {
		if t >= from && s.fits(t, s.until) {
			times = append(times, t)
		}
	}
	change := func(list []float64) {
		for _, t := range list {
			if add(t); t > from {
				add(lastStart(t, s.length))
			}
		}
	}
	if g.prices.times != nil {
		s.eachStart(from, last, add)
	}
	for _, k := range s.usable {
		b := &g.banks[k]
		change(b.used.Times)
		if b.memory != nil {
			change(b.memory.Times)
		}
		begin, end := b.window(g.prices, from, s.until)
		add(begin)
		add(lastStart(end, s.length))
	}
	s.barriers = s.barriers[:0]
	s.licences()
	for k := range s.barriers {
		change(s.barriers[k].profile.Times)
	}
	if g.cap != nil {
		change(g.cap.Times)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	if math.IsInf(last, 1) { // without a horizon
		times = times[:len(times)-1]
	}
	looks := max(fewestTried, mostLooks/len(g.in.Jobs())/len(s.usable))
	try := func(start float64) bool {
		g.work += 25 * int64(len(s.usable))
		if looks--; s.found && looks < 0 || g.limit.spend(60*len(s.usable)) {
			return false
		}
		s.at(start, least)
		return true
	}
	g.work += 30 * int64(len(times))
	if s.first {
		for k := 0; k < len(times) && !s.found && try(times[k]); k++ {
		}
	} else {
		for _, t := range times {
			cost := s.cost.of(t)
			if unit := s.unit(t); unit < 0 { // then processors that take more cost less
				cost += (most - least) * float64(s.n) * unit
			}
			s.starts = append(s.starts, aStart{start: t, cost: cost})
		}
		s.cheapestFirst(func(x aStart) bool { return try(x.start) })
	}
	if g.limit.ended {
		return Slot{}, false
	}
	if !s.found {
		return Slot{}, false
	}
	return s.made(s.best, s.bestShares), true
}

// unit is what a unit of power costs for the length of the job from the start on.
func (s *cheapSeek) unit(start float64) float64 {
	if s.first {
		return 0
	}
	return s.g.prices.until(s.end(start)) - s.g.prices.until(start)
}

// at looks at one start of a job that may take processors of several banks; least is the least power of a processor.
func (s *cheapSeek) at(start, least float64) {
	g, end, unit := s.g, s.end(start), s.unit(start)
	for k := range s.barriers {
		if s.barriers[k].profile.earliest(start, s.length, s.barriers[k].amount) > start {
			return
		}
	}
	room := func(i int) (int, float64) {
		b := &g.banks[s.usable[i]]
		room, wakes := s.roomIn(i, start, end), 0.0
		if room > 0 && b.sleeps && !s.first {
			wakes = g.ways.more(b, start, end)
		}
		return room, wakes
	}
	if !s.allot(unit, false, room) {
		return
	}
	if !g.cap.allows(s.shares, start, end) {
		if s.allot(unit, true, room); !g.cap.allows(s.shares, start, end) {
			return
		}
	}
	cost, wakes := s.cost.of(start), 0.0
	for _, share := range s.shares {
		cost += (share.power - least) * float64(share.n) * unit
		wakes += share.wakes
	}
	if s.first {
		cost = 0
	}
	if s.offer(start, cost+wakes, wakes) {
		s.bestShares = append(s.bestShares[:0], s.shares...)
	}
}

// roomIn is the number of processors of usable bank i that are free for the job from start to end.
func (s *cheapSeek) roomIn(i int, start, end float64) int {
	b := &s.g.banks[s.usable[i]]
	if from, to := b.window(s.g.prices, start, end); from > start || to < end {
		return 0
	}
	room := min(s.hosts[i], int(b.used.free(start, end)))
	if b.memory != nil && s.j.Memory > 0 && room > 0 {
		room = b.memory.room(start, end, s.j.Memory, room)
	}
	return room
}

// allot shares the processors of the job among the banks, those whose processors cost least first, and of equal ones, or if it is frugal, those that take the
// least power; it says whether there are enough. unit is what a unit of power costs, and room is how many processors there are in a usable bank, and what the
// machine takes more beside them.
func (s *cheapSeek) allot(unit float64, frugal bool, room func(i int) (int, float64)) bool {
	s.shares = s.shares[:0]
	for i, k := range s.usable {
		if n, wakes := room(i); n > 0 && !math.IsInf(wakes, 1) {
			s.shares = append(s.shares, share{k, min(s.n, n), s.powerIn(&s.g.banks[k]), wakes})
		}
	}
	each := func(a share) float64 {
		if frugal {
			return 0
		}
		return a.power*unit + a.wakes/float64(a.n)
	}
	slices.SortStableFunc(s.shares, func(a, b share) int { return cmp.Or(cmp.Compare(each(a), each(b)), cmp.Compare(a.power, b.power)) })
	left := s.n
	for k := range s.shares {
		s.shares[k].n = min(s.shares[k].n, left)
		if left -= s.shares[k].n; left == 0 {
			s.shares = s.shares[:k+1]
			break
		}
	}
	slices.SortFunc(s.shares, func(a, b share) int { return int(a.bank - b.bank) })
	return left == 0
}

// allows says whether the shares may run from start to end.
func (p *powerCap) allows(shares []share, start, end float64) bool {
	if p == nil {
		return true
	}
	for k := p.At(start); k < len(p.Times) && p.Times[k] < end; k++ {
		taken := p.Values[k].taken
		for _, share := range shares {
			taken.add(share.power, float64(share.n))
		}
		if !taken.within(p.Values[k].most) {
			return false
		}
	}
	return true
}

// made is the slot at the start on the shares.
func (s *cheapSeek) made(start float64, shares []share) Slot {
	g := s.g
	slot := Slot{Processors: s.n, Start: start, End: s.end(start), Price: s.bestCost, Wakes: s.bestWakes}
	if len(g.banks) == 1 {
		return slot
	}
	runs := make([]model.Range, 0, len(shares))
	slot.shares = make([]place.Share, 0, len(shares))
	for _, share := range shares {
		first := g.banks[share.bank].first
		runs = append(runs, model.Range{First: first, Last: first + share.n - 1})
		slot.shares = append(slot.shares, place.Share{Machine: share.bank, Processors: int32(share.n)})
	}
	slot.set = model.NewProcessorSet(runs...)
	if length := g.in.Duration(s.job, g.cluster, slot.set); length < s.length {
		slot.End, _ = model.EndBy(start, length, s.until)
		s.reprice(&slot, shares, length)
	}
	return slot
}

// reprice is the price of a slot in which the job takes less time than the longest.
func (s *cheapSeek) reprice(slot *Slot, shares []share, length float64) {
	if s.first {
		return
	}
	power := 0.0
	slot.Wakes = 0
	for _, share := range shares {
		b := &s.g.banks[share.bank]
		power += s.powerIn(b) * float64(share.n)
		if b.sleeps && s.g.ways != nil {
			slot.Wakes += s.g.ways.more(b, slot.Start, slot.End)
		}
	}
	s.cost.begin(s.g.prices, s.g.waits, s.j, power, length)
	slot.Price = s.cost.of(slot.Start) + slot.Wakes
}
