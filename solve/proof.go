package solve

import (
	"context"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// Proof holds what is known of an instance independently of any solver: lower bounds, and which jobs a schedule has to place. A run has one
// Proof. The first user starts it with a little work: a solver that needs the bound, or the run when it states its figures. A solver may
// improve the Proof further; later solvers of the same run see the improvement. Only one goroutine at a time may use it.
type Proof struct {
	*bound.Proof // nil: not started
	in           *model.Instance
	idle         bool // true: find does no work, see [Options]
	certified    bool // keep what a certificate needs
	more         bool // more work may improve the bound
}

// Proof returns what the run has proved of its instance, and first does a little work if there is nothing yet. For another instance, or outside
// of [Run], it returns a new Proof.
func (o *Options) Proof(ctx context.Context, in *model.Instance) *Proof {
	p := o.proof
	if p == nil || p.in != in {
		p = &Proof{in: in, idle: o.Unbounded, certified: o.Certify}
	}
	p.find(ctx)
	return p
}

// find starts the proof with a little work, unless it was started already. It stops when the context ends.
func (p *Proof) find(ctx context.Context) {
	if p.Proof == nil {
		prepare := bound.New
		if p.certified {
			prepare = bound.NewCertified
		}
		p.Proof = prepare(ctx, p.in)
		if !p.idle {
			p.Continue(ctx, bound.LittleWork)
		}
	}
}

// Continue improves the proof with about the given work, in the units of [bound.Prover].
func (p *Proof) Continue(ctx context.Context, work int64) { p.more = p.Improve(ctx, work) }

// More reports whether more work may improve the bound.
func (p *Proof) More() bool { return p.more }

// WorstLeft returns the strictest duty among the jobs that a schedule leaves out. MustPlace: it leaves out a job that has to be placed, or one of
// which that is not known. MayLeave: it leaves out jobs that a schedule need not place. MustLeave: it leaves out no job, or only jobs that no
// schedule can place.
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
