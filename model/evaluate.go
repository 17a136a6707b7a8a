package model

import (
	"math"
	"slices"
	"sync"
)

// Evaluation is the objective and the metrics of a solution.
type Evaluation struct {
	Objective float64 // the instance's weighted sum; +Inf where a metric of it is not finite
	Metrics   Metrics // all metrics but those that are not finite; nil: they were not asked for, see [Evaluation.WithMetrics]
	Rounding  float64 // rounding error of Objective where it is a difference of sums: the same sums in another order may differ by it

	of *evaluation // what it was computed from; nil: it was not computed by this package and decides nothing
}

// Evaluate computes the objective and all metrics of a solution, only from its placements, unscheduled jobs and loads. It
// does not check that the schedule is valid; [Check] does. It returns an error if a placement names a job, cluster or
// processor that is not in the instance, or if a job is placed twice.
//
// Complexity: O(n log n) for n placed pieces.
func Evaluate(in *Instance, sol *Solution) (Evaluation, error) {
	var report Report
	s := resolve(in, sol, &report)
	if len(report.Violations) > 0 {
		return Evaluation{}, report.Violations[0]
	}
	return s.sums().evaluate(), nil
}

// EvaluateObjective is the objective that [Evaluate] finds, without the other metrics: for searches that compare many schedules.
func EvaluateObjective(in *Instance, sol *Solution) (float64, error) {
	var report Report
	s := resolve(in, sol, &report)
	if len(report.Violations) > 0 {
		return 0, report.Violations[0]
	}
	return s.sums().priced().Objective, nil
}

// WithMetrics returns the evaluation with all metrics, where it was made without them.
func (e Evaluation) WithMetrics() Evaluation {
	if e.Metrics != nil || e.of == nil {
		return e
	}
	return e.of.evaluate()
}

// evaluation holds the sums over a schedule that the metrics are made of.
type evaluation struct {
	*schedule
	clusters     []clusterSums
	lastEnd      float64
	placed       int
	finished     int
	missed       int
	withDeadline int
	cost         float64
	overBudget   int
	jobCost      []float64
	usage        onDemand[*processorUsage] // see processors
	pools        onDemand[[]poolUsage]     // see usedPools
	off          onDemand[float64]         // see deviation
	power        onDemand[powerSums]       // see powerSums
}

// onDemand is a value that is computed when it is first asked for, by whichever goroutine asks: an evaluation may be shared.
type onDemand[T any] struct {
	once  sync.Once
	value T
}

// get returns the value, which compute makes the first time.
func (o *onDemand[T]) get(compute func() T) T {
	o.once.Do(func() { o.value = compute() })
	return o.value
}

// clusterSums are the sums over one cluster.
type clusterSums struct {
	jobs     int     // number of jobs whose first piece is here
	makespan float64 // last end − earliest arrival; 0 without pieces
	busy     float64 // processor time held
	over     float64 // Σ max(0, end − deadline) of these jobs
	work     float64 // Σ work of the tasks placed here
	load     float64 // Σ load of these jobs, see [Job.load]

	missed, withDeadline float64 // of these jobs: late ones, those with a deadline
	slowdown, slowed     float64 // of those without a deadline that take time: sum of their slowdowns, their number
}

// sums adds up the schedule.
func (s *schedule) sums() *evaluation {
	e := &evaluation{
		schedule: s,
		clusters: make([]clusterSums, len(s.in.clusters)),
		lastEnd:  s.in.firstArrival,
		jobCost:  make([]float64, len(s.in.jobs)),
	}
	e.addParts()
	e.addJobs()
	return e
}

// priced computes the objective alone.
func (e *evaluation) priced() Evaluation {
	values := make([]float64, len(metricTable))
	for _, term := range e.in.objective {
		if k := position(term.Metric); term.Weight != 0 && e.has(&metricTable[k]) {
			v, _ := metricTable[k].value(e)
			values[k] = v.Total
		}
	}
	return e.evaluated(values)
}

// evaluate computes everything.
func (e *evaluation) evaluate() Evaluation {
	metrics := make(Metrics, len(metricTable))
	values := make([]float64, len(metricTable))
	for k := range metricTable {
		m := &metricTable[k]
		if !e.has(m) {
			continue
		}
		v, finite := m.value(e)
		values[k] = v.Total
		if finite {
			metrics[m.Name] = v
		}
	}
	result := e.evaluated(values)
	result.Metrics = metrics
	return result
}

// evaluated is the evaluation without metrics, of their values by their positions in the table.
func (e *evaluation) evaluated(values []float64) Evaluation {
	return Evaluation{Objective: e.objective(values), Rounding: e.objectiveRounding(values), of: e}
}

// has says whether the instance has what the metric measures.
func (e *evaluation) has(m *Metric) bool { return e.in.measures(m) }

// objective returns the weighted sum of the metrics, by their positions in the table, or +Inf if it is not
// finite.
func (e *evaluation) objective(values []float64) float64 {
	sum := 0.0
	for _, term := range e.in.objective {
		if term.Weight != 0 {
			sum += term.Weight * values[position(term.Metric)]
		}
	}
	if !isFinite(sum) {
		return math.Inf(1)
	}
	return sum
}

// position is the position of a metric in the table.
func position(name string) int {
	return slices.IndexFunc(metricTable, func(m Metric) bool { return m.Name == name })
}

// addParts sums over the pieces.
func (e *evaluation) addParts() {
	for k := range e.parts {
		p := &e.parts[k]
		c := &e.clusters[p.cluster]
		held := p.end - p.start
		c.makespan = max(c.makespan, p.end-e.in.firstArrival)
		c.busy += float64(p.set.Len()) * held
		c.work += float64(p.tasks) * e.in.jobs[p.job].Work
		if p.first {
			e.addPlaced(c, p.job)
		}
		e.jobCost[p.job] += held * e.in.clusters[p.cluster].CostRate(p.set)
	}
}

// addPlaced adds a job to the sums of the cluster that it counts in.
func (e *evaluation) addPlaced(c *clusterSums, job int) {
	j, start, end := &e.in.jobs[job], e.start[job], e.end[job]
	c.jobs++
	c.load += j.load()
	if late := end - j.Deadline; late > 0 {
		c.over += late
	}
	switch {
	case j.HasDeadline():
		c.withDeadline++
		if e.isLate(job) {
			c.missed++
		}
	case end > start:
		c.slowdown += (end - j.Arrival) / (end - start)
		c.slowed++
	}
}

// CostRate is the cost per time of holding the processors.
func (c *Cluster) CostRate(set ProcessorSet) float64 {
	rate := 0.0
	c.eachGroup(set, func(m *Machine, processors int) { rate += m.Cost * float64(processors) })
	return rate
}

// eachGroup calls yield for each run of processors of the set on one group of machines, with their number.
func (c *Cluster) eachGroup(set ProcessorSet, yield func(m *Machine, processors int)) {
	for _, r := range set {
		for g := c.GroupOf(r.First); g < len(c.Machines) && c.Machines[g].First <= r.Last; g++ {
			m := &c.Machines[g]
			yield(m, min(r.Last, m.Last())-max(r.First, m.First)+1)
		}
	}
}

// addJobs sums over the jobs.
func (e *evaluation) addJobs() {
	for k := range e.in.jobs {
		j := &e.in.jobs[k]
		if j.HasDeadline() {
			e.withDeadline++
			if !e.isPlaced(k) || e.isLate(k) {
				e.missed++
			}
		}
		e.cost += e.jobCost[k]
		if e.jobCost[k] > j.Budget {
			e.overBudget++
		}
		if e.isPlaced(k) {
			e.placed++
			e.lastEnd = max(e.lastEnd, e.end[k])
		}
		if e.isFinished(k) {
			e.finished++
		}
	}
}

// isFinished says whether a job is placed and meets its deadline if it is hard.
func (e *evaluation) isFinished(job int) bool {
	return e.isPlaced(job) && !(e.in.jobs[job].DeadlineHard && e.isLate(job))
}

// sum adds a value over the clusters.
func (e *evaluation) sum(value func(cluster int) float64) float64 {
	sum := 0.0
	for c := range e.clusters {
		sum += value(c)
	}
	return sum
}

// sumFinished adds a value over the finished jobs.
func (e *evaluation) sumFinished(value func(*Job) float64) float64 {
	sum := 0.0
	for k := range e.in.jobs {
		if e.isFinished(k) {
			sum += value(&e.in.jobs[k])
		}
	}
	return sum
}

// TotalWork is the work of all tasks of the job.
func (j *Job) TotalWork() float64 { return float64(j.Tasks) * j.Work }

func (e *evaluation) makespan() float64 { return e.lastEnd - e.in.firstArrival }

func (e *evaluation) idle(c int) float64 {
	return float64(e.in.clusters[c].Processors)*e.clusters[c].makespan - e.clusters[c].busy
}

// cp is eq. 1 of MUSCLE (2004) for one cluster.
func (e *evaluation) cp(c int) float64 {
	w := e.in.clusters[c].Weights
	return ComprehensivePerformance(w, e.idle(c), e.clusters[c].makespan, e.clusters[c].over)
}

// ComprehensivePerformance is CP, eq. 1 of He, Jarvis, Spooner, Chen and Nudd (2004), "Hybrid performance-based
// workload management for multiclusters and grids", IEE Proc. Software 151(5), pp. 224–231: the weighted mean of idle time, makespan and
// over-deadline. Weights that are all 0 give 0.
func ComprehensivePerformance(w Weights, idle, makespan, over float64) float64 {
	sum := w.Sum()
	if sum == 0 {
		return 0
	}
	return (w.IdleTime*idle + w.Makespan*makespan + w.OverDeadline*over) / sum
}

// mcp is eq. 7 of MUSCLE (2004).
func (e *evaluation) mcp() float64 {
	if e.placed == 0 {
		return 0
	}
	return e.sum(func(c int) float64 { return e.cp(c) * float64(e.clusters[c].jobs) / float64(e.placed) })
}

// balance is PB, eq. 8 of MUSCLE (2004).
func (e *evaluation) balance() float64 {
	n := len(e.clusters)
	if n < 2 {
		return 0
	}
	mean := e.mcp()
	squares := e.sum(func(c int) float64 { d := e.cp(c) - mean; return d * d })
	return math.Sqrt(squares / float64(n-1))
}

func (e *evaluation) workflowFailures() float64 {
	failed := 0
	for k := range e.in.workflows {
		w := &e.in.workflows[k]
		end, cost, whole := math.Inf(-1), 0.0, true
		for _, j := range w.Jobs {
			whole = whole && e.isPlaced(j)
			end = max(end, e.end[j])
			cost += e.jobCost[j]
		}
		if !whole || end > w.Deadline || cost > w.Budget {
			failed++
		}
	}
	return float64(failed)
}
