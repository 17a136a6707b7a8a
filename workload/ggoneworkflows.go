package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
)

var _ = Register(Info{
	Name:   "ggone-workflows",
	Doc:    "a stream of stochastic workflows with deadlines and budgets for machines that are G/G/1 queues",
	Source: "Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC '06, doi:10.1145/1186675.1186678, §5.1, Tables 2–4, Figure 2, eqs. 19–23",
	New: func() Workload {
		return &GGOneWorkflows{
			Workflows: 2000, Graph: "type1", Machines: "6:14000,6:10000,6:5000,6:3000", Rate: 1.5, ArrivalCv: 1, WorkCv: 0.6, Distribution: "gamma", Similar: true,
			K: quantile95, Cost: 0.07, MaxCost: 0.7, Prices: "speed", Charge: "service", MinWork: 7500, MaxWork: 35000, MinDeadline: 40, MaxDeadline: 60, MinBudget: 1, MaxBudget: 5,
		}
	},
})

// GGOneWorkflows is the stream of workflows of the G/G/1 allocation's experiments (Patel and Darlington 2006, §5.1): workflows arrive with a
// mean rate and a coefficient of variation of the times between them; each has the tasks of a graph, a deadline U[MinDeadline, MaxDeadline]
// after its arrival and a budget U[MinBudget, MaxBudget]. The defaults are those of its first simulation (Tables 2 and 4). The second is
// graph=type2 machines=3:14000,3:10000,3:5000,3:3000 min_work=10000 max_work=30000 min_deadline=80 max_deadline=100 rate=0.1 to 2, the third
// graph=hw with rate=1.5 to 3.6. Units: MI, MIPS, s. The objective is workflow_failures.
//
// What a task really needs is its work, drawn once. Its estimate, at reference speed 1, is the mean, U[MinWork, MaxWork], and work_cv the
// coefficient of variation: policies see only these two. The branches of a workflow are drawn beforehand, and the instance holds only the
// tasks that it takes. The deadline of a task is nevertheless that of the heaviest path that is left in its graph, whichever it takes:
// with D the deadline of the workflow and a the latest deadline of the tasks that it waits for, it is a + (D − a)·X/ΣX, where X = mean·(1 + k·cv)
// and ΣX adds up the heaviest path from the task on (eq. 19, for a workflow that keeps to its deadlines). Budgets are shared alike (eq. 20).
// So the share X/ΣX can be read from the deadlines, which [plan.WorkflowShares] does.
//
// Deviations from the paper: it says neither what the distributions are nor which coefficients of variation its figures have; here they are
// gamma with 0.6 for the work and 1 for the arrivals. Its ranges of λ are taken as workflows per second. It gives the cost of machines as a
// range: here the slowest cost Cost and others in proportion to their speed, at most MaxCost; Prices drawn draws one from the range for each machine. Its workflows are all similar, so the tasks of
// a graph have one mean each for all workflows; Similar false draws one for each task. What its Figure 2 does not tell about graphs is
// stated in their files.
type GGOneWorkflows struct {
	Workflows    int     `range:"[1, 200000]" doc:"number of workflows (the paper: 500 to warm up, 1000 measured, 500 to the end)"`
	Graph        string  `enum:"type1,type2,hw" doc:"shape of the workflows: type1, a chain of 5 tasks; type2, a life cycle of an instrument manager, with branches; hw, one of three"`
	Machines     string  `doc:"machines:speed of each cluster (Table 2)"`
	Rate         float64 `range:"[1e-6, 1e6]" doc:"workflows that arrive per second"`
	ArrivalCv    float64 `range:"[0, 100]" doc:"coefficient of variation of the times between arrivals"`
	WorkCv       float64 `range:"[0, 100]" doc:"coefficient of variation of a task's work"`
	K            float64 `range:"[0, 1e6]" doc:"standard deviations above the mean below which 95 % of a task's work lie (eqs. 22 and 24): 1.645 is the normal distribution's"`
	Distribution string  `enum:"gamma,lognormal" doc:"distribution of the times between arrivals and of the works"`
	Similar      bool    `doc:"a task of a graph has the same mean work in all workflows"`
	Cost         float64 `range:"[0, 1e12]" doc:"cost per second of the slowest machine, or least cost where prices are drawn"`
	MaxCost      float64 `range:"[0, 1e12]" doc:"largest cost per second"`
	Prices       string  `enum:"speed,drawn" doc:"speed: the slowest machine costs cost and others in proportion to their speed, at most max_cost; drawn: each machine U[cost, max_cost]"`
	Charge       string  `enum:"response,service" doc:"what a task pays for in the penalty; a machine is paid for the time that it works"`
	MinWork      float64 `range:"(0, 1e9]" doc:"least mean work of a task"`
	MaxWork      float64 `range:"(0, 1e9]" doc:"largest mean work of a task"`
	MinDeadline  float64 `range:"[0, 1e12]" doc:"least deadline of a workflow, from its arrival"`
	MaxDeadline  float64 `range:"[0, 1e12]" doc:"largest deadline of a workflow, from its arrival"`
	MinBudget    float64 `range:"[0, 1e12]" doc:"least cost limit of a workflow"`
	MaxBudget    float64 `range:"[0, 1e12]" doc:"largest cost limit of a workflow"`
}

// check returns a [*params.Error] if a parameter is out of its range or a largest value is below the least.
func (w *GGOneWorkflows) check() error {
	if err := params.Check(w); err != nil || w.Prices == "drawn" && w.Cost > w.MaxCost {
		return cmp.Or(err, ordered("cost", w.Cost, "max_cost", w.MaxCost))
	}
	return cmp.Or(
		ordered("min_work", w.MinWork, "max_work", w.MaxWork),
		ordered("min_deadline", w.MinDeadline, "max_deadline", w.MaxDeadline),
		ordered("min_budget", w.MinBudget, "max_budget", w.MaxBudget),
	)
}

// graphs are the shapes of the workload's workflows, each as likely as another.
func (w *GGOneWorkflows) graphs() []*graph {
	if w.Graph == "hw" {
		return []*graph{graphNamed("hw1"), graphNamed("hw2"), graphNamed("hw3")}
	}
	return []*graph{graphNamed(w.Graph)}
}

// Generate implements [Workload].
func (w *GGOneWorkflows) Generate(seed uint64) (*model.Instance, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	groups, err := parseGroups(w.Machines)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("ggone-workflows-%s-n%d-s%d", w.Graph, w.Workflows, seed)).Minimise("workflow_failures", 1)
	b.Spec().Units = &model.Units{Time: "s", Work: "MI"}
	tasks := w.workflows(b, seed)
	mean, variance := moments(b.Spec().Jobs)
	slowest, speeds := math.Inf(1), 0.0
	for _, g := range groups {
		slowest = min(slowest, g.speed)
		speeds += float64(g.machines) * g.speed
	}
	rate := w.Rate * tasks
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, K: new(w.K), CV: new(w.ArrivalCv), Charge: w.Charge}
	prices := stream(seed, 6)
	for k, g := range groups {
		id := strconv.Itoa(k + 1)
		machines := []model.MachineSpec{{
			ID: "c" + id, Count: g.machines, Speed: g.speed, Cost: min(w.MaxCost, w.Cost*g.speed/slowest),
			Queue: &model.QueueSpec{
				ServiceRate:     g.speed / mean,
				ArrivalVariance: new(math.Pow(w.ArrivalCv*speeds/(rate*g.speed), 2)),
				ServiceVariance: new(variance / (g.speed * g.speed)),
			},
		}}
		if w.Prices == "drawn" {
			machines = priced(machines[0], func() float64 { return uniform(prices, w.Cost, w.MaxCost) })
		}
		b.Cluster(model.ClusterSpec{ID: "C" + id, Machines: machines})
	}
	return b.Build()
}

// priced are the machines of a group one by one, each at a price of its own.
func priced(group model.MachineSpec, price func() float64) []model.MachineSpec {
	list := make([]model.MachineSpec, group.Count)
	for k := range list {
		list[k] = group
		list[k].ID, list[k].Count, list[k].Cost = group.ID+"-"+strconv.Itoa(k+1), 0, price()
	}
	return list
}

// stream is random numbers for one purpose, so that other values of a parameter leave the draws for other purposes as they are.
func stream(seed uint64, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 0x67676f6e65_00+purpose)) // "ggone"
}

// workflows adds the workflows and their tasks. It returns the mean number of tasks of a workflow.
func (w *GGOneWorkflows) workflows(b *model.Builder, seed uint64) float64 {
	arrivals, works := stream(seed, 1), stream(seed, 2)
	shapes, means, limits := stream(seed, 3), stream(seed, 4), stream(seed, 5)
	between := func(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }
	graphs := w.graphs()
	drawMeans := func(g *graph) []float64 {
		list := make([]float64, len(g.Tasks))
		for k := range list {
			list[k] = between(means, w.MinWork, w.MaxWork)
		}
		return list
	}
	similar := make([][]float64, len(graphs))
	for k, g := range graphs {
		similar[k] = drawMeans(g)
	}
	now := 0.0
	for k := range w.Workflows {
		if k > 0 {
			now += w.sample(arrivals, 1/w.Rate, w.ArrivalCv)
		}
		kind := shapes.IntN(len(graphs))
		mean := similar[kind]
		if !w.Similar {
			mean = drawMeans(graphs[kind])
		}
		f := flow{id: "w" + strconv.Itoa(k+1), graph: graphs[kind], arrival: now, mean: mean, cv: w.WorkCv, k: w.K}
		f.deadline, f.budget = now+between(limits, w.MinDeadline, w.MaxDeadline), between(limits, w.MinBudget, w.MaxBudget)
		b.Spec().Workflows = append(b.Spec().Workflows, model.WorkflowSpec{ID: f.id, Deadline: new(f.deadline), Budget: new(f.budget)})
		b.Job(f.tasks(shapes, func(mean float64) float64 { return w.sample(works, mean, w.WorkCv) })...)
	}
	return float64(len(b.Spec().Jobs)) / float64(w.Workflows)
}

// sample draws from the distribution with the given mean and coefficient of variation.
func (w *GGOneWorkflows) sample(rng *rand.Rand, mean, cv float64) float64 {
	const none = 1e-9
	switch {
	case cv < none:
		return mean
	case w.Distribution == "lognormal":
		variance := math.Log1p(cv * cv)
		return math.Exp(rng.NormFloat64()*math.Sqrt(variance) + (math.Log(mean) - variance/2))
	}
	return drawGamma(rng, 1/(cv*cv), 1/(cv*cv*mean))
}

// flow is a workflow before its branches are drawn.
type flow struct {
	id                        string
	graph                     *graph
	mean                      []float64 // by task
	cv, k                     float64
	arrival, deadline, budget float64
}

// leastWork is the least work other than 0 that an instance can state. A gamma distribution of a large coefficient of variation goes below it.
const leastWork = model.Smallest

// tasks draws the branches and the works. The deadline of a task is its share of what is left when those end that it waits for, if they keep
// to theirs; its budget is the same share of what these leave.
func (f *flow) tasks(shapes *rand.Rand, work func(mean float64) float64) []model.JobSpec {
	g := f.graph
	after, taken := g.draw(shapes)
	order, next, upper := make([]int, len(g.Tasks)), make([][]int, len(g.Tasks)), make([]float64, len(g.Tasks))
	for k := range g.Tasks {
		order[k], next[k] = k, g.Tasks[k].next
		upper[k] = f.mean[k] * (1 + f.k*f.cv)
	}
	shares := plan.PathShares(upper, next, order)
	ends, left := make([]float64, len(g.Tasks)), make([]float64, len(g.Tasks))
	var jobs []model.JobSpec
	for k := range g.Tasks {
		needs := max(leastWork, work(f.mean[k])) // drawn for every task, so that a branch does not change the works of the workflows after it
		if !taken[k] {
			continue
		}
		from, budget := f.arrival, f.budget
		job := model.JobSpec{ID: f.id + "." + g.Tasks[k].ID, Arrival: f.arrival, Work: &needs, Estimate: new(f.mean[k]), WorkCV: f.cv, Workflow: f.id}
		for _, before := range after[k] {
			from, budget = max(from, ends[before]), min(budget, left[before])
			job.After = append(job.After, f.id+"."+g.Tasks[before].ID)
		}
		ends[k], left[k] = from+shares[k]*(f.deadline-from), budget-shares[k]*budget
		job.Deadline, job.Budget = new(ends[k]), new(shares[k]*budget)
		jobs = append(jobs, job)
	}
	return jobs
}

// moments are the mean and the variance of the work of a task drawn at random, by what is known of the tasks: the variance of the means plus
// the mean of the tasks' own variances.
func moments(jobs []model.JobSpec) (mean, variance float64) {
	n := float64(len(jobs))
	for k := range jobs {
		mean += *jobs[k].Estimate / n
	}
	for k := range jobs {
		d, own := *jobs[k].Estimate-mean, jobs[k].WorkCV**jobs[k].Estimate
		variance += (d*d + own*own) / n
	}
	return mean, variance
}
