package bound

import (
	"cmp"
	"context"
	"slices"
)

var (
	_ = Register(Method{Name: "area-dual", Metric: "makespan",
		Doc:    "the area of the jobs over the processors, at the best prices of the clusters' processor time: the dual of the assignment's linear program",
		Source: "J. K. Lenstra, D. B. Shmoys, É. Tardos (1990), Approximation algorithms for scheduling unrelated parallel machines, Math. Program. 46, doi:10.1007/BF01585745, the linear program; prices by multiplicative updates, S. Arora, E. Hazan, S. Kale (2012), doi:10.4086/toc.2012.v008a006",
		New:    Once(proveAreaDual)})
	_ = Register(Method{Name: "area-released", Metric: "makespan",
		Doc: "a time of arrival + the area of the jobs that arrive then or later, over all processors", Source: "elementary", New: Once(proveAreaReleased)})
	_ = Register(Method{Name: "wide-jobs", Metric: "makespan",
		Doc: "jobs wider than half of every cluster, one after another", Source: "elementary", New: Once(proveWideJobs)})
)

// Areas is a table of the least processor time of each job that has to be placed, by cluster; +Inf: the job cannot run there.
// Row k is that of job MustPlace()[k]. It returns false if the context ends first.
func (r *Relaxation) Areas(ctx context.Context) ([][]float64, bool) {
	if r.areaRows != nil {
		return r.areaRows, true
	}
	rows := make([][]float64, len(r.must))
	for k, j := range r.must {
		if k%64 == 0 && ctx.Err() != nil {
			return nil, false
		}
		rows[k] = make([]float64, len(r.in.Clusters()))
		for c := range rows[k] {
			rows[k][c] = areaOn(r.in, j, c)
		}
	}
	r.areaRows = rows
	return rows, true
}

// Spreads says that some job may hold processors of several clusters at once, so that no single cluster need run all of it.
func (r *Relaxation) Spreads() bool {
	return slices.ContainsFunc(r.must, func(j int) bool { return canSpread(r.in, j) })
}

// proveAreaDual bounds the makespan by the value of the jobs at the best prices of processor time.
func proveAreaDual(ctx context.Context, r *Relaxation) (Sum, bool) {
	if len(r.must) == 0 {
		return Sum{}, true
	}
	prices, ok := r.AreaPrices(ctx)
	return r.PricedSum(prices.Value), ok
}

// PricedSum is a sum over all jobs of values that are at least 0, at prices of the clusters; prices times processors sum to 1
// but for rounding.
func (r *Relaxation) PricedSum(value float64) Sum {
	return Sum{Value: value, Size: value, Terms: len(r.must) + 2*len(r.in.Clusters())}
}

// AreaPrices are the best prices of the clusters' processor time for the areas of the jobs; false: the context ended before the
// areas were known. It computes them once.
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
		speeds[c], _ = fastest(&r.in.Clusters()[c])
	}
	return speeds
}

// proveAreaReleased tries every time of arrival.
func proveAreaReleased(ctx context.Context, r *Relaxation) (Sum, bool) {
	areas, ok := r.Areas(ctx)
	if !ok {
		return Sum{}, false
	}
	late := make([]int, len(areas)) // positions in must
	for k := range late {
		late[k] = k
	}
	slices.SortFunc(late, func(a, b int) int { return cmp.Compare(r.start[r.must[b]], r.start[r.must[a]]) })
	best, area := 0.0, 0.0
	for _, k := range late {
		area += slices.Min(areas[k])
		best = max(best, r.start[r.must[k]]+area/float64(r.in.Processors()))
	}
	return r.Chained(r.PricedSum(best)), true
}

// proveWideJobs adds up the jobs of which no two fit beside each other on any cluster: each cluster runs them one after
// another. A job that may release some of its processors early does not count, because another job may start then.
func proveWideJobs(ctx context.Context, r *Relaxation) (Sum, bool) {
	sum, longest := 0.0, 0.0
	for k, j := range r.must {
		if k%64 == 0 && ctx.Err() != nil {
			return Sum{}, false
		}
		wide := isSolid(r.in, j)
		for c := range r.in.Clusters() {
			least, _ := r.in.Width(j, c)
			wide = wide && (2*least > r.in.Clusters()[c].Processors || !r.in.CanRun(j, c))
		}
		if wide {
			sum += r.least[j]
			longest = max(longest, r.least[j])
		}
	}
	return r.PricedSum(max(longest, sum/float64(len(r.in.Clusters())))), true
}
