package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "ggone",
	Doc:    "tasks of workflows with deadlines and budgets for machines that are G/G/1 queues",
	Source: "Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC '06, doi:10.1145/1186675.1186678, §5.1, Tables 2–4, eqs. 19–23",
	New:    func() Workload { return &GGOne{} },
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
	Jobs         int     `default:"100" doc:"number of tasks"`
	Machines     string  `default:"6:14000,6:10000,6:5000,6:3000" doc:"machines:speed of each cluster (Table 2)"`
	WorkCv       float64 `default:"0.6" doc:"coefficient of variation of a task's work; 0 means the default, so give a small number for none"`
	ArrivalCv    float64 `default:"1" doc:"coefficient of variation of the times between arrivals; 0 means the default"`
	Load         float64 `default:"0.5" doc:"rate of arrivals as a share of the service rate of all machines"`
	Cost         float64 `default:"0.07" doc:"cost per second of the slowest machine"`
	CostExponent float64 `default:"1" doc:"power of the speed that the cost grows by; 0 means the default"`
	Slack        float64 `default:"0" doc:"arrivals beside the tasks, as a share of them"`
	Charge       string  `enum:"response,service" doc:"what a task pays for"`
	Chain        int     `default:"5" doc:"tasks of a workflow"`
	MinWork      float64 `default:"7500" doc:"least mean work of a task"`
	MaxWork      float64 `default:"35000" doc:"largest mean work of a task"`
	MinDeadline  float64 `default:"40" doc:"least deadline of a workflow"`
	MaxDeadline  float64 `default:"60" doc:"largest deadline of a workflow"`
	MinBudget    float64 `default:"1" doc:"least cost limit of a workflow"`
	MaxBudget    float64 `default:"5" doc:"largest cost limit of a workflow"`
}

// quantile95 is k, the number of standard deviations above the mean below which 95 % of a normal distribution lie (eqs. 22–24).
const quantile95 = 1.645

// withDefaults is the workload with the defaults in place of zeros.
func (w GGOne) withDefaults() GGOne {
	w.Jobs, w.Chain = cmp.Or(w.Jobs, 100), cmp.Or(w.Chain, 5)
	w.Machines, w.Charge = cmp.Or(w.Machines, "6:14000,6:10000,6:5000,6:3000"), cmp.Or(w.Charge, "response")
	w.WorkCv, w.ArrivalCv, w.Load = cmp.Or(w.WorkCv, 0.6), cmp.Or(w.ArrivalCv, 1), cmp.Or(w.Load, 0.5)
	w.Cost, w.CostExponent = cmp.Or(w.Cost, 0.07), cmp.Or(w.CostExponent, 1)
	w.MinWork, w.MaxWork = cmp.Or(w.MinWork, 7500), cmp.Or(w.MaxWork, 35000)
	w.MinDeadline, w.MaxDeadline = cmp.Or(w.MinDeadline, 40), cmp.Or(w.MaxDeadline, 60)
	w.MinBudget, w.MaxBudget = cmp.Or(w.MinBudget, 1), cmp.Or(w.MaxBudget, 5)
	return w
}

// check says what is wrong with the parameters.
func (w GGOne) check() error {
	between := func(low, x, high float64) bool { return x >= low && x <= high }
	switch {
	case w.Jobs < 1 || w.Jobs > 1_000_000:
		return fmt.Errorf("jobs: expected 1 to 1000000, found %d", w.Jobs)
	case w.Chain < 1:
		return fmt.Errorf("chain: expected at least 1, found %d", w.Chain)
	case !between(0, w.WorkCv, 1e3) || !between(0, w.ArrivalCv, 1e3):
		return fmt.Errorf("expected CVs from 0 to 1000, found work_cv %v and arrival_cv %v", w.WorkCv, w.ArrivalCv)
	case !(w.Load > 0 && w.Load < 1):
		return fmt.Errorf("load: expected a number between 0 and 1, found %v", w.Load)
	case !between(0, w.Cost, 1e12) || !between(-10, w.CostExponent, 10):
		return fmt.Errorf("expected cost ≥ 0 and cost_exponent from -10 to 10, found %v and %v", w.Cost, w.CostExponent)
	case !between(0, w.Slack, 1e3):
		return fmt.Errorf("slack: expected a number from 0 to 1000, found %v", w.Slack)
	case w.Charge != "response" && w.Charge != "service":
		return fmt.Errorf("charge: expected response or service, found %q", w.Charge)
	case !(w.MinWork > 0) || !between(w.MinWork, w.MaxWork, 1e12):
		return fmt.Errorf("expected 0 < min_work ≤ max_work, found %v and %v", w.MinWork, w.MaxWork)
	case !(w.MinDeadline > 0) || !between(w.MinDeadline, w.MaxDeadline, 1e12):
		return fmt.Errorf("expected 0 < min_deadline ≤ max_deadline, found %v and %v", w.MinDeadline, w.MaxDeadline)
	case !(w.MinBudget > 0) || !between(w.MinBudget, w.MaxBudget, 1e12):
		return fmt.Errorf("expected 0 < min_budget ≤ max_budget, found %v and %v", w.MinBudget, w.MaxBudget)
	}
	return nil
}

// Generate implements [Workload].
func (w *GGOne) Generate(seed uint64) (*model.Instance, error) {
	p := w.withDefaults()
	if err := p.check(); err != nil {
		return nil, err
	}
	groups, err := parseGroups(p.Machines)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("ggone-n%d-s%d", p.Jobs, seed)).Minimise("qos_penalty", 1)
	b.Spec().Units = &model.Units{Time: "s", Work: "MI"}
	mean, variance := p.jobs(b, rand.New(rand.NewPCG(seed, 0x67676f6e65))) // "ggone"
	rate, slowest := 0.0, math.Inf(1)
	for _, g := range groups {
		rate += p.Load * float64(g.machines) * g.speed / mean
		slowest = min(slowest, g.speed)
	}
	period := float64(p.Jobs) * (1 + p.Slack) / rate
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: period, K: new(quantile95), CV: new(p.ArrivalCv), Charge: p.Charge}
	for k, g := range groups {
		id := strconv.Itoa(k + 1)
		service := g.speed / mean
		b.Cluster(model.ClusterSpec{ID: "C" + id, Machines: []model.MachineSpec{{
			ID: "c" + id, Count: g.machines, Speed: g.speed, Cost: p.Cost * math.Pow(g.speed/slowest, p.CostExponent),
			Queue: &model.QueueSpec{
				ServiceRate:     service,
				ArrivalVariance: new(math.Pow(p.ArrivalCv/(p.Load*service), 2)),
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
			return nil, fmt.Errorf("machines: expected machines:speed, such as 6:14000,6:10000; found %q", part)
		}
		groups = append(groups, machineGroup{n, speed})
	}
	return groups, nil
}
