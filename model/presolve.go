package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/allot-opt/allot/internal/numtext"
)

// Use says who asks for a reduced instance, see [Reduce]. The bits may be combined.
type Use uint8

const (
	// OnLine is an on-line policy, which knows the system and the estimates of jobs. Rules that look at true run times do not apply. Those that look at when schedules end
	// take estimates for the truth, so that [Reduction.Fits] may refuse a schedule of jobs that take longer.
	OnLine Use = 1 << iota
	// Scoring is a placement rule other than the first, or a policy that weighs jobs by what they hold. Rules that change what machines have, or what jobs hold of it, do not apply.
	Scoring
	// Licensed is a policy that weighs jobs by the licences that they ask for. Needs of copies of which there are enough stay.
	Licensed
	// ByObjective is a solver that looks at deadlines as limits and as the objective counts them. Those that it does not count, or that no job can miss, do not concern it.
	ByObjective
)

// Reduction maps schedules between an instance and the reduced one that [Reduce] made of it. The zero value is that of an instance that is not reduced. Any number
// of goroutines may use it.
type Reduction struct {
	lines       []string  // the rules that applied, see String
	last        float64   // see Fits
	windows     bool      // a rule rests on last
	from, to    *Instance // nil: no machine has another name
	forth, back names
	merged      []bool // by cluster: its machines have other names; nil: none have
}

// names finds the machines of an instance by name.
type names struct {
	once sync.Once
	of   []map[string]int // by cluster: name → number; nil where names are the same
}

// Reduce is the presolve: it leaves out of an instance what cannot bind. The reduced instance has the jobs, clusters and processors of the original in the same order,
// the same objective and the same SHA-256. It is the original itself where no rule applies, and where it is a batch of another ([Instance.Batch]),
// of which earlier jobs may hold something.
//
// Every schedule that the checker accepts for the original it accepts, by [Reduction.Carry], for the reduced instance, with the same value of the objective up to
// rounding. So a bound of the reduced instance holds for the original, and so does a proof that there is no schedule. The other way round the same holds, by
// [Reduction.Restore], for schedules that [Reduction.Fits] accepts: those of a solver that starts no job later than it has to. Metrics that the objective does not name may
// differ; evaluate schedules on the original.
//
// The reduced instance is for its jobs alone: a job that is added later may need what is left out.
//
// Complexity: O(n log n) for n jobs and groups of machines.
func Reduce(in *Instance, use Use) (*Instance, *Reduction) {
	if len(in.jobs) == 0 || in.submitted != nil {
		return in, &Reduction{}
	}
	r := newReducer(in, use)
	for _, rule := range []func(*reducer){
		(*reducer).objective, (*reducer).licences, (*reducer).bandwidth, (*reducer).network, (*reducer).nodeFeatures, (*reducer).span, (*reducer).exclusive, (*reducer).blocks,
		(*reducer).memory, (*reducer).nodeResources, (*reducer).widths, (*reducer).precedence, (*reducer).reserved, (*reducer).powerCaps, (*reducer).closedBefore, (*reducer).sleep,
		(*reducer).horizon, (*reducer).closedAfter, (*reducer).hardDeadlines, (*reducer).deadlines, (*reducer).equalMachines,
	} {
		rule(r)
	}
	return r.finish()
}

// Binding are the features that the instance asks for and that can bind: those of [Instance.Features] without what jobs ask of machines and licences and [Reduce] would leave out.
// Whoever has two ways to do the same asks it, so that data that change no schedule change no decision, even in an instance that is not reduced.
//
// Complexity: that of Reduce; O(1) where the instance asks for nothing of the kind.
func (in *Instance) Binding() Features {
	const may = MemoryLimits | LicencePools | BandwidthNeeds | MachineSpan | NodeResources | Blocks | NodeFeatures | ExclusiveJobs | ClosedTimes
	if in.features&may == 0 {
		return in.features
	}
	reduced, _ := Reduce(in, 0)
	return in.features &^ (may &^ reduced.features)
}

// reducer applies the rules, one after another. Each looks at the instance as the rules before it have left it, and once at each class of jobs: those whose demands no rule
// tells apart.
type reducer struct {
	in       *Instance // the reduced instance; what it shares with the original is copied before it changes
	original *Instance
	use      Use
	demands  []*Demand // by class, in the order of the first jobs: what they ask for, with the largest memory and power of the class
	classes  []class
	classOf  []int32  // by job
	fresh    []Demand // memory for copies
	machines []bool   // by cluster: its machines are copies
	anyOwn   bool     // some cluster is a copy
	asks     asks     // of all jobs, before any rule
	nodes    map[nodeEdit]*NodeNeeds
	sites    sites
	waits    bool    // the rule precedence may look at what jobs wait for
	steps    int     // that may still be spent on looking at machines job by job
	last     float64 // see lastEnd; NaN: not computed
	report   *Reduction
}

// class is what a reducer knows of a class of jobs, beside what they ask for.
type class struct {
	jobs            int
	earliest        float64 // the first arrival of its jobs
	instant         bool    // its jobs take no time somewhere
	own             bool    // its demand is a copy
	edited          bool    // a rule has changed its demand
	differsInMemory bool
	differs         bool // its jobs differ in more, such as the data that they move
}

// asks is what jobs ask for, so that rules about what no job asks for cost nothing.
type asks uint16

const (
	asksMemory asks = 1 << iota
	asksBandwidth
	asksTransfer
	asksMessage
	asksLicences
	asksSpan
	asksWidths
	asksFeatures
	asksResources
	asksExclusive
	asksBlocks
	asksReservation
)

// asks is what jobs of the demand ask for.
func (d *Demand) asks() (a asks) {
	set := func(of asks, asked bool) {
		if asked {
			a |= of
		}
	}
	set(asksMemory, d.Memory > 0)
	set(asksBandwidth, d.MinBandwidth > 0)
	set(asksTransfer, d.runtimes == nil && (d.Input > 0 || d.Output > 0))
	set(asksMessage, d.runtimes == nil && d.Message > 0)
	set(asksLicences, len(d.Licences) > 0)
	set(asksSpan, d.Span != SpanCluster)
	set(asksWidths, d.Min < d.Max)
	if n := d.node; n != nil {
		set(asksFeatures, len(n.Features) > 0)
		set(asksResources, len(n.Resources) > 0 || n.Running != nil)
		set(asksExclusive, n.Exclusive)
		set(asksBlocks, n.Block > 1 || n.MaxMachines > 0 || n.PerMachine > 0)
		set(asksReservation, n.Reservation != "")
	}
	return a
}

// presolveSteps bounds the work that is spent on jobs that can run on some machines only: beyond it they count as jobs that can run on every machine, which keeps more.
const presolveSteps = 1 << 20

// nodeEdit names a change of what jobs ask of machines, so that jobs that shared their needs still do.
type nodeEdit struct {
	of                       *NodeNeeds
	lists                    uint64 // of features that go
	resources                uint64 // that go, see nodeResources
	exclusive, block, layout bool
	reservation              bool
}

// sites is what the machines of the grid have in common.
type sites struct {
	clusters    int
	groups      int     // of machines
	slowestLink float64 // the least bandwidth
	licences    bool    // some machine lists the licences that it runs
	oneEach     bool    // every machine is one processor
	whole       bool    // every cluster allocates whole machines
	noneWhole   bool
}

// newReducer looks at the machines and at the demands of all jobs.
func newReducer(in *Instance, use Use) *reducer {
	reduced := *in
	r := &reducer{in: &reduced, original: in, use: use, machines: make([]bool, len(in.clusters)), nodes: map[nodeEdit]*NodeNeeds{},
		steps: presolveSteps, last: math.NaN(), report: &Reduction{}}
	r.waits = in.successors != nil && in.features&RunningJobs != 0 && use&OnLine == 0 // on line nobody knows when a job that runs ends
	r.look()
	r.classify()
	return r
}

// alike is what decides the class of a job, beside lists of any length.
type alike struct { // without padding or texts, so that it is hashed in one go
	node            *NodeNeeds
	minBandwidth    uint64 // its bits
	licences        [2]Need
	min, max, tasks int
	memory          int32  // the number of different memories of machines that are too small; −1: the job needs none
	has             uint32 // bits: what is asked beside, see classFor
}

// classify finds the classes of the jobs. Jobs that state run times, need more than two licences or wait for others, where that may go, are of one class only if they share a demand.
func (r *reducer) classify() {
	type shared struct {
		of      *Demand
		instant bool
	}
	jobs := r.in.jobs
	r.classOf = make([]int32, len(jobs))
	byDemand, byValue, sizes := map[shared]int32{}, map[alike]int32{}, r.memories()
	var last shared
	for k := range jobs {
		j := &jobs[k]
		d := j.Demand
		now := shared{d, d.runtimes == nil && j.Work == 0 || slices.Contains(d.runtimes, 0)}
		c, known := int32(0), false
		switch {
		case now == last:
			c, known = r.classOf[k-1], true
		case d.plain(): // only such jobs share demands, but for those that a presolve has made alike
			c, known = byDemand[now]
		}
		if !known {
			c = r.classFor(d, now.instant, byValue, sizes)
			if len(byDemand) < mostShared && d.plain() {
				byDemand[now] = c
			}
		}
		last, r.classOf[k] = now, c
		r.classes[c].jobs++
		r.classes[c].earliest = min(r.classes[c].earliest, j.Arrival)
	}
}

// memories are the different memories of machines, in order.
func (r *reducer) memories() []float64 {
	var sizes []float64
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			sizes = append(sizes, r.in.clusters[c].Machines[g].Memory)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// classFor is the class of a demand, a new one if there is none yet.
func (r *reducer) classFor(d *Demand, instant bool, known map[alike]int32, memories []float64) int32 {
	asked := d.asks()
	r.asks |= asked
	c := int32(len(r.demands))
	if (d.After == nil || !r.waits) && d.runtimes == nil && len(d.Licences) <= 2 {
		key := alike{node: d.node, minBandwidth: math.Float64bits(d.MinBandwidth), min: d.Min, max: d.Max, tasks: d.Tasks, memory: -1, has: uint32(asked)}
		for k, has := range [...]bool{d.Span == SpanGrid, d.DeadlineHard, d.powerStated, instant} {
			if has {
				key.has |= 1 << (16 + k)
			}
		}
		copy(key.licences[:], d.Licences)
		if d.Memory > 0 {
			small, _ := slices.BinarySearchFunc(memories, d.Memory, func(has, needs float64) int {
				if roomFor(has, needs, 1) > 0 {
					return 1
				}
				return -1
			})
			key.memory = int32(small)
		}
		if of, found := known[key]; found {
			r.join(of, d)
			return of
		}
		if len(known) < mostShared {
			known[key] = c
		}
	}
	r.demands = append(r.demands, d)
	r.classes = append(r.classes, class{earliest: math.Inf(1), instant: instant})
	return c
}

// join makes the demand one of the class.
func (r *reducer) join(c int32, d *Demand) {
	of, class := r.demands[c], &r.classes[c]
	class.differsInMemory = class.differsInMemory || of.Memory != d.Memory
	if !class.differs {
		asked := d.Requirements
		asked.Memory = of.Memory
		class.differs = asked != of.Requirements || d.unasked != nil || of.unasked != nil || d.After != nil || of.After != nil
	}
	if d.Memory > of.Memory || d.power > of.power {
		of = r.copied(int(c))
		of.Memory, of.power = max(of.Memory, d.Memory), max(of.power, d.power)
	}
}

// look fills in what the machines have in common.
func (r *reducer) look() {
	s := sites{clusters: len(r.in.clusters), slowestLink: math.Inf(1), oneEach: true, whole: true, noneWhole: true}
	for c := range r.in.clusters {
		cluster := &r.in.clusters[c]
		s.whole, s.noneWhole = s.whole && cluster.WholeMachines, s.noneWhole && !cluster.WholeMachines
		s.groups += len(cluster.Machines)
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			s.slowestLink = min(s.slowestLink, m.Bandwidth)
			s.licences = s.licences || m.licences != nil
			s.oneEach = s.oneEach && m.Units == 1
		}
	}
	r.sites = s
}

// edit is a demand whose fields rules may change: those of [reducer.of].
func (r *reducer) edit(d int) *Demand {
	r.classes[d].edited = true
	return r.copied(d)
}

// copied is the demand of the class, which may be changed.
func (r *reducer) copied(d int) *Demand {
	if !r.classes[d].own {
		r.demands[d], r.classes[d].own = r.copyOf(r.demands[d]), true
	}
	return r.demands[d]
}

// copyOf is a copy of the demand.
func (r *reducer) copyOf(d *Demand) *Demand {
	if len(r.fresh) == 0 {
		r.fresh = make([]Demand, min(256, 1+len(r.demands)))
	}
	copied := &r.fresh[0]
	r.fresh = r.fresh[1:]
	*copied = *d
	return copied
}

// shared says whether all jobs of the class have one reduced demand.
func (r *reducer) shared(c int32) bool {
	class := &r.classes[c]
	return !class.differs && (r.demands[c].Memory == 0 || !class.differsInMemory)
}

// of is the reduced demand of a job of the class with the given demand.
func (r *reducer) of(c int32, asked *Demand) *Demand {
	class, as := &r.classes[c], r.demands[c]
	if !class.edited {
		return asked
	}
	if r.shared(c) {
		return as
	}
	own := r.copyOf(asked)
	own.Licences, own.node, own.Span = as.Licences, as.node, as.Span
	own.Max, own.MinBandwidth, own.DeadlineHard = as.Max, as.MinBandwidth, as.DeadlineHard
	if r.waits {
		own.After = as.After
	}
	if as.Memory == 0 {
		own.Memory = 0
	}
	return own
}

// editNode changes what a demand asks of machines; change is applied once for all demands that share it.
func (r *reducer) editNode(d int, as nodeEdit, change func(n *NodeNeeds)) {
	as.of = r.demands[d].node
	changed, known := r.nodes[as]
	if !known {
		own := *as.of
		change(&own)
		if !own.anything() {
			changed = nil
		} else {
			changed = &own
		}
		r.nodes[as] = changed
	}
	r.edit(d).node = changed
}

// anything says whether the needs ask for anything.
func (n *NodeNeeds) anything() bool {
	return n.Block > 1 || len(n.Resources) > 0 || n.MinMachines > 0 || n.MaxMachines > 0 || n.PerMachine > 0 || len(n.Features) > 0 || n.Exclusive || n.Reservation != "" ||
		n.Running != nil
}

// cluster is a cluster that may be changed, with its machines.
func (r *reducer) cluster(c int) *Cluster {
	if !r.anyOwn {
		r.in.clusters, r.anyOwn = slices.Clone(r.in.clusters), true
	}
	cluster := &r.in.clusters[c]
	if !r.machines[c] {
		cluster.Machines, r.machines[c] = slices.Clone(cluster.Machines), true
	}
	return cluster
}

// applied notes that a rule applied.
func (r *reducer) applied(format string, args ...any) {
	r.report.lines = append(r.report.lines, fmt.Sprintf(format, args...))
}

// counted is a number of jobs, in words.
func counted(jobs int) string { return numtext.CountedGrouped(jobs, "job") }

// minimises says whether the objective has one of the metrics.
func (r *reducer) minimises(metrics ...string) bool {
	return slices.ContainsFunc(r.in.objective, func(t ObjectiveTerm) bool { return t.Weight != 0 && slices.Contains(metrics, t.Metric) })
}

// running is where the jobs of a demand run already; nil: they do not.
func (d *Demand) running() *Running {
	if d.node == nil {
		return nil
	}
	return d.node.Running
}

// everywhere says whether run times, bandwidth, licences and features keep jobs of the demand, which do not run already, from no machine. It may be false where they do not.
func (r *reducer) everywhere(d *Demand) bool {
	return d.runtimes == nil && d.MinBandwidth <= r.sites.slowestLink && (len(d.Licences) == 0 || !r.sites.licences) && (d.node == nil || len(d.node.Features) == 0 && d.node.Running == nil)
}

// reaches says whether jobs of the demand that do not run already may run on machines of the group, as far as run times, bandwidth, licences and features decide.
func (r *reducer) reaches(d *Demand, c int, m *Machine) bool {
	if d.runtimes != nil && math.IsNaN(d.runtimes[c]) || m.Bandwidth < d.MinBandwidth {
		return false
	}
	for _, need := range d.Licences {
		if !m.Runs(need.Licence) {
			return false
		}
	}
	return d.node == nil || m.Offers(d.node.Features)
}

// opens says whether the machine reaches jobs of the demand and has the memory and the resources for one of its blocks.
func (r *reducer) opens(d *Demand, c int, m *Machine) bool {
	if !r.reaches(d, c, m) || roomFor(m.Memory, d.Memory, 1) <= 0 {
		return false
	}
	if d.node == nil {
		return true
	}
	blocks, _ := r.in.blocksByResources(d.node, m, 1)
	return blocks > 0
}

// onAll says whether something holds for every machine that is open to the jobs of the demand, which do not run already.
func (r *reducer) onAll(d *Demand, holds func(m *Machine) bool) bool {
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			r.steps--
			if m := &r.in.clusters[c].Machines[g]; !holds(m) && (r.steps < 0 || r.opens(d, c, m)) {
				return false
			}
		}
	}
	return true
}

// finish makes the reduced instance.
func (r *reducer) finish() (*Instance, *Reduction) {
	if len(r.report.lines) == 0 {
		return r.original, &Reduction{}
	}
	in := r.in
	var change func(job int)
	if slices.ContainsFunc(r.classes, func(c class) bool { return c.edited }) {
		in.jobs = slices.Clone(in.jobs)
		own := 0
		for c, class := range r.classes {
			if class.edited && !r.shared(int32(c)) {
				own += class.jobs
			}
		}
		if own > len(r.fresh) {
			r.fresh = make([]Demand, own)
		}
		change = func(k int) { // each as its features are looked at, while it is at hand
			if c := r.classOf[k]; k > 0 && c == r.classOf[k-1] && r.original.jobs[k].Demand == r.original.jobs[k-1].Demand {
				in.jobs[k].Demand = in.jobs[k-1].Demand
			} else {
				in.jobs[k].Demand = r.of(c, in.jobs[k].Demand)
			}
		}
	}
	in.features = in.findFeatures(change)
	return in, r.report
}

// Keeps says that solutions of the two instances are the same, so that Restore and Carry return what they get: no machine has another name.
func (r *Reduction) Keeps() bool { return r.to == nil }

// String lists the rules that applied, a line each with counts; empty: none.
func (r *Reduction) String() string { return strings.Join(r.lines, "\n") }

// Fits says whether a schedule, of either instance, ends as early as the rules take for granted that look at when schedules end: closed times, horizons and hard deadlines
// so late that they cannot bind. A schedule in which no job can start earlier without another starting later always does. The restored schedule of another may break what they
// have left out.
func (r *Reduction) Fits(sol *Solution) bool {
	if !r.windows {
		return true
	}
	for k := range sol.Jobs {
		if !(sol.Jobs[k].End <= r.last) {
			return false
		}
	}
	return true
}

// AlwaysFits says that Fits accepts every schedule.
func (r *Reduction) AlwaysFits() bool { return !r.windows }

// Restore maps a schedule of the reduced instance to one of the original: the devices and loads that it names get the names of the original's machines. It does not change
// the given one, and shares with it what stays.
func (r *Reduction) Restore(sol *Solution) *Solution { return r.rename(sol, r.to, r.from, &r.back) }

// Carry maps a schedule of the original to one of the reduced instance, as Restore maps the other way. It never fails: what names no machine stays as it is.
func (r *Reduction) Carry(sol *Solution) *Solution { return r.rename(sol, r.from, r.to, &r.forth) }

// RestorePlacement is Restore of one placement.
func (r *Reduction) RestorePlacement(p Placement) Placement {
	return r.placement(p, r.to, r.from, &r.back)
}

// RestoreMachine is the name, in the original, of a machine that the reduced instance calls by the given name.
func (r *Reduction) RestoreMachine(cluster int, name string) string {
	return r.machine(cluster, name, r.to, r.from, &r.back)
}

// rename maps a schedule of one instance to one of the other.
func (r *Reduction) rename(sol *Solution, from, to *Instance, by *names) *Solution {
	if r.to == nil || sol == nil {
		return sol
	}
	changed := *sol
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		if len(p.Devices) == 0 && !slices.ContainsFunc(p.Pieces, func(piece Piece) bool { return len(piece.Devices) > 0 }) {
			continue
		}
		if &changed.Jobs[0] == &sol.Jobs[0] {
			changed.Jobs = slices.Clone(sol.Jobs)
		}
		changed.Jobs[k] = r.placement(*p, from, to, by)
	}
	changed.Loads = slices.Clone(sol.Loads)
	for k := range changed.Loads {
		l := &changed.Loads[k]
		if c, known := from.clusterIndex[l.Cluster]; known {
			l.Machine = r.machine(c, l.Machine, from, to, by)
		}
	}
	return &changed
}

// placement maps a placement.
func (r *Reduction) placement(p Placement, from, to *Instance, by *names) Placement {
	if r.to == nil {
		return p
	}
	p.Devices = r.devices(p.Cluster, p.Devices, from, to, by)
	p.Pieces = slices.Clone(p.Pieces)
	for k := range p.Pieces {
		piece := &p.Pieces[k]
		piece.Devices = r.devices(piece.Cluster, piece.Devices, from, to, by)
	}
	return p
}

// devices maps the devices that are held on a cluster.
func (r *Reduction) devices(cluster string, held DevicesHeld, from, to *Instance, by *names) DevicesHeld {
	c, known := from.clusterIndex[cluster]
	if !known || len(held) == 0 || !r.merged[c] {
		return held
	}
	mapped := make(DevicesHeld, len(held))
	for id, machines := range held {
		mapped[id] = make(map[string]ProcessorSet, len(machines))
		for name, set := range machines {
			mapped[id][r.machine(c, name, from, to, by)] = set
		}
	}
	return mapped
}

// machine maps the name of a machine.
func (r *Reduction) machine(cluster int, name string, from, to *Instance, by *names) string {
	if r.to == nil || !r.merged[cluster] {
		return name
	}
	by.once.Do(func() {
		by.of = make([]map[string]int, len(from.clusters))
		for c := range from.clusters {
			if !r.merged[c] {
				continue
			}
			by.of[c] = make(map[string]int, from.clusters[c].machines)
			for g := range from.clusters[c].Machines {
				m := &from.clusters[c].Machines[g]
				for k := range m.Count {
					by.of[c][m.Name(k)] = m.firstMachine + k
				}
			}
		}
	})
	number, known := by.of[cluster][name]
	if !known {
		return name
	}
	m := to.clusters[cluster].groupOfMachine(number)
	return m.Name(number - m.firstMachine)
}

// groupOfMachine is the group of the machine with the number. O(log groups).
func (c *Cluster) groupOfMachine(number int) *Machine {
	at, found := slices.BinarySearchFunc(c.Machines, number, func(m Machine, number int) int { return m.firstMachine - number })
	if !found {
		at--
	}
	return &c.Machines[at]
}
