package backfill

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// kind says which rules a policy in the general world follows.
type kind int

// The kinds without fixed reservations.
const (
	kindFCFS kind = iota
	kindEASY
	kindFlexible
)

// general is FCFS, EASY or flexible backfilling in the general world; the package comment states the rules.
//
// Complexity: O((q·C + r)·m) an instant, for q queued and r running jobs and C clusters of m machines.
type general struct {
	kind       kind
	step       float64 // by which a job outlives its estimate, as far as the policy knows; 0: the next instant
	priorities Priorities

	platform *sim.Platform
	queue    []ranked
	running  []*sim.Job // by estimated end, then number
	fastest  []float64  // by handle: the least estimate of the job
	empty    sim.Room
	plan     reservation
	most     []int32 // free processors by cluster
	demand   []float64
	shares   []sim.Share
	chosen   []sim.Share
}

// reservation is what the policy keeps for the first job that cannot start.
type reservation struct {
	job     *sim.Job // nil: none
	cluster int
	shadow  float64
	room    sim.Room // at the shadow time
	trial   sim.Room
}

// newGeneral returns a maker of policies for a platform.
func newGeneral(kind kind, step float64, weights Priorities) func(*sim.Platform, uint64) sim.Policy {
	return func(platform *sim.Platform, _ uint64) sim.Policy {
		return &general{kind: kind, step: step, priorities: weights, platform: platform, empty: platform.All(),
			most: make([]int32, platform.Clusters()), demand: make([]float64, platform.Licences())}
	}
}

// Arrive implements sim.Policy.
func (p *general) Arrive(j *sim.Job) {
	for int(j.Handle) >= len(p.fastest) {
		p.fastest = append(p.fastest, 0)
	}
	p.fastest[j.Handle] = fastest(p.platform, j, &p.empty)
	at, _ := slices.BinarySearchFunc(p.queue, j.Number, func(r ranked, number int64) int { return cmp.Compare(r.job.Number, number) })
	if p.kind == kindFlexible {
		at = len(p.queue)
	}
	p.queue = slices.Insert(p.queue, at, ranked{job: j})
}

// fastest is the least estimate of a job over all clusters.
func fastest(platform *sim.Platform, j *sim.Job, empty *sim.Room) float64 {
	least := math.Inf(1)
	for c := range platform.Clusters() {
		least = min(least, platform.Fastest(j, c, empty))
	}
	return least
}

// Release implements sim.Policy.
func (p *general) Release(j *sim.Job, _ int, last bool) {
	if last {
		p.running = slices.DeleteFunc(p.running, func(other *sim.Job) bool { return other == j })
	}
}

// Decide implements sim.Policy.
func (p *general) Decide(e *sim.Engine) {
	p.dropHopeless(e)
	if p.kind == kindFlexible {
		p.rank(e.Now())
	}
	p.plan.job = nil
	p.count()
	kept := p.queue[:0]
	for k, r := range p.queue {
		if e.Stopped() {
			return
		}
		if p.start(e, r.job) {
			continue
		}
		kept = append(kept, r)
		if p.plan.job == nil && p.kind == kindFCFS {
			kept = append(kept, p.queue[k+1:]...)
			break
		}
		if len(kept) == 1 {
			p.reserve(e, r.job)
		}
	}
	clear(p.queue[len(kept):])
	p.queue = kept
}

// dropHopeless drops the jobs that cannot meet their hard deadlines any more.
func (p *general) dropHopeless(e *sim.Engine) {
	p.queue = slices.DeleteFunc(p.queue, func(r ranked) bool {
		return dropHopeless(e, r.job, p.fastest[r.job.Handle])
	})
}

// dropHopeless drops a job that cannot meet its hard deadline even if it starts at once, and says whether it did.
func dropHopeless(e *sim.Engine, j *sim.Job, fastest float64) bool {
	r := j.Request
	if !r.DeadlineHard || e.Now()+fastest <= r.Deadline {
		return false
	}
	e.Drop(j, fmt.Sprintf("hard deadline %v cannot be met: started at %v it would end at %v at the earliest, by its estimate", r.Deadline, e.Now(), e.Now()+fastest))
	return true
}

// count counts the free processors of each cluster.
func (p *general) count() {
	clear(p.most)
	for m := range p.platform.Machines {
		p.most[p.platform.Machines[m].Cluster] += p.platform.Free.Processors[m]
	}
}

// start starts a job on the cluster where it ends first by its estimate, of those where it may start now; false: there is none.
func (p *general) start(e *sim.Engine, j *sim.Job) bool {
	best, bestEnd := -1, math.Inf(1)
	for c := range p.platform.Clusters() {
		if int(p.most[c]) < p.platform.Width(j, c) {
			continue
		}
		shares, ok := p.platform.Fits(&p.platform.Free, j, c, p.shares[:0])
		p.shares = shares
		if !ok {
			continue
		}
		end := e.Now() + p.platform.Estimate(j, c, shares)
		if end < bestEnd && inTime(j, end) && p.harmless(j, c, shares, end) {
			best, bestEnd = c, end
			p.chosen = append(p.chosen[:0], shares...)
		}
	}
	if best < 0 {
		return false
	}
	if p.plan.job != nil && bestEnd > p.plan.shadow {
		p.platform.Take(&p.plan.room, j, best, p.chosen)
	}
	e.StartOn(j, sim.Claim{Cluster: best, Shares: p.chosen})
	for _, s := range p.chosen {
		p.most[best] -= s.Processors
	}
	p.running = insertByEnd(p.running, j)
	return true
}

// insertByEnd inserts a job into the running ones, which are in order of estimated end, then of number.
func insertByEnd(running []*sim.Job, j *sim.Job) []*sim.Job {
	at, _ := slices.BinarySearchFunc(running, j, func(a, b *sim.Job) int {
		return cmp.Or(cmp.Compare(a.EstimatedEnd, b.EstimatedEnd), cmp.Compare(a.Number, b.Number))
	})
	return slices.Insert(running, at, j)
}

// inTime says whether a job that ends at the given time keeps its hard deadline, if it has one.
func inTime(j *sim.Job, end float64) bool {
	return !j.Request.DeadlineHard || end <= j.Request.Deadline
}

// harmless says whether a job that starts now on the shares and ends at the given time leaves the reserved job its place.
func (p *general) harmless(j *sim.Job, cluster int, shares []sim.Share, end float64) bool {
	r := &p.plan
	if r.job == nil || end <= r.shadow {
		return true
	}
	r.trial.CopyFrom(&r.room)
	p.platform.Take(&r.trial, j, cluster, shares)
	_, ok := p.platform.Fits(&r.trial, r.job, r.cluster, nil)
	return ok
}

// reserve makes a reservation for the job at the earliest estimated end at which it fits. A job that would then miss its hard deadline
// gets none.
func (p *general) reserve(e *sim.Engine, j *sim.Job) {
	r := &p.plan
	r.room.CopyFrom(&p.platform.Free)
	now := e.Now()
	p.inOrder(now, func(at float64, last bool, other *sim.Job) bool {
		for _, part := range e.Held(other) {
			p.platform.Give(&r.room, other, part.Cluster, part.Shares())
		}
		if !last {
			return true
		}
		best := math.Inf(1)
		for c := range p.platform.Clusters() {
			shares, ok := p.platform.Fits(&r.room, j, c, p.shares[:0])
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

// rank sorts the queue by priority.
func (p *general) rank(now float64) {
	platform := p.platform
	clear(p.demand)
	shortest := math.Inf(1)
	for _, r := range p.queue {
		shortest = min(shortest, p.fastest[r.job.Handle])
		for _, need := range r.job.Request.Licences {
			p.demand[need.Licence] += float64(need.Copies)
		}
	}
	plenty := 0.0 // licences asked for that are not critical
	for l, asked := range p.demand {
		if p.demand[l] = platform.Scarcity(l, asked); asked > 0 && p.demand[l] <= 1 {
			plenty++
		}
	}
	for k := range p.queue {
		j, score := p.queue[k].job, 0.0
		for _, need := range j.Request.Licences {
			if ratio := p.demand[need.Licence]; need.Copies > 0 && ratio > 1 {
				score += max(plenty, 1) * ratio
			} else if need.Copies > 0 {
				score += ratio
			}
		}
		p.queue[k].priority = p.priorities.of(now, j.Arrival, j.Request.Deadline, p.fastest[j.Handle], shortest, score)
	}
	slices.SortFunc(p.queue, byPriority)
}

// Plan implements sim.Planner.
func (p *general) Plan(j *sim.Job) sim.Plan {
	plan := sim.Plan{Reserved: math.NaN(), For: math.NaN()}
	switch first := p.plan.job; {
	case first == j:
		plan.Reserved = p.plan.shadow
	case first != nil:
		plan.Keeps, plan.For = []*sim.Job{first}, p.plan.shadow
	case p.kind == kindFCFS:
		for _, r := range p.queue {
			if r.job == j {
				break
			}
			plan.Keeps = append(plan.Keeps, r.job)
		}
	}
	return plan
}
