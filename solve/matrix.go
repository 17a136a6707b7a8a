package solve

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// This file finds out what solvers take. [Taken] asks a solver about one small instance for each feature, each metric as the objective, and each further
// condition. What the solver refuses of these explains why it refuses other instances, see [Row.Explains].

// Row is what a solver takes.
type Row struct {
	Solver     string `json:"solver"`
	Absent     string `json:"absent,omitempty"` // why the solver is not in this build; then the rest is empty
	Plain      string `json:"plain,omitempty"`  // why the solver refuses the plain instance; then the other questions are asked about another one. Empty: it takes the plain one
	Shape      string `json:"shape,omitempty"`  // what that other instance is; empty: the plain one, or it takes none of those there are
	Features   []Cell `json:"features,omitempty"`
	Objectives []Cell `json:"objectives,omitempty"`
	Conditions []Cell `json:"conditions,omitempty"`
}

// Cell is one question with its answer.
type Cell struct {
	Name  string `json:"name"`
	Taken bool   `json:"taken"`
	Why   string `json:"why,omitempty"` // why not, in the words of the solver
}

// probe varies an instance so that it asks for one thing more, or for two where one does not come without the other.
type probe struct {
	name string
	ask  func(*model.InstanceSpec)
	in   func(*model.Instance) bool // whether an instance asks for it
}

// featureProbes have one for each feature, in the order of the cells.
var featureProbes = []struct {
	feature model.Features
	ask     func(*model.InstanceSpec)
}{
	{model.Arrivals, func(s *model.InstanceSpec) { s.Jobs[1].Arrival = 1 }},
	{model.HardDeadlines, func(s *model.InstanceSpec) { s.Jobs[1].Deadline, s.Jobs[1].DeadlineHard = new(100.0), true }},
	{model.Precedence, func(s *model.InstanceSpec) { s.Jobs[1].After = []string{"a"} }},
	{model.MemoryLimits, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Memory, s.Jobs[1].Memory = new(4.0), 1
	}},
	{model.LicencePools, func(s *model.InstanceSpec) {
		s.Licences, s.Jobs[1].Licences = map[string]int{"l": 1}, map[string]int{"l": 1}
	}},
	{model.BandwidthNeeds, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Bandwidth, s.Jobs[1].MinBandwidth = 1, 2
	}},
	{model.ParallelJobs, func(s *model.InstanceSpec) { s.Jobs[1].Processors = model.Rigid(2) }},
	{model.MoldableJobs, func(s *model.InstanceSpec) { s.Jobs[1].Processors = model.ProcessorRange{Min: 1, Max: 2} }},
	{model.UnrelatedTimes, func(s *model.InstanceSpec) {
		s.Jobs[1].Work, s.Jobs[1].Runtime = nil, map[string]float64{}
		for k, c := range s.Clusters {
			s.Jobs[1].Runtime[c.ID] = float64(k + 1)
		}
	}},
	{model.RestrictedTimes, func(s *model.InstanceSpec) {
		twoClusters(s)
		s.Jobs[1].Work, s.Jobs[1].Runtime = nil, map[string]float64{"c": 1}
	}},
	{model.MixedMachines, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines = append(slices.Clone(s.Clusters[0].Machines), model.MachineSpec{ID: "n", Speed: 2})
	}},
	{model.MachineSpan, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Count, s.Jobs[1].Processors, s.Jobs[1].Span = 2, model.Rigid(2), "machine"
	}},
	{model.GridSpan, func(s *model.InstanceSpec) {
		twoClusters(s)
		processors := max(1, s.Clusters[0].Machines[0].Count) * max(1, s.Clusters[0].Machines[0].Processors)
		s.Jobs[1].Processors, s.Jobs[1].Span = model.Rigid(processors+1), "grid"
	}},
	{model.BackgroundLoad, func(s *model.InstanceSpec) {
		withoutPower(s)
		s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
	}},
	{model.Commitments, nil}, // see committed
	{model.NodeResources, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Resources, s.Jobs[1].Resources = map[string]float64{"cpu": 4}, map[string]float64{"cpu": 1}
	}},
	{model.Blocks, func(s *model.InstanceSpec) { s.Jobs[1].Machines = model.Rigid(1) }},
	{model.NodeFeatures, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Features, s.Jobs[1].Features = []string{"ib"}, [][]string{{"ib"}}
	}},
	{model.ClosedTimes, func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Closed = []model.ClosedSpec{{From: 100}} }},
	{model.ExclusiveJobs, func(s *model.InstanceSpec) { s.Jobs[1].Exclusive = true }},
	{model.RunningJobs, func(s *model.InstanceSpec) {
		s.Jobs[1].Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}
	}},
	{model.HorizonLimits, func(s *model.InstanceSpec) { s.Horizon = &model.HorizonSpec{To: 100} }},
	{model.PowerCaps, func(s *model.InstanceSpec) { s.Clusters[0].PowerCap = [][]float64{{0, 1}} }},
	{model.SleepingMachines, func(s *model.InstanceSpec) {
		s.Horizon = &model.HorizonSpec{To: 100}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Off: []model.OffSpec{{Name: "off"}}, Begin: "off"}
	}},
	{model.NodesBeside, func(s *model.InstanceSpec) {
		twoClusters(s)
		processors := max(1, s.Clusters[0].Machines[0].Count) * max(1, s.Clusters[0].Machines[0].Processors)
		s.Jobs[1].Processors, s.Jobs[1].Span, s.Jobs[0].Exclusive = model.Rigid(processors+1), "grid", true
	}},
}

// conditions are what some solver refuses besides features and metrics.
var conditions = []probe{
	{"instances without a horizon", func(s *model.InstanceSpec) { s.Objective, s.Horizon = map[string]float64{"makespan": 0}, nil }, func(in *model.Instance) bool {
		_, _, stated := in.Horizon()
		return !stated
	}},
	{"several clusters", twoClusters, func(in *model.Instance) bool { return len(in.Clusters()) > 1 }},
	{"machines that are suspended by a rule", func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, Off: []model.OffSpec{{Name: "off"}}, SuspendAfter: new(1.0)}
	}, func(in *model.Instance) bool {
		return slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool {
			return slices.ContainsFunc(c.Machines, func(m model.Machine) bool { return m.Power != nil && m.Power.Suspends() })
		})
	}},
	{"closed times beside machines that are suspended by a rule and take time to wake", func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 1}}}, SuspendAfter: new(1.0)}
		s.Clusters[0].Machines[0].Closed = []model.ClosedSpec{{From: 100, To: new(200.0)}}
	}, func(in *model.Instance) bool {
		return in.Features().Has(model.ClosedTimes) && slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool {
			return slices.ContainsFunc(c.Machines, func(m model.Machine) bool {
				return m.Power != nil && m.Power.Suspends() && m.Power.Off[0].Down.Time+m.Power.Off[0].Up.Time > 0
			})
		})
	}},
	{"power limits where jobs ask something of single machines", func(s *model.InstanceSpec) {
		s.Clusters[0].PowerCap, s.Jobs[1].Exclusive = [][]float64{{0, 1}}, true
	}, func(in *model.Instance) bool {
		return in.Features()&model.PowerLimits != 0 && in.Features()&(model.NodeResources|model.Blocks|model.NodeFeatures|model.ClosedTimes|model.ExclusiveJobs|model.RunningJobs) != 0
	}},
	{"power limits where jobs must spread over the grid", func(s *model.InstanceSpec) {
		twoClusters(s)
		processors := max(1, s.Clusters[0].Machines[0].Count) * max(1, s.Clusters[0].Machines[0].Processors)
		s.Clusters[0].PowerCap, s.Jobs[1].Processors, s.Jobs[1].Span = [][]float64{{0, 1}}, model.Rigid(processors+1), "grid"
	}, func(in *model.Instance) bool {
		return in.Features()&model.PowerLimits != 0 && in.Features().Has(model.GridSpan)
	}},
	{"jobs that outlive their estimates beside a power cap that falls", func(s *model.InstanceSpec) {
		s.Clusters[0].PowerCap, s.Jobs[1].Work, s.Jobs[1].Runtime, s.Jobs[1].Estimate = [][]float64{{0, 2}, {1, 1}}, new(4.0), nil, new(2.0)
	}, func(in *model.Instance) bool {
		outlives := false
		for j := range in.Jobs() {
			estimate, runtime := sim.Lengths(in, j)
			outlives = outlives || runtime > estimate
		}
		return outlives && in.Features().Has(model.PowerCaps)
	}},
	{"a tariff of more than 2^20 steps within the horizon", func(s *model.InstanceSpec) {
		s.Horizon, s.Tariff = &model.HorizonSpec{To: 100}, &model.TariffSpec{Price: [][]float64{{0, 1}}, Period: 1e-6}
	}, func(in *model.Instance) bool {
		from, to, stated := in.Horizon()
		return stated && slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool {
			_, _, _, few := c.Tariff.Steps(from, to)
			return !few
		})
	}},
	{"power where machines differ by memory or jobs stay on one machine", func(s *model.InstanceSpec) {
		s.Horizon = &model.HorizonSpec{To: 100}
		s.Clusters[0].Machines[0].Memory, s.Jobs[1].Memory = new(4.0), 1
	}, func(in *model.Instance) bool {
		return in.LaterMayBeBetter() && in.Features()&(model.MemoryLimits|model.MachineSpan) != 0
	}},
	{"licences where power limits schedules or counts", func(s *model.InstanceSpec) {
		s.Horizon = &model.HorizonSpec{To: 100}
		s.Licences, s.Jobs[1].Licences = map[string]int{"l": 1}, map[string]int{"l": 1}
	}, func(in *model.Instance) bool { return in.LaterMayBeBetter() && in.Features().Has(model.LicencePools) }},
	{"metrics beside energy, energy_cost, carbon, peak_power, makespan, mean_wait, mean_response and over_deadline where power limits schedules or counts", func(s *model.InstanceSpec) {
		s.Horizon, s.Objective = &model.HorizonSpec{To: 100}, map[string]float64{"missed": 1}
	}, func(in *model.Instance) bool {
		return in.LaterMayBeBetter() && slices.ContainsFunc(in.ObjectiveTerms(), func(term model.ObjectiveTerm) bool {
			return term.Weight != 0 && !slices.Contains([]string{"energy", "energy_cost", "carbon", "peak_power", "makespan", "mean_wait", "mean_response", "over_deadline"}, term.Metric)
		})
	}},
	{"peak_power beside machines that can be off", func(s *model.InstanceSpec) {
		s.Objective, s.Horizon = map[string]float64{"peak_power": 1}, &model.HorizonSpec{To: 100}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, Off: []model.OffSpec{{Name: "off"}}}
	}, func(in *model.Instance) bool { return weighs(in, "peak_power") }},
	{"jobs that can run nowhere where power limits schedules or counts", func(s *model.InstanceSpec) {
		s.Horizon, s.Jobs[1].Processors = &model.HorizonSpec{To: 100}, model.Rigid(1000)
	}, func(in *model.Instance) bool {
		nowhere := false
		for j := range in.Jobs() {
			nowhere = nowhere || !in.Runs(j)
		}
		return nowhere && in.LaterMayBeBetter()
	}},
	{"jobs of different power", func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Power, s.Jobs[0].Power = &model.PowerSpec{Idle: 1}, new(2.0)
	}, func(in *model.Instance) bool {
		return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool {
			_, stated := j.Power()
			return stated
		})
	}},
	{"times that are no multiples of a unit where power limits schedules or counts", func(s *model.InstanceSpec) {
		s.Horizon, s.Jobs[0].Work, s.Jobs[1].Work = &model.HorizonSpec{To: 100}, new(0.1), new(0.3)
	}, func(in *model.Instance) bool { return in.LaterMayBeBetter() && fractional(in) }},
	{"several alike processors in a cluster", func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Count = 2 }, func(in *model.Instance) bool {
		return slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return c.Processors > len(c.Machines) })
	}},
	{"parallel jobs with more tasks than processors", func(s *model.InstanceSpec) { s.Jobs[1].Processors, s.Jobs[1].Tasks = model.Rigid(2), 3 }, func(in *model.Instance) bool {
		return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.Max > 1 && j.Tasks > j.Min })
	}},
	{"more than 16 jobs", func(s *model.InstanceSpec) { addJobs(s, 17) }, func(in *model.Instance) bool { return len(in.Jobs()) > 16 }},
	{"more than 10 jobs with precedence or licences", func(s *model.InstanceSpec) {
		addJobs(s, 11)
		s.Jobs[1].After = []string{"a"}
	}, func(in *model.Instance) bool {
		return len(in.Jobs()) > 10 && in.Features()&(model.Precedence|model.LicencePools) != 0
	}},
	{"more than 10 jobs where power limits schedules or counts", func(s *model.InstanceSpec) {
		addJobs(s, 11)
		s.Horizon = &model.HorizonSpec{To: 100}
	}, func(in *model.Instance) bool { return len(in.Jobs()) > 10 && in.LaterMayBeBetter() }},
	{"a metric that is to be high: one better when high with a positive weight, or one better when low with a negative weight", func(s *model.InstanceSpec) { s.Objective = map[string]float64{"makespan": -1} }, func(in *model.Instance) bool {
		return slices.ContainsFunc(in.ObjectiveTerms(), func(term model.ObjectiveTerm) bool { return term.Weight < 0 })
	}},
	{"cost where the machines of a cluster cost differently", func(s *model.InstanceSpec) {
		s.Objective = map[string]float64{"cost": 1}
		s.Clusters[0].Machines = append(slices.Clone(s.Clusters[0].Machines), model.MachineSpec{ID: "n", Processors: s.Clusters[0].Machines[0].Processors, Cost: 1})
	}, func(in *model.Instance) bool {
		return weighs(in, "cost") && slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool {
			return slices.ContainsFunc(c.Machines, func(m model.Machine) bool { return m.Cost != c.Machines[0].Cost })
		})
	}},
	{"mean_slowdown with jobs that take no time", func(s *model.InstanceSpec) {
		s.Objective, s.Jobs[1].Work = map[string]float64{"mean_slowdown": 1}, new(0.0)
	}, func(in *model.Instance) bool {
		instant := false
		times(in, func(time float64) { instant = instant || time == 0 })
		return instant && weighs(in, "mean_slowdown")
	}},
	{"idle_time, mcp, mean_slowdown or bounded_slowdown with background load", func(s *model.InstanceSpec) {
		withoutPower(s)
		s.Objective, s.Clusters[0].Machines[0].Background = map[string]float64{"idle_time": 1}, &model.Background{Load: 0.1, Mean: 1}
	}, func(in *model.Instance) bool {
		return in.Features().Has(model.BackgroundLoad) && weighs(in, "idle_time", "mcp", "mean_slowdown", "bounded_slowdown")
	}},
	{"jobs that may spread over the grid, although they fit a cluster", func(s *model.InstanceSpec) {
		twoClusters(s)
		s.Jobs[1].Processors, s.Jobs[1].Tasks, s.Jobs[1].Span = model.Rigid(2), 2, "grid"
	}, func(in *model.Instance) bool {
		for j := range in.Jobs() {
			if in.SpreadOver(j) != nil {
				return true
			}
		}
		return false
	}},
	{"jobs whose time vanishes beside the others", func(s *model.InstanceSpec) { s.Jobs[1].Work = new(1e-14) }, func(in *model.Instance) bool {
		short, sum := math.Inf(1), 0.0
		for k := range in.Jobs() {
			sum = max(sum, in.Jobs()[k].Arrival)
		}
		times(in, func(time float64) {
			if sum += time; time > 0 {
				short = min(short, time)
			}
		})
		return short < 1e-12*sum
	}},
	{"machines of a cluster that do not all run a licence", func(s *model.InstanceSpec) {
		s.Licences, s.Jobs[1].Licences = map[string]int{"l": 1}, map[string]int{"l": 1}
		other := s.Clusters[0].Machines[0]
		other.ID, other.Licences = "n", []string{}
		s.Clusters[0].Machines = append(slices.Clone(s.Clusters[0].Machines), other)
	}, func(in *model.Instance) bool {
		return slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool {
			return slices.ContainsFunc(c.Machines, func(m model.Machine) bool {
				for l := range in.Licences() {
					if m.Runs(l) != c.Machines[0].Runs(l) {
						return true
					}
				}
				return false
			})
		})
	}},
	{"moldable jobs where machines are closed at times", func(s *model.InstanceSpec) {
		s.Clusters[0].Machines[0].Closed, s.Jobs[1].Processors = []model.ClosedSpec{{From: 100}}, model.ProcessorRange{Min: 1, Max: 2}
	}, func(in *model.Instance) bool { return in.Features().Has(model.MoldableJobs | model.ClosedTimes) }},
	{"jobs that wait for others where one can run nowhere", func(s *model.InstanceSpec) {
		s.Jobs[1].After, s.Jobs[1].Processors = []string{"a"}, model.Rigid(1000)
	}, func(in *model.Instance) bool {
		for j := range in.Jobs() {
			if !in.Runs(j) {
				return in.Features().Has(model.Precedence)
			}
		}
		return false
	}},
}

// weighs says whether the objective has one of the metrics.
func weighs(in *model.Instance, metrics ...string) bool {
	return slices.ContainsFunc(in.ObjectiveTerms(), func(term model.ObjectiveTerm) bool { return term.Weight != 0 && slices.Contains(metrics, term.Metric) })
}

// fractional says whether a time is no whole number.
func fractional(in *model.Instance) bool {
	from, to, _ := in.Horizon()
	list := []float64{from, to}
	for k := range in.Jobs() {
		if list = append(list, in.Jobs()[k].Arrival); in.Jobs()[k].HasDeadline() {
			list = append(list, in.Jobs()[k].Deadline)
		}
	}
	times(in, func(time float64) { list = append(list, time) })
	return slices.ContainsFunc(list, func(t float64) bool { return t != math.Trunc(t) })
}

// times calls yield with the time of each job on each cluster that can run it, on the fewest processors.
func times(in *model.Instance, yield func(time float64)) {
	for j := range in.Jobs() {
		for c := range in.Clusters() {
			if least, _ := in.Width(j, c); in.CanRun(j, c) {
				yield(in.DurationOn(j, c, least))
			}
		}
	}
}

// addJobs brings the number of jobs up to n.
func addJobs(s *model.InstanceSpec, n int) {
	for k := len(s.Jobs); k < n; k++ {
		s.Jobs = append(s.Jobs, model.JobSpec{ID: fmt.Sprint("j", k), Work: new(1.0)})
	}
}

// shapes are the instances of which the others are variations, in the order in which a solver is asked: it is asked about variations of the first that it takes.
// The first is the plain one.
var shapes = []func(*model.InstanceSpec){
	func(*model.InstanceSpec) {},
	func(s *model.InstanceSpec) {
		for c := range s.Clusters {
			s.Clusters[c].Machines[0].Count, s.Clusters[c].Machines[0].Processors = 1, 1
		}
	},
	func(s *model.InstanceSpec) {
		s.Clusters = s.Clusters[:1]
		m := &s.Clusters[0].Machines[0]
		m.Count, m.Processors, m.Power = 1, 1, &model.PowerSpec{Idle: 1}
		s.Objective, s.Tariff, s.Horizon = map[string]float64{"energy_cost": 1}, &model.TariffSpec{Price: [][]float64{{0, 1}}, Carbon: [][]float64{{0, 1}}}, &model.HorizonSpec{To: 100}
	},
}

// shapeNames say what the shapes are.
var shapeNames = []string{"two clusters, which minimises the makespan", "two clusters of one processor", "one processor within a horizon, which minimises energy_cost"}

// twoClusters adds a second cluster to an instance with one.
func twoClusters(s *model.InstanceSpec) {
	if len(s.Clusters) == 1 {
		second := s.Clusters[0]
		second.ID, second.Machines = "d", slices.Clone(second.Machines)
		s.Clusters = append(s.Clusters, second)
	}
}

// withoutPower takes away what an instance states of power, beside which it has no background load.
func withoutPower(s *model.InstanceSpec) {
	if s.Tariff != nil {
		s.Tariff, s.Horizon, s.Objective = nil, nil, map[string]float64{"makespan": 1}
		for c := range s.Clusters {
			s.Clusters[c].Machines[0].Power = nil
		}
	}
}

// probeInstance returns a small instance: two clusters of four processors, two jobs and a queueing view, varied.
func probeInstance(vary ...func(*model.InstanceSpec)) (*model.Instance, error) {
	b := model.NewBuilder("probe").Minimise("makespan", 1)
	for _, id := range []string{"c", "d"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2, Queue: &model.QueueSpec{ServiceRate: 0.5}}}})
	}
	for _, id := range []string{"a", "b"} {
		b.Job(model.JobSpec{ID: id, Work: new(1.0), Deadline: new(50.0), Budget: new(50.0)})
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.5, CV: new(1.0), Period: 10}
	for _, f := range vary {
		f(b.Spec())
	}
	return b.Build()
}

// committed is the instance where an earlier job holds a processor.
func committed(in *model.Instance) *model.Instance {
	held := model.Hold{Job: &in.Jobs()[0], End: 1, Pieces: []model.HoldPiece{{Cluster: 0, Processors: model.Processors(0), End: 1}}}
	return in.Batch([]int{1}, []float64{0}, []model.Hold{held})
}

// Taken asks a solver what it takes. An error is a bug: of an instance here, or of a solver that refuses with an error that does not wrap [ErrUnsupported].
func Taken(name string, info Info) (Row, error) {
	row := Row{Solver: name, Absent: info.Absent}
	if info.Absent != "" {
		return row, nil
	}
	return row, row.ask(info.New())
}

// ask fills in what the solver takes.
func (r *Row) ask(solver Solver) error {
	shape, found := shapes[0], false
	for k, candidate := range shapes {
		in, err := probeInstance(candidate)
		if err != nil {
			return err
		}
		refusal := solver.Supports(in)
		if k == 0 && refusal != nil {
			r.Plain = strings.TrimPrefix(refusal.Error(), ErrUnsupported.Error()+": ")
		}
		if refusal == nil && !found {
			if shape, found = candidate, true; k > 0 {
				r.Shape = shapeNames[k]
			}
		}
	}
	var broken error
	answer := func(list *[]Cell, name string, in *model.Instance, err error) {
		if err != nil {
			broken = errors.Join(broken, fmt.Errorf("%s: %w", name, err))
			return
		}
		refusal := solver.Supports(in)
		cell := Cell{Name: name, Taken: refusal == nil}
		if refusal != nil {
			cell.Why = strings.TrimPrefix(refusal.Error(), ErrUnsupported.Error()+": ")
			if !errors.Is(refusal, ErrUnsupported) {
				broken = errors.Join(broken, fmt.Errorf("%s refuses %s with an error that is not ErrUnsupported: %w", r.Solver, name, refusal))
			}
		}
		*list = append(*list, cell)
	}
	in, err := probeInstance(shape)
	if err != nil {
		return err
	}
	for _, p := range featureProbes {
		if p.ask == nil {
			answer(&r.Features, p.feature.String(), committed(in), nil)
			continue
		}
		in, err := probeInstance(shape, p.ask)
		answer(&r.Features, p.feature.String(), in, err)
	}
	for _, m := range model.MetricTable() {
		if m.PerCluster {
			continue
		}
		weight := 1.0
		if m.HighBetter {
			weight = -1
		}
		in, err := probeInstance(shape, func(s *model.InstanceSpec) {
			s.Objective = map[string]float64{m.Name: weight}
			switch m.Only {
			case "devices":
				s.Devices, s.Clusters[0].Machines[0].Resources = []string{"gpu"}, map[string]float64{"gpu": 1}
			case "power", "prices", "carbon":
				s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1}
				s.Tariff = &model.TariffSpec{Price: [][]float64{{0, 1}}, Carbon: [][]float64{{0, 1}}}
				if m.Name != "peak_power" {
					s.Horizon = &model.HorizonSpec{To: 100}
				}
			}
		})
		answer(&r.Objectives, m.Name, in, err)
	}
	for _, p := range conditions {
		in, err := probeInstance(shape, p.ask)
		var list []Cell
		answer(&list, p.name, in, err)
		for _, c := range list {
			if !c.Taken && r.Explains(in) { // for the sake of what was asked before
				c.Taken, c.Why = true, ""
			}
			r.Conditions = append(r.Conditions, c)
		}
	}
	return broken
}

// Refused are the names of the cells that are not taken.
func Refused(cells []Cell) []string {
	var names []string
	for _, c := range cells {
		if !c.Taken {
			names = append(names, c.Name)
		}
	}
	return names
}

// Explains says whether the row explains that the solver refuses the instance: the instance asks for something that the row says is refused.
func (r *Row) Explains(in *model.Instance) bool {
	for _, c := range r.Features {
		if !c.Taken && slices.Contains(strings.Split(in.Features().String(), ", "), c.Name) {
			return true
		}
	}
	for _, c := range r.Objectives {
		if !c.Taken && slices.ContainsFunc(in.ObjectiveTerms(), func(term model.ObjectiveTerm) bool { return term.Metric == c.Name && term.Weight != 0 }) {
			return true
		}
	}
	for _, p := range conditions {
		if p.in(in) && slices.ContainsFunc(r.Conditions, func(c Cell) bool { return c.Name == p.name && !c.Taken }) {
			return true
		}
	}
	return false
}
