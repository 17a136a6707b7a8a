package sim

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Request is what the user of a job of an instance asked for.
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
	Stated bool

	index int // of the job in the instance
}

// Machine is what processors are given out from: one machine, or a group of alike machines where no job of the instance can tell
// them apart, as memory or a span within one machine would.
type Machine struct {
	Cluster    int
	Group      int     // index of its group in the cluster's machines
	Processors int     // of the machine, or of the whole group
	Speed      float64 // work per time of a processor
	Bandwidth  float64 // data per time; +Inf: unlimited
	Memory     float64 // of the machine; +Inf: unlimited or not to be counted
	first      int     // number of its first processor in the cluster
}

// Pool is a pool of licences.
type Pool struct {
	Licence int // index into the instance's licences
	Cluster int // whose pool it is; −1: the grid's
	Copies  int
}

// Grid is the system of an instance: its machines and pools, and what of them is free.
type Platform struct {
	Machines []Machine // cluster by cluster, in the order of processors
	Pools    []Pool
	Free     Room // now; a policy plans with copies

	in       *model.Instance
	clusters []clusterView
	poolOf   [][]int32 // cluster → licence → pool; −1: unlimited
}

// clusterView is what a grid knows of a cluster.
type clusterView struct {
	first, last int   // its machines
	order       []int // its machines, the fastest first
	idle        int   // processors of machines that are not listed: no job will ever need them
}

// Room is how much of each machine and pool is free, now or at a time in a plan.
type Room struct {
	Processors []int32   // by machine
	Memory     []float64 // by machine
	Copies     []int32   // by pool
}

// Share is a number of processors of a machine.
type Share struct{ Machine, Processors int32 }

// Clusters is the number of clusters.
func (g *Platform) Clusters() int { return len(g.clusters) }

// ClusterID is the name of a cluster.
func (g *Platform) ClusterID(cluster int) string { return g.in.Clusters()[cluster].ID }

// LicenceID is the name of a licence.
func (g *Platform) LicenceID(licence int) string { return g.in.Licences()[licence].ID }

// newGrid is the system of an instance, all free.
func newPlatform(in *model.Instance) *Platform {
	g := &Platform{in: in}
	together := plain(in)
	const apart = model.MemoryLimits | model.MachineSpan
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		view := clusterView{first: len(g.Machines)}
		if together { // nothing tells the groups apart, as in a trace
			first := &cluster.Machines[0]
			g.Machines = append(g.Machines, Machine{c, 0, cluster.Processors, first.Speed, first.Bandwidth, math.Inf(1), 0})
		}
		for k := 0; k < len(cluster.Machines) && !together; k++ {
			m := &cluster.Machines[k]
			count, units := 1, m.Count*m.Units
			if m.Units > 1 && in.Features()&apart != 0 {
				count, units = plan.Reach(in, m.Count), m.Units
				view.idle += (m.Count - count) * units
			}
			memory := math.Inf(1)
			if m.Units > 1 && in.Features()&model.MemoryLimits != 0 {
				memory = m.Memory // where a machine has one processor, what it can hold never changes: see hosts
			}
			for i := range count {
				g.Machines = append(g.Machines, Machine{c, k, units, m.Speed, m.Bandwidth, memory, m.First + i*m.Units})
			}
		}
		view.last = len(g.Machines)
		for m := view.first; m < view.last; m++ {
			view.order = append(view.order, m)
		}
		slices.SortStableFunc(view.order, func(a, b int) int {
			switch x, y := g.Machines[a].Speed, g.Machines[b].Speed; {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		g.clusters = append(g.clusters, view)
	}
	g.findPools()
	g.Free = g.All()
	return g
}

// findPools lists the limited pools.
func (g *Platform) findPools() {
	known := map[Pool]int32{}
	for c := range g.clusters {
		of := make([]int32, len(g.in.Licences()))
		for l := range of {
			copies, own := g.in.Pool(c, l)
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
				at = int32(len(g.Pools))
				known[pool] = at
				g.Pools = append(g.Pools, pool)
			}
			of[l] = at
		}
		g.poolOf = append(g.poolOf, of)
	}
}

// All is the room of the empty system.
func (g *Platform) All() Room {
	var r Room
	for k := range g.Machines {
		r.Processors = append(r.Processors, int32(g.Machines[k].Processors))
		r.Memory = append(r.Memory, g.Machines[k].Memory)
	}
	for _, p := range g.Pools {
		r.Copies = append(r.Copies, int32(min(p.Copies, math.MaxInt32)))
	}
	return r
}

// CopyFrom makes the room equal to another.
func (r *Room) CopyFrom(other *Room) {
	r.Processors = append(r.Processors[:0], other.Processors...)
	r.Memory = append(r.Memory[:0], other.Memory...)
	r.Copies = append(r.Copies[:0], other.Copies...)
}

// Meet leaves of the room what the other has too.
func (r *Room) Meet(other *Room) {
	for k, n := range other.Processors {
		r.Processors[k] = min(r.Processors[k], n)
		r.Memory[k] = min(r.Memory[k], other.Memory[k])
	}
	for k, n := range other.Copies {
		r.Copies[k] = min(r.Copies[k], n)
	}
}

// Width is the number of processors that a rigid job holds on the cluster.
func (g *Platform) Width(j *Job, cluster int) int {
	least, _ := g.in.Width(j.Request.index, cluster)
	return least
}

// CanRun says whether the job can run on the cluster when nothing else runs there.
func (g *Platform) CanRun(j *Job, cluster int) bool { return g.in.CanRun(j.Request.index, cluster) }

// memorySlack is the share of a machine's memory by which sums may be off through rounding.
const memoryRounding = 1e-12

// Fits chooses, from the room, the processors of the cluster for a rigid job: of the fastest machines first, those of one
// machine if it must stay on one. It appends them to the list; false where there are too few, or too few licences.
func (g *Platform) Fits(room *Room, j *Job, cluster int, shares []Share) ([]Share, bool) {
	if !g.CanRun(j, cluster) || g.ShortOf(room, j, cluster) >= 0 {
		return shares, false
	}
	left := g.Width(j, cluster)
	begin := len(shares)
	for _, m := range g.clusters[cluster].order {
		n := min(g.hosts(room, j, m), left)
		if j.Request.Span == model.SpanMachine {
			n = min(n, g.units(m)) // a group of machines of one processor counts as one machine here
		}
		switch {
		case n == left:
			return append(shares, Share{int32(m), int32(n)}), true
		case n > 0 && j.Request.Span != model.SpanMachine:
			shares = append(shares, Share{int32(m), int32(n)})
			left -= n
		}
	}
	return shares[:begin], false
}

// units is the number of processors of one machine.
func (g *Platform) units(m int) int {
	return g.in.Clusters()[g.Machines[m].Cluster].Machines[g.Machines[m].Group].Units
}

// ShortOf is the first licence of which the room has too few copies for the job on the cluster; −1: none.
func (g *Platform) ShortOf(room *Room, j *Job, cluster int) int {
	for _, need := range j.Request.Licences {
		if p := g.poolOf[cluster][need.Licence]; p >= 0 && int(room.Copies[p]) < need.Copies {
			return need.Licence
		}
	}
	return -1
}

// hosts is the number of processors of the machine that the job could hold now.
func (g *Platform) hosts(room *Room, j *Job, m int) int {
	free := int(room.Processors[m])
	if free == 0 {
		return 0
	}
	machine := &g.Machines[m]
	each := g.in.ProcessorsFor(&g.in.Jobs()[j.Request.index], &g.in.Clusters()[machine.Cluster].Machines[machine.Group])
	if each == 0 {
		return 0
	}
	if need := j.Request.Memory; need > 0 && !math.IsInf(machine.Memory, 1) {
		if fit := (room.Memory[m] + machine.Memory*memoryRounding) / need; fit < float64(free) {
			return int(fit)
		}
	}
	return free
}

// Take takes what a job holds on the cluster out of the room.
func (g *Platform) Take(room *Room, j *Job, cluster int, shares []Share) {
	g.take(room, j, shares)
	g.takeLicences(room, j, cluster)
}

func (g *Platform) take(room *Room, j *Job, shares []Share) {
	for _, s := range shares {
		room.Processors[s.Machine] -= s.Processors
		room.Memory[s.Machine] -= j.Request.Memory * float64(s.Processors)
	}
}

func (g *Platform) takeLicences(room *Room, j *Job, cluster int) {
	for _, need := range j.Request.Licences {
		if p := g.poolOf[cluster][need.Licence]; p >= 0 {
			room.Copies[p] -= int32(need.Copies)
		}
	}
}

// Give puts what a job holds on the cluster back into the room.
func (g *Platform) Give(room *Room, j *Job, cluster int, shares []Share) {
	g.give(room, j, shares)
	g.giveLicences(room, j, cluster)
}

func (g *Platform) give(room *Room, j *Job, shares []Share) {
	for _, s := range shares {
		m := &g.Machines[s.Machine]
		room.Processors[s.Machine] += s.Processors
		if int(room.Processors[s.Machine]) == m.Processors {
			room.Memory[s.Machine] = m.Memory // no rounding errors stay behind
		} else {
			room.Memory[s.Machine] += j.Request.Memory * float64(s.Processors)
		}
	}
}

func (g *Platform) giveLicences(room *Room, j *Job, cluster int) {
	for _, need := range j.Request.Licences {
		if p := g.poolOf[cluster][need.Licence]; p >= 0 {
			room.Copies[p] += int32(need.Copies)
		}
	}
}

// Estimate is the execution time of a job on the processors, as far as its user told: the time rule of the model with the estimate ×
// reference speed as the work of a task, on the slowest of the processors. Without a stated estimate it is the execution time.
func (g *Platform) Estimate(j *Job, cluster int, shares []Share) float64 {
	speed, link, n := math.Inf(1), math.Inf(1), 0
	for _, s := range shares {
		m := &g.Machines[s.Machine]
		speed, link, n = min(speed, m.Speed), min(link, m.Bandwidth), n+int(s.Processors)
	}
	r := j.Request
	each := (r.Tasks + n - 1) / n
	job := &g.in.Jobs()[r.index]
	switch {
	case r.Stated:
		return statedTime(g.in, r.index, cluster, speed, link, each)
	case job.StatesRuntimes() || g.in.Clusters()[cluster].Uniform:
		return g.in.Busy(r.index, cluster, speed, each) + g.in.Transfer(r.index, link)
	}
	var set model.ProcessorSet
	for _, s := range shares { // any processors of these machines: they are alike
		first := g.Machines[s.Machine].first
		set = append(set, model.Range{First: first, Last: first + int(s.Processors) - 1})
	}
	return g.in.Duration(r.index, cluster, model.NewProcessorSet(set...))
}

// Fastest is the least estimate of the job on the cluster, when nothing else runs there; +Inf where it can never run there.
func (g *Platform) Fastest(j *Job, cluster int, empty *Room) float64 {
	shares, ok := g.Fits(empty, j, cluster, nil)
	if !ok {
		return math.Inf(1)
	}
	return g.Estimate(j, cluster, shares)
}

// Licences is the number of licences that the instance names.
func (g *Platform) Licences() int { return len(g.in.Licences()) }

// Scarcity is the number of copies asked for over the copies in all pools of the licence; 0 where it is not limited, +Inf
// where copies are asked for and there are none.
func (g *Platform) Scarcity(licence int, asked float64) float64 {
	copies, limited := 0, false
	for _, p := range g.Pools {
		if p.Licence == licence {
			copies, limited = copies+p.Copies, true
		}
	}
	if !limited || asked == 0 {
		return 0
	}
	return asked / float64(copies)
}

// Holds says that the room has what a job would hold on the cluster.
func (g *Platform) HasRoom(room *Room, j *Job, cluster int, shares []Share) bool {
	for _, s := range shares {
		if g.hosts(room, j, int(s.Machine)) < int(s.Processors) {
			return false
		}
	}
	return g.ShortOf(room, j, cluster) < 0
}

// FreeProcessors is the number of processors of the cluster that no job holds now.
func (g *Platform) FreeProcessors(cluster int) int {
	free := g.clusters[cluster].idle
	for m := g.clusters[cluster].first; m < g.clusters[cluster].last; m++ {
		free += int(g.Free.Processors[m])
	}
	return free
}
