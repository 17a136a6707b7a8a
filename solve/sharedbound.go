package solve

import (
	"cmp"
	"context"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// SharedBound holds what is known of an instance independently of any solver: lower bounds, and how many jobs every schedule owes. A run has one
// SharedBound. The first user starts it with a little work: a solver that needs the bound, or the run when it states its figures. A solver may
// improve the SharedBound further; later solvers of the same run see the improvement. Only one goroutine at a time may use it.
type SharedBound struct {
	*bound.Portfolio // nil: not started
	in               *model.Instance
	of               *model.Instance // the same schedules, reduced for the solvers of the run
	stated           *model.Instance // the instance that the run is asked for
	back             *model.Reduction
	idle             bool  // true: find does no work, see [Options]
	certified        bool  // keep what a certificate needs
	more             bool  // more work may improve the bound
	begun            bool  // find has done its little work
	size             *Size // of the reduced instance; nil: not measured
}

// SizeOf returns the size of the instance. A run measures its instance once.
func (o *Options) SizeOf(in *model.Instance) *Size {
	p := o.shared
	if p == nil || p.of != in {
		return SizeOf(in)
	}
	if p.size == nil {
		p.size = SizeOf(in)
	}
	return p.size
}

// SharedBound returns what the run has proved of its instance, and first does a little work if there is nothing yet. For another instance, or outside
// of [Run], it returns a new SharedBound.
func (o *Options) SharedBound(ctx context.Context, in *model.Instance) *SharedBound {
	p := o.shared
	if p == nil || p.of != in {
		p = &SharedBound{in: in, of: in, stated: in, idle: o.Unbounded, certified: o.Certify}
	}
	p.find(ctx, nil)
	return p
}

// find starts the methods with a little work, unless it was started already. Those that may take more than that, on large instances, do not start where enough says of
// what the others have proved that it will do; nil: it never does. It stops when the context ends.
func (p *SharedBound) find(ctx context.Context, enough func() bool) {
	if p.Portfolio == nil {
		prepare := bound.New
		if p.certified {
			prepare = bound.NewCertified
		}
		p.Portfolio = prepare(ctx, p.in)
		if !p.idle {
			p.Continue(ctx, 0)
		}
	}
	if !p.idle && !p.begun && (enough == nil || !enough()) {
		p.begun = true
		p.Continue(ctx, bound.LittleWork)
	}
}

// meets says whether the bound proves that a schedule is optimal, see find.
func (p *SharedBound) meets(ctx context.Context, sol *model.Solution, evaluation *model.Evaluation) (proved bool) {
	proves := func() bool {
		return p.Concerns(sol) && evaluation.Proves(p.Bound()) && !evaluation.Refutes(p.Bound())
	}
	p.find(ctx, proves)
	return proves()
}

// Continue improves the bound with about the given work, in the units of [bound.Prover].
func (p *SharedBound) Continue(ctx context.Context, work int64) { p.more = p.Improve(ctx, work) }

// More reports whether more work may improve the bound.
func (p *SharedBound) More() bool { return p.more }

// Concerns says whether the bound is of schedules like this one, which owe no more jobs than every schedule does as far as is known.
func (p *SharedBound) Concerns(sol *model.Solution) bool { return p.in.Owed(sol) <= p.Owed() }

// explain gives jobs that others keep out in every schedule that as their reason.
func (p *SharedBound) explain(sol *model.Solution) {
	out := make(map[int]bool, len(sol.Unscheduled))
	for k := range sol.Unscheduled {
		if j, known := p.in.JobIndex(sol.Unscheduled[k].Job); known {
			out[j] = true
		}
	}
	for k := range sol.Unscheduled {
		if j, known := p.in.JobIndex(sol.Unscheduled[k].Job); known {
			sol.Unscheduled[k].Reason = cmp.Or(p.Explain(j, func(other int) bool { return !out[other] }), sol.Unscheduled[k].Reason)
		}
	}
}
