package solve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

var (
	_ = RegisterBound(Bound{Name: "area-dual", Metric: "makespan",
		Doc:    "the area of the jobs over the processors, at the best prices of the clusters' processor time: the dual of the assignment's linear program",
		Source: "J. K. Lenstra, D. B. Shmoys, É. Tardos (1990), Approximation algorithms for scheduling unrelated parallel machines, Math. Program. 46, doi:10.1007/BF01585745, the linear program; prices by multiplicative updates, S. Arora, E. Hazan, S. Kale (2012), doi:10.4086/toc.2012.v008a006",
		Prove:  proveAreaDual})
	_ = RegisterBound(Bound{Name: "area-released", Metric: "makespan",
		Doc: "a time of arrival + the area of the jobs that arrive then or later, over all processors", Source: "elementary", Prove: proveAreaReleased})
	_ = RegisterBound(Bound{Name: "wide-jobs", Metric: "makespan",
		Doc: "jobs wider than half of every cluster, one after another", Source: "elementary", Prove: proveWideJobs})
)

// areas is the least processor time of each job that has to be placed, by cluster; +Inf where it cannot run.
func (r *relaxation) areas() [][]float64 {
	if r.areaRows != nil {
		return r.areaRows
	}
	rows := make([][]float64, len(r.must))
	for k, j := range r.must {
		rows[k] = make([]float64, len(r.in.Clusters()))
		for c := range rows[k] {
			rows[k][c] = areaOn(r.in, j, c)
		}
	}
	r.areaRows = rows
	return rows
}

// spreads says that a job may hold processors of several clusters at once, so that no cluster need run it as a whole.
func (r *relaxation) spreads() bool {
	return slices.ContainsFunc(r.must, func(j int) bool { return r.in.Jobs()[j].Span == model.SpanGrid })
}

// proveAreaDual maximises Σ_j min_c y_c·a_jc over prices y_c ≥ 0 with Σ y_c·m_c = 1: at any such prices a schedule of makespan
// M is worth at most M and its jobs at least that sum. The prices start at the clusters' speeds and grow where the jobs crowd.
// The number of rounds depends on the size of the instance alone.
func proveAreaDual(ctx context.Context, r *relaxation) (float64, bool) {
	if len(r.must) == 0 {
		return 0, true
	}
	clusters := r.in.Clusters()
	areas := r.areas()
	weights := make([]float64, len(clusters)) // y_c·m_c, which sum to 1
	total := 0.0
	for c := range weights {
		speed, _ := fastest(&clusters[c])
		weights[c] = speed * float64(clusters[c].Processors)
		total += weights[c]
	}
	for c := range weights {
		weights[c] /= total
	}
	uniform := make([]float64, len(clusters)) // a price of 1 for every processor
	for c := range uniform {
		uniform[c] = float64(clusters[c].Processors) / float64(r.in.Processors())
	}
	best, _ := r.priced(areas, uniform, nil)
	if first, _ := r.priced(areas, weights, nil); first > best {
		best = first
	}
	if len(clusters) == 1 {
		return best, true
	}
	const work, most = 60_000_000, 20_000 // pairs of job and cluster looked at, rounds
	rounds := min(most, work/(len(areas)*len(clusters)))
	return r.ascend(ctx, areas, weights, best, rounds), true
}

// ascend improves the prices by multiplicative updates towards the clusters with more load than the mean, in steps that shrink
// when they stop helping, and returns the best value.
func (r *relaxation) ascend(ctx context.Context, areas [][]float64, weights []float64, best float64, rounds int) float64 {
	load := make([]float64, len(weights))
	kept := slices.Clone(weights)
	step, stale := 0.5, 0
	for round := range rounds {
		if round%16 == 0 && ctx.Err() != nil {
			break
		}
		value, crowd := r.priced(areas, weights, load)
		if value > best*(1+1e-9) {
			best, stale = value, 0
			copy(kept, weights)
		} else if stale++; stale >= 30 {
			step, stale = step*0.7, 0
			copy(weights, kept)
			if step < 1e-7 {
				break
			}
			continue
		}
		if crowd == 0 {
			break
		}
		total := 0.0
		for c := range weights {
			weights[c] *= math.Exp(step * (load[c] - value) / crowd)
			total += weights[c]
		}
		for c := range weights {
			weights[c] /= total
		}
	}
	return best
}

// priced is Σ_j min_c y_c·a_jc for y_c = weights_c/m_c; load, where not nil, takes the processor time of the jobs that choose each
// cluster per processor, and crowd is the largest of it.
func (r *relaxation) priced(areas [][]float64, weights, load []float64) (value, crowd float64) {
	clusters := r.in.Clusters()
	price := make([]float64, len(weights))
	for c := range price {
		price[c] = weights[c] / float64(clusters[c].Processors)
	}
	clear(load)
	for _, row := range areas {
		at, least := 0, math.Inf(1)
		for c, area := range row {
			if p := price[c] * area; p < least {
				at, least = c, p
			}
		}
		value += least
		if load != nil {
			load[at] += row[at] / float64(clusters[at].Processors)
		}
	}
	for _, l := range load {
		crowd = max(crowd, l)
	}
	return value, crowd
}

// proveAreaReleased looks at every time of arrival.
func proveAreaReleased(_ context.Context, r *relaxation) (float64, bool) {
	areas := r.areas()
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
	return best, true
}

// proveWideJobs adds up the jobs that cannot run beside each other on any cluster: each cluster runs them one after another.
func proveWideJobs(_ context.Context, r *relaxation) (float64, bool) {
	if r.spreads() {
		return 0, false
	}
	sum, longest := 0.0, 0.0
	for _, j := range r.must {
		wide := true
		for c := range r.in.Clusters() {
			least, _ := r.in.Width(j, c)
			wide = wide && (2*least > r.in.Clusters()[c].Processors || !r.in.CanRun(j, c))
		}
		if wide {
			sum += r.least[j]
			longest = max(longest, r.least[j])
		}
	}
	return max(longest, sum/float64(len(r.in.Clusters()))), true
}
