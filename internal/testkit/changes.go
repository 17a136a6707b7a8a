package testkit

// The changes that the additions of inert.go are made of, and what they ask of a spec.

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// memory gives jobs a need of memory and machines a multiple of what all their processors can need.
func memory(s *model.InstanceSpec, times float64) bool {
	if anyMachine(s, func(m *model.MachineSpec) bool { return m.Memory != nil }) || anyJob(s, func(j *model.JobSpec) bool { return j.Memory > 0 }) || strands(s) {
		return false
	}
	const most = 3
	for c := range s.Clusters {
		eachMachineOf(&s.Clusters[c], func(_ int, m *model.MachineSpec) { m.Memory = new(times * most * float64(unitsOf(&s.Clusters[c], m))) })
	}
	return eachJob(s, func(k int, j *model.JobSpec) { j.Memory = float64(1 + k%most) })
}

// resource gives blocks a need of a resource and machines a multiple of what all their blocks can need.
func resource(s *model.InstanceSpec, times float64) bool {
	const most = 0.7
	if strands(s) || minimises(s, "device_utilisation") {
		return false
	}
	widest := 1 // a job that takes no time may have blocks that lie on each other
	for k := range s.Jobs {
		if takesNoTime(&s.Jobs[k]) {
			widest = max(widest, s.Jobs[k].Processors.Max)
		}
	}
	for c := range s.Clusters {
		eachMachineOf(&s.Clusters[c], func(_ int, m *model.MachineSpec) {
			amount := math.Round(times*most*float64(max(unitsOf(&s.Clusters[c], m), widest))*1e6) / 1e6
			m.Resources = with(m.Resources, "inert", amount)
		})
	}
	return someJobs(s, func(k int, j *model.JobSpec) bool {
		if j.Running != nil || k%3 == 2 {
			return false
		}
		j.Resources = with(j.Resources, "inert", []float64{most, 0.1}[k%2])
		return true
	})
}

// licence gives a licence copies for all jobs at once, in the pool of the grid or of every cluster; all machines may list it.
func licence(s *model.InstanceSpec, id string, own, listed bool) bool {
	if minimises(s, "licence_usage") || !listed && anyMachine(s, func(m *model.MachineSpec) bool { return m.Licences != nil }) || listed && namesLicences(s) {
		return false
	}
	if anyJob(s, func(j *model.JobSpec) bool { return len(j.Licences) > 0 }) && !pools(s) {
		return false // as long as nobody names a licence, jobs may ask for any
	}
	copies := 0
	if !someJobs(s, func(k int, j *model.JobSpec) bool {
		if k%3 == 1 {
			return false
		}
		copies += 1 + k%2
		j.Licences = with(j.Licences, id, 1+k%2)
		return true
	}) {
		return false
	}
	if own {
		someClusters(s, func(c *model.ClusterSpec) bool {
			c.Licences = with(c.Licences, id, copies)
			return true
		})
	} else {
		s.Licences = with(s.Licences, id, copies)
	}
	return !listed || eachMachine(s, func(_ int, m *model.MachineSpec) { m.Licences = []string{id} })
}

// namesLicences says whether a pool, a machine or a job names a licence.
func namesLicences(s *model.InstanceSpec) bool {
	return pools(s) || anyMachine(s, func(m *model.MachineSpec) bool { return m.Licences != nil }) || anyJob(s, func(j *model.JobSpec) bool { return len(j.Licences) > 0 })
}

// pools says whether there are pools of licences.
func pools(s *model.InstanceSpec) bool {
	return len(s.Licences) > 0 || slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return len(c.Licences) > 0 })
}

// everyMachineHas gives each group of machines a feature, by its number.
func everyMachineHas(s *model.InstanceSpec, feature func(k int) string) bool {
	if strands(s) || anyMachine(s, func(m *model.MachineSpec) bool { return slices.Contains(m.Features, feature(0)) }) {
		return false
	}
	return eachMachine(s, func(k int, m *model.MachineSpec) { m.Features = append(slices.Clone(m.Features), feature(k)) })
}

// needs gives some jobs a list of features to ask for.
func needs(s *model.InstanceSpec, list []string) bool {
	return someJobs(s, func(k int, j *model.JobSpec) bool {
		if j.Running != nil || k%2 == 1 && len(s.Jobs) > 2 {
			return false
		}
		j.Features = append(slices.Clone(j.Features), list)
		return true
	})
}

// featureOfUsable gives the clusters for which a job states run times a feature, and the job the need of it.
func featureOfUsable(s *model.InstanceSpec) bool {
	at := slices.IndexFunc(s.Jobs, func(j model.JobSpec) bool {
		return len(j.Runtime) > 0 && len(j.Runtime) < len(s.Clusters) && j.Running == nil
	})
	if at < 0 || strands(s) || anyMachine(s, func(m *model.MachineSpec) bool { return slices.Contains(m.Features, "inert there") }) {
		return false
	}
	j := &s.Jobs[at]
	for c := range s.Clusters {
		if _, stated := j.Runtime[s.Clusters[c].ID]; stated {
			eachMachineOf(&s.Clusters[c], func(_ int, m *model.MachineSpec) { m.Features = append(slices.Clone(m.Features), "inert there") })
		}
	}
	j.Features = append(slices.Clone(j.Features), []string{"inert there"})
	return true
}

// setSpan gives the jobs that may have it a span, where they have none.
func setSpan(s *model.InstanceSpec, span string, may func(j *model.JobSpec) bool) bool {
	return someJobs(s, func(_ int, j *model.JobSpec) bool {
		if j.Span != "" && j.Span != "cluster" || !may(j) || span == "machine" && j.Machines.Min > 1 {
			return false
		}
		j.Span = span
		return true
	})
}

// closeAt adds a closed time to every second group of machines.
func closeAt(s *model.InstanceSpec, closed func(k int) model.ClosedSpec) bool {
	return eachMachine(s, func(k int, m *model.MachineSpec) {
		if k%2 == 0 {
			m.Closed = append(slices.Clone(m.Closed), closed(k))
		}
	})
}

// cap states caps that are a multiple of what all machines and processors can take.
func cap(s *model.InstanceSpec, times float64) bool {
	if capped(s) || anyMachine(s, func(m *model.MachineSpec) bool { return m.Background != nil }) {
		return false
	}
	most, stated := 0.0, true
	for k := range s.Jobs {
		if p := s.Jobs[k].Power; p != nil {
			most = max(most, *p)
		} else {
			stated = false
		}
	}
	if !statesPower(s) {
		stated = false
		eachMachine(s, func(k int, m *model.MachineSpec) { m.Power = &model.PowerSpec{Idle: float64(k % 2), Busy: 1} })
	}
	for c := range s.Clusters {
		sum := 0.0
		for _, m := range s.Clusters[c].Machines {
			power, idle := most, 0.0
			if m.Power != nil {
				idle = m.Power.Idle
				if !stated {
					power = max(power, m.Power.Busy)
				}
			}
			sum += float64(max(1, m.Count)) * (idle + power*float64(unitsOf(&s.Clusters[c], &m)))
		}
		if sum = times * sum * (1 + 1e-12); sum < 1e-15 || sum > 1e17 {
			return false
		}
		s.Clusters[c].PowerCap = [][]float64{{0, sum}, {7, 2 * sum}, {11, sum}}
	}
	return true
}

// split names the machines of a group one by one, by the names that they have in the group.
func split(s *model.InstanceSpec) bool {
	any := false
	for c := range s.Clusters {
		var groups []model.MachineSpec
		for _, m := range s.Clusters[c].Machines {
			if m.Count < 2 || m.Count > 1<<12 {
				groups = append(groups, m)
				continue
			}
			any = true
			for k := range m.Count {
				one := m
				one.ID, one.Count = fmt.Sprintf("%s[%d]", m.ID, k), 1
				groups = append(groups, one)
			}
		}
		s.Clusters[c].Machines = groups
	}
	return any && !minimises(s, "over_budget", "workflow_failures") // of which the last digit of a sum may decide
}

// unitsOf is the number of processors that a machine of the cluster gives out.
func unitsOf(c *model.ClusterSpec, m *model.MachineSpec) int {
	if c.Allocation == "machine" {
		return 1
	}
	return max(1, m.Processors)
}

// takesNoTime says whether a job takes no time somewhere.
func takesNoTime(j *model.JobSpec) bool {
	for _, time := range j.Runtime {
		if time == 0 {
			return true
		}
	}
	zero := func(x *float64) bool { return x != nil && *x == 0 }
	return len(j.Runtime) == 0 && (zero(j.Work) || j.Work == nil && zero(j.Estimate))
}

// statesPower says whether a machine or a job states its power.
func statesPower(s *model.InstanceSpec) bool {
	return anyMachine(s, func(m *model.MachineSpec) bool { return m.Power != nil }) || anyJob(s, func(j *model.JobSpec) bool { return j.Power != nil })
}

// capped says whether a cluster has a power cap.
func capped(s *model.InstanceSpec) bool {
	return slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return len(c.PowerCap) > 0 })
}

// movesData says whether a job moves data or asks for a bandwidth, or a machine states one.
func movesData(s *model.InstanceSpec) bool {
	return anyJob(s, func(j *model.JobSpec) bool { return j.Input > 0 || j.Output > 0 || j.MinBandwidth > 0 }) || anyMachine(s, func(m *model.MachineSpec) bool { return m.Bandwidth > 0 })
}

// firstArrival is the first arrival; 0 without jobs.
func firstArrival(s *model.InstanceSpec) float64 {
	if len(s.Jobs) == 0 {
		return 0
	}
	return slices.MinFunc(s.Jobs, func(a, b model.JobSpec) int {
		if a.Arrival < b.Arrival {
			return -1
		}
		return 1
	}).Arrival
}

// minimises says whether the objective names one of the metrics.
func minimises(s *model.InstanceSpec, metrics ...string) bool {
	return slices.ContainsFunc(metrics, func(name string) bool { return s.Objective[name] != 0 })
}

// minimisesPower says whether the objective has a metric of power.
func minimisesPower(s *model.InstanceSpec) bool {
	return minimises(s, "energy", "energy_cost", "carbon", "peak_power")
}

// strands says whether the objective has the metric stranded, which looks at all that machines have and jobs need.
func strands(s *model.InstanceSpec) bool { return minimises(s, "stranded") }

// pricesDeadlines says whether the objective counts jobs with deadlines, or what is left out.
func pricesDeadlines(s *model.InstanceSpec) bool {
	return minimises(s, "missed", "miss_rate", "unfinished", "finished", "work_done", "data_moved", "workflow_failures", "slowdown_without_deadline", "qos_penalty")
}

// with is the map with one more entry.
func with[V any](m map[string]V, key string, value V) map[string]V {
	more := map[string]V{key: value}
	for k, v := range m {
		if k != key {
			more[k] = v
		}
	}
	return more
}

// eachMachine changes all groups of machines, by their number in the grid. It returns true.
func eachMachine(s *model.InstanceSpec, change func(k int, m *model.MachineSpec)) bool {
	k := 0
	for c := range s.Clusters {
		eachMachineOf(&s.Clusters[c], func(_ int, m *model.MachineSpec) {
			change(k, m)
			k++
		})
	}
	return true
}

// eachMachineOf changes the groups of machines of a cluster.
func eachMachineOf(c *model.ClusterSpec, change func(k int, m *model.MachineSpec)) {
	for k := range c.Machines {
		change(k, &c.Machines[k])
	}
}

// eachCluster changes all clusters. It returns true.
func eachCluster(s *model.InstanceSpec, change func(k int, c *model.ClusterSpec)) bool {
	for k := range s.Clusters {
		change(k, &s.Clusters[k])
	}
	return true
}

// someClusters changes clusters and says whether one has changed.
func someClusters(s *model.InstanceSpec, change func(c *model.ClusterSpec) bool) bool {
	any := false
	for k := range s.Clusters {
		any = change(&s.Clusters[k]) || any
	}
	return any
}

// eachJob changes all jobs. It says whether there are any.
func eachJob(s *model.InstanceSpec, change func(k int, j *model.JobSpec)) bool {
	for k := range s.Jobs {
		change(k, &s.Jobs[k])
	}
	return len(s.Jobs) > 0
}

// someJobs changes jobs and says whether one has changed.
func someJobs(s *model.InstanceSpec, change func(k int, j *model.JobSpec) bool) bool {
	any := false
	for k := range s.Jobs {
		any = change(k, &s.Jobs[k]) || any
	}
	return any
}

// anyJob says whether something holds for a job.
func anyJob(s *model.InstanceSpec, holds func(j *model.JobSpec) bool) bool {
	return slices.ContainsFunc(s.Jobs, func(j model.JobSpec) bool { return holds(&j) })
}

// anyMachine says whether something holds for a group of machines.
func anyMachine(s *model.InstanceSpec, holds func(m *model.MachineSpec) bool) bool {
	return slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool {
		return slices.ContainsFunc(c.Machines, func(m model.MachineSpec) bool { return holds(&m) })
	})
}
