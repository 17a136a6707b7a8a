package bound

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

// The bounds in this file look at each job alone. No job ends earlier than its arrival, the jobs it waits for and its shortest
// execution time allow.

var (
	_ = Register(Method{Name: "critical-path", Metric: "makespan", Doc: "the longest chain of arrivals and shortest execution times",
		Source: "J. E. Kelley, M. R. Walker (1959), critical path", New: Once(func(_ context.Context, r *Relaxation) (Sum, bool) {
			longest := 0.0
			for _, j := range r.must {
				longest = max(longest, r.end(j))
			}
			return r.chained(Sum{Value: longest, Size: longest}), true
		})})
	_ = Register(aloneMean("mean_response", func(s *Sum, r *Relaxation, j int) { s.Add(r.end(j)); s.Add(-r.released(j)) }))
	_ = Register(aloneMean("mean_wait", func(s *Sum, r *Relaxation, j int) { s.Add(r.start[j]); s.Add(-r.released(j)) }))
	_ = Register(aloneSum("over_deadline", func(s *Sum, r *Relaxation, j int) {
		if end, due := r.end(j), r.deadline(j); end > due {
			s.Value += end - due
			s.Size += end + math.Abs(due) // which cancel
			s.Terms++
		}
	}))
	_ = Register(aloneSum("missed", func(s *Sum, r *Relaxation, j int) {
		if r.end(j) > r.deadline(j)+r.lateness(j) {
			s.Value++ // whole numbers are exact
		}
	}))
)

// lateness is how far the earliest end of job j must lie after its deadline before no schedule that the checker accepts is in
// time: execution times may differ by [model.Tolerance], and points in time by the rounding of their numbers.
func (r *Relaxation) lateness(j int) float64 {
	return 2 * model.Tolerance * (math.Abs(r.in.Jobs()[j].Deadline) + math.Abs(r.in.FirstArrival()) + r.end(j))
}

// released is the arrival of job j, counted from the earliest arrival of all jobs.
func (r *Relaxation) released(j int) float64 { return r.in.Jobs()[j].Arrival - r.in.FirstArrival() }

// deadline is the deadline of job j, counted from the earliest arrival of all jobs.
func (r *Relaxation) deadline(j int) float64 { return r.in.Jobs()[j].Deadline - r.in.FirstArrival() }

// aloneMean bounds a mean over the finished jobs. There is no bound if jobs may be left out, because that changes the mean.
func aloneMean(metric string, add func(s *Sum, r *Relaxation, j int)) Method {
	return Method{Name: "each-alone", Metric: metric, Doc: "the mean over the jobs, each alone at its earliest", Source: "elementary",
		New: Once(func(_ context.Context, r *Relaxation) (sum Sum, ok bool) {
			if !r.all || len(r.must) == 0 {
				return sum, false
			}
			for _, j := range r.must {
				add(&sum, r, j)
			}
			sum.Value /= float64(len(r.must))
			sum.Size /= float64(len(r.must))
			return r.chained(sum), true
		})}
}

// aloneSum bounds a sum over jobs of values that are at least 0.
func aloneSum(metric string, add func(s *Sum, r *Relaxation, j int)) Method {
	return Method{Name: "each-alone", Metric: metric, Doc: "the sum over the jobs, each alone at its earliest", Source: "elementary",
		New: Once(func(_ context.Context, r *Relaxation) (sum Sum, ok bool) {
			for _, j := range r.must {
				add(&sum, r, j)
			}
			return r.chained(sum), true
		})}
}
