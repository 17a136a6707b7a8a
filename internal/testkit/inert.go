// Package testkit is what tests of several packages share: additions to instances that change nothing. It imports the model alone, so that every package may use it. It
// belongs in tests only.
package testkit

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Addition is data that change nothing: every schedule that the checker accepts without them it accepts with them, with the same value of the objective, as long as it
// ends by [Far]; and the other way round. So no answer may be worse with them.
type Addition struct {
	Name string
	// Rule is the word with which a line of [model.Reduction.String] begins where the presolve leaves the addition out again; empty: it stays. Where the instance states
	// more of the kind, that may bind and keep both.
	Rule string
	// Add changes the spec, or returns false where the instance leaves no room for the addition. It replaces lists and maps and changes none in place.
	Add func(spec *model.InstanceSpec) bool
}

// With returns the instance with the additions, one after another; nil if it leaves no room for one of them.
func With(in *model.Instance, additions ...Addition) *model.Instance {
	spec := in.Spec()
	for _, a := range additions {
		if !a.Add(&spec) {
			return nil
		}
	}
	more, err := model.New(spec)
	if err != nil {
		panic(fmt.Sprintf("an inert addition, the last of %d, %q, makes an instance invalid: %v", len(additions), additions[len(additions)-1].Name, err))
	}
	return more
}

// Far is a time long after all that an instance states: schedules in which jobs do not wait for nothing end before. It is false where no file can state such a time.
func Far(spec *model.InstanceSpec) (float64, bool) {
	last, sum, slowest, link := 0.0, 0.0, 1.0, math.Inf(1)
	later := func(times ...*float64) {
		for _, t := range times {
			if t != nil {
				last = max(last, *t)
			}
		}
	}
	for c := range spec.Clusters {
		cluster := &spec.Clusters[c]
		if cluster.Overheads != nil {
			sum += float64(len(spec.Jobs)) * cluster.Overheads.ContextSwitch
		}
		for _, step := range cluster.PowerCap {
			later(&step[0])
		}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			if m.Speed > 0 {
				slowest = min(slowest, m.Speed)
			}
			if m.Bandwidth > 0 {
				link = min(link, m.Bandwidth)
			}
			for k := range m.Closed {
				later(&m.Closed[k].From, m.Closed[k].To)
			}
		}
	}
	if spec.Overheads != nil {
		sum += float64(len(spec.Jobs)) * spec.Overheads.ContextSwitch
	}
	if spec.Horizon != nil {
		later(&spec.Horizon.To)
	}
	for k := range spec.Jobs {
		j := &spec.Jobs[k]
		later(&j.Arrival, j.Deadline)
		tasks := float64(max(j.Tasks, j.Processors.Max, 1))
		if j.Work != nil {
			sum += tasks * *j.Work / slowest
		}
		if j.Estimate != nil {
			sum += tasks * *j.Estimate * max(1, j.ReferenceSpeed) / slowest
		}
		for _, time := range j.Runtime {
			sum += tasks * time
		}
		sum += (j.Input + j.Output) / link
		for c := range spec.Clusters {
			if n := spec.Clusters[c].Network; n != nil && j.Message > 0 {
				sum += n.Latency
				if n.Bandwidth > 0 {
					sum += j.Message / n.Bandwidth
				}
			}
		}
	}
	far := 4 * (last + 2*sum + 1)
	return far, far <= 1e15
}

// Inert lists the additions, at least one for each rule of the presolve. Whoever adds a field to the format that limits schedules adds the form of it that limits none.
func Inert() []Addition { return slices.Concat(inert, further) }

var inert = []Addition{
	{"memory that never runs short", "memory", func(s *model.InstanceSpec) bool { return memory(s, 2.5) }},
	{"memory that all processors fill", "memory", func(s *model.InstanceSpec) bool { return memory(s, 1) }},
	{"memory of machines that no job needs", "memory", func(s *model.InstanceSpec) bool {
		return !anyJob(s, func(j *model.JobSpec) bool { return j.Memory > 0 }) && eachMachine(s, func(k int, m *model.MachineSpec) { m.Memory = new(float64(k % 3)) })
	}},
	{"memory of jobs that no machine limits", "memory", func(s *model.InstanceSpec) bool {
		return !anyMachine(s, func(m *model.MachineSpec) bool { return m.Memory != nil }) && !strands(s) && eachJob(s, func(k int, j *model.JobSpec) { j.Memory = float64(1 + k%4) })
	}},
	{"bandwidths that no job uses", "bandwidth", func(s *model.InstanceSpec) bool {
		return !movesData(s) && eachMachine(s, func(k int, m *model.MachineSpec) { m.Bandwidth = float64(10 * (1 + k%2)) })
	}},
	{"a bandwidth that every machine offers", "bandwidth", func(s *model.InstanceSpec) bool {
		return !movesData(s) && eachMachine(s, func(k int, m *model.MachineSpec) { m.Bandwidth = float64(4 + k) }) && eachJob(s, func(k int, j *model.JobSpec) { j.MinBandwidth = float64(k % 5) })
	}},
	{"networks without messages", "network", func(s *model.InstanceSpec) bool {
		if anyJob(s, func(j *model.JobSpec) bool { return j.Message > 0 }) {
			return false
		}
		return eachCluster(s, func(k int, c *model.ClusterSpec) { c.Network = &model.Network{Latency: 1, Bandwidth: float64(1 + k)} })
	}},
	{"a licence with copies for all", "licences", func(s *model.InstanceSpec) bool { return licence(s, "inert", false, false) }},
	{"a licence with copies for all in every cluster", "licences", func(s *model.InstanceSpec) bool { return licence(s, "inert own", true, false) }},
	{"a licence that all machines list", "licences", func(s *model.InstanceSpec) bool { return licence(s, "inert listed", false, true) }},
	{"licences that no job needs", "", func(s *model.InstanceSpec) bool {
		if namesLicences(s) {
			return false
		}
		s.Licences = map[string]int{"inert idle": 1}
		return eachMachine(s, func(k int, m *model.MachineSpec) { m.Licences = []string{"inert idle"}[k%2:] })
	}},
	{"a feature that all machines have", "features", func(s *model.InstanceSpec) bool {
		return everyMachineHas(s, func(int) string { return "inert" }) && needs(s, []string{"inert"})
	}},
	{"one of two features on every machine", "features", func(s *model.InstanceSpec) bool {
		return everyMachineHas(s, func(k int) string { return []string{"inert a", "inert b"}[k%2] }) && needs(s, []string{"inert b", "inert a"})
	}},
	{"features that no job needs", "", func(s *model.InstanceSpec) bool {
		return everyMachineHas(s, func(k int) string { return fmt.Sprint("inert ", k%3) })
	}},
	{"a feature of the machines that a job can use", "features", featureOfUsable},
	{"span machine for jobs of one processor", "span", func(s *model.InstanceSpec) bool {
		return setSpan(s, "machine", func(j *model.JobSpec) bool { return max(1, j.Processors.Max) == 1 })
	}},
	{"span machine where clusters have one", "span", func(s *model.InstanceSpec) bool {
		if slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool {
			return c.Allocation != "machine" && (len(c.Machines) > 1 || c.Machines[0].Count > 1)
		}) {
			return false
		}
		return setSpan(s, "machine", func(j *model.JobSpec) bool { return j.PerMachine == 0 && j.Machines == model.ProcessorRange{} })
	}},
	{"span grid in one cluster", "span", func(s *model.InstanceSpec) bool {
		return len(s.Clusters) == 1 && setSpan(s, "grid", func(*model.JobSpec) bool { return true })
	}},
	{"span grid for jobs of one processor", "span", func(s *model.InstanceSpec) bool {
		return setSpan(s, "grid", func(j *model.JobSpec) bool { return max(1, j.Processors.Max) == 1 })
	}},
	{"exclusive on machines of one processor", "exclusive", func(s *model.InstanceSpec) bool {
		for c := range s.Clusters {
			if slices.ContainsFunc(s.Clusters[c].Machines, func(m model.MachineSpec) bool { return unitsOf(&s.Clusters[c], &m) > 1 }) {
				return false
			}
		}
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			was := j.Exclusive
			j.Exclusive = true
			return !was
		})
	}},
	{"blocks of one", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			was := j.Block
			if was == 0 {
				j.Block = 1
			}
			return was == 0
		})
	}},
	{"blocks where machines are whole", "blocks", func(s *model.InstanceSpec) bool {
		if strands(s) || slices.ContainsFunc(s.Clusters, func(c model.ClusterSpec) bool { return c.Allocation != "machine" }) {
			return false
		}
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Block > 1 || len(j.Resources) > 0 || j.Processors.Min < 2 || j.Processors.Min != j.Processors.Max || j.PerMachine > 0 || j.Machines != (model.ProcessorRange{}) || j.Running != nil {
				return false
			}
			j.Block = j.Processors.Min
			return true
		})
	}},
	{"one machine for jobs of one block", "blocks", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Running != nil || j.Span == "grid" || j.PerMachine > 0 || j.Machines != (model.ProcessorRange{}) || max(1, j.Processors.Min) != max(1, j.Block) || max(1, j.Processors.Max) != max(1, j.Block) {
				return false
			}
			if k%2 == 0 {
				j.Machines = model.Rigid(1)
			} else {
				j.PerMachine = 1
			}
			return true
		})
	}},
	{"closed times after all jobs", "closed", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		return ok && closeAt(s, func(k int) model.ClosedSpec {
			return model.ClosedSpec{From: far + float64(k), To: new(2*far + float64(k))}
		})
	}},
	{"machines that are closed for ever after all jobs", "closed", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		return ok && closeAt(s, func(int) model.ClosedSpec { return model.ClosedSpec{From: far} })
	}},
	{"a reservation that no job has after all jobs", "closed", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		return ok && closeAt(s, func(int) model.ClosedSpec { return model.ClosedSpec{From: far, To: new(1.5 * far), For: "inert"} })
	}},
	{"closed times before the first job", "closed", func(s *model.InstanceSpec) bool {
		first := firstArrival(s)
		return first > 1e-18 && closeAt(s, func(int) model.ClosedSpec { return model.ClosedSpec{To: new(first)} })
	}},
	{"power caps above all that can run", "power caps", func(s *model.InstanceSpec) bool { return cap(s, 3) }},
	{"power caps of all that can run", "power caps", func(s *model.InstanceSpec) bool { return cap(s, 1) }},
	{"power caps of all jobs at once", "power caps", func(s *model.InstanceSpec) bool {
		if statesPower(s) || capped(s) || anyMachine(s, func(m *model.MachineSpec) bool { return m.Background != nil }) {
			return false
		}
		sum := 0.0
		for k := range s.Jobs {
			sum += float64(max(1, s.Jobs[k].Processors.Max))
		}
		eachMachine(s, func(_ int, m *model.MachineSpec) { m.Power = &model.PowerSpec{Busy: 1} })
		return eachCluster(s, func(_ int, c *model.ClusterSpec) { c.PowerCap = [][]float64{{0, sum}} })
	}},
	{"power that no metric counts", "", func(s *model.InstanceSpec) bool {
		return !statesPower(s) && !capped(s) && !anyMachine(s, func(m *model.MachineSpec) bool { return m.Background != nil }) && eachMachine(s, func(k int, m *model.MachineSpec) { m.Power = &model.PowerSpec{Idle: float64(k % 3), Busy: 1} })
	}},
	{"a horizon around all jobs", "horizon", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		if !ok || s.Horizon != nil || minimisesPower(s) || anyMachine(s, func(m *model.MachineSpec) bool { return m.Power != nil && m.Power.SuspendAfter != nil }) {
			return false
		}
		s.Horizon = &model.HorizonSpec{From: firstArrival(s), To: far}
		return true
	}},
	{"hard deadlines after all jobs", "hard deadlines", func(s *model.InstanceSpec) bool {
		far, ok := Far(s)
		return ok && !pricesDeadlines(s) && someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.Deadline != nil {
				return false
			}
			j.Deadline, j.DeadlineHard = new(far+float64(k)), true
			return true
		})
	}},
	{"hard deadlines of jobs without one", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Deadline == nil {
				j.DeadlineHard = true
			}
			return j.Deadline == nil
		})
	}},
	{"waits for a job that runs and ends in time", "precedence", func(s *model.InstanceSpec) bool {
		in, err := model.New(*s)
		if err != nil {
			return false
		}
		id, until := "", 0.0
		for k := range in.Jobs() {
			if run := in.Jobs()[k].Node().Running; run != nil {
				id, until = in.Jobs()[k].ID, 2*in.Duration(k, run.Cluster, run.Processors)+1e-9
			}
		}
		return id != "" && someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Arrival < until*(1+1e-6) || j.Running != nil || slices.Contains(j.After, id) {
				return false
			}
			j.After = append(slices.Clone(j.After), id)
			return true
		})
	}},
	{"waits that follow from others", "", func(s *model.InstanceSpec) bool {
		after := map[string][]string{}
		for k := range s.Jobs {
			after[s.Jobs[k].ID] = s.Jobs[k].After
		}
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			more := slices.Clone(j.After)
			for _, before := range j.After {
				for _, id := range after[before] {
					if !slices.Contains(more, id) {
						more = append(more, id)
					}
				}
			}
			longer := len(more) > len(j.After)
			j.After = more
			return longer
		})
	}},
	{"widths that no cluster can hold", "widths", func(s *model.InstanceSpec) bool {
		cluster, grid := 0, 0 // processors of the largest, and of all
		for c := range s.Clusters {
			there := 0
			for _, m := range s.Clusters[c].Machines {
				there += max(1, m.Count) * unitsOf(&s.Clusters[c], &m)
			}
			cluster, grid = max(cluster, there), grid+there
		}
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			block, most, there := max(1, j.Block), max(1, j.Processors.Max), cluster
			if j.Span == "grid" {
				there = grid
			}
			if j.Runtime != nil || j.Running != nil || j.PerMachine > 0 || j.Machines != (model.ProcessorRange{}) || takesNoTime(j) || most+block <= there {
				return false
			}
			if j.Tasks == 0 {
				j.Tasks = most
			}
			j.Processors = model.Moldable(max(1, j.Processors.Min), most+block*(1+k%2))
			return true
		})
	}},
	{"equal machines named one by one", "equal machines", split},
	{"a resource that never runs short", "resources", func(s *model.InstanceSpec) bool { return resource(s, 3) }},
	{"a resource that all processors fill", "resources", func(s *model.InstanceSpec) bool { return resource(s, 1) }},
	{"resources that no job needs", "", func(s *model.InstanceSpec) bool {
		return eachMachine(s, func(k int, m *model.MachineSpec) { m.Resources = with(m.Resources, "inert idle", float64(1+k%2)) })
	}},
	{"devices that no machine has", "", func(s *model.InstanceSpec) bool {
		if slices.Contains(s.Devices, "inert device") {
			return false
		}
		s.Devices = append(slices.Clone(s.Devices), "inert device")
		return true
	}},
	{"devices that no job needs", "", func(s *model.InstanceSpec) bool {
		if slices.Contains(s.Devices, "inert device") || strands(s) || minimises(s, "device_utilisation") {
			return false
		}
		s.Devices = append(slices.Clone(s.Devices), "inert device")
		return eachMachine(s, func(k int, m *model.MachineSpec) { m.Resources = with(m.Resources, "inert device", float64(1+k%2)) })
	}},
	{"devices of some machines that no job needs", "", func(s *model.InstanceSpec) bool {
		if slices.Contains(s.Devices, "inert device") || strands(s) || minimises(s, "device_utilisation") {
			return false
		}
		s.Devices = append(slices.Clone(s.Devices), "inert device")
		return eachMachine(s, func(k int, m *model.MachineSpec) {
			if k%2 == 0 {
				m.Resources = with(m.Resources, "inert device", 4)
			}
		})
	}},
	{"tariffs of clusters that are that of the grid", "", func(s *model.InstanceSpec) bool {
		return s.Tariff != nil && someClusters(s, func(c *model.ClusterSpec) bool {
			was := c.Tariff
			if was == nil {
				c.Tariff = new(*s.Tariff)
			}
			return was == nil
		})
	}},
	{"a tariff that nothing is priced by", "", func(s *model.InstanceSpec) bool {
		if minimisesPower(s) || s.Tariff != nil {
			return false
		}
		s.Tariff = &model.TariffSpec{Price: [][]float64{{0, 1}, {5, 2}}, Carbon: [][]float64{{0, 3}}}
		return true
	}},
	{"weights of clusters that are those of the grid", "", func(s *model.InstanceSpec) bool {
		return someClusters(s, func(c *model.ClusterSpec) bool {
			was := c.Weights
			if was == nil {
				if c.Weights = (&model.WeightsSpec{}); s.Weights != nil {
					c.Weights = new(*s.Weights)
				}
			}
			return was == nil
		})
	}},
	{"budgets that nothing can cost", "", func(s *model.InstanceSpec) bool {
		if minimises(s, "qos_penalty") {
			return false
		}
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			was := j.Budget
			if was == nil {
				j.Budget = new(model.Largest)
			}
			return was == nil
		})
	}},
	{"users, groups and queues", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(k int, j *model.JobSpec) bool {
			if j.User != "" || j.Group != "" || j.Queue != "" {
				return false
			}
			j.User, j.Group, j.Queue = fmt.Sprint("inert ", k%3), "inert", "inert"
			return true
		})
	}},
	{"classes of users", "", func(s *model.InstanceSpec) bool {
		if len(s.UserClasses) > 0 {
			return false
		}
		s.UserClasses = map[string]float64{"inert": 1}
		return eachJob(s, func(_ int, j *model.JobSpec) { j.UserClass = "inert" })
	}},
	{"estimates that are the true times", "", func(s *model.InstanceSpec) bool {
		return someJobs(s, func(_ int, j *model.JobSpec) bool {
			if j.Estimate != nil || j.Work == nil || j.Runtime != nil || j.ReferenceSpeed != 0 {
				return false
			}
			j.Estimate = new(*j.Work)
			return true
		})
	}},
}
