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
	Name:   "four",
	Doc:    "a batch of sequential and parallel jobs with deadlines, budgets and memory for clusters of unlike nodes that are queues too",
	Source: "allot; sizes: U. Lublin, D. G. Feitelson (2003), The workload on parallel supercomputers: modeling the characteristics of rigid jobs, J. Parallel Distrib. Comput. 63(11), doi:10.1016/S0743-7315(03)00108-4; times and deadlines: the source of muscle, eqs. 4–5; the queueing view: that of ggone, §5.1", //nolint:misspell // the title of a paper
	New: func() Workload {
		return &Four{
			Jobs: 40, Clusters: "1x8:1:16,1x16:1.2:64,1x6:1.5:12,1x4:2:16", ClustersFor: 50, Serial: 0.2927, PowerOfTwo: 0.6686, MaxSize: 16,
			Alpha: 1.1, Lower: 5, Upper: 60, WorkCv: 0.3, MaxRatio: 2, Cost: 0.01, CostExponent: 2, MinBudget: 1, MaxBudget: 4, LargeMemory: 0.1,
			ArrivalCv: 1, Load: 0.2, Charge: "service", Objective: "makespan",
		}
	},
})

// Four is a batch on which solvers of every formulation run together: those that plan schedules (MUSCLE, TITAN, MTS, list heuristics) and the
// G/G/1 allocation, which sees nodes as queues. All jobs are released at 0. The recipe:
//
//   - Clusters of nodes with several processors. A node of p processors of speed v costs Cost·v^CostExponent for each processor and time unit, so that with
//     an exponent above 1 fast nodes are the dearer for the same work. Clusters states the system for ClustersFor jobs; for another number of jobs the
//     nodes of each cluster grow in proportion, rounded up. So the load does not depend on the number of jobs.
//   - Sizes after Lublin and Feitelson's batch jobs: one processor with probability Serial; otherwise 2^x, where x is uniform on [1.2, m] with probability
//     0.875 and on [m, log2 MaxSize] otherwise, m = log2 MaxSize − 1.5 or, if that is below 1.2, 1.2; with probability PowerOfTwo x is rounded first.
//     No job is wider than the widest cluster.
//   - Times at speed 1 from the bounded Pareto distribution of MUSCLE (eq. 4). They are means: the queueing view takes WorkCv as the coefficient of
//     variation of a job's work; schedules take the mean.
//   - Soft deadlines as MUSCLE's (eq. 5): the longest execution time on a cluster that is wide enough · (1 + U[MinRatio, MaxRatio]).
//   - Budgets: the cost on the cheapest cluster that is wide enough and has the memory · U[MinBudget, MaxBudget].
//   - Memory of each task: U(0, s] with s the least memory per processor of all nodes, in 1024ths; with probability LargeMemory U(s, l] with l the most memory per
//     processor of a cluster that is wide enough. So every job can run, and large ones leave processors idle on lean nodes.
//   - The queueing view: a node is one server of rate μ = p·v/(mean over the jobs of processors · time at speed 1). Such batches arrive again and
//     again: the rate of arrivals is Load of all service rates together, and the period is as long as the jobs take to arrive. The variance
//     of the service times is that of processors · time, with WorkCv in it, divided by (p·v)²; arrivals at a node have the coefficient ArrivalCv at
//     its share of the rate.
//
// Units: time at speed 1, GB. Complexity: O(jobs·clusters).
//
// Deviations from the sources: Lublin and Feitelson's probabilities are of machines with 128 nodes or more, here of MaxSize processors; their times are
// hyper-gamma, here MUSCLE's. A node of several processors works on several jobs at a time; as in the G/G/1 allocation, its mean wait is
// that of one server with the rate of all processors together, and the service time of a job is its own execution time.
type Four struct {
	Jobs         int     `range:"[1, 1000000]" doc:"number of jobs"`
	Clusters     string  `doc:"nodes×processors:speed:memory of each cluster, for clusters_for jobs"`
	ClustersFor  int     `range:"[1, 1000000]" doc:"number of jobs that clusters is meant for; with more jobs the clusters have more nodes"`
	Serial       float64 `range:"[0, 1]" doc:"share of jobs with one processor"`
	PowerOfTwo   float64 `range:"[0, 1]" doc:"share of parallel jobs whose size is a power of two on purpose"`
	MaxSize      int     `range:"[2, 16777216]" doc:"most processors of a job"`
	Alpha        float64 `range:"(0, 1000]" doc:"shape of the bounded Pareto distribution of times"`
	Lower        float64 `range:"[1e-9, 1e12]" doc:"shortest time at speed 1"`
	Upper        float64 `range:"[1e-9, 1e12]" doc:"longest time at speed 1"`
	WorkCv       float64 `range:"[0, 1000]" doc:"coefficient of variation of a job's work, in the queueing view"`
	MinRatio     float64 `range:"[0, 1e12]" doc:"least deadline ratio"`
	MaxRatio     float64 `range:"[0, 1e12]" doc:"largest deadline ratio"`
	Cost         float64 `range:"[0, 1e12]" doc:"cost of a processor of speed 1 per time"`
	CostExponent float64 `range:"[-10, 10]" doc:"exponent of the speed in the cost"`
	MinBudget    float64 `range:"[1e-9, 1e12]" doc:"least budget, as a multiple of the least cost"`
	MaxBudget    float64 `range:"[1e-9, 1e12]" doc:"largest budget, as a multiple of the least cost"`
	LargeMemory  float64 `range:"[0, 1]" doc:"share of jobs whose tasks need more memory than a processor's share on the leanest node"`
	ArrivalCv    float64 `range:"[0, 1000]" doc:"coefficient of variation of the times between arrivals, in the queueing view"`
	Load         float64 `range:"(0, 1)" doc:"rate of arrivals ÷ service rate of all nodes, in the queueing view"`
	Charge       string  `enum:"service,response" doc:"what a job pays for in the queueing view"`
	Objective    string  `enum:"makespan,missed,cost,cost_late,qos_penalty,mcp" doc:"metric to minimise; cost_late: cost + over_deadline at the weight cost, so that a minute over a deadline costs as much as a processor of speed 1"`
}

// check returns a [*params.Error] if a parameter is out of its range or a largest value is below the least.
func (w *Four) check() error {
	return cmp.Or(
		params.Check(w),
		ordered("lower", w.Lower, "upper", w.Upper),
		ordered("min_ratio", w.MinRatio, "max_ratio", w.MaxRatio),
		ordered("min_budget", w.MinBudget, "max_budget", w.MaxBudget),
	)
}

// nodes are the nodes of a cluster, all alike.
type nodes struct {
	count, processors   int
	speed, memory, cost float64
}

// share is the memory of a node for each of its processors, rounded down to a 1024th, so that such tasks fit on all of them without rounding.
func (n *nodes) share() float64 { return math.Floor(n.memory/float64(n.processors)*1024) / 1024 }

// Generate implements [Workload].
func (w *Four) Generate(seed uint64) (*model.Instance, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	clusters, err := w.nodes()
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("four-n%d-s%d-%s", w.Jobs, seed, w.Objective))
	for metric, weight := range w.objective() {
		b.Minimise(metric, weight)
	}
	b.Spec().Units = &model.Units{Time: "min", Work: "min at speed 1", Memory: "GB", Cost: "EUR"}
	b.Spec().Weights, _ = parseWeights("4,3,1")                                    // MUSCLE's
	mean, variance := w.jobs(b, clusters, rand.New(rand.NewPCG(seed, 0x666f7572))) // "four"
	rate := 0.0
	for k, n := range clusters {
		power := float64(n.processors) * n.speed
		service := power / mean
		rate += w.Load * float64(n.count) * service
		id := strconv.Itoa(k + 1)
		b.Cluster(model.ClusterSpec{ID: "C" + id, Machines: []model.MachineSpec{{
			ID: "c" + id, Count: n.count, Processors: n.processors, Speed: n.speed, Memory: &n.memory, Cost: n.cost,
			Queue: &model.QueueSpec{
				ServiceRate:     service,
				ArrivalVariance: new(math.Pow(w.ArrivalCv/(w.Load*service), 2)),
				ServiceVariance: new(variance / (power * power)),
			},
		}}})
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: float64(w.Jobs) / rate, K: new(quantile95), CV: &w.ArrivalCv, Charge: w.Charge}
	return b.Build()
}

// objective is what the batch minimises.
func (w *Four) objective() map[string]float64 {
	if w.Objective == "cost_late" {
		return map[string]float64{"cost": 1, "over_deadline": w.Cost}
	}
	return map[string]float64{w.Objective: 1}
}

// nodes reads the clusters and makes them as large as the jobs ask for.
func (w *Four) nodes() ([]nodes, error) {
	var list []nodes
	processors := 0.0
	for text := range strings.SplitSeq(w.Clusters, ",") {
		var n nodes
		var rest string
		if k, _ := fmt.Sscanf(strings.Replace(text, ":", " ", 2)+" .", "%dx%d %g %g %s", &n.count, &n.processors, &n.speed, &n.memory, &rest); k < 5 || rest != "." ||
			n.count < 1 || n.processors < 1 || !(n.speed >= 1e-6 && n.speed <= 1e6) || !(n.memory <= 1e12) || !(n.share() > 0) {
			return nil, &params.Error{Name: "clusters", Expected: "nodes×processors:speed:memory, such as 1x8:1:16,1x16:1.2:64, with at least 1/1024 of memory for each processor", Found: text}
		}
		count := math.Ceil(float64(n.count) * float64(w.Jobs) / float64(w.ClustersFor))
		if processors += count * float64(n.processors); processors > model.MaxProcessors {
			return nil, &params.Error{Name: "clusters", Expected: fmt.Sprintf("at most %d processors in all, after the clusters have grown with the jobs", model.MaxProcessors), Found: w.Clusters}
		}
		n.count = int(count)
		n.cost = w.Cost * math.Pow(n.speed, w.CostExponent)
		list = append(list, n)
	}
	return list, nil
}

// jobs adds the jobs. It returns the mean and the variance of processors · time at speed 1 of a job drawn at random: the variance of the means plus the mean of the
// jobs' own variances.
func (w *Four) jobs(b *model.Builder, clusters []nodes, rng *rand.Rand) (mean, variance float64) {
	widest, leanest := 0, math.Inf(1)
	for _, n := range clusters {
		widest, leanest = max(widest, n.count*n.processors), min(leanest, n.share())
	}
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	totals := make([]float64, w.Jobs)
	for k := range totals {
		size := min(w.size(rng), widest)
		time := pareto(rng, w.Alpha, w.Lower, w.Upper)
		ratio, budget := uniform(w.MinRatio, w.MaxRatio), uniform(w.MinBudget, w.MaxBudget)
		place, large := 1-rng.Float64(), rng.Float64() < w.LargeMemory
		slowest, richest := math.Inf(1), 0.0
		for _, n := range clusters {
			if n.count*n.processors >= size {
				slowest, richest = min(slowest, n.speed), max(richest, n.share())
			}
		}
		memory := place * leanest
		if large {
			memory = min(leanest+place*(richest-leanest), richest)
		}
		least := math.Inf(1)
		for _, n := range clusters {
			if n.count*int(min(float64(n.processors), math.Floor(n.memory/memory))) >= size {
				least = min(least, n.cost/n.speed)
			}
		}
		total := float64(size) * time
		b.Job(model.JobSpec{
			ID: "J" + strconv.Itoa(k+1), Processors: model.Rigid(size), Work: &time, WorkCV: w.WorkCv, Memory: memory,
			Deadline: new(time / slowest * (1 + ratio)), Budget: new(total * least * budget),
		})
		totals[k] = total
		mean += total / float64(w.Jobs)
	}
	for _, total := range totals {
		variance += ((total-mean)*(total-mean) + w.WorkCv*w.WorkCv*total*total) / float64(w.Jobs)
	}
	return mean, variance
}

// size draws a number of processors.
func (w *Four) size(rng *rand.Rand) int {
	const low, often = 1.2, 0.875 // ULow and UProb of Lublin and Feitelson's batch jobs
	serial, first, place, power := rng.Float64() < w.Serial, rng.Float64() < often, rng.Float64(), rng.Float64() < w.PowerOfTwo
	if serial {
		return 1
	}
	high := math.Log2(float64(w.MaxSize))
	middle := max(low, high-1.5)
	x := low + (middle-low)*place
	if !first {
		x = middle + (high-middle)*place
	}
	if power {
		x = math.Round(x)
	}
	return min(w.MaxSize, int(math.Round(math.Exp2(x))))
}
