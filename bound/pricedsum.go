package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/bundle"
	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/priced"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(pricedSumMethod("mean_response", "ends", func(r *Relaxation) (w priced.Weights, constant Sum) {
		per := 1 / float64(len(r.must))
		for _, j := range r.must {
			constant.Add(-per * r.Released(j))
		}
		return priced.Weights{End: per}, constant
	}))
	_ = Register(pricedSumMethod("over_deadline", "time over deadlines", func(*Relaxation) (priced.Weights, Sum) {
		return priced.Weights{Over: 1}, Sum{}
	}))
)

// pricedSumMethod bounds a sum of costs by the jobs' ends.
func pricedSumMethod(metric, what string, weights func(*Relaxation) (priced.Weights, Sum)) Method {
	return Method{Name: "priced-time", Metric: metric, Certifies: true, Doc: "prices of processor time that changes with time, and each job where it and its " + what + " are cheapest",
		Source: "J. M. van den Akker, C. A. J. Hurkens, M. W. P. Savelsbergh (2000), Time-indexed formulations for machine scheduling problems, INFORMS J. Comput. 12, doi:10.1287/ijoc.12.2.111.11896, the relaxation; without its grid",
		New: func(r *Relaxation, proved *Gate) Prover {
			return &pricedSum{r: r, proved: proved, weights: weights}
		}}
}

// pricedSum bounds Σ_j cost_j(end_j) by
//
//	Σ_j min over clusters i and starts of cost_j + what j pays − Σ_i ∫κ_i
//
// for any prices of [priced.Problem] that are 0 after the last bucket. This is a bound because the jobs that run at an instant pay
// together at most κ.
type pricedSum struct {
	r        *Relaxation
	proved   *Gate
	weights  func(*Relaxation) (priced.Weights, Sum)
	constant Sum
	started  bool
	credit   int64
	work     int64 // of an evaluation
	priced   *priced.Problem
	bundle   bundle.Bundle
	next     []float64
	cost     []float64
	at       []int32
	tries    int
}

// pricedSumSteps limits the evaluations.
const pricedSumSteps = 2_000

// Improve implements [Prover].
func (p *pricedSum) Improve(ctx context.Context, work int64) bool {
	if !p.started {
		p.start(ctx)
		p.started = true
	}
	p.credit += work
	for p.priced != nil && p.credit > 0 && ctx.Err() == nil {
		p.credit -= p.work
		gain := p.bundle.Next(p.next)
		value, c, ok := p.evaluate(ctx, p.next)
		if !ok {
			p.give(ctx)
			break
		}
		p.bundle.Add(p.next, value, c)
		p.settle(value)
		// If the optimum is near 0, a gain below the rounding error does not count.
		rounding := p.sum(p.bundle.Value)
		if p.tries++; p.tries >= pricedSumSteps || !(gain > max(1e-4*math.Abs(p.bundle.Value), rounding.Margin())) {
			p.priced = nil
		}
	}
	return p.priced != nil
}

// give ends the work after an evaluation has failed, unless it failed because the context ended: then the work may continue later.
func (p *pricedSum) give(ctx context.Context) {
	if ctx.Err() == nil {
		p.proved.Close()
		p.priced = nil
	}
}

// settle hands over a value at the prices that were set last.
func (p *pricedSum) settle(value float64) {
	if p.proved.Prove(p.sum(value)) {
		problem, x := p.priced, slices.Clone(p.next)
		p.proved.Show(func() *proof.Argument {
			return &proof.Argument{TimePrices: &proof.TimePrices{Limits: problem.Limits, Clusters: problem.Stated(x)}}
		})
	}
}

// sum adds the constant to a value at the prices that were set last.
func (p *pricedSum) sum(value float64) Sum {
	s := Sum{Value: value + p.constant.Value, Size: p.constant.Size, Terms: p.priced.Terms()}
	for i := range p.priced.Clusters {
		c := &p.priced.Clusters[i]
		s.Size += c.Paid[len(c.Paid)-1] + c.Rounding()
	}
	return p.r.Chained(s)
}

// start prepares the buckets and finds the first prices, which fall with time, by doubling.
func (p *pricedSum) start(ctx context.Context) {
	r := p.r
	if len(r.must) == 0 || !r.all {
		return
	}
	limits := r.bucketLimits(ctx)
	if limits == nil {
		return
	}
	K := len(r.in.Clusters())
	var w priced.Weights
	w, p.constant = p.weights(r)
	p.priced = priced.New(r.priced(), limits, slices.Repeat([]priced.Weights{w}, K), make([]float64, K))
	if p.priced == nil {
		return
	}
	p.work = 40_000 + int64(len(r.must)*K*len(limits)*10)
	for i := range p.priced.Clusters {
		c := &p.priced.Clusters[i]
		p.work += int64(len(limits) * len(c.Items) * c.Processors)
	}
	if p.work > 200_000_000 {
		p.priced = nil
		return
	}
	p.cost, p.at = make([]float64, len(limits)+1), make([]int32, len(limits)+1)
	p.scale(limits)
	p.bundle.Unit = 1e-3 * (w.Over + w.End) * limits[len(limits)-1]
	p.next = make([]float64, p.priced.Size)
	p.first(ctx, limits, (w.Over+w.End)/limits[len(limits)-1])
}

// first tries prices ρ that fall from a multiple of unit to 0, and starts from the best.
func (p *pricedSum) first(ctx context.Context, limits []float64, unit float64) {
	best, kept, from := math.Inf(-1), (*bundle.Cut)(nil), []float64(nil)
	for k := -8; k <= 16 && unit > 0; k++ {
		for t := range len(limits) - 1 {
			for i := range p.priced.Clusters {
				p.next[p.priced.Clusters[i].Rho+t] = math.Ldexp(unit, k) * limits[len(limits)-1] * (1 - limits[t]/limits[len(limits)-1]) / float64(p.r.in.Processors())
			}
		}
		value, c, ok := p.evaluate(ctx, p.next)
		if !ok { // the prices are too high, or the context has ended
			break
		}
		p.credit -= p.work
		p.settle(value)
		if value > best {
			best, kept, from = value, c, slices.Clone(p.next)
		}
	}
	if from == nil {
		p.priced = nil
		return
	}
	p.bundle.Add(from, best, kept)
}

// scale sets how far the prices may move.
func (p *pricedSum) scale(limits []float64) {
	p.bundle.Scale = slices.Repeat([]float64{1}, p.priced.Size)
	length := limits[1]
	for i := range p.priced.Clusters {
		c := &p.priced.Clusters[i]
		rho, theta := float64(c.Processors)*length, limits[len(limits)-1]
		for t := range len(limits) - 1 {
			p.bundle.Scale[c.Rho+t] = 2 / (rho * rho)
		}
		for kind := range c.Sizes {
			p.bundle.Scale[c.Theta+kind] = 0.05 / (theta * theta)
		}
	}
}

// evaluate is the bound at the prices x, without its constant, with a cut. It returns false if the context ended or a
// number overflowed.
func (p *pricedSum) evaluate(ctx context.Context, x []float64) (value float64, c *bundle.Cut, ok bool) {
	if !p.priced.Set(ctx, x) {
		return 0, nil, false
	}
	limits := p.priced.Limits
	last := len(limits) - 1
	c = &bundle.Cut{Slope: make([]float64, p.priced.Size)}
	for i := range p.priced.Clusters {
		value -= p.priced.Clusters[i].Paid[last]
		p.priced.Clusters[i].SlopeOfCluster(c.Slope, last, -1, limits)
	}
	for j := range p.priced.Jobs {
		if j%64 == 0 && ctx.Err() != nil {
			return 0, nil, false
		}
		least, on, start := math.Inf(1), -1, int32(0)
		for i := range p.priced.Clusters {
			cluster := &p.priced.Clusters[i]
			if cluster.Jobs[j].Kind < 0 {
				continue
			}
			cluster.Cheapest(j, limits, p.cost, p.at)
			if v := p.cost[last+1]; v < least {
				least, on, start = v, i, p.at[last+1]
			}
		}
		if on < 0 { // the job has to run somewhere
			return 0, nil, false
		}
		value += least
		p.priced.Clusters[on].SlopeOfRun(c.Slope, j, start, 1, limits)
	}
	c.At0 = value - c.At(x)
	return value, c, gate.Finite(value)
}
