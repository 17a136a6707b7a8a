package modeltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// TinyNodes is an instance of two to four jobs on one to three machines, mostly of one cluster, with whatever jobs ask of single machines: resources, shares
// and devices, blocks, numbers of machines, features, machines of their own, closed times and reservations, jobs that run already. All times are small
// multiples of a unit.
func TinyNodes(rng *rand.Rand) *model.Instance {
	for {
		d := &tinyDrawer{rng, pickOne(rng, 1, 1, 1, 0.5, 0.1, 1e6), rng.IntN(4) == 0}
		if in, err := model.New(d.instance()); err == nil { // a job that runs already may contradict what it asks for
			return in
		}
	}
}

// tinyDrawer draws an instance.
type tinyDrawer struct {
	*rand.Rand
	unit float64
	full bool // all jobs have hard deadlines that leave them no time to wait, or little
}

// rarely is true one time in n.
func (d *tinyDrawer) rarely(n int) bool { return d.IntN(n) == 0 }

// instance draws the whole.
func (d *tinyDrawer) instance() model.InstanceSpec {
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "tiny nodes", Devices: []string{"gpu"}}
	closed := d.rarely(2)
	left := 3
	for c := 0; c < 1 || c < 2 && left > 0 && d.rarely(4); c++ {
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		if d.rarely(8) {
			cluster.Allocation = "machine"
		}
		for g := 0; left > 0 && g < 2; g++ {
			m := d.machine(g, closed)
			m.Count = min(left, m.Count)
			left -= m.Count
			if cluster.Machines = append(cluster.Machines, m); d.rarely(2) {
				break
			}
		}
		if d.rarely(3) {
			cluster.Weights = &model.WeightsSpec{OverDeadline: new(float64(d.IntN(3))), Makespan: new(float64(d.IntN(3))), IdleTime: new(float64(d.IntN(2)))}
		}
		spec.Clusters = append(spec.Clusters, cluster)
	}
	running := d.rarely(4)
	for j := range 2 + d.IntN(2) + d.IntN(2)*d.IntN(2) {
		spec.Jobs = append(spec.Jobs, d.job(&spec, j, closed))
		if running && j == 0 {
			d.running(&spec)
		}
	}
	return spec
}

// machine draws a group of machines.
func (d *tinyDrawer) machine(g int, closed bool) model.MachineSpec {
	m := model.MachineSpec{ID: fmt.Sprint("m", g), Count: 1 + d.IntN(2), Processors: 1 + d.IntN(3), Cost: float64(d.IntN(3)), Speed: pickOne(d.Rand, 1, 1, 1, 1, 1, 2),
		Resources: map[string]float64{"gpu": float64(d.IntN(4)), "cpu": pickOne(d.Rand, 0, 1.5, 4)}}
	for _, f := range []string{"a", "b"} {
		if !d.rarely(3) {
			m.Features = append(m.Features, f)
		}
	}
	if d.rarely(4) {
		m.Memory = new(float64(1 + d.IntN(4)))
	}
	for closed && d.rarely(2) {
		from := d.unit * float64(d.IntN(7))
		c := model.ClosedSpec{From: from, For: []string{"", "r", "s"}[d.IntN(3)]}
		if !d.rarely(5) {
			c.To = new(from + d.unit*float64(1+d.IntN(5)))
		}
		m.Closed = append(m.Closed, c)
	}
	return m
}

// job draws a job.
func (d *tinyDrawer) job(spec *model.InstanceSpec, k int, closed bool) model.JobSpec {
	block := 1 + d.IntN(2)*d.IntN(2)
	blocks := 1 + d.IntN(3)
	if block == 2 {
		blocks = min(blocks, 2)
	}
	j := model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(block * blocks), Block: block, Work: new(d.unit * float64(d.IntN(5))),
		Resources: map[string]float64{}, Input: float64(d.IntN(2)) * 3}
	if d.rarely(2) {
		j.Resources["gpu"] = pickOne(d.Rand, 0.25, 0.5, 0.7, 1, 2)
	}
	if d.rarely(4) {
		j.Resources["cpu"] = pickOne(d.Rand, 0.1, 0.5, 1.5)
	}
	if d.rarely(6) {
		j.Processors.Max += block * d.IntN(3)
	}
	j.Span = []string{"", "", "", "machine", "grid"}[d.IntN(5)]
	if rigid := j.Processors.Min == j.Processors.Max; rigid && d.rarely(5) {
		n := 1 + d.IntN(blocks)
		j.Machines = model.Moldable(n, min(blocks, n+d.IntN(2)))
	} else if rigid && d.rarely(6) {
		j.PerMachine = []int{1, blocks}[d.IntN(2)]
	}
	if d.rarely(8) {
		j.Tasks = 1 + d.IntN(5)
	}
	if d.rarely(5) {
		j.Features = [][]string{{[]string{"a", "b"}[d.IntN(2)]}}
	}
	if d.rarely(5) {
		j.Memory = float64(1 + d.IntN(2))
	}
	j.Exclusive = d.rarely(6)
	if closed && d.rarely(4) {
		j.Reservation = []string{"r", "s"}[d.IntN(2)]
	}
	if d.rarely(3) {
		j.Estimate = new(max(0, *j.Work+d.unit*float64(d.IntN(3)-1)))
	}
	if d.rarely(3) {
		j.Arrival = d.unit * float64(d.IntN(4))
	}
	if d.rarely(2) {
		j.Deadline, j.DeadlineHard = new(d.unit*float64(1+d.IntN(8))), d.rarely(2)
	}
	if d.full {
		j.Arrival, j.Work, j.Estimate, j.Tasks = 0, new(d.unit*float64(1+d.IntN(2))), nil, 0
		j.Deadline, j.DeadlineHard = new(2*d.unit), !d.rarely(6)
		if d.rarely(2) {
			j.Resources["gpu"] = pickOne(d.Rand, 0.5, 0.7, 1, 2)
		}
	}
	if k > 0 && d.rarely(6) {
		j.After = []string{fmt.Sprint("j", d.IntN(k))}
	}
	return j
}

// running makes the last job one that runs already, on the first processors of the first cluster.
func (d *tinyDrawer) running(spec *model.InstanceSpec) {
	j, c := &spec.Jobs[len(spec.Jobs)-1], &spec.Clusters[0]
	n, m := j.Processors.Min, &c.Machines[0]
	if c.Allocation == "machine" {
		n = 1
	}
	name := m.ID
	if m.Count > 1 {
		name += "[0]"
	}
	j.Arrival, j.After = 0, nil
	j.Running = &model.RunningSpec{Cluster: c.ID, Processors: model.NewProcessorSet(model.Range{First: 0, Last: n - 1}), Elapsed: 1}
	if m.Resources["gpu"] > 0 && d.rarely(2) {
		amount := pickOne(d.Rand, 0.5, 1)
		j.Running.Holds = map[string]map[string]float64{name: {"gpu": amount}}
		j.Running.Devices = model.DevicesHeld{"gpu": {name: model.Processors(d.IntN(int(m.Resources["gpu"])))}}
	}
}

// Enumeration asks the checker about the schedules of a tiny instance.
//
// It places the jobs in the order of their starts. Each starts at its arrival, where a job ends that was placed before, where a closed time begins or ends, where the horizon begins or where a limit of power changes:
// the jobs of any schedule can be moved to the left, one by one, until that is so, and none ends later. Of a machine it takes the first free processors and
// whole devices, as free ones are alike for all that start later; devices for shares it takes in every combination.
type Enumeration struct {
	In *model.Instance
	// Pieces says that jobs may run in two pieces on one cluster, too.
	Pieces bool
	// Most limits the schedules and parts of schedules that the checker is asked about.
	Most int
	// Asked counts them.
	Asked int

	times []float64
	jobs  []model.Placement
	done  []bool
	visit func(model.Report, *model.Solution)
}

// Each calls visit for each schedule that breaks no rule, whatever it leaves out. It returns false if there are too many.
func (e *Enumeration) Each(visit func(model.Report, *model.Solution)) bool {
	in := e.In
	e.visit, e.done = visit, make([]bool, len(in.Jobs()))
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			for _, x := range in.Clusters()[c].Machines[g].Closed() {
				e.times = append(e.times, x.From)
				if !math.IsInf(x.To, 1) {
					e.times = append(e.times, x.To)
				}
			}
		}
	}
	e.times = append(e.times, e.powerTimes()...)
	for j := range in.Jobs() {
		if run := in.Jobs()[j].Node().Running; run != nil {
			e.done[j] = true
			e.jobs = append(e.jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: in.Clusters()[run.Cluster].ID, Processors: run.Processors,
				End: in.Duration(j, run.Cluster, run.Processors), Devices: run.Devices})
		}
	}
	if len(e.jobs) > 0 {
		if report, _ := e.ask(); !report.OK() {
			return true // no schedule
		}
	}
	e.extend(0)
	return e.Asked <= e.Most
}

// powerTimes are the begin of the horizon and the times at which a limit of power changes.
func (e *Enumeration) powerTimes() (times []float64) {
	if from, _, stated := e.In.Horizon(); stated {
		times = append(times, from)
	}
	for c := range e.In.Clusters() {
		for _, step := range e.In.Clusters()[c].PowerCap {
			times = append(times, step.Time)
		}
	}
	return times
}

// Placements calls yield for each placement of the job at the time beside those that are given, as far as processors are free.
func (e *Enumeration) Placements(beside []model.Placement, j int, at float64, yield func(model.Placement)) {
	e.jobs = beside
	e.placements(j, at, yield)
}

// ask asks the checker about what is placed so far; all other jobs are left out.
func (e *Enumeration) ask() (model.Report, *model.Solution) {
	e.Asked++
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: slices.Clone(e.jobs)}
	for j, done := range e.done {
		if !done {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: e.In.Jobs()[j].ID, Reason: "left"})
		}
	}
	return model.Check(e.In, sol), sol
}

// extend adds one more job, which does not start before the given time.
func (e *Enumeration) extend(from float64) {
	if e.Asked > e.Most {
		return
	}
	if report, sol := e.ask(); report.OK() {
		e.visit(report, sol)
	}
	for j := range e.done {
		if e.done[j] {
			continue
		}
		starts := append([]float64{e.In.Jobs()[j].Arrival}, e.times...)
		for k := range e.jobs {
			e.jobs[k].Parts(e.In.Jobs()[j].Tasks, func(p model.Piece) { starts = append(starts, p.End) })
		}
		slices.Sort(starts)
		for _, start := range slices.Compact(starts) {
			if start < max(from, e.In.Jobs()[j].Arrival) {
				continue
			}
			e.done[j] = true
			e.placements(j, start, func(p model.Placement) {
				e.jobs = append(e.jobs, p)
				if report, _ := e.ask(); report.OK() {
					e.extend(start)
				}
				e.jobs = e.jobs[:len(e.jobs)-1]
			})
			e.done[j] = false
		}
	}
}

// host is a machine, with what is free of it.
type host struct {
	cluster, group int
	name           string
	free           []int // processors
	taken          map[string]map[int]bool
}

// hosts are all machines at a time.
func (e *Enumeration) hosts(at float64) (list []host) {
	held := map[[2]int]bool{}
	devices := map[string]map[string]map[int]bool{} // by cluster and machine, resource and number
	for k := range e.jobs {
		e.jobs[k].Parts(0, func(p model.Piece) {
			if !(p.Start <= at && at < p.End) {
				return
			}
			c, _ := e.In.ClusterIndex(p.Cluster)
			for _, id := range numbersOf(p.Processors) {
				held[[2]int{c, id}] = true
			}
			for resource, machines := range p.Devices {
				for name, set := range machines {
					key := p.Cluster + " " + name
					if devices[key] == nil {
						devices[key] = map[string]map[int]bool{}
					}
					if devices[key][resource] == nil {
						devices[key][resource] = map[int]bool{}
					}
					for _, d := range numbersOf(set) {
						devices[key][resource][d] = true
					}
				}
			}
		})
	}
	for c := range e.In.Clusters() {
		for g := range e.In.Clusters()[c].Machines {
			m := &e.In.Clusters()[c].Machines[g]
			for k := range m.Count {
				h := host{cluster: c, group: g, name: m.Name(k), taken: devices[e.In.Clusters()[c].ID+" "+m.Name(k)]}
				for p := range m.Units {
					if id := m.First + k*m.Units + p; !held[[2]int{c, id}] {
						h.free = append(h.free, id)
					}
				}
				list = append(list, h)
			}
		}
	}
	return list
}

// numbersOf lists the numbers of a set.
func numbersOf(set model.ProcessorSet) (list []int) {
	for _, run := range set {
		for id := run.First; id <= run.Last; id++ {
			list = append(list, id)
		}
	}
	return list
}

// placements calls yield for each placement of the job at the time, as far as processors are free.
func (e *Enumeration) placements(j int, at float64, yield func(model.Placement)) {
	job, hosts := &e.In.Jobs()[j], e.hosts(at)
	counts := make([]int, len(hosts))
	var choose func(k, sum int)
	choose = func(k, sum int) {
		if k == len(hosts) {
			if sum > 0 {
				e.pieces(j, at, hosts, counts, yield)
			}
			return
		}
		size := job.Node().Block
		if e.In.Clusters()[hosts[k].cluster].WholeMachines {
			size = 1
		}
		for n := 0; n <= len(hosts[k].free) && sum+n <= job.Max; n += size {
			counts[k] = n
			choose(k+1, sum+n)
		}
		counts[k] = 0
	}
	choose(0, 0)
}

// pieces calls yield for each way to cut processors of the hosts, as many as counts says, into pieces: one on each cluster, or two on one.
func (e *Enumeration) pieces(j int, at float64, hosts []host, counts []int, yield func(model.Placement)) {
	var clusters []int
	for k, n := range counts {
		if n > 0 && !slices.Contains(clusters, hosts[k].cluster) {
			clusters = append(clusters, hosts[k].cluster)
		}
	}
	job := &e.In.Jobs()[j]
	switch {
	case len(clusters) == 1:
		e.place(j, at, hosts, [][]int{counts}, []int{job.Tasks}, yield)
		if !e.Pieces {
			return
		}
		part := make([]int, len(counts))
		var split func(k int)
		split = func(k int) {
			if k < len(counts) {
				for n := range counts[k] + 1 {
					part[k] = n
					split(k + 1)
				}
				part[k] = 0
				return
			}
			rest := slices.Clone(counts)
			some, others := 0, 0
			for k, n := range part {
				rest[k] -= n
				some, others = some+n, others+rest[k]
			}
			for tasks := 1; some > 0 && others > 0 && tasks < job.Tasks; tasks++ {
				e.place(j, at, hosts, [][]int{slices.Clone(part), rest}, []int{tasks, job.Tasks - tasks}, yield)
			}
		}
		split(0)
	case len(clusters) == 2 && job.Span == model.SpanGrid:
		first, second := slices.Clone(counts), slices.Clone(counts)
		for k := range counts {
			if hosts[k].cluster == clusters[0] {
				second[k] = 0
			} else {
				first[k] = 0
			}
		}
		for tasks := 1; tasks < job.Tasks; tasks++ {
			e.place(j, at, hosts, [][]int{first, second}, []int{tasks, job.Tasks - tasks}, yield)
		}
	}
}

// place calls yield for the placement with each choice of devices.
func (e *Enumeration) place(j int, at float64, hosts []host, counts [][]int, tasks []int, yield func(model.Placement)) {
	job := &e.In.Jobs()[j]
	taken := make([]int, len(hosts)) // processors
	whole := make([]map[string]int, len(hosts))
	list := []model.Piece{}
	choices := [][]map[string]map[string]model.ProcessorSet{} // of each piece
	for k := range counts {
		var ids []int
		cluster := -1
		options := []map[string]map[string]model.ProcessorSet{{}}
		for h, n := range counts[k] {
			if n == 0 {
				continue
			}
			cluster = hosts[h].cluster
			ids = append(ids, hosts[h].free[taken[h]:taken[h]+n]...)
			taken[h] += n
			blocks := n
			if !e.In.Clusters()[cluster].WholeMachines {
				blocks = n / job.Node().Block
			}
			if whole[h] == nil {
				whole[h] = map[string]int{}
			}
			options = e.devices(job, &hosts[h], blocks, whole[h], options)
		}
		list = append(list, model.Piece{Cluster: e.In.Clusters()[cluster].ID, Processors: model.Processors(ids...), Tasks: tasks[k], Start: at})
		choices = append(choices, options)
	}
	link, end := math.Inf(1), at
	for k := range list {
		c, _ := e.In.ClusterIndex(list[k].Cluster)
		link = min(link, e.In.SlowestLink(c, list[k].Processors))
	}
	for k := range list {
		c, _ := e.In.ClusterIndex(list[k].Cluster)
		list[k].End = at + e.In.Longest(j, c, list[k].Processors, tasks[k]) + e.In.Transfer(j, link)
		end = max(end, list[k].End)
	}
	var choose func(k int)
	choose = func(k int) {
		if k < len(list) {
			for _, devices := range choices[k] {
				list[k].Devices = devices
				choose(k + 1)
			}
			return
		}
		p := model.Placement{Job: job.ID, Start: at, End: end}
		if len(list) == 1 {
			p.Cluster, p.Processors, p.Devices = list[0].Cluster, list[0].Processors, list[0].Devices
		} else {
			p.Pieces = slices.Clone(list)
		}
		yield(p)
	}
	choose(0)
}

// devices adds to each of the options the devices of a machine that the blocks of the job may hold: whole ones the first that are free, of those that it did
// not take before; for shares any.
func (e *Enumeration) devices(job *model.Job, h *host, blocks int, before map[string]int, options []map[string]map[string]model.ProcessorSet) []map[string]map[string]model.ProcessorSet {
	for r, resource := range e.In.Resources() {
		need := job.Node().Need(r)
		if need == 0 || !resource.Devices {
			continue
		}
		there := int(e.In.Clusters()[h.cluster].Machines[h.group].Amount(r) / model.WholeAmount)
		var sets []model.ProcessorSet
		if need >= model.WholeAmount {
			var free []int
			for d := range there {
				if !h.taken[resource.ID][d] {
					free = append(free, d)
				}
			}
			from := before[resource.ID]
			to := from + blocks*int(need/model.WholeAmount)
			if to > len(free) {
				return nil
			}
			before[resource.ID] = to
			sets = []model.ProcessorSet{model.Processors(free[from:to]...)}
		} else {
			for bits := range 1 << there {
				var ids []int
				for d := range there {
					if bits>>d&1 == 1 {
						ids = append(ids, d)
					}
				}
				if len(ids) == blocks {
					sets = append(sets, model.Processors(ids...))
				}
			}
		}
		var more []map[string]map[string]model.ProcessorSet
		for _, option := range options {
			for _, set := range sets {
				next := map[string]map[string]model.ProcessorSet{}
				for id, machines := range option {
					next[id] = map[string]model.ProcessorSet{}
					for name, s := range machines {
						next[id][name] = s
					}
				}
				if next[resource.ID] == nil {
					next[resource.ID] = map[string]model.ProcessorSet{}
				}
				next[resource.ID][h.name] = set
				more = append(more, next)
			}
		}
		options = more
	}
	return options
}
