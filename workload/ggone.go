package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name:   "ggone",
	Doc:    "tasks of workflows with deadlines and budgets for machines that are G/G/1 queues",
	Source: "Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC '06, doi:10.1145/1186675.1186678, §5.1, Tables 2–4, eqs. 19–23",
	New: func() Workload {
		return &GGOne{
			Jobs: 100, Machines: "6:14000,6:10000,6:5000,6:3000", WorkCv: 0.6, ArrivalCv: 1, Load: 0.5, Cost: 0.07, CostExponent: 1, Charge: "response", Chain: 5,
			MinWork: 7500, MaxWork: 35000, MinDeadline: 40, MaxDeadline: 60, MinBudget: 1, MaxBudget: 5,
		}
	},
})

// GGOne is the workload of the G/G/1 allocation's experiments (Patel and Darlington 2006, §5.1): workflows of a
// few tasks in a chain, each with a mean work U[MinWork, MaxWork] and one CV; the deadline of a workflow, U[MinDeadline,
// MaxDeadline], and its cost limit, U[MinBudget, MaxBudget], are shared among its tasks in proportion to X = work·(1 + k·CV)
// (eqs. 19, 20). The machines of Table 2, or 3 with half as many, serve at speed/mean work; the rate of arrivals is Load
// of all service rates together, and the period is as long as the tasks take to arrive. Units: MI, MIPS, s. The objective is
// qos_penalty.
//
// Deviations from the paper: it gives ranges for the cost of a machine and no rule: here that of the slowest is Cost and others cost
// as their speed to the power CostExponent. Arrivals at a machine have the CV of all arrivals, at its share of the rate. Its Figure 2 has
// workflows of other shapes; only their tasks matter here.
type GGOne struct {
	Jobs         int     `range:"[1, 1000000]" doc:"number of tasks"`
	Machines     string  `doc:"machines:speed of each cluster (Table 2)"`
	WorkCv       float64 `range:"[0, 1000]" doc:"coefficient of variation of a task's work"`
	ArrivalCv    float64 `range:"[0, 1000]" doc:"coefficient of variation of the times between arrivals"`
	Load         float64 `range:"(0, 1)" doc:"rate of arrivals ÷ service rate of all machines"`
	Cost         float64 `range:"[0, 1e12]" doc:"cost per second of the slowest machine"`
	CostExponent float64 `range:"[-10, 10]" doc:"exponent of the speed in the cost"`
	Slack        float64 `range:"[0, 1000]" doc:"additional arrivals, as a share of the tasks"`
	Charge       string  `enum:"response,service" doc:"what a task pays for"`
	Chain        int     `range:"[1, 1000000]" doc:"tasks of a workflow"`
	MinWork      float64 `range:"(0, 1e12]" doc:"least mean work of a task"`
	MaxWork      float64 `range:"(0, 1e12]" doc:"largest mean work of a task"`
	MinDeadline  float64 `range:"(0, 1e12]" doc:"least deadline of a workflow"`
	MaxDeadline  float64 `range:"(0, 1e12]" doc:"largest deadline of a workflow"`
	MinBudget    float64 `range:"(0, 1e12]" doc:"least cost limit of a workflow"`
	MaxBudget    float64 `range:"(0, 1e12]" doc:"largest cost limit of a workflow"`
}

// quantile95 is k, the number of standard deviations above the mean below which 95 % of a normal distribution lie (eqs. 22–24).
const quantile95 = 1.645

// check returns a [*params.Error] if a parameter is out of its range or a largest value is below the least.
func (w *GGOne) check() error {
	return cmp.Or(
		params.Check(w),
		ordered("min_work", w.MinWork, "max_work", w.MaxWork),
		ordered("min_deadline", w.MinDeadline, "max_deadline", w.MaxDeadline),
		ordered("min_budget", w.MinBudget, "max_budget", w.MaxBudget),
	)
}

// Generate implements [Workload].
func (w *GGOne) Generate(seed uint64) (*model.Instance, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	groups, err := parseGroups(w.Machines)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("ggone-n%d-s%d", w.Jobs, seed)).Minimise("qos_penalty", 1)
	b.Spec().Units = &model.Units{Time: "s", Work: "MI"}
	mean, variance := w.jobs(b, rand.New(rand.NewPCG(seed, 0x67676f6e65))) // "ggone"
	rate, slowest := 0.0, math.Inf(1)
	for _, g := range groups {
		rate += w.Load * float64(g.machines) * g.speed / mean
		slowest = min(slowest, g.speed)
	}
	period := float64(w.Jobs) * (1 + w.Slack) / rate
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: period, K: new(quantile95), CV: new(w.ArrivalCv), Charge: w.Charge}
	for k, g := range groups {
		id := strconv.Itoa(k + 1)
		service := g.speed / mean
		b.Cluster(model.ClusterSpec{ID: "C" + id, Machines: []model.MachineSpec{{
			ID: "c" + id, Count: g.machines, Speed: g.speed, Cost: w.Cost * math.Pow(g.speed/slowest, w.CostExponent),
			Queue: &model.QueueSpec{
				ServiceRate:     service,
				ArrivalVariance: new(math.Pow(w.ArrivalCv/(w.Load*service), 2)),
				ServiceVariance: new(variance / (g.speed * g.speed)),
			},
		}}})
	}
	return b.Build()
}

// jobs adds the tasks. It returns the mean and the variance of the work of a task drawn at random: the variance of the means plus the mean of
// the tasks' own variances.
func (w *GGOne) jobs(b *model.Builder, rng *rand.Rand) (mean, variance float64) {
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	works := make([]float64, 0, w.Jobs)
	for len(works) < w.Jobs {
		chain := make([]float64, w.Chain)
		sum := 0.0
		for k := range chain {
			chain[k] = uniform(w.MinWork, w.MaxWork)
			sum += chain[k]
		}
		deadline, budget := uniform(w.MinDeadline, w.MaxDeadline), uniform(w.MinBudget, w.MaxBudget)
		for _, work := range chain[:min(len(chain), w.Jobs-len(works))] {
			works = append(works, work)
			b.Job(model.JobSpec{ID: "t" + strconv.Itoa(len(works)), Work: &work, WorkCV: w.WorkCv,
				Deadline: new(work / sum * deadline), Budget: new(work / sum * budget)}) // X is work times the same factor for all
			mean += work
		}
	}
	mean /= float64(len(works))
	for _, work := range works {
		variance += ((work-mean)*(work-mean) + w.WorkCv*w.WorkCv*work*work) / float64(len(works))
	}
	return mean, variance
}

// machineGroup is a number of machines of one speed.
type machineGroup struct {
	machines int
	speed    float64
}

// parseGroups reads "6:14000,6:10000".
func parseGroups(text string) ([]machineGroup, error) {
	var groups []machineGroup
	for part := range strings.SplitSeq(text, ",") {
		count, speedText, _ := strings.Cut(part, ":")
		n, errCount := strconv.Atoi(count)
		speed, errSpeed := strconv.ParseFloat(speedText, 64)
		if errCount != nil || errSpeed != nil || n < 1 || n > model.MaxProcessors || !(speed > 0) || math.IsInf(speed, 1) {
			return nil, &params.Error{Name: "machines", Expected: "machines:speed, such as 6:14000,6:10000", Found: part}
		}
		groups = append(groups, machineGroup{n, speed})
	}
	return groups, nil
}
