package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// listProblem is an instance of plain rigid jobs as the engine of lists sees it. It is not written after it has been made.
type listProblem struct {
	in         *model.Instance
	clusters   []listCluster
	origin     float64 // earliest arrival
	makespan   float64 // weight of the makespan of all clusters
	constant   float64 // of the objective
	processors float64 // of all clusters
	nowhere    []int   // jobs that can run on no cluster
	movable    []int32 // the others
	byArea     []int32 // those by least processor time on any cluster
	rank       []int32 // by job: where it is in that order
	opened     int64   // work of making the orders to begin with, see [plan.Releases.Work]
}

// listCluster is a cluster with its coefficients in the objective: those that grow with the share of the jobs that it has, from
// mcp, and those that do not.
type listCluster struct {
	processors float64
	jobs       []listJob
	costs      []listCost // nil: no metric of the objective asks for any
	mcp, plain listWeights
}

// listWeights are what a unit of the cluster's makespan, busy processor time and time over deadlines cost.
type listWeights struct{ makespan, busy, over float64 }

// listJob is a job on one cluster. It is small, so that all of them stay near the processor.
type listJob struct {
	duration, arrival float64
	deadline          float64 // over it counts as over-deadline
	size              int32   // 0: cannot run there
}

// listCost is what a job on one cluster costs beside the time over its deadline. Nothing of it is below 0.
type listCost struct {
	fixed        float64 // for being there at all
	first, slope float64 // slope · (end − first), first being the earliest end
	bound, steep float64 // steep · max(0, end − bound)
	late         float64 // once, when it ends after the deadline
}

// of is the cost of the job that ends at the given time.
func (c *listCost) of(end, deadline float64) float64 {
	cost := c.fixed + c.slope*(end-c.first)
	if end > c.bound {
		cost += c.steep * (end - c.bound)
	}
	if c.late > 0 && model.Late(end, deadline) {
		cost += c.late
	}
	return cost
}

// area is the processor time that the job takes.
func (j *listJob) area() float64 { return float64(j.size) * j.duration }

// at adds up the weights for a cluster with the given share of the jobs.
func (c *listCluster) at(share float64) listWeights {
	return listWeights{
		c.plain.makespan + share*c.mcp.makespan,
		c.plain.busy + share*c.mcp.busy,
		c.plain.over + share*c.mcp.over,
	}
}

// listPairs is the number of pairs of job and cluster up to which the engine keeps what each costs.
const listPairs = 20_000_000

// listMetrics are the metrics whose sums the engine adds up.
var listMetrics = []string{"mcp", "makespan", "idle_time", "over_deadline", "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown",
	"missed", "miss_rate", "cost", "unfinished"}

// newListProblem reads an instance; nil where it asks for something that lists by counts cannot honour, its objective is no
// sum over the clusters of what list decoding adds up, with weights that are not negative, or ctx ends.
func newListProblem(ctx context.Context, in *model.Instance) *listProblem {
	return newListProblemOf(ctx, in, plan.DecoderFeatures)
}

// newListProblemOf is newListProblem for one that honours the features given, whatever lists do.
func newListProblemOf(ctx context.Context, in *model.Instance, features model.Features) *listProblem {
	if in.Features()&^features != 0 || len(in.Jobs())*len(in.Clusters()) > listPairs {
		return nil
	}
	for _, term := range in.Objective() {
		if term.Weight < 0 || term.Weight > 0 && !slices.Contains(listMetrics, term.Metric) {
			return nil
		}
	}
	p := &listProblem{in: in, origin: in.FirstArrival(), clusters: make([]listCluster, len(in.Clusters()))}
	for c := range p.clusters {
		if ctx.Err() != nil {
			return nil
		}
		p.clusters[c].processors = float64(in.Clusters()[c].Processors)
		p.clusters[c].jobs = p.jobsOn(c)
		p.processors += p.clusters[c].processors
	}
	for j := range in.Jobs() {
		if p.anywhere(j) {
			p.movable = append(p.movable, int32(j))
		} else {
			p.nowhere = append(p.nowhere, j)
		}
	}
	p.sort()
	for _, term := range in.Objective() {
		if ctx.Err() != nil || term.Weight > 0 && !p.add(term.Metric, term.Weight) {
			return nil
		}
	}
	return p
}

// anywhere says whether the job can run on some cluster.
func (p *listProblem) anywhere(job int) bool {
	for c := range p.clusters {
		if p.clusters[c].jobs[job].size > 0 {
			return true
		}
	}
	return false
}

// jobsOn are the jobs on one cluster.
func (p *listProblem) jobsOn(c int) []listJob {
	jobs := make([]listJob, len(p.in.Jobs()))
	for k := range jobs {
		if !p.in.CanRun(k, c) {
			continue
		}
		size, _ := p.in.Width(k, c)
		j, duration := &p.in.Jobs()[k], p.in.DurationOn(k, c, size)
		jobs[k] = listJob{duration, j.Arrival, j.Deadline, int32(size)}
	}
	return jobs
}

// add enters a metric of the objective; false: it is not of the engine's kind.
func (p *listProblem) add(metric string, weight float64) bool {
	switch metric {
	case "mcp":
		p.addMCP(weight)
	case "makespan":
		p.makespan += weight
	case "idle_time":
		for c := range p.clusters {
			p.clusters[c].plain.makespan += weight * p.clusters[c].processors
			p.clusters[c].plain.busy -= weight
		}
	case "over_deadline":
		for c := range p.clusters {
			p.clusters[c].plain.over += weight
		}
	case "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown", "missed", "miss_rate", "cost":
		return p.addJobs(metric, weight)
	case "unfinished": // a constant: no deadline is hard
		p.constant += weight * float64(len(p.nowhere))
	default:
		return false
	}
	return true
}

// addMCP enters the comprehensive performance of each cluster, of which share is the part of all placed jobs.
func (p *listProblem) addMCP(weight float64) {
	for c := range p.clusters {
		w, m := p.in.Clusters()[c].Weights, p.clusters[c].processors
		if sum := w.Sum(); sum > 0 {
			mcp := &p.clusters[c].mcp
			mcp.makespan += weight * (w.IdleTime*m + w.Makespan) / sum
			mcp.busy -= weight * w.IdleTime / sum
			mcp.over += weight * w.OverDeadline / sum
		}
	}
}

// addJobs enters a metric that is a sum over the placed jobs; false: it is not one here.
func (p *listProblem) addJobs(metric string, weight float64) bool {
	placed, due := float64(len(p.in.Jobs())-len(p.nowhere)), 0.0
	for k := range p.in.Jobs() {
		if p.in.Jobs()[k].HasDeadline() {
			due++
		}
	}
	per := weight / placed
	for c := range p.clusters {
		rate, even := costRate(&p.in.Clusters()[c])
		costs := p.costsOn(c)
		for k := range costs {
			j, cost := &p.clusters[c].jobs[k], &costs[k]
			if j.size == 0 {
				continue
			}
			switch metric {
			case "mean_response":
				cost.slope += per
				cost.fixed += per * j.duration
			case "mean_wait":
				cost.slope += per
			case "mean_slowdown":
				if j.duration == 0 {
					return false // it may count or not, which changes what the others cost
				}
				cost.slope += per / j.duration
				cost.fixed += per
			case "bounded_slowdown":
				cost.bound, cost.steep = j.arrival+max(j.duration, 10), per/max(j.duration, 10)
				cost.fixed += per
			case "missed":
				cost.late += weight
			case "miss_rate":
				cost.late += weight * 100 / due
			case "cost":
				if !even {
					return false
				}
				cost.fixed += weight * rate * float64(j.size) * j.duration
			}
		}
	}
	for _, k := range p.nowhere {
		if p.in.Jobs()[k].HasDeadline() {
			switch metric {
			case "missed":
				p.constant += weight
			case "miss_rate":
				p.constant += weight * 100 / due
			}
		}
	}
	return true
}

// costsOn are the costs of the jobs on one cluster, none at first.
func (p *listProblem) costsOn(c int) []listCost {
	cluster := &p.clusters[c]
	if cluster.costs == nil {
		cluster.costs = make([]listCost, len(cluster.jobs))
		for k := range cluster.costs {
			cluster.costs[k] = listCost{first: cluster.jobs[k].arrival + cluster.jobs[k].duration, bound: math.Inf(1)}
		}
	}
	return cluster.costs
}

// costRate is the cost of a processor of the cluster, and whether it is the same for all.
func costRate(c *model.Cluster) (rate float64, even bool) {
	rate = c.Machines[0].Cost
	for k := range c.Machines {
		if c.Machines[k].Cost != rate {
			return 0, false
		}
	}
	return rate, true
}

// sort ranks the jobs by area.
func (p *listProblem) sort() {
	area := make([]float64, len(p.in.Jobs()))
	for k := range area {
		area[k] = math.Inf(1)
		for c := range p.clusters {
			if j := &p.clusters[c].jobs[k]; j.size > 0 {
				area[k] = min(area[k], j.area())
			}
		}
	}
	p.byArea, p.rank = slices.Clone(p.movable), make([]int32, len(area))
	slices.SortStableFunc(p.byArea, func(a, b int32) int { return cmp.Compare(area[a], area[b]) })
	for k, j := range p.byArea {
		p.rank[j] = int32(k)
	}
}
