package backfill

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/sim"
)

// Cycles are the settings of [Slurm]. Times are in seconds; where an instance names no unit of time, or one that is not known, in its own unit.
type Cycles struct {
	Interval   float64 `range:"(0, 1e18]" vary:"[10, 600] log step 1" doc:"seconds between the cycles in which jobs are planned (bf_interval)"`
	Window     float64 `range:"(0, 1e18]" vary:"[3600, 2592000] log step 3600" doc:"seconds ahead for which jobs are planned (bf_window, there in minutes)"`
	Resolution float64 `range:"(0, 1e18]" vary:"[10, 3600] log step 10" doc:"plans begin and end at multiples of this number of seconds (bf_resolution)"`
	Delay      float64 `range:"[0, 1e18]" vary:"[1, 60] log step 1" doc:"seconds from a run of the main scheduler to the next, unless a cycle is due (batch_sched_delay)"`
	Depth      int     `range:"[1, 1000000000]" vary:"[1, 10000] log" doc:"jobs that the main scheduler looks at between cycles (default_queue_depth)"`
	Tests      int     `range:"[1, 1000000000]" vary:"[1, 10000] log" doc:"jobs that a cycle looks at (bf_max_job_test)"`
	TestsUser  *int    `range:"[1, 1000000000]" zero:"no limit" vary:"[1, 1000] log" doc:"jobs of one user that a cycle looks at (bf_max_job_user)"`
	TestsQueue *int    `range:"[1, 1000000000]" zero:"no limit" vary:"[1, 10000] log" doc:"jobs of one queue that a cycle looks at (bf_max_job_part)"`
}

// DefaultCycles are the settings that Slurm has where none are stated.
func DefaultCycles() Cycles {
	return Cycles{Interval: 30, Window: 24 * 3600, Resolution: 60, Delay: 3, Depth: 100, Tests: 500}
}

// Slurm plans as Slurm does with sched/backfill and select/cons_tres. Two schedulers share the queue. Jobs of a reservation come first in it.
//
// The main one runs when jobs have arrived or ended, but not before its delay has passed since it ran last, in queue order, as far as its depth goes. It starts each job that fits. The first job of a queue (partition) that does not fit closes the queue:
// later jobs of the queue wait, and the machines of the queue are kept from the jobs of other queues; a queue that has too few machines left is closed without a test. A job that only lacks a licence closes nothing, and a job of a
// reservation only keeps the others of the reservation back.
//
// The other one, backfill, runs at multiples of the interval from time 0 on, if anything has changed since it last ran. It forgets all plans and looks at the jobs in
// queue order, as far as its tests go, at a job of several partitions once for each. Each gets the earliest start that it finds, by the estimates:
//
//  1. It begins with s = now, and looks at the machines of its queue that are open and on which no job is planned from s until s + estimate. A job of a reservation looks at those that
//     are reserved for it at s, however long it takes.
//  2. If the job fits there now, it could start now. Else running jobs that hold something of these machines are taken to have ended, in the order of their
//     estimated ends and in groups, until it fits: it could start when the last of these ends. The first group ends 30 s after the first end, raised to a
//     multiple of 30 s by the clock; the span of the groups doubles until the next end lies within it. A group is over when the next running job, on whatever machine, ends after it: so it also
//     has a job of these machines that ends later, if jobs of other machines end between.
//  3. If it does not fit, or could start only after the end of the next slot of the plan in which other machines become free, s moves to that end, or to the time at which closed machines of its queue
//     are open again, raised to a multiple of the resolution, and a second more. A job for which there is no such time is not planned. Else it starts at the greater of s and the time found: now,
//     or it is planned then.
//  4. A plan keeps whole machines, even from a job that needs one processor, from its start until its end by the estimate, both rounded down to multiples
//     of the resolution by the clock. A start beyond the window is known, but keeps nothing.
//
// Running jobs are not part of the plan, except through what is free of machines: so a job that fits beside them may start on a machine at once. Licences
// are not planned: a job for which too few copies are free now is passed over. One that only a limit on what jobs hold together keeps waiting has a start as if there were none, but keeps nothing for it.
//
// Machines are chosen run by run of neighbours: first those of the least weight, of these the run with the least free processors that is enough, else the one with the most. In a run a job that
// needs one machine gets the one with the least free processors. Jobs that need devices leave weights behind on the machines on which they were tested. What earlier cycles left is not known at time 0.
// A job with a limit of machines may find none that way although there are some. By its source Slurm has no other way to choose, so it refuses such a job or leaves it waiting. Here it gets those with the most room once all machines of its queue that
// it could use and that have no plans are idle.
// Under another rule than first the rule chooses where a job starts, and plans stay as they are.
//
// Slurm knows machines of one speed. Here a job is planned on machines that would each let it end, were all its others alike, before it must: before they close, and by its hard deadline. Where machines differ
// in speed, faster ones may take tasks from slower ones. A job that finds no place the first way, in either scheduler, may start now, but is not planned, where it fits that way: see the package comment. A job that is tested in vain
// while nothing runs starts wherever it fits at all, also outside its partitions: the jobs of an instance state themselves where they run.
//
// The clock is that of the instance, which states the time of time 0; without it time 0 is a multiple of everything.
//
// Source: Slurm 22.05, src/plugins/sched/backfill/backfill.c, src/plugins/select/cons_tres/job_test.c and https://slurm.schedmd.com/sched_config.html.
//
// Deviations: the main scheduler looks at the whole queue when a cycle is due, not each minute; machines that a job names (--nodelist) are the only ones that it looks at; where the instance does not
// state its partitions, a queue has the machines that can hold a block of some job of it so far; preemption, topology and the limits of time that a cycle may take are left out.
//
// Complexity of a cycle: O(t·s·(s·m/64 + r + m·log r)) at worst, for t tests, s slots of the plan, m machines and r running jobs. Where machines are all alike in speed and never closed, the search
// for a plan begins at the first time at which enough machines have room and no plans, and mostly looks at a few slots.
func Slurm(step float64, cycles Cycles, order Ranking) sim.Discipline {
	return sim.Discipline{
		General: func(platform *sim.Platform, _ uint64) sim.Policy {
			return newSlurm(platform, step, cycles, newScorerOn(order, platform))
		},
		ByNode: true, Classes: order.looksAtClasses(), Stated: true, Remembers: true,
	}
}

// slurm is the policy of [Slurm].
type slurm struct {
	Cycles
	platform   *sim.Platform
	scorer     *scorer // nil: the order of arrival
	second     float64 // in the unit of the instance
	group      float64 // span of the first group of running jobs that are taken to have ended
	phase      float64 // of the clock at time 0: the time since a multiple of the resolution
	groupPhase float64 // likewise since a multiple of the span of the first group
	every      []int   // all clusters
	empty      *sim.Room
	release    *releases
	alike      bool         // machines are never closed, and jobs take as long on one as on another
	limits     []bool       // by licence: see limitsOf
	changes    []float64    // times at which machines are closed or opened, or power caps change
	power      []*powerLine // by cluster: of those with a power cap; nil: there is none
	short      bool         // the job that was tested last has machines, and lacks power

	sorting
	waiting int
	lines   map[string]*lineOf
	of      map[string][]*lineOf // by what jobs name as their queue
	line    [][]*lineOf          // by handle: the lines of a queued job
	options [][]option           // by handle: the clusters on which a queued job can run
	masks   map[maskKey]*reach
	needs   map[needKey]*need
	hard    []hardJob // queued jobs to which deadlines or closed times may leave no start
	giveUp  float64   // nothing is so before

	cycle    int64 // counts the cycles
	changed  bool  // since the last cycle
	last     float64
	ran      float64 // when the main scheduler ran last
	soonest  float64 // the first start that is planned after now
	slots    planSlots
	plans    []jobPlan           // by handle: of queued jobs
	users    []int               // by number: jobs that the cycle has looked at
	free     bitset              // all machines
	all      []bitset            // by cluster: its machines
	closed   bitset              // machines of closed queues
	homes    map[string]*sim.Job // reservations of which a job did not fit: that job
	keepers  []keeper            // plans of the cycle, where an observer asks about a job
	said     sim.Pass            // what that cycle said of it
	cycled   int64               // 1 + the number of the job asked about that a cycle has looked at; 0: none
	weights  []int32             // by machine: see weigh
	weighs   bool                // some job leaves weights
	avail    bitset              // scratch
	taken    bitset              // scratch
	earliest []float64           // scratch
	fits     fitting
}

// lineOf is a queue: the jobs that were submitted to one partition.
type lineOf struct {
	machines bitset   // of the partition, or, where the instance does not state it, those that can hold a block of some job of it so far
	known    bool     // the instance states the partition
	waiting  int      // queued jobs
	by       *sim.Job // the job that did not fit, and so closes the queue; nil: it is open
	tests    int
}

// option is a cluster on which a job can run.
type option struct {
	cluster int
	need    *need
	limit   float64 // the longest estimate there on machines that are all alike
}

// reach is what a kind of jobs can use of a cluster when nothing else runs, whenever machines are open.
type reach struct {
	machines bitset
	most     int // processors of one machine
}

// maskKey is a kind of jobs on a cluster.
type maskKey struct{ kind, cluster int }

// jobPlan is the plan of a queued job.
type jobPlan struct {
	cycle      int64 // in which it was made
	start, end float64
	cluster    int
	shares     []sim.Share // without devices
}

func newSlurm(platform *sim.Platform, step float64, cycles Cycles, scorer *scorer) *slurm {
	n := len(platform.Machines)
	second, group, zero, unit := 1.0, 30.0, platform.TimeZero(), platform.TimeUnit()
	if each, known := timetext.Seconds(unit); known {
		cycles.Interval, cycles.Window, cycles.Resolution, cycles.Delay = cycles.Interval/each, cycles.Window/each, cycles.Resolution/each, cycles.Delay/each
		second, group, zero = second/each, group/each, zero/each
	} else if unit != "" {
		zero = 0 // no clock is known
	}
	p := &slurm{
		Cycles: cycles, second: second, group: group, phase: math.Mod(zero, cycles.Resolution), groupPhase: math.Mod(zero, group), platform: platform, scorer: scorer, every: all(platform), empty: platform.Empty(), release: newReleases(platform, step),
		changes: platform.AllChanges(), limits: limitsOf(platform), power: newPowerLines(platform), lines: map[string]*lineOf{}, of: map[string][]*lineOf{}, masks: map[maskKey]*reach{}, needs: map[needKey]*need{}, last: math.Inf(-1), ran: math.Inf(-1), soonest: math.Inf(1), giveUp: math.Inf(1),
		homes: map[string]*sim.Job{}, weights: slices.Repeat([]int32{heaviest}, n), free: newBitset(n), closed: newBitset(n), avail: newBitset(n), taken: newBitset(n),
	}
	p.batch = leastSorted
	p.fits.found, p.slots.spans = newBitset(n), make([][]span, n)
	p.alike = len(p.changes) == 0 && !platform.Mixed()
	for range p.every {
		p.all = append(p.all, newBitset(n))
	}
	for m := range platform.Machines {
		p.free.add(m)
		p.all[platform.Machines[m].Cluster].add(m)
	}
	return p
}

// limitsOf says of each licence whether it stands for a limit of a quality of service or an association on what jobs hold together, by the names that the import of a queue gives them.
// Slurm finds a start for a job that such a limit keeps waiting, but for limits on the number of jobs.
func limitsOf(platform *sim.Platform) []bool {
	limits := make([]bool, platform.Licences())
	for l := range limits {
		id := platform.LicenceID(l)
		who, what, found := strings.Cut(id, ": ")
		limits[l] = found && what != "jobs" && (strings.HasPrefix(who, "QOS ") || strings.HasPrefix(who, "account "))
	}
	return limits
}

// Arrive implements sim.Policy.
func (p *slurm) Arrive(j *sim.Job) {
	for int(j.Handle) >= len(p.line) {
		p.line, p.options, p.plans, p.scores = append(p.line, nil), append(p.options, nil), append(p.plans, jobPlan{}), append(p.scores, scored{})
	}
	of := p.linesOf(p.platform.QueueOf(j))
	for c := range p.every {
		if !of[0].known {
			of[0].machines.join(p.mask(j, c))
		}
	}
	p.line[j.Handle], p.plans[j.Handle].cycle = of, 0
	for _, of := range of {
		of.waiting++
	}
	options := p.options[j.Handle][:0]
	for c := range p.every {
		if p.platform.CanRun(j, c) {
			need := p.needOf(j, c)
			options = append(options, option{c, need, p.limit(j, need)})
		}
	}
	p.options[j.Handle] = options
	p.waiting++
	p.changed = true
	p.scorer.arrived(j)
	p.insert(j)
	if !j.Request.DeadlineHard && len(p.changes) == 0 {
		return
	}
	if until := p.platform.FitsUntil(j, p.every); !math.IsInf(until, 1) {
		p.hard = append(p.hard, hardJob{j, fastest(p.platform, j, p.every, p.empty), true, until})
		p.giveUp = min(p.giveUp, until)
	}
}

// linesOf is the queues of the jobs that name this one: one for each of the partitions that it lists, if the instance states them all, else one.
func (p *slurm) linesOf(queue string) []*lineOf {
	if of := p.of[queue]; of != nil {
		return of
	}
	var list []*lineOf
	for _, name := range queueNames(queue, func(name string) bool { _, known := p.platform.Partition(name); return known }) {
		machines, known := p.platform.Partition(name)
		of := p.lineOf(name)
		of.known = known
		for _, m := range machines {
			of.machines.add(m)
		}
		list = append(list, of)
	}
	p.of[queue] = list
	return list
}

// lineOf is the queue of the name.
func (p *slurm) lineOf(name string) *lineOf {
	if p.lines[name] == nil {
		p.lines[name] = &lineOf{machines: newBitset(len(p.platform.Machines))}
	}
	return p.lines[name]
}

// drop drops the jobs that can no longer start, in the order in which they arrived.
func (p *slurm) drop(e *sim.Engine) {
	if e.Now() < p.giveUp {
		return
	}
	var late []hardJob
	p.giveUp = math.Inf(1)
	for _, h := range p.hard {
		if cannotStart(e, p.platform, p.every, &h) {
			late = append(late, h)
		} else {
			p.giveUp = min(p.giveUp, h.until)
		}
	}
	for _, h := range late {
		p.leave(slices.Index(p.queue, h.job))
		dropByNode(e, p.platform, p.every, &h)
	}
}

// mask is the machines of the cluster that the job can use.
func (p *slurm) mask(j *sim.Job, cluster int) bitset { return p.reach(j, cluster).machines }

// reach finds out what the job can use of the cluster.
func (p *slurm) reach(j *sim.Job, cluster int) *reach {
	key := maskKey{p.platform.NodeKind(j), cluster}
	if of := p.masks[key]; of != nil {
		return of
	}
	of := &reach{machines: newBitset(len(p.platform.Machines))}
	first, last := p.platform.MachinesOf(cluster)
	for m := first; m < last; m++ {
		if n := p.platform.Hosts(p.empty, j, m); n > 0 {
			of.machines.add(m)
			of.most = max(of.most, n)
		}
	}
	p.masks[key] = of
	return of
}

// Release implements sim.Policy.
func (p *slurm) Release(j *sim.Job, _ int, last bool) {
	if last {
		p.release.end(j)
		p.scorer.ended(j)
		p.changed = true
	}
}

// Resume implements sim.Resumer.
func (p *slurm) Resume(e *sim.Engine, j *sim.Job) {
	p.release.begin(j, slices.Clone(e.Held(j)[0].Shares))
	p.scorer.resumed(j, heldBy(e, j))
	p.changed = true
}

// Decide implements sim.Policy.
func (p *slurm) Decide(e *sim.Engine) {
	now := e.Now()
	due := p.changed && p.last < now && p.multiple(now) == now
	if p.scorer != nil && p.scorer.steady() {
		p.follow(now)
	} else if due {
		p.sort(now)
	}
	p.drop(e)
	if next := p.ran + p.Delay; due || now >= next {
		p.startInOrder(e, due)
		p.ran = now
	} else if p.waiting > 0 {
		if asked := p.asked(e); asked != nil {
			p.pass(e, asked, sim.Pass{Kind: sim.PassLimit, Limit: fmt.Sprintf("delay=%v (batch_sched_delay)", p.Delay/p.second)})
		}
		e.Wake(next)
	}
	if due && !e.Stopped() {
		p.backfill(e)
		p.last, p.changed = now, false
	}
	p.compact(100 + len(p.queue)/50)
	if p.waiting > 0 {
		p.wake(e)
	}
}

// multiple is the first multiple of the interval from the time on.
func (p *slurm) multiple(at float64) float64 {
	k := math.Ceil(at / p.Interval)
	if before := (k - 1) * p.Interval; before >= at { // the quotient was rounded up: without this a multiple is not its own
		return before
	}
	return max(at, k*p.Interval)
}

// wake asks for the next cycle: if something has changed since the last one, at the next multiple of the interval; else at the first one after a plan, or after
// a time at which machines are closed or opened.
func (p *slurm) wake(e *sim.Engine) {
	now := e.Now()
	at := math.Nextafter(now, math.Inf(1))
	if !p.changed {
		next := p.soonest
		if k := firstAfter(p.changes, now); k < len(p.changes) {
			next = min(next, p.changes[k])
		}
		if math.IsInf(next, 1) {
			return
		}
		at, p.changed = max(at, next), true
	}
	e.Wake(p.multiple(at))
}
