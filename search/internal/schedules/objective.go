package schedules

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// objective computes the objective of an instance from sums and maxima over the jobs, added up in the order in which the jobs
// are placed. So it can continue from the middle of a schedule. Tests compare it with model.Evaluate.
type objective struct {
	in              *model.Instance
	terms           []term
	needs           need
	evaluate        bool    // some metric is not such a sum: model.Evaluate computes the objective
	jobs, deadlines int     // jobs that can run somewhere; jobs with a deadline
	floors          bool    // sums over the first jobs give a lower bound of the objective
	origin          float64 // earliest arrival
	additive        bool    // it is a sum over the jobs: see of
	weights         jobWeights
}

// jobWeights are the costs of one unit of each figure of a job.
type jobWeights struct{ response, wait, slowdown, bounded, over float64 }

// of is the cost of a job that runs from start to end, for an additive objective.
func (o *objective) of(job int, start, end float64) float64 {
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
func (o *objective) addWeight(metric string, weight float64) bool {
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
	value  func(*objective, *sums) float64
	floor  func(*objective, *sums) float64
}

// need is a set of sums that the objective needs.
type need uint8

const (
	needClusters need = 1 << iota
	needSlowdown
	needCost
	needWorkflows
)

// sums are the sums over the jobs placed so far.
type sums struct {
	placed, slowed             int
	left                       int // jobs left out that [model.Instance.Owes]
	onTime, overBudget, failed int
	lastEnd                    float64
	reach                      float64 // a lower bound of the last end, from the jobs that wait for those placed
	response, wait             float64
	slowdown, bounded          float64
	over, data, work, cost     float64
	clusters                   []clusterSums
	outside                    float64 // objective as model.Evaluate computes it
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
	value func(*objective, *sums) float64
	floor func(*objective, *sums) float64
}{
	"makespan": {0, func(o *objective, s *sums) float64 { return s.lastEnd - o.origin },
		func(o *objective, s *sums) float64 { return max(s.lastEnd, s.reach) - o.origin }},
	"idle_time":     {needClusters, func(o *objective, s *sums) float64 { return o.sum(s, o.idle) }, nil},
	"over_deadline": {0, overDeadline, overDeadline},
	"mcp":           {needClusters, (*objective).mcp, nil},
	"balance":       {needClusters, (*objective).balance, nil},
	"mean_response": {0, func(o *objective, s *sums) float64 { return ratio(s.response, s.placed) },
		func(o *objective, s *sums) float64 { return ratio(s.response, o.jobs) }},
	"mean_wait": {0, func(o *objective, s *sums) float64 { return ratio(s.wait, s.placed) },
		func(o *objective, s *sums) float64 { return ratio(s.wait, o.jobs) }},
	"mean_slowdown": {needSlowdown, func(o *objective, s *sums) float64 { return ratio(s.slowdown, s.slowed) },
		func(o *objective, s *sums) float64 { return ratio(s.slowdown, o.jobs) }},
	"bounded_slowdown": {needSlowdown, func(o *objective, s *sums) float64 { return ratio(s.bounded, s.placed) },
		func(o *objective, s *sums) float64 { return ratio(s.bounded, o.jobs) }},
	"finished":   {0, func(o *objective, s *sums) float64 { return float64(s.placed) }, nil},
	"unfinished": {0, func(o *objective, s *sums) float64 { return float64(len(o.in.Jobs()) - s.placed) }, nil},
	"missed":     {0, func(o *objective, s *sums) float64 { return float64(o.deadlines - s.onTime) }, nil},
	"miss_rate": {0, func(o *objective, s *sums) float64 {
		return 100 * ratio(float64(o.deadlines-s.onTime), o.deadlines)
	}, nil},
	"data_moved":        {0, func(o *objective, s *sums) float64 { return s.data }, nil},
	"work_done":         {0, func(o *objective, s *sums) float64 { return s.work }, nil},
	"utilisation":       {needClusters, (*objective).utilisation, nil},
	"cost":              {needCost, func(o *objective, s *sums) float64 { return s.cost }, nil},
	"over_budget":       {needCost, func(o *objective, s *sums) float64 { return float64(s.overBudget) }, nil},
	"workflow_failures": {needCost | needWorkflows, func(o *objective, s *sums) float64 { return float64(s.failed) }, nil},
}

// overDeadline is the time over deadlines.
func overDeadline(o *objective, s *sums) float64 { return s.over }

// newObjective reads the objective.
func newObjective(in *model.Instance, jobs int) *objective {
	o := &objective{in: in, jobs: jobs, origin: in.FirstArrival(), floors: in.Features()&model.HardDeadlines == 0}
	for _, weighted := range in.ObjectiveTerms() {
		if weighted.Weight == 0 {
			continue
		}
		m, ok := metrics[weighted.Metric]
		if !ok {
			o.evaluate = true
			continue
		}
		o.needs |= m.needs
		o.floors = o.floors && m.floor != nil && weighted.Weight > 0
		o.terms = append(o.terms, term{weighted.Weight, m.value, m.floor})
	}
	o.floors = o.floors && !o.evaluate
	o.additive = o.floors
	for _, weighted := range in.ObjectiveTerms() {
		if weighted.Weight != 0 {
			o.additive = o.additive && o.addWeight(weighted.Metric, weighted.Weight)
		}
	}
	for j := range in.Jobs() {
		if in.Jobs()[j].HasDeadline() {
			o.deadlines++
		}
	}
	return o
}

// value is the objective of a whole schedule with the sums s.
func (o *objective) value(s *sums) float64 {
	if o.evaluate {
		return s.outside
	}
	sum := 0.0
	for k := range o.terms {
		sum += o.terms[k].weight * o.terms[k].value(o, s)
	}
	return sum
}

// floor is a lower bound of the objective of every schedule that begins with the jobs in s. Call it only for objectives with
// floors.
func (o *objective) floor(s *sums) float64 {
	sum := 0.0
	for k := range o.terms {
		sum += o.terms[k].weight * o.terms[k].floor(o, s)
	}
	return sum
}

// reset empties the sums.
func (o *objective) reset(s *sums) {
	clusters := s.clusters
	if o.needs&needClusters != 0 && clusters == nil {
		clusters = make([]clusterSums, len(o.in.Clusters()))
	}
	clear(clusters)
	*s = sums{lastEnd: o.origin, clusters: clusters}
}

// assign copies the sums of other.
func (s *sums) assign(other *sums) {
	clusters := append(s.clusters[:0], other.clusters...)
	*s = *other
	s.clusters = clusters
}

// add counts a job that is placed into the slot; cost is the cost of the job, if the objective needs it.
func (o *objective) add(s *sums, job int, slot *plan.Slot, r *plan.Resources, cost float64) {
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

// rejoined computes the sums of a whole schedule that is decoded only in part, where from here on it runs the same jobs at the same times as another
// schedule. here are its sums so far, there those of the other schedule at the same place, and other those of the whole other schedule. It returns false
// if the sums do not tell.
func (o *objective) rejoined(here, there, other *sums) (sums, bool) {
	if o.evaluate || o.needs&(needClusters|needWorkflows) != 0 || !o.additive && (here.lastEnd < there.lastEnd || here.reach < there.reach) {
		return sums{}, false
	}
	s := *other // what does not differ stays the same to the last digit
	s.placed, s.left, s.slowed = s.placed+here.placed-there.placed, s.left+here.left-there.left, s.slowed+here.slowed-there.slowed
	s.onTime, s.overBudget = s.onTime+here.onTime-there.onTime, s.overBudget+here.overBudget-there.overBudget
	s.lastEnd, s.reach = max(s.lastEnd, here.lastEnd), max(s.reach, here.reach)
	s.response, s.wait = s.response+(here.response-there.response), s.wait+(here.wait-there.wait)
	s.slowdown, s.bounded = s.slowdown+(here.slowdown-there.slowdown), s.bounded+(here.bounded-there.bounded)
	s.over, s.data = s.over+(here.over-there.over), s.data+(here.data-there.data)
	s.work, s.cost = s.work+(here.work-there.work), s.cost+(here.cost-there.cost)
	return s, true
}

// addClusters counts the job on its clusters.
func (o *objective) addClusters(s *sums, j *model.Job, slot *plan.Slot, r *plan.Resources) {
	first := &s.clusters[slot.Cluster]
	first.jobs++
	first.over += max(0, slot.End-j.Deadline)
	r.Pieces(slot, func(cluster, processors int, end float64) {
		c := &s.clusters[cluster]
		c.makespan = max(c.makespan, end-o.origin)
		c.busy += float64(processors) * (end - slot.Start)
	})
}

// ratio is sum/n, or 0 if n is 0.
func ratio(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// idle is the idle time of cluster c.
func (o *objective) idle(s *sums, c int) float64 {
	return float64(o.in.Clusters()[c].Processors)*s.clusters[c].makespan - s.clusters[c].busy
}

// cp is the comprehensive performance of cluster c.
func (o *objective) cp(s *sums, c int) float64 {
	return model.ComprehensivePerformance(o.in.Clusters()[c].Weights, o.idle(s, c), s.clusters[c].makespan, s.clusters[c].over)
}

// sum adds up a value over the clusters.
func (o *objective) sum(s *sums, value func(*sums, int) float64) float64 {
	sum := 0.0
	for c := range s.clusters {
		sum += value(s, c)
	}
	return sum
}

// mcp is the mean comprehensive performance, weighted by the clusters' numbers of jobs.
func (o *objective) mcp(s *sums) float64 {
	sum := 0.0
	for c := range s.clusters {
		if jobs := s.clusters[c].jobs; jobs > 0 {
			sum += o.cp(s, c) * float64(jobs)
		}
	}
	return ratio(sum, s.placed)
}

// balance is the standard deviation of the clusters' comprehensive performance from mcp.
func (o *objective) balance(s *sums) float64 {
	n := len(s.clusters)
	if n < 2 {
		return 0
	}
	mean := o.mcp(s)
	squares := o.sum(s, func(s *sums, c int) float64 { d := o.cp(s, c) - mean; return d * d })
	return math.Sqrt(squares / float64(n-1))
}

// utilisation is the busy share of all processors until the last end, in percent.
func (o *objective) utilisation(s *sums) float64 {
	busy := o.sum(s, func(s *sums, c int) float64 { return s.clusters[c].busy })
	if whole := float64(o.in.Processors()) * (s.lastEnd - o.origin); whole > 0 {
		return 100 * busy / whole
	}
	return 0
}

// failures counts the workflows that fail. The function end returns the end and the cost of a job; an end of NaN: not placed.
func (o *objective) failures(end func(job int) (end, cost float64)) int {
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
