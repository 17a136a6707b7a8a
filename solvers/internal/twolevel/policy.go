package twolevel

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// heuristics says by what the local schedulers order their queues.
type heuristics string

// The heuristics.
const (
	MS   heuristics = "ms"   // the priority that the meta-scheduler gave at submission
	LS   heuristics = "ls"   // a priority that changes with time
	none heuristics = "none" // arrival; the meta-scheduler gives all jobs the priority 0
)

// Options are the settings of the scheduler. A zero means zero; [Defaults] are the defaults.
type Options struct {
	Heuristics heuristics `enum:"ms,ls,none" doc:"order of the local queues: ms, by the meta-scheduler's priority; ls, by a priority that changes with time, with the weights aging to wait; none, by arrival, and the meta-scheduler gives all jobs the same priority"`
	Step       float64    `range:"(0, inf)" doc:"a job that has outlived its estimate is expected to end this time from now"`

	Levels     int     `range:"[0, 60]" doc:"highest value of the meta-scheduler's parts for deadline and licences"`
	Window     int     `range:"[1, 1000000]" doc:"number of jobs with deadlines over whose margins the meta-scheduler takes the mean"`
	MSDeadline float64 `range:"[0, 1e18]" doc:"weight of the deadline in the meta-scheduler's priority"`
	MSLicences float64 `range:"[0, 1e18]" doc:"weight of the licences in the meta-scheduler's priority"`
	MSUser     float64 `range:"[0, 1e18]" doc:"weight of the user's class in the meta-scheduler's priority"`

	Deadline            float64 `range:"[-1e18, 1e18]" doc:"ls: weight of the score of the deadline"`
	backfill.Priorities         // of ls; the licences count the jobs that ask for them
}

// Defaults are the settings that the specification assumes, as the paper states none.
func Defaults() Options {
	return Options{Heuristics: LS, Step: 1, Levels: 10, Window: 100, MSDeadline: 1, MSLicences: 1, MSUser: 1, Deadline: 1, Priorities: backfill.DefaultPriorities()}
}

// local are the weights of the local schedulers with LS.
func (o *Options) local() backfill.Priorities {
	p := o.Priorities
	p.DeadlineLow *= o.Deadline
	p.DeadlineHigh *= o.Deadline
	return p
}

// New returns the two-level scheduler. It chooses among equal clusters at random, by the seed of the run.
//
// Complexity: O(w + C·(p + m)) an arrival for a window of w margins, p priorities in a queue and C clusters of m machines, and that of
// [backfill.Local] an event of a cluster. Memory: O(jobs in the system + C·m).
func New(opt Options) sim.Discipline {
	return sim.Discipline{Deadlines: true, Licences: true, General: func(platform *sim.Platform, seed uint64) sim.Policy { return newPolicy(platform, seed, opt) }}
}

// policy is the meta-scheduler with its local schedulers.
type policy struct {
	opt      Options
	platform *sim.Platform
	empty    *sim.Room
	rng      *rand.Rand
	margins  window
	clusters []cluster
	jobs     []class // by handle
}

// cluster is a local scheduler with what the meta-scheduler knows of its queue.
type cluster struct {
	local  *backfill.Local
	queued loads
	event  bool // something happened there since its last decision
}

// class is what the meta-scheduler has found out about a job.
type class struct {
	estimate float64 // on a machine of the reference speed; +Inf: it can never run
	load     float64
	margin   float64 // +Inf: no deadline
	mean     float64 // of the margins before it
	parts    [3]float64
	priority float64

	cluster    int // −1: not dispatched yet
	rule       rule
	candidates []candidate
}

func newPolicy(platform *sim.Platform, seed uint64, opt Options) *policy {
	p := &policy{opt: opt, platform: platform, empty: platform.Empty(), rng: rand.New(rand.NewPCG(seed, 0x74776f6c6576656c)),
		margins: window{size: opt.Window}, clusters: make([]cluster, platform.Clusters())}
	var order backfill.Order
	switch opt.Heuristics {
	case MS:
		order.Given = func(j *sim.Job) float64 { return p.jobs[j.Handle].priority }
	case LS:
		order = backfill.Order{Priorities: opt.local(), CountJobs: true, Estimate: func(j *sim.Job) float64 { return p.jobs[j.Handle].estimate }}
	}
	for c := range p.clusters {
		left := func(j *sim.Job) { p.clusters[c].queued.remove(p.jobs[j.Handle].priority, p.jobs[j.Handle].load) }
		p.clusters[c].local = backfill.NewLocal(platform, []int{c}, opt.Step, order, left)
	}
	return p
}

// Announce implements sim.Announcer: it classifies a job at its submission. A job that can never run on any cluster has no class and
// does not count in the mean of the margins.
func (p *policy) Announce(j *sim.Job) {
	for int(j.Handle) >= len(p.jobs) {
		p.jobs = append(p.jobs, class{})
	}
	k := &p.jobs[j.Handle]
	*k = class{estimate: p.estimate(j), margin: math.Inf(1), cluster: -1, candidates: k.candidates[:0]}
	if math.IsInf(k.estimate, 1) {
		return
	}
	k.load = k.estimate * j.Request.ReferenceSpeed
	if !math.IsInf(j.Request.Deadline, 1) {
		k.margin = margin(j.Request.Deadline, k.estimate, j.Arrival)
		k.mean = p.margins.mean(k.margin)
		p.margins.add(k.margin)
	}
	if p.opt.Heuristics == none {
		return
	}
	if !math.IsInf(k.margin, 1) {
		k.parts[0] = p.opt.MSDeadline * float64(deadlinePart(k.margin, k.mean, k.estimate, p.opt.Levels))
	}
	k.parts[1] = p.opt.MSLicences * float64(licencePart(len(j.Request.Licences), p.platform.Licences(), p.opt.Levels))
	k.parts[2] = p.opt.MSUser * p.platform.UserPriority(j)
	k.priority = k.parts[0] + k.parts[1] + k.parts[2]
}

// estimate is the estimate of a job on machines of its reference speed, or the least on a cluster where there is none; +Inf of a job that
// can run on no cluster.
func (p *policy) estimate(j *sim.Job) float64 {
	least := math.Inf(1)
	for c := range p.clusters {
		least = min(least, p.platform.Fastest(j, c, p.empty))
	}
	if reference := p.platform.ReferenceEstimate(j); !math.IsInf(least, 1) && !math.IsNaN(reference) {
		return reference
	}
	return least
}

// Arrive implements sim.Policy: it sends a job to a cluster.
func (p *policy) Arrive(j *sim.Job) {
	k := &p.jobs[j.Handle]
	for c := range p.clusters {
		if p.platform.EverFits(j, c, p.platform.Now()) {
			load, jobs := p.clusters[c].queued.from(k.priority)
			k.candidates = append(k.candidates, candidate{c, load, jobs})
		}
	}
	best, rule := dispatch(k.candidates, p.rng.IntN)
	k.cluster, k.rule = k.candidates[best].cluster, rule
	to := &p.clusters[k.cluster]
	to.queued.add(k.priority, k.load)
	to.local.Arrive(j)
	to.event = true
}

// Release implements sim.Policy.
func (p *policy) Release(j *sim.Job, part int, last bool) {
	c := p.jobs[j.Handle].cluster
	p.clusters[c].local.Release(j, part, last)
	p.clusters[c].event = true
	if !last {
		return
	}
	for _, need := range j.Request.Licences {
		if pool, limited := p.platform.PoolOf(c, need.Licence); limited && pool.Cluster < 0 {
			for c := range p.clusters {
				p.clusters[c].event = true
			}
		}
	}
}

// Decide implements sim.Policy: it lets the local schedulers decide of whose clusters something happened, if only that a power cap changed.
func (p *policy) Decide(e *sim.Engine) {
	if _, changes := slices.BinarySearch(p.platform.CapChanges(), e.Now()); changes {
		for c := range p.clusters {
			p.clusters[c].event = p.clusters[c].event || p.platform.CappedCluster(c)
		}
	}
	for c := range p.clusters {
		if p.clusters[c].event {
			p.clusters[c].event = false
			p.clusters[c].local.Decide(e)
		}
	}
}
