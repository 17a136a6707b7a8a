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
	Name:   "twolevel",
	Doc:    "parallel jobs with deadlines, licences and user classes for clusters of multiprocessor machines",
	Source: "M. Pasquali, R. Baraglia, G. Capannini, L. Ricci, D. Laforenza (2011), A multi-level scheduler for batch jobs on grids, J. Supercomput. 57(1), pp. 81–98, doi:10.1007/s11227-011-0571-y, §5",
	New: func() Workload {
		return &TwoLevel{
			Jobs: 5000, Clusters: "120,60,30,15", MeanGap: 5, TimeScale: 1,
			MinEstimate: 8000, MaxEstimate: 10000, MinRuntimeShare: 1, MinBenchmark: 100, MaxBenchmark: 500, MinMargin: 1500, MaxMargin: 5500,
			MinProcessors: 4, MaxProcessors: 32, NoDeadlineShare: 0.3,
			Licences: 4, LicenceShare: 0.3, MinLicenceRatio: 0.5, MaxLicenceRatio: 0.7, AbleShare: 1, LicencePools: "cluster",
			GoldShare: 0.1, SilverShare: 0.3, GoldPriority: 10, SilverPriority: 5,
		}
	},
})

// TwoLevel is the workload of the two-level scheduler's experiments (Pasquali et al. 2011, §5). Every number is uniform between the two parameters that
// bound it. A machine has a benchmark, which is its speed, and processors. A job runs on one machine; it has an estimate, measured on a machine of
// the job's own benchmark, and processors. A job in LicenceShare needs one copy of one licence. A job in NoDeadlineShare has no deadline; that of
// the others is arrival + estimate + margin. The gaps between arrivals are exponential. TimeScale divides estimates and margins together: as printed
// (TimeScale 1, MeanGap 5) the jobs ask for 8 times what the grid can do. The objective is miss_rate.
//
// The numbers are drawn in a fixed order: a parameter that changes one of them leaves the others as they were. MachinesSeed keeps the list of machines
// while the seed changes the jobs, as the paper repeats each test 20 times on one list of machines.
//
// Deviations from the paper, which leaves these points open: benchmarks and times are drawn continuously. There are 4 licences, every machine can run
// all of them, and each cluster has a pool of its own: the licence's ratio times the machines of the cluster that can run it, rounded. The
// execution time is the estimate. User classes, their shares and priorities are the parameters here. No job is drawn again: where the machines are few,
// a job may need more processors than any of them has.
type TwoLevel struct {
	Jobs            int     `range:"[0, 100000000]" doc:"number of jobs"`
	Clusters        string  `doc:"machines of each cluster"`
	MeanGap         float64 `range:"[0, 1e6]" doc:"Ta, mean time between arrivals (the paper: 0, 5, 10, 15); 0: all jobs at once"`
	TimeScale       float64 `range:"[0.001, 1e6]" doc:"divides estimates and margins"`
	MachinesSeed    *uint64 `zero:"the seed of the jobs" doc:"seed of the list of machines"`
	MinEstimate     float64 `range:"[0, 1e9]" doc:"least estimate of a job"`
	MaxEstimate     float64 `range:"[0, 1e9]" doc:"largest estimate of a job"`
	MinRuntimeShare float64 `range:"[0, 1]" doc:"least execution time as a share of the estimate; the largest is 1"`
	MinBenchmark    float64 `range:"[1e-6, 1e6]" doc:"least benchmark of a machine, and of the reference machine of a job's estimate"`
	MaxBenchmark    float64 `range:"[1e-6, 1e6]" doc:"largest such benchmark"`
	MinMargin       float64 `range:"[0, 1e9]" doc:"least margin of a job: deadline − arrival − estimate"`
	MaxMargin       float64 `range:"[0, 1e9]" doc:"largest margin of a job"`
	MinProcessors   int     `range:"[1, 1000000]" doc:"least processors of a machine and of a job"`
	MaxProcessors   int     `range:"[1, 1000000]" doc:"most processors of a machine and of a job"`
	NoDeadlineShare float64 `range:"[0, 1]" doc:"probability that a job has no deadline"`
	Licences        int     `range:"[0, 1000]" doc:"number of licences; 0: no job needs one"`
	LicenceShare    float64 `range:"[0, 1]" doc:"probability that a job needs a licence"`
	MinLicenceRatio float64 `range:"[0, 1000]" doc:"least copies of a licence as a share of the machines that can run it"`
	MaxLicenceRatio float64 `range:"[0, 1000]" doc:"most copies of a licence as a share of those machines"`
	AbleShare       float64 `range:"[0, 1]" doc:"probability that a machine can run a licence"`
	LicencePools    string  `enum:"cluster,grid" doc:"whether each cluster or the whole grid owns the copies"`
	GoldShare       float64 `range:"[0, 1]" doc:"probability that the user of a job is gold"`
	SilverShare     float64 `range:"[0, 1]" doc:"probability that the user of a job is silver; the others are regular"`
	GoldPriority    float64 `range:"[0, 1e6]" doc:"priority of gold users"`
	SilverPriority  float64 `range:"[0, 1e6]" doc:"priority of silver users"`
	RegularPriority float64 `range:"[0, 1e6]" doc:"priority of regular users"`
}

// check returns a [*params.Error] if a parameter is out of its range, a largest value is below the least, or the shares of the classes are above 1.
func (w *TwoLevel) check() error {
	if err := params.Check(w); err != nil {
		return err
	}
	if w.GoldShare+w.SilverShare > 1 {
		return &params.Error{Name: "silver_share", Expected: fmt.Sprintf("at most 1 − gold_share, which is %v", 1-w.GoldShare), Found: w.SilverShare}
	}
	return cmp.Or(
		ordered("min_estimate", w.MinEstimate, "max_estimate", w.MaxEstimate),
		ordered("min_benchmark", w.MinBenchmark, "max_benchmark", w.MaxBenchmark),
		ordered("min_margin", w.MinMargin, "max_margin", w.MaxMargin),
		ordered("min_processors", w.MinProcessors, "max_processors", w.MaxProcessors),
		ordered("min_licence_ratio", w.MinLicenceRatio, "max_licence_ratio", w.MaxLicenceRatio),
	)
}

// Generate implements [Workload].
func (w *TwoLevel) Generate(seed uint64) (*model.Instance, error) {
	return whole(w.batches(seed))
}

// Stream implements [Streamer].
func (w *TwoLevel) Stream(seed uint64) (*model.Instance, *Batches, error) {
	return streamed(w.batches(seed))
}

// batches makes the system and begins to draw the jobs.
func (w *TwoLevel) batches(seed uint64) (*Batches, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	sizes, err := w.sizes()
	if err != nil {
		return nil, err
	}
	machines, name := seed, fmt.Sprintf("twolevel-n%d-s%d", w.Jobs, seed)
	if w.MachinesSeed != nil {
		machines = *w.MachinesSeed
		name = fmt.Sprintf("twolevel-n%d-m%d-s%d", w.Jobs, machines, seed)
	}
	b := model.NewBuilder(name).Minimise("miss_rate", 1)
	b.Spec().Units = &model.Units{Time: "time unit", Work: "benchmark·time unit"}
	b.Spec().UserClasses = map[string]float64{"gold": w.GoldPriority, "silver": w.SilverPriority, "regular": w.RegularPriority}
	w.machines(b, sizes, rand.New(rand.NewPCG(machines, 0x74776f6c6576656c)))        // "twolevel"
	draw := twoLevelJobs{TwoLevel: *w, rng: rand.New(rand.NewPCG(seed, 0x6a6f6273))} // "jobs"
	return &Batches{spec: *b.Spec(), draw: draw.next, left: w.Jobs}, nil
}

// sizes reads the machines of each cluster.
func (w *TwoLevel) sizes() ([]int, error) {
	const mostMachines, mostDraws = 1_000_000, 10_000_000 // of whether a machine can run a licence
	var sizes []int
	machines := 0
	for text := range strings.SplitSeq(w.Clusters, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if machines += n; err != nil || n < 1 || n > mostMachines || machines > mostMachines {
			return nil, &params.Error{Name: "clusters", Expected: fmt.Sprintf("the machines of each cluster, such as 120,60,30,15, at most %d in all", mostMachines), Found: w.Clusters}
		}
		sizes = append(sizes, n)
	}
	if w.Licences > mostDraws/machines {
		return nil, &params.Error{Name: "licences", Expected: fmt.Sprintf("at most %d on %d machines", mostDraws/machines, machines), Found: w.Licences}
	}
	return sizes, nil
}

// machines adds the clusters, and the pools of licences.
func (w *TwoLevel) machines(b *model.Builder, sizes []int, rng *rand.Rand) {
	ratios := make([]float64, w.Licences)
	for l := range ratios {
		ratios[l] = uniform(rng, w.MinLicenceRatio, w.MaxLicenceRatio)
	}
	able := make([]int, w.Licences) // machines of the grid that can run a licence
	for c, size := range sizes {
		cluster := model.ClusterSpec{ID: "C" + strconv.Itoa(c+1)}
		here := make([]int, w.Licences)
		for m := range size {
			machine := model.MachineSpec{ID: "m" + strconv.Itoa(m+1),
				Processors: uniformInt(rng, w.MinProcessors, w.MaxProcessors), Speed: uniform(rng, w.MinBenchmark, w.MaxBenchmark)}
			if w.Licences > 0 {
				machine.Licences = w.runs(rng, here)
			}
			cluster.Machines = append(cluster.Machines, machine)
		}
		if w.LicencePools == "cluster" {
			cluster.Licences = w.pools(ratios, here)
		}
		for l := range here {
			able[l] += here[l]
		}
		b.Cluster(cluster)
	}
	if w.LicencePools == "grid" {
		b.Spec().Licences = w.pools(ratios, able)
	}
}

// runs draws the licences that a machine can run and counts it for each of them; nil: all.
func (w *TwoLevel) runs(rng *rand.Rand, able []int) []string {
	list := []string{}
	for l := range able {
		if rng.Float64() < w.AbleShare {
			list = append(list, licenceName(l))
			able[l]++
		}
	}
	if len(list) == len(able) {
		return nil
	}
	return list
}

// pools returns the copies of each licence: its ratio of the machines that can run it.
func (w *TwoLevel) pools(ratios []float64, able []int) map[string]int {
	pools := map[string]int{}
	for l, ratio := range ratios {
		pools[licenceName(l)] = int(math.Round(ratio * float64(able[l])))
	}
	return pools
}

// licenceName is the name of a licence.
func licenceName(l int) string { return "L" + strconv.Itoa(l+1) }

// twoLevelJobs draws the jobs one after another.
type twoLevelJobs struct {
	TwoLevel
	rng  *rand.Rand
	made int
	now  float64
}

// next draws a job. It draws the same numbers in the same order whatever the parameters are.
func (d *twoLevelJobs) next() model.JobSpec {
	if gap := d.MeanGap * d.rng.ExpFloat64(); d.made > 0 {
		d.now += gap
	}
	d.made++
	estimate := uniform(d.rng, d.MinEstimate, d.MaxEstimate) / d.TimeScale
	job := model.JobSpec{
		ID: "J" + strconv.Itoa(d.made), Arrival: d.now, Span: "machine", Estimate: &estimate,
		ReferenceSpeed: uniform(d.rng, d.MinBenchmark, d.MaxBenchmark),
		Processors:     model.Rigid(uniformInt(d.rng, d.MinProcessors, d.MaxProcessors)),
	}
	if share := uniform(d.rng, d.MinRuntimeShare, 1); d.MinRuntimeShare < 1 {
		job.Work = new(share * estimate * job.ReferenceSpeed)
	}
	margin := uniform(d.rng, d.MinMargin, d.MaxMargin) / d.TimeScale
	if d.rng.Float64() >= d.NoDeadlineShare {
		job.Deadline = new(d.now + estimate + margin)
	}
	needs, licence := d.rng.Float64() < d.LicenceShare, d.rng.Float64()
	if needs && d.Licences > 0 {
		job.Licences = map[string]int{licenceName(int(licence * float64(d.Licences))): 1}
	}
	switch class := d.rng.Float64(); {
	case class < d.GoldShare:
		job.UserClass = "gold"
	case class < d.GoldShare+d.SilverShare:
		job.UserClass = "silver"
	default:
		job.UserClass = "regular"
	}
	return job
}

// uniform draws a number between two others.
func uniform(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// uniformInt draws a whole number from low to high.
func uniformInt(rng *rand.Rand, low, high int) int {
	return low + int(float64(high-low+1)*rng.Float64())
}
