package prove

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// scene draws a batch with everything that an instance can state, all of it together: what one part of a solver knows of one field must hold beside every other.
// A field is stated in some of the batches, and there by some of the jobs or machines.
type scene struct {
	*rand.Rand
	spec   model.InstanceSpec
	unit   float64 // of time; times are the origin and a few units, so that ties and times at steps are common
	origin float64

	arrivals, deadlines, hard, precedence, moldable, runtimes, estimates, licences, memory, data, spans, whole bool
	resources, blocks, features, closed, exclusive, running                                                    bool
	power, tariff, horizon, caps, suspends, background, queueing                                               bool
	bare                                                                                                       bool // only power, arrivals and precedence, on machines that are alike
}

// together draws such a batch. Nothing is known of it by construction: its schedules are compared with each other, and where it is tiny with those of an enumeration
// that asks the checker about every placement.
func together(d *draft) {
	spec, unit := scenery(d.Rand, d.kind)
	d.planted.unit = unit
	in, err := model.New(spec)
	if err != nil {
		d.fail(fmt.Errorf("%w: %w", errRedraw, err)) // fields that exclude each other, such as a job that runs already where it cannot
		return
	}
	*d.spec, d.built = spec, in
	d.planted.judged, d.planted.MayLeave, d.planted.objective = true, true, spec.Objective
	d.planted.Schedules = enumerated(in, d.Rand)
}

// scenery draws the batch, with its unit of time.
func scenery(rng *rand.Rand, name string) (model.InstanceSpec, float64) {
	s := &scene{Rand: rng, unit: pick(rng, 1, 1, 1, 1, 0.5, 0.1, 0.3, 1.1, 60.1, 900, 1.0/1024, 8e-9, 1e6)}
	switch {
	case s.one(6):
		s.origin = s.unit * pick(rng, 3.0, 17, 1000)
	case s.one(8) && s.unit >= 0.1:
		s.origin = pick(rng, 1.7e9, 1764288000)
	}
	s.switches()
	s.spec = model.InstanceSpec{Schema: model.InstanceSchema, Name: name}
	s.header()
	for c := range pick(rng, 1, 1, 2) {
		s.spec.Clusters = append(s.spec.Clusters, s.cluster(c))
	}
	for j := range pick(rng, 1+s.IntN(4), 2+s.IntN(3), 5+s.IntN(8)) {
		s.spec.Jobs = append(s.spec.Jobs, s.job(j))
	}
	if s.running {
		s.runs()
	}
	s.spec.Objective = s.objective()
	return s.spec, s.unit
}

// switches draws what the batch states.
func (s *scene) switches() {
	for _, of := range []*bool{&s.arrivals, &s.deadlines, &s.hard, &s.precedence, &s.moldable, &s.runtimes, &s.estimates, &s.licences, &s.memory, &s.data, &s.spans, &s.whole,
		&s.resources, &s.blocks, &s.features, &s.closed, &s.exclusive, &s.running, &s.power, &s.tariff, &s.horizon, &s.caps, &s.suspends} {
		*of = s.IntN(4) == 0
	}
	s.arrivals, s.power = s.IntN(2) == 0, s.power || s.IntN(3) == 0
	s.horizon = s.horizon || s.power && s.IntN(3) > 0
	s.tariff = s.power && s.horizon && s.IntN(3) > 0
	s.caps, s.suspends = s.power && s.caps, s.power && s.suspends
	s.running = s.running && s.origin == 0
	s.background, s.queueing = !s.power && s.one(10), s.one(12)
	if s.bare = s.one(8); s.bare { // what the methods for power alone take, too
		*s = scene{Rand: s.Rand, unit: s.unit, origin: s.origin, bare: true, arrivals: s.arrivals, precedence: s.precedence, deadlines: s.deadlines,
			power: true, tariff: !s.one(4), horizon: true, caps: s.one(4)}
	}
}

// one is true once in n times.
func (s *scene) one(n int) bool { return s.IntN(n) == 0 }

// at is the time some units after the origin.
func (s *scene) at(units int) float64 { return s.origin + s.unit*float64(units) }

// some is a number of units of time.
func (s *scene) some(most int) float64 { return s.unit * float64(s.IntN(most+1)) }

// header draws what the whole instance states.
func (s *scene) header() {
	if s.licences {
		s.spec.Licences = map[string]int{"l": s.IntN(3)}
	}
	if s.resources {
		s.spec.Devices = []string{"gpu"}
	}
	if s.tariff {
		s.spec.Tariff = s.prices()
	}
	if s.horizon {
		s.spec.Horizon = &model.HorizonSpec{To: s.at(3 + s.IntN(14))}
		if s.origin > 0 || s.one(3) && !s.running {
			s.spec.Horizon.From = s.at(s.IntN(2))
		}
	}
	if s.queueing {
		s.spec.Queueing = &model.QueueingSpec{Rate: float64(1+s.IntN(3)) / s.unit, CV: new(float64(s.IntN(2)))}
	}
	if s.one(6) {
		s.spec.Workflows = []model.WorkflowSpec{{ID: "w", Deadline: new(s.at(s.IntN(10)))}}
	}
	if s.one(8) {
		s.spec.Overheads = &model.Overheads{ContextSwitch: s.unit * pick(s.Rand, 0.25, 1)}
	}
}

// prices draws a tariff.
func (s *scene) prices() *model.TariffSpec {
	least := pick(s.Rand, 0, 0, 0, -2)
	steps := func() (list [][]float64) {
		at := 0
		if s.origin == 0 {
			list = append(list, []float64{0, float64(least + s.IntN(6))})
			at = 1
		}
		for ; at < 12 && (len(list) == 0 || s.IntN(5) > 0); at += 1 + s.IntN(4) {
			list = append(list, []float64{s.at(at), float64(least+s.IntN(6)) * pick(s.Rand, 1, 1, 0.1, 0.3)})
		}
		return list
	}
	t := &model.TariffSpec{Price: steps(), Per: pick(s.Rand, 0, 0, 3.6e6, 0.3)}
	if s.one(3) {
		t.Carbon = steps()
	}
	if s.one(3) {
		t.Period = s.unit * float64(12+s.IntN(4))
		if s.one(12) {
			t.Period = 8e-9
		}
		if s.origin > 0 && s.one(2) { // the list is of a day long before, which repeats at times that are no float64 numbers
			for _, list := range [][][]float64{t.Price, t.Carbon} {
				for _, step := range list {
					step[0] = max(0, step[0]-s.origin)
				}
			}
			t.Period *= pick(s.Rand, 1, 1, 1.1)
		}
	}
	return t
}

// cluster draws a cluster.
func (s *scene) cluster(c int) model.ClusterSpec {
	cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
	if s.whole && s.one(2) {
		cluster.Allocation = "machine"
	}
	if s.licences && s.one(3) {
		cluster.Licences = map[string]int{"l": 1 + s.IntN(2)}
	}
	idle, count := 0.0, 0
	for g := range pick(s.Rand, 1, 1, 2) {
		if s.bare && g > 0 {
			break
		}
		m := s.machine(g)
		if s.bare {
			if m.Speed = 1; s.one(2) && c == 0 {
				m.Count, m.Processors = 1, 1
			}
		}
		cluster.Machines = append(cluster.Machines, m)
		if count += m.Count; m.Power != nil {
			idle += m.Power.Idle * float64(m.Count)
		}
	}
	if s.tariff && s.one(6) {
		cluster.Tariff = s.prices()
	}
	if s.caps && s.one(2) {
		for at := s.IntN(3); at < 12; at += 2 + s.IntN(5) {
			cluster.PowerCap = append(cluster.PowerCap, []float64{s.at(at), idle + pick(s.Rand, 0.3, 1, 2, 3, 6)})
		}
	}
	if s.data && s.one(3) {
		cluster.Network = &model.Network{Latency: s.unit / 4, Bandwidth: 2 / s.unit}
	}
	if s.one(6) {
		cluster.Weights = &model.WeightsSpec{OverDeadline: new(float64(s.IntN(3))), Makespan: new(float64(s.IntN(3))), IdleTime: new(float64(s.IntN(2)))}
	}
	return cluster
}

// machine draws a group of machines.
func (s *scene) machine(g int) model.MachineSpec {
	m := model.MachineSpec{ID: fmt.Sprint("m", g), Count: 1 + s.IntN(2), Processors: 1 + s.IntN(3), Speed: pick(s.Rand, 1, 1, 1, 2, 0.5), Cost: float64(s.IntN(2) * s.IntN(3))}
	if s.resources {
		m.Resources = map[string]float64{"gpu": float64(s.IntN(4)), "cpu": pick(s.Rand, 0.3, 1.5, 4)}
	}
	if s.features {
		m.Features = slices.DeleteFunc([]string{"a", "b"}, func(string) bool { return s.one(3) })
	}
	if s.memory && s.one(2) {
		m.Memory = new(pick(s.Rand, 0.3, 1, 2, 4))
	}
	if s.data {
		m.Bandwidth = pick(s.Rand, 1.0, 2, 4) / s.unit
	}
	if s.licences && s.one(3) {
		m.Licences = []string{}
	}
	for s.closed && s.one(2) {
		from := s.IntN(8)
		c := model.ClosedSpec{From: s.at(from), For: pick(s.Rand, "", "", "r")}
		if !s.one(6) {
			c.To = new(s.at(from + 1 + s.IntN(5)))
		}
		m.Closed = append(m.Closed, c)
	}
	if s.power && !s.one(4) {
		m.Power = s.states()
	}
	if s.background {
		m.Background = &model.Background{Load: pick(s.Rand, 0, 0.1, 0.5), Mean: s.unit}
	}
	return m
}

// states draws what a machine takes of power.
func (s *scene) states() *model.PowerSpec {
	watts := func() float64 { return pick(s.Rand, 0, 0.1, 0.3, 1, 2, 5) }
	p := &model.PowerSpec{Idle: watts(), Busy: watts()}
	for k := range s.IntN(3) {
		p.Off = append(p.Off, model.OffSpec{Name: fmt.Sprint("off", k), Power: watts(), Down: model.WaySpec{Time: s.some(2), Power: watts()}, Up: model.WaySpec{Time: s.some(2), Power: watts()}})
	}
	if len(p.Off) == 0 {
		return p
	}
	switch {
	case s.suspends && s.one(2):
		p.SuspendAfter = new(s.some(3))
	case s.horizon && s.one(4):
		p.Begin, p.End = pick(s.Rand, "", "off0"), pick(s.Rand, "", "off0")
	}
	return p
}

// job draws a job.
func (s *scene) job(k int) model.JobSpec {
	j := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(s.some(5)), Arrival: s.origin, Processors: model.Rigid(pick(s.Rand, 1, 1, 1, 2, 3))}
	if s.moldable && s.one(2) {
		j.Processors.Max += s.IntN(3)
		j.Tasks = s.IntN(2) * (1 + s.IntN(5))
	}
	if s.arrivals && s.one(2) {
		j.Arrival = s.at(s.IntN(6))
	}
	if s.horizon && s.one(8) { // it ends behind the horizon, whatever else runs: it arrives too late, or takes too long
		if j.Work = new(s.spec.Horizon.To - s.origin + s.unit); s.one(2) {
			j.Arrival, j.Work = max(s.origin, s.spec.Horizon.To-s.unit), new(3*s.unit)
		}
	}
	if s.deadlines && s.one(2) || s.hard && s.one(3) {
		j.Deadline, j.DeadlineHard = new(s.at(1+s.IntN(10))), s.hard && !s.one(3)
	}
	for b := range k {
		if s.precedence && s.one(2+k) {
			j.After = append(j.After, fmt.Sprint("j", b))
		}
	}
	s.times(&j)
	s.needs(&j)
	if s.nodes() {
		s.onNodes(&j)
	}
	if len(s.spec.Workflows) > 0 && s.one(2) {
		j.Workflow = "w"
	}
	if s.one(8) {
		j.Budget = new(s.some(4))
	}
	if s.power && s.one(4) {
		j.Power = new(pick(s.Rand, 0, 0.3, 1, 4))
	}
	return j
}

// times draws run times by cluster, data and an estimate.
func (s *scene) times(j *model.JobSpec) {
	if s.runtimes && s.one(2) {
		j.Runtime = map[string]float64{}
		for c := range s.spec.Clusters {
			if c == 0 || !s.one(3) {
				j.Runtime[s.spec.Clusters[c].ID] = s.some(5)
			}
		}
	}
	if s.data && s.one(2) {
		j.Input, j.MinBandwidth, j.Message = float64(s.IntN(3)), pick(s.Rand, 0, 0, 2.0)/s.unit, float64(s.IntN(2))
	}
	if s.estimates && s.one(2) {
		j.Estimate = new(max(0, *j.Work+s.unit*float64(s.IntN(4)-1)))
	}
}

// needs draws licences, memory and where the processors may come from.
func (s *scene) needs(j *model.JobSpec) {
	if s.licences && s.one(2) {
		j.Licences = map[string]int{"l": s.IntN(3)}
	}
	if s.memory && s.one(2) {
		j.Memory = pick(s.Rand, 0.1, 0.3, 1, 2)
	}
	if s.spans {
		j.Span = pick(s.Rand, "", "machine", "grid")
	}
}

// nodes says whether jobs ask something of single machines.
func (s *scene) nodes() bool { return s.resources || s.blocks || s.features || s.closed || s.exclusive }

// onNodes draws what a job asks of single machines.
func (s *scene) onNodes(j *model.JobSpec) {
	if s.resources && s.one(2) {
		j.Resources = map[string]float64{"gpu": pick(s.Rand, 0, 0.25, 0.5, 0.7, 1, 2), "cpu": pick(s.Rand, 0, 0.1, 0.3, 1.1)}
	}
	rigid := j.Processors.Min == j.Processors.Max
	if s.blocks && rigid && s.one(2) {
		switch n := j.Processors.Min; s.IntN(4) {
		case 0:
			j.Block = n
		case 1:
			j.Machines, j.Span = model.Rigid(1+s.IntN(n)), ""
		case 2:
			j.PerMachine, j.Span = 1, ""
		}
	}
	if s.features && s.one(3) {
		j.Features = [][]string{{pick(s.Rand, "a", "b")}}
	}
	j.Exclusive = s.exclusive && s.one(3)
	if s.closed && s.one(5) {
		j.Reservation = "r"
	}
}

// runs makes the first job one that runs already, on the first processors of the first cluster.
func (s *scene) runs() {
	j, c := &s.spec.Jobs[0], &s.spec.Clusters[0]
	n := j.Processors.Min
	if c.Allocation == "machine" {
		n = 1
	}
	j.Arrival, j.After = 0, nil
	j.Running = &model.RunningSpec{Cluster: c.ID, Processors: model.NewProcessorSet(model.Range{First: 0, Last: n - 1}), Elapsed: s.some(3)}
	m := &c.Machines[0]
	name := m.ID
	if m.Count > 1 {
		name += "[0]"
	}
	if m.Resources["gpu"] > 0 && s.one(2) {
		j.Running.Holds = map[string]map[string]float64{name: {"gpu": pick(s.Rand, 0.5, 1)}}
		j.Running.Devices = model.DevicesHeld{"gpu": {name: model.Processors(s.IntN(int(m.Resources["gpu"])))}}
	}
}

// ofPower are metrics that the methods for power alone take.
var ofPower = []string{"energy", "energy_cost", "carbon", "makespan", "mean_wait", "mean_response", "over_deadline"}

// objective draws one to three metrics that the batch has, with weights as far apart as people state them.
func (s *scene) objective() map[string]float64 {
	priced := s.tariff && s.power
	var list []model.Metric
	for _, m := range model.MetricTable() {
		ok := !m.PerCluster && m.Only == ""
		switch m.Only {
		case "queueing view":
			ok = s.queueing
		case "devices":
			ok = s.resources && s.one(3)
		case "power":
			ok = s.power && (s.horizon || m.Name == "peak_power")
		case "prices":
			ok = priced
		case "carbon":
			ok = priced && s.spec.Tariff.Carbon != nil
		}
		if ok {
			list = append(list, m)
		}
	}
	objective := map[string]float64{}
	for range pick(s.Rand, 1, 1, 2, 3) {
		m := pick(s.Rand, list...)
		switch {
		case s.one(4):
			m = pick(s.Rand, slices.DeleteFunc(slices.Clone(list), func(m model.Metric) bool { return m.Name != "makespan" && m.Name != "mean_response" })...)
		case s.bare && !s.one(4):
			m = pick(s.Rand, slices.DeleteFunc(slices.Clone(list), func(m model.Metric) bool { return !slices.Contains(ofPower, m.Name) })...)
		case priced && s.one(2):
			m = pick(s.Rand, slices.DeleteFunc(slices.Clone(list), func(m model.Metric) bool { return m.Only != "prices" })...)
		}
		weight := pick(s.Rand, 1, 1, 1, 0.5, 3, 0.1, 1e9)
		if m.HighBetter {
			weight = -weight
		}
		objective[m.Name] = math.Copysign(weight, weight)
	}
	return objective
}
