package model

import (
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// alwaysZero says whether a metric is exactly 0 in every schedule of the instance, right or wrong, for the instance has nothing that the metric counts.
func (in *Instance) alwaysZero(metric string) bool {
	none := func(has func(j *Job) bool) bool {
		for k := range in.jobs {
			if has(&in.jobs[k]) {
				return false
			}
		}
		return true
	}
	switch metric {
	case "over_deadline", "missed", "miss_rate":
		return none((*Job).HasDeadline)
	case "over_budget":
		return none((*Job).HasBudget)
	case "data_moved":
		return none(func(j *Job) bool { return j.Input != 0 || j.Output != 0 })
	case "workflow_failures":
		return len(in.workflows) == 0
	case "cost":
		return !slices.ContainsFunc(in.clusters, func(c Cluster) bool {
			return slices.ContainsFunc(c.Machines, func(m Machine) bool { return m.Cost != 0 })
		})
	}
	return false
}

// objective: a metric that is 0 in every schedule, or that has the weight 0, decides nothing.
//
// Why nothing changes: the objective is a sum in which such a term is exactly 0, so that the sum of the others is the same number; and no limit of schedules looks at the
// objective. What it says beside is which jobs are owed, see [Instance.Owes]: the rule does not apply where a term that goes would change that. One term stays, as an
// objective has one.
func (r *reducer) objective() {
	in := r.in
	if len(in.objective) < 2 {
		return
	}
	var left []ObjectiveTerm
	for _, t := range in.objective {
		if t.Weight != 0 && !in.alwaysZero(t.Metric) {
			left = append(left, t)
		}
	}
	if len(left) == 0 {
		left = in.objective[:1:1]
	}
	gone := len(in.objective) - len(left)
	if gone == 0 {
		return
	}
	priced, all := in.pricesJobs(), in.objective
	if in.objective = left; r.original.features&HardDeadlines != 0 && in.pricesJobs() != priced {
		in.objective = all
		return
	}
	r.applied("objective: %s that cannot be other than 0", numtext.Counted(gone, "metric"))
}
