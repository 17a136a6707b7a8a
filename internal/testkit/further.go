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
	{"weights of one", "", func(s *model.InstanceSpec) bool {
		if s.Weights != nil {
			return false
		}
		s.Weights = &model.WeightsSpec{OverDeadline: new(1.0), Makespan: new(1.0), IdleTime: new(1.0)}
		return true
	}},
	{"a time zero and a zone", "", func(s *model.InstanceSpec) bool {
		if s.TimeZero != nil {
			return false
		}
		s.TimeZero, s.TimeZone, s.Caveats, s.Name = new(1.7e9), "Europe/Stockholm", []string{"inert"}, "inert"
		return true
	}},
	{"a queueing view that is meant", "", func(s *model.InstanceSpec) bool {
		if s.Queueing != nil || minimises(s, "qos_penalty") {
			return false
		}
		s.Queueing = &model.QueueingSpec{K: new(1.645), Charge: "response"}
		return true
	}},
	{"a workflow of no job", "", func(s *model.InstanceSpec) bool {
		s.Workflows = append(slices.Clone(s.Workflows), model.WorkflowSpec{ID: "inert idle", Deadline: new(1e9), Budget: new(1e9)})
		return !minimises(s, "workflow_failures", "qos_penalty")
	}},
	{"a workflow that ends in time", "", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		s.Workflows = append(slices.Clone(s.Workflows), model.WorkflowSpec{ID: "inert", Deadline: new(far), Budget: new(model.Largest)})
		return ok && !minimises(s, "workflow_failures", "qos_penalty") && someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Workflow != "" || k%3 == 1 {
				return false
			}
			j.Workflow = "inert"
			return true
		})
	}},
	{"partitions", "", func(s *model.InstanceSpec) bool {
		if len(s.Partitions) > 0 {
			return false
		}
		s.Partitions = []model.PartitionSpec{{ID: "inert", Tier: 3, Limit: 1e9, Default: true}, {ID: "other"}}
		return true
	}},
	{"costs that nobody counts", "", func(s *model.InstanceSpec) bool {
		if minimises(s, "cost", "over_budget", "workflow_failures", "qos_penalty") || anyMachine(s, func(m *model.MachineSpec) bool { return m.Cost != 0 }) ||
			anyJob(s, func(j *model.JobSpec) bool { return j.Budget != nil }) || len(s.Workflows) > 0 {
			return false
		}
		return eachMachine(s, func(k int, m *model.MachineSpec) { m.Cost = float64(1 + k%3) })
	}},
	{"background load 0", "", func(s *model.InstanceSpec) bool {
		if statesPower(s) || capped(s) || minimisesPower(s) || minimises(s, "qos_penalty") || anyMachine(s, func(m *model.MachineSpec) bool { return m.Background != nil }) {
			return false
		}
		return eachMachine(s, func(k int, m *model.MachineSpec) { m.Background = &model.Background{Load: 0, Mean: 2} })
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
	{"a step of a cap or tariff that changes nothing", "", func(s *model.InstanceSpec) bool {
		again := func(list [][]float64) [][]float64 {
			if len(list) == 0 {
				return list
			}
			last := list[len(list)-1]
			return append(slices.Clone(list), []float64{last[0] + 0.5, last[1]})
		}
		any := false
		tariff := func(t *model.TariffSpec) *model.TariffSpec {
			if t == nil || t.Period > 0 {
				return t
			}
			u := *t
			u.Price, u.Carbon = again(t.Price), again(t.Carbon)
			any = true
			return &u
		}
		s.Tariff = tariff(s.Tariff)
		eachCluster(s, func(_ int, c *model.ClusterSpec) {
			c.Tariff = tariff(c.Tariff)
			if len(c.PowerCap) > 0 {
				c.PowerCap, any = again(c.PowerCap), true
			}
		})
		return any
	}},
	{"a cluster closed for ever", "machines", func(s *model.InstanceSpec) bool {
		if countsSize(s) || s.Tariff != nil || anyInstant(s) || anyJob(s, func(j *model.JobSpec) bool { return j.Reservation == "inert" }) {
			return false
		}
		s.Clusters = append(slices.Clone(s.Clusters), model.ClusterSpec{ID: "inert closed cluster", Machines: []model.MachineSpec{{ID: "inert closed cluster", Processors: 2, Closed: []model.ClosedSpec{{}}}}})
		return true
	}},
	{"a machine closed for ever", "machines", func(s *model.InstanceSpec) bool {
		if countsSize(s) || anyInstant(s) {
			return false
		}
		return eachCluster(s, func(_ int, c *model.ClusterSpec) {
			c.Machines = append(slices.Clone(c.Machines), model.MachineSpec{ID: "inert closed", Processors: 2, Speed: 0.5, Closed: []model.ClosedSpec{{}}})
		})
	}},
	{"a machine without the feature that all jobs need", "machines", func(s *model.InstanceSpec) bool {
		if countsSize(s) || anyJob(s, func(j *model.JobSpec) bool { return j.Running != nil }) || anyMachine(s, func(m *model.MachineSpec) bool { return slices.Contains(m.Features, "inert there") }) {
			return false
		}
		eachMachine(s, func(k int, m *model.MachineSpec) { m.Features = append(slices.Clone(m.Features), "inert there") })
		eachCluster(s, func(_ int, c *model.ClusterSpec) {
			c.Machines = append(slices.Clone(c.Machines), model.MachineSpec{ID: "inert lacks", Processors: 2, Speed: 3})
		})
		return eachJob(s, func(k int, j *model.JobSpec) { j.Features = append(slices.Clone(j.Features), []string{"inert there"}) })
	}},
	{"a cluster without the feature that all jobs need", "machines", func(s *model.InstanceSpec) bool {
		if countsSize(s) || s.Tariff != nil || anyJob(s, func(j *model.JobSpec) bool { return j.Running != nil }) || anyMachine(s, func(m *model.MachineSpec) bool { return slices.Contains(m.Features, "inert open") }) {
			return false
		}
		eachMachine(s, func(k int, m *model.MachineSpec) { m.Features = append(slices.Clone(m.Features), "inert open") })
		s.Clusters = append(slices.Clone(s.Clusters), model.ClusterSpec{ID: "inert lacks cluster", Machines: []model.MachineSpec{{ID: "inert lacks cluster", Processors: 2, Speed: 2}}})
		return eachJob(s, func(k int, j *model.JobSpec) { j.Features = append(slices.Clone(j.Features), []string{"inert open"}) })
	}},
	{"a cluster for which no job states a run time", "machines", func(s *model.InstanceSpec) bool {
		if countsSize(s) || s.Tariff != nil || anyJob(s, func(j *model.JobSpec) bool { return len(j.Runtime) == 0 }) {
			return false
		}
		s.Clusters = append(slices.Clone(s.Clusters), model.ClusterSpec{ID: "inert unstated", Machines: []model.MachineSpec{{ID: "inert unstated", Processors: 200}}})
		return true
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
	{"closed times stated twice", "", func(s *model.InstanceSpec) bool {
		any := false
		eachMachine(s, func(k int, m *model.MachineSpec) {
			if len(m.Closed) > 0 {
				m.Closed, any = append(slices.Clone(m.Closed), m.Closed[0]), true
			}
		})
		return any
	}},
	{"closed times stated in parts", "", func(s *model.InstanceSpec) bool {
		any := false
		eachMachine(s, func(k int, m *model.MachineSpec) {
			var list []model.ClosedSpec
			for _, c := range m.Closed {
				if c.To == nil {
					list = append(list, model.ClosedSpec{From: c.From, To: new(c.From*2 + 1), For: c.For}, model.ClosedSpec{From: c.From*2 + 1, For: c.For})
				} else if mid := (c.From + *c.To) / 2; c.From < mid && mid < *c.To {
					list = append(list, model.ClosedSpec{From: c.From, To: new(mid), For: c.For}, model.ClosedSpec{From: mid, To: c.To, For: c.For})
				} else {
					list = append(list, c)
				}
			}
			any = any || len(list) > len(m.Closed)
			m.Closed = list
		})
		return any
	}},
	{"tasks that are the processors", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Tasks > 0 {
				return false
			}
			j.Tasks = max(1, j.Processors.Max)
			return true
		})
	}},
	{"a reference speed of one", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			was := j.ReferenceSpeed
			if was == 0 {
				j.ReferenceSpeed = 1
			}
			return was == 0
		})
	}},
	{"soft deadlines after all jobs", "", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		return ok && !pricesDeadlines(s) && someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Deadline != nil || j.DeadlineHard || k%3 == 1 {
				return false
			}
			j.Deadline = new(far + float64(k))
			return true
		})
	}},
	{"soft deadlines that nobody counts", "", func(s *model.InstanceSpec) bool {
		return !countsDeadlines(s) && someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Deadline != nil || j.DeadlineHard || k%3 == 1 {
				return false
			}
			j.Deadline = new(j.Arrival + float64(k))
			return true
		})
	}},
	{"budgets that nobody counts", "", func(s *model.InstanceSpec) bool {
		return !minimises(s, "over_budget", "qos_penalty") && someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Budget != nil || k%3 == 1 {
				return false
			}
			j.Budget = new(float64(k))
			return true
		})
	}},
	{"a licence with a copy for each processor", "licences", func(s *model.InstanceSpec) bool {
		if minimises(s, "licence_usage") || namesLicences(s) || anyInstant(s) {
			return false
		}
		copies := 0
		for c := range s.Clusters {
			copies += totalUnits(&s.Clusters[c])
		}
		s.Licences = map[string]int{"inert each": copies}
		return eachJob(s, func(_ int, j *model.JobSpec) { j.Licences = map[string]int{"inert each": 1} })
	}},
	{"a licence of every cluster with a copy for each processor", "licences", func(s *model.InstanceSpec) bool {
		if minimises(s, "licence_usage") || namesLicences(s) || anyInstant(s) || anyJob(s, func(j *model.JobSpec) bool { return j.Span == "grid" }) {
			return false
		}
		eachCluster(s, func(_ int, c *model.ClusterSpec) { c.Licences = map[string]int{"inert each": totalUnits(c)} })
		whole := slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return c.Allocation == "machine" })
		return eachJob(s, func(_ int, j *model.JobSpec) {
			j.Licences = map[string]int{"inert each": max(1, j.Processors.Min)}
			if whole {
				j.Licences["inert each"] = 1
			}
		})
	}},
	{"licences without a pool", "", func(s *model.InstanceSpec) bool {
		if namesLicences(s) || minimises(s, "licence_usage") {
			return false
		}
		return eachJob(s, func(k int, j *model.JobSpec) { j.Licences = map[string]int{"inert": 1 + k%2} })
	}},
	{"a licence of one job", "licences", func(s *model.InstanceSpec) bool {
		if minimises(s, "licence_usage") || namesLicences(s) || len(s.Jobs) == 0 {
			return false
		}
		s.Licences = map[string]int{"inert one": 1}
		s.Jobs[0].Licences = map[string]int{"inert one": 1}
		return true
	}},
	{"memory that all jobs together do not fill", "memory", func(s *model.InstanceSpec) bool {
		if anyMachine(s, func(m *model.MachineSpec) bool { return m.Memory != nil }) || anyJob(s, func(j *model.JobSpec) bool { return j.Memory > 0 }) || strands(s) || anyInstant(s) || len(s.Jobs) == 0 {
			return false
		}
		sum := 0.0
		someJobs(s, func(k int, j *model.JobSpec) bool {
			if k%7 == 0 && j.Running == nil {
				j.Memory = 2
				sum += 2 * float64(max(1, j.Processors.Max))
			}
			return true
		})
		return sum > 0 && eachMachine(s, func(_ int, m *model.MachineSpec) { m.Memory = new(sum) })
	}},
	{"memory of one job that holds it alone", "memory", func(s *model.InstanceSpec) bool {
		if anyMachine(s, func(m *model.MachineSpec) bool { return m.Memory != nil }) || anyJob(s, func(j *model.JobSpec) bool { return j.Memory > 0 }) || strands(s) || anyInstant(s) || len(s.Jobs) == 0 || s.Jobs[0].Running != nil {
			return false
		}
		s.Jobs[0].Memory = 1e9
		return eachMachine(s, func(_ int, m *model.MachineSpec) { m.Memory = new(1e9 * float64(max(1, s.Jobs[0].Processors.Max))) })
	}},
	{"a resource of one job that holds it alone", "resources", func(s *model.InstanceSpec) bool {
		if strands(s) || anyInstant(s) || minimises(s, "device_utilisation") || len(s.Jobs) == 0 || s.Jobs[0].Running != nil {
			return false
		}
		s.Jobs[0].Resources = with(s.Jobs[0].Resources, "inert one", 2.5)
		return eachMachine(s, func(_ int, m *model.MachineSpec) {
			m.Resources = with(m.Resources, "inert one", 2.5*float64(max(1, s.Jobs[0].Processors.Max)))
		})
	}},
	{"devices in plenty", "devices", func(s *model.InstanceSpec) bool { return devices(s, 1) }},
	{"shares of devices in plenty", "devices", func(s *model.InstanceSpec) bool { return devices(s, 0.5) }},
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
	{"data that no machine limits", "", func(s *model.InstanceSpec) bool {
		if anyMachine(s, func(m *model.MachineSpec) bool { return m.Bandwidth > 0 }) || movesData(s) || minimises(s, "data_moved") {
			return false
		}
		return eachJob(s, func(k int, j *model.JobSpec) { j.Input, j.Output = float64(k%3), 5 })
	}},
	{"messages that no network slows", "", func(s *model.InstanceSpec) bool {
		if slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return c.Network != nil }) {
			return false
		}
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Message > 0 {
				return false
			}
			j.Message = 3
			return true
		})
	}},
	{"recorded and requested times", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Recorded != nil || j.Requested != nil {
				return false
			}
			j.Recorded = new(j.Arrival + 1)
			if j.Estimate != nil && *j.Estimate > 1 {
				j.Requested = new(*j.Estimate / 2)
			}
			return true
		})
	}},
	{"waits stated twice", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if len(j.After) > 0 {
				j.After = append(slices.Clone(j.After), j.After[0])
				return true
			}
			return false
		})
	}},
	{"a feature in two lists", "features", func(s *model.InstanceSpec) bool {
		return everyMachineHas(s, func(int) string { return "inert" }) && someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Running != nil {
				return false
			}
			j.Features = append(slices.Clone(j.Features), []string{"inert"}, []string{"inert", "nowhere"})
			return true
		})
	}},
	{"a need of a feature stated twice", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if len(j.Features) == 0 {
				return false
			}
			j.Features = append(slices.Clone(j.Features), j.Features[0])
			return true
		})
	}},
	{"caps of one cluster at 1e9", "power caps", func(s *model.InstanceSpec) bool {
		if capped(s) || minimisesPower(s) || notOfPower(s) || statesPower(s) {
			return false
		}
		s.Clusters[0].PowerCap = [][]float64{{0, 1e9}}
		return true
	}},
	{"a horizon of 1e15", "horizon", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		if !ok || far > 1e14 || s.Horizon != nil || minimisesPower(s) {
			return false
		}
		s.Horizon = &model.HorizonSpec{To: 1e15}
		return true
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

// totalUnits is the number of processors of a cluster.
func totalUnits(c *model.ClusterSpec) int {
	sum := 0
	for k := range c.Machines {
		sum += max(1, c.Machines[k].Count) * unitsOf(c, &c.Machines[k])
	}
	return sum
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

// countsDeadlines says whether the objective has a metric of deadlines.
func countsDeadlines(s *model.InstanceSpec) bool {
	return pricesDeadlines(s) || minimises(s, "over_deadline", "cp", "mcp", "balance")
}

// countsSize says whether the objective has a metric of machines that may serve nobody.
func countsSize(s *model.InstanceSpec) bool {
	return minimises(s, "balance", "utilisation", "processor_usage", "workload_share", "device_utilisation", "stranded", "licence_usage", "mcp", "idle_time", "qos_penalty") || minimisesPower(s)
}

// devices gives blocks a need of devices and every machine enough for all that it can hold.
func devices(s *model.InstanceSpec, need float64) bool {
	if strands(s) || minimises(s, "device_utilisation") || anyInstant(s) || slices.Contains(s.Devices, "inert gpu") {
		return false
	}
	s.Devices = append(slices.Clone(s.Devices), "inert gpu")
	most := 0
	for c := range s.Clusters {
		for _, m := range s.Clusters[c].Machines {
			most = max(most, unitsOf(&s.Clusters[c], &m))
		}
	}
	if most > 1<<15 {
		return false
	}
	for c := range s.Clusters {
		eachMachineOf(&s.Clusters[c], func(_ int, m *model.MachineSpec) {
			m.Resources = with(m.Resources, "inert gpu", float64(unitsOf(&s.Clusters[c], m)))
		})
	}
	return someJobs(s, func(k int, j *model.JobSpec) bool {
		if j.Running != nil || k%3 == 2 {
			return false
		}
		j.Resources = with(j.Resources, "inert gpu", need)
		return true
	})
}
