package bound

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound/internal/counts"
	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/priced"
)

var _ = Register(Method{Name: "priced-counts", Metric: "mcp", Certifies: true,
	Doc:    "prices of jobs and of processor time that changes with time, by the numbers of jobs of the clusters; branch-and-bound on those and on the makespans",
	Source: "allot; the relaxation after A. M. Geoffrion (1974), Math. Programming Study 2, doi:10.1007/BFb0120690",
	New:    func(r *Relaxation, proved *Gate) Prover { return counts.NewProver(r.counts, proved) }})

var _ Limited = (*counts.Prover)(nil)

// counts prepares the method of package counts. It returns nil if jobs may be left out, if the jobs are not of its kind or if ctx
// ends.
func (r *Relaxation) counts(ctx context.Context) *counts.Problem {
	if !r.all || len(r.must) == 0 {
		return nil
	}
	limits := r.bucketLimits(ctx)
	if limits == nil {
		return nil
	}
	p := &counts.Problem{Clusters: r.in.Clusters(), Depth: r.depth, Most: r.mostMCP}
	n := float64(len(r.must))
	var weights []priced.Weights
	for c := range r.in.Clusters() {
		w, m := r.in.Clusters()[c].Weights, float64(r.in.Clusters()[c].Processors)
		weights = append(weights, priced.Weights{Over: w.OverDeadline, Busy: w.IdleTime})
		p.Past = append(p.Past, w.IdleTime+w.Makespan/m)
		p.Height = append(p.Height, w.Makespan+w.IdleTime*m)
		if w.Sum() > 0 {
			p.Unit = append(p.Unit, 1/(n*w.Sum()))
		} else {
			p.Unit = append(p.Unit, 0)
		}
	}
	if p.Priced = priced.New(r.priced(), limits, weights, p.Past); p.Priced == nil {
		return nil
	}
	for _, c := range r.cheapSets() {
		p.Few = append(p.Few, c)
	}
	p.Share = func(ctx context.Context) ([][]float64, []int) {
		areas, _ := r.Areas(ctx) // known already: the limits of the buckets depend on them
		return areas, r.areaAssignment(ctx, areas)
	}
	return p
}

// priced returns the facts of the instance that prices of time need.
func (r *Relaxation) priced() *priced.Input {
	return &priced.Input{In: r.in, Must: r.must, Start: r.start, Deadline: r.due, Solid: r.solid}
}

// mostMCP is an upper bound of the mcp of the worst list schedule, which runs the jobs one after another.
func (r *Relaxation) mostMCP() float64 {
	until, worst, late := 0.0, 0.0, 0.0
	for _, j := range r.must {
		longest := 0.0
		for c := range r.in.Clusters() {
			if r.in.CanRun(j, c) {
				size, _ := r.in.Width(j, c)
				longest = max(longest, r.in.DurationOn(j, c, size))
			}
		}
		until = max(until, r.start[j]) + longest
	}
	last := 0.0
	for _, j := range r.must {
		last = max(last, r.start[j])
		late = max(late, -r.Deadline(j))
	}
	for _, t := range r.closingTimes() { // the jobs run behind all closed times, or in the last
		last = max(last, t-r.in.FirstArrival())
	}
	until += last
	for c := range r.in.Clusters() {
		cluster := &r.in.Clusters()[c]
		if w := cluster.Weights; w.Sum() > 0 {
			m := float64(cluster.Processors)
			worst = max(worst, ((w.IdleTime*m+w.Makespan)*until+w.OverDeadline*float64(len(r.must))*(until+late))/w.Sum())
		}
	}
	return worst
}

// bucketLimits are the limits of the buckets of time. Up to 60 jobs get 40 buckets, up to 1.6 times the time that the area takes
// and long enough for each job alone. More jobs get fewer buckets, up to about the time that the area takes: 24, or 32 from 121 to
// 400 jobs, which measured best. It returns nil if there is no area.
func (r *Relaxation) bucketLimits(ctx context.Context) []float64 {
	prices, ok := r.AreaPrices(ctx)
	area := prices.Value
	if !ok || !(area > 0) || !gate.Finite(area) {
		return nil
	}
	last, longest := 0.0, 0.0
	for _, j := range r.must {
		last, longest = max(last, r.start[j]), max(longest, r.least[j])
	}
	buckets, horizon := 24, max(1.05*area, last)
	switch p := len(r.must); {
	case p <= 60:
		buckets, horizon = 40, max(1.6*area, last+longest)
	case p > 120 && p <= 400:
		buckets = 32
	}
	limits := make([]float64, buckets+1)
	for k := range limits {
		limits[k] = horizon * float64(k) / float64(buckets)
	}
	return limits
}

// areaAssignment gives each job a cluster: the one that the area levels choose if they can, otherwise the one where its area
// divided by the processors is least.
func (r *Relaxation) areaAssignment(ctx context.Context, areas [][]float64) []int {
	of := make([]int, len(r.must))
	for j := range of {
		for i := range areas[j] {
			if areas[j][i]/float64(r.in.Clusters()[i].Processors) < areas[j][of[j]]/float64(r.in.Clusters()[of[j]].Processors) {
				of[j] = i
			}
		}
	}
	if k := len(r.in.Clusters()); k > 12 || tooManyBlocks(k, len(r.must), 1<<31) {
		return of
	}
	order, sums, factor, ok := r.proportionalAreas(ctx)
	if !ok {
		return of
	}
	r.levelFactors(factor)
	_, blocks, ok := cheapestBlocks(ctx, sums, factor)
	if !ok {
		return of
	}
	for i, b := range blocks {
		for _, j := range order[b[0]:b[1]] {
			if !math.IsInf(areas[j][i], 1) {
				of[j] = i
			}
		}
	}
	return of
}
