package testkit

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// Little are additions that bind a little: they change few schedules, so that they may cost little and make no answer much worse. They are for a trace of many rigid jobs on one cluster of
// one kind of machines, which have one processor each; elsewhere they may return false, or bind more.
var Little = []Addition{
	{"one moldable job", "", func(s *model.InstanceSpec) bool {
		return littleJob(s, 0, func(j *model.JobSpec) bool {
			n := j.Processors.Max
			j.Processors, j.Tasks = model.ProcessorRange{Min: n - 1, Max: n}, n
			return n > 1
		})
	}},
	{"one job waits for another", "", func(s *model.InstanceSpec) bool {
		k := len(s.Jobs) / 2
		return littleJob(s, k, func(j *model.JobSpec) bool {
			j.After = append(slices.Clone(j.After), s.Jobs[k-1].ID)
			return true
		})
	}},
	{"half of the machines a hundredth faster", "", func(s *model.InstanceSpec) bool {
		return littleMachines(s, 1, func(m *model.MachineSpec) { m.Speed = 1.01 })
	}},
	{"one job on one machine of several processors", "", func(s *model.InstanceSpec) bool {
		return littleMachines(s, 4, func(*model.MachineSpec) {}) && littleJob(s, len(s.Jobs)/2, func(j *model.JobSpec) bool {
			j.Span = "machine"
			return j.Processors.Max <= 4 && j.Processors.Max > 1
		})
	}},
	{"a small cluster beside the large one", "", func(s *model.InstanceSpec) bool {
		s.Clusters = append(slices.Clone(s.Clusters), model.ClusterSpec{ID: "small", Machines: []model.MachineSpec{{ID: "small", Count: 10}}})
		return true
	}},
	{"a licence of which two run at once", "", func(s *model.InstanceSpec) bool {
		s.Licences = with(s.Licences, "little", 2)
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			if k%5 == 0 {
				j.Licences = with(j.Licences, "little", 1)
			}
			return k%5 == 0
		})
	}},
	{"memory that may run short for one job", "", func(s *model.InstanceSpec) bool {
		return littleMachines(s, 2, func(m *model.MachineSpec) { m.Memory = new(2.0) }) && littleJob(s, len(s.Jobs)/2, func(j *model.JobSpec) bool {
			j.Memory = 1.5
			return j.Processors.Max >= 8 && j.Processors.Max <= 32
		})
	}},
	{"a hard deadline that can be missed", "", func(s *model.InstanceSpec) bool {
		return littleJob(s, len(s.Jobs)/2, func(j *model.JobSpec) bool {
			if j.Work == nil || *j.Work == 0 {
				return false
			}
			j.Deadline, j.DeadlineHard = new(j.Arrival+1.1*(*j.Work)), true
			return true
		})
	}},
}

// littleJob changes the first job from the position on that the change accepts; false where there is none.
func littleJob(s *model.InstanceSpec, from int, change func(j *model.JobSpec) bool) bool {
	for k := from; k < len(s.Jobs); k++ {
		if j := s.Jobs[k]; change(&j) {
			s.Jobs[k] = j
			return true
		}
	}
	return false
}

// littleMachines splits the one group of machines into two halves of machines of the given number of processors, and changes the second; false where the spec has no such group.
func littleMachines(s *model.InstanceSpec, processors int, change func(m *model.MachineSpec)) bool {
	if len(s.Clusters) != 1 || len(s.Clusters[0].Machines) != 1 {
		return false
	}
	m := s.Clusters[0].Machines[0]
	count := m.Count * max(1, m.Processors) / processors
	if count < 2 {
		return false
	}
	first, second := m, m
	first.Processors, second.Processors = processors, processors
	first.Count, second.Count, second.ID = count/2, count-count/2, m.ID+" 2"
	change(&second)
	s.Clusters[0].Machines = []model.MachineSpec{first, second}
	return true
}
