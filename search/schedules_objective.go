package search

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// scheduleObjective is the objective of an instance as sums and maxima over the jobs in the order in which they are placed, so that
// it can be continued from the middle of a schedule. It is tested to equal model.Evaluate.
type scheduleObjective struct {
	in              *model.Instance
	terms           []scheduleTerm
	needs           scheduleNeed
	evaluate        bool    // a metric is no such sum: model.Evaluate has to say
	jobs, deadlines int     // that can run somewhere; with a deadline
	floors          bool    // partial sums bound the objective from below
	origin          float64 // earliest arrival
}

// scheduleTerm is a metric with its weight.
type scheduleTerm struct {
	weight float64
	value  func(*scheduleObjective, *scheduleSums) float64
	floor  func(*scheduleObjective, *scheduleSums) float64
}

// scheduleNeed is what has to be added up.
type scheduleNeed uint8

const (
	needClusters scheduleNeed = 1 << iota
	needSlowdown
	needCost
	needWorkflows
)

// scheduleSums are the sums over the jobs placed so far.
type scheduleSums struct {
	placed, left, slowed       int
	onTime, overBudget, failed int
	lastEnd                    float64
	reach                      float64 // the last end is no earlier, by the jobs that wait for those placed
	response, wait             float64
	slowdown, bounded          float64
	over, data, work, cost     float64
	clusters                   []scheduleClusterSums
	outside                    float64 // objective by model.Evaluate
}

// scheduleClusterSums are the sums over one cluster.
type scheduleClusterSums struct {
	jobs                 int
	makespan, busy, over float64
}

// scheduleMetrics are the metrics that are such sums. A floor bounds the metric of the whole schedule from below by the sums over
// its first jobs, where no job is left out on the way; nil: none.
var scheduleMetrics = map[string]struct {
	needs scheduleNeed
	value func(*scheduleObjective, *scheduleSums) float64
	floor func(*scheduleObjective, *scheduleSums) float64
}{
	"makespan": {0, func(o *scheduleObjective, s *scheduleSums) float64 { return s.lastEnd - o.origin },
		func(o *scheduleObjective, s *scheduleSums) float64 { return max(s.lastEnd, s.reach) - o.origin }},
	"idle_time":     {needClusters, func(o *scheduleObjective, s *scheduleSums) float64 { return o.sum(s, o.idle) }, nil},
	"over_deadline": {0, overDeadline, overDeadline},
	"mcp":           {needClusters, (*scheduleObjective).mcp, nil},
	"balance":       {needClusters, (*scheduleObjective).balance, nil},
	"mean_response": {0, func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.response, s.placed) },
		func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.response, o.jobs) }},
	"mean_wait": {0, func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.wait, s.placed) },
		func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.wait, o.jobs) }},
	"mean_slowdown": {needSlowdown, func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.slowdown, s.slowed) },
		func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.slowdown, o.jobs) }},
	"bounded_slowdown": {needSlowdown, func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.bounded, s.placed) },
		func(o *scheduleObjective, s *scheduleSums) float64 { return ratio(s.bounded, o.jobs) }},
	"finished":   {0, func(o *scheduleObjective, s *scheduleSums) float64 { return float64(s.placed) }, nil},
	"unfinished": {0, func(o *scheduleObjective, s *scheduleSums) float64 { return float64(len(o.in.Jobs()) - s.placed) }, nil},
	"missed":     {0, func(o *scheduleObjective, s *scheduleSums) float64 { return float64(o.deadlines - s.onTime) }, nil},
	"miss_rate": {0, func(o *scheduleObjective, s *scheduleSums) float64 {
		return 100 * ratio(float64(o.deadlines-s.onTime), o.deadlines)
	}, nil},
	"data_moved":        {0, func(o *scheduleObjective, s *scheduleSums) float64 { return s.data }, nil},
	"work_done":         {0, func(o *scheduleObjective, s *scheduleSums) float64 { return s.work }, nil},
	"utilisation":       {needClusters, (*scheduleObjective).utilisation, nil},
	"cost":              {needCost, func(o *scheduleObjective, s *scheduleSums) float64 { return s.cost }, nil},
	"over_budget":       {needCost, func(o *scheduleObjective, s *scheduleSums) float64 { return float64(s.overBudget) }, nil},
	"workflow_failures": {needCost | needWorkflows, func(o *scheduleObjective, s *scheduleSums) float64 { return float64(s.failed) }, nil},
}

// overDeadline is the time over deadlines.
func overDeadline(o *scheduleObjective, s *scheduleSums) float64 { return s.over }

// newScheduleObjective reads the objective.
func newScheduleObjective(in *model.Instance, jobs int) *scheduleObjective {
	o := &scheduleObjective{in: in, jobs: jobs, origin: in.FirstArrival(), floors: in.Features()&model.HardDeadlines == 0}
	for _, term := range in.Objective() {
		if term.Weight == 0 {
			continue
		}
		m, ok := scheduleMetrics[term.Metric]
		if !ok {
			o.evaluate = true
			continue
		}
		o.needs |= m.needs
		o.floors = o.floors && m.floor != nil && term.Weight > 0
		o.terms = append(o.terms, scheduleTerm{term.Weight, m.value, m.floor})
	}
	o.floors = o.floors && !o.evaluate
	for j := range in.Jobs() {
		if in.Jobs()[j].HasDeadline() {
			o.deadlines++
		}
	}
	return o
}

// value is the objective of the sums over a whole schedule.
func (o *scheduleObjective) value(s *scheduleSums) float64 {
	if o.evaluate {
		return s.outside
	}
	sum := 0.0
	for k := range o.terms {
		sum += o.terms[k].weight * o.terms[k].value(o, s)
	}
	return sum
}

// floor bounds the objective of a schedule that begins like this from below, where it has floors.
func (o *scheduleObjective) floor(s *scheduleSums) float64 {
	sum := 0.0
	for k := range o.terms {
		sum += o.terms[k].weight * o.terms[k].floor(o, s)
	}
	return sum
}

// reset empties the sums.
func (o *scheduleObjective) reset(s *scheduleSums) {
	clusters := s.clusters
	if o.needs&needClusters != 0 && clusters == nil {
		clusters = make([]scheduleClusterSums, len(o.in.Clusters()))
	}
	clear(clusters)
	*s = scheduleSums{lastEnd: o.origin, clusters: clusters}
}

// assign makes the sums those of other.
func (s *scheduleSums) assign(other *scheduleSums) {
	clusters := append(s.clusters[:0], other.clusters...)
	*s = *other
	s.clusters = clusters
}

// add counts a job that is placed into the slot; cost is what it costs, where that is needed.
func (o *scheduleObjective) add(s *scheduleSums, job int, slot *plan.Slot, r *plan.Resources, cost float64) {
	j := &o.in.Jobs()[job]
	s.placed++
	s.lastEnd = max(s.lastEnd, slot.End)
	response, length := slot.End-j.Arrival, slot.End-slot.Start
	s.response += response
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
			s.slowed++
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

// addClusters counts the job on its clusters.
func (o *scheduleObjective) addClusters(s *scheduleSums, j *model.Job, slot *plan.Slot, r *plan.Resources) {
	first := &s.clusters[slot.Cluster]
	first.jobs++
	first.over += max(0, slot.End-j.Deadline)
	r.Pieces(slot, func(cluster, processors int, end float64) {
		c := &s.clusters[cluster]
		c.makespan = max(c.makespan, end-o.origin)
		c.busy += float64(processors) * (end - slot.Start)
	})
}

// ratio is sum/n; 0 of nothing.
func ratio(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// idle is the idle time of a cluster.
func (o *scheduleObjective) idle(s *scheduleSums, c int) float64 {
	return float64(o.in.Clusters()[c].Processors)*s.clusters[c].makespan - s.clusters[c].busy
}

// cp is the comprehensive performance of a cluster.
func (o *scheduleObjective) cp(s *scheduleSums, c int) float64 {
	return model.ComprehensivePerformance(o.in.Clusters()[c].Weights, o.idle(s, c), s.clusters[c].makespan, s.clusters[c].over)
}

// sum adds a value over the clusters.
func (o *scheduleObjective) sum(s *scheduleSums, value func(*scheduleSums, int) float64) float64 {
	sum := 0.0
	for c := range s.clusters {
		sum += value(s, c)
	}
	return sum
}

func (o *scheduleObjective) mcp(s *scheduleSums) float64 {
	sum := 0.0
	for c := range s.clusters {
		if jobs := s.clusters[c].jobs; jobs > 0 {
			sum += o.cp(s, c) * float64(jobs)
		}
	}
	return ratio(sum, s.placed)
}

func (o *scheduleObjective) balance(s *scheduleSums) float64 {
	n := len(s.clusters)
	if n < 2 {
		return 0
	}
	mean := o.mcp(s)
	squares := o.sum(s, func(s *scheduleSums, c int) float64 { d := o.cp(s, c) - mean; return d * d })
	return math.Sqrt(squares / float64(n-1))
}

func (o *scheduleObjective) utilisation(s *scheduleSums) float64 {
	busy := o.sum(s, func(s *scheduleSums, c int) float64 { return s.clusters[c].busy })
	if whole := float64(o.in.Processors()) * (s.lastEnd - o.origin); whole > 0 {
		return 100 * busy / whole
	}
	return 0
}

// failures counts the workflows that fail, given the ends and costs of the jobs; an end of NaN: not placed.
func (o *scheduleObjective) failures(end func(job int) (end, cost float64)) int {
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
