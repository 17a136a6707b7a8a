package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/bundle"
	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/proof"
)

// ascent looks for the best prices of a [powered.Problem]: what that proves plus a constant is a bound at any prices that are at least 0.
//
// A bundle looks for the best prices by buckets of time. When it gains little, buckets are cut in halves.
type ascent struct {
	r      *Relaxation
	proved *Gate
	kind   ascentKind

	started  bool
	credit   int64
	problem  *powered.Problem // nil: there is nothing more to do
	input    *powered.Input
	constant Sum
	bundle   bundle.Bundle
	next     []float64
	slope    []float64
	tries    int
	most     float64 // a value above that says that no schedule places all the jobs in time: then prices rise without end
}

// ascentKind is what an ascent is for.
type ascentKind interface {
	// input is the problem, with limits of buckets, and the constant; nil: nothing is known.
	input(ctx context.Context, r *Relaxation) (*powered.Input, Sum)
	// first writes the k-th prices to start from. It returns false in use if they are not worth a try, and in more if there is no such k.
	first(p *powered.Problem, k int, x []float64) (use, more bool)
	// argument is what a certificate states of the prices.
	argument(r *Relaxation, p *powered.Problem, x []float64) *proof.Argument
}

const (
	ascentTries = 3_000   // evaluations at most
	mostBuckets = 2_048   // of all clusters together, where buckets are cut in halves
	coarseGain  = 2e-4    // of the value: with less gain buckets are cut in halves
	fineGain    = 1e-5    // of the value: with less gain the last of them ends
	ascentCuts  = 400_000 // work of the bundle for each price and evaluation, in 1/1000 ns
)

// Improve implements [Prover].
func (p *ascent) Improve(ctx context.Context, work int64) bool {
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
		case p.tries >= ascentTries || !(gain > max(fineGain*least, value.Margin())):
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
func (p *ascent) give(ctx context.Context) {
	if ctx.Err() == nil && p.problem != nil {
		p.proved.Close()
		p.problem = nil
	}
}

// evaluate proves what the next prices prove.
func (p *ascent) evaluate(ctx context.Context) (Sum, bool) {
	p.credit -= p.problem.Work + int64(len(p.next))*ascentCuts/1000
	sum, ok := p.problem.Evaluate(ctx, p.next, p.slope)
	if !ok {
		return sum, false
	}
	if p.most > 0 && sum.Value > p.most {
		p.problem = nil
		return sum, false
	}
	sum = p.r.Chained(Sum{Value: sum.Value + p.constant.Value, Size: sum.Size + p.constant.Size, Terms: sum.Terms + p.constant.Terms})
	if p.proved.Prove(sum) {
		problem, x := p.problem, slices.Clone(p.next)
		p.proved.Show(func() *proof.Argument { return p.kind.argument(p.r, problem, x) })
	}
	return sum, true
}

// cut is the cut of the last evaluation.
func (p *ascent) cut(value float64) *bundle.Cut {
	c := &bundle.Cut{Slope: slices.Clone(p.slope)}
	c.At0 = value - c.At(p.next)
	return c
}

// start prepares the buckets and finds the first prices.
func (p *ascent) start(ctx context.Context) {
	if p.input, p.constant = p.kind.input(ctx, p.r); p.input == nil {
		return
	}
	if p.problem = powered.New(p.input); p.problem == nil {
		return
	}
	p.prepare()
	p.first(ctx)
}

// prepare makes a bundle for the problem.
func (p *ascent) prepare() {
	p.next, p.slope = make([]float64, p.problem.Size), make([]float64, p.problem.Size)
	p.bundle = bundle.Bundle{Positive: true, Scale: p.problem.Scale()}
}

// first tries simple prices and starts from the best.
func (p *ascent) first(ctx context.Context) {
	best, from, cut := math.Inf(-1), []float64(nil), (*bundle.Cut)(nil)
	p.most = p.input.Most
	for k := 0; ; k++ {
		use, more := p.kind.first(p.problem, k, p.next)
		if !more || p.problem.Looks > 0 && from != nil { // each takes long
			break
		}
		if !use {
			continue
		}
		value, ok := p.evaluate(ctx)
		if !ok {
			break
		}
		if value.Value > best {
			best, from, cut = value.Value, slices.Clone(p.next), p.cut(value.Value)
		}
	}
	if from == nil || p.problem == nil {
		p.give(ctx)
		p.problem = nil
		return
	}
	p.bundle.Unit = 1e-9 * math.Abs(best)
	const far = 2 // times what all jobs can cost, and the machines, where that is not known better
	if p.most <= 0 {
		p.most = far * (p.problem.Sizes() + math.Abs(best))
	}
	p.bundle.Add(from, best, cut)
}

// finer is the problem with each bucket cut in halves, at the best prices so far; nil: there would be too many.
func (p *ascent) finer(ctx context.Context) *powered.Problem {
	if p.tries >= ascentTries || 2*p.problem.Size > mostBuckets {
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
