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
	Name:   "muscle",
	Doc:    "a batch of rigid parallel jobs with soft deadlines for several clusters",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §5, Table 3, eqs. 4–5",
	New: func() Workload {
		return &Muscle{
			Jobs: 100, Clusters: "20:1,16:1.2,12:1.4,10:1.6", Weights: "4,3,1", Alpha: 1.1, Lower: 5, Upper: 100,
			MinSize: 1, MaxSize: 10, Sizes: "uniform", MaxRatio: 5,
		}
	},
})

// Muscle is the workload of MUSCLE's experiments (He et al. 2004, §5): execution times on the first cluster from a
// bounded Pareto distribution (eq. 4), on the others by the ratio of speeds; sizes uniform (or normal, or with
// logarithmic probabilities, as for Fig. 7); deadline = arrival + max over clusters of the execution time · (1 + U[MinRatio, MaxRatio])
// (eq. 5); clusters of Table 3. The objective is mcp.
//
// Deviations from the paper: α is not given there and is 1.1 here; of the normal sizes it gives no mean and no deviation.
type Muscle struct {
	Jobs     int     `range:"[0, 10000000]" doc:"number of jobs"`
	Clusters string  `doc:"size:speed of each cluster (Table 3)"`
	Weights  string  `doc:"weights of over-deadline, makespan and idle time; separated by / for each cluster, the last for all further clusters"`
	Alpha    float64 `range:"(0, 1000]" doc:"shape of the bounded Pareto distribution"`
	Lower    float64 `range:"(0, 1e12]" doc:"shortest execution time on the first cluster"`
	Upper    float64 `range:"(0, 1e12]" doc:"longest execution time on the first cluster"`
	MinSize  int     `range:"[1, 16777216]" doc:"least processors of a job"`
	MaxSize  int     `range:"[1, 16777216]" doc:"most processors of a job"`
	Sizes    string  `enum:"uniform,normal,log" doc:"distribution of the sizes; normal: around the middle, with a quarter of the range as standard deviation, drawn again until within the range; log: P(size ≤ n) proportional to log(n + 1)"`
	MinRatio float64 `range:"[0, 1e12]" doc:"least deadline ratio"`
	MaxRatio float64 `range:"[0, 1e12]" doc:"largest deadline ratio"`
	Rate     float64 `range:"[0, 1e12]" doc:"arrivals per time of a Poisson process; 0: a batch, all jobs released at 0"`
}

// check returns a [*params.Error] if a parameter is out of its range or a largest value is below the least.
func (w *Muscle) check() error {
	return cmp.Or(
		params.Check(w),
		ordered("lower", w.Lower, "upper", w.Upper),
		ordered("min_size", w.MinSize, "max_size", w.MaxSize),
		ordered("min_ratio", w.MinRatio, "max_ratio", w.MaxRatio),
	)
}

// Generate implements [Workload].
func (w *Muscle) Generate(seed uint64) (*model.Instance, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("muscle-n%d-s%d", w.Jobs, seed)).Minimise("mcp", 1)
	slowest, err := w.clusters(b)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d7573636c65)) // "muscle"
	arrival := 0.0
	for k := range w.Jobs {
		if w.Rate > 0 && k > 0 {
			arrival += rng.ExpFloat64() / w.Rate
		}
		time := pareto(rng, w.Alpha, w.Lower, w.Upper)
		longest := time / slowest // over the clusters; times are those at speed 1 of the first
		b.Job(model.JobSpec{
			ID:         "J" + strconv.Itoa(k+1),
			Arrival:    arrival,
			Processors: model.Rigid(w.size(rng)),
			Work:       new(time),
			Deadline:   new(arrival + longest*(1+w.MinRatio+(w.MaxRatio-w.MinRatio)*rng.Float64())),
		})
	}
	return b.Build()
}

// clusters adds the clusters and returns the least speed, relative to that of the first cluster.
func (w *Muscle) clusters(b *model.Builder) (slowest float64, err error) {
	weights := strings.Split(w.Weights, "/")
	if n := strings.Count(w.Clusters, ",") + 1; len(weights) > n {
		return 0, &params.Error{Name: "weights", Expected: fmt.Sprintf("at most %d, one a cluster", n), Found: len(weights)}
	}
	if b.Spec().Weights, err = parseWeights(weights[0]); err != nil {
		return 0, err
	}
	slowest = math.Inf(1)
	first := 0.0
	for k, text := range strings.Split(w.Clusters, ",") {
		size, speedText, _ := strings.Cut(text, ":")
		n, errSize := strconv.Atoi(size)
		speed, errSpeed := strconv.ParseFloat(speedText, 64)
		if errSize != nil || errSpeed != nil || n < 1 || !(speed > 0) {
			return 0, &params.Error{Name: "clusters", Expected: "size:speed, such as 20:1,16:1.2", Found: text}
		}
		if k == 0 {
			first = speed
		}
		var own *model.WeightsSpec
		if len(weights) > 1 {
			if own, err = parseWeights(weights[min(k, len(weights)-1)]); err != nil {
				return 0, err
			}
		}
		id := strconv.Itoa(k + 1)
		b.Cluster(model.ClusterSpec{ID: "C" + id, Weights: own,
			Machines: []model.MachineSpec{{ID: "c" + id, Count: n, Speed: speed / first}}})
		slowest = min(slowest, speed/first)
	}
	return slowest, nil
}

// parseWeights reads "4,3,1".
func parseWeights(text string) (*model.WeightsSpec, error) {
	var values []*float64
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			break
		}
		values = append(values, &x)
	}
	if len(values) != 3 {
		return nil, &params.Error{Name: "weights", Expected: "three numbers such as 4,3,1", Found: text}
	}
	return &model.WeightsSpec{OverDeadline: values[0], Makespan: values[1], IdleTime: values[2]}, nil
}

// pareto draws from the bounded Pareto distribution (eq. 4) of shape alpha by inversion.
func pareto(rng *rand.Rand, alpha, lower, upper float64) float64 {
	ratio := math.Pow(lower/upper, alpha)
	return lower * math.Pow(1-rng.Float64()*(1-ratio), -1/alpha)
}

// size draws a number of processors.
func (w *Muscle) size(rng *rand.Rand) int {
	switch w.Sizes {
	case "uniform":
		return w.MinSize + rng.IntN(w.MaxSize-w.MinSize+1)
	case "normal":
		least, most := float64(w.MinSize), float64(w.MaxSize)
		for {
			if size := math.Round((least+most)/2 + (most-least)/4*rng.NormFloat64()); size >= least && size <= most {
				return int(size)
			}
		}
	}
	low, high := math.Log(float64(w.MinSize)), math.Log(float64(w.MaxSize)+1)
	return min(w.MaxSize, int(math.Exp(low+(high-low)*rng.Float64())))
}
