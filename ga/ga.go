// Package ga improves the schedule of one cluster's parallel jobs with a genetic algorithm, as the workload manager TITAN
// does in the two-level scheduling of He et al. (2004). [MinimiseOrder] searches orders of any jobs, which its caller makes schedules of.
//
// A schedule is coded as an order of the jobs; the mask coding adds a set of processors for each job; see [Coding].
// The library eaopt runs the generations; selection, elitism and the operators are in this package.
//
// Source: L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), "Hybrid performance-based workload management for
// multiclusters and grids", IEE Proc. Software 151(5), pp. 224–231, §3, eqs. 1–2.
//
// Deviations from the paper, in most of which the paper leaves something open:
//
//   - CPmax of eq. 2 is the worst and CPmin the best of the generation; the prose has them the other way round.
//   - One child is made at a time: a copy of the first parent, changed by crossover with the second and by mutation. The best
//     schedule goes into the next generation unchanged.
//   - The rates, the size of the population and the threshold of the stop are not given there; see [Parameters].
//   - The search ends after Patience generations, 20 by default, that together improve the cost by less than a threshold. In §3 the paper's ends when the
//     performance stabilises, and in §5.1 when the improvement between two generations is less than a threshold: Patience 1.
//   - The list coding is not in the paper.
//   - Where schedules of a generation leave out different numbers of jobs, eq. 2 is applied to that number plus the cost, which is scaled to
//     [0, 1] over the generation: one that leaves out more is never the fitter.
package ga

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand"

	"github.com/MaxHalford/eaopt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// Job is a rigid job on a cluster.
type Job struct {
	Size     int // processors, 1 to those of the cluster
	Duration float64
	Arrival  float64
	Deadline float64 // +Inf: none
}

// Cluster is the problem: the jobs of one cluster of identical processors, and what a schedule of them costs. Earlier jobs may hold processors
// at first.
type Cluster struct {
	Processors int
	Origin     float64   // makespans count from it; no job arrives earlier
	Released   []float64 // by processor: when earlier jobs release it, at the origin or later; nil: all are free at the origin
	Jobs       []Job
	Cost       Cost
}

// Totals are the sums over a schedule that its cost is made of, in units of time.
type Totals struct {
	Makespan float64 // last end, of the earlier jobs too, − origin
	Over     float64 // Σ time over the deadlines
	Response float64 // Σ end − arrival
}

// Cost is the cost of a schedule as a linear function of its totals: a constant and a factor for each. With fixed jobs on a cluster, CP
// (eq. 1), idle time, over-deadline, waiting and response times are all of this form.
type Cost struct{ Constant, Makespan, Over, Response float64 }

// Of is the cost of a schedule with the given totals.
func (c Cost) Of(t Totals) float64 {
	return c.Constant + c.Makespan*t.Makespan + c.Over*t.Over + c.Response*t.Response
}

// Coding says how a schedule is coded.
type Coding string

// The two codings.
const (
	// Mask is the two-dimensional coding of the paper: the order of the jobs and a mask of processors for each. A job starts
	// when the last of its processors is released by the jobs before it.
	Mask Coding = "mask"
	// List is only the order. A job starts when the jobs before it have released enough processors, and takes the
	// latest-released of the processors that are free by then, as with [plan.Releases].
	List Coding = "list"
)

// Schedule is a coded schedule.
type Schedule struct {
	Order []int32  // the jobs by index, in the order in which they are placed
	Masks []uint64 // Words(processors) words for each job, by index; nil in the list coding
}

// Parameters steer the algorithm. [NewParameters] has the usual values; in every field a zero means zero.
type Parameters struct {
	Coding      Coding  `enum:"mask,list" doc:"code of a schedule: mask, an order of the jobs and a set of processors for each (the paper's); list, the order alone; where clusters are not searched one by one it is always list"`
	Population  int     `range:"[1, 1000000]" vary:"[4, 400] log" doc:"schedules in a generation"`
	Generations int     `range:"[1, inf)" vary:"[30, 3000] log" doc:"most generations"`
	Patience    int     `range:"[1, inf)" vary:"[1, 200] log" doc:"generations without improvement after which the search ends; 1: when two generations differ by less, as in the paper's experiments"`
	Improvement float64 `range:"[0, 1]" doc:"relative decrease of the cost that counts as an improvement"`
	Crossover   float64 `range:"[0, 1]" vary:"[0, 1]" doc:"probability that a child takes from two parents"`
	Swap        float64 `range:"[0, 1]" vary:"[0, 1]" doc:"probability that two positions of a child are swapped"`
	Move        float64 `range:"[0, 1]" vary:"[0, 1]" doc:"probability that one processor in the masks of a child is moved"`
}

// NewParameters are the usual parameters.
func NewParameters() Parameters {
	return Parameters{Coding: Mask, Population: 50, Generations: 300, Patience: 20, Improvement: 0.001, Crossover: 0.9, Swap: 0.3, Move: 0.5}
}

// Limits bound a run from outside.
type Limits struct {
	Evaluations int64                                 // 0: no limit
	Progress    func(evaluations int64, cost float64) // called after each generation with the best cost so far; nil: silent
}

// Stop says why a run ended.
type Stop int

// The reasons to stop.
const (
	stable         Stop = iota // the least cost has stabilised, or there is nothing to choose
	lastGeneration             // the last generation
	Evaluations                // the limit of evaluations
	Cancelled                  // the context ended
)

// Result is the best schedule that a run has found. It is never worse than the seed schedule.
type Result struct {
	Best        Schedule
	Cost        float64 // of Best; NaN where the run ended before the seed was evaluated
	Left        int     // jobs that Best leaves out; 0 from Minimise
	Evaluations int64
	Generations int // number after the first
	Stop        Stop
}

// Minimise searches for a schedule of least cost, starting from the seed schedule and random ones. The same random seed and
// limit of evaluations give the same result; ctx ends a run early. The seed schedule must be complete: every job once and,
// in the mask coding, with as many processors as it needs. Minimise does not change it.
//
// Complexity: O(n·m) time per evaluation for n jobs on m processors, with at most Population·(Generations + 1) evaluations;
// memory O(Population·n), in the mask coding times m/64.
func Minimise(ctx context.Context, c Cluster, seed Schedule, p Parameters, random int64, limits Limits) (Result, error) {
	if err := params.Check(&p); err != nil {
		return Result{}, err
	}
	if err := c.check(seed, p.Coding); err != nil {
		return Result{}, err
	}
	return newRun(ctx, &c, seed, p, limits).minimise(random)
}

// MinimiseOrder is Minimise in the list coding for schedules that price makes of the orders: a schedule that leaves out fewer jobs is
// better, then one that costs less. price is called from the goroutine of the caller; it must not keep the order or change it. An error of price
// ends the run: where ctx has ended it is [Cancelled], else MinimiseOrder returns it. An objective that is not finite ranks behind all that are.
func MinimiseOrder(ctx context.Context, seed []int32, price func(order []int32) (model.Rank, error), p Parameters, random int64, limits Limits) (Result, error) {
	if err := params.Check(&p); err != nil {
		return Result{}, err
	}
	if err := checkOrder(seed, len(seed)); err != nil {
		return Result{}, err
	}
	p.Coding = List
	return newOrderRun(ctx, seed, price, p, limits).minimise(random)
}

// minimise runs the generations.
func (r *run) minimise(random int64) (Result, error) {
	p, limits := r.parameters, r.limits
	if len(r.seed.Order) < 2 {
		p.Population = 1 // there is nothing to choose, but the seed still has to be decoded
	}
	if limits.Evaluations > 0 {
		p.Population = int(min(int64(p.Population), limits.Evaluations))
	}
	evolution, err := eaopt.GAConfig{
		NPops: 1, PopSize: uint(p.Population), NGenerations: uint(p.Generations), HofSize: 1,
		Model:     &generational{run: r, roulette: &roulette{}},
		EarlyStop: func(*eaopt.GA) bool { return r.mustStop() },
		Callback: func(g *eaopt.GA) {
			r.result.Generations = int(g.Generations)
			if limits.Progress != nil {
				limits.Progress(r.result.Evaluations, r.result.Cost)
			}
		},
		RNG: rand.New(rand.NewSource(random)),
	}.NewGA()
	if err != nil {
		return Result{}, err
	}
	r.result.Stop = lastGeneration                                        // unless another reason is found
	if err := evolution.Minimize(r.first); errors.Is(err, errCancelled) { //nolint:misspell // eaopt's name
		r.result.Stop = Cancelled
	} else if err != nil {
		return Result{}, err
	}
	return r.result, nil
}

// check returns an error if the problem or the seed schedule is invalid.
func (c *Cluster) check(seed Schedule, coding Coding) error {
	words := Words(c.Processors)
	if c.Released != nil && len(c.Released) != c.Processors {
		return fmt.Errorf("ga: expected the releases of %d processors, found %d", c.Processors, len(c.Released))
	}
	for p, at := range c.Released {
		if !(c.Origin <= at && at <= math.MaxFloat64) {
			return fmt.Errorf("ga: expected processor %d to be released at %v or later, found %v", p, c.Origin, at)
		}
	}
	if coding == Mask && len(seed.Masks) != len(c.Jobs)*words {
		return fmt.Errorf("ga: expected %d words of masks, found %d", len(c.Jobs)*words, len(seed.Masks))
	}
	if err := checkOrder(seed.Order, len(c.Jobs)); err != nil {
		return err
	}
	for k := range c.Jobs {
		j := &c.Jobs[k]
		if j.Size < 1 || j.Size > c.Processors || !(j.Duration >= 0) || !(j.Arrival >= c.Origin) || math.IsNaN(j.Deadline) {
			return fmt.Errorf("ga: job %d cannot run: %+v", k, *j)
		}
		if coding == Mask {
			mask := seed.Masks[k*words : (k+1)*words]
			if count(mask) != j.Size || outside(mask, c.Processors) {
				return fmt.Errorf("ga: expected %d processors of %d in the mask of job %d", j.Size, c.Processors, k)
			}
		}
	}
	return nil
}

// checkOrder returns an error if the order does not have each of the jobs once.
func checkOrder(order []int32, jobs int) error {
	placed := make([]bool, jobs)
	for _, id := range order {
		if id < 0 || int(id) >= jobs || placed[id] {
			return fmt.Errorf("ga: the seed schedule is no order of %d jobs", jobs)
		}
		placed[id] = true
	}
	if len(order) != jobs {
		return fmt.Errorf("ga: expected %d jobs in the seed schedule, found %d", jobs, len(order))
	}
	return nil
}
