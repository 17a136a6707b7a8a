package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name:   "spaceshare",
	Doc:    "moldable jobs of very unequal length that may spread over several clusters",
	Source: "J. H. Abawajy (2004), Dynamic parallel job scheduling in multi-cluster computing systems, ICCS 2004, LNCS 3036, pp. 27–34, doi:10.1007/978-3-540-24685-5_4, §3",
	New: func() Workload {
		return &SpaceShare{
			Jobs: 20000, Clusters: 8, Processors: 8, Speeds: "homogeneous", Load: 0.7, MeanDemand: 14.06, DemandCv: 3.5, MinParallelism: 1, MaxParallelism: 64,
			ContextSwitch: 0.0002, Latency: 0.00005, Bandwidth: 12.5, Message: 0.5, BackgroundMean: 2,
		}
	},
})

// SpaceShare is the workload of the experiments on dynamic space-sharing (Abawajy 2004, §3). A job has U[MinParallelism, MaxParallelism] equal
// tasks and runs on 1 to as many processors, of any clusters. Its demand, the processor time of all its tasks at speed 1, is hyper-exponential
// of two stages with balanced means, so that each stage has half of the total demand. Arrivals are Poisson at a rate of Load · processors/MeanDemand. The
// speeds of the clusters are scaled to a mean of 1. A processor that works on a job loses ContextSwitch + Latency + Message/Bandwidth.
// Units: s, MB. The objective is mean_response.
//
// The numbers are drawn in a fixed order: another load, speed, demand or parallelism keeps the numbers behind it, so that runs have common random
// numbers.
//
// Deviations from the paper, which leaves these points open: the number of tasks is the maximum parallelism. The paper takes its speeds from
// SPECfp2000 results and does not print them; generations stands for them. It does not state the size of a message. Its experiments do not count the
// first jobs of a run; an instance cannot say so.
type SpaceShare struct {
	Jobs           int     `range:"[0, 100000000]" doc:"number of jobs"`
	Clusters       int     `range:"[1, 1000000]" doc:"number of clusters"`
	Processors     int     `range:"[1, 1000000]" doc:"processors of a cluster"`
	Speeds         string  `doc:"speeds of the clusters: homogeneous; generations, which is 1,1.3,1.7,2.2,2.8,3.5,4.4,5.5; or such a list. Repeated if there are more clusters, then scaled to a mean of 1"`
	Load           float64 `range:"[0.001, 1000]" doc:"processor time that the jobs ask for ÷ available processor time"`
	MeanDemand     float64 `range:"(0, 1e6]" doc:"mean processor time of a job at speed 1"`
	DemandCv       float64 `range:"[1, 100]" doc:"coefficient of variation of the demand"`
	MinParallelism int     `range:"[1, 1000000]" doc:"least maximum parallelism of a job"`
	MaxParallelism int     `range:"[1, 1000000]" doc:"largest maximum parallelism of a job"`
	ContextSwitch  float64 `range:"[0, 1e6]" doc:"time that a processor loses when it begins a job"`
	Latency        float64 `range:"[0, 1e6]" doc:"time until a message begins to arrive"`
	Bandwidth      float64 `range:"[1e-6, 1e12]" doc:"bandwidth of a message, data per time"`
	Message        float64 `range:"[0, 1e6]" doc:"data of the message of a job; 0: no message and no latency"`
	BackgroundLoad float64 `range:"[0, 1)" doc:"share of a processor's time that local jobs ask for (0.1, 0.3, 0.5); 0: no local jobs"`
	BackgroundMean float64 `range:"(0, 1e6]" doc:"mean time of a local job"`
}

// generations are speeds similar to SPECfp2000 results of processors over the years.
const generations = "1,1.3,1.7,2.2,2.8,3.5,4.4,5.5"

// check returns a [*params.Error] if a parameter is out of its range, a largest value is below the least, or there are too many processors.
func (w *SpaceShare) check() error {
	if err := params.Check(w); err != nil {
		return err
	}
	if w.Clusters > model.MaxProcessors/w.Processors {
		return &params.Error{Name: "processors", Expected: fmt.Sprintf("at most %d in all clusters", model.MaxProcessors), Found: w.Processors}
	}
	return ordered("min_parallelism", w.MinParallelism, "max_parallelism", w.MaxParallelism)
}

// Generate implements [Workload].
func (w *SpaceShare) Generate(seed uint64) (*model.Instance, error) {
	return whole(w.batches(seed))
}

// Stream implements [Streamer].
func (w *SpaceShare) Stream(seed uint64) (*model.Instance, *Batches, error) {
	return streamed(w.batches(seed))
}

// batches makes the system and begins to draw the jobs.
func (w *SpaceShare) batches(seed uint64) (*Batches, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	speeds, err := w.speeds()
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("spaceshare-n%d-s%d", w.Jobs, seed)).Minimise("mean_response", 1)
	b.Spec().Units = &model.Units{Time: "s", Work: "s at speed 1", Data: "MB"}
	b.Spec().Overheads = &model.Overheads{ContextSwitch: w.ContextSwitch}
	for c, speed := range speeds {
		machine := model.MachineSpec{ID: "m", Count: w.Processors, Speed: speed}
		if w.BackgroundLoad > 0 {
			machine.Background = &model.Background{Load: w.BackgroundLoad, Mean: w.BackgroundMean}
		}
		b.Cluster(model.ClusterSpec{ID: "C" + strconv.Itoa(c+1), Network: &model.Network{Latency: w.Latency, Bandwidth: w.Bandwidth},
			Machines: []model.MachineSpec{machine}})
	}
	draw := spaceShareJobs{SpaceShare: *w, rng: rand.New(rand.NewPCG(seed, 0x7370616365))} // "space"
	draw.gap = w.MeanDemand / (w.Load * float64(w.Clusters*w.Processors))
	squared := w.DemandCv * w.DemandCv
	draw.often = (1 + math.Sqrt((squared-1)/(squared+1))) / 2
	return &Batches{spec: *b.Spec(), draw: draw.next, left: w.Jobs}, nil
}

// speeds reads the speeds of the clusters and scales them to a mean of 1.
func (w *SpaceShare) speeds() ([]float64, error) {
	list := w.Speeds
	switch list {
	case "homogeneous":
		list = "1"
	case "generations":
		list = generations
	}
	var stated []float64
	for text := range strings.SplitSeq(list, ",") {
		speed, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(speed >= 1e-6 && speed <= 1e6) {
			return nil, &params.Error{Name: "speeds", Expected: "homogeneous, generations or a list of speeds from 1e-6 to 1e6, such as 1,2,4", Found: w.Speeds}
		}
		stated = append(stated, speed)
	}
	speeds, sum := make([]float64, w.Clusters), 0.0
	for c := range speeds {
		speeds[c] = stated[c%len(stated)]
		sum += speeds[c]
	}
	for c := range speeds {
		speeds[c] *= float64(w.Clusters) / sum
	}
	return speeds, nil
}

// spaceShareJobs draws the jobs one after another.
type spaceShareJobs struct {
	SpaceShare
	rng   *rand.Rand
	gap   float64 // mean time between arrivals
	often float64 // probability of the stage with the shorter demands
	made  int
	now   float64
}

// next draws a job. It draws the same numbers in the same order whatever the parameters are.
func (d *spaceShareJobs) next() model.JobSpec {
	if gap := d.gap * d.rng.ExpFloat64(); d.made > 0 {
		d.now += gap
	}
	d.made++
	tasks := uniformInt(d.rng, d.MinParallelism, d.MaxParallelism)
	stage := d.often // probability of the stage: each has half of the total demand, so that its mean is MeanDemand/(2·probability)
	if d.rng.Float64() >= d.often {
		stage = 1 - d.often
	}
	demand := d.rng.ExpFloat64() * d.MeanDemand / (2 * stage)
	return model.JobSpec{
		ID: "J" + strconv.Itoa(d.made), Arrival: d.now, Processors: model.Moldable(1, tasks), Tasks: tasks, Span: "grid",
		Work: new(demand / float64(tasks)), Message: d.Message,
	}
}
