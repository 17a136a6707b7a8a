package backfill

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/spread"
)

// general is FCFS, EASY or flexible backfilling, on all clusters or on some; the package comment states the rules.
// EASY is flexible backfilling in the order of the queue, and FCFS is EASY without backfilling. What spread.go adds are jobs that may hold
// processors of several clusters.
//
// Complexity: O(k·C·m) an instant, for k kinds of queued jobs and C clusters of m machines, and what [line] states. A reservation takes
// O(r·C·m) at worst, for r running jobs; for a job of one machine mostly O(r + C·m).
type general struct {
	depth    int            // most reservations; 0: no backfilling
	step     float64        // by which a job outlives its estimate, as far as the policy knows; 0: the next instant
	clusters []int          // where its jobs may run
	left     func(*sim.Job) // told of a job that leaves the queue; nil: nobody

	platform *sim.Platform
	queue    line
	running  []*sim.Job // by estimated end, then number
	hard     []hardJob  // queued jobs with hard deadlines
	hopeless float64    // no job of these is hopeless before
	empty    *sim.Room
	plan     reservation
	deep     timeline            // with more than one reservation
	reserved map[int64]float64   // by number: reservations of the instant, with more than one
	keepers  []keeper            // these, where an observer asks about a job, else those of jobs that may be met again
	asks     bool                // one does
	again    func(*sim.Job) bool // whether a job may be met again at the instant; nil: none is
	instant  int64               // counts the instants at which jobs are queued
	stamp    int64               // counts the changes of what is free and what is reserved
	begun    int64               // the stamp at the beginning of the instant
	planned  int64               // counts those of what is reserved
	most     []int32             // by place in clusters: free processors
	widest   []int32             // by place in clusters: most free processors of a machine
	roomy    int32               // most processors that a job could hold now
	shares   []sim.Share
	chosen   []sim.Share
	spread   spreading
	claims   []sim.Claim // of the job that may spread and that started last

	within  limits    // of the search
	flat    bool      // see [sim.Platform.Flat]
	alone   *sim.Job  // then, where priorities never change: a job that has joined an empty queue at the instant, and is not in it yet; nil: there is none
	byNode  bool      // machines count one by one, see nodes.go
	mixed   bool      // then: some are faster than others of their cluster
	changes []float64 // times at which machines are closed or opened
	closes  bool      // machines are closed at times
	touched []int32   // machines to which jobs of the instant went
	taken   []int32   // machines to which jobs went, in the order of time
	beside  beside
	kept    keptPlan
	could   []int   // by cluster: processors that the job to be reserved could hold
	couldOn []int32 // by machine
}

// hardJob is a queued job that may become unable to run: one with a hard deadline, with its least estimate, or one that closed times leave no place after
// some time.
type hardJob struct {
	job     *sim.Job
	fastest float64
	byNode  bool    // machines count one by one, or there are power caps
	until   float64 // closed times, power caps, and then its hard deadline too leave it a place until then, if not longer
}

// reservation is what the policy keeps for the first job that cannot start.
type reservation struct {
	job     *sim.Job // nil: none
	cluster int      // −1: any, also several
	shadow  float64
	by      float64  // jobs that end by then are in nobody's way: the shadow time, less what a machine takes to wake
	room    sim.Room // at the shadow time
	trial   sim.Room
}

// newGeneral returns a maker of policies for a platform.
func newGeneral(depth int, step float64, order Order, by Ranking) func(*sim.Platform, uint64) sim.Policy {
	return func(platform *sim.Platform, _ uint64) sim.Policy {
		order := order
		order.scorer = newScorerOn(by, platform)
		if queues := platform.Queues(); queues != nil {
			var whole *partitioned
			whole = newPartitioned(platform, queues, false, func(r *region) regional {
				if len(r.queues) > 1 {
					return newJoint(whole, r, depth, step, order)
				}
				return newOn(platform, r.clusters, depth, step, order)
			})
			return whole
		}
		p := newOn(platform, all(platform), depth, step, order)
		if platform.Clusters() > 1 && !platform.ByNode() && !platform.Capped() {
			p.spread.selector = spread.New(platform, spread.Whole)
		}
		return p
	}
}

// all is the list of all clusters.
func all(platform *sim.Platform) []int {
	clusters := make([]int, platform.Clusters())
	for c := range clusters {
		clusters[c] = c
	}
	return clusters
}

// newOn is a policy for jobs that may run on the clusters.
func newOn(platform *sim.Platform, clusters []int, depth int, step float64, order Order) *general {
	p := &general{depth: depth, step: step, clusters: clusters, platform: platform, queue: newLine(order, platform, clusters),
		hopeless: math.Inf(1), empty: platform.Empty(), most: make([]int32, len(clusters)), widest: make([]int32, len(clusters))}
	p.flat = platform.Flat()
	if p.byNode = platform.ByNode(); p.byNode {
		p.mixed, p.closes, p.changes = platform.Mixed(), platform.Closes(), platform.AllChanges()
		p.could, p.couldOn = make([]int, platform.Clusters()), make([]int32, len(platform.Machines))
	}
	return p
}

// Arrive implements sim.Policy.
func (p *general) Arrive(j *sim.Job) {
	p.queue.order.scorer.arrived(j)
	if p.flat && p.queue.lasting && p.queue.length == 0 && p.alone == nil {
		p.alone = j
		return
	}
	p.enterAlone()
	p.enter(j)
}

// enterAlone puts the job into the queue that waits alone.
func (p *general) enterAlone() {
	if j := p.alone; j != nil {
		p.alone = nil
		p.enter(j)
	}
}

// startAlone starts the job that waits alone, if it fits what is free. Nothing is planned for others then.
func (p *general) startAlone(e *sim.Engine) {
	j := p.alone
	if j == nil || p.platform.Free.Processors[0] < j.Processors {
		return
	}
	p.alone = nil
	p.shares = append(p.shares[:0], sim.Share{Processors: j.Processors})
	e.StartOn(j, sim.Claim{Shares: p.shares})
	p.queue.order.scorer.started(j, p.platform.Rigid(j, 0))
	p.running = insertByEnd(p.running, j)
}

// enter puts a job into the queue.
func (p *general) enter(j *sim.Job) {
	var least float64
	if p.spreads(j) {
		least = p.sizeSpread(j)
	} else {
		least = fastest(p.platform, j, p.clusters, p.empty)
	}
	p.queue.add(j, least)
	until, byNode := math.Inf(1), p.byNode || p.platform.Capped()
	if p.closes || byNode && j.Request.DeadlineHard {
		until = p.platform.FitsUntil(j, p.clusters)
	}
	if h := (hardJob{j, least, byNode, until}); j.Request.DeadlineHard || !math.IsInf(until, 1) {
		p.hard = append(p.hard, h)
		p.hopeless = min(p.hopeless, h.lastStart())
	}
}

// fastest is the least estimate of a job over the clusters.
func fastest(platform *sim.Platform, j *sim.Job, clusters []int, empty *sim.Room) float64 {
	least := math.Inf(1)
	for _, c := range clusters {
		least = min(least, platform.Fastest(j, c, empty))
	}
	return least
}

// lastStart is a time until which the job can certainly run.
func (h *hardJob) lastStart() float64 {
	if h.byNode || !h.job.Request.DeadlineHard {
		return h.until
	}
	return lastStart(h.job, h.fastest)
}

// lastStart is a time until which a job can certainly meet its hard deadline, whatever rounding does.
func lastStart(j *sim.Job, fastest float64) float64 {
	return j.Request.Deadline - fastest - 1e-12*(math.Abs(j.Request.Deadline)+fastest)
}

// Release implements sim.Policy.
func (p *general) Release(j *sim.Job, _ int, last bool) {
	if last {
		p.queue.order.scorer.ended(j)
		p.running = deleteByEnd(p.running, j)
		p.gaveBack(j)
	}
}

// Decide implements sim.Policy.
func (p *general) Decide(e *sim.Engine) {
	p.plan.job = nil
	p.touched = p.touched[:0]
	clear(p.reserved)
	p.queue.order.scorer.begin(e.Now())
	p.startAlone(e)
	p.enterAlone()
	p.dropHopeless(e)
	if p.queue.length == 0 {
		return
	}
	p.queue.begin(e.Now())
	p.begin()
	if p.platform.Capped() {
		p.decideCapped(e)
		return
	}
	if p.anyFits() {
		p.pass(e)
	} else if asked := p.queue.askedOf(e); asked != nil {
		p.noneFits(e, asked.job)
	}
}

// anyFits says whether some queued job may fit what is free.
func (p *general) anyFits() bool {
	for _, n := range p.queue.narrow {
		if n <= p.roomy {
			return true
		}
	}
	return false
}

// noneFits tells why a job waits of a queue of which none may fit.
func (p *general) noneFits(e *sim.Engine, j *sim.Job) {
	if p.depth > 0 {
		p.waitsFirst(e, j, j)
	} else if first := p.queue.first(&search{}); first != nil {
		p.waitsFirst(e, j, first.job)
	}
}

// waitsFirst tells why a job waits that is the first in the queue, or behind which the policy does not look.
func (p *general) waitsFirst(e *sim.Engine, j, first *sim.Job) {
	if j != first {
		e.Pass(behind(first))
		return
	}
	why := p.lacks(j)
	if why.Kind == 0 {
		why = sim.Pass{Kind: sim.PassRoom, Clusters: p.clusters, Rigid: true}
	}
	e.Pass(why)
}

// pass starts jobs, and makes the reservations.
func (p *general) pass(e *sim.Engine) {
	var head waiting
	for {
		first := p.queue.first(&search{})
		if first == nil || e.Stopped() {
			return
		}
		head = *first
		if !p.start(e, head.job) {
			break
		}
	}
	if p.depth > 1 {
		p.backfillDeep(e, head)
		return
	}
	asked := p.queue.askedOf(e)
	if asked != nil && (p.depth == 0 || asked.job == head.job) {
		p.waitsFirst(e, asked.job, head.job)
		asked = nil
	}
	if p.depth == 0 {
		return
	}
	p.reserve(e, head.job)
	p.plan.by = p.plan.shadow - e.Waking()
	for !e.Stopped() {
		next := p.queue.first(&search{
			after:   &head,
			limited: !p.closes && !p.mixed,
			limits:  p.limits(),
			open:    func(k *kindQueue) bool { return !e.Stopped() && len(p.offers(k)) > 0 },
			anyStarts: func(k *kindQueue, w *waiting) bool { // a longer job, or one of a nearer deadline, may find another machine than the smallest
				return p.closes || p.hurries(w.job) || p.mayStart(e.Now(), k, w)
			},
			starts: func(k *kindQueue, w *waiting) bool { return p.starts(e.Now(), k, w) },
		})
		if overtaken(asked, next) {
			p.passed(e, asked.job)
			asked = nil
		}
		if next == nil {
			return
		}
		head = *next
		p.start(e, head.job)
	}
}

// limits are those of what may start beside the reservation.
func (p *general) limits() *limits {
	p.within = limits{widest: p.roomy, spare: math.MaxInt32}
	if r := &p.plan; p.flat && r.job != nil {
		p.within.spare = r.room.Processors[0] - r.job.Processors
		_, p.within.tooLong = p.untilShadow()
	}
	return &p.within
}

// leave takes a job out of the queue.
func (p *general) leave(j *sim.Job) {
	p.queue.remove(j)
	p.kept.valid = p.kept.valid && p.kept.job != j
	if j.Request.DeadlineHard || p.closes {
		p.hard = slices.DeleteFunc(p.hard, func(h hardJob) bool { return h.job == j })
	}
	if p.left != nil {
		p.left(j)
	}
}

// dropHopeless drops the jobs that cannot meet their hard deadlines any more, or to which closed times leave no place, in queue order.
func (p *general) dropHopeless(e *sim.Engine) {
	if e.Now() < p.hopeless {
		return
	}
	p.hopeless = math.Inf(1)
	var dropped []hardJob
	for _, h := range p.hard {
		if p.hopelessNow(e, &h) {
			dropped = append(dropped, h)
		} else {
			p.hopeless = min(p.hopeless, h.lastStart())
		}
	}
	slices.SortFunc(dropped, func(a, b hardJob) int { return cmp.Compare(a.job.Number, b.job.Number) })
	for _, h := range dropped {
		p.leave(h.job)
		if p.spreads(h.job) {
			dropLate(e, h.job, h.fastest)
			continue
		}
		if h.byNode {
			dropByNode(e, p.platform, p.clusters, &h)
			continue
		}
		dropHopeless(e, p.platform, p.clusters, h.job, h.fastest)
	}
}

// hopelessNow says whether a job cannot start any more: not now and not later.
func (p *general) hopelessNow(e *sim.Engine, h *hardJob) bool {
	if !h.byNode {
		return isHopeless(e, h.job, h.fastest)
	}
	return cannotStart(e, p.platform, p.clusters, h)
}

// isHopeless says whether a job would miss its hard deadline even if it started at once on the processors that it gets of the empty system.
func isHopeless(e *sim.Engine, j *sim.Job, fastest float64) bool {
	return j.Request.DeadlineHard && model.Late(e.Now()+fastest, j.Request.Deadline)
}

// dropHopeless drops a job that [isHopeless], and says whether it did. Other processors than those that it gets, on the fastest machines, may have faster links.
func dropHopeless(e *sim.Engine, platform *sim.Platform, clusters []int, j *sim.Job, fastest float64) bool {
	if !isHopeless(e, j, fastest) {
		return false
	}
	e.Drop(j, fmt.Sprintf("hard deadline %v cannot be met: started at %v on the processors that it gets of the empty system it would end at %v at the earliest%s, by its estimate", j.Request.Deadline, e.Now(), e.Now()+fastest, only(platform, clusters)))
	return true
}

// only says on which clusters a statement about jobs that may run on them holds; empty: on all.
func only(platform *sim.Platform, clusters []int) string {
	if len(clusters) == platform.Clusters() {
		return ""
	}
	names := make([]string, len(clusters))
	for k, c := range clusters {
		names[k] = platform.ClusterID(c)
	}
	return " on " + strings.Join(names, ", ")
}

// start starts a job on the cluster where it ends first by its estimate, among those where it may start now. It returns false
// if there is none.
func (p *general) start(e *sim.Engine, j *sim.Job) bool {
	best, end := p.choose(e.Now(), p.queue.places[j.Handle].in, j)
	if best == nil {
		return false
	}
	if p.plan.job != nil && end > p.plan.by {
		p.take(&p.plan.room, j, best)
		p.planned++
	}
	held := p.held(j, best)
	p.claim(e, j, best)
	p.queue.order.scorer.started(j, held)
	p.started(e, j)
	return true
}

// startOn starts a job on processors of a cluster.
func (p *general) startOn(e *sim.Engine, j *sim.Job, cluster int, shares []sim.Share) {
	e.StartOn(j, sim.Claim{Cluster: cluster, Shares: shares})
	p.queue.order.scorer.started(j, p.platform.Rigid(j, cluster))
	p.started(e, j)
}

// started brings up to date what is known of the queue and of what runs.
func (p *general) started(e *sim.Engine, j *sim.Job) {
	p.leave(j)
	p.count()
	p.running = insertByEnd(p.running, j)
	if p.byNode {
		for _, part := range e.Held(j) {
			for _, s := range part.Shares {
				p.touched = append(p.touched, s.Machine)
				p.taken = append(p.taken, s.Machine)
			}
		}
	}
}

// insertByEnd inserts a job into the running ones, which are in order of estimated end, then of number.
func insertByEnd(running []*sim.Job, j *sim.Job) []*sim.Job {
	return slices.Insert(running, placeByEnd(running, j), j)
}

// deleteByEnd takes a job out of the running ones, if it is among them.
func deleteByEnd(running []*sim.Job, j *sim.Job) []*sim.Job {
	if at := placeByEnd(running, j); at < len(running) && running[at] == j {
		return slices.Delete(running, at, at+1)
	}
	return running
}

// placeByEnd is the place of a job among the running ones.
func placeByEnd(running []*sim.Job, j *sim.Job) int {
	return sort.Search(len(running), func(k int) bool {
		other := running[k]
		return other.EstimatedEnd > j.EstimatedEnd || other.EstimatedEnd == j.EstimatedEnd && other.Number >= j.Number
	})
}

// inTime says whether a job that ends at the given time keeps its hard deadline, if it has one.
func inTime(j *sim.Job, end float64) bool {
	return !j.Request.DeadlineHard || !model.Late(end, j.Request.Deadline)
}

// reserve makes a reservation for the job at the earliest estimated end at which it fits. A job that would then miss its hard deadline
// gets none.
func (p *general) reserve(e *sim.Engine, j *sim.Job) {
	if p.byNode {
		p.reserveByNode(e, j)
		return
	}
	p.stamp++
	p.planned++
	r := &p.plan
	r.room.CopyFrom(&p.platform.Free)
	now := e.Now()
	likely := false
	p.inOrder(now, func(at float64, last bool, other *sim.Job) bool {
		parts := e.Held(other)
		p.platform.GiveParts(&r.room, other, parts)
		for k := range parts {
			likely = likely || p.helps(j, other, &parts[k])
		}
		if !last || !likely {
			return true
		}
		if e.Stopped() {
			return false
		}
		likely = false
		if p.spreads(j) {
			if claims, ok := p.place(&r.room, j); ok && inTime(j, at+p.platform.EstimateClaims(j, claims)) {
				r.job, r.cluster, r.shadow = j, -1, at
			}
			return r.job == nil
		}
		best := math.Inf(1)
		for _, c := range p.clusters {
			shares, ok := p.platform.FitsOn(&r.room, j, c, p.platform.Rigid(j, c), p.shares[:0])
			p.shares = shares
			if !ok {
				continue
			}
			if end := at + p.platform.Estimate(j, c, shares); end < best && inTime(j, end) {
				best = end
				r.job, r.cluster, r.shadow = j, c, at
			}
		}
		return r.job == nil
	})
}

// helps says whether a job that did not fit may fit once the other has given back the part.
func (p *general) helps(j, other *sim.Job, part *sim.Part) bool {
	if j.Request.Span != model.SpanMachine || len(j.Request.Licences) > 0 && len(other.Request.Licences) > 0 {
		return true
	}
	width := int32(p.platform.Rigid(j, part.Cluster))
	return slices.ContainsFunc(part.Shares, func(s sim.Share) bool { return p.plan.room.Processors[s.Machine] >= width })
}

// inOrder calls yield for the running jobs in order of their expected ends; last says that no other job ends at the same time. It
// stops where yield returns false.
func (p *general) inOrder(now float64, yield func(end float64, last bool, j *sim.Job) bool) {
	n := 0 // those that have outlived their estimates
	for n < len(p.running) && p.running[n].EstimatedEnd <= now {
		n++
	}
	late, k := after(now, p.step), n
	next := func() (float64, *sim.Job) {
		switch {
		case n > 0 && (k == len(p.running) || p.running[k].EstimatedEnd >= late):
			n--
			return late, p.running[n]
		case k < len(p.running):
			k++
			return p.running[k-1].EstimatedEnd, p.running[k-1]
		}
		return math.Inf(1), nil
	}
	end, j := next()
	for j != nil {
		following, other := next()
		if !yield(end, following > end, j) {
			return
		}
		end, j = following, other
	}
}
