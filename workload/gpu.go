package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name:   "gpu",
	Doc:    "pods of a production cluster with GPUs, shares of one included, and gangs on several nodes",
	Source: "Q. Weng et al. (2023), Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent, USENIX ATC '23, its trace openb",
	New: func() Workload {
		return &GPU{Jobs: 8152, Nodes: 1213, Types: "all", Steady: true, Kinds: "1088,3078,3911,16,15,44", GangNodes: 8, GangDevices: 8, MaxRuntime: 86400, Padding: 4}
	},
})

// GPU is a workload like the trace openb of Alibaba (Weng et al. 2023): its tables are in openb.go, and the test of that file recomputes them from the trace.
//
// Nodes have the shapes of openb's nodes in its proportions, by largest remainders; 1,213 are exactly its nodes. As the reader of openb does, a node has ⌊cores⌋ processors, the
// resources cpu (cores) and gpu (devices), memory, and its type of GPU as a feature. A group of equal nodes is named by its type, such as G2, and where the type has several
// shapes by type, GPUs and cores, such as T4-2x104.
//
// A job is a pod, a block of one processor. Its kind is drawn by the weights Kinds. Its GPUs, cores and memory are those of a pod of this kind that a node can hold; its run time is
// drawn from the quantiles of the kind, log-uniform between neighbours, cut at MaxRuntime and rounded to seconds. GangShare of the jobs are gangs: 2, 4, 8, … up to GangNodes
// nodes, each number that there are as often, with one pod of GangDevices GPUs on each, and run times as pods of several GPUs. ConstrainedShare of the jobs with GPUs take only nodes of the
// types that a pod of openb states (pods_gpuspec33), among the lists that leave enough nodes; where none does, the job takes any.
//
// Estimates follow A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708: U[1, 1 + Padding] times the run time. Users
// ask for familiar times, so they are raised to the next of roundTimes, but not above MaxRuntime. Padding 0: the run time itself.
//
// Arrivals are Poisson, in milliseconds. Load is what the jobs are expected to ask for of the scarcest resource, which is the GPUs with openb's kinds, over what the nodes have of it
// meanwhile. With Steady the first jobs are those that a system of unlimited size would hold at time 0 if it had run for ever: their expected number, at time 0, of
// length-biased run times, of which a uniform part is left. So the load is there from the start; otherwise it builds up over MaxRuntime. With load 0 all jobs are there at time 0.
// Units: s, cores, GPUs, MiB. The objective is mean_wait, and makespan at load 0. O(jobs · shapes) time.
//
// The numbers are drawn in a fixed order: another load, share or padding keeps the numbers behind it, so that runs have common random numbers.
//
// Deviations from the trace: openb has no gangs, no estimates and no arrivals of this form (its pods are a sample that was on the cluster at some time). GPUs, run time and types
// are drawn independently of each other but for what is said above.
type GPU struct {
	Jobs             int     `range:"[0, 10000000]" doc:"number of jobs"`
	Nodes            int     `range:"[1, 100000]" doc:"number of nodes"`
	Types            string  `doc:"types of GPUs whose nodes there are, such as G2,T4; all: all of openb"`
	Load             float64 `range:"[0, 1000]" doc:"GPU time that the jobs ask for ÷ available GPU time, or the same of a scarcer resource; 0: all jobs at time 0"`
	Steady           bool    `doc:"with a load: begin with as many jobs as run in equilibrium, all at time 0; false: the load builds up over the longest run time"`
	Kinds            string  `doc:"weights of pods of CPU only, of a share of a GPU, and of 1, 2, 4 and 8 GPUs"`
	GangShare        float64 `range:"[0, 1]" doc:"share of jobs that are gangs: pods on several nodes at once"`
	GangNodes        int     `range:"[2, 100000]" doc:"most nodes of a gang"`
	GangDevices      int     `range:"[1, 8]" doc:"GPUs of a gang on each node: 1, 2, 4 or 8"`
	ConstrainedShare float64 `range:"[0, 1]" doc:"share of jobs with GPUs that take only some types of these"`
	MaxRuntime       float64 `range:"[1, 1e9]" doc:"longest run time; longer ones are cut"`
	Padding          float64 `range:"[0, 1000]" doc:"estimates are 1 to 1 + padding times the run time, then rounded up as users do; 0: they are exact"`
}

// roundTimes are the times that users ask for, in seconds: some minutes, hours, days, weeks.
var roundTimes = []float64{300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 2 * 86400, 3 * 86400, 5 * 86400, 7 * 86400, 14 * 86400, 30 * 86400}

// Generate implements [Workload].
func (w *GPU) Generate(seed uint64) (*model.Instance, error) {
	return whole(w.batches(seed))
}

// batches makes the system and begins to draw the jobs.
func (w *GPU) batches(seed uint64) (*Batches, error) {
	if err := params.Check(w); err != nil {
		return nil, err
	}
	if w.Load > 0 && w.Load < 0.001 {
		return nil, &params.Error{Name: "load", Expected: "0 or a number from 0.001 to 1000", Found: w.Load}
	}
	nodes, err := w.nodes()
	if err != nil {
		return nil, err
	}
	d := &gpuJobs{GPU: *w, nodes: nodes, rng: rand.New(rand.NewPCG(seed, 0x677075))} // "gpu"
	if err := d.addKinds(); err != nil {
		return nil, err
	}
	d.setRate()
	b := model.NewBuilder(fmt.Sprintf("gpu-n%d-s%d", w.Jobs, seed))
	if w.Load > 0 {
		b.Minimise("mean_wait", 1)
	}
	b.Spec().Units = &model.Units{Time: "s", Work: "s", Memory: "MiB"}
	b.Spec().Devices = []string{"gpu"}
	b.Cluster(model.ClusterSpec{ID: "gpu", Machines: machinesOf(nodes)})
	return &Batches{spec: *b.Spec(), draw: d.next, left: w.Jobs}, nil
}

// nodes are the shapes of the nodes with their numbers.
func (w *GPU) nodes() ([]openbNode, error) {
	var nodes []openbNode
	for k := range openbNodes {
		if n := openbNodes[k]; w.Types == "all" || slices.Contains(strings.Split(w.Types, ","), n.model) {
			nodes = append(nodes, n)
		}
	}
	if w.Types != "all" {
		for stated := range strings.SplitSeq(w.Types, ",") {
			if !slices.ContainsFunc(nodes, func(n openbNode) bool { return n.model == stated }) {
				return nil, &params.Error{Name: "types", Expected: "all or a list of " + strings.Join(gpuTypes(), ", "), Found: w.Types}
			}
		}
	}
	counts := shares(w.Nodes, nodes)
	for k := range nodes {
		nodes[k].count = counts[k]
	}
	return slices.DeleteFunc(nodes, func(n openbNode) bool { return n.count == 0 }), nil
}

// gpuTypes are the types of GPUs in order.
func gpuTypes() []string {
	var types []string
	for k := range openbNodes {
		types = append(types, openbNodes[k].model)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// shares divides n in proportion to the counts of the nodes, by largest remainders; of equal ones the first counts as the largest.
func shares(n int, nodes []openbNode) []int {
	all := 0
	for k := range nodes {
		all += nodes[k].count
	}
	counts, order, left := make([]int, len(nodes)), make([]int, len(nodes)), n
	for k := range nodes {
		counts[k], order[k] = n*nodes[k].count/all, k
		left -= counts[k]
	}
	slices.SortStableFunc(order, func(a, b int) int { return n*nodes[b].count%all - n*nodes[a].count%all })
	for _, k := range order[:left] {
		counts[k]++
	}
	return counts
}

// machinesOf are the groups of machines of the nodes.
func machinesOf(nodes []openbNode) []model.MachineSpec {
	shapes := map[string]int{}
	for k := range nodes {
		shapes[nodes[k].model]++
	}
	var machines []model.MachineSpec
	for k := range nodes {
		n := &nodes[k]
		id, cores := n.model, n.cpuMilli/1000
		if shapes[n.model] > 1 {
			id = fmt.Sprintf("%s-%dx%d", n.model, n.gpus, cores)
		}
		machines = append(machines, model.MachineSpec{
			ID: id, Count: n.count, Processors: cores, Memory: new(float64(n.memory)), Features: []string{n.model},
			Resources: map[string]float64{"cpu": float64(n.cpuMilli) / 1000, "gpu": float64(n.gpus)},
		})
	}
	return machines
}

// holds says whether an idle node has room for the pod.
func (n *openbNode) holds(p *openbPod) bool {
	return n.gpus >= p.gpus && n.cpuMilli >= p.cpuMilli && n.memory >= p.memory
}

// share is what the pod asks of GPUs.
func (p *openbPod) share() float64 { return float64(p.gpus*p.gpuMilli) / 1000 }

// runTimes is the distribution of run times of a kind of jobs: parts of a probability each, log-uniform between two times.
type runTimes []timePart

// timePart is a part of run times.
type timePart struct{ probability, from, to float64 }

// newRunTimes is the distribution of quantiles at openbLevels, cut at the longest time.
func newRunTimes(quantiles []float64, longest float64) runTimes {
	var parts runTimes
	for k := 1; k < len(quantiles); k++ {
		probability, from, to := (openbLevels[k]-openbLevels[k-1])/100, quantiles[k-1], quantiles[k]
		if from < longest && longest < to {
			below := probability * math.Log(longest/from) / math.Log(to/from)
			parts = append(parts, timePart{below, from, longest})
			probability, from = probability-below, longest
		}
		parts = append(parts, timePart{probability, min(from, longest), min(to, longest)})
	}
	return parts
}

// mean is the mean run time of the part.
func (p *timePart) mean() float64 {
	if p.from == p.to {
		return p.from
	}
	return (p.to - p.from) / math.Log(p.to/p.from)
}

// mean is the mean run time.
func (r runTimes) mean() float64 {
	sum := 0.0
	for k := range r {
		sum += r[k].probability * r[k].mean()
	}
	return sum
}

// at is the run time with the share u of run times below it.
func (r runTimes) at(u float64) float64 {
	k, rest := pick(len(r), u, func(k int) float64 { return r[k].probability })
	return r[k].from * math.Pow(r[k].to/r[k].from, rest)
}

// longAt is a run time that runs at a random moment: one is drawn in proportion to its length. The density of a part, in proportion to 1/x, becomes uniform.
func (r runTimes) longAt(u float64) float64 {
	mean := r.mean()
	k, rest := pick(len(r), u, func(k int) float64 { return r[k].probability * r[k].mean() / mean })
	return r[k].from + (r[k].to-r[k].from)*rest
}

// pick chooses one of n by a number u in [0, 1): the k-th with its weight, where all weights add up to 1. The rest is how far u is within the weight, in [0, 1].
func pick(n int, u float64, weight func(int) float64) (k int, rest float64) {
	for last := 0; ; {
		w := weight(k)
		if w > 0 {
			last = k
		}
		switch {
		case u < w:
			return k, u / w
		case k == n-1: // the weights add up to a little less than 1
			return last, 1
		}
		u -= w
		k++
	}
}

// gpuKind is a kind of jobs.
type gpuKind struct {
	probability float64
	pods        []gpuPod // of the shapes that a node can hold
	count       int      // of all pods
	times       runTimes
}

// gpuPod is a shape of pods with where it can run.
type gpuPod struct {
	openbPod
	sizes []int // how many nodes a job of it takes, each number as often
	rooms []int // by list of openbConstraints: the nodes of its types that can hold the pod
}

// gpuJobs draws the jobs one after another.
type gpuJobs struct {
	GPU
	nodes  []openbNode
	kinds  []gpuKind
	rng    *rand.Rand
	gap    float64 // mean time between arrivals; 0: all at time 0
	steady int     // jobs at time 0 with Steady
	length float64 // mean run time
	made   int
	now    float64
}

// gpusOfKinds are the GPUs of the kinds in the order of the parameter Kinds.
var gpusOfKinds = []float64{0, shareOfOne, 1, 2, 4, 8}

// shareOfOne stands for any share of a GPU.
const shareOfOne = 0.5

// addKinds makes the kinds of pods and that of gangs.
func (d *gpuJobs) addKinds() error {
	expected := &params.Error{Name: "kinds", Expected: "six weights from 0 to 1e9, not all 0, such as 1088,3078,3911,16,15,44, with pods that a node can hold", Found: d.Kinds}
	stated := strings.Split(d.Kinds, ",")
	if len(stated) != len(gpusOfKinds) {
		return expected
	}
	all := 0.0
	for k, text := range stated {
		weight, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(weight >= 0 && weight <= 1e9) {
			return expected
		}
		kind := d.kindOf(gpusOfKinds[k], []int{1})
		kind.probability = weight
		if kind.count > 0 {
			all += weight
			d.kinds = append(d.kinds, kind)
		}
	}
	if all == 0 && d.GangShare < 1 {
		return expected
	}
	for k := range d.kinds {
		if all > 0 {
			d.kinds[k].probability *= (1 - d.GangShare) / all
		}
	}
	return d.addGangs()
}

// kindOf is the kind of jobs with the given GPUs on each of their nodes, whose number is one of sizes, ascending. It has the shapes that the least number of nodes can hold.
func (d *gpuJobs) kindOf(gpus float64, sizes []int) gpuKind {
	var kind gpuKind
	for k := range openbPods {
		p := gpuPod{openbPod: openbPods[k]}
		if p.share() != gpus && !(gpus == shareOfOne && p.gpus == 1 && p.gpuMilli < 1000) {
			continue
		}
		most, _ := slices.BinarySearch(sizes, d.room(&p.openbPod, nil)+1)
		if most == 0 {
			continue
		}
		p.sizes = sizes[:most]
		for k := range openbConstraints {
			p.rooms = append(p.rooms, d.room(&p.openbPod, openbConstraints[k].list()))
		}
		kind.pods = append(kind.pods, p)
		kind.count += p.count
	}
	quantiles := openbRunTimes[len(openbRunTimes)-1]
	switch {
	case sizes[0] > 1: // a gang
	case gpus == 0:
		quantiles = openbRunTimes[0]
	case gpus == shareOfOne:
		quantiles = openbRunTimes[1]
	case gpus == 1:
		quantiles = openbRunTimes[2]
	}
	kind.times = newRunTimes(quantiles, d.MaxRuntime)
	return kind
}

// list are the types of the constraint.
func (c *openbConstraint) list() []string { return strings.Split(c.types, "|") }

// addGangs makes the kind of gangs.
func (d *gpuJobs) addGangs() error {
	if !slices.Contains([]int{1, 2, 4, 8}, d.GangDevices) {
		return &params.Error{Name: "gang_devices", Expected: "1, 2, 4 or 8", Found: d.GangDevices}
	}
	if d.GangShare == 0 {
		return nil
	}
	var sizes []int
	for n := 2; n <= d.GangNodes; n *= 2 {
		sizes = append(sizes, n)
	}
	gang := d.kindOf(float64(d.GangDevices), sizes)
	if gang.count == 0 {
		return &params.Error{Name: "gang_devices", Expected: "GPUs that a pod of openb has on at least two of the nodes", Found: d.GangDevices}
	}
	gang.probability = d.GangShare
	d.kinds = append(d.kinds, gang)
	return nil
}

// room is the number of nodes of the types (none: any) that can hold the pod.
func (d *gpuJobs) room(p *openbPod, types []string) int {
	nodes := 0
	for k := range d.nodes {
		n := &d.nodes[k]
		if n.holds(p) && (types == nil || slices.Contains(types, n.model)) {
			nodes += n.count
		}
	}
	return nodes
}

// setRate sets the mean time between arrivals, and the number of jobs at time 0.
func (d *gpuJobs) setRate() {
	var asked, there [3]float64 // GPUs, cores, memory: that a job holds, × time; that there are
	for k := range d.nodes {
		n := &d.nodes[k]
		for r, x := range []float64{float64(n.gpus), float64(n.cpuMilli) / 1000, float64(n.memory)} {
			there[r] += x * float64(n.count)
		}
	}
	for k := range d.kinds {
		kind := &d.kinds[k]
		d.length += kind.probability * kind.times.mean()
		for n := range kind.pods {
			p := &kind.pods[n]
			mean := 0.0
			for _, size := range p.sizes {
				mean += float64(size) / float64(len(p.sizes))
			}
			time := kind.probability * kind.times.mean() * mean * float64(p.count) / float64(kind.count)
			for r, x := range []float64{p.share(), float64(p.cpuMilli) / 1000, float64(p.memory)} {
				asked[r] += x * time
			}
		}
	}
	if d.Load == 0 {
		return
	}
	for r := range asked {
		d.gap = max(d.gap, asked[r]/(there[r]*d.Load))
	}
	if d.Steady {
		d.steady = int(math.Round(d.length / d.gap))
	}
}

// next draws a job. It draws the same numbers in the same order whatever the parameters are.
func (d *gpuJobs) next() model.JobSpec {
	gap, kindAt, podAt, sizeAt, timeAt := d.rng.ExpFloat64(), d.rng.Float64(), d.rng.Float64(), d.rng.Float64(), d.rng.Float64()
	isConstrained, typesAt, padding, left := d.rng.Float64() < d.ConstrainedShare, d.rng.Float64(), d.rng.Float64(), d.rng.Float64()
	isSteady := d.made < d.steady
	if d.made > 0 && !isSteady {
		d.now += d.gap * gap
	}
	d.made++
	k, _ := pick(len(d.kinds), kindAt, func(k int) float64 {
		if isSteady {
			return d.kinds[k].probability * d.kinds[k].times.mean() / d.length
		}
		return d.kinds[k].probability
	})
	kind := &d.kinds[k]
	n, _ := pick(len(kind.pods), podAt, func(n int) float64 { return float64(kind.pods[n].count) / float64(kind.count) })
	pod := &kind.pods[n]
	time := d.timeOf(kind, timeAt, isSteady)
	estimate, done := d.estimate(time, padding), 0.0
	if isSteady {
		done = min(math.Floor(left*time), time-1)
	}
	job := model.JobSpec{
		ID: "J" + strconv.Itoa(d.made), Arrival: math.Round(d.now*1000) / 1000, Work: new(time - done), Estimate: new(estimate - done), Memory: float64(pod.memory),
		Resources: map[string]float64{"cpu": float64(pod.cpuMilli) / 1000},
	}
	size := pod.sizes[int(sizeAt*float64(len(pod.sizes)))]
	if size > 1 {
		job.Processors, job.Machines, job.PerMachine = model.Rigid(size), model.Rigid(size), 1
	}
	if pod.gpus > 0 {
		job.Resources["gpu"] = pod.share()
		if isConstrained {
			job.Features = d.types(pod, size, typesAt)
		}
	}
	return job
}

// timeOf is a run time of the kind in whole seconds.
func (d *gpuJobs) timeOf(kind *gpuKind, u float64, isSteady bool) float64 {
	time := kind.times.at(u)
	if isSteady {
		time = kind.times.longAt(u)
	}
	return min(max(1, math.Round(time)), d.MaxRuntime)
}

// estimate is what a user asks for; u in [0, 1) chooses the factor.
func (d *gpuJobs) estimate(time, u float64) float64 {
	if d.Padding == 0 {
		return time
	}
	asked := time * (1 + u*d.Padding)
	if k, _ := slices.BinarySearch(roundTimes, asked); k < len(roundTimes) {
		asked = roundTimes[k]
	}
	return max(time, min(math.Ceil(asked), d.MaxRuntime))
}

// types are the features that a job of the pod asks for on its nodes, drawn by u from the lists that leave it enough nodes; nil: none does.
func (d *gpuJobs) types(p *gpuPod, size int, u float64) [][]string {
	all := 0
	weight := func(k int) int {
		if p.rooms[k] < size {
			return 0
		}
		return openbConstraints[k].count
	}
	for k := range openbConstraints {
		all += weight(k)
	}
	if all == 0 {
		return nil
	}
	k, _ := pick(len(openbConstraints), u, func(k int) float64 { return float64(weight(k)) / float64(all) })
	return [][]string{openbConstraints[k].list()}
}
