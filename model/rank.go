package model

import (
	"math"
	"slices"
)

// Rank is how good a schedule is: fewer jobs owed first, see [Instance.Owed], then a lower objective.
type Rank struct {
	Left      int     // jobs owed
	Objective float64 // of the schedule
}

// NewRank is the rank of a schedule by the number of jobs that it owes and its objective.
func NewRank(left int, objective float64) Rank { return Rank{left, objective} }

// RankOf is the rank of a schedule with the given objective.
func (in *Instance) RankOf(s *Solution, objective float64) Rank { return Rank{in.Owed(s), objective} }

// priced are the metrics that count what a schedule leaves out.
var priced = []string{"data_moved", "finished", "miss_rate", "missed", "unfinished", "work_done", "workflow_failures"}

// pricesJobs says whether the objective has a metric that counts what a schedule leaves out. Then the objective says what it costs to leave out a job with
// a hard deadline.
func (in *Instance) pricesJobs() bool {
	return slices.ContainsFunc(in.objective, func(term ObjectiveTerm) bool { return term.Weight != 0 && slices.Contains(priced, term.Metric) })
}

// Owes says whether a schedule that leaves the job out is worse than one that leaves out fewer such jobs, whatever their objectives. That holds for each
// job, except for jobs with a hard deadline if the objective has a metric that counts what a schedule leaves out, such as work_done or unfinished: then the
// objective alone says what it costs to leave them out.
func (in *Instance) Owes(job int) bool {
	j := &in.jobs[job]
	return !j.DeadlineHard || !j.HasDeadline() || !in.pricesJobs()
}

// Owed is the number of jobs that the schedule leaves out although it owes them, see [Instance.Owes].
func (in *Instance) Owed(s *Solution) int {
	if in.features&HardDeadlines == 0 || !in.pricesJobs() {
		return len(s.Unscheduled)
	}
	owed := 0
	for k := range s.Unscheduled {
		if job, known := in.JobIndex(s.Unscheduled[k].Job); !known || in.Owes(job) {
			owed++
		}
	}
	return owed
}

// NoRank is the rank of no schedule at all: any schedule is better, even one of an infinite objective.
func NoRank() Rank { return Rank{math.MaxInt, math.Inf(1)} }

// None says that this is the rank of no schedule at all.
func (r Rank) None() bool { return r.Left == math.MaxInt }

// rankRounding is the rounding error of an objective, relative to it. It is much less than [Tolerance], as an objective may hold a metric of
// large weight that is the same in all schedules beside one that is not.
const rankRounding = 1e-12

// Reaches says whether the schedule is as good as any: every schedule owes at least as many jobs as the given number, those that owe no more cost at
// least the bound, and this one owes that many and costs no more, up to rounding.
func (r Rank) Reaches(owed int, bound Bound) bool {
	value, known := bound.Value()
	return known && r.Left <= owed && r.Objective <= value+rankRounding*math.Abs(value)
}

// Better says whether the rank is better than another by more than rounding.
func (r Rank) Better(than Rank) bool {
	if r.Left != than.Left {
		return r.Left < than.Left
	}
	if math.IsInf(than.Objective, 0) {
		return r.Objective < than.Objective
	}
	return r.Objective < than.Objective-rankRounding*math.Abs(than.Objective)
}

// Less orders ranks, the better first, to the last bit.
func (r Rank) Less(than Rank) bool {
	if r.Left != than.Left {
		return r.Left < than.Left
	}
	return r.Objective < than.Objective
}

// BetterSchedule says whether schedule a owes fewer jobs than schedule b, see [Instance.Owed], or as many and costs less by more than rounding, compared
// metric by metric.
func (in *Instance) BetterSchedule(a *Solution, costA Evaluation, b *Solution, costB Evaluation) bool {
	if owedA, owedB := in.Owed(a), in.Owed(b); owedA != owedB {
		return owedA < owedB
	}
	return costA.below(costB)
}
