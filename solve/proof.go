package solve

import (
	"context"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// Proof is what is proved of an instance whoever solves it, and which jobs have to be placed. It is begun once in a run, with a
// little work, by the first that asks: a solver that aims at the bound, or the run itself when it states its figures. A solver may
// go on with it; those after it find what it has proved. It is for one goroutine at a time.
type Proof struct {
	*bound.Proof // nil: not begun
	in           *model.Instance
	more         bool // more work may improve the bound
}

// Proof is what is proved of the instance of the run, with a little work done; for another instance, or outside of [Run], it is begun anew.
func (o *Options) Proof(ctx context.Context, in *model.Instance) *Proof {
	p := o.proof
	if p == nil || p.in != in {
		p = &Proof{in: in}
	}
	p.find(ctx)
	return p
}

// find proves what a little work can until the context ends.
func (p *Proof) find(ctx context.Context) {
	if p.Proof == nil {
		p.Proof = bound.New(ctx, p.in)
		p.Continue(ctx, bound.LittleWork)
	}
}

// Continue goes on for about so much work, see [bound.Prover].
func (p *Proof) Continue(ctx context.Context, work int64) { p.more = p.Improve(ctx, work) }

// More says that more work may improve the bound.
func (p *Proof) More() bool { return p.more }

// WorstLeft is the gravest of what a schedule leaves out: MustPlace where one job has to be placed, or that is not known; MustLeave
// where it leaves out nothing, or only what it has to.
func (p *Proof) WorstLeft(sol *model.Solution) bound.Duty {
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
