package allocation

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/queueing/ggone"
)

// farm is the machines of an instance as queues, with what each job takes on each kind of them.
type farm struct {
	Settings
	in      *model.Instance // whose jobs are placed
	viewed  *model.Instance // the same with a queueing view
	derived bool            // the instance does not give the view
	stated  bool            // the model states the jobs and machines exactly, see [StatesJobsNot]
	view    model.QueueView
	at      []machine         // by index of view.Machines
	first   [][]int           // by cluster and group: the index of its first machine
	takes   map[[2]int]*takes // by cluster and group
	least   []float64         // by job: its least service time; +Inf: it can be on no machine
	order   []int             // the jobs in queue order
}

// machine is a machine by its cluster and the processors that serve its tasks.
type machine struct {
	cluster, group    int
	processors, first int    // number of the processors and the first of them
	id, machine       string // as a model.Load names them
}

// takes is what jobs take on machines of a kind.
type takes struct {
	service    []float64 // by job, see [farm.take]; +Inf: the job cannot be there
	processors []float64 // by job; nil: one each
}

// newFarm reads the instance; nil where the context ends.
func (s Settings) newFarm(ctx context.Context, in *model.Instance, stated bool) (*farm, error) {
	f := &farm{Settings: s, in: in, viewed: in, stated: stated, takes: map[[2]int]*takes{}, order: plan.ArrivalOrder(in)}
	view, err := model.Queues(in, nil)
	switch {
	case err != nil && stated:
		return nil, err
	case err != nil:
		if f.viewed, f.derived = in.WithQueueing(ctx, s.Load), true; f.viewed == nil {
			return nil, nil
		}
		if view, err = model.Queues(f.viewed, nil); err != nil { // no job can run
			f.viewed = in
		}
	}
	f.view, f.first = view, make([][]int, len(in.Clusters()))
	f.least = slices.Repeat([]float64{math.Inf(1)}, len(in.Jobs()))
	for k := range view.Machines {
		m := &view.Machines[k]
		c, _ := in.ClusterIndex(m.Cluster)
		group := &in.Clusters()[c].Machines[m.Group]
		units := group.Units
		if stated {
			units = 1
		}
		f.at = append(f.at, machine{c, m.Group, units, group.First + m.Number*group.Units, m.Cluster, m.Machine})
		if m.Number > 0 {
			continue
		}
		f.first[c] = append(f.first[c], k)
		all := f.takesOn(ctx, c, m.Group)
		if all == nil {
			return nil, nil
		}
		f.takes[[2]int{c, m.Group}] = all
		for j, service := range all.service {
			f.least[j] = min(f.least[j], service)
		}
	}
	return f, nil
}

// takesOn is what each job takes on the machines of a group; nil where the context ends.
func (f *farm) takesOn(ctx context.Context, cluster, group int) *takes {
	known := f.in.Known()
	all := &takes{service: make([]float64, len(f.in.Jobs()))}
	for j := range all.service {
		if j%256 == 0 && ctx.Err() != nil {
			return nil
		}
		service, processors := f.take(known, j, cluster, group)
		if processors > 1 && all.processors == nil {
			all.processors = slices.Repeat([]float64{1}, len(f.in.Jobs()))
		}
		if all.service[j] = service; processors > 1 {
			all.processors[j] = float64(processors)
		}
	}
	return all
}

// take is S of a job whose first processor is one of the group, at k standard deviations (eq. 23), by its estimate where it states one, and the number of
// processors that it holds: of those that a list schedule tries ([plan.Wider]), the number with which it ends first there, and of equal ends the least. It holds as many of
// the group as it can, then of those behind it. +Inf: it cannot be there.
func (f *farm) take(known *model.Instance, job, cluster, group int) (service float64, processors int) {
	in, c := f.in, &f.in.Clusters()[cluster]
	j, m := &in.Jobs()[job], &c.Machines[group]
	least, most := in.Width(job, cluster)
	room := in.ProcessorsFor(j, m)
	if room == 0 || !in.CanRun(job, cluster) {
		return math.Inf(1), 1
	}
	above := 1 + f.viewed.Queueing().K*j.WorkCV
	if most == 1 {
		return known.Duration(job, cluster, model.Processors(m.First)) * above, 1
	}
	if j.Span != model.SpanMachine {
		room *= m.Count
		for g := group + 1; g < len(c.Machines) && room < most; g++ {
			room += in.ProcessorsFor(j, &c.Machines[g]) * c.Machines[g].Count
		}
	}
	service = math.Inf(1)
	for n := least; n <= min(room, max(least, min(most, j.Tasks))); n = plan.Wider(j.Tasks, n) {
		if time := known.Duration(job, cluster, f.hold(job, c, group, n)); time < service {
			service, processors = time, n
		}
	}
	return service * above, max(1, processors)
}

// hold is n processors of the machines from the group on that the job can use.
func (f *farm) hold(job int, c *model.Cluster, group, n int) model.ProcessorSet {
	var set []model.Range
	for g := group; n > 0; g++ {
		m := &c.Machines[g]
		each := f.in.ProcessorsFor(&f.in.Jobs()[job], m)
		switch {
		case each == 0:
		case each == m.Units:
			held := min(n, each*m.Count)
			set = append(set, model.Range{First: m.First, Last: m.First + held - 1})
			n -= held
		default:
			for k := 0; k < m.Count && n > 0; k++ {
				held, first := min(n, each), m.First+k*m.Units
				set = append(set, model.Range{First: first, Last: first + held - 1})
				n -= held
			}
		}
	}
	return model.NewProcessorSet(set...)
}

// on is the index of the machine of the view that holds the processor; −1: the machine is not in the view.
func (f *farm) on(cluster, processor int) int {
	c := &f.in.Clusters()[cluster]
	group := c.GroupOf(processor)
	if group >= len(f.first[cluster]) { // no job of the round can run on one cluster alone
		return -1
	}
	m := &c.Machines[group]
	k := f.first[cluster][group] + (processor-m.First)/m.Units
	if k >= len(f.at) || f.at[k].cluster != cluster || f.at[k].group != group {
		return -1
	}
	return k
}

// Problem is the allocation of some jobs to machines, with the job behind each task and the machine of the view behind each machine.
type Problem struct {
	ggone.Problem
	farm     *farm
	jobs     []int
	machines []int
}

// endless stands for the infinite service rate of machines whose tasks take no work. It is far above every rate of arrivals.
const endless = 1e200

// problem is the problem of the jobs with machines that carry committed rates, over a period.
func (f *farm) problem(jobs []int, committed []float64, period float64) *Problem {
	q := f.viewed.Queueing()
	charge := model.Charge(f.Charge)
	if f.Charge == "instance" {
		charge = q.Charge
	}
	p := &Problem{
		Problem: ggone.Problem{Period: period, Rate: q.Rate, Dummies: f.Dummies, ServiceOnly: charge == model.ChargeService},
		farm:    f, jobs: jobs,
	}
	for _, j := range jobs {
		p.Tasks = append(p.Tasks, f.task(j))
	}
	type key struct { // of machines of one class
		cluster, group int
		committed      float64
	}
	var members [][]int
	classOf := map[key]int{}
	for k := range f.at {
		m := &f.at[k]
		like := key{m.cluster, m.group, committed[k]}
		class, known := classOf[like]
		if !known {
			class = len(p.Classes)
			classOf[like] = class
			p.Classes = append(p.Classes, f.class(jobs, k, committed[k]))
			members = append(members, nil)
		}
		members[class] = append(members[class], k)
	}
	for class, list := range members {
		if f.in.Features().Has(model.Commitments) { // the first of a class get the most tasks
			slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(f.released(a), f.released(b)) })
		}
		if f.derived {
			list = list[:min(len(list), len(jobs))]
		}
		p.Classes[class].Machines = len(list)
		p.machines = append(p.machines, list...)
	}
	return p
}

// task is what a job asks for. Where the model does not state the instance, a limit of which nothing is left counts as none; and where the instance gives
// no view, a job without a deadline gets one.
func (f *farm) task(job int) ggone.Task {
	j := &f.in.Jobs()[job]
	t := ggone.Task{Deadline: j.Deadline - j.Arrival, Budget: j.Budget}
	if f.stated {
		return t
	}
	if f.derived && !j.HasDeadline() {
		t.Deadline = f.Due * f.least[job]
	}
	if !(t.Deadline > 0) {
		t.Deadline = math.Inf(1)
	}
	if !(t.Budget > 0) {
		t.Budget = math.Inf(1)
	}
	return t
}

// class is the class of machines that are like one of the view, for the jobs.
func (f *farm) class(jobs []int, like int, committed float64) ggone.Class {
	m, at := &f.view.Machines[like], &f.at[like]
	all := f.takes[[2]int{at.cluster, at.group}]
	c := ggone.Class{ServiceRate: min(m.ServiceRate, endless), Kappa: m.Kappa, Committed: committed, Price: f.in.Clusters()[at.cluster].Machines[at.group].Cost}
	for _, j := range jobs {
		c.Service = append(c.Service, all.service[j])
		if all.processors != nil {
			c.Processors = append(c.Processors, all.processors[j])
		}
	}
	return c
}

// released is when a processor of the machine is first free.
func (f *farm) released(k int) float64 {
	m := &f.at[k]
	held := f.in.HeldUntil(m.cluster)
	if held == nil {
		return f.in.FirstArrival()
	}
	return slices.Min(held[m.first : m.first+m.processors])
}
