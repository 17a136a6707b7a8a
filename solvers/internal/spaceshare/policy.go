package spaceshare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/spread"
)

// Start says when the head of the queue starts.
type Start string

// The two rules of the start.
const (
	Available Start = "available" // as soon as min(target, α) processors are free, on as many of them as it can use, up to the target
	Wait      Start = "wait"      // as soon as the target is free
)

// Options are the options of [Dynamic]. Each field is used as it is: a zero alpha means zero.
type Options struct {
	Start    Start
	Rounding Rounding
	// Alpha is α: the policy takes a turn when processors come back and at least α are then in the pool; and see [Available].
	Alpha int
}

// Dynamic is dynamic space-sharing; the package comment states the rules.
//
// Complexity: O(machines) a turn and a job that starts, besides O(g²) for a partition on g machines of different speeds.
func Dynamic(options Options) sim.Discipline {
	return sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy { return newPolicy(platform, options, spread.Pieces) }}
}

// MAP is static space-sharing with the same partition sizes: a job waits for its whole partition and holds all of it until it ends. The
// package comment states the rules.
//
// Complexity: see [Dynamic].
func MAP(rounding Rounding) sim.Discipline {
	return sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		return newPolicy(platform, Options{Start: Wait, Rounding: rounding}, spread.Together)
	}}
}

// policy is either of the two; the selector knows which.
type policy struct {
	options    Options
	platform   *sim.Platform
	empty      *sim.Room // under the last power caps
	processors int       // of the system

	queue    []*sim.Job
	reach    []int // by handle: most processors that the job could hold at once in the empty system
	running  int   // jobs that hold a processor
	turn     bool  // a job has arrived or departed since the last turn
	back     bool  // processors have come back
	selector *spread.Selector
	last     decision
}

// decision is what the policy found out about the head of the queue in its last turn.
type decision struct {
	job                   *sim.Job
	number                int64 // of the job: the engine uses the memory of jobs again
	queued, running, size int
	target, needed        int // processors
	usable                int // free processors that the job could hold at once
	starts                bool
	capped                bool // a power cap to come leaves too little for it
	dropped               string
}

func newPolicy(platform *sim.Platform, options Options, mode spread.Mode) *policy {
	p := &policy{options: options, platform: platform, empty: platform.Lasting(), selector: spread.New(platform, mode)}
	p.processors = p.pool()
	return p
}

// pool is the number of free processors.
func (p *policy) pool() int {
	free := 0
	for c := range p.platform.Clusters() {
		free += p.platform.FreeProcessors(c)
	}
	return free
}

// Spreads implements sim.Spreader.
func (p *policy) Spreads() {}

// Arrive implements sim.Policy.
func (p *policy) Arrive(j *sim.Job) {
	for int(j.Handle) >= len(p.reach) {
		p.reach = append(p.reach, 0)
	}
	p.turn = true
	p.selector.Look(p.empty, j)
	p.reach[j.Handle] = p.selector.Usable(j)
	at := len(p.queue) // a job that has waited for others may come before jobs that have arrived later
	if at > 0 && p.queue[at-1].Number > j.Number {
		at, _ = slices.BinarySearchFunc(p.queue, j.Number, func(q *sim.Job, number int64) int { return cmp.Compare(q.Number, number) })
	}
	p.queue = slices.Insert(p.queue, at, j)
}

// Release implements sim.Policy.
func (p *policy) Release(_ *sim.Job, _ int, last bool) {
	p.back = true
	if last {
		p.running--
		p.turn = true
	}
}

// Decide implements sim.Policy.
func (p *policy) Decide(e *sim.Engine) {
	_, changes := slices.BinarySearch(p.platform.CapChanges(), e.Now())
	turn := p.turn || changes || p.back && p.pool() >= p.options.Alpha // under MAP processors come back only when a job departs
	p.turn, p.back = false, false
	for turn && len(p.queue) > 0 && !e.Stopped() && p.next(e) {
		p.queue[0] = nil
		p.queue = p.queue[1:]
	}
	if asked := e.Asked(); asked != nil && turn && len(p.queue) > 0 {
		p.told(e, asked)
	}
}

// told tells why a job waits: the head of the queue for processors, and others for the head.
func (p *policy) told(e *sim.Engine, j *sim.Job) {
	head := p.queue[0]
	if j != head {
		e.Pass(sim.Pass{Kind: sim.PassBehind, For: head})
		return
	}
	if p.last.capped {
		e.Pass(sim.Pass{Kind: sim.PassPower})
		return
	}
	e.Pass(sim.Pass{Kind: sim.PassRoom, Needed: p.last.needed, Usable: p.last.usable})
}

// next starts or drops the head of the queue; false: it has to wait.
func (p *policy) next(e *sim.Engine) bool {
	j := p.queue[0]
	r := j.Request
	d := decision{job: j, number: j.Number, queued: len(p.queue) - 1, running: p.running}
	d.size = PartitionSize(p.processors, d.queued, d.running, p.options.Rounding)
	d.target = Target(min(d.size, p.reach[j.Handle]), r.Min, r.Max, r.Tasks)
	if d.needed = d.target; p.options.Start == Available {
		d.needed = max(r.Min, min(d.target, p.options.Alpha))
	}
	p.selector.Look(&p.platform.Free, j)
	d.usable = p.selector.Usable(j)
	d.starts = p.choose(j, &d)
	p.last = d
	if r.DeadlineHard && model.Late(e.Now(), r.Deadline) {
		p.drop(e, j, fmt.Sprintf("hard deadline %v has passed", r.Deadline))
		return true
	}
	if !d.starts {
		return p.dropCapped(e, j)
	}
	if r.DeadlineHard {
		if end := e.Now() + p.platform.EstimateClaims(j, p.selector.Claims()); model.Late(end, r.Deadline) {
			p.drop(e, j, fmt.Sprintf("hard deadline %v cannot be met: started at %v on %d processors it would end at %v, by its estimate", r.Deadline, e.Now(), p.selector.Held(), end))
			return true
		}
	}
	e.StartOn(j, p.selector.Claims()...)
	p.running++
	return true
}

// choose chooses processors for the head of the queue: as many as it can use, up to the target, but no more than let it keep to its power caps until its estimated end. It returns false where those that are
// needed are too many.
func (p *policy) choose(j *sim.Job, d *decision) bool {
	n := max(d.needed, min(d.target, d.usable))
	for p.selector.Choose(j, n) {
		if p.platform.KeepsCaps(j, p.selector.Claims()) {
			return true
		}
		d.capped = true
		if n--; n < d.needed {
			break
		}
	}
	return false
}

// dropCapped drops the head of the queue where it cannot start although nothing runs, and no power cap is to change; false: it has to wait.
func (p *policy) dropCapped(e *sim.Engine, j *sim.Job) bool {
	changes := p.platform.CapChanges()
	if !p.platform.Capped() || p.running > 0 || changes[len(changes)-1] > e.Now() {
		return false
	}
	p.drop(e, j, sim.CapReason)
	return true
}

// drop drops a job.
func (p *policy) drop(e *sim.Engine, j *sim.Job, why string) {
	if p.last.job != j || p.last.number != j.Number {
		p.last = decision{job: j, number: j.Number}
	}
	p.last.dropped = why
	e.Drop(j, why)
}

// Rounding says how a partition size is made whole.
type Rounding string

// The three roundings.
const (
	Nearest Rounding = "nearest" // a half goes up
	Ceil    Rounding = "ceil"
	Floor   Rounding = "floor"
)

// PartitionSize is P/((Q+1) + S/2) as a whole number of at least 1: the number of processors for the next job, where the system has
// P processors, Q jobs are queued besides that job, and S jobs hold a processor. The computation is in whole numbers, so that a half is
// one exactly. (Abawajy 2004, eq. 2.)
func PartitionSize(processors, queued, running int, rounding Rounding) int {
	over, under := 2*processors, 2*(queued+1)+running
	size := over / under
	rest := over % under
	if rounding == Ceil && rest > 0 || rounding == Nearest && rest >= under-rest {
		size++
	}
	return max(1, size)
}

// Target is the number of processors that a job is to get: the partition size, but no more than the job's maximum parallelism
// (Abawajy 2004, eq. 1), which is its most processors or its tasks, whichever is less; and no less than its least processors.
func Target(size, least, most, tasks int) int {
	return max(least, min(most, tasks, size))
}
