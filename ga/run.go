package ga

import (
	"context"
	"math"
	"math/rand"
	"slices"

	"github.com/MaxHalford/eaopt"

	"github.com/allot-opt/allot/model"
)

// run is the state that the genomes of one run share. It serves one goroutine.
type run struct {
	ctx        context.Context
	parameters Parameters
	limits     Limits
	seed       Schedule
	cluster    *Cluster                                // nil: outside prices the orders
	decoder    *decoder                                // of the cluster
	outside    func(order []int32) (model.Rank, error) // nil: the cluster prices them
	result     Result

	seeded     bool    // the seed schedule is in the first generation
	reference  float64 // the least cost at the last improvement; NaN: not yet known
	leftOut    int     // jobs that the best schedule left out then
	unimproved int     // generations since then

	spare      []*genome // no longer used
	taken      []bool    // by job: scratch of the order crossover, all false between two
	processors []int32   // in any order: scratch of draw
}

func newRun(ctx context.Context, c *Cluster, seed Schedule, p Parameters, limits Limits) *run {
	r := newOrderRun(ctx, seed.Order, nil, p, limits)
	r.cluster, r.decoder = c, newDecoder(ctx, c)
	if p.Coding == Mask {
		r.seed.Masks = seed.Masks
		r.processors = make([]int32, c.Processors)
		for k := range r.processors {
			r.processors[k] = int32(k)
		}
	}
	r.result.Best.Masks = slices.Clone(r.seed.Masks)
	return r
}

func newOrderRun(ctx context.Context, seed []int32, price func(order []int32) (model.Rank, error), p Parameters, limits Limits) *run {
	return &run{ctx: ctx, parameters: p, limits: limits, seed: Schedule{Order: seed}, outside: price, reference: math.NaN(),
		taken: make([]bool, len(seed)), result: Result{Best: Schedule{Order: slices.Clone(seed)}, Cost: math.NaN()}}
}

// blank is a genome whose order and masks the caller must overwrite.
func (r *run) blank() *genome {
	if last := len(r.spare) - 1; last >= 0 {
		g := r.spare[last]
		r.spare = r.spare[:last]
		return g
	}
	return &genome{Schedule: Schedule{slices.Clone(r.seed.Order), slices.Clone(r.seed.Masks)}, run: r}
}

// first makes the genomes of the first generation: the seed schedule, then random ones.
func (r *run) first(rng *rand.Rand) eaopt.Genome {
	if r.ctx.Err() != nil {
		return &genome{run: r} // eaopt never evaluates it
	}
	g := r.blank()
	g.set(r.seed)
	if r.seeded {
		g.shuffle(rng)
	}
	r.seeded = true
	return g
}

// price is how good the schedule is.
func (r *run) price(s Schedule) (model.Rank, error) {
	if r.outside != nil {
		return r.outside(s.Order)
	}
	totals, err := r.decoder.decode(s, nil)
	return model.NewRank(0, r.cluster.Cost.Of(totals)), err
}

// evaluate is the cost of the schedule. It keeps the best, and how many jobs the schedule leaves out.
func (r *run) evaluate(g *genome) (float64, error) {
	if r.ctx.Err() != nil {
		return 0, errCancelled
	}
	rank, err := r.price(g.Schedule)
	if err != nil {
		if r.ctx.Err() != nil {
			err = errCancelled
		}
		return 0, err
	}
	r.result.Evaluations++
	cost := rank.Objective
	if !(math.Abs(cost) <= math.MaxFloat64) {
		cost = math.MaxFloat64 // eaopt takes +Inf for "not evaluated"
	}
	g.left = rank.Left
	if math.IsNaN(r.result.Cost) || model.NewRank(g.left, cost).Less(model.NewRank(r.result.Left, r.result.Cost)) {
		r.result.Left, r.result.Cost = g.left, cost
		copy(r.result.Best.Order, g.Order)
		copy(r.result.Best.Masks, g.Masks)
	}
	return cost, nil
}

// left is the number of evaluations left before the limit.
func (r *run) left() int64 {
	if r.limits.Evaluations <= 0 {
		return math.MaxInt64
	}
	return r.limits.Evaluations - r.result.Evaluations
}

// mustStop says, between two generations, whether the run has to end, and keeps the reason.
func (r *run) mustStop() bool {
	least := r.result.Cost
	if r.leftOut == r.result.Left && (r.reference-least < r.parameters.Improvement*math.Abs(r.reference) || least == r.reference) {
		r.unimproved++
	} else {
		r.reference, r.leftOut, r.unimproved = least, r.result.Left, 0
	}
	switch {
	case r.ctx.Err() != nil:
		r.result.Stop = Cancelled
	case len(r.seed.Order) < 2 || r.unimproved >= r.parameters.Patience || r.parameters.Population < 2:
		r.result.Stop = stable
	case r.left() <= 0:
		r.result.Stop = Evaluations
	default:
		return false
	}
	return true
}
