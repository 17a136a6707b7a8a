package sim

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/place"
)

// Request is what the user of a job asked for.
type Request struct {
	ID             string
	Min, Max       int // processors it may hold
	Tasks          int // equal tasks
	Span           model.Span
	Memory         float64 // of one task
	MinBandwidth   float64 // data per time
	Deadline       float64 // time; +Inf: none
	DeadlineHard   bool
	Licences       []model.Need
	UserClass      int     // index into the instance's user classes; −1: none
	ReferenceSpeed float64 // work per time that the estimate refers to
	// Stated says that the user stated an estimate; else the policy knows the execution time.
	Stated   bool
	WorkCV   float64 // coefficient of variation of the work
	Budget   float64 // limit of the cost; +Inf: none
	Workflow int     // index into the instance's workflows; −1: none
	// After are the numbers of the jobs that must end first, see Job.Number. They may be higher than the job's own.
	After []int64

	in    *model.Instance // which the job belongs to
	index int             // of the job in it
}

// MaySpread says whether the job may hold processors of several clusters: its span is the grid, and it may hold more than one processor and has more than one task.
func (r *Request) MaySpread() bool { return r.Span == model.SpanGrid && min(r.Max, r.Tasks) > 1 }

// Machine is one machine, or a whole group of equal machines if it does not matter to any job of the instance on which of them it runs. It matters to
// a job that needs memory, must stay on one machine, or asks for anything else of single machines, and to a rule that chooses among machines.
type Machine struct {
	Cluster    int
	Group      int     // index of its group in the cluster's machines
	Processors int     // of the machine, or of the whole group
	Speed      float64 // work per time of a processor
	Bandwidth  float64 // data per time; +Inf: unlimited
	Memory     float64 // of the machine; +Inf: unlimited or not to be counted
	Cost       float64 // of a processor per time
	// Background is the load of local jobs, which a policy knows of but does not see; nil: none.
	Background *model.Background
	First      int // number of its first processor in the cluster
}

// Pool is a pool of licences.
type Pool struct {
	Licence int // index into the instance's licences
	Cluster int // whose pool it is; −1: the grid's
	Copies  int
}

// Platform is the machines and licence pools of an instance, and what of them is free.
type Platform struct {
	Machines []Machine // cluster by cluster, in the order of processors
	Pools    []Pool    // the limited ones
	Free     Room      // what is free now; a policy plans with copies of it

	in       *model.Instance
	stated   *model.Instance // see byEstimates
	known    *model.Instance
	byQueue  bool   // see [Discipline].ByQueue
	together bool   // the machines of a cluster are listed as one
	alike    bool   // besides all jobs are rigid: how long one takes is known when it arrives
	nodes    *nodes // nil: jobs ask nothing of single machines, and no rule chooses among them
	power    *power // nil: no cluster has a power cap
	clusters []clusterView
	poolOf   [][]int32 // cluster → licence → pool; −1: unlimited
	empty    Room      // see Empty
	stopped  func() bool
	working  int // processors on which tasks run now; those that are only held until their job ends do not count
	now      float64
}

// clusterView is what a platform knows of a cluster.
type clusterView struct {
	first, last int   // its machines
	order       []int // its machines, the fastest first
	idle        int   // processors of machines that are not listed: no job will ever need them
}

// Room is how much of each machine and pool is free, now or at a time in a plan.
type Room struct {
	place.Room                      // of resources and devices only where jobs ask something of single machines
	Copies     []int32              // by pool
	Power      []model.PowerBalance // by cluster with a power cap
}

// Share is a number of processors of a machine, and the devices there.
type Share = place.Share

// Clusters is the number of clusters.
func (p *Platform) Clusters() int { return len(p.clusters) }

// Processors is the number of processors of all clusters.
func (p *Platform) Processors() int { return p.in.Processors() }

// ClusterID is the name of a cluster.
func (p *Platform) ClusterID(cluster int) string { return p.in.Clusters()[cluster].ID }

// Workflow is what the user of a workflow asked for.
type Workflow struct {
	ID       string
	Deadline float64 // time; +Inf: none
	Budget   float64 // limit of the cost; +Inf: none
}

// Workflow is the workflow of the index that a [Request] states.
func (p *Platform) Workflow(workflow int) Workflow {
	w := &p.in.Workflows()[workflow]
	return Workflow{w.ID, w.Deadline, w.Budget}
}

// LicenceID is the name of a licence.
func (p *Platform) LicenceID(licence int) string { return p.in.Licences()[licence].ID }

// background is the load of local jobs on a machine; nil: none.
func background(m *model.Machine) *model.Background {
	if m.Background == nil || m.Background.Load == 0 {
		return nil
	}
	return m.Background
}

// newPlatform is the platform of an instance, all free. Where the jobs are yet to come the features are those that they may have. With costs
// machines of different cost are listed apart.
// O(machines + clusters · licences).
func newPlatform(in *model.Instance, toCome model.Features, d *Discipline, seed uint64) *Platform {
	p := &Platform{in: in, byQueue: d.ByQueue}
	if toCome == 0 && d.byNode(in) {
		p.listNodes(d.Place, seed)
		p.listPower()
		return p
	}
	p.alike = IsTrace(in) && toCome == 0
	p.together = p.alike && !(d.Costs && !costAlike(in)) && !powerApart(in)
	features := in.Features() | toCome
	const apart = model.MemoryLimits | model.MachineSpan
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		view := clusterView{first: len(p.Machines)}
		if p.together { // nothing tells the groups apart, as in a trace
			first := &cluster.Machines[0]
			p.Machines = append(p.Machines, Machine{Cluster: c, Processors: cluster.Processors, Speed: first.Speed, Bandwidth: first.Bandwidth, Memory: math.Inf(1), Cost: first.Cost})
		}
		for k := 0; k < len(cluster.Machines) && !p.together; k++ {
			m := &cluster.Machines[k]
			count, units := 1, m.Count*m.Units
			if m.Units > 1 && features&apart != 0 {
				if count, units = m.Count, m.Units; toCome == 0 {
					count = plan.Reach(in, m.Count)
				}
				view.idle += (m.Count - count) * units
			}
			memory := math.Inf(1)
			if m.Units > 1 && features&model.MemoryLimits != 0 {
				memory = m.Memory // where a machine has one processor, what it can hold never changes: see hosts
			}
			for i := range count {
				p.Machines = append(p.Machines, Machine{c, k, units, m.Speed, m.Bandwidth, memory, m.Cost, background(m), m.First + i*m.Units})
			}
		}
		view.last = len(p.Machines)
		for m := view.first; m < view.last; m++ {
			view.order = append(view.order, m)
		}
		slices.SortStableFunc(view.order, func(a, b int) int {
			switch x, y := p.Machines[a].Speed, p.Machines[b].Speed; {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		p.clusters = append(p.clusters, view)
	}
	p.findPools()
	p.Free, p.empty = p.emptyRoom(), p.emptyRoom()
	p.listPower()
	return p
}

// Flat says that nothing but the number of free processors decides where a job fits, and that all processors are alike: rigid jobs, without limits of power, on one cluster.
func (p *Platform) Flat() bool { return p.together && p.in.Features()&model.PowerLimits == 0 }

// costAlike says whether all processors of a cluster cost the same.
func costAlike(in *model.Instance) bool {
	for c := range in.Clusters() {
		machines := in.Clusters()[c].Machines
		for g := range machines {
			if machines[g].Cost != machines[0].Cost {
				return false
			}
		}
	}
	return true
}

// SharesOf is how many of the cluster's processors in the set lie on each machine. It returns false where some lie on none that the platform
// lists: see [Machine]. O(machines of the cluster).
func (p *Platform) SharesOf(cluster int, set model.ProcessorSet) ([]Share, bool) {
	if cluster < 0 || cluster >= len(p.clusters) {
		return nil, false
	}
	var shares []Share
	found := 0
	for m := p.clusters[cluster].first; m < p.clusters[cluster].last; m++ {
		if n := p.Machines[m].within(set).Len(); n > 0 {
			shares = append(shares, Share{Machine: int32(m), Processors: int32(n)})
			found += n
		}
	}
	return shares, found == set.Len()
}

// PlacedOn is the shares of a job that a plan has placed: [Platform.SharesOf] and, where every machine is listed, its devices. It returns false where the empty platform
// has no such place for the job.
func (p *Platform) PlacedOn(j *Job, cluster int, set model.ProcessorSet, devices model.DevicesHeld) ([]Share, bool) {
	shares, ok := p.SharesOf(cluster, set)
	if !ok || p.nodes == nil {
		return shares, ok
	}
	k := p.nodes.site.Kind(j.Request.index)
	shares = p.nodes.site.Shares(k, cluster, set, devices)
	return shares, p.nodes.site.Has(&p.empty.Room, k, shares)
}

// findPools lists the limited pools.
func (p *Platform) findPools() {
	known := map[Pool]int32{}
	for c := range p.clusters {
		of := make([]int32, len(p.in.Licences()))
		for l := range of {
			copies, own := p.in.Pool(c, l)
			pool := Pool{l, -1, copies}
			if own {
				pool.Cluster = c
			}
			if copies == model.Unlimited {
				of[l] = -1
				continue
			}
			at, ok := known[pool]
			if !ok {
				at = int32(len(p.Pools))
				known[pool] = at
				p.Pools = append(p.Pools, pool)
			}
			of[l] = at
		}
		p.poolOf = append(p.poolOf, of)
	}
}

// emptyRoom is the room of the empty platform. O(machines + pools).
func (p *Platform) emptyRoom() Room {
	var r Room
	for k := range p.Machines {
		r.Processors = append(r.Processors, int32(p.Machines[k].Processors))
		r.Memory = append(r.Memory, p.Machines[k].Memory)
	}
	r.Copies = p.copies()
	return r
}

// copies are the copies in the pools when nothing runs.
func (p *Platform) copies() []int32 {
	var copies []int32
	for _, p := range p.Pools {
		copies = append(copies, int32(min(p.Copies, math.MaxInt32)))
	}
	return copies
}

// Empty is the room of the empty platform, to read only: all share it.
func (p *Platform) Empty() *Room { return &p.empty }

// Stopped is [Engine.Stopped], for what takes long outside of [Policy.Decide] too.
func (p *Platform) Stopped() bool { return p.stopped != nil && p.stopped() }

// CopyFrom makes the room equal to another.
func (r *Room) CopyFrom(other *Room) {
	r.Room.CopyFrom(&other.Room)
	r.Copies = append(r.Copies[:0], other.Copies...)
	r.Power = append(r.Power[:0], other.Power...)
}

// CopyCluster copies to the room what another has of the cluster: its machines and all pools. The machines of other clusters stay undefined.
func (p *Platform) CopyCluster(room, other *Room, cluster int) {
	first, last := p.clusters[cluster].first, p.clusters[cluster].last
	if len(room.Processors) != len(other.Processors) {
		room.CopyFrom(other)
		return
	}
	copy(room.Power, other.Power)
	if copy(room.Copies, other.Copies); p.nodes != nil {
		p.nodes.site.CopyMachines(&room.Room, &other.Room, first, last)
		return
	}
	copy(room.Processors[first:last], other.Processors[first:last])
	copy(room.Memory[first:last], other.Memory[first:last])
}

// IntersectCluster reduces what the room has of the cluster, its machines and all pools, to what is free in both rooms: the minimum of each entry.
func (p *Platform) IntersectCluster(room, other *Room, cluster int) {
	for k, n := range other.Copies {
		room.Copies[k] = min(room.Copies[k], n)
	}
	room.meetPower(other)
	if p.nodes != nil {
		p.nodes.site.Intersect(&room.Room, &other.Room, p.clusters[cluster].first, p.clusters[cluster].last)
		return
	}
	for k := p.clusters[cluster].first; k < p.clusters[cluster].last; k++ {
		room.Processors[k] = min(room.Processors[k], other.Processors[k])
		room.Memory[k] = min(room.Memory[k], other.Memory[k])
	}
}

// IntersectFor is [Platform.IntersectCluster] where only places for the given job, on the given number of processors, are looked for afterwards. It may treat a machine on which the job
// cannot run as full.
func (p *Platform) IntersectFor(room, other *Room, j *Job, cluster, processors int) {
	if p.nodes == nil {
		p.IntersectCluster(room, other, cluster)
		return
	}
	for k, n := range other.Copies {
		room.Copies[k] = min(room.Copies[k], n)
	}
	room.meetPower(other)
	n, blocks := p.nodes.site, 1
	k := n.Kind(j.Request.index)
	if j.Request.Span == model.SpanMachine || k.Node.MaxMachines == 1 || processors == k.Size {
		blocks = processors / p.nodes.sizeOn(k, cluster)
	}
	n.IntersectFor(&room.Room, &other.Room, k, blocks, p.clusters[cluster].first, p.clusters[cluster].last)
}

// Width is the number of processors that a rigid job holds on the cluster: the least that a moldable one may hold there.
func (p *Platform) Width(j *Job, cluster int) int {
	least, _ := j.Request.in.Width(j.Request.index, cluster)
	return least
}

// Widest is the largest number of processors that the job may hold on the cluster. It is one if the cluster
// allocates whole machines.
func (p *Platform) Widest(j *Job, cluster int) int {
	_, most := j.Request.in.Width(j.Request.index, cluster)
	return most
}

// CanRun says whether the job can run on the cluster when nothing else runs there.
func (p *Platform) CanRun(j *Job, cluster int) bool {
	if p.nodes != nil {
		return p.nodes.canRun(j.Request, cluster)
	}
	return j.Request.in.CanRun(j.Request.index, cluster)
}

// Fits chooses, from the room, the processors of the cluster for a rigid job that starts now: those of the fastest machines first, or of one machine
// if the job must stay on one. Where a rule chooses among machines, it chooses them and their devices. Fits appends them to shares. It returns false if
// the room has too little, or if too few machines are open to the job for as long as it is estimated to take. Where every machine is listed it also returns
// false if the job would miss its hard deadline, by its estimate, on whatever machines: where the rule chooses slow ones, it has to choose among faster ones.
// O(machines of the cluster).
func (p *Platform) Fits(room *Room, j *Job, cluster int, shares []Share) ([]Share, bool) {
	return p.FitsAt(room, j, cluster, p.Width(j, cluster), p.now, shares)
}

// FitsOn is [Platform.Fits] for a job that is to hold the given number of processors.
func (p *Platform) FitsOn(room *Room, j *Job, cluster, processors int, shares []Share) ([]Share, bool) {
	return p.FitsAt(room, j, cluster, processors, p.now, shares)
}

// FitsAt is [Platform.FitsOn] for a job that is to start at the given time, which matters to machines that are closed at times and to hard deadlines.
func (p *Platform) FitsAt(room *Room, j *Job, cluster, processors int, start float64, shares []Share) ([]Share, bool) {
	r := j.Request
	if r.in.Jobs()[r.index].StatesRuntimes() && !p.CanRun(j, cluster) || p.ShortOf(room, j, cluster) >= 0 {
		return shares, false // whatever else CanRun looks at, what is free in the room shows too
	}
	var site *place.Site
	begin, ok := len(shares), false
	if p.nodes != nil {
		site = p.nodes.site
		shares, ok = p.fitsInTime(site, room, j, cluster, processors, start, nil, shares)
	} else {
		shares, ok = p.fill(room, j, cluster, processors, p.clusters[cluster].order, shares)
	}
	if !ok || p.power == nil {
		return shares, ok
	}
	return p.underCap(site, room, j, cluster, processors, start, nil, shares, begin)
}

// fill is the shares of a job on machines of the cluster, in their order, where the platform lists no single machines.
func (p *Platform) fill(room *Room, j *Job, cluster, processors int, order []int, shares []Share) ([]Share, bool) {
	if p.together {
		if int(room.Processors[0]) < processors {
			return shares, false
		}
		return append(shares, Share{Machine: 0, Processors: int32(processors)}), true
	}
	r, left := j.Request, processors
	begin := len(shares)
	one := r.Span == model.SpanMachine
	group, each := -1, 0 // what a machine of the group that was looked at last can hold
	for _, m := range order {
		free := int(room.Processors[m])
		if free == 0 || one && free < left {
			continue
		}
		machine := &p.Machines[m]
		if machine.Group != group {
			group, each = machine.Group, p.each(j, machine)
		}
		n := hosted(room, j, m, machine, free, each)
		if one {
			n = min(n, p.units(m))
		}
		switch {
		case n >= left:
			return append(shares, Share{Machine: int32(m), Processors: int32(left)}), true
		case n > 0 && !one:
			shares = append(shares, Share{Machine: int32(m), Processors: int32(n)})
			left -= n
		}
	}
	return shares[:begin], false
}

// units is the number of processors of one machine of the group.
func (p *Platform) units(m int) int {
	return p.in.Clusters()[p.Machines[m].Cluster].Machines[p.Machines[m].Group].Units
}

// ShortOf returns the first licence with too few copies in the room for the job on the cluster; −1: none.
func (p *Platform) ShortOf(room *Room, j *Job, cluster int) int {
	return p.ShortOfBut(nil, room, j, cluster)
}

// ShortOfBut is [Platform.ShortOf] without some licences: but says by licence whether it does not count.
func (p *Platform) ShortOfBut(but []bool, room *Room, j *Job, cluster int) int {
	for _, need := range j.Request.Licences {
		if pool := p.poolOf[cluster][need.Licence]; pool >= 0 && int(room.Copies[pool]) < need.Copies && (but == nil || !but[need.Licence]) {
			return need.Licence
		}
	}
	return -1
}

// Hosts is the number of processors of machine m that jobs like this one could hold in the room. Where a job of several processors must stay on one machine and m is a group
// of machines of one processor, that is one at most. O(licences of the job).
func (p *Platform) Hosts(room *Room, j *Job, m int) int {
	n := p.hosts(room, j, m)
	if j.Request.Span == model.SpanMachine && j.Request.Max > 1 && p.nodes == nil {
		n = min(n, p.units(m))
	}
	return n
}

// hosts is the number of processors of machine m that the job could hold in the room.
func (p *Platform) hosts(room *Room, j *Job, m int) int {
	if p.nodes != nil {
		return p.nodes.hosts(room, j.Request.index, m)
	}
	free := int(room.Processors[m])
	if free == 0 {
		return 0
	}
	machine := &p.Machines[m]
	return hosted(room, j, m, machine, free, p.each(j, machine))
}

// each is the number of processors of one machine of the group that the job can hold when nothing else runs there.
func (p *Platform) each(j *Job, m *Machine) int {
	return j.Request.in.ProcessorsFor(&j.Request.in.Jobs()[j.Request.index], &p.in.Clusters()[m.Cluster].Machines[m.Group])
}

// hosted is the number of the machine's free processors that the job could hold in the room.
func hosted(room *Room, j *Job, m int, machine *Machine, free, each int) int {
	if each == 0 {
		return 0
	}
	if need := j.Request.Memory; need > 0 && !math.IsInf(machine.Memory, 1) {
		return min(place.Times(room.Memory[m], machine.Memory, need, free), each)
	}
	return free
}

// Take takes what a job holds on the cluster out of the room.
func (p *Platform) Take(room *Room, j *Job, cluster int, shares []Share) {
	p.take(room, j, shares)
	p.takeLicences(room, j, cluster)
}

func (p *Platform) take(room *Room, j *Job, shares []Share) {
	p.changePower(room, j, shares, 1)
	if p.nodes != nil {
		p.nodes.take(room, j.Request.index, shares)
		return
	}
	for _, s := range shares {
		room.Processors[s.Machine] -= s.Processors
		room.Memory[s.Machine] -= j.Request.Memory * float64(s.Processors)
	}
}

func (p *Platform) takeLicences(room *Room, j *Job, cluster int) {
	for _, need := range j.Request.Licences {
		if p := p.poolOf[cluster][need.Licence]; p >= 0 {
			room.Copies[p] -= int32(need.Copies)
		}
	}
}

// Give puts what a job holds on the cluster back into the room.
func (p *Platform) Give(room *Room, j *Job, cluster int, shares []Share) {
	p.give(room, j, shares)
	p.giveLicences(room, j, cluster)
}

func (p *Platform) give(room *Room, j *Job, shares []Share) {
	p.changePower(room, j, shares, -1)
	if p.nodes != nil {
		p.nodes.give(room, j.Request.index, shares, room == &p.Free)
		return
	}
	for _, s := range shares {
		m := &p.Machines[s.Machine]
		room.Processors[s.Machine] += s.Processors
		if int(room.Processors[s.Machine]) == m.Processors {
			room.Memory[s.Machine] = m.Memory // no rounding errors stay behind
		} else {
			room.Memory[s.Machine] += j.Request.Memory * float64(s.Processors)
		}
	}
}

func (p *Platform) giveLicences(room *Room, j *Job, cluster int) {
	for _, need := range j.Request.Licences {
		if p := p.poolOf[cluster][need.Licence]; p >= 0 {
			room.Copies[p] += int32(need.Copies)
		}
	}
}

// Estimate is the execution time that the job's user stated, on the given processors: the time rule of the model with
// estimate × reference speed as the work of a task, see [model.Instance.Known]. Without a stated estimate it is the execution
// time itself.
func (p *Platform) Estimate(j *Job, cluster int, shares []Share) float64 {
	return p.estimate(j, cluster, shares, j.Request.Tasks, p.link(shares))
}

// EstimateClaims is the execution time of the job on the processors of the claims, which share its tasks as they say; see
// [Platform.Estimate].
func (p *Platform) EstimateClaims(j *Job, claims []Claim) float64 {
	link, longest := math.Inf(1), 0.0
	for _, c := range claims {
		link = min(link, p.link(c.Shares))
	}
	for _, c := range claims {
		longest = max(longest, p.estimate(j, c.Cluster, c.Shares, c.Tasks, link))
	}
	return longest
}

// link is the least bandwidth of the machines.
func (p *Platform) link(shares []Share) float64 {
	link := math.Inf(1)
	for _, s := range shares {
		link = min(link, p.Machines[s.Machine].Bandwidth)
	}
	return link
}

func (p *Platform) estimate(j *Job, cluster int, shares []Share, tasks int, link float64) float64 {
	if p.alike && tasks == j.Request.Tasks {
		return j.expected
	}
	speed, n := math.Inf(1), 0
	for _, s := range shares {
		speed, n = min(speed, p.Machines[s.Machine].Speed), n+int(s.Processors)
	}
	r, in, uniform := j.Request, j.Request.in, p.in.Clusters()[cluster].Uniform
	each := (tasks + n - 1) / n
	switch {
	case r.Stated && uniform:
		return statedTime(in, r.index, cluster, speed, link, each)
	case r.Stated:
		in = p.byEstimates(in)
	}
	if uniform || in.Jobs()[r.index].StatesRuntimes() {
		return in.Busy(r.index, cluster, speed, each) + in.Transfer(r.index, link)
	}
	var set model.ProcessorSet
	for _, s := range shares { // any processors of these machines: they are alike
		first := p.Machines[s.Machine].First
		set = append(set, model.Range{First: first, Last: first + int(s.Processors) - 1})
	}
	return in.Longest(r.index, cluster, model.NewProcessorSet(set...), tasks) + in.Transfer(r.index, link)
}

// byEstimates is [model.Instance.Known] of an instance that jobs belong to, made once for all jobs that come one after the other.
func (p *Platform) byEstimates(in *model.Instance) *model.Instance {
	if p.stated != in {
		p.stated, p.known = in, in.Known()
	}
	return p.known
}

// Fastest is the least estimate of a job on the empty cluster, or +Inf if it can never run there. A moldable job counts at its rigid
// maximum, see [Platform.Rigid]. Closed times do not count.
func (p *Platform) Fastest(j *Job, cluster int, empty *Room) float64 {
	var shares []Share
	var ok bool
	if p.together && p.CanRun(j, cluster) {
		return j.expected
	}
	if p.nodes != nil {
		shares, ok = p.nodes.fastest(empty, j.Request, cluster, p.Rigid(j, cluster))
	} else {
		shares, ok = p.FitsOn(empty, j, cluster, p.Rigid(j, cluster), nil)
	}
	if !ok {
		return math.Inf(1)
	}
	return p.Estimate(j, cluster, shares)
}

// Licences is the number of licences that the instance names.
func (p *Platform) Licences() int { return len(p.in.Licences()) }

// Scarcity is the number of copies asked for over the copies in the pools of the licence that the clusters use: 0 where the licence is
// not limited, +Inf where copies are asked for and the pools are empty.
func (p *Platform) Scarcity(licence int, asked float64, clusters []int) float64 {
	copies, limited, grid := 0, false, false
	for _, c := range clusters {
		at := p.poolOf[c][licence]
		if at < 0 || grid && p.Pools[at].Cluster < 0 {
			continue
		}
		copies, limited, grid = copies+p.Pools[at].Copies, true, grid || p.Pools[at].Cluster < 0
	}
	if !limited || asked == 0 {
		return 0
	}
	return asked / float64(copies)
}

// HasRoom says whether the room has what the job would hold on the cluster if it started now, and the machines are open to it.
func (p *Platform) HasRoom(room *Room, j *Job, cluster int, shares []Share) bool {
	if p.nodes != nil {
		return p.nodes.has(room, j.Request.index, cluster, shares, p.now) && p.ShortOf(room, j, cluster) < 0 && p.keepsCap(room, j, cluster, shares)
	}
	for _, s := range shares {
		if p.together && room.Processors[s.Machine] >= s.Processors {
			continue
		}
		if p.hosts(room, j, int(s.Machine)) < int(s.Processors) {
			return false
		}
	}
	return p.ShortOf(room, j, cluster) < 0 && p.keepsCap(room, j, cluster, shares)
}

// FreeProcessors is the number of processors of the cluster that no job holds now.
func (p *Platform) FreeProcessors(cluster int) int {
	free := p.clusters[cluster].idle
	for m := p.clusters[cluster].first; m < p.clusters[cluster].last; m++ {
		free += int(p.Free.Processors[m])
	}
	return free
}

// MostFree is the number of free processors of the cluster in the room that a job could hold, and the most of one machine.
func (p *Platform) MostFree(room *Room, cluster int) (all, widest int32) {
	for m := p.clusters[cluster].first; m < p.clusters[cluster].last; m++ {
		all, widest = all+room.Processors[m], max(widest, room.Processors[m])
	}
	return all, widest
}
