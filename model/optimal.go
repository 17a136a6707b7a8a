package model

import "math"

// Proves says whether a lower bound shows the evaluated schedule to be optimal.
//
// Write the objective as a constant plus terms that are not negative: the weight of a metric times its value or, for a metric that is to be
// high, times what it lacks of its largest value. The bound proves the schedule optimal if it lies below the objective by at most [Tolerance] of
// the smallest of these terms that is not 0. So a metric of large weight does not hide one of small weight, and a constant hides nothing. Where
// double precision cannot tell, exact numbers decide.
//
// The ends of a schedule may be rounded: then its durations are not just those of the time rule. What this can make of the metrics counts as
// rounding too: twice the spacing of float64 numbers at the last end, and at most a millionth of the makespan and of that smallest term. If the
// objective has several metrics and rounding makes more of them together, nothing is proved: a large weight may lift the rounding of its metric above
// what another metric lacks. For the same reason a bound that lies above the objective of a schedule with rounded durations by more than this proves
// nothing.
func (e Evaluation) Proves(bound Bound) bool { return e.proves(bound, 0) }

// MostTolerance is the largest relative tolerance at which a solver may end a proof: a schedule that may be worse by more than that is not
// called optimal, whatever its solver says.
const MostTolerance = 1e-4

// ProvesWithin is like Proves, for a solver that ends its proof at a tolerance of its own, relative to the smallest term.
func (e Evaluation) ProvesWithin(bound Bound, tolerance float64) bool {
	return e.proves(bound, tolerance)
}

// proves is Proves with a further tolerance.
func (e Evaluation) proves(bound Bound, tolerance float64) bool {
	value, known := bound.Value()
	if !known || e.of == nil || math.IsInf(e.Objective, 0) {
		return false
	}
	least, noise, doubt := e.of.terms()
	allowed := (Tolerance+tolerance)*least + noise
	if !isFinite(allowed) || allowed > 0 && e.of.coarse() {
		return false
	}
	rounded := e.of.deviation()
	both := rounded > 0 && least > 0 // the rounding of durations may have lowered the objective
	excess := e.Objective - value
	if both {
		excess = math.Abs(excess)
	}
	switch {
	case excess <= allowed-doubt:
		return true
	case excess > allowed+doubt:
		return false
	}
	by := e.of.exactExcess(value)
	if by == nil {
		return false
	}
	if both {
		by.Abs(by)
	}
	return by.Cmp(rational(allowed)) <= 0
}

// Refutes says whether a lower bound is false: whether it exceeds the objective by more than rounding. Bounds are of schedules whose durations
// are those of the time rule. The checker accepts a little less and a little more, and jobs that take longer have less idle time and a lower slowdown. So
// what the durations of this schedule differ from the rule counts as rounding, with all that it can make of the metrics.
func (e Evaluation) Refutes(bound Bound) bool {
	value, known := bound.Value()
	if !known || e.of == nil || math.IsInf(e.Objective, 0) {
		return false
	}
	least, _, doubt := e.of.terms()
	off := e.of.deviation()
	allowed := Tolerance*least + doubt
	for _, t := range e.of.in.objective {
		if t.Weight != 0 {
			allowed += math.Abs(t.Weight) * e.of.change(t.Metric, off)
		}
	}
	return value > e.Objective+allowed
}

// below says whether the objective is lower than that of another schedule of the instance, by more than rounding. It compares metric by metric: one of
// large weight that is the same in both schedules does not hide the others.
func (e Evaluation) below(other Evaluation) bool {
	if e.of == nil || other.of == nil || math.IsInf(e.Objective, 0) || math.IsInf(other.Objective, 0) {
		return e.Objective < other.Objective
	}
	difference, doubt := 0.0, 0.0
	for _, t := range e.of.in.objective {
		m, _ := MetricNamed(t.Metric)
		a, _ := m.value(e.of)
		b, _ := m.value(other.of)
		if t.Weight != 0 && a.Total != b.Total {
			difference += t.Weight * (a.Total - b.Total)
			doubt += rankRounding * math.Abs(t.Weight) * max(math.Abs(a.Total), math.Abs(b.Total))
		}
	}
	return difference < -doubt
}

// Doubt returns the largest rounding error of the objective. Each start and each end of the schedule may be off by the given time, and the sums that
// make the objective are rounded as well. Numbers of jobs and workflows are taken to be right. A solver that proves in double precision lowers its
// bound by this error.
func (e Evaluation) Doubt(times float64) float64 {
	if e.of == nil {
		return math.Inf(1)
	}
	_, _, doubt := e.of.terms()
	for _, t := range e.of.in.objective {
		if t.Weight != 0 && !counts(t.Metric) {
			doubt += math.Abs(t.Weight) * e.of.change(t.Metric, times)
		}
	}
	return doubt
}

// sumError is the rounding error of a sum over jobs and pieces, relative to the sum of the magnitudes of its summands.
func (e *evaluation) sumError() float64 {
	return float64(len(e.in.jobs)+len(e.parts)+len(e.in.clusters)+len(e.in.objective)+8) * 0x1p-52
}

// terms looks at the terms of the objective: the smallest that is not 0, the part of the objective that may be rounding of the schedule's times, and
// the rounding error of the objective as it is computed. The rounding of times is +Inf if it may hide what one of several metrics lacks. That of the
// objective is far below the tolerance unless terms differ by many orders of magnitude.
func (e *evaluation) terms() (least, noise, doubt float64) {
	const most = 1e-6 // share of the makespan and of the smallest term that may be rounding
	off := e.deviation()
	if off > 0 {
		off = min(2*spacing(e.lastEnd), most*e.makespan())
	}
	least = math.Inf(1)
	metrics := 0
	for _, t := range e.in.objective {
		weight := math.Abs(t.Weight)
		if weight == 0 {
			continue
		}
		metrics++
		m, _ := MetricNamed(t.Metric)
		v, _ := m.value(e)
		value, excess := math.Abs(v.Total), v.Total
		if highest, limited := e.in.Most(t.Metric); t.Weight < 0 && limited {
			excess = highest - v.Total
			value += highest
		}
		excess = math.Abs(excess)
		moved := 0.0
		switch rounding := e.metricRounding(t.Metric); {
		case t.Metric == "qos_penalty": // the rounding of its waits, which have no exact form
			moved = 2 * rounding
			doubt += weight * (e.sumError()*value + rounding)
		case t.Weight > 0 && !counts(t.Metric):
			if moved = e.lowered(t.Metric, off); math.IsInf(moved, 1) {
				moved = 0 // no limit is known: nothing of it counts as rounding
			}
			moved = min(excess, moved)
			fallthrough
		default:
			doubt += weight * e.sumError() * (value + rounding/sumRounding)
		}
		if excess > moved {
			least = min(least, weight*excess)
		}
		noise += weight * moved
	}
	if math.IsInf(least, 1) {
		return 0, noise, doubt
	}
	if noise > most*least && metrics > 1 {
		return least, math.Inf(1), doubt
	}
	return least, min(noise, most*least), doubt
}

// Most is the largest value that a metric that is better when high can have, and whether there is one.
func (in *Instance) Most(metric string) (float64, bool) {
	switch metric {
	case "finished":
		return float64(len(in.jobs)), true
	case "utilisation", "processor_usage", "licence_usage", "device_utilisation":
		return 100, true
	case "data_moved":
		return in.sumOverJobs(func(j *Job) float64 { return j.Input + j.Output }), true
	case "work_done":
		return in.sumOverJobs((*Job).TotalWork), true
	}
	return 0, false
}

// sumOverJobs adds a value over the jobs.
func (in *Instance) sumOverJobs(value func(*Job) float64) float64 {
	sum := 0.0
	for k := range in.jobs {
		sum += value(&in.jobs[k])
	}
	return sum
}

// deviation adds up by how much the durations of the schedule differ from the time rule.
func (e *evaluation) deviation() float64 { return e.off.get(e.measure) }

// coarse says whether the durations are so rounded that schedules cannot be told apart: by more than a hundred-thousandth of all of them.
func (e *evaluation) coarse() bool {
	off := e.deviation()
	sum := 0.0
	for k := range e.parts {
		sum += e.parts[k].end - e.parts[k].start
	}
	return off > 1e-5*sum
}

// measure computes what deviation keeps.
func (e *evaluation) measure() (off float64) {
	for k := range e.in.jobs {
		link := math.Inf(1)
		for _, p := range e.partsOf(k) {
			link = min(link, e.in.SlowestLink(p.cluster, p.set))
		}
		most, least := 0.0, 0.0
		for _, p := range e.partsOf(k) {
			by := e.in.Longest(k, p.cluster, p.set, p.tasks) + e.in.Transfer(k, link) - (p.end - p.start)
			if e.in.shared(p.cluster, p.set) {
				by = max(by, 0) // with background load a job may take longer
			}
			most, least = max(most, by), min(least, by)
		}
		off += max(most, -least)
	}
	return off
}

// counts says that a metric is a number of jobs or workflows, or a share of them.
func counts(metric string) bool {
	switch metric {
	case "finished", "unfinished", "missed", "miss_rate", "over_budget", "workflow_failures":
		return true
	}
	return false
}

// change is how much a metric can change at most if each start and each end moves by the given time or less. It is +Inf where no limit is known.
func (e *evaluation) change(metric string, by float64) float64 {
	switch {
	case by == 0 || metric == "qos_penalty" || metric == "data_moved" || metric == "work_done":
		return 0
	case counts(metric):
		return e.changedCounts(metric, by)
	}
	switch metric {
	case "makespan", "mean_response", "mean_wait":
		return by
	case "over_deadline":
		return by * float64(e.nearDeadlines(func(end, deadline float64) bool { return end-deadline > -by })) // end + by may be end
	case "idle_time":
		return 2 * by * float64(e.in.processors)
	case "cost":
		return by * e.in.costRate()
	case "mean_slowdown":
		return e.changedSlowdown(by, 0)
	case "bounded_slowdown":
		return e.changedSlowdown(by, 10)
	case "mcp", "balance":
		most := 0.0
		for c := range e.in.clusters {
			w, over := e.in.clusters[c].Weights, float64(len(e.in.jobs))
			most = max(most, ComprehensivePerformance(w, 2*by*float64(e.in.clusters[c].Processors), by, by*over))
		}
		if metric == "balance" {
			return 2 * math.Sqrt2 * most
		}
		return most
	}
	return math.Inf(1)
}

// lowered is how much lower a metric may be at most if each start and each end moves by the given time or less. In a sum or a mean over jobs no job
// falls below 0, so one that waits long does not count as many that wait for a moment.
func (e *evaluation) lowered(metric string, by float64) float64 {
	var part func(k int, j *Job) float64
	among := 1
	switch metric {
	case "mean_response":
		part, among = func(k int, j *Job) float64 { return e.end[k] - j.Arrival }, e.finished
	case "mean_wait":
		part, among = func(k int, j *Job) float64 { return e.start[k] - j.Arrival }, e.finished
	case "over_deadline":
		part = func(k int, j *Job) float64 { return e.end[k] - j.Deadline }
	default:
		return e.change(metric, by)
	}
	sum, all := 0.0, true // all of the metric, but for rounding of the sum
	e.eachPlaced(func(k int, j *Job) {
		if metric == "over_deadline" || e.isFinished(k) {
			x := part(k, j)
			sum += min(by, max(0, x))
			all = all && x <= by
		}
	})
	if all {
		return e.change(metric, by)
	}
	return ratio(sum, float64(among))
}

// changedSlowdown is how much the mean slowdown can change, with durations counted as the given least at least.
func (e *evaluation) changedSlowdown(by, least float64) float64 {
	sum := 0.0
	e.eachPlaced(func(k int, j *Job) {
		if length := max(e.end[k]-e.start[k], least); length > 0 {
			if least > 0 && e.end[k]-j.Arrival+by <= length-2*by {
				return // it counts as 1 in any case
			}
			if length <= 2*by {
				sum = math.Inf(1)
			}
			sum += by * (1 + 2*(e.end[k]-j.Arrival)/length) / (length - 2*by)
		}
	})
	return ratio(sum, float64(max(1, e.finished)))
}

// changedCounts is how many jobs or workflows a metric can count more or less if each end moves by the given time or less.
func (e *evaluation) changedCounts(metric string, by float64) float64 {
	switch metric {
	case "over_budget":
		return float64(len(e.in.jobs))
	case "workflow_failures":
		return float64(len(e.in.workflows))
	}
	near := float64(e.nearDeadlines(func(end, deadline float64) bool { return math.Abs(end-deadline) <= by+4*spacing(end) }))
	if metric == "miss_rate" {
		return percent(near, float64(e.withDeadline))
	}
	return near
}

// nearDeadlines counts the placed jobs whose end and deadline are such.
func (e *evaluation) nearDeadlines(such func(end, deadline float64) bool) int {
	n := 0
	for k := range e.in.jobs {
		if j := &e.in.jobs[k]; j.HasDeadline() && e.isPlaced(k) && such(e.end[k], j.Deadline) {
			n++
		}
	}
	return n
}

// costRate is the cost per time of holding all processors.
func (in *Instance) costRate() float64 {
	rate := 0.0
	for c := range in.clusters {
		for g := range in.clusters[c].Machines {
			m := &in.clusters[c].Machines[g]
			rate += m.Cost * float64(m.Units) * float64(m.Count)
		}
	}
	return rate
}
