package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/internal/kit"
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
	_ = Register(aloneMean("mcp", func(s *Sum, r *Relaxation, j int) {
		value, size := r.leastPerformance(j)
		s.Value += value
		s.Size += size
		s.Terms += 8
	}))
	_ = Register(aloneSum("over_deadline", func(s *Sum, r *Relaxation, j int) {
		if end, due := r.EarliestEnd(j), r.Deadline(j); end > due {
			s.Value += end - due
			s.Size += end + math.Abs(due) // these two numbers may cancel each other
			s.Terms++
		}
	}))
	_ = Register(aloneSum("data_moved", func(s *Sum, r *Relaxation, j int) { s.Add(r.in.Jobs()[j].Input + r.in.Jobs()[j].Output) }))
	_ = Register(aloneSum("work_done", func(s *Sum, r *Relaxation, j int) { s.Add(r.in.Jobs()[j].TotalWork()) }))
	_ = Register(aloneSum("cost", func(s *Sum, r *Relaxation, j int) { s.Add(r.leastCost(j)); s.Terms += 8 }))
	_ = Register(aloneCount("finished", "the jobs that every schedule has to place", func(r *Relaxation, j int) bool { return r.duties[j] == MustPlace }))
	_ = Register(aloneCount("unfinished", "the jobs that no schedule can place", func(r *Relaxation, j int) bool { return r.duties[j] == MustLeave }))
	_ = Register(aloneCount("missed", "the jobs that are late at their earliest, or that no schedule can place", (*Relaxation).misses))
	_ = Register(aloneCount("over_budget", "the jobs that cost too much where they are cheapest", func(r *Relaxation, j int) bool {
		return r.duties[j] == MustPlace && r.sureCost(j) > r.in.Jobs()[j].Budget
	}))
	_ = Register(alone("miss_rate", "the share of the jobs that are late at their earliest, or that no schedule can place", func(r *Relaxation) (sum Sum) {
		if due := r.count(func(r *Relaxation, j int) bool { return r.in.Jobs()[j].HasDeadline() }); due > 0 {
			sum.Add(100 * r.count((*Relaxation).misses) / due)
		}
		return sum
	}))
	_ = Register(alone("workflow_failures", "the workflows that are too late or too dear with each job alone, or have a job that no schedule can place", func(r *Relaxation) (sum Sum) {
		for k := range r.in.Workflows() {
			if r.fails(&r.in.Workflows()[k]) {
				sum.Value++ // whole numbers are exact
			}
		}
		return sum
	}))
	_ = Register(aloneAny("mean_slowdown", func(r *Relaxation, j int) bool { return r.least[j] > 0 }))
	_ = Register(aloneAny("slowdown_without_deadline", func(r *Relaxation, j int) bool { return r.least[j] > 0 && !r.in.Jobs()[j].HasDeadline() }))
	_ = Register(aloneAny("bounded_slowdown", func(*Relaxation, int) bool { return true }))
)

// misses says that job j, which has a deadline, counts as missed in every schedule: late or left out.
func (r *Relaxation) misses(j int) bool {
	return r.in.Jobs()[j].HasDeadline() && (r.duties[j] == MustLeave || r.EarliestEnd(j) > r.Deadline(j)+r.Lateness(j))
}

// leastPerformance is the least comprehensive performance that job j leaves any cluster which runs it: that of its end there, without idle time. Its parts
// add up to at most size.
func (r *Relaxation) leastPerformance(j int) (least, size float64) {
	least = math.Inf(1)
	for c := range r.in.Clusters() {
		end, w := r.start[j]+r.shortestOn(j, c), r.in.Clusters()[c].Weights
		if math.IsInf(end, 1) {
			continue
		}
		value, all := w.Makespan*end, max(w.Sum(), math.SmallestNonzeroFloat64)
		if late := end - r.Deadline(j); late > 0 {
			value += w.OverDeadline * late
			size = max(size, w.OverDeadline*(end+math.Abs(r.Deadline(j)))/all) // these two numbers may cancel each other
		}
		least, size = min(least, value/all), max(size, value/all)
	}
	return least, 2 * size
}

// leastCost is the least that job j costs, wherever it runs. Where speeds differ its area is at the highest, and a slower processor holds more of it.
func (r *Relaxation) leastCost(j int) float64 {
	least, job := math.Inf(1), &r.in.Jobs()[j]
	for c := range r.in.Clusters() {
		area, cluster := r.areaOn(j, c), &r.in.Clusters()[c]
		if math.IsInf(area, 1) {
			continue
		}
		speed := r.fast[c].speed
		for g := range cluster.Machines {
			if m := &cluster.Machines[g]; r.in.ProcessorsFor(job, m) > 0 {
				rate := m.Cost
				if !cluster.Uniform && !job.StatesRuntimes() {
					rate *= speed / m.Speed
				}
				least = min(least, area*rate)
			}
		}
	}
	return least
}

// sureCost is a cost that job j exceeds even if the checker accepts somewhat shorter durations.
func (r *Relaxation) sureCost(j int) float64 {
	if r.least[j] == 0 {
		return 0
	}
	clock := math.Abs(r.in.FirstArrival()) + r.EarliestEnd(j)
	return r.leastCost(j) * max(0, 1-4*model.Tolerance-float64(8+2*r.depth)*gate.Epsilon*clock/r.least[j])
}

// fails says that the workflow fails in every schedule. Without one of its jobs it fails too, so it does not matter which have to be placed.
func (r *Relaxation) fails(w *model.Workflow) bool {
	cost := 0.0
	for _, j := range w.Jobs {
		if r.duties[j] == MustLeave || r.EarliestEnd(j) > w.Deadline-r.in.FirstArrival()+r.lateness(j, w.Deadline) {
			return true
		}
		if r.stopped() {
			return false
		}
		cost += r.sureCost(j)
	}
	return cost > w.Budget
}

// Lateness is the least distance from the deadline of job j to its earliest end at which the job is late in every schedule: smaller distances may be
// rounding. The earliest end is off by its own rounding. A job is late only if it ends after its deadline by more than the rounding of both, see
// [model.Late], and every end on the way there may be rounded down.
func (r *Relaxation) Lateness(j int) float64 { return r.lateness(j, r.in.Jobs()[j].Deadline) }

// lateness is [Relaxation.Lateness] for a deadline that is not the job's own, such as that of its workflow.
func (r *Relaxation) lateness(j int, deadline float64) float64 {
	clock := math.Abs(deadline) + math.Abs(r.in.FirstArrival())
	due := math.Abs(deadline - r.in.FirstArrival())
	return 2*model.Tolerance*(due+r.EarliestEnd(j)) + float64(8+2*r.waited)*gate.Epsilon*(clock+r.EarliestEnd(j))
}

// Released is the arrival of job j, counted from the earliest arrival of all jobs.
func (r *Relaxation) Released(j int) float64 { return r.in.Jobs()[j].Arrival - r.in.FirstArrival() }

// Deadline is the deadline of job j, counted from the earliest arrival of all jobs.
func (r *Relaxation) Deadline(j int) float64 { return r.in.Jobs()[j].Deadline - r.in.FirstArrival() }

// due is the deadline of job j as far as a time over it counts in a sum; +Inf where it is so late that it would only add to the rounding. To leave out what is late
// costs no schedule more.
func (r *Relaxation) due(j int) float64 {
	const far = 64 // times about as long as all jobs take one after another
	if d := r.Deadline(j); d <= far*r.length {
		return d
	}
	return math.Inf(1)
}

// alone makes a method that looks at each job alone. Its certificate states nothing else, because the checker computes the same bound by itself.
func alone(metric, doc string, prove func(r *Relaxation) Sum) Method {
	return Method{Name: "each-alone", Metric: metric, Certifies: true, Doc: doc, Source: "elementary",
		New: OnceShown(func(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
			r.asked = kit.NewPoll(ctx)
			sum := prove(r)
			whole := !r.asked.Ended()
			r.asked = nil
			return r.Chained(sum), func() *proof.Argument { return &proof.Argument{EachAlone: &proof.EachAlone{}} }, whole
		})}
}

// stopped says, before each job alone, that the context has ended: then what the method comes to does not count.
func (r *Relaxation) stopped() bool { return r.asked != nil && r.asked.Stopped(8*r.groups) }

// aloneMean bounds a mean over the jobs that are placed. Those that may be left out count where they make the mean less: the others with the least values,
// as long as these are below the mean.
func aloneMean(metric string, add func(s *Sum, r *Relaxation, j int)) Method {
	return alone(metric, "the mean over the jobs, each alone at its earliest", func(r *Relaxation) (sum Sum) {
		if len(r.must) == 0 {
			return sum
		}
		for _, j := range r.must {
			if r.stopped() {
				return sum
			}
			add(&sum, r, j)
		}
		var others []Sum
		for j, duty := range r.duties {
			if duty == MayLeave && !r.stopped() {
				var own Sum
				add(&own, r, j)
				others = append(others, own)
			}
		}
		slices.SortFunc(others, func(a, b Sum) int { return cmp.Compare(a.Value, b.Value) })
		count := float64(len(r.must))
		for _, own := range others {
			if own.Value*count >= sum.Value {
				break
			}
			sum = Sum{Value: sum.Value + own.Value, Size: sum.Size + own.Size, Terms: sum.Terms + own.Terms}
			count++
		}
		return Sum{Value: sum.Value / count, Size: sum.Size / count, Terms: sum.Terms}
	})
}

// aloneSum bounds a sum over jobs of values that are at least 0.
func aloneSum(metric string, add func(s *Sum, r *Relaxation, j int)) Method {
	return alone(metric, "the sum over the jobs, each alone at its earliest", func(r *Relaxation) (sum Sum) {
		for _, j := range r.must {
			if r.stopped() {
				break
			}
			add(&sum, r, j)
		}
		return sum
	})
}

// aloneCount bounds a number of jobs. It is exact.
func aloneCount(metric, doc string, counts func(r *Relaxation, j int) bool) Method {
	return alone(metric, doc, func(r *Relaxation) Sum { return Sum{Value: r.count(counts)} })
}

// aloneAny bounds a mean of numbers each of which is at least 1: by 1 if some job that counts has to be placed, else by 0.
func aloneAny(metric string, counts func(r *Relaxation, j int) bool) Method {
	return alone(metric, "1 if a job counts, because no job is there for less time than it runs", func(r *Relaxation) Sum {
		return Sum{Value: min(1, r.count(func(r *Relaxation, j int) bool { return r.duties[j] == MustPlace && counts(r, j) }))}
	})
}

// count is the number of jobs for which a condition holds.
func (r *Relaxation) count(holds func(r *Relaxation, j int) bool) (n float64) {
	for j := range r.duties {
		if r.stopped() {
			break
		}
		if holds(r, j) {
			n++
		}
	}
	return n
}

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
