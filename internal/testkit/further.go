package testkit

import (
	"slices"

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
	{"soft deadlines that nobody counts", "", func(s *model.InstanceSpec) bool {
		if pricesDeadlines(s) || minimises(s, "over_deadline", "mcp", "balance") {
			return false
		}
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.DeadlineHard || k%3 == 0 {
				return false
			}
			j.Deadline = new(j.Arrival + float64(k%7))
			return true
		})
	}},
	{"power of jobs that nobody counts", "", func(s *model.InstanceSpec) bool {
		if minimisesPower(s) || capped(s) || statesPower(s) || notOfPower(s) {
			return false
		}
		return someJobs(s, func(k int, j *model.JobSpec) bool { j.Power = new(float64(k % 4)); return true })
	}},
	{"states of power that nobody counts", "", func(s *model.InstanceSpec) bool {
		if minimisesPower(s) || capped(s) || statesPower(s) || notOfPower(s) {
			return false
		}
		return eachMachine(s, func(k int, m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: float64(k % 3), Busy: 1, Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1, Power: 2}, Up: model.WaySpec{Time: 3, Power: 9}}}}
		})
	}},
	{"machines suspended after all jobs", "sleep", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		if !ok || minimisesPower(s) || capped(s) || statesPower(s) || s.Horizon != nil || notOfPower(s) {
			return false
		}
		return eachMachine(s, func(k int, m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 1, SuspendAfter: new(4 * far), Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}, Up: model.WaySpec{Time: 1}}}}
		})
	}},
	{"machines suspended in no time", "sleep", func(s *model.InstanceSpec) bool {
		if minimisesPower(s) || capped(s) || statesPower(s) || s.Horizon != nil || notOfPower(s) {
			return false
		}
		return eachMachine(s, func(k int, m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 1, SuspendAfter: new(2.0), Off: []model.OffSpec{{Name: "off"}}}
		})
	}},
	{"machines that begin off and wake in no time", "sleep", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		if !ok || minimisesPower(s) || capped(s) || statesPower(s) || s.Horizon != nil || notOfPower(s) {
			return false
		}
		s.Horizon = &model.HorizonSpec{From: firstArrival(s), To: far}
		return eachMachine(s, func(k int, m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 1, Begin: "off", End: "off", Off: []model.OffSpec{{Name: "off"}}}
		})
	}},
	{"machines that end off after all jobs", "sleep", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		if !ok || minimisesPower(s) || capped(s) || statesPower(s) || s.Horizon != nil || notOfPower(s) {
			return false
		}
		s.Horizon = &model.HorizonSpec{From: firstArrival(s), To: 2 * far}
		return eachMachine(s, func(k int, m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 1, End: "off", Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}}}}
		})
	}},
	{"all machines reserved for all jobs", "reservation", func(s *model.InstanceSpec) bool {
		if anyMachine(s, func(m *model.MachineSpec) bool { return m.Closed != nil }) || anyJob(s, func(j *model.JobSpec) bool { return j.Reservation != "" || j.Running != nil }) {
			return false
		}
		eachMachine(s, func(k int, m *model.MachineSpec) { m.Closed = []model.ClosedSpec{{For: "inert"}} })
		return eachJob(s, func(_ int, j *model.JobSpec) { j.Reservation = "inert" })
	}},
	{"all machines reserved for all jobs, in parts", "reservation", func(s *model.InstanceSpec) bool {
		if anyMachine(s, func(m *model.MachineSpec) bool { return m.Closed != nil }) || anyJob(s, func(j *model.JobSpec) bool { return j.Reservation != "" || j.Running != nil }) {
			return false
		}
		eachMachine(s, func(k int, m *model.MachineSpec) {
			m.Closed = []model.ClosedSpec{{For: "inert", To: new(5.0)}, {For: "inert", From: 5}}
		})
		return eachJob(s, func(_ int, j *model.JobSpec) { j.Reservation = "inert" })
	}},
	{"machines from one to all", "blocks", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			n := max(1, j.Processors.Max) / max(1, j.Block)
			if j.Machines != (model.ProcessorRange{}) || j.Processors.Min != j.Processors.Max || n < 2 || j.Running != nil {
				return false
			}
			j.Machines = model.ProcessorRange{Min: 1, Max: n}
			return true
		})
	}},
	{"one machine where clusters have one", "blocks", func(s *model.InstanceSpec) bool {
		if slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return c.Allocation == "machine" || machinesOf(&c) > 1 }) {
			return false
		}
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			n := max(1, j.Processors.Max) / max(1, j.Block)
			if j.Machines != (model.ProcessorRange{}) || j.PerMachine > 0 || j.Processors.Min != j.Processors.Max || j.Running != nil || j.Span == "grid" {
				return false
			}
			if k%2 == 0 {
				j.Machines = model.Rigid(1)
			} else {
				j.PerMachine = n
			}
			return true
		})
	}},
	{"blocks where clusters have one machine", "blocks", func(s *model.InstanceSpec) bool {
		if strands(s) || slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return c.Allocation == "machine" || machinesOf(&c) > 1 }) {
			return false
		}
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Machines != (model.ProcessorRange{}) || j.PerMachine > 0 || j.Block > 0 || len(j.Resources) > 0 || j.Processors.Min != j.Processors.Max || j.Running != nil || j.Span == "grid" || j.Processors.Max < 2 {
				return false
			}
			j.Block = j.Processors.Max
			return true
		})
	}},
	{"one block on each machine where machines have one processor", "blocks", func(s *model.InstanceSpec) bool {
		for c := range s.Clusters {
			if slices.ContainsFunc(s.Clusters[c].Machines, func(m model.MachineSpec) bool {
				return unitsOf(&s.Clusters[c], &m) > 1 || s.Clusters[c].Allocation == "machine"
			}) {
				return false
			}
		}
		return !anyInstant(s) && someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Machines != (model.ProcessorRange{}) || j.PerMachine > 0 || j.Block > 0 || j.Processors.Min != j.Processors.Max || j.Running != nil || j.Span == "machine" {
				return false
			}
			if k%2 == 0 {
				j.PerMachine = 1
			} else {
				j.Machines = model.Rigid(max(1, j.Processors.Max))
			}
			return true
		})
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

// machinesOf is the number of machines of a cluster.
func machinesOf(c *model.ClusterSpec) int {
	sum := 0
	for k := range c.Machines {
		sum += max(1, c.Machines[k].Count)
	}
	return sum
}

// notOfPower says whether the instance has what does not go with power, or only in a horizon that a tariff covers.
func notOfPower(s *model.InstanceSpec) bool {
	return !statesPower(s) && s.Tariff != nil || !statesPower(s) && slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return c.Tariff != nil }) ||
		anyMachine(s, func(m *model.MachineSpec) bool { return m.Background != nil })
}

// anyInstant says whether a job takes no time somewhere, or none by its estimate.
func anyInstant(s *model.InstanceSpec) bool {
	return anyJob(s, func(j *model.JobSpec) bool { return takesNoTime(j) || j.Estimate != nil && *j.Estimate == 0 })
}
