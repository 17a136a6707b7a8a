// Package objective computes the objective of a schedule while it grows, job by job.
package objective

import (
	"maps"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Objective computes the objective of an instance from sums and maxima over the jobs, added up in the order in which the jobs
// are placed. So it can continue from the middle of a schedule. Tests compare it with model.Evaluate.
type Objective struct {
	in        *model.Instance
	Terms     []term
	needs     need
	Evaluate  bool    // some metric is not such a sum: model.Evaluate computes the objective
	jobs      int     // that can run somewhere
	Deadlines int     // jobs with a deadline
	Floors    bool    // sums over the first jobs give a lower bound of the objective
	Origin    float64 // earliest arrival
	Additive  bool    // it is a sum over the jobs: see Of
	weights   jobWeights
}

// jobWeights are the costs of one unit of each figure of a job.
type jobWeights struct{ response, wait, slowdown, bounded, over float64 }

// Of is the cost of a job that runs from start to end, for an additive objective.
func (o *Objective) Of(job int, start, end float64) float64 {
	w, j := &o.weights, &o.in.Jobs()[job]
	response, length := end-j.Arrival, end-start
	cost := w.response*response + w.wait*(start-j.Arrival)
	if w.bounded > 0 {
		cost += w.bounded * max(1, response/max(length, 10))
	}
	if w.slowdown > 0 && length > 0 {
		cost += w.slowdown * response / length
	}
	if w.over > 0 && j.HasDeadline() {
		cost += w.over * max(0, end-j.Deadline)
	}
	return cost
}

// addWeight enters a metric of an additive objective. It returns false if the metric is no sum over the jobs.
func (o *Objective) addWeight(metric string, weight float64) bool {
	w, each := &o.weights, weight/float64(max(1, o.jobs))
	switch metric {
	case "mean_response":
		w.response += each
	case "mean_wait":
		w.wait += each
	case "mean_slowdown":
		w.slowdown += each
	case "bounded_slowdown":
		w.bounded += each
	case "over_deadline":
		w.over += weight
	default:
		return false
	}
	return true
}

// term is a metric with its weight.
type term struct {
	weight float64
	value  func(*Objective, *Sums) float64
	floor  func(*Objective, *Sums) float64
}

// need is a set of sums that the objective needs.
type need uint8

const (
	needClusters need = 1 << iota
	needSlowdown
	needCost
	needWorkflows
)

// Sums are the sums over the jobs placed so far.
type Sums struct {
	Placed, Slowed             int
	Left                       int // jobs left out that [model.Instance.Owes]
	onTime, overBudget, Failed int
	LastEnd                    float64
	Reach                      float64 // a lower bound of the last end, from the jobs that wait for those placed
	Response, wait             float64
	slowdown, bounded          float64
	over, data, work, cost     float64
	clusters                   []clusterSums
	Outside                    float64 // objective as model.Evaluate computes it
}

// clusterSums are the sums over one cluster.
type clusterSums struct {
	jobs                 int
	makespan, busy, over float64
}

// metrics are the metrics that can be computed from the sums. A floor is a lower bound of the metric of the whole schedule, from
// the sums over its first jobs; it holds if no later job is left out. A floor of nil means that there is no such bound.
var metrics = map[string]struct {
	needs need
	value func(*Objective, *Sums) float64
	floor func(*Objective, *Sums) float64
}{
	"makespan": {0, func(o *Objective, s *Sums) float64 { return s.LastEnd - o.Origin },
		func(o *Objective, s *Sums) float64 { return max(s.LastEnd, s.Reach) - o.Origin }},
	"idle_time":     {needClusters, func(o *Objective, s *Sums) float64 { return o.sum(s, o.idle) }, nil},
	"over_deadline": {0, overDeadline, overDeadline},
	"mcp":           {needClusters, (*Objective).mcp, nil},
	"balance":       {needClusters, (*Objective).balance, nil},
	"mean_response": {0, func(o *Objective, s *Sums) float64 { return Ratio(s.Response, s.Placed) },
		func(o *Objective, s *Sums) float64 { return Ratio(s.Response, o.jobs) }},
	"mean_wait": {0, func(o *Objective, s *Sums) float64 { return Ratio(s.wait, s.Placed) },
		func(o *Objective, s *Sums) float64 { return Ratio(s.wait, o.jobs) }},
	"mean_slowdown": {needSlowdown, func(o *Objective, s *Sums) float64 { return Ratio(s.slowdown, s.Slowed) },
		func(o *Objective, s *Sums) float64 { return Ratio(s.slowdown, o.jobs) }},
	"bounded_slowdown": {needSlowdown, func(o *Objective, s *Sums) float64 { return Ratio(s.bounded, s.Placed) },
		func(o *Objective, s *Sums) float64 { return Ratio(s.bounded, o.jobs) }},
	"finished":   {0, func(o *Objective, s *Sums) float64 { return float64(s.Placed) }, nil},
	"unfinished": {0, func(o *Objective, s *Sums) float64 { return float64(len(o.in.Jobs()) - s.Placed) }, nil},
	"missed":     {0, func(o *Objective, s *Sums) float64 { return float64(o.Deadlines - s.onTime) }, nil},
	"miss_rate": {0, func(o *Objective, s *Sums) float64 {
		return 100 * Ratio(float64(o.Deadlines-s.onTime), o.Deadlines)
	}, nil},
	"data_moved":        {0, func(o *Objective, s *Sums) float64 { return s.data }, nil},
	"work_done":         {0, func(o *Objective, s *Sums) float64 { return s.work }, nil},
	"utilisation":       {needClusters, (*Objective).utilisation, nil},
	"cost":              {needCost, func(o *Objective, s *Sums) float64 { return s.cost }, nil},
	"over_budget":       {needCost, func(o *Objective, s *Sums) float64 { return float64(s.overBudget) }, nil},
	"workflow_failures": {needCost | needWorkflows, func(o *Objective, s *Sums) float64 { return float64(s.Failed) }, nil},
}

// Metrics lists the metrics that the sums tell, by name.
func Metrics() []string { return slices.Sorted(maps.Keys(metrics)) }

// overDeadline is the time over deadlines.
func overDeadline(o *Objective, s *Sums) float64 { return s.over }

// New reads the objective of an instance; jobs is the number of its jobs that can run somewhere.
func New(in *model.Instance, jobs int) *Objective {
	o := &Objective{in: in, jobs: jobs, Origin: in.FirstArrival(), Floors: in.Features()&model.HardDeadlines == 0}
	for _, weighted := range in.ObjectiveTerms() {
		if weighted.Weight == 0 {
			continue
		}
		m, ok := metrics[weighted.Metric]
		if !ok {
			o.Evaluate = true
			continue
		}
		o.needs |= m.needs
		o.Floors = o.Floors && m.floor != nil && weighted.Weight > 0
		o.Terms = append(o.Terms, term{weighted.Weight, m.value, m.floor})
	}
	o.Floors = o.Floors && !o.Evaluate
	o.Additive = o.Floors
	for _, weighted := range in.ObjectiveTerms() {
		if weighted.Weight != 0 {
			o.Additive = o.Additive && o.addWeight(weighted.Metric, weighted.Weight)
		}
	}
	for j := range in.Jobs() {
		if in.Jobs()[j].HasDeadline() {
			o.Deadlines++
		}
	}
	return o
}

// Value is the objective of a whole schedule with the sums s.
func (o *Objective) Value(s *Sums) float64 {
	if o.Evaluate {
		return s.Outside
	}
	sum := 0.0
	for k := range o.Terms {
		sum += o.Terms[k].weight * o.Terms[k].value(o, s)
	}
	return sum
}

// Floor is a lower bound of the objective of every schedule that begins with the jobs in s. Call it only for objectives with
// floors.
func (o *Objective) Floor(s *Sums) float64 {
	sum := 0.0
	for k := range o.Terms {
		sum += o.Terms[k].weight * o.Terms[k].floor(o, s)
	}
	return sum
}

// Reset empties the sums.
func (o *Objective) Reset(s *Sums) {
	clusters := s.clusters
	if o.needs&needClusters != 0 && clusters == nil {
		clusters = make([]clusterSums, len(o.in.Clusters()))
	}
	clear(clusters)
	*s = Sums{LastEnd: o.Origin, clusters: clusters}
}

// Assign copies the sums of other.
func (s *Sums) Assign(other *Sums) {
	clusters := append(s.clusters[:0], other.clusters...)
	*s = *other
	s.clusters = clusters
}

// Add counts a job that is placed into the slot; cost is the cost of the job, if the objective needs it.
func (o *Objective) Add(s *Sums, job int, slot *plan.Slot, r *plan.Resources, cost float64) {
	j := &o.in.Jobs()[job]
	s.Placed++
	s.LastEnd = max(s.LastEnd, slot.End)
	response, length := slot.End-j.Arrival, slot.End-slot.Start
	s.Response += response
	s.wait += slot.Start - j.Arrival
	s.data += j.Input + j.Output
	s.work += j.TotalWork()
	if j.HasDeadline() {
		if !model.Late(slot.End, j.Deadline) {
			s.onTime++
		}
		s.over += max(0, slot.End-j.Deadline)
	}
	if o.needs == 0 {
		return
	}
	if o.needs&needSlowdown != 0 {
		if length > 0 {
			s.slowdown += response / length
			s.Slowed++
		}
		s.bounded += max(1, response/max(length, 10))
	}
	if o.needs&needCost != 0 {
		s.cost += cost
		if cost > j.Budget {
			s.overBudget++
		}
	}
	if o.needs&needClusters != 0 {
		o.addClusters(s, j, slot, r)
	}
}

// Rejoined computes the sums of a whole schedule that is decoded only in part, where from here on it runs the same jobs at the same times as another
// schedule. here are its sums so far, there those of the other schedule at the same place, and other those of the whole other schedule. It returns false
// if the sums do not tell.
func (o *Objective) Rejoined(here, there, other *Sums) (Sums, bool) {
	if o.Evaluate || o.needs&(needClusters|needWorkflows) != 0 || !o.Additive && (here.LastEnd < there.LastEnd || here.Reach < there.Reach) {
		return Sums{}, false
	}
	s := *other // what does not differ stays the same to the last digit
	s.Placed, s.Left, s.Slowed = s.Placed+here.Placed-there.Placed, s.Left+here.Left-there.Left, s.Slowed+here.Slowed-there.Slowed
	s.onTime, s.overBudget = s.onTime+here.onTime-there.onTime, s.overBudget+here.overBudget-there.overBudget
	s.LastEnd, s.Reach = max(s.LastEnd, here.LastEnd), max(s.Reach, here.Reach)
	s.Response, s.wait = s.Response+(here.Response-there.Response), s.wait+(here.wait-there.wait)
	s.slowdown, s.bounded = s.slowdown+(here.slowdown-there.slowdown), s.bounded+(here.bounded-there.bounded)
	s.over, s.data = s.over+(here.over-there.over), s.data+(here.data-there.data)
	s.work, s.cost = s.work+(here.work-there.work), s.cost+(here.cost-there.cost)
	return s, true
}

// addClusters counts the job on its clusters.
func (o *Objective) addClusters(s *Sums, j *model.Job, slot *plan.Slot, r *plan.Resources) {
	first := &s.clusters[slot.Cluster]
	first.jobs++
	first.over += max(0, slot.End-j.Deadline)
	r.Pieces(slot, func(cluster, processors int, end float64) {
		c := &s.clusters[cluster]
		c.makespan = max(c.makespan, end-o.Origin)
		c.busy += float64(processors) * (end - slot.Start)
	})
}

// Ratio is sum/n, or 0 if n is 0.
func Ratio(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// idle is the idle time of cluster c.
func (o *Objective) idle(s *Sums, c int) float64 {
	return float64(o.in.Clusters()[c].Processors)*s.clusters[c].makespan - s.clusters[c].busy
}

// cp is the comprehensive performance of cluster c.
func (o *Objective) cp(s *Sums, c int) float64 {
	return model.ComprehensivePerformance(o.in.Clusters()[c].Weights, o.idle(s, c), s.clusters[c].makespan, s.clusters[c].over)
}

// sum adds up a value over the clusters.
func (o *Objective) sum(s *Sums, value func(*Sums, int) float64) float64 {
	sum := 0.0
	for c := range s.clusters {
		sum += value(s, c)
	}
	return sum
}

// mcp is the mean comprehensive performance, weighted by the clusters' numbers of jobs.
func (o *Objective) mcp(s *Sums) float64 {
	sum := 0.0
	for c := range s.clusters {
		if jobs := s.clusters[c].jobs; jobs > 0 {
			sum += o.cp(s, c) * float64(jobs)
		}
	}
	return Ratio(sum, s.Placed)
}

// balance is the standard deviation of the clusters' comprehensive performance from mcp.
func (o *Objective) balance(s *Sums) float64 {
	n := len(s.clusters)
	if n < 2 {
		return 0
	}
	mean := o.mcp(s)
	squares := o.sum(s, func(s *Sums, c int) float64 { d := o.cp(s, c) - mean; return d * d })
	return math.Sqrt(squares / float64(n-1))
}

// utilisation is the busy share of all processors until the last end, in percent.
func (o *Objective) utilisation(s *Sums) float64 {
	busy := o.sum(s, func(s *Sums, c int) float64 { return s.clusters[c].busy })
	if whole := float64(o.in.Processors()) * (s.LastEnd - o.Origin); whole > 0 {
		return 100 * busy / whole
	}
	return 0
}

// Failures counts the workflows that fail. The function end returns the end and the cost of a job; an end of NaN: not placed.
func (o *Objective) Failures(end func(job int) (end, cost float64)) int {
	failed := 0
	for k := range o.in.Workflows() {
		w := &o.in.Workflows()[k]
		last, cost := math.Inf(-1), 0.0
		whole := true
		for _, j := range w.Jobs {
			e, c := end(j)
			whole = whole && !math.IsNaN(e)
			last, cost = max(last, e), cost+c
		}
		if !whole || last > w.Deadline || cost > w.Budget {
			failed++
		}
	}
	return failed
}

// NeedsCost says whether the objective depends on what jobs cost, so that Add must be told.
func (o *Objective) NeedsCost() bool { return o.needs&needCost != 0 }

// NeedsWorkflows says whether the objective counts workflows that fail: [Sums].Failed is for the caller to set, see [Objective.Failures].
func (o *Objective) NeedsWorkflows() bool { return o.needs&needWorkflows != 0 }

// Increase is how much the objective rises where the job is placed into the slot, beside the jobs in s: what a mean counts of a job is its share of the mean over
// all jobs. cost is that of the job, if the objective needs it. Metrics that are no such sums do not count. scratch is overwritten. Complexity: O(clusters).
func (o *Objective) Increase(s, scratch *Sums, job int, slot *plan.Slot, r *plan.Resources, cost float64) float64 {
	scratch.Assign(s)
	o.Add(scratch, job, slot, r, cost)
	return o.Prospect(scratch) - o.Prospect(s)
}

// Prospect is what the jobs in s add to the objective, see [Objective.Increase].
func (o *Objective) Prospect(s *Sums) float64 {
	sum := 0.0
	for k := range o.Terms {
		t := &o.Terms[k]
		if t.floor != nil {
			sum += t.weight * t.floor(o, s)
		} else {
			sum += t.weight * t.value(o, s)
		}
	}
	return sum
}
