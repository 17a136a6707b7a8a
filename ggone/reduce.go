package ggone

import (
	"context"
	"math"
)

// Reduction is what the Lagrangian leaves of a problem without an idle rate.
type Reduction struct {
	// Form is the level form of what can cost less than Limit: loads and places that the bound rules out are gone. nil:
	// nothing can, or the evaluations or the time ran out before that was known.
	Form *Form
	// Best is the best allocation found, the idle rate parked; Machine is nil where there is none of finite cost.
	Best Result
	// Limit is the cost from which on an allocation of the problem without an idle rate is not worth finding: the best less the
	// tolerance; +Inf: none is known.
	Limit float64
	// Bound is a lower bound of all allocations; −Inf: none.
	Bound       float64
	Proved      bool // nothing without an idle rate costs less than Limit
	Evaluations int64
}

// reduceLoads is the number of vectors of loads up to which what is left is tried vector by vector: HiGHS takes longer even for its presolve.
const reduceLoads = 64

// Reduce bounds the problem by the Lagrangian at the root, finds allocations as [Solve] does there, and fixes by reduced costs
// what no better allocation has. Where few loads are left it tries them all. The error is that of [Problem.Level].
func (p *Problem) Reduce(ctx context.Context, opt Options) (*Reduction, error) {
	c, idle, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	opt.Tolerance = max(opt.Tolerance, leastTolerance)
	if report := opt.Progress; idle > 0 && report != nil { // what allocations cost without an idle rate says little
		opt.Progress = func(p Progress) {
			p.Objective = math.Inf(1)
			report(p)
		}
	}
	s := newSearch(ctx, c, opt)
	root := &node{box: s.root(), u: make([]float64, s.tasks), bound: math.Inf(-1)}
	open := s.rootOpen(root)
	if open && !s.stopped() && !math.IsInf(root.bound, -1) {
		open = !s.close(root, reduceLoads)
	}
	r := &Reduction{Limit: s.limit(), Evaluations: s.evaluations, Bound: s.certain(root.bound), Best: Result{Objective: math.Inf(1), Bound: math.Inf(-1)}}
	if s.bestLoads != nil {
		r.Best = p.placed(s.rankOf, s.best, idle)
	}
	switch {
	case !open:
		r.Proved, r.Bound = !math.IsInf(s.best, 1) && s.unproved >= s.limit(), s.certain(math.Inf(1))
	case !s.stopped():
		if form := p.levelForm(ctx, c, root.box, idle); ctx.Err() == nil {
			r.Form = form
		}
	}
	return r, nil
}
