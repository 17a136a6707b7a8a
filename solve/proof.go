package solve

import (
	"context"

	"github.com/allot-opt/allot/model"
)

// proof is what is proved of an instance whoever solves it: [LowerBound], and which jobs have to be placed. It is found once in
// a run, by the first that asks: a solver that aims at the bound, or the run itself when it states its figures.
type proof struct {
	in     *model.Instance
	found  bool
	duties []duty // by job; nil: the context ended before they were known
	bound  float64
	has    bool
}

// proofOf is that of the run, found; outside a run it is a new one.
func (o *Options) proofOf(ctx context.Context, in *model.Instance) *proof {
	p := o.proof
	if p == nil || p.in != in {
		p = &proof{in: in}
	}
	p.find(ctx)
	return p
}

// find proves what can be proved until the context ends.
func (p *proof) find(ctx context.Context) {
	if p.found {
		return
	}
	p.found = true
	r := newRelaxation(ctx, p.in)
	if r == nil {
		return
	}
	p.duties = r.duties
	p.bound, p.has = r.bound(ctx)
}

// worstLeft is the gravest of what a schedule leaves out: mustPlace where one job has to be placed, or that is not known; mustLeave
// where it leaves out nothing, or only what it has to.
func (p *proof) worstLeft(sol *model.Solution) duty {
	worst := mustLeave
	for k := range sol.Unscheduled {
		j, known := p.in.JobIndex(sol.Unscheduled[k].Job)
		if !known || p.duties == nil {
			return mustPlace
		}
		worst = min(worst, p.duties[j])
	}
	return worst
}
