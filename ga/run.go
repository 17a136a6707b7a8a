package ga

import (
	"context"
	"math"
	"math/rand"
	"slices"

	"github.com/MaxHalford/eaopt"
)

// run is the state that the genomes of one run share. It serves one goroutine.
type run struct {
	parameters Parameters
	limits     Limits
	cluster    *Cluster
	seed       Schedule
	decoder    *decoder
	result     Result

	seeded     bool    // the seed schedule is in the first generation
	reference  float64 // the least cost at the last improvement; NaN: not yet known
	unimproved int     // generations since then

	spare      []*genome // no longer used
	taken      []bool    // by job: scratch of the order crossover, all false between two
	processors []int32   // in any order: scratch of draw
}

func newRun(ctx context.Context, c *Cluster, seed Schedule, p Parameters, limits Limits) *run {
	r := &run{parameters: p, limits: limits, cluster: c, decoder: newDecoder(ctx, c), reference: math.NaN()}
	r.seed = Schedule{Order: seed.Order}
	r.taken = make([]bool, len(c.Jobs))
	if p.Coding == Mask {
		r.seed.Masks = seed.Masks
		r.processors = make([]int32, c.Processors)
		for k := range r.processors {
			r.processors[k] = int32(k)
		}
	}
	r.result = Result{Best: Schedule{slices.Clone(r.seed.Order), slices.Clone(r.seed.Masks)}, Cost: math.NaN()}
	return r
}

// blank is a genome whose order and masks the caller must overwrite.
func (r *run) blank() *genome {
	if last := len(r.spare) - 1; last >= 0 {
		g := r.spare[last]
		r.spare = r.spare[:last]
		return g
	}
	return &genome{Schedule{slices.Clone(r.seed.Order), slices.Clone(r.seed.Masks)}, r}
}

// first makes the genomes of the first generation: the seed schedule, then random ones.
func (r *run) first(rng *rand.Rand) eaopt.Genome {
	if r.decoder.ctx.Err() != nil {
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

// evaluate is the cost of the schedule. It keeps the best.
func (r *run) evaluate(g *genome) (float64, error) {
	if r.decoder.ctx.Err() != nil {
		return 0, errCancelled
	}
	totals, err := r.decoder.decode(g.Schedule, nil)
	if err != nil {
		return 0, err
	}
	r.result.Evaluations++
	cost := r.cluster.Cost.Of(totals)
	if !(math.Abs(cost) <= math.MaxFloat64) {
		cost = math.MaxFloat64 // eaopt takes +Inf for "not evaluated"
	}
	if !(cost >= r.result.Cost) { // true too where there is no cost yet (NaN)
		r.result.Cost = cost
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
	if r.reference-least < r.parameters.Improvement*math.Abs(r.reference) || least == r.reference {
		r.unimproved++
	} else {
		r.reference, r.unimproved = least, 0
	}
	switch {
	case r.decoder.ctx.Err() != nil:
		r.result.Stop = Cancelled
	case len(r.cluster.Jobs) < 2 || r.unimproved >= r.parameters.Patience || r.parameters.Population < 2:
		r.result.Stop = Stable
	case r.left() <= 0:
		r.result.Stop = Evaluations
	default:
		return false
	}
	return true
}
