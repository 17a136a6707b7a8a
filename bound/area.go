package bound

import (
	"cmp"
	"context"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(Method{Name: "area-dual", Metric: "makespan", Certifies: true,
		Doc:    "the area of the jobs over the processors, at the best prices of the clusters' processor time and memory: the dual of the assignment's linear program",
		Source: "J. K. Lenstra, D. B. Shmoys, É. Tardos (1990), Approximation algorithms for scheduling unrelated parallel machines, Math. Program. 46, doi:10.1007/BF01585745, the linear program; prices by multiplicative updates, S. Arora, E. Hazan, S. Kale (2012), doi:10.4086/toc.2012.v008a006",
		New:    OnceShown(proveAreaDual)})
	_ = Register(Method{Name: "area-released", Metric: "makespan", Certifies: true,
		Doc: "a time of arrival + the area of the jobs that arrive then or later, over all processors", Source: "elementary", New: OnceShown(proveAreaReleased)})
	_ = Register(Method{Name: "wide-jobs", Metric: "makespan", Certifies: true,
		Doc: "jobs wider than half of every cluster, one after another", Source: "elementary", New: OnceShown(proveWideJobs)})
)

// Areas returns a table of the least processor time of each job that has to be placed, by cluster. The time is +Inf where the job
// cannot run. Row k belongs to job MustPlace()[k]. Areas returns false if the context ends first.
func (r *Relaxation) Areas(ctx context.Context) ([][]float64, bool) {
	if r.areaRows != nil {
		return r.areaRows, true
	}
	rows := make([][]float64, len(r.must))
	for k, j := range r.must {
		if ctx.Err() != nil {
			return nil, false
		}
		rows[k] = make([]float64, len(r.in.Clusters()))
		for c := range rows[k] {
			rows[k][c] = r.areaOn(j, c)
		}
	}
	r.areaRows = rows
	return rows, true
}

// Spreads says that some job may hold processors of several clusters at once, so that no single cluster need run all of it.
func (r *Relaxation) Spreads() bool {
	return slices.ContainsFunc(r.must, func(j int) bool { return r.over[j] != nil })
}

// proveAreaDual bounds the makespan by the value of the jobs at the best prices of processor time and memory.
func proveAreaDual(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	if len(r.must) == 0 {
		return Sum{}, nil, true
	}
	sets, ok := r.priceSets(ctx)
	if !ok {
		return Sum{}, nil, false
	}
	best := sets[0]
	for _, prices := range sets[1:] {
		if prices.Value > best.Value {
			best = prices
		}
	}
	return r.pricedSum(best.Value, best), func() *proof.Argument { return showArea(nil, best) }, true
}

// showArea shows the areas of the jobs at the prices. If jobs is nil, it means all jobs that have to be placed.
func showArea(jobs []int, prices Prices) *proof.Argument {
	return &proof.Argument{Area: &proof.Area{Jobs: jobs, Prices: prices.Price, Memory: prices.Memory}}
}

// unitPrices is the price 1 for every cluster.
func (r *Relaxation) unitPrices() []float64 { return slices.Repeat([]float64{1}, len(r.in.Clusters())) }

// PricedSum turns a value into a [Sum]. The value is a sum over all jobs of values that are at least 0, at prices of the clusters.
// Prices times processors sum to 1 but for rounding.
func (r *Relaxation) PricedSum(value float64) Sum {
	return Sum{Value: value, Size: value, Terms: len(r.must) + 2*len(r.in.Clusters())}
}

// pricedSum is like PricedSum. Where memory has prices, the sizes of all memories are rounded, too.
func (r *Relaxation) pricedSum(value float64, prices Prices) Sum {
	sum := r.PricedSum(value)
	if prices.Memory != nil {
		for c := range r.in.Clusters() {
			sum.Terms += 4 + 2*len(r.in.Clusters()[c].Machines)
		}
	}
	return sum
}

// priceSets returns the prices for bounds by area: those of processors and, where memory is limited, those of processors and memory. It returns false if
// the context ended before they were known.
func (r *Relaxation) priceSets(ctx context.Context) ([]Prices, bool) {
	if r.sets == nil {
		prices, ok := r.AreaPrices(ctx)
		if !ok {
			return nil, false
		}
		r.sets = []Prices{prices}
		if r.in.Features()&model.MemoryLimits != 0 {
			areas, _ := r.Areas(ctx) // known, as the prices are
			if both, scarce := r.memoryPrices(ctx, prices, areas); scarce {
				r.sets = append(r.sets, both)
			}
		}
	}
	return r.sets, true
}

// AreaPrices returns the prices of the clusters' processor time that are best for the areas of the jobs. It computes them once. It
// returns false if the context ended before the areas were known.
func (r *Relaxation) AreaPrices(ctx context.Context) (Prices, bool) {
	if r.prices.Price == nil {
		areas, ok := r.Areas(ctx)
		if !ok {
			return Prices{}, false
		}
		r.prices = FindPrices(ctx, r.processorCounts(), r.speeds(), len(areas), func(k int) []float64 { return areas[k] })
	}
	return r.prices, true
}

// processorCounts are the numbers of processors of the clusters.
func (r *Relaxation) processorCounts() []int {
	counts := make([]int, len(r.in.Clusters()))
	for c := range counts {
		counts[c] = r.in.Clusters()[c].Processors
	}
	return counts
}

// speeds are the speeds of the clusters' fastest processors.
func (r *Relaxation) speeds() []float64 {
	speeds := make([]float64, len(r.in.Clusters()))
	for c := range speeds {
		speeds[c] = r.fast[c].speed
	}
	return speeds
}

// proveAreaReleased tries every time of arrival.
func proveAreaReleased(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	areas, ok := r.Areas(ctx)
	if !ok {
		return Sum{}, nil, false
	}
	late := make([]int, len(areas)) // positions in must
	for k := range late {
		late[k] = k
	}
	slices.SortFunc(late, func(a, b int) int { return cmp.Compare(r.start[r.must[b]], r.start[r.must[a]]) })
	best, area, last := 0.0, 0.0, 0
	for i, k := range late {
		area += slices.Min(areas[k])
		if value := r.start[r.must[k]] + area/float64(r.in.Processors()); value > best {
			best, last = value, i
		}
	}
	show := func() *proof.Argument {
		jobs := make([]int, 0, last+1)
		for _, k := range late[:min(last+1, len(late))] {
			jobs = append(jobs, r.must[k])
		}
		slices.Sort(jobs)
		return showArea(jobs, Prices{Price: r.unitPrices()})
	}
	return r.Chained(r.PricedSum(best)), show, true
}

// proveWideJobs adds up the jobs of which no two fit beside each other on any cluster: each cluster runs them one after
// another. A job that may release some of its processors early does not count, because another job may start then.
func proveWideJobs(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	sum, longest, at := 0.0, 0.0, -1
	var jobs []int
	for _, j := range r.must {
		if ctx.Err() != nil {
			return Sum{}, nil, false
		}
		wide := r.isSolid(j)
		for c := range r.in.Clusters() {
			least, _ := r.in.Width(j, c)
			wide = wide && (2*least > r.in.Clusters()[c].Processors || !r.in.CanRun(j, c))
		}
		if wide {
			sum += r.least[j]
			jobs = append(jobs, j)
			if r.least[j] > longest {
				longest, at = r.least[j], j
			}
		}
	}
	mean := sum / float64(len(r.in.Clusters()))
	show := func() *proof.Argument {
		if longest >= mean {
			return r.chainTo(at)
		}
		a := showArea(jobs, Prices{Price: r.unitPrices()})
		a.Area.Weights = r.sizeWeights(jobs, func(size, processors int) int { return 1 })
		return a
	}
	return r.PricedSum(max(longest, mean)), show, true
}

// sizeWeights tabulates the weights of the jobs by cluster and size.
func (r *Relaxation) sizeWeights(jobs []int, weight func(size, processors int) int) [][]proof.Weight {
	weights := make([][]proof.Weight, len(r.in.Clusters()))
	for c := range weights {
		weights[c] = []proof.Weight{}
		var sizes []int
		for _, j := range jobs {
			if r.in.CanRun(j, c) {
				size, _ := r.in.Width(j, c)
				sizes = append(sizes, size)
			}
		}
		slices.Sort(sizes)
		for _, size := range slices.Compact(sizes) {
			weights[c] = append(weights[c], proof.Weight{Size: size, Weight: weight(size, r.in.Clusters()[c].Processors)})
		}
	}
	return weights
}
