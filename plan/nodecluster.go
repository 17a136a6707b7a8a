package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/steps"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// nodeCluster tracks what is free of each machine of a cluster over time: processors, memory, resources and devices, and when it is closed. It serves
// schedules that fill holes, see [Placing]: unlike the other kinds of clusters it lets a job start in a hole between jobs that were placed before it.
//
// The earliest start of a job is the time at which it is ready, or one at which a step begins on some machine: a job starts or ends there, or a closed time
// begins or ends. So these times are tried in turn. What a kind of job found is kept: placing more jobs never makes room, so a job of the kind that is ready
// no earlier and takes no less time cannot start before that.
//
// Complexity of looking for a slot: O(machines) if no machine has changed since a job of the kind last looked, else O(steps) of each that has; for a job of
// several machines O(machines) for each time tried.
type nodeCluster struct {
	in      *model.Instance
	cluster int
	pools   *licencePools
	limit   *limit
	site    *place.Site
	known   *model.Instance // what the estimates say; nil: no machine is ever closed
	first   int             // its first machine in the site
	nodes   []node
	room    place.Room // what is free of each machine in the interval that was last looked at
	seeker  seeker
	memos   [][]memo // by kind, by machine
	gangs   map[gang]gangMemo
	kept    int
	queued  bool
	speeds  []float64 // distinct, descending
	links   []float64
	work    int64
}

// node is what is free of a machine over time. The first time is −Inf.
type node struct {
	steps.Function[place.State]
	version int32 // counts the changes
}

// memo is what a kind of job found on a machine.
type memo struct {
	version int32 // the version of the machine when start was its earliest start; or unknown, or bounded
	blocks  int32
	ready   float64
	takes   takes
	start   float64 // no job that is ready at the time or later, takes as long and needs as many blocks can start before
}

// takes is how long a job takes, and how long by its estimate as far as closed times matter.
type takes struct{ length, estimate float64 }

// within says that a job takes no longer than another job, and that its estimate is no longer than the other's.
func (a takes) within(b takes) bool { return a.length <= b.length && a.estimate <= b.estimate }

// Values of memo.version beside the versions of machines, which are at least 0.
const (
	unknown = -1 - iota // the machine has not been looked at
	bounded             // no start before memo.start is possible; whether one at that time is, is not known
)

// gang is what decides the earliest start of a job on several machines, beside when it is ready and how long it takes.
type gang struct {
	kind, processors int
	among            Among
}

// gangMemo is what the jobs of a gang found: no such job that is ready at the time ready or later, and takes that long or longer, can start before start.
type gangMemo struct {
	ready, start float64
	takes        takes
}

// Placing is how a schedule chooses among machines and times. The zero value takes the processors that were released last, and fills no holes.
type Placing struct {
	Rule  place.Name // chooses among machines, where jobs ask something of single machines; empty: [place.First]
	Seed  uint64     // of what the rule draws at random
	Holes bool       // a job may start in a hole between jobs that were placed before it; not where jobs must spread over clusters ([model.GridSpan])
}

// NodeFeatures are the features that make a schedule track what is free of single machines.
const NodeFeatures = model.NodeResources | model.Blocks | model.NodeFeatures | model.ClosedTimes | model.ExclusiveJobs | model.RunningJobs

// ByNode says whether the schedule tracks single machines: jobs ask something of them, or a rule chooses among machines that memory tells apart.
func (p Placing) ByNode(in *model.Instance) bool {
	f := in.Features()
	return in.Whole()&NodeFeatures != 0 || p.chooses() && f&(model.MemoryLimits|model.MachineSpan) != 0 && f&(model.GridSpan|model.Commitments) == 0
}

// chooses says whether the rule is another than the first machine.
func (p Placing) chooses() bool { return p.Rule.OrFirst() != place.First }

// rule is the rule of that name. A name that is none is a bug in the program and panics: parameters are checked before.
func (p Placing) rule() place.Rule {
	r, err := place.Lookup(p.Rule.OrFirst())
	if err != nil {
		panic(err)
	}
	return r
}

func newNodeCluster(of *Resources, cluster int) *nodeCluster {
	in, site := of.in, of.site
	g := &nodeCluster{in: in, cluster: cluster, pools: of.pools, limit: of.limit, site: site, room: site.Room(), gangs: map[gang]gangMemo{}}
	first, last := site.Of(cluster)
	g.first, g.nodes = first, make([]node, last-first)
	if in.Features().Has(model.ClosedTimes) {
		g.known = in.Known()
	}
	for k := range g.nodes {
		n, m := &g.nodes[k], &site.Machines[first+k]
		n.Times = []float64{math.Inf(-1)}
		for _, c := range m.Closed() {
			n.Times = append(n.Times, c.From, c.To)
		}
		slices.Sort(n.Times)
		n.Times = slices.Compact(n.Times)
		if last := len(n.Times) - 1; math.IsInf(n.Times[last], 1) {
			n.Times = n.Times[:last]
		}
		n.Values = make([]place.State, len(n.Times))
		for i := range n.Values {
			site.Save(&g.room, first+k, &n.Values[i])
		}
		g.speeds, g.links = append(g.speeds, m.Speed), append(g.links, m.Bandwidth)
	}
	g.speeds, g.links = distinct(g.speeds), distinct(g.links)
	for j := range in.Jobs() {
		if run := in.Jobs()[j].Node().Running; run != nil && run.Cluster == cluster {
			g.bookRunning(j)
		}
	}
	for _, h := range in.Held() {
		for _, p := range h.Pieces {
			if p.Cluster == cluster && p.End > in.FirstArrival() {
				g.occupy(site.KindOf(h.Job), site.Shares(site.KindOf(h.Job), cluster, p.Processors, p.Devices), h.Start, p.End)
			}
		}
	}
	return g
}

// fresh implements clusterState.
func (g *nodeCluster) fresh(of *Resources) clusterState {
	f := newNodeCluster(of, g.cluster)
	f.queued = g.queued
	return f
}

// queueInstants implements clusterState.
func (g *nodeCluster) queueInstants() { g.queued = true }

// release implements clusterState. A job may start in a hole between others, so a processor counts as free from the first arrival on.
func (g *nodeCluster) release(int) float64 { return g.in.FirstArrival() }

// size implements clusterState.
func (g *nodeCluster) size() int {
	devices := 0
	for k := range g.nodes {
		devices += len(g.site.Look(&g.room, g.first+k).Devices)
	}
	return 8*devices + len(g.nodes)*(128+8*len(g.in.Resources()))
}

// worked implements clusterState.
func (g *nodeCluster) worked() int64 { return g.work }

// earliest implements clusterState. The slowest machine and link that a job uses bound its end. So it tries, for each speed and each bandwidth that
// matters to the job in turn, the fastest first, the machines with at least that speed and bandwidth, and keeps the slot that ends first.
func (g *nodeCluster) earliest(job, processors int, ready float64, among Among) (Slot, bool) {
	j := &g.in.Jobs()[job]
	if j.Node().Running != nil {
		return g.runningSlot(job)
	}
	k := g.site.Kind(job)
	if !g.in.Clusters()[g.cluster].WholeMachines {
		processors = (processors + k.Size - 1) / k.Size * k.Size
	}
	best, found := Slot{End: math.Inf(1)}, false
	speeds, links := g.speeds, g.links
	if j.StatesRuntimes() {
		speeds, links = speeds[len(speeds)-1:], links[len(links)-1:]
	} else if j.Input+j.Output == 0 {
		links = links[len(links)-1:]
	}
	for _, speed := range speeds {
		for _, link := range links {
			if g.stopped() {
				return Slot{}, false
			}
			if !g.seeker.begin(g, job, k, processors, among.from(speed, link)) {
				continue
			}
			if slot, ok := g.seeker.seek(ready, best.End); ok && slot.End < best.End {
				best, found = slot, true
			}
		}
	}
	return best, found
}

// stopped counts a look at every machine as work, and says whether the search for a slot has to give up, see [limit].
func (g *nodeCluster) stopped() bool { return g.limit.spend(len(g.nodes)) }

// seeker looks for a slot of one job on some machines.
type seeker struct {
	g            *nodeCluster
	job          int
	kind         *place.Kind
	processors   int
	among        Among
	takes        // the longest that the job could take
	reservation  string
	blocks, size int
	alone        bool // all blocks lie on one machine
	profiled     bool // other jobs on the machines are in its way: it takes time, or jobs of no time have to queue too
	memos        []memo
	at           []gangNode // by machine, for a job of several machines: what the last look found
}

// gangNode is the number of blocks of a job on several machines for which one machine has room, in an interval of the job's length. It holds for every
// interval that begins in step from and ends at until or before: they meet the same steps.
type gangNode struct {
	blocks int32
	from   int32
	until  float64 // NaN: blocks is not known
}

// begin prepares to look; false where the job can never run on these machines.
func (s *seeker) begin(g *nodeCluster, job int, k *place.Kind, processors int, among Among) bool {
	j := &g.in.Jobs()[job]
	*s = seeker{g: g, job: job, kind: k, processors: processors, among: among, reservation: k.Node.Reservation, size: k.Size, at: s.at[:0]}
	if g.in.Clusters()[g.cluster].WholeMachines {
		s.size = 1
	}
	s.blocks = processors / s.size
	s.alone = s.blocks == 1 || j.Span == model.SpanMachine || k.Node.MaxMachines == 1
	slowest, slowestLink, room := math.Inf(1), math.Inf(1), 0
	for i := 0; i < len(g.nodes); {
		m := &g.site.Machines[g.first+i]
		hosts := g.site.Hosts(k, g.first+i)
		if hosts > 0 && among.has(m.Machine) {
			slowest, slowestLink = min(slowest, m.Speed), min(slowestLink, m.Bandwidth)
			if s.alone {
				room = max(room, hosts)
			} else {
				room += hosts * m.Count
			}
		}
		i += m.Count // the machines of a group stand together
	}
	if room < processors {
		return false
	}
	longest := s.longest(slowest)
	s.length = longest(g.in) + g.in.Transfer(job, slowestLink)
	if s.estimate = s.length; g.known != nil {
		s.estimate = min(s.length, longest(g.known)+g.known.Transfer(job, slowestLink))
	}
	s.profiled = s.length > 0 || g.queued
	if !s.alone {
		return true
	}
	for len(g.memos) <= k.Number {
		g.memos = append(g.memos, nil)
	}
	if g.memos[k.Number] == nil && g.kept+len(g.nodes) <= mostMemos {
		g.memos[k.Number] = make([]memo, len(g.nodes))
		for i := range g.memos[k.Number] {
			g.memos[k.Number][i].version = unknown
		}
		g.kept += len(g.nodes)
	}
	s.memos = g.memos[k.Number]
	return true
}

// longest returns the longest time that the processors of the job may be busy, given the slowest speed of the machines that it may use. On machines of
// different speed the fast ones take tasks from the slow ones, unless each processor gets one task. So the longest time is that on the slowest processors of
// these machines.
func (s *seeker) longest(slowest float64) func(in *model.Instance) float64 {
	g, j := s.g, &s.g.in.Jobs()[s.job]
	if s.alone || len(g.speeds) == 1 || j.Tasks == s.processors || j.StatesRuntimes() {
		tasks := (j.Tasks + s.processors - 1) / s.processors
		return func(in *model.Instance) float64 { return in.Busy(s.job, g.cluster, slowest, tasks) }
	}
	var runs []model.Range
	for k, left := len(g.speeds)-1, s.processors; k >= 0 && left > 0; k-- {
		for i := 0; i < len(g.nodes) && left > 0; i++ {
			if m := &g.site.Machines[g.first+i]; m.Speed == g.speeds[k] && s.usable(i) {
				n := min(left, g.site.Hosts(s.kind, g.first+i))
				runs = append(runs, model.Range{First: m.First, Last: m.First + n - 1})
				left -= n
			}
		}
	}
	set := model.NewProcessorSet(runs...)
	return func(in *model.Instance) float64 { return in.Longest(s.job, g.cluster, set, j.Tasks) }
}

// mostMemos is the most that kinds of jobs keep of machines, of 40 bytes each.
const mostMemos = 1 << 22

// seek is the slot of the earliest start from ready on; false: there is none that might end before the time beat.
func (s *seeker) seek(ready, beat float64) (Slot, bool) {
	g := s.g
	j := &g.in.Jobs()[s.job]
	find := s.together
	if s.alone {
		find = s.onOne
	}
	for t := ready; ; {
		t = find(t, beat)
		if !(model.End(t, s.length) < beat) || g.stopped() {
			return Slot{}, false
		}
		if later := g.pools.earliest(j, g.cluster, t, s.length); later > t {
			t = later
			continue
		}
		slot, ok := s.slot(t)
		if ok || s.alone {
			return slot, ok
		}
		t = s.next(t) // there is room, but not within the job's limits of the number of machines
	}
}

// usable says whether the machine is one of those that are looked at.
func (s *seeker) usable(i int) bool {
	m := &s.g.site.Machines[s.g.first+i]
	return s.among.has(m.Machine) && s.g.site.Hosts(s.kind, s.g.first+i) > 0
}

// onOne is the earliest time from ready on at which all blocks fit on one machine. If the job would end at beat or later from the result on, no earlier start
// exists, and the result need not be a start.
func (s *seeker) onOne(ready, beat float64) float64 {
	best := math.Inf(1)
	s.g.work += 3 * int64(len(s.g.nodes))
	for i := range s.g.nodes {
		if !s.usable(i) {
			continue
		}
		if best = min(best, s.first(i, ready, min(beat, model.End(best, s.length)))); best == ready {
			break
		}
	}
	return best
}

// first is the earliest time from ready on at which all blocks fit on the machine; +Inf: there is none at which the job ends before the time beat.
func (s *seeker) first(i int, ready, beat float64) float64 {
	n := &s.g.nodes[i]
	start, kept := ready, (*memo)(nil)
	if s.memos != nil && s.profiled {
		kept = &s.memos[i]
		switch {
		case kept.version == unknown || kept.blocks > int32(s.blocks) || kept.ready > ready || !kept.takes.within(s.takes):
		case kept.version == n.version && kept.blocks == int32(s.blocks) && kept.takes == s.takes && ready <= kept.start:
			return kept.start
		default:
			start = max(ready, kept.start)
		}
	}
	for ; model.End(start, s.length) < beat; start = n.After(start) {
		if s.room(i, start) >= s.blocks {
			if kept != nil {
				*kept = memo{n.version, int32(s.blocks), ready, s.takes, start}
			}
			return start
		}
	}
	if kept != nil && !math.IsInf(start, 1) { // all times before start were ruled out
		*kept = memo{bounded, int32(s.blocks), ready, s.takes, start}
	}
	return math.Inf(1)
}

// room brings what is free of the machine from the time until the job would end to the room, and returns the number of blocks that fit; 0 where the machine
// is closed to the job.
func (s *seeker) room(i int, start float64) int {
	g, n, m := s.g, &s.g.nodes[i], s.g.first+i
	if g.known != nil && !g.site.Machines[m].OpenTo(s.reservation, start, model.End(start, s.estimate)) {
		return 0
	}
	if !s.profiled {
		g.site.Load(&g.room, m, g.site.Idle(m))
		return g.site.Blocks(&g.room, s.kind, m)
	}
	k, end := n.At(start), model.End(start, s.length)
	g.work += 20
	if single := k+1 == len(n.Times) || n.Times[k+1] >= end; single {
		if !g.site.Holds(&g.room, m, &n.Values[k]) {
			g.site.Load(&g.room, m, &n.Values[k])
		}
		return g.site.Fitting(&g.room, s.kind, m)
	}
	g.site.Load(&g.room, m, &n.Values[k])
	for k++; k < len(n.Times) && n.Times[k] < end; k++ {
		g.work += 40
		if g.site.IntersectState(&g.room, m, &n.Values[k]); g.room.Processors[m] == 0 {
			return 0
		}
	}
	return g.site.Blocks(&g.room, s.kind, m)
}

// slot is the slot at the time, on machines that the rule chooses; false: no choice keeps the job's limits of the number of machines, or by rounding the job
// would take longer than was assumed.
func (s *seeker) slot(t float64) (Slot, bool) {
	g := s.g
	open := func(m int) bool {
		i := m - g.first
		if !s.usable(i) {
			return false
		}
		if s.alone {
			if s.memos != nil && s.profiled && s.memos[i].version == s.g.nodes[i].version && s.memos[i].takes == s.takes && s.memos[i].blocks <= int32(s.blocks) &&
				s.memos[i].ready <= t && t < s.memos[i].start {
				return false
			}
			return s.room(i, t) >= s.blocks
		}
		return s.room(i, t) > 0
	}
	shares, ok := g.site.Choose(&g.room, s.kind, g.cluster, s.processors, open, nil)
	if !ok {
		return Slot{}, false
	}
	set := g.processors(shares)
	g.work += 200 + 30*int64(len(g.nodes))
	length := g.in.Duration(s.job, g.cluster, set)
	if length > s.length && !s.alone { // by rounding, on machines of different speed
		return Slot{}, false
	}
	return Slot{Processors: s.processors, Start: t, End: model.End(t, length), set: set, shares: shares, instant: !s.profiled}, true
}

// processors returns the lowest processors of each machine, as many as the shares say. They stand in for the ones that the job gets in the end, which are no
// different.
func (g *nodeCluster) processors(shares []place.Share) model.ProcessorSet {
	runs := make([]model.Range, 0, len(shares))
	for _, share := range shares {
		first := g.site.Machines[share.Machine].First
		runs = append(runs, model.Range{First: first, Last: first + int(share.Processors) - 1})
	}
	return model.NewProcessorSet(runs...)
}

// together is the earliest time from ready on at which the machines together have room for all blocks. If the job would end at beat or later from the result
// on, no earlier start exists, and the result need not be a start.
func (s *seeker) together(ready, beat float64) float64 {
	g := s.g
	key := gang{s.kind.Number, s.processors, s.among}
	t := ready
	if known, ok := g.gangs[key]; ok && known.ready <= ready && known.takes.within(s.takes) {
		t = max(t, known.start)
	}
	for len(s.at) < len(g.nodes) {
		s.at = append(s.at, gangNode{until: math.NaN()})
	}
	for model.End(t, s.length) < beat && !g.stopped() {
		all := 0
		g.work += 5 * int64(len(g.nodes))
		for i := range g.nodes {
			if all += s.blocksAt(i, t); all >= s.blocks {
				break
			}
		}
		if all >= s.blocks {
			break
		}
		t = s.next(t)
	}
	if s.profiled {
		g.gangs[key] = gangMemo{ready, t, s.takes}
	}
	return t
}

// blocksAt is the number of blocks that fit on the machine from the time until the job would end.
func (s *seeker) blocksAt(i int, t float64) int {
	if !s.usable(i) {
		return 0
	}
	n, at := &s.g.nodes[i], &s.at[i]
	step := int32(n.At(t))
	if at.from == step && model.End(t, s.length) <= at.until && s.estimate == s.length {
		return int(at.blocks)
	}
	at.blocks, at.from, at.until = int32(s.room(i, t)), step, n.After(math.Nextafter(model.End(t, s.length), math.Inf(-1)))
	return int(at.blocks)
}

// next is the first time after the given one at which a step begins on a machine that the job may use; +Inf: none does.
func (s *seeker) next(t float64) float64 {
	next := math.Inf(1)
	for i := range s.g.nodes {
		if s.usable(i) {
			next = min(next, s.g.nodes[i].After(t))
		}
	}
	return next
}

// take implements clusterState.
func (g *nodeCluster) take(job, _ int, _ model.ProcessorSet, shares []place.Share, start, end float64) {
	k := g.site.Kind(job)
	for i := range shares {
		g.hold(k, shares[i:i+1], start, end)
	}
}

// hold takes what a share holds from start to end.
func (g *nodeCluster) hold(k *place.Kind, share []place.Share, start, end float64) {
	g.change(g.site.Take, k, share, start, end)
}

// occupy takes what the shares of a job outside the instance hold from start to end. Such jobs may wait for one another, see [place.Site.Occupy].
func (g *nodeCluster) occupy(k *place.Kind, shares []place.Share, start, end float64) {
	for i := range shares {
		g.change(g.site.Occupy, k, shares[i:i+1], start, end)
	}
}

// change takes a share out of what is free from start to end.
func (g *nodeCluster) change(take func(*place.Room, *place.Kind, []place.Share), k *place.Kind, share []place.Share, start, end float64) {
	if !(end > start) {
		return
	}
	m := int(share[0].Machine)
	n := &g.nodes[m-g.first]
	clone := func(s place.State) place.State { return s.Clone() }
	from := n.Split(start, clone)
	to := len(n.Times)
	if !math.IsInf(end, 1) {
		to = n.Split(end, clone)
	}
	for at := from; at < to; at++ {
		g.site.Load(&g.room, m, &n.Values[at])
		take(&g.room, k, share)
		g.site.Save(&g.room, m, &n.Values[at])
	}
	g.work += 200 + 100*int64(to-from) + int64(len(n.Times))
	n.version++
}

// holdPart takes what a part of a job holds that an earlier plan has placed.
func (g *nodeCluster) holdPart(job int, part model.Piece) {
	k := g.site.Kind(job)
	shares := g.site.Shares(k, g.cluster, part.Processors, part.Devices)
	for i := range shares {
		g.hold(k, shares[i:i+1], part.Start, part.End)
	}
}

// assign implements clusterState.
func (g *nodeCluster) assign(other clusterState) {
	from := other.(*nodeCluster)
	for i := range g.nodes {
		a, b := &g.nodes[i], &from.nodes[i]
		if a.same(b) {
			continue
		}
		a.Times = append(a.Times[:0], b.Times...)
		for len(a.Values) < len(b.Values) {
			a.Values = append(a.Values, place.State{})
		}
		a.Values = a.Values[:len(b.Values)]
		for k := range a.Values {
			g.site.Adopt(&a.Values[k], &b.Values[k])
		}
		a.version++
	}
	for k := range g.memos {
		for i := range g.memos[k] {
			g.memos[k][i].version = unknown
		}
	}
	clear(g.gangs)
}

// same says whether the same is free of both machines at every time.
func (n *node) same(other *node) bool {
	return slices.Equal(n.Times, other.Times) && slices.EqualFunc(n.Values, other.Values, alikeStates)
}

func alikeStates(a, b place.State) bool { return a.Alike(&b) }

// alike implements clusterState.
func (g *nodeCluster) alike(other clusterState, ready float64, _ Asked) bool {
	o := other.(*nodeCluster)
	for i := range g.nodes {
		if !g.nodes[i].AlikeFrom(ready, &o.nodes[i].Function, alikeStates) {
			return false
		}
	}
	return true
}

// bookRunning takes what a job that runs already holds, from 0 until it ends.
func (g *nodeCluster) bookRunning(job int) {
	slot, _ := g.runningSlot(job)
	for i := range slot.shares {
		g.hold(g.site.Kind(job), slot.shares[i:i+1], 0, slot.End)
	}
}

// runningSlot is the slot of a job that runs already: from 0 on, where it runs; false: it runs on another cluster.
func (g *nodeCluster) runningSlot(job int) (Slot, bool) {
	run := g.in.Jobs()[job].Node().Running
	if run.Cluster != g.cluster {
		return Slot{}, false
	}
	return Slot{Processors: run.Processors.Len(), Start: 0, End: model.End(0, g.in.Duration(job, g.cluster, run.Processors)), set: run.Processors,
		shares: g.site.Shares(g.site.Kind(job), g.cluster, run.Processors, nil), running: true}, true
}
