package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
)

// twoJobs is an instance of two jobs of work 5, which arrive at 3 and 10, on two machines of two processors, as the function changes it. All have ended by 20.
func twoJobs(t *testing.T, change func(s *model.InstanceSpec)) *model.Instance {
	t.Helper()
	job := func(id string, arrival float64) model.JobSpec {
		return model.JobSpec{ID: id, Arrival: arrival, Work: new(5.0)}
	}
	spec := model.InstanceSpec{Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2}}}}, Jobs: []model.JobSpec{job("a", 3), job("b", 10)}}
	change(&spec)
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func up(x float64) float64   { return math.Nextafter(x, math.Inf(1)) }
func down(x float64) float64 { return math.Nextafter(x, 0) }

// running makes job a one that runs already for 5, on the first processor.
func running(s *model.InstanceSpec) {
	s.Jobs[0].Arrival = 0
	s.Jobs[0].Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}
}

// closed closes the machines at a time.
func closed(s *model.InstanceSpec, from, to float64, reservation string) {
	c := model.ClosedSpec{From: from, For: reservation}
	if !math.IsInf(to, 1) {
		c.To = &to
	}
	m := &s.Clusters[0].Machines[0]
	m.Closed = append(m.Closed, c)
}

// secondCluster adds a cluster d of one machine.
func secondCluster(s *model.InstanceSpec, m model.MachineSpec) {
	m.ID = "n"
	s.Clusters = append(s.Clusters, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{m}})
}

// third is a need of memory; a variable, so that its product is rounded.
var third = 0.7

// presolveRules are rules with something that they leave out for some values, and keep for others: where it just binds, or may.
var presolveRules = []struct {
	name, rule    string
	set           func(s *model.InstanceSpec, x float64)
	leaves, keeps []float64
}{
	{"memory", "memory", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Memory, s.Jobs[0].Memory = &x, 1.5
	}, []float64{3, up(3), 1e18}, []float64{down(3), 1.5, 0}},
	{"memory in decimals", "memory", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors = 3
		s.Clusters[0].Machines[0].Memory, s.Jobs[1].Memory = &x, 0.1
	}, []float64{up(0.3)}, []float64{0.3, down(0.3)}},
	{"memory that rounding fills", "memory", func(s *model.InstanceSpec, x float64) { // 3 · 0.7 is rounded down
		s.Clusters[0].Machines[0].Processors = 3
		s.Clusters[0].Machines[0].Memory, s.Jobs[1].Memory = &x, 0.7
	}, []float64{up(3 * third), 3}, []float64{3 * third, 2}},
	{"memory of whole machines", "memory", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Allocation = "machine"
		s.Clusters[0].Machines[0].Memory, s.Jobs[0].Memory = &x, 1.5
	}, []float64{1.5}, []float64{down(1.5)}},
	{"memory of a job that runs elsewhere", "memory", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Memory: new(100.0)})
		s.Clusters[0].Machines[0].Memory, s.Jobs[0].Memory, s.Jobs[1].Memory = &x, 1.5, 50
		s.Jobs[1].Work, s.Jobs[1].Runtime = nil, map[string]float64{"d": 5}
	}, []float64{3}, []float64{down(3)}},
	{"memory of a job that runs already", "memory", func(s *model.InstanceSpec, x float64) {
		running(s)
		s.Clusters[0].Machines[0].Memory, s.Jobs[0].Memory, s.Jobs[1].Memory = &x, 2, 1
	}, []float64{4}, []float64{down(4), 3}},
	{"memory that strands devices", "memory", func(s *model.InstanceSpec, x float64) {
		s.Devices, s.Objective = []string{"gpu"}, map[string]float64{"stranded": x}
		s.Clusters[0].Machines[0].Resources, s.Clusters[0].Machines[0].Memory, s.Jobs[0].Memory = map[string]float64{"gpu": 1}, new(9.0), 1
	}, []float64{0}, []float64{1}},
	{"a resource", "resources", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Resources, s.Jobs[0].Resources, s.Jobs[1].Resources = map[string]float64{"r": x}, map[string]float64{"r": 0.7}, map[string]float64{"r": 0.1}
	}, []float64{1.4, 3}, []float64{1.399999, 0.7, 0}},
	{"a resource of blocks", "resources", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors, s.Clusters[0].Machines[0].Resources = 4, map[string]float64{"r": x}
		s.Jobs[0].Processors, s.Jobs[0].Block, s.Jobs[0].Resources = model.Rigid(2), 2, map[string]float64{"r": 1}
	}, []float64{2}, []float64{1.999999}},
	{"a resource of blocks on whole machines", "resources", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Processors: 2, Resources: map[string]float64{"r": 1}})
		s.Clusters[0].Allocation, s.Clusters[0].Machines[0].Resources = "machine", map[string]float64{"r": x}
		s.Jobs[0].Processors, s.Jobs[0].Block, s.Jobs[0].Resources = model.Rigid(2), 2, map[string]float64{"r": 1}
	}, []float64{1}, []float64{0.999999, 0.5}},
	{"a resource beside a running job", "resources", func(s *model.InstanceSpec, x float64) {
		running(s)
		s.Clusters[0].Machines[0].Resources, s.Jobs[1].Resources = map[string]float64{"r": x}, map[string]float64{"r": 0.7}
		s.Jobs[0].Running.Holds = map[string]map[string]float64{"m[0]": {"r": 0.5}}
	}, []float64{1.9}, []float64{1.899999, 1.4}},
	{"a resource of a job that takes no time", "resources", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Resources, s.Jobs[1].Resources, s.Jobs[1].Work, s.Jobs[1].Processors = map[string]float64{"r": x}, map[string]float64{"r": 1}, new(0.0), model.Rigid(4)
	}, []float64{4}, []float64{3.999999, 2}},
	{"devices", "resources", func(s *model.InstanceSpec, x float64) {
		s.Devices = []string{"gpu"}
		s.Clusters[0].Machines[0].Resources, s.Jobs[0].Resources = map[string]float64{"gpu": x}, map[string]float64{"gpu": 1}
	}, nil, []float64{8}},
	{"a licence", "licences", func(s *model.InstanceSpec, x float64) {
		s.Licences, s.Jobs[0].Licences, s.Jobs[1].Licences = map[string]int{"l": int(x)}, map[string]int{"l": 2}, map[string]int{"l": 1}
	}, []float64{3, 4}, []float64{2, 1, 0}},
	{"a licence of a cluster", "licences", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{})
		s.Licences, s.Jobs[0].Licences, s.Jobs[1].Licences = map[string]int{"l": 3}, map[string]int{"l": 2}, map[string]int{"l": 1}
		s.Clusters[1].Licences = map[string]int{"l": int(x)}
	}, []float64{3}, []float64{2}},
	{"a licence that is measured", "licences", func(s *model.InstanceSpec, x float64) {
		s.Licences, s.Jobs[0].Licences, s.Objective = map[string]int{"l": 9}, map[string]int{"l": 2}, map[string]float64{"licence_usage": x}
	}, []float64{0}, []float64{1}},
	{"a feature", "features", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{})
		s.Clusters[0].Machines[0].Features, s.Jobs[0].Features = []string{"f"}, [][]string{{"g", "f"}}
		s.Clusters[1].Machines[0].Features = []string{"g", "h"}[int(x):]
	}, []float64{0}, []float64{1, 2}},
	{"a feature of machines with bandwidth", "features", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Bandwidth: x})
		s.Clusters[0].Machines[0].Features, s.Jobs[0].Features, s.Jobs[0].MinBandwidth = []string{"f"}, [][]string{{"f"}}, 2
	}, []float64{down(2)}, []float64{2, 3}},
	{"a feature of machines with a licence", "features", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Licences: []string{"k", "l"}[int(x):1]})
		s.Licences = map[string]int{"k": 1, "l": 1}
		s.Clusters[0].Machines[0].Features, s.Jobs[0].Features, s.Jobs[0].Licences, s.Jobs[1].Licences = []string{"f"}, [][]string{{"f"}}, map[string]int{"k": 1}, map[string]int{"k": 1}
	}, []float64{1}, []float64{0}},
	{"bandwidth", "bandwidth", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Bandwidth: 3})
		s.Clusters[0].Machines[0].Bandwidth, s.Jobs[0].MinBandwidth = 2, x
	}, []float64{0, 2}, []float64{up(2), 3}},
	{"data", "bandwidth", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Bandwidth, s.Jobs[0].Input = 2, x
	}, []float64{0}, []float64{1e-18}},
	{"results", "bandwidth", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Bandwidth, s.Jobs[1].Output = 2, x
	}, []float64{0}, []float64{1e-18}},
	{"network", "network", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Network, s.Jobs[1].Message = &model.Network{Latency: 1, Bandwidth: 1}, x
	}, []float64{0}, []float64{1e-18}},
	{"span machine", "span", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Span, s.Jobs[0].Processors = "machine", model.Moldable(1, int(x))
	}, []float64{1}, []float64{2}},
	{"span machine of one machine", "span", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count = int(x)
		s.Jobs[0].Span, s.Jobs[0].Processors = "machine", model.Rigid(2)
	}, []float64{1}, []float64{2}},
	{"span grid", "span", func(s *model.InstanceSpec, x float64) {
		if x > 0 {
			secondCluster(s, model.MachineSpec{})
		}
		s.Jobs[0].Span, s.Jobs[0].Processors, s.Jobs[0].Tasks = "grid", model.Rigid(2), int(x)
	}, []float64{0, 1}, []float64{2}},
	{"exclusive", "exclusive", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors, s.Jobs[0].Exclusive = int(x), true
	}, []float64{1}, []float64{2}},
	{"exclusive where a machine has the memory", "exclusive", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Memory: new(100.0)})
		s.Clusters[0].Machines[0].Memory, s.Jobs[0].Memory, s.Jobs[0].Exclusive = &x, 2, true
	}, []float64{1}, []float64{2}},
	{"blocks of whole machines", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Allocation = []string{"", "machine"}[int(x)]
		s.Jobs[0].Processors, s.Jobs[0].Block = model.Rigid(2), 2
	}, []float64{1}, []float64{0}},
	{"a metric that is 0", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective = map[string]float64{"makespan": 1, "cost": 2, "over_deadline": 3, "over_budget": 1}
		if x > 0 {
			s.Jobs[0].Deadline, s.Jobs[0].Budget, s.Clusters[0].Machines[0].Cost = new(9.0), new(2.0), 1
		}
	}, []float64{0}, []float64{1}},
	{"cost", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective = map[string]float64{"makespan": 1, "cost": 2}
		secondCluster(s, model.MachineSpec{Cost: x})
	}, []float64{0}, []float64{1e-9}},
	{"a deadline that nobody misses", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective, s.Jobs[1].Deadline = map[string]float64{"makespan": 1, "over_deadline": 2, "missed": 1, "miss_rate": 1}, &x
	}, nil, []float64{1e9}},
	{"data", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective, s.Jobs[1].Output = map[string]float64{"makespan": 1, "data_moved": 2}, x
	}, []float64{0}, []float64{1e-9}},
	{"workflows", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective = map[string]float64{"makespan": 1, "workflow_failures": 2}
		if x > 0 {
			s.Workflows, s.Jobs[0].Workflow = []model.WorkflowSpec{{ID: "w"}}, "w"
		}
	}, []float64{0}, []float64{1}},
	{"a weight of 0", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective = map[string]float64{"makespan": 1, "mean_wait": x}
	}, []float64{0}, []float64{-1, 1e-9}},
	{"a metric that says what may be left out", "objective", func(s *model.InstanceSpec, x float64) {
		s.Objective = map[string]float64{"makespan": 1, "data_moved": 3}
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(9.0), x > 0
	}, []float64{0}, []float64{1}},
	{"blocks of a cluster of one machine", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count, s.Clusters[0].Machines[0].Processors = int(x), 4
		s.Jobs[0].Processors, s.Jobs[0].Block = model.Rigid(4), 2
	}, []float64{1}, []float64{2}},
	{"blocks that hold something", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count, s.Clusters[0].Machines[0].Processors, s.Clusters[0].Machines[0].Resources = 1, 4, map[string]float64{"r": 1}
		s.Jobs[0].Processors, s.Jobs[0].Block, s.Jobs[0].Resources = model.Rigid(4), 2, map[string]float64{"r": x}
	}, []float64{0}, []float64{0.7}},
	{"blocks of a width that is chosen", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count, s.Clusters[0].Machines[0].Processors = 1, 4
		s.Jobs[0].Processors, s.Jobs[0].Block = model.Moldable(int(x), 4), 2
	}, []float64{4}, []float64{2}},
	{"blocks of a job in pieces", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count, s.Clusters[0].Machines[0].Processors = 1, 4
		s.Jobs[0].Processors, s.Jobs[0].Block, s.Jobs[0].Span = model.Rigid(4), 2, []string{"", "grid"}[int(x)]
		secondCluster(s, model.MachineSpec{Processors: 4})
	}, []float64{0}, []float64{1}},
	{"as many machines as processors at most", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count = 4
		s.Jobs[0].Processors, s.Jobs[0].Machines = model.Rigid(3), model.Moldable(1, int(x))
	}, []float64{3}, []float64{2, 1}},
	{"as many machines as there are at most", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Machines = model.Rigid(3), model.Moldable(1, int(x))
	}, []float64{2, 3}, []float64{1}},
	{"as many machines as the largest cluster has at most", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Machines = model.Rigid(4), model.Moldable(1, 2)
		s.Clusters = append(s.Clusters, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "n", Count: int(x)}}})
	}, []float64{1, 2}, []float64{3}},
	{"two machines at least", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors = int(x)
		s.Jobs[0].Processors, s.Jobs[0].Machines = model.Rigid(2), model.Moldable(2, 2)
	}, []float64{1}, []float64{2}},
	{"one processor of every machine", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors = int(x)
		s.Jobs[0].Processors, s.Jobs[0].PerMachine = model.Rigid(2), 1
	}, []float64{1}, []float64{2}},
	{"all processors of the only machine", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count, s.Clusters[0].Machines[0].Processors = 1, 4
		s.Jobs[0].Processors, s.Jobs[0].PerMachine = model.Rigid(4), int(x)
	}, []float64{4}, []float64{2, 1}},
	{"machines of a job in pieces", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Machines, s.Jobs[0].Span = model.Rigid(4), model.Moldable(1, int(x)), "grid"
		secondCluster(s, model.MachineSpec{})
	}, []float64{3}, []float64{2}},
	{"one processor of every machine of a job in pieces", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors = int(x)
		s.Jobs[0].Processors, s.Jobs[0].PerMachine, s.Jobs[0].Span = model.Rigid(3), 1, "grid"
		secondCluster(s, model.MachineSpec{})
	}, []float64{1}, []float64{2}},
	{"one machine of a job in pieces where machines are whole", "blocks: 0 jobs on one machine or on whole ones, 1 job", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Block, s.Jobs[0].Machines, s.Jobs[0].Span = model.Rigid(2), 2, model.Rigid(1), "grid"
		secondCluster(s, model.MachineSpec{Processors: 2})
		s.Clusters[1].Allocation = []string{"", "machine"}[int(x)]
	}, []float64{0}, []float64{1}},
	{"machines where some are whole", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Processors, s.Clusters[0].Allocation = 1, []string{"", "machine"}[int(x)]
		s.Jobs[0].Processors, s.Jobs[0].Machines = model.Rigid(2), model.Moldable(2, 2)
	}, []float64{0}, []float64{1}},
	{"machines that strand devices", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Devices, s.Objective = []string{"gpu"}, map[string]float64{"stranded": x}
		s.Clusters[0].Machines[0].Resources, s.Jobs[0].Processors, s.Jobs[0].Machines = map[string]float64{"gpu": 1}, model.Rigid(2), model.Moldable(1, 2)
	}, []float64{0}, []float64{1}},
	{"a reservation of all jobs", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, 7, "r")
		closed(s, x, math.Inf(1), "r")
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", "r"
	}, []float64{7, 5}, []float64{up(7)}},
	{"a reservation before the first job arrives", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, x, math.Inf(1), "r")
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", "r"
	}, []float64{0, 3}, []float64{up(3)}},
	{"a reservation that ends", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, x, "r")
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", "r"
	}, []float64{math.Inf(1)}, []float64{1e15}},
	{"a reservation of some jobs", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, math.Inf(1), "r")
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", []string{"r", "", "q"}[int(x)]
	}, []float64{0}, []float64{1, 2}},
	{"a reservation of some machines", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, math.Inf(1), "r")
		secondCluster(s, model.MachineSpec{Closed: []model.ClosedSpec{{From: x, For: "r"}}})
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", "r"
	}, []float64{0, 3}, []float64{up(3), 8}},
	{"a reservation in a time that is closed for another", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, 3, math.Inf(1), "r")
		closed(s, x, math.Inf(1), "q")
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", "r"
	}, []float64{0, 4}, []float64{3}},
	{"two reservations of the same time", "reservation", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, math.Inf(1), "r")
		closed(s, 0, math.Inf(1), "q")
		s.Jobs[0].Reservation, s.Jobs[1].Reservation = "r", []string{"r", "q"}[int(x)]
	}, []float64{0}, []float64{1}},
	{"machines that wake before the first job arrives", "sleep", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{From: 1, To: 12}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: x}}}, Begin: "off"}
	}, []float64{0, 2}, []float64{up(2), 5}},
	{"machines that sleep after all jobs", "sleep", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{To: 30}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: x}}}, End: "off"}
	}, []float64{0, 7.999}, []float64{10, 20}},
	{"machines that sleep after a horizon that begins late", "sleep", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{From: x, To: 1e6}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}}}, End: "off"}
	}, []float64{0, 3}, []float64{up(3), 8}},
	{"machines that are suspended after all jobs", "sleep", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{SuspendAfter: &x, Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}, Up: model.WaySpec{Time: 2}}}}
	}, []float64{26.001}, []float64{26, 20.001}},
	{"machines that are suspended in no time", "sleep", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: x}}}}
	}, []float64{0}, []float64{1e-9}},
	{"sleep that counts", "sleep", func(s *model.InstanceSpec, x float64) {
		s.Objective = map[string]float64{"makespan": 1, "peak_power": x}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off"}}}
	}, []float64{0}, []float64{1}},
	{"sleep beside a cap", "sleep", func(s *model.InstanceSpec, x float64) {
		if s.Clusters[0].Machines[0].Power = (&model.PowerSpec{Idle: 1, Busy: 2, SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off"}}}); x > 0 {
			s.Clusters[0].PowerCap = [][]float64{{0, x}}
		}
	}, []float64{0, 1e9}, []float64{3}},
	{"a hard deadline behind a horizon", "hard deadlines", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = &x, true
		s.Horizon, s.Objective = &model.HorizonSpec{To: 30}, map[string]float64{"energy": 1}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, Busy: 3}
	}, []float64{30, 1e9}, []float64{down(30), 20.001}},
	{"a hard deadline behind a horizon that may be too short", "hard deadlines", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(1e9), true
		s.Horizon, s.Objective = &model.HorizonSpec{From: 4, To: x}, map[string]float64{"energy": 1}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 8}, Down: model.WaySpec{Time: 3}}}, Begin: "off", End: "off"}
	}, []float64{34.001}, []float64{34, 25.001}},
	{"a hard deadline behind a horizon that counts", "hard deadlines", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(1e9), true
		s.Horizon, s.Objective = &model.HorizonSpec{To: 30}, map[string]float64{"energy": 1, "unfinished": x}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 1, Busy: 3}
	}, []float64{0}, []float64{1}},
	{"one machine", "blocks", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Machines = model.Rigid(int(x)), model.Rigid(1)
	}, []float64{1}, []float64{2}},
	{"widths", "widths", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors = model.Moldable(2, int(x))
	}, []float64{5, math.MaxInt32}, []float64{4, 3, 2}},
	{"widths of one machine", "widths", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Span = model.Moldable(2, int(x)), "machine"
	}, []float64{3}, []float64{2}},
	{"widths of the grid", "widths", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{})
		s.Jobs[0].Processors, s.Jobs[0].Span = model.Moldable(2, int(x)), "grid"
	}, []float64{6}, []float64{5}},
	{"widths of blocks", "widths", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Count, s.Clusters[0].Machines[0].Processors = 3, 3
		s.Jobs[0].Processors, s.Jobs[0].Block = model.Moldable(2, int(x)), 2
	}, []float64{10}, []float64{8, 6}},
	{"widths of stated run times", "widths", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Runtime = model.Moldable(2, int(x)), map[string]float64{"c": 5}
	}, nil, []float64{5}},
	{"widths of a job that takes no time", "widths", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors, s.Jobs[0].Work = model.Moldable(2, 5), &x
	}, []float64{1}, []float64{0}},
	{"a wait for a running job", "precedence", func(s *model.InstanceSpec, x float64) {
		running(s)
		s.Jobs[1].Arrival, s.Jobs[1].After = x, []string{"a"}
	}, []float64{5.1, 10}, []float64{5, down(5), 0}},
	{"a wait for another job", "precedence", func(s *model.InstanceSpec, x float64) {
		s.Jobs[1].Arrival, s.Jobs[1].After = x, []string{"a"}
	}, nil, []float64{100}},
	{"a wait for a job beside local jobs", "precedence", func(s *model.InstanceSpec, x float64) {
		running(s)
		s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
		s.Jobs[1].Arrival, s.Jobs[1].After = x, []string{"a"}
	}, []float64{10.1}, []float64{10, 5.1}},
	{"power cap", "power caps", func(s *model.InstanceSpec, x float64) { // 2 · 1 + 4 · 3
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, 100}, {5, x}, {9, 200}}
		s.Jobs[0].Processors = model.Rigid(4)
	}, []float64{14, 15}, []float64{down(14), 2}},
	{"power cap of all jobs at once", "power caps", func(s *model.InstanceSpec, x float64) { // 2 · 1 + 2 · 3
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, 100}, {5, x}, {9, 200}}
	}, []float64{8, 14}, []float64{down(8), 2}},
	{"power cap of moldable jobs at once", "power caps", func(s *model.InstanceSpec, x float64) { // 2 · 1 + (1 + 2) · 3
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, x}}
		s.Jobs[1].Processors, s.Jobs[1].Tasks = model.Moldable(1, 2), 2
	}, []float64{11}, []float64{down(11)}},
	{"power cap before the first job", "power caps", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, 2}, {x, 100}}
	}, []float64{3, 1}, []float64{up(3), 50}},
	{"power cap of jobs that state their power", "power caps", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, x}}
		s.Jobs[0].Power = new(5.0)
	}, []float64{10}, []float64{down(10), 8}},
	{"power cap of all machines at the power of a wide job", "power caps", func(s *model.InstanceSpec, x float64) { // 2 · 1 + 4 · 5
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, x}}
		s.Jobs[0].Power, s.Jobs[0].Processors = new(5.0), model.Rigid(4)
	}, []float64{22}, []float64{down(22), 14}},
	{"power cap of jobs that state less", "power caps", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 3}, [][]float64{{0, x}}
		s.Jobs[0].Power, s.Jobs[1].Power = new(0.5), new(0.0)
	}, []float64{3, 4}, []float64{down(3)}}, // which are of one class
	{"closed before the first job", "closed times: 2 times of machines before", func(s *model.InstanceSpec, x float64) { closed(s, 0, x, "") }, []float64{3, 1}, []float64{up(3), 4}},
	{"closed before the first job on machines that never open", "closed times: 2 times of machines before", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, 3, "")
		closed(s, x, math.Inf(1), "")
	}, []float64{4}, []float64{3}},
	{"a reservation before the first job", "closed times: 2 times of machines before", func(s *model.InstanceSpec, x float64) {
		closed(s, 0, 3, "r")
		s.Jobs[1].Reservation = []string{"", "q", "r"}[int(x)]
	}, []float64{0, 1}, []float64{2}},
	{"closed after all jobs", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) { closed(s, x, math.Inf(1), "") }, []float64{20.001, 1e6}, []float64{20, down(20), 15}},
	{"closed again", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		closed(s, 12, 100, "")
		closed(s, x, x+1, "")
	}, []float64{110.001}, []float64{110, 105, 20.001}},
	{"closed for a reservation that a job has", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		closed(s, 200, 300, "r")
		closed(s, x, x+1, "")
		s.Jobs[1].Reservation = "r"
	}, []float64{310.001}, []float64{310, 250, 20.001}},
	{"closed for ever for a reservation that a job has", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		closed(s, 200, math.Inf(1), "r")
		closed(s, x, x+1, "")
		s.Jobs[1].Reservation = "r"
	}, []float64{210.001}, []float64{210, 20.001}},
	{"closed after context switches", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Overheads = &model.Overheads{ContextSwitch: 2}
		closed(s, x, math.Inf(1), "")
	}, []float64{24.001}, []float64{24}},
	{"closed after messages", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Network, s.Jobs[0].Message = &model.Network{Latency: 1, Bandwidth: 2}, 4
		closed(s, x, math.Inf(1), "")
	}, []float64{23.001}, []float64{23}},
	{"closed after transfers", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Bandwidth, s.Jobs[0].Input, s.Jobs[0].Output = 2, 4, 2
		closed(s, x, math.Inf(1), "")
	}, []float64{23.001}, []float64{23}},
	{"closed after stated run times", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) { // two tasks, of which each takes 9
		s.Jobs[0].Processors, s.Jobs[0].Runtime = model.Moldable(1, 2), map[string]float64{"c": 9}
		closed(s, x, math.Inf(1), "")
	}, []float64{33.001}, []float64{33}},
	{"closed after jobs on slow machines", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		secondCluster(s, model.MachineSpec{Speed: 0.5})
		closed(s, x, math.Inf(1), "")
	}, []float64{30.001}, []float64{30}},
	{"closed by an estimate", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Estimate = new(7.0)
		closed(s, x, math.Inf(1), "")
	}, []float64{22.001}, []float64{22, 20.001}},
	{"closed beside jobs that choose a width", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Processors = model.Moldable(1, 4) // four tasks of 5 on one processor
		closed(s, x, math.Inf(1), "")
	}, []float64{35.001}, []float64{35, 20.001}},
	{"closed after all jobs of a batch of power", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power, s.Objective = &model.PowerSpec{Idle: 1}, map[string]float64{"peak_power": x, "makespan": 1}
		closed(s, 100, 200, "")
	}, []float64{0}, []float64{1}},
	{"closed beside local jobs", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.5, Mean: 1}
		closed(s, x, math.Inf(1), "")
	}, []float64{30.001}, []float64{30, 20.001}},
	{"the end of a horizon", "horizon", func(s *model.InstanceSpec, x float64) { s.Horizon = &model.HorizonSpec{To: x} }, []float64{20.001, 1e9}, []float64{20, down(20), 12}},
	{"the begin of a horizon", "horizon", func(s *model.InstanceSpec, x float64) { s.Horizon = &model.HorizonSpec{From: x, To: 100} }, []float64{0, 3}, []float64{up(3), 12}},
	{"a horizon with a metric of power", "horizon", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{To: 100}
		s.Clusters[0].Machines[0].Power, s.Objective = &model.PowerSpec{Idle: 1}, map[string]float64{"energy": x, "makespan": 1}
	}, []float64{0}, []float64{1e-9}},
	{"a horizon that machines begin off", "horizon", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{To: 100}
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 4}}}, Begin: []string{"", "off"}[int(x)]}
	}, []float64{0}, []float64{1}},
	{"a horizon beside a cap", "horizon", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{To: x}
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Busy: 1}, [][]float64{{0, 1}}
	}, []float64{20.001}, []float64{20}},
	{"a horizon beside a cap that changes", "horizon", func(s *model.InstanceSpec, x float64) {
		s.Horizon = &model.HorizonSpec{To: x}
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Busy: 1}, [][]float64{{0, 3}, {40, 1}, {50, 2}}
	}, []float64{60.001}, []float64{60, 50.001, 20.001}},
	{"closed beside a cap that changes", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Busy: 1}, [][]float64{{0, 0}, {50, 1}}
		closed(s, x, math.Inf(1), "")
	}, []float64{60.001}, []float64{60, 20.001}},
	{"closed beside machines that are suspended", "closed times: 2 times of machines after", func(s *model.InstanceSpec, x float64) {
		s.Clusters[0].Machines[0].Power = &model.PowerSpec{SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}, Up: model.WaySpec{Time: 2}}}}
		closed(s, x, math.Inf(1), "")
	}, []float64{26.001}, []float64{26, 23.001, 20.001}},
	{"a hard deadline beside a cap", "hard deadlines", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(1e6), true
		s.Clusters[0].Machines[0].Power, s.Clusters[0].PowerCap = &model.PowerSpec{Busy: 1}, [][]float64{{0, x}}
	}, []float64{4, 2}, []float64{down(2), 0.5}},
	{"a hard deadline", "hard deadlines", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = &x, true
	}, []float64{20.001, 1e18}, []float64{20, down(20), 8}},
	{"a hard deadline that counts", "hard deadlines", func(s *model.InstanceSpec, x float64) {
		s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(1e6), true
		s.Objective = map[string]float64{"missed": x, "makespan": 1}
	}, []float64{0}, []float64{1}},
}

// Each rule leaves out what cannot bind, and keeps what just does, by one unit in the last place.
func TestPresolveRules(t *testing.T) {
	for k := range presolveRules {
		c := &presolveRules[k]
		applies := func(x float64) (string, bool) {
			reduced, by := model.Reduce(twoJobs(t, func(s *model.InstanceSpec) { c.set(s, x) }), 0)
			for k := range reduced.Jobs() {
				if j := &reduced.Jobs()[k]; j.Min%j.Node().Block != 0 || j.Max%j.Node().Block != 0 {
					t.Errorf("%s, %v: %d to %d processors in blocks of %d", c.name, x, j.Min, j.Max, j.Node().Block)
				}
			}
			return by.String(), strings.Contains("\n"+by.String(), "\n"+c.rule)
		}
		for _, x := range c.leaves {
			if lines, ok := applies(x); !ok {
				t.Errorf("%s, %v: expected the rule %s, found\n%s", c.name, x, c.rule, lines)
			}
		}
		for _, x := range c.keeps {
			if lines, ok := applies(x); ok {
				t.Errorf("%s, %v: the rule applies:\n%s", c.name, x, lines)
			}
		}
	}
}

// On line no rule looks at when a job that runs ends, or at hard deadlines, with scores none at what machines have, and where licences are weighed none at licences.
func TestPresolveUses(t *testing.T) {
	for k := range presolveRules {
		c := &presolveRules[k]
		for _, use := range append(slices.Clone(everyUse), model.OnLine|model.Licensed) {
			for _, x := range append(slices.Clone(c.leaves), c.keeps...) {
				in := twoJobs(t, func(s *model.InstanceSpec) { c.set(s, x) })
				_, by := model.Reduce(in, use)
				barred := []string{}
				if use&model.OnLine != 0 {
					barred = append(barred, "precedence", "hard deadlines")
					if p := in.Clusters()[0].Machines[0].Power; p != nil && p.Suspends() && p.Off[0].Down.Time+p.Off[0].Up.Time == 0 { // which policies see
						barred = append(barred, "sleep")
					}
				}
				if use&model.Scoring != 0 {
					barred = append(barred, "memory", "resources", "bandwidth", "licences")
				}
				if use&model.Licensed != 0 {
					barred = append(barred, "licences")
				}
				for _, rule := range barred {
					if strings.Contains("\n"+by.String(), "\n"+rule) {
						t.Errorf("%s, use %d: the rule applies:\n%s", c.name, use, by)
					}
				}
			}
		}
	}
}

// Deadlines that the objective does not count, or that nobody misses, go for a solver that goes by the objective, and for no other.
func TestPresolveDeadlines(t *testing.T) {
	for _, c := range []struct {
		name      string
		objective string
		deadline  float64
		hard      bool
		goes      bool
	}{
		{"not counted", "makespan", 1, false, true},
		{"a limit", "makespan", 9, true, false},
		{"late", "over_deadline", 20.001, false, true},
		{"counted", "over_deadline", 20, false, false},
		{"counted in mcp", "mcp", 20, false, false},
		{"late where jobs count", "missed", 1e9, false, false},
		{"late where jobs with deadlines are counted", "miss_rate", 1e9, false, false},
		{"late where jobs without deadlines are counted", "slowdown_without_deadline", 1e9, false, false},
		{"late where those without deadlines have a penalty", "qos_penalty", 1e9, false, false},
		{"late, and hard", "makespan", 1e9, true, true},
	} {
		in := twoJobs(t, func(s *model.InstanceSpec) {
			s.Jobs[1].Deadline, s.Jobs[1].DeadlineHard, s.Objective = &c.deadline, c.hard, map[string]float64{c.objective: 1}
		})
		for _, use := range append(slices.Clone(everyUse), model.ByObjective, model.ByObjective|model.OnLine) {
			reduced, by := model.Reduce(in, use)
			if goes := !reduced.Jobs()[1].HasDeadline(); goes != (c.goes && use == model.ByObjective) {
				t.Errorf("%s, use %d: goes %t; the rules are\n%s", c.name, use, goes, by)
			}
			if late := c.name == "late"; late && use == model.ByObjective && by.Fits(&model.Solution{Jobs: []model.Placement{{Job: "b", Cluster: "c", Processors: model.Processors(0), Start: 50, End: 55}}}) {
				t.Errorf("%s: a schedule fits that ends too late", c.name)
			}
			if !in.Jobs()[1].HasDeadline() {
				t.Fatal("the instance has changed")
			}
		}
	}
}

// A schedule fits that ends by the time by which all jobs have ended at the latest.
func TestPresolveFits(t *testing.T) {
	in := twoJobs(t, func(s *model.InstanceSpec) { s.Horizon = &model.HorizonSpec{To: 22} })
	_, by := model.Reduce(in, 0)
	for start, want := range map[float64]bool{10: true, 15: true, 15.001: false, 18: false, 50: false} {
		sol := &model.Solution{Jobs: []model.Placement{
			{Job: "a", Cluster: "c", Processors: model.Processors(0), Start: 3, End: 8},
			{Job: "b", Cluster: "c", Processors: model.Processors(0), Start: start, End: start + 5},
		}}
		if got := by.Fits(sol); got != want {
			t.Errorf("a start at %v fits: %v, expected %v", start, got, want)
		}
		if report := model.Check(in, sol); want && !report.OK() {
			t.Errorf("a start at %v: %v", start, report.Violations)
		}
	}
}

// Machines are equal if they differ in their ids alone.
func TestPresolveEqualMachines(t *testing.T) {
	machines := func(change func(s *model.InstanceSpec, m *model.MachineSpec)) *model.Instance {
		return twoJobs(t, func(s *model.InstanceSpec) {
			s.Devices, s.Licences = []string{"gpu"}, map[string]int{"l": 0}
			s.Jobs[0].Memory, s.Jobs[0].Licences, s.Jobs[0].Features, s.Jobs[0].Resources, s.Jobs[0].Input = 1, map[string]int{"l": 1}, [][]string{{"f"}}, map[string]float64{"r": 1}, 1
			a := model.MachineSpec{ID: "a", Count: 2, Processors: 2, Speed: 2, Memory: new(1.0), Bandwidth: 3, Cost: 4, Licences: []string{"l"}, Resources: map[string]float64{"r": 1, "gpu": 1},
				Features: []string{"f"}, Closed: []model.ClosedSpec{{From: 1, To: new(5.0)}}, Background: &model.Background{Mean: 1}, Queue: &model.QueueSpec{ServiceRate: 1},
				Power: &model.PowerSpec{Idle: 1, Busy: 2, Off: []model.OffSpec{{Name: "off"}}}}
			b := a
			b.ID, b.Count = "b", 0
			if change != nil {
				change(s, &b)
			}
			s.Clusters[0].Machines = []model.MachineSpec{a, b}
		})
	}
	reduced, by := model.Reduce(machines(nil), 0)
	groups := reduced.Clusters()[0].Machines
	if len(groups) != 1 || groups[0].Count != 3 || by.Keeps() {
		t.Fatalf("%d groups: %s", len(groups), by)
	}
	if got := []string{by.RestoreMachine(0, "a[0]"), by.RestoreMachine(0, "a[1]"), by.RestoreMachine(0, "a[2]"), by.RestoreMachine(0, "a[3]")}; !slices.Equal(got, []string{"a[0]", "a[1]", "b", "a[3]"}) {
		t.Errorf("names %q", got)
	}
	for name, change := range map[string]func(s *model.InstanceSpec, m *model.MachineSpec){
		"processors": func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Processors = 3 },
		"speed":      func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Speed = up(2) },
		"memory":     func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Memory = new(up(1)) },
		"bandwidth":  func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Bandwidth = up(3) },
		"cost":       func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Cost = up(4) },
		"licences":   func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Licences = nil; m.Licences = []string{} },
		"resources": func(_ *model.InstanceSpec, m *model.MachineSpec) {
			m.Resources = map[string]float64{"r": 0.999999, "gpu": 1}
		},
		"devices": func(s *model.InstanceSpec, m *model.MachineSpec) {
			s.Jobs[1].Resources, m.Resources = map[string]float64{"gpu": 1}, map[string]float64{"r": 1, "gpu": 2}
		},
		"devices that are measured": func(s *model.InstanceSpec, m *model.MachineSpec) {
			s.Objective, m.Resources = map[string]float64{"device_utilisation": 1}, map[string]float64{"r": 1, "gpu": 2}
		},
		"features": func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Features = nil },
		"closed": func(_ *model.InstanceSpec, m *model.MachineSpec) {
			m.Closed = []model.ClosedSpec{{From: 1, To: new(up(5))}}
		},
		"reserved": func(_ *model.InstanceSpec, m *model.MachineSpec) {
			m.Closed = []model.ClosedSpec{{From: 1, To: new(5.0), For: "r"}}
		},
		"background": func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Background = &model.Background{Mean: 2} },
		"queue":      func(_ *model.InstanceSpec, m *model.MachineSpec) { m.Queue = &model.QueueSpec{ServiceRate: 2} },
		"power": func(s *model.InstanceSpec, m *model.MachineSpec) {
			m.Power, s.Objective, s.Horizon = &model.PowerSpec{Idle: 1, Busy: 2}, map[string]float64{"energy": 1}, &model.HorizonSpec{To: 1e3}
		},
		"power under a cap": func(s *model.InstanceSpec, m *model.MachineSpec) {
			m.Power, s.Clusters[0].PowerCap = &model.PowerSpec{Idle: 1, Busy: 2}, [][]float64{{0, 3}}
		},
		"states": func(_ *model.InstanceSpec, m *model.MachineSpec) {
			m.Power = &model.PowerSpec{Idle: 1, Busy: 2, SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 1}}}}
		},
		"over_budget": func(s *model.InstanceSpec, _ *model.MachineSpec) { s.Objective = map[string]float64{"over_budget": 1} },
	} {
		if reduced, by := model.Reduce(machines(change), 0); len(reduced.Clusters()[0].Machines) != 2 || !by.Keeps() {
			t.Errorf("machines of another %s become one: %s", name, by)
		}
	}
}

// Machines that become one have names that no other machine has.
func TestPresolveNames(t *testing.T) {
	in := twoJobs(t, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines = []model.MachineSpec{{ID: "a"}, {ID: "b", Count: 2}, {ID: "a[1]", Speed: 2}, {ID: "a*", Speed: 3}, {ID: "x[0]", Speed: 4}, {ID: "x[1]", Speed: 4}}
	})
	reduced, by := model.Reduce(in, 0)
	names := func(in *model.Instance) []string {
		return in.MachineNames(0, model.NewProcessorSet(model.Range{First: 0, Last: in.Clusters()[0].Processors - 1}))
	}
	want, got := names(in), names(reduced)
	if len(want) != len(got) {
		t.Fatalf("machines %q become %q", want, got)
	}
	seen := map[string]bool{}
	for k, name := range got {
		if seen[name] {
			t.Errorf("machine %s is named twice", name)
		}
		seen[name] = true
		if back := by.RestoreMachine(0, name); back != want[k] {
			t.Errorf("machine %d is %q, expected %q", k, back, want[k])
		}
	}
}

// Devices, also those of jobs that run already, and loads get other names on the way, and their own on the way back.
func TestPresolveRenames(t *testing.T) {
	in := twoJobs(t, func(s *model.InstanceSpec) {
		running(s)
		s.Devices, s.Queueing, s.Objective = []string{"gpu"}, &model.QueueingSpec{Rate: 0.3}, map[string]float64{"qos_penalty": 1}
		gpus := map[string]float64{"gpu": 2}
		s.Clusters[0].Machines = []model.MachineSpec{{ID: "a", Resources: gpus}, {ID: "b", Resources: gpus}, {ID: "c", Resources: gpus}}
		s.Jobs[0].Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(1), Holds: map[string]map[string]float64{"b": {"gpu": 1}}, Devices: model.DevicesHeld{"gpu": {"b": model.Processors(1)}}}
		s.Jobs[0].Resources, s.Jobs[1].Resources = map[string]float64{"gpu": 1}, map[string]float64{"gpu": 2}
	})
	sol := &model.Solution{
		Jobs: []model.Placement{
			{Job: "a", Cluster: "c", Processors: model.Processors(1), End: 5, Devices: model.DevicesHeld{"gpu": {"b": model.Processors(1)}}},
			{Job: "b", Start: 10, End: 15, Pieces: []model.Piece{{Cluster: "c", Processors: model.Processors(2), Tasks: 1, Start: 10, End: 15, Devices: model.DevicesHeld{"gpu": {"c": model.Processors(0, 1)}}}}},
		},
		Loads: []model.Load{{Cluster: "c", Machine: "a", Rate: 0.1}, {Cluster: "c", Machine: "b", Rate: 0.15}, {Cluster: "c", Machine: "c", Rate: 0.05}},
	}
	text := fmt.Sprint(*sol)
	reduced, by := model.Reduce(in, 0)
	short := by.Carry(sol)
	before, after := model.Check(in, sol), model.Check(reduced, short)
	for _, v := range before.Violations {
		if v.Code != "loads" {
			t.Fatalf("the schedule is wrong: %v", before.Violations)
		}
	}
	if len(before.Violations) != len(after.Violations) || before.Objective != after.Objective {
		t.Errorf("%v and %v become %v and %v", before.Violations, before.Objective, after.Violations, after.Objective)
	}
	if got := short.Jobs[1].Pieces[0].Devices["gpu"]; len(got["a[2]"]) == 0 {
		t.Errorf("devices %v", got)
	}
	if short.Loads[1].Machine != "a[1]" {
		t.Errorf("loads %v", short.Loads)
	}
	if back := by.Restore(short); fmt.Sprint(*back) != text || fmt.Sprint(*sol) != text {
		t.Errorf("%v comes back as %v", text, *back)
	}
	if p := by.RestorePlacement(short.Jobs[0]); len(p.Devices["gpu"]["b"]) == 0 {
		t.Errorf("placement %v", p)
	}
}

// What no rule touches comes back as it is, and so do batches of which earlier jobs hold something and instances without jobs.
func TestPresolveKeepsInstances(t *testing.T) {
	plain := twoJobs(t, func(*model.InstanceSpec) {})
	memory := twoJobs(t, func(s *model.InstanceSpec) { s.Jobs[0].Memory = 1 })
	for _, in := range []*model.Instance{
		plain, twoJobs(t, func(s *model.InstanceSpec) { s.Jobs = nil }), memory.Batch([]int{0, 1}, []float64{3, 10}, nil),
		memory.Batch([]int{1}, []float64{10}, []model.Hold{{Job: &memory.Jobs()[0], Start: 3, End: 12, Pieces: []model.HoldPiece{{Processors: model.Processors(0), End: 12}}}}),
	} {
		reduced, by := model.Reduce(in, 0)
		sol := &model.Solution{}
		if reduced != in || by.String() != "" || !by.Keeps() || by.Restore(sol) != sol || by.Carry(sol) != sol || !by.Fits(sol) {
			t.Errorf("%v becomes another: %s", in.Features(), by)
		}
	}
	if reduced, _ := model.Reduce(memory, 0); reduced == memory || reduced.Jobs()[0].Memory != 0 || memory.Jobs()[0].Memory != 1 {
		t.Error("the memory stays, or goes from the original")
	}
}

// Groups that nothing tells apart become one, whatever is stated of machines that no job needs and no metric counts.
func TestPresolveMergesInertMachines(t *testing.T) {
	in := twoJobs(t, func(s *model.InstanceSpec) {
		s.Clusters[0].Machines = append(s.Clusters[0].Machines, model.MachineSpec{ID: "n", Count: 2, Processors: 2})
	})
	tried := 0
	for _, a := range testkit.Inert() {
		more := testkit.With(in, a)
		if more == nil {
			continue
		}
		tried++
		for _, use := range []model.Use{0, model.OnLine} {
			if reduced, by := model.Reduce(more, use); len(reduced.Clusters()[0].Machines) != 1 {
				t.Errorf("%s, use %d: %d groups of machines; the rules are\n%s", a.Name, use, len(reduced.Clusters()[0].Machines), by)
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d additions", tried)
	}
}
