package bound

import "context"

// The bounds by each job alone: no job ends before its arrival, the jobs it waits for and its shortest execution time allow.

var (
	_ = Register(Method{Name: "critical-path", Metric: "makespan", Doc: "the longest chain of arrivals and shortest execution times",
		Source: "J. E. Kelley, M. R. Walker (1959), critical path", New: Once(func(_ context.Context, r *Relaxation) (float64, bool) {
			longest := 0.0
			for _, j := range r.must {
				longest = max(longest, r.end(j))
			}
			return longest, true
		})})
	_ = Register(aloneMean("mean_response", func(r *Relaxation, j int) float64 { return r.end(j) - r.released(j) }))
	_ = Register(aloneMean("mean_wait", func(r *Relaxation, j int) float64 { return r.start[j] - r.released(j) }))
	_ = Register(aloneSum("over_deadline", func(r *Relaxation, j int) float64 { return max(0, r.end(j)-r.deadline(j)) }))
	_ = Register(aloneSum("missed", func(r *Relaxation, j int) float64 {
		if r.end(j) > r.deadline(j)*(1+1e-12) {
			return 1
		}
		return 0
	}))
)

// released is the job's arrival, from the earliest of all.
func (r *Relaxation) released(j int) float64 { return r.in.Jobs()[j].Arrival - r.in.FirstArrival() }

// deadline is the job's deadline, from the earliest arrival of all.
func (r *Relaxation) deadline(j int) float64 { return r.in.Jobs()[j].Deadline - r.in.FirstArrival() }

// aloneMean bounds a mean over the finished jobs; there is none where jobs may be left out, since that changes the mean.
func aloneMean(metric string, value func(*Relaxation, int) float64) Method {
	return Method{Name: "each-alone", Metric: metric, Doc: "the mean over the jobs, each alone at its earliest", Source: "elementary",
		New: Once(func(_ context.Context, r *Relaxation) (float64, bool) {
			if !r.all || len(r.must) == 0 {
				return 0, false
			}
			sum := 0.0
			for _, j := range r.must {
				sum += value(r, j)
			}
			return sum / float64(len(r.must)), true
		})}
}

// aloneSum bounds a sum over jobs of values that are not negative.
func aloneSum(metric string, value func(*Relaxation, int) float64) Method {
	return Method{Name: "each-alone", Metric: metric, Doc: "the sum over the jobs, each alone at its earliest", Source: "elementary",
		New: Once(func(_ context.Context, r *Relaxation) (float64, bool) {
			sum := 0.0
			for _, j := range r.must {
				sum += value(r, j)
			}
			return sum, true
		})}
}
