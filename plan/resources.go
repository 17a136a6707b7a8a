package plan

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// Resources are the processors, the memory and the licences that the jobs placed so far hold, and until when. It looks for slots behind
// those jobs, on processors whose last job has ended: holes are not filled, unless [Placing] asks for it. It does not know which jobs it placed, nor which jobs wait
// for others; [Schedule] keeps that too.
//
// Assign restores a state, so that a search can continue from the middle of a schedule.
type Resources struct {
	in       *model.Instance
	clusters []clusterState
	pools    *licencePools
	limit    *limit
	site     *place.Site // nil: single machines are not tracked
	placing  Placing
}

// QueueInstants makes jobs that take no time wait for processors behind the jobs placed before them, as every other job does and as the
// heuristics of the textbooks say. Without it they start when they are ready, whatever runs then.
func (r *Resources) QueueInstants() {
	for _, c := range r.clusters {
		c.queueInstants()
	}
}

// Slot is a place for a job that Earliest or Spread found.
type Slot struct {
	Cluster    int // of the first piece
	Processors int // of all pieces
	Start, End float64
	Price      float64            // what the job costs there by its start, see [StartsCheap]; 0 where that does not count
	Wakes      float64            // the part of it that machines take more beside the processors of the job
	set        model.ProcessorSet // chosen already; nil: see pieces, or any free processors of a uniform cluster
	pieces     []piece            // of a job that spreads over several clusters
	shares     []place.Share      // by machine, where single machines are tracked; set stands for processors that are alike
	instant    bool               // the job takes no time there, so that it holds nothing
	running    bool               // the job runs already: what it holds is taken
}

// Set is processors of a slot on one cluster: those of the slot, or as many that are no different to any job. nil: any free processors of a cluster whose
// processors are alike.
func (s *Slot) Set() model.ProcessorSet { return s.set }

// piece is the part of a job on one cluster.
type piece struct {
	cluster, tasks int
	set            model.ProcessorSet
	end            float64
}

// clusterState is the state of one cluster.
type clusterState interface {
	// earliest is the slot of the earliest end for the job on n processors of some machines from ready on; false where it can never run on n.
	earliest(job, n int, ready float64, among Among) (Slot, bool)
	// take takes what the job holds in a slot of n processors on the cluster alone: the set where it is chosen, or shares of machines. (A pointer to the slot
	// would be memory from the heap for each job placed.)
	take(job, n int, set model.ProcessorSet, shares []place.Share, start, end float64)
	// release is the earliest time at which n processors are free.
	release(n int) float64
	// queueInstants is the cluster's part of Resources.QueueInstants.
	queueInstants()
	// fresh is the empty state of the same cluster, for another state of the resources.
	fresh(of *Resources) clusterState
	// assign copies another state of the same cluster.
	assign(other clusterState)
	// alike is the cluster's part of Resources.Alike.
	alike(other clusterState, ready float64, asked Asked) bool
	// size is about how many bytes the empty state takes.
	size() int
	// look estimates, in ns, how long a search for the slot of one job takes in a schedule of the given number of jobs; held is the mean number of processors that a job holds.
	look(jobs int, held float64) float64
	// worked is the cluster's part of Resources.Work.
	worked() int64
}

// NewResources is the empty state: nothing is held. Its Spread takes every job for which [CanSpread] holds. Where there is such a job it tracks
// each processor, which takes longer.
//
// Where [StartsCheap] holds, each slot that it finds is the cheapest instead of the earliest, and no job spreads over clusters. Where jobs ask something of single machines,
// see [FillsHoles], holes are filled.
func NewResources(in *model.Instance) *Resources {
	if StartsCheap(in) {
		return newCheapResources(in)
	}
	for j := range in.Jobs() {
		if CanSpread(in, j) {
			return newResources(in, true, Placing{})
		}
	}
	return newResources(in, false, Filling(in))
}

// newResources is the empty state, which tracks each processor where the instance asks for it or if track is set. Without track its Spread takes
// jobs for which [model.Instance.MustSpread] holds: those that fit no cluster. Where jobs ask something of single machines it tracks these, with the rule
// that chooses among them.
func newResources(in *model.Instance, track bool, placing Placing) *Resources {
	r := &Resources{in: in, pools: newLicencePools(in), limit: &limit{}, placing: placing}
	if in.Features().Has(model.ClosedTimes) && in.Binding().Has(model.ClosedTimes) {
		r.placing.Holes = true // the time before machines are closed is no hole that jobs have left
	}
	if r.placing.Holes || placing.ByNode(in) {
		r.site = place.NewSite(in, placing.rule(), placing.Seed)
		r.trackNodes()
		r.commit()
		return r
	}
	const needGeneral = model.BandwidthNeeds | model.MachineSpan | model.GridSpan
	general := track || in.Features()&needGeneral != 0
	costs := costMatters(in)
	for c := range in.Clusters() {
		if cluster := &in.Clusters()[c]; cluster.Uniform && !general && !(costs && costsDiffer(cluster)) && runsAll(in, cluster) && !memoryMatters(in, c) {
			r.clusters = append(r.clusters, newPlainCluster(in, c, r.pools))
		} else {
			r.clusters = append(r.clusters, newGeneralCluster(in, c, r.pools, r.limit, nil, nil, track || in.Features().Has(model.GridSpan)))
		}
	}
	r.commit()
	return r
}

// newCheapResources is the empty state where jobs start at the cheapest moment.
func newCheapResources(in *model.Instance) *Resources {
	r := &Resources{in: in, pools: newLicencePools(in), limit: &limit{}}
	for c := range in.Clusters() {
		r.clusters = append(r.clusters, newCheapCluster(in, c, r.pools, r.limit, newPrices(in, c)))
	}
	r.commit()
	return r
}

// trackNodes makes the states of clusters whose machines are tracked, and lets those jobs hold what they hold that run already.
func (r *Resources) trackNodes() {
	r.site.ExpectAll()
	for c := range r.in.Clusters() {
		nodes := newNodeCluster(r, c)
		if r.placing.Holes {
			r.clusters = append(r.clusters, nodes)
		} else {
			r.clusters = append(r.clusters, newGeneralCluster(r.in, c, r.pools, r.limit, nil, nodes, r.in.Features().Has(model.GridSpan)))
		}
	}
	for j := range r.in.Jobs() {
		run := r.in.Jobs()[j].Node().Running
		if run == nil {
			continue
		}
		slot, _ := r.clusters[run.Cluster].earliest(j, run.Processors.Len(), 0, allMachines)
		slot.Cluster = run.Cluster
		if g, ok := r.clusters[run.Cluster].(*generalCluster); ok {
			g.hold(&r.in.Jobs()[j], slot.set, slot.Start, slot.End)
			g.keep(slot.set, slot.End)
		}
		r.pools.add(&r.in.Jobs()[j], &slot)
	}
}

// memoryMatters says whether it matters on the cluster how much memory jobs need: which machines can hold a job, or which jobs may run beside
// each other on a machine.
//
// Complexity: O(jobs · groups of machines), and O(groups of machines) on a cluster of one group of machines of one processor each.
func memoryMatters(in *model.Instance, cluster int) bool {
	if in.Features()&model.MemoryLimits == 0 {
		return false
	}
	machines := in.Clusters()[cluster].Machines
	for k := range machines {
		if mayRunShort(in, cluster, &machines[k]) {
			return true
		}
	}
	if len(machines) == 1 {
		return false
	}
	for j := range in.Jobs() {
		first := in.ProcessorsFor(&in.Jobs()[j], &machines[0]) > 0
		for k := 1; k < len(machines); k++ {
			if in.ProcessorsFor(&in.Jobs()[j], &machines[k]) > 0 != first {
				return true
			}
		}
	}
	return false
}

// mayRunShort says whether jobs on all processors of a machine may need more memory than it has. A machine of one processor never runs short: a
// job that needs more than it has is not held there at all.
//
// Complexity: O(jobs); O(1) for a machine of one processor.
func mayRunShort(in *model.Instance, cluster int, m *model.Machine) bool {
	if math.IsInf(m.Memory, 1) || in.Features()&model.MemoryLimits == 0 {
		return false
	}
	if in.HeldUntil(cluster) != nil { // jobs outside the instance may need any
		return true
	}
	if m.Units == 1 {
		return false
	}
	for j := range in.Jobs() {
		if job := &in.Jobs()[j]; job.Memory*float64(m.Units) > m.Memory && in.ProcessorsFor(job, m) > 0 {
			return true
		}
	}
	return false
}

// runsAll says whether every machine of the cluster can run every licence.
func runsAll(in *model.Instance, c *model.Cluster) bool {
	for g := range c.Machines {
		for licence := range in.Licences() {
			if !c.Machines[g].Runs(licence) {
				return false
			}
		}
	}
	return true
}

// costMatters says whether the objective depends on what jobs cost.
func costMatters(in *model.Instance) bool {
	for _, term := range in.ObjectiveTerms() {
		switch term.Metric {
		case "cost", "over_budget", "workflow_failures":
			return true
		}
	}
	return false
}

// costsDiffer says whether the cost of a job depends on the machines of the cluster that it runs on.
func costsDiffer(c *model.Cluster) bool {
	for g := range c.Machines {
		if c.Machines[g].Cost != c.Machines[0].Cost {
			return true
		}
	}
	return false
}

// Earliest is the slot on the cluster from the time ready on at which the job ends first on n processors; false where n are never
// free. Where the job needs whole blocks, it gets the least number of them that makes up n. The job must be able to run on the cluster (see [model.Instance.CanRun]) and may hold n processors there.
func (r *Resources) Earliest(job, cluster, n int, ready float64) (Slot, bool) {
	return r.EarliestAmong(job, cluster, n, ready, allMachines)
}

// LatestEnd is a time by which the slot of the job ends that begins on the cluster as early as it can from the time ready on, on the fewest processors that the job may hold there; +Inf: none is
// known without a look. The job must be able to run on the cluster. Complexity: O(release times).
func (r *Resources) LatestEnd(job, cluster int, ready float64) float64 {
	n, _ := r.in.Width(job, cluster)
	counted, ok := r.clusters[cluster].(interface {
		latestEnd(job, n int, ready float64) float64
	})
	if !ok || n > r.in.Clusters()[cluster].Processors {
		return math.Inf(1)
	}
	return counted.latestEnd(job, n, ready)
}

// Release is the earliest time at which n processors of the cluster are free of the jobs placed so far.
func (r *Resources) Release(cluster, n int) float64 { return r.clusters[cluster].release(n) }

// Take places the job into a slot that was found after the last job was placed. A job that takes no time holds nothing.
func (r *Resources) Take(job int, slot *Slot) {
	j := &r.in.Jobs()[job]
	if slot.instant || slot.running {
		return
	}
	if slot.pieces == nil {
		r.clusters[slot.Cluster].take(job, slot.Processors, slot.set, slot.shares, slot.Start, slot.End)
	}
	for _, p := range slot.pieces {
		r.clusters[p.cluster].(*generalCluster).hold(j, p.set, slot.Start, p.end)
	}
	r.pools.add(j, slot)
}

// commit takes what jobs outside the instance hold. Plain clusters need nothing: they start with the times at which their processors are
// released. So do clusters whose machines are tracked: what is held there they take when they are made.
func (r *Resources) commit() {
	for _, h := range r.in.Held() {
		slot := Slot{Start: h.Start, End: h.End}
		for _, p := range h.Pieces {
			slot.pieces = append(slot.pieces, piece{cluster: p.Cluster, set: p.Processors, end: p.End})
			switch g := r.clusters[p.Cluster].(type) {
			case *generalCluster:
				g.hold(h.Job, p.Processors, h.Start, p.End)
			case *cheapCluster:
				g.holdSet(h.Job, p.Processors, h.Start, p.End)
			}
		}
		r.pools.add(h.Job, &slot)
	}
	for c := range r.clusters { // such a job may begin before the instance does, and end before another on the same processor
		if g, ok := r.clusters[c].(*generalCluster); ok && r.in.HeldUntil(c) != nil {
			g.start(r.in.HeldUntil(c))
		}
	}
}

// Assign copies the state of other, which must be of the same instance.
//
// Complexity: O(processors + memory and licences in use).
func (r *Resources) Assign(other *Resources) {
	for c := range r.clusters {
		r.clusters[c].assign(other.clusters[c])
	}
	r.pools.assign(other.pools)
}

// Clone returns a copy of the state. It takes less time than a new state: it does not ask again what the jobs need.
//
// Complexity: as that of Assign.
func (r *Resources) Clone() *Resources {
	c := &Resources{in: r.in, pools: newLicencePools(r.in), limit: &limit{}, placing: r.placing}
	c.limit.ctx = r.limit.ctx
	if r.site != nil {
		c.site = r.site.Fork(r.placing.rule(), r.placing.Seed)
		c.site.ExpectAll()
	}
	for _, cluster := range r.clusters {
		c.clusters = append(c.clusters, cluster.fresh(c))
	}
	c.Assign(r)
	return c
}

// Size is about how many bytes the empty state takes.
func (r *Resources) Size() int {
	bytes := 0
	for _, c := range r.clusters {
		bytes += c.size()
	}
	return bytes
}

// Work estimates the time, in ns, of the searches so far on one core of about 2020. It counts what the searches looked at, so it is the
// same on every machine and in every run. Assign does not change it.
func (r *Resources) Work() int64 {
	work := int64(0)
	for _, c := range r.clusters {
		work += c.worked()
	}
	for _, p := range r.pools.profiles {
		if p != nil {
			work += p.work
		}
	}
	return work
}

// Cost is the cost of the slot: the sum over its pieces of cost per time · time.
func (r *Resources) Cost(slot *Slot) float64 {
	if slot.pieces == nil {
		return (slot.End - slot.Start) * costRate(&r.in.Clusters()[slot.Cluster], slot.Processors, slot.set)
	}
	cost := 0.0
	for _, p := range slot.pieces {
		cost += (p.end - slot.Start) * costRate(&r.in.Clusters()[p.cluster], p.set.Len(), p.set)
	}
	return cost
}

// Pieces calls yield for each piece of the slot; a slot on one cluster is its own only piece.
func (r *Resources) Pieces(slot *Slot, yield func(cluster, processors int, end float64)) {
	if slot.pieces == nil {
		yield(slot.Cluster, slot.Processors, slot.End)
	}
	for _, p := range slot.pieces {
		yield(p.cluster, p.set.Len(), p.end)
	}
}

// costRate is the cost per time of n processors of the cluster: those of the set, or any n where all cost the same.
func costRate(c *model.Cluster, n int, set model.ProcessorSet) float64 {
	if set == nil {
		return float64(n) * c.Machines[0].Cost
	}
	return c.CostRate(set)
}

// licencePools are the profiles of the limited pools.
type licencePools struct {
	in       *model.Instance
	licences int
	profiles []*profile // of the grid's pools by licence, then of each cluster's own; nil: unlimited
}

func newLicencePools(in *model.Instance) *licencePools {
	l := &licencePools{in: in, licences: len(in.Licences())}
	if in.Features()&model.LicencePools == 0 {
		return l
	}
	l.profiles = make([]*profile, l.licences*(1+len(in.Clusters())))
	for c := range in.Clusters() {
		for k := range l.licences {
			copies, own := in.Pool(c, k)
			if at := l.index(k, c, own); copies != model.Unlimited && l.profiles[at] == nil {
				l.profiles[at] = newProfile(float64(copies))
			}
		}
	}
	return l
}

// index is the place of the pool's profile in profiles.
func (l *licencePools) index(licence, cluster int, own bool) int {
	if own {
		return (1+cluster)*l.licences + licence
	}
	return licence
}

// of is the profile that a job on the cluster draws the licence from, nil where it is unlimited, and whether it is the
// cluster's own.
func (l *licencePools) of(licence, cluster int) (p *profile, own bool) {
	if l.profiles == nil {
		return nil, false
	}
	_, own = l.in.Pool(cluster, licence)
	return l.profiles[l.index(licence, cluster, own)], own
}

// earliest is the earliest time from t on at which every licence the job needs is free for the length; +Inf: never.
func (l *licencePools) earliest(j *model.Job, cluster int, t, length float64) float64 {
	for again := true; again && t < math.Inf(1); {
		again = false
		for _, need := range j.Licences {
			if p, _ := l.of(need.Licence, cluster); p != nil && need.Copies > 0 {
				if later := p.earliest(t, length, float64(need.Copies)); later > t {
					t, again = later, true
				}
			}
		}
	}
	return t
}

// add takes the licences of the job, once from each pool, however many pieces of the job draw from it.
func (l *licencePools) add(j *model.Job, slot *Slot) {
	for _, need := range j.Licences {
		if need.Copies == 0 {
			continue
		}
		if slot.pieces == nil {
			if p, _ := l.of(need.Licence, slot.Cluster); p != nil {
				p.add(slot.Start, slot.End, float64(need.Copies))
			}
			continue
		}
		var drawn []*profile
		for _, piece := range slot.pieces {
			if p, _ := l.of(need.Licence, piece.cluster); p != nil && !slices.Contains(drawn, p) {
				drawn = append(drawn, p)
				p.add(slot.Start, slot.End, float64(need.Copies))
			}
		}
	}
}

// assign copies the state of other.
func (l *licencePools) assign(other *licencePools) {
	for k, p := range l.profiles {
		if p != nil {
			p.Assign(&other.profiles[k].Function)
		}
	}
}

// assignFrom copies the profile other from the step that contains the time on.
func (p *profile) assignFrom(other *profile, t float64) {
	from := other.from(t)
	p.Times = append(p.Times[:0], other.Times[from:]...)
	p.Values = append(p.Values[:0], other.Values[from:]...)
}
