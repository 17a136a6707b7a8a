package bound

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "area-levels", Metric: "mcp", Certifies: true,
	Doc:    "no cluster's makespan is below the area of its jobs over its processors: the least weighted mean over all ways to share the jobs",
	Source: "allot",
	New:    OnceShown(proveAreaLevels)})

// proveAreaLevels minimises Σ_i n_i/p · w_i·A_i/m_i over assignments. A_i is the processor time of the n_i jobs of cluster i,
// and w_i is its weight of the makespan over the sum of its weights; idle time and time over deadlines are at least 0. For
// fixed numbers of jobs the coefficient of a job's area depends on the cluster alone. So if the jobs are sorted by area, each
// cluster gets one block of them. Dynamic programming runs over the set of clusters used and the number of jobs given out.
//
// The method needs areas that are proportional over the clusters, and a schedule that places all jobs. Complexity: O(2^K·K·p²)
// for K clusters and p jobs; above a limit the method proves nothing.
func proveAreaLevels(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	k, p := len(r.in.Clusters()), len(r.must)
	if !r.all || p == 0 || r.Spreads() || tooManyBlocks(k, p, 1<<28) {
		return Sum{}, nil, false
	}
	_, sums, factor, ok := r.proportionalAreas(ctx)
	if !ok {
		return Sum{}, nil, false
	}
	r.levelFactors(factor)
	value, _, ok := cheapestBlocks(ctx, sums, factor)
	size := 0.0 // the area of a block is the difference of two running sums
	for _, f := range factor {
		if f < nowhere/1e50 {
			size = max(size, float64(p)*sums[p]*f)
		}
	}
	return Sum{Value: value, Size: size, Terms: p + k}, func() *proof.Argument { return &proof.Argument{AreaLevels: &proof.AreaLevels{}} }, ok
}

// tooManyBlocks says whether [cheapestBlocks] of p jobs on k clusters takes more steps than the limit.
func tooManyBlocks(k, p, limit int) bool {
	return k > 20 || (1<<k)*k > limit/(p*p+1)
}

// nowhere is the factor of a cluster on which no job can run. It makes jobs there too expensive to choose. It is finite, so that an empty block costs 0
// and not NaN.
const nowhere = 1e100

// levelFactors turns factors of areas into the cost of a unit of area for a job on the cluster.
func (r *Relaxation) levelFactors(factor []float64) {
	for c := range factor {
		w := r.in.Clusters()[c].Weights
		if w.Sum() == 0 {
			factor[c] = 0
			continue
		}
		factor[c] *= w.Makespan / w.Sum() / float64(r.in.Clusters()[c].Processors) / float64(len(r.must))
	}
}

// cheapestBlocks gives consecutive blocks of the jobs to the clusters, in the best order and sizes; sums are the running sums
// of the jobs' areas. A block of n jobs and area A costs n·A·factor. It returns the blocks by cluster, as positions [from, to).
func cheapestBlocks(ctx context.Context, sums, factor []float64) (value float64, blocks [][2]int, ok bool) {
	k, p := len(factor), len(sums)-1
	best := make([][]float64, 1<<k) // by set of clusters used and number of jobs given out
	for set := range best {
		best[set] = slices.Repeat([]float64{math.Inf(1)}, p+1)
	}
	best[0][0] = 0
	for set := 1; set < 1<<k; set++ {
		if ctx.Err() != nil {
			return 0, nil, false
		}
		for rest := set; rest != 0; rest &= rest - 1 {
			c := bits.TrailingZeros(uint(rest))
			before := best[set&^(1<<c)]
			for to := range best[set] {
				if to%256 == 255 && ctx.Err() != nil {
					return 0, nil, false
				}
				for from := 0; from <= to; from++ {
					if v := before[from] + float64(to-from)*(sums[to]-sums[from])*factor[c]; v < best[set][to] {
						best[set][to] = v
					}
				}
			}
		}
	}
	blocks = make([][2]int, k)
	for set, to := 1<<k-1, p; set != 0; { // back through the choices
		c, from := lastBlock(best, sums, factor, set, to)
		blocks[c] = [2]int{from, to}
		set, to = set&^(1<<c), from
	}
	return best[1<<k-1][p], blocks, true
}

// lastBlock looks at the first to jobs, shared among the clusters of the set. It returns the cluster that takes the last block of
// them, and the position where this block begins.
func lastBlock(best [][]float64, sums, factor []float64, set, to int) (cluster, from int) {
	least := math.Inf(1)
	for rest := set; rest != 0; rest &= rest - 1 {
		c := bits.TrailingZeros(uint(rest))
		for f := 0; f <= to; f++ {
			if v := best[set&^(1<<c)][f] + float64(to-f)*(sums[to]-sums[f])*factor[c]; v < least {
				least, cluster, from = v, c, f
			}
		}
	}
	return cluster, from
}

// proportionalAreas sorts the jobs that have to be placed by their area at speed 1. It returns their positions, the running
// sums of the areas and, for each cluster, the factor of the areas there. It returns false if the areas are not proportional or
// the context ends first.
func (r *Relaxation) proportionalAreas(ctx context.Context) (order []int, sums, factor []float64, ok bool) {
	rows, ok := r.Areas(ctx)
	if !ok {
		return nil, nil, nil, false
	}
	factor = slices.Repeat([]float64{math.NaN()}, len(r.in.Clusters()))
	areas := make([]float64, len(rows))
	for k, row := range rows {
		first := slices.IndexFunc(row, func(a float64) bool { return !math.IsInf(a, 1) })
		speed := r.fast[first].speed
		areas[k] = row[first] * speed // at speed 1
		for c, area := range row {
			if math.IsInf(area, 1) {
				continue // fewer clusters to choose from can only raise the least cost
			}
			speed := r.fast[c].speed
			if factor[c] = 1 / speed; math.Abs(area-areas[k]*factor[c]) > 16*gate.Epsilon*area {
				return nil, nil, nil, false
			}
		}
	}
	for c := range factor {
		if math.IsNaN(factor[c]) {
			factor[c] = nowhere
		}
	}
	order = make([]int, len(areas))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(areas[a], areas[b]) })
	sums = make([]float64, len(areas)+1)
	for k, j := range order {
		sums[k+1] = sums[k] + areas[j]
	}
	return order, sums, factor, true
}
