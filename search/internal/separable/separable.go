// Package separable reads instances of rigid jobs whose objective is a sum over the clusters. The engines lists and serial and
// the exhaustive search work on them.
package separable

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Problem is an instance with a separable objective. It does not change once made.
type Problem struct {
	In         *model.Instance
	Clusters   []Cluster
	Origin     float64 // earliest arrival
	Makespan   float64 // weight of the makespan over all clusters
	Constant   float64 // part of the objective that is the same for all schedules
	Processors float64 // of all clusters together
	Nowhere    []int   // jobs that can run on no cluster
	Movable    []int32 // jobs that can run on some cluster
}

// Cluster is a cluster with its coefficients in the objective. MCP holds the coefficients that grow with the cluster's share of
// the jobs, Plain holds the others.
type Cluster struct {
	Processors float64
	Jobs       []Job
	Costs      []Cost // by job; nil: the objective needs no costs by job
	MCP, Plain Weights
}

// Weights are the costs of one unit of a cluster's makespan, of its busy processor time and of its time over deadlines.
type Weights struct{ Makespan, Busy, Over float64 }

// Job is a job on one cluster. It is small, so that all jobs fit into the cache of a processor.
type Job struct {
	Duration, Arrival float64
	Deadline          float64 // the time from here to a later end is time over the deadline
	Size              int32   // processors; 0: the job cannot run there
}

// Cost is what a job on one cluster costs, apart from its time over the deadline. No part is negative.
type Cost struct {
	fixed        float64 // for running on the cluster at all
	first, slope float64 // slope · (end − first), where first is the earliest possible end
	bound, steep float64 // steep · max(0, end − bound)
	late         float64 // added once if the job ends after the deadline
}

// Of is the cost of a job that ends at the given time.
func (c *Cost) Of(end, deadline float64) float64 {
	cost := c.fixed + c.slope*(end-c.first)
	if end > c.bound {
		cost += c.steep * (end - c.bound)
	}
	if c.late > 0 && model.Late(end, deadline) {
		cost += c.late
	}
	return cost
}

// Area is the processor time that the job takes.
func (j *Job) Area() float64 { return float64(j.Size) * j.Duration }

// At returns the cluster's weights for the case that it runs the given share of all jobs.
func (c *Cluster) At(share float64) Weights {
	return Weights{
		c.Plain.Makespan + share*c.MCP.Makespan,
		c.Plain.Busy + share*c.MCP.Busy,
		c.Plain.Over + share*c.MCP.Over,
	}
}

// maxPairs limits the pairs of job and cluster, since Problem keeps a cost for each.
const maxPairs = 20_000_000

// Metrics are the metrics that are sums over the clusters.
var Metrics = []string{"mcp", "makespan", "idle_time", "over_deadline", "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown",
	"missed", "miss_rate", "cost", "unfinished"}

// New reads an instance. It returns nil in three cases: the instance has something that list decoding by counts of free
// processors cannot take into account; the objective is not a separable sum with weights of at least 0; or ctx ends.
func New(ctx context.Context, in *model.Instance) *Problem {
	return NewWith(ctx, in, plan.RigidFeatures)
}

// NewWith is [New] for a search that takes the given features into account.
func NewWith(ctx context.Context, in *model.Instance, features model.Features) *Problem {
	if in.Features()&^features != 0 || len(in.Jobs())*len(in.Clusters()) > maxPairs {
		return nil
	}
	for _, term := range in.ObjectiveTerms() {
		if term.Weight < 0 || term.Weight > 0 && !slices.Contains(Metrics, term.Metric) {
			return nil
		}
	}
	p := &Problem{In: in, Origin: in.FirstArrival(), Clusters: make([]Cluster, len(in.Clusters()))}
	for c := range p.Clusters {
		if ctx.Err() != nil {
			return nil
		}
		p.Clusters[c].Processors = float64(in.Clusters()[c].Processors)
		p.Clusters[c].Jobs = p.jobsOn(c)
		p.Processors += p.Clusters[c].Processors
	}
	for j := range in.Jobs() {
		if p.anywhere(j) {
			p.Movable = append(p.Movable, int32(j))
		} else {
			p.Nowhere = append(p.Nowhere, j)
		}
	}
	for _, term := range in.ObjectiveTerms() {
		if ctx.Err() != nil || term.Weight > 0 && !p.add(term.Metric, term.Weight) {
			return nil
		}
	}
	return p
}

// anywhere says whether the job can run on some cluster.
func (p *Problem) anywhere(job int) bool {
	return slices.ContainsFunc(p.Clusters, func(c Cluster) bool { return c.Jobs[job].Size > 0 })
}

// Host is the first cluster that can run the job; −1: none.
func (p *Problem) Host(job int32) int {
	return slices.IndexFunc(p.Clusters, func(c Cluster) bool { return c.Jobs[job].Size > 0 })
}

// HostOf is the first cluster of the placement that can run the job, or the first of all if the job is spread over clusters that cannot; −1: none.
func (p *Problem) HostOf(placement *model.Placement, job int) int {
	host := -1
	placement.Parts(1, func(piece model.Piece) {
		if c, known := p.In.ClusterIndex(piece.Cluster); known && host < 0 && p.Clusters[c].Jobs[job].Size > 0 {
			host = c
		}
	})
	if host < 0 {
		host = p.Host(int32(job))
	}
	return host
}

// jobsOn lists the jobs as they are on cluster c.
func (p *Problem) jobsOn(c int) []Job {
	jobs := make([]Job, len(p.In.Jobs()))
	for k := range jobs {
		if !p.In.CanRun(k, c) {
			continue
		}
		size, _ := p.In.Width(k, c)
		j, duration := &p.In.Jobs()[k], p.In.DurationOn(k, c, size)
		jobs[k] = Job{duration, j.Arrival, j.Deadline, int32(size)}
	}
	return jobs
}

// add enters a metric into the objective. It returns false if the metric is no separable sum in this instance.
func (p *Problem) add(metric string, weight float64) bool {
	switch metric {
	case "mcp":
		p.addMCP(weight)
	case "makespan":
		p.Makespan += weight
	case "idle_time":
		for c := range p.Clusters {
			p.Clusters[c].Plain.Makespan += weight * p.Clusters[c].Processors
			p.Clusters[c].Plain.Busy -= weight
		}
	case "over_deadline":
		for c := range p.Clusters {
			p.Clusters[c].Plain.Over += weight
		}
	case "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown", "missed", "miss_rate", "cost":
		return p.addJobs(metric, weight)
	case "unfinished": // a constant, because no deadline is hard
		p.Constant += weight * float64(len(p.Nowhere))
	default:
		return false
	}
	return true
}

// addMCP enters the comprehensive performance of each cluster, weighted by the cluster's share of the placed jobs.
func (p *Problem) addMCP(weight float64) {
	for c := range p.Clusters {
		w, m := p.In.Clusters()[c].Weights, p.Clusters[c].Processors
		if sum := w.Sum(); sum > 0 {
			mcp := &p.Clusters[c].MCP
			mcp.Makespan += weight * (w.IdleTime*m + w.Makespan) / sum
			mcp.Busy -= weight * w.IdleTime / sum
			mcp.Over += weight * w.OverDeadline / sum
		}
	}
}

// addJobs enters a metric that is a sum over the placed jobs. It returns false if the metric is no such sum in this instance.
func (p *Problem) addJobs(metric string, weight float64) bool {
	placed, due := float64(len(p.In.Jobs())-len(p.Nowhere)), 0.0
	for k := range p.In.Jobs() {
		if p.In.Jobs()[k].HasDeadline() {
			due++
		}
	}
	per := weight / placed
	for c := range p.Clusters {
		rate, even := CostRate(&p.In.Clusters()[c])
		costs := p.costsOn(c)
		for k := range costs {
			j, cost := &p.Clusters[c].Jobs[k], &costs[k]
			if j.Size == 0 {
				continue
			}
			switch metric {
			case "mean_response":
				cost.slope += per
				cost.fixed += per * j.Duration
			case "mean_wait":
				cost.slope += per
			case "mean_slowdown":
				if j.Duration == 0 {
					return false // its slowdown is undefined: whether it counts changes the cost of the others
				}
				cost.slope += per / j.Duration
				cost.fixed += per
			case "bounded_slowdown":
				cost.bound, cost.steep = j.Arrival+max(j.Duration, 10), per/max(j.Duration, 10)
				cost.fixed += per
			case "missed":
				cost.late += weight
			case "miss_rate":
				cost.late += weight * 100 / due
			case "cost":
				if !even {
					return false
				}
				cost.fixed += weight * rate * float64(j.Size) * j.Duration
			}
		}
	}
	for _, k := range p.Nowhere {
		if p.In.Jobs()[k].HasDeadline() {
			switch metric {
			case "missed":
				p.Constant += weight
			case "miss_rate":
				p.Constant += weight * 100 / due
			}
		}
	}
	return true
}

// costsOn returns the costs of the jobs on cluster c. At first it makes them, all 0.
func (p *Problem) costsOn(c int) []Cost {
	cluster := &p.Clusters[c]
	if cluster.Costs == nil {
		cluster.Costs = make([]Cost, len(cluster.Jobs))
		for k := range cluster.Costs {
			cluster.Costs[k] = Cost{first: cluster.Jobs[k].Arrival + cluster.Jobs[k].Duration, bound: math.Inf(1)}
		}
	}
	return cluster.Costs
}

// CostRate returns the cost of a processor of the cluster for a unit of time. It returns false if the machines differ in it.
func CostRate(c *model.Cluster) (rate float64, even bool) {
	rate = c.Machines[0].Cost
	if slices.ContainsFunc(c.Machines, func(m model.Machine) bool { return m.Cost != rate }) {
		return 0, false
	}
	return rate, true
}

// GCD is the greatest common divisor; that of 0 and b is b.
func GCD(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
