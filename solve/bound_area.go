package solve

import (
	"cmp"
	"context"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
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

// areas is the least processor time of each job that has to be placed, by cluster, +Inf where it cannot run; false where the
// context ends first.
func (r *relaxation) areas(ctx context.Context) ([][]float64, bool) {
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

// spreads says that a job may hold processors of several clusters at once, so that no cluster need run it as a whole.
func (r *relaxation) spreads() bool {
	return slices.ContainsFunc(r.must, func(j int) bool { return r.in.Jobs()[j].Span == model.SpanGrid })
}

// proveAreaDual is the value of the jobs at the best prices of processor time.
func proveAreaDual(ctx context.Context, r *relaxation) (float64, bool) {
	if len(r.must) == 0 {
		return 0, true
	}
	clusters := r.in.Clusters()
	areas, ok := r.areas(ctx)
	if !ok {
		return 0, false
	}
	processors, speeds := make([]int, len(clusters)), make([]float64, len(clusters))
	for c := range clusters {
		processors[c] = clusters[c].Processors
		speeds[c], _ = fastest(&clusters[c])
	}
	return search.FindPrices(ctx, processors, speeds, len(areas), func(k int) []float64 { return areas[k] }).Value, true
}

// proveAreaReleased looks at every time of arrival.
func proveAreaReleased(ctx context.Context, r *relaxation) (float64, bool) {
	areas, ok := r.areas(ctx)
	if !ok {
		return 0, false
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
	return best, true
}

// proveWideJobs adds up the jobs that cannot run beside each other on any cluster: each cluster runs them one after another.
func proveWideJobs(ctx context.Context, r *relaxation) (float64, bool) {
	if r.spreads() {
		return 0, false
	}
	sum, longest := 0.0, 0.0
	for k, j := range r.must {
		if k%64 == 0 && ctx.Err() != nil {
			return 0, false
		}
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
