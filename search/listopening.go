package search

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/plan"
)

// listRules are the rules of priority by which list schedules are made to begin with: the least goes first.
var listRules = []func(j *listJob) float64{
	func(j *listJob) float64 { return -float64(j.size) },        // widest first
	func(j *listJob) float64 { return -j.duration },             // longest processing time
	func(j *listJob) float64 { return -j.area() },               // largest
	func(j *listJob) float64 { return j.area() },                // smallest: Smith's rule for equal weights
	func(j *listJob) float64 { return j.duration },              // shortest processing time
	func(j *listJob) float64 { return j.deadline },              // earliest due date
	func(j *listJob) float64 { return j.deadline - j.duration }, // least slack
	func(j *listJob) float64 { return j.arrival },               // first come
}

// open is the best of the given orders and those that the rules make; nil where ctx ends.
//
// Complexity: O(rules · jobs · clusters · steps).
func (p *listProblem) open(ctx context.Context, given [][]int32) [][]int32 {
	best := given
	least := p.objectiveOf(given)
	for _, rule := range listRules {
		orders := p.dispatch(ctx, rule)
		if orders == nil {
			return nil
		}
		if objective := p.objectiveOf(orders); objective < least {
			best, least = orders, objective
		}
	}
	return best
}

// dispatch goes by events: whenever a processor is free, of the jobs that have arrived by then the one that the rule prefers goes to
// the cluster on which it ends first.
//
// Complexity: O(jobs · (log jobs + clusters · steps)).
func (p *listProblem) dispatch(ctx context.Context, rule func(j *listJob) float64) [][]int32 {
	arrival := func(j int32) float64 { return p.clusters[p.host(j)].jobs[j].arrival }
	later := slices.Clone(p.movable)
	slices.SortStableFunc(later, func(a, b int32) int { return cmp.Compare(arrival(a), arrival(b)) })
	now := &waitingHeap{position: make([]int32, len(p.in.Jobs()))}
	for k, j := range p.movable {
		now.position[j] = int32(k)
	}
	orders, releases := make([][]int32, len(p.clusters)), p.releases()
	defer p.count(releases)
	t := math.Inf(-1)
	for n := range p.movable {
		if n%256 == 0 && ctx.Err() != nil {
			return nil
		}
		free := math.Inf(1)
		for _, r := range releases {
			free = min(free, r.Earliest(1, math.Inf(-1)))
		}
		if t = max(t, free); now.Len() == 0 {
			t = max(t, arrival(later[0]))
		}
		for len(later) > 0 && arrival(later[0]) <= t {
			j := later[0]
			heap.Push(now, waiting{rule(&p.clusters[p.host(j)].jobs[j]), j})
			later = later[1:]
		}
		j := heap.Pop(now).(waiting).job
		at, least := 0, math.Inf(1)
		for c := range p.clusters {
			if job := &p.clusters[c].jobs[j]; job.size > 0 {
				if end := releases[c].Earliest(job.size, job.arrival) + job.duration; end < least {
					at, least = c, end
				}
			}
		}
		job := &p.clusters[at].jobs[j]
		releases[at].Place(job.size, job.arrival, job.duration)
		orders[at] = append(orders[at], j)
	}
	return orders
}

// host is the first cluster that can run the job.
func (p *listProblem) host(j int32) int {
	return slices.IndexFunc(p.clusters, func(c listCluster) bool { return c.jobs[j].size > 0 })
}

// releases are those of all clusters, empty.
func (p *listProblem) releases() []*plan.Releases {
	all := make([]*plan.Releases, len(p.clusters))
	for c := range all {
		processors := p.in.Clusters()[c].Processors
		all[c] = plan.NewReleases(min(processors, len(p.movable)))
		all[c].Reset(p.origin, processors)
	}
	return all
}

// count adds the work of the releases to that of the opening.
func (p *listProblem) count(releases []*plan.Releases) {
	for _, r := range releases {
		p.opened += r.Work()
	}
}

// objectiveOf decodes orders.
func (p *listProblem) objectiveOf(orders [][]int32) float64 {
	objective, last := p.constant, 0.0
	releases := p.releases()
	defer p.count(releases)
	for c, r := range releases {
		sums := listSums{latest: p.origin}
		for _, id := range orders[c] {
			j := &p.clusters[c].jobs[id]
			sums.add(&p.clusters[c], id, r.Place(j.size, j.arrival, j.duration)+j.duration)
			sums.busy += j.area()
		}
		objective += p.clusters[c].at(float64(len(orders[c]))/float64(len(p.movable))).cost(sums, p.origin)
		last = max(last, sums.latest-p.origin)
	}
	return objective + p.makespan*last
}
