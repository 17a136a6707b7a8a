package testkit

import (
	"github.com/allot-opt/allot/model"
)

// More additions: what nobody counts, what nobody can use, and what holds wherever a job runs.
var further = []Addition{
	{"a metric of weight 0", "objective", func(s *model.InstanceSpec) bool {
		return s.Objective["mean_response"] == 0 && alsoMinimise(s, "mean_response", 0)
	}},
	{"over_deadline without deadlines", "objective", func(s *model.InstanceSpec) bool {
		return !anyJob(s, func(j *model.JobSpec) bool { return j.Deadline != nil }) && alsoMinimise(s, "over_deadline", 3)
	}},
	{"over_budget without budgets", "objective", func(s *model.InstanceSpec) bool {
		return !anyJob(s, func(j *model.JobSpec) bool { return j.Budget != nil }) && alsoMinimise(s, "over_budget", 3)
	}},
	{"cost without costs", "objective", func(s *model.InstanceSpec) bool {
		return !anyMachine(s, func(m *model.MachineSpec) bool { return m.Cost != 0 }) && alsoMinimise(s, "cost", 3)
	}},
	{"missed without deadlines", "objective", func(s *model.InstanceSpec) bool {
		return !anyJob(s, func(j *model.JobSpec) bool { return j.Deadline != nil || j.DeadlineHard }) && alsoMinimise(s, "missed", 3)
	}},
}

// alsoMinimise gives the objective one more metric, unless it has it.
func alsoMinimise(s *model.InstanceSpec, metric string, weight float64) bool {
	if minimises(s, metric) {
		return false
	}
	objective := with(s.Objective, metric, weight)
	if s.Objective == nil {
		objective["makespan"] = 1
	}
	s.Objective = objective
	return true
}
