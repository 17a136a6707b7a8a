package ggone

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

// Reduction is the part of a problem, without its idle rate, that the Lagrangian bound leaves open.
type Reduction struct {
	// Form is the level form without the loads and places that cannot be part of an allocation below Limit. Nil: nothing costs less
	// than Limit, or the evaluations or the time ran out before that was known.
	Form *Form
	// Best is the best allocation found, with the idle rate added where it costs least. Machine is nil if no allocation
	// of finite cost was found.
	Best Result
	// Limit is the cost, without the idle rate, below which an allocation is worth finding: the best cost less the tolerance;
	// +Inf: no allocation is known.
	Limit       float64
	Bound       model.Bound // of the cost of all allocations
	Proved      bool        // no allocation costs less than Limit, without the idle rate
	Evaluations int64
}

// reduceLoads is the number of vectors of loads up to which the search tries each: HiGHS takes longer even for its presolve.
const reduceLoads = 64

// Reduce bounds the problem by the Lagrangian at the root, finds allocations as [Solve] does there, and removes by reduced costs the loads
// and places that no better allocation has. If few vectors of loads are left, it tries them all. Errors are those of [Problem.Level].
func (p *Problem) Reduce(ctx context.Context, opt Options) (*Reduction, error) {
	c, idle, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	opt.Tolerance = max(opt.Tolerance, leastTolerance)
	if report := opt.Progress; idle > 0 && report != nil { // the cost without the idle rate says little
		opt.Progress = func(p Progress) {
			p.Objective = math.Inf(1)
			report(p)
		}
	}
	s := newSearch(ctx, c, opt)
	root := &node{box: s.root(), u: make([]float64, s.tasks), bound: math.Inf(-1)}
	open := s.rootOpen(root)
	if open && !s.stopped() && !math.IsInf(root.bound, -1) {
		open = !s.tryAll(root, reduceLoads)
	}
	r := &Reduction{Limit: s.limit(), Evaluations: s.evaluations, Bound: model.ProvedBound(s.lowerBound(root.bound)), Best: Result{Objective: math.Inf(1)}}
	if s.bestLoads != nil {
		r.Best = p.withIdle(s.rankOf, s.best, idle)
	}
	switch {
	case !open:
		r.Proved, r.Bound = !math.IsInf(s.best, 1) && s.unproved >= s.limit(), model.ProvedBound(s.lowerBound(math.Inf(1)))
	case !s.stopped():
		if form := p.levelForm(ctx, c, root.box, idle); ctx.Err() == nil {
			r.Form = form
		}
	}
	return r, nil
}
