package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/bundle"
	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(pricedPowerMethod("energy", powerWeights{energy: 1}))
	_ = Register(pricedPowerMethod("energy_cost", powerWeights{cost: 1}))
	_ = Register(pricedPowerMethod("carbon", powerWeights{carbon: 1}))
)

const pricedPowerName = "priced-power"

// pricedPowerMethod bounds a metric of power.
func pricedPowerMethod(metric string, w powerWeights) Method {
	return Method{Name: pricedPowerName, Metric: metric, Certifies: true,
		Doc:    "prices of processor time that changes with time: each job at its cheapest start, each machine on its cheapest way through its states",
		Source: "A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Program. Study 2, doi:10.1007/BFb0120690; the ways as in O. Benedikt, I. Módos, Z. Hanzálek (2020), Power of pre-processing, CPAIOR 2020, doi:10.1007/978-3-030-58942-4_9",
		New:    func(r *Relaxation, proved *Gate) Prover { return &pricedPower{r: r, proved: proved, weights: w} }}
}

// pricedPower bounds what power costs by [powered.Problem]: at any prices of processor time that are at least 0.
//
// A bundle looks for the best prices by buckets between the steps of tariffs. When it gains little, buckets are cut in halves.
type pricedPower struct {
	r       *Relaxation
	proved  *Gate
	weights powerWeights

	started bool
	credit  int64
	problem *powered.Problem // nil: there is nothing more to do
	input   *powered.Input
	bundle  bundle.Bundle
	next    []float64
	slope   []float64
	tries   int
}

const (
	powerTries   = 3_000   // evaluations at most
	powerBuckets = 24      // buckets at least
	mostBuckets  = 2_048   // of all clusters together, where buckets are cut in halves
	coarseGain   = 2e-4    // of the value: with less gain buckets are cut in halves
	fineGain     = 1e-5    // of the value: with less gain the last of them ends
	powerCuts    = 400_000 // work of the bundle for each price and evaluation, in 1/1000 ns
)

// Improve implements [Prover].
func (p *pricedPower) Improve(ctx context.Context, work int64) bool {
	p.credit += work
	if !p.started {
		p.started = true
		p.start(ctx)
	}
	for p.problem != nil && p.credit > 0 && ctx.Err() == nil {
		gain := p.bundle.Next(p.next)
		value, ok := p.evaluate(ctx)
		if !ok {
			p.give(ctx)
			break
		}
		p.bundle.Add(p.next, value.Value, p.cut(value.Value))
		p.tries++
		switch least := math.Abs(p.bundle.Value); {
		case p.tries >= powerTries || !(gain > max(fineGain*least, value.Margin())):
			p.problem = p.finer(ctx)
		case gain <= coarseGain*least:
			if finer := p.finer(ctx); finer != nil {
				p.problem = finer
			}
		}
	}
	return p.problem != nil
}

// give ends the work after an evaluation has failed, unless it failed because the context ended: then the work may continue later.
func (p *pricedPower) give(ctx context.Context) {
	if ctx.Err() == nil {
		p.proved.Close()
		p.problem = nil
	}
}

// evaluate proves what the next prices prove.
func (p *pricedPower) evaluate(ctx context.Context) (Sum, bool) {
	p.credit -= p.problem.Work + int64(len(p.next))*powerCuts/1000
	sum, ok := p.problem.Evaluate(ctx, p.next, p.slope)
	if !ok {
		return sum, false
	}
	sum = p.r.Chained(sum)
	if p.proved.Prove(sum) {
		problem, x := p.problem, slices.Clone(p.next)
		p.proved.Show(func() *proof.Argument { return &proof.Argument{PowerPrices: stated(problem, x)} })
	}
	return sum, true
}

// stated is what a certificate states.
func stated(problem *powered.Problem, x []float64) *proof.PowerPrices {
	buckets := len(problem.Limits) - 1
	by := &proof.PowerPrices{Times: problem.Limits[:buckets], Cells: problem.Cells(), Looks: problem.Looks}
	for at := 0; at < len(x); at += buckets {
		row := make([]float64, buckets)
		for k := range row {
			row[k] = max(0, x[at+k])
		}
		by.Clusters = append(by.Clusters, row)
	}
	return by
}

// cut is the cut of the last evaluation.
func (p *pricedPower) cut(value float64) *bundle.Cut {
	c := &bundle.Cut{Slope: slices.Clone(p.slope)}
	c.At0 = value - c.At(p.next)
	return c
}

// start prepares the buckets and finds the first prices.
func (p *pricedPower) start(ctx context.Context) {
	p.input = p.r.powerInput(p.weights)
	if p.input == nil {
		return
	}
	length := p.input.To - p.input.From
	for k := 1; k < powerBuckets; k++ {
		p.input.Limits = append(p.input.Limits, length*float64(k)/powerBuckets)
	}
	for c := range p.input.Clusters { // steps are enough where there are many of them
		if len(p.input.Clusters[c].Steps) >= powerBuckets {
			p.input.Limits = nil
		}
	}
	if p.problem = powered.New(p.input); p.problem == nil {
		return
	}
	p.prepare()
	p.first(ctx)
}

// prepare makes a bundle for the problem.
func (p *pricedPower) prepare() {
	p.next, p.slope = make([]float64, p.problem.Size), make([]float64, p.problem.Size)
	p.bundle = bundle.Bundle{Positive: true, Scale: p.problem.Scale()}
}

// first tries simple prices and starts from the best: those at which it costs the same to hold a processor at all times that are cheaper than a level, and
// those that pay for the idle power of machines that may sleep.
func (p *pricedPower) first(ctx context.Context) {
	best, from, cut := math.Inf(-1), []float64(nil), (*bundle.Cut)(nil)
	for k := -1; k < powered.Starts(); k++ {
		if k < 0 && !p.problem.Cleared(p.next) || k >= 0 && !p.problem.First(k, p.next) {
			continue
		}
		if k >= 0 && p.problem.Looks > 0 && from != nil {
			break // each takes long
		}
		value, ok := p.evaluate(ctx)
		if !ok {
			break
		}
		if value.Value > best {
			best, from, cut = value.Value, slices.Clone(p.next), p.cut(value.Value)
		}
	}
	if from == nil {
		p.give(ctx)
		p.problem = nil
		return
	}
	p.bundle.Unit = 1e-9 * math.Abs(best)
	p.bundle.Add(from, best, cut)
}

// finer is the problem with each bucket cut in halves, at the best prices so far; nil: there would be too many.
func (p *pricedPower) finer(ctx context.Context) *powered.Problem {
	if p.tries >= powerTries || 2*p.problem.Size > mostBuckets {
		return nil
	}
	input := *p.input
	input.Limits = nil
	old := p.problem.Limits
	for k := 1; k < len(old); k++ {
		input.Limits = append(input.Limits, old[k-1], old[k-1]+(old[k]-old[k-1])/2)
	}
	problem := powered.New(&input)
	if problem == nil || len(problem.Limits) != 2*len(old)-1 {
		return nil
	}
	centre := make([]float64, problem.Size)
	for k := range centre {
		centre[k] = p.bundle.Centre[k/2]
	}
	step, unit := p.bundle.Step, p.bundle.Unit
	p.problem, p.input = problem, &input
	p.prepare()
	copy(p.next, centre)
	value, ok := p.evaluate(ctx)
	if !ok { // what was proved before is kept
		p.problem = nil
		return nil
	}
	p.bundle.Unit = unit
	p.bundle.Restart(centre, value.Value, []*bundle.Cut{p.cut(value.Value)}, step/2)
	return problem
}
