package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "muscle",
	Doc:    "a batch of rigid parallel jobs with soft deadlines for several clusters",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §5, Table 3, eqs. 4–5",
	New:    func() Workload { return &Muscle{} },
})

// Muscle is the workload of MUSCLE's experiments (He et al. 2004, §5): execution times on the first cluster from a
// bounded Pareto distribution (eq. 4), on the others by the ratio of speeds; sizes uniform (or with logarithmic
// probabilities, as for Fig. 7); deadline = arrival + max over clusters of the execution time · (1 + U[MinRatio, MaxRatio])
// (eq. 5); clusters of Table 3. The objective is mcp.
//
// Deviations from the paper: α is not given there and is 1.1 here.
type Muscle struct {
	Jobs     int     `default:"100" doc:"number of jobs"`
	Clusters string  `default:"20:1,16:1.2,12:1.4,10:1.6" doc:"size:speed of each cluster (Table 3)"`
	Weights  string  `default:"4,3,1" doc:"weights of over-deadline, makespan and idle time; several separated by / for one a cluster, the last for the rest"`
	Alpha    float64 `default:"1.1" doc:"shape of the bounded Pareto distribution"`
	Lower    float64 `default:"5" doc:"shortest execution time on the first cluster"`
	Upper    float64 `default:"100" doc:"longest execution time on the first cluster"`
	MinSize  int     `default:"1" doc:"least processors of a job"`
	MaxSize  int     `default:"10" doc:"most processors of a job"`
	Sizes    string  `enum:"uniform,log" doc:"distribution of the sizes; log: P(size ≤ n) proportional to log(n + 1)"`
	MinRatio float64 `default:"0" doc:"least deadline ratio"`
	MaxRatio float64 `default:"5" doc:"largest deadline ratio; 0 means the default, so give a small number for none"`
	Rate     float64 `default:"0" doc:"arrivals per time of a Poisson process; 0: a batch, all released at 0"`
}

// withDefaults is the workload with the defaults in place of zeros.
func (w Muscle) withDefaults() Muscle {
	or := func(x *float64, d float64) {
		if *x == 0 {
			*x = d
		}
	}
	orInt := func(x *int, d int) {
		if *x == 0 {
			*x = d
		}
	}
	orText := func(x *string, d string) {
		if *x == "" {
			*x = d
		}
	}
	orInt(&w.Jobs, 100)
	orText(&w.Clusters, "20:1,16:1.2,12:1.4,10:1.6")
	orText(&w.Weights, "4,3,1")
	or(&w.Alpha, 1.1)
	or(&w.Lower, 5)
	or(&w.Upper, 100)
	orInt(&w.MinSize, 1)
	orInt(&w.MaxSize, 10)
	orText(&w.Sizes, "uniform")
	or(&w.MaxRatio, 5)
	return w
}

// check says what is wrong with the parameters.
func (w Muscle) check() error {
	switch {
	case w.Jobs < 0 || w.Jobs > 10_000_000:
		return fmt.Errorf("jobs: expected 0 to 10000000, found %d", w.Jobs)
	case !(w.Alpha > 0) || !(w.Lower > 0) || !(w.Upper >= w.Lower) || w.Upper > 1e12 || w.Alpha > 1e3:
		return fmt.Errorf("expected alpha > 0 and 0 < lower ≤ upper ≤ 1e12, found alpha %v, lower %v, upper %v", w.Alpha, w.Lower, w.Upper)
	case w.MinSize < 1 || w.MaxSize < w.MinSize || w.MaxSize > model.MaxProcessors:
		return fmt.Errorf("expected 1 ≤ min_size ≤ max_size, found %d and %d", w.MinSize, w.MaxSize)
	case !(w.MinRatio >= 0) || !(w.MaxRatio >= w.MinRatio) || w.MaxRatio > 1e12:
		return fmt.Errorf("expected 0 ≤ min_ratio ≤ max_ratio, found %v and %v", w.MinRatio, w.MaxRatio)
	case !(w.Rate >= 0) || w.Rate > 1e12:
		return fmt.Errorf("rate: expected a number ≥ 0, found %v", w.Rate)
	}
	return nil
}

// Generate implements [Workload].
func (w *Muscle) Generate(seed uint64) (*model.Instance, error) {
	p := w.withDefaults()
	if err := p.check(); err != nil {
		return nil, err
	}
	b := model.NewBuilder(fmt.Sprintf("muscle-n%d-s%d", p.Jobs, seed)).Minimise("mcp", 1)
	slowest, err := p.clusters(b)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d7573636c65)) // "muscle"
	arrival := 0.0
	for k := range p.Jobs {
		if p.Rate > 0 && k > 0 {
			arrival += rng.ExpFloat64() / p.Rate
		}
		time := p.pareto(rng)
		longest := time / slowest // execution time on the slowest cluster; time is that on the first, whose speed is 1
		b.Job(model.JobSpec{
			ID:         "J" + strconv.Itoa(k+1),
			Arrival:    arrival,
			Processors: model.Rigid(p.size(rng)),
			Work:       new(time),
			Deadline:   new(arrival + longest*(1+p.MinRatio+(p.MaxRatio-p.MinRatio)*rng.Float64())),
		})
	}
	return b.Build()
}

// clusters adds the clusters and returns the least speed, relative to that of the first cluster.
func (w *Muscle) clusters(b *model.Builder) (slowest float64, err error) {
	weights := strings.Split(w.Weights, "/")
	if n := strings.Count(w.Clusters, ",") + 1; len(weights) > n {
		return 0, fmt.Errorf("weights: expected at most %d, one a cluster; found %d", n, len(weights))
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
			return 0, fmt.Errorf("clusters: expected size:speed, such as 20:1,16:1.2; found %q", text)
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
		return nil, fmt.Errorf("weights: expected three numbers such as 4,3,1; found %q", text)
	}
	return &model.WeightsSpec{OverDeadline: values[0], Makespan: values[1], IdleTime: values[2]}, nil
}

// pareto draws from the bounded Pareto distribution (eq. 4) by inversion.
func (w *Muscle) pareto(rng *rand.Rand) float64 {
	ratio := math.Pow(w.Lower/w.Upper, w.Alpha)
	return w.Lower * math.Pow(1-rng.Float64()*(1-ratio), -1/w.Alpha)
}

// size draws a number of processors.
func (w *Muscle) size(rng *rand.Rand) int {
	if w.Sizes == "uniform" {
		return w.MinSize + rng.IntN(w.MaxSize-w.MinSize+1)
	}
	low, high := math.Log(float64(w.MinSize)), math.Log(float64(w.MaxSize)+1)
	return min(w.MaxSize, int(math.Exp(low+(high-low)*rng.Float64())))
}
