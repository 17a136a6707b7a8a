package solve

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Bound is a method that proves how low one metric can be. It is registered in the file that holds it, as a solver is.
type Bound struct {
	Name   string
	Metric string // the metric it bounds
	Doc    string
	Source string
	// Prove returns a value that the metric is not below in any schedule that places every job it has to, and whether it
	// found one. When ctx ends it returns what it has, which is valid; without that it depends on the instance alone.
	Prove func(ctx context.Context, r *relaxation) (value float64, ok bool)
}

// bounds holds the registered bounds by metric.
var bounds = map[string][]Bound{}

// RegisterBound adds a bound to the registry.
func RegisterBound(b Bound) Bound {
	if m, ok := model.MetricNamed(b.Metric); !ok || m.PerCluster {
		panic(fmt.Sprintf("solve: bound %q of the metric %q", b.Name, b.Metric))
	}
	bounds[b.Metric] = append(bounds[b.Metric], b)
	return b
}

// LowerBound is the best lower bound of the instance's objective that the registered bounds prove, and whether they prove
// any. It holds for every schedule that places all jobs it has to: those that some cluster can run, that have no hard deadline
// and that wait for no job that may be left out. Metrics of a positive weight without a bound count as 0, below which none
// falls; those of a negative weight as their largest value.
//
// When ctx ends it returns at once what is proved until then, if anything.
func LowerBound(ctx context.Context, in *model.Instance) (value float64, ok bool) {
	r := newRelaxation(ctx, in)
	if r == nil {
		return 0, false
	}
	return r.bound(ctx)
}

// bound is LowerBound of the relaxation's instance.
func (r *relaxation) bound(ctx context.Context) (value float64, ok bool) {
	for _, term := range r.in.Objective() {
		if term.Weight < 0 {
			most, limited := r.most(term.Metric)
			if !limited {
				return 0, false
			}
			value += term.Weight * most
			continue
		}
		best := 0.0
		for _, b := range bounds[term.Metric] {
			if ctx.Err() != nil {
				break
			}
			if proved, found := b.Prove(ctx, r); found {
				best, ok = max(best, proved), true
			}
		}
		value += term.Weight * best
	}
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return 0, false
	}
	// A bound adds the same numbers as a schedule in another order; it stays below all of them.
	return value - 1e-12*math.Abs(value), ok
}

// duty says what a schedule has to do with a job.
type duty uint8

const (
	mustPlace duty = iota
	mayLeave       // a hard deadline, or the wait for one that may be left out, may keep it out
	mustLeave      // no cluster can run it, alone it ends after its hard deadline, or it waits for one of these
)

// relaxation is what the bounds know of an instance: the jobs that every schedule has to place, each with the least time and
// the least processor time that it takes, and the earliest it can start and end when it waits for nothing but its arrival and
// the jobs before it. All times count from the earliest arrival.
type relaxation struct {
	in     *model.Instance
	duties []duty    // by job
	must   []int     // the jobs every schedule has to place
	all    bool      // these are all jobs
	least  []float64 // by job: shortest execution time anywhere
	start  []float64 // by job: earliest start

	areaRows [][]float64 // see areas; nil: not asked for yet
}

// newRelaxation looks at every job; nil where the context ends first.
func newRelaxation(ctx context.Context, in *model.Instance) *relaxation {
	if ctx.Err() != nil {
		return nil
	}
	n := len(in.Jobs())
	r := &relaxation{in: in, duties: make([]duty, n), least: make([]float64, n), start: make([]float64, n)}
	for k, j := range plan.ArrivalOrder(in) { // those waited for first
		if k%64 == 0 && ctx.Err() != nil {
			return nil
		}
		job := &in.Jobs()[j]
		r.least[j] = math.Inf(1)
		for c := range in.Clusters() {
			r.least[j] = min(r.least[j], shortestOn(in, j, c))
		}
		r.start[j] = job.Arrival - in.FirstArrival()
		for _, before := range job.After {
			r.duties[j] = max(r.duties[j], r.duties[before])
			r.start[j] = max(r.start[j], r.start[before]+r.least[before])
		}
		r.duties[j] = max(r.duties[j], r.dutyAlone(j))
	}
	for j := range n {
		if r.duties[j] == mustPlace {
			r.must = append(r.must, j)
		}
	}
	r.all = len(r.must) == n
	return r
}

// dutyAlone is the duty of a job, whatever that of those it waits for.
func (r *relaxation) dutyAlone(j int) duty {
	job := &r.in.Jobs()[j]
	rounding := 2 * model.Tolerance * (math.Abs(job.Deadline) + math.Abs(r.in.FirstArrival()))
	switch {
	case math.IsInf(r.least[j], 1):
		return mustLeave
	case !job.DeadlineHard || !job.HasDeadline():
		return mustPlace
	case r.end(j) > r.deadline(j)+rounding:
		return mustLeave
	}
	return mayLeave
}

// end is the earliest end of the job.
func (r *relaxation) end(j int) float64 { return r.start[j] + r.least[j] }

// shortestOn is a time that the job takes at least on the cluster; +Inf where it cannot run there. It takes the fastest
// machine for all, and for a job that may spread over the grid as many processors as it may have.
func shortestOn(in *model.Instance, j, c int) float64 {
	job, cluster := &in.Jobs()[j], &in.Clusters()[c]
	wide := job.Span == model.SpanGrid
	if !wide && !in.CanRun(j, c) {
		return math.Inf(1)
	}
	_, most := in.Width(j, c)
	if !wide {
		most = min(most, cluster.Processors)
	}
	tasks := (job.Tasks + most - 1) / most
	if wide || !cluster.Uniform {
		tasks = 1 // a fast processor may take more of the tasks than a slow one; each takes one at least
		if cluster.WholeMachines {
			tasks = job.Tasks
		}
	}
	speed, link := fastest(cluster)
	time := in.Busy(j, c, speed, tasks) + in.Transfer(j, link)
	if math.IsNaN(time) {
		return math.Inf(1)
	}
	return time
}

// fastest is the highest speed and the highest bandwidth of the cluster's machines.
func fastest(c *model.Cluster) (speed, link float64) {
	for k := range c.Machines {
		speed, link = max(speed, c.Machines[k].Speed), max(link, c.Machines[k].Bandwidth)
	}
	return speed, link
}

// areaOn is processor time that the job holds at least on the cluster; +Inf where it cannot run there. Every task is run
// somewhere, at best by the fastest processor.
func areaOn(in *model.Instance, j, c int) float64 {
	job, cluster := &in.Jobs()[j], &in.Clusters()[c]
	if job.Span != model.SpanGrid && !in.CanRun(j, c) {
		return math.Inf(1)
	}
	least, _ := in.Width(j, c)
	if cluster.Uniform && job.Rigid() && job.Span != model.SpanGrid {
		return float64(least) * in.DurationOn(j, c, least)
	}
	speed, _ := fastest(cluster)
	area := float64(job.Tasks) * job.Work / speed
	if job.StatesRuntimes() {
		area = in.Busy(j, c, speed, 1) * float64(job.Tasks)
	}
	if math.IsNaN(area) {
		return math.Inf(1)
	}
	return area
}

// most is the largest value of a metric that is better when high, and whether it has one.
func (r *relaxation) most(metric string) (float64, bool) {
	jobs := r.in.Jobs()
	sum := 0.0
	switch metric {
	case "finished":
		return float64(len(jobs)), true
	case "utilisation", "processor_usage", "licence_usage":
		return 100, true
	case "data_moved":
		for k := range jobs {
			sum += jobs[k].Input + jobs[k].Output
		}
		return sum, true
	case "work_done":
		for k := range jobs {
			sum += jobs[k].TotalWork()
		}
		return sum, true
	}
	return 0, false
}
