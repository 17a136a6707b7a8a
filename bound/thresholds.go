package bound

import (
	"cmp"
	"context"
	"math"
	"slices"
)

var _ = Register(Method{Name: "head-tail", Metric: "makespan",
	Doc:    "for all thresholds of head and tail: the least head, the work of the jobs above both, the least tail",
	Source: "J. Carlier (1982), The one-machine sequencing problem, Eur. J. Oper. Res. 11, doi:10.1016/S0377-2217(82)80007-6, for one machine; J. Carlier (1987), Scheduling jobs with release dates and tails on identical machines, Eur. J. Oper. Res. 29, doi:10.1016/0377-2217(87)90243-8; the longest p·(m−1)+1 jobs after E. G. Coffman, R. L. Graham and others, elementary",
	New:    Once(proveHeadTail)})

// headTail is a job as the bound sees it.
type headTail struct {
	head, tail   float64 // earliest start; least time from its end to the end of all jobs that wait for it
	length, work float64 // least execution time; its share of the time of all clusters, at the best prices
}

// proveHeadTail takes, for each pair of a head a and a tail b, the jobs with no smaller head and no smaller tail. They start at
// a or later. From then on they take at least two times: the time for their work; and, because each holds at least one of p
// processors, the sum of the m shortest among their p·(m−1)+1 longest, since m of these run on the same processor. Afterwards
// at least b passes.
//
// Complexity: O(n) for each pair. There are at most 64² pairs for n jobs, fewer for thousands of jobs.
func proveHeadTail(ctx context.Context, r *Relaxation) (Sum, bool) {
	if len(r.must) == 0 {
		return Sum{}, false
	}
	jobs, ok := r.headTails(ctx)
	if !ok {
		return Sum{}, false
	}
	slices.SortStableFunc(jobs, func(a, b headTail) int { return cmp.Compare(b.length, a.length) })
	most := int(min(64, max(2, math.Sqrt(4_000_000/float64(len(jobs))))))
	heads := someOf(jobs, most, func(j *headTail) float64 { return j.head })
	tails := someOf(jobs, most, func(j *headTail) float64 { return j.tail })
	best := 0.0
	lengths := make([]float64, 0, len(jobs))
	for _, a := range heads {
		if ctx.Err() != nil {
			break
		}
		for _, b := range tails {
			lengths = lengths[:0]
			head, tail, work := math.Inf(1), math.Inf(1), 0.0
			for k := range jobs {
				if j := &jobs[k]; j.head >= a && j.tail >= b {
					head, tail, work = min(head, j.head), min(tail, j.tail), work+j.work
					lengths = append(lengths, j.length)
				}
			}
			if len(lengths) > 0 {
				best = max(best, head+max(work, meeting(lengths, r.in.Processors()))+tail)
			}
		}
	}
	return r.Chained(r.PricedSum(best)), true
}

// meeting is the largest value, over m, of the sum of the m shortest among the p·(m−1)+1 longest; lengths are sorted, the
// longest first.
func meeting(lengths []float64, p int) float64 {
	best := lengths[0]
	for m := 2; p*(m-1)+1 <= len(lengths); m++ {
		last, sum := p*(m-1)+1, 0.0
		for _, l := range lengths[last-m : last] {
			sum += l
		}
		best = max(best, sum)
	}
	return best
}

// headTails lists the jobs that have to be placed; false: the context ended before their areas were known.
func (r *Relaxation) headTails(ctx context.Context) ([]headTail, bool) {
	prices, ok := r.AreaPrices(ctx)
	if !ok {
		return nil, false
	}
	areas, _ := r.Areas(ctx) // known, as the prices are
	tails := r.Tails()
	jobs := make([]headTail, len(r.must))
	for k, j := range r.must {
		work := math.Inf(1)
		for c, area := range areas[k] {
			if !math.IsInf(area, 1) {
				work = min(work, prices.Price[c]*area)
			}
		}
		jobs[k] = headTail{r.start[j], tails[j], r.least[j], work}
	}
	return jobs, true
}

// someOf returns at most most distinct values of the jobs, evenly spaced by rank.
func someOf(jobs []headTail, most int, of func(*headTail) float64) []float64 {
	values := make([]float64, len(jobs))
	for k := range jobs {
		values[k] = of(&jobs[k])
	}
	return evenly(values, most)
}
