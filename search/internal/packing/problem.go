package packing

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// problem is an instance as the engine sees it. It does not change once made.
type problem struct {
	in       *model.Instance
	start    float64   // when every placed job starts
	nothing  float64   // objective of the schedule that places no job
	kinds    []kind    // of jobs
	kindOf   []int32   // by job; −1: no schedule of the engine places it
	types    []variety // of machines
	machines []machine // of all clusters, in the order of the file
	rooms    []int32   // by kind and type of machine: the blocks that an idle machine holds
	dims     int       // resources without devices: processors, memory and those of machines
	resource []int32   // by resource of machines: its number among those with devices, or those without
	devices  int       // number of resources with devices
	pools    []int64   // copies of the licences, by pool
	gangs    []int32   // the kinds that may lie on several machines and are worth something
	scarce   int       // the resource of which jobs want most, compared with what there is: see waste
	mean     float64   // worth of a job, of those that are worth something

	// The kinds that are worth something in several orders, and where each kind stands in them.
	orders, ranks [][]int32
}

// kind is a set of jobs between which the engine sees no difference.
type kind struct {
	jobs     []int32 // in the order of the instance
	worth    float64 // by how much the objective falls where one of them is placed
	blocks   int32
	least    int32    // fewest distinct machines
	most     int32    // most of them
	each     int32    // blocks on each machine; 0: any number
	alone    bool     // it shares its machines with no other job
	needs    []need   // of a block, resources without devices
	devices  []need   // of a block, resources with devices
	licences [][]draw // by cluster; nil: none
}

// need is what a block holds of a resource.
type need struct {
	dim    int32
	amount int64
}

// draw is a number of copies that a job draws from a pool.
type draw struct {
	pool   int32
	copies int64
}

// allowed are the features that the engine honours. Without hard deadlines no instance is for it.
const allowed = model.HardDeadlines | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds | model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes |
	model.MachineSpan | model.NodeResources | model.Blocks | model.NodeFeatures | model.ClosedTimes | model.ExclusiveJobs

// newProblem reads an instance; nil if the engine cannot take it or ctx ends.
func newProblem(ctx context.Context, in *model.Instance) *problem {
	if in.Features()&^allowed != 0 || in.Features()&model.HardDeadlines == 0 {
		return nil
	}
	worth, nothing, ok := worths(in)
	if !ok {
		return nil
	}
	p := &problem{in: in, start: in.FirstArrival(), nothing: nothing, kindOf: slices.Repeat([]int32{-1}, len(in.Jobs())), dims: 2}
	for r := range in.Resources() {
		if in.Resources()[r].Devices {
			p.resource = append(p.resource, int32(p.devices))
			p.devices++
		} else {
			p.resource = append(p.resource, int32(p.dims))
			p.dims++
		}
	}
	unit := scaleOf(in)
	if !p.readMachines(unit) || !p.readJobs(ctx, worth, unit) {
		return nil
	}
	sum, n := 0.0, 0.0
	for k := range p.kinds {
		d := &p.kinds[k]
		if d.worth > 0 {
			sum, n = sum+d.worth*float64(len(d.jobs)), n+float64(len(d.jobs))
			if d.most > 1 {
				p.gangs = append(p.gangs, int32(k))
			}
		}
	}
	p.mean = sum / max(1, n)
	return p
}

// worths are, by job, by how much the objective falls where the job is placed, which is in time; and the objective of the schedule that places none.
// It returns false if the objective is no such sum.
func worths(in *model.Instance) (worth []float64, nothing float64, ok bool) {
	jobs, deadlines := in.Jobs(), 0
	for k := range jobs {
		if jobs[k].HasDeadline() {
			deadlines++
		}
	}
	worth = make([]float64, len(jobs))
	for _, term := range in.ObjectiveTerms() {
		of := func(*model.Job) float64 { return 1 } // what the metric counts of a job
		switch term.Metric {
		case "work_done":
			of = (*model.Job).TotalWork
		case "data_moved":
			of = func(j *model.Job) float64 { return j.Input + j.Output }
		case "finished", "unfinished":
		case "missed", "miss_rate":
			of = func(j *model.Job) float64 {
				switch {
				case !j.HasDeadline():
					return 0
				case term.Metric == "missed":
					return 1
				}
				return 100 / float64(deadlines)
			}
		default:
			if term.Weight == 0 {
				continue
			}
			return nil, 0, false
		}
		lost := term.Metric != "work_done" && term.Metric != "data_moved" && term.Metric != "finished" // it counts the jobs that are not placed
		for k := range jobs {
			if x := term.Weight * of(&jobs[k]); lost {
				worth[k] += x
				nothing += x
			} else {
				worth[k] -= x
			}
		}
	}
	return worth, nothing, true
}

// readJobs finds the kinds of jobs. It returns false if ctx ends, or if the engine cannot take the jobs: a job that can run must have a hard deadline
// that it misses unless it overlaps every other. Then all placed jobs run at one time, as any two of them overlap; so they may as well start together.
//
// Complexity: O(jobs · types of machines) at most, less where jobs ask for the same.
func (p *problem) readJobs(ctx context.Context, worth []float64, unit scale) bool {
	in := p.in
	whole := false
	for c := range in.Clusters() {
		if !in.Clusters()[c].Uniform {
			return false
		}
		whole = whole || in.Clusters()[c].WholeMachines
	}
	type window struct{ time, deadline float64 }
	var windows []window
	r := reader{problem: p, known: in.Known(), unit: unit, rows: map[string]*idle{}, byKey: map[string]int32{}, pools: map[[2]int]int32{}}
	shortest := math.Inf(1)
	behind := func(w window) bool { // the job may run behind another one
		return !model.Late(model.End(model.End(p.start, shortest), w.time), w.deadline)
	}
	for k := range in.Jobs() {
		if k%256 == 0 && ctx.Err() != nil {
			return false
		}
		job := &in.Jobs()[k]
		if whole && (job.Min > 1 || job.Node().Block > 1) {
			return false // a processor is a block of its own on clusters that allocate whole machines, and kinds have one number of blocks everywhere
		}
		row, fits := r.rowOf(k)
		if !fits {
			return false
		}
		if row == nil || worth[k] < 0 {
			continue
		}
		shortest = min(shortest, r.time)
		windows = append(windows, window{r.time, job.Deadline})
		if behind(windows[len(windows)-1]) { // so it may in the end: the shortest time only falls
			return false
		}
		r.add(k, worth[k], row)
	}
	return !slices.ContainsFunc(windows, behind)
}

// reader is what reading the jobs keeps from one to the next.
type reader struct {
	*problem
	known *model.Instance // as the checker sees estimates
	unit  scale
	rows  map[string]*idle // by what a job asks of machines
	byKey map[string]int32 // the kinds
	pools map[[2]int]int32 // by cluster, or −1 for the grid's, and licence
	time  float64          // the least time of the job that was read last
	key   []byte
}

// number adds a number to the key.
func (r *reader) number(x uint64) { r.key = binary.AppendUvarint(r.key, x) }

// asks sets the key to what the job asks of machines.
func (r *reader) asks(job *model.Job) {
	n := job.Node()
	r.key = r.key[:0]
	for _, x := range []int{job.Min, n.Block, n.MinMachines, n.MaxMachines, n.PerMachine, len(n.Features), len(n.Resources), len(job.Licences)} {
		r.number(uint64(x))
	}
	r.number(math.Float64bits(job.Memory))
	r.number(math.Float64bits(job.MinBandwidth))
	r.text(string(job.Span))
	r.text(n.Reservation)
	for _, list := range n.Features {
		r.number(uint64(len(list)))
		for _, name := range list {
			r.text(name)
		}
	}
	for _, need := range n.Resources {
		r.number(uint64(need.Resource))
		r.number(uint64(need.Amount))
	}
	for _, need := range job.Licences {
		r.number(uint64(need.Licence))
		r.number(uint64(need.Copies))
	}
	if n.Exclusive {
		r.number(1)
	} else {
		r.number(0)
	}
}

// idle is the room that idle machines have for jobs that ask the same of machines.
type idle struct {
	blocks []int32 // by type of machine
	enough []bool  // by cluster: such a job can run there, if it states a run time for the cluster or none at all, see [model.Instance.CanRun]
}

// idleFor is the room for jobs such as job k.
func (r *reader) idleFor(k int) *idle {
	in, job := r.in, &r.in.Jobs()[k]
	room := &idle{make([]int32, len(r.types)), make([]bool, len(in.Clusters()))}
	for t := range r.types {
		room.blocks[t] = int32(in.ProcessorsFor(job, &in.Clusters()[r.types[t].cluster].Machines[r.types[t].group]) / job.Node().Block)
	}
	for c := range room.enough {
		least, _ := in.Width(k, c)
		room.enough[c] = in.Usable(k, c) >= least && !slices.ContainsFunc(job.Licences, func(need model.Need) bool {
			copies, _ := in.Pool(c, need.Licence)
			return need.Copies > copies
		})
	}
	return room
}

// text adds a text to the key.
func (r *reader) text(s string) {
	r.number(uint64(len(s)))
	r.key = append(r.key, s...)
}

// rowOf is, by type of machine, the blocks of the job that an idle machine holds from the start on; nil: the job can run nowhere in time. It returns
// false if the job could be placed and has no hard deadline, takes no time, or can start later on a machine that is closed to it at the start.
func (r *reader) rowOf(k int) (row []int32, fits bool) {
	in, job := r.in, &r.in.Jobs()[k]
	n := job.Node()
	r.asks(job)
	room, seen := r.rows[string(r.key)]
	if !seen {
		room = r.idleFor(k)
		r.rows[string(r.key)] = room
	}
	row = make([]int32, len(r.types))
	any, last := false, int32(-1)
	var time, until float64
	r.time = math.Inf(1)
	for t, blocks := range room.blocks {
		c := r.types[t].cluster
		if blocks == 0 {
			continue
		}
		if c != last {
			last, time = c, math.NaN()
			if room.enough[c] {
				least, _ := in.Width(k, int(c))
				time = in.DurationOn(k, int(c), least)
				until = min(model.End(r.start, time), r.start+r.known.DurationOn(k, int(c), least))
			}
			switch end := model.End(r.start, time); {
			case math.IsNaN(time):
			case !job.DeadlineHard || !job.HasDeadline() || !(time > 0):
				return nil, false
			case model.Late(end, job.Deadline):
				time = math.NaN()
			}
		}
		if math.IsNaN(time) {
			continue
		}
		r.time = min(r.time, time)
		switch m := &in.Clusters()[c].Machines[r.types[t].group]; {
		case m.OpenTo(n.Reservation, r.start, until):
			row[t], any = blocks, true
		case slices.ContainsFunc(m.Closed(), func(closed model.Closure) bool { // it opens in time
			opens := func(at float64) bool {
				return at > r.start && !model.Late(model.End(at, time), job.Deadline) && m.OpenTo(n.Reservation, at, at+(until-r.start))
			}
			return opens(closed.From) || opens(closed.To)
		}):
			return nil, false
		}
	}
	if !any {
		return nil, true
	}
	return row, true
}

// add counts the job to its kind. Its key has been begun.
func (r *reader) add(k int, worth float64, row []int32) {
	in, job := r.in, &r.in.Jobs()[k]
	n := job.Node()
	r.number(math.Float64bits(worth))
	for _, blocks := range row {
		r.number(uint64(blocks))
	}
	at, seen := r.byKey[string(r.key)]
	if seen {
		if at >= 0 {
			r.kindOf[k] = at
			r.kinds[at].jobs = append(r.kinds[at].jobs, int32(k))
		}
		return
	}
	d := kind{jobs: []int32{int32(k)}, worth: worth, blocks: int32(job.Min / n.Block), least: int32(max(1, n.MinMachines)), most: int32(n.MaxMachines), each: int32(n.PerMachine), alone: n.Exclusive}
	switch {
	case job.Span == model.SpanMachine:
		d.most = 1
	case d.most == 0:
		d.most = d.blocks
	}
	d.most = min(d.most, d.blocks)
	if d.each > 0 {
		if d.blocks%d.each != 0 || d.blocks/d.each < d.least || d.blocks/d.each > d.most {
			d.most = 0
		} else {
			d.least, d.most = d.blocks/d.each, d.blocks/d.each
		}
	}
	if d.least > d.most {
		r.byKey[string(r.key)] = -1
		return
	}
	d.needs = append(d.needs, need{0, int64(n.Block)})
	if job.Memory > 0 {
		d.needs = append(d.needs, need{1, r.unit.need(job.Memory) * int64(n.Block)})
	}
	for _, held := range n.Resources {
		if dim := r.resource[held.Resource]; in.Resources()[held.Resource].Devices {
			d.devices = append(d.devices, need{dim, int64(held.Amount)})
		} else {
			d.needs = append(d.needs, need{dim, int64(held.Amount)})
		}
	}
	if len(job.Licences) > 0 {
		d.licences = make([][]draw, len(in.Clusters()))
		for c := range d.licences {
			for _, l := range job.Licences {
				if copies, own := in.Pool(c, l.Licence); copies != model.Unlimited {
					d.licences[c] = append(d.licences[c], draw{r.poolOf(c, l.Licence, own, copies), int64(l.Copies)})
				}
			}
		}
	}
	at = int32(len(r.kinds))
	r.byKey[string(r.key)], r.kindOf[k] = at, at
	r.kinds, r.rooms = append(r.kinds, d), append(r.rooms, row...)
}

// poolOf is the number of the pool from which jobs on the cluster draw the licence.
func (r *reader) poolOf(cluster, licence int, own bool, copies int) int32 {
	of := [2]int{-1, licence}
	if own {
		of[0] = cluster
	}
	pool, seen := r.pools[of]
	if !seen {
		pool = int32(len(r.problem.pools))
		r.pools[of] = pool
		r.problem.pools = append(r.problem.pools, int64(copies))
	}
	return pool
}

// sort makes the orders: by random weights of the resources and of the worth, the first by worth alone. In every fourth, small jobs come first.
func (p *problem) sort(rng *rand.Rand) {
	const orders = 16
	share := make([]float64, p.dims+p.devices) // by resource: what one unit is of the mean room of a machine
	for m := range p.machines {
		t := p.variety(int32(m))
		for d, room := range t.room {
			share[d] += float64(room)
		}
		for d, r := range t.devices {
			share[p.dims+d] += float64(r.to-r.from) * float64(model.WholeAmount)
		}
	}
	wanted := make([]float64, len(share))
	for k := range p.kinds {
		d := &p.kinds[k]
		for _, n := range d.needs {
			wanted[n.dim] += float64(n.amount) * float64(d.blocks) * float64(len(d.jobs))
		}
		for _, n := range d.devices {
			wanted[p.dims+int(n.dim)] += float64(n.amount) * float64(d.blocks) * float64(len(d.jobs))
		}
	}
	for d := range share {
		share[d] = float64(len(p.machines)) / max(1, share[d])
		if wanted[d]*share[d] > wanted[p.scarce]*share[p.scarce] {
			p.scarce = d
		}
	}
	var all []int32
	for k := range p.kinds {
		if p.kinds[k].worth > 0 {
			all = append(all, int32(k))
		}
	}
	score := make([]float64, len(p.kinds))
	for i := range orders {
		weights := make([]float64, len(share))
		ofWorth := 1.0
		if i > 0 {
			for d := range weights {
				if weights[d] = rng.ExpFloat64() * share[d]; rng.IntN(3) == 0 {
					weights[d] = 0
				}
			}
			ofWorth += rng.ExpFloat64()
		}
		sign := 1.0
		if i%4 == 3 {
			sign = -1
		}
		for _, k := range all {
			d, size := &p.kinds[k], 0.0
			for _, n := range d.needs {
				size += weights[n.dim] * float64(n.amount) * float64(d.blocks)
			}
			for _, n := range d.devices {
				size += weights[p.dims+int(n.dim)] * float64(n.amount) * float64(d.blocks)
			}
			score[k] = sign*size + ofWorth*d.worth/(4*p.mean)
		}
		order, rank := slices.Clone(all), make([]int32, len(p.kinds))
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(score[b], score[a]) })
		for at, k := range order {
			rank[k] = int32(at)
		}
		p.orders, p.ranks = append(p.orders, order), append(p.ranks, rank)
	}
}

// moveWork is about the ns that a move takes.
func (p *problem) moveWork() int64 {
	kinds := 0
	for k := range p.kinds {
		if p.kinds[k].worth > 0 {
			kinds++
		}
	}
	return 1000 + 22*int64(min(kinds, mostCandidates))
}
