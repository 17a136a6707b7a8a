package solve

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

var _ = RegisterBound(Bound{Name: "area-levels", Metric: "mcp",
	Doc:    "no cluster's makespan is below the area of its jobs over its processors: the least weighted mean over all ways to share the jobs",
	Source: "allot",
	Prove:  proveAreaLevels})

// proveAreaLevels minimises Σ_i n_i/p · w_i·A_i/m_i over assignments, where A_i is the processor time of the n_i jobs of cluster i
// and w_i its weight of the makespan over the sum of its weights: idle time and over-deadline are at least 0. For fixed counts the
// coefficient of a job's area depends on the cluster alone, so sorted by area the jobs fall into one block a cluster: dynamic programming
// over the set of clusters used and the number of jobs given out.
//
// It needs areas that are proportional over the clusters, and a schedule that places all jobs. Complexity: O(2^K·K·p²) for K
// clusters and p jobs; above a limit there is none.
func proveAreaLevels(ctx context.Context, r *relaxation) (float64, bool) {
	const limit = 1 << 28
	k, p := len(r.in.Clusters()), len(r.must)
	if !r.all || p == 0 || r.spreads() || k > 20 || (1<<k)*k > limit/(p*p+1) {
		return 0, false
	}
	sums, factor, ok := r.proportionalAreas(ctx)
	if !ok {
		return 0, false
	}
	for c := range factor {
		w := r.in.Clusters()[c].Weights
		if w.Sum() == 0 {
			factor[c] = 0
			continue
		}
		factor[c] *= w.Makespan / w.Sum() / float64(r.in.Clusters()[c].Processors) / float64(p)
	}
	return cheapestBlocks(ctx, sums, factor)
}

// cheapestBlocks gives consecutive blocks of the jobs, whose areas have the given running sums, to the clusters in the best order
// and sizes: a block of n jobs and area A costs n·A·factor.
func cheapestBlocks(ctx context.Context, sums, factor []float64) (float64, bool) {
	k, p := len(factor), len(sums)-1
	best := make([][]float64, 1<<k) // by set of clusters used and jobs given out
	for set := range best {
		best[set] = slices.Repeat([]float64{math.Inf(1)}, p+1)
	}
	best[0][0] = 0
	for set := 1; set < 1<<k; set++ {
		if ctx.Err() != nil {
			return 0, false
		}
		for rest := set; rest != 0; rest &= rest - 1 {
			c := bits.TrailingZeros(uint(rest))
			before := best[set&^(1<<c)]
			for to := range best[set] {
				if to%256 == 255 && ctx.Err() != nil {
					return 0, false
				}
				for from := 0; from <= to; from++ {
					if v := before[from] + float64(to-from)*(sums[to]-sums[from])*factor[c]; v < best[set][to] {
						best[set][to] = v
					}
				}
			}
		}
	}
	return best[1<<k-1][p], true
}

// proportionalAreas sorts the jobs by area on the first cluster and returns the running sums, and for each cluster the
// factor by which the areas are larger there; false where they are not proportional, or the context ends first.
func (r *relaxation) proportionalAreas(ctx context.Context) (sums, factor []float64, ok bool) {
	rows, ok := r.areas(ctx)
	if !ok {
		return nil, nil, false
	}
	factor = slices.Repeat([]float64{math.NaN()}, len(r.in.Clusters()))
	areas := make([]float64, len(rows))
	for k, row := range rows {
		first := slices.IndexFunc(row, func(a float64) bool { return !math.IsInf(a, 1) })
		speed, _ := fastest(&r.in.Clusters()[first])
		areas[k] = row[first] * speed // at speed 1
		for c, area := range row {
			if math.IsInf(area, 1) {
				continue // fewer clusters to choose from only make it dearer
			}
			speed, _ := fastest(&r.in.Clusters()[c])
			if factor[c] = 1 / speed; math.Abs(area-areas[k]*factor[c]) > 1e-9*area {
				return nil, nil, false
			}
		}
	}
	for c := range factor {
		if math.IsNaN(factor[c]) {
			factor[c] = 1e100 // no job runs there; not +Inf, of which an empty block would cost NaN
		}
	}
	slices.Sort(areas)
	sums = make([]float64, len(areas)+1)
	for k, area := range areas {
		sums[k+1] = sums[k] + area
	}
	return sums, factor, true
}
