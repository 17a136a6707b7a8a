package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// The bounds in this file look at each job alone. No job ends earlier than its arrival, the jobs it waits for and its shortest
// execution time allow.

var (
	_ = Register(Method{Name: "critical-path", Metric: "makespan", Certifies: true, Doc: "the longest chain of arrivals and shortest execution times",
		Source: "J. E. Kelley, M. R. Walker (1959), critical path", New: OnceShown(func(_ context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
			longest, last := 0.0, -1
			for _, j := range r.must {
				if end := r.EarliestEnd(j); end > longest {
					longest, last = end, j
				}
			}
			return r.Chained(Sum{Value: longest, Size: longest}), func() *proof.Argument { return r.chainTo(last) }, true
		})})
	_ = Register(aloneMean("mean_response", func(s *Sum, r *Relaxation, j int) { s.Add(r.EarliestEnd(j)); s.Add(-r.Released(j)) }))
	_ = Register(aloneMean("mean_wait", func(s *Sum, r *Relaxation, j int) { s.Add(r.start[j]); s.Add(-r.Released(j)) }))
	_ = Register(aloneSum("over_deadline", func(s *Sum, r *Relaxation, j int) {
		if end, due := r.EarliestEnd(j), r.Deadline(j); end > due {
			s.Value += end - due
			s.Size += end + math.Abs(due) // these two numbers may cancel each other
			s.Terms++
		}
	}))
	_ = Register(aloneSum("missed", func(s *Sum, r *Relaxation, j int) {
		if r.EarliestEnd(j) > r.Deadline(j)+r.Lateness(j) {
			s.Value++ // whole numbers are exact
		}
	}))
)

// Lateness is the least distance from the deadline of job j to its earliest end at which the job is late in every schedule: smaller distances may be
// rounding. The earliest end is off by its own rounding. A job is late only if it ends after its deadline by more than the rounding of both, see
// [model.Late], and every end on the way there may be rounded down.
func (r *Relaxation) Lateness(j int) float64 {
	deadline := r.in.Jobs()[j].Deadline
	clock := math.Abs(deadline) + math.Abs(r.in.FirstArrival())
	return 2*model.Tolerance*(math.Abs(r.Deadline(j))+r.EarliestEnd(j)) + float64(8+2*r.depth)*gate.Epsilon*(clock+r.EarliestEnd(j))
}

// Released is the arrival of job j, counted from the earliest arrival of all jobs.
func (r *Relaxation) Released(j int) float64 { return r.in.Jobs()[j].Arrival - r.in.FirstArrival() }

// Deadline is the deadline of job j, counted from the earliest arrival of all jobs.
func (r *Relaxation) Deadline(j int) float64 { return r.in.Jobs()[j].Deadline - r.in.FirstArrival() }

// aloneMean bounds a mean over the finished jobs. There is no bound if jobs may be left out, because that changes the mean.
func aloneMean(metric string, add func(s *Sum, r *Relaxation, j int)) Method {
	return Method{Name: "each-alone", Metric: metric, Certifies: true, Doc: "the mean over the jobs, each alone at its earliest", Source: "elementary",
		New: OnceShown(func(_ context.Context, r *Relaxation) (sum Sum, show func() *proof.Argument, ok bool) {
			if !r.all || len(r.must) == 0 {
				return sum, nil, false
			}
			for _, j := range r.must {
				add(&sum, r, j)
			}
			sum.Value /= float64(len(r.must))
			sum.Size /= float64(len(r.must))
			return r.Chained(sum), showAlone, true
		})}
}

// aloneSum bounds a sum over jobs of values that are at least 0.
func aloneSum(metric string, add func(s *Sum, r *Relaxation, j int)) Method {
	return Method{Name: "each-alone", Metric: metric, Certifies: true, Doc: "the sum over the jobs, each alone at its earliest", Source: "elementary",
		New: OnceShown(func(_ context.Context, r *Relaxation) (sum Sum, show func() *proof.Argument, ok bool) {
			for _, j := range r.must {
				add(&sum, r, j)
			}
			return r.Chained(sum), showAlone, true
		})}
}

// showAlone shows nothing but the method: the checker computes the earliest ends by itself.
func showAlone() *proof.Argument { return &proof.Argument{EachAlone: &proof.EachAlone{}} }

// chainTo is the chain of jobs that decides when job j ends at the earliest. It is nil if there is no such job.
func (r *Relaxation) chainTo(j int) *proof.Argument {
	if j < 0 {
		return nil
	}
	chain := []int{j}
	for {
		before := slices.IndexFunc(r.in.Jobs()[j].After, func(b int) bool { return r.start[b]+r.least[b] == r.start[j] })
		if before < 0 || r.start[j] == r.Released(j) {
			break
		}
		j = r.in.Jobs()[j].After[before]
		chain = append(chain, j)
	}
	slices.Reverse(chain)
	return &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: chain}}
}
