package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name:   "site",
	Doc:    "a cluster as Slurm runs it, with partitions cpu and gpu, users, accounts, qualities of service, memory and GPUs",
	Source: "none: a made-up site, to try the import of accounting data where the truth is known",
	New: func() Workload {
		return &Site{Jobs: 2000, CPUNodes: 32, GPUNodes: 8, Load: 0.9, Users: 24, High: 0.1, MaxRuntime: 43200, Padding: 3}
	},
})

// Site is a made-up cluster with two partitions that share no nodes, so two clusters and a queue for each: cpu with nodes of 64 processors and 256,000 MB, and gpu with nodes of 64
// processors, 512,000 MB and 8 GPUs.
//
// Jobs go one by one to the partition that has been asked for less of its scarcest resource so far, so that both have the same load. A job of cpu has 1 to 32
// processors of one node, or 1 to 8 whole nodes; of each processor it has 1,000 to 6,000 MB, of a whole node 3,000. A job of gpu has 1 to 8 GPUs on one node, or 8 on each of two, and
// 8 processors and 30,000 MB with each GPU. Run times are log-normal with a median of 30 minutes and a standard deviation of 1.5 in the logarithm, from a minute to
// MaxRuntime, in seconds. Estimates are U[1, 1 + Padding] times the run time, raised to the next of the times that users ask for, but no longer than
// MaxRuntime. A user has one account of four; the n-th user submits in proportion to 1/n. A job is of the quality of service high, with priority 1000, with probability High, or normal, with 100.
//
// Arrivals are in whole seconds, uniform over the time in which the jobs of the busier partition take Load of it; the first is at 0. O(jobs · log jobs) time.
type Site struct {
	Jobs       int     `range:"[1, 10000000]" doc:"number of jobs"`
	CPUNodes   int     `range:"[8, 10000]" doc:"nodes of partition cpu"`
	GPUNodes   int     `range:"[2, 10000]" doc:"nodes of partition gpu"`
	Load       float64 `range:"[0.01, 100]" doc:"what the jobs of a partition ask for of its scarcest resource ÷ what there is of it until the last arrives"`
	Users      int     `range:"[1, 10000]" doc:"number of users"`
	High       float64 `range:"[0, 1]" doc:"share of jobs of the quality of service high"`
	MaxRuntime float64 `range:"[60, 1e9]" doc:"longest run time, and longest estimate"`
	Padding    float64 `range:"[0, 1000]" doc:"estimates are 1 to 1 + padding times the run time, then rounded up as users do"`
}

// What a node of the site has.
const (
	siteProcessors = 64
	siteGPUs       = 8
	siteMemory     = 256000 // MB, of a node of cpu; one of gpu has twice as much
)

// Generate implements [Workload].
func (w *Site) Generate(seed uint64) (*model.Instance, error) {
	if err := params.Check(w); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x73697465)) // "site"
	b := model.NewBuilder(fmt.Sprintf("site-n%d-s%d", w.Jobs, seed)).Minimise("mean_wait", 1)
	b.Spec().Units = &model.Units{Time: "s", Work: "s", Memory: "MB"}
	b.Spec().Devices = []string{"gpu"}
	b.Spec().UserClasses = map[string]float64{"normal": 100, "high": 1000}
	nodes := func(id string, count int, memory float64, gpus float64) model.ClusterSpec {
		m := model.MachineSpec{ID: fmt.Sprintf("%s[%03d-%03d]", id, 1, count), Count: count, Processors: siteProcessors, Memory: &memory}
		if gpus > 0 {
			m.Resources, m.Features = map[string]float64{"gpu": gpus}, []string{"a100"}
		}
		return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{m}}
	}
	b.Cluster(nodes("cpu", w.CPUNodes, siteMemory, 0), nodes("gpu", w.GPUNodes, 2*siteMemory, siteGPUs))
	b.Spec().Partitions = []model.PartitionSpec{{ID: "cpu", Clusters: []string{"cpu"}, Default: true}, {ID: "gpu", Clusters: []string{"gpu"}}}
	asked := [2]float64{} // time × nodes
	jobs := make([]model.JobSpec, w.Jobs)
	for k := range jobs {
		partition := 0
		if asked[1]/float64(w.GPUNodes) < asked[0]/float64(w.CPUNodes) {
			partition = 1
		}
		share := w.draw(rng, &jobs[k], partition)
		asked[partition] += share
	}
	span := math.Max(asked[0]/float64(w.CPUNodes), asked[1]/float64(w.GPUNodes)) / w.Load
	arrivals := make([]float64, w.Jobs)
	for k := range arrivals {
		arrivals[k] = math.Floor(rng.Float64() * span)
	}
	slices.Sort(arrivals)
	for k := range jobs {
		jobs[k].ID, jobs[k].Arrival = strconv.Itoa(1001+k), arrivals[k]-arrivals[0]
	}
	return b.Job(jobs...).Build()
}

// draw draws a job of a partition, and returns the nodes × time that it takes of the scarcest resource there.
func (w *Site) draw(rng *rand.Rand, j *model.JobSpec, partition int) float64 {
	runtime := math.Round(1800 * math.Exp(1.5*rng.NormFloat64()))
	runtime = min(max(runtime, 60), math.Floor(w.MaxRuntime))
	estimate := runtime * (1 + w.Padding*rng.Float64())
	for _, familiar := range roundTimes {
		if familiar >= estimate {
			estimate = familiar
			break
		}
	}
	estimate = max(min(estimate, w.MaxRuntime), runtime)
	estimate = math.Ceil(estimate/60) * 60 // Slurm's limits are in minutes
	user := 1
	for total, at := harmonic(w.Users), rng.Float64(); user < w.Users; user++ {
		if at -= 1 / (float64(user) * total); at < 0 {
			break
		}
	}
	j.User, j.Group, j.UserClass = fmt.Sprintf("user%02d", user), fmt.Sprintf("account%d", 1+user%4), "normal"
	if rng.Float64() < w.High {
		j.UserClass = "high"
	}
	j.Queue = []string{"cpu", "gpu"}[partition]
	j.Runtime, j.Estimate = map[string]float64{j.Queue: runtime}, &estimate
	size, dice := rng.Float64(), rng.IntN(5)
	if partition == 1 {
		count, gpus := 1, 1<<dice
		if dice == 4 {
			count, gpus = 2, 8
		}
		j.Block, j.Resources, j.Memory = 8*gpus, map[string]float64{"gpu": float64(gpus)}, 30000.0/8
		j.Processors = model.Rigid(count * j.Block)
		if count > 1 {
			j.PerMachine = 1
		}
		return runtime * float64(count*gpus) / siteGPUs
	}
	if size < 0.2 { // whole nodes
		count := 1 << rng.IntN(4)
		j.Block, j.Memory, j.Processors = siteProcessors, 3000, model.Rigid(count*siteProcessors)
		if count > 1 {
			j.PerMachine = 1
		}
		return runtime * float64(count)
	}
	processors := 1 << dice
	if rng.IntN(4) == 0 {
		processors *= 2
	}
	j.Processors, j.Memory = model.Rigid(processors), []float64{1000, 2000, 4000, 6000}[rng.IntN(4)]
	if processors > 1 {
		j.Block = processors
	}
	return runtime * math.Max(float64(processors)/siteProcessors, j.Memory*float64(processors)/siteMemory)
}

// harmonic is 1 + 1/2 + … + 1/n.
func harmonic(n int) float64 {
	sum := 0.0
	for k := 1; k <= n; k++ {
		sum += 1 / float64(k)
	}
	return sum
}
