package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

// maxMinWalk finds the job of the largest smallest completion time by walking down the jobs of one resource, the longest first. No job ends
// sooner there than at its smallest completion time. So the walk may end as soon as the next job would end there before the smallest completion
// time of the best job found. Where machines differ in speed alone a walk looks at one job. Where run times are unrelated walks are long: after
// 256 walks without a result it is not tried any more.
//
// It serves instances where jobs have one size on each resource, all arrive at once and have no hard deadline.
type maxMinWalk struct {
	c      *completions
	orders [][]int32 // by resource: the jobs, the longest first
	misses int
}

// newMaxMinWalk sorts the jobs by resource; nil where the instance is of another kind or the context has ended.
func newMaxMinWalk(ctx context.Context, c *completions) *maxMinWalk {
	if c.deadlines || c.Instance.Features().Has(model.Arrivals) {
		return nil
	}
	w := &maxMinWalk{c: c, orders: make([][]int32, len(c.Resources))}
	for k := range c.Resources {
		if ctx.Err() != nil || len(c.sizes[k]) > 1 {
			return nil
		}
		jobs := make([]int32, 0, len(c.Left))
		for j := range c.Left {
			if math.IsInf(c.on(j, k), 1) {
				return nil // a job that cannot run there may end later than all that can
			}
			jobs = append(jobs, int32(j))
		}
		w.orders[k] = sorted(jobs, func(j int32) float64 { return -c.on(int(j), k) })
	}
	return w
}

// next is the next job with its resource; false where a walk of 16 jobs does not find it.
func (w *maxMinWalk) next() (job, resource int, ok bool) {
	const looks, patience = 16, 256
	if w == nil || w.misses > patience {
		return 0, 0, false
	}
	walked, least := -1, math.Inf(1)
	for k := range w.orders {
		for len(w.orders[k]) > 0 && !w.c.Left[w.orders[k][0]] {
			w.orders[k] = w.orders[k][1:]
		}
		if len(w.orders[k]) == 0 {
			return 0, 0, false
		}
		if end := w.c.at(int(w.orders[k][0]), k); end < least {
			walked, least = k, end
		}
	}
	best := option{first: math.Inf(-1)}
	looked := 0
	for _, i := range w.orders[walked] {
		j := int(i)
		if !w.c.Left[j] {
			continue
		}
		if w.c.at(j, walked) < best.first {
			w.misses = 0
			return best.job, best.best, true
		}
		if looked++; looked > looks {
			w.misses++
			return 0, 0, false
		}
		if o := w.c.best(j); o.first > best.first || o.first == best.first && j < best.job {
			best = o
		}
	}
	return best.job, best.best, true
}
