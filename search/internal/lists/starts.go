package lists

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/separable"
)

// rules are the priority rules that make the first list schedules: the job with the least value goes first.
var rules = []func(j *separable.Job) float64{
	func(j *separable.Job) float64 { return -float64(j.Size) },        // widest first
	func(j *separable.Job) float64 { return -j.Duration },             // longest processing time
	func(j *separable.Job) float64 { return -j.Area() },               // largest
	func(j *separable.Job) float64 { return j.Area() },                // smallest area: Smith's rule for equal weights
	func(j *separable.Job) float64 { return j.Duration },              // shortest processing time
	func(j *separable.Job) float64 { return j.Deadline },              // earliest due date
	func(j *separable.Job) float64 { return j.Deadline - j.Duration }, // least slack: the time left if the job started at 0
	func(j *separable.Job) float64 { return j.Arrival },               // first come
}

// bestStart is the best of the given orders and those that the rules make; nil if ctx ends.
//
// Complexity: O(rules · jobs · clusters · steps).
func (p *problem) bestStart(ctx context.Context, given [][]int32) [][]int32 {
	best := given
	least := p.objectiveOf(given)
	for _, rule := range rules {
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

// dispatch makes list schedules event by event. Whenever a processor is free, it takes the jobs that have arrived, chooses the
// one that the rule prefers and puts it on the cluster where it ends first.
//
// Complexity: O(jobs · (log jobs + clusters · steps)).
func (p *problem) dispatch(ctx context.Context, rule func(j *separable.Job) float64) [][]int32 {
	arrival := func(j int32) float64 { return p.Clusters[p.Host(j)].Jobs[j].Arrival }
	later := slices.Clone(p.Movable)
	slices.SortStableFunc(later, func(a, b int32) int { return cmp.Compare(arrival(a), arrival(b)) })
	place := make([]int32, len(p.In.Jobs()))
	for k, j := range p.Movable {
		place[j] = int32(k)
	}
	var now queue.Heap[queue.Waiting]
	orders, releases := make([][]int32, len(p.Clusters)), p.releases()
	defer p.count(releases)
	t := math.Inf(-1)
	for n := range p.Movable {
		if n%256 == 0 && ctx.Err() != nil {
			return nil
		}
		free := math.Inf(1)
		for _, r := range releases {
			free = min(free, r.Earliest(1, math.Inf(-1)))
		}
		if t = max(t, free); len(now) == 0 {
			t = max(t, arrival(later[0]))
		}
		for len(later) > 0 && arrival(later[0]) <= t {
			j := later[0]
			now.Push(queue.Waiting{Key: rule(&p.Clusters[p.Host(j)].Jobs[j]), Place: place[j], Job: j})
			later = later[1:]
		}
		j := now.Pop().Job
		at, least := 0, math.Inf(1)
		for c := range p.Clusters {
			if job := &p.Clusters[c].Jobs[j]; job.Size > 0 {
				if end := releases[c].Earliest(job.Size, job.Arrival) + job.Duration; end < least {
					at, least = c, end
				}
			}
		}
		job := &p.Clusters[at].Jobs[j]
		releases[at].Place(job.Size, job.Arrival, job.Duration)
		orders[at] = append(orders[at], j)
	}
	return orders
}

// releases returns the releases of all clusters, still empty.
func (p *problem) releases() []*plan.Releases {
	all := make([]*plan.Releases, len(p.Clusters))
	for c := range all {
		processors := p.In.Clusters()[c].Processors
		all[c] = plan.NewReleases(min(processors, len(p.Movable)))
		all[c].Reset(p.Origin, processors)
	}
	return all
}

// count adds the work of the releases to that of making the starts.
func (p *problem) count(releases []*plan.Releases) {
	for _, r := range releases {
		p.started += r.Work()
	}
}

// objectiveOf decodes the orders and returns their objective.
func (p *problem) objectiveOf(orders [][]int32) float64 {
	objective, last := p.Constant, 0.0
	releases := p.releases()
	defer p.count(releases)
	for c, r := range releases {
		sums := sums{latest: p.Origin}
		for _, id := range orders[c] {
			j := &p.Clusters[c].Jobs[id]
			sums.add(&p.Clusters[c], id, r.Place(j.Size, j.Arrival, j.Duration)+j.Duration)
			sums.busy += j.Area()
		}
		objective += sums.cost(p.Clusters[c].At(float64(len(orders[c]))/float64(len(p.Movable))), p.Origin)
		last = max(last, sums.latest-p.Origin)
	}
	return objective + p.Makespan*last
}
