package search

import (
	"cmp"
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

// dispatch takes the jobs in the order of a rule and puts each on the cluster on which it ends first; jobs that have not
// arrived wait for those that have.
func (p *listProblem) dispatch(ctx context.Context, rule func(j *listJob) float64) [][]int32 {
	keys := make([]float64, len(p.in.Jobs()))
	for _, j := range p.movable {
		keys[j] = rule(&p.clusters[p.host(j)].jobs[j])
	}
	queue := slices.Clone(p.movable)
	slices.SortStableFunc(queue, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
	orders, releases := make([][]int32, len(p.clusters)), p.releases()
	for n, j := range queue {
		if n%256 == 0 && ctx.Err() != nil {
			return nil
		}
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

// objectiveOf decodes orders.
func (p *listProblem) objectiveOf(orders [][]int32) float64 {
	objective, last := p.constant, 0.0
	for c, r := range p.releases() {
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
