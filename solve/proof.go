package solve

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// proof is what is proved of an instance whoever solves it, and which jobs have to be placed. It is begun once in a run, with a
// little work, by the first that asks: a solver that aims at the bound, or the run itself when it states its figures. A solver may
// go on with it; those after it find what it has proved. It is for one goroutine at a time.
type proof struct {
	*bound.Proof // nil: not begun
	in           *model.Instance
	more         bool // more work may improve the bound
}

// proofOf is that of the run, begun; outside a run it is a new one.
func (o *Options) proofOf(ctx context.Context, in *model.Instance) *proof {
	p := o.proof
	if p == nil || p.in != in {
		p = &proof{in: in}
	}
	p.find(ctx)
	return p
}

// find proves what a little work can until the context ends.
func (p *proof) find(ctx context.Context) {
	if p.Proof == nil {
		p.Proof = bound.New(ctx, p.in)
		p.improve(ctx, bound.LittleWork)
	}
}

// improve goes on for about so much work, see [bound.Prover].
func (p *proof) improve(ctx context.Context, work int64) { p.more = p.Improve(ctx, work) }

// value is the bound that is proved; −Inf: none.
func (p *proof) value() float64 {
	if value, ok := p.Value(); ok {
		return value
	}
	return math.Inf(-1)
}

// worstLeft is the gravest of what a schedule leaves out: MustPlace where one job has to be placed, or that is not known; MustLeave
// where it leaves out nothing, or only what it has to.
func (p *proof) worstLeft(sol *model.Solution) bound.Duty {
	worst, duties := bound.MustLeave, p.Duties()
	for k := range sol.Unscheduled {
		j, known := p.in.JobIndex(sol.Unscheduled[k].Job)
		if !known || duties == nil {
			return bound.MustPlace
		}
		worst = min(worst, duties[j])
	}
	return worst
}
